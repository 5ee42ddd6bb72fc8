"""The retrieval channels, one by one: what each puts first, and why."""

from __future__ import annotations

import pytest
from agenvantage.context.anchors import by_diff, by_frame, by_path, by_symbol, by_test
from agenvantage.context.channels import CHANNELS, LATER
from agenvantage.context.index import RepositoryIndex
from agenvantage.context.lexical import by_file_name, by_names, by_path_words, by_title, by_words
from agenvantage.context.past import by_commits, by_company, by_messages
from agenvantage.context.ranking import RegionScorer, rank_files
from agenvantage.context.task import read_task
from context_kit import fill


@pytest.fixture
def index(repository):
    fill(repository)
    repository.write("shop/parcel.py", "def wrap(box):\n    return box\n")
    repository.commit("Wrap fragile goods in bubbles")
    repository.write("shop/labels.py", "def label(box):\n    return str(box)\n")
    repository.write("shop/parcel.py", "def wrap(box):\n    return [box]\n")
    repository.commit("Print an address on each side")
    with RepositoryIndex.open(repository.path) as opened:
        yield opened


def best(ranking):
    return max(ranking.scores, key=lambda path: (ranking.scores[path], path))


def test_words_find_a_file_by_its_body(index):
    assert best(by_words(index, read_task("box"))) in {"shop/parcel.py", "shop/labels.py"}


def test_names_leave_out_files_that_only_use_a_word(index):
    assert set(by_names(index, read_task("wrap something")).scores) == {"shop/parcel.py"}


def test_the_title_channel_does_not_read_the_rest(index):
    assert "shop/parcel.py" not in by_title(index, read_task("label is odd\n\nwrap wrap wrap")).scores


def test_a_word_of_a_path_counts_for_all_files_below(index):
    assert by_path_words(index, read_task("the shop")).scores["shop/labels.py"] == 1.0


def test_a_file_name_with_fewer_other_words_is_nearer(index):
    found = by_file_name(index, read_task("parcel"))
    assert best(found) == "shop/parcel.py"
    assert found.reasons["shop/parcel.py"]


def test_a_name_spelled_like_code_leads_to_its_definition(index):
    found = by_symbol(index, read_task("`wrap` fails"))
    assert found.scores == {"shop/parcel.py": 1.0}
    assert found.reasons == {"shop/parcel.py": "defines wrap"}


def test_a_path_counts_more_than_a_bare_name(index):
    assert by_path(index, read_task("see shop/parcel.py")).scores["shop/parcel.py"] == 1.0
    assert 0 < by_path(index, read_task("see parcel.py")).scores["shop/parcel.py"] < 1.0


def test_the_frame_nearest_to_the_fault_comes_first(index):
    trace = (
        'Traceback (most recent call last):\n  File "shop/labels.py", line 2, in label\n'
        '  File "shop/parcel.py", line 2, in wrap\nValueError'
    )
    scores = by_frame(index, read_task(trace)).scores
    assert scores["shop/parcel.py"] > scores["shop/labels.py"] > 0


def test_a_frame_of_an_installed_package_counts_where_the_repository_is_that_package(index):
    trace = (
        'Traceback (most recent call last):\n  File "/usr/lib/python3/site-packages/shop/parcel.py", line 2, in wrap\n'
        '  File "/usr/lib/python3/site-packages/store/labels.py", line 2, in label\nValueError'
    )
    assert set(by_frame(index, read_task(trace)).scores) == {"shop/parcel.py"}


def test_a_failing_test_leads_to_its_file(index):
    found = by_test(index, read_task("FAILED tests/test_cart.py::test_total - AssertionError"))
    assert found.scores["tests/test_cart.py"] == 1.0


def test_files_of_a_diff_lead(index):
    diff = "Look at this\n\n--- a/shop/labels.py\n+++ b/shop/labels.py\n@@ -1 +1 @@\n-def label(box):\n+def label(b):\n"
    assert set(by_diff(index, read_task(diff)).scores) == {"shop/labels.py"}


def test_a_message_leads_to_what_its_commit_changed(index):
    assert best(by_commits(index, read_task("fragile bubbles"))) == "shop/parcel.py"
    assert set(by_messages(index, read_task("fragile bubbles")).scores) == {"shop/parcel.py"}


def test_what_changes_together_keeps_company(index):
    found = by_company(index, read_task("label"), ["shop/labels.py"])
    assert found.scores["shop/parcel.py"] == 1.0
    assert "shop/labels.py" in found.reasons["shop/parcel.py"]


def test_a_channel_left_out_says_nothing(index):
    names = {name for name, _, _ in (*CHANNELS, *LATER)} | {"regions"}
    for name in sorted(names):
        said = {s.channel for each in rank_files(index, read_task("wrap a box"), without={name}) for s in each.channels}
        assert name not in said


def test_a_further_channel_is_heard(index):
    def row(_index, _query):
        from agenvantage.context.channel import Ranking

        return Ranking(scores={"shop/labels.py": 1.0}, reasons={"shop/labels.py": "because"})

    ranked = rank_files(index, read_task("wrap a box"), more=(("own", 50.0, row),))
    assert ranked[0].file.path == "shop/labels.py"
    assert "because" in ranked[0].reasons


def test_no_score_is_above_one(index):
    assert all(0 <= each.score <= 1 for each in rank_files(index, read_task("wrap the box in shop/parcel.py")))


def test_a_file_is_read_once_for_ranking_and_regions(index):
    query = read_task("wrap a box")
    rank_files(index, query)
    assert RegionScorer(index, query).view("shop/parcel.py") is RegionScorer(index, query).view("shop/parcel.py")
