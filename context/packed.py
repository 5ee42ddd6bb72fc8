"""How an analysis is written into the index file: compact MessagePack, decoded when it is asked for."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from hashlib import sha256
from typing import Any, Final, cast

import msgspec

from .parse import Analysis, Counts, Skipped
from .syntax import Fact, FileFacts, Import, Parser, Symbol, Use

_FAST: Final = 1
_NAME_CHARACTERS: Final = 200


class Packed(msgspec.Struct, frozen=True, array_like=True):
    """One content as a worker hands it over and as the index file keeps it."""

    size: int
    lines: int
    lengths: Counts
    skipped: Skipped | None
    parser: Parser
    problem: str | None
    outline: str
    """A digest of the names it defines at its top and of what it imports: not of bodies, not of line numbers."""
    names: tuple[str, ...]
    """What it defines, in lower case."""
    facts: bytes
    terms: bytes


def pack(analysis: Analysis) -> Packed:
    return Packed(
        analysis.size,
        analysis.lines,
        analysis.lengths,
        analysis.skipped,
        analysis.parser,
        analysis.problem,
        outline_of(analysis),
        tuple(sorted({symbol.name.lower()[:_NAME_CHARACTERS] for symbol in analysis.symbols})),
        _facts(analysis),
        _terms(analysis.terms),
    )


def unpacked(data: bytes) -> FileFacts:
    """The facts of one content."""
    if not data:
        return FileFacts()
    symbols, imports, uses, facts = msgspec.msgpack.decode(zlib.decompress(data))
    return FileFacts(
        symbols=tuple(_symbol(*each) for each in symbols),
        imports=tuple(Import(module=module, names=tuple(names), line=line) for module, names, line in imports),
        uses=tuple(Use(kind=kind, name=name, qualifier=of, lines=tuple(lines)) for kind, name, of, lines in uses),
        facts=tuple(Fact(kind=kind, name=name, line=line, detail=detail) for kind, name, line, detail in facts),
    )


def counted(data: bytes) -> dict[str, bytes]:
    """Each term of one content with its four counts, a byte each."""
    return cast("dict[str, bytes]", msgspec.msgpack.decode(zlib.decompress(data))) if data else {}


def outline_of(analysis: Analysis) -> str:
    tops = [(s.kind, s.name, s.visibility) for s in analysis.symbols if s.container is None]
    imports = [(each.module, each.names) for each in analysis.imports]
    said = msgspec.json.encode((tops, imports, analysis.skipped))
    return sha256(said).hexdigest()[:16]


def _facts(analysis: Analysis) -> bytes:
    record = (
        [
            (s.kind, s.name, s.start, s.end - s.start, s.signature, s.container, s.visibility, s.doc, s.decorators)
            for s in analysis.symbols
        ],
        [(i.module, i.names, i.line) for i in analysis.imports],
        [(u.kind, u.name, u.qualifier, u.lines) for u in analysis.uses],
        [(f.kind, f.name, f.line, f.detail) for f in analysis.facts],
    )
    return zlib.compress(msgspec.msgpack.encode(record), _FAST) if any(record) else b""


def _terms(terms: Mapping[str, Counts]) -> bytes:
    record = {term: bytes(counts) for term, counts in terms.items()}
    return zlib.compress(msgspec.msgpack.encode(record), _FAST) if record else b""


def _symbol(*record: Any) -> Symbol:
    kind, name, start, more, signature, container, visibility, doc, decorators = record
    return Symbol(
        kind=kind,
        name=name,
        start=start,
        end=start + more,
        signature=signature,
        container=container,
        visibility=visibility,
        doc=doc,
        decorators=tuple(decorators),
    )
