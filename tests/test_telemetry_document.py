"""The document of a run says what was measured, and null where nothing was."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from agenvantage.context.model import ContextPacket
from agenvantage.telemetry.atif import trajectory_document
from agenvantage.telemetry.document import dumps, run_document
from agenvantage.telemetry.model import AgentEvent, UsageRecord
from telemetry_kit import at, call, trace

KEYS = [
    "schema", "run_id", "trace_id", "agent", "strategy", "workflow", "labels", "repository", "outcome", "reason",
    "error", "exit", "verify", "agent_tests", "usage", "cost", "steps", "tool_calls", "files_read", "files_modified",
    "patch", "context", "integrity", "denials", "retries", "compactions", "prefix_churn", "timing", "folder", "tree",
]  # fmt: skip


def test_it_has_the_keys_of_the_contract():
    document = run_document(trace())
    assert list(document) == KEYS
    assert document["schema"] == "agenvantage.run/1"


def test_usage_parts_add_up_and_stand_by_agent_and_model():
    usage = run_document(trace())["usage"]
    assert (usage["input_tokens"], usage["output_tokens"], usage["requests"]) == (32300, 530, 6)
    assert (
        usage["uncached_input_tokens"] + usage["cache_read_input_tokens"] + usage["cache_write_5m_input_tokens"]
        == 32300
    )
    assert sum(part["input_tokens"] for part in usage["by_agent"].values()) == 32300
    assert list(usage["by_model"]) == ["gpt-5.5"]
    assert (usage["source"], usage["cache_write_1h_input_tokens"]) == ("reported", None)


def test_unknown_usage_is_null_everywhere():
    document = run_document(trace(events=(AgentEvent(kind="finished", ok=True),)))
    usage = document["usage"]
    assert [usage[key] for key in ("input_tokens", "output_tokens", "requests", "source", "confidence")] == [None] * 5
    assert (document["steps"], document["cost"]["unpriced_tokens"]) == (None, None)


def test_no_price_is_made_up():
    cost = run_document(trace())["cost"]
    assert cost["unpriced_tokens"] == 32830
    assert [cost[key] for key in ("reported_usd", "list_price_usd", "cache_neutral_usd", "price_table")] == [None] * 4


def test_a_reported_cost_of_zero_is_not_an_unknown_one():
    document = run_document(trace(events=(AgentEvent(kind="finished", ok=True, cost_usd=0.0),)))
    assert document["cost"]["reported_usd"] == 0.0


def test_a_native_run_has_no_context():
    assert run_document(trace(packet=ContextPacket.bare()))["context"] is None


def test_context_tells_what_was_used_and_what_was_missing():
    context = run_document(trace())["context"]
    assert (context["utilization"], context["missing_context_events"], context["mcp_calls"]) == (0.5, 1, 1)
    assert context["candidate_context_reduction"] == pytest.approx(0.9)
    assert context["delivered"] == {"prefix": True, "mcp": True}


def test_the_recovery_tax_is_what_was_spent_after_the_first_miss():
    # r2…r5 and the sub-agent's call came after the read of a file that the packet lacked, r1 before it
    assert run_document(trace())["context"]["recovery_tax"] == pytest.approx((4 * 5600 + 4830) / 32830)


def test_the_recovery_tax_is_unknown_when_a_call_has_no_time():
    usage = UsageRecord(id="r", uncached_input_tokens=1, output_tokens=1)
    events = (AgentEvent(kind="request", usage=usage), call("x", 2, 3))
    assert run_document(trace(events=events))["context"]["recovery_tax"] is None


def test_times_are_seconds_from_the_start_of_the_agent():
    timing = run_document(trace())["timing"]
    assert (timing["first_request_s"], timing["first_edit_s"], timing["agent_s"], timing["total_s"]) == (
        1.0,
        3.3,
        6.5,
        9.0,
    )


def test_a_phase_that_did_not_take_place_has_no_time():
    assert run_document(trace(phases=()))["timing"]["verify_s"] is None


def test_what_the_agent_tested_and_what_was_verified_stand_apart():
    document = run_document(trace())
    assert [test["exit_code"] for test in document["agent_tests"]] == [1]
    assert [(check["passed"], check["judged"]) for check in document["verify"]] == [(True, True)]


def test_names_that_are_not_utf8_survive_as_json():
    document = run_document(trace(repository=replace(trace().repository, name="caf\udce9")))
    text = dumps(document)
    assert text.isascii()
    assert json.loads(text) == document


def test_no_content_is_in_it():
    canary = "canary-5b1e7"
    events = (
        AgentEvent(kind="prompt", text=canary),
        call("x", 2, 3, command=f"cat {canary}", output=canary, arguments={"k": canary}, cwd=f"/{canary}"),
        AgentEvent(kind="error", text=canary, at=at(4)),
        AgentEvent(kind="finished", ok=False, text=canary),
    )
    assert canary not in dumps(run_document(trace(events=events)))


def test_an_atif_step_is_a_model_call_with_what_it_set_going():
    told = trajectory_document(trace())
    steps = [step for step in told["steps"] if step["source"] == "agent"]
    assert [[call["function_name"] for call in step.get("tool_calls", ())] for step in steps] == [
        ["exec_command"], ["search"], ["apply_patch"], ["exec_command"], [],
    ]  # fmt: skip
    assert [step["step_id"] for step in told["steps"]] == [1, 2, 3, 4, 5, 6]
    assert steps[0]["metrics"]["prompt_tokens"] == 5500
    assert told["final_metrics"]["total_prompt_tokens"] == 27500
    assert [below["trajectory_id"] for below in told["subagent_trajectories"]] == ["child-7"]


def test_an_atif_export_has_content_only_when_asked_for():
    bare, full = (json.dumps(trajectory_document(trace(), capture_content=wish)) for wish in (False, True))
    assert "sed -n 1,40p" not in bare
    assert "sed -n 1,40p" in full
