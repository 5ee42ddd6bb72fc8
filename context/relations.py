"""The edges that start in one file, from its facts and the tree around it. Pure: nothing is read, nothing is kept."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from .ladder import meanings, readings
from .model import SourceEdge
from .scopes import HOLDERS, Place, Scope
from .syntax import FileFacts, Symbol, Use, UseKind
from .world import World

_GROUP: Final = 3
"""An import of more files than these is one of a package as a whole."""
_USED: Final = 0.9


Used = tuple[UseKind, int, int, Place, float]
"""How a name is used, in which definition, on which line, what it means, and how certain that is."""


def node_id(path: str, symbol: Symbol) -> str:
    return Place(path, symbol).id


def uses_of(
    world: World,
    scope: Scope,
    facts: FileFacts,
    kinds: frozenset[UseKind] | None = None,
    *,
    names: frozenset[str] | None = None,
    lines: tuple[int, int] | None = None,
) -> list[Used]:
    """What the names mean that a file uses: of these kinds, names and lines alone where they are given."""
    return [
        (use.kind, around, line, place, certainty)
        for use in facts.uses
        if (kinds is None or use.kind in kinds) and (names is None or use.name in names)
        for around, line, answer in readings(world, scope, use, lines)
        for place, certainty in answer
    ]


def use_edges(scope: Scope, used: Iterable[Used]) -> Iterator[SourceEdge]:
    """Calls and references, one edge for each pair of definitions: its first line and its surest reading."""
    found: dict[tuple[str, int, Place], tuple[float, int]] = {}
    for kind, around, line, place, certainty in used:
        if kind in ("calls", "references"):
            held = found.get((kind, around, place))
            if held is None:
                found[kind, around, place] = (certainty, line)
            elif held != (certainty, line):
                found[kind, around, place] = (max(held[0], certainty), min(held[1], line))
    ids = {-1: scope.path}
    for (kind, around, place), (certainty, line) in found.items():
        source = ids.get(around) or ids.setdefault(around, node_id(scope.path, scope.symbols[around]))
        yield SourceEdge(source=source, target=place.id, kind=kind, certainty=certainty, line=line)


def import_edges(world: World, scope: Scope, facts: FileFacts, used: list[Used] | None = None) -> Iterator[SourceEdge]:
    """Each imported file once, with the first line that imports it. `used` is what `uses_of` says, if it was asked."""
    found: dict[str, tuple[float, int]] = {}
    reached: frozenset[str] | None = None
    for each, targets in scope.resolved:
        if len(targets) > _GROUP:
            if reached is None:
                reached = frozenset(place.path for *_, place, _ in (used or uses_of(world, scope, facts)))
            targets = tuple((target, _USED) for target, _ in targets if target in reached) or targets
        for target, certainty in targets:
            held = found.get(target)
            if held is None or held[0] < certainty:
                found[target] = (certainty, held[1] if held else each.line)
    for target, (certainty, line) in found.items():
        yield SourceEdge(source=scope.path, target=target, kind="imports", certainty=certainty, line=line)


def base_edges(world: World, scope: Scope) -> Iterator[SourceEdge]:
    """What the classes of a file inherit and implement."""
    for holder, bases in scope.holders_with_bases():
        sources = [place.id for place in _classes(world, scope, holder)]
        for base in bases:
            kind: UseKind = "inherits" if base.kind == "inherits" else "implements"
            for place, certainty in meanings(world, scope, _use(kind, base.name), -1):
                target = place.id
                yield from (
                    SourceEdge(source=source, target=target, kind=kind, certainty=certainty, line=base.line)
                    for source in sources
                    if source != target
                )


def _classes(world: World, scope: Scope, holder: str) -> list[Place]:
    """The class of a name in this file; one that is only extended here is found as any type is."""
    own = [
        Place(scope.path, symbol) for symbol in scope.named(holder) if symbol.kind in HOLDERS or symbol.kind == "module"
    ]
    if own:
        return own[:1]
    return [place for place, _ in meanings(world, scope, _use("references", holder), -1)[:1]]


def _use(kind: UseKind, name: str) -> Use:
    return Use(kind=kind, name=name, qualifier=None, lines=())


def export_edges(scope: Scope) -> Iterator[SourceEdge]:
    """Public definitions that no class holds."""
    for symbol in scope.symbols:
        if symbol.visibility == "public" and scope.is_top(symbol):
            yield SourceEdge(source=scope.path, target=node_id(scope.path, symbol), kind="exports", line=symbol.start)


def contain_edges(scope: Scope) -> Iterator[SourceEdge]:
    """A file contains its outermost definitions, each of them the next inner ones."""
    for number, symbol in enumerate(scope.symbols):
        outer = scope.outer(number)
        source = scope.path if outer is None else node_id(scope.path, outer)
        yield SourceEdge(source=source, target=node_id(scope.path, symbol), kind="contains", line=symbol.start)
