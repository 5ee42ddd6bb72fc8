"""What one file says by itself: its definitions, imports, uses of names and stated facts, none of them resolved.

These are structs and not dataclasses, since a large tree has a million of them, read and written as MessagePack.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

import msgspec

from .model import NodeKind, Visibility

Parser = Literal["tree-sitter", "patterns", "lines"]
UseKind = Literal["calls", "references", "inherits", "implements"]
FactKind = Literal[
    "route", "command", "option", "env", "config", "schema", "migration", "package", "dependency", "workspace", "export"
]


class Symbol(msgspec.Struct, frozen=True, kw_only=True, array_like=True, gc=False):
    """A definition in one file. Lines are 1-based, inclusive, with the comments and decorators that belong to it."""

    kind: NodeKind
    name: str
    start: int
    end: int
    signature: str
    container: str | None = None
    visibility: Visibility | None = None
    doc: str | None = None
    """The first line of its docstring or of the comment above it."""
    decorators: tuple[str, ...] = ()


class Import(msgspec.Struct, frozen=True, kw_only=True, array_like=True, gc=False):
    """What a file takes from elsewhere, as spelled; `names` are the things taken, `*` for all of them."""

    module: str
    names: tuple[str, ...] = ()
    line: int = 1


EXPRESSION: Final = "?"
"""The qualifier of a name that stands behind something that is no plain name: `f().name`, `a[0].name`."""


class Use(msgspec.Struct, frozen=True, kw_only=True, array_like=True, gc=False):
    """A name that a file calls or refers to; `qualifier` is what stands before it: a name, EXPRESSION, or None."""

    kind: UseKind
    name: str
    qualifier: str | None
    lines: tuple[int, ...]


class Fact(msgspec.Struct, frozen=True, kw_only=True, array_like=True, gc=False):
    """Something a file states to the world outside the code: a route, an environment variable it reads, a table."""

    kind: FactKind
    name: str
    line: int
    detail: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Syntax:
    """What a reader of one language found in a text. `comments` are texts, docstrings among them."""

    symbols: tuple[Symbol, ...] = ()
    imports: tuple[Import, ...] = ()
    uses: tuple[Use, ...] = ()
    facts: tuple[Fact, ...] = ()
    comments: tuple[str, ...] = ()
    parser: Parser = "lines"
    problem: str | None = None


class FileFacts(msgspec.Struct, frozen=True, kw_only=True, array_like=True, gc=False):
    """What one content says by itself, as the index keeps it."""

    symbols: tuple[Symbol, ...] = ()
    imports: tuple[Import, ...] = ()
    uses: tuple[Use, ...] = ()
    facts: tuple[Fact, ...] = ()


_SPACES: Final = frozenset({"namespace", "package", "module"})


def tops(symbols: tuple[Symbol, ...]) -> tuple[Symbol, ...]:
    """What a file defines at its top; a namespace around it all does not count."""
    spaces = {symbol.name for symbol in symbols if symbol.kind in _SPACES}
    return tuple(
        symbol
        for symbol in symbols
        if symbol.kind not in _SPACES and (symbol.container is None or symbol.container in spaces)
    )
