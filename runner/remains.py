"""Find what is left of a run among all processes, and end it; needs no supervisor and trusts none."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import psutil

from .supervisor import carries, is_same

_TERM_SECONDS: Final = 0.5
_SWEEP_SECONDS: Final = 8.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessId:
    """A process, told apart from a later one with the same number by its birth (seconds since the epoch)."""

    pid: int
    created: float


def leftovers(marker: str, tree: Path, known: Iterable[ProcessId] = (), *, since: float | None = None) -> int:
    """How many living processes still carry the marker, work below `tree`, or are among those `known`.

    `since`: nothing older than this moment (seconds since the epoch) is looked at. Zombies don't count.
    """
    return len(_remaining(marker, tree, known, since, spare_terminals=False))


def sweep(marker: str, tree: Path | None, known: Iterable[ProcessId] = (), *, since: float | None = None) -> int:
    """End what `leftovers` would count, repeatedly until nothing is left; how many were ended.

    What works below `tree` from a terminal is a person looking at it, and is spared.
    """
    known = tuple(known)
    ended: set[tuple[int, float]] = set()
    until = time.monotonic() + _SWEEP_SECONDS
    number, pause = signal.SIGTERM, _TERM_SECONDS
    while (left := _remaining(marker, tree, known, since, spare_terminals=True)) and time.monotonic() < until:
        for process in left:
            with contextlib.suppress(psutil.Error):
                ended.add((process.pid, process.create_time()))
                process.send_signal(number)
        _await_gone(left, pause)
        number, pause = signal.SIGKILL, 0.1
    return len(ended)


def _await_gone(processes: list[psutil.Process], seconds: float) -> None:
    until = time.monotonic() + seconds
    while time.monotonic() < until and any(_lives(process) for process in processes):
        time.sleep(0.01)


def _lives(process: psutil.Process) -> bool:
    try:
        return bool(process.is_running() and process.status() != psutil.STATUS_ZOMBIE)
    except psutil.Error:
        return False


def _remaining(
    marker: str, tree: Path | None, known: Iterable[ProcessId], since: float | None, *, spare_terminals: bool
) -> list[psutil.Process]:
    born = {process.pid: process.created for process in known}
    spared = {os.getpid(), *(parent.pid for parent in psutil.Process().parents())}
    top = None if tree is None else os.path.realpath(tree)
    found = []
    for process in psutil.process_iter():
        if process.pid in spared or not _lives(process):
            continue
        if process.pid in born and is_same(process, born[process.pid]):
            found.append(process)
        elif _is_older(process, since):
            continue
        elif carries(process, marker) or (
            top is not None and not (spare_terminals and _terminal(process)) and _works_below(process, top)
        ):
            found.append(process)
    return found


def _is_older(process: psutil.Process, moment: float | None) -> bool:
    try:
        return moment is not None and process.create_time() < moment - 1.0
    except psutil.Error:
        return True


def _terminal(process: psutil.Process) -> bool:
    try:
        return process.terminal() is not None
    except psutil.Error:
        return False


def _works_below(process: psutil.Process, top: str) -> bool:
    """Whether its program, its working folder or a file it holds open lies in the folder."""
    looks: tuple[Callable[[], Iterable[str]], ...] = (
        lambda: (process.cwd(),),
        lambda: (process.exe(),),
        lambda: (file.path for file in process.open_files()),
    )
    for look in looks:
        with contextlib.suppress(psutil.Error, OSError):
            if any(path == top or path.startswith(top + os.sep) for path in look()):
                return True
    return False


def identify(pid: int) -> ProcessId | None:
    """The process with this number, or None when there is none (a zombie is none)."""
    try:
        process = psutil.Process(pid)
        return ProcessId(pid=pid, created=process.create_time()) if _lives(process) else None
    except psutil.Error:
        return None


def is_alive(process: ProcessId) -> bool:
    """Whether this very process lives, not a later one with its number."""
    try:
        return is_same(psutil.Process(process.pid), process.created)
    except psutil.Error:
        return False


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """The processes that supervisors noted in a run's record."""

    supervisors: tuple[ProcessId, ...] = ()
    processes: tuple[ProcessId, ...] = ()


def recorded(path: Path) -> Recorded:
    """Read a record; one cut by a crash is read as far as it goes, one that was never made is empty."""
    supervisors, processes = [], []
    with contextlib.suppress(FileNotFoundError):
        for line in path.read_bytes().splitlines():
            # A line that is no event is what Python printed when a supervisor failed.
            with contextlib.suppress(ValueError, TypeError, KeyError):
                event = json.loads(line)
                processes.append(ProcessId(pid=event["pid"], created=event["created"]))
                supervisors.append(ProcessId(**event["supervisor"]))
    return Recorded(supervisors=tuple(supervisors), processes=tuple(processes))
