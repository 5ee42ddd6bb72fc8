"""While a new index is being built: what is answered at once, what speaks for a part, and that all is there later."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest
from agenvantage.adapters.mcp_log import CallLog
from agenvantage.adapters.mcp_tools import TreeTools
from agenvantage.context.index import RepositoryIndex
from agenvantage.context.tokens import count
from agenvantage.context.tools import call
from conftest import RealRepository

MANY = 100


@pytest.fixture
def cold(repository: RealRepository) -> RealRepository:
    """A repository that takes several batches to read."""
    for number in range(MANY):
        repository.write(f"part_{number}.py", f'def part_{number}():\n    raise KeyError("part {number} is lost")\n')
    repository.commit()
    return repository


class Held:
    """Progress that stops the reading after its first batch, until it is let go."""

    def __init__(self) -> None:
        self.reached = threading.Event()
        self.free = threading.Event()

    def __call__(self, done: int, total: int) -> None:
        self.reached.set()
        assert self.free.wait(60)


@contextmanager
def held_back(folder: Path, processes: int = 0) -> Iterator[tuple[RepositoryIndex, Held]]:
    """A cold index whose reading goes no further until the test says so."""
    held = Held()
    index = RepositoryIndex.open(folder, background=True, progress=held, processes=processes)
    try:
        assert held.reached.wait(60)
        yield index, held
    finally:
        held.free.set()
        index.close()


def test_a_piece_of_text_is_found_before_the_index_is_complete(cold):
    with held_back(cold.path) as (index, _):
        answer = call(index, "search", {"query": f'"part {MANY - 1} is lost"'})
        assert answer.files[0][0] == f"part_{MANY - 1}.py"
        assert not index.complete


def test_a_lone_name_is_found_before_the_index_is_complete(cold):
    with held_back(cold.path) as (index, _):
        found = {path for path, _, _ in call(index, "search", {"query": f"part_{MANY - 1}"}).files}
    assert f"part_{MANY - 1}.py" in found


def test_a_file_is_read_before_the_index_knows_it(cold):
    with held_back(cold.path) as (index, _):
        answer = call(index, "read", {"location": f"part_{MANY - 1}.py"})
    assert f"def part_{MANY - 1}" in answer.text and "still being built" not in answer.text


@pytest.mark.parametrize(
    ("tool", "arguments"), [("search", {"query": "part lost"}), ("symbol", {"name": "part_99"}), ("repo_map", {})]
)
def test_an_answer_that_needs_the_whole_index_says_how_far_it_is(cold, tool, arguments):
    with held_back(cold.path) as (index, _):
        answer = call(index, tool, arguments)
        assert f"still being built: {index.filling.done} of {index.filling.total} files" in answer.text
        assert answer.structured["index"]["complete"] is False
        assert answer.structured["index"]["total"] == MANY + 2


@pytest.mark.parametrize("budget", [100, 300])
@pytest.mark.parametrize(("tool", "arguments"), [("search", {"query": '"part 7 is lost"'}), ("repo_map", {})])
def test_the_words_about_it_are_within_the_budget(cold, tool, arguments, budget):
    with held_back(cold.path) as (index, _):
        answer = call(index, tool, {**arguments, "budget": budget})
    assert "still being built" in answer.text and answer.tokens == count(answer.text) <= budget


def test_once_the_index_is_complete_the_same_call_finds_all(cold):
    with held_back(cold.path) as (index, held):
        before = call(index, "symbol", {"name": "part_99"})
        held.free.set()
        after = call(index.wait(), "symbol", {"name": "part_99"})
    assert before.files == ()
    assert after.files[0][0] == "part_99.py" and "still being built" not in after.text


def test_an_index_that_was_built_meanwhile_equals_one_that_was_waited_for(cold, tmp_path):
    with held_back(cold.path) as (index, held):
        held.free.set()
        meanwhile = index.wait()
        with RepositoryIndex.open(cold.path, cache_dir=tmp_path / "other") as waited:
            assert [file.path for file in meanwhile.files] == [file.path for file in waited.files]
            assert [meanwhile.symbols(f.path) for f in waited.files] == [waited.symbols(f.path) for f in waited.files]


def test_what_is_written_meanwhile_is_found_in_the_end(cold):
    with held_back(cold.path) as (index, held):
        cold.write("late.py", "def late(): ...\n")
        held.free.set()
        assert call(index.wait(), "symbol", {"name": "late"}).files[0][0] == "late.py"


def test_workers_stand_back_while_others_wait_for_answers(cold):
    for number in range(MANY, 3 * MANY):
        cold.write(f"part_{number}.py", f"def part_{number}(): ...\n")
    with held_back(cold.path, processes=1):
        own = psutil.Process().nice()
        assert [each.nice() > own for each in psutil.Process().children()] == [True]


def answered(tools: TreeTools, tool: str, /, **arguments: object) -> str:
    return str(tools.call(tool, arguments, {})["content"][0]["text"])


@contextmanager
def served(folder: Path, patience_seconds: float) -> Iterator[TreeTools]:
    tools = TreeTools(folder, cache_dir=None, identity=None, log=CallLog(None), patience_seconds=patience_seconds)
    try:
        yield tools
    finally:
        tools.close()


def test_an_agent_that_is_patient_gets_a_whole_answer_from_a_cold_tree(cold):
    with served(cold.path, 60) as tools:
        assert "still being built" not in answered(tools, "symbol", name="part_99")


def test_an_agents_later_answer_is_whole(cold):
    with served(cold.path, 0) as tools:
        while "still being built" in (text := answered(tools, "symbol", name="part_99")):
            pass
    assert "def part_99" in text


def test_an_index_that_could_not_be_built_meanwhile_is_built_for_the_answer(cold):
    with served(cold.path, 60) as tools:
        index = tools._opened()
        index.wait()
        index.filling.failure = OSError("no space left on device")
        tools._index = index
        assert "def part_99" in answered(tools, "symbol", name="part_99")


def test_a_person_waits_for_the_whole_index(cold):
    from run_kit import agenvantage

    told = agenvantage("symbol", "part_99", "--repo", cold.path, "--json").document
    assert "index" not in told and json.dumps(told).count("def part_99") == 1
