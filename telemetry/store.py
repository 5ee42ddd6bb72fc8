"""Remembers runs in one SQLite file: what is running, what was sealed, what was interrupted.

Prompts, replies and outputs are never stored: a row holds the run's document and what lists need of it.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any, Final, Literal

from ..context.errors import BadRequest, CannotProceed
from ..context.redact import redact
from .document import dumps, run_document
from .model import AgentTrace

State = Literal["running", "sealed", "interrupted"]
Rows = list[tuple[Any, ...]]
BUSY_SECONDS: Final = 15.0
MOST_NAMED: Final = 5
BROKEN: Final = ("SQLITE_NOTADB", "SQLITE_CORRUPT")
COLUMNS: Final = (
    "run_id", "trace_id", "state", "started", "ended", "agent", "strategy", "workflow", "repository", "folder",
    "outcome", "input_tokens", "output_tokens", "reported_usd",
)  # fmt: skip


class StoreDamaged(CannotProceed):
    """The file is not a store that we can read."""

    error_type = "store_damaged"

    def __init__(self, path: Path, why: str) -> None:
        super().__init__(
            f"The trace store {path} can't be read: {why}.",
            "Move it away to begin a new one; the run folders beside it hold every run's result.json.",
        )


class StoreUnusable(CannotProceed):
    """The file is a store, and could not be read or written just now."""

    error_type = "store_unusable"

    def __init__(self, path: Path, why: str) -> None:
        super().__init__(
            f"The trace store {path} could not be used: {why}.",
            "Make room or set its rights, or use another --data-dir.",
        )


class StoreTooNew(CannotProceed):
    """A newer AgenVantage has written the store."""

    error_type = "store_too_new"

    def __init__(self, path: Path, found: int, known: int) -> None:
        super().__init__(
            f"The trace store {path} has version {found}; this AgenVantage knows up to {known}.",
            "Use the newer AgenVantage, or another --data-dir.",
        )


class UnknownRun(BadRequest):
    """No run has that name."""

    error_type = "unknown_run"

    def __init__(self, name: str) -> None:
        what = "There is no run yet." if name == "last" else f"There is no run {name!r}."
        super().__init__(what, "`agenvantage traces list` shows the runs there are.")


class AmbiguousRun(BadRequest):
    """A prefix that several runs share."""

    error_type = "ambiguous_run"

    def __init__(self, name: str, candidates: tuple[str, ...]) -> None:
        more = f" and {len(candidates) - MOST_NAMED} more" if len(candidates) > MOST_NAMED else ""
        super().__init__(f"{name!r} could be {', '.join(candidates[:MOST_NAMED])}{more}.", "Give more of the run's id.")


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredRun:
    """A run as the store knows it. `document` comes with `find`, for a run that was sealed."""

    run_id: str
    trace_id: str
    state: State
    started: int
    ended: int | None = None
    agent: str
    strategy: str
    workflow: str | None = None
    repository: str | None = None
    folder: str | None = None
    outcome: str | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    reported_usd: float | None = None
    document: dict[str, Any] | None = None


class TraceStore:
    """The store in a file, made when it is not there. Several processes may use it at once."""

    def __init__(self, path: Path) -> None:
        """Raises StoreDamaged, StoreTooNew."""
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        _make_private(path)
        with _told(path):
            self._connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None)
        try:
            with _told(path):
                self._connection.execute("PRAGMA journal_mode = WAL")
                self._migrate()
        except CannotProceed:
            self._connection.close()
            raise

    def __enter__(self) -> TraceStore:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def begin(
        self,
        *,
        run_id: str,
        trace_id: str,
        started: int,
        agent: str,
        strategy: str,
        workflow: str | None = None,
        repository: str | None = None,
        folder: str | None = None,
    ) -> None:
        """A run has started; until it is recorded it counts as running."""
        self._write(
            {
                "run_id": run_id,
                "trace_id": trace_id,
                "state": "running",
                "started": started,
                "agent": agent,
                "strategy": strategy,
                "workflow": workflow,
                "repository": _storable(repository),
                "folder": _storable(folder),
            }
        )

    def record(self, trace: AgentTrace, *, secrets: tuple[str, ...] = ()) -> None:
        """The run as it ended; recording it again replaces it."""
        total = trace.trajectory.usage.total
        self._write(
            {
                "run_id": trace.run_id,
                "trace_id": trace.trace_id,
                "state": "interrupted" if trace.outcome.outcome == "interrupted" else "sealed",
                "started": trace.started,
                "ended": trace.ended,
                "agent": trace.agent.name,
                "strategy": trace.strategy,
                "workflow": trace.workflow,
                "repository": _storable(trace.repository.name),
                "folder": _storable(trace.folder),
                "outcome": trace.outcome.outcome,
                "input_tokens": total.input_tokens,
                "output_tokens": total.output_tokens,
                "reported_usd": trace.trajectory.usage.reported_usd,
                "document": redact(dumps(run_document(trace)), secrets),
            }
        )

    def mark_interrupted(self, run_id: str, *, ended: int | None = None, folder: Path | None = None) -> None:
        """The run's process is gone. A run that was sealed stays sealed."""
        with self._transaction() as connection:
            connection.execute(
                "UPDATE runs SET state = 'interrupted', outcome = 'interrupted', ended = coalesce(?, ended), "
                "folder = coalesce(?, folder) WHERE run_id = ? AND state = 'running'",
                (ended, None if folder is None else _storable(str(folder)), run_id),
            )

    def forget(self, run_id: str) -> None:
        with self._transaction() as connection:
            connection.execute("DELETE FROM runs WHERE run_id = ?", (run_id,))

    def list(self, *, limit: int | None = None, state: State | None = None) -> tuple[StoredRun, ...]:
        """Newest first, without documents."""
        rows = self._read(
            f"SELECT {', '.join(COLUMNS)} FROM runs WHERE ?1 IS NULL OR state = ?1 "
            "ORDER BY started DESC, run_id DESC LIMIT ?2",
            (state, -1 if limit is None else limit),
        )
        return tuple(StoredRun(**dict(zip(COLUMNS, row, strict=True))) for row in rows)

    def find(self, name: str) -> StoredRun:
        """`last`, a run id, an unambiguous prefix of one, or a trace id. Raises UnknownRun, AmbiguousRun."""
        if name == "last":
            newest = self.list(limit=1)
            return self._whole(newest[0].run_id) if newest else self._missing(name)
        if not name:
            return self._missing(name)
        rows = self._read(
            "SELECT run_id FROM runs WHERE substr(run_id, 1, ?2) = ?1 OR trace_id = lower(?1) ORDER BY run_id",
            (name, len(name)),
        )
        candidates = tuple(str(row[0]) for row in rows)
        if name in candidates:
            return self._whole(name)
        if len(candidates) > 1:
            raise AmbiguousRun(name, candidates)
        return self._whole(candidates[0]) if candidates else self._missing(name)

    def close(self) -> None:
        self._connection.close()

    def _whole(self, run_id: str) -> StoredRun:
        [row] = self._read(f"SELECT {', '.join(COLUMNS)}, document FROM runs WHERE run_id = ?", (run_id,))
        *columns, document = row
        told = None if document is None else json.loads(document)
        return StoredRun(**dict(zip(COLUMNS, columns, strict=True)), document=told)

    def _missing(self, name: str) -> StoredRun:
        raise UnknownRun(name)

    def _write(self, row: dict[str, Any]) -> None:
        names = ", ".join(row)
        places = ", ".join("?" for _ in row)
        with self._transaction() as connection:
            connection.execute(f"INSERT OR REPLACE INTO runs ({names}) VALUES ({places})", tuple(row.values()))

    def _read(self, query: str, arguments: tuple[Any, ...]) -> Rows:
        with _told(self.path):
            return self._connection.execute(query, arguments).fetchall()

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        """Whole or not at all; the write lock is taken at once, so that two writers wait instead of failing."""
        with _told(self.path):
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
            except BaseException:
                self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("COMMIT")

    def _migrate(self) -> None:
        steps = migrations()
        if self._version() == len(steps):
            return
        with self._transaction() as connection:
            found = self._version()
            if found > len(steps):
                raise StoreTooNew(self.path, found, len(steps))
            for number, script in enumerate(steps[found:], start=found + 1):
                for statement in _statements(script):
                    connection.execute(statement)
                connection.execute(f"PRAGMA user_version = {number}")

    def _version(self) -> int:
        return int(self._connection.execute("PRAGMA user_version").fetchone()[0])


def migrations() -> tuple[str, ...]:
    """The numbered scripts, in order: version N of a store has had the first N."""
    found = (entry for entry in files(__package__).joinpath("data").iterdir() if entry.name.endswith(".sql"))
    return tuple(entry.read_text(encoding="utf-8") for entry in sorted(found, key=lambda entry: entry.name))


def _statements(script: str) -> Iterator[str]:
    """One statement at a time: `executescript` would end our transaction."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """A fault is told with the file's name, and a broken file apart from one that can't be used just now."""
    try:
        yield
    except sqlite3.DatabaseError as fault:
        kind = StoreDamaged if getattr(fault, "sqlite_errorname", "") in BROKEN else StoreUnusable
        raise kind(path, str(fault)) from fault


def _make_private(path: Path) -> None:
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError:
        return


def _storable(text: str | None) -> str | None:
    """SQLite takes no lone surrogates; the document has the name as it is."""
    return None if text is None else text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
