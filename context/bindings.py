"""Which names an import brings into a file, told from its spelling."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from .import_compiled import use_ways
from .import_table import spelled_names
from .syntax import Import

Bound = tuple[str, str | None]
"""A name here, and what it is called in the imported file; None for the file itself, `*` here for all of its names."""

STAR: Final = "*"


def bound_names(language: str, imported: Import) -> Iterator[Bound]:
    """The names that an import binds in a file of this language."""
    yield from _BINDERS.get(language, _everything)(imported)


def _everything(_imported: Import) -> Iterator[Bound]:
    """What an include or a require does: all names are here."""
    yield STAR, None


def _python(imported: Import) -> Iterator[Bound]:
    for taken, alias in spelled_names(imported.names):
        if taken == STAR:
            yield STAR, None
        else:
            yield alias, None if taken == imported.module else taken
    if not imported.names:
        yield imported.module, None


def _script(imported: Import) -> Iterator[Bound]:
    for taken, alias in spelled_names(imported.names):
        if taken == STAR:
            yield (STAR, None) if alias == STAR else (alias, None)
        elif taken:
            yield alias, taken


_VERSION: Final = re.compile(r"^v\d+$")


def _go(imported: Import) -> Iterator[Bound]:
    names = [name for name in imported.names if name != "_"]
    if imported.names:
        yield from ((STAR if name == "." else name, None) for name in names)
        return
    parts = [part for part in imported.module.split("/") if not _VERSION.match(part)] or [imported.module]
    last = parts[-1].partition(".v")[0]
    yield last, None
    for other in {
        last.removeprefix("go-"),
        last.removesuffix("-go"),
        last.rpartition("-")[2],
        last.replace("-", ""),
    } - {last}:
        yield other, None


def _jvm(imported: Import) -> Iterator[Bound]:
    """`a.b.C`, Kotlin's `a.b.C as D`, Scala's `a.b.{C, D}`."""
    spelled = imported.module.replace("`", "")
    last = spelled.rpartition(".")[2]
    for taken, alias in spelled_names(imported.names):
        if taken.endswith(("*", "_")):
            yield STAR, None
        else:
            yield alias, taken
    if not imported.names:
        yield (STAR, None) if last in ("*", "_") else (last, last)


def _rust(imported: Import) -> Iterator[Bound]:
    for way, alias in use_ways(imported.module):
        last = way[-1] if way else ""
        if last == STAR:
            yield STAR, None
        elif alias and alias != "_":
            yield alias, None if len(way) == 1 else last


def _csharp(imported: Import) -> Iterator[Bound]:
    if imported.names:
        yield imported.names[0], imported.module.rpartition(".")[2]
    else:
        yield STAR, None


def _php(imported: Import) -> Iterator[Bound]:
    if imported.module.endswith(".php") or "/" in imported.module:
        yield STAR, None
        return
    for taken, alias in spelled_names(imported.names or (imported.module,)):
        yield alias.rpartition("\\")[2], taken.rpartition("\\")[2]


def _named_last(separator: str) -> Callable[[Import], Iterator[Bound]]:
    """A module is called by the last part of its name, or as the import says; some of its names may be taken too."""

    def binder(imported: Import) -> Iterator[Bound]:
        yield imported.module.rpartition(separator)[2], None
        yield imported.module, None
        for taken, alias in spelled_names(imported.names):
            yield (STAR, None) if taken == STAR else (alias, taken)

    return binder


_BINDERS: Final[Mapping[str, Callable[[Import], Iterator[Bound]]]] = {
    **dict.fromkeys(("astro", "html", "javascript", "svelte", "tsx", "typescript", "vue"), _script),
    **dict.fromkeys(("gradle", "java", "kotlin", "scala"), _jvm),
    **dict.fromkeys(("cython", "python"), _python),
    "csharp": _csharp,
    "elixir": _named_last("."),
    "go": _go,
    "haskell": _everything,
    "lua": _named_last("."),
    "php": _php,
    "rust": _rust,
    "zig": _named_last("/"),
}
