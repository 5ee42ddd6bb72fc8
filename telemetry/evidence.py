"""What became of the context that a run was given: how much of it was used, what was missing, and what that cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..context.model import ContextBlock
from .model import AgentTrace, FileRead, ToolCall, UsageRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class Adoption:
    """`utilization` is the share of the packet's regions that the agent went back to, by reading or by editing.

    `missing` are files it read with its own tools that the packet did not hold. `recovery_tax` is the share of all
    tokens that were spent after the first of those reads.
    """

    utilization: float | None = None
    missing: tuple[str, ...] = ()
    recovery_tax: float | None = None


def adoption(trace: AgentTrace) -> Adoption:
    regions = [block for block in trace.packet.blocks if not block.stable and block.path is not None]
    held = {block.path for block in trace.packet.blocks if block.path is not None}
    calls = [call for _, call in trace.trajectory.tool_calls]
    reads = [read for call in calls for read in call.reads] + [read for call in trace.served for read in call.files]
    edited = _edited(trace, calls)
    used = [block for block in regions if block.path in edited or any(_shows(read, block) for read in reads)]
    missing = [call for call in calls if _missed(call, held)]
    paths = dict.fromkeys(path for call in missing for path in _missed(call, held))
    return Adoption(
        utilization=len(used) / len(regions) if regions else None,
        missing=tuple(paths),
        recovery_tax=_recovery_tax(trace.trajectory.usage.requests, missing),
    )


def _edited(trace: AgentTrace, calls: Sequence[ToolCall]) -> set[str]:
    patch = trace.outcome.patch
    changed = (
        {path for change in patch.changes for path in (change.path, change.previous_path) if path} if patch else set()
    )
    return changed | {path for call in calls for path in call.edits}


def _shows(read: FileRead, block: ContextBlock) -> bool:
    if read.path != block.path:
        return False
    starts_before_end = block.end is None or read.start <= block.end
    ends_after_start = read.end is None or read.end >= (block.start or 1)
    return starts_before_end and ends_after_start


def _missed(call: ToolCall, held: set[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(read.path for read in call.reads if read.via != "mcp" and read.path not in held))


def _recovery_tax(requests: Sequence[UsageRecord], missing: Sequence[ToolCall]) -> float | None:
    """None unless every call's time and tokens are known: no estimate stands in for a measurement."""
    spent = [(request.at, request.input_tokens, request.output_tokens) for request in requests]
    if not spent or any(part is None for parts in spent for part in parts):
        return None
    if not missing:
        return 0.0
    ended = missing[0].ended_at if missing[0].ended_at is not None else missing[0].started_at
    total = sum((input_ or 0) + (output or 0) for _, input_, output in spent)
    if ended is None or total == 0:
        return None
    return sum((input_ or 0) + (output or 0) for at, input_, output in spent if (at or 0) >= ended) / total
