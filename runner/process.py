"""The one door to foreign programs: started under a supervisor, stopped in order, swept, looked for afterwards."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal, Self

from ..context.errors import CannotProceed
from . import supervisor
from .remains import ProcessId, sweep
from .remains import identify as identify
from .remains import is_alive as is_alive
from .remains import leftovers as leftovers

GRACE_SECONDS: Final = 3.0
TAIL_BYTES: Final = 4 * 1024 * 1024
_COMMAND_GRACE_SECONDS: Final = 2.0
_START_SECONDS: Final = 30.0
_CLOSE_SECONDS: Final = 15.0
# More than anybody reads: a command that prints without end must not fill the disk.
_OUTPUT_BYTES: Final = 1 << 30


class CommandNotStarted(CannotProceed):
    """The program could not be started at all."""

    error_type = "command_not_started"

    def __init__(self, argv: tuple[str, ...], why: str) -> None:
        super().__init__(f"Could not start {argv[0]!r}: {why}.", "Check that it is installed and may be executed.")


class SupervisorFailed(CannotProceed):
    """The small program that watches over the agent did not come up."""

    error_type = "supervisor_failed"

    def __init__(self, said: str) -> None:
        super().__init__(
            f"The supervisor ended before it started the command: {said or 'it said nothing'}",
            "Check that the Python that runs AgenVantage can import psutil, and that the disk is not full.",
        )


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
    subreaper: bool = True
    """False does without the Linux-only half of the supervisor, as other systems must."""


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
    _child: subprocess.Popen[bytes]
    _control: int
    _record: int
    _offset: int
    _began: float = field(default_factory=time.monotonic)
    _pending: bytes = b""
    _events: dict[str, dict[str, Any]] = field(default_factory=dict)
    _noise: list[str] = field(default_factory=list)
    _known: list[ProcessId] = field(default_factory=list)
    _asked: str | None = None
    _exit: ProcessExit | None = None

    @property
    def process(self) -> ProcessId:
        """The program itself."""
        started = self._events["started"]
        return ProcessId(pid=started["pid"], created=started["created"])

    @property
    def pid(self) -> int:
        return self.process.pid

    @property
    def supervisor(self) -> ProcessId:
        return ProcessId(**self._events["started"]["supervisor"])

    @property
    def known(self) -> tuple[ProcessId, ...]:
        """Every process of it that was seen so far, the program and its supervisor among them."""
        self._read_record()
        return tuple(self._known)

    @property
    def seconds(self) -> float:
        """Since the program was started; fixed once it has ended."""
        exited = self._events.get("exited")
        return float(exited["seconds"]) if exited else time.monotonic() - self._began

    def poll(self) -> ProcessExit | None:
        """None while it lives, or while what it left is being swept."""
        if self._exit is None:
            gone = self._child.poll() is not None
            self._read_record()
            if "ended" in self._events:
                # It has nothing left to do but to go, and must not be found by a look for leftovers.
                with contextlib.suppress(subprocess.TimeoutExpired):
                    self._child.wait(_CLOSE_SECONDS)
                self._exit = self._as_recorded(self._events["ended"]["swept"])
            elif gone:
                # The supervisor was killed: what it watched over is ours to end.
                self._exit = self._as_recorded(sweep(self.spec.marker, None, self._known))
        return self._exit

    def stop(self, reason: str = "", *, hard: bool = False) -> None:
        """Ask for the stop order: its signal, grace, KILL, sweep. `hard` skips signal and grace. Returns at once."""
        how = "hard" if hard else "stop"
        if self._asked in (how, "hard") or self._control < 0:
            return
        self._asked = how
        with contextlib.suppress(BrokenPipeError):
            os.write(self._control, json.dumps({"hard": hard, "reason": reason[:1000]}).encode("ascii") + b"\n")

    def wait(self, timeout: float | None = None) -> ProcessExit:
        """Raises TimeoutError."""
        until = None if timeout is None else time.monotonic() + timeout
        pause = 0.002
        while (gone := self.poll()) is None:
            if until is not None and time.monotonic() >= until:
                raise TimeoutError(f"{self.spec.argv[0]} is still running")
            time.sleep(pause)
            pause = min(pause * 1.5, 0.05)
        return gone

    def close(self) -> None:
        """End it if it lives, and let go of everything."""
        if self._control < 0:
            return
        try:
            self.stop("closed", hard=True)
            with contextlib.suppress(TimeoutError):
                self.wait(_CLOSE_SECONDS)
        finally:
            # Even when this wait is interrupted: the end of the control pipe makes the supervisor end everything.
            os.close(self._control)
            self._control = -1
        self._part()

    def _part(self) -> None:
        """See the supervisor out; it has nothing left to do."""
        try:
            self._child.wait(_CLOSE_SECONDS)
        except subprocess.TimeoutExpired:
            self._child.kill()
            self._child.wait()
            sweep(self.spec.marker, None, self._known)
        self._read_record()
        os.close(self._record)
        self._record = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _read_record(self) -> None:
        while self._record >= 0 and (data := os.pread(self._record, 1 << 20, self._offset)):
            self._offset += len(data)
            *lines, self._pending = (self._pending + data).split(b"\n")
            for line in lines:
                self._note(line)

    def _note(self, line: bytes) -> None:
        try:
            event = json.loads(line)
            self._events[event["event"]] = event
        except (ValueError, TypeError, KeyError):
            self._noise.append(line.decode("utf-8", "replace"))
            return
        if "pid" in event:
            self._known.append(ProcessId(pid=event["pid"], created=event["created"]))
        if "supervisor" in event:
            self._known.append(ProcessId(**event["supervisor"]))

    def _as_recorded(self, swept: int) -> ProcessExit:
        exited = self._events.get("exited", {})
        return ProcessExit(
            code=exited.get("code"),
            signal=exited.get("signal"),
            forced=exited.get("forced", True),
            swept=swept,
            seconds=exited.get("seconds", time.monotonic() - self._began),
        )

    def _await_start(self) -> None:
        until = time.monotonic() + _START_SECONDS
        while "started" not in self._events:
            gone = self._child.poll() is not None or time.monotonic() > until
            self._read_record()
            if "failed" in self._events:
                raise CommandNotStarted(self.spec.argv, self._events["failed"]["reason"])
            if gone and "started" not in self._events:
                raise SupervisorFailed(self._noise[-1] if self._noise else "")
            time.sleep(0.002)
        self._began = time.monotonic()


def start(spec: ProcessSpec) -> Running:
    """Start under a supervisor of its own. Raises CommandNotStarted, SupervisorFailed."""
    record = _record_file(spec.record)
    offset = os.lseek(record, 0, os.SEEK_END)
    reading, control = os.pipe()
    try:
        child = subprocess.Popen(
            # -P: the folder of this file holds modules with common names.
            (sys.executable, "-P", "-W", "ignore", supervisor.__file__),
            stdin=reading,
            stdout=record,
            stderr=record,
            start_new_session=True,
        )
    except BaseException:
        os.close(control)
        os.close(record)
        raise
    finally:
        os.close(reading)
    running = Running(spec=spec, _child=child, _control=control, _record=record, _offset=offset)
    try:
        _write_all(control, supervisor.pack(_orders(spec), spec.stdin))
        running._await_start()
    except BaseException:
        running.close()
        raise
    return running


def _orders(spec: ProcessSpec) -> supervisor.Orders:
    return supervisor.Orders(
        argv=spec.argv,
        cwd=str(spec.cwd),
        environment=dict(spec.environment),
        stdout=str(spec.stdout),
        stderr=str(spec.stderr),
        marker=spec.marker,
        stop_signal=spec.stop_signal,
        grace_seconds=spec.grace_seconds,
        runner=os.getpid(),
        subreaper=spec.subreaper,
    )


def _record_file(path: Path | None) -> int:
    if path is None:
        with tempfile.TemporaryFile() as unnamed:
            return os.dup(unnamed.fileno())
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)


def _write_all(descriptor: int, data: bytes) -> None:
    rest = memoryview(data)
    # A supervisor that is gone already has left its reason in the record.
    with contextlib.suppress(BrokenPipeError):
        while rest:
            rest = rest[os.write(descriptor, rest) :]


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
    kept apart. Raises CommandNotStarted, SupervisorFailed.
    """
    with tempfile.TemporaryDirectory(prefix="agenvantage-") as scratch:
        spec = ProcessSpec(
            argv=("sh", "-c", command) if isinstance(command, str) else command,
            cwd=cwd,
            environment=environment,
            stdin=stdin,
            stdout=output or Path(scratch, "output"),
            stderr=output or Path(scratch, "errors"),
            marker=marker or f"command-{secrets.token_hex(8)}",
            grace_seconds=_COMMAND_GRACE_SECONDS,
        )
        with start(spec) as running:
            why = _see_through(running, time_limit_seconds, cancelled)
            gone = running.wait()
        return Completed(
            exit_code=gone.code,
            signal=gone.signal,
            seconds=gone.seconds,
            timed_out=why == "time",
            cancelled=why == "cancelled",
            overflowed=why == "output",
            output=_tail(spec.stdout, tail_bytes),
            errors="" if output else _tail(spec.stderr, tail_bytes),
            swept=gone.swept,
        )


def _see_through(running: Running, limit: float | None, cancelled: Callable[[], bool] | None) -> str | None:
    """Wait for a command's end, or for a reason to stop it; the reason."""
    pause = 0.002
    while running.poll() is None:
        why = (
            "time" if limit is not None and running.seconds > limit
            else "cancelled" if cancelled is not None and cancelled()
            else "output" if _size(running.spec.stdout) > _OUTPUT_BYTES
            else None
        )  # fmt: skip
        if why is not None and "exited" not in running._events:
            running.stop(why)
            return why
        time.sleep(pause)
        pause = min(pause * 1.5, 0.05)
    return None


def _size(path: Path) -> int:
    # The command itself may have removed the file.
    with contextlib.suppress(OSError):
        return path.stat().st_size
    return 0


def _tail(path: Path, size: int) -> str:
    if not (length := _size(path)):
        return ""
    with path.open("rb") as file:
        file.seek(max(0, length - size))
        return file.read(size).decode("utf-8", "replace")
