"""How an analysis is written into the index file: compact MessagePack, decoded when it is asked for."""

from __future__ import annotations

import zlib
from hashlib import sha256
from typing import Final

import msgspec

from .parse import Analysis, Counts, Skipped
from .syntax import FileFacts, Parser, tops

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
        msgspec.msgpack.encode(analysis.terms) if analysis.terms else b"",
    )


def unpacked(data: bytes) -> FileFacts:
    """The facts of one content."""
    return _FACTS.decode(zlib.decompress(data)) if data else FileFacts()


def counted(data: bytes) -> dict[str, int]:
    """Each term of one content with its four counts, a byte each from the lowest."""
    return _TERMS.decode(data) if data else {}


def outline_of(analysis: Analysis) -> str:
    names = [(s.kind, s.name, s.visibility) for s in tops(analysis.symbols)]
    imports = [(each.module, each.names) for each in analysis.imports]
    said = msgspec.json.encode((names, imports, analysis.skipped))
    return sha256(said).hexdigest()[:16]


def _facts(analysis: Analysis) -> bytes:
    facts = FileFacts(symbols=analysis.symbols, imports=analysis.imports, uses=analysis.uses, facts=analysis.facts)
    return zlib.compress(_ENCODER.encode(facts), _FAST) if facts != FileFacts() else b""


_FACTS: Final = msgspec.msgpack.Decoder(FileFacts)
_TERMS: Final = msgspec.msgpack.Decoder(dict[str, int])
_ENCODER: Final = msgspec.msgpack.Encoder()
