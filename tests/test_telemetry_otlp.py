"""Spans reach a real receiver, and a bad one costs two seconds at most."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest
from agenvantage.telemetry.otlp import endpoint, send
from agenvantage.telemetry.spans import otlp_lines, spans
from otlp_receiver import black_hole, closed_port, grpc_receiver, http_receiver, spans_of
from telemetry_kit import trace

LINES = otlp_lines(trace())
TOTAL = len(spans(trace()))


def timed(environment, **more):
    start = time.monotonic()
    delivered = send(LINES, environment, **more)
    return delivered, time.monotonic() - start


def test_every_span_arrives_over_http():
    with http_receiver() as receiver:
        delivered = send(LINES, {"OTEL_EXPORTER_OTLP_ENDPOINT": receiver.url})
    assert (delivered.sent, delivered.total, delivered.why) == (TOTAL, TOTAL, None)
    assert receiver.paths == ["/v1/traces"]
    assert {(s.trace_id.hex(), s.span_id.hex(), s.parent_span_id.hex(), s.name) for s in receiver.spans} == {
        (s.trace_id, s.span_id, s.parent_id or "", s.name) for s in spans(trace())
    }


def test_times_attributes_events_status_and_resource_arrive_as_they_were():
    with http_receiver() as receiver:
        send(LINES, {"OTEL_EXPORTER_OTLP_ENDPOINT": receiver.url})
    arrived = {span.span_id.hex(): span for span in receiver.spans}
    for span in spans(trace()):
        other = arrived[span.span_id]
        assert (other.start_time_unix_nano, other.end_time_unix_nano) == (span.start, span.end)
        assert {attribute.key for attribute in other.attributes} == set(span.attributes)
        assert [event.name for event in other.events] == [event.name for event in span.events]
        assert (other.status.code == 2) == (span.error is not None)
    groups = [group for request in receiver.requests for group in request.resource_spans]
    services = {
        attribute.value.string_value
        for group in groups
        for attribute in group.resource.attributes
        if attribute.key == "service.name"
    }
    assert services == {"agenvantage", "agenvantage-mcp"}


def test_every_span_arrives_over_grpc():
    with grpc_receiver() as receiver:
        settings = {"OTEL_EXPORTER_OTLP_ENDPOINT": receiver.url, "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}
        delivered = send(LINES, settings | {"OTEL_EXPORTER_OTLP_HEADERS": "X-Key=abc"}, deadline_seconds=20)
    assert (delivered.sent, delivered.why) == (TOTAL, None)
    assert len(receiver.spans) == TOTAL
    assert receiver.headers[0]["x-key"] == "abc"


def test_headers_and_compression_are_honoured():
    with http_receiver() as receiver:
        settings = {
            "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": f"{receiver.url}/own/path",
            "OTEL_EXPORTER_OTLP_HEADERS": "authorization=Bearer%20abc, x-tenant = 7",
            "OTEL_EXPORTER_OTLP_COMPRESSION": "gzip",
        }
        assert send(LINES, settings).sent == TOTAL
    assert receiver.paths == ["/own/path"]
    assert receiver.headers[0]["authorization"] == "Bearer abc"
    assert receiver.headers[0]["x-tenant"] == "7"


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"OTEL_EXPORTER_OTLP_ENDPOINT": ""},
        {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1", "OTEL_TRACES_EXPORTER": "none"},
        {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1", "OTEL_SDK_DISABLED": "true"},
        {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1", "OTEL_TRACES_EXPORTER": "console"},
    ],
)
def test_nothing_is_sent_where_nothing_asks_for_it(settings):
    delivered = send(LINES, settings)
    assert (delivered.sent, delivered.total, delivered.asked) == (0, TOTAL, False)


def test_no_part_of_opentelemetry_is_loaded_without_an_endpoint():
    code = (
        "import sys; from agenvantage.telemetry import otlp; otlp.send([], {});"
        "print([name for name in sys.modules if name.split('.')[0] in ('opentelemetry', 'grpc', 'requests')])"
    )
    done = subprocess.run((sys.executable, "-c", code), capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_closed_port_is_told_and_does_not_hang():
    delivered, seconds = timed({"OTEL_EXPORTER_OTLP_ENDPOINT": closed_port()})
    assert (delivered.sent, delivered.why) == (0, "connection refused")
    assert seconds < 4
    assert str(delivered) == (f"telemetry: 0 of {TOTAL} spans delivered (connection refused); kept in the run folder")


def test_a_receiver_that_never_answers_costs_the_deadline_and_no_more():
    with black_hole() as url:
        delivered, seconds = timed({"OTEL_EXPORTER_OTLP_ENDPOINT": url}, deadline_seconds=0.5)
    assert (delivered.sent, delivered.why) == (0, "no answer in time")
    assert seconds < 3


@pytest.mark.parametrize(("said", "seconds"), [("5", 5), ("500", 0.5), ("", 2), ("soon", 2), ("-1", 2)])
def test_the_standard_timeout_is_the_deadline(said, seconds):
    settings = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://x", "OTEL_EXPORTER_OTLP_TIMEOUT": said}
    assert endpoint(settings).timeout_seconds == seconds


def test_a_receiver_that_is_not_available_is_told():
    with http_receiver(status=503) as receiver:
        delivered, seconds = timed({"OTEL_EXPORTER_OTLP_ENDPOINT": receiver.url})
    assert delivered.sent == 0
    assert delivered.why == "unavailable"
    assert seconds < 4


def test_a_receiver_that_refuses_is_told_with_its_number():
    with http_receiver(status=400) as receiver:
        assert send(LINES, {"OTEL_EXPORTER_OTLP_ENDPOINT": receiver.url}).why == "400 Bad Request"


def test_a_closed_grpc_port_is_told():
    settings = {"OTEL_EXPORTER_OTLP_ENDPOINT": closed_port(), "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}
    delivered, seconds = timed(settings, deadline_seconds=1)
    assert delivered.sent == 0
    assert delivered.why
    assert seconds < 4


def test_an_unknown_protocol_is_named():
    settings = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1", "OTEL_EXPORTER_OTLP_PROTOCOL": "http/json"}
    assert "http/json" in send(LINES, settings).why


@pytest.mark.parametrize(
    "wrong",
    [{"OTEL_EXPORTER_OTLP_COMPRESSION": "brotli"}, {"OTEL_EXPORTER_OTLP_CERTIFICATE": "/nowhere/ca.pem"}],
)
def test_a_bad_setting_is_told_and_does_not_end_a_run(wrong):
    delivered = send(LINES, {"OTEL_EXPORTER_OTLP_ENDPOINT": "https://127.0.0.1:1"} | wrong, deadline_seconds=1)
    assert delivered.sent == 0
    assert delivered.why


def test_the_libraries_own_words_do_not_reach_the_terminal(capfd):
    send(LINES, {"OTEL_EXPORTER_OTLP_ENDPOINT": closed_port()}, deadline_seconds=0.3)
    assert capfd.readouterr() == ("", "")


def test_a_secret_of_the_endpoint_is_never_told():
    url = closed_port().replace("http://", "http://user:hunter2-pass@")
    delivered = send(LINES, {"OTEL_EXPORTER_OTLP_ENDPOINT": url}, deadline_seconds=0.3)
    assert "hunter2" not in str(delivered)


def test_sending_twice_sends_the_same():
    with http_receiver() as receiver:
        for _ in range(2):
            send(LINES, {"OTEL_EXPORTER_OTLP_ENDPOINT": receiver.url})
    first, second = ([span.span_id for span in spans_of(request)] for request in receiver.requests)
    assert first == second
