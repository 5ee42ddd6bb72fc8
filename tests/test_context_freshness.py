"""A file is in the index as it was listed, or waits for the next look."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from agenvantage.context.analysing import same
from agenvantage.context.files import content_id, listed, read_with_status
from agenvantage.context.git import Asked, discover
from agenvantage.context.index import RepositoryIndex
from agenvantage.context.store import Store, open_store


def read(folder: Path, data: bytes) -> tuple[bytes, os.stat_result]:
    (folder / "a.txt").write_bytes(data)
    found = read_with_status(folder, "a.txt")
    assert found is not None
    return found


LATER = time.time_ns() + 10**15


def test_bytes_with_the_listed_id_are_the_listed_file_whenever_they_were_written(tmp_path):
    data, status = read(tmp_path, b"x\n")
    assert same(content_id(b"x\n"), data, status, changed=False, listed_ns=0)


def test_other_bytes_of_a_clean_file_stand_if_they_are_older_than_the_list(tmp_path):
    data, status = read(tmp_path, b"x\r\n")
    assert same(content_id(b"x\n"), data, status, changed=False, listed_ns=LATER)


def test_other_bytes_that_are_newer_than_the_list_wait(tmp_path):
    data, status = read(tmp_path, b"x\r\n")
    assert not same(content_id(b"x\n"), data, status, changed=False, listed_ns=status.st_ctime_ns)


@pytest.mark.parametrize("data", [b"", b"half"])
def test_a_file_that_is_being_written_waits(tmp_path, data):
    _, status = read(tmp_path, b"half of it\n")
    assert not same(content_id(b"x\n"), data, status, changed=False, listed_ns=LATER)


def test_other_bytes_of_a_changed_file_wait(tmp_path):
    data, status = read(tmp_path, b"y\n")
    assert not same(content_id(b"x\n"), data, status, changed=True, listed_ns=LATER)


def test_a_file_that_waited_is_taken_in_by_the_next_look(repository):
    hidden = repository.path / "calc.py"
    text = hidden.read_bytes()

    class Late(Store):
        """Takes the file away once the tree has been listed."""

        def removals(self) -> int:
            hidden.unlink(missing_ok=True)
            return super().removals()

    place = discover(repository.path)
    listing = listed(place)
    from agenvantage.context.index import _How, _silent, _state

    state = _state(Late(None), listing, {}, _How(progress=_silent))
    store = Store(None)
    index = RepositoryIndex(place, store, listing, state, "x")
    assert index.by_path["calc.py"].skipped == "pending"
    hidden.write_bytes(text)
    after = index.refresh()
    assert after.by_path["calc.py"].skipped is None
    assert not after.unread


def test_two_stores_of_one_file_in_one_process_see_each_other(tmp_path):
    path = tmp_path / "i.sqlite"
    first = open_store(path)
    inode = path.stat().st_ino
    second = open_store(path)
    first.keep_derived("a", "1")
    assert second.derived("a") == "1"
    assert path.stat().st_ino == inode
    first.close()
    second.close()


def test_git_is_asked_several_things_at_once(repository):
    many = [Asked(repository.path, "rev-parse", "HEAD") for _ in range(3)]
    assert len({each.answer() for each in many}) == 1
