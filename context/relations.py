"""The edges that start in one file, from its facts and the tree around it. Pure: nothing is read, nothing is kept."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from .import_table import Target
from .imports import resolve
from .ladder import meanings
from .model import SourceEdge
from .scopes import HOLDERS, Place, Scope
from .syntax import FileFacts, Symbol, Use, UseKind
from .world import World, placed

_GROUP: Final = 3
"""An import of more files than these is one of a package as a whole."""
_USED: Final = 0.9


def node_id(path: str, symbol: Symbol) -> str:
    return f"{path}:{symbol.start}-{symbol.end}#{symbol.name}"


def import_edges(world: World, scope: Scope, facts: FileFacts) -> Iterator[SourceEdge]:
    """Each imported file once, with the first line that imports it."""
    found: dict[str, tuple[float, int]] = {}
    reached: frozenset[str] | None = None
    for each in facts.imports:
        targets = resolve(scope.path, placed(each, scope), world.table).targets
        if len(targets) > _GROUP:
            reached = _reached(world, scope, facts) if reached is None else reached
            targets = _used(targets, reached)
        for target, certainty in targets:
            held = found.get(target)
            if held is None or held[0] < certainty:
                found[target] = (certainty, held[1] if held else each.line)
    for target, (certainty, line) in found.items():
        yield SourceEdge(source=scope.path, target=target, kind="imports", certainty=certainty, line=line)


def _used(targets: tuple[Target, ...], reached: frozenset[str]) -> tuple[Target, ...]:
    used = tuple((target, _USED) for target, _ in targets if target in reached)
    return used or targets


def _reached(world: World, scope: Scope, facts: FileFacts) -> frozenset[str]:
    """The files that a file uses a name of."""
    return frozenset(
        place.path
        for use in facts.uses
        for around in {scope.around(line) for line in use.lines}
        for place, _ in meanings(world, scope, use.kind, use.name, use.qualifier, around)
    )


def use_edges(
    world: World,
    scope: Scope,
    facts: FileFacts,
    kinds: tuple[UseKind, ...],
    *,
    names: frozenset[str] | None = None,
    lines: tuple[int, int] | None = None,
) -> Iterator[SourceEdge]:
    """What a file uses, one edge for each pair of definitions, with the first line and the surest reading."""
    found: dict[tuple[UseKind, str, str], tuple[float, int]] = {}
    for use in facts.uses:
        if use.kind not in kinds or (names is not None and use.name not in names):
            continue
        for around, line in _places(scope, use, lines):
            source = node_id(scope.path, scope.symbols[around]) if around >= 0 else scope.path
            for place, certainty in meanings(world, scope, use.kind, use.name, use.qualifier, around):
                key = (use.kind, source, node_id(place.path, place.symbol))
                held = found.get(key)
                if held is not None:
                    certainty, line = max(held[0], certainty), min(held[1], line)
                found[key] = (certainty, line)
    for (kind, source, target), (certainty, line) in found.items():
        if source != target or kind == "calls":
            yield SourceEdge(source=source, target=target, kind=kind, certainty=certainty, line=line)


def _places(scope: Scope, use: Use, lines: tuple[int, int] | None) -> Iterable[tuple[int, int]]:
    """The definitions that a use is in, each with the first line."""
    first: dict[int, int] = {}
    for line in use.lines:
        if lines is None or lines[0] <= line <= lines[1]:
            first.setdefault(scope.around(line), line)
    return first.items()


def base_edges(world: World, scope: Scope) -> Iterator[SourceEdge]:
    """What the classes of a file inherit and implement."""
    for holder, bases in scope.holders_with_bases():
        sources = [node_id(place.path, place.symbol) for place in _classes(world, scope, holder)]
        for base in bases:
            kind: UseKind = "inherits" if base.kind == "inherits" else "implements"
            for place, certainty in meanings(world, scope, kind, base.name, None, -1):
                target = node_id(place.path, place.symbol)
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
    return [place for place, _ in meanings(world, scope, "references", holder, None, -1)[:1]]


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
