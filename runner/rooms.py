"""The tree and the submodules in it as rooms of one patch, and what the patch makes of each."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ..context.git import git, line, place

_PLAIN_APPLY: Final = ("-c", "apply.ignoreWhitespace=no", "apply", "--whitespace=nowarn", "--binary")


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """The tree, or a submodule in it at `path` (empty for the tree). `base` is what its part of the patch is for."""

    path: str
    base: str

    @property
    def prefix(self) -> str:
        return f"{self.path}/" if self.path else ""


def is_below(other: Room, room: Room) -> bool:
    """Whether `other` lies inside `room`."""
    return other.path != room.path and other.path.startswith(room.prefix)


def patched(mirror: Path, room: Room, rooms: tuple[Room, ...], patch_file: Path, scratch: Path) -> str:
    """The tree of a room's base with its part of the patch. Raises GitFailed when it doesn't fit."""
    index = scratch / "patched"
    index.unlink(missing_ok=True)
    # Git wants a work tree for a prefix, though it writes none.
    here = place(mirror, work_tree=scratch, index=index)
    prefixed = (f"--prefix={room.prefix}",) if room.path else ()
    git(scratch, "read-tree", *prefixed, room.base, environment=here)
    if patch_file.stat().st_size:
        apply_to_index(scratch, patch_file, here, *_only(room, rooms))
    return line(git(scratch, "write-tree", *prefixed, environment=here))


def apply_to_index(folder: Path, patch_file: Path, environment: Mapping[str, str], *options: str) -> None:
    """`git apply` to an index, exactly and as a whole. Raises GitFailed."""
    git(folder, *_PLAIN_APPLY, "--cached", *options, str(patch_file.absolute()), environment=environment)


def _only(room: Room, rooms: tuple[Room, ...]) -> tuple[str, ...]:
    """Options that pick the room's part of a patch: the first pattern that matches a path decides."""
    below = tuple(f"--exclude={_pattern(other.prefix)}" for other in rooms if is_below(other, room))
    return (*below, f"--include={_pattern(room.prefix)}") if room.path else below


def _pattern(prefix: str) -> str:
    return re.sub(r"([\\*?\[])", r"\\\1", prefix) + "*"


def heads(git_dir: Path) -> dict[str, str]:
    """HEAD and branches with their ids, read as files: no git command trusts the agent's own repository."""
    found = _packed(git_dir)
    for file in (git_dir / "refs/heads").rglob("*"):
        if file.is_file():
            found[file.relative_to(git_dir).as_posix()] = _first_line(file)
    head = _first_line(git_dir / "HEAD")
    found["HEAD"] = found.get(head[len("ref: ") :], "") if head.startswith("ref: ") else head
    return {name: value for name, value in found.items() if re.fullmatch(r"[0-9a-f]{40}([0-9a-f]{24})?", value)}


def _packed(git_dir: Path) -> dict[str, str]:
    try:
        lines = (git_dir / "packed-refs").read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return {}
    pairs = (entry.partition(" ") for entry in lines)
    return {name: value for value, _, name in pairs if name.startswith("refs/heads/")}


def _first_line(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8", errors="surrogateescape").strip()
    except OSError:
        return ""


@contextmanager
def scratch_folder(mirror: Path) -> Iterator[Path]:
    """A folder for indexes and parts, gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="scratch-", dir=mirror) as folder:
        yield Path(folder)
