"""Programs that behave as badly as agents do, and a look at what is alive."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
from agenvantage.runner.process import ProcessSpec

# A child that ignores TERM and holds its parent's standard output.
STUBBORN = (
    "import signal,time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('here', flush=True); time.sleep(600)"
)
# Double fork, a session of its own, TERM ignored, no environment.
DAEMON = """
import os, signal, sys
if os.fork(): os._exit(0)
os.setsid()
if os.fork(): os._exit(0)
signal.signal(signal.SIGTERM, signal.SIG_IGN)
os.execve(sys.executable, [sys.executable, '-S', '-c', 'import time; time.sleep(600)', sys.argv[1]], {})
"""


def spec(folder: Path, *argv: str, **changes: object) -> ProcessSpec:
    """A program in `folder`, with a marker that no other test has."""
    given: dict[str, object] = {
        "argv": argv,
        "cwd": folder,
        "environment": {"PATH": os.environ["PATH"]},
        "stdout": folder / "stdout",
        "stderr": folder / "stderr",
        "marker": f"test-{folder.name}-{os.getpid()}",
        "grace_seconds": 0.3,
    }
    return ProcessSpec(**{**given, **changes})  # type: ignore[arg-type]


def python(folder: Path, code: str, *arguments: str, **changes: object) -> ProcessSpec:
    """A Python program; `tag` below is seen in its command line."""
    return spec(folder, sys.executable, "-c", code, *arguments, **changes)


def script(folder: Path, name: str, code: str) -> str:
    target = folder / name
    target.write_text(code)
    return str(target)


def alive(tag: str) -> list[int]:
    """Living processes with `tag` in their command line; an independent look, zombies left out."""
    found = []
    for process in psutil.process_iter():
        try:
            if (
                process.pid != os.getpid()
                and process.status() != psutil.STATUS_ZOMBIE
                and tag in " ".join(process.cmdline())
            ):
                found.append(process.pid)
        except psutil.Error:
            continue
    return found


def eventually(holds: Callable[[], bool], *, within: float = 5.0) -> bool:
    """Whether something comes true in time."""
    until = time.monotonic() + within
    while not holds():
        if time.monotonic() > until:
            return False
        time.sleep(0.02)
    return True


@contextmanager
def cleaned(tag: str) -> Iterator[str]:
    """A tag for command lines; what still carries it at the end is killed, so that a failing test leaves nothing."""
    try:
        yield tag
    finally:
        for pid in alive(tag):
            os.kill(pid, signal.SIGKILL)
