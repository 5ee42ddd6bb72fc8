"""The scopes of a tree, made when they are asked for, and the names that one file can see in another."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from .bindings import STAR, bound_names
from .families import habits_of
from .import_table import Table, Target
from .imports import resolve
from .languages import language_of, role_of
from .manifests import Ecosystem
from .packages import Package
from .paths import folder_of, joined, name_of, stem_of
from .scopes import SPACES, TYPES, Binding, Place, Scope
from .syntax import FileFacts, Import, Symbol

_DEEPEST: Final = 5
_MOST_STARS_FOLLOWED: Final = 20
_MOST_LOOKED_AT: Final = 200
_NOBODYS: Final = FileFacts()

Facts = Callable[[str], FileFacts]
Defining = Callable[[str], tuple[str, ...]]
"""The files that define a name, whatever its case."""


class World:
    """A tree to look names up in. Every answer depends on the content of the tree alone, never on who asked before."""

    def __init__(self, table: Table, facts: Facts, defining: Defining) -> None:
        self.table = table
        self.facts = facts
        self.memory: dict[Any, Any] = {}
        self._defining = defining
        self._definers: dict[str, tuple[str, ...]] = {}
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
            role_of(path),
        )
        scope.memory["imports"] = facts.imports
        self._scopes[path] = scope
        return scope

    def definers(self, name: str) -> tuple[str, ...]:
        """The files that define a name, whatever its case; sorted."""
        lower = name.lower()
        found = self._definers.get(lower)
        if found is None:
            found = self._definers[lower] = self._defining(lower)
        return found

    def prime(self, defined: Mapping[str, tuple[str, ...]]) -> None:
        """Take over all that is defined, for whoever asks for the whole tree."""
        self._definers = dict(defined)
        self._defining = _nobody

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
        scope.resolved = tuple((each, resolve(scope.path, placed(each, scope), self.table).targets) for each in spelled)
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

    def given(self, path: str, name: str, depth: int = _DEEPEST) -> tuple[Place, ...]:
        """The definitions that a file offers under a name: its own, else those it passes on."""
        scope = self.scope(path)
        own = scope.tops(name)
        if own:
            return tuple(Place(path, symbol) for symbol in own)
        if scope.habits.family in _PASS_ON and depth > 0:
            return self._passed_on(self.bound(path), name, depth)
        if scope.habits.family in _NESTED:
            inner = scope.named(name)
            types = [symbol for symbol in inner if symbol.kind in TYPES]
            return tuple(Place(path, symbol) for symbol in types or inner)
        return ()

    def _passed_on(self, scope: Scope, name: str, depth: int) -> tuple[Place, ...]:
        binding = scope.bindings.get(name)
        if binding is not None:
            return self.through(binding, depth - 1)
        if name == "default":
            return self._default(scope)
        for target, _ in scope.stars[:_MOST_STARS_FOLLOWED]:
            found = self.given(target, name, depth - 1)
            if found:
                return found
        return ()

    def _default(self, scope: Scope) -> tuple[Place, ...]:
        """What `export default` gives, where it has a name: else what is called like the file."""
        called = module_name(scope.path).lower()
        tops = [symbol for symbol in scope.symbols if symbol.container is None]
        said = [symbol for symbol in tops if symbol.signature.startswith("export default")]
        alike = [symbol for symbol in tops if symbol.name.lower() == called]
        return tuple(Place(scope.path, symbol) for symbol in (said or alike)[:1])

    def through(self, binding: Binding, depth: int = _DEEPEST) -> tuple[Place, ...]:
        """The definitions that an imported name stands for; nothing where it stands for files."""
        if binding.remote is None or depth < 0:
            return ()
        for target, _ in self._likely(binding.targets, binding.remote):
            found = self.given(target, binding.remote, depth)
            if found:
                return found
        return ()

    def in_files(self, targets: tuple[Target, ...], name: str, depth: int = _DEEPEST) -> tuple[Place, ...]:
        """The definitions of a name in files that are imported as a whole."""
        return tuple(
            place for target, _ in self._likely(targets, name) for place in self.given(target, name, depth - 1)
        )

    def _likely(self, targets: tuple[Target, ...], name: str) -> tuple[Target, ...]:
        """Of several files those that define the name; where none does and they are few all, as they may pass it on."""
        if len(targets) < 2:
            return targets
        definers = frozenset(self.definers(name))
        found = tuple(each for each in targets if each[0] in definers)
        return found or (targets if len(targets) <= _MOST_STARS_FOLLOWED else ())

    # What is seen without an import

    def nearby(self, scope: Scope, name: str) -> tuple[Place, ...]:
        """Definitions that a file sees because of where it is: in its folder, package, namespace or target."""
        how = scope.habits.nearby
        if how == "import":
            return ()
        others = [path for path in self.definers(name) if path != scope.path]
        if how == "folder":
            near = [path for path in others if folder_of(path) == scope.folder]
        elif how == "target":
            near = [path for path in others if self.together(scope.path, path, "swift")]
        else:
            near = self._in_spaces(scope, others)
        return self._tops(scope, near, name)

    def _in_spaces(self, scope: Scope, others: list[str]) -> list[str]:
        """Files of the same package; of namespaces also those of the ones around."""
        if len(others) > _MOST_LOOKED_AT:
            others = [path for path in others if folder_of(path) == scope.folder]
        if not scope.spaces:
            return [path for path in others if folder_of(path) == scope.folder]
        seen = set(scope.spaces)
        if scope.habits.nearby == "namespace" and scope.habits.family == "csharp":
            seen |= {space[:at] for space in scope.spaces for at, letter in enumerate(space) if letter == "."}
        return [path for path in others if not seen.isdisjoint(self.scope(path).spaces)]

    def anywhere(self, scope: Scope, name: str, kinds: frozenset[str], most: int) -> tuple[Place, ...]:
        """The file-level definitions of a name in all files of the family; nothing where too many files have it."""
        paths = [path for path in self.definers(name) if path != scope.path]
        return self._tops(scope, paths, name, kinds) if len(paths) <= most else ()

    def _tops(
        self, scope: Scope, paths: Iterable[str], name: str, kinds: frozenset[str] | None = None
    ) -> tuple[Place, ...]:
        return tuple(
            Place(path, symbol)
            for path in paths
            if self.may_see(scope, path)
            for symbol in self.scope(path).tops(name)
            if (kinds is None or symbol.kind in kinds) and self.may_use(scope, Place(path, symbol))
        )

    def together(self, one: str, other: str, ecosystem: Ecosystem) -> bool:
        """Whether two files are in one package."""
        return self._package(one, ecosystem) is self._package(other, ecosystem)

    def _package(self, path: str, ecosystem: Ecosystem) -> Package | None:
        key = (ecosystem, folder_of(path))
        if key not in self.memory:
            self.memory[key] = self.table.packages.of(path, ecosystem)
        found: Package | None = self.memory[key]
        return found

    def may_see(self, scope: Scope, path: str) -> bool:
        """Names stay within their family, those of tests within tests, those of a fixture within its folder."""
        other = self.scope(path)
        if other.habits.family != scope.habits.family or (other.is_test and not scope.is_test):
            return False
        return other.role != "fixture" or other.folder == scope.folder

    def may_use(self, scope: Scope, place: Place) -> bool:
        """Whether a definition is not kept from a file by how far it may be seen."""
        seen = place.symbol.visibility
        if seen not in ("private", "internal") or place.path == scope.path or scope.habits.family == "python":
            return True
        other = self.scope(place.path)
        if scope.habits.family == "rust":
            return self.together(scope.path, place.path, "cargo")
        if seen == "private":
            return False
        return (
            other.folder == scope.folder
            or scope.habits.family not in _BESIDE
            or bool(set(other.spaces).intersection(scope.spaces))
        )

    def submodule(self, path: str, name: str) -> str | None:
        """The file of a module within a package, where `path` is what the package itself is read from."""
        if not name_of(path).startswith("__init__."):
            return None
        place = joined(folder_of(path), name)
        return self.table.paths.first((f"{place}.py", f"{place}/__init__.py")) if place else None


_PASS_ON: Final = frozenset({"python", "script", "rust"})
_NESTED: Final = frozenset({"jvm", "csharp"})
_BESIDE: Final = frozenset({"go", "jvm"})
"""Families in which what is no further visible can be used by files beside alone."""


def _nobody(_name: str) -> tuple[str, ...]:
    return ()


def _note(bindings: dict[str, Binding], name: str, binding: Binding) -> None:
    """`import a.b` binds `a.b`, and `a`, of which we don't know what else is behind it."""
    bindings[name] = binding
    if binding.remote is None and "." in name:
        bindings.setdefault(name.partition(".")[0], Binding(None, ()))


def module_name(path: str) -> str:
    """What a file is called by those who import it."""
    name = name_of(path)
    return name_of(folder_of(path)) if name.startswith(("__init__.", "mod.rs", "index.")) else stem_of(path)


def placed(imported: Import, scope: Scope) -> Import:
    """An import as it reads at the top of its file: Rust's inner modules are one `super` further in."""
    if not imported.module.startswith("super") or scope.habits.family != "rust":
        return imported
    inner = sum(symbol.kind in SPACES for symbol in scope.chain(scope.around(imported.line)))
    module = imported.module
    for _ in range(inner):
        if module.startswith("super"):
            rest = module.removeprefix("super").removeprefix("::")
            module = rest if rest.startswith("super") else f"self::{rest}"
    return Import(module=module, names=imported.names, line=imported.line)


def best_bodies(symbols: Iterable[Symbol]) -> list[Symbol]:
    """Of several definitions of one name in one place those with a body, or all where none has one."""
    found = list(symbols)
    bodies = [symbol for symbol in found if symbol.end > symbol.start]
    return bodies or found
