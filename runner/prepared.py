"""What setup commands wrote: part of how a tree was made ready, never of the agent's work."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ..context.git import git, line, listed, names, place
from .snapshot import View

_RAW: Final = ("diff-tree", "-r", "-z", "--raw", "--no-renames", "--ignore-submodules=none", "--no-ext-diff")
_ABSENT: Final = "000000"


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """A path as setup left it; the mode 000000 stands for one that it removed."""

    path: str
    mode: str
    blob: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Difference:
    path: str
    base_mode: str
    base_blob: str
    mode: str
    blob: str


def differing(mirror: Path, base: str, tree: str) -> tuple[Prepared, ...]:
    """What a tree has otherwise than the base."""
    found = _differences(mirror, base, tree)
    return tuple(Prepared(path=one.path, mode=one.mode, blob=one.blob) for one in found)


def without(view: View, base: str, tree: str, prepared: Iterable[Prepared]) -> str:
    """The tree with each prepared path as in the base, unless somebody changed it again. Uses the view's index."""
    left = {one.path: (one.mode, one.blob) for one in prepared}
    untouched = [one for one in _differences(view.mirror, base, tree) if left.get(one.path) == (one.mode, one.blob)]
    if not untouched:
        return tree
    lines = (f"{_index_mode(one.base_mode)} {one.base_blob}\t{one.path}" for one in untouched)
    view.git("update-index", "-z", "--index-info", stdin=listed(lines))
    return line(view.git("write-tree"))


def _differences(mirror: Path, base: str, tree: str) -> Iterator[_Difference]:
    entries = iter(names(git(mirror, *_RAW, base, tree, environment=place(mirror))))
    for facts, path in zip(entries, entries, strict=True):
        base_mode, mode, base_blob, blob, _ = facts.removeprefix(":").split()
        yield _Difference(path=path, base_mode=base_mode, base_blob=base_blob, mode=mode, blob=blob)


def _index_mode(mode: str) -> str:
    return "0" if mode == _ABSENT else mode
