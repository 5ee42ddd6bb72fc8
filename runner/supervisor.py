"""A small program that watches over one command: nothing the command started outlives it, or the runner.

On Linux it is a subreaper: whatever the command leaves behind becomes its child, even a daemon in a session of its
own with an emptied environment. Other systems have no subreapers; there it goes by the command's session, the run
marker and snapshots of descendants taken twice a second, which a quick double fork can escape.

Standard input is the control pipe: one frame of orders, one frame for the command's own input, then a JSON line for
each order to stop. Its end means that the runner died. Standard output is the record: a JSON line for each event.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import select
import signal
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Final, TypeAlias

import psutil

MARKER_VARIABLE: Final = "AGENVANTAGE_RUN"

_TICK_SECONDS: Final = 0.5
# Tool servers end by themselves when their input does; they need a moment for it.
_LINGER_SECONDS: Final = 0.3
_TERM_SECONDS: Final = 0.5
_KILL_SECONDS: Final = 10.0
_ORPHANED_GRACE_SECONDS: Final = 1.0
# A recorded birth and a later reading of it may differ by the clock's corrections.
_BIRTH_TOLERANCE_SECONDS: Final = 1.0
_PR_SET_PDEATHSIG: Final = 1
_PR_SET_CHILD_SUBREAPER: Final = 36
_FRAME: Final = struct.Struct("!Q")

Say: TypeAlias = Callable[[Mapping[str, Any]], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Orders:
    """What to start and how to end it. `runner` is the parent's pid."""

    argv: tuple[str, ...]
    cwd: str
    environment: dict[str, str] = field(repr=False)
    stdout: str
    stderr: str
    marker: str
    stop_signal: str
    grace_seconds: float
    runner: int
    subreaper: bool = True


def pack(orders: Orders, given: bytes) -> bytes:
    """The bytes that the control pipe starts with."""
    head = json.dumps(asdict(orders)).encode("ascii")
    return _FRAME.pack(len(head)) + head + _FRAME.pack(len(given)) + given


def carries(process: psutil.Process, marker: str) -> bool:
    """Whether a process has the run's marker in its environment, as far as we may look."""
    try:
        return process.environ().get(MARKER_VARIABLE) == marker
    except (psutil.Error, OSError, UnicodeError):
        return False


def is_same(process: psutil.Process, created: float) -> bool:
    """Whether a process that lives now is the one that was born then. A zombie does not live."""
    try:
        same = abs(process.create_time() - created) <= _BIRTH_TOLERANCE_SECONDS
        return same and process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False


def _read_exactly(descriptor: int, size: int) -> bytes | None:
    parts: list[bytes] = []
    while size:
        part = os.read(descriptor, min(size, 1 << 20))
        if not part:
            return None
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def _read_frame(descriptor: int) -> bytes | None:
    """None when the pipe ended first."""
    head = _read_exactly(descriptor, _FRAME.size)
    return None if head is None else _read_exactly(descriptor, _FRAME.unpack(head)[0])


def _prctl(option: int, value: int) -> bool:
    """A Linux process setting; False where there is none."""
    if not sys.platform.startswith("linux"):
        return False
    return bool(ctypes.CDLL(None).prctl(option, value, 0, 0, 0) == 0)


def _die_with_parent(parent: int) -> None:
    """Runs in the new process, before its program. Asks to be killed when the supervisor dies."""
    _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(127)


def _input_file(given: bytes) -> int:
    """A descriptor to read `given` from, and then the end: no pipe to wait on, no file with a name."""
    if not given:
        return os.open(os.devnull, os.O_RDONLY)
    try:
        descriptor = os.memfd_create("input")
    except (AttributeError, OSError):
        with tempfile.TemporaryFile() as unnamed:
            descriptor = os.dup(unnamed.fileno())
    rest = memoryview(given)
    while rest:
        rest = rest[os.write(descriptor, rest) :]
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


def _output_file(path: str) -> int:
    # Appending: a child that opens /dev/stdout again empties the file, and no hole must follow.
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND, 0o600)


def _launch(orders: Orders, given: bytes) -> int:
    """Start the command in a session of its own; its pid. Raises OSError, ValueError, subprocess.SubprocessError."""
    supervisor = os.getpid()
    opened = [_input_file(given), _output_file(orders.stdout)]
    try:
        opened.append(opened[1] if orders.stderr == orders.stdout else _output_file(orders.stderr))
        child = subprocess.Popen(
            orders.argv,
            cwd=orders.cwd,
            env={**orders.environment, MARKER_VARIABLE: orders.marker},
            stdin=opened[0],
            stdout=opened[1],
            stderr=opened[2],
            start_new_session=True,
            preexec_fn=lambda: _die_with_parent(supervisor),
        )
    finally:
        for descriptor in set(opened):
            os.close(descriptor)
    # We reap all children in one place; subprocess must not do it too.
    child.returncode = 0
    return child.pid


def _ending(status: int) -> dict[str, Any]:
    """A wait status as exit code or signal name."""
    if not os.WIFSIGNALED(status):
        return {"code": os.waitstatus_to_exitcode(status), "signal": None}
    number = os.WTERMSIG(status)
    known = {one.value: one.name for one in signal.Signals}
    return {"code": None, "signal": known.get(number, f"SIG{number}")}


@dataclass(slots=True, kw_only=True)
class Watch:
    """One command from its start until nothing of it is left."""

    orders: Orders
    control: int
    wakeup: int
    say: Say
    subreaper: bool
    command: int = 0
    asked: str | None = None
    """`stop`, then maybe `hard`."""
    signalled: bool = False
    kill_at: float | None = None
    seen: dict[int, float] = field(default_factory=dict)
    looked_at: float = 0.0
    restless: set[int] = field(default_factory=set)
    """Process groups in which a process ended lately."""
    over: bool = False
    runner_died: bool = False
    began: float = 0.0

    def start(self, given: bytes) -> None:
        """Launch the command and say its ids."""
        self.began = time.monotonic()
        self.command = _launch(self.orders, given)
        try:
            born = psutil.Process(self.command).create_time()
        except psutil.Error:
            born = time.time()
        self.seen[self.command] = born
        me = psutil.Process()
        self.say({
            "event": "started", "pid": self.command, "created": born,
            "supervisor": {"pid": me.pid, "created": me.create_time()},
        })  # fmt: skip

    def watch(self) -> None:
        """Until the command has ended, by itself or because it had to."""
        while not self.over:
            self.rest(_TICK_SECONDS if self.kill_at is None else max(0.0, self.kill_at - time.monotonic()))
            self.escalate()
            if time.monotonic() - self.looked_at >= _TICK_SECONDS and not self.over:
                self.descendants()

    def rest(self, seconds: float) -> None:
        """Wait for a child to end, an order, or the time to pass; then take in what happened."""
        sources = [self.wakeup] if self.runner_died else [self.wakeup, self.control]
        ready, _, _ = select.select(sources, [], [], min(seconds, _TICK_SECONDS))
        if self.wakeup in ready:
            caught = os.read(self.wakeup, 512)
            if any(number in caught for number in (signal.SIGTERM, signal.SIGINT, signal.SIGQUIT)):
                self.ask("stop", "the supervisor was told to end")
        if self.control in ready:
            self.take_orders()
        elif not self.runner_died and os.getppid() != self.orders.runner:
            self.lose_runner()
        self.reap()

    def take_orders(self) -> None:
        data = os.read(self.control, 65536)
        if not data:
            self.lose_runner()
        for line in data.splitlines():
            order = json.loads(line)
            self.ask("hard" if order["hard"] else "stop", order["reason"])

    def lose_runner(self) -> None:
        self.runner_died = True
        self.ask("stop", "the runner died")

    def ask(self, how: str, reason: str) -> None:
        if self.asked != how and self.asked != "hard":
            self.asked = how
            self.say({"event": "stopping", "how": how, "reason": reason})

    def reap(self) -> None:
        """Collect every child that ended, ours by birth or by adoption, and remember its group."""
        with contextlib.suppress(ChildProcessError):
            while (ended := os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)) is not None:
                with contextlib.suppress(ProcessLookupError):
                    self.restless.add(os.getpgid(ended.si_pid))
                _, status = os.waitpid(ended.si_pid, 0)
                if ended.si_pid == self.command:
                    self.over = True
                    lived = time.monotonic() - self.began
                    forced = self.asked is not None
                    self.say({"event": "exited", **_ending(status), "seconds": lived, "forced": forced})

    def escalate(self) -> None:
        """The stop order: the agent's own signal, grace, KILL; always to the whole group."""
        if self.asked is None or self.over:
            return
        if self.asked == "hard" or (self.kill_at is not None and time.monotonic() >= self.kill_at):
            self.signal_group(signal.SIGKILL)
            self.kill_at = time.monotonic() + 0.1
        elif not self.signalled:
            self.signalled = True
            grace = self.orders.grace_seconds
            self.kill_at = time.monotonic() + (min(grace, _ORPHANED_GRACE_SECONDS) if self.runner_died else grace)
            self.signal_group(signal.Signals[f"SIG{self.orders.stop_signal}"])
            self.signal_group(signal.SIGCONT)

    def signal_group(self, number: signal.Signals) -> None:
        # The leader is not reaped before `over`, so its number can't be another group's yet.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.command, number)

    def descendants(self) -> list[psutil.Process]:
        """What the command started and still lives; each is said once."""
        self.looked_at = time.monotonic()
        alive: dict[int, psutil.Process] = {}
        for process in (*self.candidates(), *self.remembered()):
            try:
                if process.status() != psutil.STATUS_ZOMBIE:
                    alive[process.pid] = process
                    self.remember(process)
            except psutil.Error:
                continue
        return list(alive.values())

    def candidates(self) -> list[psutil.Process]:
        try:
            below = psutil.Process().children(recursive=True)
        except psutil.Error:
            below = []
        return below if self.subreaper else below + self.session()

    def session(self) -> list[psutil.Process]:
        """Members of the command's session, wherever they hang."""
        members = []
        for pid in psutil.pids():
            try:
                if os.getsid(pid) == self.command:
                    members.append(psutil.Process(pid))
            except (OSError, psutil.Error):
                continue
        return members

    def remembered(self) -> list[psutil.Process]:
        """Of those seen earlier, the ones that still live; on Linux they are our descendants anyway."""
        if self.subreaper:
            return []
        again = []
        for pid, created in self.seen.items():
            try:
                process = psutil.Process(pid)
                if is_same(process, created):
                    again += [process, *process.children(recursive=True)]
            except psutil.Error:
                continue
        return again

    def remember(self, process: psutil.Process) -> None:
        created = process.create_time()
        if self.seen.get(process.pid) != created:
            self.seen[process.pid] = created
            self.say({"event": "seen", "pid": process.pid, "created": created})

    def carriers(self) -> list[psutil.Process]:
        """Marked processes that are not below us, our own ancestors excepted."""
        spared = {os.getpid(), *(parent.pid for parent in psutil.Process().parents())}
        # A zombie has no environment to read, so what is found here lives.
        return [one for one in psutil.process_iter() if one.pid not in spared and carries(one, self.orders.marker)]

    def sweep(self) -> tuple[int, int]:
        """End everything that is left; how many were ended, and how many could not be."""
        swept: set[tuple[int, float]] = set()
        if self.asked is None:
            self.settle(_LINGER_SECONDS)
        if self.asked != "hard" and (asked := self.descendants()):
            swept |= self.send(asked, signal.SIGTERM)
            self.settle(_TERM_SECONDS)
        deadline = time.monotonic() + _KILL_SECONDS
        left: list[psutil.Process] = []
        while time.monotonic() < deadline:
            self.restless.clear()
            left = self.descendants() or self.carriers()
            self.rest(0.01)
            if not left and not self.restless:
                break
            reached = self.send(left, signal.SIGKILL)
            groups = self.end_groups()
            swept |= reached or groups
        return len(swept), len(left)

    def end_groups(self) -> set[tuple[int, float]]:
        """Kill the groups in which something just ended: a process that forks and exits is seen only by its dead."""
        reached = set()
        for group in self.restless - {os.getpgrp()}:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(group, signal.SIGKILL)
                reached.add((group, 0.0))
        return reached

    def settle(self, seconds: float) -> None:
        """Give what is left the time to end by itself."""
        until = time.monotonic() + seconds
        while self.asked != "hard" and self.descendants() and (now := time.monotonic()) < until:
            self.rest(min(0.05, until - now))

    def send(self, processes: list[psutil.Process], number: signal.Signals) -> set[tuple[int, float]]:
        """Signal each that is still the one we saw; which they were."""
        reached = set()
        for process in processes:
            try:
                process.send_signal(number)
                reached.add((process.pid, process.create_time()))
            except psutil.Error:
                continue
        return reached


def _say(event: Mapping[str, Any]) -> None:
    # A full disk must not keep us from sweeping; the runner looks for itself when the record ends early.
    with contextlib.suppress(OSError):
        os.write(sys.stdout.fileno(), json.dumps(event).encode("ascii") + b"\n")


def _catch_signals() -> int:
    """Let signals wake a `select` and not end us; a descriptor that tells them."""
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    for number in (signal.SIGCHLD, signal.SIGTERM, signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):
        signal.signal(number, lambda *_: None)
    signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    # A handler, unlike an ignored or blocked signal, is not handed down to the command.
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    return reading


def main() -> int:
    control = sys.stdin.fileno()
    wakeup = _catch_signals()
    head, given = _read_frame(control), _read_frame(control)
    if head is None or given is None:
        return 0
    orders = Orders(**json.loads(head))
    subreaper = orders.subreaper and _prctl(_PR_SET_CHILD_SUBREAPER, 1)
    watch = Watch(orders=orders, control=control, wakeup=wakeup, say=_say, subreaper=subreaper)
    try:
        watch.start(given)
    except (OSError, ValueError, subprocess.SubprocessError) as failed:
        _say({"event": "failed", "reason": str(failed)})
        return 0
    watch.watch()
    swept, left = watch.sweep()
    _say({"event": "ended", "swept": swept, "left": left})
    return 0


if __name__ == "__main__":
    sys.exit(main())
