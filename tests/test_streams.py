"""The command with standard streams that are closed, full, gone, or in a small alphabet."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
from pathlib import Path

import pytest
from conftest import RealRepository, make_repository
from run_kit import CHECK, COMMAND, FIX, agenvantage, places, python_agent, run_agent

needs_full = pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")


def shell(repository: RealRepository, streams: str, *more: str, **variables: str) -> subprocess.CompletedProcess[str]:
    run = (
        *COMMAND, "run", "--repo", str(repository.path), "--agent-command", python_agent(FIX), "--task", "x",
        "--verify", CHECK, *more,
    )  # fmt: skip
    return subprocess.run(
        f"{shlex.join(run)} {streams}", shell=True, capture_output=True, text=True, check=False, timeout=60,
        env=os.environ | variables,
    )  # fmt: skip


def test_with_its_errors_closed_a_run_prints_its_document_alone(repository: RealRepository) -> None:
    done = shell(repository, "2>&-", "--json")
    assert (done.returncode, json.loads(done.stdout)["outcome"]) == (0, "solved")


def test_with_every_stream_closed_a_run_is_carried_out(repository: RealRepository) -> None:
    assert shell(repository, "<&- >&- 2>&-", "--json").returncode == 0
    assert agenvantage("traces", "list", "--json").document["runs"][0]["outcome"] == "solved"


@needs_full
def test_a_run_goes_on_where_nobody_can_be_told(repository: RealRepository) -> None:
    done = shell(repository, "2>/dev/full", "--json")
    assert (done.returncode, json.loads(done.stdout)["outcome"]) == (0, "solved")


@needs_full
def test_a_report_that_can_not_be_printed_is_told_in_a_line_and_the_run_is_kept(repository: RealRepository) -> None:
    done = shell(repository, ">/dev/full", "--json")
    assert done.returncode == 3 and "standard output" in done.stderr and "Traceback" not in done.stderr
    assert agenvantage("traces", "list", "--json").document["runs"][0]["outcome"] == "solved"


def test_a_reader_that_left_makes_no_verdict(repository: RealRepository) -> None:
    # The left side's own exit code, which a pipe hides, goes to the errors.
    done = shell(repository, "; echo left $? >&2", "--json").stderr
    assert done.endswith("left 0\n")
    done = shell(repository, "| true", "--json").stderr
    assert "Traceback" not in done and "Exception ignored" not in done


def test_an_alphabet_without_our_marks_gets_them_spelled(repository: RealRepository) -> None:
    done = shell(repository, "", LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0")
    assert done.returncode == 0 and done.stdout.startswith("\\u2713 solved")


def test_a_repository_whose_name_is_no_text_is_run_and_listed(tmp_path: Path) -> None:
    made = make_repository(tmp_path / os.fsdecode(b"bad\xff\xfe"))
    made.write("calc.py", "def add(a, b):\n    return a - b\n")
    made.commit()
    done = run_agent(made.path, FIX + "; open(b'new\\xff.txt', 'w')", "--verify", "true", "--optimize-context")
    assert done.document["outcome"] == "solved"
    assert agenvantage("traces", "list").code == agenvantage("traces", "show").code == 0
    assert agenvantage("map", "--repo", made.path).code == 0


def test_a_data_folder_that_is_a_file_is_told_in_a_line(repository: RealRepository, tmp_path: Path) -> None:
    (places()["STATE"] / "runs").mkdir(parents=True)
    (tmp_path / "file").touch()
    done = run_agent(repository.path, FIX, "--data-dir", tmp_path / "file")
    assert done.code == 3 and str(tmp_path / "file") in done.err and "Traceback" not in done.err
