"""What a retrieval channel is: a function of index and query that ranks files, with reasons."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from .index import RepositoryIndex
from .task import Query


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking:
    """What one channel found: path → score (best 1.0), and why."""

    scores: Mapping[str, float]
    reasons: Mapping[str, str]


Channel = Callable[[RepositoryIndex, Query], Ranking]


def scaled(scores: Mapping[str, float]) -> dict[str, float]:
    """The scores as shares of the best."""
    best = max(scores.values(), default=0.0)
    return {path: score / best for path, score in scores.items()} if best > 0 else {}
