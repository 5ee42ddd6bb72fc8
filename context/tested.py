"""Which tests are about which files: by their names and folders, by what they import and by what they use."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from .classes import parts_of
from .edges import callers_of, references_to, world_of
from .families import HABITS
from .importers import importing, mentioning
from .index import RepositoryIndex
from .languages import language_of
from .paths import folder_of, name_of
from .relations import Used, import_edges, uses_of
from .scopes import ROUTINES, TYPES, Scope
from .syntax import FileFacts, Symbol
from .world import World

_NAMED: Final = 0.85
_NAMED_IN_PART: Final = 0.5
_IMPORTED: Final = 0.5
_USED: Final = 0.6
_SUREST: Final = 0.97
_LEAST: Final = 0.2
_WHOLE_FILE: Final = 0.6
"""What a test of a file is worth for one definition of it."""
_MOST_NAMES: Final = 30
_FEW: Final = 4


Walked = tuple[FileFacts, list[Used]]
"""The facts of a test file and what the names mean that it uses."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TestLink:
    """A test file and what it is about, with why that is thought."""

    test: str
    subject: str
    certainty: float
    reasons: tuple[str, ...]

    __test__ = False


def tests_for(index: RepositoryIndex, path: str, symbol: Symbol | None = None) -> tuple[TestLink, ...]:
    """The test files about a file, or about one definition of it; the likeliest first."""
    world = world_of(index)
    found = {test: link for test in _candidates(index, world, path) if (link := _links(index, world, test).get(path))}
    if symbol is not None:
        found = _about(index, path, symbol, found)
    return tuple(sorted(found.values(), key=lambda link: (-link.certainty, link.test)))


def tested_by(index: RepositoryIndex, test: str, walked: Walked | None = None) -> tuple[TestLink, ...]:
    """The files that a test file is about; the likeliest first. `walked` is what a walk of the tree has at hand."""
    links = _links(index, world_of(index), test, walked).values()
    return tuple(sorted(links, key=lambda link: (-link.certainty, link.subject)))


def _about(index: RepositoryIndex, path: str, symbol: Symbol, of_file: Mapping[str, TestLink]) -> dict[str, TestLink]:
    """Tests that use the definition itself are surer than those of its file."""
    found = {
        test: TestLink(test=test, subject=path, certainty=round(link.certainty * _WHOLE_FILE, 3), reasons=link.reasons)
        for test, link in of_file.items()
    }
    for edge in (*callers_of(index, path, symbol), *references_to(index, path, symbol)):
        test = edge.source.partition("#")[0].rpartition(":")[0] or edge.source
        if world_of(index).role(test) == "test" and (test not in found or found[test].certainty < edge.certainty):
            said = (f"uses {symbol.name}", *(of_file[test].reasons if test in of_file else ()))
            found[test] = TestLink(test=test, subject=path, certainty=edge.certainty, reasons=said)
    return found


def _candidates(index: RepositoryIndex, world: World, path: str) -> list[str]:
    """Test files that may be about a file: named after it, importing it, or using a name of it."""
    found = set(_tests_by_name(world).get(_plain_name(path), ()))
    found.update(importing(index, world, path))
    scope = world.scope(path)
    if scope.habits.nearby == "folder":
        found.update(world.table.paths.files_in(scope.folder))
    elif scope.habits.nearby != "import" or scope.habits.open_types:
        for name in _main_names(scope):
            found.update(mentioning(index, name))
    return sorted(test for test in found if world.role(test) == "test" and test != path)


def _links(index: RepositoryIndex, world: World, test: str, walked: Walked | None = None) -> Mapping[str, TestLink]:
    """All that a test file is about, by path."""
    key = ("tests", test)
    if key not in world.memory:
        world.memory[key] = _linked(index, world, test, walked) if world.role(test) == "test" else {}
    found: Mapping[str, TestLink] = world.memory[key]
    return found


def _linked(index: RepositoryIndex, world: World, test: str, walked: Walked | None) -> Mapping[str, TestLink]:
    said: dict[str, list[tuple[float, str]]] = {}
    for subject, certainty, reason in (*_by_name(world, test), *_by_use(index, world, test, walked)):
        if subject != test and world.role(subject) not in ("test", "fixture"):
            said.setdefault(subject, []).append((certainty, reason))
    links = (_link(test, subject, evidence) for subject, evidence in said.items())
    return {link.subject: link for link in links if link.certainty >= _LEAST}


def _link(test: str, subject: str, evidence: list[tuple[float, str]]) -> TestLink:
    """Several reasons make it surer than each of them."""
    doubt = 1.0
    for certainty, _ in evidence:
        doubt *= 1 - certainty
    reasons = tuple(dict.fromkeys(reason for _, reason in sorted(evidence, key=lambda each: (-each[0], each[1]))))
    return TestLink(test=test, subject=subject, certainty=round(min(_SUREST, 1 - doubt), 3), reasons=reasons)


def _by_use(index: RepositoryIndex, world: World, test: str, walked: Walked | None) -> list[tuple[str, float, str]]:
    """A test of one file uses it; one that uses ten is about none of them in particular."""
    scope = world.bound(test)
    facts, used = walked if walked is not None else _read(index, world, scope)
    imported = {edge.target: None for edge in import_edges(world, scope, facts, used)}
    surest: dict[str, tuple[float, str]] = {}
    for _, _, _, place, certainty in used:
        path = place.scope.path
        if path not in surest or surest[path][0] < certainty:
            surest[path] = (certainty, place.symbol.name)
    spelled = {word for use in facts.uses for word in (use.name, *parts_of(use.qualifier or ""))}
    reached = {path for path in surest if path in imported or _beside(world, scope, path, spelled)}
    sources = [path for path in {*imported, *reached} if world.role(path) not in ("test", "fixture")]
    share = min(1.0, (_FEW / max(1, len(sources))) ** 0.5)
    return [
        *((path, _IMPORTED * share, "imports it") for path in imported),
        *((path, _USED * surest[path][0] * share, f"uses {surest[path][1]}") for path in sorted(reached)),
    ]


def _read(index: RepositoryIndex, world: World, scope: Scope) -> Walked:
    facts = index.facts(scope.path)
    return facts, uses_of(world, scope, facts)


def _beside(world: World, test: Scope, path: str, spelled: set[str]) -> bool:
    """Whether a test sees a file without importing it, and says so by one of its names."""
    if test.habits.nearby == "folder":
        return folder_of(path) == test.folder
    if test.habits.nearby == "import" and not test.habits.open_types:
        return False
    return not spelled.isdisjoint(_main_names(world.scope(path)))


def _main_names(scope: Scope) -> tuple[str, ...]:
    found: tuple[str, ...] | None = scope.memory.get("main names")
    if found is None:
        tops = (s.name for s in scope.symbols if s.kind in _MAIN and scope.is_top(s))
        found = scope.memory["main names"] = tuple(dict.fromkeys(tops))[:_MOST_NAMES]
    return found


_MAIN: Final = TYPES | ROUTINES


# Names

_MARKS: Final = re.compile(
    r"^(?:tests?[_-]|Test(?=[A-Z])|spec[_-])|(?:[_.-](?:tests?|spec|specs|cy|e2e|unit|integration)|(?<=[a-z0-9])"
    r"(?:Tests?|TestCase|Spec|Specs|IT|ITCase))$"
)
_NOISE: Final = frozenset(
    """test tests __tests__ spec specs testing unit integration e2e src main java kotlin scala lib app python js ts
    functional it""".split()  # noqa: SIM905  (quoted one by one they would fill a page)
)  # fmt: skip
_LEAST_NAME: Final = 3


def _bare_name(path: str) -> str:
    """The name without its ending; of a file that speaks for its folder the folder's."""
    name = re.sub(r"(?<=.)(?:\.d)?\.\w+$", "", name_of(path))
    return name_of(folder_of(path)) if name in ("__init__", "index", "mod", "lib") else name


def _compared(name: str) -> str:
    return re.sub(r"[_.-]", "", name).lower()


def _plain_name(path: str) -> str:
    return _compared(_bare_name(path))


def _subject_names(test: str) -> tuple[str, ...]:
    """What a test is named after, the whole name first, then ever shorter beginnings of it."""
    bare = _bare_name(test)
    whole = bare
    for _ in range(2):
        whole = _MARKS.sub("", whole)
    if whole == bare:
        return ()
    words = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+", whole)
    starts = ("".join(words[:count]).lower() for count in range(len(words), 0, -1))
    return tuple(dict.fromkeys(name for name in (_compared(whole), *starts) if len(name) >= _LEAST_NAME))


def _by_name(world: World, test: str) -> list[tuple[str, float, str]]:
    names = _subject_names(test)
    family = world.scope(test).habits.family
    for rank, name in enumerate(names):
        alike = [path for path in _sources_by_name(world).get(name, ()) if world.scope(path).habits.family == family]
        if alike:
            best = _nearest(test, alike)
            certainty = (_NAMED if rank == 0 else _NAMED_IN_PART) / len(best)
            return [(path, certainty, "named after it" if rank == 0 else "named after it in part") for path in best]
    return []


def _nearest(test: str, alike: Iterable[str]) -> list[str]:
    """Those whose folders are most like the test's, what only says source or test left out."""
    scored = [(_likeness(_folders(test), _folders(path)), path) for path in alike]
    best = max(score for score, _ in scored)
    return [path for score, path in scored if score == best]


def _folders(path: str) -> list[str]:
    return [name for name in folder_of(path).lower().split("/") if name and name not in _NOISE]


def _likeness(one: list[str], other: list[str]) -> tuple[int, int]:
    """Folders in common from the inside out, then from the outside in, those that only one has counted against."""
    ending = _common(one[::-1], other[::-1])
    return ending + _common(one, other), -abs(len(one) - len(other))


def _common(one: list[str], other: list[str]) -> int:
    count = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        count += 1
    return count


def _is_code(path: str) -> bool:
    language = language_of(path)
    return language is not None and language.name in HABITS


def _sources_by_name(world: World) -> Mapping[str, list[str]]:
    if "sources by name" not in world.memory:
        found: dict[str, list[str]] = {}
        for path in world.table.paths.all:
            if _is_code(path) and world.role(path) not in ("test", "fixture", "vendored", "generated"):
                found.setdefault(_plain_name(path), []).append(path)
        world.memory["sources by name"] = found
    sources: Mapping[str, list[str]] = world.memory["sources by name"]
    return sources


def _tests_by_name(world: World) -> Mapping[str, list[str]]:
    if "tests by name" not in world.memory:
        found: dict[str, list[str]] = {}
        for path in world.table.paths.all:
            if _is_code(path) and world.role(path) == "test":
                for name in _subject_names(path):
                    found.setdefault(name, []).append(path)
        world.memory["tests by name"] = found
    tests: Mapping[str, list[str]] = world.memory["tests by name"]
    return tests
