"""Codex: the command it is started with, and what its recorded streams and logs tell."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from agenvantage.adapters import codex
from agenvantage.adapters.base import ToolServer
from agenvantage.adapters.toml import UnreadableConfiguration
from agenvantage.telemetry.model import AgentEvent
from agenvantage.telemetry.usage import summarize
from recorded_kit import kinds, launch, lines, recorded, tools

STDIO = ToolServer(url="", token="", command=("/bin/python", "-m", "server"), environment={"A": "1"})
HTTP = ToolServer(url="http://127.0.0.1:9/mcp", token="secret", command=(), transport="http")
FIVE = ("codex-0.171.0-classic-five", "codex-0.171.0-code-mode-five")
TROUBLE = ("codex-0.171.0-classic-trouble", "codex-0.171.0-code-mode-trouble")
THREAD = "00000000-0000-4000-8000-000000000001"
LOG = f"sessions/2026/01/01/rollout-2026-01-01T00-00-00-{THREAD}.jsonl"


def settings(**facts: Any) -> dict[str, Any]:
    return tomllib.loads(codex.command(launch(**facts)).home_files["config.toml"])


def log(*entries: Any) -> list[AgentEvent]:
    return list(codex.session({LOG: lines(*entries)}))


def totals(**counts: int) -> dict[str, Any]:
    return {"type": "event_msg", "payload": {"type": "token_count", "info": {"total_token_usage": counts}}}


# The command


def test_the_prompt_goes_through_standard_input_and_ends_there() -> None:
    command = codex.command(launch(prompt="Fix «it»."))
    assert (command.argv[-1], command.stdin) == ("-", "Fix «it».".encode())


def test_a_workspace_sandbox_may_write_the_tree_its_git_directory_and_the_temporary_folder() -> None:
    facts = {"cwd": Path("/run/tree/pkg"), "git_dir": Path("/run/tree/.git")}
    assert codex.command(launch(**facts)).argv[7:9] == ("-s", "workspace-write")
    assert settings(**facts)["sandbox_workspace_write"] == {
        "writable_roots": ["/run/tree", "/run/tree/.git", "/run/tmp"]
    }


def test_no_sandbox_is_asked_for_by_name() -> None:
    argv = codex.command(launch(sandbox="off")).argv
    assert "--dangerously-bypass-approvals-and-sandbox" in argv
    assert "-s" not in argv


def test_a_provider_that_does_not_answer_is_not_waited_for_for_ever() -> None:
    argv = codex.command(launch()).argv
    assert argv[argv.index("--disable") + 1] == "unbounded_connection_retries"


def test_the_tools_are_required_approved_and_shown_at_once() -> None:
    server = settings(tools=STDIO)["mcp_servers"]["agenvantage"]
    assert (server["command"], server["args"], server["env"]) == ("/bin/python", ["-m", "server"], {"A": "1"})
    assert (server["required"], server["default_tools_approval_mode"], server["omit_tools_from"]) == (
        True,
        "approve",
        ["deferred"],
    )


def test_a_token_of_the_tools_is_given_by_variable_and_hidden_from_commands() -> None:
    command = codex.command(launch(tools=HTTP))
    config = tomllib.loads(command.home_files["config.toml"])
    assert config["mcp_servers"]["agenvantage"]["bearer_token_env_var"] in command.environment
    assert "AGENVANTAGE_MCP_TOKEN" in config["shell_environment_policy"]["exclude"]
    assert "secret" not in command.home_files["config.toml"] + " ".join(command.argv)


def test_the_native_arm_has_no_tools_and_no_prefix() -> None:
    assert {"mcp_servers", "developer_instructions"}.isdisjoint(settings())


def test_the_stable_part_keeps_every_byte() -> None:
    prefix = '# Map\n\n\t"quoted" \\ back é \x7f\n'
    assert settings(prefix=prefix)["developer_instructions"] == prefix


def test_a_given_provider_is_asked_by_http_with_a_dummy_key_where_there_is_none() -> None:
    command = codex.command(launch(provider_url="http://127.0.0.1:1/v1", has_credentials=False))
    config = tomllib.loads(command.home_files["config.toml"])
    provider = config["model_providers"][config["model_provider"]]
    assert (provider["base_url"], provider["wire_api"]) == ("http://127.0.0.1:1/v1", "responses")
    assert command.environment[provider["env_key"]]


def test_a_stored_login_serves_a_given_provider() -> None:
    provider = settings(provider_url="http://127.0.0.1:1/v1")["model_providers"]["agenvantage"]
    assert provider["requires_openai_auth"] is True
    assert "env_key" not in provider


def test_the_key_that_is_set_is_named_and_never_written() -> None:
    config = codex.command(launch(provider_url="http://x/v1", keys={"OPENAI_API_KEY": "sk-1"})).home_files[
        "config.toml"
    ]
    assert tomllib.loads(config)["model_providers"]["agenvantage"]["env_key"] == "OPENAI_API_KEY"
    assert "sk-1" not in config


PERSON = """
model = "gpt-9"
model_provider = "house"
notify = ["touch", "/marker"]
[model_providers.house]
base_url = "http://house/v1"
env_key = "HOUSE_KEY"
env_http_headers = { x = "HOUSE_HEADER" }
[mcp_servers.own]
command = "own"
"""


def test_only_the_persons_endpoint_is_carried_over() -> None:
    config = settings(person_config=PERSON)
    assert config["model_provider"] == "house"
    assert config["model_providers"]["house"]["base_url"] == "http://house/v1"
    assert {"model", "notify", "mcp_servers"}.isdisjoint(config)


def test_the_variables_that_the_persons_endpoint_needs_are_named_and_hidden_from_commands() -> None:
    command = codex.command(launch(person_config=PERSON))
    assert command.variables == ("HOUSE_HEADER", "HOUSE_KEY")
    exclude = tomllib.loads(command.home_files["config.toml"])["shell_environment_policy"]["exclude"]
    assert {"HOUSE_KEY", "HOUSE_HEADER"} <= set(exclude)


def test_the_persons_whole_configuration_is_used_on_request_under_ours() -> None:
    config = settings(person_config=PERSON, use_my_config=True, tools=STDIO)
    assert set(config["mcp_servers"]) == {"own", "agenvantage"}
    assert config["model"] == "gpt-9"
    assert config["check_for_update_on_startup"] is False


def test_a_broken_configuration_of_the_person_is_a_clear_error() -> None:
    with pytest.raises(UnreadableConfiguration):
        codex.command(launch(person_config="= broken"))


def test_a_repositorys_own_settings_are_trusted_only_on_request() -> None:
    assert "projects" not in settings()
    assert settings(trust_project=True)["projects"] == {"/run/tree": {"trust_level": "trusted"}}


# Recordings


@pytest.mark.parametrize("name", FIVE)
def test_five_turns_cost_what_was_scripted(name: str) -> None:
    total = recorded(codex, name).trajectory.usage.total
    assert (total.input_tokens, total.cache_read_input_tokens, total.cache_write_5m_input_tokens) == (
        15015,
        12000,
        2300,
    )
    assert (total.output_tokens, total.reasoning_output_tokens, total.requests) == (265, 115, 5)


@pytest.mark.parametrize("name", FIVE)
def test_stream_and_log_agree(name: str) -> None:
    usage = recorded(codex, name).trajectory.usage
    assert (usage.gap, usage.confidence, usage.via) == (0.0, "high", ("session_log", "stream"))


@pytest.mark.parametrize("name", FIVE)
def test_five_turns_show_their_calls(name: str) -> None:
    way = recorded(codex, name).trajectory
    called = [(call.name, call.kind, call.server, call.exit_code) for _, call in way.tool_calls]
    assert called == [
        ("exec_command", "shell", None, 0),
        ("search", "mcp", "agenvantage", None),
        ("apply_patch", "edit", None, None),
        ("exec_command", "shell", None, 0),
    ]
    assert way.tool_calls[2][1].edits == ("calc.py",)


@pytest.mark.parametrize("name", FIVE)
def test_lines_read_by_a_shell_command_are_known(name: str) -> None:
    read = recorded(codex, name).trajectory.files_read[0]
    assert (read.path, read.ranges, read.via) == ("calc.py", ((1, 4),), ("shell",))


@pytest.mark.parametrize("name", FIVE)
def test_the_stable_part_is_proven_in_the_log(name: str) -> None:
    told = [event.text or "" for event in recorded(codex, name).session if event.kind == "prompt"]
    assert any("# Repository map\n\ncalc.py: add(a, b)" in text for text in told)


@pytest.mark.parametrize("name", FIVE)
def test_model_session_and_version_are_known(name: str) -> None:
    way = recorded(codex, name).trajectory
    assert (len(way.session_ids), way.version) == (1, "0.171.0")
    assert way.models_served == (("gpt-5.5",) if "classic" in name else ("gpt-6.2-sol",))


def test_a_search_for_a_deferred_tool_is_a_model_call() -> None:
    way = recorded(codex, "codex-0.171.0-classic-search-hop").trajectory
    assert (way.steps, way.usage.total.input_tokens) == (6, 17017)


@pytest.mark.parametrize("name", TROUBLE)
def test_failures_that_the_stream_hides_are_counted(name: str) -> None:
    calls = [(call.name, call.ok, call.exit_code) for _, call in recorded(codex, name).trajectory.tool_calls]
    assert calls[:3] == [("apply_patch", False, None), ("no_such_tool", False, None), ("exec_command", False, 3)]


@pytest.mark.parametrize("name", TROUBLE)
def test_a_refused_write_is_a_denial(name: str) -> None:
    assert recorded(codex, name).trajectory.denials == 1


@pytest.mark.parametrize("mode", ["classic", "code-mode"])
def test_a_command_still_running_at_the_end_is_pending(mode: str) -> None:
    assert recorded(codex, f"codex-0.171.0-{mode}-background").trajectory.pending_background == 1


def test_a_sub_agent_is_counted_once_and_by_itself() -> None:
    usage = recorded(codex, "codex-0.171.0-code-mode-subagent").trajectory.usage
    spent = {("main" if name == "main" else "child"): part.input_tokens for name, part in usage.by_agent.items()}
    assert spent == {"main": 3300, "child": 1500}
    assert usage.total.input_tokens == 4800


def test_what_a_sub_agent_read_is_its_own() -> None:
    calls = recorded(codex, "codex-0.171.0-code-mode-subagent").trajectory.tool_calls
    assert [call.name for agent, call in calls if agent != "main"] == ["exec_command"]


@pytest.mark.parametrize(("name", "word"), [("refused", "authentication"), ("overflow", "context_overflow")])
def test_the_provider_is_told_as_the_reason(name: str, word: str) -> None:
    way = recorded(codex, f"codex-0.171.0-{name}").trajectory
    assert (way.finished, way.failed, way.provider_error, way.usage.total.input_tokens) == (True, True, word, None)


def test_a_reconnection_is_a_retry_and_no_error() -> None:
    stream = recorded(codex, "codex-0.171.0-refused").stream
    assert kinds(stream).count("retry") == 3


@pytest.mark.parametrize("name", [*FIVE, *TROUBLE])
def test_every_recorded_line_is_understood(name: str) -> None:
    recording = recorded(codex, name)
    assert "unknown" not in kinds((*recording.stream, *recording.session))


# Laws of reading


def test_a_made_up_event_is_kept_and_the_rest_is_read() -> None:
    events = list(codex.events(lines({"type": "thread.sneezed"}, {"type": "turn.started"})))
    assert (kinds(events), json.loads(events[0].raw or "")) == (["unknown", "started"], {"type": "thread.sneezed"})


def test_half_a_line_does_not_take_the_others_with_it() -> None:
    events = list(codex.events(lines({"type": "turn.started"}, '{"type": "turn.comp')))
    assert kinds(events) == ["started", "unknown"]


def test_a_line_of_20_megabytes_is_read() -> None:
    item = {"id": "i", "type": "agent_message", "text": "x" * 20_000_000}
    (event,) = codex.events(lines({"type": "item.completed", "item": item}))
    assert len(event.text or "") == 20_000_000


@pytest.mark.parametrize("value", [None, 3, "x", [], {"item": 3}, {"usage": "no"}, {"error": []}])
def test_fields_of_the_wrong_kind_do_no_harm(value: Any) -> None:
    for kind in ("thread.started", "turn.completed", "turn.failed", "item.completed", "error"):
        list(codex.events(lines({"type": kind, "item": value, "usage": value, "error": value, "message": value})))
    for kind in ("session_meta", "turn_context", "token_usage_record", "event_msg", "response_item", "compacted"):
        log({"type": kind, "payload": value, "ordinal": value, "timestamp": value})


def test_null_usage_stays_unknown() -> None:
    record = {"type": "token_usage_record", "payload": {"usage": {"input_tokens": 5, "output_tokens": None}}}
    assert [event.usage.output_tokens for event in log(record) if event.usage] == [None]


def test_cached_and_written_tokens_are_parts_of_the_input() -> None:
    usage = {"input_tokens": 1000, "cached_input_tokens": 500, "cache_write_input_tokens": 100, "output_tokens": 200}
    (event,) = log({"type": "token_usage_record", "payload": {"response_id": "r", "usage": usage}})
    assert event.usage is not None
    assert (event.usage.uncached_input_tokens, event.usage.cache_read_input_tokens) == (400, 500)
    assert (event.usage.cache_write_5m_input_tokens, event.usage.input_tokens) == (100, 1000)


def test_running_totals_are_differenced_and_an_unchanged_one_is_a_repeat() -> None:
    told = [totals(input_tokens=count, output_tokens=0) for count in (110, 110, 220, 220)]
    assert summarize(log(*told)).total.input_tokens == 220


def test_running_totals_that_begin_anew_go_on_from_there() -> None:
    told = [totals(input_tokens=count, output_tokens=0) for count in (110, 220, 50)]
    total = summarize(log(*told)).total
    assert (total.input_tokens, total.requests) == (270, 3)


def test_two_equal_steps_of_a_growing_total_are_both_real() -> None:
    told = [totals(input_tokens=count, output_tokens=5) for count in (100, 200)]
    assert summarize(log(*told)).total.requests == 2


def test_records_of_other_threads_in_a_file_are_not_its_own() -> None:
    record = {"type": "token_usage_record", "payload": {"thread_id": "other", "usage": {"input_tokens": 9}}}
    assert log(record) == []


def test_a_second_root_thread_goes_by_its_own_id() -> None:
    other = "00000000-0000-4000-8000-000000000002"
    files = {
        f"sessions/rollout-2026-01-01T00-00-0{number}-{name}.jsonl": lines(
            {"type": "session_meta", "payload": {"id": name, "source": "exec"}},
            {"type": "token_usage_record", "payload": {"response_id": name, "usage": {"input_tokens": 7}}},
        )
        for number, name in enumerate((THREAD, other))
    }
    assert {event.agent for event in codex.session(files)} == {"main", other}


def test_an_mcp_error_is_a_failed_call() -> None:
    item = {
        "id": "i",
        "type": "mcp_tool_call",
        "server": "s",
        "tool": "t",
        "error": {"message": "no"},
        "status": "failed",
    }
    (call,) = tools(codex.events(lines({"type": "item.completed", "item": item})))
    assert (call.ok, call.output) == (False, "no")
