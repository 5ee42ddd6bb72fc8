"""Vectors of contents, in a file of their own beside the index: made once a content and model, dropped when damaged.

Nothing here is needed: where the file can't be read or written, vectors are made again and forgotten.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from .store import remove

_WAIT_SECONDS: Final = 10.0
_ASKED_AT_ONCE: Final = 500
# Of files of usual size these are some 200 MB with vectors of 256 dimensions.
_MOST_ROWS: Final = 80_000
_SCHEMA: Final = """
-- One row a content, path and model (`key` is a digest of the three), oldest first.
CREATE TABLE IF NOT EXISTS vectors (number INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT UNIQUE, data BLOB NOT NULL)
"""


def beside(index_file: Path | None) -> Path | None:
    """Where the vectors of an index are kept; None for an index in memory."""
    return index_file.with_name(index_file.stem + ".vectors.sqlite") if index_file is not None else None


def kept(path: Path | None, keys: Iterable[str]) -> dict[str, bytes]:
    """What is kept under these keys; what is not there, or can't be read, is left out."""
    found: dict[str, bytes] = {}
    wanted = sorted(set(keys))
    with _opened(path) as connection:
        if connection is not None:
            for at in range(0, len(wanted), _ASKED_AT_ONCE):
                some = wanted[at : at + _ASKED_AT_ONCE]
                marks = ", ".join("?" * len(some))
                rows = connection.execute(f"SELECT key, data FROM vectors WHERE key IN ({marks})", some)
                found.update((key, data) for key, data in rows if isinstance(data, bytes))
    return found


def keep(path: Path | None, rows: Mapping[str, bytes]) -> None:
    """Keep these, whole or not at all, and forget those that were kept long before them."""
    with _opened(path) as connection:
        if connection is not None and rows:
            connection.execute("BEGIN IMMEDIATE")
            connection.executemany("INSERT OR REPLACE INTO vectors (key, data) VALUES (?, ?)", sorted(rows.items()))
            connection.execute(
                "DELETE FROM vectors WHERE number <= (SELECT max(number) FROM vectors) - ?", (_MOST_ROWS,)
            )
            connection.execute("COMMIT")


@contextmanager
def _opened(path: Path | None) -> Iterator[sqlite3.Connection | None]:
    """The file, or None where there can't be one. A fault inside ends the block quietly; a damaged file is removed."""
    connection = _connected(path) if path is not None else None
    try:
        yield connection
    except sqlite3.OperationalError:
        # Full disk, locked for long, or no right to write.
        pass
    except (sqlite3.DatabaseError, UnicodeDecodeError):
        _drop(path)
    finally:
        if connection is not None:
            connection.close()


def _connected(path: Path) -> sqlite3.Connection | None:
    try:
        with suppress(FileExistsError):
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        return _connect(path)
    except (OSError, sqlite3.OperationalError):
        return None
    except sqlite3.DatabaseError:
        _drop(path)
        return None


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=_WAIT_SECONDS, isolation_level=None)
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute(_SCHEMA)
    except BaseException:
        connection.close()
        raise
    return connection


def _drop(path: Path | None) -> None:
    if path is not None:
        with suppress(OSError):
            remove(path)
