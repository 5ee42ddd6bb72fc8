"""The tool server: its protocol, its two transports, its life and death, and the proof that it is ready."""

from __future__ import annotations

import http.client
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import anyio
import httpx2
import psutil
import pytest
from agenvantage.adapters.base import ToolServer
from agenvantage.adapters.mcp_http import HttpServer
from agenvantage.adapters.mcp_log import CallLog, handshakes, read_calls
from agenvantage.adapters.mcp_preflight import ToolsNotReady, preflight
from agenvantage.adapters.mcp_protocol import COUNTER_OFFER, VERSIONS, Conversation, Refused, encode, parse
from agenvantage.adapters.mcp_server import _Desk, server_command
from agenvantage.adapters.mcp_tools import ROOT_KEY, TreeTools, root_id
from agenvantage.context.tools import TOOLS
from hypothesis import given
from hypothesis import strategies as st
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

NAMES = [tool.name for tool in TOOLS]


class Echo:
    """Tools that need no repository."""

    instructions = "ask"
    listing: tuple[dict[str, Any], ...] = (
        {"name": "echo", "description": "says it again", "inputSchema": {"type": "object"}},
    )

    def greeted(self, client, version):
        self.client, self.version = client, version

    def listed(self):
        self.was_listed = True

    def call(self, name, arguments, meta):
        if name != "echo":
            raise LookupError(name)
        return {"content": [{"type": "text", "text": json.dumps(arguments)}], "isError": False}


def request(method: str, identity: object = 1, **params: object) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": identity, "method": method, "params": params}


def call(tool: str, identity: object = 1, **arguments: object) -> dict[str, Any]:
    return request("tools/call", identity, name=tool, arguments=arguments)


def hello(version: str = COUNTER_OFFER, **client: str) -> dict[str, Any]:
    who = {"name": "a-test", "version": "1"} | client
    return request("initialize", 0, protocolVersion=version, capabilities={}, clientInfo=who)


def stateless(method: str, version: str = "2026-07-28", **params: object) -> dict[str, Any]:
    meta = {"io.modelcontextprotocol/protocolVersion": version, "io.modelcontextprotocol/clientCapabilities": {}}
    return request(method, _meta=meta, **params)


def answer(message: object, version: str | None = COUNTER_OFFER) -> Any:
    return Conversation(Echo(), version).reply(message)


# The protocol


@pytest.mark.parametrize("version", VERSIONS)
def test_each_released_version_is_agreed_to(version):
    assert answer(hello(version))["result"]["protocolVersion"] == version


@pytest.mark.parametrize("version", ["1999-01-01", "", "2099-01-01", 7, None])
def test_a_version_that_never_was_is_answered_with_one_that_we_speak(version):
    assert answer(hello(version))["result"]["protocolVersion"] == COUNTER_OFFER


def test_the_handshake_says_how_to_use_the_tools():
    assert answer(hello())["result"]["instructions"] == "ask"


def test_a_ping_is_answered():
    assert answer(request("ping", "a")) == {"jsonrpc": "2.0", "id": "a", "result": {}}


@pytest.mark.parametrize("method", ["initialized", "cancelled", "progress", "roots/list_changed", "never/heard"])
def test_a_notification_is_not_answered(method):
    assert answer({"jsonrpc": "2.0", "method": f"notifications/{method}", "params": {}}) is None


def test_an_answer_from_the_client_is_not_answered():
    assert answer({"jsonrpc": "2.0", "id": 3, "result": {}}) is None


@pytest.mark.parametrize(
    ("message", "code"),
    [
        (request("resources/list"), -32601),
        (request("tools/call", name="nothing"), -32602),
        (request("tools/call"), -32602),
        (request("tools/call", name="echo", arguments=[1]), -32602),
        ({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": []}, -32602),
        ({"jsonrpc": "2.0", "id": None, "method": "ping"}, -32600),
        ({"jsonrpc": "2.0", "id": 1}, -32600),
        ({"jsonrpc": "2.0", "id": 1, "method": 5}, -32600),
        ("ping", -32600),
        ([], -32600),
    ],
)
def test_a_request_that_cannot_be_served_gets_the_protocols_own_error(message, code):
    assert answer(message)["error"]["code"] == code


@pytest.mark.parametrize("text", [b"{", b"", b"\xff\xfe", b"[" * 100_000, b"nope"])
def test_what_is_not_json_is_refused(text):
    with pytest.raises(Refused) as refused:
        parse(text)
    assert refused.value.error["code"] == -32700


@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26"])
def test_a_batch_is_answered_where_the_version_has_them(version):
    replies = answer([request("ping", 1), {"jsonrpc": "2.0", "method": "notifications/x"}, request("ping", 2)], version)
    assert [reply["id"] for reply in replies] == [1, 2]


@pytest.mark.parametrize("version", ["2025-06-18", "2025-11-25", "2026-07-28"])
def test_a_batch_is_refused_where_the_version_has_none(version):
    assert answer([request("ping")], version)["error"]["code"] == -32600


def test_a_batch_of_notifications_is_not_answered():
    assert answer([{"jsonrpc": "2.0", "method": "notifications/x"}], "2025-03-26") is None


def test_a_stateless_client_learns_versions_and_tools_without_a_handshake():
    result = answer(stateless("server/discover"), None)["result"]
    assert set(result["supportedVersions"]) == set(VERSIONS)
    assert result["resultType"] == "complete"


def test_a_stateless_result_says_how_long_it_holds():
    assert answer(stateless("tools/list"), None)["result"]["ttlMs"] > 0


def test_a_stateless_version_that_never_was_is_refused_with_those_we_speak():
    error = answer(stateless("tools/list", "2099-01-01"), None)["error"]
    assert (error["code"], error["data"]["supported"][0]) == (-32022, "2026-07-28")


def test_older_versions_get_no_fields_of_newer_ones():
    assert set(answer(request("tools/list"))["result"]) == {"tools"}


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
requests = st.fixed_dictionaries(
    {"method": st.sampled_from(["initialize", "ping", "tools/list", "tools/call", "server/discover"]) | json_values},
    optional={"id": json_values, "params": json_values, "jsonrpc": json_values},
)


@given(message=json_values | requests | st.lists(requests, max_size=3), version=st.sampled_from([None, *VERSIONS]))
def test_whatever_is_sent_is_answered_by_the_protocol_or_not_at_all(message, version):
    reply = answer(message, version)
    for one in reply if isinstance(reply, list) else [reply]:
        assert one is None or (one["jsonrpc"] == "2.0" and ("result" in one) != ("error" in one))


@given(words=st.text())
def test_an_answer_is_one_line_of_ascii(words):
    data = encode(answer(request("tools/call", words, name="echo", arguments={"text": words})))
    assert b"\n" not in data
    assert data.isascii()


# Standard input and output


class Process:
    """Our server as an agent starts it."""

    def __init__(self, root: Path, *, log: Path | None = None, cwd: Path | None = None, **environment: str) -> None:
        self.popen = subprocess.Popen(
            server_command(root, cache_dir=None, identity=None, log=log),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=cwd,
            env=os.environ | environment,
        )

    def send(self, *messages: object) -> None:
        assert self.popen.stdin is not None
        lines = [message if isinstance(message, bytes) else encode(message) + b"\n" for message in messages]
        self.popen.stdin.write(b"".join(lines))
        self.popen.stdin.flush()

    def line(self) -> bytes:
        assert self.popen.stdout is not None
        return self.popen.stdout.readline()

    def ask(self, message: object) -> Any:
        self.send(message)
        return json.loads(self.line())

    def close(self) -> list[Any]:
        out, _ = self.popen.communicate(timeout=10)
        return [json.loads(line) for line in out.splitlines()]


@contextmanager
def serving(root: Path, **options: Any) -> Iterator[Process]:
    process = Process(root, **options)
    try:
        yield process
    finally:
        if process.popen.poll() is None:
            process.popen.kill()
        with process.popen:
            pass


def test_the_tools_are_listed_over_standard_output(repository):
    with serving(repository.path) as server:
        server.ask(hello())
        assert [tool["name"] for tool in server.ask(request("tools/list"))["result"]["tools"]] == NAMES


def test_all_is_answered_in_the_order_asked(repository):
    with serving(repository.path) as server:
        server.send(hello(), call("search", 1, query="add"), request("ping", 2), b"{nope\n", request("ping", 3))
        assert [json.loads(server.line())["id"] for _ in range(5)] == [0, 1, 2, None, 3]


def test_what_was_asked_before_hanging_up_is_answered(repository):
    with serving(repository.path) as server:
        server.send(hello(), request("tools/list", 1), request("ping", 2))
        assert [reply["id"] for reply in server.close()] == [0, 1, 2]


def test_a_null_does_not_end_the_server(repository):
    with serving(repository.path) as server:
        server.send(b"null\n")
        assert json.loads(server.line())["error"]["code"] == -32600
        assert server.ask(request("ping"))["result"] == {}


def test_a_call_that_fails_is_a_result_and_the_server_goes_on(repository):
    with serving(repository.path) as server:
        assert server.ask(call("read", 1, location="no/such/file.py"))["result"]["isError"] is True
        assert server.ask(call("read", 2, location={"a": []}))["result"]["isError"] is True
        assert server.ask(request("ping", 3))["result"] == {}


def test_a_call_carries_the_trees_id_and_no_place(repository):
    with serving(repository.path) as server:
        reply = server.ask(call("search", query="add"))
    assert reply["result"]["_meta"][ROOT_KEY] == root_id(repository.path)
    assert str(repository.path) not in json.dumps(reply)


def test_a_request_for_another_tree_is_refused(repository):
    with serving(repository.path) as server:
        message = request("tools/call", name="search", arguments={"query": "add"}, _meta={ROOT_KEY: "another"})
        assert server.ask(message)["result"]["isError"] is True


def test_the_tools_are_about_their_root_wherever_the_server_was_started(repository, tmp_path):
    tree = tmp_path / "tree"
    shutil.copytree(repository.path, tree)
    repository.write("main_only.py", "def only_in_main(): ...\n")
    (tree / "tree_only.py").write_text("def only_in_tree(): ...\n")
    with serving(tree, cwd=repository.path) as server:
        assert "tree_only.py" in text(server.ask(call("search", query="only_in_tree")))
        assert "main_only.py" not in text(server.ask(call("search", query="only_in_main")))


def test_answers_follow_the_agents_own_edits(repository):
    with serving(repository.path) as server:
        server.ask(call("search", query="add"))
        repository.write("later.py", "def written_meanwhile():\n    return 1\n")
        assert "later.py" in text(server.ask(call("search", query="written_meanwhile")))
        (repository.path / "later.py").unlink()
        assert "later.py:" not in text(server.ask(call("search", query="written_meanwhile")))


def test_a_tree_that_vanished_is_said(repository):
    with serving(repository.path) as server:
        server.ask(call("search", query="add"))
        shutil.rmtree(repository.path)
        assert server.ask(call("search", query="add"))["result"]["isError"] is True


def text(reply: dict[str, Any]) -> str:
    return reply["result"]["content"][0]["text"]


def test_modules_of_the_folder_it_starts_in_are_not_imported(repository):
    repository.write("json.py", "raise SystemExit('the wrong json')\n")
    repository.write("agenvantage/__init__.py", "raise SystemExit('the wrong package')\n")
    with serving(repository.path, cwd=repository.path) as server:
        assert server.ask(request("ping"))["result"] == {}


def test_the_list_of_tools_is_the_same_bytes_at_every_start(repository, tmp_path):
    other = tmp_path / "other"
    shutil.copytree(repository.path, other)
    seen = set()
    for root, seed in ((repository.path, "1"), (other, "2")):
        with serving(root, PYTHONHASHSEED=seed, LC_ALL="C") as server:
            server.send(hello(), request("tools/list"))
            seen.add((server.line(), server.line()))
    assert len(seen) == 1


def test_a_root_that_is_not_there_is_an_error_at_once(tmp_path):
    done = subprocess.run(
        server_command(tmp_path / "nowhere", cache_dir=None, identity=None, log=None), capture_output=True, text=True
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert "There is no folder" in done.stderr


@pytest.mark.parametrize("sent", [b"", b'{"jsonrpc": "2.0", "id": 1, "meth'])
def test_the_server_ends_when_its_input_ends(repository, sent):
    with serving(repository.path) as server:
        server.send(hello(), sent)
        server.line()
        started = time.monotonic()
        server.popen.communicate(timeout=5)
        assert time.monotonic() - started < 5
        assert server.popen.returncode == 0


PARENT = """
import os, subprocess, sys, time
child = subprocess.Popen(sys.argv[2:], stdin=int(sys.argv[1]))
print(child.pid, flush=True)
time.sleep(60)
"""


@pytest.mark.parametrize("sent", [b"", b'{"jsonrpc": "2.0", "id": 1, "meth'])
def test_the_server_ends_when_its_parent_is_killed_though_its_input_stays_open(repository, sent):
    reading, writing = os.pipe()
    command = server_command(repository.path, cache_dir=None, identity=None, log=None)
    argv = [sys.executable, "-c", PARENT, str(reading), *command]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True, pass_fds=(reading,)) as parent:
        assert parent.stdout is not None
        child = psutil.Process(int(parent.stdout.readline()))
        os.write(writing, encode(hello()) + b"\n" + sent)
        parent.stdout.readline()
        parent.send_signal(signal.SIGKILL)
    deadline = time.monotonic() + 5
    while _alive(child) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not _alive(child)
    os.close(reading)
    os.close(writing)


def _alive(process: psutil.Process) -> bool:
    try:
        return process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def test_a_request_that_is_called_off_before_its_turn_gets_no_answer(repository):
    reading, writing = os.pipe()
    tools = TreeTools(repository.path, cache_dir=None, identity=None, log=CallLog())
    desk = _Desk(tools, writing)
    called_off = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 2}}
    for message in (request("ping", 1), request("ping", 2), called_off, request("ping", 3)):
        desk.take(encode(message))
    desk.take_no_more()
    desk.answer_all()
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        assert [json.loads(line)["id"] for line in pipe] == [1, 3]
    tools.close()


@pytest.mark.parametrize("identity", [None, "unknown", 7, {"a": 1}, []])
def test_calling_off_what_was_never_asked_does_no_harm(repository, identity):
    with serving(repository.path) as server:
        server.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": identity}})
        assert server.ask(request("ping", 7))["id"] == 7


# The log


def test_the_log_tells_who_came_what_was_called_and_which_lines_were_given(repository, tmp_path):
    log = tmp_path / "calls.jsonl"
    with serving(repository.path, log=log) as server:
        server.ask(hello(name="an-agent"))
        server.ask(request("tools/list"))
        server.ask(call("read", 2, location="calc.py:1-2"))
    (came,) = handshakes(log)
    (served,) = read_calls(log)
    assert (came.client, came.listed, served.tool, served.ok) == ("an-agent", True, "read", True)
    assert [(lines.path, lines.start, lines.end) for lines in served.files] == [("calc.py", 1, 2)]
    assert served.ended >= served.started


def test_the_log_holds_no_argument_and_no_text(repository, tmp_path):
    log = tmp_path / "calls.jsonl"
    with serving(repository.path, log=log) as server:
        server.ask(call("search", 1, query="canary_word add"))
        server.ask(call("canary_tool", 2))
    assert b"canary" not in log.read_bytes()
    assert log.stat().st_mode & 0o777 == 0o600


def test_a_log_cut_off_in_the_middle_is_read_as_far_as_it_goes(tmp_path):
    log = tmp_path / "calls.jsonl"
    log.write_bytes(b'{"kind": "handshake", "at": 1, "client": "x"}\n{"kind": "call", "to')
    assert (len(handshakes(log)), read_calls(log)) == (1, ())


def test_no_log_is_no_calls(tmp_path):
    assert read_calls(tmp_path / "nothing.jsonl") == ()


# HTTP


@pytest.fixture
def web(repository, tmp_path) -> Iterator[HttpServer]:
    server = HttpServer(repository.path, cache_dir=None, identity=None, log=tmp_path / "http.jsonl")
    server.start()
    yield server
    server.close()


def post(
    web: HttpServer, body: object = None, method: str = "POST", path: str = "/mcp", **headers: str
) -> tuple[int, Any]:
    place = urlsplit(web.url)
    connection = http.client.HTTPConnection(place.hostname, place.port, timeout=10)
    given = {"Authorization": f"Bearer {web.token}", "Content-Type": "application/json"}
    given |= {name.replace("_", "-"): value for name, value in headers.items()}
    data = body if isinstance(body, bytes) else encode(request("ping") if body is None else body)
    connection.request(method, path, data, {name: value for name, value in given.items() if value})
    response = connection.getresponse()
    raw = response.read()
    connection.close()
    return response.status, json.loads(raw) if raw else None


def test_a_request_with_the_token_is_answered(web):
    assert post(web) == (200, {"jsonrpc": "2.0", "id": 1, "result": {}})


@pytest.mark.parametrize("authorization", ["", "Bearer ", "Bearer wrong", "Basic x", "Bearer \xff"])
def test_without_the_token_nothing_is_told(web, authorization):
    assert post(web, Authorization=authorization) == (401, None)


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1", "127.0.0.1:1"])
def test_another_host_name_is_turned_away(web, host):
    assert post(web, Host=host)[0] == 403


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "https://localhost"])
def test_another_origin_is_turned_away(web, origin):
    assert post(web, Origin=origin)[0] == 403


def test_its_own_origin_is_welcome(web):
    place = urlsplit(web.url)
    assert post(web, Origin=f"http://{place.netloc}")[0] == 200


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [("GET", "/mcp", 405), ("DELETE", "/mcp", 405), ("POST", "/", 404), ("POST", "/mcp/x", 404)],
)
def test_other_methods_and_paths_are_refused(web, method, path, status):
    assert post(web, method=method, path=path)[0] == status


def test_a_notification_is_accepted_without_an_answer(web):
    assert post(web, {"jsonrpc": "2.0", "method": "notifications/initialized"}) == (202, None)


def test_bad_json_is_a_bad_request(web):
    status, reply = post(web, b"{nope")
    assert (status, reply["error"]["code"]) == (400, -32700)


def test_a_version_header_that_never_was_is_a_bad_request(web):
    assert post(web, MCP_Protocol_Version="1999-01-01")[0] == 400


def test_a_body_that_is_too_large_is_refused(web):
    assert post(web, b"x", Content_Length=str(10**9))[0] == 413


def test_a_stateless_request_must_be_what_its_headers_say(web):
    message = stateless("tools/call", name="search", arguments={"query": "add"})
    version = {"MCP_Protocol_Version": "2026-07-28", "Mcp_Method": "tools/call"}
    assert post(web, message, **version, Mcp_Name="search")[0] == 200
    assert post(web, message, **version, Mcp_Name="read")[1]["error"]["code"] == -32020


def test_an_unknown_stateless_method_is_not_found(web):
    headers = {"MCP_Protocol_Version": "2026-07-28", "Mcp_Method": "never/heard"}
    assert post(web, stateless("never/heard"), **headers)[0] == 404


def test_many_clients_at_once_are_all_answered(web):
    replies: list[int] = []
    threads = [
        threading.Thread(target=lambda: replies.append(post(web, call("search", query="add"))[0])) for _ in range(12)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert replies == [200] * 12
    assert len(web.calls) == 12


def test_calls_are_the_same_in_the_server_and_in_its_log(web, tmp_path):
    post(web, call("search", query="add"))
    assert web.calls == read_calls(tmp_path / "http.jsonl")


def test_a_closed_server_does_not_listen(repository):
    server = HttpServer(repository.path, cache_dir=None, identity=None, log=None)
    server.start()
    server.close()
    with pytest.raises(ConnectionRefusedError):
        post(server)


# The official client


async def _use(transport: Any, mode: str) -> tuple[list[str], bool]:
    async with Client(transport, mode=mode) as client:
        listed = await client.list_tools()
        done = await client.call_tool("search", {"query": "add"})
        return [tool.name for tool in listed.tools], bool(done.is_error)


@pytest.mark.parametrize("mode", ["legacy", "auto", "2026-07-28"])
def test_the_official_client_is_served_by_http(web, mode):
    async def use() -> tuple[list[str], bool]:
        async with httpx2.AsyncClient(headers={"Authorization": f"Bearer {web.token}"}) as http_client:
            return await _use(streamable_http_client(web.url, http_client=http_client), mode)

    assert anyio.run(use) == (NAMES, False)


@pytest.mark.parametrize("mode", ["legacy", "auto", "2026-07-28"])
def test_the_official_client_is_served_by_stdio(repository, mode):
    command, *arguments = server_command(repository.path, cache_dir=None, identity=None, log=None)
    parameters = StdioServerParameters(command=command, args=arguments, env=dict(os.environ))
    assert anyio.run(_use, stdio_client(parameters), mode) == (NAMES, False)


# Proof that it is ready


def tool_server(web: HttpServer, **changes: Any) -> ToolServer:
    command = server_command(web._tools.root, cache_dir=None, identity=None, log=None)
    return ToolServer(**{"url": web.url, "token": web.token, "command": command, "transport": "http"} | changes)


@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_a_server_that_lists_our_tools_is_ready(web, transport):
    assert preflight(tool_server(web, transport=transport)) < 10


def test_our_own_question_is_not_mistaken_for_the_agent(web):
    preflight(tool_server(web))
    assert web.handshakes == ()


EMPTY = """
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if "id" in message:
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": {"tools": []}}))
"""


@pytest.mark.parametrize(
    ("program", "why"),
    [
        ("import time; time.sleep(30)", "no answer within"),
        ("import sys; sys.exit('no parsers here')", r"exit code 1 \(no parsers here\)"),
        ("pass", "did not answer the handshake"),
        (EMPTY, "does not offer"),
    ],
)
def test_a_server_that_is_not_ready_is_told_with_its_reason(web, program, why):
    server = tool_server(web, transport="stdio", command=(sys.executable, "-c", program))
    with pytest.raises(ToolsNotReady, match=why):
        preflight(server, deadline_seconds=1.5)


@pytest.mark.parametrize(
    ("changes", "why"),
    [({"token": "wrong"}, "status 401"), ({"url": "http://127.0.0.1:9/mcp"}, "could not be reached")],
)
def test_an_address_that_does_not_serve_us_is_told_with_its_reason(web, changes, why):
    with pytest.raises(ToolsNotReady, match=why):
        preflight(tool_server(web, **changes))


def test_a_program_that_is_not_there_is_told(web):
    with pytest.raises(ToolsNotReady, match="could not be started"):
        preflight(tool_server(web, transport="stdio", command=("/no/such/program",)))
