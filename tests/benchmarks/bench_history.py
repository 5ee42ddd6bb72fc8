"""Times history on a repository: `python tests/benchmarks/bench_history.py REPOSITORY [COMMITS]`.

CPU time counts git's as well as ours: of reading all commits into an empty index file, of one new commit, of opening
what is known, and of each question; with the bytes that are kept. Nothing is written but a temporary index file.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from os import times
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import TypeVar

from agenvantage.context.git import discover, git, line, resolve
from agenvantage.context.history import MOST_COMMITS, History
from agenvantage.context.owners import read_owners
from agenvantage.context.store import Store, open_store

T = TypeVar("T")
WORDS = dict.fromkeys(("page", "render", "template", "cache", "config", "error", "language", "parser", "option"), 1.0)


def cpu() -> float:
    spent = times()
    return spent.user + spent.system + spent.children_user + spent.children_system


def timed(name: str, work: Callable[[], T], rounds: int = 1) -> T:
    """CPU time comes in hundredths of a second, so that short work is measured over many rounds."""
    wall, began = [], cpu()
    for _ in range(rounds):
        at = perf_counter()
        answer = work()
        wall.append(1000 * (perf_counter() - at))
    each = 1000 * (cpu() - began) / rounds
    print(f"{name:<28} CPU {each:8.1f} ms   wall median {median(wall):8.1f} ms   worst {max(wall):8.1f} ms")
    return answer


def kept(store: Store, history: History) -> int:
    return sum(map(len, store.commits([commit.id for commit in history.commits]).values()))


def questions(history: History) -> None:
    """Each asked of a history that has not been asked before, and then again."""
    path = max(history.paths, key=lambda paths: (0 < len(paths) < 30, paths))[0]
    asked: dict[str, Callable[[], object]] = {
        "nearest": lambda: history.nearest(WORDS),
        "votes": lambda: history.votes(WORDS),
        "messages": lambda: history.messages(WORDS),
        "co_changed": lambda: history.co_changed(path),
        "churn of all files": lambda: [history.churn(each) for paths in history.paths for each in paths[:1]],
    }
    for name, question in asked.items():
        timed(f"{name}, first", question)
        timed(f"{name}, again", question, rounds=20)


def main(repository: str, most: int = MOST_COMMITS) -> None:
    found = discover(Path(repository))
    head = resolve(found, "HEAD")
    before = line(git(found.root, "rev-parse", "--verify", f"{head}~1"))
    with tempfile.TemporaryDirectory() as folder:
        store = open_store(Path(folder) / "index.db")
        timed(f"cold, {most} commits", lambda: History.of(found, store, before, most))
        history = timed("one commit later", lambda: History.of(found, store, head, most))
        timed("warm", lambda: History.of(found, store, head, most), rounds=20)
        questions(history)
        timed("owners", lambda: read_owners(found.root), rounds=5)
        touched = len({path for paths in history.paths for path in paths})
        print(f"{len(history.commits)} commits, {touched} files, {kept(store, history) / 1000:.0f} kB kept")
        print(f"shallow: {history.shallow}, problem: {history.problem}")
        store.close()


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:3]))
