"""How long `agenvantage --help` takes, beside a bare Python in the same rounds.

Run: python tests/benchmarks/help.py [--runs N] [--bar MILLISECONDS]
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time
from pathlib import Path

from kit import figures

COMMAND = Path(sys.executable).with_name("agenvantage")


def timed(*argv: str) -> float:
    began = time.perf_counter()
    subprocess.run(argv, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - began


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=21)
    parser.add_argument("--bar", type=float, help="exit 1 when the median is above this many milliseconds")
    asked = parser.parse_args()
    timed(str(COMMAND), "--help")
    rounds = [(timed(sys.executable, "-c", "pass"), timed(str(COMMAND), "--help")) for _ in range(asked.runs)]
    bare, help_ = zip(*rounds, strict=True)
    print(f"python -c pass       {figures(bare)}")
    print(f"agenvantage --help   {figures(help_)}")
    return int(asked.bar is not None and 1000 * statistics.median(help_) > asked.bar)


if __name__ == "__main__":
    sys.exit(main())
