"""Which definition a use of a name means: a ladder of rules, surest first. `visible.py` says what each is worth."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from .classes import by_name, field_type, members, of_type, parts_of, type_named
from .families import type_of_value
from .import_compiled import rust_way
from .scopes import CALLED, ROUTINES, SPACES, TYPES, VALUES, Binding, Place, Scope
from .syntax import EXPRESSION, Use, UseKind
from .visible import (
    ANY,
    INHERITED,
    MOST_FILES,
    NEARBY,
    OPEN,
    OWN,
    THROUGH,
    Answer,
    at_most,
    chosen,
    of_file,
    spread,
)
from .world import World, module_name

_WANTED: Final[dict[UseKind, frozenset[str]]] = {
    "calls": CALLED,
    "references": TYPES,
    "inherits": TYPES | SPACES,
    "implements": TYPES | SPACES,
}
Names = tuple[str, ...]


Reading = tuple[int, int, Answer]
"""The number of the definition that a use is in, the first line of it there, and what the name means there."""


def readings(world: World, scope: Scope, use: Use, lines: tuple[int, int] | None = None) -> Iterable[Reading]:
    """What a use means in each definition that has it, within these lines. `scope` is a bound one."""
    if use.name not in scope.bindings and not world.definers(use.name):
        return ()
    places = _places(scope, use, lines)
    found = _everywhere(world, scope, use)
    if found is not None:
        return [(around, line, found) for around, line in places.items()] if found else ()
    if len(places) == 1 or (use.qualifier is None and scope.inner(use.name)):
        return [(around, line, meanings(world, scope, use, around)) for around, line in places.items()]
    return _by_standing(world, scope, use, places)


def _by_standing(world: World, scope: Scope, use: Use, places: dict[int, int]) -> Iterable[Reading]:
    """Of a place the classes around it decide what a use means there, and the type that is given to its first name."""
    first = parts_of(use.qualifier)[:1] if use.qualifier is not None else ()
    typed = first[0] if first and scope.is_typed(first[0]) else None
    answers: dict[object, Answer] = {}
    read: list[Reading] = []
    for around, line in places.items():
        holders = scope.holders(around)
        standing = holders if typed is None else (holders, scope.typed(typed, around))
        if standing not in answers:
            answers[standing] = meanings(world, scope, use, around)
        read.append((around, line, answers[standing]))
    return read


def _places(scope: Scope, use: Use, lines: tuple[int, int] | None) -> dict[int, int]:
    """The definitions that a use is in, each with the first line."""
    if lines is None and len(use.lines) == 1:
        return {scope.around(use.lines[0]): use.lines[0]}
    if lines is None:
        return scope.first_lines(use.lines)
    return scope.first_lines(line for line in use.lines if lines[0] <= line <= lines[1])


def _everywhere(world: World, scope: Scope, use: Use) -> Answer | None:
    """What a use means wherever it is in the file; None where that depends on the place."""
    if use.qualifier is None:
        if scope.habits.bare_members or scope.inner(use.name):
            return None
        return of_file(world, scope, use.name, _WANTED[use.kind])
    if use.qualifier == EXPRESSION:
        return meanings(world, scope, use, -1)
    parts, habits = parts_of(use.qualifier), scope.habits
    if not parts or parts[0] in habits.own or parts[0] in habits.parent or scope.is_typed(parts[0]):
        return None
    found = _behind(world, scope, use.name, parts, _WANTED[use.kind])
    return found if found is not None or habits.bare_members else meanings(world, scope, use, -1)


def meanings(world: World, scope: Scope, use: Use, around: int) -> Answer:
    """The definitions that a use may mean within one definition, -1 outside of all, each with its certainty."""
    wanted, qualifier = _WANTED[use.kind], use.qualifier
    if qualifier is None:
        return _bare(world, scope, use.name, wanted, around)
    if qualifier == EXPRESSION:
        return by_name(world, scope, use.name) if use.kind == "calls" else ()
    parts = parts_of(qualifier)
    return _qualified(world, scope, use.name, parts, wanted, around) if parts else ()


def _bare(world: World, scope: Scope, name: str, wanted: frozenset[str], around: int) -> Answer:
    if around >= 0:
        inner = _inner(scope, name, wanted, around) or _of_class(world, scope, name, wanted, around)
        if inner:
            return inner
    found = of_file(world, scope, name, wanted)
    return found or (by_name(world, scope, name) if scope.habits.family == "ruby" and "method" in wanted else ())


def _inner(scope: Scope, name: str, wanted: frozenset[str], around: int) -> Answer:
    """A function or class within the functions around."""
    if not scope.inner(name):
        return ()
    local = [place for place in scope.named(name) if place.symbol.container is not None]
    holders = {symbol.name for symbol in scope.chain(around) if symbol.kind in ROUTINES}
    kinds = wanted - {"method"}
    return spread([p for p in local if p.symbol.container in holders and p.symbol.kind in kinds], OWN)


def _of_class(world: World, scope: Scope, name: str, wanted: frozenset[str], around: int) -> Answer:
    """A member of the classes around, in languages where it needs no `self`."""
    if not scope.habits.bare_members:
        return ()
    for holder in scope.holders(around):
        found = members(world, scope, holder, name, wanted)
        if found:
            return found
    return ()


# A name behind another


def _qualified(world: World, scope: Scope, name: str, parts: Names, wanted: frozenset[str], around: int) -> Answer:
    habits = scope.habits
    if parts[0] in habits.own or parts[0] in habits.parent:
        return _of_own(world, scope, name, parts, wanted, around)
    kind = scope.typed(parts[0], around)
    if kind is not None:
        return of_type(world, scope, kind, parts[1:], name, wanted)
    found = _behind(world, scope, name, parts, wanted)
    return _behind_local(world, scope, name, parts, wanted, around) if found is None else found


def _of_own(world: World, scope: Scope, name: str, parts: Names, wanted: frozenset[str], around: int) -> Answer:
    """Behind `self` or `super`, or behind a field of it."""
    holder = scope.holder(around)
    if holder is None:
        return (_of_crate(world, scope, name, parts, wanted) or ()) if scope.habits.family == "rust" else ()
    if len(parts) == 1:
        return members(world, scope, holder, name, wanted, only_bases=parts[0] in scope.habits.parent)
    kind = field_type(world, scope, holder, parts[1])
    if kind is not None:
        return of_type(world, kind[0], kind[1], parts[2:], name, wanted)
    return by_name(world, scope, name) if "method" in wanted else ()


def _behind(world: World, scope: Scope, name: str, parts: Names, wanted: frozenset[str]) -> Answer | None:
    """Behind an imported or visible module, class or value; None where the first name is none that we know."""
    key = (name, parts, wanted)
    if key not in scope.answers:
        scope.answers[key] = _behind_first(world, scope, name, parts, wanted)
    found: Answer | None = scope.answers[key]
    return found


def _behind_first(world: World, scope: Scope, name: str, parts: Names, wanted: frozenset[str]) -> Answer | None:
    for count in range(len(parts), 0, -1):
        binding = scope.bindings.get(".".join(parts[:count]))
        if binding is not None:
            return _through(world, binding, parts[count:], name, wanted)
    places, certainty = _visible(world, scope, parts[0])
    if places:
        return _within_first(world, places, parts[1:], name, wanted, certainty)
    if scope.habits.family == "rust":
        return _of_crate(world, scope, name, parts, wanted)
    if scope.habits.open_types and parts[-1][:1].isupper():
        return _within_first(
            world, world.anywhere(scope, parts[-1], TYPES | SPACES, MOST_FILES), (), name, wanted, OPEN
        )
    return None


def _visible(world: World, scope: Scope, first: str) -> tuple[Sequence[Place], float]:
    """What the first of several names may be that no import binds: of the file, of files whose names are all here."""
    key = ("visible", first)
    if key not in scope.answers:
        scope.answers[key] = _seen_as(world, scope, first)
    found: tuple[Sequence[Place], float] = scope.answers[key]
    return found


def _seen_as(world: World, scope: Scope, first: str) -> tuple[Sequence[Place], float]:
    own = chosen(scope.tops(first), ANY)
    if own or scope.habits.family == "rust":
        return own, OWN
    starred = chosen(world.in_files(scope.stars, first), ANY)
    return (starred, THROUGH) if starred else (chosen(world.nearby(scope, first), ANY), NEARBY)


def _behind_local(world: World, scope: Scope, name: str, parts: Names, wanted: frozenset[str], around: int) -> Answer:
    """The first name is a field of the class around, or a variable of which nothing is known."""
    for holder in scope.holders(around) if scope.habits.bare_members else ():
        kind = field_type(world, scope, holder, parts[0])
        if kind is not None:
            return of_type(world, kind[0], kind[1], parts[1:], name, wanted)
    if parts[0][:1].isupper() or "method" not in wanted:
        return ()
    return by_name(world, scope, name)


def _through(world: World, binding: Binding, rest: Names, name: str, wanted: frozenset[str]) -> Answer:
    """A name in what was imported; nothing where that is outside of the tree."""
    places = world.through(binding) if binding.targets else ()
    if places:
        return _within_first(world, chosen(places, ANY), rest, name, wanted, THROUGH) or ()
    if binding.targets and (binding.remote is None or _is_module(binding) or _is_script(world, binding)):
        return _in_module(world, binding, rest, name, wanted)
    return ()


def _is_module(binding: Binding) -> bool:
    return any(module_name(target) == binding.remote for target, _ in binding.targets)


def _is_script(world: World, binding: Binding) -> bool:
    """A default import may be the object that holds all that its file gives."""
    return any(world.scope(target).habits.family == "script" for target, _ in binding.targets[:1])


def _in_module(world: World, binding: Binding, rest: Names, name: str, wanted: frozenset[str]) -> Answer:
    """A name of a module, or of a module or class within it."""
    targets = binding.targets
    for at, part in enumerate(rest):
        inner = world.submodule(targets[0][0], part) if len(targets) == 1 else None
        if inner is None:
            places = chosen(world.in_files(targets, part), ANY)
            return _within_first(world, places, rest[at + 1 :], name, wanted, THROUGH) or ()
        targets = ((inner, THROUGH),)
    return spread(chosen(world.in_files(targets, name), wanted), THROUGH)


def _within_first(
    world: World, places: Iterable[Place], rest: Names, name: str, wanted: frozenset[str], certainty: float
) -> Answer | None:
    """A name in the first of these places that has it; None where nothing is known of what they hold."""
    known = False
    for place in places:
        found = _within(world, place, rest, name, wanted, certainty)
        if found:
            return found
        known = known or found is not None
    return () if known else None


def _within(
    world: World, place: Place, rest: Names, name: str, wanted: frozenset[str], certainty: float
) -> Answer | None:
    """A member of a class or namespace; of a value, a member of its type, None where that is not told."""
    scope, symbol = place.scope, place.symbol
    if symbol.kind in VALUES:
        kind = type_of_value(symbol.name, symbol.signature, scope.habits.types)
        if kind is not None:
            return at_most(of_type(world, scope, kind, rest, name, wanted), certainty)
    if rest:
        return _within_first(world, scope.members(symbol.name, rest[0]), rest[1:], name, wanted, certainty)
    found = at_most(members(world, scope, symbol.name, name, wanted), certainty)
    return found or (None if symbol.kind in VALUES else ())


def _of_crate(world: World, scope: Scope, name: str, parts: Names, wanted: frozenset[str]) -> Answer | None:
    """Rust: a way of modules from here, from the crate or from another one; the last may be a type of the file."""
    ways = rust_way(scope.path, parts, world.table)
    path = ways[0][0] if ways else scope.path
    if parts[-1] in ("crate", "self", "super") or (ways and module_name(path) == parts[-1]):
        return spread(chosen(world.given(path, name), wanted), THROUGH)
    if ways:
        return _within_first(world, chosen(world.given(path, parts[-1]), ANY), (), name, wanted, THROUGH) or ()
    known = type_named(world, scope, parts[-1])
    if known is not None:
        return at_most(members(world, known.scope, known.symbol.name, name, wanted), INHERITED)
    return () if parts[0][:1].isupper() else None
