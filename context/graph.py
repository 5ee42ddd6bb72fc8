"""The whole graph of a repository: every edge, a weighted graph of its files, and what is around one place of it."""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Final

from .edges import (
    bases_of,
    callers_of,
    calls_from,
    exports_of,
    importers_of,
    imports_of,
    packages_of,
    references_from,
    references_to,
    subtypes_of,
    world_of,
)
from .implicit import implementing
from .index import RepositoryIndex
from .model import EdgeKind
from .relations import base_edges, contain_edges, export_edges, import_edges, use_edges, uses_of
from .scopes import node_id
from .source_edge import SourceEdge
from .syntax import Symbol
from .tested import TestLink, tested_by, tests_for
from .world import World

KINDS: Final[frozenset[EdgeKind]] = frozenset(
    {"contains", "imports", "exports", "inherits", "implements", "calls", "references", "tests", "depends_on"}
)
WEIGHTS: Final[Mapping[str, float]] = {
    "imports": 1.0, "inherits": 1.5, "implements": 1.5, "calls": 1.0, "references": 0.5,
}  # fmt: skip
"""How much an edge of a kind ties two files together."""
_AT_ONCE: Final = 500
_MOST_A_KIND: Final = 5
"""Beyond so many edges of one kind between two files, further ones tie them no closer."""

Adjacency = Mapping[str, Mapping[str, float]]


def all_edges(index: RepositoryIndex, kinds: frozenset[EdgeKind] = KINDS) -> Iterator[SourceEdge]:
    """Every edge of these kinds, file by file in order of their paths."""
    world = primed(index)
    paths = [file.path for file in index.files if file.number is not None]
    for start in range(0, len(paths), _AT_ONCE):
        with _without_collecting():
            edges = [_edges_of_file(index, world, path, kinds) for path in paths[start : start + _AT_ONCE]]
        for each in edges:
            yield from each
    if "depends_on" in kinds:
        yield from _dependencies(index)


@contextmanager
def _without_collecting() -> Iterator[None]:
    """Much is made here that stays, and no circles are left behind: to look for some again and again is a fourth."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            # There and back again: what is new counts as old, so that the next small collection does not go through it.
            gc.freeze()
            gc.unfreeze()
            gc.enable()


def _edges_of_file(index: RepositoryIndex, world: World, path: str, kinds: frozenset[EdgeKind]) -> list[SourceEdge]:
    scope, facts = world.walked(path)
    used = uses_of(world, scope, facts)
    edges = [
        *use_edges(scope, used),
        *import_edges(world, scope, facts, used),
        *base_edges(world, scope),
        *(export_edges(scope) if "exports" in kinds else ()),
        *(contain_edges(scope) if "contains" in kinds else ()),
        *(_implicit(world, path) if "implements" in kinds else ()),
        *(_tests(tested_by(index, path, (facts, used))) if "tests" in kinds and scope.role == "test" else ()),
    ]
    scope.answers.clear()
    return edges if kinds >= KINDS else [edge for edge in edges if edge.kind in kinds]


def _implicit(world: World, path: str) -> Iterator[SourceEdge]:
    for place in world.scope(path).places:
        if place.symbol.kind == "interface":
            yield from implementing(world, place)


def _tests(links: Iterable[TestLink]) -> Iterator[SourceEdge]:
    for link in links:
        yield SourceEdge(source=link.test, target=link.subject, kind="tests", certainty=link.certainty)


def _dependencies(index: RepositoryIndex) -> Iterator[SourceEdge]:
    packages = packages_of(index)
    for package in packages.all:
        for needed in packages.needed_by(package):
            yield SourceEdge(source=package.manifest, target=needed.manifest, kind="depends_on")


def primed(index: RepositoryIndex) -> World:
    """The world with all definitions at hand: to ask for each name of a tree is dear."""
    world = world_of(index)
    if not world.primed:
        defined: dict[str, list[str]] = {}
        for name, number in index.store.definitions():
            if paths := index.paths_of(number):
                defined.setdefault(name, []).extend(paths)
        world.prime({name: tuple(sorted(each)) for name, each in defined.items()})
    return world


def file_graph(index: RepositoryIndex) -> Adjacency:
    """How closely each file is tied to those that it imports, calls, refers to and inherits from."""
    if "file graph" not in index.memory:
        world = primed(index)
        paths = [file.path for file in index.files if file.number is not None]
        with _without_collecting():
            index.memory["file graph"] = {path: ties for path in paths if (ties := _ties(world, path))}
    found: Adjacency = index.memory["file graph"]
    return found


def _ties(world: World, path: str) -> Mapping[str, float]:
    scope, facts = world.walked(path)
    used = uses_of(world, scope, facts)
    counted: dict[tuple[str, EdgeKind], tuple[float, int]] = {}
    for kind, _, _, place, certainty in used:
        _count(counted, (place.path, kind), certainty)
    for edge in import_edges(world, scope, facts, used):
        _count(counted, (edge.target, "imports"), edge.certainty)
    scope.answers.clear()
    ties: dict[str, float] = {}
    for (target, sort), (certainty, _) in counted.items():
        if target != path:
            ties[target] = ties.get(target, 0.0) + WEIGHTS[sort] * certainty
    return {target: round(ties[target], 3) for target in sorted(ties)}


def _count(counted: dict[tuple[str, EdgeKind], tuple[float, int]], key: tuple[str, EdgeKind], certainty: float) -> None:
    held, times = counted.get(key, (0.0, 0))
    if times < _MOST_A_KIND:
        counted[key] = (held + certainty, times + 1)


# Around one place


def neighbours(
    index: RepositoryIndex, start: str, kinds: frozenset[EdgeKind] = KINDS, *, depth: int = 1, most: int = 50
) -> tuple[SourceEdge, ...]:
    """The edges around a file or definition, in both directions, up to `depth` steps away; the surest of each first."""
    found: dict[tuple[str, str, str], SourceEdge] = {}
    seen, layer = {start}, [start]
    for _ in range(depth):
        edges = [edge for node in layer for edge in sorted(_around(index, node, kinds), key=_surest)]
        for edge in edges[: most - len(found)] if len(found) < most else ():
            found.setdefault((edge.source, edge.target, edge.kind), edge)
        ends = dict.fromkeys(end for edge in found.values() for end in (edge.source, edge.target))
        layer = [end for end in ends if end not in seen]
        seen.update(layer)
    return tuple(found.values())


def _surest(edge: SourceEdge) -> tuple[float, str, str, str]:
    return -edge.certainty, edge.kind, edge.source, edge.target


def _around(index: RepositoryIndex, node: str, kinds: frozenset[EdgeKind]) -> Iterator[SourceEdge]:
    path, symbol = place_of(index, node)
    if path not in index.by_path:
        return
    edges = _around_file(index, path, kinds) if symbol is None else _around_symbol(index, path, symbol, kinds)
    yield from (edge for edge in edges if edge.kind in kinds)


def _around_file(index: RepositoryIndex, path: str, kinds: frozenset[EdgeKind]) -> Iterator[SourceEdge]:
    if "imports" in kinds:
        yield from (*imports_of(index, path), *importers_of(index, path))
    if "tests" in kinds:
        yield from _tests((*tests_for(index, path), *tested_by(index, path)))
    if "exports" in kinds:
        yield from exports_of(index, path)
    if "contains" in kinds:
        yield from (edge for edge in contain_edges(world_of(index).scope(path)) if edge.source == path)
    if "calls" in kinds:
        yield from (edge for edge in calls_from(index, path) if edge.source == path)
    if "depends_on" in kinds:
        yield from (edge for edge in _dependencies(index) if path in (edge.source, edge.target))


def _around_symbol(
    index: RepositoryIndex, path: str, symbol: Symbol, kinds: frozenset[EdgeKind]
) -> Iterator[SourceEdge]:
    own = node_id(path, symbol)
    if "calls" in kinds:
        yield from (*calls_from(index, path, symbol.start, symbol.end), *callers_of(index, path, symbol))
    if "references" in kinds:
        yield from (*references_from(index, path, symbol.start, symbol.end), *references_to(index, path, symbol))
    if not kinds.isdisjoint(("inherits", "implements")):
        yield from (*bases_of(index, path, symbol), *subtypes_of(index, path, symbol))
    if "contains" in kinds:
        yield from (edge for edge in contain_edges(world_of(index).scope(path)) if own in (edge.source, edge.target))


def place_of(index: RepositoryIndex, node: str) -> tuple[str, Symbol | None]:
    """The file of a node and, unless it is a file, the definition that it is."""
    if node in index.by_path or "#" not in node:
        return node, None
    path = node.rpartition("#")[0].rpartition(":")[0]
    return path, next((s for s in index.symbols(path) if node_id(path, s) == node), None)
