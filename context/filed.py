"""A file of the work tree as the index holds it, and how a list of them is kept for the next open."""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from typing import Final

import msgspec

from .files import TreeFile
from .languages import language_of, role_of
from .model import Role
from .parse import Skipped
from .store import Card, Key
from .syntax import Parser

_FAST: Final = 1


class IndexedFile(msgspec.Struct, frozen=True, array_like=True, kw_only=True, gc=False):
    """A file of the work tree. `number` is None where only its name is known (`skipped` says why).

    A struct and not a dataclass, since ten thousand of them are decoded at each open.
    """

    path: str
    content: str | None
    language: str | None
    role: Role
    number: int | None
    size: int | None
    lines: int | None
    length: int
    """Terms in it; `names`, `signatures` and `comments` are the terms in those fields."""
    names: int
    signatures: int
    comments: int
    outline: str
    skipped: Skipped | None
    left_out: Skipped | None
    """Why it was not to be read, as told by its name, kind or the repository's rules."""
    changed: bool
    parser: Parser
    problem: str | None


def key_of(file: TreeFile) -> Key:
    language = language_of(file.path)
    return file.content or "", language.name if language else ""


def filed(file: TreeFile, card: Card | None) -> IndexedFile:
    """What the index knows of a listed file; one that is still to be read is `pending`."""
    skipped = card.skipped if card else file.skipped or "pending"
    return IndexedFile(
        path=file.path,
        content=file.content,
        language=key_of(file)[1] or None,
        role="generated" if skipped in ("generated", "minified") else role_of(file.path),
        number=card.number if card else None,
        size=card.size if card else None,
        lines=card.lines if card else None,
        length=card.body if card else 0,
        names=card.names if card else 0,
        signatures=card.signatures if card else 0,
        comments=card.comments if card else 0,
        outline=card.outline if card else "",
        skipped=skipped,
        left_out=file.skipped,
        changed=file.changed,
        parser=card.parser if card else "lines",
        problem=card.problem if card else None,
    )


def still(known: IndexedFile | None, file: TreeFile) -> bool:
    """Whether what is known of a path holds for what is listed there now."""
    return (
        known is not None
        and known.skipped != "pending"
        and (known.content, known.changed, known.left_out) == (file.content, file.changed, file.skipped)
    )


class Kept(msgspec.Struct, frozen=True, array_like=True):
    """A whole tree, as of one state of the index file."""

    removals: int
    key: str
    files: tuple[IndexedFile, ...]


def encoded(kept: Kept) -> bytes | None:
    """None where a path is not text: such a tree is put together anew each time."""
    try:
        return zlib.compress(msgspec.msgpack.encode(kept), _FAST)
    except UnicodeEncodeError:
        return None


def decoded(data: bytes) -> Kept:
    """Raises zlib.error or msgspec.DecodeError for what is damaged."""
    return msgspec.msgpack.decode(zlib.decompress(data), type=Kept)


def paths_by_number(files: Iterable[IndexedFile]) -> dict[int, list[str]]:
    """Which paths have each content, sorted as the files are."""
    paths: dict[int, list[str]] = {}
    for file in files:
        if file.number is not None:
            paths.setdefault(file.number, []).append(file.path)
    return paths
