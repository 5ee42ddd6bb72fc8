"""Worker processes that analyse files side by side: the door to them. A file that ends its worker is read without it.

The parsers hold the interpreter's lock for a whole file, so threads would gain nothing. A worker lives as long as its
standard input is open, so none outlives the process that started it.
"""

from __future__ import annotations

import gc
import os
import resource
import select
import signal
import struct
import subprocess
import sys
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from threading import Lock
from typing import IO, Final

import msgspec

from .analysing import Job, work
from .packed import Packed

WORTH_WORKERS: Final = 200
_FILES_AT_ONCE: Final = 40
_BATCHES_BEFORE_COLLECTING: Final = 50
_SILENCE_SECONDS: Final = 60.0
_MOST_MEMORY: Final = 2 << 30
_NICENESS: Final = 10
_HEAD: Final = struct.Struct("<I")
_START: Final = (
    "import sys; sys.path[:] = sys.argv[2:]; from agenvantage.context.workers import serve; serve(sys.argv[1])"
)

Results = list[tuple[Job, Packed | None]]


def analysed(root: Path, jobs: list[Job], *, processes: int | None = None, gently: bool = False) -> Generator[Results]:
    """Results in batches, in no certain order. Few files are read in this process, many in as many as there are cores.

    Workers that go about it gently stand back for whatever else wants to run. Closing the iterator ends them.
    """
    count = min(processes if processes is not None else usable_cores(), 8)
    if len(jobs) < WORTH_WORKERS or count < 1:
        for batch in _batches(jobs):
            yield [(job, work(root, job)) for job in batch]
        return
    yield from _side_by_side(root, jobs, count, gently=gently)


def usable_cores() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _side_by_side(root: Path, jobs: list[Job], count: int, *, gently: bool) -> Generator[Results]:
    batches = _batches(jobs)
    desks = [Desk(root, _started_gently if gently else _started) for _ in range(count)]
    with ThreadPoolExecutor(count, thread_name_prefix="agenvantage-index") as pool:
        busy: dict[Future[Results], Desk] = {}
        try:
            for desk in desks:
                _hand_out(pool, desk, batches, busy)
            while busy:
                done, _ = wait(busy, return_when=FIRST_COMPLETED)
                for future in done:
                    desk = busy.pop(future)
                    _hand_out(pool, desk, batches, busy)
                    yield future.result()
        finally:
            for desk in desks:
                desk.close()


def _hand_out(
    pool: ThreadPoolExecutor, desk: Desk, batches: Iterator[list[Job]], busy: dict[Future[Results], Desk]
) -> None:
    batch = next(batches, None)
    if batch is not None:
        busy[pool.submit(desk.done, batch)] = desk


def _batches(jobs: Iterable[Job]) -> Iterator[list[Job]]:
    left = iter(jobs)
    while batch := list(islice(left, _FILES_AT_ONCE)):
        yield batch


class _Ended(Exception):
    """The worker is gone, or silent for too long."""


@dataclass(slots=True)
class Desk:
    """A place at which one worker at a time sits; it is replaced when a file was too much for it."""

    root: Path
    start: Callable[[Path], subprocess.Popen[bytes]]
    worker: subprocess.Popen[bytes] | None = None
    closed: bool = False
    turn: Lock = field(default_factory=Lock)

    def done(self, batch: list[Job]) -> Results:
        try:
            return list(zip(batch, self._asked(batch), strict=True))
        except _Ended:
            if self.closed:
                return []
        return [(job, self._alone(job)) for job in batch]

    def _alone(self, job: Job) -> Packed | None:
        """One file by itself; without its language's parser if that ends the worker again."""
        for why in (None, "the parser crashed or hung"):
            try:
                return self._asked([msgspec.structs.replace(job, without_parser=why)])[0]
            except _Ended:
                if self.closed:
                    return None
        return None

    def _asked(self, batch: list[Job]) -> list[Packed | None]:
        worker = self._seated()
        try:
            _send(worker.stdin, msgspec.msgpack.encode(batch))
            answer = _received(worker.stdout, _SILENCE_SECONDS)
        except (OSError, ValueError, _Ended):
            self._end()
            raise _Ended from None
        return msgspec.msgpack.decode(answer, type=list[Packed | None])

    def _seated(self) -> subprocess.Popen[bytes]:
        with self.turn:
            if self.closed:
                raise _Ended
            if self.worker is None:
                self.worker = self.start(self.root)
            return self.worker

    def close(self) -> None:
        with self.turn:
            self.closed = True
        self._end()

    def _end(self) -> None:
        with self.turn:
            worker, self.worker = self.worker, None
        if worker is not None:
            worker.kill()
            worker.wait()
            for stream in (worker.stdin, worker.stdout):
                if stream is not None:
                    with suppress(OSError):
                        stream.close()


def _started(root: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        (sys.executable, "-c", _START, str(root), *map(os.path.abspath, sys.path)),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd="/",
        # Ctrl-C at a terminal is the parent's to answer.
        process_group=0,
    )


def _send(stream: IO[bytes] | None, data: bytes) -> None:
    if stream is not None:
        stream.write(_HEAD.pack(len(data)) + data)
        stream.flush()


def _received(stream: IO[bytes] | None, patience_seconds: float | None) -> bytes:
    """One message. Raises _Ended when the stream ends or nothing comes for so long."""
    if stream is None:
        raise _Ended
    (length,) = _HEAD.unpack(_exactly(stream, _HEAD.size, patience_seconds))
    return _exactly(stream, length, patience_seconds)


def _exactly(stream: IO[bytes], length: int, patience_seconds: float | None) -> bytes:
    parts: list[bytes] = []
    while length:
        if not select.select([stream], [], [], patience_seconds)[0]:
            raise _Ended
        part = os.read(stream.fileno(), min(length, 1 << 20))
        if not part:
            raise _Ended
        parts.append(part)
        length -= len(part)
    return b"".join(parts)


def _started_gently(root: Path) -> subprocess.Popen[bytes]:
    """It stands back for whatever else wants to run."""
    worker = _started(root)
    with suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, worker.pid, _NICENESS)
    return worker


def serve(root: str) -> None:
    """A worker's life: batches of jobs in, results out, until its input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _limit_memory()
    source, target, place = sys.stdin.buffer, sys.stdout.buffer, Path(root)
    # Nothing here makes circles but an error now and then: to look for some after each few files is in vain.
    gc.disable()
    batches = 0
    while True:
        batches += 1
        if batches % _BATCHES_BEFORE_COLLECTING == 0:
            gc.collect()
        try:
            jobs = msgspec.msgpack.decode(_received(source, None), type=list[Job])
        except _Ended:
            return
        _send(target, msgspec.msgpack.encode([work(place, job) for job in jobs]))


def _limit_memory() -> None:
    """A grammar that is lost takes gigabytes: the worker ends then, and its file is read without that grammar."""
    with suppress(ValueError, OSError):
        _, most = resource.getrlimit(resource.RLIMIT_AS)
        limit = _MOST_MEMORY if most == resource.RLIM_INFINITY else min(_MOST_MEMORY, most)
        resource.setrlimit(resource.RLIMIT_AS, (limit, most))
