"""The agent's way through a task is told once, from whichever source knows it."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from agenvantage.context.model import ContextBlock, ContextPacket
from agenvantage.telemetry.faults import provider_error
from agenvantage.telemetry.model import AgentEvent, FileRead, ServedCall, TestCounts, ToolCall, UsageRecord
from agenvantage.telemetry.reads import Place, merge_ranges
from agenvantage.telemetry.trajectory import build
from hypothesis import given
from hypothesis import strategies as st

LINES = {"a.py": 40, "src/b.py": 10, "empty.py": 0}


def tool(id: str | None = "t1", *, at: int | None = None, agent: str = "main", **fields) -> AgentEvent:
    fields = {"name": "shell", "kind": "shell"} | fields
    return AgentEvent(kind="tool", agent=agent, at=at, tool=ToolCall(id=id, **fields))


def request(id: str, agent: str = "main", out: int | None = 1) -> AgentEvent:
    return AgentEvent(
        kind="request",
        agent=agent,
        usage=UsageRecord(id=id, agent=agent, model="m", uncached_input_tokens=1, output_tokens=out),
    )


def told(stream=(), session=(), tree: Path | None = Path("/run/tree"), **more):
    return build(stream, session, tree=tree, line_counts=LINES.get, **more)


def reading(*reads: FileRead, **fields) -> AgentEvent:
    return tool(reads=reads, ok=True, **fields)


def test_a_call_that_began_and_ended_is_one_call():
    way = told([tool(at=1_000_000_000), tool(at=3_000_000_000, ok=True, exit_code=0)])
    [(agent, call)] = way.tool_calls
    assert (agent, call.ok, call.exit_code, call.seconds) == ("main", True, 0, 2.0)


def test_an_end_that_tells_its_duration_tells_its_start():
    [(_, call)] = told([], [tool(at=5_000_000_000, ok=True, seconds=2.0)]).tool_calls
    assert (call.started_at, call.ended_at) == (3_000_000_000, 5_000_000_000)


def test_calls_come_whole_from_the_log_even_when_its_ids_differ():
    way = told([tool("item_2", ok=True)], [tool("call_9", ok=True)])
    assert [call.id for _, call in way.tool_calls] == ["call_9"]


def test_calls_come_from_the_stream_when_the_log_was_cut():
    way = told([tool("item_1", ok=True), tool("item_2", ok=True)], [tool("call_9", ok=True)])
    assert [call.id for _, call in way.tool_calls] == ["item_1", "item_2"]


def test_the_stream_fills_in_what_the_log_lacks_of_the_same_call():
    way = told([tool("x", ok=False, exit_code=3)], [tool("x", ok=False)])
    assert way.tool_calls[0][1].exit_code == 3


def test_calls_without_an_id_are_calls_of_their_own():
    assert len(told([tool(None, ok=True), tool(None, ok=True)]).tool_calls) == 2


def test_steps_are_the_answered_calls_of_the_main_thread():
    way = told([], [request("a"), request("a"), request("b"), request("c", agent="child")])
    assert way.steps == 2


def test_steps_are_unknown_when_no_source_tells_of_requests():
    assert told([AgentEvent(kind="message", text="hi")]).steps is None


def test_an_absolute_path_below_the_tree_is_relative_to_the_repository():
    [read] = told([reading(FileRead(path="/run/tree/src/b.py"))]).files_read
    assert (read.path, read.ranges) == ("src/b.py", ((1, 10),))


def test_a_relative_path_is_taken_from_where_the_call_ran():
    [read] = told([reading(FileRead(path="../a.py"), cwd="/run/tree/src")]).files_read
    assert read.path == "a.py"


def test_a_relative_path_without_a_folder_is_taken_from_where_the_agent_started():
    [read] = told([reading(FileRead(path="b.py"))], cwd=Path("src")).files_read
    assert read.path == "src/b.py"


@pytest.mark.parametrize(
    "path", ["/etc/passwd", "../../outside.py", "~/x", ".git/config", "/run/tree2/a.py", "", "/run/tree"]
)
def test_a_read_outside_the_tree_is_dropped(path):
    assert told([reading(FileRead(path=path))]).files_read == ()


def test_the_tree_is_known_by_its_real_name_too(tmp_path):
    real = tmp_path / "real"
    real.mkdir()
    link = tmp_path / "link"
    link.symlink_to(real)
    place = Place(tree=link)
    assert place.relative(str(real / "a.py")) == place.relative(str(link / "a.py")) == "a.py"


def test_ranges_end_where_the_file_does():
    [read] = told([reading(FileRead(path="a.py", start=30, end=200))]).files_read
    assert read.ranges == ((30, 40),)


def test_a_read_beyond_the_end_showed_nothing():
    assert told([reading(FileRead(path="a.py", start=41, end=50))]).files_read == ()


def test_a_start_below_zero_counts_from_the_end():
    assert told([reading(FileRead(path="a.py", start=-5))]).files_read[0].ranges == ((36, 40),)


def test_an_empty_file_was_read_though_it_has_no_lines():
    [read] = told([reading(FileRead(path="empty.py"))]).files_read
    assert (read.ranges, read.times) == ((), 1)


def test_ranges_that_touch_are_one_and_times_counts_the_reads():
    parts = [
        FileRead(path="a.py", start=1, end=5),
        FileRead(path="a.py", start=6, end=9),
        FileRead(path="a.py", start=20, end=21),
    ]
    [read] = told([reading(*parts)]).files_read
    assert (read.ranges, read.times) == (((1, 9), (20, 21)), 3)


def test_ways_of_reading_stand_in_the_order_of_the_contract():
    packet = ContextPacket(
        strategy="s",
        provider="any",
        blocks=(ContextBlock(id="1", kind="evidence", text="x", tokens=1, stable=False, path="a.py", start=1, end=3),),
    )
    served = (
        ServedCall(
            tool="read",
            started=1,
            ended=2,
            ok=True,
            tokens=5,
            files=(FileRead(path="a.py", start=2, end=8, via="mcp"),),
        ),
    )
    stream = [
        reading(FileRead(path="a.py", start=30, end=31)),
        reading(FileRead(path="a.py", start=9, end=9, via="shell"), id="t2"),
    ]
    [read] = told(stream, packet=packet, served=served).files_read
    assert read.via == ("shell", "read", "mcp", "prefix")
    assert read.ranges == ((1, 9), (30, 31))
    assert read.times == 4


def test_a_read_by_our_tools_is_counted_from_our_own_log_once():
    served = (
        ServedCall(
            tool="read",
            started=1,
            ended=2,
            ok=True,
            tokens=5,
            files=(FileRead(path="a.py", start=1, end=8, via="mcp"),),
        ),
    )
    stream = [
        tool(
            kind="mcp",
            name="read",
            server="agenvantage",
            ok=True,
            reads=(FileRead(path="a.py", start=1, end=8, via="mcp"),),
        )
    ]
    [read] = told(stream, served=served).files_read
    assert read.times == 1


def test_a_read_tool_that_failed_read_nothing_but_a_failed_shell_may_have():
    stream = [
        tool("1", kind="read", ok=False, reads=(FileRead(path="a.py"),)),
        tool("2", ok=False, exit_code=1, reads=(FileRead(path="src/b.py", via="shell"),)),
    ]
    assert [read.path for read in told(stream).files_read] == ["src/b.py"]


def test_a_file_of_unknown_length_keeps_the_lines_that_were_named():
    [read] = told([reading(FileRead(path="new.py", start=3, end=4))]).files_read
    assert read.ranges == ((3, 4),)


def test_the_tests_that_the_agent_ran_are_told_with_their_counts():
    counts = TestCounts(passed=1, failed=0, skipped=0)
    way = told(
        [tool(command="pytest -q", ok=True, exit_code=0, output="1 passed"), tool("t2", command="ls", ok=True)],
        is_test_command=lambda command: "pytest" in command,
        count_tests=lambda command, output: counts if command and "passed" in output else None,
    )
    [check] = way.agent_tests
    assert (check.command, check.exit_code, check.tests, check.judged) == ("pytest -q", 0, counts, False)


def test_looks_into_history_are_counted():
    way = told([tool(command="git log --all", ok=True)], is_history_probe=lambda command: "--all" in command)
    assert way.history_probes == 1


def test_denials_retries_and_compactions_of_both_sources_are_not_added_up():
    events = [AgentEvent(kind=kind) for kind in ("denied", "denied", "denied", "retry", "compaction")]
    way = told(events, events)
    assert (way.denials, way.retries, way.compactions) == (3, 1, 1)


def test_a_call_refused_once_and_reported_twice_is_one_denial():
    denied = AgentEvent(kind="denied", tool=ToolCall(id="x", name="Bash", kind="shell"))
    assert told([denied, denied]).denials == 1


def test_a_call_that_never_ended_is_pending():
    assert told([tool("x"), tool("y"), tool("y", ok=True)]).pending_background == 1


def test_a_stream_without_a_last_word_is_truncated():
    assert told([AgentEvent(kind="started")]).stream_truncated
    assert not told([AgentEvent(kind="started"), AgentEvent(kind="finished", ok=True)]).stream_truncated


def test_an_agent_that_says_nothing_we_read_is_not_truncated():
    assert not told([]).stream_truncated


def test_half_a_line_makes_it_partial_and_counts_as_unknown():
    way = told([], [request("a"), AgentEvent(kind="unknown", raw='{"type":"assis')])
    assert (way.partial, way.unknown_events, way.usage.total.output_tokens) == (True, 1, 1)


def test_an_event_of_a_new_kind_is_unknown_but_not_partial():
    way = told([AgentEvent(kind="unknown", raw='{"type":"new"}')])
    assert (way.partial, way.unknown_events) == (False, 1)


def test_usage_that_is_null_makes_it_partial():
    assert told([], [request("a", out=None)]).partial


def test_a_placeholder_of_the_stream_does_not_make_it_partial():
    usage = UsageRecord(id="a", uncached_input_tokens=1, via="stream")
    assert not told([AgentEvent(kind="request", usage=usage)]).partial


def test_the_end_of_a_sub_agent_is_not_the_end():
    way = told([AgentEvent(kind="started"), AgentEvent(kind="finished", ok=True, agent="child")])
    assert (way.stream_truncated, way.finished) == (True, False)


def test_the_main_thread_is_the_streams():
    way = told([AgentEvent(kind="started", session_id="s1")], [AgentEvent(kind="started", session_id="s2")])
    assert way.session_ids == ("s1",)


def test_a_success_with_denials_is_still_shown_with_them():
    way = told([AgentEvent(kind="denied")] * 3 + [AgentEvent(kind="finished", ok=True)])
    assert (way.denials, way.failed, way.finished) == (3, False, True)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("unexpected status 401 Unauthorized: no key", "authentication"),
        ("exceeded retry limit, last status: 429", "rate_limited"),
        ("You've hit your usage limit", "rate_limited"),
        ("Codex ran out of room in the model's context window", "context_overflow"),
        ("We're currently experiencing high demand", "overloaded"),
        ("API Error: 500 boom", "server_error"),
        ("Reconnecting... waiting for network", "unreachable"),
        ("API Error: Connection error.", "unreachable"),
        ("Reached maximum number of turns (3)", None),
    ],
)
def test_a_provider_fault_is_told_by_its_kind(text, kind):
    assert provider_error([AgentEvent(kind="error", text=text), AgentEvent(kind="finished", ok=False)]) == kind


def test_a_fault_that_the_agent_got_over_is_none():
    events = [
        AgentEvent(kind="retry", error_type="overloaded"),
        request("a"),
        AgentEvent(kind="finished", ok=False, text="max turns"),
    ]
    assert provider_error(events) is None


def test_an_agent_that_was_stopped_while_it_retried_failed_by_its_provider():
    assert provider_error([request("a"), AgentEvent(kind="retry", error_type="unreachable")]) == "unreachable"


def test_the_first_edit_is_the_first_that_did_not_fail():
    stream = [
        tool("1", kind="edit", ok=False, at=5),
        tool("2", kind="edit", ok=True, at=9),
        tool("3", kind="edit", ok=True, at=12),
    ]
    assert told(stream).first_edit_at == 9


def test_edits_are_placed_in_the_repository():
    way = told([tool(kind="edit", ok=True, edits=("/run/tree/a.py", "/etc/x"))])
    assert way.tool_calls[0][1].edits == ("a.py",)


ranges = st.lists(st.tuples(st.integers(1, 60), st.integers(0, 20)).map(lambda pair: (pair[0], pair[0] + pair[1])))


@given(ranges)
def test_merged_ranges_cover_the_same_lines_without_overlap(given_ranges):
    merged = merge_ranges(given_ranges)
    lines = [line for start, end in merged for line in range(start, end + 1)]
    assert len(lines) == len(set(lines))
    assert set(lines) == {line for start, end in given_ranges for line in range(start, end + 1)}
    assert all(later[0] > earlier[1] + 1 for earlier, later in pairwise(merged))
