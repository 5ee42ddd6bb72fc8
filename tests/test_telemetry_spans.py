"""A run's spans are one whole tree that any receiver takes, and say nothing that was not to be told."""

from __future__ import annotations

import importlib
import json
import pkgutil
from collections import Counter
from dataclasses import replace

import pytest
from agenvantage.context.model import ContextBlock, ContextPacket
from agenvantage.telemetry.model import AgentEvent, AgentExit, FileRead, Outcome, UsageRecord
from agenvantage.telemetry.span import GAP, Draft, fit, link_to
from agenvantage.telemetry.span_json import decode
from agenvantage.telemetry.spans import (
    MOST_SPANS,
    agent_links,
    agent_span_id,
    otlp_lines,
    resource,
    spans,
    traceparent,
)
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.semconv import attributes as semconv_attributes
from opentelemetry.semconv._incubating import attributes as incubating_attributes
from otlp_receiver import decode_line, spans_of
from telemetry_kit import at, call, request, session, trace


def named(tree, name):
    return [span for span in tree if span.name == name]


def test_the_tree_is_the_one_that_is_documented():
    tree = spans(trace())
    children: dict = {}
    for span in tree:
        children.setdefault(span.parent_id, []).append(span)

    def shape(span):
        return {span.name: [shape(child) for child in children.get(span.span_id, [])]}

    assert [shape(root) for root in children[None]] == [
        {"agenvantage.run": [
            {"agenvantage.worktree.prepare": []},
            {"agenvantage.context.build": [
                {"agenvantage.context.index": []},
                {"agenvantage.context.plan": []},
                {"agenvantage.context.compile": []},
            ]},
            {"agenvantage.agent.process": [
                {"invoke_agent codex": [
                    {"chat gpt-5.5": []}, {"execute_tool exec_command": []}, {"chat gpt-5.5": []},
                    {"execute_tool search": [{"tools/call search": []}]}, {"chat gpt-5.5": []},
                    {"execute_tool apply_patch": []}, {"chat gpt-5.5": []},
                    {"invoke_agent subagent": [{"chat gpt-5.5": []}]},
                    {"execute_tool exec_command": []}, {"chat gpt-5.5": []},
                ]},
            ]},
            {"agenvantage.patch.capture": []},
            {"agenvantage.verify": []},
        ]},
    ]  # fmt: skip


def test_the_lines_decode_by_the_protocol_with_one_root_and_every_parent_there():
    decoded = [span for line in otlp_lines(trace()) for span in spans_of(decode_line(line))]
    ids = {span.span_id for span in decoded}
    assert [span.name for span in decoded if not span.parent_span_id] == ["agenvantage.run"]
    assert all(span.parent_span_id in ids for span in decoded if span.parent_span_id)
    assert all(len(span.trace_id) == 16 and len(span.span_id) == 8 and any(span.span_id) for span in decoded)
    assert len(ids) == len(decoded)
    assert {span.trace_id.hex() for span in decoded} == {trace().trace_id}


def test_each_span_lies_within_its_parent():
    tree = spans(trace())
    by_id = {span.span_id: span for span in tree}
    for span in tree:
        assert span.start <= span.end
        if span.parent_id is not None:
            parent = by_id[span.parent_id]
            assert parent.start <= span.start
            assert span.end <= parent.end


def test_siblings_that_follow_each_other_are_a_millisecond_apart():
    prepare, index = (
        named(spans(trace()), "agenvantage.worktree.prepare")[0],
        named(spans(trace()), "agenvantage.context.build")[0],
    )
    assert index.start - prepare.end >= GAP


def test_kinds_are_those_of_the_conventions():
    kinds = Counter((span.name.split()[0], span.kind) for span in spans(trace()) if " " in span.name)
    assert set(kinds) == {
        ("invoke_agent", "internal"),
        ("chat", "client"),
        ("execute_tool", "internal"),
        ("tools/call", "server"),
    }


def test_usage_stands_on_one_level_and_adds_up_to_the_truth():
    tree = spans(trace())
    carrying = {span.name.split()[0] for span in tree if "gen_ai.usage.input_tokens" in span.attributes}
    assert carrying == {"chat"}
    total = trace().trajectory.usage.total
    for attribute, truth in (("input_tokens", total.input_tokens), ("output_tokens", total.output_tokens)):
        assert sum(span.attributes.get(f"gen_ai.usage.{attribute}", 0) for span in tree) == truth


def test_without_calls_usage_stands_on_the_agent_and_no_call_is_invented():
    usage = UsageRecord(uncached_input_tokens=10, output_tokens=3, requests=None, via="stream")
    tree = spans(trace(events=(AgentEvent(kind="usage", usage=usage, at=at(2)), AgentEvent(kind="finished", ok=True))))
    assert [span.name for span in tree if "gen_ai.usage.input_tokens" in span.attributes] == ["invoke_agent codex"]
    assert not [span for span in tree if span.name.startswith("chat")]
    assert named(tree, "agenvantage.run")[0].attributes["agenvantage.usage.level"] == "agent"


def test_unknown_usage_is_left_out():
    tree = spans(trace(events=(AgentEvent(kind="finished", ok=True),)))
    assert not [span for span in tree if any(key.startswith("gen_ai.usage") for key in span.attributes)]
    assert "agenvantage.usage.level" not in named(tree, "agenvantage.run")[0].attributes


def test_cache_writes_bear_both_names():
    chat = named(spans(trace()), "chat gpt-5.5")[0]
    assert chat.attributes["gen_ai.usage.cache_write.input_tokens"] == 500
    assert chat.attributes["gen_ai.usage.cache_creation.input_tokens"] == 500
    assert chat.attributes["gen_ai.usage.input_tokens"] == 5500


REQUIRED = {
    "chat": {"gen_ai.operation.name", "gen_ai.provider.name", "gen_ai.request.model", "gen_ai.conversation.id"},
    "invoke_agent": {"gen_ai.operation.name", "gen_ai.agent.name", "gen_ai.conversation.id"},
    "execute_tool": {"gen_ai.operation.name", "gen_ai.tool.name", "gen_ai.conversation.id"},
    "tools/call": {"mcp.method.name", "gen_ai.tool.name"},
}


def test_required_attributes_are_there():
    for span in spans(trace()):
        assert REQUIRED.get(span.name.split()[0], set()) <= set(span.attributes)
        assert {"agenvantage.run.id", "agenvantage.arm"} <= set(span.attributes)


NEW_KEYS = {
    "gen_ai.usage.cache_write.input_tokens", "gen_ai.request.reasoning.level", "mcp.method.name",
    "gen_ai.evaluation.name", "gen_ai.evaluation.score.value", "gen_ai.evaluation.score.label",
    "gen_ai.usage.reasoning.output_tokens",
}  # fmt: skip
"""Names of the GenAI conventions 0.1.0 that the Python package does not list yet."""


def registered_keys():
    keys = set()
    for place in (semconv_attributes, incubating_attributes):
        for module in pkgutil.iter_modules(place.__path__):
            loaded = importlib.import_module(f"{place.__name__}.{module.name}")
            keys |= {value for value in vars(loaded).values() if isinstance(value, str)}
    return keys


def test_every_key_is_of_the_conventions_or_ours():
    told = trace(links=(f"00-{'ab' * 16}-{'cd' * 8}-01",))
    used = {key for span in spans(told) for key in span.attributes} | set(resource(told))
    used |= {key for span in spans(told) for event in span.events for key in event.attributes}
    foreign = {key for key in used if not key.startswith("agenvantage.")}
    assert foreign - registered_keys() - NEW_KEYS == set()


def test_our_own_spans_bear_no_stray_attribute_of_the_conventions():
    own = [span for span in spans(trace()) if span.name.startswith("agenvantage.")]
    assert not [key for span in own for key in span.attributes if key.startswith(("gen_ai.", "mcp."))]


def test_our_servers_spans_come_from_a_service_of_their_own():
    groups = [group for line in otlp_lines(trace()) for group in json.loads(line)["resourceSpans"]]
    service = {
        group["resource"]["attributes"][0]["value"]["stringValue"]: group["scopeSpans"][0]["spans"] for group in groups
    }
    assert [span["name"] for span in service["agenvantage-mcp"]] == ["tools/call search"]


def test_a_call_that_the_agent_never_logged_is_a_span_of_the_agent():
    tree = spans(trace(events=tuple(event for event in session() if not (event.tool and event.tool.kind == "mcp"))))
    [lone] = named(tree, "tools/call search")
    assert lone.parent_id == named(tree, "invoke_agent codex")[0].span_id


def test_ids_are_a_function_of_the_run():
    assert otlp_lines(trace()) == otlp_lines(trace())
    other = trace(run_id="20261130-212530-000000", trace_id="f" * 32)
    assert not {span.span_id for span in spans(trace())} & {span.span_id for span in spans(other)}


def test_the_agents_id_that_is_needed_beforehand_is_that_of_the_tree():
    tree = spans(trace())
    assert named(tree, "agenvantage.agent.process")[0].span_id == agent_span_id(trace().run_id)


def test_a_trace_context_for_a_child_is_well_formed_and_links_back():
    link = link_to(traceparent(trace().trace_id, agent_span_id(trace().run_id)))
    assert link is not None
    assert (link.trace_id, link.span_id) == (trace().trace_id, agent_span_id(trace().run_id))


def test_an_inbound_trace_is_linked_from_the_root():
    root = spans(trace(links=(f"00-{'ab' * 16}-{'cd' * 8}-01", "nonsense", f"00-{'0' * 32}-{'cd' * 8}-01")))[0]
    assert [(link.trace_id, link.span_id) for link in root.links] == [("ab" * 16, "cd" * 8)]


def test_only_a_well_formed_inbound_context_becomes_a_link():
    assert agent_links({"TRACEPARENT": f"00-{'AB' * 16}-{'cd' * 8}-01"}) == (f"00-{'ab' * 16}-{'cd' * 8}-01",)
    assert agent_links({"TRACEPARENT": "nonsense"}) == agent_links({}) == ()


def test_a_flood_of_tools_is_counted_and_no_model_call_is_lost():
    events = [call(f"c{index}", 2, 2.1) for index in range(3000)] + [request(f"r{index}", 3) for index in range(200)]
    tree = spans(trace(events=tuple(events), served=()))
    merged = named(tree, "invoke_agent codex")[0].attributes["agenvantage.tools.merged"]
    tools = len(named(tree, "execute_tool exec_command"))
    assert len(tree) <= MOST_SPANS
    assert tools + merged == 3000
    assert len(named(tree, "chat gpt-5.5")) == 200


def test_a_name_that_a_model_made_up_does_not_become_a_spans_name():
    tree = spans(trace(events=(call("x", 2, 3, name="rm -rf /home/someone"),)))
    assert named(tree, "execute_tool _other")


def test_a_failed_tool_is_an_error_and_the_run_is_not():
    tree = spans(trace())
    failed = [span for span in tree if span.error is not None]
    assert [(span.name, span.error) for span in failed] == [("execute_tool exec_command", "exit_1")]


def test_a_failed_check_is_a_finding_and_no_error():
    wrong = replace(trace().outcome, outcome="wrong", checks=(replace(trace().outcome.checks[0], exit_code=1),))
    tree = spans(trace(outcome=wrong))
    verify = named(tree, "agenvantage.verify")[0]
    assert (tree[0].error, verify.error, verify.attributes["test.suite.run.status"]) == (None, None, "failure")
    assert verify.events[0].attributes["gen_ai.evaluation.score.value"] == 0.0


def test_a_run_that_was_stopped_is_an_error():
    stopped = Outcome(
        outcome="budget", reason="out of time", error_type="timeout", exit=AgentExit(signal="SIGTERM", forced=True)
    )
    tree = spans(trace(outcome=stopped))
    assert (tree[0].error, named(tree, "agenvantage.agent.process")[0].error) == ("timeout", "timeout")


def test_a_native_run_has_no_context_span():
    phases = tuple(phase for phase in trace().phases if phase.name not in ("index", "plan", "compile"))
    tree = spans(trace(packet=ContextPacket.bare(), phases=phases))
    assert not named(tree, "agenvantage.context.build")


def test_a_run_whose_agent_never_started_is_still_one_tree():
    tree = spans(trace(events=(), served=(), phases=trace().phases[:1]))
    assert [span.name for span in tree] == ["agenvantage.run", "agenvantage.worktree.prepare"]


def test_the_spans_that_are_read_back_are_those_that_were_written():
    assert sorted(decode(otlp_lines(trace())), key=lambda s: s.span_id) == sorted(
        spans(trace()), key=lambda s: s.span_id
    )


@pytest.mark.parametrize("line", ["[]", "{}", '{"resourceSpans":[{}]}', "not json"])
def test_what_is_no_span_is_refused(line):
    with pytest.raises(ValueError):
        decode([line])


CANARY = "canary-5b1e7-SECRET"


def test_no_content_and_no_path_is_in_a_span():
    block = ContextBlock(
        id="1", kind="evidence", text=CANARY, tokens=1, stable=False, path=f"{CANARY}.py", start=1, end=2
    )
    events = (
        AgentEvent(kind="prompt", text=CANARY),
        AgentEvent(kind="message", text=CANARY, at=at(1.5)),
        call(
            "x",
            2,
            3,
            command=f"cat {CANARY}",
            output=CANARY,
            arguments={"k": CANARY},
            reads=(FileRead(path=f"{CANARY}.py"),),
        ),
        call("y z " + CANARY, 2, 3, name=CANARY + " with space", cwd="/" + CANARY, edits=(f"{CANARY}.py",)),
        AgentEvent(kind="retry", error_type=f"odd {CANARY}", text=CANARY, at=at(3)),
        AgentEvent(kind="error", text=CANARY, at=at(4)),
        AgentEvent(kind="finished", ok=False, text=CANARY, at=at(5)),
    )
    told = trace(events=events, packet=ContextPacket(strategy="adaptive-hybrid", provider="openai", blocks=(block,)))
    told = replace(told, outcome=replace(told.outcome, reason=CANARY), tree=f"/{CANARY}", folder=f"/{CANARY}")
    assert CANARY not in "".join(otlp_lines(told))


def test_a_name_that_is_not_utf8_does_not_break_the_encoding():
    repository = replace(trace().repository, name="caf\udce9", branch="b\udcff")
    assert [decode_line(line) for line in otlp_lines(trace(repository=repository))]


moments = st.integers(0, 10**10)


def draft(children):
    return st.builds(Draft, key=st.just("k"), name=st.just("n"), start=moments, end=moments, children=children)


drafts = st.recursive(draft(st.just(())), lambda inner: draft(st.lists(inner, max_size=4).map(tuple)), max_leaves=12)


@given(drafts)
def test_fitting_keeps_every_span_within_its_parent(given_draft):
    def check(span, low, high):
        assert low <= span.start <= span.end <= high
        for child in span.children:
            check(child, span.start, span.end)

    check(fit(given_draft, 5, 10**9), 5, 10**9)
