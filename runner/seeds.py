"""Untracked files that a tree needs from the person's checkout: `.worktreeinclude` and `--copy`."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from ..context.errors import BadRequest
from ..context.git import Repository, git, listed, names

INCLUDE_FILE: Final = ".worktreeinclude"


class NothingToCopyFrom(BadRequest):
    """`--copy` with a bare repository."""

    error_type = "nothing_to_copy_from"

    def __init__(self) -> None:
        super().__init__(
            "A bare repository has no files to copy from.", "Leave out --copy, or give a checkout with --repo."
        )


def wanted(source: Repository, globs: tuple[str, ...]) -> tuple[str, ...]:
    """Untracked files to bring along, sorted: ignored ones that `.worktreeinclude` names, any that a glob names.

    Patterns have ignore syntax and are relative to the repository's root. A nested repository is one entry that ends
    with `/`.
    """
    if source.bare:
        if globs:
            raise NothingToCopyFrom
        return ()
    found = set(_untracked(source, [f"--exclude={glob}" for glob in globs])) if globs else set()
    if (source.root / INCLUDE_FILE).is_file():
        found |= _ignored(source, _untracked(source, [f"--exclude-from={source.root / INCLUDE_FILE}"]))
    return tuple(sorted(found))


def _untracked(source: Repository, patterns: list[str]) -> list[str]:
    return names(git(source.root, "ls-files", "-z", "--others", "--ignored", *patterns))


def _ignored(source: Repository, paths: list[str]) -> set[str]:
    if not paths:
        return set()
    return set(names(git(source.root, "check-ignore", "-z", "--stdin", stdin=listed(paths), accept=(0, 1))))


def bring(paths: Iterable[str], sources: tuple[Path, ...], root: Path) -> tuple[str, ...]:
    """Copy each path to `root` from the first of `sources` that has it; what is there stays. Returns what came."""
    return tuple(path for path in paths if any(_copy(source / path, root / path, root) for source in sources))


def _copy(source: Path, target: Path, root: Path) -> bool:
    if not os.path.lexists(source) or os.path.lexists(target) or not _reachable(target, root):
        return False
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_symlink() or source.is_file():
        shutil.copy2(source, target, follow_symlinks=False)
    elif source.is_dir():
        shutil.copytree(source, target, symlinks=True, ignore=shutil.ignore_patterns(".git"))
    return True


def _reachable(target: Path, root: Path) -> bool:
    """Whether every folder on the way is a real one inside the tree, or is still to be made."""
    on_the_way = [folder for folder in target.parents if folder.is_relative_to(root) and folder != root]
    return all(folder.is_dir() and not folder.is_symlink() for folder in on_the_way if os.path.lexists(folder))


def ignore_lines(paths: Iterable[str]) -> bytes:
    """Ignore rules that match exactly these paths."""
    return b"".join(b"/" + os.fsencode(_literal(path)) + b"\n" for path in paths if "\n" not in path)


def _literal(path: str) -> str:
    escaped = re.sub(r"([\\*?\[\]])", r"\\\1", path)
    # A trailing blank would be cut off.
    return re.sub(r" $", r"\\ ", escaped)
