"""Counts every token of a run once: one figure a model call, from whichever sources tell of it.

Two kinds of source are read. A `request` event is one answered model call; a `usage` event is a running total. Calls
are the ledger when each of them is known whole; else the totals are, and the other kind is used to check.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, Literal

from .model import AgentEvent, Confidence, Source, UsageRecord, UsageSummary, Via

Field = Literal[
    "uncached_input_tokens",
    "cache_read_input_tokens",
    "cache_write_5m_input_tokens",
    "cache_write_1h_input_tokens",
    "output_tokens",
    "reasoning_output_tokens",
]
INPUT_FIELDS: Final[tuple[Field, ...]] = (
    "uncached_input_tokens",
    "cache_read_input_tokens",
    "cache_write_5m_input_tokens",
    "cache_write_1h_input_tokens",
)
TOKEN_FIELDS: Final[tuple[Field, ...]] = (*INPUT_FIELDS, "output_tokens", "reasoning_output_tokens")
# The two halves of a cache write come from one record: one source may split what another reports whole.
GROUPS: Final[tuple[tuple[Field, ...], ...]] = (
    ("uncached_input_tokens",),
    ("cache_read_input_tokens",),
    ("cache_write_5m_input_tokens", "cache_write_1h_input_tokens"),
    ("output_tokens",),
    ("reasoning_output_tokens",),
)
VIA_ORDER: Final[tuple[Via, ...]] = ("session_log", "stream", "gateway")
TRUST: Final[Mapping[Via, int]] = {"stream": 0, "session_log": 1, "gateway": 2}
"""A stream repeats an answer's first usage, whose output is a placeholder; the wire itself is best."""
WORST_SOURCE: Final[tuple[Source, ...]] = ("estimated", "simulated", "reported")
UNKNOWN_MODEL: Final = "unknown"
AGREE: Final = 0.01
TOLERABLE: Final = 0.05
UNKNOWN_SHARE: Final = 0.2
"""More lines than this that we can't read, and the numbers are not to be relied on."""

Totals = tuple[UsageRecord, ...]


def summarize(events: Iterable[AgentEvent]) -> UsageSummary:
    """Everything the agent's session log and stream say of tokens, reconciled. Order matters within one agent only."""
    seen = tuple(events)
    requests = distinct_requests(seen)
    totals = last_totals(seen)
    gap = _gap(requests, totals)
    whole = all(_whole(request) for request in requests)
    by_calls = bool(requests) and (not totals or (whole and not _only_placeholders(requests, gap)))
    ledger = requests if by_calls else totals
    total = add(ledger)
    if not by_calls and requests:
        total = replace(total, requests=len(requests))
    return UsageSummary(
        total=total,
        by_model=_parts(ledger, lambda record: record.model or UNKNOWN_MODEL),
        by_agent=_parts(ledger, lambda record: record.agent),
        requests=requests if by_calls else (),
        via=tuple(via for via in VIA_ORDER if any(record.via == via for record in (*requests, *totals))),
        confidence=_confidence(by_calls=by_calls and whole, gap=gap, unknown_share=_unknown_share(seen)),
        gap=gap,
        reported_usd=_reported_usd(seen),
    )


def distinct_requests(events: Sequence[AgentEvent]) -> Totals:
    """One record a model call, in the order in which the calls were first seen."""
    grouped: dict[str, list[UsageRecord]] = {}
    nameless: dict[str, dict[Via, list[UsageRecord]]] = {}
    for event in events:
        record = _record(event, "request")
        if record is None:
            continue
        if record.id is not None:
            grouped.setdefault(record.id, []).append(record)
        else:
            nameless.setdefault(record.agent, {}).setdefault(record.via, []).append(record)
    merged = [_merge(records) for records in grouped.values()]
    merged += [record for agent, by_via in nameless.items() for record in _only_source(agent, by_via, merged)]
    return tuple(merged)


def last_totals(events: Sequence[AgentEvent]) -> Totals:
    """The running totals as they last stood, of the best source that has any; one a session, agent and model."""
    series: dict[Via, dict[tuple[str, str | None, str | None], list[UsageRecord]]] = {}
    session: dict[tuple[Via | None, str], str] = {}
    for event in events:
        if event.session_id is not None:
            session[event.usage.via if event.usage else None, event.agent] = event.session_id
        record = _record(event, "usage")
        if record is None:
            continue
        name = event.session_id or session.get((record.via, record.agent)) or session.get((None, record.agent))
        series.setdefault(record.via, {}).setdefault((record.agent, name, record.model), []).append(record)
    if not series:
        return ()
    best = max(series, key=lambda via: TRUST[via])
    return tuple(_run_total(records) for records in series[best].values())


def add(records: Sequence[UsageRecord]) -> UsageRecord:
    """The sum. A part that no record knows stays unknown."""
    if not records:
        return UsageRecord(requests=None)
    models = {record.model for record in records}
    agents = {record.agent for record in records}
    sources = {record.source for record in records}
    counts = [record.requests for record in records if record.requests is not None]
    whole = UsageRecord(
        agent=agents.pop() if len(agents) == 1 else "main",
        model=models.pop() if len(models) == 1 else None,
        requests=sum(counts) if counts else None,
        source=next(source for source in WORST_SOURCE if source in sources),
        via=max((record.via for record in records), key=lambda via: TRUST[via]),
    )
    parts: dict[str, Any] = {name: summed(*(getattr(record, name) for record in records)) for name in TOKEN_FIELDS}
    return replace(whole, **parts)


def summed(*parts: int | None) -> int | None:
    """The sum of what is known; None when nothing is."""
    known = [part for part in parts if part is not None]
    return sum(known) if known else None


def _record(event: AgentEvent, kind: Literal["request", "usage"]) -> UsageRecord | None:
    """The event's usage, with what the event itself knows of agent, model and time."""
    if event.kind != kind or event.usage is None:
        return None
    usage = event.usage
    return replace(
        usage,
        agent=usage.agent if usage.agent != "main" else event.agent,
        model=usage.model or event.model,
        at=usage.at if usage.at is not None else event.at,
    )


def _merge(records: Sequence[UsageRecord]) -> UsageRecord:
    """What several records of one call say together: each part from the fullest record that knows it.

    The order of the records plays no part, so that a repeated line does no harm.
    """
    ranked = sorted(records, key=_fullness, reverse=True)
    fields: dict[str, Any] = {}
    for group in GROUPS:
        knowing = next((record for record in ranked if any(getattr(record, name) is not None for name in group)), None)
        fields |= {name: None if knowing is None else getattr(knowing, name) for name in group}
    times = [record.at for record in records if record.at is not None]
    model = next((record.model for record in ranked if record.model), None)
    return replace(ranked[0], **fields, model=model, at=max(times, default=None))


def _fullness(record: UsageRecord) -> tuple[object, ...]:
    parts = tuple(-1 if getattr(record, name) is None else getattr(record, name) for name in TOKEN_FIELDS)
    return (TRUST[record.via], -1 if record.output_tokens is None else record.output_tokens, *parts, record.agent)


def _only_source(agent: str, by_via: Mapping[Via, list[UsageRecord]], named: Sequence[UsageRecord]) -> Totals:
    """Calls without an id can't be told apart between sources: they count from one, and only if it is the best."""
    best = max(by_via, key=lambda via: TRUST[via])
    better = any(record.agent == agent and TRUST[record.via] > TRUST[best] for record in named)
    return () if better else tuple(by_via[best])


def _run_total(records: Sequence[UsageRecord]) -> UsageRecord:
    """A running total at its end, carried over where it began anew."""
    carried: list[UsageRecord] = []
    last = records[0]
    for record in records[1:]:
        if _began_anew(last, record):
            carried.append(last)
            last = record
        else:
            last = _keep_known(last, record)
    return replace(add((*carried, last)), id=last.id, at=last.at, model=last.model) if carried else last


def _began_anew(before: UsageRecord, after: UsageRecord) -> bool:
    pairs = ((before.input_tokens, after.input_tokens), (before.output_tokens, after.output_tokens))
    return any(old is not None and new is not None and new < old for old, new in pairs)


def _keep_known(before: UsageRecord, after: UsageRecord) -> UsageRecord:
    known = {name: getattr(before, name) for name in TOKEN_FIELDS if getattr(after, name) is None}
    return replace(after, **known)


def _parts(records: Sequence[UsageRecord], key: Callable[[UsageRecord], str]) -> dict[str, UsageRecord]:
    groups: dict[str, list[UsageRecord]] = {}
    for record in records:
        groups.setdefault(key(record), []).append(record)
    return {name: add(groups[name]) for name in sorted(groups)}


def _whole(record: UsageRecord) -> bool:
    return record.input_tokens is not None and record.output_tokens is not None


def _only_placeholders(requests: Sequence[UsageRecord], gap: float | None) -> bool:
    """Calls seen in the stream alone, that its own total contradicts: they carry usage from before the answer."""
    return gap is not None and gap > AGREE and all(request.via == "stream" for request in requests)


def _gap(requests: Sequence[UsageRecord], totals: Sequence[UsageRecord]) -> float | None:
    """Relative difference between calls and totals.

    An agent's total speaks for its main thread or for all of its threads, by vendor: the nearer reading counts.
    """
    if not requests or not totals:
        return None
    told = add(totals)
    main = [request for request in requests if request.agent == "main"]
    readings = [_difference(add(calls), told) for calls in (requests, main) if calls]
    known = [reading for reading in readings if reading is not None]
    return min(known, default=None)


def _difference(one: UsageRecord, other: UsageRecord) -> float | None:
    pairs = ((one.input_tokens, other.input_tokens), (one.output_tokens, other.output_tokens))
    known = [(a, b) for a, b in pairs if a is not None and b is not None]
    return max((abs(a - b) / max(a, b, 1) for a, b in known), default=None)


def _unknown_share(events: Sequence[AgentEvent]) -> float:
    return sum(event.kind == "unknown" for event in events) / max(len(events), 1)


def _confidence(*, by_calls: bool, gap: float | None, unknown_share: float) -> Confidence:
    if unknown_share > UNKNOWN_SHARE or (gap is not None and gap > TOLERABLE):
        return "low"
    return "high" if by_calls and (gap is None or gap <= AGREE) else "medium"


def _reported_usd(events: Sequence[AgentEvent]) -> float | None:
    """What the agent itself says the session cost; its figure is cumulative, so the last one counts."""
    said = [event.cost_usd for event in events if event.kind in ("finished", "usage") and event.cost_usd is not None]
    return said[-1] if said else None
