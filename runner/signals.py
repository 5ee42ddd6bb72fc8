"""How this program takes a request to end: as Ctrl-C, except where it must not be disturbed."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final, NoReturn

ENDINGS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def obey() -> None:
    """From now on each of them raises KeyboardInterrupt, so that one road leads out."""
    for number in ENDINGS:
        signal.signal(number, _interrupt)


def ignore() -> None:
    """The end has begun and is all but done: nothing may cut it short."""
    for number in ENDINGS:
        signal.signal(number, signal.SIG_IGN)


@contextmanager
def undisturbed() -> Iterator[list[int]]:
    """A short step that must be whole, such as capturing work; the list gets the requests to end heard meanwhile."""
    heard: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield heard
        return
    before = {number: signal.signal(number, lambda number, _frame: heard.append(number)) for number in ENDINGS}
    try:
        yield heard
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _interrupt(number: int, frame: FrameType | None) -> NoReturn:
    del number, frame
    raise KeyboardInterrupt
