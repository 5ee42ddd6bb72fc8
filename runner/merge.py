"""Three-way: what the base had, what the checkout has, what the patch wants; decided path by path, without a write."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Final

from ..context.errors import GitFailed
from ..context.git import Repository, git, line, listed, names, place
from .snapshot import as_checked_out

_FILE: Final = "100"
LINK: Final = "160000"
_MERGE_LIMIT: Final = 127
Stamp = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A file as git stores it: mode (`100644`, `100755`, `120000`, `160000`) and blob."""

    mode: str
    blob: str

    @property
    def is_file(self) -> bool:
        return self.mode.startswith(_FILE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What a patch does to one file. `old` and `new` differ for a rename; a side is None where there is no file."""

    old: str
    new: str
    before: Entry | None
    after: Entry | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What lies at a path of the checkout: as git would store it, and the stamp by which a later change shows."""

    entry: Entry | None = None
    stamp: Stamp | None = None
    tracked: bool = False
    trouble: str | None = None
    """Why nothing can be put there."""
    behind: str | None = None
    """The symbolic link that stands where a folder should, on the way there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Workshop:
    """Where a merge is thought through: scratch indexes, and a scratch store over the person's, which is only read."""

    repository: Repository
    folder: Path
    store: Path

    def environment(self, index: str) -> dict[str, str]:
        return place(
            self.repository.git_dir,
            work_tree=None if self.repository.bare else self.repository.root,
            index=self.folder / index,
            objects=self.folder / "objects",
            alternates=[self.store],
        )

    def git(self, *arguments: str, index: str = "index", stdin: bytes = b"", accept: tuple[int, ...] = (0,)) -> bytes:
        return git(self.repository.root, *arguments, stdin=stdin, environment=self.environment(index), accept=accept)


def changes(shop: Workshop, before: str, after: str) -> tuple[Change, ...]:
    """The differences of two trees, renames found."""
    how = ("diff-tree", "-r", "-z", "-M", "--raw", "--ignore-submodules=none", "--no-ext-diff")
    return tuple(_parsed(names(shop.git(*how, before, after))))


def _parsed(raw: Iterable[str]) -> Iterator[Change]:
    rest = iter(raw)
    for facts in rest:
        old_mode, new_mode, old_blob, new_blob, status = facts[1:].split()
        old = next(rest)
        yield Change(
            old=old,
            new=next(rest) if status[0] in "RC" else old,
            before=None if status[0] == "A" else Entry(mode=old_mode, blob=old_blob),
            after=None if status[0] == "D" else Entry(mode=new_mode, blob=new_blob),
        )


def look(shop: Workshop, paths: Iterable[str]) -> dict[str, Found]:
    """What the checkout has at each path, hashed into the workshop's own store (clean filters applied)."""
    wanted = sorted(set(paths))
    tracked = {path: (tag, entry) for path, tag, entry in _tracked(shop) if path in frozenset(wanted)}
    found = {path: _on_disk(shop.repository.root, path, tracked.get(path)) for path in wanted}
    present = [path for path, what in found.items() if what.stamp and not what.trouble]
    known = [f"{entry.mode} {entry.blob}\t{path}" for path, (_, entry) in tracked.items() if entry.mode != LINK]
    shop.git("update-index", "-z", "--index-info", index="ours", stdin=listed(known))
    same = as_checked_out(
        partial(shop.git, index="ours"), shop.repository.root, (path for path in present if path in tracked)
    )
    how = ("-c", "core.safecrlf=false", "update-index", "--add", "--remove", "--replace", "-z", "--stdin")
    shop.git(*how, index="ours", stdin=listed(path for path in present if path not in same))
    hashed = dict(_entries(names(shop.git("ls-files", "-z", "-s", index="ours"))))
    return {path: replace(what, entry=hashed.get(path) if path in present else None) for path, what in found.items()}


def _tracked(shop: Workshop) -> Iterator[tuple[str, str, Entry]]:
    """The person's own index, read: (path, tag, entry)."""
    here = place(shop.repository.git_dir, work_tree=shop.repository.root)
    for row in names(git(shop.repository.root, "ls-files", "-z", "-s", "-t", environment=here)):
        path, entry = next(_entries([row[2:]]))
        yield path, row[0], entry


def _entries(rows: Iterable[str]) -> Iterator[tuple[str, Entry]]:
    for row in rows:
        facts, _, path = row.partition("\t")
        mode, blob, _ = facts.split()
        yield path, Entry(mode=mode, blob=blob)


def _on_disk(root: Path, path: str, known: tuple[str, Entry] | None) -> Found:
    tracked = known is not None
    link = _link_on_the_way(root, path)
    if link:
        return Found(tracked=tracked, trouble=f"'{link}' is a symbolic link", behind=link)
    try:
        seen = (root / path).lstat()
    except (FileNotFoundError, NotADirectoryError):
        hidden = known is not None and known[0] == "S"
        return Found(tracked=tracked, trouble="it is outside this sparse checkout" if hidden else None)
    if stat.S_ISDIR(seen.st_mode):
        return Found(tracked=tracked, trouble="a folder is in its place")
    if not (stat.S_ISREG(seen.st_mode) or stat.S_ISLNK(seen.st_mode)):
        return Found(tracked=tracked, trouble="something that git can't hold is in its place")
    return Found(stamp=stamp(seen), tracked=tracked)


def stamp(seen: os.stat_result) -> Stamp:
    """What changes when a file does."""
    return (seen.st_ino, seen.st_size, seen.st_mtime_ns, seen.st_mode)


def _link_on_the_way(root: Path, path: str) -> str | None:
    for parent in reversed((root / path).parents):
        if parent != root and parent.is_relative_to(root) and parent.is_symlink():
            return parent.relative_to(root).as_posix()
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    """What the checkout's files should become. Paths not named stay; None is a deletion."""

    results: Mapping[str, Entry | None]
    joined: tuple[str, ...] = ()
    conflicts: Mapping[str, str]
    """Path → reason."""


def merge(shop: Workshop, wanted: tuple[Change, ...], ours: Mapping[str, Found]) -> Merged:
    """Decide every change. With any conflict the rest is of no use."""
    ours = _seen_past_wanted_links(wanted, ours)
    results: dict[str, Entry | None] = {}
    joined: list[str] = []
    conflicts: dict[str, str] = {}
    for change in wanted:
        try:
            outcome = _decided(shop, change, ours)
        except _Conflict as conflict:
            conflicts[change.new] = str(conflict)
            continue
        if outcome is not None:
            results |= outcome
        if any(entry not in (None, change.after) for entry in (outcome or {}).values()):
            joined.append(change.new)
    return Merged(
        results=results,
        joined=tuple(joined),
        conflicts=conflicts | _folders_in_the_way(shop.repository.root, results, ours),
    )


def _seen_past_wanted_links(wanted: tuple[Change, ...], ours: Mapping[str, Found]) -> Mapping[str, Found]:
    """Behind a link that the patch itself puts in a folder's place nothing is left to decide once it is there."""
    there = {change.new for change in wanted if change.after and ours[change.new].entry == change.after}
    return {path: Found(tracked=found.tracked) if found.behind in there else found for path, found in ours.items()}


class _Conflict(Exception):
    """Two changes that don't go together."""


def _decided(shop: Workshop, change: Change, ours: Mapping[str, Found]) -> dict[str, Entry | None] | None:
    """What becomes of the change's paths; None when the checkout has it already."""
    here, there = ours[change.old], ours[change.new]
    if there.entry == change.after and (change.old == change.new or here.entry is None):
        if there.trouble and "folder" not in there.trouble:
            raise _Conflict(there.trouble)
        return None
    for found in (here, there):
        if found.trouble and "folder" not in found.trouble:
            raise _Conflict(found.trouble)
    if change.old != change.new and there.entry not in (None, change.after):
        raise _Conflict(_in_the_way(there))
    result = _three_way(shop, change, here)
    return {change.old: None, change.new: result} if change.old != change.new else {change.new: result}


def _in_the_way(found: Found) -> str:
    return "a different file has been added there" if found.tracked else "an untracked file is in the way"


def _three_way(shop: Workshop, change: Change, here: Found) -> Entry | None:
    before, mine, theirs = change.before, here.entry, change.after
    if mine == before:
        return theirs
    if before is None:
        raise _Conflict(_in_the_way(here))
    if theirs is None:
        raise _Conflict("it was changed here, and the patch deletes it")
    if mine is None:
        raise _Conflict("it was deleted or moved here, and the patch changes it")
    if not (before.is_file and mine.is_file and theirs.is_file):
        raise _Conflict("it was changed here, and it is no plain file in all versions")
    mode = theirs.mode if mine.mode == before.mode else mine.mode
    return Entry(mode=mode, blob=_joined(shop, change.old, before.blob, mine.blob, theirs.blob))


def _joined(shop: Workshop, path: str, before: str, mine: str, theirs: str) -> str:
    if mine in (before, theirs):
        return theirs
    if theirs == before:
        return mine
    options = _merge_options(shop, path)
    places = []
    for name, blob in (("mine", mine), ("before", before), ("theirs", theirs)):
        places.append(shop.folder / name)
        places[-1].write_bytes(shop.git("cat-file", "blob", blob))
    try:
        text = shop.git("merge-file", "-p", "-q", *options, *(str(file) for file in places))
    except GitFailed as failed:
        lines = 0 < failed.code <= _MERGE_LIMIT
        raise _Conflict(
            "the same lines were changed here" if lines else "both changed it, and it is binary"
        ) from failed
    return line(shop.git("hash-object", "-w", "--stdin", stdin=text))


def _merge_options(shop: Workshop, path: str) -> tuple[str, ...]:
    """As the repository's attributes say; a merge program of its own is not run."""
    _, _, value = names(shop.git("check-attr", "-z", "--stdin", "merge", stdin=listed([path])))
    if value in ("unset", "binary"):
        raise _Conflict("both changed it, and its attributes say not to merge")
    return ("--union",) if value == "union" else ()


def _folders_in_the_way(root: Path, results: Mapping[str, Entry | None], ours: Mapping[str, Found]) -> dict[str, str]:
    """A file may take a folder's place, or a folder a file's, only when the patch takes all away that is there."""
    going = {path for path, entry in results.items() if entry is None}
    blocked = {}
    for path in (path for path, entry in results.items() if entry is not None):
        if ours[path].trouble and not _files_below(root, path) <= going:
            blocked[path] = ours[path].trouble or ""
        for parent in _files_above(root, path):
            if parent not in going:
                blocked[path] = f"the file '{parent}' is in the way"
    return blocked


def _files_below(root: Path, path: str) -> set[str]:
    return {
        (Path(top) / name).relative_to(root).as_posix()
        for top, folders, files in os.walk(root / path)
        for name in (*files, *(folder for folder in folders if (Path(top) / folder).is_symlink()))
    }


def _files_above(root: Path, path: str) -> list[str]:
    above = [parent for parent in (root / path).parents if parent != root and parent.is_relative_to(root)]
    return [parent.relative_to(root).as_posix() for parent in above if os.path.lexists(parent) and not parent.is_dir()]
