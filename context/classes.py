"""Classes as names lead to them: which one a type's name means, what its members are, own, added and inherited."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Final

from .families import method_names, type_of_value
from .scopes import SIEVE, TYPES, VALUES, Place, Scope
from .visible import (
    INHERITED,
    MOST_FILES,
    NARROWED,
    NEARBY,
    ONLY,
    OPEN,
    OWN,
    THROUGH,
    TYPED,
    Answer,
    at_most,
    chosen,
    declared,
    guess,
    of_file,
    spread,
)
from .world import MOST_ASKED, World, is_method

_MOST_ANCESTORS: Final = 40
_MOST_ADDING_FILES: Final = 120
_LEAST_LENGTH: Final = 3
_MOST_COMPARED: Final = 30
_ANY_NAME: Final = -1
_SPLIT: Final = re.compile(r"::|[.:\\]")


@lru_cache(maxsize=65_536)
def parts_of(spelled: str) -> tuple[str, ...]:
    """The names of a dotted name, however its language spells the dots."""
    return tuple(part for part in _SPLIT.split(spelled) if part)


def type_named(world: World, scope: Scope, spelled: str) -> Place | None:
    """The class that a type's name means in a file, if that is one of the tree."""
    key = ("type", spelled)
    if key not in scope.memory:
        parts = parts_of(spelled)
        found = _type(world, world.bound(scope.path), parts) if parts else ()
        scope.memory[key] = found[0][0] if found else None
    place: Place | None = scope.memory[key]
    return place


def _type(world: World, scope: Scope, parts: tuple[str, ...]) -> Answer:
    if len(parts) == 1:
        inner = [place for place in scope.named(parts[0]) if place.symbol.kind in TYPES]
        return of_file(world, scope, parts[0], TYPES) or spread(inner, OWN)
    binding = scope.bindings.get(".".join(parts[:-1]))
    if binding is not None and not world.through(binding):
        return spread(chosen(world.in_files(binding.targets, parts[-1]), TYPES), THROUGH)
    outer = _type(world, scope, parts[-2:-1])
    if outer:
        place = outer[0][0]
        return spread(place.scope.members(place.symbol.name, parts[-1]), THROUGH)
    return of_file(world, scope, parts[-1], TYPES) if binding is None else ()


def members(
    world: World, scope: Scope, holder: str, name: str, wanted: frozenset[str], *, only_bases: bool = False
) -> Answer:
    """The members of a class under a name: its own, else those that other files add, else those of its bases."""
    if not _may_have(world, scope, holder, name):
        return ()
    key = (holder, name, wanted, only_bases)
    if key not in scope.memory:
        scope.memory[key] = _members(world, scope, holder, name, wanted, only_bases=only_bases)
    found: Answer = scope.memory[key]
    return found


def _may_have(world: World, scope: Scope, holder: str, name: str) -> bool:
    """Whether a class or one above it may have a member: most names that are asked for are in none of their files."""
    held = scope.held.get(holder)
    if held is None:
        held = scope.held[holder] = _held(world, scope, holder)
    return held >> (hash(name) & SIEVE) & 1 == 1


def _held(world: World, scope: Scope, holder: str) -> int:
    """All names in the files of a class and those above it, as `sieve` has them; any name where a class is open."""
    bits = 0
    for each in (scope, *(above for above, _ in ancestors(world, scope, holder))):
        bits |= each.defined if each.habits.family not in _OPEN_CLASSES else _ANY_NAME
    return bits


def _members(world: World, scope: Scope, holder: str, name: str, wanted: frozenset[str], *, only_bases: bool) -> Answer:
    if not only_bases:
        found = _own_members(world, scope, holder, name, wanted)
        if found:
            return found
    for above, ancestor in ancestors(world, scope, holder):
        found = _own_members(world, above, ancestor, name, wanted)
        if found:
            return at_most(found, INHERITED)
    return ()


def _own_members(world: World, scope: Scope, holder: str, name: str, wanted: frozenset[str]) -> Answer:
    own = chosen(scope.members(holder, name), wanted)
    if own:
        return declared(world, own, OWN)
    if scope.habits.family not in _OPEN_CLASSES:
        return ()
    return spread(_added(world, scope, holder, name, wanted), _OPEN_CLASSES[scope.habits.family])


def ancestors(world: World, scope: Scope, holder: str) -> tuple[tuple[Scope, str], ...]:
    """The classes above a class, nearest first, each once; those from outside of the tree are not told."""
    if not scope.bases(holder):
        return ()
    key = ("ancestors", holder)
    if key not in scope.memory:
        scope.memory[key] = tuple(_ancestors(world, scope, holder))
    found: tuple[tuple[Scope, str], ...] = scope.memory[key]
    return found


def _ancestors(world: World, scope: Scope, holder: str) -> Iterator[tuple[Scope, str]]:
    waiting = [(scope, holder)]
    seen = {(scope, holder)}
    for below, name in waiting:
        for base in below.bases(name):
            place = type_named(world, below, base.name)
            above = (place.scope, place.symbol.name) if place is not None else None
            if above is not None and above not in seen and len(seen) <= _MOST_ANCESTORS:
                seen.add(above)
                waiting.append(above)
                yield above


def _added(world: World, scope: Scope, holder: str, name: str, wanted: frozenset[str]) -> Sequence[Place]:
    """Members that are written apart from the class: in Go beside it, in others wherever its package has them."""
    if scope.habits.family == "go":
        near = world.beside(scope.folder).get(name, ())
        found = [place for place in near if place.symbol.container == holder and place.scope is not scope]
    else:
        found = _elsewhere(world, scope, holder, name)
    return chosen([place for place in found if world.may_use(scope, place)], wanted)


def _elsewhere(world: World, scope: Scope, holder: str, name: str) -> list[Place]:
    paths = [path for path in world.definers(name) if path != scope.path]
    if scope.habits.family == "rust":
        paths = [path for path in paths if world.together(path, scope.path, "cargo")]
    if len(paths) > _MOST_ADDING_FILES:
        return []
    return [place for path in paths for place in world.scope(path).members(holder, name)]


_OPEN_CLASSES: Final = {"go": THROUGH, "rust": THROUGH, "c": THROUGH, "csharp": NEARBY, "swift": NEARBY, "ruby": OPEN}
"""Families in which a class may be continued in another file, which names it by its last name alone."""


def field_type(world: World, scope: Scope, holder: str, field: str) -> tuple[Scope, str] | None:
    """The type of a class's field, as spelled, and the scope in which it is spelled."""
    if not _may_have(world, scope, holder, field):
        return None
    key = ("field", holder, field)
    if key not in scope.memory:
        scope.memory[key] = _field_type(world, scope, holder, field)
    found: tuple[Scope, str] | None = scope.memory[key]
    return found


def _field_type(world: World, scope: Scope, holder: str, field: str) -> tuple[Scope, str] | None:
    for place, _ in members(world, scope, holder, field, VALUES):
        kind = type_of_value(field, place.symbol.signature, place.scope.habits.types)
        if kind is not None:
            return place.scope, kind
    return None


def of_type(
    world: World, scope: Scope, kind: str, fields: tuple[str, ...], name: str, wanted: frozenset[str]
) -> Answer:
    """A member of a type, or of the type of its fields. A type that is not of the tree has none."""
    key = (kind, fields, name, wanted)
    if key not in scope.memory:
        scope.memory[key] = _of_type(world, scope, kind, fields, name, wanted)
    found: Answer = scope.memory[key]
    return found


def _of_type(
    world: World, scope: Scope, kind: str, fields: tuple[str, ...], name: str, wanted: frozenset[str]
) -> Answer:
    for field in fields:
        place = type_named(world, scope, kind)
        inner = field_type(world, place.scope, place.symbol.name, field) if place else None
        if inner is None:
            return ()
        scope, kind = inner
    place = type_named(world, scope, kind)
    if place is None:
        return ()
    return at_most(members(world, place.scope, place.symbol.name, name, wanted), TYPED)


def by_name(world: World, scope: Scope, name: str) -> Answer:
    """Methods of which only the name is known: those in files that are imported, else the few that the tree has."""
    key = ("by name", name)
    if key not in scope.answers:
        scope.answers[key] = _by_name(world, world.bound(scope.path), name)
    found: Answer = scope.answers[key]
    return found


def _by_name(world: World, scope: Scope, name: str) -> Answer:
    if name in method_names("common") or len(name) < _LEAST_LENGTH:
        return ()
    known = name in method_names("known") or len(world.definers(name)) > MOST_FILES
    if known and not _is_near(world, scope, name):
        return ()
    places = _methods(world, scope, name)
    near = [p for p in places if p.symbol.container in scope.mentioned] or [
        p for p in places if p.scope.path in scope.imported or p.scope is scope
    ]
    if near:
        return _without_overriding(world, near, guess(scope, NARROWED))
    if known:
        return ()
    return _without_overriding(world, places, guess(scope, ONLY))


def _is_near(world: World, scope: Scope, name: str) -> bool:
    """False only where a file neither names a class with a method of this name nor imports or is a file with one."""
    if len(world.definers(name)) > MOST_ASKED or name in scope.names():
        return True
    key = ("near", name)
    if key not in world.memory:
        places = world.methods(name)
        world.memory[key] = frozenset(p.symbol.container for p in places), frozenset(p.scope.path for p in places)
    holders, paths = world.memory[key]
    return not (scope.mentioned.isdisjoint(holders) and scope.imported.isdisjoint(paths))


def _methods(world: World, scope: Scope, name: str) -> list[Place]:
    """The methods of this name that a file may mean; where very many files define it those that are imported."""
    if len(world.definers(name)) <= MOST_ASKED and name not in scope.names():
        return [p for p, surely in _offered(world, scope, name) if surely or world.may_use(scope, p)]
    if len(world.definers(name)) <= MOST_ASKED:
        found: Iterable[Place] = world.methods(name)
    else:
        near = world.definer_set(name).intersection((*scope.imported, scope.path))
        found = (p for path in sorted(near) for p in world.scope(path).named(name) if is_method(p))
    return [place for place in found if world.may_use(scope, place) and _may_stand_behind(scope, place)]


def _offered(world: World, scope: Scope, name: str) -> list[tuple[Place, bool]]:
    """The methods of other files that files like this one may mean; true where it does not matter which file it is."""
    family, is_test = scope.habits.family, scope.is_test
    key = ("offered", name, family, is_test)
    if key not in world.memory:
        alike = (p for p in world.methods(name) if p.scope.habits.family == family)
        world.memory[key] = [
            (place, place.symbol.visibility not in ("private", "internal") and place.scope.role != "fixture")
            for place in alike
            if (is_test or not place.scope.is_test) and _may_stand_behind(scope, place)
        ]
    found: list[tuple[Place, bool]] = world.memory[key]
    return found


def _may_stand_behind(scope: Scope, place: Place) -> bool:
    """Whether a method can be called on an object from elsewhere: not a test, not one that is kept for subclasses."""
    symbol = place.symbol
    if place.scope is scope:
        return True
    if scope.habits.family == "rust":
        return "self" in symbol.signature
    return symbol.visibility != "protected" and _TEST_MARKS.isdisjoint(symbol.decorators)


_TEST_MARKS: Final = frozenset({"Test", "ParameterizedTest", "RepeatedTest", "Fact", "Theory", "TestMethod"})


def _without_overriding(world: World, places: list[Place], certainty: float) -> Answer:
    """A method and those that override it are one, by what a caller knows; the overriding ones are half as certain."""
    if len(places) < 2 or len(places) > _MOST_COMPARED:
        return spread(places, certainty)
    key = ("overriding", certainty, *places)
    if key not in world.memory:
        holders = {(place.scope, place.symbol.container) for place in places}
        over = [place for place in places if not holders.isdisjoint(_above(world, place))]
        base = [place for place in places if place not in over]
        world.memory[key] = spread(base, certainty) + (spread(over, certainty / 2) if base else ())
    found: Answer = world.memory[key]
    return found


def _above(world: World, place: Place) -> Iterable[tuple[Scope, str]]:
    return ancestors(world, place.scope, place.symbol.container or "")
