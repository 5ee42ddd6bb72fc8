"""Writes spans as OTLP/JSON export requests, one a line, ids in hex, and reads them back."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from .. import __version__
from .span import SERVICE, Kind, Span, SpanEvent, SpanLink, Value

KINDS: Final[Mapping[Kind, int]] = {"internal": 1, "server": 2, "client": 3}
KIND_NAMES: Final[Mapping[int, Kind]] = {number: name for name, number in KINDS.items()}
STATUS_ERROR: Final = 2
SPANS_A_LINE: Final = 500
Json = dict[str, Any]


def encode(spans: Sequence[Span], resource: Mapping[str, Value]) -> tuple[str, ...]:
    """The same spans give the same bytes, so that sending them again changes nothing where they arrived before."""
    parts = [spans[start : start + SPANS_A_LINE] for start in range(0, len(spans), SPANS_A_LINE)]
    return tuple(_line(part, resource) for part in parts)


def decode(lines: Iterable[str]) -> tuple[Span, ...]:
    """The spans of such lines. Raises ValueError on anything else."""
    return tuple(span for span, _ in decode_with_resources(lines))


def decode_with_resources(lines: Iterable[str]) -> tuple[tuple[Span, Mapping[str, Value]], ...]:
    """Each span with the attributes of its resource. Raises ValueError on anything else."""
    try:
        return tuple(pair for line in lines if line.strip() for pair in _spans(json.loads(line)))
    except (KeyError, TypeError, AttributeError) as wrong:
        raise ValueError(f"not an OTLP/JSON export request: {wrong!r}") from wrong


def _line(spans: Sequence[Span], resource: Mapping[str, Value]) -> str:
    services = dict.fromkeys(span.service for span in spans)
    request = {
        "resourceSpans": [
            {
                "resource": {"attributes": _attributes(_service(service) | dict(resource))},
                "scopeSpans": [
                    {
                        "scope": {"name": SERVICE, "version": __version__},
                        "spans": [_span(span) for span in spans if span.service == service],
                    }
                ],
            }
            for service in services
        ]
    }
    return json.dumps(request, separators=(",", ":"))


def _service(name: str) -> dict[str, Value]:
    return {
        "service.name": name,
        "service.version": __version__,
        "telemetry.sdk.name": SERVICE,
        "telemetry.sdk.language": "python",
        "telemetry.sdk.version": __version__,
    }


def _span(span: Span) -> Json:
    encoded: Json = {
        "traceId": span.trace_id,
        "spanId": span.span_id,
        "name": span.name,
        "kind": KINDS[span.kind],
        "startTimeUnixNano": str(span.start),
        "endTimeUnixNano": str(span.end),
        "attributes": _attributes(span.attributes),
        "status": {"code": STATUS_ERROR} if span.error is not None else {},
    }
    if span.parent_id is not None:
        encoded["parentSpanId"] = span.parent_id
    if span.events:
        encoded["events"] = [_event(event) for event in span.events]
    if span.links:
        encoded["links"] = [{"traceId": link.trace_id, "spanId": link.span_id} for link in span.links]
    return encoded


def _event(event: SpanEvent) -> Json:
    return {"name": event.name, "timeUnixNano": str(event.at), "attributes": _attributes(event.attributes)}


def _attributes(attributes: Mapping[str, Value]) -> list[Json]:
    return [{"key": name, "value": _value(value)} for name, value in attributes.items()]


def _value(value: Value) -> Json:
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    if isinstance(value, float):
        return {"doubleValue": value}
    if isinstance(value, tuple):
        return {"arrayValue": {"values": [{"stringValue": item} for item in value]}}
    return {"stringValue": value}


def _spans(request: Json) -> Iterator[tuple[Span, Mapping[str, Value]]]:
    for group in request["resourceSpans"]:
        resource = _read_attributes(group["resource"]["attributes"])
        service = str(resource.get("service.name", SERVICE))
        for scope in group["scopeSpans"]:
            for encoded in scope["spans"]:
                yield _read_span(encoded, service), resource


def _read_span(encoded: Json, service: str) -> Span:
    attributes = _read_attributes(encoded["attributes"])
    failed = encoded.get("status", {}).get("code") == STATUS_ERROR
    return Span(
        name=encoded["name"],
        kind=KIND_NAMES[encoded["kind"]],
        trace_id=encoded["traceId"],
        span_id=encoded["spanId"],
        parent_id=encoded.get("parentSpanId") or None,
        start=int(encoded["startTimeUnixNano"]),
        end=int(encoded["endTimeUnixNano"]),
        attributes=attributes,
        events=tuple(
            SpanEvent(
                name=event["name"], at=int(event["timeUnixNano"]), attributes=_read_attributes(event["attributes"])
            )
            for event in encoded.get("events", ())
        ),
        links=tuple(SpanLink(trace_id=link["traceId"], span_id=link["spanId"]) for link in encoded.get("links", ())),
        error=str(attributes.get("error.type", "_OTHER")) if failed else None,
        service=service,
    )


def _read_attributes(attributes: Iterable[Json]) -> dict[str, Value]:
    return {attribute["key"]: _read_value(attribute["value"]) for attribute in attributes}


def _read_value(value: Json) -> Value:
    if "arrayValue" in value:
        return tuple(str(item["stringValue"]) for item in value["arrayValue"].get("values", ()))
    if "intValue" in value:
        return int(value["intValue"])
    return next(iter(value.values()))  # type: ignore[no-any-return]
