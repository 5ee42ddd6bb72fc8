"""What an index holds, counted: how each language was read, what fell back and why, and how its files are related."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from .edges import packages_of, world_of
from .filed import IndexedFile
from .filling import Progress
from .graph import all_edges
from .imports import resolve
from .index import RepositoryIndex
from .source_edge import SourceEdge
from .syntax import Parser

EXAMPLES: Final = 3
UNKNOWN: Final = "unknown"
SURE: Final = 0.9
LIKELY: Final = 0.6
"""From here up an edge is `sure`, from here up `likely`, below `guessed`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Imports:
    """Statements that import, by what they mean: files of the tree, something outside of it, nothing that is known."""

    resolved: int = 0
    external: int = 0
    unresolved: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """Files, and the bytes in them."""

    files: int = 0
    bytes: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class LanguageRow:
    """One language: what was read of it, and by which reader."""

    language: str
    files: int
    bytes: int
    lines: int
    by: tuple[tuple[Parser, Read], ...]
    symbols: int
    imports: Imports

    def read_by(self, parser: Parser) -> Read:
        return dict(self.by).get(parser, Read())


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Files that share a reason, with the first few of them."""

    why: str
    files: int
    examples: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class EdgeRow:
    """The edges of one kind, by how certain they are."""

    kind: str
    count: int
    sure: int
    likely: int
    guessed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PackageStatistics:
    """The packages that the tree's manifests speak of, and the manifests that say nothing to us."""

    by_ecosystem: tuple[tuple[str, int], ...] = ()
    problems: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Statistics:
    """All that is counted of one state of a tree."""

    languages: tuple[LanguageRow, ...]
    coverage: tuple[tuple[Parser, Read], ...]
    fell_back: tuple[Group, ...]
    skipped: tuple[Group, ...]
    packages: PackageStatistics
    facts: tuple[tuple[str, int], ...]
    edges: tuple[EdgeRow, ...]
    imports: Imports


def statistics(index: RepositoryIndex, progress: Progress | None = None) -> Statistics:
    """Count everything. Edges are counted as they come and not kept. `progress` hears of files."""
    edges = edge_rows(_told(index, all_edges(index), progress))
    read = [file for file in index.files if file.number is not None and file.skipped is None]
    symbols, facts, imports = _contents(index, read)
    return Statistics(
        languages=_languages(read, symbols, imports),
        coverage=_readers(read),
        fell_back=groups((file.problem, file.path) for file in read),
        skipped=groups((file.skipped, file.path) for file in index.files),
        packages=_packages(index),
        facts=tuple(sorted(facts.items())),
        edges=edges,
        imports=_imports(sum(imports.values(), Counter())),
    )


def edge_rows(edges: Iterable[SourceEdge]) -> tuple[EdgeRow, ...]:
    """Edges counted by kind, the most frequent kind first."""
    counts: Counter[tuple[str, int]] = Counter((edge.kind, _class_of(edge.certainty)) for edge in edges)
    kinds = Counter({kind: 0 for kind, _ in counts})
    for (kind, _), number in counts.items():
        kinds[kind] += number
    return tuple(
        EdgeRow(kind=kind, count=count, sure=counts[kind, 2], likely=counts[kind, 1], guessed=counts[kind, 0])
        for kind, count in sorted(kinds.items(), key=lambda each: (-each[1], each[0]))
    )


def groups(reasons: Iterable[tuple[str | None, str]]) -> tuple[Group, ...]:
    """Paths by reason, the most frequent reason first; a path without one is left out."""
    found: dict[str, list[str]] = {}
    for why, path in reasons:
        if why is not None:
            found.setdefault(why, []).append(path)
    rows = (Group(why=why, files=len(paths), examples=tuple(paths[:EXAMPLES])) for why, paths in found.items())
    return tuple(sorted(rows, key=lambda row: (-row.files, row.why)))


def _class_of(certainty: float) -> int:
    return (certainty >= SURE) + (certainty >= LIKELY)


def _told(index: RepositoryIndex, edges: Iterator[SourceEdge], progress: Progress | None) -> Iterator[SourceEdge]:
    """The same edges; they come file by file, so their sources say how far it is."""
    if progress is None:
        yield from edges
        return
    places = {file.path: place for place, file in enumerate(index.files, start=1)}
    reached = 0
    for edge in edges:
        place = places.get(edge.source, 0)
        if place > reached:
            progress(reached := place, len(places))
        yield edge


Counts = tuple[Counter[str], Counter[str], dict[str, Counter[str]]]
"""Symbols by language, facts by kind, and by language what its imports mean."""


def _contents(index: RepositoryIndex, read: Iterable[IndexedFile]) -> Counts:
    symbols: Counter[str] = Counter()
    facts: Counter[str] = Counter()
    imports: dict[str, Counter[str]] = {}
    world = world_of(index)
    for file in read:
        found = index.facts(file.path)
        language = file.language or UNKNOWN
        symbols[language] += len(found.symbols)
        facts.update(fact.kind for fact in found.facts)
        if found.imports:
            meant = imports.setdefault(language, Counter())
            for each, targets in world.bound(file.path).resolved:
                external = not targets and resolve(file.path, each, world.table).external
                meant["resolved" if targets else "external" if external else "unresolved"] += 1
    return symbols, facts, imports


def _languages(
    read: list[IndexedFile], symbols: Counter[str], imports: dict[str, Counter[str]]
) -> tuple[LanguageRow, ...]:
    """Most bytes first."""
    by_language: dict[str, list[IndexedFile]] = {}
    for file in read:
        by_language.setdefault(file.language or UNKNOWN, []).append(file)
    rows = (
        LanguageRow(
            language=language,
            files=len(files),
            bytes=sum(file.size or 0 for file in files),
            lines=sum(file.lines or 0 for file in files),
            by=_readers(files),
            symbols=symbols[language],
            imports=_imports(imports.get(language, Counter())),
        )
        for language, files in by_language.items()
    )
    return tuple(sorted(rows, key=lambda row: (-row.bytes, row.language)))


def _readers(files: Iterable[IndexedFile]) -> tuple[tuple[Parser, Read], ...]:
    counted: dict[Parser, tuple[int, int]] = {"tree-sitter": (0, 0), "patterns": (0, 0), "lines": (0, 0)}
    for file in files:
        number, size = counted[file.parser]
        counted[file.parser] = (number + 1, size + (file.size or 0))
    return tuple((parser, Read(files=number, bytes=size)) for parser, (number, size) in counted.items())


def _imports(counts: Counter[str]) -> Imports:
    return Imports(resolved=counts["resolved"], external=counts["external"], unresolved=counts["unresolved"])


def _packages(index: RepositoryIndex) -> PackageStatistics:
    packages = packages_of(index)
    return PackageStatistics(
        by_ecosystem=tuple(sorted(Counter(package.ecosystem for package in packages.all).items())),
        problems=tuple((problem.path, problem.why) for problem in packages.problems),
    )
