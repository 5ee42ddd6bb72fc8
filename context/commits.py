"""Past commits as the index keeps them: when, about what, which files. Each is read from git once.

A commit never changes, so what is kept of it is a function of its id. Nobody's name or address is kept.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from itertools import islice
from typing import Final, Protocol
from zlib import compress, decompress
from zlib import error as zlib_error

from .errors import GitFailed
from .git import Repository, git, line, stream
from .redact import redact
from .words import STOP, count_terms

BULK_PATHS: Final = 200
"""A commit that touches more files than this tells nothing about any of them; its moves are kept."""
_VERSION: Final = 1
_BATCH: Final = 250
_TIME_LIMIT_SECONDS: Final = 60.0
_LONGEST_FIELD: Final = 16_384
_LONGEST_MESSAGE: Final = 8_000
_LONGEST_SUBJECT: Final = 100
_MOST_TERMS: Final = 200
_MOST_PAIRED: Final = 20_000
_LATEST: Final = 2**32
"""In the year 2106: what is later is no date."""
_LONG: Final = 1_000
_COMPRESSED: Final = b"x"
"""How a zlib stream begins, and no list of ours."""

# History is what the commits say: no replaced or grafted ones, and no network for what a partial clone lacks.
_AS_WRITTEN: Final = {"GIT_NO_REPLACE_OBJECTS": "1", "GIT_GRAFT_FILE": os.devnull, "GIT_ALLOW_PROTOCOL": "none"}
_QUIETLY: Final = ("-c", "advice.graftFileDeprecated=false")
# Plumbing heeds few settings; what would change the answer is said here.
_TOLD: Final = (
    *_QUIETLY, "diff-tree", "--stdin", "-r", "-z", "--root", "--always", "--raw", "--no-abbrev", "--no-renames",
    "--ignore-submodules=none", "--encoding=UTF-8", "--pretty=format:%x00%H%x00%ct%x00%B%x00",
)  # fmt: skip

_OBJECT_ID: Final = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_PEOPLE: Final = re.compile(
    r"^[ \t>*]*(?:[a-z][a-z-]*-by|cc|from|author|to|change-id|git-svn-id):.*$", re.IGNORECASE | re.MULTILINE
)
_ADDRESSES: Final = re.compile(r"https?://\S+|[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+|\b(?=[a-f]{0,40}[0-9])[0-9a-f]{7,64}\b")
_UNSEEN: Final = re.compile(r"[\x00-\x20\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]+")


class CommitStore(Protocol):
    """Where what was read of a commit is kept, by its id; and what may be forgotten again, by a key."""

    def commits(self, ids: Sequence[str]) -> dict[str, bytes]:
        """What is kept of these commits; unknown ones are left out."""

    def add_commits(self, commits: Mapping[str, bytes]) -> None:
        """Keep these, whole or not at all; one that is there already is replaced."""

    def derived_bytes(self, key: str) -> bytes | None: ...

    def keep_derived(self, key: str, value: bytes) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Commit:
    """One commit that is no merge. `paths` is empty when `touched`, the number of files, is over the bulk limit.

    `time` is the committer's, in seconds since 1970. `subject` is redacted and cut off. `moves` are (old, new) paths.
    """

    id: str
    time: int
    subject: str
    terms: Mapping[str, int]
    paths: tuple[str, ...]
    touched: int
    moves: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Past:
    """The newest commits up to one, newest first. `problem` says why there are none though there may be some."""

    commits: tuple[Commit, ...] = ()
    shallow: bool = False
    problem: str | None = None


def past(repository: Repository, store: CommitStore, commit: str | None, most: int) -> Past:
    """The last `most` ancestors of a commit and itself, merges left out; reads only those that the store lacks."""
    if commit is None or not _OBJECT_ID.fullmatch(commit) or most < 1:
        return Past()
    cut = _cut_at(repository)
    try:
        listed = _listed(repository, store, commit, most, cut)
        ids = [each for each in listed if each not in cut]
        known = _known(store, ids)
        for batch in _batches(_read(repository, [each for each in ids if each not in known])):
            store.add_commits(batch)
            known |= {each: kept for each, blob in batch.items() if (kept := _decoded(each, blob)) is not None}
    except (GitFailed, OSError) as failed:
        return Past(shallow=bool(cut), problem=f"The history could not be read: {_last_line(failed)}")
    return Past(commits=tuple(known[each] for each in ids if each in known), shallow=len(ids) < len(listed))


def _last_line(failed: GitFailed | OSError) -> str:
    said = failed.message if isinstance(failed, GitFailed) else str(failed)
    return _UNSEEN.sub(" ", said.strip().rpartition("\n")[2])[:200]


def _cut_at(repository: Repository) -> frozenset[str]:
    """Commits at which a shallow clone ends: they look as if they added every file."""
    try:
        with (repository.common_dir / "shallow").open(encoding="ascii", errors="replace") as file:
            return frozenset(file.read().split())
    except OSError:
        return frozenset()


def _listed(repository: Repository, store: CommitStore, commit: str, most: int, cut: frozenset[str]) -> Sequence[str]:
    """The ids of the commits asked for: they never change either, but where a shallow clone is deepened."""
    ends = sha256(" ".join(sorted(cut)).encode()).hexdigest() if cut else ""
    key = f"ancestors {_VERSION} {commit} {most} {ends}"
    size = len(commit) // 2
    kept = store.derived_bytes(key)
    if kept is None:
        kept = bytes.fromhex("".join(_ancestors(repository, commit, most)))
        store.keep_derived(key, kept)
    return tuple(kept[at : at + size].hex() for at in range(0, len(kept), size))


def _ancestors(repository: Repository, commit: str, most: int) -> list[str]:
    arguments = (*_QUIETLY, "rev-list", "--no-merges", f"--max-count={most}", commit, "--")
    return line(git(repository.root, *arguments, environment=_AS_WRITTEN)).split()


def _known(store: CommitStore, ids: Sequence[str]) -> dict[str, Commit]:
    kept = ((each, _decoded(each, blob)) for each, blob in store.commits(ids).items())
    return {each: commit for each, commit in kept if commit is not None}


def _batches(commits: Iterator[tuple[str, bytes]]) -> Iterator[dict[str, bytes]]:
    while batch := dict(islice(commits, _BATCH)):
        yield batch


def _read(repository: Repository, ids: Sequence[str]) -> Iterator[tuple[str, bytes]]:
    """(id, what is kept) of each commit. Raises GitFailed."""
    if not ids:
        return
    fields = stream(
        repository.root,
        *_TOLD,
        stdin="".join(f"{each}\n" for each in ids).encode(),
        longest=_LONGEST_FIELD,
        environment=_AS_WRITTEN,
        time_limit_seconds=_TIME_LIMIT_SECONDS,
    )
    for told in _told(fields):
        yield told.id, _encoded(told)


@dataclass(slots=True, kw_only=True)
class _Told:
    """What git says of one commit. Of its files no more is held than can be of use."""

    id: str
    time: bytes
    message: bytes
    touched: int = 0
    paths: list[bytes] = field(default_factory=list)
    gone: list[tuple[str, str]] = field(default_factory=list)
    come: list[tuple[str, str]] = field(default_factory=list)

    def add(self, entry: bytes, path: bytes) -> None:
        self.touched += 1
        if self.touched <= BULK_PATHS:
            self.paths.append(path)
        _, _, before, after, status = entry.split(b" ", 4)
        if status == b"D" and len(self.gone) < _MOST_PAIRED:
            self.gone.append((before.decode("ascii"), os.fsdecode(path)))
        elif status == b"A" and len(self.come) < _MOST_PAIRED:
            self.come.append((after.decode("ascii"), os.fsdecode(path)))


def _told(fields: Iterator[bytes]) -> Iterator[_Told]:
    """Commits one after another: id, time, message, then pairs of `:modes ids status` and path."""
    told: _Told | None = None
    for each in fields:
        head = each.lstrip(b"\n")
        if head.startswith(b":") and told is not None:
            told.add(head, next(fields, b""))
        elif head:
            if told is not None:
                yield told
            told = _Told(id=head.decode("ascii"), time=next(fields, b""), message=next(fields, b""))
    if told is not None:
        yield told


def _encoded(told: _Told) -> bytes:
    from msgspec import msgpack  # noqa: PLC0415  (who never asks for history need not load it)

    text = redact(told.message.decode("utf-8", "replace"))
    paths = b"\0".join(sorted(told.paths)) if told.touched <= BULK_PATHS else b""
    moves = b"\0".join(os.fsencode(path) for move in moves_in(told.gone, told.come) for path in move)
    blob = msgpack.encode((_VERSION, _time(told.time), _subject(text), _terms(text), paths, told.touched, moves))
    return compress(blob) if len(blob) > _LONG else blob


def _time(digits: bytes) -> int:
    """0, as git has it, where there is no possible date."""
    time = int(digits) if digits.isdigit() and len(digits) < 12 else 0
    return time if time < _LATEST else 0


_Kept = tuple[int, int, str, dict[str, int], bytes, int, bytes]


@cache
def _decoder() -> Callable[[bytes], _Kept]:
    from msgspec.msgpack import Decoder  # noqa: PLC0415  (who never asks for history need not load it)

    return Decoder(_Kept).decode


def _decoded(commit: str, blob: bytes) -> Commit | None:
    """None for what another version wrote, or what is no such thing at all: it is read again."""
    try:
        plain = decompress(blob) if blob[:1] == _COMPRESSED else blob
        version, time, subject, terms, paths, touched, moves = _decoder()(plain)
    except (ValueError, zlib_error):
        return None
    if version != _VERSION:
        return None
    names = _split(moves)
    return Commit(
        id=commit,
        time=time,
        subject=subject,
        terms=terms,
        paths=_split(paths),
        touched=touched,
        moves=tuple(zip(names[::2], names[1::2], strict=True)),
    )


def _split(joined: bytes) -> tuple[str, ...]:
    return tuple(os.fsdecode(joined).split("\0")) if joined else ()


def _subject(text: str) -> str:
    return _UNSEEN.sub(" ", text.strip().partition("\n")[0]).strip()[:_LONGEST_SUBJECT]


def _terms(text: str) -> dict[str, int]:
    """Terms of a message in order of appearance, without people, addresses and ids."""
    told = _ADDRESSES.sub(" ", _PEOPLE.sub("", text[:_LONGEST_MESSAGE]))
    counts = ((term, times) for term, times in count_terms(told).items() if term not in STOP)
    return dict(islice(counts, _MOST_TERMS))


def moves_in(gone: Iterable[tuple[str, str]], come: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """(old, new) of files that seem to have moved, from (content id, path) of deleted and of added ones.

    In this order: the same content, the same place and name with another ending, the same name at another place;
    each only where just one deleted and one added file are so alike.
    """
    moves: dict[str, str] = {}
    for trait in (_content_and_name, _content, _place_and_stem, _name):
        taken = set(moves.values())
        olds = _unique((trait(*each), each[1]) for each in gone if each[1] not in moves)
        news = _unique((trait(*each), each[1]) for each in come if each[1] not in taken)
        moves |= {olds[like]: news[like] for like in olds.keys() & news.keys()}
    return tuple(sorted(moves.items()))


def _content_and_name(content: str, path: str) -> tuple[str, str]:
    return content, path.rpartition("/")[2]


def _content(content: str, _path: str) -> tuple[str, str]:
    return content, ""


def _place_and_stem(_content: str, path: str) -> tuple[str, str]:
    folder, _, name = path.rpartition("/")
    return folder, name.partition(".")[0] or name


def _name(_content: str, path: str) -> tuple[str, str]:
    return path.rpartition("/")[2], ""


def _unique(traits: Iterable[tuple[tuple[str, str], str]]) -> dict[tuple[str, str], str]:
    """The path of each trait that only one path has."""
    pairs = tuple(traits)
    often = Counter(like for like, _ in pairs)
    return {like: path for like, path in pairs if often[like] == 1}
