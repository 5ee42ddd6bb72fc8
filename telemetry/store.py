"""Remembers runs in one SQLite file: what is running, what was sealed, what was interrupted."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from .model import AgentTrace

State = Literal["running", "sealed", "interrupted"]


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredRun:
    run_id: str
    trace_id: str
    state: State
    started: int
    ended: int | None = None
    agent: str
    strategy: str
    workflow: str | None = None
    repository: str | None = None
    folder: str | None = None
    outcome: str | None = None
    document: dict[str, Any] | None = None


class TraceStore:
    def __init__(self, path: Path) -> None:
        raise NotImplementedError

    def begin(
        self,
        *,
        run_id: str,
        trace_id: str,
        started: int,
        agent: str,
        strategy: str,
        workflow: str | None = None,
        repository: str | None = None,
        folder: str | None = None,
    ) -> None:
        raise NotImplementedError

    def record(self, trace: AgentTrace) -> None:
        raise NotImplementedError

    def mark_interrupted(self, run_id: str, *, ended: int | None = None) -> None:
        raise NotImplementedError

    def list(self, *, limit: int | None = None, state: State | None = None) -> tuple[StoredRun, ...]:
        raise NotImplementedError

    def find(self, name: str) -> StoredRun:
        """`last`, a run id, an unambiguous prefix of one, or a trace id."""
        raise NotImplementedError

    def close(self) -> None:
        raise NotImplementedError
