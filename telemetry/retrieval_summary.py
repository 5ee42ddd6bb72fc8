"""Scores of many tasks put together: by group, with intervals over repositories, and what a verdict was worth.

Tasks of one repository are alike, so whole repositories are drawn again, never single tasks. The draws have a fixed
seed: the same scores give the same intervals.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha1
from random import Random
from statistics import fmean, median
from typing import Final, Literal, get_args

from .retrieval import Gold, Packet, TaskScore

DRAWS: Final = 2_000
_SEED: Final = 20_261_201
_LEAST_REPOSITORIES: Final = 5
_SIZES: Final = ((1_000, "under 1,000 files"), (5_000, "1,000 to 4,999 files"))
PACKETS: Final[tuple[Packet, ...]] = get_args(Packet)

How = Literal["mean", "median", "p95", "sum"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """A figure of a group of tasks: which of a task's values it is made of, and how."""

    name: str
    of: str
    how: How = "mean"


def _means(*names: str) -> tuple[Measure, ...]:
    return tuple(Measure(name=name, of=name) for name in names)


MEASURES: Final = (
    *_means("recall@1", "recall@3", "recall@5", "recall@10", "all@10", "mrr", "ndcg@10", "test_recall@10"),
    *_means("line_recall", "line_precision", "hunk_recall", "hunk_recall@1500", "hunk_recall@3000", "every_hunk"),
    *_means("packed_line_recall", "packed_hunk_recall"),
    Measure(name="sufficient_budget", of="sufficient_budget", how="median"),
    *_means("packet_precision", "distractor_share", "duplicate_share", "context_recall", "context_f1"),
    Measure(name="hallucinated", of="hallucinated", how="sum"),
    *_means("slots_covered", "required_slots_covered"),
    Measure(name="tokens", of="tokens", how="median"),
    Measure(name="packet_tokens", of="packet_tokens", how="median"),
    Measure(name="seconds_p50", of="seconds", how="median"),
    Measure(name="seconds_p95", of="seconds", how="p95"),
    Measure(name="cpu_seconds_p50", of="cpu_seconds", how="median"),
    Measure(name="cpu_seconds_p95", of="cpu_seconds", how="p95"),
    Measure(name="first_seconds_p95", of="first_seconds", how="p95"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A value and its 95 % interval; no interval where there is none to be had."""

    value: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Tasks that have something in common, and their figures."""

    name: str
    tasks: int
    repositories: int
    figures: Mapping[str, Figure]


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdicts:
    """What `grounded` was worth. A share is None where there was no case."""

    counts: Mapping[tuple[str, Packet], int]
    """Tasks by readiness and by how much of the gold was in the packet."""
    sufficient: int
    false: int
    """Called sufficient with no gold file in the packet."""
    false_of_sufficient: float | None
    false_of_empty: float | None
    """Of the packets without a gold file, the share called sufficient."""
    false_of_all: float | None
    sure_of_good: float | None
    """Of the packets with a gold file, the share called sufficient."""
    sure_of_whole: float | None
    """The same of the packets with every gold file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One measure of the same tasks done in two ways: the second minus the first; and of how many it is what."""

    measure: str
    figure: Figure
    higher: int
    lower: int
    same: int


def groups(golds: Sequence[Gold], scores: Mapping[str, TaskScore]) -> tuple[Group, ...]:
    """All tasks first, then by what tells them apart: the source of their words, what these name, language, size, …"""
    found = [_group("all", golds, scores, drawn=True)]
    for title, of in _KEYS:
        values = sorted({value for gold in golds if (value := of(gold)) is not None})
        if len(values) < 2:
            continue
        found += [
            _group(f"{title}: {value}", [gold for gold in golds if of(gold) == value], scores, drawn=title in _DRAWN)
            for value in values
        ]
    return tuple(found)


def _group(name: str, golds: Sequence[Gold], scores: Mapping[str, TaskScore], *, drawn: bool) -> Group:
    mine = [scores[gold.id] for gold in golds]
    return Group(
        name=name,
        tasks=len(mine),
        repositories=len({each.repository for each in mine}),
        figures={each.name: figure for each in MEASURES if (figure := _figure(each, mine, drawn=drawn)) is not None},
    )


def _size(gold: Gold) -> str | None:
    if gold.repository_files is None:
        return None
    return next((name for least, name in _SIZES if gold.repository_files < least), "5,000 files and more")


def half(repository: str) -> str:
    """Which half a repository belongs to, by a digest of its name: one may be tuned on, the other is for looking."""
    return "tuning" if int(sha1(repository.encode(), usedforsecurity=False).hexdigest()[0], 16) % 2 == 0 else "held"


_TEXTS: Final = {"request": "a report or request", "commit": "the change's own description"}
_NAMES: Final = {"file": "a gold file", "symbol": "a gold file's stem", "neither": "neither"}
_KEYS: Final[tuple[tuple[str, Callable[[Gold], str | None]], ...]] = (
    ("words of", lambda gold: _TEXTS.get(gold.text or "")),
    ("words name", lambda gold: _NAMES.get(gold.names or "")),
    ("half", lambda gold: half(gold.repository)),
    ("language", lambda gold: gold.language),
    ("size", _size),
    ("kind", lambda gold: gold.kind),
    ("gold files", lambda gold: "one" if len(gold.edits) == 1 else "several" if gold.edits else "none"),
)
# The others have too few repositories to draw from.
_DRAWN: Final = frozenset({"words of", "half"})


def _figure(measure: Measure, scores: Sequence[TaskScore], *, drawn: bool) -> Figure | None:
    values = [each.values[measure.of] for each in scores if measure.of in each.values]
    if not values:
        return None
    if measure.how == "median":
        return Figure(value=median(values))
    if measure.how == "p95":
        return Figure(value=percentile(values, 0.95))
    if measure.how == "sum":
        return Figure(value=sum(values))
    placed = [(each.repository, each.values[measure.of]) for each in scores if measure.of in each.values]
    low, high = interval(placed) if drawn else (None, None)
    return Figure(value=fmean(values), low=low, high=high)


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest value that at least this share of all values does not exceed."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def interval(values: Sequence[tuple[str, float]]) -> tuple[float | None, float | None]:
    """95 % of the mean of (repository, value), by drawing repositories again; None for fewer than five of them."""
    sums: dict[str, tuple[float, int]] = {}
    for repository, value in values:
        total, number = sums.get(repository, (0.0, 0))
        sums[repository] = total + value, number + 1
    if len(sums) < _LEAST_REPOSITORIES:
        return None, None
    drawn = Random(_SEED)
    pool = [sums[name] for name in sorted(sums)]
    means = sorted(_mean_of(drawn.choices(pool, k=len(pool))) for _ in range(DRAWS))
    return means[int(0.025 * DRAWS)], means[int(0.975 * DRAWS) - 1]


def _mean_of(sums: Sequence[tuple[float, int]]) -> float:
    return sum(total for total, _ in sums) / sum(number for _, number in sums)


def differences(
    first: Mapping[str, TaskScore], second: Mapping[str, TaskScore], measures: Sequence[str]
) -> tuple[Difference, ...]:
    """Of the tasks that both have, in pairs."""
    pairs = [(one, second[key]) for key, one in first.items() if key in second]
    found = []
    for name in measures:
        gaps = [
            (one.repository, other.values[name] - one.values[name])
            for one, other in pairs
            if name in one.values and name in other.values
        ]
        found += [_difference(name, gaps)] if gaps else []
    return tuple(found)


def changes(scores: Mapping[str, TaskScore], measures: Sequence[str]) -> tuple[Difference, ...]:
    """Of measures that are differences already: `NAME_change`, by NAME."""
    found = []
    for name in measures:
        values = [
            (one.repository, one.values[f"{name}_change"]) for one in scores.values() if f"{name}_change" in one.values
        ]
        found += [_difference(name, values)] if values else []
    return tuple(found)


def _difference(name: str, gaps: Sequence[tuple[str, float]]) -> Difference:
    low, high = interval(gaps)
    return Difference(
        measure=name,
        figure=Figure(value=fmean(gap for _, gap in gaps), low=low, high=high),
        higher=sum(gap > 0 for _, gap in gaps),
        lower=sum(gap < 0 for _, gap in gaps),
        same=sum(gap == 0 for _, gap in gaps),
    )


def verdicts(scores: Sequence[TaskScore]) -> Verdicts | None:
    """None where no task has a verdict."""
    judged = [each for each in scores if each.readiness is not None]
    if not judged:
        return None
    sure = [each for each in judged if each.sufficient]
    empty = [each for each in judged if each.packet == "none"]
    whole = [each for each in judged if each.packet in ("all files", "all hunks")]
    false = sum(each.sufficient for each in empty)
    return Verdicts(
        counts=dict(Counter((each.readiness or "", each.packet) for each in judged)),
        sufficient=len(sure),
        false=false,
        false_of_sufficient=_share(false, len(sure)),
        false_of_empty=_share(false, len(empty)),
        false_of_all=_share(false, len(judged)),
        sure_of_good=_share(len(sure) - false, len(judged) - len(empty)),
        sure_of_whole=_share(sum(each.sufficient for each in whole), len(whole)),
    )


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def summary_document(found: Sequence[Group]) -> Iterator[dict[str, object]]:
    for group in found:
        yield {
            "name": group.name,
            "tasks": group.tasks,
            "repositories": group.repositories,
            "figures": {name: figure_document(figure) for name, figure in group.figures.items()},
        }


def figure_document(figure: Figure) -> dict[str, float | None]:
    return {"value": figure.value, "low": figure.low, "high": figure.high}
