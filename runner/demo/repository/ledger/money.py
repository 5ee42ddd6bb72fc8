"""Amounts of money, as whole cents."""

from __future__ import annotations

import re

AMOUNT = re.compile(r"^(-?)(\d+)(?:[.,](\d{1,2}))?$")


class BadAmount(ValueError):
    """Text that is no amount of money."""

    def __init__(self, text: str) -> None:
        super().__init__(f"{text!r} is not an amount like 12.50")


def parse(text: str) -> int:
    """`"12.5"` and `"12,50"` are 1250 cents. Raises BadAmount."""
    found = AMOUNT.match(text.strip())
    if found is None:
        raise BadAmount(text)
    sign, units, cents = found.groups()
    value = int(units) * 100 + int((cents or "0").ljust(2, "0"))
    return -value if sign else value


def show(cents: int) -> str:
    """1250 cents are `"12.50"`."""
    sign = "-" if cents < 0 else ""
    units, rest = divmod(abs(cents), 100)
    return f"{sign}{units}.{rest:02d}"
