"""How compiled languages spell imports: Go, Rust, the languages of the JVM, C and C++, C#, Swift."""

from __future__ import annotations

import re
from typing import Final

from .import_table import GUESS, LIKELY, SURE, Table, Target, one_of, only, shared
from .packages import Package
from .paths import folder_of, folders_up, joined, name_of, stem_of
from .syntax import Import

_MOST_IN_GROUP: Final = 500


# Go: an import is a folder.


def go(path: str, imported: Import, table: Table) -> tuple[Target, ...]:
    """All files of the imported package but its tests; the whole is as certain as its module is known."""
    spelled = imported.module
    if spelled.startswith("."):
        place = joined(folder_of(path), spelled)
        return _go_package(place, table, SURE) if place is not None else ()
    parts = spelled.split("/")
    for count in range(len(parts), 0, -1):
        module = table.packages.named("go", "/".join(parts[:count]))
        if module is not None:
            return _go_package("/".join(filter(None, (module.folder, *parts[count:]))), table, SURE)
    vendored = _go_package("vendor/" + spelled, table, SURE)
    if vendored or table.packages.within("go") or "." not in parts[0]:
        return vendored
    return _go_by_folder(parts, table)


def _go_by_folder(parts: list[str], table: Table) -> tuple[Target, ...]:
    """Without a go.mod: the folder that the spelling ends with, host, owner and repository left out as need be."""
    for skipped in (1, 2, 3):
        folders = table.paths.folders_ending("/".join(parts[skipped:])) if len(parts) > skipped else ()
        if len(folders) == 1:
            return _go_package(folders[0], table, GUESS)
    return ()


def _go_package(folder: str, table: Table, certainty: float) -> tuple[Target, ...]:
    files = table.paths.files_in(folder)
    return shared((path for path in files if path.endswith(".go") and not path.endswith("_test.go")), certainty)


# Rust: a module is a file, found from the file that names it.

_TREE: Final = re.compile(r"[{},]|[^{},]+")
_MOST_LEAVES: Final = 200
_MOST_NESTED: Final = 12
_ROOTS: Final = ("src/lib.rs", "src/main.rs", "lib.rs", "main.rs")


def rust(path: str, imported: Import, table: Table) -> tuple[Target, ...]:
    """`mod a`, `use crate::a::{b, c::D}`, `use other_crate::E`: the deepest file on each way."""
    found: dict[str, float] = {}
    for way in use_ways(imported.module):
        for target, certainty in rust_way(path, way[0], table):
            found[target] = max(certainty, found.get(target, 0))
    return tuple(found.items())


def use_ways(spelled: str) -> tuple[tuple[tuple[str, ...], str], ...]:
    """A use tree as the ways from its root to each leaf, with the name that the leaf gets; `*` is a leaf too."""
    ways: list[tuple[tuple[str, ...], str]] = []
    around: list[tuple[str, ...]] = []
    prefix: tuple[str, ...] = ()
    for piece in _TREE.findall(spelled.removeprefix("::")):
        if piece == "{":
            around.append(prefix)
        elif piece in "},":
            prefix = around[-1] if around else ()
            if piece == "}" and around:
                around.pop()
        elif len(around) <= _MOST_NESTED and len(ways) < _MOST_LEAVES and piece.strip():
            names, alias = _way(piece)
            prefix = (*(around[-1] if around else ()), *names)
            if prefix and not piece.rstrip().endswith("::"):
                ways.append(_leaf(prefix, alias))
    return tuple(ways)


def _way(piece: str) -> tuple[tuple[str, ...], str]:
    spelled, _, alias = piece.partition(" as ")
    return tuple(name.strip().removeprefix("r#") for name in spelled.split("::") if name.strip()), alias.strip()


def _leaf(way: tuple[str, ...], alias: str) -> tuple[tuple[str, ...], str]:
    """`a::{self}` means `a`."""
    if way[-1:] == ("self",) and len(way) > 1:
        way = way[:-1]
    return way, alias or (way[-1] if way else "")


def rust_way(path: str, way: tuple[str, ...], table: Table) -> tuple[Target, ...]:
    """The deepest file on a way of names; the names after it are items of that file."""
    if not way:
        return ()
    start = _start(path, way, table)
    if start is None:
        return ()
    file, folder, rest, certainty = start
    for name in rest:
        inner = _module_file(folder, name, table)
        if inner is None:
            break
        file, folder = inner, _inside(folder, name)
    return only(file, certainty) if file != path else ()


Start = tuple[str | None, str, tuple[str, ...], float]
"""The file and the folder of the module that a way begins at, the names that follow, and how certain it is."""


def _start(path: str, way: tuple[str, ...], table: Table) -> Start | None:
    first, rest = way[0], way[1:]
    if first == "crate":
        root = crate_root(path, table)
        return (root, folder_of(root), rest, SURE) if root is not None else None
    if first in ("self", "super"):
        return _climbed(path, way, table)
    child = _module_file(_module_folder(path), first, table)
    if child is not None:
        return child, _inside(_module_folder(path), first), rest, SURE
    return _other_crate(path, first, rest, table)


def _climbed(path: str, way: tuple[str, ...], table: Table) -> Start:
    file: str | None = path
    folder = _module_folder(path)
    for index, name in enumerate(way):
        if name == "super":
            file, folder = _parent(file, folder, table)
        elif name != "self":
            return file, folder, way[index:], SURE
    return file, folder, (), SURE


def _other_crate(path: str, name: str, rest: tuple[str, ...], table: Table) -> Start | None:
    own = table.packages.of(path, "cargo")
    meant = dict(own.aliases).get(name, (name,))[0] if own else name
    package = table.packages.named("cargo", meant)
    root = _root_of(package, table) if package else None
    return (root, folder_of(root), rest, SURE) if root is not None else None


def crate_root(path: str, table: Table) -> str | None:
    """The file that a crate begins in: of a binary, test or example it is the file itself."""
    package = table.packages.of(path, "cargo")
    if package is None:
        roots = (_inside(up, name) for up in folders_up(folder_of(path)) for name in ("lib.rs", "main.rs"))
        return table.paths.first(roots)
    below = path[len(package.folder) + 1 :] if package.folder else path
    parts = below.split("/")
    if parts[0] in ("tests", "examples", "benches") or parts[:2] == ["src", "bin"]:
        own = _inside(package.folder, "/".join(parts[: 3 if parts[0] == "src" else 2]))
        return table.paths.first((own, own + "/main.rs")) or path
    return path if below in ("build.rs", "src/main.rs") else _root_of(package, table)


def _root_of(package: Package, table: Table) -> str | None:
    usual = (_inside(package.folder, root) for root in _ROOTS)
    return table.paths.first((*package.entries, *usual))


def _inside(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name


def _module_file(folder: str, name: str, table: Table) -> str | None:
    return table.paths.first((_inside(folder, name + ".rs"), _inside(folder, name + "/mod.rs")))


def _module_folder(path: str) -> str:
    """Where the files of a module's own modules are."""
    folder, stem = folder_of(path), stem_of(path)
    if (
        stem in ("mod", "lib", "main")
        or folder.endswith("src/bin")
        or name_of(folder) in ("tests", "examples", "benches")
    ):
        return folder
    return _inside(folder, stem)


def _parent(file: str | None, folder: str, table: Table) -> tuple[str | None, str]:
    """The module around a module whose own modules are in `folder`."""
    above = folder_of(folder)
    roots = [_inside(above, name) for name in ("mod.rs", "lib.rs", "main.rs")]
    found = table.paths.first((above + ".rs", *roots) if above else tuple(roots))
    return (found or file, above) if found else (crate_root(file, table) if file else None, above)


# JVM: a class has a file of its name in a folder of its package's name.

_JVM: Final = (".java", ".kt", ".scala", ".groovy", ".kts")
_JVM_ECOSYSTEMS: Final = ("maven", "gradle", "sbt")


def jvm(path: str, imported: Import, table: Table) -> tuple[Target, ...]:
    """`a.b.C`, `a.b.C.Inner`, `a.b.C.member`, `a.b.function`, `a.b.*` and `a.b.{C, D}`, under any source root."""
    parts, taken = _jvm_names(imported)
    everything = ".".join(parts) != imported.module or any(name.endswith(("*", "_")) for name in imported.names)
    chosen = {target: certainty for name in taken for target, certainty in _class(path, [*parts, name], table)}
    if chosen and not everything:
        return tuple(chosen.items())
    for count in (len(parts), len(parts) - 1, len(parts) - 2):
        found = _class(path, parts[:count], table) if count > 1 else ()
        if found:
            return found
    if everything:
        return _jvm_package(parts, table)
    return _declared(parts, table) if len(parts) > 1 else ()


def _jvm_names(imported: Import) -> tuple[list[str], list[str]]:
    """The names of what is imported, and those taken from it."""
    spelled = imported.module.replace("`", "")
    if spelled.endswith(("*", "_")):
        spelled = spelled[:-1].removesuffix(".")
    return spelled.split("."), [name.partition(" ")[0] for name in imported.names if name not in ("*", "_", "given")]


def same_everywhere(imported: Import, table: Table) -> bool:
    """Whether none of the classes that an import may mean is in several files, of which the nearest would count."""
    key = ("same", imported.module, imported.names)
    if key not in table.memory:
        parts, taken = _jvm_names(imported)
        ways = ([*parts, name] for name in taken), (parts[: len(parts) - less] for less in range(3))
        table.memory[key] = all(len(_alike(way, table)) < 2 for each in ways for way in each)
    same: bool = table.memory[key]
    return same


def _declared(parts: list[str], table: Table) -> tuple[Target, ...]:
    """Files that define the last name in a folder of the others."""
    key = ("declared", *parts)
    if key not in table.memory:
        below = "/".join(parts[:-1])
        declared = [file for file in table.declaring(parts[-1]) if folder_of(file).endswith(below)]
        table.memory[key] = shared(declared[:5], LIKELY)
    found: tuple[Target, ...] = table.memory[key]
    return found


def _class(path: str, parts: list[str], table: Table) -> tuple[Target, ...]:
    alike = _alike(parts, table)
    if len(alike) < 2:
        return only(alike[0] if alike else None)
    return _in_reach(path, alike, table)


def _alike(parts: list[str], table: Table) -> tuple[str, ...]:
    """The files that a class of this name may be in."""
    key = ("class", "/".join(parts))
    if key not in table.memory:
        table.memory[key] = tuple(other for ending in _JVM for other in table.paths.ending(key[1] + ending))
    alike: tuple[str, ...] = table.memory[key]
    return alike


def _in_reach(path: str, alike: tuple[str, ...], table: Table) -> tuple[Target, ...]:
    """Of several files of one class that of the own package, then those of the packages it needs, then the nearest."""
    own = table.packages.of(path, *_JVM_ECOSYSTEMS)
    for package in (own, *table.packages.needed_by(own)) if own else ():
        inside = tuple(other for other in alike if table.packages.of(other, *_JVM_ECOSYSTEMS) is package)
        if inside:
            return one_of(path, inside, SURE)
    return one_of(path, alike, LIKELY)


def _jvm_package(parts: list[str], table: Table) -> tuple[Target, ...]:
    folders = table.paths.folders_ending("/".join(parts))
    files = [file for folder in folders for file in table.paths.files_in(folder) if file.endswith(_JVM)]
    return shared(files) if len(files) <= _MOST_IN_GROUP else ()


# C and C++: a header is named by the end of its path.


def c(path: str, imported: Import, table: Table) -> tuple[Target, ...]:
    """`"a/b.h"` beside the file, else the file of the tree whose path ends so: no one told us which folders count."""
    spelled = imported.module.strip('"<> ')
    beside = joined(folder_of(path), spelled)
    if beside is not None and beside in table.paths:
        return only(beside)
    bare = re.sub(r"^(?:\.{0,2}/)+", "", spelled)
    alike = table.paths.ending(bare) if bare else ()
    return one_of(path, alike, LIKELY if "/" in bare else 0.8) if bare == spelled or len(alike) == 1 else ()


# C#: a namespace is what files say it is.


def csharp(path: str, imported: Import, table: Table) -> tuple[Target, ...]:
    """The files that declare the namespace, or the one that has the class named last."""
    parts = imported.module.removeprefix("global::").split(".")
    spaces = table.declaring(".".join(parts))
    files = tuple(file for file in spaces if file.endswith(".cs"))
    if files:
        return shared(files) if len(files) <= _MOST_IN_GROUP else ()
    classes = tuple(f for f in table.paths.ending(parts[-1] + ".cs") if f in table.declaring(".".join(parts[:-1])))
    return one_of(path, classes, LIKELY)


# Swift: a module is a package's target.


def swift(path: str, imported: Import, table: Table) -> tuple[Target, ...]:
    """The files of the target of this name."""
    target = table.packages.named("swift", imported.module.partition(".")[0].split(" ")[-1])
    if target is None or table.packages.of(path, "swift") is target:
        return ()
    files = [file for file in table.paths.below(target.folder) if file.endswith(".swift")]
    return shared(files) if len(files) <= _MOST_IN_GROUP else ()
