"""Worker processes that read files: none is lost when one dies, and none stays behind."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import psutil
from agenvantage.context.analysing import Job
from agenvantage.context.files import content_id
from agenvantage.context.packed import unpacked
from agenvantage.context.workers import Desk, analysed

DIES_OF_BAD = """
import os, sys
from pathlib import Path
from agenvantage.context import workers
real = workers.work
def work(root, job):
    if b"bad" in job.path and job.without_parser is None:
        os.kill(os.getpid(), 9)
    return real(root, job)
workers.work = work
workers.serve(sys.argv[1])
"""


def tree(folder: Path, names) -> list[Job]:
    jobs = []
    for name in names:
        data = f"def from_{name}(): ...\n".encode()
        (folder / f"{name}.py").write_bytes(data)
        jobs.append(Job(path=f"{name}.py".encode(), content=content_id(data), changed=True, listed_ns=0))
    return jobs


def dying(root: Path) -> subprocess.Popen[bytes]:
    words = (sys.executable, "-c", DIES_OF_BAD, str(root))
    return subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def names_in(packed) -> list[str]:
    return [symbol.name for symbol in unpacked(packed.facts).symbols]


def children() -> set[int]:
    found = psutil.Process().children(recursive=True)
    return {child.pid for child in found if child.status() != psutil.STATUS_ZOMBIE}


def test_many_files_are_read_side_by_side_each_once(tmp_path):
    jobs = tree(tmp_path, [f"m{number}" for number in range(250)])
    results = [pair for batch in analysed(tmp_path, jobs, processes=2) for pair in batch]
    assert sorted(job.path for job, _ in results) == sorted(job.path for job in jobs)
    assert {names_in(packed)[0] for _, packed in results} == {f"from_m{number}" for number in range(250)}


def test_no_worker_is_left_when_all_is_read_or_given_up(tmp_path):
    before = children()
    jobs = tree(tmp_path, [f"m{number}" for number in range(300)])
    for _ in analysed(tmp_path, jobs, processes=2):
        pass
    half_way = analysed(tmp_path, jobs, processes=2)
    next(half_way)
    half_way.close()
    assert children() <= before


def test_a_worker_that_is_killed_loses_no_file(tmp_path):
    jobs = tree(tmp_path, [f"m{number}" for number in range(400)])
    before = children()
    results = analysed(tmp_path, jobs, processes=2)
    found = list(next(results))
    for pid in children() - before:
        os.kill(pid, 9)
    found += [pair for batch in results for pair in batch]
    assert len(found) == 400
    assert all(packed is not None for _, packed in found)


def test_a_file_that_ends_its_worker_each_time_is_read_without_its_parser_and_alone(tmp_path):
    jobs = tree(tmp_path, ["good1", "bad", "good2"])
    desk = Desk(tmp_path, dying)
    try:
        results = {job.path: packed for job, packed in desk.done(jobs)}
    finally:
        desk.close()
    assert results[b"bad.py"].problem == "the parser crashed or hung"
    assert results[b"bad.py"].parser != "tree-sitter"
    assert (results[b"good1.py"].problem, results[b"good2.py"].problem) == (None, None)
    assert names_in(results[b"good2.py"]) == ["from_good2"]


def test_a_worker_ends_with_its_parent(tmp_path):
    jobs = tree(tmp_path, [f"m{number}" for number in range(300)])
    del jobs
    script = f"""
import os, sys
from pathlib import Path
from agenvantage.context.workers import _started
worker = _started(Path({str(tmp_path)!r}))
print(worker.pid, flush=True)
os.kill(os.getpid(), 9)
"""
    done = subprocess.run((sys.executable, "-c", script), capture_output=True, text=True, check=False)
    pid = int(done.stdout)
    for _ in range(100):
        if not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
            return
        time.sleep(0.1)
    raise AssertionError("the worker outlived its parent")


def test_a_file_that_changed_since_it_was_listed_is_left_out(tmp_path):
    (job,) = tree(tmp_path, ["a"])
    (tmp_path / "a.py").write_text("other\n")
    assert [packed for batch in analysed(tmp_path, [job]) for _, packed in batch] == [None]
