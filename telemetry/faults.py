"""Tells whether the provider is why an agent ended, and in which way."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from .model import AgentEvent

PROVIDER_FAULTS: Final[tuple[tuple[str, re.Pattern[str]], ...]] = tuple(
    (name, re.compile(pattern, re.IGNORECASE))
    for name, pattern in (
        ("context_overflow", r"context.?window|prompt.?(is )?too.?long|context.?length|input_too_large"),
        ("authentication", r"\b40[13]\b|unauthori[sz]ed|authentication|invalid.{0,12}api.?key|not logged in|forbidden"),
        ("rate_limited", r"\b429\b|rate.?limit|usage.?limit|quota|too many requests|credit balance|billing"),
        ("rate_limited", r"(hit|reached|exceeded) your .{0,30}limit|limit reached|out of .{0,12}(usage|credits)"),
        ("overloaded", r"\b529\b|overloaded|high demand|at capacity"),
        ("refusal", r"\brefus(al|ed to answer)\b|content.?policy|usage.?policy"),
        ("unreachable", r"connect(ion)?.{0,20}(refused|reset|error|closed|failed)|unreachable|network|dns|getaddrinfo"),
        ("unreachable", r"econnre|enotfound|timed? ?out|stream (disconnected|closed|dropped|error)|reconnecting"),
        ("server_error", r"\b5\d\d\b|server.?error|api.?error|bad gateway|service unavailable"),
        ("rejected", r"\b4\d\d\b|bad.?request|invalid.?request|model.{0,20}not (found|exist)"),
    )
)
"""First match wins: the narrow words stand before the wide ones."""
WORDS: Final = frozenset(name for name, _ in PROVIDER_FAULTS)
PROGRESS: Final = ("request", "message", "tool")


def provider_error(events: Sequence[AgentEvent]) -> str | None:
    """The kind of provider fault that an agent ended with; None when it ended otherwise.

    A fault that the agent got over is none: only what follows its last progress counts, unless it finished well. It
    did not when its last words are those of an error: some versions call that a success.
    """
    finished = next((event for event in reversed(events) if event.kind == "finished" and event.agent == "main"), None)
    if finished is not None and finished.ok and not _only_an_error(events, finished):
        return None
    last = max((index for index, event in enumerate(events) if event.kind in PROGRESS), default=-1)
    tail = [event for event in events[last + 1 :] if event.kind in ("error", "retry", "finished")]
    kinds = [kind for kind in map(classify, reversed(tail)) if kind is not None]
    return kinds[0] if kinds else None


def _only_an_error(events: Sequence[AgentEvent], finished: AgentEvent) -> bool:
    return finished.text is not None and any(event.kind == "error" and event.text == finished.text for event in events)


def classify(event: AgentEvent) -> str | None:
    """One of the words of `PROVIDER_FAULTS`, from the adapter's own word for it or from the text."""
    if event.error_type in WORDS:
        return event.error_type
    said = " ".join(part for part in (event.error_type, event.text) if part)
    return next((name for name, pattern in PROVIDER_FAULTS if pattern.search(said)), None)
