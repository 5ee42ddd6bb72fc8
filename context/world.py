"""The scopes of a tree, made when they are asked for, and the names that one file can see in another."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from .bindings import STAR, bound_names
from .families import habits_of
from .import_compiled import use_ways
from .import_table import Table, Target
from .imports import resolve
from .languages import language_of, role_of
from .manifests import Ecosystem
from .model import Role
from .packages import Package
from .paths import folder_of, joined, name_of, stem_of
from .scopes import SPACES, TYPES, Binding, Place, Scope
from .syntax import FileFacts, Import

_MOST_ASKED_ON: Final = 200
_MOST_STARS_FOLLOWED: Final = 20
_MOST_LOOKED_AT: Final = 200
MOST_ASKED: Final = 60
"""A method that more files define is looked for in the imported ones alone."""
_NOBODYS: Final = FileFacts()

Facts = Callable[[str], FileFacts]
Defining = Callable[[str], tuple[str, ...]]
"""The files that define a name, whatever its case."""


class World:
    """A tree to look names up in. Every answer depends on the content of the tree alone, never on who asked before."""

    def __init__(self, table: Table, facts: Facts, defining: Defining, role: Callable[[str], Role] = role_of) -> None:
        self.table = table
        self.facts = facts
        self.role = role
        self.memory: dict[Any, Any] = {}
        self.primed = False
        self._defining = defining
        self._definers: dict[str, tuple[str, ...]] = {}
        self._spelled: dict[str, tuple[str, ...]] = {}
        self._scopes: dict[str, Scope] = {}
        self._bound: set[str] = set()

    def scope(self, path: str) -> Scope:
        found = self._scopes.get(path)
        return self.add(path, self.facts(path) if path in self.table.paths else _NOBODYS) if found is None else found

    def add(self, path: str, facts: FileFacts) -> Scope:
        """The scope of a file whose facts are at hand."""
        language = language_of(path)
        scope = Scope(
            path,
            habits_of(language.name if language else None),
            facts,
            self.role(path),
        )
        scope.memory["imports"] = facts.imports
        if self.primed:
            scope.memory["facts"] = facts
        self._scopes[path] = scope
        return scope

    def walked(self, path: str) -> tuple[Scope, FileFacts]:
        """The bound scope of a file and its facts, which are let go of: a walk of the whole tree asks for them once."""
        scope = self.bound(path)
        facts: FileFacts | None = scope.memory.pop("facts", None)
        return scope, self.facts(path) if facts is None else facts

    def forget(self) -> None:
        """Let go of all. Scopes and places hold each other: left to the collector, a large tree costs seconds."""
        for scope in self._scopes.values():
            scope.forget()
        self._scopes.clear()
        self.memory.clear()

    def definers(self, name: str) -> tuple[str, ...]:
        """The files that define a name, whatever its case; sorted."""
        found = self._spelled.get(name)
        if found is None:
            lower = name.lower()
            if lower not in self._definers:
                self._definers[lower] = self._defining(lower)
            found = self._spelled[name] = self._definers[lower]
        return found

    def definer_set(self, name: str) -> frozenset[str]:
        key = ("definers", name)
        if key not in self.memory:
            self.memory[key] = frozenset(self.definers(name))
        found: frozenset[str] = self.memory[key]
        return found

    def prime(self, defined: Mapping[str, tuple[str, ...]]) -> None:
        """Take over all that is defined, for whoever asks for the whole tree."""
        self._definers = dict(defined)
        self._defining = _nobody
        self.primed = True

    def bound(self, path: str) -> Scope:
        """The scope of a file with what its imports bring into it."""
        scope = self.scope(path)
        if path not in self._bound:
            self._bound.add(path)
            self._bind(scope)
        return scope

    def _bind(self, scope: Scope) -> None:
        language = language_of(scope.path)
        if language is None:
            return
        spelled = scope.memory.pop("imports")
        plain = (each for one in spelled for each in placed(one, scope))
        scope.resolved = tuple((each, resolve(scope.path, each, self.table).targets) for each in plain)
        scope.imported = frozenset(target for _, targets in scope.resolved for target, _ in targets)
        stars: dict[str, float] = {}
        for each, targets in scope.resolved:
            for name, remote in bound_names(language.name, each):
                if name == STAR:
                    stars |= dict(targets)
                elif targets or name not in scope.bindings:
                    _note(scope.bindings, name, Binding(remote, targets))
        scope.stars = tuple(stars.items())

    # What other files give

    def given(self, path: str, name: str, seen: set[str] | None = None) -> Sequence[Place]:
        """The definitions that a file offers under a name: its own, else those it passes on.

        `seen` are the files that were asked already, so that files which pass on each other's names are asked once.
        """
        scope = self.scope(path)
        own = scope.tops(name)
        if own:
            return own
        if scope.habits.family in PASS_ON:
            return self._passed_on(path, name, set() if seen is None else seen)
        if scope.habits.family in _NESTED:
            inner = scope.named(name)
            return [place for place in inner if place.symbol.kind in TYPES] or inner
        return ()

    def _passed_on(self, path: str, name: str, seen: set[str]) -> Sequence[Place]:
        if path in seen or len(seen) >= _MOST_ASKED_ON:
            return ()
        seen.add(path)
        scope = self.bound(path)
        binding = scope.bindings.get(name)
        if binding is not None:
            return self._through(binding, seen) if binding.remote is not None else ()
        if name == "default":
            return default_of(scope)
        for target, _ in self._likely(scope.stars, name):
            found = self.given(target, name, seen)
            if found:
                return found
        return ()

    def through(self, binding: Binding) -> Sequence[Place]:
        """The definitions that an imported name stands for; nothing where it stands for files."""
        if binding.places is None:
            binding.places = self._through(binding, None)
        return binding.places

    def _through(self, binding: Binding, seen: set[str] | None) -> Sequence[Place]:
        for target, _ in self._likely(binding.targets, binding.remote) if binding.remote is not None else ():
            found = self.given(target, binding.remote or "", seen)
            if found:
                return found
        return ()

    def in_files(self, targets: tuple[Target, ...], name: str) -> Sequence[Place]:
        """The definitions of a name in files that are imported as a whole."""
        if len(targets) == 1:
            return self.given(targets[0][0], name)
        if targets and targets[0][0].endswith(".go"):
            files = dict(targets)
            found = self.beside(folder_of(targets[0][0])).get(name, ())
            return [place for place in found if place.path in files and place.scope.is_top(place.symbol)]
        likely = self._likely(targets, name)
        return [place for target, _ in likely for place in self.given(target, name)]

    def _likely(self, targets: tuple[Target, ...], name: str) -> tuple[Target, ...]:
        """Of several files those that define the name; where none does and they are few all, as they may pass it on."""
        if len(targets) < 2:
            return targets
        definers = self.definer_set(name)
        found = tuple(each for each in targets if each[0] in definers)
        return found or (targets if len(targets) <= _MOST_STARS_FOLLOWED else ())

    # What is seen without an import

    def beside(self, folder: str) -> Mapping[str, list[Place]]:
        """All that the Go files of a folder define, by name."""
        key = ("beside", folder)
        if key not in self.memory:
            found: dict[str, list[Place]] = {}
            for path in self.table.paths.files_in(folder):
                for name, places in self.scope(path).names().items() if path.endswith(".go") else ():
                    found.setdefault(name, []).extend(places)
            self.memory[key] = found
        names: Mapping[str, list[Place]] = self.memory[key]
        return names

    def nearby(self, scope: Scope, name: str) -> Sequence[Place]:
        """Definitions that a file sees because of where it is: in its folder, package, namespace or target."""
        how = scope.habits.nearby
        if how == "import":
            return ()
        if how == "folder":
            near = self.beside(scope.folder).get(name, ())
            return [p for p in near if p.scope.is_top(p.symbol) and p.scope is not scope and self.may_use(scope, p)]
        if how == "target":
            paths = [path for path in self.definers(name) if path != scope.path]
            return self._tops(scope, (path for path in paths if self.together(scope.path, path, "swift")), name)
        return [p for p in self._in_spaces(scope, name) if p.scope is not scope and self.may_use(scope, p)]

    def _in_spaces(self, scope: Scope, name: str) -> Sequence[Place]:
        """What files of the same package define; of namespaces also those of the ones around."""
        others = len(self.definers(name)) - (scope.path in self.definer_set(name))
        if others > _MOST_LOOKED_AT or not scope.spaces:
            beside = self._by_folder(name).get(scope.folder, ())
            tops = [place for path in beside for place in self.scope(path).tops(name)]
            return [p for p in tops if not scope.spaces or not self._around(scope).isdisjoint(p.scope.spaces)]
        spaces = self._by_space(name)
        found = [spaces[space] for space in self._around(scope) if space in spaces] if spaces else []
        if len(found) < 2:
            return found[0] if found else ()
        return sorted(dict.fromkeys(place for each in found for place in each), key=_path_of)

    def _by_folder(self, name: str) -> Mapping[str, list[str]]:
        """The files that define a name, by folder."""
        key = ("by folder", name)
        if key not in self.memory:
            found: dict[str, list[str]] = {}
            for path in self.definers(name):
                found.setdefault(folder_of(path), []).append(path)
            self.memory[key] = found
        folders: Mapping[str, list[str]] = self.memory[key]
        return folders

    def _by_space(self, name: str) -> Mapping[str, list[Place]]:
        """The file-level definitions of a name, by the packages or namespaces that their files are in."""
        key = ("by space", name)
        if key not in self.memory:
            found: dict[str, list[Place]] = {}
            for path in self.definers(name):
                scope = self.scope(path)
                tops = scope.tops(name)
                for space in scope.spaces if tops else ():
                    found.setdefault(space, []).extend(tops)
            self.memory[key] = found
        spaces: Mapping[str, list[Place]] = self.memory[key]
        return spaces

    def _around(self, scope: Scope) -> frozenset[str]:
        """The packages or namespaces whose names a file sees."""
        found: frozenset[str] | None = scope.memory.get("around")
        if found is None:
            inner = scope.spaces if scope.habits.family == "csharp" else ()
            outer = (space[:at] for space in inner for at, letter in enumerate(space) if letter == ".")
            found = scope.memory["around"] = frozenset((*scope.spaces, *outer))
        return found

    def anywhere(self, scope: Scope, name: str, kinds: frozenset[str], most: int) -> Sequence[Place]:
        """The file-level definitions of a name in all files of the family; nothing where too many files have it."""
        paths = [path for path in self.definers(name) if path != scope.path]
        found = self._tops(scope, paths, name) if len(paths) <= most else ()
        return [place for place in found if place.symbol.kind in kinds]

    def _tops(self, scope: Scope, paths: Iterable[str], name: str) -> list[Place]:
        return [place for path in paths for place in self.scope(path).tops(name) if self.may_use(scope, place)]

    def methods(self, name: str) -> Sequence[Place]:
        """All methods of this name; nothing where too many files define it."""
        key = ("methods", name)
        if key not in self.memory:
            paths = self.definers(name)
            few = paths if len(paths) <= MOST_ASKED else ()
            self.memory[key] = [p for path in few for p in self.scope(path).named(name) if is_method(p)]
        found: Sequence[Place] = self.memory[key]
        return found

    def may_use(self, scope: Scope, place: Place) -> bool:
        """Whether a definition may be meant by a name in a file, as far as nothing but the name tells.

        Names stay within their family, those of tests within tests, those of a fixture within its folder, and what is
        not to be seen from outside within its file, folder or package.
        """
        other = place.scope
        if other is scope:
            return True
        if other.habits.family != scope.habits.family or (other.is_test and not scope.is_test):
            return False
        if other.role == "fixture" and other.folder != scope.folder:
            return False
        return place.symbol.visibility not in ("private", "internal") or self._reaches(scope, place)

    def _reaches(self, scope: Scope, place: Place) -> bool:
        other, family = place.scope, scope.habits.family
        if family == "rust":
            return self.together(scope.path, other.path, "cargo")
        if family == "python":
            return True
        if place.symbol.visibility == "private":
            return False
        return family not in _BESIDE or other.folder == scope.folder or not set(other.spaces).isdisjoint(scope.spaces)

    def together(self, one: str, other: str, ecosystem: Ecosystem) -> bool:
        """Whether two files are in one package."""
        return self._package(one, ecosystem) is self._package(other, ecosystem)

    def _package(self, path: str, ecosystem: Ecosystem) -> Package | None:
        key = (ecosystem, folder_of(path))
        if key not in self.memory:
            self.memory[key] = self.table.packages.of(path, ecosystem)
        found: Package | None = self.memory[key]
        return found

    def submodule(self, path: str, name: str) -> str | None:
        """The file of a module within a package, where `path` is what the package itself is read from."""
        if not name_of(path).startswith("__init__."):
            return None
        place = joined(folder_of(path), name)
        return self.table.paths.first((f"{place}.py", f"{place}/__init__.py")) if place else None


PASS_ON: Final = frozenset({"python", "script", "rust"})
"""Families in which a file gives to others what it has imported itself."""
_NESTED: Final = frozenset({"jvm", "csharp"})
_BESIDE: Final = frozenset({"go", "jvm"})
"""Families in which what is no further visible can be used by files beside alone."""


def _path_of(place: Place) -> str:
    return place.path


def is_method(place: Place) -> bool:
    """Whether a definition is called behind an object: also a function of a Ruby module, an extension of Kotlin."""
    symbol = place.symbol
    if symbol.kind == "function":
        ruby = symbol.container is not None and place.scope.habits.family == "ruby"
        return ruby or (f".{symbol.name}(" in symbol.signature and place.path.endswith((".kt", ".kts")))
    return symbol.kind == "method"


def _nobody(_name: str) -> tuple[str, ...]:
    return ()


def _note(bindings: dict[str, Binding], name: str, binding: Binding) -> None:
    """`import a.b` binds `a.b`, and `a`, of which we don't know what else is behind it."""
    bindings[name] = binding
    if binding.remote is None and "." in name:
        bindings.setdefault(name.partition(".")[0], Binding(None, ()))


def default_of(scope: Scope) -> Sequence[Place]:
    """What `export default` gives, where it has a name: else what is called like the file."""
    called = module_name(scope.path).lower()
    tops = [place for place in scope.places if place.symbol.container is None]
    said = [place for place in tops if place.symbol.signature.startswith("export default")]
    return (said or [place for place in tops if place.symbol.name.lower() == called])[:1]


def module_name(path: str) -> str:
    """What a file is called by those who import it."""
    name = name_of(path)
    return name_of(folder_of(path)) if name.startswith(("__init__.", "mod.rs", "index.")) else stem_of(path)


def placed(imported: Import, scope: Scope) -> tuple[Import, ...]:
    """An import as it reads at the top of its file: Rust's use trees taken apart, its inner modules stepped out of."""
    if scope.habits.family != "rust":
        return (imported,)
    inner = sum(symbol.kind in SPACES for symbol in scope.chain(scope.around(imported.line)))
    return tuple(
        Import(module=_stepped_out("::".join(way), inner) + f" as {alias}", names=imported.names, line=imported.line)
        for way, alias in use_ways(imported.module)
    )


def _stepped_out(way: str, inner: int) -> str:
    """From within an inner module the first `super` is the file itself."""
    for _ in range(inner):
        if way.startswith("super::"):
            rest = way.removeprefix("super::")
            way = rest if rest.startswith("super::") else f"self::{rest}"
    return way
