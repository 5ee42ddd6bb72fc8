"""What is known of a run while it lives, on disk, so that a later start can clean up after a crash."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final, Self

from ..context.errors import CannotProceed
from .remains import ProcessId, identify, is_alive

JOURNAL_NAME: Final = "journal.json"
LOCK_NAME: Final = "lock"
# Where the run's supervisor notes what it saw (`ProcessSpec.record`), beside the journal.
PROCESS_RECORD_NAME: Final = "processes.json"
# The phase of a run that ended as it should and left its tree on purpose.
KEPT: Final = "kept"
_SCHEMA: Final = "agenvantage.journal/1"


class JournalUnreadable(CannotProceed):
    """The folder holds no journal of ours."""

    error_type = "journal_unreadable"

    def __init__(self, folder: Path, why: str) -> None:
        super().__init__(
            f"{folder} has no journal that can be read ({why}), so it is not touched.",
            "If it is left over from AgenVantage, delete it by hand.",
        )


class RunFolderInUse(CannotProceed):
    """A run's folder is there already."""

    error_type = "run_folder_in_use"

    def __init__(self, folder: Path) -> None:
        super().__init__(f"The run folder {folder} exists already.", "Start again: every run gets a new one.")


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalRecord:
    """One run as its journal tells it. Paths are absolute; `started` is nanoseconds since the epoch."""

    run_id: str
    folder: str
    """The run's own folder below the state folder."""
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
    """The tree must stay: its work was not captured, or the person wants it."""


class Journal:
    """The journal of a living run: holds the run's lock until it is closed. Use as a context manager."""

    def __init__(self, record: JournalRecord, lock: int) -> None:
        self.record = record
        self._lock = lock

    @classmethod
    def open(cls, folder: Path, *, run_id: str, tree: Path, data: Path, started: int, repository: str = "") -> Self:
        """Make the run's folder (0700), take its lock and write the first record. Raises RunFolderInUse, OSError."""
        folder.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        try:
            folder.mkdir(mode=0o700)
        except FileExistsError as there:
            raise RunFolderInUse(folder) from there
        me = identify(os.getpid())
        record = JournalRecord(
            run_id=run_id,
            folder=str(folder.resolve()),
            phase="start",
            started=started,
            runner=me or ProcessId(pid=os.getpid(), created=started / 1e9),
            tree=str(tree),
            data=str(data),
            repository=repository,
        )
        lock = _lock_file(folder)
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        write(record)
        return cls(record, lock)

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
        changes: dict[str, Any] = {
            "phase": phase,
            "supervisor": supervisor,
            "agent": agent,
            "data": None if data is None else str(data),
            "keep": keep,
        }
        self.record = replace(self.record, **{name: value for name, value in changes.items() if value is not None})
        write(self.record)

    def close(self) -> None:
        """Let go of the lock. Removing the folder is the caller's."""
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def write(record: JournalRecord) -> None:
    """Replace the record in its folder, whole or not at all."""
    target = Path(record.folder, JOURNAL_NAME)
    fresh = target.with_suffix(".new")
    document = {"schema": _SCHEMA, **asdict(record)}
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8", errors="surrogateescape") as file:
        json.dump(document, file, indent=1)
    fresh.replace(target)


def read(folder: Path) -> JournalRecord:
    """The record in a run's folder. Raises JournalUnreadable."""
    try:
        document = json.loads((folder / JOURNAL_NAME).read_bytes())
        if document.pop("schema") != _SCHEMA:
            raise JournalUnreadable(folder, "it was written by another version")
        for name in ("runner", "supervisor", "agent"):
            document[name] = ProcessId(**document[name]) if document[name] is not None else None
        return JournalRecord(**document)
    except FileNotFoundError as missing:
        raise JournalUnreadable(folder, "there is none") from missing
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as broken:
        raise JournalUnreadable(folder, "it is broken") from broken


def alive(record: JournalRecord) -> bool:
    """Whether the program that wrote the record still lives."""
    return is_alive(record.runner)


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[bool]:
    """Take a run's lock if nobody has it; whether we do."""
    try:
        lock = _lock_file(folder)
    except FileNotFoundError:
        yield False
        return
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        yield False
    else:
        yield True
    finally:
        os.close(lock)


def _lock_file(folder: Path) -> int:
    return os.open(folder / LOCK_NAME, os.O_RDWR | os.O_CREAT, 0o600)
