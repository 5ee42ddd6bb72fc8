"""What lies around a place that was found: who calls it, what it calls, its types, its like, its tests.

Edges are resolved for the few places asked about and never for all. What bounds the work is counted, not timed, so that
the same question has the same answer on any machine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from .edges import (
    bases_of,
    callers_of,
    calls_from,
    importers_of,
    references_from,
    subtypes_of,
    world_of,
)
from .graph import place_of
from .importers import importing, mentioning
from .index import RepositoryIndex, node_of
from .model import RetrievalCandidate, SourceNode
from .paths import folder_of, stem_of
from .scopes import ROUTINES, TYPES
from .source_edge import SourceEdge
from .syntax import Symbol
from .tested import tests_for
from .words import terms_of

Near = Literal["callers", "callees", "types", "implementations", "siblings", "importers", "tests", "same_file"]

_MOST_MENTIONS: Final = 40
"""A name that more files spell tells too little of who uses it, and costs too much."""
_MOST_OF_A_KIND: Final = 8
_LIKE: Final = 0.5
_BESIDE: Final = 0.4


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbour:
    """A place near another: a definition, or a file where `symbol` is None."""

    near: Near
    path: str
    symbol: Symbol | None
    certainty: float
    why: str

    def node(self, index: RepositoryIndex) -> SourceNode | None:
        file = index.by_path.get(self.path)
        if file is None or self.symbol is None:
            return None
        return node_of(self.path, self.symbol, file.language, file.role)


@dataclass(frozen=True, slots=True, kw_only=True)
class Anchor:
    """A place that was found, from which others are looked for."""

    path: str
    symbol: Symbol | None

    @property
    def name(self) -> str:
        return self.symbol.name if self.symbol is not None else self.path


def anchor_of(index: RepositoryIndex, candidate: RetrievalCandidate) -> Anchor:
    path, symbol = place_of(index, candidate.node.id)
    return Anchor(path=path, symbol=symbol)


def around(index: RepositoryIndex, anchor: Anchor, near: Near) -> tuple[Neighbour, ...]:
    """What is near a place in one way, the surest first; nothing where too many would have to be asked."""
    if anchor.path not in index.by_path:
        return ()
    found: dict[tuple[str, str], Neighbour] = {}
    for each in sorted(_WAYS[near](index, anchor), key=_surest):
        key = (each.path, each.symbol.name if each.symbol else "")
        if (each.path, each.symbol) != (anchor.path, anchor.symbol):
            found.setdefault(key, each)
    return tuple(found.values())[:_MOST_OF_A_KIND]


def _surest(each: Neighbour) -> tuple[float, str, int]:
    return -each.certainty, each.path, each.symbol.start if each.symbol else 0


def _ends(
    index: RepositoryIndex, edges: Iterable[SourceEdge], near: Near, why: str, *, sources: bool = False
) -> Iterator[Neighbour]:
    for edge in edges:
        path, symbol = place_of(index, edge.source if sources else edge.target)
        if path in index.by_path and index.by_path[path].role != "test":
            yield Neighbour(near=near, path=path, symbol=symbol, certainty=edge.certainty, why=why)


def _few(index: RepositoryIndex, anchor: Anchor) -> bool:
    return anchor.symbol is not None and len(mentioning(index, anchor.symbol.name)) <= _MOST_MENTIONS


def _callers(index: RepositoryIndex, anchor: Anchor) -> Iterator[Neighbour]:
    if anchor.symbol is not None and anchor.symbol.kind in ROUTINES | TYPES and _few(index, anchor):
        edges = callers_of(index, anchor.path, anchor.symbol)
        yield from _ends(index, edges, "callers", f"calls {anchor.name}", sources=True)


def _callees(index: RepositoryIndex, anchor: Anchor) -> Iterator[Neighbour]:
    if anchor.symbol is not None:
        edges = calls_from(index, anchor.path, anchor.symbol.start, anchor.symbol.end)
        yield from _ends(index, edges, "callees", f"called by {anchor.name}")


def _types(index: RepositoryIndex, anchor: Anchor) -> Iterator[Neighbour]:
    if anchor.symbol is None:
        return
    holder = _holder(index, anchor)
    if holder is not None:
        why = f"holds {anchor.name}"
        yield Neighbour(near="types", path=anchor.path, symbol=holder, certainty=1.0, why=why)
    edges = [
        *references_from(index, anchor.path, anchor.symbol.start, anchor.symbol.end),
        *(bases_of(index, anchor.path, anchor.symbol) if anchor.symbol.kind in TYPES else ()),
    ]
    yield from _ends(index, edges, "types", f"a type of {anchor.name}")


def _holder(index: RepositoryIndex, anchor: Anchor) -> Symbol | None:
    if anchor.symbol is None or anchor.symbol.container is None:
        return None
    name = anchor.symbol.container.rsplit(".", 1)[-1]
    around_it = (s for s in index.symbols(anchor.path) if s.name == name and s.kind in TYPES)
    return next((s for s in around_it if s.start <= anchor.symbol.start and s.end >= anchor.symbol.end), None)


def _implementations(index: RepositoryIndex, anchor: Anchor) -> Iterator[Neighbour]:
    if anchor.symbol is not None and anchor.symbol.kind in TYPES and _few(index, anchor):
        edges = subtypes_of(index, anchor.path, anchor.symbol)
        yield from _ends(index, edges, "implementations", f"a kind of {anchor.name}", sources=True)


def _siblings(index: RepositoryIndex, anchor: Anchor) -> Iterator[Neighbour]:
    """Other kinds of what the place is a kind of; else files beside it that are named like it."""
    holder = anchor.symbol if anchor.symbol is not None and anchor.symbol.kind in TYPES else _holder(index, anchor)
    if holder is not None:
        for edge in bases_of(index, anchor.path, holder):
            path, base = place_of(index, edge.target)
            if base is not None and len(mentioning(index, base.name)) <= _MOST_MENTIONS:
                kin = subtypes_of(index, path, base)
                yield from _ends(index, kin, "siblings", f"a {base.name}, too", sources=True)
    yield from _named_alike(index, anchor.path)


def _named_alike(index: RepositoryIndex, path: str) -> Iterator[Neighbour]:
    own = _parts(path)
    ending = path.rpartition(".")[2]
    for other in _folder(index, folder_of(path)):
        shared = own & _parts(other)
        if shared and other != path and other.endswith("." + ending) and index.by_path[other].role == "source":
            likeness = len(shared) / len(own | _parts(other))
            why = f"named like {path.rpartition('/')[2]}"
            yield Neighbour(near="siblings", path=other, symbol=None, certainty=_LIKE * likeness, why=why)


def _parts(path: str) -> frozenset[str]:
    terms = terms_of(stem_of(path))
    return frozenset(terms[1:] or terms)


def _folder(index: RepositoryIndex, folder: str) -> tuple[str, ...]:
    if "folders" not in index.path_memory:
        folders: dict[str, list[str]] = {}
        for file in index.files:
            folders.setdefault(folder_of(file.path), []).append(file.path)
        index.path_memory["folders"] = folders
    held: dict[str, list[str]] = index.path_memory["folders"]
    return tuple(held.get(folder, ()))


def _same_file(index: RepositoryIndex, anchor: Anchor) -> Iterator[Neighbour]:
    """The types beside a place: what it keeps its state in, as often as not."""
    for symbol in index.symbols(anchor.path):
        if symbol.kind in TYPES:
            why = f"beside {anchor.name}"
            yield Neighbour(near="same_file", path=anchor.path, symbol=symbol, certainty=_BESIDE, why=why)


def _importers(index: RepositoryIndex, anchor: Anchor) -> Iterator[Neighbour]:
    if len(importing(index, world_of(index), anchor.path)) <= _MOST_MENTIONS:
        why = f"imports {anchor.path.rpartition('/')[2]}"
        yield from _ends(index, importers_of(index, anchor.path), "importers", why, sources=True)


def _tests(index: RepositoryIndex, anchor: Anchor) -> Iterator[Neighbour]:
    if len(importing(index, world_of(index), anchor.path)) <= _MOST_MENTIONS:
        for link in tests_for(index, anchor.path):
            why = f"tests {anchor.path.rpartition('/')[2]}: {link.reasons[0]}" if link.reasons else "tests it"
            yield Neighbour(near="tests", path=link.test, symbol=None, certainty=link.certainty, why=why)


_WAYS: Final[Mapping[Near, Callable[[RepositoryIndex, Anchor], Iterable[Neighbour]]]] = {
    "callers": _callers,
    "callees": _callees,
    "types": _types,
    "implementations": _implementations,
    "siblings": _siblings,
    "importers": _importers,
    "tests": _tests,
    "same_file": _same_file,
}
