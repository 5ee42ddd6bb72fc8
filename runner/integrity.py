"""Whether a run left the person's checkout alone: its state before and after, compared name by name."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ..context.git import Repository, git, names, place
from .escape import escaped

__all__ = ["Fingerprint", "differences", "escaped", "fingerprint"]

REFRESHED: Final = ".git/index (refreshed)"
"""The index's bytes changed and what it says did not: any `git status`, of an editor too, does that."""
# Larger files, and those beyond this many, are told by size and time instead of by content.
_HASHED_BYTES: Final = 4_000_000
_HASHED_FILES: Final = 2_000
_GIT_FILES: Final = (
    "HEAD",
    "config",
    "config.worktree",
    "info/exclude",
    "info/attributes",
    "info/sparse-checkout",
    "shallow",
)
# Present, and each the sign of an operation in the middle of which a checkout is.
_GIT_STATES: Final = ("MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply", "BISECT_LOG")
_GIT_FOLDERS: Final = ("hooks", "logs")


@dataclass(frozen=True, slots=True, kw_only=True)
class Fingerprint:
    """The state of a checkout: each part by the name under which a difference is reported, with its digest."""

    parts: Mapping[str, str]


def fingerprint(source: Repository) -> Fingerprint:
    """Read without a lock or a write: HEAD, refs, stash, reflogs, index, configuration, hooks, status, contents."""
    parts = dict(_git_files(source)) | _refs(source)
    if not source.bare:
        parts |= _index(source) | _files(source)
    return Fingerprint(parts=parts)


def differences(before: Fingerprint, after: Fingerprint) -> tuple[str, ...]:
    """Names of what changed: paths, `HEAD`, `refs/heads/x`, `.git/index`, `.git/config`, …, sorted.

    A change of the index's bytes alone is `REFRESHED`.
    """
    every = before.parts.keys() | after.parts.keys()
    changed = {name for name in every if before.parts.get(name) != after.parts.get(name)}
    if ".git/index" in changed:
        changed.discard(REFRESHED)
    return tuple(sorted(changed))


def _git_files(source: Repository) -> Iterator[tuple[str, str]]:
    for home in dict.fromkeys((source.common_dir, source.git_dir)):
        shown = "" if home == source.git_dir else "common/"
        for name in (*_GIT_FILES, *_GIT_STATES):
            digest = _digest(home / name)
            if digest is not None:
                yield _shown(name, shown), digest
        for folder in _GIT_FOLDERS:
            for path in sorted((home / folder).rglob("*")):
                digest = None if path.is_dir() else _digest(path)
                if digest is not None:
                    yield _shown(path.relative_to(home).as_posix(), shown), digest


def _shown(name: str, home: str) -> str:
    return name if name == "HEAD" and not home else f".git/{home}{name}"


def _refs(source: Repository) -> dict[str, str]:
    answer = git(
        source.root,
        "for-each-ref",
        "--format=%(refname)%00%(objectname)%00%(symref)",
        environment=place(source.git_dir),
    )
    rows = (os.fsdecode(row).partition("\0") for row in answer.splitlines())
    return {name: value for name, _, value in rows}


def _index(source: Repository) -> dict[str, str]:
    """The index by what it says, and by its bytes."""
    entries = git(source.root, "ls-files", "-z", "-s", "-v", environment=_here(source))
    found = {".git/index": hashlib.sha256(entries).hexdigest()}
    digest = _digest(source.git_dir / "index")
    return found | ({REFRESHED: digest} if digest else {})


def _files(source: Repository) -> dict[str, str]:
    """Every file that git does not ignore and that differs from the index, and what the index says to skip."""
    status = ("status", "--porcelain=v2", "-z", "-uall", "--no-renames", "--ignore-submodules=none")
    rows = names(git(source.root, *status, environment=_here(source)))
    states = dict(_status(rows))
    hidden = {
        row[2:] for row in names(git(source.root, "ls-files", "-z", "-v", environment=_here(source))) if row[0] in "hSs"
    }
    hashed = len(states) + len(hidden) <= _HASHED_FILES
    shown = {
        path: f"{states.get(path, 'hidden')} {_state(source.root / path, hashed=hashed)}" for path in {*states, *hidden}
    }
    return {path: state for path, state in shown.items() if state != "hidden None"}


def _status(rows: Iterable[str]) -> Iterator[tuple[str, str]]:
    """(path, what git says of it), from porcelain v2 without renames."""
    fields = {"1": 8, "u": 10, "?": 1, "!": 1}
    for row in rows:
        if row[0] in fields:
            *facts, path = row.split(" ", fields[row[0]])
            yield path, " ".join(facts)


def _here(source: Repository) -> Mapping[str, str]:
    return place(source.git_dir, work_tree=source.root)


def _state(path: Path, *, hashed: bool) -> str | None:
    try:
        seen = path.lstat()
    except OSError:
        return None
    if stat.S_ISLNK(seen.st_mode):
        return f"link {path.readlink()}"
    if not stat.S_ISREG(seen.st_mode):
        return "other"
    rights = seen.st_mode & 0o111
    if not hashed or seen.st_size > _HASHED_BYTES:
        return f"{rights} {seen.st_size} {seen.st_mtime_ns} {seen.st_ino}"
    return f"{rights} {_digest(path)}"


def _digest(path: Path) -> str | None:
    """SHA-256 of a file, or the word `folder`; None when nothing readable is there."""
    try:
        if path.is_dir():
            return "folder"
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return None
