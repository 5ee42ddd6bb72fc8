"""The recorder is the clock: phases, arrivals, and a trace at the end."""

from __future__ import annotations

import re
from itertools import count

import pytest
from agenvantage import AgentRunRecorder
from agenvantage.context.model import ContextPacket
from agenvantage.telemetry.model import AgentEvent, UsageRecord
from agenvantage.telemetry.recorder import new_run_id, steady_clock, trace_id_of
from telemetry_kit import START, packet


def recorder(**more):
    ticks = count(START, 1000)
    return AgentRunRecorder.start(packet(), clock=lambda: next(ticks), **more)


def test_a_run_begins_with_a_packet_and_ends_with_a_trace():
    trace = AgentRunRecorder.start(packet()).finish()
    assert (trace.packet, trace.strategy) == (packet(), "adaptive-hybrid")
    assert trace.outcome.outcome == "unjudged"
    assert trace.ended >= trace.started


def test_run_ids_sort_by_time_and_differ_within_a_second():
    ids = [new_run_id(START + second * 10**9) for second in range(3)]
    assert ids == sorted(ids)
    assert re.fullmatch(r"\d{8}-\d{6}-[0-9a-f]{6}", ids[0])
    assert len({new_run_id(START) for _ in range(50)}) > 1


def test_the_trace_id_is_a_function_of_the_run_id():
    assert recorder(run_id="x").trace_id == recorder(run_id="x").trace_id == trace_id_of("x")
    assert re.fullmatch(r"[0-9a-f]{32}", trace_id_of("x"))


def test_the_clock_never_goes_back():
    clock = steady_clock()
    times = [clock() for _ in range(1000)]
    assert times == sorted(times)


def test_a_phase_is_recorded_even_when_it_fails():
    recording = recorder()
    with pytest.raises(KeyError), recording.phase("index"):
        raise KeyError
    assert [phase.name for phase in recording.finish().phases] == ["index"]


def test_an_event_without_a_time_gets_that_of_its_arrival():
    recording = recorder()
    assert recording.event(AgentEvent(kind="message")).at is not None
    assert recording.finish().timing_source == "observed"


def test_an_event_with_a_time_of_its_own_keeps_it():
    recording = recorder()
    assert recording.event(AgentEvent(kind="message", at=7)).at == 7
    assert recording.finish().timing_source == "transcript"


def test_without_a_trajectory_it_is_told_from_the_events():
    recording = recorder()
    recording.event(AgentEvent(kind="request", usage=UsageRecord(id="a", uncached_input_tokens=3, output_tokens=2)))
    assert recording.finish().trajectory.usage.total.input_tokens == 3


def test_a_packet_that_was_compiled_later_takes_the_place_of_the_first():
    recording = AgentRunRecorder.start(ContextPacket.bare())
    assert recording.finish(packet=packet()).packet == packet()
