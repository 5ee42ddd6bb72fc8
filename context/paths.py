"""The paths of a tree as a table: which exist, what a folder holds, which end alike."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

_MOST_SEGMENTS: Final = 100


class Paths:
    """All file paths of one tree. Every answer is sorted, so that it depends on the set of paths alone."""

    def __init__(self, paths: Iterable[str]) -> None:
        self.all = tuple(sorted(set(paths)))
        self._known = frozenset(self.all)
        self._in_folder: dict[str, list[str]] = {}
        self._named: dict[str, list[str]] = {}
        self._endings: dict[str, tuple[str, ...]] = {}
        self._folders_named: dict[str, list[str]] = {}
        for path in self.all:
            folder, _, name = path.rpartition("/")
            self._in_folder.setdefault(folder, []).append(path)
            self._named.setdefault(name, []).append(path)
        self._folders = _with_parents(self._in_folder)
        for folder in sorted(self._folders):
            self._folders_named.setdefault(name_of(folder), []).append(folder)

    def __contains__(self, path: object) -> bool:
        return path in self._known

    def first(self, candidates: Iterable[str]) -> str | None:
        """The first of these that is a file."""
        known = self._known
        return next((path for path in candidates if path in known), None)

    def has_folder(self, folder: str) -> bool:
        return folder in self._folders

    def files_in(self, folder: str) -> tuple[str, ...]:
        """The files right in a folder, those of its subfolders left out."""
        return tuple(self._in_folder.get(folder, ()))

    def named(self, name: str) -> tuple[str, ...]:
        """All files with exactly this name, ending included."""
        return tuple(self._named.get(name, ()))

    def names(self) -> Iterable[str]:
        """Every file name of the tree, once."""
        return self._named.keys()

    def ending(self, suffix: str) -> tuple[str, ...]:
        """All files whose path is `suffix`, or ends with it at a folder's border."""
        found = self._endings.get(suffix)
        if found is None:
            tail = "/" + suffix
            named = self._named.get(name_of(suffix), ())
            found = tuple(path for path in named if path == suffix or path.endswith(tail))
            self._endings[suffix] = found
        return found

    def folders_ending(self, suffix: str) -> tuple[str, ...]:
        """All folders whose path is `suffix`, or ends with it at a folder's border."""
        tail = "/" + suffix
        named = self._folders_named.get(name_of(suffix), ())
        return tuple(folder for folder in named if folder == suffix or folder.endswith(tail))

    def below(self, folder: str) -> tuple[str, ...]:
        """All files in a folder and in its subfolders."""
        if not folder:
            return self.all
        # "0" is the character after "/": no path of the folder sorts past it.
        return self.all[bisect_left(self.all, folder + "/") : bisect_left(self.all, folder + "0")]


def _with_parents(folders: Iterable[str]) -> frozenset[str]:
    every: set[str] = {""}
    for folder in folders:
        while folder not in every:
            every.add(folder)
            folder = folder_of(folder)
    return frozenset(every)


def folder_of(path: str) -> str:
    return path.rpartition("/")[0]


def name_of(path: str) -> str:
    return path.rpartition("/")[2]


def stem_of(path: str) -> str:
    """The file's name up to its first dot: `cart` for `shop/cart.spec.ts`. A leading dot belongs to it."""
    name = name_of(path)
    return name[0] + name[1:].partition(".")[0] if name else ""


@lru_cache(maxsize=65_536)
def joined(folder: str, relative: str) -> str | None:
    """`relative` seen from `folder`, with `.` and `..` worked out; None where it climbs above the tree."""
    parts = folder.split("/") if folder else []
    steps = relative.split("/")
    if len(steps) > _MOST_SEGMENTS:
        return None
    for step in steps:
        if step == "..":
            if not parts:
                return None
            parts.pop()
        elif step not in ("", "."):
            parts.append(step)
    return "/".join(parts)


def folders_up(folder: str) -> tuple[str, ...]:
    """The folder, its parent and so on up to the root, which is the empty text."""
    parts = folder.split("/") if folder else []
    return tuple("/".join(parts[:count]) for count in range(len(parts), -1, -1))


def shared_depth(one: str, other: str) -> int:
    """How many leading folders two paths have in common."""
    depth = 0
    for left, right in zip(one.split("/")[:-1], other.split("/")[:-1], strict=False):
        if left != right:
            break
        depth += 1
    return depth


def nearest(path: str, candidates: tuple[str, ...]) -> tuple[str, ...]:
    """Those candidates that share most folders with a path; of these the ones least deep."""
    if len(candidates) < 2:
        return candidates
    scored = [(-shared_depth(path, other), other.count("/"), other) for other in candidates]
    best = min(scored)[:2]
    return tuple(other for depth, deep, other in scored if (depth, deep) == best)
