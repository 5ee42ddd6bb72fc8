"""What `agenvantage run` costs of its own before the agent starts, on a repository of 500 files with a warm index.

Measured from the start of the command to the first moment of the agent's process (a program that does nothing but
note the time): natively, and with prepared context and tools for a task seen before and for a new one (whose texts
must be counted, which takes the tokenizer's vocabulary), interleaved.

Run: python tests/benchmarks/overhead.py [--runs N] [--files N] [--bar SECONDS]
"""

from __future__ import annotations

import argparse
import itertools
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from kit import figures, repository_of

COMMAND = Path(sys.executable).with_name("agenvantage")
NOTE_TIME = "import sys, time; open({path!r}, 'w').write(repr(time.time()))"
# Extra arguments, and whether each run has a task of its own.
ARMS = {
    "native": ((), False),
    "optimized": (("--optimize-context",), False),
    "new task": (("--optimize-context",), True),
}
NEW_TASKS = itertools.count(100)


def until_agent(repository: Path, places: Path, arm: str) -> float:
    """Seconds from calling the command to the agent's first instruction."""
    extra, new = ARMS[arm]
    task = f"Part {next(NEW_TASKS) if new else 17} is scaled wrongly"
    noted = places / "noted"
    script = places / "agent.py"
    script.write_text(NOTE_TIME.format(path=str(noted)), encoding="utf-8")
    environment = os.environ | {
        f"AGENVANTAGE_{name}_DIR": str(places / name.lower()) for name in ("CACHE", "STATE", "DATA")
    }
    began = time.time()
    subprocess.run(
        (
            str(COMMAND), "run", "--repo", str(repository), "--agent", "exec", "--agent-command",
            f"{sys.executable} -S {script}", "--task", task, "--json", *extra,
        ),
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment, check=False,
    )  # fmt: skip
    return float(noted.read_text(encoding="utf-8")) - began


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=11)
    parser.add_argument("--files", type=int, default=500)
    parser.add_argument("--bar", type=float, help="exit 1 when a median is above this many seconds")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        places = Path(folder)
        repository = repository_of(places / "project", asked.files)
        for arm in ARMS:
            until_agent(repository, places, arm)
        rounds = [{arm: until_agent(repository, places, arm) for arm in ARMS} for _ in range(asked.runs)]
    medians = []
    for arm in ARMS:
        seconds = [one[arm] for one in rounds]
        medians.append(statistics.median(seconds))
        print(f"{asked.files} files, {arm:<10} {figures(seconds)} before the agent starts")
    return int(asked.bar is not None and max(medians) > asked.bar)


if __name__ == "__main__":
    sys.exit(main())
