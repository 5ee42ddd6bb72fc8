"""Claude Code: the command it is started with, and what its recorded streams and logs tell."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from agenvantage.adapters import claude
from agenvantage.adapters.base import ToolServer
from agenvantage.telemetry.model import AgentEvent, UsageRecord
from agenvantage.telemetry.usage import summarize
from recorded_kit import kinds, launch, lines, recorded, tools

STDIO = ToolServer(url="", token="", command=("/bin/python", "-m", "server"), environment={"A": "1"})
HTTP = ToolServer(url="http://127.0.0.1:9/mcp", token="secret", command=(), transport="http")
FIVE = "claude-2.1.332-five"


def settings(**facts: Any) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(claude.command(launch(**facts)).home_files["settings.json"])
    return found


def servers(**facts: Any) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(claude.command(launch(**facts)).home_files["agenvantage/mcp.json"])
    return found["mcpServers"]  # type: ignore[no-any-return]


def value_of(argv: tuple[str, ...], flag: str) -> str:
    return argv[argv.index(flag) + 1]


def answer(name: str | None, output: int | None, **more: Any) -> dict[str, Any]:
    usage = {"input_tokens": 5, "cache_read_input_tokens": 7, "cache_creation_input_tokens": 3, "output_tokens": output}
    message = {"id": name, "model": "m", "content": [{"type": "text", "text": "x"}], "usage": usage, "stop_reason": "x"}
    return {"type": "assistant", "message": message, "uuid": "u-" + str(output), **more}


def log(*entries: Any, path: str = "projects/p/s.jsonl") -> list[AgentEvent]:
    return list(claude.session({path: lines(*entries)}))


def requests(events: list[AgentEvent]) -> list[UsageRecord]:
    return [event.usage for event in events if event.kind == "request" and event.usage is not None]


# The command


def test_the_prompt_goes_through_standard_input() -> None:
    command = claude.command(launch(prompt="Fix «it»."))
    assert command.stdin == "Fix «it».".encode()
    assert "Fix" not in " ".join(command.argv)


def test_the_repositorys_settings_and_servers_stay_unread() -> None:
    argv = claude.command(launch()).argv
    assert value_of(argv, "--setting-sources") == "user"
    assert "--strict-mcp-config" in argv


def test_they_are_read_where_the_project_is_trusted() -> None:
    argv = claude.command(launch(trust_project=True)).argv
    assert value_of(argv, "--setting-sources") == "user,project,local"
    assert "--strict-mcp-config" not in argv


def test_the_repositorys_instructions_still_reach_the_model() -> None:
    given = {"CLAUDE.md": "Tabs. @AGENTS.md\n", "AGENTS.md": "Be brief.", "pkg/CLAUDE.md": "Only here."}
    files = claude.command(launch(instructions=given)).home_files
    assert files["CLAUDE.md"].startswith("Tabs.")
    assert "Be brief." in files["CLAUDE.md"]
    assert files["rules/pkg.md"] == '---\npaths:\n  - "pkg/**"\n---\nOnly here.'


def test_both_arms_get_the_same_instructions() -> None:
    given = {"CLAUDE.md": "Tabs."}
    native, optimized = (
        claude.command(launch(instructions=given, **facts)) for facts in ({}, {"tools": STDIO, "prefix": "map"})
    )
    assert native.home_files["CLAUDE.md"] == optimized.home_files["CLAUDE.md"]


def test_a_workspace_allows_edits_in_the_tree_commands_and_our_tools() -> None:
    argv = claude.command(launch(cwd=Path("/run/tree/pkg"))).argv
    assert (value_of(argv, "--permission-mode"), value_of(argv, "--add-dir")) == ("acceptEdits", "/run/tree")
    assert "mcp__agenvantage" in value_of(argv, "--allowedTools").split(",")


def test_the_agents_own_sandbox_is_never_asked_for() -> None:
    assert "sandbox" not in settings() | settings(sandbox="off")


def test_no_sandbox_asks_for_nothing_also_as_root() -> None:
    ordinary, root = (claude.command(launch(sandbox="off", as_root=is_root)) for is_root in (False, True))
    assert value_of(ordinary.argv, "--permission-mode") == "bypassPermissions"
    assert ("IS_SANDBOX" in ordinary.environment, root.environment["IS_SANDBOX"]) == (False, "1")


def test_the_tools_are_shown_at_once() -> None:
    server = servers(tools=STDIO)["agenvantage"]
    assert (server["command"], server["args"], server["alwaysLoad"]) == ("/bin/python", ["-m", "server"], True)


def test_a_token_of_the_tools_is_given_by_variable() -> None:
    command = claude.command(launch(tools=HTTP))
    assert command.environment["AGENVANTAGE_MCP_TOKEN"] == "secret"
    assert "secret" not in str(command.home_files) + " ".join(command.argv)


def test_the_stable_part_goes_into_a_file_however_long_it_is() -> None:
    command = claude.command(launch(prefix="map\n" * 100_000))
    assert value_of(command.argv, "--append-system-prompt-file") == "/run/home/agenvantage/prefix.md"
    assert max(map(len, command.argv)) < 1000


def test_a_given_provider_wins_over_the_persons_settings() -> None:
    person = json.dumps({"env": {"ANTHROPIC_BASE_URL": "http://person"}})
    facts = {"person_config": person, "provider_url": "http://given", "has_credentials": False}
    assert settings(**facts)["env"]["ANTHROPIC_BASE_URL"] == "http://given"
    assert claude.command(launch(**facts)).environment["ANTHROPIC_API_KEY"]


PERSON = json.dumps({
    "env": {"ANTHROPIC_BASE_URL": "http://person", "FOO": "1"},
    "apiKeyHelper": "get-key",
    "hooks": {"SessionStart": []},
    "model": "opus",
})  # fmt: skip


def test_only_the_persons_endpoint_is_carried_over() -> None:
    config = settings(person_config=PERSON)
    assert (config["env"], config["apiKeyHelper"]) == ({"ANTHROPIC_BASE_URL": "http://person"}, "get-key")
    assert {"hooks", "model"}.isdisjoint(config)


def test_the_persons_whole_configuration_is_used_on_request() -> None:
    facts = {"person_config": PERSON, "use_my_config": True, "person_files": {"CLAUDE.md": "Mine.\n"}}
    command = claude.command(launch(**facts, instructions={"CLAUDE.md": "Theirs."}))
    config = json.loads(command.home_files["settings.json"])
    assert (config["model"], config["env"]["FOO"]) == ("opus", "1")
    assert command.home_files["CLAUDE.md"] == "Mine.\nTheirs."


def test_broken_settings_of_the_person_are_a_clear_error() -> None:
    with pytest.raises(claude.UnreadableSettings):
        claude.command(launch(person_config="{"))


def test_model_effort_and_turns_are_passed_on() -> None:
    argv = claude.command(launch(model="opus", effort="low", max_turns=3)).argv
    assert [value_of(argv, flag) for flag in ("--model", "--effort", "--max-turns")] == ["opus", "low", "3"]


# Recordings


def test_five_turns_cost_what_was_scripted() -> None:
    total = recorded(claude, FIVE).trajectory.usage.total
    assert (total.uncached_input_tokens, total.cache_read_input_tokens, total.input_tokens) == (715, 12000, 15015)
    assert (total.cache_write_5m_input_tokens, total.cache_write_1h_input_tokens) == (2300, 0)
    assert (total.output_tokens, total.reasoning_output_tokens, total.requests) == (265, 115, 5)


def test_stream_and_log_agree() -> None:
    usage = recorded(claude, FIVE).trajectory.usage
    assert (usage.gap, usage.confidence) == (0.0, "high")


def test_five_turns_show_their_calls() -> None:
    way = recorded(claude, FIVE).trajectory
    called = [(call.name, call.kind, call.server, call.exit_code) for _, call in way.tool_calls]
    assert called == [
        ("Read", "read", None, None),
        ("search", "mcp", "agenvantage", None),
        ("Edit", "edit", None, None),
        ("Bash", "shell", None, 0),
    ]
    assert way.tool_calls[2][1].edits == ("calc.py",)
    assert way.files_read[0].ranges == ((1, 2),)


def test_the_tool_server_is_told_before_the_first_model_call() -> None:
    stream = recorded(claude, FIVE).stream
    first = next(event for event in stream if event.kind == "tools")
    assert first.servers == {"agenvantage": "connected"}
    assert kinds(stream).index("tools") < kinds(stream).index("request")


def test_the_stable_part_is_proven_in_the_log() -> None:
    told = [event.text or "" for event in recorded(claude, FIVE).session if event.kind == "prompt"]
    assert any("# Repository map\n\ncalc.py: add(a, b)" in text for text in told)


def test_a_refused_write_is_a_denial_and_a_failure_has_its_code() -> None:
    way = recorded(claude, "claude-2.1.332-trouble").trajectory
    assert way.denials == 1
    assert [call.exit_code for _, call in way.tool_calls if call.kind == "shell"] == [3, 128]


def test_a_sub_agent_is_counted_once_and_by_itself() -> None:
    usage = recorded(claude, "claude-2.1.332-subagent").trajectory.usage
    spent = {("main" if name == "main" else "child"): part.input_tokens for name, part in usage.by_agent.items()}
    assert (spent, usage.gap) == ({"main": 2200, "child": 1500}, 0.0)


@pytest.mark.parametrize(("name", "word"), [("refused", "authentication"), ("overflow", "context_overflow")])
def test_the_provider_is_told_as_the_reason(name: str, word: str) -> None:
    way = recorded(claude, f"claude-2.1.332-{name}").trajectory
    assert (way.finished, way.failed, way.provider_error, way.usage.total.input_tokens) == (True, True, word, None)


def test_an_overload_that_passed_is_a_retry() -> None:
    way = recorded(claude, "claude-2.1.332-retried").trajectory
    assert (way.retries, way.failed, way.provider_error, way.usage.total.requests) == (1, False, None, 1)


@pytest.mark.parametrize("name", ["five", "trouble", "subagent", "retried", "refused", "overflow"])
def test_every_recorded_line_is_understood(name: str) -> None:
    recording = recorded(claude, f"claude-2.1.332-{name}")
    assert "unknown" not in kinds((*recording.stream, *recording.session))


# Laws of reading


def test_one_answer_in_several_records_is_counted_once() -> None:
    assert summarize(log(*[answer("a", 9)] * 3)).total.input_tokens == 15


def test_the_last_record_of_an_answer_has_its_true_output() -> None:
    total = summarize(log(*(answer("a", output) for output in (3, 9, 159)))).total
    assert (total.output_tokens, total.requests) == (159, 1)


def test_the_order_of_an_answers_records_plays_no_part() -> None:
    assert summarize(log(answer("a", 159), answer("a", 3))).total.output_tokens == 159


def test_answers_need_no_request_id_and_two_ids_are_two() -> None:
    assert summarize(log(answer("a", 1), answer("a", 1), answer("b", 1))).total.requests == 2


def test_an_answer_without_an_id_goes_by_its_records_own() -> None:
    assert summarize(log(answer(None, 1), answer(None, 2))).total.requests == 2


def test_cached_and_written_tokens_are_beside_the_input() -> None:
    (usage,) = requests(log(answer("a", 9)))
    assert (usage.uncached_input_tokens, usage.cache_read_input_tokens, usage.cache_write_5m_input_tokens) == (5, 7, 3)
    assert usage.input_tokens == 15


def test_a_write_for_an_hour_is_told_apart() -> None:
    said = answer("a", 9)
    said["message"]["usage"]["cache_creation"] = {"ephemeral_5m_input_tokens": 1, "ephemeral_1h_input_tokens": 2}
    (usage,) = requests(log(said))
    assert (usage.cache_write_5m_input_tokens, usage.cache_write_1h_input_tokens) == (1, 2)


def test_a_sub_agents_file_is_its_own() -> None:
    files = {
        "projects/p/s.jsonl": lines(answer("a", 1)),
        "projects/p/s/subagents/agent-x1.jsonl": lines(answer("b", 1)),
        "projects/p/s/subagents/agent-x2.jsonl": lines(answer("c", 1)),
    }
    assert set(summarize(claude.session(files)).by_agent) == {"main", "x1", "x2"}


def test_an_older_layout_gives_the_same_totals() -> None:
    together = log(answer("a", 1), answer("b", 2, isSidechain=True, agentId="x1"))
    apart = log(answer("a", 1)) + log(answer("b", 2), path="projects/p/s/subagents/agent-x1.jsonl")
    assert summarize(together).by_agent == summarize(apart).by_agent


def test_a_placeholder_in_the_stream_is_no_output() -> None:
    said = answer("a", 1)
    said["message"]["stop_reason"] = None
    assert [usage.output_tokens for usage in requests(list(claude.events(lines(said))))] == [None]


def result(**more: Any) -> dict[str, Any]:
    return {"type": "result", "subtype": "success", "is_error": False, "terminal_reason": "completed", **more}


def test_success_by_name_is_a_failure_by_fact() -> None:
    said = result(is_error=True, terminal_reason="api_error", api_error_status=500, result="API Error: 500")
    last = list(claude.events(lines(said)))[-1]
    assert (last.kind, last.ok, last.error_type) == ("finished", False, "server_error")


def test_the_last_of_several_results_has_the_cost() -> None:
    events = claude.events(lines(result(total_cost_usd=0.1), result(total_cost_usd=0.25)))
    assert summarize(events).reported_usd == 0.25


def test_a_cost_at_a_made_up_price_is_none() -> None:
    (last,) = (
        event
        for event in claude.events(lines(result(total_cost_usd=0.1, modelUsage={"m": {"costBasis": "unknown"}})))
        if event.kind == "finished"
    )
    assert last.cost_usd is None


def test_a_cost_of_zero_is_a_measurement() -> None:
    assert [event.cost_usd for event in claude.events(lines(result(total_cost_usd=0.0)))] == [0.0]


def test_every_model_has_its_own_total() -> None:
    models = {"small": {"inputTokens": 1, "outputTokens": 1}, "large": {"inputTokens": 5, "outputTokens": 2}}
    usage = summarize(claude.events(lines(result(modelUsage=models))))
    assert {name: part.input_tokens for name, part in usage.by_model.items()} == {"large": 5, "small": 1}


def test_three_denials_and_success_are_three_denials() -> None:
    denials = [{"tool_name": "Bash", "tool_use_id": str(number)} for number in range(3)]
    assert kinds(claude.events(lines(result(permission_denials=denials)))).count("denied") == 3


def test_a_denial_that_was_told_before_is_not_told_again() -> None:
    first = {"type": "system", "subtype": "permission_denied", "tool_name": "Bash", "tool_use_id": "1"}
    last = result(permission_denials=[{"tool_name": "Bash", "tool_use_id": "1"}])
    assert kinds(claude.events(lines(first, last))).count("denied") == 1


def test_a_made_up_event_is_kept_and_the_rest_is_read() -> None:
    events = list(claude.events(lines({"type": "sneeze"}, result())))
    assert (kinds(events), json.loads(events[0].raw or "")) == (["unknown", "finished"], {"type": "sneeze"})


def test_half_a_line_does_not_take_the_others_with_it() -> None:
    assert kinds(log(answer("a", 1), '{"type": "assist'))[-1] == "unknown"


@pytest.mark.parametrize("value", [None, 3, "x", [], [3], {"content": 3}, {"content": [{"type": "tool_result"}]}])
def test_fields_of_the_wrong_kind_do_no_harm(value: Any) -> None:
    for kind in ("system", "assistant", "user", "result", "stream_event"):
        list(claude.events(lines({"type": kind, "message": value, "subtype": "init", "mcp_servers": value})))
        list(claude.events(lines({"type": kind, "modelUsage": value, "permission_denials": value, "errors": None})))
    for kind in ("user", "assistant", "attachment", "api-request-shape", "api-request-blob", "system", "cost-state"):
        log(
            {"type": kind, "message": value, "rendered": value, "shape": value, "modelUsage": value, "timestamp": value}
        )


def test_a_read_shows_true_lines() -> None:
    call = {"type": "tool_use", "id": "1", "name": "Read", "input": {"file_path": "/t/a.py", "offset": 5, "limit": 90}}
    file = {"filePath": "/t/a.py", "startLine": 5, "numLines": 6, "totalLines": 10, "content": "…\n"}
    begin = {"type": "assistant", "message": {"id": "a", "content": [call]}}
    end = {
        "type": "user",
        "message": {"content": [{"type": "tool_result", "tool_use_id": "1", "content": "…"}]},
        "tool_use_result": {"file": file},
    }
    read = tools(claude.events(lines(begin, end)))[-1].reads[0]
    assert (read.path, read.start, read.end) == ("/t/a.py", 5, 9)
