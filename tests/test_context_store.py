"""The index file: whole or not at all, and small again when contents have gone."""

from __future__ import annotations

import sqlite3

import pytest
from agenvantage.context.errors import IndexDamaged
from agenvantage.context.packed import Packed, pack
from agenvantage.context.parse import analyse
from agenvantage.context.store import Store, open_store


def packed(text: str) -> Packed:
    return pack(analyse(text.encode(), "a.py"))


def filled(store: Store, numbers: range) -> None:
    store.add({(f"content{n}", "python"): packed(f"def alpha_{n}(): ...\n") for n in numbers})
    store.fold()


def holders(store: Store, term: str) -> list[int]:
    found = store.postings([term])
    return sorted(found[term].numbers) if term in found else []


def test_what_is_added_twice_is_kept_once(tmp_path):
    store = open_store(tmp_path / "i.sqlite")
    filled(store, range(3))
    filled(store, range(5))
    assert len(store.cards()) == 5
    assert len(holders(store, "alpha")) == 5
    store.close()


def test_terms_are_found_before_and_after_they_are_folded(tmp_path):
    store = open_store(tmp_path / "i.sqlite")
    filled(store, range(100))
    assert len(holders(store, "alpha")) == 100
    filled(store, range(100, 200))
    filled(store, range(200, 210))
    assert len(holders(store, "alpha")) == 210
    assert holders(store, "alpha_7") == [8]
    store.close()


def test_contents_that_no_tree_has_are_forgotten(tmp_path):
    store = open_store(tmp_path / "i.sqlite")
    filled(store, range(1_100))
    live = {card.number for card in list(store.cards().values())[:10]}
    store.prune(live)
    assert {card.number for card in store.cards().values()} == live
    assert set(holders(store, "alpha")) == live
    assert store.defining("ALPHA_3") == (4,)
    assert store.defining("alpha_1050") == ()
    store.close()


def test_an_addition_that_fails_leaves_nothing(tmp_path):
    store = open_store(tmp_path / "i.sqlite")
    whole = packed("x = 1\n")
    with pytest.raises(sqlite3.Error):
        store.add({("one", "python"): whole, ("two", object()): whole})  # type: ignore[dict-item]
    assert store.cards() == {}
    store.close()


def test_only_the_newest_derived_values_are_kept(tmp_path):
    store = open_store(tmp_path / "i.sqlite")
    for number in range(80):
        store.keep_derived(f"map:{number}", str(number))
    assert store.derived("map:79") == "79"
    assert store.derived("map:3") is None
    store.close()


CHANGES = {
    "facts": "UPDATE facts SET data = (SELECT data FROM facts WHERE id = 2) WHERE id = 1",
    "facts that are gone": "DELETE FROM facts WHERE id = 1",
    "contents": "UPDATE contents SET lines = lines + 1 WHERE id = 1",
    "postings": "UPDATE postings SET data = data || X'0100000001000000'",
    "another term's postings": "UPDATE postings SET data = (SELECT data FROM postings LIMIT 1)",
    "loose": "UPDATE loose SET data = (SELECT data FROM loose WHERE id = 203) WHERE id = 202",
    "definitions": "UPDATE definitions SET id = 2 WHERE id = 1",
    "derived": "UPDATE derived SET value = X'00' || value",
    "trees": "UPDATE trees SET key = 'other'",
    "commits": "UPDATE commits SET data = X'00' || data",
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_row_that_changed_on_disk_is_not_believed(tmp_path, change):
    place = tmp_path / "i.sqlite"
    store = open_store(place)
    filled(store, range(200))
    filled(store, range(200, 210))
    store.keep_derived("map", "drawn")
    store.keep_tree("tree", b"files")
    store.add_commits({"c0ffee": b"told"})
    store.close()
    connection = sqlite3.connect(place)
    connection.execute(CHANGES[change])
    connection.commit()
    connection.close()
    store = open_store(place)
    with pytest.raises(IndexDamaged):
        everything(store)
    assert not place.exists()


def everything(store: Store) -> None:
    store.cards()
    for number in range(1, 211):
        store.facts(number)
    store.postings(store.terms())
    store.defining("alpha_0")
    store.derived("map")
    store.newest_tree()
    store.commits(["c0ffee"])


def test_all_that_was_kept_is_believed(tmp_path):
    store = open_store(tmp_path / "i.sqlite")
    filled(store, range(200))
    filled(store, range(200, 210))
    everything(store)
    assert store.postings(["nowhere"]) == {}
    assert store.defining("nowhere") == ()
    store.close()
