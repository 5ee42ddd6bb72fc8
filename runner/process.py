"""The one door to foreign programs: started under a supervisor, stopped in order, swept, looked for afterwards."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal, Self

from ..context.errors import CannotProceed

GRACE_SECONDS: Final = 3.0
TAIL_BYTES: Final = 4 * 1024 * 1024


class CommandNotStarted(CannotProceed):
    """The program could not be started at all."""

    error_type = "command_not_started"


class SupervisorFailed(CannotProceed):
    """The small program that watches over the agent did not come up."""

    error_type = "supervisor_failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessId:
    """A process, told apart from a later one with the same number by its birth (seconds since the epoch)."""

    pid: int
    created: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessSpec:
    """What to start. `environment` is all of it; the run marker is added. Both output files are made, mode 0600."""

    argv: tuple[str, ...]
    cwd: Path
    environment: Mapping[str, str]
    stdin: bytes = b""
    stdout: Path
    stderr: Path
    """May be the same file as `stdout`."""
    marker: str
    """The run id. Whatever carries it is ended when this process is over."""
    stop_signal: Literal["INT", "TERM"] = "TERM"
    grace_seconds: float = GRACE_SECONDS
    record: Path | None = None
    """Where the supervisor notes every process it saw, for `gc` after a crash; None keeps no file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessExit:
    """How a process ended, after everything it left has been ended too. `seconds` is its own life, not the sweep's."""

    code: int | None
    signal: str | None
    """By name: `SIGTERM`."""
    forced: bool
    """We asked it to stop."""
    swept: int
    """Processes that were still alive after it, and were ended."""
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Completed:
    """A short command's result. `exit_code` is None when it ended by a signal."""

    exit_code: int | None
    signal: str | None
    seconds: float
    timed_out: bool
    cancelled: bool = False
    overflowed: bool = False
    """It was stopped because its output grew beyond all measure."""
    output: str = field(default="", repr=False)
    """The tail of standard output, or of both streams when they went to one file."""
    errors: str = field(default="", repr=False)
    swept: int = 0


@dataclass(slots=True, kw_only=True)
class Running:
    """A program under supervision. Use as a context manager, or call `close()`."""

    spec: ProcessSpec

    @property
    def process(self) -> ProcessId:
        """The program itself."""
        raise NotImplementedError

    @property
    def pid(self) -> int:
        return self.process.pid

    @property
    def supervisor(self) -> ProcessId:
        raise NotImplementedError

    @property
    def known(self) -> tuple[ProcessId, ...]:
        """Every process of it that was seen so far, the program and its supervisor among them."""
        raise NotImplementedError

    @property
    def seconds(self) -> float:
        """Since the program was started; fixed once it has ended."""
        raise NotImplementedError

    def poll(self) -> ProcessExit | None:
        """None while it lives, or while what it left is being swept."""
        raise NotImplementedError

    def stop(self, reason: str = "", *, hard: bool = False) -> None:
        """Ask for the stop order: its signal, grace, KILL, sweep. `hard` skips signal and grace. Returns at once."""
        raise NotImplementedError

    def wait(self, timeout: float | None = None) -> ProcessExit:
        """Raises TimeoutError."""
        raise NotImplementedError

    def close(self) -> None:
        """End it if it lives, and let go of everything."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def start(spec: ProcessSpec) -> Running:
    """Raises CommandNotStarted, SupervisorFailed."""
    raise NotImplementedError


def run(
    command: str | tuple[str, ...],
    *,
    cwd: Path,
    environment: Mapping[str, str],
    time_limit_seconds: float | None = None,
    output: Path | None = None,
    marker: str | None = None,
    stdin: bytes = b"",
    cancelled: Callable[[], bool] | None = None,
    tail_bytes: int = TAIL_BYTES,
) -> Completed:
    """Run a command to its end, supervised and swept; a string goes to `sh -c`.

    With `output` both streams go to that file and `Completed.output` is its tail; without, `output` and `errors` are
    kept apart. Raises CommandNotStarted.
    """
    raise NotImplementedError


def leftovers(marker: str, tree: Path, known: Iterable[ProcessId] = (), *, since: float | None = None) -> int:
    """How many living processes still carry the marker, work below `tree`, or are among those `known`.

    `since`: nothing older than this moment (seconds since the epoch) is looked at. Zombies don't count.
    """
    raise NotImplementedError


def sweep(marker: str, tree: Path | None, known: Iterable[ProcessId] = ()) -> int:
    """End what `leftovers` would count, repeatedly until nothing is left; how many were ended."""
    raise NotImplementedError


def identify(pid: int) -> ProcessId | None:
    """The process with this number, or None when there is none (a zombie is none)."""
    raise NotImplementedError


def is_alive(process: ProcessId) -> bool:
    """Whether this very process lives, not a later one with its number."""
    raise NotImplementedError
