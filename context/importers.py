"""Which files may import a file or use a definition: those that spell what they have to spell for it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from .families import HABITS, family_of
from .import_scripts import entry_of
from .imports import RULES
from .index import RepositoryIndex
from .languages import language_of
from .paths import folder_of, joined, name_of, stem_of
from .scopes import Scope
from .syntax import Symbol
from .words import words
from .world import PASS_ON, World, default_of

_INDEXES: Final = frozenset({"index", "__init__", "mod", "init", "_index", "README", "readme"})
_MOST_ALIASES: Final = 200
Names = Iterator[str]


def importing(index: RepositoryIndex, world: World, path: str) -> tuple[str, ...]:
    """All files that may import a file, sorted: more than do, none left out."""
    found: set[str] = set(_beside(world, path))
    for name in set(_spelled(world, path)):
        found.update(mentioning(index, name))
    language = language_of(path)
    own = language.name if language is not None else None
    able = {other: _can_import(other, own) for other in {index.by_path[each].language for each in found}}
    return tuple(sorted(each for each in found if each != path and able[index.by_path[each].language]))


def _can_import(language: str | None, own: str | None) -> bool:
    """Code of one family is not imported by that of another; pages and scripts of a shell may name any file."""
    if language is None or language not in RULES:
        return False
    if own is None or own not in HABITS or language not in HABITS or language == "html":
        return True
    return HABITS[language].family == HABITS[own].family


def mentioning(index: RepositoryIndex, name: str) -> tuple[str, ...]:
    """The files that may spell the longest word of a name; all files where no word of it is kept."""
    longest = max(words(name), key=len, default="")
    numbers = index.mentioning(longest) if longest else None
    if numbers is None:
        return tuple(file.path for file in index.files if file.number is not None)
    return tuple(path for number in numbers for path in index.paths_of(number))


@dataclass(frozen=True, slots=True, kw_only=True)
class Users:
    """The files that may use a definition, sorted; the names it may have there, and the files it may come through."""

    paths: tuple[str, ...]
    names: frozenset[str]
    through: frozenset[str]

    def called_in(self, scope: Scope) -> frozenset[str]:
        """The names in one file that may mean the definition."""
        renamed = (
            local
            for local, binding in scope.bindings.items()
            if binding.remote in self.names or any(target in self.through for target, _ in binding.targets)
        )
        return self.names.union(renamed)


def users_of(index: RepositoryIndex, world: World, path: str, symbol: Symbol) -> Users:
    """All files that may use a definition: more than do, none left out.

    Who spells its name may take it under another one and give it on; who imports a file may take its default so.
    """
    family = family_of(path)
    names, files = [symbol.name], [path] if _may_be_default(world, path, symbol) else []
    found, at_name, at_file = {path}, 0, 0
    while at_name < len(names) or at_file < len(files):
        if at_name < len(names):
            others = [p for p in mentioning(index, names[at_name]) if family_of(p) == family]
            remote, file, at_name = names[at_name], None, at_name + 1
        else:
            others = list(importing(index, world, files[at_file]))
            remote, file, at_file = "default", files[at_file], at_file + 1
        found.update(others)
        for other in others if family in PASS_ON else ():
            _note_aliases(world, world.bound(other), (remote, file), names, files)
    paths = tuple(sorted(other for other in found if family_of(other) == family))
    return Users(paths=paths, names=frozenset(names), through=frozenset(files))


def _may_be_default(world: World, path: str, symbol: Symbol) -> bool:
    scope = world.scope(path)
    return scope.habits.family == "script" and any(place.symbol == symbol for place in default_of(scope))


def _note_aliases(
    world: World, scope: Scope, given: tuple[str, str | None], names: list[str], files: list[str]
) -> None:
    """What the imports of a file call a name, or another file's default; others may take it from there by that."""
    remote, file = given
    for local, binding in scope.bindings.items():
        as_default = any(target == file for target, _ in binding.targets) and not world.through(binding)
        if (binding.remote != remote and not as_default) or len(names) + len(files) > _MOST_ALIASES:
            continue
        if local != "default" and local not in names:
            names.append(local)
        elif local == "default" and scope.path not in files:
            files.append(scope.path)


def _spelled(world: World, path: str) -> Names:
    """Names one of which an import of this file has to spell.

    A file that speaks for its folder is spelled by the folder's name, except from within the folder.
    """
    language = language_of(path)
    stem = stem_of(path).lstrip("_") or name_of(path)
    folder = name_of(folder_of(path))
    if not _speaks_for_folder(path) or not folder or _is_root(world, path):
        yield stem
    else:
        yield folder
    if language is not None:
        yield from _SPELLED.get(language.name, _nothing)(world, path)


def _speaks_for_folder(path: str) -> bool:
    stem = stem_of(path)
    return stem in _INDEXES or (path.endswith(".rs") and stem in ("lib", "main"))


def _is_root(world: World, path: str) -> bool:
    """Whether scripts may name the file from here on, without the folder's name."""
    folder, packages = folder_of(path), world.table.packages
    package = packages.of(path, "npm")
    own = (package.folder,) if package is not None else ("",)
    roots = {joined(up, public) for up in (*own, "") for public in ("", "public", "static")}
    for scope in packages.scopes:
        roots.add(scope.base)
        roots.update(folder_of(place) for name, places in scope.aliases if "*" in name for place in places)
    return folder in roots


def _nothing(_world: World, _path: str) -> Names:
    return iter(())


def _by_package(world: World, path: str) -> Names:
    """Scripts: an alias or a workspace's package may name a file otherwise than its path does."""
    packages = world.table.packages
    package = packages.of(path, "npm")
    if package is not None and package.name is not None and entry_of(package, world.table) == path:
        yield package.name.rpartition("/")[2]
    words = _alias_words(world)
    yield from (*words.get(stem_of(path), ()), *words.get(name_of(folder_of(path)), ()))


def _alias_words(world: World) -> Mapping[str, list[str]]:
    """The last words of aliases without a `*`, by the names of the places that they stand for."""
    if "alias words" not in world.memory:
        found: dict[str, list[str]] = {}
        packages = world.table.packages
        every = [alias for each in packages.within("npm") for alias in each.aliases]
        for name, places in (*every, *(alias for scope in packages.scopes for alias in scope.aliases)):
            for place in places if "*" not in name else ():
                found.setdefault(stem_of(place), []).append(name.rstrip("/").rpartition("/")[2] or name)
        world.memory["alias words"] = found
    words: Mapping[str, list[str]] = world.memory["alias words"]
    return words


def _by_module(world: World, path: str) -> Names:
    """Go: a package is imported by its folder, the outermost by its module's name."""
    module = world.table.packages.of(path, "go")
    if module is not None and module.folder == folder_of(path) and module.name:
        yield from module.name.split("/")[-2:]
    yield from filter(None, (name_of(folder_of(path)),))


def _by_folder(_world: World, path: str) -> Names:
    yield from filter(None, (name_of(folder_of(path)),))


def _by_space(world: World, path: str) -> Names:
    for space in world.scope(path).spaces:
        yield space.replace("\\", ".").rpartition(".")[2]


def _by_target(world: World, path: str) -> Names:
    target = world.table.packages.of(path, "swift")
    if target is not None and target.name:
        yield target.name


def _by_modules(world: World, path: str) -> Names:
    for symbol in world.scope(path).symbols:
        if symbol.kind == "module":
            yield symbol.name.rpartition(".")[2]


def _by_alias(world: World, path: str) -> Names:
    """Python: a manifest may give a folder a name of its own."""
    for package in world.table.packages.within("python"):
        for name, places in package.aliases:
            if folder_of(path) in places:
                yield name.rpartition(".")[2]


def _by_crate(world: World, path: str) -> Names:
    """Rust: a crate's first file goes by the crate's name, which other crates may change."""
    package = world.table.packages.of(path, "cargo")
    if package is not None and package.name:
        yield package.name
        for other in world.table.packages.within("cargo"):
            yield from (alias for alias, meant in other.aliases if meant == (package.name,))


_SPELLED: Final[Mapping[str, Callable[[World, str], Names]]] = {
    **dict.fromkeys(("astro", "javascript", "json", "svelte", "tsx", "typescript", "vue", "scss", "css"), _by_package),
    **dict.fromkeys(("gradle", "java", "kotlin", "scala", "hcl"), _by_folder),
    "csharp": _by_space,
    "elixir": _by_modules,
    "go": _by_module,
    "python": _by_alias,
    "rust": _by_crate,
    "swift": _by_target,
}


def _beside(world: World, path: str) -> Iterable[str]:
    """Files that may import one without a word of its name: by `..`, by `.`, by `crate`."""
    stem = stem_of(path)
    if path.endswith(".rs") and stem in ("lib", "main", "mod"):
        package = world.table.packages.of(path, "cargo")
        return (other for other in world.table.paths.below(package.folder if package else "") if other.endswith(".rs"))
    if path.endswith(".rs"):
        return (other for other in world.table.paths.below(folder_of(path)) if other.endswith(".rs"))
    return world.table.paths.below(folder_of(path)) if _speaks_for_folder(path) else ()
