"""The Anthropic Messages API as Claude Code uses it: a scripted turn as content blocks and stream events."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import PurePosixPath
from typing import Any

from provider_script import Due, Script, Turn

Json = dict[str, Any]
KINDS = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    500: "api_error",
    529: "overloaded_error",
}
ERRORS = {
    "rate_limit": ("rate_limit_error", "This request would exceed your rate limit."),
    "failed": ("overloaded_error", "a scripted failure"),
}
TOO_LONG = "prompt is too long: 250000 tokens > 200000 maximum"
_FOLDER = re.compile(r"[Ww]orking directory:\s*([^\n\"\\]+)")


def _blocks(message: Json) -> list[Json]:
    content = message.get("content")
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [block for block in content or [] if isinstance(block, dict)]


def due(script: Script, body: Json) -> Due:
    messages = body.get("messages") or []
    calls = [block["id"] for message in messages for block in _blocks(message) if block.get("type") == "tool_use"]
    return script.due(opening(messages), calls, side=not body.get("tools"))


def opening(messages: list[Json]) -> str:
    """All that was said before the model's own first word."""
    said: list[str] = []
    for message in messages:
        if message.get("role") == "assistant":
            break
        said.extend(str(block.get("text")) for block in _blocks(message))
    return "\n".join(said)


def folder(body: Json) -> str:
    """Where the host works: it says so in its prompt, and its file tools want whole paths."""
    system = body.get("system") or ""
    texts = [system] if isinstance(system, str) else [str(block.get("text")) for block in system]
    found = _FOLDER.search("\n".join([*texts, opening(body.get("messages") or [])]))
    return found[1].strip() if found else "."


class Caller:
    """Writes logical calls in the words of Claude's tools."""

    def __init__(self, body: Json, due: Due) -> None:
        self._names = {tool.get("name") for tool in body.get("tools") or []}
        self._folder = PurePosixPath(folder(body))
        self._due = due

    def block(self, part: int, call: Turn) -> Json:
        name, arguments = WRITERS[call["kind"]](self, call)
        call_id = self._due.search_id if name == "ToolSearch" else self._due.call_id(part)
        return {"type": "tool_use", "id": f"toolu_{call_id}", "name": name, "input": arguments}

    def read(self, call: Turn) -> tuple[str, Json]:
        lines = {name: call[name] for name in ("offset", "limit") if name in call}
        return "Read", {"file_path": self._path(call), **lines}

    def shell(self, call: Turn) -> tuple[str, Json]:
        return "Bash", {"command": call["command"], "description": "a scripted command", **call.get("extra", {})}

    def edit(self, call: Turn) -> tuple[str, Json]:
        if call.get("create"):
            return "Write", {"file_path": self._path(call), "content": call["new"]}
        return "Edit", {"file_path": self._path(call), "old_string": call["old"], "new_string": call["new"]}

    def mcp(self, call: Turn) -> tuple[str, Json]:
        name = f"mcp__{call['server']}__{call['tool']}"
        deferred = name not in self._names and "ToolSearch" in self._names
        if deferred and call.get("search", True) and not self._due.searched:
            return "ToolSearch", {"query": f"select:{name}", "max_results": 5}
        return name, call.get("arguments", {})

    def tool(self, call: Turn) -> tuple[str, Json]:
        return call["name"], call.get("arguments", {})

    def _path(self, call: Turn) -> str:
        return str(self._folder / call["path"])


WRITERS: dict[str, Callable[[Caller, Turn], tuple[str, Json]]] = {
    "read": Caller.read,
    "shell": Caller.shell,
    "edit": Caller.edit,
    "mcp": Caller.mcp,
    "tool": Caller.tool,
}


def content(due: Due, body: Json) -> list[Json]:
    """The blocks of a turn: thinking, words, calls."""
    turn, made = due.turn, []
    if turn.get("reasoning"):
        made.append({"type": "thinking", "thinking": turn["reasoning"], "signature": "c2NyaXB0ZWQ="})
    if turn.get("text") is not None:
        made.append({"type": "text", "text": turn["text"]})
    caller = Caller(body, due)
    return [*made, *(caller.block(part, call) for part, call in enumerate(due.calls))]


def whole(due: Due, body: Json, serial: int) -> Json:
    """The answer to a request that wants no stream."""
    made = content(due, body)
    usage = {**_input_usage(due), "output_tokens": due.usage["output"]}
    return {**_envelope(body, serial), "content": made, "stop_reason": _stop(made), "usage": usage}


def events(due: Due, body: Json, serial: int) -> Iterator[Json]:
    """A turn as the events of one message."""
    used = _input_usage(due)
    yield {"type": "message_start", "message": {**_envelope(body, serial), "usage": {**used, "output_tokens": 1}}}
    failing = ERRORS.get((due.fault or {}).get("type", ""))
    if due.fault and failing:
        error = {"type": due.fault.get("code", failing[0]), "message": due.fault.get("message", failing[1])}
        yield {"type": "error", "error": error}
        return
    made = content(due, body)
    for index, block in enumerate(made):
        yield from _block_events(index, block)
    thinking = {"thinking_tokens": due.usage["reasoning"]}
    spent = {**used, "output_tokens": due.usage["output"], "output_tokens_details": thinking}
    yield {"type": "message_delta", "delta": {"stop_reason": _stop(made), "stop_sequence": None}, "usage": spent}
    yield {"type": "message_stop"}


def _block_events(index: int, block: Json) -> Iterator[Json]:
    start, deltas = _DELTAS[block["type"]](block)
    yield {"type": "content_block_start", "index": index, "content_block": start}
    for delta in deltas:
        yield {"type": "content_block_delta", "index": index, "delta": delta}
    yield {"type": "content_block_stop", "index": index}


_DELTAS: dict[str, Callable[[Json], tuple[Json, list[Json]]]] = {
    "text": lambda block: ({"type": "text", "text": ""}, [{"type": "text_delta", "text": block["text"]}]),
    "thinking": lambda block: (
        {"type": "thinking", "thinking": "", "signature": ""},
        [
            {"type": "thinking_delta", "thinking": block["thinking"]},
            {"type": "signature_delta", "signature": block["signature"]},
        ],
    ),
    "tool_use": lambda block: (
        {**block, "input": {}},
        [{"type": "input_json_delta", "partial_json": json.dumps(block["input"])}],
    ),
}


def _envelope(body: Json, serial: int) -> Json:
    return {
        "id": f"msg_scripted_{serial}", "type": "message", "role": "assistant", "model": body.get("model"),
        "content": [], "stop_reason": None, "stop_sequence": None,
    }  # fmt: skip


def _stop(made: list[Json]) -> str:
    return "tool_use" if any(block["type"] == "tool_use" for block in made) else "end_turn"


def _input_usage(due: Due) -> Json:
    """Here `input_tokens` leaves out what was read from the cache or written to it."""
    used = due.usage
    hour = used["cache_write_1h"]
    return {
        "input_tokens": used["input"] - used["cached"] - used["cache_write"],
        "cache_read_input_tokens": used["cached"],
        "cache_creation_input_tokens": used["cache_write"],
        "cache_creation": {"ephemeral_5m_input_tokens": used["cache_write"] - hour, "ephemeral_1h_input_tokens": hour},
    }


def refusal(fault: Json) -> tuple[int, Json] | None:
    """An answer by HTTP status in place of a stream."""
    if fault["type"] == "overflow":
        return 400, {"type": "error", "error": {"type": KINDS[400], "message": TOO_LONG}}
    if fault["type"] != "http":
        return None
    status = fault["status"]
    error = {"type": KINDS.get(status, "api_error"), "message": fault.get("message", f"scripted status {status}")}
    return status, fault.get("body", {"type": "error", "error": error})
