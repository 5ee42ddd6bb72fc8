"""How the parts of a repository are related: who imports, calls, refers to, inherits from, exports what.

Nothing of it is stored: a file's uses are resolved against the tree when somebody asks. So an edge is never older than
the index, and asking from either end gives the same edges. An edge from or to a whole file has its path as that end.
"""

from __future__ import annotations

from typing import Final

from .implicit import implemented, implementing
from .import_table import Table
from .importers import importing, users_of
from .index import RepositoryIndex
from .languages import role_of
from .model import Role
from .packages import Packages, packages
from .paths import Paths
from .relations import base_edges, export_edges, import_edges, use_edges, uses_of
from .scopes import TYPES, node_id
from .source_edge import SourceEdge
from .syntax import Symbol, UseKind
from .world import World

_NO_TARGETS: Final = frozenset({"ignored", "secret", "submodule", "symlink", "absent"})
_TO_THE_END: Final = 1 << 60


def world_of(index: RepositoryIndex) -> World:
    """The tree as names are looked up in it; made once for each state of it."""
    if "world" not in index.memory:
        paths = Paths(file.path for file in index.files if file.skipped not in _NO_TARGETS)
        table = Table(paths=paths, packages=_packages(index, paths), declaring=lambda name: world.definers(name))
        world = World(table, index.facts, lambda name: _defining(index, name), lambda path: _role(index, path))
        index.memory["world"] = world
    found: World = index.memory["world"]
    return found


def _defining(index: RepositoryIndex, name: str) -> tuple[str, ...]:
    return tuple(sorted(path for number in index.defining(name) for path in index.paths_of(number)))


def _role(index: RepositoryIndex, path: str) -> Role:
    file = index.by_path.get(path)
    return file.role if file is not None else role_of(path)


def _packages(index: RepositoryIndex, paths: Paths) -> Packages:
    def read(path: str) -> str | None:
        view = index.view(path)
        return view.text if view is not None else None

    return packages(paths, read)


def packages_of(index: RepositoryIndex) -> Packages:
    """The packages of the tree, as their manifests say."""
    return world_of(index).table.packages


# From a file


def imports_of(index: RepositoryIndex, path: str) -> tuple[SourceEdge, ...]:
    """The files that a file imports. Of a package that it imports as a whole, those that it uses a name of."""
    world = world_of(index)
    return tuple(import_edges(world, world.bound(path), index.facts(path)))


def calls_from(index: RepositoryIndex, path: str, start: int = 1, end: int = _TO_THE_END) -> tuple[SourceEdge, ...]:
    """What the lines of a file call; the source is the definition around the call."""
    return _uses_from(index, path, "calls", start, end)


def references_from(
    index: RepositoryIndex, path: str, start: int = 1, end: int = _TO_THE_END
) -> tuple[SourceEdge, ...]:
    """The types that the lines of a file name."""
    return _uses_from(index, path, "references", start, end)


def _uses_from(index: RepositoryIndex, path: str, kind: UseKind, start: int, end: int) -> tuple[SourceEdge, ...]:
    world = world_of(index)
    scope = world.bound(path)
    return tuple(use_edges(scope, uses_of(world, scope, index.facts(path), frozenset({kind}), lines=(start, end))))


def bases_of(index: RepositoryIndex, path: str, symbol: Symbol | None = None) -> tuple[SourceEdge, ...]:
    """What the classes of a file, or one of them, inherit and implement, in Go also without a word."""
    world, scope = world_of(index), world_of(index).bound(path)
    edges = list(base_edges(world, scope))
    for place in scope.places if scope.habits.family == "go" else ():
        edges += implemented(world, place) if place.symbol.kind in TYPES and symbol in (None, place.symbol) else ()
    source = node_id(path, symbol) if symbol else None
    return tuple(edge for edge in edges if source is None or edge.source == source)


def exports_of(index: RepositoryIndex, path: str) -> tuple[SourceEdge, ...]:
    """The definitions that a file offers to others."""
    return tuple(export_edges(world_of(index).scope(path)))


# To a file or definition


def importers_of(index: RepositoryIndex, path: str) -> tuple[SourceEdge, ...]:
    """The files that import a file, sorted."""
    world = world_of(index)
    edges = (
        edge
        for other in importing(index, world, path)
        if path in world.bound(other).imported
        for edge in import_edges(world, world.bound(other), index.facts(other))
        if edge.target == path
    )
    return tuple(sorted(edges, key=by_place))


def callers_of(index: RepositoryIndex, path: str, symbol: Symbol) -> tuple[SourceEdge, ...]:
    """Who calls a definition, in order of their places."""
    return _uses_of(index, path, symbol, "calls")


def references_to(index: RepositoryIndex, path: str, symbol: Symbol) -> tuple[SourceEdge, ...]:
    """Who names a type, other than to call it or to inherit from it."""
    return _uses_of(index, path, symbol, "references")


def subtypes_of(index: RepositoryIndex, path: str, symbol: Symbol) -> tuple[SourceEdge, ...]:
    """Who inherits from a class or implements an interface, in Go also without a word."""
    world, target = world_of(index), node_id(path, symbol)
    others = users_of(index, world, path, symbol).paths
    said = [edge for other in others for edge in base_edges(world, world.bound(other)) if edge.target == target]
    place = world.scope(path).place(symbol)
    return tuple(sorted([*said, *(implementing(world, place) if place else ())], key=by_place))


def _uses_of(index: RepositoryIndex, path: str, symbol: Symbol, kind: UseKind) -> tuple[SourceEdge, ...]:
    world, target = world_of(index), node_id(path, symbol)
    users = users_of(index, world, path, symbol)
    found: list[SourceEdge] = []
    for other in users.paths:
        scope = world.bound(other)
        names = users.called_in(scope)
        if not scope.may_use(names):
            continue
        used = uses_of(world, scope, index.facts(other), frozenset({kind}), names=names)
        found += (edge for edge in use_edges(scope, used) if edge.target == target)
    return tuple(sorted(found, key=by_place))


def by_place(edge: SourceEdge) -> tuple[str, int, str, str]:
    return edge.source, edge.line or 0, edge.target, edge.kind
