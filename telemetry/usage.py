"""Counts every token of a run once: one figure a model call, from whichever sources tell of it."""

from __future__ import annotations

from collections.abc import Iterable

from .model import AgentEvent, UsageSummary


def summarize(events: Iterable[AgentEvent]) -> UsageSummary:
    """Everything the agent's session log and stream say of tokens, reconciled."""
    raise NotImplementedError
