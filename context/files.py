"""Which files a work tree holds, with the content id that git knows or that we compute; reads them safely."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha1, sha256
from pathlib import Path
from typing import Final

from .errors import GitFailed
from .git import Repository, git
from .model import RepositoryRevision
from .parse import MAX_BYTES, Skipped
from .redact import secret_path

IGNORE_FILE: Final = ".agentignore"
_LINK: Final = "120000"
_SUBMODULE: Final = "160000"
_COLUMNS_BEFORE_PATH: Final = {"? ": 1, "1 ": 8, "u ": 10}


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeFile:
    """A file of the work tree. `content` is a git blob id (of the bytes on disk when `changed`); None if unread."""

    path: str
    content: str | None
    changed: bool = False
    skipped: Skipped | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Tree:
    """All files of a work tree, sorted by path."""

    revision: RepositoryRevision
    files: tuple[TreeFile, ...]


def content_id(data: bytes) -> str:
    """The id that git gives these bytes as a blob."""
    return sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def scan(repository: Repository) -> Tree:
    """The files on disk now: tracked ones, untracked ones that are not ignored; vanished ones left out."""
    root = repository.root
    tracked = dict(_tracked(root))
    changed, uncommitted = _changes(root)
    ignored = kept_from_agents(root, set(tracked) | changed)
    looks = (
        _look(root, path, tracked.get(path), changed=path in changed, ignored=path in ignored)
        for path in sorted(set(tracked) | changed)
    )
    files = tuple(file for file in looks if file is not None)
    return Tree(revision=_revision(root, files, uncommitted), files=files)


def read(root: Path, path: str) -> bytes | None:
    """The bytes of a regular file inside the tree; None if it is absent, no file, behind a link, or over the cap."""
    target = root / path
    try:
        if target.parent.resolve() != root.resolve() / Path(path).parent:
            return None
        handle = os.open(target, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except (OSError, ValueError):
        return None
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        return None
    with os.fdopen(handle, "rb") as file:
        return file.read(MAX_BYTES + 1)


def holding(root: Path, text: str) -> tuple[str, ...]:
    """Text files, tracked or untracked and not ignored, that hold this text on one line."""
    wanted = text.encode("utf-8", "ignore").decode()
    found = git(root, "grep", "-l", "-z", "-I", "-F", "--untracked", "-e", wanted, accept=(0, 1))
    return tuple(os.fsdecode(path) for path in found.split(b"\0") if path)


def _tracked(root: Path) -> Iterable[tuple[str, tuple[str, str]]]:
    """path → (mode, blob id); a path outside a sparse checkout is left out, an unmerged one is given once."""
    for record in git(root, "ls-files", "-s", "-t", "-z").split(b"\0"):
        head, _, path = record.partition(b"\t")
        if path:
            tag, mode, blob, _stage = os.fsdecode(head).split(" ")
            if tag != "S":
                yield os.fsdecode(path), (mode, blob)


def _changes(root: Path) -> tuple[set[str], set[str]]:
    """Paths whose content on disk is not what the index says, and all paths that differ from the commit."""
    unlike_index: set[str] = set()
    uncommitted: set[str] = set()
    arguments = ("status", "--porcelain=v2", "-z", "-uall", "--no-renames", "--ignore-submodules=all")
    for record in git(root, *arguments).split(b"\0"):
        fields = os.fsdecode(record)
        columns = _COLUMNS_BEFORE_PATH.get(fields[:2])
        if columns is None:
            continue
        path = fields.split(" ", columns)[columns]
        uncommitted.add(path)
        if fields[:2] != "1 " or fields[3] != ".":
            unlike_index.add(path)
    return unlike_index, uncommitted


def _look(root: Path, path: str, entry: tuple[str, str] | None, *, changed: bool, ignored: bool) -> TreeFile | None:
    mode, blob = entry if entry else ("", None)
    skipped: Skipped | None = (
        "secret" if secret_path(path)
        else "ignored" if ignored
        else "submodule" if mode == _SUBMODULE or path.endswith("/")
        else "symlink" if mode == _LINK and not changed
        else None
    )  # fmt: skip
    if skipped is not None:
        return TreeFile(path=path, content=blob, changed=changed, skipped=skipped)
    if not changed:
        return TreeFile(path=path, content=blob)
    return _look_at_disk(root, path)


def _look_at_disk(root: Path, path: str) -> TreeFile | None:
    try:
        status = (root / path).lstat()
    except OSError:
        return None
    if stat.S_ISLNK(status.st_mode):
        return TreeFile(path=path, content=None, changed=True, skipped="symlink")
    if not stat.S_ISREG(status.st_mode):
        return None
    data = read(root, path)
    if data is None:
        return TreeFile(path=path, content=None, changed=True, skipped="absent")
    if len(data) > MAX_BYTES:
        return TreeFile(path=path, content=f"size:{status.st_size}:{status.st_mtime_ns}", changed=True)
    return TreeFile(path=path, content=content_id(data), changed=True)


def kept_from_agents(root: Path, paths: set[str]) -> set[str]:
    """Paths that the repository's `.agentignore` (gitignore's rules) keeps from agents."""
    rules = read(root, IGNORE_FILE)
    if rules is None:
        return set()
    from pathspec import GitIgnoreSpec  # noqa: PLC0415  (most repositories have no such file)

    return set(GitIgnoreSpec.from_lines(rules.decode("utf-8", "replace").splitlines()).match_files(paths))


def _revision(root: Path, files: tuple[TreeFile, ...], uncommitted: set[str]) -> RepositoryRevision:
    try:
        commit, tree = os.fsdecode(git(root, "rev-parse", "HEAD^{commit}", "HEAD^{tree}")).split()
    except GitFailed:
        commit, tree = None, None
    held = {file.path: file.content or file.skipped or "" for file in files}
    changes = _digest(f"{path}\0{held.get(path, '')}" for path in sorted(uncommitted)) if uncommitted else None
    key = _digest(f"{path}\0{content}" for path, content in held.items())
    return RepositoryRevision(root=root, commit=commit, tree=tree, changes=changes, key=key)


def _digest(lines: Iterable[str]) -> str:
    return sha256("\n".join(lines).encode("utf-8", "surrogateescape")).hexdigest()[:32]
