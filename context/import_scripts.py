"""How the languages of the web spell imports: JavaScript and its kin, style sheets, pages, documents."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final
from urllib.parse import unquote

from .import_table import GUESS, LIKELY, SURE, Table, Target, one_of, only
from .packages import Package
from .paths import Paths, folder_of, folders_up, joined, name_of
from .syntax import Import

_SCRIPTS: Final = (
    ".ts", ".tsx", ".d.ts", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".vue", ".svelte", ".astro", ".json",
    ".graphql", ".css", ".scss",
)  # fmt: skip
_WRITTEN_IN: Final = {
    ".js": (".ts", ".tsx", ".d.ts", ".jsx"),
    ".jsx": (".tsx",),
    ".mjs": (".mts", ".d.mts"),
    ".cjs": (".cts", ".d.cts"),
}
"""TypeScript imports the file that its compiler will write: `./a.js` is `a.ts` in the tree."""
_BUILT: Final = frozenset({"dist", "lib", "build", "out", "es", "esm", "cjs", "umd", "types", "typings"})
_SHEETS: Final = (".scss", ".sass", ".less", ".css")
_ENTRIES: Final = ("index", "src/index", "src/main", "lib/index", "main")


def script(path: str, imported: Import, table: Table) -> tuple[Target, ...]:
    """`./a` and `../b/index.js`, aliases of tsconfig, packages of the workspace, `#inner` imports."""
    spelled = imported.module.rpartition("!")[2].partition("?")[0]
    if spelled.startswith("."):
        place = joined(folder_of(path), spelled)
        return only(script_at(place, table)) if place is not None else ()
    if spelled.startswith("/"):
        return only(_from_root(path, spelled, table), LIKELY)
    return (
        only(_by_alias(path, spelled, table))
        or only(_by_package(path, spelled, table), 0.9)
        or only(_by_custom(path, spelled, table), GUESS)
        or (sheet(path, imported, table) if spelled.endswith(_SHEETS) else ())
    )


def script_at(place: str, table: Table) -> str | None:
    """The file that a place without or with an ending means: itself, its TypeScript, a folder's index or main."""
    paths = table.paths
    found = paths.first(_spellings(place)) if place else None
    if found is not None or not paths.has_folder(place):
        return found
    return paths.first(_within(place, "index" + ending) for ending in _SCRIPTS) or _entry_of_folder(place, table)


def _spellings(place: str) -> Iterator[str]:
    yield place
    base, dot, ending = place.rpartition(".")
    for written in _WRITTEN_IN.get(dot + ending, ()):
        yield base + written
    for ending in _SCRIPTS:
        yield place + ending


def _within(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name


def _entry_of_folder(folder: str, table: Table) -> str | None:
    package = next((each for each in table.packages.within("npm") if each.folder == folder), None)
    return table.paths.first(each for entry in package.entries for each in _spellings(entry)) if package else None


def _by_alias(path: str, spelled: str, table: Table) -> str | None:
    """By the `paths` of the nearest tsconfig, then below its `baseUrl`."""
    scope = table.packages.scope_of(path)
    if scope is None:
        return None
    for pattern, places in sorted(scope.aliases, key=lambda alias: -len(alias[0])):
        rest = _matched(pattern, spelled)
        if rest is not None:
            found = next((f for place in places if (f := script_at(place.replace("*", rest, 1), table))), None)
            if found is not None:
                return found
    below = joined(scope.base, spelled) if scope.base is not None else None
    return script_at(below, table) if below else None


def _matched(pattern: str, spelled: str) -> str | None:
    """What `*` stands for, empty where the pattern has none; None where the spelling is another one."""
    before, star, after = pattern.partition("*")
    if not star:
        return "" if spelled == pattern else None
    if not spelled.startswith(before) or not spelled.endswith(after) or len(spelled) < len(before) + len(after):
        return None
    return spelled[len(before) : len(spelled) - len(after)]


def _by_package(path: str, spelled: str, table: Table) -> str | None:
    """By the name of a package of the tree, or `#inner` by the own package's imports."""
    if spelled.startswith("#"):
        own = table.packages.of(path, "npm")
        return _by_exports(own, spelled, table) if own else None
    parts = spelled.split("/")
    count = 2 if spelled.startswith("@") else 1
    package = table.packages.named("npm", "/".join(parts[:count]))
    if package is None:
        return None
    rest = "/".join(parts[count:])
    return _inside(package, rest, table) if rest else entry_of(package, table)


def entry_of(package: Package, table: Table) -> str | None:
    """The file that a package's bare name means; where that one is built, the source that it is built from."""
    places = [*package.entries, *(_within(package.folder, entry) for entry in _ENTRIES)]
    sources = (source for place in places for each in (place, *_sources_of(package.folder, place)) if (source := each))
    return next((found for place in sources if (found := table.paths.first(_spellings(place)))), None)


def _sources_of(folder: str, place: str) -> Iterator[str]:
    """`dist/esm/a.js` is likely made from `src/a.ts`, or from `a.ts` at the package's top."""
    below = place[len(folder) + 1 :] if folder else place
    parts = below.split("/")
    while len(parts) > 1 and parts[0] in _BUILT:
        parts = parts[1:]
        rest = re.sub(r"(?:\.d)?\.[cm]?[jt]sx?$", "", "/".join(parts))
        yield _within(folder, "src/" + rest)
        yield _within(folder, rest)


def _inside(package: Package, rest: str, table: Table) -> str | None:
    by_exports = _by_exports(package, "./" + rest, table)
    if by_exports is not None:
        return by_exports
    place = _within(package.folder, rest)
    sources = (place, _within(package.folder, "src/" + rest), *_sources_of(package.folder, place))
    return next((found for each in sources if (found := script_at(each, table))), None)


def _by_exports(package: Package, spelled: str, table: Table) -> str | None:
    for pattern, places in sorted(package.aliases, key=lambda alias: -len(alias[0])):
        rest = _matched(pattern, spelled)
        if rest is None:
            continue
        for place in places:
            exact = place.replace("*", rest, 1)
            found = next(
                (f for each in (exact, *_sources_of(package.folder, exact)) if (f := script_at(each, table))), None
            )
            if found is not None:
                return found
    return None


def _by_custom(path: str, spelled: str, table: Table) -> str | None:
    """`@/a` and `~/a` can be no package: bundlers are mostly told that they mean the source folder."""
    if not spelled.startswith(("@/", "~/")) or spelled[2:] in ("", "index"):
        return None
    package = table.packages.of(path, "npm")
    folder = package.folder if package else ""
    places = (_within(folder, root + spelled[2:]) for root in ("src/", "", "app/"))
    return next((found for place in places if (found := script_at(place, table))), None)


def _from_root(path: str, spelled: str, table: Table) -> str | None:
    """`/a.js` as a page or a development server reads it: below the package, its public folder, or the tree."""
    package = table.packages.of(path, "npm")
    folders = dict.fromkeys((*((package.folder,) if package else ()), ""))
    places = (_within(folder, root + spelled[1:]) for folder in folders for root in ("", "public/", "static/"))
    return next((found for place in places if (found := script_at(place, table))), None)


# Style sheets


def sheet(path: str, imported: Import, table: Table) -> tuple[Target, ...]:
    """`@use "a"` is `a.scss`, `_a.scss`, or a folder's index; `~pkg/a` is in a package."""
    spelled = imported.module.partition("?")[0]
    if spelled.startswith("sass:") or "//" in spelled:
        return ()
    if spelled.startswith("~"):
        return only(_by_package(path, spelled.lstrip("~/"), table), LIKELY)
    for folder in folders_up(folder_of(path)):
        place = joined(folder, spelled.lstrip("/"))
        found = table.paths.first(_sheet_spellings(place)) if place else None
        if found is not None:
            return only(found, SURE if folder == folder_of(path) else LIKELY)
    if found := _by_package(path, spelled, table):
        return only(found, LIKELY)
    alike = tuple(other for each in _sheet_spellings(spelled.lstrip("./")) for other in table.paths.ending(each))
    return one_of(path, alike, GUESS)


def _sheet_spellings(place: str) -> Iterator[str]:
    folder, slash, name = place.rpartition("/")
    for each in (place, folder + slash + "_" + name):
        yield each
        for ending in _SHEETS:
            yield each + ending
    for ending in _SHEETS:
        yield f"{place}/_index{ending}"
        yield f"{place}/index{ending}"


# Pages and documents


def link(path: str, imported: Import, table: Table) -> tuple[Target, ...]:
    """A link of a page or document: relative to it, or from the tree's root where it begins with `/`."""
    spelled = unquote(re.split(r"[?#]", imported.module, maxsplit=1)[0])
    if not spelled or re.match(r"[a-z][a-z0-9+.-]*:|//", spelled, re.IGNORECASE):
        return ()
    if spelled.startswith("/"):
        return only(_page(spelled[1:], table.paths) or _from_root(path, spelled, table), LIKELY)
    place = joined(folder_of(path), spelled)
    return only(_page(place, table.paths)) if place is not None else ()


def _page(place: str, paths: Paths) -> str | None:
    """A page is also linked without its ending, or by its folder."""
    inside = [f"{place}/{name}" for name in ("README.md", "index.md", "_index.md", "index.html")]
    return paths.first((place, place + ".md", place + ".html", *inside)) if name_of(place) else None
