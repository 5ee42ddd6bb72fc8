"""Proves, before an agent is paid for, that our tools answer where the agent will look for them."""

from __future__ import annotations

import http.client
import json
import os
import subprocess
import tempfile
import time
from typing import IO, Final
from urllib.parse import urlsplit

from ..context.errors import CannotProceed
from ..context.tools import TOOLS
from .base import ToolServer
from .mcp_log import PREFLIGHT
from .mcp_protocol import COUNTER_OFFER, Json, encode

DEADLINE_SECONDS: Final = 10.0
_INITIALIZE: Final[Json] = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": COUNTER_OFFER, "capabilities": {}, "clientInfo": {"name": PREFLIGHT, "version": "1"}},
}
_INITIALIZED: Final[Json] = {"jsonrpc": "2.0", "method": "notifications/initialized"}
_LIST: Final[Json] = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}


class ToolsNotReady(CannotProceed):
    """The tool server did not show its tools in time; an agent would go on without them and not say so."""

    error_type = "tools_not_ready"

    def __init__(self, why: str) -> None:
        super().__init__(
            f"The tool server is not ready: {why}.", "Try `agenvantage doctor`, or run without tools by --no-mcp."
        )


def preflight(server: ToolServer, *, deadline_seconds: float = DEADLINE_SECONDS) -> float:
    """Shake hands and ask for the tools, as the agent will; the seconds it took. Raises ToolsNotReady."""
    started = time.monotonic()
    replies = _ASK[server.transport](server, deadline_seconds)
    _check(replies)
    return time.monotonic() - started


def _ask_stdio(server: ToolServer, deadline_seconds: float) -> list[object]:
    """Start the server as the agent would, ask all at once, hang up: it answers, and ends by itself."""
    asked = b"".join(encode(message) + b"\n" for message in (_INITIALIZE, _INITIALIZED, _LIST))
    with tempfile.TemporaryFile() as words:
        try:
            process = subprocess.Popen(
                server.command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=words,
                env={**os.environ, **server.environment},
                start_new_session=True,
            )
        except OSError as fault:
            raise ToolsNotReady(f"it could not be started ({fault.strerror})") from fault
        with process:
            try:
                output, _ = process.communicate(asked, timeout=deadline_seconds)
            except subprocess.TimeoutExpired as late:
                process.kill()
                raise ToolsNotReady(f"no answer within {deadline_seconds:g} s") from late
        if process.returncode != 0:
            raise ToolsNotReady(f"it ended with exit code {process.returncode}{_last_word(words)}")
    return [_read(line) for line in output.splitlines()]


def _ask_http(server: ToolServer, deadline_seconds: float) -> list[object]:
    place = urlsplit(server.url)
    connection = http.client.HTTPConnection(place.hostname or "", place.port, timeout=deadline_seconds)
    headers = {
        "Authorization": f"Bearer {server.token}",
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": COUNTER_OFFER,
    }
    replies: list[object] = []
    try:
        for message in (_INITIALIZE, _LIST):
            connection.request("POST", place.path, encode(message), headers)
            response = connection.getresponse()
            body = response.read()
            if response.status != 200:
                raise ToolsNotReady(f"it answered with HTTP status {response.status}")
            replies.append(_read(body))
    except TimeoutError as late:
        raise ToolsNotReady(f"no answer within {deadline_seconds:g} s") from late
    except (OSError, http.client.HTTPException) as fault:
        raise ToolsNotReady(f"it could not be reached ({type(fault).__name__})") from fault
    finally:
        connection.close()
    return replies


_ASK: Final = {"stdio": _ask_stdio, "http": _ask_http}


def _check(replies: list[object]) -> None:
    results = {reply.get("id"): reply.get("result") for reply in replies if isinstance(reply, dict)}
    if not isinstance(results.get(1), dict):
        raise ToolsNotReady("it did not answer the handshake")
    listed = results.get(2)
    tools = listed.get("tools") if isinstance(listed, dict) else None
    names = {tool.get("name") for tool in tools if isinstance(tool, dict)} if isinstance(tools, list) else set()
    missing = sorted(tool.name for tool in TOOLS if tool.name not in names)
    if missing:
        raise ToolsNotReady(f"it does not offer {', '.join(missing)}")


def _read(data: bytes) -> object:
    try:
        return json.loads(data)
    except ValueError:
        return None


def _last_word(words: IO[bytes]) -> str:
    """The last line on standard error: the only reason a server that ended can give."""
    words.seek(0)
    lines = words.read().decode("utf-8", "replace").strip().splitlines()
    return f" ({lines[-1][:200]})" if lines else ""
