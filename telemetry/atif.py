"""Exports a run as an ATIF trajectory, the interchange format of agent benchmarks."""

from __future__ import annotations

from typing import Any

from .model import AgentTrace


def trajectory_document(trace: AgentTrace, *, capture_content: bool = False) -> dict[str, Any]:
    raise NotImplementedError
