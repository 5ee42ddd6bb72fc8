"""Times index, plan and tools on a repository: `python tests/benchmarks/bench_context.py REPOSITORY [TASK]`.

Wall and CPU seconds of a cold index, a warm open, the first plan of a process (it loads the tokenizer) and later ones,
and of each tool; with the index's size and the process's largest memory. Nothing is written but a temporary cache.
"""

from __future__ import annotations

import resource
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import TypeVar

from agenvantage.context.compile import ContextCompiler
from agenvantage.context.index import RepositoryIndex
from agenvantage.context.plan import ContextPlanner
from agenvantage.context.tools import call

T = TypeVar("T")
TASK = "The configuration file is parsed twice and an error in it is reported without its line"


def timed(name: str, work: Callable[[], T], times: int = 1) -> T:
    wall, cpu = [], []
    for _ in range(times):
        began, used = perf_counter(), process_time()
        answer = work()
        wall.append(perf_counter() - began)
        cpu.append(process_time() - used)
    print(f"{name:<28} wall {median(wall):8.3f} s   CPU {median(cpu):8.3f} s   largest wall {max(wall):8.3f} s")
    return answer


def main(repository: str, task: str = TASK) -> None:
    with tempfile.TemporaryDirectory() as folder:
        cache = Path(folder)
        timed("cold index", lambda: RepositoryIndex.open(repository, cache_dir=cache)).close()
        timed("warm open", lambda: RepositoryIndex.open(repository, cache_dir=cache).close(), times=5)
        index = RepositoryIndex.open(repository, cache_dir=cache)
        planner = ContextPlanner(index)
        timed("first plan", lambda: planner.plan(task))
        plan = timed("plan", lambda: ContextPlanner(index).plan(task), times=10)
        packet = timed("compile", lambda: ContextCompiler().compile(plan), times=10)
        timed("refresh, nothing changed", index.refresh, times=5)
        for name, arguments in (("search", {"query": task}), ("repo_map", {}), ("symbol", {"name": "main"})):
            timed(f"tool {name}", lambda name=name, given=arguments: call(index, name, given), times=5)  # type: ignore[misc]
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"{len(index.files)} files, index {index.store.size() / 1e6:.1f} MB, largest memory {memory:.0f} MB")
        print(f"packet {packet.tokens} tokens, prefix {packet.prefix_tokens}, {plan.readiness}")
        index.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
