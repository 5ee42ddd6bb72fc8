"""A process that uses one index until it ends or is killed: `python soak_actor.py MODE TREE CACHE SEED SECONDS`.

Modes: `once` opens it, `background` opens it and waits for the reading, `editing` changes many files and refreshes
again and again, `merging` does so with low limits, `hammer` does whatever people and agents do at the same time. Prints
JSON at its end; any exception is a failure.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import Any

import trees
from agenvantage.context import store
from agenvantage.context.filed import key_of
from agenvantage.context.files import listed, tree_files
from agenvantage.context.index import RepositoryIndex
from agenvantage.context.parse import analyse
from agenvantage.context.tools import call

MANY = 140


def once(tree: Path, cache: Path, _chance: random.Random, _until: float) -> dict[str, Any]:
    with RepositoryIndex.open(tree, cache_dir=cache, processes=2) as index:
        return {"files": len(index.files)}


def background(tree: Path, cache: Path, _chance: random.Random, _until: float) -> dict[str, Any]:
    with RepositoryIndex.open(tree, cache_dir=cache, background=True, processes=2) as index:
        return {"files": len(index.wait().files)}


def editing(tree: Path, cache: Path, chance: random.Random, until: float) -> dict[str, Any]:
    """So many new contents each time that terms are folded and segments merged all the while."""
    rounds = 0
    with RepositoryIndex.open(tree, cache_dir=cache) as index:
        while monotonic() < until:
            edit_many(tree, chance)
            index = index.refresh()
            rounds += 1
    return {"rounds": rounds}


def edit_many(tree: Path, chance: random.Random, most: int = MANY) -> None:
    for path in trees.sample(tree, most, seed=chance.randrange(10**9)):
        trees.edit(tree, path, chance.randrange(10**9))


def merging(tree: Path, cache: Path, chance: random.Random, until: float) -> dict[str, Any]:
    """As `editing`, with limits so low that most of the time goes into folding and merging."""
    store._LOOSE, store._SEGMENTS = 4, 1
    rounds = 0
    with RepositoryIndex.open(tree, cache_dir=cache) as index:
        while monotonic() < until:
            edit_many(tree, chance, 10)
            index = index.refresh()
            rounds += 1
    return {"rounds": rounds}


class Actor:
    """Does one thing after another to a tree and to its index."""

    def __init__(self, tree: Path, cache: Path, chance: random.Random) -> None:
        self.tree, self.cache, self.chance = tree, cache, chance
        self.index = self.opened()
        self.did: Counter[str] = Counter()

    def opened(self) -> RepositoryIndex:
        return RepositoryIndex.open(self.tree, cache_dir=self.cache)

    def step(self) -> None:
        name, act = self.chance.choice(self.acts())
        act()
        self.did[name] += 1

    def acts(self) -> list[tuple[str, Callable[[], None]]]:
        everyday = [("edit", self.edit), ("refresh", self.refresh), ("search", self.search), ("check", self.check)]
        rare = [("add", self.add), ("remove", self.remove), ("rename", self.rename), ("reopen", self.reopen),
                ("stage", self.stage), ("edit many", self.edit_many), ("background", self.background)]  # fmt: skip
        return everyday * 4 + rare

    def any_path(self) -> str:
        return self.chance.choice(sorted(self.index.by_path))

    def edit(self) -> None:
        # Another process may remove or rename it meanwhile.
        with suppress(FileNotFoundError):
            trees.edit(self.tree, self.any_path(), self.chance.randrange(10**9))

    def edit_many(self) -> None:
        with suppress(FileNotFoundError):
            edit_many(self.tree, self.chance, 30)

    def add(self) -> None:
        mark = self.chance.randrange(10**9)
        (self.tree / f"added_{mark}.py").write_text(f"def added_{mark}():\n    return {mark}\n", encoding="utf-8")

    def remove(self) -> None:
        if len(self.index.files) > 50:
            (self.tree / self.any_path()).unlink(missing_ok=True)

    def rename(self) -> None:
        path = self.tree / self.any_path()
        with suppress(FileNotFoundError):
            path.rename(path.with_stem(f"renamed_{self.chance.randrange(10**9)}"))

    def stage(self) -> None:
        # Two gits at once: the second one finds the lock and gives up, as a person's would.
        subprocess.run(("git", "add", "-A"), cwd=self.tree, capture_output=True, check=False)

    def refresh(self) -> None:
        self.index = self.index.refresh()

    def reopen(self) -> None:
        self.index.close()
        self.index = self.opened()

    def background(self) -> None:
        with RepositoryIndex.open(self.tree, cache_dir=self.cache, background=True) as index:
            assert index.wait().complete

    def search(self) -> None:
        self.index = self.index.refresh()
        call(self.index, "search", {"query": f"edited here {self.any_path()}"})

    def check(self) -> None:
        """What the index says of a file that is as indexed must be what its bytes say."""
        path = self.any_path()
        with suppress(OSError):
            data = (self.tree / path).read_bytes()
            view = self.index.view(path)
            if view is not None and not view.stale and (self.tree / path).read_bytes() == data:
                assert view.symbols == analyse(data, path).symbols, f"other definitions in {path}"

    def kept(self) -> list[list[str]]:
        """The contents that this process saw indexed and that the index file must still hold."""
        self.index = self.index.refresh()
        keys = {key_of(file) for file in tree_files(listed(self.index.repository)) if file.skipped is None}
        return sorted(list(key) for key in keys & self.index.store.cards().keys())


def hammer(tree: Path, cache: Path, chance: random.Random, until: float) -> dict[str, Any]:
    actor = Actor(tree, cache, chance)
    while monotonic() < until:
        actor.step()
    kept = actor.kept()
    actor.index.close()
    return {"did": dict(actor.did), "kept": kept}


MODES = {"once": once, "background": background, "editing": editing, "merging": merging, "hammer": hammer}


def main(mode: str, tree: str, cache: str, seed: str, seconds: str) -> None:
    until = monotonic() + float(seconds)
    print(json.dumps(MODES[mode](Path(tree), Path(cache), random.Random(int(seed)), until)))


if __name__ == "__main__":
    main(*sys.argv[1:])
