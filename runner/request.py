"""What is asked for: one run, with everything that decides it."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from ..context.errors import BadRequest
from ..context.git import Repository
from .settings import Settings

# Codex refuses a prompt of more than 1,048,576 characters, and the packet needs room beside the task.
TASK_LIMIT_BYTES: Final = 1_000_000


class BadTask(BadRequest):
    """The task can't be used as it is."""

    error_type = "bad_task"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRequest:
    """One observed run. `environment` holds the person's variables; `cwd` is relative to the repository's root."""

    settings: Settings
    repository: Repository
    task: str
    cwd: str | None = None
    out: Path | None = None
    compare_id: str | None = None
    environment: Mapping[str, str] = field(default_factory=dict)


def read_task(text: str | None, file: str | None) -> str:
    """The task's words, from `--task`, `--task-file` (`-` is standard input) or what is piped in. Raises BadTask."""
    if text is not None and file is not None:
        raise BadTask("Both --task and --task-file were given.", "Give one of them.")
    if text is None and file is None:
        return _piped_task()
    return checked_task(text.encode("utf-8", "surrogateescape") if text is not None else _task_bytes(str(file)))


def _piped_task() -> str:
    """What stands on standard input, when it is no terminal."""
    data = b"" if sys.stdin is None or sys.stdin.isatty() else _task_bytes("-")
    if not data.strip():
        raise BadTask("No task was given.", "Say it with --task TEXT or --task-file FILE, or pipe it in.")
    return checked_task(data)


def checked_task(data: bytes) -> str:
    """The task as text, if it can be one."""
    if len(data) > TASK_LIMIT_BYTES:
        raise BadTask(
            f"The task is more than {TASK_LIMIT_BYTES:,} bytes long, which is more than an agent takes.",
            "Put long material into a file of the repository and name it in the task.",
        )
    try:
        task = data.decode("utf-8")
    except UnicodeDecodeError as wrong:
        raise BadTask(f"The task is not UTF-8 text (byte {wrong.start}).", "Save it as UTF-8.") from wrong
    if "\0" in task:
        raise BadTask("The task holds a NUL character.", "Give it as plain text.")
    if not task.strip():
        raise BadTask("The task is empty.", "Say in words what is to be done.")
    return task


def _task_bytes(file: str) -> bytes:
    if file == "-":
        return sys.stdin.buffer.read(TASK_LIMIT_BYTES + 1)
    try:
        with Path(file).open("rb") as stream:
            return stream.read(TASK_LIMIT_BYTES + 1)
    except OSError as failed:
        raise BadTask(
            f"The task file {file} can't be read: {failed.strerror}.", "Check its name and rights."
        ) from failed
