"""Fuses the channels into one order of files, and scores the regions inside the best of them."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Sequence
from dataclasses import dataclass, field, replace
from heapq import nsmallest
from typing import Final

from .channel import Channel, Ranking, scaled
from .channels import CHANNELS, LATER, rarities, role_prior
from .filed import IndexedFile
from .index import FileView, RepositoryIndex
from .model import ChannelScore, RetrievalCandidate, Role, SourceNode
from .regions import QueryWords, scored
from .task import Query

REGIONS: Final = "regions"
"""The channel of a file's best region; only files that lead by the others are read for it."""
_REGIONS_WEIGHT: Final = 2.4
_LOOKED_INTO: Final = 24
_LEADERS: Final = 3
_POINTING: Final = frozenset({"path", "frame", "diff"})
_POINTED_AT: Final = 0.5
_POINTED_AT_PRIOR: Final = 0.7
"""A file that the task points at is meant, whatever its role."""
_NOT_SHOWN: Final = ("secret", "ignored", "symlink", "submodule", "absent")
_MOST_FILES: Final = 200
_MOST_VIEWED_CHARACTERS: Final = 400_000
_NAME_TIE: Final = 0.7
_TESTS: Final[dict[Role, float]] = {"test": 1.0, "fixture": 0.8}
"""What counts as a test when tests are ranked. The prior of a fixture among all files is lower than that of a test."""
_DIGITS: Final = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedFile:
    """A file with its fused score, what each channel said, and why."""

    file: IndexedFile
    score: float
    channels: tuple[ChannelScore, ...]
    reasons: tuple[str, ...]

    def of(self, channel: str) -> float:
        return next((said.score for said in self.channels if said.channel == channel), 0.0)


Row = tuple[str, float, Channel]
"""A channel's name, its weight and its function."""


def rank_files(
    index: RepositoryIndex, query: Query, *, without: Collection[str] = (), more: Sequence[Row] = ()
) -> tuple[RankedFile, ...]:
    """Files by weighted sum of the channels times the prior of their role, best first; a tie goes by path.

    The best so far are looked at once more: by their best region and by what changes together with them. `without`
    names channels that are not asked, `more` are further ones. A score of 1.0 would be the best of every channel.
    """
    fusion = _Fusion(index, query)
    for name, weight, channel in (*CHANNELS, *more):
        if name not in without:
            fusion.add(name, weight, channel(index, query))
    if REGIONS not in without:
        fusion.add(REGIONS, _REGIONS_WEIGHT, _by_regions(index, query, fusion.leading(_LOOKED_INTO)))
    leading = [file.path for file in fusion.leading(_LEADERS)]
    for name, weight, later in LATER:
        if name not in without:
            fusion.add(name, weight, later(index, query, leading))
    return fusion.ranked()


class _Fusion:
    """The sum so far, with what each channel said."""

    def __init__(self, index: RepositoryIndex, query: Query) -> None:
        self._index = index
        self._query = query
        self._said: dict[str, list[ChannelScore]] = {}
        self._reasons: dict[str, list[str]] = {}
        self._sums: dict[str, float] = {}
        self._whole = 0.0
        self._priors: dict[str, float] = {}
        self._pointed_at: set[str] = set()

    def add(self, name: str, weight: float, ranking: Ranking) -> None:
        self._whole += weight
        best = nsmallest(_MOST_FILES, ranking.scores.items(), key=lambda item: (-item[1], item[0]))
        for rank, (path, score) in enumerate(best, start=1):
            self._said.setdefault(path, []).append(ChannelScore(channel=name, rank=rank, score=round(score, _DIGITS)))
            self._sums[path] = self._sums.get(path, 0.0) + weight * score
            if name in _POINTING and score >= _POINTED_AT:
                self._pointed_at.add(path)
            if path in ranking.reasons:
                self._reasons.setdefault(path, []).append(ranking.reasons[path])

    def leading(self, most: int) -> list[IndexedFile]:
        """The files that lead so far; tests only where they are asked for, since they are ranked apart."""
        scores = (
            (-score * self._prior(path), path)
            for path, score in self._sums.items()
            if self._query.wants_tests or self._index.by_path[path].role != "test"
        )
        best = nsmallest(most, (each for each in scores if each[0] < 0))
        return [self._index.by_path[path] for _, path in best]

    def ranked(self) -> tuple[RankedFile, ...]:
        whole = self._whole or 1.0
        ranked = [
            RankedFile(
                file=self._index.by_path[path],
                score=round(score * self._prior(path) / whole, _DIGITS),
                channels=tuple(self._said[path]),
                reasons=tuple(self._reasons.get(path, ())) or ("words of the task",),
            )
            for path, score in self._sums.items()
            if self._prior(path) > 0
        ]
        return tuple(sorted(ranked, key=lambda each: (-each.score, each.file.path)))

    def _prior(self, path: str) -> float:
        """The factor of a file's role; none of a file that must not be shown."""
        if path not in self._priors:
            file = self._index.by_path[path]
            self._priors[path] = 0.0 if file.skipped in _NOT_SHOWN else role_prior(file, self._query)
        prior = self._priors[path]
        return max(prior, _POINTED_AT_PRIOR) if prior and path in self._pointed_at else prior


def _by_regions(index: RepositoryIndex, query: Query, files: Iterable[IndexedFile]) -> Ranking:
    """Files by the best of their regions."""
    scorer = RegionScorer(index, query)
    return Ranking(scores=scaled({file.path: scorer.best(file.path) for file in files}), reasons={})


def rank_tests(ranked: Iterable[RankedFile], leading: Iterable[RankedFile]) -> tuple[RankedFile, ...]:
    """Test files, and what they are fed with, among themselves; one that is named after a leading file moves up."""
    stems = {_plain_stem(each.file.path) for each in leading}
    tests = [
        replace(each, score=round(each.score * _as_test(each, stems), _DIGITS))
        for each in ranked
        if each.file.role in _TESTS
    ]
    return tuple(sorted(tests, key=lambda each: (-each.score, each.file.path)))


def _as_test(each: RankedFile, stems: Container[str]) -> float:
    return (1 + _NAME_TIE * (_plain_stem(each.file.path) in stems)) * _TESTS[each.file.role]


@dataclass(slots=True)
class _Seen:
    """What one query has looked at."""

    words: QueryWords
    views: dict[str, FileView | None] = field(default_factory=dict)
    scored: dict[str, list[tuple[float, SourceNode]]] = field(default_factory=dict)


def _plain_stem(path: str) -> str:
    """`tests/test_calc.py`, `CalcTest.java`, `calc.spec.ts` and `calc.py` have one: `calc`."""
    name = path.rsplit("/", 1)[-1].lower().split(".", 1)[0]
    for mark in ("test_", "tests_"):
        name = name.removeprefix(mark)
    for mark in ("_test", "_tests", "_spec", "tests", "test", "spec"):
        name = name.removesuffix(mark) if name != mark else name
    return name.strip("_-")


class RegionScorer:
    """Scores the regions of files for one query; each file is read at most once, whoever asks."""

    def __init__(self, index: RepositoryIndex, query: Query) -> None:
        held = index.memory.get("regions")
        if held is None or held[0] is not query:
            held = index.memory["regions"] = (query, _Seen(QueryWords(query.terms, rarities(index, query.terms))))
        self._seen: _Seen = held[1]
        self._index = index
        self._lines = {(frame.path.rsplit("/", 1)[-1], frame.line) for frame in query.frames}
        self._names = frozenset(query.identifiers)

    def view(self, path: str) -> FileView | None:
        if path not in self._seen.views:
            self._seen.views[path] = self._index.view(path)
        return self._seen.views[path]

    def best(self, path: str) -> float:
        """The score of the best region of a file."""
        return max((score for score, _ in self._scored(path)), default=0.0)

    def regions(self, ranked: RankedFile, slot: str) -> tuple[RetrievalCandidate, ...]:
        """The regions of a file that hold words of the task, best first, with raw scores and without text."""
        return tuple(self._candidates(self._scored(ranked.file.path), ranked, slot))

    def _scored(self, path: str) -> list[tuple[float, SourceNode]]:
        if path not in self._seen.scored:
            view = self.view(path)
            small = view is not None and len(view.text) <= _MOST_VIEWED_CHARACTERS
            self._seen.scored[path] = scored(view, self._seen.words) if view is not None and small else []
        return self._seen.scored[path]

    def _candidates(
        self, units: Iterable[tuple[float, SourceNode]], ranked: RankedFile, slot: str
    ) -> Iterable[RetrievalCandidate]:
        found = []
        for score, node in units:
            boost, reasons = self._anchored(node)
            if score * boost > 0 or boost > 1:
                found.append((score * boost + (boost > 1), node, reasons))
        found.sort(key=lambda each: (-each[0], each[1].start))
        for rank, (score, node, reasons) in enumerate(found, start=1):
            yield RetrievalCandidate(
                node=node,
                score=score,
                channels=(*ranked.channels, ChannelScore(channel="region", rank=rank, score=round(score, _DIGITS))),
                reasons=(*ranked.reasons, *reasons),
                slot=slot,
            )

    def _anchored(self, node: SourceNode) -> tuple[float, tuple[str, ...]]:
        """A factor for a region that the task points at, and how it does."""
        name = node.path.rsplit("/", 1)[-1]
        if any(at == name and node.start <= line <= node.end for at, line in self._lines):
            return 2.0, ("holds a line of the stack trace",)
        if node.name in self._names and node.kind != "region":
            return 1.5, (f"defines {node.name}",)
        return 1.0, ()
