"""The scripted provider says what its script says, goes wrong as it is told, and real agents believe it."""

from __future__ import annotations

import http.client
import json
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import provider_agents
import pytest
from agenvantage.adapters.mcp_http import HttpServer
from agenvantage.adapters.mcp_server import server_command
from provider import ScriptedProvider

USAGE = {"input": 100, "cached": 60, "cache_write": 30, "cache_write_1h": 10, "output": 7, "reasoning": 3}
SHELL = {"type": "function", "name": "exec_command"}
EXEC = {"type": "custom", "name": "exec"}
PATHS = {"openai": "/v1/responses", "anthropic": "/v1/messages"}


def ask(provider: ScriptedProvider, dialect: str, body: dict[str, Any]) -> tuple[int, bytes, dict[str, str]]:
    """Status, body as far as it came, headers."""
    connection = http.client.HTTPConnection("127.0.0.1", provider.port, timeout=10)
    headers = {"Content-Type": "application/json", "Authorization": "Bearer simulated-key"}
    connection.request("POST", PATHS[dialect], json.dumps(body), headers)
    response = connection.getresponse()
    try:
        raw = response.read()
    except http.client.IncompleteRead as cut:
        raw = cut.partial
    finally:
        connection.close()
    return response.status, raw, dict(response.getheaders())


def events(raw: bytes) -> list[dict[str, Any]]:
    return [json.loads(line[6:]) for line in raw.splitlines() if line.startswith(b"data: ")]


def responses(*said: dict[str, Any], tools: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    opening = {"role": "user", "type": "message", "content": [{"type": "input_text", "text": "Fix it"}]}
    return {"model": "m", "stream": True, "input": [opening, *said], "tools": [SHELL] if tools is None else tools}


def messages(*said: dict[str, Any], names: tuple[str, ...] = ("Read", "Bash"), **more: Any) -> dict[str, Any]:
    opening = {"role": "user", "content": "Primary working directory: /work/here\nFix it"}
    tools = [{"name": name} for name in names]
    return {"model": "m", "stream": True, "messages": [opening, *said], "tools": tools} | more


def requests_of(dialect: str) -> dict[str, Any]:
    return responses() if dialect == "openai" else messages()


def output_of(provider: ScriptedProvider, body: dict[str, Any]) -> list[dict[str, Any]]:
    return events(ask(provider, "openai", body)[1])[-1]["response"]["output"]


def content_of(provider: ScriptedProvider, body: dict[str, Any]) -> list[dict[str, Any]]:
    return json.loads(ask(provider, "anthropic", body | {"stream": False})[1])["content"]


def test_responses_count_cached_tokens_inside_the_input():
    with ScriptedProvider({"turns": [{"kind": "final", "usage": USAGE}]}) as provider:
        used = events(ask(provider, "openai", responses())[1])[-1]["response"]["usage"]
    assert (used["input_tokens"], used["input_tokens_details"]) == (
        100,
        {"cached_tokens": 60, "cache_write_tokens": 30},
    )
    assert (used["output_tokens"], used["output_tokens_details"]["reasoning_tokens"]) == (7, 3)


def test_messages_count_cached_tokens_outside_the_input():
    with ScriptedProvider({"turns": [{"kind": "final", "usage": USAGE}]}) as provider:
        used = events(ask(provider, "anthropic", messages())[1])[-2]["usage"]
    assert (used["input_tokens"], used["cache_read_input_tokens"], used["cache_creation_input_tokens"]) == (10, 60, 30)
    assert used["cache_creation"] == {"ephemeral_5m_input_tokens": 20, "ephemeral_1h_input_tokens": 10}


TWO = {"turns": [{"kind": "shell", "command": "true"}, {"kind": "final", "text": "done"}]}


def test_a_request_that_is_tried_again_gets_the_same_turn():
    with ScriptedProvider(TWO) as provider:
        first, again = (output_of(provider, responses()) for _ in range(2))
    assert first[0]["call_id"] == again[0]["call_id"]


def test_the_turn_after_a_call_is_the_next_one():
    with ScriptedProvider(TWO) as provider:
        (called,) = output_of(provider, responses())
        answer = {"type": "function_call_output", "call_id": called["call_id"], "output": ""}
        (said,) = output_of(provider, responses(called, answer))
    assert said["content"][0]["text"] == "done"


def test_claudes_turn_after_a_call_is_the_next_one():
    with ScriptedProvider(TWO) as provider:
        called = content_of(provider, messages())
        answer = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": called[0]["id"]}]}
        said = content_of(provider, messages({"role": "assistant", "content": called}, answer))
    assert said == [{"type": "text", "text": "done"}]


def test_past_its_end_a_script_says_so():
    with ScriptedProvider({"turns": []}) as provider:
        assert content_of(provider, messages()) == [{"type": "text", "text": "script exhausted"}]


def test_a_sub_agent_is_known_by_its_opening_words():
    script = {"agents": [{"match": "SUBTASK", "turns": [{"kind": "final", "text": "child"}]}], **TWO}
    with ScriptedProvider(script) as provider:
        body = messages() | {"messages": [{"role": "user", "content": "SUBTASK: look"}]}
        assert content_of(provider, body) == [{"type": "text", "text": "child"}]
    assert provider.turns[0]["conversation"] == "agent0"


def test_a_child_that_inherits_its_parents_calls_starts_at_its_own_beginning():
    script = {"agents": [{"match": "SUBTASK", "turns": [{"kind": "final", "text": "child"}]}], **TWO}
    with ScriptedProvider(script) as provider:
        (called,) = output_of(provider, responses())
        body = responses(called)
        body["input"][0]["content"][0]["text"] = "SUBTASK"
        assert output_of(provider, body)[0]["content"][0]["text"] == "child"


def test_a_request_without_tools_is_a_side_request():
    with ScriptedProvider({"side_text": "a title", **TWO}) as provider:
        assert content_of(provider, messages(names=())) == [{"type": "text", "text": "a title"}]
        assert provider.turns == ()


def test_several_calls_at_once_have_ids_of_their_own():
    calls = [{"kind": "shell", "command": "a"}, {"kind": "shell", "command": "b"}]
    with ScriptedProvider({"turns": [{"kind": "multi", "calls": calls}]}) as provider:
        assert len({item["call_id"] for item in output_of(provider, responses())}) == 2


@pytest.mark.parametrize(
    ("tools", "kind", "name"),
    [
        ([SHELL], "function_call", "exec_command"),
        ([{"type": "function", "name": "shell_command"}], "function_call", "shell_command"),
        ([{"type": "function", "name": "shell"}], "function_call", "shell"),
        ([EXEC], "custom_tool_call", "exec"),
        ([{"type": "namespace", "name": "n", "tools": [EXEC]}], "custom_tool_call", "exec"),
    ],
)
def test_a_command_is_written_for_the_tool_that_is_offered(tools, kind, name):
    with ScriptedProvider(TWO) as provider:
        (item,) = output_of(provider, responses(tools=tools))
    assert (item["type"], item["name"]) == (kind, name)


MCP = {"turns": [{"kind": "mcp", "server": "s", "tool": "t", "arguments": {"a": 1}}, {"kind": "final", "text": "done"}]}
SEARCH = {"type": "tool_search"}
SPACE = {"type": "namespace", "name": "mcp__s", "tools": [{"type": "function", "name": "t"}]}


def test_an_offered_mcp_tool_is_called_in_its_namespace():
    with ScriptedProvider(MCP) as provider:
        (item,) = output_of(provider, responses(tools=[SHELL, SPACE]))
    assert (item["namespace"], item["name"], json.loads(item["arguments"])) == ("mcp__s", "t", {"a": 1})


def test_a_deferred_mcp_tool_is_searched_for_first_and_the_search_uses_up_no_turn():
    with ScriptedProvider(MCP) as provider:
        (search,) = output_of(provider, responses(tools=[SHELL, SEARCH]))
        found = {"type": "tool_search_output", "call_id": search["call_id"], "tools": [SPACE]}
        (item,) = output_of(provider, responses(search, found, tools=[SHELL, SEARCH]))
    assert (search["type"], item["name"]) == ("tool_search_call", "t")


def test_claudes_deferred_tool_is_searched_for_once():
    with ScriptedProvider(MCP) as provider:
        search = content_of(provider, messages(names=("ToolSearch",)))
        asked = {"role": "assistant", "content": search}
        (block,) = content_of(provider, messages(asked, names=("ToolSearch",)))
    assert (search[0]["name"], block["name"]) == ("ToolSearch", "mcp__s__t")


def test_claude_is_given_whole_paths():
    with ScriptedProvider({"turns": [{"kind": "read", "path": "a/b.py", "offset": 2, "limit": 3}]}) as provider:
        (block,) = content_of(provider, messages())
    assert block["input"] == {"file_path": "/work/here/a/b.py", "offset": 2, "limit": 3}


def faulty(fault: dict[str, Any]) -> ScriptedProvider:
    return ScriptedProvider({"turns": [{"kind": "final", "text": "done", "fault": fault}]})


@pytest.mark.parametrize("dialect", PATHS)
def test_a_status_comes_with_its_headers_as_often_as_it_should(dialect):
    with faulty({"type": "http", "status": 429, "headers": {"retry-after": "2"}, "times": 2}) as provider:
        answers = [ask(provider, dialect, requests_of(dialect)) for _ in range(3)]
    assert [status for status, _, _ in answers] == [429, 429, 200]
    assert answers[0][2]["retry-after"] == "2"


@pytest.mark.parametrize("dialect", PATHS)
def test_a_dropped_stream_ends_in_the_middle(dialect):
    with faulty({"type": "drop", "after_events": 2}) as provider:
        raw = ask(provider, dialect, requests_of(dialect))[1]
        assert len(events(raw)) == 2
        assert wait_for(lambda: provider.turns)[0]["cut"] == "drop"


@pytest.mark.parametrize("dialect", PATHS)
def test_a_malformed_stream_is_not_json(dialect):
    with faulty({"type": "malformed"}) as provider, pytest.raises(ValueError, match="decode"):
        events(ask(provider, dialect, requests_of(dialect))[1])


@pytest.mark.parametrize("dialect", PATHS)
def test_a_hanging_stream_is_silent_until_its_time_is_over(dialect):
    with faulty({"type": "hang", "seconds": 0.3}) as provider:
        started = time.monotonic()
        raw = ask(provider, dialect, requests_of(dialect))[1]
    assert (len(events(raw)), time.monotonic() - started >= 0.3) == (1, True)


def test_a_slow_stream_takes_its_time():
    with faulty({"type": "slow", "delay_ms": 50}) as provider:
        started = time.monotonic()
        count = len(events(ask(provider, "openai", responses())[1]))
    assert time.monotonic() - started >= 0.05 * count


@pytest.mark.parametrize(
    ("kind", "code"),
    [("overflow", "context_length_exceeded"), ("rate_limit", "rate_limit_exceeded"), ("failed", "server_error")],
)
def test_a_response_can_fail_inside_the_stream(kind, code):
    with faulty({"type": kind}) as provider:
        last = events(ask(provider, "openai", responses())[1])[-1]
    assert (last["type"], last["response"]["error"]["code"]) == ("response.failed", code)


@pytest.mark.parametrize(("kind", "error"), [("rate_limit", "rate_limit_error"), ("failed", "overloaded_error")])
def test_a_message_can_fail_inside_the_stream(kind, error):
    with faulty({"type": kind}) as provider:
        last = events(ask(provider, "anthropic", messages())[1])[-1]
    assert (last["type"], last["error"]["type"]) == ("error", error)


def test_a_prompt_that_is_too_long_for_claude_is_a_bad_request():
    with faulty({"type": "overflow"}) as provider:
        status, raw, _ = ask(provider, "anthropic", messages())
    assert (status, "prompt is too long" in raw.decode()) == (400, True)


def test_keys_are_not_kept():
    with ScriptedProvider(TWO) as provider:
        ask(provider, "openai", responses())
        assert "simulated-key" not in json.dumps(wait_for(lambda: provider.requests))


def wait_for(look: Any) -> Any:
    """A request is recorded just after its last byte went out."""
    deadline = time.monotonic() + 5
    while not (found := look()) and time.monotonic() < deadline:
        time.sleep(0.01)
    return found


def test_as_a_program_it_tells_its_port_and_logs_requests(tmp_path):
    (tmp_path / "script.json").write_text(json.dumps(TWO))
    program = Path(__file__).with_name("provider.py")
    places = {name: tmp_path / name for name in ("port", "log")}
    argv = [sys.executable, program, "--script", tmp_path / "script.json"]
    argv += ["--port-file", places["port"], "--log", places["log"]]
    with subprocess.Popen(argv, stdout=subprocess.DEVNULL) as process:
        port = int(wait_for(lambda: places["port"].exists() and places["port"].read_text()))
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
        connection.request("GET", "/v1/models")
        assert b"scripted-model" in connection.getresponse().read()
        connection.close()
        assert (
            json.loads(wait_for(lambda: places["log"].exists() and places["log"].read_text()))["path"] == "/v1/models"
        )
        process.terminate()


# Real agents


FIVE = tomllib.loads("""
[[turns]]
kind = "read"
path = "calc.py"
offset = 1
limit = 2
text = "Reading."
reasoning = "Where is it?"
usage = {input = 1001, cached = 0, cache_write = 900, output = 51, reasoning = 21}
[[turns]]
kind = "mcp"
server = "agenvantage"
tool = "search"
arguments = {query = "add"}
usage = {input = 2002, cached = 1500, cache_write = 200, output = 52, reasoning = 22}
[[turns]]
kind = "edit"
path = "calc.py"
old = "    return a - b"
new = "    return a + b"
usage = {input = 3003, cached = 2500, cache_write = 300, output = 53, reasoning = 23}
[[turns]]
kind = "shell"
command = "python3 -m unittest -q"
usage = {input = 4004, cached = 3500, cache_write = 400, output = 54, reasoning = 24}
[[turns]]
kind = "final"
text = "Fixed add()."
usage = {input = 5005, cached = 4500, cache_write = 500, output = 55, reasoning = 25}
""")


def _agent(name: str) -> Any:
    here, command = provider_agents.installed(name), name.partition(":")[0]
    missing = pytest.mark.skipif(not here, reason=f"{command} is missing: run `make agents`")
    return pytest.param(name, marks=[pytest.mark.agents, missing])


agents = pytest.mark.parametrize("agent", [_agent(name) for name in provider_agents.MODELS])


@pytest.fixture
def served(repository) -> Iterator[HttpServer]:
    with HttpServer(repository.path, cache_dir=None, identity=None, log=None) as server:
        yield server


@agents
@pytest.mark.parametrize("transport", ["http", "stdio"])
def test_a_real_agent_plays_all_five_turns_and_counts_what_was_scripted(agent, transport, repository, served, tmp_path):
    command = server_command(repository.path, cache_dir=None, identity=None, log=tmp_path / "calls.jsonl")
    tools = provider_agents.Tools(transport=transport, command=command, url=served.url, token=served.token)
    with ScriptedProvider(FIVE) as provider:
        done = provider_agents.run(
            provider_agents.Start(
                agent=agent,
                prompt="Fix add() in calc.py",
                folder=tmp_path / "run",
                repository=repository.path,
                provider=provider,
                tools=tools,
            )
        )
    assert done.returncode == 0, done.stderr
    assert "return a + b" in (repository.path / "calc.py").read_text()
    assert [record["kind"] for record in provider.turns if not searching(record)] == [
        turn["kind"] for turn in FIVE["turns"]
    ]
    scripted = {name: sum(record["usage"][name] for record in provider.turns) for name in ("input", "cached", "output")}
    assert counted(provider_agents.lines(done.stdout)) == scripted
    assert "calc.py:1" in json.dumps(provider.turns[-1]["body"])


def searching(record: dict[str, Any]) -> bool:
    """A hop that only asks for a deferred tool: its turn comes again."""
    return (
        record["kind"] == "mcp" and not record["searched"] and "tool_search" in json.dumps(record["body"].get("tools"))
    )


def counted(stream: list[dict[str, Any]]) -> dict[str, int]:
    """The agent's own count of input, of which cached, and output."""
    last = stream[-1]
    if last["type"] == "turn.completed":
        used = last["usage"]
        return {"input": used["input_tokens"], "cached": used["cached_input_tokens"], "output": used["output_tokens"]}
    models = last["modelUsage"].values()
    cached = sum(model["cacheReadInputTokens"] for model in models)
    written = sum(model["cacheCreationInputTokens"] for model in models)
    fresh = sum(model["inputTokens"] for model in models)
    return {
        "input": fresh + cached + written,
        "cached": cached,
        "output": sum(model["outputTokens"] for model in models),
    }


@agents
def test_a_real_agent_gives_up_when_it_is_refused(agent, repository, tmp_path):
    fault = {"type": "http", "status": 400}
    with ScriptedProvider({"turns": [{"kind": "final", "fault": fault}]}) as provider:
        done = provider_agents.run(
            provider_agents.Start(
                agent=agent, prompt="Fix it", folder=tmp_path / "run", repository=repository.path, provider=provider
            )
        )
    assert done.returncode == 1
    assert {record["fault"] for record in provider.turns} == {"http"}
