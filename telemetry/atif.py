"""Exports a run as an ATIF trajectory, the interchange format of agent benchmarks.

Without content: messages are empty and arguments left out, unless the content was asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from .model import AgentTrace, ToolCall, UsageRecord
from .usage import summed

SCHEMA_VERSION: Final = "ATIF-v1.7"
MAIN: Final = "main"
NOTES: Final = (
    "Steps are model calls, rebuilt from the agent's own records; a tool call stands in the step after whose answer it "
    "began. A message is empty where content was not captured."
)
Json = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Step:
    """One model call and what it set going; without a call where the agent told of none."""

    request: UsageRecord | None
    calls: tuple[ToolCall, ...]


def trajectory_document(trace: AgentTrace, *, capture_content: bool = False) -> Json:
    """The run's main thread as a trajectory, sub-agents embedded. Keys of unknown value are left out."""
    document = _trajectory(trace, MAIN, capture_content=capture_content)
    others = dict.fromkeys(agent for agent, _ in trace.trajectory.tool_calls if agent != MAIN)
    others |= dict.fromkeys(agent for agent in trace.trajectory.usage.by_agent if agent != MAIN)
    below = [_trajectory(trace, agent, capture_content=capture_content) for agent in others]
    return document | ({"subagent_trajectories": below} if below else {})


def _trajectory(trace: AgentTrace, agent: str, *, capture_content: bool) -> Json:
    calls = [call for owner, call in trace.trajectory.tool_calls if owner == agent]
    requests = [request for request in trace.trajectory.usage.requests if request.agent == agent]
    prompt = {"step_id": 1, "source": "user", "message": _prompt(trace, agent) if capture_content else ""}
    steps = [
        _step(step, number, capture_content=capture_content)
        for number, step in enumerate(_steps(requests, calls), start=2)
    ]
    models = trace.trajectory.models_served
    return _known(
        {
            "schema_version": SCHEMA_VERSION,
            "session_id": trace.run_id,
            "trajectory_id": agent,
            "agent": _known(
                {
                    "name": trace.agent.name,
                    "version": trace.trajectory.version or trace.agent.version or "unknown",
                    "model_name": models[0] if len(models) == 1 else trace.agent.model_requested,
                    "extra": {"strategy": trace.strategy},
                }
            ),
            "steps": [prompt, *steps],
            "notes": NOTES,
            "final_metrics": _final(trace, agent, len(steps)),
            "extra": {"outcome": trace.outcome.outcome, "trace_id": trace.trace_id} if agent == MAIN else None,
        }
    )


def _steps(requests: Sequence[UsageRecord], calls: Sequence[ToolCall]) -> tuple[_Step, ...]:
    """A call belongs to the last answer before it; one of unknown time to the same as the call before it."""
    if not requests:
        return tuple(_Step(request=None, calls=(call,)) for call in calls)
    groups: list[list[ToolCall]] = [[] for _ in requests]
    current = 0
    for call in calls:
        began = call.started_at if call.started_at is not None else call.ended_at
        if began is not None:
            answered = [
                index for index, request in enumerate(requests) if request.at is not None and request.at <= began
            ]
            current = max(answered, default=current)
        groups[current].append(call)
    return tuple(_Step(request=r, calls=tuple(c)) for r, c in zip(requests, groups, strict=True))


def _step(step: _Step, number: int, *, capture_content: bool) -> Json:
    request = step.request
    ids = [f"{number}.{index}" for index, _ in enumerate(step.calls)]
    at = request.at if request is not None else next(_starts(step.calls), None)
    return _known(
        {
            "step_id": number,
            "timestamp": _time(at),
            "source": "agent",
            "model_name": request.model if request is not None else None,
            "message": "",
            "tool_calls": [
                _tool_call(call, id, capture_content=capture_content) for call, id in zip(step.calls, ids, strict=True)
            ]
            or None,
            "observation": {
                "results": [
                    _result(call, id, capture_content=capture_content) for call, id in zip(step.calls, ids, strict=True)
                ]
            }
            if step.calls
            else None,
            "metrics": _metrics(request) if request is not None else None,
            "llm_call_count": 1 if request is not None else None,
        }
    )


def _tool_call(call: ToolCall, id: str, *, capture_content: bool) -> Json:
    arguments = dict(call.arguments or {}) if capture_content else {}
    if capture_content and call.command is not None:
        arguments.setdefault("command", call.command)
    extra = _known({"kind": call.kind, "server": call.server, "seconds": call.seconds})
    return {"tool_call_id": call.id or id, "function_name": call.name, "arguments": arguments, "extra": extra}


def _result(call: ToolCall, id: str, *, capture_content: bool) -> Json:
    extra = _known({"ok": call.ok, "exit_code": call.exit_code, "output_bytes": call.output_bytes})
    content = call.output if capture_content else None
    return _known({"source_call_id": call.id or id, "content": content, "extra": extra or None})


def _metrics(request: UsageRecord) -> Json:
    written = summed(request.cache_write_5m_input_tokens, request.cache_write_1h_input_tokens)
    extra = _known({"cache_write_tokens": written, "reasoning_tokens": request.reasoning_output_tokens})
    return _known(
        {
            "prompt_tokens": request.input_tokens,
            "completion_tokens": request.output_tokens,
            "cached_tokens": request.cache_read_input_tokens,
            "extra": extra or None,
        }
    )


def _final(trace: AgentTrace, agent: str, steps: int) -> Json:
    usage = trace.trajectory.usage
    own = usage.by_agent.get(agent)
    whole = {"total_cost_usd": usage.reported_usd} if agent == MAIN else {}
    if own is None:
        return _known({"total_steps": steps, **whole})
    return _known(
        {
            "total_prompt_tokens": own.input_tokens,
            "total_completion_tokens": own.output_tokens,
            "total_cached_tokens": own.cache_read_input_tokens,
            "total_steps": steps,
            **whole,
        }
    )


def _prompt(trace: AgentTrace, agent: str) -> str:
    return "".join(event.text or "" for event in trace.events if event.kind == "prompt" and event.agent == agent)


def _starts(calls: Iterable[ToolCall]) -> Iterator[int]:
    return (at for call in calls for at in (call.started_at, call.ended_at) if at is not None)


def _time(at: int | None) -> str | None:
    if at is None:
        return None
    return datetime.fromtimestamp(at / 1e9, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _known(fields: Json) -> Json:
    return {name: value for name, value in fields.items() if value is not None}
