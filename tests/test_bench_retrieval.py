"""`agenvantage bench retrieval` on three small tasks over the demo's repository, and what it says of bad input."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path

import pytest
from agenvantage.context.index import RepositoryIndex
from agenvantage.runner.configuration import load
from agenvantage.runner.retrieval import Way, answer
from agenvantage.runner.retrieval_tasks import (
    BadLine,
    NoTree,
    Words,
    find_trees,
    prediction,
    read_predictions,
    read_tasks,
)
from agenvantage.runner.retrieval_trees import as_repository
from context_kit import fill
from run_kit import Ended, agenvantage

TASKS = Path(__file__).with_name("data") / "retrieval" / "tasks.jsonl"
DEMO = Path(__file__).parents[1] / "runner" / "demo" / "repository"
PROMISED = {"id", "files", "regions", "test_files", "readiness", "tokens", "seconds"}


def bench(out: Path, *more: object, tasks: Path = TASKS, repos: Path = TASKS.parent) -> Ended:
    return agenvantage("bench", "retrieval", "--tasks", tasks, "--repos", repos, "--out", out, *more)


def digest(folder: Path) -> str:
    """Of all that lies below a folder."""
    found = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if "__pycache__" not in path.parts:
            found.update(str(path).encode() + (path.read_bytes() if path.is_file() else b""))
    return found.hexdigest()


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    """One run of the whole command."""
    folder = tmp_path_factory.mktemp("bench")
    before = digest(DEMO), digest(TASKS.parent)
    ended = bench(folder / "found.jsonl", "--json", "--cache-dir", folder / "cache")
    return ended, folder / "found.jsonl", before == (digest(DEMO), digest(TASKS.parent))


def test_each_task_gets_a_line_with_what_was_promised(done):
    ended, out, _ = done
    assert ended.code == 0, ended.err
    lines = [json.loads(line) for line in out.read_text().splitlines()]
    assert [line["id"] for line in lines] == [task.id for task in read_tasks(TASKS)]
    assert all(line.keys() >= PROMISED for line in lines)


def test_the_trees_are_only_read(done):
    assert done[2]


def test_regions_are_places_of_the_tree_within_the_budget(done):
    for entry in read_predictions(done[1]).values():
        assert entry["tokens"] <= 6_000
        for region in prediction(entry).regions:
            assert region.end <= len((DEMO / region.path).read_text().splitlines())


def test_the_document_has_the_figures_of_all_and_of_groups(done):
    document = done[0].document
    assert document["schema"] == "agenvantage.bench-retrieval/1"
    assert (document["tasks"], document["predicted"], document["hallucinated"]) == (3, 3, [])
    groups = {group["name"]: group["figures"] for group in document["groups"]}
    assert groups["all"]["recall@10"]["value"] == 1.0
    assert {"kind: bug", "kind: feature"} <= groups.keys()
    assert sum(sum(row[name] for name in row if name != "readiness") for row in document["verdicts"]["counts"]) == 3


def test_progress_is_told_with_a_count_and_a_time(done):
    assert "3 of 3: ledger-" in done[0].err and " s so far" in done[0].err


def test_what_is_there_already_is_not_planned_again(done, tmp_path):
    out = shutil.copy(done[1], tmp_path / "found.jsonl")
    again = bench(out)
    assert "3 predictions are kept, 0 are outdated" in again.err
    assert out.read_text() == done[1].read_text()


def test_predictions_made_otherwise_are_made_again(done, tmp_path):
    out = shutil.copy(done[1], tmp_path / "found.jsonl")
    assert "0 predictions are kept, 1 are outdated" in bench(out, "--limit", "1", "--budget", "3000").err
    assert [entry["budget"] for entry in read_predictions(out).values()] == [3_000, 6_000, 6_000]


def test_an_interrupted_run_is_gone_on_with(done, tmp_path):
    out = tmp_path / "found.jsonl"
    out.write_text(done[1].read_text().splitlines(keepends=True)[1])
    assert "1 of 2: " in bench(out).err
    assert [*read_predictions(out)] == [task.id for task in read_tasks(TASKS)]


def test_only_the_named_tasks_are_planned(tmp_path):
    bench(tmp_path / "found.jsonl", "--only", "ledger-who-paid")
    assert [*read_predictions(tmp_path / "found.jsonl")] == ["ledger-who-paid"]


def test_an_unknown_task_is_a_usage_error(tmp_path):
    ended = bench(tmp_path / "found.jsonl", "--only", "nothing")
    assert ended.code == 2 and "no task 'nothing'" in ended.err
    assert not (tmp_path / "found.jsonl").exists()


def test_a_person_reads_a_table(done, tmp_path):
    out = shutil.copy(done[1], tmp_path / "found.jsonl")
    told = bench(out).out
    assert told.startswith("3 of 3 tasks in 1 repositories, 6,000 tokens of o200k_base")
    assert "called sufficient with no gold file" in told


def test_what_leaving_out_a_channel_changes_is_told(tmp_path):
    ended = bench(tmp_path / "found.jsonl", "--ablate", "--json", "--only", "ledger-thousands")
    rows = {row["channel"]: row["differences"] for row in ended.document["ablation"]}
    assert rows.keys() >= {"words"}
    assert read_predictions(tmp_path / "found.without-words.jsonl")["ledger-thousands"]["without"] == ["words"]
    assert all({"recall@10", "line_recall", "seconds"} <= row.keys() for row in rows.values())


# What the ranker may know


def test_the_ranker_is_handed_the_words_alone(repository, tmp_path):
    assert set(Words.__slots__) == {"id", "text"}
    fill(repository)
    way = Way(settings=load({"cache_dir": tmp_path}, repository=None).settings)
    with RepositoryIndex.open(repository.path, cache_dir=tmp_path) as index:
        found = answer(index, Words(id="one", text="Cart.total crashes with ExpiredVoucher"), way)
        other = answer(index, Words(id="two", text="Cart.total crashes with ExpiredVoucher"), way)
    assert found["files"][:2] and found["files"] == other["files"] and found["regions"] == other["regions"]


def test_words_that_cannot_be_planned_get_an_empty_prediction_that_says_why(repository, tmp_path):
    fill(repository)
    way = Way(settings=load({"cache_dir": tmp_path}, repository=None).settings)
    with RepositoryIndex.open(repository.path, cache_dir=tmp_path) as index:
        found = answer(index, Words(id="one", text="  "), way)
    assert found["files"] == [] and found["error"]["type"] == "empty_task"


def test_a_path_that_scorers_refuse_is_not_said(repository, tmp_path):
    repository.write("till\\voucher.py", "class ExpiredVoucher: ...\n")
    fill(repository)
    way = Way(settings=load({"cache_dir": tmp_path}, repository=None).settings)
    with RepositoryIndex.open(repository.path, cache_dir=tmp_path) as index:
        found = answer(index, Words(id="one", text="ExpiredVoucher is raised too early in voucher.py"), way)
    assert prediction(found).files


# Trees


def test_a_plain_folder_becomes_a_repository_with_all_its_files(tmp_path):
    plain = tmp_path / "plain"
    (plain / "build").mkdir(parents=True)
    (plain / ".gitignore").write_text("build/\n")
    (plain / "build" / "kept.py").write_bytes(b"x = 1\r\n")
    with as_repository(plain) as folder, RepositoryIndex.open(folder, cache_dir=tmp_path / "cache") as index:
        assert [file.path for file in index.files] == [".gitignore", "build/kept.py"]
        assert not index.revision.changes
    assert sorted(path.name for path in plain.iterdir()) == [".gitignore", "build"]
    assert not folder.exists()


def test_a_repository_is_used_where_it_lies(repository):
    with as_repository(repository.path) as folder:
        assert folder == repository.path


def test_a_folder_inside_another_repository_is_not_taken_for_that_one(repository):
    (repository.path / "inner").mkdir()
    with as_repository(repository.path / "inner") as folder:
        assert folder != repository.path / "inner"


def test_trees_lie_by_repository_and_commit_where_no_manifest_says_otherwise(tmp_path):
    (tasks,) = write(tmp_path, GOOD)
    (tmp_path / "o+r" / "0123456789ab").mkdir(parents=True)
    assert find_trees(tmp_path, read_tasks(tasks)) == {"x": tmp_path / "o+r" / "0123456789ab"}


def test_a_manifest_says_where_a_tree_lies(tmp_path):
    tasks, _ = write(tmp_path, GOOD, manifest={"id": "x", "path": "elsewhere"})
    (tmp_path / "elsewhere").mkdir()
    assert find_trees(tmp_path, read_tasks(tasks)) == {"x": tmp_path / "elsewhere"}


def test_a_missing_tree_is_named(tmp_path):
    (tasks,) = write(tmp_path, GOOD)
    with pytest.raises(NoTree, match=r"no tree for x: .*o\+r/0123456789ab is no folder"):
        find_trees(tmp_path, read_tasks(tasks))


# Bad input

GOOD = {
    "id": "x", "repo": "o/r", "base_commit": "0123456789abcdef", "text": "words",
    "edit_files": [{"path": "a.py", "hunks": [[1, 2]]}], "test_files": ["t.py"],
}  # fmt: skip


def write(folder: Path, *tasks: object, manifest: object = None) -> list[Path]:
    files = {"tasks.jsonl": tasks, "manifest.jsonl": [manifest] if manifest else ()}
    written = []
    for name, entries in files.items():
        if entries:
            written.append(folder / name)
            written[-1].write_text("".join(json.dumps(entry) + "\n" for entry in entries))
    return written


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"id": None}, "`id` is missing"),
        ({"id": 3}, "`id` is not a text"),
        ({"text": None}, "`text` is not a text"),
        ({"repo": "../x"}, "`repo` or `base_commit` is no name"),
        ({"base_commit": "a/b"}, "`repo` or `base_commit` is no name"),
        ({"edit_files": None}, "`edit_files` is missing"),
        ({"edit_files": ["a.py"]}, "`edit_files` is not a list of objects"),
        ({"edit_files": [{"path": "/etc/passwd", "hunks": [[1, 1]]}]}, "'/etc/passwd' is no path relative"),
        ({"edit_files": [{"path": "a/../../b", "hunks": [[1, 1]]}]}, "is no path relative"),
        ({"edit_files": [{"path": "a.py", "hunks": [[3, 1]]}]}, r"\[3, 1\], which is no range of lines"),
        ({"edit_files": [{"path": "a.py", "hunks": []}]}, "is not a list of ranges"),
        ({"edit_files": GOOD["edit_files"] * 2}, "`edit_files` has a path twice"),
        ({"test_files": "t.py"}, "`test_files` is not a list of paths"),
        ({"repo_files": "many"}, "`repo_files` is not a number"),
        ({"repo_files": True}, "`repo_files` is not a number"),
    ],
)
def test_a_bad_task_is_named_by_file_and_line(tmp_path, change, why):
    (tasks,) = write(tmp_path, GOOD, {**GOOD, "id": "y", **change})
    with pytest.raises(BadLine, match=rf"tasks\.jsonl:2: .*{why}"):
        read_tasks(tasks)


@pytest.mark.parametrize("line", [b"{", b"[1]", b"\xff\xfe", b"[" * 100_000])
def test_a_line_that_is_no_object_is_named(tmp_path, line):
    (tmp_path / "tasks.jsonl").write_bytes(json.dumps(GOOD).encode() + b"\n\n" + line + b"\n")
    with pytest.raises(BadLine, match=r"tasks\.jsonl:3: it is no JSON"):
        read_tasks(tmp_path / "tasks.jsonl")


def test_a_task_twice_is_named(tmp_path):
    (tasks,) = write(tmp_path, GOOD, GOOD)
    with pytest.raises(BadLine, match=r"tasks\.jsonl:2: there is a task 'x' already"):
        read_tasks(tasks)


def test_an_empty_file_has_no_task(tmp_path):
    (tmp_path / "tasks.jsonl").write_text("\n")
    with pytest.raises(BadLine, match="there is no task"):
        read_tasks(tmp_path / "tasks.jsonl")


def test_a_file_that_holds_something_else_is_not_written_over(tmp_path):
    out = tmp_path / "notes.txt"
    out.write_text("my notes\n")
    ended = bench(out)
    assert ended.code == 2 and f"{out}:1: it is no JSON" in ended.err
    assert out.read_text() == "my notes\n"


def test_a_missing_tasks_file_is_named(tmp_path):
    ended = bench(tmp_path / "found.jsonl", tasks=tmp_path / "none.jsonl")
    assert ended.code == 2 and "none.jsonl can't be read" in ended.err


@pytest.mark.parametrize(
    "change",
    [
        {"files": "a.py"}, {"files": ["/a"]}, {"files": ["a/../../b"]}, {"seconds": "1"}, {"id": ""},
        {"regions": [{"path": "a", "start": 0, "end": 3}]}, {"regions": [{"path": "a", "start": 5, "end": 3}]},
    ],
)  # fmt: skip
def test_a_bad_prediction_is_refused(change):
    with pytest.raises(ValueError, match=r"is no|is not|missing"):
        prediction({"id": "x", "files": ["a.py"], **change})
