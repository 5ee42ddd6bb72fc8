"""The replay agent: a recording played by the real program, with real edits and real calls of our tools."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from agenvantage.adapters import replay
from agenvantage.adapters.base import ToolServer
from agenvantage.adapters.mcp_log import read_calls
from agenvantage.adapters.mcp_server import server_command
from agenvantage.telemetry.trajectory import build
from conftest import RealRepository
from recorded_kit import launch, lines

DEMO = Path(__file__).parent.parent / "runner" / "demo"
HEADER = {"agent": "codex", "version": "1"}


def play(folder: Path, home: Path, *steps: Any, recording: Path | None = None, **facts: Any) -> Any:
    """Play the steps, or a recording, as a run would."""
    path = recording or home.parent / "recording.jsonl"
    if recording is None:
        path.write_text("\n".join(lines(*steps)) + "\n", encoding="utf-8")
    command = replay.command(launch(recording=path, home=home, cwd=folder, **facts))
    for name, text in command.home_files.items():
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text(text, encoding="utf-8")
    environment = os.environ | {replay.HOME_VARIABLE: str(home)} | dict(command.environment)
    return subprocess.run(
        command.argv, cwd=folder, input=command.stdin, env=environment, capture_output=True, timeout=60, check=False
    )


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "tree").mkdir()
    return tmp_path / "tree"


def test_it_prints_logs_and_edits_for_real(tree: Path, home: Path) -> None:
    steps = (
        {"emit": {"cwd": "@CWD@"}},
        {"log": "sessions/a.jsonl", "line": {"prompt": "@PROMPT@", "prefix": "@PREFIX@"}},
        {"write": {"path": "pkg/a.py", "text": "x = 1\n"}},
        {"run": "echo done > b.txt"},
    )
    done = play(tree, home, HEADER, *steps, prompt="Fix it.", prefix="map")
    assert (done.returncode, json.loads(done.stdout)) == (0, {"cwd": str(tree)})
    assert json.loads((home / "sessions/a.jsonl").read_text()) == {"prompt": "Fix it.", "prefix": "map"}
    assert ((tree / "pkg/a.py").read_text(), (tree / "b.txt").read_text()) == ("x = 1\n", "done\n")


def test_it_leaves_its_folders_for_nobody(tree: Path, home: Path) -> None:
    done = play(tree, home, HEADER, {"write": {"path": "../outside", "text": "x"}})
    assert (done.returncode, (tree.parent / "outside").exists()) == (2, False)


@pytest.mark.parametrize("steps", [(), ("no json",), ({"emit": {}},), (HEADER, {"sneeze": 1})])
def test_what_is_no_recording_is_refused(tree: Path, home: Path, steps: tuple[Any, ...]) -> None:
    done = play(tree, home, *steps)
    assert (done.returncode, b"not a recording" in done.stderr) == (2, True)


def test_a_tree_cannot_stand_in_for_the_standard_library(tree: Path, home: Path) -> None:
    (tree / "json.py").write_text("raise SystemExit(9)\n")
    assert play(tree, home, HEADER, {"emit": "x"}).returncode == 0


def test_tools_that_do_not_start_end_it(tree: Path, home: Path) -> None:
    server = ToolServer(url="", token="", command=("false",))
    assert play(tree, home, HEADER, {"emit": "x"}, tools=server).returncode == 1


def test_its_calls_of_our_tools_are_real(repository: RealRepository, home: Path) -> None:
    log = home.parent / "calls.jsonl"
    command = server_command(repository.path, cache_dir=home.parent / "cache", identity=None, log=log)
    steps = ({"call": {"tool": "search", "arguments": {"query": "add"}}}, {"emit": {"said": "@RESULT@"}})
    server = ToolServer(url="", token="", command=command)
    done = play(repository.path, home, HEADER, *steps, tools=server)
    assert "calc.py" in json.loads(done.stdout)["said"]
    assert [call.tool for call in read_calls(log)] == ["search"]


def test_without_a_recording_it_says_so() -> None:
    with pytest.raises(replay.NoRecording):
        replay.command(launch())


def test_a_recording_of_claude_is_read_as_such() -> None:
    stream = lines({"type": "system", "subtype": "init", "session_id": "s", "mcp_servers": []})
    log = {"type": "assistant", "message": {"id": "a", "model": "m", "usage": {"input_tokens": 5, "output_tokens": 1}}}
    assert [event.session_id for event in replay.events(stream)] == ["s", None]
    assert [event.model for event in replay.session({"projects/p/s.jsonl": lines(log)})] == ["m"]


@pytest.mark.parametrize(("arm", "calls"), [("native", 9), ("optimized", 4)])
def test_the_demo_solves_its_task(tmp_path: Path, home: Path, arm: str, calls: int) -> None:
    tree = tmp_path / "ledger"
    subprocess.run(("cp", "-r", DEMO / "repository", tree), check=True)
    check = ("python3", "-B", "-m", "unittest", "-q")
    assert subprocess.run(check, cwd=tree, capture_output=True, check=False).returncode == 1
    done = play(tree, home, recording=DEMO / f"{arm}.jsonl", prompt="the prompt", prefix="the prefix")
    assert done.returncode == 0
    assert subprocess.run(check, cwd=tree, capture_output=True, check=False).returncode == 0

    stream = list(replay.events(done.stdout.decode().splitlines()))
    logs = {str(path.relative_to(home)): path.read_text().splitlines() for path in home.rglob("rollout-*.jsonl")}
    session = list(replay.session(logs))
    way = build(stream, session, tree=tree, line_counts=lambda _: None)
    assert (way.finished, way.failed, way.unknown_events, way.usage.gap) == (True, False, 0, 0.0)
    assert len(way.tool_calls) == calls
    told = [event.text for event in session if event.kind == "prompt"]
    assert "the prompt" in told
    assert ("the prefix" in "\n".join(text or "" for text in told)) == (arm == "optimized")
