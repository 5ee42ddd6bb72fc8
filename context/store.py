"""The index file: what each content holds, and in which contents each term occurs. Everything in it can be rebuilt.

Contents are keyed by git blob id and language, so all work trees of a repository share one file, and what is in it
never depends on a tree. Terms of contents that were added together form a segment; segments are merged now and then.
A statement of one transaction is whole or not there at all, whenever the process dies. Rows are sealed, as SQLite
keeps no checksums: what the disk changed is damage, and the index is built anew.
"""

from __future__ import annotations

import os
import sqlite3
import sys
import zlib
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import groupby, pairwise
from operator import itemgetter
from pathlib import Path
from threading import RLock
from time import sleep
from typing import Any, Final, NoReturn

import msgspec

from .errors import CannotProceed, IndexDamaged
from .packed import Packed, counted, unpacked
from .parse import ANALYSIS_VERSION, Skipped
from .sealed import BrokenSeal, seal_of, sealed, unsealed
from .syntax import FileFacts, Parser

SCHEMA_VERSION: Final = 400 + ANALYSIS_VERSION
_LOOSE: Final = 128
_SEGMENTS: Final = 8
_WAIT_SECONDS: Final = 30.0
_SWITCH_TRIES: Final = 100
_SWITCH_PAUSE_SECONDS: Final = 0.05
_MERGED_AT_ONCE: Final = 20_000
_MOST_DERIVED: Final = 60
_MOST_TREES: Final = 4
_MOST_COMMITS: Final = 40_000

_SCHEMA: Final = """
-- One row a content and language (the same bytes may be read as two languages). A number is never given twice.
CREATE TABLE contents (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    content    TEXT NOT NULL,            -- git blob id
    language   TEXT NOT NULL,            -- '' when unknown
    size       INTEGER NOT NULL,         -- bytes
    lines      INTEGER NOT NULL,
    body       INTEGER NOT NULL,         -- terms in it
    names      INTEGER NOT NULL,         -- terms in the names it defines
    signatures INTEGER NOT NULL,
    comments   INTEGER NOT NULL,
    skipped    TEXT,                     -- why there is nothing but metadata
    parser     TEXT NOT NULL,            -- 'tree-sitter', 'patterns' or 'lines'
    problem    TEXT,                     -- why its language's parser did not read it
    outline    TEXT NOT NULL,            -- digest of what the repository map may show of it
    seal       INTEGER NOT NULL,         -- of all the columns before it
    UNIQUE (content, language)
);
-- What is called data or value has its seal behind it.
-- Definitions, imports, uses and stated facts of a content: compressed MessagePack.
CREATE TABLE facts (id INTEGER PRIMARY KEY, data BLOB NOT NULL);
-- Where a name is defined, by lower-case name.
CREATE TABLE definitions (name TEXT, id INTEGER, seal INTEGER NOT NULL, PRIMARY KEY (name, id)) WITHOUT ROWID;
-- Terms of contents that are in no segment yet: compressed MessagePack, term -> four counts.
CREATE TABLE loose (id INTEGER PRIMARY KEY, data BLOB NOT NULL);
-- Segments, with how many postings each has.
CREATE TABLE segments (id INTEGER PRIMARY KEY AUTOINCREMENT, postings INTEGER NOT NULL);
-- Eight bytes a posting: content number, then how often the term occurs in body, names, signatures and comments.
CREATE TABLE postings (term TEXT, segment INTEGER, data BLOB NOT NULL, PRIMARY KEY (term, segment)) WITHOUT ROWID;
-- Past commits, which never change.
CREATE TABLE commits (number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT UNIQUE, data BLOB NOT NULL);
-- Things that are dear to derive, by a digest of what they were derived from.
CREATE TABLE derived (key TEXT PRIMARY KEY, value);
-- The last few work trees, put together: paths with what is known of their contents.
CREATE TABLE trees (number INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT UNIQUE, value BLOB NOT NULL);
-- How often contents were removed: numbers from before may be gone.
CREATE TABLE removals (id INTEGER PRIMARY KEY AUTOINCREMENT);
"""
_CARD: Final = "id, size, lines, body, names, signatures, comments, skipped, parser, problem, outline"


class IndexTooNew(CannotProceed):
    """The index file was written by a newer AgenVantage."""

    error_type = "index_too_new"

    def __init__(self, path: Path, version: int) -> None:
        super().__init__(
            f"The index {path} has schema {version}; this AgenVantage knows {SCHEMA_VERSION}.",
            "Upgrade AgenVantage, or name another cache folder with --cache-dir.",
        )


@dataclass(frozen=True, slots=True)
class Card:
    """What the index keeps of a content, without its facts. `number` is its place in this index file."""

    number: int
    size: int
    lines: int
    body: int
    names: int
    signatures: int
    comments: int
    skipped: Skipped | None
    parser: Parser
    problem: str | None
    outline: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Postings:
    """Where one term occurs: parallel arrays. A count has four bytes, body lowest, then names, signatures, comments."""

    numbers: Sequence[int]
    counts: Sequence[int]


Key = tuple[str, str]
"""Content id and language name ('' when unknown)."""


class Store:
    """One index file. `path` is None for an index in memory only."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self._connection = _connect(path)
        self._turn = RLock()
        self._loose: dict[int, dict[str, int]] = {}

    def close(self) -> None:
        self._connection.close()

    def cards(self) -> dict[Key, Card]:
        """Everything known, by content and language."""
        with self.decoding():
            rows = self._rows(f"SELECT content, language, {_CARD}, seal FROM contents")
            return {(row[0], row[1]): _card(row) for row in rows}

    def card(self, key: Key) -> Card | None:
        asked = f"SELECT content, language, {_CARD}, seal FROM contents WHERE content = ? AND language = ?"
        with self.decoding():
            return next((_card(row, key) for row in self._rows(asked, key)), None)

    def removals(self) -> int:
        """How often contents were removed from this file; numbers from before another value may be gone."""
        return int(next(self._rows("SELECT coalesce(max(id), 0) FROM removals"))[0])

    def add(self, contents: Mapping[Key, Packed]) -> None:
        """Keep these contents, whole or not at all. What another process added meanwhile stays."""
        with self._writing() as connection:
            added: list[tuple[int, bytes]] = []
            last = connection.execute("SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'contents'")
            number = int(last.fetchone()[0]) + 1
            for key, packed in contents.items():
                if _insert(connection, number, key, packed):
                    added.append((number, packed.terms))
                    number += 1
            if len(added) > _LOOSE:
                _write_segment(connection, added)
            else:
                loose = ((each, sealed(terms, each)) for each, terms in added if terms)
                connection.executemany("INSERT INTO loose VALUES (?, ?)", loose)

    def fold(self) -> None:
        """Make a segment of loose contents once there are many, and fewer segments of many small ones."""
        if next(self._rows("SELECT count(*) FROM loose"))[0] > _LOOSE:
            with self.decoding(), self._writing() as connection:
                loose = connection.execute("SELECT id, data FROM loose ORDER BY id")
                _write_segment(connection, ((number, unsealed(data, number)) for number, data in loose))
                connection.execute("DELETE FROM loose")
        if next(self._rows("SELECT count(*) FROM segments"))[0] > _SEGMENTS:
            with self.decoding(), self._writing() as connection:
                smallest = connection.execute(
                    "SELECT id FROM segments ORDER BY postings, id LIMIT ?", (_SEGMENTS // 2 + 1,)
                )
                _merge(connection, [number for (number,) in smallest])

    def prune(self, live: set[int]) -> bool:
        """Forget contents that are not live, once they outnumber the live ones by far. Whether it did."""
        known = next(self._rows("SELECT count(*) FROM contents"))[0]
        if known <= 3 * len(live) + 1_000:
            return False
        with self.decoding(), self._writing() as connection:
            dead = {number for (number,) in connection.execute("SELECT id FROM contents")} - live
            connection.executemany("DELETE FROM contents WHERE id = ?", ((number,) for number in sorted(dead)))
            for table in ("facts", "definitions", "loose"):
                # In one pass: definitions have no index by content, and thousands of contents go at once.
                connection.execute(f"DELETE FROM {table} WHERE id NOT IN (SELECT id FROM contents)")
            connection.execute("INSERT INTO removals DEFAULT VALUES")
            _merge(connection, [number for (number,) in connection.execute("SELECT id FROM segments")], dead)
        return True

    def postings(self, terms: Iterable[str]) -> dict[str, Postings]:
        """Where each of the terms occurs; a term that is nowhere is left out."""
        wanted = sorted(set(terms))
        with self.decoding(), self._reading():
            found = {term: self._in_segments(term) for term in wanted}
            loose = self._loose_terms()
        for number, counts in loose.items():
            for term in wanted:
                if term in counts:
                    found[term] += _posting(number, counts[term])
        with self.decoding():
            return {term: _columns(data) for term, data in found.items() if data}

    def _in_segments(self, term: str) -> bytes:
        rows = list(self._rows("SELECT segment, data FROM postings WHERE term = ?", (term,)))
        if not rows:
            self._surely_absent("postings", "term", term)
        return b"".join(unsealed(data, f"{term} {segment}") for segment, data in rows)

    def _surely_absent(self, table: str, column: str, value: str) -> None:
        """Where a row is not found its neighbours are the next ones in order, unless a page holds what another did."""
        after = self._rows(f"SELECT {column} FROM {table} WHERE {column} >= ? ORDER BY {column} LIMIT 1", (value,))
        before = self._rows(
            f"SELECT {column} FROM {table} WHERE {column} <= ? ORDER BY {column} DESC LIMIT 1", (value,)
        )
        if any(found <= value for (found,) in after) or any(found >= value for (found,) in before):
            raise BrokenSeal(f"{table} are out of order")

    def terms(self) -> set[str]:
        """Every term of every content."""
        with self.decoding(), self._reading():
            found = [term for (term,) in self._rows("SELECT DISTINCT term FROM postings ORDER BY term")]
            if any(one >= next_one for one, next_one in pairwise(found)):
                raise BrokenSeal("postings are out of order")
            return set(found).union(*self._loose_terms().values())

    def facts(self, number: int) -> FileFacts:
        """What a content says by itself; empty for one that is unknown."""
        with self.decoding():
            for (data,) in self._rows("SELECT data FROM facts WHERE id = ?", (number,)):
                return unpacked(unsealed(data, number))
            if next(self._rows("SELECT 1 FROM contents WHERE id = ?", (number,)), None) is not None:
                raise BrokenSeal(f"the facts of {number} are gone")
            return FileFacts()

    def defining(self, name: str) -> tuple[int, ...]:
        """Contents that define this name, whatever its case."""
        lower = name.lower()
        with self.decoding():
            rows = self._rows("SELECT name, id, seal FROM definitions WHERE name = ? ORDER BY id", (lower,))
            found = tuple(number for _, number in _whole(rows))
            if not found:
                self._surely_absent("definitions", "name", lower)
            return found

    def definitions(self) -> Iterator[tuple[str, int]]:
        """Every defined name in lower case, with each content that defines it."""
        with self.decoding():
            yield from _whole(self._rows("SELECT name, id, seal FROM definitions ORDER BY name, id"))

    def commits(self, ids: Iterable[str]) -> dict[str, bytes]:
        """What is kept of these commits; those that are unknown are left out."""
        wanted = set(ids)
        with self.decoding():
            rows = self._rows("SELECT id, data FROM commits")
            return {name: unsealed(data, name) for name, data in rows if name in wanted}

    def add_commits(self, commits: Mapping[str, bytes]) -> None:
        """Keep these commits, and forget those that were kept long before them."""
        with self._writing() as connection:
            rows = ((name, sealed(data, name)) for name, data in sorted(commits.items()))
            connection.executemany("INSERT OR REPLACE INTO commits (id, data) VALUES (?, ?)", rows)
            connection.execute(
                "DELETE FROM commits WHERE number <= (SELECT max(number) FROM commits) - ?",
                (_MOST_COMMITS,),
            )

    def segments(self) -> int:
        """How many segments there are, loose contents not counted."""
        return int(next(self._rows("SELECT count(*) FROM segments"))[0])

    def size(self) -> int:
        """Bytes of the index."""
        pages, each = next(self._rows("PRAGMA page_count"))[0], next(self._rows("PRAGMA page_size"))[0]
        return int(pages) * int(each)

    def derived(self, key: str) -> str | None:
        value = self.derived_bytes(key)
        return None if value is None else value.decode()

    def derived_bytes(self, key: str) -> bytes | None:
        return self._kept("SELECT key, value FROM derived WHERE key = ?", (key,))

    def _kept(self, query: str, values: tuple[object, ...] = ()) -> bytes | None:
        """The value of a row that is sealed by its key."""
        with self.decoding():
            return next((unsealed(value, key) for key, value in self._rows(query, values)), None)

    def keep_derived(self, key: str, value: str | bytes) -> None:
        """Keep something under a key, and forget what was kept long before it."""
        data = value.encode() if isinstance(value, str) else value
        with self._writing() as connection:
            connection.execute(
                "DELETE FROM derived WHERE rowid NOT IN (SELECT rowid FROM derived ORDER BY rowid DESC LIMIT ?)",
                (_MOST_DERIVED,),
            )
            connection.execute("INSERT OR REPLACE INTO derived VALUES (?, ?)", (key, sealed(data, key)))

    def tree(self, key: str) -> bytes | None:
        """A whole tree as it was kept under this key."""
        return self._kept("SELECT key, value FROM trees WHERE key = ?", (key,))

    def newest_tree(self) -> bytes | None:
        return self._kept("SELECT key, value FROM trees ORDER BY number DESC LIMIT 1")

    def keep_tree(self, key: str, value: bytes) -> None:
        with self._writing() as connection:
            connection.execute("INSERT OR REPLACE INTO trees (key, value) VALUES (?, ?)", (key, sealed(value, key)))
            connection.execute(
                "DELETE FROM trees WHERE number NOT IN (SELECT number FROM trees ORDER BY number DESC LIMIT ?)",
                (_MOST_TREES,),
            )

    def _loose_terms(self) -> dict[int, dict[str, int]]:
        """Terms of the contents that are in no segment, decoded once."""
        numbers = {number for (number,) in self._rows("SELECT id FROM loose")}
        self._loose = {number: terms for number, terms in self._loose.items() if number in numbers}
        for number in sorted(numbers - self._loose.keys()):
            for (data,) in self._rows("SELECT data FROM loose WHERE id = ?", (number,)):
                self._loose[number] = counted(unsealed(data, number))
        return self._loose

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """Several questions about one state of the file, whatever others write meanwhile."""
        with self._turn:
            mine = not self._connection.in_transaction
            if mine:
                self._connection.execute("BEGIN")
            try:
                yield
            except IndexDamaged:
                raise
            except BaseException:
                if mine:
                    self._connection.execute("ROLLBACK")
                raise
            if mine:
                self._connection.execute("COMMIT")

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

    @contextmanager
    def decoding(self) -> Iterator[None]:
        """What was kept must be readable; where it is not, the file is damaged. Raises IndexDamaged."""
        try:
            yield
        except (zlib.error, msgspec.DecodeError, UnicodeDecodeError, ValueError, TypeError) as garbled:
            self._discard(garbled)

    def _discard_if_damaged(self, error: sqlite3.DatabaseError) -> None:
        if _is_damage(error):
            self._discard(error)

    def _discard(self, error: Exception) -> NoReturn:
        self._connection.close()
        if self.path is not None:
            remove(self.path)
        raise IndexDamaged(self.path) from error


def open_store(path: Path) -> Store:
    """The index file at `path`; made if absent, built anew if damaged or older than this version.

    Raises IndexTooNew, and OSError or sqlite3.OperationalError where the folder can't be written.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    _make(path)
    try:
        return Store(path)
    except (sqlite3.DatabaseError, UnicodeDecodeError, _Outdated) as error:
        if isinstance(error, sqlite3.DatabaseError) and not _is_damage(error):
            raise
        remove(path)
        _make(path)
        return Store(path)


def _make(path: Path) -> None:
    """An empty file for this person alone. One that is there stays shut: closing it would drop SQLite's locks."""
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))


def _is_damage(error: sqlite3.DatabaseError) -> bool:
    """Whether the file itself is broken, and not our use of it, a lock, or a full disk."""
    if "Could not decode to UTF-8" in str(error):
        return True
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


def _insert(connection: sqlite3.Connection, number: int, key: Key, packed: Packed) -> bool:
    """Keep a content under a new number. Whether it was: it may be known already."""
    card = (packed.size, packed.lines, *packed.lengths, packed.skipped, packed.parser, packed.problem, packed.outline)
    row = (*key, number, *card)
    written = connection.execute(
        f"INSERT OR IGNORE INTO contents (content, language, {_CARD}, seal)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (*row, _seal_of_card(row)),
    )
    if not written.rowcount:
        return False
    connection.execute("INSERT INTO facts VALUES (?, ?)", (number, sealed(packed.facts, number)))
    names = ((name, number, seal_of(name, number)) for name in packed.names)
    connection.executemany("INSERT OR IGNORE INTO definitions VALUES (?, ?, ?)", names)
    return True


def _card(row: Sequence[Any], key: Key | None = None) -> Card:
    """The card of a row; `key` is what was asked for. Raises BrokenSeal for a row that is not as it was kept."""
    content, language, *card, seal = row
    if seal != _seal_of_card(row[:-1]) or key not in (None, (content, language)):
        raise BrokenSeal("a row of contents has changed")
    return Card(*card)


def _seal_of_card(row: Sequence[object]) -> int:
    return seal_of(repr(tuple(row)), 0)


def _whole(rows: Iterable[tuple[str, int, int]]) -> Iterator[tuple[str, int]]:
    """Definitions whose seals hold and that stand in order. Raises BrokenSeal at the first that does not."""
    last = ("", 0)
    for name, number, seal in rows:
        if seal_of(name, number) != seal or (name, number) <= last:
            raise BrokenSeal(f"the definition of {name!r} has changed")
        yield (last := (name, number))


def _posting(number: int, counts: int) -> bytes:
    return (number | counts << 32).to_bytes(8, "little")


def _write_segment(connection: sqlite3.Connection, contents: Iterable[tuple[int, bytes]]) -> None:
    """The terms of these contents, turned round: term -> contents that have it."""
    turned: dict[str, array[int]] = {}
    known = turned.get
    postings = 0
    for number, data in contents:
        terms = counted(data)
        postings += len(terms)
        for term, counts in terms.items():
            held = known(term)
            if held is None:
                held = turned[term] = array("Q")
            held.append(number | counts << 32)
    segment = connection.execute("INSERT INTO segments (postings) VALUES (?)", (postings,)).lastrowid
    rows = ((term, segment, sealed(_little(turned[term]), f"{term} {segment}")) for term in sorted(turned))
    connection.executemany("INSERT INTO postings VALUES (?, ?, ?)", rows)


def _little(numbers: array[int]) -> bytes:
    """As bytes, the lowest first on any machine."""
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers.tobytes()


def _merge(connection: sqlite3.Connection, segments: list[int], dead: set[int] | None = None) -> None:
    """One segment of several, without the contents that are gone."""
    if not segments:
        return
    marks = ",".join("?" * len(segments))
    merged = connection.execute(
        f"INSERT INTO segments (postings) SELECT sum(postings) FROM segments WHERE id IN ({marks})", segments
    ).lastrowid
    query = (
        f"SELECT term, segment, data FROM postings WHERE segment IN ({marks}) AND term >= ?"
        " ORDER BY term, segment LIMIT ?"
    )
    begin: str | None = ""
    while begin is not None:
        rows = connection.execute(query, (*segments, begin, _MERGED_AT_ONCE + len(segments))).fetchall()
        # The last term may have more rows than were read: it opens the next round.
        begin = rows[-1][0] if len(rows) > _MERGED_AT_ONCE else None
        whole = [row for row in rows if row[0] != begin]
        joined = (
            (term, b"".join(unsealed(data, f"{term} {segment}") for _, segment, data in group))
            for term, group in groupby(whole, key=itemgetter(0))
        )
        kept = ((term, _without(data, dead) if dead else data) for term, data in joined)
        sealed_rows = ((term, merged, sealed(data, f"{term} {merged}")) for term, data in kept if data)
        connection.executemany("INSERT INTO postings VALUES (?, ?, ?)", sealed_rows)
    connection.execute(f"DELETE FROM postings WHERE segment IN ({marks})", segments)
    connection.execute(f"DELETE FROM segments WHERE id IN ({marks})", segments)


def _without(data: bytes, dead: set[int]) -> bytes:
    columns = _columns(data)
    pairs = zip(columns.numbers, columns.counts, strict=True)
    return b"".join(_posting(number, counts) for number, counts in pairs if number not in dead)


def _columns(data: bytes) -> Postings:
    pairs = array("I")
    pairs.frombytes(data)
    if sys.byteorder == "big":
        pairs.byteswap()
    return Postings(numbers=pairs[0::2], counts=pairs[1::2])
