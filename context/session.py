"""What an agent has done so far in a session, as one more channel: what it changed, what failed, what it has read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from .channels import Channel, Ranking
from .index import RepositoryIndex
from .task import Query

WEIGHT: Final = 0.5
_WORTH: Final = (("edited", 1.0, "changed in this session"), ("failed", 0.8, "failed in this session"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """Paths by what happened to them. What was read is known already, and is not shown again at the cost of others."""

    read: tuple[str, ...] = ()
    edited: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()


def by_session(session: Session) -> Channel:
    """The channel of one session."""

    def channel(index: RepositoryIndex, _query: Query) -> Ranking:
        scores: dict[str, float] = {}
        reasons: dict[str, str] = {}
        for kind, worth, why in _WORTH:
            for path in getattr(session, kind):
                if path in index.by_path and worth > scores.get(path, 0.0):
                    scores[path], reasons[path] = worth, why
        return Ranking(scores=scores, reasons=reasons)

    return channel
