"""Reads what `claude -p --output-format stream-json` prints: a line a content block, true usage at the end only."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from ..telemetry.model import AgentEvent, FileRead, ToolCall, ToolKind, UsageRecord, Via
from .base import SERVER_NAME
from .jsonl import OTHER, Entry, amount, count, entries, entry, fault, items, number, text, texts, time_ns, unknown
from .shell import reads_of

SYNTHETIC: Final = "<synthetic>"
"""The model of words that the program itself put in the model's mouth."""
EXIT_CODE: Final = re.compile(r"\AExit code (\d+)\b")
KINDS: Final[Mapping[str, ToolKind]] = {
    "Read": "read",
    "NotebookRead": "read",
    "Glob": "search",
    "Grep": "search",
    "LS": "search",
    "Edit": "edit",
    "MultiEdit": "edit",
    "Write": "edit",
    "NotebookEdit": "edit",
    "Bash": "shell",
}
# By HTTP status, which says more than the words beside it.
STATUS: Final[Mapping[int, str]] = {
    404: "rejected",
    401: "authentication",
    403: "authentication",
    413: "context_overflow",
    429: "rate_limited",
    529: "overloaded",
}
GIVEN_UP: Final[Mapping[str, str]] = {
    "prompt_too_long": "context_overflow",
    "error_max_turns": "max_turns",
    "error_max_budget_usd": "max_budget",
    "refusal": "refusal",
}


@dataclass(slots=True, kw_only=True)
class Calls:
    """Tool calls that have begun, so that an end can be read with its beginning."""

    begun: dict[str, ToolCall] = field(default_factory=dict)
    denied: set[str] = field(default_factory=set)


def events(lines: Iterable[str]) -> Iterator[AgentEvent]:
    """Each line as what it tells; a line we can't read as `unknown`. One run may print several beginnings and ends."""
    calls = Calls()
    for line, said in entries(lines):
        read = READERS.get(str(said.get("type"))) if said is not None else None
        if said is None or read is None:
            yield unknown(line)
            continue
        agent, at = _agent(said), time_ns(said.get("timestamp"))
        for event in read(said, calls):
            yield replace(event, agent=agent, at=at, raw=line if event.kind == "unknown" else None)


def _agent(said: Entry) -> str:
    """A sub-agent's lines carry its id, or that of the call that started it."""
    return text(said.get("agent_id")) or text(said.get("parent_tool_use_id")) or "main"


# What stream and log have in common


def usage_of(message: Entry, *, via: Via, identity: str | None) -> UsageRecord | None:
    """Claude counts what was read from and written to the cache beside its input. None when nothing is counted."""
    counts = entry(message.get("usage"))
    split = entry(counts.get("cache_creation"))
    written = count(counts.get("cache_creation_input_tokens"))
    short, long = (count(split.get(f"ephemeral_{life}_input_tokens")) for life in ("5m", "1h"))
    # While it streams, the output is a placeholder.
    whole = message.get("stop_reason") is not None or via == "session_log"
    usage = UsageRecord(
        id=identity,
        model=text(message.get("model")),
        uncached_input_tokens=count(counts.get("input_tokens")),
        cache_read_input_tokens=count(counts.get("cache_read_input_tokens")),
        cache_write_5m_input_tokens=written if short is None and long is None else short,
        cache_write_1h_input_tokens=long,
        output_tokens=count(counts.get("output_tokens")) if whole else None,
        reasoning_output_tokens=count(entry(counts.get("output_tokens_details")).get("thinking_tokens")),
        via=via,
    )
    return usage if usage.input_tokens is not None or usage.output_tokens is not None else None


def totals_of(models: Any, *, via: Via) -> Iterator[UsageRecord]:
    """Running totals of the whole process, one a model."""
    for model, counts in entry(models).items():
        told = entry(counts)
        short, long = (count(told.get(f"cacheCreationEphemeral{life}InputTokens")) for life in ("5m", "1h"))
        yield UsageRecord(
            model=model,
            uncached_input_tokens=count(told.get("inputTokens")),
            cache_read_input_tokens=count(told.get("cacheReadInputTokens")),
            cache_write_5m_input_tokens=count(told.get("cacheCreationInputTokens")) if short is None else short,
            cache_write_1h_input_tokens=long,
            output_tokens=count(told.get("outputTokens")),
            reasoning_output_tokens=count(told.get("thinkingTokens")),
            requests=None,
            via=via,
        )


def begun(block: Entry) -> ToolCall:
    """A call as the model asked for it. What it read or wrote is known when it ends."""
    name = text(block.get("name")) or ""
    given = entry(block.get("input"))
    server, _, tool = name.removeprefix("mcp__").partition("__") if name.startswith("mcp__") else ("", "", name)
    command = text(given.get("command")) if name == "Bash" else None
    return ToolCall(
        id=text(block.get("id")),
        name=tool or name,
        kind="mcp" if server else KINDS.get(name, "other"),
        server=server or None,
        command=command,
        arguments=dict(given) or None,
    )


def ended(block: Entry, details: Any, calls: Calls) -> ToolCall:
    """A call with its result: the block that the model was shown, and what the program itself noted of it."""
    identity = text(block.get("tool_use_id"))
    call = calls.begun.pop(identity or "", None) or ToolCall(id=identity, name="", kind="other")
    said = texts(block.get("content"))
    failed = block.get("is_error") is True
    noted = entry(details)
    shell = call.kind == "shell"
    return replace(
        call,
        ok=not failed,
        exit_code=_exit_code(said, noted, failed=failed) if shell else None,
        reads=reads_of(call.command) if shell and call.command else _reads(call, noted),
        edits=_edits(call, noted) if not failed else (),
        output=_shell_output(noted, said) if shell else said,
        output_bytes=len(said.encode("utf-8", "replace")),
    )


def _exit_code(said: str, noted: Entry, *, failed: bool) -> int | None:
    """A success says no code, a failure begins with it; a refusal and a command left in the background have none."""
    if failed:
        code = EXIT_CODE.match(said)
        return int(code.group(1)) if code else None
    return None if noted.get("backgroundTaskId") or noted.get("interrupted") is True else 0


def _shell_output(noted: Entry, said: str) -> str:
    parts = [part for part in (text(noted.get("stdout")), text(noted.get("stderr"))) if part]
    return "\n".join(parts) or said


def _reads(call: ToolCall, noted: Entry) -> tuple[FileRead, ...]:
    """What `Read` showed, in true lines. Only the asked-for range is known when the program noted nothing."""
    if call.kind != "read":
        return ()
    file, given = entry(noted.get("file")), call.arguments or {}
    path = text(file.get("filePath")) or text(given.get("file_path"))
    if path is None or (noted and not file):
        return ()
    start = number(file.get("startLine")) or number(given.get("offset")) or 1
    shown = number(file.get("numLines")) if file else number(given.get("limit"))
    total = number(file.get("totalLines"))
    # It shows the end of the last line as one more, empty line.
    end = None if shown is None else max(start + shown - 1, start)
    if end is not None and end == total and (text(file.get("content")) or "").endswith("\n"):
        end = max(end - 1, start)
    return (FileRead(path=path, start=start, end=end, via="read"),)


def _edits(call: ToolCall, noted: Entry) -> tuple[str, ...]:
    if call.kind != "edit":
        return ()
    given = call.arguments or {}
    path = text(noted.get("filePath")) or text(given.get("file_path")) or text(given.get("notebook_path"))
    return (path,) if path else ()


def error_word(said: Entry, message: str | None) -> str:
    """The low-cardinality word for what the provider did."""
    status = number(said.get("api_error_status")) or number(said.get("error_status"))
    if status is not None and (status in STATUS or status >= 500):
        return STATUS.get(status, "server_error")
    # Every message says "API Error", whatever it was.
    return fault((message or "").replace("API Error", ""), text(said.get("error")))


def blocks_of(message: Entry) -> list[Entry]:
    content = message.get("content")
    return [{"type": "text", "text": content}] if isinstance(content, str) else items(content)


# Lines of the stream


def _system(said: Entry, calls: Calls) -> Iterator[AgentEvent]:
    kind = str(said.get("subtype"))
    if kind == "init":
        yield from _init(said)
    elif kind == "api_retry":
        yield AgentEvent(kind="retry", text=text(said.get("error")), error_type=error_word(said, None))
    elif kind == "permission_denied":
        yield _denied(said, calls)
    elif kind == "compact_boundary":
        yield AgentEvent(kind="compaction")
    elif kind not in QUIET_SYSTEM:
        yield AgentEvent(kind="unknown")


def _init(said: Entry) -> Iterator[AgentEvent]:
    yield AgentEvent(
        kind="started",
        session_id=text(said.get("session_id")),
        model=text(said.get("model")),
        version=text(said.get("claude_code_version")),
    )
    servers = {str(server.get("name")): str(server.get("status")) for server in items(said.get("mcp_servers"))}
    if servers.get(SERVER_NAME) == "connected" and _lacks_tools(said.get("tools")):
        servers[SERVER_NAME] = "connected without tools"
    yield AgentEvent(kind="tools", servers=servers)


def _lacks_tools(names: Any) -> bool:
    """The agent lists its tools, and none of them is ours."""
    listed = [name for name in names if isinstance(name, str)] if isinstance(names, list) else []
    return bool(listed) and not any(name.startswith(f"mcp__{SERVER_NAME}__") for name in listed)


def _denied(said: Entry, calls: Calls) -> AgentEvent:
    identity, name = text(said.get("tool_use_id")), text(said.get("tool_name")) or ""
    calls.denied.add(identity or "")
    call = calls.begun.get(identity or "") or ToolCall(id=identity, name=name, kind=KINDS.get(name, "other"))
    return AgentEvent(kind="denied", text=text(said.get("message")), tool=replace(call, ok=False))


def _assistant(said: Entry, calls: Calls) -> Iterator[AgentEvent]:
    message = entry(said.get("message"))
    if message.get("model") == SYNTHETIC:
        words = texts(message.get("content"))
        yield AgentEvent(kind="error", text=words, error_type=error_word(said, words))
        return
    usage = usage_of(message, via="stream", identity=text(message.get("id")))
    if usage is not None:
        yield AgentEvent(kind="request", model=usage.model, usage=replace(usage, agent=_agent(said)))
    for block in blocks_of(message):
        if block.get("type") == "text":
            yield AgentEvent(kind="message", text=text(block.get("text")))
        elif block.get("type") == "tool_use":
            call = begun(block)
            calls.begun[call.id or ""] = call
            yield AgentEvent(kind="tool", tool=call)


def _user(said: Entry, calls: Calls) -> Iterator[AgentEvent]:
    for block in blocks_of(entry(said.get("message"))):
        if block.get("type") == "tool_result":
            yield AgentEvent(kind="tool", tool=ended(block, said.get("tool_use_result"), calls))


def _result(said: Entry, calls: Calls) -> Iterator[AgentEvent]:
    """An end of a turn; there may be more to come. `subtype` says success even when the provider refused."""
    for denial in items(said.get("permission_denials")):
        if text(denial.get("tool_use_id")) not in calls.denied:
            yield _denied(denial, calls)
    for usage in totals_of(said.get("modelUsage"), via="stream"):
        yield AgentEvent(kind="usage", model=usage.model, usage=usage)
    failed = said.get("is_error") is not False
    why, subtype = str(said.get("terminal_reason")), str(said.get("subtype"))
    words = text(said.get("result")) or "; ".join(str(error) for error in said.get("errors") or ()) or None
    word = (GIVEN_UP.get(why) or GIVEN_UP.get(subtype) or error_word(said, words)) if failed else None
    if failed:
        yield AgentEvent(kind="error", text=words or why, error_type=word or OTHER)
    yield AgentEvent(
        kind="finished",
        ok=not failed,
        text=words,
        error_type=word,
        cost_usd=_cost(said),
        session_id=text(said.get("session_id")),
    )


def _limited(said: Entry, calls: Calls) -> Iterator[AgentEvent]:
    """How near the person's limits are; over one, the provider answers no more."""
    del calls
    if entry(said.get("rate_limit_info")).get("status") == "rejected":
        yield AgentEvent(kind="error", error_type="rate_limited")


def _cost(said: Entry) -> float | None:
    """What the program says it cost. At a default price for a model it doesn't know, it is no cost."""
    models = entry(said.get("modelUsage")).values()
    unknown_basis = any(entry(model).get("costBasis") == "unknown" for model in models)
    return None if unknown_basis else amount(said.get("total_cost_usd"))


def _nothing(said: Entry, calls: Calls) -> Iterator[AgentEvent]:
    del said, calls
    return iter(())


QUIET_SYSTEM: Final = frozenset({
    "api_error", "background_tasks_changed", "files_persisted", "hook_progress", "hook_response", "hook_started",
    "informational", "local_command", "local_command_output", "session_state_changed", "status", "task_notification",
    "task_progress", "task_started", "task_updated", "thinking_tokens", "turn_duration", "ui_invalidate",
})  # fmt: skip
READERS: Final[Mapping[str, Callable[[Entry, Calls], Iterator[AgentEvent]]]] = {
    "system": _system,
    "assistant": _assistant,
    "user": _user,
    "result": _result,
    "stream_event": _nothing,
    "tool_progress": _nothing,
    "tool_use_summary": _nothing,
    "rate_limit_event": _limited,
    "auth_status": _nothing,
    "prompt_suggestion": _nothing,
    "keep_alive": _nothing,
}
