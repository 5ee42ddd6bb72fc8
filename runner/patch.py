"""The agent's work as a patch that is proven to re-create it, and copies of base + patch for checks."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from ..context.errors import CannotProceed, GitFailed
from ..context.git import commits_between, git, has_object, names, place
from ..telemetry.model import ChangeKind, FileChange, PatchFacts
from .prepared import Prepared, differing, without
from .rebuild import rebuild, side_effects
from .rooms import Room, heads, is_below, patched, scratch_folder
from .snapshot import Snapshot, View, take
from .worktree import RunTree, index_of

__all__ = ["CaptureFailed", "capture", "rebuild", "side_effects"]

_ATTEMPTS: Final = 3
# Nothing of the repository's attributes or of the person's configuration may shape the patch.
_DIFF: Final = (
    "diff-tree", "-r", "--patch", "--binary", "--full-index", "--unified=3", "--no-color", "--no-ext-diff",
    "--no-textconv", "--ignore-submodules=none", "--submodule=short",
)  # fmt: skip
_KINDS: Final[Mapping[str, ChangeKind]] = {"A": "added", "D": "deleted", "R": "renamed", "T": "type", "M": "modified"}
_LINK: Final = "160000"


class CaptureFailed(CannotProceed):
    """The work tree could not be turned into a patch that re-creates it."""

    error_type = "capture_error"

    def __init__(self, root: Path, why: str) -> None:
        super().__init__(
            f"The work in {root} could not be captured: {why}.", "The tree is kept: look there for the agent's work."
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Work:
    """What the agent left, room by room, and the patch that is being made of it."""

    mirror: Path
    scratch: Path
    rooms: tuple[Room, ...]
    seen: Mapping[str, Snapshot]
    patch_file: Path


def capture(tree: RunTree, destination: Path) -> PatchFacts:
    """Write everything that differs from the base to `destination`. Raises CaptureFailed; the tree is only read."""
    try:
        with scratch_folder(tree.mirror) as scratch:
            for _ in range(_ATTEMPTS):
                rooms = tuple(_rooms(tree))
                seen = _snapshots(tree, rooms, scratch)
                work = _Work(mirror=tree.mirror, scratch=scratch, rooms=rooms, seen=seen, patch_file=destination)
                # Git itself refuses some renames that change a file into a folder; without renames it takes them.
                proven = any(_proven(work, renames) for renames in ("-M", "--no-renames"))
                if _snapshots(tree, rooms, scratch) == seen:
                    return _facts(tree, work, proven=proven)
    except (GitFailed, OSError) as failed:
        raise CaptureFailed(tree.root, str(failed).splitlines()[0]) from failed
    raise CaptureFailed(tree.root, "files are still being written")


def prepared(tree: RunTree) -> tuple[Prepared, ...]:
    """What the tree has otherwise than its base before the agent comes. Raises CaptureFailed."""
    try:
        with scratch_folder(tree.mirror) as scratch:
            room, *others = _rooms(tree)
            return differing(tree.mirror, room.base, _snapshot(tree, room, (room, *others), scratch).tree)
    except (GitFailed, OSError) as failed:
        raise CaptureFailed(tree.root, str(failed).splitlines()[0]) from failed


def _rooms(tree: RunTree) -> Iterator[Room]:
    yield Room(path="", base=tree.base_commit)
    for module in tree.submodules:
        folder = tree.root / module.path
        if folder.is_dir() and not folder.is_symlink():
            yield Room(path=module.path, base=_moved_to(tree.mirror, folder / ".git") or module.commit)


def _moved_to(mirror: Path, git_dir: Path) -> str | None:
    """The commit that the agent put a submodule on, if the person's own module store has it."""
    head = heads(git_dir).get("HEAD")
    return head if head and has_object(mirror, f"{head}^{{commit}}", environment=place(mirror)) else None


def _snapshots(tree: RunTree, rooms: tuple[Room, ...], scratch: Path) -> dict[str, Snapshot]:
    return {room.path: _snapshot(tree, room, rooms, scratch) for room in rooms}


def _snapshot(tree: RunTree, room: Room, rooms: tuple[Room, ...], scratch: Path) -> Snapshot:
    index = scratch / "index"
    known = next((module.commit for module in tree.submodules if module.path == room.path), tree.base_commit)
    if room.base == known:
        shutil.copy2(index_of(tree.mirror, room.path), index)
    else:
        git(tree.mirror, "read-tree", room.base, environment=place(tree.mirror, index=index))
    inner = {other.path[len(room.prefix) :]: other.base for other in rooms if is_below(other, room)}
    # A submodule inside a submodule is its parent's entry, not ours.
    direct = {path: base for path, base in inner.items() if not any(path.startswith(f"{other}/") for other in inner)}
    seeds = tuple(path[len(room.prefix) :] for path in tree.seeded if path.startswith(room.prefix))
    view = View(mirror=tree.mirror, root=tree.root / room.path, index=index)
    seen = take(view, keep_out=seeds, links=direct)
    if room.path or not tree.prepared:
        return seen
    return replace(seen, tree=without(view, room.base, seen.tree, tree.prepared))


def _proven(work: _Work, renames: str) -> bool:
    """Write one patch for all rooms; whether it makes of each base the very tree that was seen."""
    with open(work.patch_file, "wb", opener=_private) as whole:
        for room in work.rooms:
            with _part(work, room, renames).open("rb") as part:
                shutil.copyfileobj(part, whole)
    try:
        made = [patched(work.mirror, room, work.rooms, work.patch_file, work.scratch) for room in work.rooms]
    except GitFailed:
        return False
    return made == [work.seen[room.path].tree for room in work.rooms]


def _part(work: _Work, room: Room, renames: str) -> Path:
    """The patch of one room, with its own prefix. A rename's headers take no prefix: only the tree itself has any."""
    part = work.scratch / "part.diff"
    shape = (f"--src-prefix=a/{room.prefix}", f"--dst-prefix=b/{room.prefix}", "--no-renames" if room.path else renames)
    trees = (room.base, work.seen[room.path].tree)
    git(work.mirror, *_DIFF, *shape, f"--output={part}", *trees, environment=place(work.mirror))
    return part


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _facts(tree: RunTree, work: _Work, *, proven: bool) -> PatchFacts:
    with work.patch_file.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    size = work.patch_file.stat().st_size
    rooms = [(room, work.seen[room.path]) for room in work.rooms]
    return PatchFacts(
        file=work.patch_file.name,
        sha256=digest,
        bytes=size,
        empty=size == 0,
        reapplies=proven,
        tree=work.seen[""].tree,
        agent_commits=_commits(tree),
        caches_left_out=sum(len(snapshot.caches) for _, snapshot in rooms),
        changes=tuple(change for room, snapshot in rooms for change in _changes(tree.mirror, room, snapshot.tree)),
        nested_repositories=tuple(room.prefix + path for room, snapshot in rooms for path in snapshot.nested),
        secrets_left_out=tuple(room.prefix + path for room, snapshot in rooms for path in snapshot.secrets),
    )


def _commits(tree: RunTree) -> int | None:
    git_dir = tree.root / ".git"
    try:
        return len(commits_between(tree.mirror, tree.base_commit, heads(git_dir).values(), objects=git_dir / "objects"))
    except GitFailed:
        return None


def _changes(mirror: Path, room: Room, after: str) -> Iterator[FileChange]:
    how = (
        "-r",
        "-z",
        "--no-renames" if room.path else "-M",
        "--ignore-submodules=none",
        "--no-ext-diff",
        "--no-textconv",
    )
    here = place(mirror)
    raw = iter(names(git(mirror, "diff-tree", *how, "--raw", room.base, after, environment=here)))
    counts = _line_counts(names(git(mirror, "diff-tree", *how, "--numstat", room.base, after, environment=here)))
    for facts in raw:
        old_mode, new_mode, old, new, status = facts[1:].split()
        first = next(raw)
        path = next(raw) if status[0] == "R" else first
        added, removed = counts.get(path, (None, None))
        kind = "mode" if status[0] == "M" and old == new else _KINDS[status[0]]
        yield FileChange(
            path=room.prefix + path,
            change="submodule" if _LINK in (old_mode, new_mode) else kind,
            added=added,
            removed=removed,
            previous_path=first if status[0] == "R" else None,
        )


def _line_counts(entries: list[str]) -> dict[str, tuple[int | None, int | None]]:
    """Path → lines added and removed; None for binary files. A rename's two names follow in entries of their own."""
    counts: dict[str, tuple[int | None, int | None]] = {}
    rest = iter(entries)
    for entry in rest:
        added, removed, path = entry.split("\t", 2)
        if not path:
            _, path = next(rest), next(rest)
        counts[path] = (None, None) if added == "-" else (int(added), int(removed))
    return counts
