"""Tells the agent's way through a task, each fact once, from its session log and its stream."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from ..context.model import ContextPacket
from .faults import provider_error
from .model import AgentEvent, CheckResult, EventKind, ServedCall, TestCounts, ToolCall, Trajectory, UsageRecord
from .reads import LineCounts, Place, all_reads, placed_call
from .usage import distinct_requests, summarize

Calls = tuple[tuple[str, ToolCall], ...]
CountTests = Callable[[str, str], TestCounts | None]
Judge = Callable[[str], bool]
ALIVE: Final[tuple[EventKind, ...]] = ("started", "request", "usage", "tool", "message", "error", "retry")
MERGED: Final = (
    "server",
    "ok",
    "exit_code",
    "seconds",
    "output_bytes",
    "output_tokens",
    "command",
    "cwd",
    "arguments",
    "output",
    "started_at",
    "ended_at",
)


def never(command: str) -> bool:
    """The judge that knows no such command."""
    del command
    return False


def no_counts(command: str, output: str) -> TestCounts | None:
    del command, output
    return None


def build(
    stream: Sequence[AgentEvent],
    session: Sequence[AgentEvent],
    *,
    tree: Path | None,
    line_counts: LineCounts,
    packet: ContextPacket | None = None,
    served: Sequence[ServedCall] = (),
    cwd: Path | None = None,
    is_test_command: Judge = never,
    is_history_probe: Judge = never,
    count_tests: CountTests = no_counts,
    cut_line: bool = False,
) -> Trajectory:
    """The whole way. The session log is preferred; the stream gives what the log lacks.

    `line_counts` gives a file's number of lines by its path in the repository, None when it can't tell. `packet` is
    what was delivered; `served` is our own tool server's log. `count_tests` reads a test command and what
    it printed. `cut_line`: the stream ended in the middle of a line.
    """
    both = (*session, *stream)
    place = Place(tree=tree, cwd=cwd)
    calls = tuple((agent, placed_call(call, place, line_counts)) for agent, call in tool_calls(stream, session))
    shells = [call for _, call in calls if call.command]
    finished = _last_word(stream) or _last_word(session)
    requests = distinct_requests(both)
    return Trajectory(
        session_ids=_main_sessions(stream) or _main_sessions(session),
        models_served=_models(both),
        version=next((event.version for event in both if event.version), None),
        usage=summarize(both),
        steps=sum(request.agent == "main" for request in requests) if requests else None,
        tool_calls=calls,
        files_read=all_reads([call for _, call in calls], served, packet, place, line_counts),
        agent_tests=tuple(_agent_test(call, count_tests) for call in shells if is_test_command(call.command or "")),
        denials=max(_denials(stream), _denials(session)),
        retries=max(_count(stream, "retry"), _count(session, "retry")),
        compactions=max(_count(stream, "compaction"), _count(session, "compaction")),
        unknown_events=_count(both, "unknown"),
        history_probes=sum(is_history_probe(call.command or "") for call in shells),
        pending_background=sum(_pending(call) for _, call in calls),
        stream_truncated=any(event.kind in ALIVE for event in stream) and _last_word(stream) is None,
        partial=cut_line or any(_cut(event) for event in both) or any(_unfinished(request) for request in requests),
        finished=finished is not None,
        failed=None if finished is None or finished.ok is None else not finished.ok,
        provider_error=provider_error(stream) or (None if stream else provider_error(session)),
        error_text=_error_text(both, finished),
        first_request_at=_first_at(both, ("request", "message", "tool")),
        first_edit_at=_first_edit_at(calls),
    )


def tool_calls(stream: Sequence[AgentEvent], session: Sequence[AgentEvent]) -> Calls:
    """Each call once, from the source that has more of them, the log on a tie.

    The two may name one call differently, so that they are never mixed; where the names agree, the other source fills
    in what the chosen one does not know.
    """
    logged, streamed = _calls(session), _calls(stream)
    chosen, other = (streamed, logged) if len(streamed) > len(logged) else (logged, streamed)
    filled = {key: _fill(call, other[key][1]) if key in other else call for key, (_, call) in chosen.items()}
    return tuple((agent, filled[key]) for key, (agent, _) in chosen.items())


def _calls(events: Iterable[AgentEvent]) -> dict[str, tuple[str, ToolCall]]:
    """By id, in the order in which they began; a call without an id is one of its own."""
    calls: dict[str, tuple[str, ToolCall]] = {}
    for index, event in enumerate(events):
        if event.kind != "tool" or event.tool is None:
            continue
        call = _timed(event, event.tool)
        key = call.id if call.id is not None else f"\0{index}"
        if key in calls:
            agent, begun = calls[key]
            calls[key] = (agent, _ended(begun, call))
        else:
            calls[key] = (event.agent, call)
    return calls


def _timed(event: AgentEvent, call: ToolCall) -> ToolCall:
    """The call with its event's time: an end that tells its duration tells its start."""
    if event.at is None:
        return call
    over = call.ok is not None or call.exit_code is not None or call.seconds is not None
    started = event.at - round(call.seconds * 1e9) if call.seconds is not None else None if over else event.at
    return replace(
        call,
        started_at=call.started_at if call.started_at is not None else started,
        ended_at=call.ended_at if call.ended_at is not None or not over else event.at,
    )


def _ended(begun: ToolCall, end: ToolCall) -> ToolCall:
    """A call from its beginning and a later report of it: what is newer counts, what is unknown does not."""
    call = _fill(replace(end, reads=end.reads or begun.reads, edits=end.edits or begun.edits), begun)
    call = replace(call, started_at=begun.started_at if begun.started_at is not None else end.started_at)
    if call.seconds is None and call.started_at is not None and call.ended_at is not None:
        call = replace(call, seconds=max(call.ended_at - call.started_at, 0) / 1e9)
    return call


def _fill(call: ToolCall, other: ToolCall) -> ToolCall:
    missing = {name: getattr(other, name) for name in MERGED if getattr(call, name) is None}
    return replace(call, reads=call.reads or other.reads, edits=call.edits or other.edits, **missing)


def _pending(call: ToolCall) -> bool:
    """It began, and nothing was heard of its end."""
    return call.ok is None and call.exit_code is None and call.seconds is None and call.output is None


def _agent_test(call: ToolCall, count_tests: CountTests) -> CheckResult:
    return CheckResult(
        command=call.command or "",
        exit_code=call.exit_code,
        seconds=call.seconds or 0.0,
        judged=False,
        tests=count_tests(call.command or "", call.output) if call.output else None,
    )


def _denials(events: Iterable[AgentEvent]) -> int:
    """Refusals of one source; one call that is reported twice is refused once."""
    denied = [event for event in events if event.kind == "denied"]
    named = {event.tool.id for event in denied if event.tool is not None and event.tool.id is not None}
    return len(named) + sum(event.tool is None or event.tool.id is None for event in denied)


def _count(events: Iterable[AgentEvent], kind: EventKind) -> int:
    return sum(event.kind == kind for event in events)


def _last(events: Sequence[AgentEvent], kind: EventKind) -> AgentEvent | None:
    return next((event for event in reversed(events) if event.kind == kind), None)


def _last_word(events: Sequence[AgentEvent]) -> AgentEvent | None:
    """The end of the main thread; that of a sub-agent ends nothing."""
    return _last([event for event in events if event.agent == "main"], "finished")


def _main_sessions(events: Iterable[AgentEvent]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(event.session_id for event in events if event.agent == "main" and event.session_id))


def _models(events: Sequence[AgentEvent]) -> tuple[str, ...]:
    """Who answered, by the answers; by what the agent announced where answers don't say."""
    answered = [request.model for request in distinct_requests(events) if request.model]
    announced = [event.model for event in events if event.kind in ("started", "usage", "message") and event.model]
    return tuple(dict.fromkeys(answered or announced))


def _error_text(events: Sequence[AgentEvent], finished: AgentEvent | None) -> str | None:
    if finished is not None and finished.ok:
        return None
    error = _last(events, "error")
    return (error.text if error is not None else None) or (finished.text if finished is not None else None)


def _cut(event: AgentEvent) -> bool:
    """The agent was killed while it wrote this line."""
    if event.kind != "unknown" or event.raw is None or not event.raw.lstrip().startswith("{"):
        return False
    try:
        json.loads(event.raw)
    except (ValueError, RecursionError):
        return True
    return False


def _unfinished(request: UsageRecord) -> bool:
    """An answer that was logged without its output. In the stream that is so of every answer."""
    return request.output_tokens is None and request.via != "stream"


def _first_at(events: Iterable[AgentEvent], kinds: tuple[EventKind, ...]) -> int | None:
    return min((event.at for event in events if event.kind in kinds and event.at is not None), default=None)


def _first_edit_at(calls: Calls) -> int | None:
    edits = [call for _, call in calls if call.ok is not False and (call.kind == "edit" or call.edits)]
    times = (call.ended_at if call.ended_at is not None else call.started_at for call in edits)
    return min((at for at in times if at is not None), default=None)
