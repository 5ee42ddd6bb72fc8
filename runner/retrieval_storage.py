"""What an index file keeps for the sake of one retrieval channel alone, beside the size of what it was made of."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Final

# Channel → the tables, and the starts of keys of derived things, that nothing else needs. A channel that is not here
# is unknown.
_TABLES: Final[dict[str, tuple[tuple[str, ...], tuple[str, ...]]]] = {
    "words": (("postings", "loose", "segments"), ()),
    "symbol": (("definitions",), ()),
    "path": ((), ("paths:",)),
    "frame": ((), ()),
}


def stored_ratios(path: Path | None) -> dict[str, float]:
    """Bytes for each byte of source, by channel; empty where it can't be told."""
    if path is None:
        return {}
    try:
        with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as connection:
            return _ratios(connection)
    except sqlite3.Error:
        # This SQLite was built without the table of page counts.
        return {}


def _ratios(connection: sqlite3.Connection) -> dict[str, float]:
    pages = dict(connection.execute("SELECT name, sum(pgsize) FROM dbstat GROUP BY name"))
    (source,) = next(connection.execute("SELECT coalesce(sum(size), 0) FROM contents"))
    ratios = {}
    for channel, (tables, keys) in _TABLES.items():
        held = sum(pages.get(table, 0) for table in tables) + sum(_derived(connection, start) for start in keys)
        if source:
            ratios[channel] = held / source
    return ratios


def _derived(connection: sqlite3.Connection, start: str) -> int:
    asked = "SELECT coalesce(sum(length(value)), 0) FROM derived WHERE substr(key, 1, ?) = ?"
    return int(next(connection.execute(asked, (len(start), start)))[0])
