"""Reads what `codex exec --json` prints: the live feed, with no times, no model, and usage once, at the end."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from ..telemetry.model import AgentEvent, ToolCall, UsageRecord, Via
from .jsonl import Entry, count, entries, entry, fault, items, number, text, texts, unknown
from .shell import reads_of, unwrapped

RECONNECTING: Final = "Reconnecting..."


def events(lines: Iterable[str]) -> Iterator[AgentEvent]:
    """Each line as what it tells; a line we can't read as `unknown`."""
    for line, said in entries(lines):
        read = READERS.get(str(said.get("type"))) if said is not None else None
        if said is None or read is None:
            yield unknown(line)
        else:
            yield from (replace(event, raw=line) if event.kind == "unknown" else event for event in read(said))


def usage_of(counts: Entry, *, via: Via, identity: str | None = None, requests: int | None = 1) -> UsageRecord | None:
    """The counts in parts that don't overlap: Codex counts cached and cache-written tokens as input; None: none."""
    total, cached, written = (
        count(counts.get(name)) for name in ("input_tokens", "cached_input_tokens", "cache_write_input_tokens")
    )
    output = count(counts.get("output_tokens"))
    if total is None and output is None:
        return None
    return UsageRecord(
        id=identity,
        uncached_input_tokens=None if total is None else max(total - (cached or 0) - (written or 0), 0),
        cache_read_input_tokens=cached,
        cache_write_5m_input_tokens=written,
        output_tokens=output,
        reasoning_output_tokens=count(counts.get("reasoning_output_tokens")),
        requests=requests,
        via=via,
    )


def _thread(said: Entry) -> Iterator[AgentEvent]:
    yield AgentEvent(kind="started", session_id=text(said.get("thread_id")))


def _turn(said: Entry) -> Iterator[AgentEvent]:
    del said
    yield AgentEvent(kind="started")


def _completed(said: Entry) -> Iterator[AgentEvent]:
    usage = usage_of(entry(said.get("usage")), via="stream", requests=None)
    if usage is not None:
        yield AgentEvent(kind="usage", usage=usage)
    yield AgentEvent(kind="finished", ok=True)


def _failed(said: Entry) -> Iterator[AgentEvent]:
    message = text(entry(said.get("error")).get("message"))
    yield AgentEvent(kind="error", text=message, error_type=fault(message))
    yield AgentEvent(kind="finished", ok=False, text=message, error_type=fault(message))


def _error(said: Entry) -> Iterator[AgentEvent]:
    """A notice that it tries again, or what made it give up."""
    message = text(said.get("message"))
    again = message is not None and message.startswith(RECONNECTING)
    yield AgentEvent(kind="retry" if again else "error", text=message, error_type=fault(message))


def _item(said: Entry) -> Iterator[AgentEvent]:
    item = entry(said.get("item"))
    name = str(item.get("type"))
    over = said.get("type") == "item.completed"
    if name in CALLS:
        yield AgentEvent(kind="tool", tool=CALLS[name](item, over))
    elif name == "agent_message":
        yield AgentEvent(kind="message", text=text(item.get("text")))
    elif name == "error":
        yield AgentEvent(kind="warning", text=text(item.get("message")))
    elif name not in QUIET_ITEMS:
        yield AgentEvent(kind="unknown")


def _command(item: Entry, over: bool) -> ToolCall:
    command = unwrapped(text(item.get("command")) or "")
    output = text(item.get("aggregated_output"))
    code = number(item.get("exit_code"))
    return ToolCall(
        id=text(item.get("id")),
        name="exec_command",
        kind="shell",
        ok=code == 0 if over and code is not None else _ok(item, over),
        exit_code=code,
        command=command,
        reads=reads_of(command),
        output=output if over else None,
        output_bytes=len((output or "").encode("utf-8", "replace")) if over else None,
    )


def _change(item: Entry, over: bool) -> ToolCall:
    paths = (text(change.get("path")) for change in items(item.get("changes")))
    return ToolCall(
        id=text(item.get("id")),
        name="apply_patch",
        kind="edit",
        ok=_ok(item, over),
        edits=tuple(path for path in paths if path),
    )


def _mcp(item: Entry, over: bool) -> ToolCall:
    result = entry(item.get("result"))
    error = text(entry(item.get("error")).get("message"))
    output = texts(result.get("content")) or error
    failed = error is not None or result.get("isError") is True or result.get("is_error") is True
    return ToolCall(
        id=text(item.get("id")),
        name=text(item.get("tool")) or "",
        kind="mcp",
        server=text(item.get("server")),
        ok=False if failed else _ok(item, over),
        arguments=_arguments(item.get("arguments")),
        output=output if over else None,
        output_bytes=len((output or "").encode("utf-8", "replace")) if over else None,
    )


def _other(item: Entry, over: bool) -> ToolCall:
    name = text(item.get("tool")) or str(item.get("type"))
    return ToolCall(id=text(item.get("id")), name=name, kind="other", ok=_ok(item, over))


def _ok(item: Entry, over: bool) -> bool | None:
    return item.get("status") not in ("failed", "declined") if over else None


def _arguments(value: Any) -> Mapping[str, Any] | None:
    return value if isinstance(value, dict) else None


CALLS: Final[Mapping[str, Callable[[Entry, bool], ToolCall]]] = {
    "command_execution": _command,
    "file_change": _change,
    "mcp_tool_call": _mcp,
    "collab_tool_call": _other,
    "web_search": _other,
}
QUIET_ITEMS: Final = frozenset({"reasoning", "todo_list"})
READERS: Final[Mapping[str, Callable[[Entry], Iterator[AgentEvent]]]] = {
    "thread.started": _thread,
    "turn.started": _turn,
    "turn.completed": _completed,
    "turn.failed": _failed,
    "turn.interrupted": _failed,
    "item.started": _item,
    "item.updated": _item,
    "item.completed": _item,
    "error": _error,
}
