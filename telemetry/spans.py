"""Turns a trace into spans: one tree a run, with ids that are a function of the run's own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from .model import AgentTrace
from .span import Draft, Span, Value, clean, count, fit, link_to, settle, span_id
from .span_draft import run_draft
from .span_json import encode

MOST_SPANS: Final = 2000
AGENT_PATH: Final = "/run/agent:0"


def spans(trace: AgentTrace) -> tuple[Span, ...]:
    """The tree, parents first: each within its parent, siblings apart, at most `MOST_SPANS` but for model calls."""
    fitted = fit(_within_budget(run_draft(trace)), trace.started, max(trace.started, trace.ended))
    shared: dict[str, Value] = {"agenvantage.run.id": trace.run_id, "agenvantage.arm": clean(trace.strategy)}
    return tuple(settle(fitted, run_id=trace.run_id, trace_id=trace.trace_id, shared=shared))


def otlp_lines(trace: AgentTrace) -> tuple[str, ...]:
    """OTLP/JSON export requests, one a line, ids in hex: what `spans.jsonl` holds and an endpoint is sent."""
    return encode(spans(trace), resource(trace))


def resource(trace: AgentTrace) -> Mapping[str, Value]:
    """Where the spans come from. Names of the repository and its branch, no address and no path."""
    facts = trace.repository
    known: dict[str, Value | None] = {
        "service.instance.id": trace.run_id,
        "vcs.repository.name": facts.name,
        "vcs.ref.head.name": facts.branch,
        "vcs.ref.head.type": "branch" if facts.branch else None,
        "vcs.ref.head.revision": facts.commit,
        "vcs.ref.base.revision": facts.base,
    }
    return {name: clean(value) for name, value in known.items() if value is not None}


def agent_span_id(run_id: str) -> str:
    """The id that the agent's process will have, known before it starts: what its own spans hang on."""
    return span_id(run_id, AGENT_PATH)


def traceparent(trace_id: str, span: str) -> str:
    """W3C trace context for the environment of a child."""
    return f"00-{trace_id}-{span}-01"


def agent_links(environment: Mapping[str, str]) -> tuple[str, ...]:
    """The inbound trace context, which the run's root links to: its own trace id stays a function of its run id."""
    inbound = environment.get("TRACEPARENT", "").strip().lower()
    return (inbound,) if link_to(inbound) is not None else ()


def _within_budget(draft: Draft) -> Draft:
    """Past the budget, tool calls are only counted on their agent; model calls stay, for their usage must add up."""
    excess = count(draft) - MOST_SPANS
    return _without_tools(draft, excess)[0] if excess > 0 else draft


def _without_tools(draft: Draft, excess: int) -> tuple[Draft, int]:
    """The draft with so many spans fewer, the latest tools first, and what is still too much."""
    kept: list[Draft] = []
    merged = 0
    for child in reversed(draft.children):
        if excess > 0 and child.name.startswith(("execute_tool ", "tools/call ")):
            excess -= count(child)
            merged += 1
        else:
            child, excess = _without_tools(child, excess)
            kept.append(child)
    attributes = {**draft.attributes, "agenvantage.tools.merged": merged} if merged else draft.attributes
    return replace(draft, attributes=attributes, children=tuple(reversed(kept))), excess
