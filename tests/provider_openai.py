"""The OpenAI Responses API as Codex uses it: which tools a request offers, and a scripted turn as its stream events."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from provider_script import Due, Script, Turn, patch_text, read_command

Json = dict[str, Any]
ERRORS = {
    "overflow": ("context_length_exceeded", "Your input exceeds the context window of this model."),
    "rate_limit": ("rate_limit_exceeded", "Rate limit reached. Please try again in 1.5s."),
    "failed": ("server_error", "a scripted failure"),
}


@dataclass(frozen=True)
class Offer:
    """The tools of one request, those that a search brought included: (namespace, name) → type."""

    tools: dict[tuple[str | None, str], str]

    @property
    def code_mode(self) -> bool:
        """Newer models get one tool that runs JavaScript; all others are reached through it."""
        scripts = any(name == "exec" and kind == "custom" for (_, name), kind in self.tools.items())
        return scripts and (None, "exec_command") not in self.tools

    def has(self, name: str) -> bool:
        return (None, name) in self.tools

    def namespace_of(self, server: str, tool: str) -> tuple[str | None, str] | None:
        """Where a server's tool is callable, and by which name; None when it is deferred or unknown."""
        full = f"mcp__{server}__{tool}"
        for namespace, name in self.tools:
            if (namespace is None and name == full) or (namespace and server in namespace and name in (tool, full)):
                return namespace, name
        return None


def offer(body: Json) -> Offer:
    found: dict[tuple[str | None, str], str] = {}
    late = [item for item in items(body) if item.get("type") in ("tool_search_output", "additional_tools")]
    for tools in (body.get("tools"), *(item.get("tools") for item in late)):
        _collect(tools or [], None, found)
    return Offer(found)


def _collect(tools: list[Json], namespace: str | None, found: dict[tuple[str | None, str], str]) -> None:
    for tool in tools:
        if tool.get("type") == "namespace":
            _collect(tool.get("tools") or [], tool.get("name"), found)
        else:
            found[namespace, tool.get("name") or tool["type"]] = tool.get("type", "function")


def items(body: Json) -> list[Json]:
    given = body.get("input")
    return [item for item in given if isinstance(item, dict)] if isinstance(given, list) else []


def due(script: Script, body: Json) -> Due:
    calls = [str(item.get("call_id")) for item in items(body) if item.get("type", "").endswith("_call")]
    return script.due(opening(body), calls, side=not offer(body).tools)


def opening(body: Json) -> str:
    """All that was said before the model's own first word."""
    said: list[str] = []
    for item in items(body):
        if item.get("role") == "assistant" or item.get("type", "").endswith("_call"):
            break
        content = item.get("content")
        parts = content if isinstance(content, list) else [{"text": content}]
        said.extend(str(part.get("text")) for part in parts if isinstance(part, dict))
    return "\n".join(said) if said else str(body.get("input"))


class Caller:
    """Writes logical calls in the words of the tools that one request offers."""

    def __init__(self, offered: Offer, due: Due) -> None:
        self._offer = offered
        self._due = due

    def item(self, part: int, call: Turn) -> Json:
        write = WRITERS[call["kind"]]
        item = write(self, call)
        call_id = self._due.search_id if item["type"] == "tool_search_call" else self._due.call_id(part)
        return {**item, "id": f"item_{call_id}", "call_id": call_id, "status": "completed"}

    def read(self, call: Turn) -> Json:
        return self._command(read_command(call), {})

    def shell(self, call: Turn) -> Json:
        return self._command(call["command"], call.get("extra", {}))

    def edit(self, call: Turn) -> Json:
        if self._offer.code_mode:
            return _javascript("apply_patch", patch_text(call))
        if self._offer.tools.get((None, "apply_patch")) == "custom":
            return _custom("apply_patch", patch_text(call))
        return self._command(f"apply_patch <<'END_OF_PATCH'\n{patch_text(call)}END_OF_PATCH", {})

    def mcp(self, call: Turn) -> Json:
        server, tool, arguments = call["server"], call["tool"], call.get("arguments", {})
        place = self._offer.namespace_of(server, tool)
        if place is not None:
            return _function(place[1], arguments, place[0])
        if self._offer.code_mode:
            return _javascript(f"mcp__{server}__{tool}", arguments)
        if self._offer.has("tool_search") and call.get("search", True) and not self._due.searched:
            return {
                "type": "tool_search_call",
                "execution": "client",
                "arguments": {"query": f"{server} {tool}", "limit": 8},
            }
        return _function(tool, arguments, f"mcp__{server}")

    def tool(self, call: Turn) -> Json:
        if "input" in call:
            return _custom(call["name"], call["input"])
        if self._offer.code_mode and not self._offer.has(call["name"]) and "namespace" not in call:
            return _javascript(call["name"], call.get("arguments", {}))
        return _function(call["name"], call.get("arguments", {}), call.get("namespace"))

    def _command(self, command: str, extra: Json) -> Json:
        if self._offer.code_mode:
            return _javascript("exec_command", {"cmd": command, **extra})
        if self._offer.has("shell_command"):
            return _function("shell_command", {"command": command, **extra})
        if self._offer.has("shell"):
            return _function("shell", {"command": ["bash", "-lc", command], **extra})
        return _function("exec_command", {"cmd": command, **extra})


WRITERS: dict[str, Callable[[Caller, Turn], Json]] = {
    "read": Caller.read,
    "shell": Caller.shell,
    "edit": Caller.edit,
    "mcp": Caller.mcp,
    "tool": Caller.tool,
}


def _function(name: str, arguments: Json, namespace: str | None = None) -> Json:
    place = {"namespace": namespace} if namespace else {}
    return {"type": "function_call", "name": name, "arguments": json.dumps(arguments), **place}


def _custom(name: str, text: str) -> Json:
    return {"type": "custom_tool_call", "name": name, "input": text}


def _javascript(method: str, argument: object) -> Json:
    return _custom("exec", f"text(await tools.{method}({json.dumps(argument)}));")


def output(due: Due, body: Json, serial: int) -> list[Json]:
    """The items of a turn: reasoning, words, calls."""
    turn, made = due.turn, []
    if turn.get("reasoning"):
        summary = [{"type": "summary_text", "text": turn["reasoning"]}]
        made.append(
            {"type": "reasoning", "id": f"rs_{serial}", "encrypted_content": "c2NyaXB0ZWQ=", "summary": summary}
        )
    if turn.get("text") is not None:
        made.append({
            "type": "message", "id": f"msg_{serial}", "role": "assistant", "status": "completed",
            "phase": "final_answer" if turn["kind"] == "final" else "commentary",
            "content": [{"type": "output_text", "text": turn["text"], "annotations": []}],
        })  # fmt: skip
    caller = Caller(offer(body), due)
    return [*made, *(caller.item(part, call) for part, call in enumerate(due.calls))]


def events(due: Due, body: Json, serial: int) -> Iterator[Json]:
    """A turn as the events of one response."""
    response = {"id": f"resp_{serial}", "object": "response", "created_at": 0, "model": body.get("model"), "output": []}
    yield {"type": "response.created", "response": {**response, "status": "in_progress"}}
    failing = ERRORS.get((due.fault or {}).get("type", ""))
    if due.fault and failing:
        error = {"code": due.fault.get("code", failing[0]), "message": due.fault.get("message", failing[1])}
        yield {"type": "response.failed", "response": {**response, "status": "failed", "error": error}}
        return
    made = output(due, body, serial)
    for position, item in enumerate(made):
        yield from _item_events(position, item)
    end = {"status": "completed", "output": made, "end_turn": due.turn["kind"] == "final", "usage": _usage(due)}
    yield {"type": "response.completed", "response": {**response, **end}}


def _item_events(position: int, item: Json) -> Iterator[Json]:
    place = {"output_index": position, "item_id": item["id"]}
    emptied = {name: [] if name in ("content", "summary") else value for name, value in item.items()}
    yield {"type": "response.output_item.added", "output_index": position, "item": {**emptied, "status": "in_progress"}}
    if item["type"] == "message":
        text = item["content"][0]["text"]
        yield {"type": "response.output_text.delta", **place, "content_index": 0, "delta": text}
    if item["type"] == "reasoning":
        text = item["summary"][0]["text"]
        yield {"type": "response.reasoning_summary_text.delta", **place, "summary_index": 0, "delta": text}
    yield {"type": "response.output_item.done", "output_index": position, "item": item}


def _usage(due: Due) -> Json:
    used = due.usage
    return {
        "input_tokens": used["input"],
        "input_tokens_details": {"cached_tokens": used["cached"], "cache_write_tokens": used["cache_write"]},
        "output_tokens": used["output"],
        "output_tokens_details": {"reasoning_tokens": used["reasoning"]},
        "total_tokens": used["input"] + used["output"],
    }


def refusal(fault: Json) -> tuple[int, Json] | None:
    """An answer by HTTP status in place of a stream."""
    if fault["type"] != "http":
        return None
    message = fault.get("message", f"scripted status {fault['status']}")
    error = {"message": message, "type": "scripted", "code": fault.get("code"), "param": None}
    return fault["status"], fault.get("body", {"error": error})


def whole(due: Due, body: Json, serial: int) -> Json:
    """The answer to a request that wants no stream."""
    return list(events(due, body, serial))[-1]["response"]
