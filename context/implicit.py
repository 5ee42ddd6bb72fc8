"""Interfaces that nobody names: in Go a type implements an interface when it has the interface's methods."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from .classes import ancestors
from .scopes import TYPES, Place, Scope
from .source_edge import SourceEdge
from .world import World

_BY_COUNT: Final = {1: 0.35, 2: 0.55}
_BY_MANY: Final = 0.7
_UNKNOWN_BASE: Final = 0.8
_MOST_TYPES: Final = 60
_MOST_METHODS: Final = 200

Type = tuple[str, str]
"""The folder of a package and the name of a type in it."""


def implementing(world: World, interface: Place) -> Iterator[SourceEdge]:
    """The types that have all methods of an interface; none where too many have."""
    wanted = _asked(world, interface)
    if not wanted:
        return
    rarest = min(sorted(wanted), key=lambda name: len(world.definers(name)))
    types = sorted({each for each in _types_with(world, rarest) if _has(world, interface, each, wanted)})
    if len(types) <= _MOST_TYPES:
        certainty = _BY_COUNT.get(len(wanted), _BY_MANY) * (1 if _all_known(world, interface) else _UNKNOWN_BASE)
        for place in (place for each in types for place in _definitions(world, each)):
            yield SourceEdge(source=place.id, target=interface.id, kind="implements", certainty=round(certainty, 3))


def implemented(world: World, place: Place) -> Iterator[SourceEdge]:
    """The interfaces all of whose methods a type has."""
    methods = _methods_of(world, place.scope.folder).get(place.symbol.name, frozenset())
    found = {
        interface
        for name in sorted(methods)[:_MOST_METHODS]
        for path in world.definers(name)
        for interface in _interfaces(world.scope(path), name)
    }
    for interface in sorted(found, key=lambda each: each.id):
        yield from (edge for edge in implementing(world, interface) if edge.source == place.id)


def _interfaces(scope: Scope, method: str) -> Iterator[Place]:
    if _is_go(scope):
        holders = {place.symbol.container for place in scope.named(method)}
        yield from (p for p in scope.places if p.symbol.kind == "interface" and p.symbol.name in holders)


def _is_go(scope: Scope) -> bool:
    return scope.habits.family == "go" and scope.role != "fixture"


def _asked(world: World, interface: Place) -> frozenset[str]:
    """The methods of an interface and of those that it embeds, if those are of the tree."""
    if interface.symbol.kind != "interface" or not _is_go(interface.scope):
        return frozenset()
    name = interface.symbol.name
    every = [(interface.scope, name), *ancestors(world, interface.scope, name)]
    return frozenset(name for scope, holder in every for name in _own_methods(scope).get(holder, ()))


def _own_methods(scope: Scope) -> Mapping[str, set[str]]:
    if "methods" not in scope.memory:
        found: dict[str, set[str]] = {}
        for symbol in scope.symbols:
            if symbol.kind == "method" and symbol.container is not None:
                found.setdefault(symbol.container, set()).add(symbol.name)
        scope.memory["methods"] = found
    methods: Mapping[str, set[str]] = scope.memory["methods"]
    return methods


def _types_with(world: World, method: str) -> Iterator[Type]:
    for path in world.definers(method):
        scope = world.scope(path)
        if _is_go(scope):
            holders = (p.symbol.container for p in scope.named(method) if p.symbol.kind == "method")
            yield from ((scope.folder, holder) for holder in holders if holder is not None)


def _has(world: World, interface: Place, found: Type, wanted: frozenset[str]) -> bool:
    """Methods that are not exported count within their package alone."""
    folder, name = found
    inner = any(not method[:1].isupper() for method in wanted)
    fits = wanted <= _methods_of(world, folder).get(name, frozenset())
    return fits and (not inner or folder == interface.scope.folder)


def _methods_of(world: World, folder: str) -> Mapping[str, frozenset[str]]:
    """The methods of each type of a package, interfaces left out, with those that embedded types lend."""
    key = ("methods of", folder)
    if key not in world.memory:
        scopes = [world.scope(path) for path in world.table.paths.files_in(folder) if path.endswith(".go")]
        interfaces = {symbol.name for scope in scopes for symbol in scope.symbols if symbol.kind == "interface"}
        own: dict[str, set[str]] = {}
        for scope in scopes:
            for holder, methods in _own_methods(scope).items():
                own.setdefault(holder, set()).update(methods)
        lent = {(name, base.name) for scope in scopes for name, bases in scope.holders_with_bases() for base in bases}
        full = {name: frozenset(methods) for name, methods in own.items() if name not in interfaces}
        for name, base in sorted(lent):
            if name not in interfaces and base in own:
                full[name] = full.get(name, frozenset()) | own[base]
        world.memory[key] = full
    found: Mapping[str, frozenset[str]] = world.memory[key]
    return found


def _all_known(world: World, interface: Place) -> bool:
    """Whether all interfaces that it embeds are of the tree."""
    named = {base.name for base in interface.scope.bases(interface.symbol.name)}
    return named <= {name for _, name in ancestors(world, interface.scope, interface.symbol.name)}


def _definitions(world: World, found: Type) -> Iterator[Place]:
    folder, name = found
    for place in world.beside(folder).get(name, ()):
        kind = place.symbol.kind
        if kind in TYPES and kind != "interface" and place.scope.is_top(place.symbol):
            yield place
