"""How Python spells imports: relative ones by folder, absolute ones by the roots that may be on its path."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Final

from .import_table import GUESS, LIKELY, SURE, Table, Target, one_of, only, spelled_names
from .paths import folder_of, folders_up, joined
from .syntax import Import

_FILES: Final = (".py", ".pyi", ".pyx", ".pxd")
_PACKAGES: Final = ("/__init__.py", "/__init__.pyi")
_STANDARD: Final = sys.stdlib_module_names - {"test"}
_MANY_STANDARD: Final = 40


def module(path: str, imported: Import, table: Table) -> tuple[Target, ...]:
    """What `import a.b` and `from a.b import c` read: a submodule where `c` is one, else the module itself."""
    found = _place(path, imported.module, table)
    if found is None:
        return _by_suffix(path, imported.module, table)
    place, certainty = found
    names = [name for name, _ in spelled_names(imported.names)]
    inner = {name: _file(f"{place}/{name}" if place else name, table) for name in names if name != "*"}
    submodules = tuple((target, certainty) for target in dict.fromkeys(inner.values()) if target is not None)
    if names and len(submodules) == len(set(names)):
        return submodules
    own = _file(place, table)
    return tuple(dict.fromkeys((*only(own, certainty), *submodules)))


def _place(path: str, spelled: str, table: Table) -> tuple[str, float] | None:
    """The place of a module without its ending, and how certain it is."""
    return _relative(folder_of(path), spelled) if spelled.startswith(".") else _absolute(path, spelled, table)


def _relative(folder: str, spelled: str) -> tuple[str, float] | None:
    """One dot is the file's own folder, each further one its parent."""
    rest = spelled.lstrip(".")
    climbed = joined(folder, "/".join([".."] * (len(spelled) - len(rest) - 1)))
    if climbed is None:
        return None
    place = joined(climbed, rest.replace(".", "/"))
    return (place, SURE) if place is not None else None


def _absolute(path: str, spelled: str, table: Table) -> tuple[str, float] | None:
    below = spelled.replace(".", "/")
    standard = spelled.partition(".")[0] in _STANDARD
    for root, certainty in _roots(path, table):
        if standard and not _is_standard_library(root, table):
            continue
        place = f"{root}/{below}" if root else below
        if _file(place, table) is not None or (table.paths.has_folder(place) and _holds_python(place, table)):
            return place, certainty
    return _aliased(spelled, table)


def _file(place: str, table: Table) -> str | None:
    paths = table.paths
    if not place:
        return paths.first(("__init__.py", "__init__.pyi"))
    return paths.first((place + ".py", place + "/__init__.py")) or paths.first(
        place + ending for ending in (*_FILES, *_PACKAGES)
    )


def _holds_python(folder: str, table: Table) -> bool:
    """A folder without `__init__.py` is a package too, but not a folder of other things."""
    key = ("python folder", folder)
    if key not in table.memory:
        table.memory[key] = any(path.endswith(_FILES) for path in table.paths.below(folder))
    return bool(table.memory[key])


def _roots(path: str, table: Table) -> tuple[tuple[str, float], ...]:
    """Where absolute imports of a file may start, likeliest first, each once."""
    folder = folder_of(path)
    key = ("python roots", folder)
    if key not in table.memory:
        roots: dict[str, float] = {}
        for root, certainty in _likely_roots(path, folder, table):
            roots.setdefault(root, certainty)
        table.memory[key] = tuple(roots.items())
    found: tuple[tuple[str, float], ...] = table.memory[key]
    return found


def _likely_roots(path: str, folder: str, table: Table) -> Iterator[tuple[str, float]]:
    own = table.packages.of(path, "python")
    top = _above_its_package(folder, table)
    if own is not None:
        yield from ((root, SURE) for root in own.source_roots if root != own.folder or root == top)
    yield top, SURE
    if own is not None:
        yield from ((root, SURE) for root in own.source_roots)
        needed = table.packages.needed_by(own)
        yield from ((root, SURE) for package in needed for root in package.source_roots)
    for up in folders_up(top):
        yield up, LIKELY
        for usual in ("src", "lib", "python"):
            if table.paths.has_folder(inside := f"{up}/{usual}" if up else usual):
                yield inside, LIKELY
    yield from ((root, LIKELY - 0.05) for package in table.packages.within("python") for root in package.source_roots)


def _above_its_package(folder: str, table: Table) -> str:
    """The folder above the outermost package around a folder: what an interpreter has on its path."""
    while folder and (folder + "/__init__.py" in table.paths or folder + "/__init__.pyi" in table.paths):
        folder = folder_of(folder)
    return folder


def _is_standard_library(root: str, table: Table) -> bool:
    """Whether a folder is Python's own library: elsewhere a file named like one of its modules is not what is meant."""
    key = ("python standard", root)
    if key not in table.memory:
        stems = {path.rpartition("/")[2].removesuffix(".py") for path in table.paths.files_in(root)}
        table.memory[key] = len(stems & _STANDARD) >= _MANY_STANDARD
    return bool(table.memory[key])


def _aliased(spelled: str, table: Table) -> tuple[str, float] | None:
    """By a name that a manifest gives to a folder; the longest name that fits counts."""
    aliases = [alias for package in table.packages.within("python") for alias in package.aliases]
    for name, places in sorted(aliases, key=lambda alias: (-len(alias[0]), alias)):
        if places and (spelled == name or spelled.startswith(name + ".")):
            place = joined(places[0], spelled[len(name) :].strip(".").replace(".", "/"))
            if place is not None:
                return place, SURE
    return None


def _by_suffix(path: str, spelled: str, table: Table) -> tuple[Target, ...]:
    """A module of two names or more whose path just one place of the tree ends with."""
    if spelled.startswith(".") or "." not in spelled:
        return ()
    below = spelled.replace(".", "/")
    alike = table.paths.ending(below + ".py") + table.paths.ending(below + "/__init__.py")
    return one_of(path, tuple(dict.fromkeys(alike)), GUESS)
