"""What a span is, how a tree of them is laid out in time, and where its ids come from."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Final, Literal

Value = str | int | float | bool | tuple[str, ...]
Kind = Literal["internal", "client", "server"]
Attributes = Mapping[str, Value | None]
SERVICE: Final = "agenvantage"
TOOL_SERVICE: Final = "agenvantage-mcp"
GAP: Final = 1_000_000
"""Nanoseconds between siblings: a viewer drops a span from the critical path that ends when the next one starts."""
LONGEST_VALUE: Final = 2048
_TRACEPARENT: Final = re.compile(r"[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}")


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanEvent:
    name: str
    at: int
    attributes: Mapping[str, Value] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanLink:
    """Another trace that this one belongs with; ids in hex."""

    trace_id: str
    span_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """One operation. Ids in hex, times in nanoseconds since the epoch; `error` is its `error.type` when it failed."""

    name: str
    kind: Kind
    trace_id: str
    span_id: str
    parent_id: str | None
    start: int
    end: int
    attributes: Mapping[str, Value] = field(default_factory=dict)
    events: tuple[SpanEvent, ...] = ()
    links: tuple[SpanLink, ...] = ()
    error: str | None = None
    service: str = SERVICE


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A span before it has ids and its final times. `key` tells it from its siblings."""

    key: str
    name: str
    start: int
    end: int
    kind: Kind = "internal"
    attributes: Attributes = field(default_factory=dict)
    events: tuple[SpanEvent, ...] = ()
    links: tuple[SpanLink, ...] = ()
    error: str | None = None
    service: str = SERVICE
    children: tuple[Draft, ...] = ()


def span_id(run_id: str, path: str) -> str:
    """16 hex digits, a function of the run and the span's place in its tree."""
    return sha256(f"agenvantage.span:{run_id}:{path}".encode()).hexdigest()[:16]


def link_to(traceparent: str) -> SpanLink | None:
    """A link from a W3C `traceparent`; None when it is not one."""
    found = _TRACEPARENT.fullmatch(traceparent.strip())
    if found is None or not found[1].strip("0") or not found[2].strip("0"):
        return None
    return SpanLink(trace_id=found[1], span_id=found[2])


def fit(draft: Draft, earliest: int, latest: int) -> Draft:
    """The draft and all below it, each within its parent, siblings that touch set apart by a gap."""
    start = min(max(draft.start, earliest), latest)
    end = min(max(draft.end, start), latest)
    inside = sorted(
        (replace(c, start=_clamp(c.start, start, end), end=_clamp(c.end, start, end)) for c in draft.children),
        key=lambda child: (child.start, child.end),
    )
    apart = _set_apart(inside)
    events = tuple(replace(event, at=_clamp(event.at, start, end)) for event in draft.events)
    children = tuple(fit(child, child.start, max(child.start, child.end)) for child in apart)
    return replace(draft, start=start, end=end, events=events, children=children)


def count(draft: Draft) -> int:
    return 1 + sum(count(child) for child in draft.children)


def settle(
    draft: Draft, *, run_id: str, trace_id: str, shared: Mapping[str, Value], path: str = "", parent: str | None = None
) -> Iterator[Span]:
    """The spans of a fitted draft, parents first. `shared` attributes go onto each of them."""
    path = f"{path}/{draft.key}"
    own = span_id(run_id, path)
    known = {name: clean(value) for name, value in draft.attributes.items() if value is not None}
    error = {"error.type": draft.error} if draft.error is not None else {}
    yield Span(
        name=draft.name,
        kind=draft.kind,
        trace_id=trace_id,
        span_id=own,
        parent_id=parent,
        start=draft.start,
        end=draft.end,
        attributes={**known, **error, **shared},
        events=draft.events,
        links=draft.links,
        error=draft.error,
        service=draft.service,
    )
    for child in draft.children:
        yield from settle(child, run_id=run_id, trace_id=trace_id, shared=shared, path=path, parent=own)


def clean(value: Value) -> Value:
    """A value that any receiver takes: valid Unicode, and not longer than receivers keep."""
    if not isinstance(value, str):
        return value
    data = value.encode("utf-8", "replace")
    return data[:LONGEST_VALUE].decode("utf-8", "ignore")


def _clamp(at: int, earliest: int, latest: int) -> int:
    return min(max(at, earliest), latest)


def _set_apart(siblings: Sequence[Draft]) -> list[Draft]:
    """Siblings that follow each other; those that really overlap ran side by side and stay as they are."""
    apart = list(siblings)
    for index in range(len(apart) - 1):
        before, after = apart[index], apart[index + 1]
        if not after.start - GAP < before.end <= after.start + GAP:
            continue
        end = max(before.start, min(before.end, after.start - GAP))
        apart[index] = replace(before, end=end)
        apart[index + 1] = replace(after, start=max(after.start, min(end + GAP, after.end)))
    return apart
