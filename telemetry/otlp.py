"""Sends spans to an OTLP endpoint, within one deadline, and says what arrived.

Importing this module loads nothing of OpenTelemetry: that happens in `send`, once an endpoint is known.
"""

from __future__ import annotations

import logging
import re
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote, urlsplit

from .. import __version__
from ..context.redact import redact
from .span import SERVICE, Span, Value
from .span_json import decode_with_resources

DEADLINE_SECONDS: Final = 2.0
LONGEST_SECONDS: Final = 60.0
MILLISECONDS_FROM: Final = 100
BATCH: Final = 512
LOGGERS: Final = ("opentelemetry", "grpc", "urllib3", "requests")
PREFIX: Final = "OTEL_EXPORTER_OTLP_"
EXPORTERS: Final[Mapping[str, str]] = {
    "http/protobuf": "opentelemetry.exporter.otlp.proto.http.trace_exporter",
    "grpc": "opentelemetry.exporter.otlp.proto.grpc.trace_exporter",
}
"""Protocol → module of its exporter."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivered:
    """What arrived. `why` says in a few words why not all; `asked` is False when nothing asked for sending."""

    sent: int
    total: int
    why: str | None = None
    asked: bool = True

    def __str__(self) -> str:
        told = f"telemetry: {self.sent} of {self.total} spans delivered"
        return told if self.why is None else f"{told} ({self.why}); kept in the run folder"


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """Where and how to send, from the standard variables."""

    url: str
    protocol: str
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    timeout_seconds: float
    compression: str | None = None
    certificate: str | None = None
    client_key: str | None = None
    client_certificate: str | None = None
    insecure: bool | None = None


def endpoint(environment: Mapping[str, str]) -> Endpoint | None:
    """What the `OTEL_*` variables ask for; None when they ask for nothing."""
    if _disabled(environment):
        return None
    own, base = _setting(environment, "ENDPOINT", general=False), environment.get(f"{PREFIX}ENDPOINT")
    if not own and not base:
        return None
    protocol = _setting(environment, "PROTOCOL") or "http/protobuf"
    url = own or (f"{(base or '').rstrip('/')}/v1/traces" if protocol.startswith("http") else base or "")
    insecure = _setting(environment, "INSECURE")
    return Endpoint(
        url=url,
        protocol=protocol,
        headers=_headers(_setting(environment, "HEADERS") or ""),
        timeout_seconds=_seconds(_setting(environment, "TIMEOUT")),
        compression=_setting(environment, "COMPRESSION"),
        certificate=_setting(environment, "CERTIFICATE"),
        client_key=_setting(environment, "CLIENT_KEY"),
        client_certificate=_setting(environment, "CLIENT_CERTIFICATE"),
        insecure=None if insecure is None else insecure.lower() == "true",
    )


def send(lines: Iterable[str], environment: Mapping[str, str], *, deadline_seconds: float | None = None) -> Delivered:
    """Send the lines of a `spans.jsonl`. Never raises for a receiver's fault, never takes longer than the deadline.

    `environment` is where the `OTEL_*` variables are read from. The deadline is `OTEL_EXPORTER_OTLP_TIMEOUT`, or two
    seconds. Raises ValueError when the lines are not spans.
    """
    spans = decode_with_resources(lines)
    where = endpoint(environment)
    if where is None or not spans:
        return Delivered(sent=0, total=len(spans), asked=False)
    if where.protocol not in EXPORTERS:
        known = " or ".join(EXPORTERS)
        return Delivered(sent=0, total=len(spans), why=f"protocol {where.protocol} is not supported; use {known}")
    attempt = _Attempt(total=len(spans))
    deadline = deadline_seconds if deadline_seconds is not None else where.timeout_seconds
    with _quiet(attempt.heard):
        try:
            export = _exporter(where, deadline)
        except (ValueError, OSError) as wrong:
            why = redact(f"bad OTLP setting: {wrong}", _secrets(where))
            return Delivered(sent=0, total=len(spans), why=why)
        worker = threading.Thread(
            target=_work,
            args=(attempt, export, _readable(spans), time.monotonic() + deadline),
            daemon=True,
        )
        worker.start()
        worker.join(deadline)
        return attempt.result(timed_out=worker.is_alive(), where=where)


@dataclass(slots=True, kw_only=True)
class _Attempt:
    """What the sending thread has done so far, and what the exporter said of it."""

    total: int
    sent: int = 0
    heard: list[str] = field(default_factory=list)

    def result(self, *, timed_out: bool, where: Endpoint) -> Delivered:
        if self.sent == self.total:
            return Delivered(sent=self.sent, total=self.total)
        why = _reason(self.heard) or ("no answer in time" if timed_out else "refused")
        return Delivered(sent=self.sent, total=self.total, why=redact(why, _secrets(where)))


def _secrets(where: Endpoint) -> tuple[str, ...]:
    try:
        password = urlsplit(where.url).password
    except ValueError:
        password = None
    return (*where.headers.values(), password or "")


def _work(attempt: _Attempt, export: Callable[[Sequence[Any]], bool], spans: Sequence[Any], until: float) -> None:
    for start in range(0, len(spans), BATCH):
        batch = spans[start : start + BATCH]
        if time.monotonic() >= until or not export(batch):
            return
        attempt.sent += len(batch)


def _exporter(where: Endpoint, timeout: float) -> Callable[[Sequence[Any]], bool]:
    """A function that sends one batch and says whether it arrived. The imports are what an endpoint costs."""
    module = import_module(EXPORTERS[where.protocol])
    exporter = _BUILDERS[where.protocol](module, where, timeout)
    success = import_module("opentelemetry.sdk.trace.export").SpanExportResult.SUCCESS
    return lambda batch: exporter.export(batch) is success


def _http(module: Any, where: Endpoint, timeout: float) -> Any:
    return module.OTLPSpanExporter(
        endpoint=where.url,
        headers=dict(where.headers),
        timeout=timeout,
        compression=module.Compression(where.compression or "none"),
        certificate_file=where.certificate,
        client_key_file=where.client_key,
        client_certificate_file=where.client_certificate,
    )


def _grpc(module: Any, where: Endpoint, timeout: float) -> Any:
    grpc = import_module("grpc")
    plain = where.insecure if where.insecure is not None else not where.url.startswith("https://")
    return module.OTLPSpanExporter(
        endpoint=where.url,
        insecure=plain,
        credentials=None if plain else _credentials(grpc, where),
        headers=tuple((name.lower(), value) for name, value in where.headers.items()),
        timeout=timeout,
        compression=grpc.Compression.Gzip if where.compression == "gzip" else grpc.Compression.NoCompression,
    )


_BUILDERS: Final[Mapping[str, Callable[[Any, Endpoint, float], Any]]] = {"http/protobuf": _http, "grpc": _grpc}


def _credentials(grpc: Any, where: Endpoint) -> Any:
    files = (where.certificate, where.client_key, where.client_certificate)
    root, key, chain = (Path(name).read_bytes() if name else None for name in files)
    return grpc.ssl_channel_credentials(root_certificates=root, private_key=key, certificate_chain=chain)


def _readable(spans: Sequence[tuple[Span, Mapping[str, Value]]]) -> list[Any]:
    """The spans as the exporters take them."""
    api, trace, resources, scopes, status = map(
        import_module,
        (
            "opentelemetry.trace",
            "opentelemetry.sdk.trace",
            "opentelemetry.sdk.resources",
            "opentelemetry.sdk.util.instrumentation",
            "opentelemetry.trace.status",
        ),
    )
    scope = scopes.InstrumentationScope(SERVICE, __version__)
    known: dict[str, Any] = {}

    def context(trace_id: str, span_id: str) -> Any:
        flags = api.TraceFlags(api.TraceFlags.SAMPLED)
        return api.SpanContext(int(trace_id, 16), int(span_id, 16), is_remote=False, trace_flags=flags)

    def readable(span: Span, resource: Mapping[str, Value]) -> Any:
        if span.service not in known:
            known[span.service] = resources.Resource(dict(resource))
        code = status.StatusCode.UNSET if span.error is None else status.StatusCode.ERROR
        return trace.ReadableSpan(
            name=span.name,
            context=context(span.trace_id, span.span_id),
            parent=None if span.parent_id is None else context(span.trace_id, span.parent_id),
            resource=known[span.service],
            attributes=dict(span.attributes),
            events=[trace.Event(event.name, dict(event.attributes), event.at) for event in span.events],
            links=[api.Link(context(link.trace_id, link.span_id)) for link in span.links],
            kind=api.SpanKind[span.kind.upper()],
            status=status.Status(code),
            start_time=span.start,
            end_time=span.end,
            instrumentation_scope=scope,
        )

    return [readable(span, resource) for span, resource in spans]


def _disabled(environment: Mapping[str, str]) -> bool:
    if environment.get("OTEL_SDK_DISABLED", "").strip().lower() == "true":
        return True
    wanted = environment.get("OTEL_TRACES_EXPORTER", "").strip()
    return bool(wanted) and "otlp" not in [name.strip() for name in wanted.split(",")]


def _setting(environment: Mapping[str, str], name: str, *, general: bool = True) -> str | None:
    """The setting for traces, or the one for all signals; an empty one is none."""
    own = environment.get(f"{PREFIX}TRACES_{name}", "").strip()
    return own or (environment.get(f"{PREFIX}{name}", "").strip() if general else "") or None


def _seconds(timeout: str | None) -> float:
    """The specification counts milliseconds and Python's SDK seconds: from 100 up they are milliseconds."""
    try:
        value = float(timeout) if timeout else DEADLINE_SECONDS
    except ValueError:
        return DEADLINE_SECONDS
    value = value / 1000 if value >= MILLISECONDS_FROM else value
    return min(value, LONGEST_SECONDS) if value > 0 else DEADLINE_SECONDS


def _headers(value: str) -> dict[str, str]:
    """`name=value,…`, percent-encoded."""
    pairs = (part.partition("=") for part in value.split(",") if "=" in part)
    return {unquote(name).strip(): unquote(text).strip() for name, _, text in pairs if name.strip()}


@contextmanager
def _quiet(heard: list[str]) -> Iterator[None]:
    """The libraries' own words go to `heard`, not to the terminal."""
    listener = _Listener(heard)
    loggers = [logging.getLogger(name) for name in LOGGERS]
    before = [(logger.propagate, logger.level) for logger in loggers]
    for logger in loggers:
        logger.addHandler(listener)
        logger.propagate = False
    try:
        yield
    finally:
        for logger, (propagate, level) in zip(loggers, before, strict=True):
            logger.removeHandler(listener)
            logger.propagate, logger.level = propagate, level


class _Listener(logging.Handler):
    def __init__(self, heard: list[str]) -> None:
        super().__init__(logging.WARNING)
        self._heard = heard

    def emit(self, record: logging.LogRecord) -> None:
        self._heard.append(record.getMessage())


STATUS: Final = (
    re.compile(r"code: (\d{3}), reason: ([\w ]+)"),
    re.compile(r"Transient error ([\w ]+) encountered"),
)
REASONS: Final[tuple[tuple[str, str], ...]] = (
    ("refused", "connection refused"),
    ("resolve", "unknown host"),
    ("Name or service", "unknown host"),
    ("timed out", "no answer in time"),
    ("DEADLINE_EXCEEDED", "no answer in time"),
    ("CERTIFICATE", "TLS certificate not accepted"),
    ("UNAVAILABLE", "unavailable"),
    ("due to timeout", "no answer in time"),
)


def _reason(heard: Sequence[str]) -> str | None:
    """A few words for what the exporter said."""
    said = " ".join(heard)
    known = next((words for sign, words in REASONS if sign.lower() in said.lower()), None)
    if known is not None:
        return known
    status = next((found for found in (pattern.search(said) for pattern in STATUS) if found is not None), None)
    if status is not None:
        return " ".join(status.groups()).strip()
    code = re.search(r"StatusCode\.(\w+)", said)
    return code[1].lower().replace("_", " ") if code else None
