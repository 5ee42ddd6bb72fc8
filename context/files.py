"""Which files a work tree holds, with the content id that git knows or that we compute; reads them safely."""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha1, sha256
from pathlib import Path
from time import time_ns
from typing import Final, NamedTuple, Protocol

from .git import Asked, Repository, git, names
from .model import RepositoryRevision
from .parse import MAX_BYTES, Skipped
from .redact import secret_path

IGNORE_FILE: Final = ".agentignore"
_LINK: Final = "120000"
_SUBMODULE: Final = "160000"
_STATUS: Final = ("status", "--porcelain=v2", "-z", "-uall", "--no-renames", "--ignore-submodules=all")
_TRACKED: Final = ("ls-files", "-s", "-t", "-z")
_HEAD: Final = ("rev-parse", "HEAD^{commit}", "HEAD^{tree}")
_CLOCK_STEP_NS: Final = 10_000_000
_READ_ON: Final = 65_536
_COLUMNS_BEFORE_PATH: Final = {"? ": 1, "1 ": 8, "u ": 10}


class TreeFile(NamedTuple):
    """A file of the work tree. `content` is a git blob id (of the bytes on disk when `changed`); None if unread."""

    path: str
    content: str | None
    changed: bool = False
    skipped: Skipped | None = None


class Stamp(NamedTuple):
    """What the file system says of a file; two equal stamps of an old file mean the same bytes."""

    mtime_ns: int
    ctime_ns: int
    size: int
    inode: int


@dataclass(frozen=True, slots=True, kw_only=True)
class OnDisk:
    """A file that is not as git's index has it: looked at where it lies."""

    content: str | None
    skipped: Skipped | None
    stamp: Stamp


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """What git and the disk said of a work tree at one moment, before it is taken apart file by file."""

    root: Path
    listed_ns: int
    tracked: bytes
    status: bytes
    commit: str | None
    tree: str | None
    rules: bytes | None
    """The repository's `.agentignore`."""
    on_disk: Mapping[str, OnDisk | None]
    """Path → what lies there now; None for what is gone."""
    uncommitted: frozenset[str]

    @property
    def digest(self) -> str:
        """Equal for equal files; cheaper than a look at each of them."""
        found = sha256(self.tracked)
        found.update(b"\0rules\0" if self.rules is None else b"\0" + self.rules + b"\0")
        for path, there in sorted(self.on_disk.items()):
            told = f"{path}\0{there.content}\0{there.skipped}\n" if there else f"{path}\0\0gone\n"
            found.update(told.encode("utf-8", "surrogateescape"))
        return found.hexdigest()[:32]

    def same_as(self, other: Listing) -> bool:
        """Whether nothing changed between the two: no file, no commit, nothing staged."""
        return (self.commit, self.uncommitted, self.digest) == (other.commit, other.uncommitted, other.digest)


def content_id(data: bytes) -> str:
    """The id that git gives these bytes as a blob."""
    return sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def listed(repository: Repository, before: Listing | None = None) -> Listing:
    """The state of the work tree now. What did not change since `before` is not read again."""
    root = repository.root
    now, (tracked, status, head) = _asked(repository)
    rules = read(root, IGNORE_FILE)
    unlike_index, uncommitted = _changes(status)
    known = before.on_disk if before else {}
    safe_ns = before.listed_ns - _CLOCK_STEP_NS if before else 0
    on_disk = {path: _look(root, path, known.get(path), safe_ns) for path in sorted(unlike_index)}
    ids = head.decode().split()
    return Listing(
        root=root,
        listed_ns=now,
        tracked=tracked,
        status=status,
        commit=ids[0] if len(ids) == 2 else None,
        tree=ids[1] if len(ids) == 2 else None,
        rules=rules,
        on_disk=on_disk,
        uncommitted=frozenset(uncommitted),
    )


def _asked(repository: Repository) -> tuple[int, list[bytes]]:
    """When git was asked, and its answers, all about one state of its index."""
    for last in (False, False, False, True):
        before, now = _index_stamp(repository), time_ns()
        questions = ((_TRACKED, (0,)), (_STATUS, (0,)), (_HEAD, (0, 128)))
        asked = [Asked(repository.root, *question, accept=accept) for question, accept in questions]
        answers = [each.answer() for each in asked]
        if last or _index_stamp(repository) == before:
            break
    return now, answers


def _index_stamp(repository: Repository) -> tuple[int, int, int] | None:
    try:
        status = (repository.git_dir / "index").stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino


def tree_files(listing: Listing) -> tuple[TreeFile, ...]:
    """The files of a listing, sorted by path: tracked ones, untracked ones that are not ignored; not vanished ones."""
    entries = {path: (mode, blob) for path, mode, blob in _tracked(listing.tracked.split(b"\0"))}
    paths = sorted(entries.keys() | listing.on_disk.keys())
    ignored = _ignored(listing.rules, paths)
    files = (_file(listing, path, entries.get(path), path in ignored) for path in paths)
    return tuple(file for file in files if file is not None)


def changed_between(before: Listing, after: Listing) -> dict[str, TreeFile | None] | None:
    """What is at each path where the two may differ, as of `after`; None for gone. None: any path may differ."""
    if before.rules != after.rules or before.root != after.root:
        return None
    entries: dict[str, tuple[str, str] | None] = {}
    if before.tracked != after.tracked:
        old, new = set(before.tracked.split(b"\0")), set(after.tracked.split(b"\0"))
        entries.update((path, None) for path, _, _ in _tracked(old - new))
        entries.update((path, (mode, blob)) for path, mode, blob in _tracked(new - old))
    for path in before.on_disk.keys() | after.on_disk.keys():
        if before.on_disk.get(path, _CLEAN) != after.on_disk.get(path, _CLEAN) and path not in entries:
            entries[path] = _entry(after.tracked, path)
    ignored = _ignored(after.rules, entries)
    return {path: _file(after, path, entry, path in ignored) for path, entry in entries.items()}


_CLEAN: Final = object()


def _entry(tracked: bytes, path: str) -> tuple[str, str] | None:
    """A path's mode and blob id in the answer of `ls-files`."""
    end = tracked.find(b"\t" + os.fsencode(path) + b"\0")
    start = tracked.rfind(b"\0", 0, end) + 1
    found = _tracked([tracked[start : end + 1] + os.fsencode(path)]) if end >= 0 else ()
    return next(((mode, blob) for _, mode, blob in found), None)


def _file(listing: Listing, path: str, entry: tuple[str, str] | None, ignored: bool) -> TreeFile | None:
    """The file at a path, if one is there; `entry` is what git's index has of it."""
    changed = path in listing.on_disk
    there = listing.on_disk.get(path)
    if (changed and there is None) or (not changed and entry is None):
        return None
    content = there.content if there else entry[1] if entry else None
    skipped: Skipped | None = there.skipped if there else None
    if secret_path(path):
        skipped = "secret"
    elif ignored:
        skipped = "ignored"
    elif entry is not None and entry[0] == _SUBMODULE:
        skipped = "submodule"
    elif entry is not None and entry[0] == _LINK and not changed:
        skipped = "symlink"
    return TreeFile(path, content, changed, skipped)


class Listed(Protocol):
    """A file of a listing, or one that was made of it."""

    @property
    def path(self) -> str: ...
    @property
    def content(self) -> str | None: ...
    @property
    def skipped(self) -> Skipped | None: ...


def revision_of(listing: Listing, files: Iterable[Listed], key: str | None = None) -> RepositoryRevision:
    """The revision of a listing; `key` if it is known already."""
    held = {file.path: file.content or file.skipped or "" for file in files}
    changes = _digest(f"{path}\0{held.get(path, '')}" for path in sorted(listing.uncommitted))
    return RepositoryRevision(
        root=listing.root,
        commit=listing.commit,
        tree=listing.tree,
        changes=changes if listing.uncommitted else None,
        key=key or _digest(f"{path}\0{content}" for path, content in held.items()),
    )


def read(root: Path, path: str) -> bytes | None:
    """The bytes of a regular file inside the tree, cut off after the cap; None if absent, no file, or behind a link."""
    found = read_with_status(root, path)
    return found[0] if found else None


def read_with_status(root: Path, path: str) -> tuple[bytes, os.stat_result] | None:
    """As `read`, with what the file system said of it afterwards."""
    target = f"{root}/{path}"
    try:
        there = os.lstat(target)
        if not stat.S_ISREG(there.st_mode):
            return None
        handle = os.open(target, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError):
        return None
    try:
        data, status = _whole(handle, there.st_size), os.fstat(handle)
        return (data, status) if stat.S_ISREG(status.st_mode) and _is_at(handle, root, path) else None
    except OSError:
        return None
    finally:
        os.close(handle)


def _is_at(handle: int, root: Path, path: str) -> bool:
    """Whether what was opened lies where its path says, behind no link. The kernel tells it at once, if it tells."""
    with suppress(OSError):
        if os.readlink(f"/proc/self/fd/{handle}") == f"{root}/{path}":  # noqa: PTH115  (asked for each file of a tree)
            return True
    return (root / path).parent.resolve() == root.resolve() / Path(path).parent


def _whole(handle: int, size: int) -> bytes:
    """All of it up to the cap; it may have grown since its size was told."""
    data = part = os.read(handle, min(size, MAX_BYTES) + 1)
    while part and len(data) != size and len(data) <= MAX_BYTES:
        part = os.read(handle, min(_READ_ON, MAX_BYTES + 1 - len(data)))
        data += part
    return data


def holding(root: Path, text: str, among: Collection[str] | None = None) -> tuple[str, ...]:
    """Text files, tracked or untracked and not ignored, with this text on one line; `among` names where to look."""
    wanted = text.encode("utf-8", "ignore").decode()
    where = ("--", *among) if among is not None else ()
    asked = ("--literal-pathspecs", "grep", "-l", "-z", "-I", "-F", "--untracked", "-e", wanted, *where)
    return tuple(names(git(root, *asked, accept=(0, 1)))) if among is None or among else ()


def kept_from_agents(root: Path, paths: set[str]) -> set[str]:
    """Paths that the repository's `.agentignore` (gitignore's rules) keeps from agents."""
    return _ignored(read(root, IGNORE_FILE), paths)


def _ignored(rules: bytes | None, paths: Iterable[str]) -> set[str]:
    if rules is None:
        return set()
    from pathspec import GitIgnoreSpec  # noqa: PLC0415  (most repositories have no such file)

    return set(GitIgnoreSpec.from_lines(rules.decode("utf-8", "replace").splitlines()).match_files(paths))


def _tracked(records: Iterable[bytes]) -> Iterable[tuple[str, str, str]]:
    """(path, mode, blob id); a path outside a sparse checkout is left out, an unmerged one may come several times."""
    for record in records:
        head, _, path = os.fsdecode(record).partition("\t")
        if path and not head.startswith("S"):
            _tag, mode, blob, _stage = head.split(" ")
            yield path, mode, blob


def _changes(status: bytes) -> tuple[set[str], set[str]]:
    """Paths whose content on disk is not what the index says, and all paths that differ from the commit."""
    unlike_index: set[str] = set()
    uncommitted: set[str] = set()
    for fields in os.fsdecode(status).split("\0"):
        columns = _COLUMNS_BEFORE_PATH.get(fields[:2])
        if columns is None:
            continue
        path = fields.split(" ", columns)[columns]
        uncommitted.add(path)
        if fields[:2] != "1 " or fields[3] != ".":
            unlike_index.add(path)
    return unlike_index, uncommitted


def _look(root: Path, path: str, known: OnDisk | None, safe_ns: int) -> OnDisk | None:
    """What lies at a path; as it was known if its stamp is the same and old enough to tell."""
    try:
        status = (root / path).lstat()
    except OSError:
        return None
    stamp = Stamp(status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino)
    if known is not None and known.stamp == stamp and stamp.ctime_ns < safe_ns:
        return known
    if path.endswith("/") or stat.S_ISDIR(status.st_mode):
        return OnDisk(content=None, skipped="submodule", stamp=stamp)
    if stat.S_ISLNK(status.st_mode):
        return OnDisk(content=None, skipped="symlink", stamp=stamp)
    if not stat.S_ISREG(status.st_mode):
        return None
    data = read(root, path)
    if data is None:
        return OnDisk(content=None, skipped="absent", stamp=stamp)
    if len(data) > MAX_BYTES:
        return OnDisk(content=f"size:{status.st_size}:{status.st_mtime_ns}", skipped=None, stamp=stamp)
    return OnDisk(content=content_id(data), skipped=None, stamp=stamp)


def _digest(lines: Iterable[str]) -> str:
    return sha256("\n".join(lines).encode("utf-8", "surrogateescape")).hexdigest()[:32]
