"""What was spent, as it stands in a file: payer, amount, people, what for."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from .money import parse


@dataclass(frozen=True)
class Expense:
    """Something that one person paid for several."""

    payer: str
    cents: int
    people: tuple[str, ...]
    what: str = ""


def read(lines: Iterable[str]) -> Iterator[Expense]:
    """Expenses from CSV lines `payer,amount,people separated by +,what for`. Raises BadAmount."""
    for row in csv.reader(lines):
        if not row or row[0].startswith("#"):
            continue
        payer, amount, people, *what = (cell.strip() for cell in row)
        yield Expense(payer, parse(amount), tuple(people.split("+")), what[0] if what else "")
