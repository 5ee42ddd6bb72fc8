"""One step of the index's benchmark, alone in its process: `python index_steps.py STEP TREE CACHE [TEXT]`; prints JSON.

Seconds are counted after the imports; CPU seconds hold the children (git, workers).
"""

from __future__ import annotations

import itertools
import json
import random
import re
import resource
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import trees
from agenvantage.context.graph import all_edges
from agenvantage.context.index import RepositoryIndex
from agenvantage.context.tools import call
from measure import percentile

Answer = dict[str, Any]
REFRESHES, EDITS, EDITED_ALREADY, SWITCHED, QUERIES, OPENINGS = 21, 21, 50, 100, 40, 20


class Span:
    """Wall and CPU seconds of a block."""

    wall = 0.0
    cpu = 0.0


@contextmanager
def timed() -> Iterator[Span]:
    span = Span()
    began, used = perf_counter(), _cpu()
    yield span
    span.wall, span.cpu = perf_counter() - began, _cpu() - used


def _cpu() -> float:
    spent = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(each.ru_utime + each.ru_stime for each in spent)


def cold(tree: Path, cache: Path, _text: str) -> Answer:
    """Index everything, then resolve every edge, in one process."""
    with timed() as opening:
        index = RepositoryIndex.open(tree, cache_dir=cache)
    with timed() as resolving:
        found = Counter(edge.kind for edge in all_edges(index))
    index.close()
    return {
        "open_wall": opening.wall,
        "open_cpu": opening.cpu,
        "edges_wall": resolving.wall,
        "edges_cpu": resolving.cpu,
        "edges": dict(found.most_common()),
    }


def counts(tree: Path, cache: Path, _text: str) -> Answer:
    """What a built index holds."""
    with RepositoryIndex.open(tree, cache_dir=cache) as index:
        read = [file for file in index.files if file.number is not None and not file.skipped]
        totals: Counter[str] = Counter()
        for file in read:
            found = index.facts(file.path)
            for name in ("symbols", "imports", "uses", "facts"):
                totals[name] += len(getattr(found, name))
    return {
        "files": len(index.files),
        "read": len(read),
        "source_bytes": sum(file.size or 0 for file in read),
        "languages": dict(Counter(file.language or "other" for file in read).most_common()),
        "parsers": dict(Counter(file.parser for file in read).most_common()),
        "problems": dict(Counter(file.problem for file in read if file.problem).most_common(5)),
        "skipped": dict(Counter(file.skipped for file in index.files if file.skipped).most_common()),
        **totals,
    }


def exact(tree: Path, cache: Path, text: str) -> Answer:
    """How soon a piece of text is found while nothing is indexed yet, and how soon again and again meanwhile."""
    began = perf_counter()
    with RepositoryIndex.open(tree, cache_dir=cache, background=True) as index:
        found = [len(_places(index, text))]
        waits = [perf_counter() - began]
        done = index.filling.done if index.filling else None
        total = index.filling.total if index.filling else None
        while index.filling is not None and index.filling.at_work:
            asked = perf_counter()
            index = index.refresh()
            found.append(len(_places(index, text)))
            waits.append(perf_counter() - asked)
        filled = perf_counter() - began
    return {
        "first_wall": waits[0],
        "found": min(found),
        "done": done,
        "total": total,
        "again_p50": median(waits[1:]) if waits[1:] else None,
        "again_most": max(waits[1:], default=None),
        "filled_wall": filled,
    }


def query(tree: Path, cache: Path, text: str) -> Answer:
    """Open a built index and search once: what a new process pays before its first answer."""
    with timed() as opening:
        index = RepositoryIndex.open(tree, cache_dir=cache)
    with timed() as asking:
        places = _places(index, text)
    return {
        "open_wall": opening.wall,
        "open_cpu": opening.cpu,
        "wall": opening.wall + asking.wall,
        "cpu": opening.cpu + asking.cpu,
        "places": len(places),
        "parsed": len(index.parsed),
    }


def update(tree: Path, cache: Path, _text: str) -> Answer:
    """Open in a new process after an edit."""
    with timed() as opening:
        index = RepositoryIndex.open(tree, cache_dir=cache)
    return {"wall": opening.wall, "cpu": opening.cpu, "parsed": len(index.parsed)}


def queries(tree: Path, cache: Path, _text: str) -> Answer:
    """Many searches in one process, each preceded by a look at what changed, as the tools do.

    And before them in the same process: the built index opened anew for each question. The process has answered once
    by then, so what it loads but once (libraries, the tokenizer) is not in these figures; `query` has it.
    """
    opened = []
    for text in questions(tree, OPENINGS + 1, seed=5):
        with timed() as span, RepositoryIndex.open(tree, cache_dir=cache) as index:
            _places(index, text, looked=True)
        opened.append(span)
    index = RepositoryIndex.open(tree, cache_dir=cache)
    spans = []
    for text in questions(tree, QUERIES, seed=2):
        with timed() as span:
            index = index.refresh()
            _places(index, text)
        spans.append(span)
    return {
        "opened_wall_p50": median(span.wall for span in opened[1:]),
        "opened_wall_p95": percentile([span.wall for span in opened[1:]], 0.95),
        "opened_cpu_p50": median(span.cpu for span in opened[1:]),
        "opened_cpu_p95": percentile([span.cpu for span in opened[1:]], 0.95),
        "wall_p50": median(span.wall for span in spans[1:]),
        "wall_p95": percentile([span.wall for span in spans[1:]], 0.95),
        "cpu_p50": median(span.cpu for span in spans[1:]),
        "cpu_p95": percentile([span.cpu for span in spans[1:]], 0.95),
    }


def refresh(tree: Path, cache: Path, _text: str) -> Answer:
    """Refreshes of one open index: nothing changed, one file changed, and other kinds of change."""
    paths = trees.sample(tree, EDITS + EDITED_ALREADY + SWITCHED + 2, seed=3)
    one_by_one, already = paths[:EDITS], paths[EDITS : EDITS + EDITED_ALREADY]
    switched, (removed, renamed) = paths[EDITS + EDITED_ALREADY : -2], paths[-2:]
    trees.branch_with_changes(tree, "other", switched)
    trees.settle(tree)
    index = RepositoryIndex.open(tree, cache_dir=cache)
    refreshes = _Refreshes(index)
    marks = itertools.count()
    refreshes.many("unchanged", REFRESHES, lambda: None)
    changed = iter(one_by_one)
    refreshes.many("edited", EDITS, lambda: trees.edit(tree, next(changed), next(marks)))
    for path in already:
        trees.edit(tree, path, next(marks))
    refreshes.once("edited_50", lambda: None)
    refreshes.many("edited_after_50", EDITS, lambda: trees.edit(tree, already[0], next(marks)))
    refreshes.many("unchanged_after_50", EDITS, lambda: None)
    trees.restore(tree)
    trees.settle(tree)
    refreshes.once("restored", lambda: None)
    refreshes.many("untracked", 5, lambda: _new_file(tree, next(marks)))
    refreshes.once("deleted", (tree / removed).unlink)
    refreshes.once("renamed", lambda: (tree / renamed).rename((tree / renamed).with_stem("renamed_here")))
    trees.restore(tree)
    trees.settle(tree)
    refreshes.once("restored", lambda: None)
    refreshes.once("branch_new", lambda: trees.git(tree, "checkout", "-q", "other"))
    refreshes.once("branch_back", lambda: trees.git(tree, "checkout", "-q", "-"))
    refreshes.once("branch_known", lambda: trees.git(tree, "checkout", "-q", "other"))
    trees.git(tree, "checkout", "-q", "-")
    return refreshes.told | {"switched": len(switched), "parsed": refreshes.parsed}


def _new_file(tree: Path, mark: int) -> None:
    (tree / f"new_{mark}.py").write_text(f"def new_here_{mark}():\n    return {mark}\n", encoding="utf-8")


class _Refreshes:
    """Refreshes one index again and again, and notes what each kind of change cost."""

    def __init__(self, index: RepositoryIndex) -> None:
        self.index = index
        self.told: Answer = {}
        self.parsed: dict[str, int] = {}

    def many(self, name: str, times: int, change: Callable[[], object]) -> None:
        spans = []
        for _ in range(times):
            change()
            with timed() as span:
                self.index = self.index.refresh()
            spans.append(span)
            self.parsed[name] = len(self.index.parsed)
        self.told[f"{name}_wall"] = median(span.wall for span in spans)
        self.told[f"{name}_wall_p95"] = percentile([span.wall for span in spans], 0.95)
        self.told[f"{name}_cpu"] = median(span.cpu for span in spans)

    def once(self, name: str, change: Callable[[], object]) -> None:
        self.many(name, 1, change)


def questions(tree: Path, count: int, seed: int) -> list[str]:
    """Texts to search for, from the tree's own files: a name, a piece of a line, words in prose, in turn."""
    chance = random.Random(seed)
    found: list[str] = []
    for path in trees.sample(tree, 4 * count, seed):
        text = (tree / path).read_text(encoding="utf-8", errors="ignore")
        names = sorted(set(re.findall(r"\b[A-Za-z][A-Za-z0-9_]{7,40}\b", text)))
        lines = [line.strip() for line in text.split("\n") if 20 <= len(line.strip()) <= 90]
        if len(names) < 3 or not lines:
            continue
        name, first, second = chance.choice(names), chance.choice(names), chance.choice(names)
        words = " ".join(re.findall(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])", f"{first} {second}")).lower()
        found.append((name, chance.choice(lines), f"where is {words} handled")[len(found) % 3])
        if len(found) == count:
            break
    return found


def _places(index: RepositoryIndex, text: str, *, looked: bool = False) -> list[Any]:
    return list(call(index, "search", {"query": text}, looked=looked).structured["places"])


STEPS = {
    "cold": cold,
    "counts": counts,
    "exact": exact,
    "query": query,
    "update": update,
    "queries": queries,
    "refresh": refresh,
}


def main(step: str, tree: str, cache: str, text: str = "") -> None:
    print(json.dumps(STEPS[step](Path(tree), Path(cache), text)))


if __name__ == "__main__":
    main(*sys.argv[1:])
