"""The channels of the past: commits in words like the task's, and what changes together with what leads."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Final

from .channel import Ranking, scaled
from .history import History
from .index import RepositoryIndex
from .task import Query

_SATURATION: Final = 1.2
_LENGTH_PULL: Final = 0.75
_MOST_WEIGHT: Final = 3.0
_TITLE_WEIGHT: Final = 3.0
_MOST_COMPANY: Final = 20
_LEADERS: Final = 3
_DIGITS: Final = 6


def past_of(index: RepositoryIndex) -> History:
    """What is known of the past of an index's commit. Read once."""
    if "history" not in index.memory:
        index.memory["history"] = History.of(index.repository, index.store, index.revision.commit)
    held: History = index.memory["history"]
    return held


def by_commits(index: RepositoryIndex, query: Query) -> Ranking:
    """The files of the commits whose messages are most like the task; the title's words tell most."""
    weights = {term: _TITLE_WEIGHT if term in query.title_terms else 1.0 for term in query.terms}
    votes = past_of(index).votes(weights)
    found = scaled({path: score for path, score in votes.items() if path in index.by_path})
    return Ranking(scores=found, reasons={path: "changed by commits like it" for path, v in found.items() if v > 0.3})


def by_messages(index: RepositoryIndex, query: Query) -> Ranking:
    """All messages of a file's commits as a text of its own: BM25."""
    field = past_of(index).messages(query.terms)
    files = len(field.lengths) or 1
    scores: dict[str, float] = {}
    for term, column in sorted(field.frequencies.items()):
        rare = math.log(1 + (files - len(column) + 0.5) / (len(column) + 0.5))
        gain = min(query.terms[term], _MOST_WEIGHT) * rare
        for path, times in column.items():
            norm = _SATURATION * (1 - _LENGTH_PULL + _LENGTH_PULL * field.lengths[path] / (field.average or 1.0))
            scores[path] = scores.get(path, 0.0) + gain * times / (times + norm)
    return Ranking(scores=scaled({path: v for path, v in scores.items() if path in index.by_path}), reasons={})


def by_company(index: RepositoryIndex, _query: Query, leading: Sequence[str]) -> Ranking:
    """Files that changed together with those that lead so far."""
    history = past_of(index)
    scores: dict[str, float] = {}
    reasons: dict[str, str] = {}
    for rank, leader in enumerate(leading[:_LEADERS], start=1):
        for company in history.co_changed(leader, _MOST_COMPANY, index.by_path):
            scores[company.path] = scores.get(company.path, 0.0) + company.confidence / rank
            reasons.setdefault(company.path, f"changes together with {leader}")
    return Ranking(scores=_rounded(scaled(scores)), reasons=reasons)


def _rounded(scores: Mapping[str, float]) -> dict[str, float]:
    return {path: round(score, _DIGITS) for path, score in scores.items()}
