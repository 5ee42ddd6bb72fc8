"""What past commits say about files: how often and when they changed, in which words, and together with which others.

Only ancestors of the commit count, and ages are measured from the newest of them: never from now. A file that was
moved keeps its past under its new name. Paths may be gone from the tree; whoever shows them asks the index first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import log, sqrt
from typing import Final

from .commits import Commit, CommitStore, Past, past
from .git import Repository

MOST_COMMITS: Final = 2_000
_YEAR_SECONDS: Final = 365.25 * 86_400
_CHURN_HALF_LIFE_YEARS: Final = 1.0
# What a commit was about stays true for longer than that its files are busy. Measured by foretelling the files of
# later commits: three years found more than one, and commits of few files more than all.
_MEANING_HALF_LIFE_YEARS: Final = 3.0
# However old: a commit with a wrong date must not make all others worth nothing.
_LEAST_WORTH: Final = 1 / 64
_FEW_PATHS: Final = 30
_MOST_TOGETHER: Final = 60
_SATURATION: Final = 1.2
_LENGTH_WEIGHT: Final = 0.75
_DIGITS: Final = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Churn:
    """How often a file changed; in `recent` a change counts half for each year that it is older. `last` is a commit."""

    commits: int
    recent: float
    last: str
    last_time: int


@dataclass(frozen=True, slots=True, kw_only=True)
class NearCommit:
    """A commit whose message is like the words asked for, and its files under the names they have now."""

    commit: Commit
    score: float
    paths: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CoChange:
    """A file that changed in the same commits. `together`, `weight` and `lift` are the same seen from either file.

    `weight` counts a commit less the more files it has and the older it is; `confidence` is the share of the asked
    file's commits; `lift` is above 1 when they meet more often than by chance.
    """

    path: str
    together: int
    weight: float
    confidence: float
    lift: float


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageField:
    """The messages of each file's commits as one more field of text: term -> path -> frequency, path -> length.

    A commit counts less the more files it has and the older it is, so frequencies and lengths are no whole numbers.
    """

    frequencies: Mapping[str, Mapping[str, float]]
    lengths: Mapping[str, float]
    average: float


class History:
    """The past of one commit. `problem` tells in words why nothing is known, where something could be."""

    def __init__(self, known: Past) -> None:
        self.commits = known.commits
        self.shallow = known.shallow
        self.problem = known.problem
        self._now = known.commits[0].time if known.commits else 0

    @classmethod
    def of(
        cls, repository: Repository, store: CommitStore, commit: str | None, most_commits: int = MOST_COMMITS
    ) -> History:
        """The last commits up to this one; reads those that the store does not have, and keeps them there."""
        return cls(past(repository, store, commit, most_commits))

    def churn(self, path: str) -> Churn | None:
        """None when no commit that we know touched it."""
        touching = self._touching.get(path)
        if touching is None:
            return None
        last = self.commits[touching[0]]
        recent = sum(self._busyness[at] for at in touching)
        return Churn(commits=len(touching), recent=round(recent, _DIGITS), last=last.id, last_time=last.time)

    def nearest(self, terms: Mapping[str, float], most: int = 30) -> tuple[NearCommit, ...]:
        """Commits by likeness of their message to these terms and their weights (BM25, less by age), best first."""
        likeness = self._likeness(terms)
        scores = {at: round(score * self._meaning[at], _DIGITS) for at, score in likeness.items() if self.paths[at]}
        best = sorted(scores.items(), key=lambda item: (-item[1], item[0]))[:most]
        return tuple(
            NearCommit(commit=self.commits[at], score=score, paths=self.paths[at]) for at, score in best if score > 0
        )

    def votes(self, terms: Mapping[str, float], most: int = 30) -> dict[str, float]:
        """Files by the nearest commits that touched them: score squared, shared by the root of their number."""
        votes: dict[str, float] = {}
        for near in self.nearest(terms, most):
            for path in near.paths:
                votes[path] = votes.get(path, 0.0) + near.score**2 / sqrt(len(near.paths))
        return {path: round(vote, _DIGITS) for path, vote in votes.items()}

    def messages(self, terms: Mapping[str, float]) -> MessageField:
        """How often the messages of each file's commits hold these terms."""
        frequencies: dict[str, dict[str, float]] = {}
        for term in terms:
            column = frequencies[term] = {}
            for at, times in self._holding.get(term, ()):
                share = self._shares.get(at, 0.0) * times
                for path in self.paths[at] if share else ():
                    column[path] = column.get(path, 0.0) + share
        lengths, average = self._lengths
        return MessageField(frequencies=frequencies, lengths=lengths, average=average)

    def co_changed(self, path: str, most: int = 20, among: Container[str] | None = None) -> tuple[CoChange, ...]:
        """Files that changed together with this one, most tied first; only those `among` these, when given."""
        shared = [at for at in self._touching.get(path, ()) if self._tells_ties(at)]
        together: Counter[str] = Counter()
        weights: dict[str, float] = {}
        for at in shared:
            others = [other for other in self.paths[at] if other != path]
            share = self._meaning[at] / sqrt(len(others) or 1)
            together.update(others)
            for other in others:
                weights[other] = weights.get(other, 0.0) + share
        ties = ((round(weight, _DIGITS), other) for other, weight in weights.items() if among is None or other in among)
        best = sorted(ties, key=lambda tie: (-tie[0], tie[1]))[:most]
        return tuple(
            CoChange(
                path=other,
                together=together[other],
                weight=weight,
                confidence=round(together[other] / len(shared), _DIGITS),
                lift=round(together[other] * self._tying / (len(shared) * self._ties_of(other)), _DIGITS),
            )
            for weight, other in best
        )

    @cached_property
    def paths(self) -> tuple[tuple[str, ...], ...]:
        """Each commit's files under the names that they have now, sorted; none where a commit touched too many."""
        names: dict[str, str] = {}
        found = []
        for commit in self.commits:
            names |= {old: names.get(new, new) for old, new in commit.moves}
            found.append(tuple(sorted({names.get(path, path) for path in commit.paths})))
        return tuple(found)

    @cached_property
    def _touching(self) -> dict[str, list[int]]:
        """Which commits touched a path, newest first."""
        touching: dict[str, list[int]] = {}
        for at, paths in enumerate(self.paths):
            for path in paths:
                touching.setdefault(path, []).append(at)
        return touching

    def _worth(self, at: int, half_life_years: float) -> float:
        age = max(0, self._now - self.commits[at].time)
        return max(_LEAST_WORTH, float(0.5 ** (age / (half_life_years * _YEAR_SECONDS))))

    @cached_property
    def _busyness(self) -> tuple[float, ...]:
        return tuple(self._worth(at, _CHURN_HALF_LIFE_YEARS) for at in range(len(self.commits)))

    @cached_property
    def _meaning(self) -> tuple[float, ...]:
        return tuple(self._worth(at, _MEANING_HALF_LIFE_YEARS) for at in range(len(self.commits)))

    @cached_property
    def _sizes(self) -> tuple[int, ...]:
        return tuple(sum(commit.terms.values()) for commit in self.commits)

    @cached_property
    def _shares(self) -> dict[int, float]:
        """What a commit's words count for each of its files, where it has few."""
        few = (at for at, paths in enumerate(self.paths) if 0 < len(paths) <= _FEW_PATHS)
        return {at: self._meaning[at] / sqrt(len(self.paths[at])) for at in few}

    @cached_property
    def _lengths(self) -> tuple[dict[str, float], float]:
        lengths: dict[str, float] = {}
        for at, share in self._shares.items():
            for path in self.paths[at]:
                lengths[path] = lengths.get(path, 0.0) + share * self._sizes[at]
        return lengths, sum(lengths.values()) / (len(lengths) or 1)

    def _tells_ties(self, at: int) -> bool:
        return 0 < len(self.paths[at]) <= _MOST_TOGETHER

    @cached_property
    def _tying(self) -> int:
        return sum(self._tells_ties(at) for at in range(len(self.commits)))

    def _ties_of(self, path: str) -> int:
        return sum(self._tells_ties(at) for at in self._touching[path])

    def _likeness(self, terms: Mapping[str, float]) -> dict[int, float]:
        """BM25 of each commit's message that has any of the terms."""
        average = sum(self._sizes) / (len(self._sizes) or 1) or 1.0
        scores: dict[int, float] = {}
        for term in sorted(terms):
            holding = self._holding.get(term, ())
            rarity = log(1 + (len(self.commits) - len(holding) + 0.5) / (len(holding) + 0.5))
            for at, times in holding:
                damping = _SATURATION * (1 - _LENGTH_WEIGHT + _LENGTH_WEIGHT * self._sizes[at] / average)
                gain = terms[term] * rarity * times * (_SATURATION + 1) / (times + damping)
                scores[at] = scores.get(at, 0.0) + gain
        return scores

    @cached_property
    def _holding(self) -> dict[str, list[tuple[int, int]]]:
        """Term → the commits whose messages have it, and how often."""
        holding: dict[str, list[tuple[int, int]]] = {}
        for at, commit in enumerate(self.commits):
            for term, times in commit.terms.items():
                holding.setdefault(term, []).append((at, times))
        return holding
