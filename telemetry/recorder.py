"""Records a run as it happens: the only clock of the system."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from ..context.model import ContextPacket, Workflow
from .model import (
    AgentEvent,
    AgentIdentity,
    AgentTrace,
    Delivery,
    Outcome,
    Phase,
    RepositoryFacts,
    ServedCall,
    Trajectory,
)
from .trajectory import build

Clock = Callable[[], int]
"""Nanoseconds since the epoch; never goes back."""
UNJUDGED: Final = Outcome(outcome="unjudged", reason="Nothing was there to judge it by.")


def steady_clock() -> Clock:
    """The time of day at the start, carried on by the monotonic clock: a corrected wall clock can't turn a run back."""
    start, origin = time.time_ns(), time.perf_counter_ns()
    return lambda: start + time.perf_counter_ns() - origin


def new_run_id(at: int) -> str:
    """Sorts by time, and differs for runs of one second."""
    return f"{datetime.fromtimestamp(at / 1e9, UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(3)}"


def trace_id_of(run_id: str) -> str:
    """32 hex digits, a function of the run id alone, so that a run sent twice is one trace."""
    return sha256(f"agenvantage.trace:{run_id}".encode()).hexdigest()[:32]


def _uncounted(path: str) -> int | None:
    del path
    return None


class AgentRunRecorder:
    """One run from its start to its trace.

    `start` opens it, `phase` times our own work, `event` takes what the agent did, `finish` gives the `AgentTrace`.
    """

    def __init__(self, *, run_id: str, packet: ContextPacket, clock: Clock, started: int) -> None:
        self.run_id = run_id
        self.trace_id = trace_id_of(run_id)
        self.packet = packet
        self.started = started
        self._clock = clock
        self._events: list[AgentEvent] = []
        self._phases: list[Phase] = []
        self._carried_times = False

    @classmethod
    def start(cls, packet: ContextPacket, *, run_id: str | None = None, clock: Clock | None = None) -> AgentRunRecorder:
        clock = clock or steady_clock()
        started = clock()
        return cls(run_id=run_id or new_run_id(started), packet=packet, clock=clock, started=started)

    @property
    def events(self) -> tuple[AgentEvent, ...]:
        return tuple(self._events)

    @property
    def phases(self) -> tuple[Phase, ...]:
        return tuple(self._phases)

    def now(self) -> int:
        return self._clock()

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Times a stretch of our own work; it is recorded when it fails, too."""
        started = self._clock()
        try:
            yield
        finally:
            self._phases.append(Phase(name=name, started=started, ended=self._clock()))

    def event(self, event: AgentEvent) -> AgentEvent:
        """Takes an event as it arrives; one without a time of its own gets the time of arrival."""
        if event.at is None:
            event = replace(event, at=self._clock())
        else:
            self._carried_times = True
        self._events.append(event)
        return event

    def finish(
        self,
        *,
        trajectory: Trajectory | None = None,
        outcome: Outcome = UNJUDGED,
        agent: AgentIdentity | None = None,
        strategy: str | None = None,
        workflow: Workflow = "feature",
        repository: RepositoryFacts | None = None,
        packet: ContextPacket | None = None,
        delivery: Delivery | None = None,
        served: tuple[ServedCall, ...] = (),
        tree: Path | None = None,
        **facts: Any,
    ) -> AgentTrace:
        """The trace. Without a trajectory it is told from the events seen.

        `packet` is for a run that was recorded before its packet was compiled; `facts` are further fields of
        `AgentTrace`.
        """
        packet = packet or self.packet
        told = trajectory or build(self._events, (), tree=tree, line_counts=_uncounted, packet=packet, served=served)
        return AgentTrace(
            run_id=self.run_id,
            trace_id=self.trace_id,
            started=self.started,
            ended=self._clock(),
            agent=agent or AgentIdentity(name="unknown"),
            strategy=strategy or packet.strategy,
            workflow=workflow,
            repository=repository or RepositoryFacts(name="unknown"),
            packet=packet,
            delivery=delivery or Delivery(),
            trajectory=told,
            outcome=outcome,
            events=self.events,
            served=served,
            phases=self.phases,
            tree=str(tree) if tree is not None else None,
            timing_source="transcript" if self._carried_times else "observed",
            **facts,
        )
