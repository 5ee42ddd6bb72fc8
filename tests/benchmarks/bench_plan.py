"""Times plans in a process that is up: `python tests/benchmarks/bench_plan.py TREE TASKS [EVERY]`.

TREE is a work tree, TASKS a file of JSON lines with a `text` each (which need not be about that tree), of which every
EVERY-th is taken. The index is built or read first, and one plan loads what all plans need. Each text is planned once;
wall and CPU milliseconds, with a fixed loop in between that tells how busy the machine is.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter, process_time

from agenvantage.context.index import RepositoryIndex
from agenvantage.context.plan import ContextPlanner

_LOOPS = 300_000


def yardstick() -> float:
    began = process_time()
    total = 0
    for number in range(_LOOPS):
        total += number & 7
    assert total
    return process_time() - began


def main(tree: str, tasks: str, every: int = 3) -> None:
    texts = [json.loads(line)["text"] for line in Path(tasks).read_text(encoding="utf-8").splitlines()][::every]
    wall: list[float] = []
    cpu: list[float] = []
    sticks: list[float] = []
    with tempfile.TemporaryDirectory() as cache, RepositoryIndex.open(tree, cache_dir=Path(cache)) as index:
        planner = ContextPlanner(index)
        planner.plan(texts[0])
        for text in texts:
            began, used = perf_counter(), process_time()
            planner.plan(text)
            wall.append(perf_counter() - began)
            cpu.append(process_time() - used)
            sticks.append(yardstick())
        print(f"{len(index.files):,} files, {len(texts)} texts; yardstick {_at(sticks, 0.5):.1f} ms (quiet: about 10)")
    for name, each in (("wall", wall), ("CPU", cpu)):
        print(f"{name:<5} p50 {_at(each, 0.5):6.0f} ms   p95 {_at(each, 0.95):6.0f} ms   most {_at(each, 1.0):6.0f} ms")


def _at(times: Sequence[float], share: float) -> float:
    return 1_000 * sorted(times)[min(len(times) - 1, int(share * len(times)))]


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], *(int(each) for each in sys.argv[3:4]))
