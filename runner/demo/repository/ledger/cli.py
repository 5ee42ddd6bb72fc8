"""The command line: `balances FILE` and `settle FILE`."""

from __future__ import annotations

import sys
from pathlib import Path

from .balances import balances, settlements
from .entries import read
from .money import show


def main(arguments: list[str]) -> int:
    if len(arguments) != 2 or arguments[0] not in ("balances", "settle"):
        print("usage: ledger balances|settle FILE", file=sys.stderr)
        return 2
    owed = balances(read(Path(arguments[1]).read_text().splitlines()))
    if arguments[0] == "balances":
        for person, cents in owed.items():
            print(f"{person:12} {show(cents):>10}")
    else:
        for debtor, claimant, cents in settlements(owed):
            print(f"{debtor} pays {claimant} {show(cents)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
