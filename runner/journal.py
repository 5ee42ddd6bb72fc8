"""What is known of a run while it lives, on disk, so that a later start can clean up after a crash."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Self

from ..context.errors import CannotProceed
from .process import ProcessId


class JournalUnreadable(CannotProceed):
    """The folder holds no journal of ours."""

    error_type = "journal_unreadable"


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalRecord:
    """One run as its journal tells it. Paths are absolute; `started` is nanoseconds since the epoch."""

    run_id: str
    phase: str
    started: int
    runner: ProcessId
    tree: str
    """The work tree."""
    data: str
    """The run folder being written (`….partial`)."""
    repository: str = ""
    supervisor: ProcessId | None = None
    agent: ProcessId | None = None
    keep: bool = False
    """The tree holds work that was not captured: it must stay."""


class Journal:
    """The journal of a living run: holds the run's lock until it is closed. Use as a context manager."""

    record: JournalRecord

    @classmethod
    def open(cls, folder: Path, *, run_id: str, tree: Path, data: Path, started: int, repository: str = "") -> Self:
        """Make the run's folder (0700), take its lock and write the first record. Raises RunFolderInUse."""
        raise NotImplementedError

    def update(
        self,
        *,
        phase: str | None = None,
        supervisor: ProcessId | None = None,
        agent: ProcessId | None = None,
        data: Path | None = None,
        keep: bool | None = None,
    ) -> None:
        """Write a new record, atomically; what is None stays as it was."""
        raise NotImplementedError

    def close(self) -> None:
        """Let go of the lock. Removing the folder is the caller's."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def read(folder: Path) -> JournalRecord:
    """The record in a run's folder. Raises JournalUnreadable."""
    raise NotImplementedError


def alive(record: JournalRecord) -> bool:
    """Whether the program that wrote the record still lives."""
    raise NotImplementedError
