"""Runs and comparisons that are stopped midway: what was captured stays, nothing else does."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest
from conftest import RealRepository
from run_kit import CHECK, COMMAND, FIX, agenvantage, nothing_left, places, python_agent

SLOW = FIX + "; print('edited', flush=True); import time; time.sleep(120)"


def until(holds: Callable[[], object], seconds: float = 20.0) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it did not come to pass"
        time.sleep(0.05)


def started(repository: Path, code: str, *more: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        (*COMMAND, "run", "--repo", str(repository), "--agent", "exec", "--agent-command", python_agent(code),
         "--task", "Fix add()", "--json", *more),
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    )  # fmt: skip


def edited() -> bool:
    """The agent of the only living run has said that it has edited."""
    return any(path.read_bytes() for path in (places()["STATE"] / "runs").glob("*/stdout"))


def carrying_a_marker() -> list[int]:
    """Living processes that belong to a run of this test."""
    runs = {path.name for path in (places()["DATA"] / "runs").glob("*")}
    names = {name.removesuffix(".partial") for name in runs}
    found = []
    for process in psutil.process_iter():
        try:
            if process.status() != psutil.STATUS_ZOMBIE and process.environ().get("AGENVANTAGE_RUN") in names:
                found.append(process.pid)
        except psutil.Error:
            continue
    return found


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_stopped_run_is_interrupted_with_its_work_kept(repository: RealRepository, number: signal.Signals) -> None:
    running = started(repository.path, SLOW, "--verify", CHECK)
    until(edited)
    running.send_signal(number)
    out, _ = running.communicate(timeout=30)
    document = json.loads(out)
    assert (running.returncode, document["outcome"]) == (130, "interrupted")
    assert [entry["path"] for entry in document["files_modified"]] == ["calc.py"]
    assert document["verify"] == [] and nothing_left() and carrying_a_marker() == []


def test_a_killed_run_is_cleared_by_gc_and_its_work_kept(repository: RealRepository) -> None:
    running = started(repository.path, SLOW)
    until(edited)
    running.kill()
    running.communicate()
    until(lambda: not carrying_a_marker())
    cleared = agenvantage("gc", "--json")
    assert (cleared.code, len(cleared.document["reaped"]), nothing_left()) == (0, 1, True)
    (listed,) = agenvantage("traces", "list", "--json").document["runs"]
    assert (listed["state"], listed["outcome"]) == ("interrupted", "interrupted")
    folder = Path(listed["folder"])
    assert "+    return a + b" in (folder / "patch.diff").read_text()
    document = json.loads((folder / "result.json").read_text())
    assert (document["outcome"], document["patch"]["reapplies"]) == ("interrupted", True)
    assert [entry["path"] for entry in document["files_modified"]] == ["calc.py"]
    assert listed["ended"] > listed["started"]
    assert repository.git("status", "--porcelain") == ""
    assert agenvantage("gc", "--json").document["reaped"] == []


@pytest.mark.parametrize("fault", ["facts", "objects"])
def test_i06_a_dead_runs_work_that_can_not_be_captured_stays(repository: RealRepository, fault: str) -> None:
    running = started(repository.path, SLOW)
    until(edited)
    running.kill()
    running.communicate()
    until(lambda: not carrying_a_marker())
    [folder] = (places()["STATE"] / "runs").glob("*/")
    if fault == "facts":
        (folder / "tree.json").write_text("{")
    else:
        (folder / "mirror.git").rename(folder / "mirror.gone")
    cleared = agenvantage("gc", "--json").document
    assert [Path(kept["path"]) for kept in cleared["kept"]] == [folder / "tree"]
    assert "a + b" in (folder / "tree" / "calc.py").read_text()
    assert agenvantage("gc", "--force").code == 0 and nothing_left()


def test_gc_leaves_a_living_run_alone(repository: RealRepository) -> None:
    running = started(repository.path, SLOW)
    try:
        until(edited)
        assert agenvantage("gc", "--json").document["reaped"] == []
        assert running.poll() is None and not nothing_left()
    finally:
        running.send_signal(signal.SIGINT)
        running.communicate(timeout=30)


def compare(repository: Path, *more: object) -> tuple[str, ...]:
    return (
        "compare", "--repo", str(repository), "--agent", "exec", "--agent-command", python_agent(FIX),
        "--verify", CHECK, "--baseline", "native", "--json", *map(str, more),
    )  # fmt: skip


def test_a_comparison_seals_every_trial_in_the_order_of_its_seed(repository: RealRepository) -> None:
    done = agenvantage(*compare(repository.path, "--task", "Fix add()", "--repeats", 2, "--seed", 7))
    document = done.document
    assert (done.code, document["schema"], document["verdict"]) == (0, "agenvantage.compare/1", "cannot judge")
    assert [row["outcome"] for row in document["trials"]] == ["solved"] * 4
    assert [row["arm"] for row in document["trials"]] == [cell["arm"] for cell in document["plan"]["order"]]
    assert sorted(row["arm"] for row in document["trials"][:2]) == ["adaptive-hybrid", "native"]
    sealed = sorted(path.name for path in (Path(document["folder"]) / "trials").iterdir())
    assert len(sealed) == 4 and not any(name.endswith(".partial") for name in sealed)


def test_a_killed_comparison_is_resumed_where_it_stood(repository: RealRepository, tmp_path: Path) -> None:
    folder = tmp_path / "comparison"
    running = subprocess.Popen(
        (*COMMAND, *compare(repository.path, "--task", "Fix add()", "--repeats", 2, "--seed", 7, "--out", folder)),
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    sealed = folder / "trials"
    until(lambda: any(sealed.glob("0000-*/result.json")), 60)
    running.kill()
    running.wait()
    kept = {path: path.read_bytes() for path in sealed.glob("*/result.json") if ".partial" not in str(path)}
    done = agenvantage("compare", "--repo", repository.path, "--resume", folder, "--json")
    assert (done.code, [row["outcome"] for row in done.document["trials"]]) == (0, ["solved"] * 4)
    assert {path: path.read_bytes() for path in kept} == kept
    assert nothing_left() and len(list(sealed.iterdir())) >= 4


def test_a_comparison_is_not_resumed_with_another_task(repository: RealRepository, tmp_path: Path) -> None:
    folder = tmp_path / "comparison"
    agenvantage(*compare(repository.path, "--task", "Fix add()", "--repeats", 1, "--out", folder))
    done = agenvantage(*compare(repository.path, "--task", "Fix more", "--resume", folder))
    assert (done.code, "the task" in done.err) == (2, True)


def test_a_comparison_is_not_resumed_after_its_plan_was_edited(repository: RealRepository, tmp_path: Path) -> None:
    folder = tmp_path / "comparison"
    agenvantage(*compare(repository.path, "--task", "Fix add()", "--repeats", 1, "--out", folder))
    plan = folder / "plan.json"
    plan.write_text(plan.read_text().replace('"repeats": 1', '"repeats": 2'))
    done = agenvantage(*compare(repository.path, "--resume", folder))
    assert (done.code, "the plan file" in done.err) == (2, True)


@pytest.mark.parametrize(
    ("flag", "value"), [("--verify", "true"), ("--effort", "high"), ("--time-limit", "7"), ("--agent-command", "true")]
)
def test_c07_a_comparison_is_not_resumed_under_another_setting(
    repository: RealRepository, tmp_path: Path, flag: str, value: str
) -> None:
    folder = tmp_path / "comparison"
    agenvantage(*compare(repository.path, "--task", "Fix add()", "--repeats", 1, "--out", folder))
    done = agenvantage("compare", "--repo", repository.path, "--agent", "exec", "--resume", folder, flag, value)
    assert (done.code, flag in done.err, done.out) == (2, True, "")


def test_r04_a_plan_of_another_shape_is_no_comparison(repository: RealRepository, tmp_path: Path) -> None:
    (tmp_path / "plan.json").write_text("[]")
    done = agenvantage(*compare(repository.path, "--resume", tmp_path))
    assert (done.code, "Traceback" in done.err) == (2, False)


def test_money_is_not_spent_without_a_yes(repository: RealRepository, tmp_path: Path) -> None:
    fake = tmp_path / "codex"
    fake.write_text("#!/bin/sh\necho codex-cli 9.9.9\n")
    fake.chmod(0o755)
    done = agenvantage(
        "compare", "--repo", repository.path, "--agent", "codex", "--agent-bin", fake, "--task", "x", "--repeats", 1,
        environment={"OPENAI_API_KEY": "sk-" + "x" * 30},
    )  # fmt: skip
    assert (done.code, "--yes" in done.err) == (2, True)


@pytest.mark.parametrize("gap", [0.02, 0.1, 0.3, 0.5])
def test_p10_a_second_interrupt_still_prints_one_document(repository: RealRepository, gap: float) -> None:
    running = started(repository.path, SLOW, "--verify", "sleep 30")
    until(edited)
    running.send_signal(signal.SIGINT)
    time.sleep(gap)
    running.send_signal(signal.SIGINT)
    out, _ = running.communicate(timeout=30)
    document = json.loads(out)
    assert (running.returncode, document["outcome"], document["patch"]["empty"]) == (130, "interrupted", False)
    assert nothing_left()


def test_i06_a_killed_run_is_told_with_what_it_had_used_and_been_given(
    repository: RealRepository, tmp_path: Path
) -> None:
    log = "sessions/2026/01/01/rollout-2026-01-01T00-00-00-x.jsonl"
    usage = {"input_tokens": 100, "cached_input_tokens": 40, "output_tokens": 9, "total_tokens": 109}
    record = {"type": "token_usage_record", "payload": {"response_id": "r1", "usage": usage}}
    code = "\n".join(
        [
            "import os, pathlib, time",
            f"log = pathlib.Path(os.environ['CODEX_HOME']) / {log!r}",
            "log.parent.mkdir(parents=True)",
            f"log.write_text({json.dumps(record)!r} + chr(10))",
            FIX,
            "print('{}', flush=True)",
            "time.sleep(120)",
        ]
    )
    running = started(
        repository.path, code, "--agent-events", "codex", "--agent-home-env", "CODEX_HOME", "--optimize-context"
    )
    until(edited)
    running.kill()
    running.communicate()
    agenvantage("gc")
    (listed,) = agenvantage("traces", "list", "--json").document["runs"]
    folder = Path(listed["folder"])
    document = json.loads((folder / "result.json").read_text())
    assert (document["usage"]["input_tokens"], document["usage"]["cache_read_input_tokens"]) == (100, 40)
    assert document["context"]["tokens"] > 0 and (folder / "packet.md").is_file()
    assert (folder / "sessions" / log).is_file()
    assert (folder / "spans.jsonl").stat().st_size > 0


def test_i06_work_is_saved_though_the_agent_removed_our_run_folder(repository: RealRepository) -> None:
    data = str(places()["DATA"] / "runs")
    code = f"import shutil; shutil.rmtree({data!r}); {FIX}"
    done = agenvantage(
        "run", "--repo", repository.path, "--agent", "exec", "--agent-command", python_agent(code), "--task", "x"
    )
    assert done.code == 3
    agenvantage("gc")
    (patch,) = (places()["DATA"] / "runs").glob("*/patch.diff")
    assert "+    return a + b" in patch.read_text() and nothing_left()
