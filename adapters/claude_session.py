"""Reads Claude Code's own logs: one file a thread, with each answer's final usage and the requests it sent."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from ..telemetry.model import AgentEvent
from .claude_stream import SYNTHETIC, Calls, begun, blocks_of, ended, error_word, totals_of, usage_of
from .jsonl import Entry, amount, entries, entry, text, texts, time_ns, unknown

SUBAGENT: Final = re.compile(r"(?:^|/)agent-([^/]+)\.jsonl$")


@dataclass(slots=True, kw_only=True)
class _Log:
    """What is known while one file is read."""

    agent: str
    calls: Calls = field(default_factory=Calls)
    began: dict[str, int] = field(default_factory=dict)
    """When a call began, by its id."""
    counted: dict[str, object] = field(default_factory=dict)
    """Usage already told, by message: it is repeated on each block."""
    session: str | None = None
    at: int | None = None


def session(files: Mapping[str, Iterable[str]]) -> Iterator[AgentEvent]:
    """Every thread: the main one first, each sub-agent by its id."""
    for path in sorted(files, key=lambda name: (SUBAGENT.search(name) is not None, name)):
        named = SUBAGENT.search(path)
        yield from _read(_Log(agent=named.group(1) if named else "main"), files[path])


def _read(log: _Log, lines: Iterable[str]) -> Iterator[AgentEvent]:
    for line, said in entries(lines):
        kind = str(said.get("type")) if said is not None else ""
        if said is None or (kind not in READERS and kind not in QUIET):
            yield unknown(line, log.agent)
        elif kind in READERS:
            log.at = time_ns(said.get("timestamp"))
            agent = _agent(log, said)
            for event in READERS[kind](log, said):
                raw = line if event.kind == "unknown" else None
                yield replace(event, agent=agent, at=event.at or log.at, raw=raw)


def _agent(log: _Log, said: Entry) -> str:
    """Older versions wrote a sub-agent's lines into the main file."""
    if log.agent == "main" and said.get("isSidechain") is True:
        return text(said.get("agentId")) or "sidechain"
    return log.agent


def _started(log: _Log, said: Entry) -> Iterator[AgentEvent]:
    identity = text(said.get("sessionId"))
    if identity is not None and identity != log.session:
        log.session = identity
        yield AgentEvent(kind="started", session_id=identity, version=text(said.get("version")))


def _user(log: _Log, said: Entry) -> Iterator[AgentEvent]:
    yield from _started(log, said)
    refused = entry(said.get("permissionDecision")).get("decision") in ("deny", "reject")
    for block in blocks_of(entry(said.get("message"))):
        if block.get("type") == "tool_result":
            call = ended(block, said.get("toolUseResult"), log.calls)
            start = log.began.pop(call.id or "", None)
            seconds = (log.at - start) / 1e9 if log.at is not None and start is not None else None
            yield AgentEvent(kind="tool", tool=replace(call, seconds=seconds))
            if refused:
                yield AgentEvent(kind="denied", text=call.output, tool=call)
        elif block.get("type") == "text":
            yield AgentEvent(kind="prompt", text=text(block.get("text")))


def _assistant(log: _Log, said: Entry) -> Iterator[AgentEvent]:
    yield from _started(log, said)
    message = entry(said.get("message"))
    words = texts(message.get("content"))
    if message.get("model") == SYNTHETIC:
        yield AgentEvent(kind="error", text=words, error_type=error_word(_snake(said), words))
        return
    # The message's id alone names a call: request ids are left out by gateways and sub-agents.
    identity = text(message.get("id")) or text(said.get("uuid"))
    usage = usage_of(message, via="session_log", identity=identity)
    if usage is not None and log.counted.get(identity or "") != usage:
        log.counted[identity or ""] = usage
        yield AgentEvent(kind="request", model=usage.model, usage=replace(usage, agent=_agent(log, said)))
    for block in blocks_of(message):
        if block.get("type") == "text":
            yield AgentEvent(kind="message", text=text(block.get("text")))
        elif block.get("type") == "tool_use":
            call = begun(block)
            log.calls.begun[call.id or ""] = call
            if log.at is not None:
                log.began[call.id or ""] = log.at
            yield AgentEvent(kind="tool", tool=call)


def _snake(said: Entry) -> Entry:
    """The log's spelling of what the stream calls by other names."""
    status = said.get("apiErrorStatus") or said.get("api_error_status")
    return {"api_error_status": status, "error": said.get("error")}


def _attachment(log: _Log, said: Entry) -> Iterator[AgentEvent]:
    del log
    shown = said.get("rendered")
    for part in shown if isinstance(shown, list) else []:
        words = texts(entry(part).get("content"))
        if words:
            yield AgentEvent(kind="prompt", text=words)


def _shape(log: _Log, said: Entry) -> Iterator[AgentEvent]:
    """The parts of a request that stay the same: its system prompt."""
    del log
    yield AgentEvent(kind="prompt", text=texts(entry(said.get("shape")).get("system")))


def _blob(log: _Log, said: Entry) -> Iterator[AgentEvent]:
    """A message of a request, in full."""
    del log
    words = texts(entry(said.get("message")).get("content"))
    if words:
        yield AgentEvent(kind="prompt", text=words)


def _system(log: _Log, said: Entry) -> Iterator[AgentEvent]:
    del log
    kind = said.get("subtype")
    if kind == "api_error":
        yield AgentEvent(kind="retry", text=text(said.get("content")), error_type=error_word(_snake(said), None))
    elif kind == "compact_boundary":
        yield AgentEvent(kind="compaction")


def _cost(log: _Log, said: Entry) -> Iterator[AgentEvent]:
    del log
    usd = None if said.get("hasUnknownModelCost") is True else amount(said.get("totalCostUSD"))
    for usage in totals_of(said.get("modelUsage"), via="session_log"):
        yield AgentEvent(kind="usage", model=usage.model, usage=usage, cost_usd=usd)


READERS: Final[Mapping[str, Callable[[_Log, Entry], Iterator[AgentEvent]]]] = {
    "user": _user,
    "assistant": _assistant,
    "attachment": _attachment,
    "api-request-shape": _shape,
    "api-request-blob": _blob,
    "system": _system,
    "cost-state": _cost,
}
QUIET: Final = frozenset({
    "agent-name", "ai-title", "api-request", "atis-latch", "custom-title", "file-history-snapshot", "last-prompt",
    "mode", "permission-mode", "pr-link", "progress", "prompt_snapshot", "queue-operation", "summary", "tag",
    "tools-used", "worktree-state",
})  # fmt: skip
