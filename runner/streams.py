"""The three standard streams as this program was given them: closed, full, gone, or in a small alphabet."""

from __future__ import annotations

import os
import sys
from io import TextIOWrapper
from typing import Final

from ..context.errors import CannotProceed

_STREAMS: Final = (("stdin", "r"), ("stdout", "w"), ("stderr", "w"))


class OutputLost(CannotProceed):
    """What should have been printed did not arrive."""

    error_type = "output_lost"

    def __init__(self, failed: OSError) -> None:
        super().__init__(
            f"Could not write to standard output: {failed.strerror or failed}.",
            "What a command has recorded is kept: `agenvantage traces show last` prints a run again.",
        )


def mend() -> None:
    """Make the streams usable, whatever they are.

    A closed descriptor would be taken by the next file that is opened, and be printed into; and no name of a file may
    end the program because the terminal's alphabet lacks a letter of it.
    """
    for number, (name, mode) in enumerate(_STREAMS):
        if not _is_open(number):
            # The lowest free number is taken, which is this one: those below it are open by now.
            os.open(os.devnull, os.O_RDWR)
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(number, mode, encoding="utf-8", closefd=False))
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def say(text: str, *, end: str = "\n") -> None:
    """Print it now. Raises OutputLost; nothing is tried again when the program ends."""
    try:
        print(text, end=end, flush=True)
    except OSError as failed:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise OutputLost(failed) from failed


def _is_open(number: int) -> bool:
    try:
        os.fstat(number)
    except OSError:
        return False
    return True
