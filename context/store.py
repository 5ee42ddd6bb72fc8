"""The index file: what each content holds, and in which contents each term occurs. Everything in it can be rebuilt.

Contents are known by git blob id, so that every work tree of a repository shares them. A new content's terms are kept
beside it (`vectors`) until there are enough of them to be folded into `postings`; answers count both, so they do not
depend on when that happened.
"""

from __future__ import annotations

import json
import os
import sqlite3
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from threading import RLock
from time import sleep
from typing import Any, Final

from .errors import CannotProceed
from .parse import ANALYSIS_VERSION, Analysis, Skipped, Symbol

SCHEMA_VERSION: Final = 100 + ANALYSIS_VERSION
_LOOSE: Final = 128
_WAIT_SECONDS: Final = 30.0
_SWITCH_TRIES: Final = 200
_SWITCH_PAUSE_SECONDS: Final = 0.02

_SCHEMA: Final = """
-- One row a content and language (the same bytes may be read as two languages).
CREATE TABLE contents (
    id       INTEGER PRIMARY KEY,
    content  TEXT NOT NULL,              -- git blob id
    language TEXT NOT NULL,              -- '' when unknown
    lines    INTEGER NOT NULL,
    length   INTEGER NOT NULL,           -- terms in it
    skipped  TEXT,                       -- why there is nothing but metadata
    parser   TEXT NOT NULL,              -- 'tree-sitter' or 'lines'
    outline  TEXT NOT NULL,              -- digest of what the repository map may show of it
    symbols  TEXT NOT NULL,              -- JSON
    imports  TEXT NOT NULL,              -- JSON
    UNIQUE (content, language)
);
-- Where a name is defined, by lower-case name.
CREATE TABLE definitions (name TEXT, id INTEGER, PRIMARY KEY (name, id)) WITHOUT ROWID;
-- Terms of contents that are not folded yet: JSON, term -> [times in the body, times in definitions' names].
CREATE TABLE vectors (id INTEGER PRIMARY KEY, terms TEXT NOT NULL);
-- term -> ids (4 bytes each), then times in the body (1 byte each), then in definitions' names (1 byte each).
CREATE TABLE postings (term TEXT PRIMARY KEY, data BLOB NOT NULL) WITHOUT ROWID;
-- Things that are dear to derive, by a digest of what they were derived from.
CREATE TABLE derived (key TEXT PRIMARY KEY, value TEXT NOT NULL);
"""


class IndexTooNew(CannotProceed):
    """The index file was written by a newer AgenVantage."""

    error_type = "index_too_new"

    def __init__(self, path: Path, version: int) -> None:
        super().__init__(
            f"The index {path} has schema {version}; this AgenVantage knows {SCHEMA_VERSION}.",
            "Upgrade AgenVantage, or name another cache folder with --cache-dir.",
        )


class IndexDamaged(CannotProceed):
    """The index file could not be read; it has been removed, the next open builds it again."""

    error_type = "index_damaged"

    def __init__(self, path: Path | None) -> None:
        super().__init__(f"The index {path} is damaged and was removed.", "Run the command again: it is rebuilt.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """What the index keeps of a content, without its definitions. `number` is its place in this index file."""

    number: int
    lines: int
    length: int
    skipped: Skipped | None
    parser: str
    outline: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Postings:
    """Where one term occurs: parallel sequences."""

    numbers: Sequence[int]
    body: Sequence[int]
    defined: Sequence[int]


Key = tuple[str, str]
"""Content id and language name ('' when unknown)."""


class Store:
    """One index file. `path` is None for an index in memory only."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self._connection = _connect(path)
        self._turn = RLock()

    def close(self) -> None:
        self._connection.close()

    def cards(self) -> dict[Key, Card]:
        """Everything known, by content and language."""
        query = "SELECT content, language, id, lines, length, skipped, parser, outline FROM contents"
        return {
            (content, language): Card(
                number=number, lines=lines, length=length, skipped=skipped, parser=parser, outline=outline
            )
            for content, language, number, lines, length, skipped, parser, outline in self._rows(query)
        }

    def add(self, analyses: Mapping[Key, Analysis]) -> None:
        """Keep these contents, whole or not at all. What another process added meanwhile stays."""
        with self._writing() as connection:
            for (content, language), analysis in analyses.items():
                row = (content, language, analysis.lines, analysis.length, analysis.skipped, analysis.parser,
                       outline_of(analysis), _symbols_json(analysis.symbols), json.dumps(analysis.imports))  # fmt: skip
                written = connection.execute(
                    "INSERT OR IGNORE INTO contents (content, language, lines, length, skipped, parser, outline,"
                    " symbols, imports) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    row,
                )
                if written.rowcount and written.lastrowid is not None:
                    _add_terms(connection, written.lastrowid, analysis)

    def fold(self) -> None:
        """Move the terms of new contents into the postings once there are many of them."""
        if next(self._rows("SELECT count(*) FROM vectors"))[0] <= _LOOSE:
            return
        with self._writing() as connection:
            for term, fresh in sorted(_inverted(connection.execute("SELECT id, terms FROM vectors")).items()):
                old = connection.execute("SELECT data FROM postings WHERE term = ?", (term,)).fetchone()
                data = _packed(_joined(_unpacked(old[0]), fresh) if old else fresh)
                connection.execute("INSERT OR REPLACE INTO postings VALUES (?, ?)", (term, data))
            connection.execute("DELETE FROM vectors")

    def prune(self, live: set[int]) -> None:
        """Forget contents that are in no work tree we know, once they outnumber the live ones by far."""
        known = next(self._rows("SELECT count(*) FROM contents"))[0]
        if known <= 3 * len(live) + 1_000:
            return
        with self._writing() as connection:
            dead = {number for (number,) in connection.execute("SELECT id FROM contents")} - live
            for table in ("contents", "definitions", "vectors"):
                connection.executemany(f"DELETE FROM {table} WHERE id = ?", ((number,) for number in dead))
            for term, data in connection.execute("SELECT term, data FROM postings").fetchall():
                kept = _without(_unpacked(data), dead)
                if not kept.numbers:
                    connection.execute("DELETE FROM postings WHERE term = ?", (term,))
                elif len(kept.numbers) * 6 < len(data):
                    connection.execute("UPDATE postings SET data = ? WHERE term = ?", (_packed(kept), term))

    def postings(self, terms: Iterable[str]) -> dict[str, Postings]:
        """Where each of the terms occurs; a term that is nowhere is left out."""
        wanted = sorted(set(terms))
        found = {}
        for term in wanted:
            for (data,) in self._rows("SELECT data FROM postings WHERE term = ?", (term,)):
                found[term] = _unpacked(data)
        for term, fresh in _inverted(self._rows("SELECT id, terms FROM vectors"), only=set(wanted)).items():
            found[term] = _joined(found[term], fresh) if term in found else fresh
        return found

    def symbols(self, number: int) -> tuple[Symbol, ...]:
        for (text,) in self._rows("SELECT symbols FROM contents WHERE id = ?", (number,)):
            return tuple(
                Symbol(
                    kind=kind,
                    name=name,
                    start=start,
                    end=end,
                    signature=signature,
                    container=container,
                    visibility=seen,
                )
                for kind, name, start, end, signature, container, seen in json.loads(text)
            )
        return ()

    def imports(self) -> dict[int, tuple[str, ...]]:
        """What each content imports, as spelled; contents that import nothing are left out."""
        rows = self._rows("SELECT id, imports FROM contents WHERE imports <> '[]'")
        return {number: tuple(json.loads(text)) for number, text in rows}

    def defining(self, name: str) -> tuple[int, ...]:
        """Contents that define this name, whatever its case."""
        return tuple(number for (number,) in self._rows("SELECT id FROM definitions WHERE name = ?", (name.lower(),)))

    def size(self) -> int:
        """Bytes of the index."""
        pages, each = next(self._rows("PRAGMA page_count"))[0], next(self._rows("PRAGMA page_size"))[0]
        return int(pages) * int(each)

    def derived(self, key: str) -> str | None:
        return next((value for (value,) in self._rows("SELECT value FROM derived WHERE key = ?", (key,))), None)

    def keep_derived(self, key: str, value: str) -> None:
        with self._writing() as connection:
            connection.execute(
                "DELETE FROM derived WHERE key NOT IN (SELECT key FROM derived ORDER BY rowid DESC LIMIT 50)"
            )
            connection.execute("INSERT OR REPLACE INTO derived VALUES (?, ?)", (key, value))

    def _rows(self, query: str, values: tuple[object, ...] = ()) -> Iterator[Any]:
        try:
            with self._turn:
                rows = self._connection.execute(query, values).fetchall()
        except sqlite3.DatabaseError as error:
            self._discard_if_damaged(error)
            raise
        yield from rows

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """One whole transaction; IMMEDIATE, since a reader that turns writer fails at once when another writes."""
        try:
            with self._turn:
                self._connection.execute("BEGIN IMMEDIATE")
                try:
                    yield self._connection
                    self._connection.execute("COMMIT")
                finally:
                    if self._connection.in_transaction:
                        self._connection.execute("ROLLBACK")
        except sqlite3.DatabaseError as error:
            self._discard_if_damaged(error)
            raise

    def _discard_if_damaged(self, error: sqlite3.DatabaseError) -> None:
        if not _is_damage(error):
            return
        self._connection.close()
        if self.path is not None:
            remove(self.path)
        raise IndexDamaged(self.path) from error


def open_store(path: Path) -> Store:
    """The index file at `path`; made if absent, built anew if damaged or older than this version.

    Raises IndexTooNew, and OSError or sqlite3.OperationalError where the folder can't be written.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
    try:
        return Store(path)
    except (sqlite3.DatabaseError, _Outdated) as error:
        if isinstance(error, sqlite3.DatabaseError) and not _is_damage(error):
            raise
        remove(path)
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
        return Store(path)


def _is_damage(error: sqlite3.DatabaseError) -> bool:
    """Whether the file itself is broken, and not our use of it, a lock, or a full disk."""
    return (getattr(error, "sqlite_errorcode", 0) & 0xFF) in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def remove(path: Path) -> None:
    for ending in ("", "-wal", "-shm"):
        path.with_name(path.name + ending).unlink(missing_ok=True)


class _Outdated(Exception):
    """The file has an older schema than ours."""


def _connect(path: Path | None) -> sqlite3.Connection:
    place = ":memory:" if path is None else str(path)
    connection = sqlite3.connect(place, timeout=_WAIT_SECONDS, isolation_level=None, check_same_thread=False)
    try:
        _write_ahead(connection)
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("BEGIN IMMEDIATE")
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if version > SCHEMA_VERSION and path is not None:
            raise IndexTooNew(path, version)
        if 0 < version < SCHEMA_VERSION:
            raise _Outdated
        if version == 0:
            for statement in _SCHEMA.split(";"):
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
        connection.execute("COMMIT")
    except BaseException:
        connection.close()
        raise
    return connection


def _write_ahead(connection: sqlite3.Connection) -> None:
    """Switch to WAL; the switch itself does not wait for another process that is switching, so it is tried again."""
    for _ in range(_SWITCH_TRIES):
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as busy:
            if (getattr(busy, "sqlite_errorcode", 0) & 0xFF) != sqlite3.SQLITE_BUSY:
                raise
            sleep(_SWITCH_PAUSE_SECONDS)
        else:
            return
    connection.execute("PRAGMA journal_mode = WAL")


def _add_terms(connection: sqlite3.Connection, number: int, analysis: Analysis) -> None:
    names = {(symbol.name.lower()[:200], number) for symbol in analysis.symbols}
    connection.executemany("INSERT OR IGNORE INTO definitions VALUES (?, ?)", sorted(names))
    if analysis.terms:
        terms = json.dumps(analysis.terms, separators=(",", ":"))
        connection.execute("INSERT INTO vectors VALUES (?, ?)", (number, terms))


def _symbols_json(symbols: tuple[Symbol, ...]) -> str:
    return json.dumps(
        [(s.kind, s.name, s.start, s.end, s.signature, s.container, s.visibility) for s in symbols],
        separators=(",", ":"),
    )


def outline_of(analysis: Analysis) -> str:
    """A digest of the names a content defines at its top and of what it imports: not of bodies, not of line numbers."""
    tops = [(s.kind, s.name, s.visibility) for s in analysis.symbols if s.container is None]
    said = json.dumps((tops, analysis.imports, analysis.skipped), sort_keys=True)
    return sha256(said.encode("utf-8", "surrogateescape")).hexdigest()[:16]


def _inverted(rows: Iterable[Any], only: set[str] | None = None) -> dict[str, Postings]:
    columns: dict[str, tuple[array[int], bytearray, bytearray]] = {}
    for number, text in rows:
        terms = json.loads(text)
        for term in terms if only is None else only & terms.keys():
            held = columns.get(term)
            if held is None:
                held = columns[term] = (array("I"), bytearray(), bytearray())
            body, defined = terms[term]
            held[0].append(number)
            held[1].append(body)
            held[2].append(min(defined, 255))
    return {term: Postings(numbers=numbers, body=body, defined=own) for term, (numbers, body, own) in columns.items()}


def _unpacked(data: bytes) -> Postings:
    size = len(data) // 6
    numbers = array("I")
    numbers.frombytes(data[: 4 * size])
    return Postings(numbers=numbers, body=data[4 * size : 5 * size], defined=data[5 * size :])


def _packed(postings: Postings) -> bytes:
    return array("I", postings.numbers).tobytes() + bytes(postings.body) + bytes(postings.defined)


def _joined(old: Postings, new: Postings) -> Postings:
    return Postings(
        numbers=array("I", [*old.numbers, *new.numbers]),
        body=bytes((*old.body, *new.body)),
        defined=bytes((*old.defined, *new.defined)),
    )


def _without(postings: Postings, dead: set[int]) -> Postings:
    kept = [at for at, number in enumerate(postings.numbers) if number not in dead]
    return Postings(
        numbers=[postings.numbers[at] for at in kept],
        body=[postings.body[at] for at in kept],
        defined=[postings.defined[at] for at in kept],
    )
