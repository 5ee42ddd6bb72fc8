"""What a shell command line reads, tests and looks up: parsed, never run."""

from __future__ import annotations

from ..telemetry.model import FileRead


def reads_of(command: str, cwd: str | None = None) -> tuple[FileRead, ...]:
    """The files and lines that a command line shows."""
    del command, cwd
    return ()


def is_test_command(command: str) -> bool:
    """Whether a command line runs tests."""
    return bool(command) and False


def history_probe(command: str) -> bool:
    """Whether a command line looks beyond the base commit in the git history."""
    return bool(command) and False
