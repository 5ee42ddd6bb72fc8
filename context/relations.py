"""The edges that start in one file, from its facts and the tree around it. Pure: nothing is read, nothing is kept."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from .ladder import meanings, readings
from .scopes import HOLDERS, Place, Scope
from .source_edge import SourceEdge
from .syntax import FileFacts, Use, UseKind
from .world import World

_FEW: Final = 3
"""An import of more files than these is one of a package as a whole, in languages that do not import packages."""
_USED: Final = 0.9


Used = tuple[UseKind, int, int, Place, float]
"""How a name is used, in which definition, on which line, what it means, and how certain that is."""


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
    """Calls and references, one edge for each pair of definitions: its surest reading, of these the first line."""
    found: dict[tuple[UseKind, int, Place], tuple[float, int]] = {}
    for kind, around, line, place, certainty in used:
        if kind in ("calls", "references"):
            key = (kind, around, place)
            held = found.get(key)
            if held is None or (-certainty, line) < (-held[0], held[1]):
                found[key] = (certainty, line)
    for (kind, around, place), (certainty, line) in found.items():
        source = scope.places[around].id if around >= 0 else scope.path
        yield SourceEdge(source=source, target=place.id, kind=kind, certainty=certainty, line=line)


def import_edges(world: World, scope: Scope, facts: FileFacts, used: list[Used] | None = None) -> Iterator[SourceEdge]:
    """Each imported file once, with the first line that imports it. `used` is what `uses_of` says, if it was asked."""
    found: dict[str, tuple[float, int]] = {}
    reached: frozenset[str] | None = None
    for each, targets in scope.resolved:
        if len(targets) > (_FEW if scope.habits.nearby == "import" else 1):
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
    own = [place for place in scope.named(holder) if place.symbol.kind in HOLDERS or place.symbol.kind == "module"]
    if own:
        return own[:1]
    return [place for place, _ in meanings(world, scope, _use("references", holder), -1)[:1]]


def _use(kind: UseKind, name: str) -> Use:
    return Use(kind=kind, name=name, qualifier=None, lines=())


def export_edges(scope: Scope) -> Iterator[SourceEdge]:
    """Public definitions that no class holds."""
    for place in scope.places:
        symbol = place.symbol
        if symbol.visibility == "public" and scope.is_top(symbol):
            yield SourceEdge(source=scope.path, target=place.id, kind="exports", line=symbol.start)


def contain_edges(scope: Scope) -> Iterator[SourceEdge]:
    """A file contains its outermost definitions, each of them the next inner ones."""
    for number, place in enumerate(scope.places):
        outer = scope.outer(number)
        source = scope.places[outer].id if outer >= 0 else scope.path
        yield SourceEdge(source=source, target=place.id, kind="contains", line=place.symbol.start)
