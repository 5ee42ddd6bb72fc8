"""Every token is counted once, whoever tells of it and how often."""

from __future__ import annotations

from dataclasses import replace

import pytest
from agenvantage.telemetry.model import AgentEvent, UsageRecord, Via
from agenvantage.telemetry.usage import TOKEN_FIELDS, add, summarize
from hypothesis import given
from hypothesis import strategies as st


def request(
    id: str | None,
    fresh: int | None = 10,
    out: int | None = 5,
    *,
    agent: str = "main",
    via: Via = "session_log",
    **parts: int | None,
) -> AgentEvent:
    usage = UsageRecord(id=id, agent=agent, uncached_input_tokens=fresh, output_tokens=out, via=via, model="m", **parts)  # type: ignore[arg-type]
    return AgentEvent(kind="request", agent=agent, usage=usage)


def total(
    fresh: int | None,
    out: int | None,
    *,
    agent: str = "main",
    via: Via = "stream",
    session: str | None = "s",
    cost: float | None = None,
) -> AgentEvent:
    usage = UsageRecord(agent=agent, uncached_input_tokens=fresh, output_tokens=out, via=via, requests=None)
    return AgentEvent(kind="usage", agent=agent, usage=usage, session_id=session, cost_usd=cost)


def test_records_of_one_message_count_once():
    assert summarize([request("a")] * 3).total.output_tokens == 5


def test_a_streamed_answer_counts_with_its_last_output():
    assert summarize([request("a", out=3), request("a", out=9), request("a", out=159)]).total.output_tokens == 159


def test_two_ids_are_two_requests():
    summary = summarize([request("a"), request("b"), request("b")])
    assert (summary.total.output_tokens, summary.total.requests) == (10, 2)


def test_a_null_field_never_erases_a_known_one():
    summary = summarize([request("a", fresh=7, out=2), request("a", fresh=None, out=9)])
    assert (summary.total.uncached_input_tokens, summary.total.output_tokens) == (7, 9)


def test_the_session_log_outweighs_the_placeholder_of_the_stream():
    summary = summarize([request("a", out=9), request("a", out=40, via="stream")])
    assert summary.total.output_tokens == 9
    assert summary.via == ("session_log",)


def test_a_cache_write_split_in_one_source_is_not_added_to_the_whole_of_another():
    summary = summarize(
        [request("a", cache_write_1h_input_tokens=2500), request("a", via="stream", cache_write_5m_input_tokens=2500)]
    )
    assert summary.total.input_tokens == 2510


def test_running_totals_are_not_added_up():
    assert summarize([total(100, 10), total(100, 10), total(200, 20), total(200, 20)]).total.input_tokens == 200


def test_a_running_total_that_begins_anew_is_carried_over():
    events = [total(100, 10), total(100, 10), total(200, 20), total(200, 20), total(45, 5)]
    assert summarize(events).total.input_tokens == 245
    assert summarize(events).total.output_tokens == 25


def test_totals_of_two_sessions_add_up():
    assert summarize([total(100, 10, session="a"), total(50, 5, session="b")]).total.input_tokens == 150


def test_a_total_without_a_session_belongs_to_the_session_that_began():
    events = [AgentEvent(kind="started", session_id="a"), total(100, 10, session=None), total(150, 20, session="a")]
    assert summarize(events).total.input_tokens == 150


def test_sub_agents_are_in_the_total_and_shown_apart():
    summary = summarize([request("a"), request("b", agent="child"), request("c", agent="grandchild")])
    assert summary.total.output_tokens == 15
    assert {name: part.output_tokens for name, part in summary.by_agent.items()} == {
        "main": 5,
        "child": 5,
        "grandchild": 5,
    }


def test_models_are_told_apart():
    small = request("b")
    small = replace(small, usage=replace(small.usage, model="small"))
    assert set(summarize([small, request("a")]).by_model) == {"m", "small"}


def test_calls_that_agree_with_the_total_are_of_high_confidence():
    summary = summarize([request("a"), request("b"), total(20, 10)])
    assert (summary.confidence, summary.gap, summary.via) == ("high", 0.0, ("session_log", "stream"))


def test_a_total_of_the_main_thread_alone_is_no_gap():
    summary = summarize([request("a"), request("b", agent="child"), total(10, 5)])
    assert (summary.gap, summary.total.input_tokens) == (0.0, 20)


def test_a_missing_call_shows_as_a_gap():
    summary = summarize([request("a"), total(20, 10)])
    assert summary.gap == pytest.approx(0.5)
    assert summary.confidence == "low"


def test_only_totals_are_of_medium_confidence_and_tell_of_no_requests():
    summary = summarize([total(20, 10)])
    assert (summary.confidence, summary.gap, summary.requests, summary.total.requests) == ("medium", None, (), None)


def test_incomplete_calls_give_way_to_the_total_but_are_counted():
    summary = summarize([request("a", out=None), request("b", out=None), total(20, 10)])
    assert (summary.total.output_tokens, summary.total.requests, summary.requests) == (10, 2, ())


def test_placeholders_of_the_stream_give_way_to_its_own_total():
    summary = summarize([request("a", out=1, via="stream"), request("b", out=1, via="stream"), total(20, 300)])
    assert summary.total.output_tokens == 300


def test_incomplete_calls_alone_keep_what_is_known():
    summary = summarize([request("a", out=None), request("b", out=4)])
    assert (summary.total.output_tokens, summary.total.input_tokens, summary.confidence) == (4, 20, "medium")


def test_no_usage_is_unknown_not_zero():
    summary = summarize([AgentEvent(kind="message", text="hello")])
    assert summary.total.input_tokens is None
    assert summary.total.output_tokens is None
    assert summary.total.requests is None
    assert summary.via == ()


def test_many_unreadable_lines_lower_the_confidence():
    assert summarize([request("a"), *[AgentEvent(kind="unknown", raw="?")] * 5]).confidence == "low"


def test_the_reported_cost_is_the_last_one():
    assert summarize([total(1, 1, cost=0.1), AgentEvent(kind="finished", cost_usd=0.25)]).reported_usd == 0.25


def test_a_reported_cost_of_zero_is_kept():
    assert summarize([AgentEvent(kind="finished", cost_usd=0.0)]).reported_usd == 0.0


counts = st.none() | st.integers(0, 1000)
usages = st.builds(
    UsageRecord,
    id=st.none() | st.sampled_from("abcdef"),
    agent=st.sampled_from(("main", "child", "other")),
    model=st.sampled_from((None, "big", "small")),
    via=st.sampled_from(("session_log", "stream", "gateway")),
    **dict.fromkeys(TOKEN_FIELDS, counts),
)
requests = st.lists(usages.map(lambda usage: AgentEvent(kind="request", agent=usage.agent, usage=usage)), max_size=12)


@given(requests.map(lambda events: [event for event in events if event.usage and event.usage.id]), st.randoms())
def test_repeats_do_no_harm(events, random):
    repeated = events + random.choices(events, k=3) if events else events
    assert summarize(repeated).total == summarize(events).total


@given(requests, st.permutations(("main", "child", "other")))
def test_the_order_of_agents_is_irrelevant(events, order):
    ids = {"main": "m", "child": "c", "other": "o"}
    own = [replace(e, usage=replace(e.usage, id=ids[e.agent] + e.usage.id if e.usage.id else None)) for e in events]
    sorted_by_agent = sorted(own, key=lambda event: order.index(event.agent))
    assert summarize(sorted_by_agent).total == summarize(own).total


@given(requests)
def test_the_parts_sum_to_the_total(events):
    summary = summarize(events)
    for parts in (summary.by_model, summary.by_agent, dict(enumerate(summary.requests))):
        whole = add(tuple(parts.values()))
        assert [getattr(whole, name) for name in TOKEN_FIELDS] == [
            getattr(summary.total, name) for name in TOKEN_FIELDS
        ]
