"""Attend the agent: read what it prints as it prints it, hold its limits, and see it out."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final, Literal

from ..adapters.base import SERVER_NAME, Adapter
from ..telemetry.model import AgentEvent
from ..telemetry.recorder import AgentRunRecorder
from .follow import LineFollower
from .process import ProcessExit, Running

TICK_SECONDS: Final = 0.05
# After its last word an agent may still flush logs and close its servers; then it hangs.
LINGER_SECONDS: Final = 15.0
# Re-reading the session log for live totals may take this share of the time.
LEDGER_SHARE: Final = 0.1

Why = Literal["limit", "startup", "treatment", "linger", "person"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop:
    """Why we stopped the agent, in words."""

    why: Why
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """What the session log shows so far."""

    turns: int = 0
    tokens: int = 0
    anything: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """The state of a running agent at one tick. Times in seconds."""

    elapsed: float
    since_finished: float | None
    printed: bool
    open_work: bool
    spent: Callable[[], Spent]


Guard = Callable[[Progress], Stop | None]
BY_A_PERSON: Final = Stop(why="person", reason="stopped by a person or the system")


@dataclass(frozen=True, slots=True, kw_only=True)
class Attended:
    """The agent's whole stream and how it ended."""

    events: tuple[AgentEvent, ...]
    exit: ProcessExit
    stop: Stop | None = None
    cut_line: bool = False
    """The last line was not whole."""


@dataclass(slots=True, kw_only=True)
class Attendant:
    """Watches one running agent until it has ended."""

    running: Running
    follower: LineFollower
    reader: Adapter
    recorder: AgentRunRecorder
    guards: tuple[Guard, ...]
    spent: Callable[[], Spent]
    tell: Callable[[AgentEvent], None]
    meanwhile: Callable[[], None]
    """Called at every tick."""
    tools_wanted: bool = False
    _began: float = field(default_factory=time.monotonic)
    _finished_at: float | None = None
    _events: list[AgentEvent] = field(default_factory=list)
    _open: set[str] = field(default_factory=set)
    _stop: Stop | None = None

    def attend(self) -> Attended:
        """Until the agent has ended or a guard stops it. A person's interrupt stops it too, and is kept in `stop`."""
        try:
            self._read(self._arriving())
        except KeyboardInterrupt:
            self._stop = BY_A_PERSON
        gone = self._seen_out()
        rest, cut = self.follower.finish()
        self._read(iter(rest))
        return Attended(events=tuple(self._events), exit=gone, stop=self._stop, cut_line=cut)

    def _seen_out(self) -> ProcessExit:
        """Wait until the agent and all it left have ended; stop it where it must be. An interrupt ends it at once."""
        hard = False
        while True:
            try:
                if self._stop is not None:
                    self.running.stop(self._stop.reason, hard=hard)
                return self.running.wait(None)
            except KeyboardInterrupt:
                self._stop, hard = BY_A_PERSON, True

    def _read(self, lines: Iterator[str]) -> None:
        for event in self.reader.events(lines):
            self._note(self.recorder.event(event))
        # A reader that takes no interest in the lines must not end the watch over who writes them.
        for _ in lines:
            pass

    def _note(self, event: AgentEvent) -> None:
        self._events.append(event)
        self.tell(event)
        if event.kind == "finished":
            self._finished_at = time.monotonic()
        elif event.kind in ("started", "request", "tool", "message"):
            self._finished_at = None
        if event.tool is not None and event.tool.id is not None:
            (self._open.discard if event.tool.ok is not None else self._open.add)(event.tool.id)
        if self.tools_wanted and event.servers is not None and event.servers.get(SERVER_NAME) != "connected":
            status = event.servers.get(SERVER_NAME, "absent")
            self._stop = self._stop or Stop(why="treatment", reason=f"the agent reports our tools as {status}")

    def _stopped(self) -> bool:
        return self._stop is not None

    def _arriving(self) -> Iterator[str]:
        """Lines as they come, until the agent has ended or must be stopped."""
        while not self._stopped():
            ended = self.running.poll() is not None
            for line in self.follower.poll():
                yield line
                if self._stopped():
                    return
            if ended:
                return
            self.meanwhile()
            self._stop = next(filter(None, (guard(self._progress()) for guard in self.guards)), None)
            time.sleep(TICK_SECONDS)

    def _progress(self) -> Progress:
        now = time.monotonic()
        return Progress(
            elapsed=now - self._began,
            since_finished=None if self._finished_at is None else now - self._finished_at,
            printed=bool(self._events),
            open_work=bool(self._open),
            spent=self.spent,
        )


def throttled(read: Callable[[], Spent]) -> Callable[[], Spent]:
    """`read`, called again only when its own cost stays a small share of the time."""
    last = Spent()
    due = 0.0

    def now() -> Spent:
        nonlocal last, due
        began = time.monotonic()
        if began >= due:
            last = read()
            due = time.monotonic() + max(0.5, (time.monotonic() - began) / LEDGER_SHARE)
        return last

    return now


def time_limit(seconds: float) -> Guard:
    def guard(progress: Progress) -> Stop | None:
        over = progress.elapsed > seconds
        return Stop(why="limit", reason=f"the time limit of {seconds:g} s was reached") if over else None

    return guard


def startup_limit(seconds: float) -> Guard:
    """An agent that has said nothing at all by then hangs at its start."""

    def guard(progress: Progress) -> Stop | None:
        if progress.printed or progress.elapsed <= seconds or progress.spent().anything:
            return None
        return Stop(why="startup", reason=f"the agent gave no sign of life within {seconds:g} s")

    return guard


def linger_limit(progress: Progress) -> Stop | None:
    """The agent has said its last word and does not leave."""
    since = progress.since_finished
    if since is None or since <= LINGER_SECONDS or progress.open_work:
        return None
    return Stop(why="linger", reason="the agent had finished and did not exit")


def turn_limit(turns: int) -> Guard:
    def guard(progress: Progress) -> Stop | None:
        over = progress.spent().turns > turns
        return Stop(why="limit", reason=f"the limit of {turns} model calls was passed") if over else None

    return guard


def token_limit(tokens: int) -> Guard:
    def guard(progress: Progress) -> Stop | None:
        over = progress.spent().tokens > tokens
        return Stop(why="limit", reason=f"the limit of {tokens:,} tokens was passed") if over else None

    return guard
