"""Tells the agent's way through a task, each fact once, from its session log and its stream."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from ..context.model import ContextPacket
from .model import AgentEvent, ServedCall, TestCounts, Trajectory


def build(
    stream: Sequence[AgentEvent],
    session: Sequence[AgentEvent],
    *,
    tree: Path | None,
    line_counts: Callable[[str], int | None],
    packet: ContextPacket | None = None,
    served: Sequence[ServedCall] = (),
    is_test_command: Callable[[str], bool] = lambda command: False,
    count_tests: Callable[[str, str], TestCounts | None] = lambda command, output: None,
) -> Trajectory:
    """`count_tests` takes a command and its output."""
    raise NotImplementedError
