"""Reads Codex's own logs: one rollout file a thread, with the usage of each model call and every tool call."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, Final

from ..telemetry.model import AgentEvent, ToolCall, ToolKind, UsageRecord
from .codex_stream import usage_of
from .jsonl import Entry, count, entries, entry, fault, number, text, texts, time_ns, unknown
from .shell import reads_of, unwrapped

THREAD_ID: Final = re.compile(r"([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.jsonl$")
NESTED: Final = re.compile(r"\btools\.(\w+)\s*\(")
STILL_RUNNING: Final = re.compile(r"^Process running with session ID \d+$", re.MULTILINE)
FAILED_OUTPUT: Final = re.compile(
    r"\A(patch rejected|unsupported call|apply_patch verification failed|Script failed|exec_command failed|failed to "
    r"|error\b)",
    re.IGNORECASE,
)
REFUSED: Final = re.compile(r"\bpatch rejected\b|\brejected by user\b|requires approval|approval policy is never")
CODE_MODE: Final = "exec"
"""The one tool of a model that writes scripts; what its script calls is logged by itself."""
KILLED_AT_EXIT: Final = -1
EDITORS: Final = frozenset({"apply_patch"})
SHELLS: Final = frozenset({"exec_command", "shell", "shell_command", "local_shell", "container.exec"})


@dataclass(frozen=True, slots=True, kw_only=True)
class _Total:
    """A running total as it was told."""

    at: int | None
    model: str | None
    counts: Mapping[str, int]


@dataclass(slots=True, kw_only=True)
class _Thread:
    """What is known while one thread's file is read."""

    id: str | None
    agent: str
    own_from: int = 0
    """Ordinal of the first entry that is not copied from the parent."""
    at: int | None = None
    """The time of the entry that is being read."""
    model: str | None = None
    scripts: dict[str, tuple[str, bool]] = field(default_factory=dict)
    """Open scripts: call id → (source, whether it did anything that was logged)."""
    items: set[str] = field(default_factory=set)
    """Calls whose end is logged as an item."""
    calls: dict[str, ToolCall] = field(default_factory=dict)
    """Begun calls by id."""
    recorded: bool = False
    totals: list[_Total] = field(default_factory=list)


def session(files: Mapping[str, Iterable[str]]) -> Iterator[AgentEvent]:
    """Every thread of the home. The first that no other one started is `main`; others go by their id."""
    main_taken = False
    for path in sorted(files, key=_by_start):
        lines = iter(files[path])
        first = next(lines, None)
        if first is None:
            continue
        meta = next((entry(said.get("payload")) for _, said in entries([first]) if said is not None), {})
        identity = _identity(path, meta)
        is_main = not main_taken and not _is_child(meta)
        main_taken = main_taken or is_main
        start = number(meta.get("subagent_history_start_ordinal")) or 0
        thread = _Thread(id=identity, agent="main" if is_main else identity or path, own_from=start)
        yield from _read(thread, chain([first], lines))


def _by_start(path: str) -> str:
    """Names carry the time; the folder may be another one when a thread was archived."""
    return path.rsplit("/", 1)[-1]


def _identity(path: str, meta: Entry) -> str | None:
    named = THREAD_ID.search(path)
    return named.group(1) if named else text(meta.get("id"))


def _is_child(meta: Entry) -> bool:
    return bool(meta.get("parent_thread_id")) or isinstance(meta.get("source"), dict)


def _read(thread: _Thread, lines: Iterable[str]) -> Iterator[AgentEvent]:
    for line, said in entries(lines):
        read = READERS.get(str(said.get("type"))) if said is not None else None
        if said is None or read is None:
            yield unknown(line, thread.agent)
        elif (number(said.get("ordinal")) or 0) >= thread.own_from or said.get("type") == "session_meta":
            thread.at = time_ns(said.get("timestamp"))
            for event in read(thread, entry(said.get("payload"))):
                yield _of(thread, replace(event, raw=line) if event.kind == "unknown" else event)
    if not thread.recorded:
        yield from _differences(thread)


def _of(thread: _Thread, event: AgentEvent) -> AgentEvent:
    """The event as its thread's. Two threads may count their calls alike."""
    tool = event.tool
    if tool is not None and tool.id is not None and thread.agent != "main":
        tool = replace(tool, id=f"{thread.agent}/{tool.id}")
    return replace(event, agent=thread.agent, at=event.at or thread.at, tool=tool)


def _meta(thread: _Thread, payload: Entry) -> Iterator[AgentEvent]:
    """A child's file repeats its parent's head."""
    if text(payload.get("id")) in (thread.id, None):
        yield AgentEvent(kind="started", session_id=thread.id, version=text(payload.get("cli_version")))


def _context(thread: _Thread, payload: Entry) -> Iterator[AgentEvent]:
    model = text(payload.get("model"))
    if model is not None and model != thread.model:
        thread.model = model
        yield AgentEvent(kind="started", model=model)


def _usage(thread: _Thread, payload: Entry) -> Iterator[AgentEvent]:
    if thread.id is not None and text(payload.get("thread_id")) not in (thread.id, None):
        return
    usage = usage_of(entry(payload.get("usage")), via="session_log", identity=text(payload.get("response_id")))
    thread.recorded = True
    if usage is None:
        yield AgentEvent(kind="unknown")
    else:
        yield AgentEvent(kind="request", model=thread.model, usage=_signed(thread, usage))


def _signed(thread: _Thread, usage: UsageRecord) -> UsageRecord:
    return replace(usage, agent=thread.agent, model=thread.model)


def _differences(thread: _Thread) -> Iterator[AgentEvent]:
    """Older logs hold running totals only. An unchanged total is a repeat; a smaller one began anew."""
    before: Mapping[str, int] = {}
    for total in thread.totals:
        if total.counts == before:
            continue
        anew = any(total.counts.get(name, 0) < value for name, value in before.items())
        spent = {name: value - (0 if anew else before.get(name, 0)) for name, value in total.counts.items()}
        before = total.counts
        # A full context window is told as its size in `total_tokens`: nothing was spent.
        usage = usage_of(spent, via="session_log")
        if usage is not None and (usage.input_tokens or usage.output_tokens):
            signed = replace(_signed(thread, usage), model=total.model)
            yield AgentEvent(kind="request", agent=thread.agent, at=total.at, model=total.model, usage=signed)


def _token_count(thread: _Thread, payload: Entry) -> Iterator[AgentEvent]:
    counts = entry(entry(payload.get("info")).get("total_token_usage"))
    known = {name: value for name, value in ((name, count(counts[name])) for name in counts) if value is not None}
    if known:
        thread.totals.append(_Total(at=thread.at, model=thread.model, counts=known))
    yield from ()


def _event(thread: _Thread, payload: Entry) -> Iterator[AgentEvent]:
    kind = str(payload.get("type"))
    if kind == "item_completed":
        yield from _item(thread, payload)
    elif kind in EVENTS:
        yield from EVENTS[kind](thread, payload)
    elif kind not in QUIET_EVENTS:
        yield AgentEvent(kind="unknown")


def _retry(thread: _Thread, payload: Entry) -> Iterator[AgentEvent]:
    del thread
    message = text(payload.get("message"))
    yield AgentEvent(kind="retry", text=message, error_type=fault(message))


def _error(thread: _Thread, payload: Entry) -> Iterator[AgentEvent]:
    del thread
    message = text(payload.get("message"))
    yield AgentEvent(kind="error", text=message, error_type=fault(message))


def _compacted(thread: _Thread, payload: Entry) -> Iterator[AgentEvent]:
    del thread, payload
    yield AgentEvent(kind="compaction")


def _complete(thread: _Thread, payload: Entry) -> Iterator[AgentEvent]:
    del thread
    yield AgentEvent(kind="finished", ok=True, text=text(payload.get("last_agent_message")))


def _item(thread: _Thread, payload: Entry) -> Iterator[AgentEvent]:
    item = entry(payload.get("item"))
    read = ITEMS.get(str(item.get("type")))
    if read is None:
        return
    identity = text(item.get("id"))
    thread.items.add(identity or "")
    thread.scripts = {call: (source, True) for call, (source, _) in thread.scripts.items()}
    ended = number(payload.get("completed_at_ms"))
    call = replace(read(item), id=identity, seconds=_seconds(item, payload))
    if call.kind == "mcp" and call.ok is False and REFUSED.search(call.output or ""):
        yield AgentEvent(kind="denied", text=call.output, tool=call)
    if call.exit_code == KILLED_AT_EXIT:
        # It was still running when the agent left.
        call = replace(call, ok=None, exit_code=None, seconds=None, output=None, output_bytes=None)
    yield AgentEvent(kind="tool", at=None if ended is None else ended * 1_000_000, tool=call)


def _seconds(item: Entry, payload: Entry) -> float | None:
    """The longer of two: what a script waits for is not in its call's own duration."""
    duration = item.get("duration")
    told = entry(duration)
    own = (number(told.get("secs")) or 0) + (number(told.get("nanos")) or 0) / 1e9 if told else None
    started, ended = number(payload.get("started_at_ms")), number(payload.get("completed_at_ms"))
    span = None if started is None or ended is None else (ended - started) / 1000
    return max((value for value in (own, span) if value is not None), default=None)


def _command(item: Entry) -> ToolCall:
    argv = item.get("command")
    words = [word for word in argv if isinstance(word, str)] if isinstance(argv, list) else []
    command = words[-1] if len(words) == 3 and words[1] in ("-lc", "-c") else " ".join(words)
    code = number(item.get("exit_code"))
    return ToolCall(
        id=None,
        name="exec_command",
        kind="shell",
        ok=code == 0 if code is not None else None,
        exit_code=code,
        command=command,
        cwd=(text(item.get("cwd")) or "").removeprefix("file://") or None,
        reads=reads_of(command),
        output=text(item.get("aggregated_output")) or "",
    )


def _change(item: Entry) -> ToolCall:
    changes = entry(item.get("changes"))
    moved = [text(entry(change).get("move_path")) for change in changes.values()]
    return ToolCall(
        id=None,
        name="apply_patch",
        kind="edit",
        ok=item.get("status") == "completed",
        edits=(*changes, *(path for path in moved if path)),
        output=text(item.get("stdout")) or text(item.get("stderr")) or "",
    )


def _mcp(item: Entry) -> ToolCall:
    result, error = entry(item.get("result")), item.get("error")
    failed = bool(error) or result.get("isError") is True or item.get("status") == "failed"
    said = texts(result.get("content")) or text(entry(error).get("message")) or text(error) or ""
    arguments = item.get("arguments")
    return ToolCall(
        id=None,
        name=text(item.get("tool")) or "",
        kind="mcp",
        server=text(item.get("server")),
        ok=not failed,
        arguments=arguments if isinstance(arguments, dict) else None,
        output=said,
        output_bytes=_size(said),
    )


def _message(thread: _Thread, payload: Entry) -> Iterator[AgentEvent]:
    del thread
    kind = "message" if payload.get("role") == "assistant" else "prompt"
    yield AgentEvent(kind=kind, text=texts(payload.get("content")))  # type: ignore[arg-type]


def _call(thread: _Thread, payload: Entry) -> Iterator[AgentEvent]:
    """The model asked for a tool. A script is told by what it calls."""
    identity = text(payload.get("call_id")) or text(payload.get("id"))
    name = text(payload.get("name")) or str(payload.get("type")).removesuffix("_call")
    if payload.get("type") == "custom_tool_call" and name == CODE_MODE:
        thread.scripts[identity or ""] = (text(payload.get("input")) or "", False)
        return
    namespace = text(payload.get("namespace")) or ""
    is_mcp = namespace.startswith("mcp__")
    arguments = _arguments(payload)
    command = text(arguments.get("cmd")) or text(arguments.get("command")) if name in SHELLS else None
    call = ToolCall(
        id=identity,
        name=name,
        kind="mcp" if is_mcp else _kind(name),
        server=namespace.removeprefix("mcp__") if is_mcp else None,
        command=unwrapped(command) if command else None,
        cwd=text(arguments.get("workdir")),
        arguments=arguments or None,
    )
    thread.calls[identity or ""] = call
    yield AgentEvent(kind="tool", tool=call)


def _output(thread: _Thread, payload: Entry) -> Iterator[AgentEvent]:
    """What the model was shown of a call. It ends those calls that have no entry of their own."""
    identity = text(payload.get("call_id")) or ""
    said = texts(payload.get("output"))
    if identity in thread.scripts:
        yield from _script_end(thread, identity, said)
        return
    begun = thread.calls.get(identity) or ToolCall(id=identity, name="", kind="other")
    shown = replace(begun, output_bytes=_size(said))
    if identity in thread.items:
        yield AgentEvent(kind="tool", tool=shown)
    elif not STILL_RUNNING.search(said):
        failed = bool(FAILED_OUTPUT.match(said)) or begun.name in EDITORS
        yield from _ended(replace(shown, ok=not failed, output=said))


def _ended(call: ToolCall) -> Iterator[AgentEvent]:
    """A call that only its output tells the end of; the agent may have refused it to itself."""
    yield AgentEvent(kind="tool", tool=call)
    if call.ok is False and REFUSED.search(call.output or ""):
        yield AgentEvent(kind="denied", text=call.output, tool=call)


def _script_end(thread: _Thread, identity: str, said: str) -> Iterator[AgentEvent]:
    """A script that left no entry is a call itself; when it failed, under the name of what it tried."""
    source, acted = thread.scripts.pop(identity)
    nested = NESTED.findall(source)
    if acted or (nested and not FAILED_OUTPUT.match(said)):
        return
    name = nested[0] if len(set(nested)) == 1 else CODE_MODE
    server, _, tool = name.removeprefix("mcp__").partition("__") if name.startswith("mcp__") else ("", "", name)
    call = ToolCall(
        id=identity,
        name=tool,
        kind="mcp" if server else _kind(name),
        server=server or None,
        ok=not FAILED_OUTPUT.match(said),
        output=said,
        output_bytes=_size(said),
    )
    yield from _ended(call)


def _kind(name: str) -> ToolKind:
    return "edit" if name in EDITORS else "shell" if name in SHELLS else "other"


def _arguments(payload: Entry) -> dict[str, Any]:
    given = payload.get("arguments")
    if isinstance(given, str):
        try:
            given = json.loads(given)
        except (ValueError, RecursionError):
            return {}
    return given if isinstance(given, dict) else {}


def _size(said: str) -> int:
    return len(said.encode("utf-8", "replace"))


def _response_item(thread: _Thread, payload: Entry) -> Iterator[AgentEvent]:
    kind = str(payload.get("type"))
    if kind in RESPONSES:
        yield from RESPONSES[kind](thread, payload)
    elif kind.endswith("_call"):
        yield from _call(thread, payload)
    elif kind.endswith("_output"):
        yield from _output(thread, payload)
    elif kind not in QUIET_RESPONSES:
        yield AgentEvent(kind="unknown")


def _nothing(thread: _Thread, payload: Entry) -> Iterator[AgentEvent]:
    del thread, payload
    return iter(())


Reader = Callable[[_Thread, Entry], Iterator[AgentEvent]]
ITEMS: Final[Mapping[str, Callable[[Entry], ToolCall]]] = {
    "CommandExecution": _command,
    "FileChange": _change,
    "McpToolCall": _mcp,
}
EVENTS: Final[Mapping[str, Reader]] = {
    "token_count": _token_count,
    "stream_error": _retry,
    "error": _error,
    "task_complete": _complete,
}
RESPONSES: Final[Mapping[str, Reader]] = {"message": _message}
QUIET_RESPONSES: Final = frozenset({"reasoning", "additional_tools", "agent_message", "compaction", "ghost_snapshot"})
QUIET_EVENTS: Final = frozenset({
    "agent_message", "agent_reasoning", "agent_reasoning_raw_content", "agent_reasoning_section_break",
    "context_compacted", "item_started",
    "item_updated", "mcp_startup_complete", "mcp_startup_update", "plan_update", "task_started", "thread_rolled_back",
    "thread_settings_applied", "turn_aborted", "turn_diff", "user_message", "warning",
})  # fmt: skip
READERS: Final[Mapping[str, Reader]] = {
    "session_meta": _meta,
    "turn_context": _context,
    "token_usage_record": _usage,
    "event_msg": _event,
    "response_item": _response_item,
    "compacted": _compacted,
    "world_state": _nothing,
    "inter_agent_communication_metadata": _nothing,
}
