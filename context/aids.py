"""What may help a plan besides the index: vectors of meaning, a second look at the order, other words for the task.

None is there unless a person asked for it by name. Whatever helps says what it cost; one that fails raises AidFailed,
and the plan goes on without it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, Protocol

from .errors import CannotProceed

AidName = Literal["semantic", "rerank", "rewrite"]
MOST_RERANKED: Final = 50


class AidFailed(CannotProceed):
    """A helper gave no answer; `why` holds neither its key nor what was sent to it."""

    error_type = "aid_failed"

    def __init__(self, aid: AidName, why: str, *, requests: int = 0) -> None:
        super().__init__(f"No answer for --{aid}: {why}.", f"Leave --{aid} out, or see what its model says.")
        self.aid = aid
        self.why = why
        self.requests = requests


@dataclass(frozen=True, slots=True, kw_only=True)
class AidCost:
    """What one helper took, answer or not. Tokens are those that its model reported: None where it said nothing."""

    aid: AidName
    model: str
    requests: int
    input_tokens: int | None
    output_tokens: int | None
    seconds: float
    problem: str | None = None
    """Why there was no answer: the plan was made without this helper."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Embedded:
    """A vector for each text, in order. No requests: it was reckoned on this machine."""

    vectors: Sequence[Sequence[float]]
    requests: int = 0
    tokens: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reranked:
    """A score for each text, in order; the higher the better, on a scale of the model's own."""

    scores: tuple[float, ...]
    requests: int = 1
    tokens: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewriting:
    """The task in the words that code would use; several where it is several tasks."""

    queries: tuple[str, ...]
    input_tokens: int | None = None
    output_tokens: int | None = None
    requests: int = 1
    seconds: float = 0.0


class Embedder(Protocol):
    """Turns texts into vectors. The name tells models apart whose vectors must not be mixed."""

    @property
    def name(self) -> str: ...

    @property
    def local(self) -> bool:
        """Whether nothing leaves this machine, so that many texts cost nothing but time."""
        ...

    def __call__(self, texts: Sequence[str]) -> Embedded:
        """Raises AidFailed."""
        ...


class Reranker(Protocol):
    """Says how well each of at most MOST_RERANKED texts fits a task."""

    @property
    def name(self) -> str: ...

    def __call__(self, task: str, texts: Sequence[str]) -> Reranked:
        """Raises AidFailed."""
        ...


class Rewriter(Protocol):
    """Puts a task that leads nowhere in other words, or in several."""

    @property
    def name(self) -> str: ...

    def __call__(self, task: str) -> Rewriting:
        """Raises AidFailed."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Aids:
    """The helpers that a person asked for; by default none."""

    embed: Embedder | None = None
    rerank: Reranker | None = None
    rewrite: Rewriter | None = None


NO_AIDS: Final = Aids()
