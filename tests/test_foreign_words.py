"""The requests in words that the code lacks: format, spread, and what can be seen of their rules without trees."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Final

import pytest
from foreign_words import TASKS, ForeignTask, GoldFile, content_words, faults, foreign_tasks, overlap, stem_words

FIELDS: Final = frozenset(
    """id repo base_commit base_date language kind text edit_files new_files test_files new_test_files other_files
    source text_names_gold_file text_names_gold_symbol repo_files gap why""".split()  # noqa: SIM905  (one by one: half a page)
)
GAPS: Final = {"synonym", "user-visible effect", "domain term", "workflow description"}
CODE_LIKE: Final = re.compile(r"/|\\|`|::|->|\w_\w|\w\.\w|\w\(|[a-z][A-Z]")

each_task = pytest.mark.parametrize("task", foreign_tasks(), ids=lambda task: task.id)


def test_there_are_twenty_tasks():
    assert len(foreign_tasks()) == 20


def test_they_are_spread_over_twelve_repositories_and_eight_languages():
    tasks = foreign_tasks()
    assert len({task.repo for task in tasks}) >= 12
    assert len({task.language for task in tasks}) >= 8


def test_no_id_text_or_edit_is_given_twice():
    tasks = foreign_tasks()
    for seen in ([task.id for task in tasks], [task.text for task in tasks], [task.edit_files for task in tasks]):
        assert len(set(seen)) == len(tasks)


@each_task
def test_a_task_has_the_fields_of_the_benchmark_and_two_of_its_own(task: ForeignTask):
    assert task.fields == FIELDS


@each_task
def test_an_id_begins_with_the_repository_and_a_commit_is_whole(task: ForeignTask):
    assert re.fullmatch(re.escape(task.repo.replace("/", "__")) + r"-f\d+", task.id)
    assert re.fullmatch(r"[0-9a-f]{40}", task.base_commit)


@each_task
def test_a_kind_and_a_gap_are_of_those_that_are_known(task: ForeignTask):
    assert task.kind in {"feature", "bug"}
    assert task.gap in GAPS


@each_task
def test_gold_paths_are_inside_the_repository_and_tests_are_apart(task: ForeignTask):
    paths = [gold.path for gold in task.edit_files]
    assert paths
    assert not set(paths) & set(task.test_files)
    for path in (*paths, *task.test_files):
        assert not PurePosixPath(path).is_absolute()
        assert str(PurePosixPath(path)) == path
        assert ".." not in PurePosixPath(path).parts


@each_task
def test_hunks_are_ordered_apart_and_count_lines_from_one(task: ForeignTask):
    for gold in task.edit_files:
        ends = [end for hunk in gold.hunks for end in hunk]
        assert ends
        assert ends[0] >= 1
        assert ends == sorted(ends)
        assert all(after[0] > before[1] for before, after in zip(gold.hunks, gold.hunks[1:], strict=False))


@each_task
def test_a_text_is_one_to_four_sentences_without_code(task: ForeignTask):
    assert 1 <= len(re.findall(r"[.!?](?:\s|$)", task.text)) <= 4
    assert not CODE_LIKE.search(task.text)


@each_task
def test_a_text_never_says_a_gold_files_name(task: ForeignTask):
    assert not content_words(task.text) & stem_words(task)


def test_a_shared_word_is_found_in_any_spelling(tmp_path: Path):
    task = written(tmp_path, text="Count the retries, please.", source="def retried_call(): ...\n")
    assert overlap(task, tmp_path).shared == ("retri",)
    assert overlap(task, tmp_path).words == 3


def test_a_text_that_shares_too_many_words_is_at_fault(tmp_path: Path):
    task = written(tmp_path, text="Count the retries, please.", source="def retried_call(): ...\n")
    assert list(faults(task, tmp_path)) == ["0.33 of its words are in gold paths and names"]


def test_gold_that_is_not_in_the_tree_is_at_fault(tmp_path: Path):
    task = written(tmp_path, text="Ring a bell.", source="pass\n")
    beyond = replace(task, edit_files=(GoldFile(path="work.py", hunks=((1, 9),)),), test_files=("gone.py",))
    assert list(faults(beyond, tmp_path)) == ["no test file gone.py", "work.py has 2 lines"]


def written(folder: Path, *, text: str, source: str) -> ForeignTask:
    (folder / "work.py").write_text(source, encoding="utf-8")
    gold = (GoldFile(path="work.py", hunks=((1, 1),)),)
    return replace(foreign_tasks(TASKS)[0], text=text, edit_files=gold, test_files=())
