"""What an index file keeps that a retrieval channel reads, beside the size of what it was made of."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reads:
    """Tables that grow with contents, those that grow with the history, starts of keys of derived things."""

    contents: tuple[str, ...] = ()
    history: tuple[str, ...] = ()
    derived: tuple[str, ...] = ()


_TERMS: Final = _Reads(contents=("postings", "loose", "segments"))
_PATHS: Final = _Reads(derived=("path words:",))
_COMMITS: Final = _Reads(history=("commits",), derived=("ancestors ",))
_NOTHING: Final = _Reads()
# Channels that read the same share it: each of them is shown with all of it. One that is not here is unknown.
_READS: Final[Mapping[str, _Reads]] = {
    "words": _TERMS,
    "names": _TERMS,
    "title": _TERMS,
    "file name": _PATHS,
    "path words": _PATHS,
    "symbol": _Reads(contents=("definitions",)),
    "path": _NOTHING,
    "frame": _NOTHING,
    "test": _NOTHING,
    "diff": _NOTHING,
    "regions": _NOTHING,
    "commits": _COMMITS,
    "messages": _COMMITS,
    "company": _COMMITS,
}


def stored_ratios(path: Path | None, tree_bytes: int) -> dict[str, float]:
    """Bytes for each byte of source, by channel; empty where it can't be told.

    The file holds contents of several trees, so what grows with contents is held against all of these, and the rest
    against the tree at hand.
    """
    if path is None or not tree_bytes:
        return {}
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
            return _ratios(connection, tree_bytes)
    except sqlite3.Error:
        # This SQLite was built without the table of page counts.
        return {}


def _ratios(connection: sqlite3.Connection, tree_bytes: int) -> dict[str, float]:
    pages = dict(connection.execute("SELECT name, sum(pgsize) FROM dbstat GROUP BY name"))
    (source,) = next(connection.execute("SELECT coalesce(sum(size), 0) FROM contents"))
    return {
        channel: sum(pages.get(table, 0) for table in reads.contents) / max(1, source)
        + sum(pages.get(table, 0) for table in reads.history) / tree_bytes
        + sum(_derived(connection, start) for start in reads.derived) / tree_bytes
        for channel, reads in _READS.items()
    }


def _derived(connection: sqlite3.Connection, start: str) -> int:
    """The largest of its kind: there is one for each tree."""
    asked = "SELECT coalesce(max(length(value)), 0) FROM derived WHERE substr(key, 1, ?) = ?"
    return int(next(connection.execute(asked, (len(start), start)))[0])
