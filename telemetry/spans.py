"""Turns a trace into spans: one tree a run, with ids that are a function of the run's own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from .model import AgentTrace


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    name: str
    attributes: Mapping[str, Any] = field(default_factory=dict)


def spans(trace: AgentTrace) -> tuple[Span, ...]:
    raise NotImplementedError


def otlp_lines(tree: Iterable[Span]) -> tuple[str, ...]:
    """OTLP/JSON export requests, one a line, ids in hex."""
    raise NotImplementedError


def traceparent(trace_id: str, span_id: str) -> str:
    return f"00-{trace_id}-{span_id}-01"
