"""What names mean in one file: what it defines, what its imports bind, which definition a line is in."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, Final, NamedTuple

from .families import Habits, typed_names
from .import_table import Target
from .model import Role
from .paths import folder_of
from .syntax import FileFacts, Import, Symbol, Use

TYPES: Final = frozenset({"class", "interface", "enum", "struct", "trait", "object", "protocol", "annotation", "type"})
HOLDERS: Final = TYPES - {"type"}
SPACES: Final = frozenset({"namespace", "module", "package"})
ROUTINES: Final = frozenset({"function", "method", "constructor", "macro"})
CALLED: Final = ROUTINES | TYPES | {"enum_member"}
SIEVE: Final = 1_023
_OF_CLASSES: Final = frozenset({"method", "constructor", "property", "field"})
VALUES: Final = frozenset({"field", "property", "variable", "constant"})


class Place:
    """A definition in the scope of its file. There is one for each, so that it is compared by being the same."""

    __slots__ = ("id", "scope", "symbol")

    def __init__(self, scope: Scope, symbol: Symbol) -> None:
        self.scope = scope
        self.symbol = symbol
        self.id = node_id(scope.path, symbol)

    @property
    def path(self) -> str:
        return self.scope.path


def sieve(names: Iterable[str]) -> int:
    """A bit for each name; another name may have the same."""
    bits = 0
    for name in names:
        bits |= 1 << (hash(name) & SIEVE)
    return bits


def node_id(path: str, symbol: Symbol) -> str:
    return f"{path}:{symbol.start}-{symbol.end}#{symbol.name}"


class Binding:
    """What an imported name stands for: `remote` in one of the targets, or the targets themselves where it is None."""

    __slots__ = ("places", "remote", "targets")

    def __init__(self, remote: str | None, targets: tuple[Target, ...]) -> None:
        self.remote = remote
        self.targets = targets
        self.places: Sequence[Place] | None = None
        """The definitions that were found for it; None as long as nobody asked."""


class Base(NamedTuple):
    """A class as the definition of another names it."""

    name: str
    kind: str
    line: int


class Scope:
    """The names of one file: a function of the file's facts and of where its imports lead."""

    def __init__(self, path: str, habits: Habits, facts: FileFacts, role: Role = "source") -> None:
        self.path = path
        self.folder = folder_of(path)
        self.habits = habits
        self.role = role
        self.is_test = role in ("test", "fixture")
        self.symbols = facts.symbols
        self.mentioned = frozenset(use.name for use in facts.uses if use.kind != "calls" or use.name[:1].isupper())
        """The types that the file names."""
        self._used = sieve(use.name for use in facts.uses)
        self.spaces = tuple(dict.fromkeys(_spaces(facts)))
        """The packages or namespaces that the file says it belongs to."""
        self.bindings: dict[str, Binding] = {}
        self.stars: tuple[Target, ...] = ()
        """Files all of whose names are seen here."""
        self.imported: frozenset[str] = frozenset()
        self.memory: dict[Any, Any] = {}
        self.answers: dict[Any, Any] = {}
        """What names mean that this file itself uses. Who walks a whole tree clears it behind himself."""
        self.resolved: tuple[tuple[Import, tuple[Target, ...]], ...] = ()
        """Each import with the files that it means."""
        self._signatures: dict[int, tuple[str, ...]] = {}
        self._holders: dict[int, tuple[str, ...]] = {-1: ()}
        self._typed: dict[str, bool] = {}
        self._every_signature: str | None = None
        self._routines: frozenset[str] | None = None
        self.held: dict[str, int] = {}
        """For a class the names that it may have as members, as `sieve` has them."""
        self.places = [Place(self, symbol) for symbol in facts.symbols]
        self._named: dict[str, list[Place]] = {}
        for place in self.places:
            self._named.setdefault(place.symbol.name, []).append(place)
        self._space_names = frozenset(s.name for s in facts.symbols if s.kind in SPACES)
        self._bases: dict[str, list[Base]] = {}
        self._note_bases(use for use in facts.uses if use.kind in ("inherits", "implements"))

    def forget(self) -> None:
        for held in (self.places, self._named, self.memory, self.answers, self.bindings):
            held.clear()

    def may_use(self, names: Iterable[str]) -> bool:
        """False only where the file uses none of these names; true now and then where it does not either."""
        used = self._used
        return any(used >> (hash(name) & SIEVE) & 1 for name in names)

    @cached_property
    def defined(self) -> int:
        """The names of all its definitions, as `sieve` has them."""
        return sieve(self._named)

    def names(self) -> Mapping[str, list[Place]]:
        """All definitions of the file by name, wherever they are in it."""
        return self._named

    def named(self, name: str) -> list[Place]:
        return self._named.get(name, [])

    def place(self, symbol: Symbol) -> Place | None:
        return next((place for place in self._named.get(symbol.name, ()) if place.symbol == symbol), None)

    def tops(self, name: str) -> list[Place]:
        """The definitions of a name that other files can reach by it alone."""
        return [place for place in self._named.get(name, ()) if self.is_top(place.symbol)]

    def members(self, holder: str, name: str) -> list[Place]:
        return [place for place in self._named.get(name, ()) if place.symbol.container == holder]

    def is_top(self, symbol: Symbol) -> bool:
        """Whether no class holds a definition; a module of Ruby lends its methods like a class."""
        if symbol.container is None:
            return True
        return symbol.container in self._space_names and not (symbol.kind in ROUTINES and self.habits.family == "ruby")

    @cached_property
    def _lines(self) -> _Lines:
        return _Lines(self.symbols)

    def outer(self, number: int) -> int:
        """The number of the definition right around another one; -1 where there is none."""
        return self._lines.parents[number]

    def bases(self, holder: str) -> list[Base]:
        """What a class says it inherits or implements, in order of place."""
        return self._bases.get(holder, [])

    def holders_with_bases(self) -> Iterable[tuple[str, list[Base]]]:
        return self._bases.items()

    def around(self, line: int) -> int:
        """The innermost definition that a line is in, as its number among the symbols; -1 where it is in none."""
        lines = self._lines
        return lines.owners[bisect_right(lines.points, line)]

    def first_lines(self, lines: Iterable[int]) -> dict[int, int]:
        """The innermost definitions that lines are in, each with the first of its lines."""
        points, owners = self._lines.points, self._lines.owners
        first: dict[int, int] = {}
        for line in lines:
            first.setdefault(owners[bisect_right(points, line)], line)
        return first

    def typed(self, name: str, number: int) -> str | None:
        """The type that the functions around a place give to a name, as parameter or receiver; the innermost counts."""
        for signature in self._signatures_around(number):
            if name in signature and (kind := typed_names(signature, self.habits.types).get(name)) is not None:
                return kind
        return None

    def is_typed(self, name: str) -> bool:
        """Whether some function of the file may give a type to a name."""
        found = self._typed.get(name)
        if found is None:
            if self._every_signature is None:
                self._every_signature = " ".join(s.signature for s in self.symbols if s.kind in ROUTINES)
            found = self._typed[name] = name in self._every_signature
        return found

    def _signatures_around(self, number: int) -> tuple[str, ...]:
        found = self._signatures.get(number)
        if found is None:
            found = tuple(symbol.signature for symbol in self.chain(number) if symbol.kind in ROUTINES)
            self._signatures[number] = found
        return found

    def inner(self, name: str) -> bool:
        """Whether some function of the file may have a function or class of this name within."""
        for place in self._named.get(name, ()):
            symbol = place.symbol
            if symbol.container is not None and symbol.kind != "method" and symbol.container in self._routine_names():
                return True
        return False

    def _routine_names(self) -> frozenset[str]:
        if self._routines is None:
            self._routines = frozenset(symbol.name for symbol in self.symbols if symbol.kind in ROUTINES)
        return self._routines

    def chain(self, number: int) -> Iterable[Symbol]:
        """A definition and those around it, innermost first."""
        while number >= 0:
            yield self.symbols[number]
            number = self._lines.parents[number]

    def holder(self, number: int) -> str | None:
        """The name of the class whose code a definition is."""
        return next(iter(self.holders(number)), None)

    def holders(self, number: int) -> tuple[str, ...]:
        """The names of the classes around a definition's code, innermost first."""
        found = self._holders.get(number)
        if found is None:
            found = self._holders[number] = tuple(self._holders_of(number))
        return found

    def _holders_of(self, number: int) -> Iterable[str]:
        kinds = HOLDERS | {"module"} if self.habits.family == "ruby" else HOLDERS
        for symbol in self.chain(number):
            if symbol.kind in kinds:
                yield symbol.name
            elif symbol.container is not None and symbol.kind in _OF_CLASSES:
                yield symbol.container

    def _note_bases(self, uses: Iterable[Use]) -> None:
        for use in uses:
            for line in use.lines:
                holder = self._holder_at(line)
                if holder is not None and holder != use.name:
                    self._bases.setdefault(holder, []).append(Base(use.name, use.kind, line))
        for bases in self._bases.values():
            bases.sort(key=lambda base: (base.line, base.kind, base.name))

    def _holder_at(self, line: int) -> str | None:
        """The class whose head is on a line; of an `impl` or extension, which is no definition, by its members."""
        for symbol in self.chain(self.around(line)):
            if symbol.kind in HOLDERS or symbol.kind == "module":
                return symbol.name if symbol.kind in HOLDERS or self.habits.family == "ruby" else None
            if symbol.kind in ROUTINES:
                return symbol.container if symbol.start == line else None
        following = self._lines.first_from(line)
        return self.symbols[following].container if following is not None else None


class _Lines:
    """Which definition each line is in: from `points[n]` on, it is `owners[n + 1]`; before all of them, none."""

    def __init__(self, symbols: tuple[Symbol, ...]) -> None:
        self.points: list[int] = []
        self.owners: list[int] = [-1]
        self.parents: list[int] = []
        self._symbols = symbols
        open_ones: list[int] = []
        for number, symbol in enumerate(symbols):
            self._close(open_ones, symbol.start)
            self.parents.append(open_ones[-1] if open_ones else -1)
            open_ones.append(number)
            self._mark(symbol.start, number)
        self._close(open_ones, 1 << 60)

    def first_from(self, line: int) -> int | None:
        return next((number for number, symbol in enumerate(self._symbols) if symbol.start >= line), None)

    def _close(self, open_ones: list[int], line: int) -> None:
        while open_ones and self._symbols[open_ones[-1]].end < line:
            ended = self._symbols[open_ones.pop()].end
            self._mark(ended + 1, open_ones[-1] if open_ones else -1)

    def _mark(self, line: int, owner: int) -> None:
        self.points.append(max(line, self.points[-1]) if self.points else line)
        self.owners.append(owner)


def _spaces(facts: FileFacts) -> Iterable[str]:
    for fact in facts.facts:
        if fact.kind == "package":
            yield fact.name
    for symbol in facts.symbols:
        if symbol.kind in ("namespace", "package"):
            yield symbol.name
