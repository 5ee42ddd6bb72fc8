"""How other languages spell imports: most name a file by the end of its path, in a spelling of their own."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from .import_table import GUESS, LIKELY, SURE, Table, Target, one_of, only, shared, spelled_names
from .paths import folder_of, folders_up, joined
from .syntax import Import

Rule = Callable[[str, Import, Table], tuple[Target, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Spelling:
    """How a language names a file: what separates folders, which endings are left out, where it is looked for."""

    endings: tuple[str, ...] = ("",)
    separator: str = "/"
    roots: tuple[str, ...] = ()
    lower: bool = False
    """Whether `FooBar` is in `foo_bar`."""
    alone: bool = True
    """Whether a name without a folder may be found anywhere in the tree."""


def by_path(spelling: Spelling) -> Rule:
    """A rule that looks beside the file, below the folders above it, and then for the only path that ends so."""

    def rule(path: str, imported: Import, table: Table) -> tuple[Target, ...]:
        place = _place(imported.module, spelling)
        if place is None:
            return ()
        folder = folder_of(path)
        beside = joined(folder, place)
        if beside and (found := table.paths.first(_endings(beside, spelling))):
            return only(found)
        for up in folders_up(folder):
            for root in ("", *spelling.roots):
                below = joined(f"{up}/{root}" if up else root, place.lstrip("/"))
                if below and (found := table.paths.first(_endings(below, spelling))):
                    return only(found, LIKELY + 0.05)
        bare = re.sub(r"^(?:\.{0,2}/)+", "", place)
        if not bare or ("/" not in bare and not spelling.alone):
            return ()
        alike = tuple(dict.fromkeys(f for each in _endings(bare, spelling) for f in table.paths.ending(each)))
        return one_of(path, alike, LIKELY if "/" in bare else GUESS)

    return rule


def _endings(place: str, spelling: Spelling) -> Iterator[str]:
    for ending in spelling.endings:
        yield place + ending


_SNAKE: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def _place(spelled: str, spelling: Spelling) -> str | None:
    """The spelling as a path; None where it is computed or an address."""
    text = spelled.strip("\"'`<>; ")
    if not text or "://" in text or "\n" in text:
        return None
    if spelling.separator != "/":
        text = text.replace(spelling.separator, "/")
    return _SNAKE.sub("_", text).lower() if spelling.lower else text


# Shells compute where they are: what stands after the last computed part is enough.

_COMPUTED: Final = re.compile(r"^.*(?:[)}`]|\$\w+)\"?(?=/)")


def shell(path: str, imported: Import, table: Table) -> tuple[Target, ...]:
    """`. ./a.sh`, `source "$(dirname "$0")/lib/a.sh"`."""
    text = imported.module[:400].replace('"', "").replace("'", "").strip()
    tail = _COMPUTED.sub("", text).lstrip("/") if "$" in text or "`" in text else text
    if "$" in tail or not tail:
        return ()
    return _shell(path, Import(module=tail, line=imported.line), table)


_shell: Final = by_path(Spelling(endings=("", ".sh", ".bash"), alone=True))


def powershell(path: str, imported: Import, table: Table) -> tuple[Target, ...]:
    """`. ./a.ps1`, `. "$PSScriptRoot\\lib\\a.ps1"`."""
    spelled = imported.module.replace("\\", "/")
    return _powershell(path, Import(module=_COMPUTED.sub("", spelled).lstrip("/"), line=imported.line), table)


_powershell: Final = by_path(Spelling(endings=("", ".ps1", ".psm1"), alone=False))


# PHP: a class has a file of its name, below the folder that composer gives to its namespace.


def php(path: str, imported: Import, table: Table) -> tuple[Target, ...]:
    """`use A\\B\\C`, `use A\\{B, C}` (by its names, or as spelled), `require 'a.php'`."""
    spelled = imported.module.strip("\\ ")
    if spelled.endswith(".php") or "/" in spelled:
        return _php_file(path, imported, table)
    classes = [spelled.partition(" as ")[0].strip()]
    if "{" in spelled:
        prefix, _, listed = spelled.partition("{")
        classes = [prefix + name.partition(" as ")[0].strip() for name in listed.rstrip("}").split(",")]
    elif taken := [name for name, _ in spelled_names(imported.names) if name.strip("\\") != classes[0]]:
        classes = [f"{spelled}\\{name}" for name in taken]
    found = {target: certainty for name in classes for target, certainty in _php_class(path, name, table)}
    return tuple(found.items())


_php_file: Final = by_path(Spelling(endings=("", ".php")))


def _php_class(path: str, name: str, table: Table) -> tuple[Target, ...]:
    aliases = [alias for package in table.packages.within("composer") for alias in package.aliases]
    for prefix, places in sorted(aliases, key=lambda alias: (-len(alias[0]), alias)):
        if name.startswith(prefix):
            rest = name[len(prefix) :].replace("\\", "/").strip("/") + ".php"
            found = table.paths.first(f"{place}/{rest}" if place else rest for place in places)
            if found is not None:
                return only(found)
    parts = name.split("\\")
    for skipped in range(min(len(parts) - 1, 4)):
        alike = table.paths.ending("/".join(parts[skipped:]) + ".php")
        if alike:
            return one_of(path, alike, LIKELY - 0.1 * skipped)
    return ()


# Ruby: a required file is beside, or below a lib folder.

_ruby_beside: Final = by_path(Spelling(endings=(".rb", ""), roots=("lib", "app", "spec", "test"), alone=False))


def ruby(path: str, imported: Import, table: Table) -> tuple[Target, ...]:
    """`require_relative "a"` and `require "gem/a"`; of `require "a"` only a file that a gem or lib folder has."""
    spelled = imported.module
    for package in table.packages.within("gem"):
        for root in package.source_roots:
            place = joined(root, spelled)
            if place and (found := table.paths.first((place + ".rb", place))):
                return only(found)
    return _ruby_beside(path, imported, table)


# Elixir: a module is what files say it is.


def elixir(path: str, imported: Import, table: Table) -> tuple[Target, ...]:
    """`alias A.B.C`, `import A.B`, `use A.B`."""
    declared = tuple(file for file in table.declaring(imported.module) if file.endswith((".ex", ".exs")))
    if declared:
        return one_of(path, declared, SURE)
    return _elixir(path, imported, table)


_elixir: Final = by_path(
    Spelling(endings=(".ex", ".exs"), separator=".", roots=("lib", "test/support"), lower=True, alone=False)
)


def dart(path: str, imported: Import, table: Table) -> tuple[Target, ...]:
    """`package:name/a.dart` is below the package's lib folder; anything else is relative."""
    if imported.module.startswith("dart:"):
        return ()
    if imported.module.startswith("package:"):
        name, _, rest = imported.module.removeprefix("package:").partition("/")
        package = table.packages.named("pub", name)
        return only(table.paths.first((joined(package.folder, "lib/" + rest) or "",))) if package else ()
    place = joined(folder_of(path), imported.module)
    return only(table.paths.first((place,))) if place else ()


def terraform(path: str, imported: Import, table: Table) -> tuple[Target, ...]:
    """A module's `source` is a folder."""
    if not imported.module.startswith("."):
        return ()
    folder = joined(folder_of(path), imported.module)
    return shared(f for f in table.paths.files_in(folder or "") if f.endswith(".tf")) if folder is not None else ()


lua: Final = by_path(Spelling(endings=(".lua", "/init.lua"), separator=".", roots=("lua", "src", "lib"), alone=False))
perl: Final = by_path(Spelling(endings=(".pm", ".pl", ""), separator="::", roots=("lib",), alone=False))
haskell: Final = by_path(Spelling(endings=(".hs",), separator=".", roots=("src", "lib", "app"), alone=False))
julia: Final = by_path(Spelling(endings=("", ".jl"), roots=("src",), alone=False))
erlang: Final = by_path(Spelling(endings=("", ".hrl"), roots=("include", "src")))
proto: Final = by_path(Spelling(endings=("", ".proto"), roots=("proto", "protos", "src/main/proto")))
plain: Final = by_path(Spelling(endings=("",), alone=False))
r: Final = by_path(Spelling(endings=("", ".R", ".r"), roots=("R",), alone=False))
zig: Final = by_path(Spelling(endings=("", ".zig"), alone=False))
