"""The file of vectors beside an index: kept, shared, and never in the way."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

import pytest
from agenvantage.context import vectors
from agenvantage.context.vectors import beside, keep, kept


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "index.vectors.sqlite"


def test_what_was_kept_is_found_again(place: Path) -> None:
    keep(place, {"a": b"1", "b": b"2"})
    assert kept(place, ["b", "c"]) == {"b": b"2"}


def test_many_keys_can_be_asked_for_at_once(place: Path) -> None:
    rows = {f"{number}": b"x" for number in range(1_200)}
    keep(place, rows)
    assert kept(place, rows) == rows


def test_the_file_is_for_its_owner_alone(place: Path) -> None:
    keep(place, {"a": b"1"})
    assert place.stat().st_mode & 0o077 == 0


def test_a_damaged_file_is_dropped_and_made_anew(place: Path) -> None:
    place.write_bytes(b"no database at all" * 100)
    assert kept(place, ["a"]) == {}
    keep(place, {"a": b"1"})
    assert kept(place, ["a"]) == {"a": b"1"}


def test_a_file_damaged_in_its_middle_is_no_obstacle(place: Path) -> None:
    keep(place, {f"{number:05}": bytes(2_000) for number in range(200)})
    size = place.stat().st_size
    with place.open("r+b") as file:
        file.seek(4_096)
        file.write(os.urandom(size - 8_192))
    kept(place, [f"{number:05}" for number in range(200)])
    keep(place, {"a": b"1"})
    keep(place, {"a": b"1"})
    assert kept(place, ["a"]) == {"a": b"1"}


def test_a_folder_that_is_not_there_means_nothing_is_kept(tmp_path: Path) -> None:
    gone = tmp_path / "gone" / "index.vectors.sqlite"
    keep(gone, {"a": b"1"})
    assert kept(gone, ["a"]) == {}


def test_a_full_disk_is_gone_on_without(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keep(place, {"a": b"1"})

    def full(path: Path) -> sqlite3.Connection:
        connection = sqlite3.connect(path, isolation_level=None)
        connection.execute(f"PRAGMA max_page_count = {connection.execute('PRAGMA page_count').fetchone()[0]}")
        return connection

    monkeypatch.setattr(vectors, "_connect", full)
    keep(place, {"b": bytes(100_000)})
    assert kept(place, ["a", "b"]) == {"a": b"1"}


def test_two_may_write_at_once(place: Path) -> None:
    keep(place, {"a": b"1"})
    other = sqlite3.connect(place, isolation_level=None)
    other.execute("BEGIN")
    other.execute("SELECT * FROM vectors").fetchall()
    keep(place, {"b": b"2"})
    other.close()
    assert kept(place, ["a", "b"]) == {"a": b"1", "b": b"2"}


def test_the_oldest_are_forgotten(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectors, "_MOST_ROWS", 3)
    for number in range(5):
        keep(place, {f"{number}": b"x"})
    assert sorted(kept(place, "01234")) == ["2", "3", "4"]


def test_an_index_in_memory_has_no_file(tmp_path: Path) -> None:
    assert beside(None) is None
    assert beside(tmp_path / "abc.sqlite") == tmp_path / "abc.vectors.sqlite"


def test_without_a_file_nothing_is_kept() -> None:
    keep(None, {"a": b"1"})
    assert kept(None, ["a"]) == {}
