"""Fuses the channels into one order of files, and scores the regions inside the best of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from .channels import CHANNELS, rarities, role_prior
from .filed import IndexedFile
from .index import FileView, RepositoryIndex
from .model import ChannelScore, RetrievalCandidate, SourceNode
from .regions import scored
from .task import Query

_MOST_FILES: Final = 200
_MOST_VIEWED_CHARACTERS: Final = 400_000
_NAME_TIE: Final = 0.5
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


def rank_files(index: RepositoryIndex, query: Query) -> tuple[RankedFile, ...]:
    """Files by weighted sum of the channels times the prior of their role, best first; a tie goes by path."""
    said: dict[str, list[ChannelScore]] = {}
    reasons: dict[str, list[str]] = {}
    fused: dict[str, float] = {}
    for name, weight, channel in CHANNELS:
        ranking = channel(index, query)
        best = sorted(ranking.scores.items(), key=lambda item: (-item[1], item[0]))[:_MOST_FILES]
        for rank, (path, score) in enumerate(best, start=1):
            said.setdefault(path, []).append(ChannelScore(channel=name, rank=rank, score=round(score, _DIGITS)))
            fused[path] = fused.get(path, 0.0) + weight * score
            if path in ranking.reasons:
                reasons.setdefault(path, []).append(ranking.reasons[path])
    ranked = [
        RankedFile(
            file=index.by_path[path],
            score=round(score * role_prior(index.by_path[path], query), _DIGITS),
            channels=tuple(said[path]),
            reasons=tuple(reasons.get(path, ())) or ("words of the task",),
        )
        for path, score in fused.items()
        if index.by_path[path].skipped not in ("secret", "ignored", "symlink", "submodule", "absent")
    ]
    return tuple(sorted(ranked, key=lambda each: (-each.score, each.file.path)))


def rank_tests(ranked: Iterable[RankedFile], leading: Iterable[RankedFile]) -> tuple[RankedFile, ...]:
    """Test files among themselves; one that is named after a leading file moves up."""
    stems = {_plain_stem(each.file.path) for each in leading}
    tests = [
        RankedFile(
            file=each.file,
            score=round(each.score + _NAME_TIE * each.score * (_plain_stem(each.file.path) in stems), _DIGITS),
            channels=each.channels,
            reasons=each.reasons,
        )
        for each in ranked
        if each.file.role == "test"
    ]
    return tuple(sorted(tests, key=lambda each: (-each.score, each.file.path)))


def _plain_stem(path: str) -> str:
    """`tests/test_calc.py`, `CalcTest.java`, `calc.spec.ts` and `calc.py` have one: `calc`."""
    name = path.rsplit("/", 1)[-1].lower().split(".", 1)[0]
    for mark in ("test_", "tests_"):
        name = name.removeprefix(mark)
    for mark in ("_test", "_tests", "_spec", "tests", "test", "spec"):
        name = name.removesuffix(mark) if name != mark else name
    return name.strip("_-")


class RegionScorer:
    """Scores the regions of files for one query; each file is read at most once."""

    def __init__(self, index: RepositoryIndex, query: Query) -> None:
        self._index = index
        self._query = query
        self._rarities = rarities(index, query.terms)
        self._lines = {(frame.path.rsplit("/", 1)[-1], frame.line) for frame in query.frames}
        self._names = frozenset(query.identifiers)
        self._done: dict[str, tuple[RetrievalCandidate, ...]] = {}
        self._views: dict[str, FileView | None] = {}

    def view(self, path: str) -> FileView | None:
        if path not in self._views:
            self._views[path] = self._index.view(path)
        return self._views[path]

    def regions(self, ranked: RankedFile, slot: str) -> tuple[RetrievalCandidate, ...]:
        """The regions of a file that hold words of the task, best first, with raw scores and without text."""
        path = ranked.file.path
        if path not in self._done:
            view = self.view(path)
            if view is None or len(view.text) > _MOST_VIEWED_CHARACTERS:
                self._done[path] = ()
            else:
                self._done[path] = tuple(self._candidates(view, ranked, slot))
        return self._done[path]

    def _candidates(self, view: FileView, ranked: RankedFile, slot: str) -> Iterable[RetrievalCandidate]:
        found = []
        for score, node in scored(view, self._query.terms, self._rarities):
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
