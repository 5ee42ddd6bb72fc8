"""Runs a program and tells what it cost with all its children: wall and CPU seconds, and the most memory at once."""

from __future__ import annotations

import math
import os
import re
import signal
import subprocess
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread
from time import perf_counter, process_time

PAUSE_SECONDS = 0.05


@dataclass(frozen=True, kw_only=True)
class Cost:
    """What one program cost. `cpu` holds the children it waited for; `peak` is the largest sum over its processes."""

    wall: float
    cpu: float
    peak: int
    """Bytes: proportional set size where the kernel tells it (shared pages are counted once), else resident size."""
    code: int
    finished: bool
    output: str
    errors: str

    @property
    def well(self) -> bool:
        return self.finished and self.code == 0


def run_measured(
    command: Sequence[str],
    *,
    folder: Path,
    environment: Mapping[str, str] | None = None,
    limit_seconds: float = 900,
    output: Path,
) -> Cost:
    """Run `command` in `folder`; past the limit it is killed with all its children and counts as not finished."""
    began = perf_counter()
    out, err = output.with_suffix(".out"), output.with_suffix(".err")
    with out.open("wb") as told, err.open("wb") as complained:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=None if environment is None else dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=told,
            stderr=complained,
            start_new_session=True,
        )
        watch = _Watch(process.pid, began + limit_seconds)
        watch.start()
        # wait4, not Popen.wait: it alone tells what this one child and its children used.
        _, status, usage = os.wait4(process.pid, 0)
        wall = perf_counter() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        watch.done.set()
        watch.join()
    return Cost(
        wall=wall,
        cpu=max(usage.ru_utime + usage.ru_stime, watch.cpu),
        # A program that ends between two looks was seen by none: its own largest size is known all the same.
        peak=watch.peak or usage.ru_maxrss * 1024,
        code=process.returncode,
        finished=not watch.late,
        output=out.read_text(encoding="utf-8", errors="replace"),
        errors=err.read_text(encoding="utf-8", errors="replace"),
    )


class _Watch(Thread):
    """Looks at a process and its children again and again; ends them when their time is over."""

    def __init__(self, pid: int, deadline: float) -> None:
        super().__init__(daemon=True)
        self.pid, self.deadline = pid, deadline
        self.done = Event()
        self.peak, self.cpu, self.late = 0, 0.0, False

    def run(self) -> None:
        while not self.done.wait(PAUSE_SECONDS):
            family = descendants(self.pid)
            self.peak = max(self.peak, sum(map(memory_of, family)))
            if perf_counter() > self.deadline and not self.late:
                self.late = True
                self.cpu = sum(map(_cpu_of, family))
                _end(self.pid, family)


def _end(pid: int, family: Sequence[int]) -> None:
    for each in family:
        if each != pid:
            _kill(each)
    _kill(pid)


def _kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return


def descendants(pid: int) -> list[int]:
    """A process and all that it started and that are still below it."""
    found, todo = [], [pid]
    while todo:
        each = todo.pop()
        found.append(each)
        for thread in _threads(each):
            todo += map(int, _text(thread / "children").split())
    return found


def _threads(pid: int) -> list[Path]:
    try:
        return list(Path(f"/proc/{pid}/task").iterdir())
    except OSError:
        return []


def memory_of(pid: int) -> int:
    """Bytes one process holds; 0 once it has ended."""
    for line in _text(Path(f"/proc/{pid}/smaps_rollup")).splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) * 1024
    pages = _text(Path(f"/proc/{pid}/statm")).split()
    return int(pages[1]) * os.sysconf("SC_PAGE_SIZE") if pages else 0


def _cpu_of(pid: int) -> float:
    """CPU seconds of a live process and of the children it has waited for."""
    after_name = _text(Path(f"/proc/{pid}/stat")).rpartition(")")[2].split()
    return sum(map(int, after_name[11:15])) / os.sysconf("SC_CLK_TCK") if after_name else 0.0


def _text(place: Path) -> str:
    try:
        return place.read_text()
    except OSError:
        return ""


def yardstick() -> float:
    """CPU seconds of a fixed piece of work, which tell how fast this machine is just now.

    On a shared processor the same work takes up to twice its CPU time while others use the same core's caches.
    """
    began = process_time()
    text = " ".join(f"name_{number % 997} = value({number * 7919 % 10_007})" for number in range(20_000))
    for _ in range(4):
        counted: dict[str, int] = {}
        for word in re.findall(r"[a-z_0-9]+", text):
            counted[word] = counted.get(word, 0) + 1
        zlib.compress(repr(sorted(counted.items())).encode(), 6)
    return process_time() - began


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest value that at least this share of all values does not exceed."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def bytes_below(*places: Path) -> int:
    """Bytes of all files in these folders (or of these files)."""
    files = [file for place in places for file in ([place] if place.is_file() else place.rglob("*"))]
    return sum(file.stat().st_size for file in files if file.is_file() and not file.is_symlink())


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
