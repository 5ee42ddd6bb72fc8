"""Drafts the spans of what the agent did: model calls, tool calls, sub-agents, and our own server's share in them."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import PurePosixPath
from typing import Final

from .model import AgentEvent, AgentTrace, Phase, ServedCall, ToolCall, UsageRecord
from .span import TOOL_SERVICE, Attributes, Draft, SpanEvent, Value
from .usage import summed

MAIN: Final = "main"
SERVER_NAME: Final = "agenvantage"
MOST_EVENTS: Final = 100
CONVERSATION_EVENTS: Final[Mapping[str, str]] = {
    "compaction": "agenvantage.context.compacted",
    "retry": "agenvantage.agent.retry",
}
_SAFE_NAME: Final = re.compile(r"[A-Za-z0-9_.-]{1,64}")
_SAFE_MODEL: Final = re.compile(r"[A-Za-z0-9_.:/@\[\]-]{1,100}")
_SAFE_ID: Final = re.compile(r"[A-Za-z0-9_.:-]{1,128}")


def agent_draft(trace: AgentTrace, phase: Phase) -> Draft:
    """The main thread over the time of its process, its sub-agents below it."""
    names = dict.fromkeys([agent for agent, _ in trace.trajectory.tool_calls if agent != MAIN])
    names |= dict.fromkeys(agent for agent in trace.trajectory.usage.by_agent if agent != MAIN)
    served = _Served(trace.served)
    main = _thread(trace, MAIN, phase.started, phase.ended, served)
    others = [_thread(trace, name, None, phase.ended, served) for name in names]
    left = [_served_draft(call, f"served:{index}") for index, call in enumerate(served.rest())]
    return replace(main, children=(*main.children, *others, *left), events=_conversation(trace, phase))


class _Served:
    """Our server's calls, handed out once each, in order, to the agent's calls of the same tool."""

    def __init__(self, calls: Iterable[ServedCall]) -> None:
        self._waiting: dict[str, deque[ServedCall]] = {}
        for call in sorted(calls, key=lambda call: call.started):
            self._waiting.setdefault(call.tool, deque()).append(call)

    def match(self, call: ToolCall) -> ServedCall | None:
        if call.server != SERVER_NAME:
            return None
        waiting = self._waiting.get(call.name.rsplit("__", 1)[-1])
        return waiting.popleft() if waiting else None

    def rest(self) -> list[ServedCall]:
        left = [call for waiting in self._waiting.values() for call in waiting]
        return sorted(left, key=lambda call: call.started)


def _thread(trace: AgentTrace, name: str, started: int | None, ended: int, served: _Served) -> Draft:
    """`started` None: the thread began with the first thing we know of it."""
    calls = [call for agent, call in trace.trajectory.tool_calls if agent == name]
    requests = [request for request in trace.trajectory.usage.requests if request.agent == name]
    times = [at for call in calls for at in (call.started_at, call.ended_at) if at is not None]
    times += [request.at for request in requests if request.at is not None]
    start = started if started is not None else min(times, default=ended)
    end = ended if started is not None else max(times, default=ended)
    children = [*_chats(trace, requests, calls, start), *_tools(trace, calls, start, served)]
    agent = trace.agent.name if name == MAIN else "subagent"
    return Draft(
        key=f"agent:{name}",
        name=f"invoke_agent {_named(agent)}",
        start=start,
        end=end,
        attributes=_thread_attributes(trace, name, agent),
        error=trace.trajectory.provider_error if name == MAIN else None,
        children=tuple(children),
    )


def _thread_attributes(trace: AgentTrace, name: str, agent: str) -> Attributes:
    usage = trace.trajectory.usage
    models = trace.trajectory.models_served
    own = usage.by_agent.get(name) if not usage.requests else None
    return {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": _named(agent),
        "gen_ai.conversation.id": _conversation_id(trace),
        "gen_ai.request.model": _model(models[0]) if len(models) == 1 else None,
        "agenvantage.agent.thread": name if _SAFE_ID.fullmatch(name) else "_other",
        **(usage_attributes(own) if own is not None else {}),
    }


def usage_attributes(usage: UsageRecord) -> Attributes:
    """Cached parts are subsets of the input, reasoning of the output. The older name of cache writes stands beside."""
    written = summed(usage.cache_write_5m_input_tokens, usage.cache_write_1h_input_tokens)
    return {
        "gen_ai.usage.input_tokens": usage.input_tokens,
        "gen_ai.usage.output_tokens": usage.output_tokens,
        "gen_ai.usage.cache_read.input_tokens": usage.cache_read_input_tokens,
        "gen_ai.usage.cache_write.input_tokens": written,
        "gen_ai.usage.cache_creation.input_tokens": written,
        "gen_ai.usage.reasoning.output_tokens": usage.reasoning_output_tokens,
    }


def _chats(trace: AgentTrace, requests: Sequence[UsageRecord], calls: Sequence[ToolCall], start: int) -> list[Draft]:
    """One a model call. It began when what came before it on its thread had ended; nobody tells more of it."""
    ends = sorted(at for at in (*(call.ended_at for call in calls), *(r.at for r in requests)) if at is not None)
    drafts = []
    for index, request in enumerate(requests):
        end = request.at if request.at is not None else start
        before = bisect_left(ends, end)
        began = ends[before - 1] if before else start
        drafts.append(_chat(trace, request, index, min(began, end), end))
    return drafts


def _chat(trace: AgentTrace, request: UsageRecord, index: int, start: int, end: int) -> Draft:
    requested = trace.agent.model_requested or request.model
    provider = trace.agent.provider or (trace.packet.provider if trace.packet.provider != "any" else None)
    return Draft(
        key=f"chat:{request.id if request.id is not None else index}",
        name=f"chat {_model(requested)}" if requested else "chat",
        start=start,
        end=end,
        kind="client",
        attributes={
            "gen_ai.operation.name": "chat",
            "gen_ai.provider.name": provider or "_OTHER",
            "gen_ai.request.model": _model(requested) if requested else None,
            "gen_ai.response.model": _model(request.model) if request.model else None,
            "gen_ai.response.id": request.id if request.id and _SAFE_ID.fullmatch(request.id) else None,
            "gen_ai.conversation.id": _conversation_id(trace),
            "gen_ai.request.reasoning.level": trace.agent.effort,
            "agenvantage.turn.index": index,
            **usage_attributes(request),
        },
    )


def _tools(trace: AgentTrace, calls: Sequence[ToolCall], start: int, served: _Served) -> list[Draft]:
    """A call without times stands where the one before it ended."""
    drafts, cursor = [], start
    for index, call in enumerate(calls):
        began = call.started_at if call.started_at is not None else call.ended_at
        began = cursor if began is None else began
        ended = max(began, call.ended_at if call.ended_at is not None else began)
        cursor = max(cursor, ended)
        ours = served.match(call)
        below = (_served_draft(ours, "served"),) if ours is not None else ()
        drafts.append(_tool(trace, call, index, (began, ended), below))
    return drafts


def _tool(trace: AgentTrace, call: ToolCall, index: int, times: tuple[int, int], below: tuple[Draft, ...]) -> Draft:
    name = _named(call.name)
    return Draft(
        key=f"tool:{index}",
        name=f"execute_tool {name}",
        start=times[0],
        end=times[1],
        attributes={
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": name,
            "gen_ai.tool.type": "function",
            "gen_ai.tool.call.id": call.id if call.id and _SAFE_ID.fullmatch(call.id) else None,
            "gen_ai.agent.name": _named(trace.agent.name),
            "gen_ai.conversation.id": _conversation_id(trace),
            "agenvantage.tool.category": call.kind,
            "agenvantage.tool.output_bytes": call.output_bytes,
            "agenvantage.tool.exit_code": call.exit_code,
            "agenvantage.context.files_read": len({read.path for read in call.reads}) or None,
        },
        events=_files_used(trace, call, times[1]),
        error=(f"exit_{call.exit_code}" if call.exit_code else "tool_error") if call.ok is False else None,
        children=below,
    )


def _served_draft(call: ServedCall, key: str) -> Draft:
    """The server's side of a call, by the rules of the MCP conventions, under the server's own service name."""
    name = _named(call.tool)
    return Draft(
        key=key,
        name=f"tools/call {name}",
        start=call.started,
        end=call.ended,
        kind="server",
        service=TOOL_SERVICE,
        attributes={
            "mcp.method.name": "tools/call",
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": name,
            "agenvantage.correlation": "time",
            "agenvantage.context.tokens": call.tokens,
            "agenvantage.context.files": len({read.path for read in call.files}),
        },
        error=None if call.ok else "tool_error",
    )


def _files_used(trace: AgentTrace, call: ToolCall, at: int) -> tuple[SpanEvent, ...]:
    """Which files of the packet the agent went back to: by hash and rank, never by name."""
    ranked = dict.fromkeys(block.path for block in trace.packet.blocks if block.path is not None and not block.stable)
    rank = {path: index for index, path in enumerate(ranked, start=1)}
    used = dict.fromkeys(path for path in (*(read.path for read in call.reads), *call.edits) if path in rank)
    return tuple(
        SpanEvent(
            name="agenvantage.context.file_used",
            at=at,
            attributes={
                "agenvantage.file.hash": sha256(path.encode("utf-8", "surrogateescape")).hexdigest()[:16],
                "agenvantage.file.extension": _extension(path),
                "agenvantage.context.rank": rank[path],
            },
        )
        for path in list(used)[:MOST_EVENTS]
    )


def _conversation(trace: AgentTrace, phase: Phase) -> tuple[SpanEvent, ...]:
    told = [_conversation_event(event) for event in trace.events if event.kind in CONVERSATION_EVENTS and event.at]
    injected = [SpanEvent(name="agenvantage.context.injected", at=phase.started)] if trace.delivery.prefix else []
    return tuple((injected + told)[:MOST_EVENTS])


def _conversation_event(event: AgentEvent) -> SpanEvent:
    limited = event.kind == "retry" and event.error_type == "rate_limited"
    name = "agenvantage.agent.rate_limited" if limited else CONVERSATION_EVENTS[event.kind]
    known = event.error_type if event.error_type and _SAFE_NAME.fullmatch(event.error_type) else None
    attributes: dict[str, Value] = {"error.type": known} if known else {}
    return SpanEvent(name=name, at=event.at or 0, attributes=attributes)


def _conversation_id(trace: AgentTrace) -> str | None:
    ids = trace.trajectory.session_ids
    return ids[0] if ids and _SAFE_ID.fullmatch(ids[0]) else None


def _extension(path: str) -> str:
    suffix = PurePosixPath(path).suffix
    return suffix if _SAFE_NAME.fullmatch(suffix) else ""


def _named(name: str) -> str:
    """A name that may stand in a span's name: a model may have made it up, with anything in it."""
    return name if _SAFE_NAME.fullmatch(name) else "_other"


def _model(name: str) -> str:
    return name if _SAFE_MODEL.fullmatch(name) else "_other"
