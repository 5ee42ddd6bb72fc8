"""How the repositories of a set are related: who depends on whose packages, imports whose files, shares which schema.

The ends of an edge are `name:path`. Nothing is kept: the indexes are asked anew each time.

| kind | from | to | certainty |
|---|---|---|---|
| depends_on | a manifest that names a package | the manifest that publishes it | 0.9, divided among several |
| imports | a file below such a manifest | the file of that package that its import means | the two multiplied |
| references | a file that states a table, message or type | a file that states one of the same name | 0.5 and less |
| routes | a file that spells a route as text | the file that serves it | 0.3 |
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from itertools import permutations
from typing import Final, NamedTuple

from .edges import packages_of, world_of
from .filed import IndexedFile
from .git import git
from .imports import resolve
from .index import RepositoryIndex
from .manifests import Ecosystem
from .model import Role
from .packages import Package, compared
from .paths import folder_of, folders_up, name_of
from .several import RepositorySet
from .source_edge import SourceEdge
from .syntax import FileFacts

_PUBLISHED: Final = 0.9
_BY_ARTIFACT: Final = 0.6
_DEFINED: Final = 0.5
_STATED: Final = 0.4
_SPELLED: Final = 0.3
_MOST_ALIKE: Final = 3
_MOST_ROUTES: Final = 5_000
_JVM: Final[frozenset[Ecosystem]] = frozenset({"maven", "gradle", "sbt"})
_SCHEMAS: Final = frozenset({"graphql", "prisma", "protobuf", "thrift"})
_NOBODYS: Final[frozenset[Role]] = frozenset({"test", "fixture", "doc", "vendored"})
_EVERYWHERE: Final = frozenset({"query", "mutation", "subscription", "node", "edge", "pageinfo", "empty", "timestamp"})
_ROUTE: Final = re.compile(r"(?=.*[A-Za-z]{3})/[\w.-]+/[\w./-]+")
_NUMBERED: Final = re.compile(rb"(\d+)[\0:](.*)", re.DOTALL)
_LITERAL: Final = re.compile(r"""(["'`])(/[^"'`\s]{3,200})\1""")


class Need(NamedTuple):
    """A package of one repository that names a package which another one publishes."""

    name: str
    package: Package
    other: str
    needed: Package
    certainty: float


def edges_between(repositories: RepositorySet) -> Iterator[SourceEdge]:
    """Every edge from one repository to another."""
    found = needs(repositories)
    for need in found:
        source, target = f"{need.name}:{need.package.manifest}", f"{need.other}:{need.needed.manifest}"
        yield SourceEdge(source=source, target=target, kind="depends_on", certainty=need.certainty)
    for name, index in repositories:
        yield from _imports(repositories, name, index, [need for need in found if need.name == name])
    yield from _schemas(repositories)
    yield from _routes(repositories)


# Packages


def needs(repositories: RepositorySet) -> tuple[Need, ...]:
    """Who depends on whose packages. One that its own tree publishes is taken from there."""
    published: dict[tuple[str, str], list[tuple[str, Package, float]]] = {}
    for name, index in repositories:
        for package in packages_of(index).all:
            for key, certainty in _publishes(package):
                published.setdefault(key, []).append((name, package, certainty))
    return tuple(
        need
        for name, index in repositories
        for package in packages_of(index).all
        for wanted in package.depends_on
        if packages_of(index).named(package.ecosystem, wanted) is None
        for need in _met(name, package, wanted, published)
    )


def _publishes(package: Package) -> Iterator[tuple[tuple[str, str], float]]:
    """The names under which others may ask for a package. Gradle publishes under names that no manifest spells out."""
    if not package.name:
        return
    if package.ecosystem in _JVM and ":" not in package.name.strip(":"):
        yield ("jvm artifact", package.name.strip(":").lower()), _BY_ARTIFACT
    elif package.ecosystem in _JVM:
        yield ("jvm", package.name), _PUBLISHED
    else:
        yield (package.ecosystem, _folded(package.ecosystem, package.name)), _PUBLISHED


def _met(
    name: str, package: Package, wanted: str, published: dict[tuple[str, str], list[tuple[str, Package, float]]]
) -> Iterator[Need]:
    for key in _asks(package.ecosystem, wanted):
        others = [each for each in published.get(key, ()) if each[0] != name]
        for other, needed, certainty in others:
            yield Need(name, package, other, needed, round(certainty / len(others), 3))
        if others:
            return


def _asks(ecosystem: Ecosystem, wanted: str) -> tuple[tuple[str, str], ...]:
    """The names that may be meant, the likeliest first."""
    if ecosystem in _JVM:
        return ("jvm", wanted), ("jvm artifact", wanted.rpartition(":")[2].lower())
    return ((ecosystem, _folded(ecosystem, wanted)),)


def _folded(ecosystem: Ecosystem, name: str) -> str:
    return name.lower() if ecosystem == "nuget" else compared(ecosystem, name)


def circles(found: Iterable[Need]) -> tuple[tuple[str, ...], ...]:
    """Repositories that depend on each other, be it by way of others; each group sorted."""
    reached: dict[str, set[str]] = {}
    for need in found:
        reached.setdefault(need.name, set()).add(need.other)
    grew = True
    while grew:
        grew = False
        for ends in reached.values():
            further = set().union(*(reached.get(end, set()) for end in ends)) - ends
            ends |= further
            grew = grew or bool(further)
    groups = {tuple(sorted(end for end in ends if name in reached.get(end, ()))) for name, ends in reached.items()}
    return tuple(sorted(group for group in groups if group))


# Imports


def _imports(repositories: RepositorySet, name: str, index: RepositoryIndex, found: list[Need]) -> Iterator[SourceEdge]:
    """What the files of one repository import of the packages that it depends on."""
    around: dict[str, list[Need]] = {}
    for need in found:
        around.setdefault(need.package.folder, []).append(need)
    for file in _read(index) if around else ():
        reach = [need for folder in folders_up(folder_of(file.path)) for need in around.get(folder, ())]
        if reach:
            yield from _imports_of(repositories, name, index, file.path, reach)


def _imports_of(
    repositories: RepositorySet, name: str, index: RepositoryIndex, path: str, reach: list[Need]
) -> Iterator[SourceEdge]:
    best: dict[str, tuple[float, int]] = {}
    # As seen from a place that is in none of the other's folders.
    seen_from = f"{name}:/{name_of(path)}"
    for each, targets in () if not index.facts(path).imports else world_of(index).bound(path).resolved:
        for need in reach if not targets else ():
            world = world_of(repositories[need.other])
            for target, certainty in resolve(seen_from, each, world.table).targets:
                end, worth = f"{need.other}:{target}", round(certainty * need.certainty, 3)
                if _is_below(target, need.needed.folder) and best.get(end, (0.0, 0))[0] < worth:
                    best[end] = (worth, best[end][1] if end in best else each.line)
    for target, (certainty, line) in best.items():
        yield SourceEdge(source=f"{name}:{path}", target=target, kind="imports", certainty=certainty, line=line)


def _is_below(path: str, folder: str) -> bool:
    return not folder or path.startswith(folder + "/")


def _read(index: RepositoryIndex) -> Iterator[IndexedFile]:
    return (file for file in index.files if file.number is not None and file.skipped is None)


# Schemas

Stated = tuple[str, int, bool]
"""A file, the line, and whether it defines what it names there."""


def _schemas(repositories: RepositorySet) -> Iterator[SourceEdge]:
    stated = {name: _stated(index) for name, index in repositories}
    names = list(stated)
    for place, one in enumerate(names):
        for other in names[place + 1 :]:
            for shared in sorted(stated[one].keys() & stated[other].keys()):
                yield from _shared(one, stated[one][shared], other, stated[other][shared])


def _shared(one: str, mine: list[Stated], other: str, theirs: list[Stated]) -> Iterator[SourceEdge]:
    """From those that speak of it to those that define it; where both or none do, from the first to the other."""
    defined = any(defines for *_, defines in theirs)
    if not defined and any(defines for *_, defines in mine):
        yield from _shared(other, theirs, one, mine)
        return
    ends = [each for each in theirs if each[2]] or theirs
    for path, line, _ in mine[:_MOST_ALIKE]:
        for target, *_ in ends[:_MOST_ALIKE]:
            yield SourceEdge(
                source=f"{one}:{path}",
                target=f"{other}:{target}",
                kind="references",
                certainty=_DEFINED if defined else _STATED,
                line=line,
            )


def _stated(index: RepositoryIndex) -> dict[str, list[Stated]]:
    """The tables, messages and types that files state, by name in lower case; each file once."""
    found: dict[str, dict[str, Stated]] = {}
    for file in _read(index):
        facts = index.facts(file.path) if file.role not in _NOBODYS else FileFacts()
        said = [(fact.name, fact.line, False) for fact in facts.facts if fact.kind == "schema"]
        said += [
            (symbol.name, symbol.start, True)
            for symbol in facts.symbols
            if symbol.kind in ("table", "view") or (file.language in _SCHEMAS and symbol.container is None)
        ]
        for name, line, defines in said:
            key = name.lower()
            if len(key) > 2 and key not in _EVERYWHERE:
                held = found.setdefault(key, {}).get(file.path)
                if held is None or defines > held[2]:
                    found[key][file.path] = (file.path, line, defines)
    return {name: list(places.values()) for name, places in found.items()}


# Routes


def _routes(repositories: RepositorySet) -> Iterator[SourceEdge]:
    """Texts of one repository that are routes of another, and none of its own."""
    served = {name: _served(index) for name, index in repositories}
    for one, other in permutations(served, 2):
        wanted = sorted(served[other].keys() - served[one].keys())[:_MOST_ROUTES]
        for path, line, route in _spelled(repositories[one], frozenset(wanted)) if wanted else ():
            for target in served[other][route][:_MOST_ALIKE]:
                yield SourceEdge(
                    source=f"{one}:{path}", target=f"{other}:{target}", kind="routes", certainty=_SPELLED, line=line
                )


def _served(index: RepositoryIndex) -> dict[str, list[str]]:
    """Routes of two names or more without parameters, each with the files that serve it; shorter ones many have."""
    found: dict[str, list[str]] = {}
    for file in _read(index):
        for fact in index.facts(file.path).facts if file.role == "source" else ():
            if fact.kind == "route" and _ROUTE.fullmatch(fact.name):
                places = found.setdefault(fact.name, [])
                if file.path not in places:
                    places.append(file.path)
    return found


def _spelled(index: RepositoryIndex, routes: frozenset[str]) -> Iterator[tuple[str, int, str]]:
    """Where code spells one of these routes as a whole text, each file and route once."""
    wanted = "".join(f"{route}\n" for route in sorted(routes)).encode()
    found = git(
        index.root, "grep", "-n", "-z", "-I", "-F", "--untracked", "--no-color", "-f", "-", stdin=wanted, accept=(0, 1)
    )
    seen: set[tuple[str, str]] = set()
    for path, number, text in _hits(found):
        file = index.by_path.get(path)
        if file is None or file.skipped is not None or file.role != "source":
            continue
        for _, literal in _LITERAL.findall(text):
            if literal in routes and (path, literal) not in seen:
                seen.add((path, literal))
                yield path, number, literal


def _hits(answer: bytes) -> Iterator[tuple[str, int, str]]:
    for hit in answer.split(b"\n"):
        path, _, rest = hit.partition(b"\0")
        found = _NUMBERED.fullmatch(rest)
        if found is not None:
            yield os.fsdecode(path), int(found[1]), found[2].decode("utf-8", "replace")
