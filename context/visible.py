"""What a name means at the top of a file, how several fitting definitions are weighed, and what each rung is worth.

| certainty | the name means |
|---|---|
| OWN | a definition in the same file: of the same class behind `self`, of the file otherwise |
| IMPORTED | what the file imports under this name |
| THROUGH | a name in the module, class or package that stands before it |
| INHERITED | a member of a base of the class around |
| TYPED | a member of the type that a parameter, receiver or field is declared with |
| NEARBY | what files of the same folder, package or namespace see of each other |
| NARROWED | the only method of this name in the files that are imported or beside |
| OPEN | the only one of its name, where names are seen everywhere |
| ONLY | the only method of this name in the tree |

Where two to five fit, they share the certainty of their rung; where more do, it means nobody. A name that was
imported from outside of the tree means nothing in it. The numbers are what was right of 40 to 60 calls of each rung,
read by eye in trees of Go, Python, TypeScript, Java and Rust, and rounded down.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from .paths import stem_of
from .scopes import CALLED, ROUTINES, SPACES, TYPES, VALUES, Binding, Place, Scope
from .world import World

OWN: Final = 0.95
IMPORTED: Final = 0.95
THROUGH: Final = 0.95
INHERITED: Final = 0.9
TYPED: Final = 0.9
NEARBY: Final = 0.9
NARROWED: Final = 0.85
OPEN: Final = 0.7
ONLY: Final = 0.7
_IN_RUBY: Final = 0.75
"""What a guess is worth in Ruby: methods are lent by modules, made at run time, and named like the own ones."""
MOST_ALIKE: Final = 5
MOST_FILES: Final = 12
"""A name that more files define is too common to be guessed."""
ANY: Final = CALLED | VALUES | SPACES

Found = tuple[Place, float]
Answer = tuple[Found, ...]


def of_file(world: World, scope: Scope, name: str, wanted: frozenset[str]) -> Answer:
    """What a name means at the top of a file: its own, imported, nearby, or open to all."""
    key = (name, wanted)
    if key not in scope.answers:
        scope.answers[key] = _of_file(world, world.bound(scope.path), name, wanted)
    found: Answer = scope.answers[key]
    return found


def _of_file(world: World, scope: Scope, name: str, wanted: frozenset[str]) -> Answer:
    tops = chosen(scope.tops(name), wanted)
    if tops:
        return declared(world, tops, OWN)
    binding = scope.bindings.get(name)
    if binding is not None:
        named = chosen(world.through(binding), wanted)
        return spread(named, IMPORTED) if named else _main_of(world, binding, name, wanted)
    starred = chosen(world.in_files(scope.stars, name), wanted)
    if starred:
        return declared(world, starred, IMPORTED - 0.05)
    near = chosen(world.nearby(scope, name), wanted)
    return spread(near, NEARBY) if near else _open(world, scope, name, wanted)


def declared(world: World, places: Sequence[Place], certainty: float) -> Answer:
    """In C a header says what another file defines: that is meant, and half as surely what the header says."""
    if places[0].scope.habits.family != "c" or not any(_is_header(place) for place in places):
        return spread(places, certainty)
    written = _written(world, places[0])
    if not written:
        return spread(places, certainty)
    return spread(written, certainty) + spread([place for place in places if place not in written], certainty / 2)


def _written(world: World, place: Place) -> list[Place]:
    """The definitions of what a header declares: those in the file of its name, else all that there are."""
    key = ("written", place.symbol.name, place.symbol.container, place.path)
    if key not in world.memory:
        symbol = place.symbol
        paths = [path for path in world.definers(symbol.name) if path != place.path]
        found = [
            other
            for path in (paths if len(paths) <= MOST_FILES * 4 else ())
            for other in world.scope(path).named(symbol.name)
            if other.symbol.container == symbol.container and other.symbol.kind == symbol.kind
            if not _is_header(other) and not _hidden(other) and world.may_use(place.scope, other)
        ]
        beside = [other for other in found if stem_of(other.path) == stem_of(place.path)]
        world.memory[key] = beside or (found if len(found) <= MOST_ALIKE else [])
    written: list[Place] = world.memory[key]
    return written


def _is_header(place: Place) -> bool:
    return place.path.endswith(_HEADERS) and place.symbol.kind in ROUTINES


_HEADERS: Final = (".h", ".hpp", ".hh", ".hxx")


def _main_of(world: World, binding: Binding, name: str, wanted: frozenset[str]) -> Answer:
    """A default import is called as its importer likes: it may mean the file's default, surely so if named like it."""
    if len(binding.targets) != 1 or world.scope(binding.targets[0][0]).habits.family != "script":
        return ()
    main = chosen(world.given(binding.targets[0][0], "default"), wanted)
    alike = any(place.symbol.name.lower() in (name.lower(), "default") for place in main)
    return spread(main, IMPORTED if alike else NARROWED)


def _open(world: World, scope: Scope, name: str, wanted: frozenset[str]) -> Answer:
    """What is seen everywhere: types and functions of some languages, macros of Rust."""
    habits = scope.habits
    kinds = (wanted & (TYPES | SPACES)) if habits.open_types else frozenset[str]()
    if habits.open_functions:
        kinds |= wanted & (ROUTINES - {"method"})
    if habits.family == "rust":
        kinds |= wanted & {"macro"}
    places = world.anywhere(scope, name, kinds, MOST_FILES) if kinds else ()
    return spread([place for place in places if not _hidden(place)], guess(scope, OPEN))


def guess(scope: Scope, certainty: float) -> float:
    """A rung's worth in the language of a file."""
    return certainty * _IN_RUBY if scope.habits.family == "ruby" else certainty


def _hidden(place: Place) -> bool:
    """A C function that only its own file sees."""
    return place.symbol.signature.startswith("static ") and not place.path.endswith(_HEADERS)


def chosen(places: Sequence[Place], wanted: frozenset[str]) -> Sequence[Place]:
    """The places of a wanted kind; a value where there is none, as it may hold one."""
    if not places:
        return ()
    return [p for p in places if p.symbol.kind in wanted] or [p for p in places if p.symbol.kind in VALUES]


def spread(places: Sequence[Place], certainty: float) -> Answer:
    """Of several places each gets its share. Definitions of one name in one place can't be told apart by their name."""
    if len(places) < 2:
        return ((places[0], certainty),) if places else ()
    groups: dict[tuple[Scope, str | None], list[Place]] = {}
    for place in places:
        groups.setdefault((place.scope, place.symbol.container), []).append(place)
    if len(groups) > MOST_ALIKE:
        return ()
    share = certainty / len(groups)
    return tuple(each for group in groups.values() for each in _alike(with_bodies(group)[:MOST_ALIKE], share))


def _alike(group: list[Place], share: float) -> Answer:
    """Overloads: one of them is meant, and to see any is of use."""
    each = round(share / len(group) ** 0.5, 3)
    return tuple((place, each) for place in group)


def with_bodies(places: list[Place]) -> list[Place]:
    """Of several definitions of one name in one place those with a body, or all where none has one."""
    if len(places) < 2:
        return places
    said = [place for place in places if not _OVERLOAD.intersection(place.symbol.decorators)] or places
    return [place for place in said if place.symbol.end > place.symbol.start] or said


_OVERLOAD: Final = frozenset({"overload", "typing.overload", "t.overload"})


def at_most(answer: Answer, certainty: float) -> Answer:
    return tuple((place, min(certainty, held)) for place, held in answer)
