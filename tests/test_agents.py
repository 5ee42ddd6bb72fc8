"""Which agents there are, and the two that need no installed one: `exec` and `replay`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from agenvantage.adapters import agents, exec
from agenvantage.adapters.base import ToolServer
from recorded_kit import launch

SERVER = ToolServer(url="http://127.0.0.1:9/mcp", token="t", command=("py", "-m", "a b"))


def test_every_agent_goes_by_its_own_name() -> None:
    assert [adapter.NAME for adapter in agents.AGENTS.values()] == list(agents.AGENTS)


def test_an_unknown_agent_is_told_with_those_known() -> None:
    with pytest.raises(agents.UnknownAgent) as told:
        agents.adapter("cursor")
    assert "codex, claude, replay, exec" in told.value.remedy


def test_an_installed_package_adds_an_agent(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("NAME = 'mine'\n")
    folder = tmp_path / "mine-1.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: mine\nVersion: 1\n")
    (folder / "entry_points.txt").write_text("[agenvantage.agents]\nmine = mine\n")
    code = "from agenvantage.adapters import agents; print(agents.adapter('mine').NAME, agents.names())"
    done = subprocess.run(
        (sys.executable, "-c", code), env={"PYTHONPATH": str(tmp_path)}, capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("mine ('codex', 'claude', 'replay', 'exec', 'mine'")


@pytest.mark.parametrize("name", agents.AGENTS)
def test_reading_nothing_gives_nothing(name: str) -> None:
    adapter = agents.adapter(name)
    assert (list(adapter.events([])), list(adapter.session({}))) == ([], [])


def test_loading_the_adapters_loads_no_library() -> None:
    code = "import sys, agenvantage.adapters.agents; print([n for n in sys.modules if n.split('.')[0] in sys.argv[1:]])"
    heavy = (
        "tree_sitter",
        "tree_sitter_language_pack",
        "tiktoken",
        "tantivy",
        "msgspec",
        "git",
        "psutil",
        "opentelemetry",
    )
    done = subprocess.run((sys.executable, "-c", code, *heavy), capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_exec_gives_the_whole_prompt_on_standard_input() -> None:
    command = exec.command(launch(command=("a", "b"), prefix="map\n", prompt="evidence\ntask", task="task"))
    assert (command.argv, command.stdin) == (("a", "b"), b"map\nevidence\ntask")


def test_exec_gives_task_and_packet_as_files() -> None:
    command = exec.command(launch(command=("a",), prefix="map\n", prompt="evidence\ntask", task="task"))
    home = Path("/run/home")
    told = {name: command.home_files[str(Path(path).relative_to(home))] for name, path in command.environment.items()
            if name.endswith("_FILE")}  # fmt: skip
    assert told == {"AGENVANTAGE_TASK_FILE": "task", "AGENVANTAGE_PACKET_FILE": "map\nevidence\n"}


def test_exec_natively_has_neither_packet_nor_tools() -> None:
    environment = exec.command(launch(command=("a",))).environment
    assert sorted(environment) == ["AGENVANTAGE_RUN", "AGENVANTAGE_TASK_FILE"]


def test_exec_is_told_both_ways_to_the_tools() -> None:
    environment = exec.command(launch(command=("a",), tools=SERVER, provider_url="http://p")).environment
    assert environment["AGENVANTAGE_MCP_URL"] == "http://127.0.0.1:9/mcp"
    assert environment["AGENVANTAGE_MCP_COMMAND"] == "py -m 'a b'"
    assert environment["AGENVANTAGE_PROVIDER_URL"] == "http://p"


def test_exec_without_a_program_is_a_clear_error() -> None:
    with pytest.raises(exec.NoAgentCommand):
        exec.command(launch())
