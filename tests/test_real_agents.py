"""The real Codex and Claude Code under `agenvantage run`, against the scripted provider: its figures must come out."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from conftest import RealRepository
from provider import ScriptedProvider
from run_kit import Ended, agenvantage, nothing_left

ROOT = Path(__file__).parents[1]
CHECK = "python3 -m unittest -q"


@dataclass(frozen=True)
class Host:
    """An agent under a model name, with the parts of its input that it reports."""

    agent: str
    model: str

    @property
    def binary(self) -> Path:
        return ROOT / ".agents" / self.agent / "node_modules" / ".bin" / self.agent

    def url(self, provider: ScriptedProvider) -> str:
        return provider.openai_url if self.agent == "codex" else provider.anthropic_url


HOSTS = [Host("codex", "gpt-5.5"), Host("codex", "gpt-6.2-sol"), Host("claude", "claude-opus-5-5")]
pytestmark = [
    pytest.mark.agents,
    pytest.mark.skipif(not all(host.binary.exists() for host in HOSTS), reason="no agents here: make agents"),
]


def usage(number: int, *, cached: int, written: int) -> dict[str, int]:
    parts = {"input": 1001 * number, "cached": cached, "cache_write": written}
    return {**parts, "output": 50 + number, "reasoning": 20 + number}


READ = {"kind": "read", "path": "calc.py", "offset": 1, "limit": 4, "usage": usage(1, cached=0, written=900)}
SEARCH = {
    "kind": "mcp", "server": "agenvantage", "tool": "search", "arguments": {"query": "add"},
    "usage": usage(2, cached=1500, written=200),
}  # fmt: skip
EDIT = {
    "kind": "edit", "path": "calc.py", "old": "    return a - b", "new": "    return a + b",
    "usage": usage(3, cached=2500, written=300),
}  # fmt: skip
TEST = {"kind": "shell", "command": f"{CHECK} test_calc", "usage": usage(4, cached=3500, written=400)}
FINAL = {"kind": "final", "text": "Fixed add().", "usage": usage(5, cached=4500, written=500)}


def run_host(
    host: Host, repository: Path, turns: list[Mapping[str, Any]], *more: str, task: str = "Fix add() in calc.py"
) -> tuple[Ended, list[Any]]:
    """One run, and the model calls that the provider answered."""
    with ScriptedProvider({"turns": turns}) as provider:
        done = agenvantage(
            "run", "--repo", repository, "--agent", host.agent, "--agent-bin", host.binary, "--model", host.model,
            "--provider-url", host.url(provider), "--task", task, "--verify", CHECK, "--json", *more,
        )  # fmt: skip
        return done, list(provider.turns)


def scripted(turns: list[Mapping[str, Any]], answered: list[Any]) -> dict[str, int | None]:
    """What the run must report: the script's figures for every request that was answered, search hops included."""
    by_kind = {turn["kind"]: turn["usage"] for turn in turns}
    total = {key: sum(by_kind[one["kind"]][key] for one in answered) for key in by_kind["final"]}
    return {
        "input_tokens": total["input"],
        "cache_read_input_tokens": total["cached"],
        "cache_write_5m_input_tokens": total["cache_write"],
        "uncached_input_tokens": total["input"] - total["cached"] - total["cache_write"],
        "output_tokens": total["output"],
        "requests": len(answered),
    }


def state(repository: RealRepository) -> list[object]:
    """What of the person's repository must not change."""
    folder = repository.path / ".git"
    files = [(folder / name).read_bytes() for name in ("config", "index", "HEAD")]
    return [repository.git("status", "--porcelain"), repository.git("show-ref"), *files]


def untouched(home: Path) -> dict[str, int]:
    return {str(path): path.stat().st_mtime_ns for name in (".codex", ".claude") for path in (home / name).rglob("*")}


@pytest.mark.parametrize("host", HOSTS, ids=lambda host: host.model)
@pytest.mark.parametrize("optimized", [False, True], ids=["native", "optimized"])
def test_a_run_reports_what_the_provider_scripted(repository: RealRepository, host: Host, optimized: bool) -> None:
    turns = [READ, *([SEARCH] if optimized else []), EDIT, TEST, FINAL]
    before = state(repository)
    home = untouched(Path.home())
    done, answered = run_host(host, repository.path, turns, *(["--optimize-context"] if optimized else []))
    document = done.document
    assert (done.code, document["outcome"]) == (0, "solved"), done.err
    reported = {name: document["usage"][name] for name in scripted(turns, answered)}
    assert reported == scripted(turns, answered)
    assert document["usage"]["source"] == "reported" and document["labels"] == ["simulated"]
    assert document["steps"] == len(answered)
    (read,) = [entry for entry in document["files_read"] if entry["path"] == "calc.py"]
    assert read["ranges"] == [[1, 2]]
    assert [entry["path"] for entry in document["files_modified"]] == ["calc.py"]
    assert document["patch"]["reapplies"] is True
    assert document["integrity"]["leftover_processes"] == 0 and document["integrity"]["checkout_unchanged"] is True
    assert [check["exit_code"] for check in document["agent_tests"]] == [0]
    if optimized:
        assert document["context"]["delivered"] == {"prefix": True, "mcp": True}
        assert document["context"]["mcp_calls"] == 1
        assert [call["name"] for call in document["tool_calls"] if call["server"] == "agenvantage"] == ["search"]
    else:
        assert document["context"] is None
    assert state(repository) == before
    assert untouched(Path.home()) == home and nothing_left()


@pytest.mark.parametrize("host", HOSTS, ids=lambda host: host.model)
def test_the_prompt_has_the_stable_prefix_before_the_task(repository: RealRepository, host: Host) -> None:
    done, answered = run_host(host, repository.path, [EDIT, FINAL], "--optimize-context")
    packet = (Path(done.document["folder"]) / "packet.md").read_text()
    parts = (answered[0]["body"].get(name) for name in ("system", "messages", "input"))
    body = "".join(json.dumps(part, ensure_ascii=False) for part in parts if part)
    opening, closing = json.dumps(packet[:400])[1:-1], json.dumps("Fix add() in calc.py")[1:-1]
    assert 0 <= body.find(opening) < body.rfind(closing)


@pytest.mark.parametrize("host", HOSTS, ids=lambda host: host.model)
def test_the_prefix_is_the_same_for_another_task_and_tree(repository: RealRepository, host: Host) -> None:
    first, _ = run_host(host, repository.path, [EDIT, FINAL], "--optimize-context")
    second, _ = run_host(
        host, repository.path, [EDIT, FINAL], "--optimize-context", task="Make add() take three numbers"
    )
    packets = [json.loads((Path(one.document["folder"]) / "packet.json").read_text()) for one in (first, second)]
    stable = [[block["id"] for block in packet["blocks"] if block["stable"]] for packet in packets]
    assert stable[0] and stable[0] == stable[1]


FAULTS = [
    ({"type": "http", "status": 401}, "provider", "authentication"),
    ({"type": "http", "status": 400}, "provider", "rejected"),
    ({"type": "http", "status": 429}, "provider", "rate_limited"),
    ({"type": "overflow"}, "provider", "context_overflow"),
]


@pytest.mark.parametrize(("fault", "outcome", "kind"), FAULTS, ids=lambda value: str(value)[:40])
def test_codex_tells_why_its_provider_ended_it(
    repository: RealRepository, fault: dict[str, Any], outcome: str, kind: str
) -> None:
    done, _ = run_host(HOSTS[0], repository.path, [{"kind": "final", "text": "", "fault": fault}])
    document = done.document
    assert (done.code, document["outcome"]) == (3, outcome), document["reason"]
    error_types = json.loads((Path(document["folder"]) / "usage.json").read_text())
    assert document["integrity"]["leftover_processes"] == 0 and error_types is not None
    assert document["error"]["type"] == kind


@pytest.mark.parametrize("host", [HOSTS[0], HOSTS[2]], ids=lambda host: host.agent)
def test_a_provider_that_is_not_there_is_told(repository: RealRepository, host: Host) -> None:
    done = agenvantage(
        "run", "--repo", repository.path, "--agent", host.agent, "--agent-bin", host.binary, "--model", host.model,
        "--provider-url", "http://127.0.0.1:9/v1", "--task", "Fix add()", "--json",
        environment={"CLAUDE_CODE_MAX_RETRIES": "1"},
    )  # fmt: skip
    assert (done.code, done.document["outcome"]) == (3, "provider"), done.document["reason"]
    assert nothing_left()


@pytest.mark.parametrize("host", [HOSTS[0], HOSTS[2]], ids=lambda host: host.agent)
def test_a_provider_that_hangs_runs_into_the_time_limit(repository: RealRepository, host: Host) -> None:
    turns = [{"kind": "final", "text": "x", "fault": {"type": "hang", "seconds": 60}}]
    done, _ = run_host(host, repository.path, turns, "--time-limit", "6")
    assert (done.code, done.document["outcome"]) == (1, "budget")
    assert done.document["integrity"]["leftover_processes"] == 0 and nothing_left()


@pytest.mark.parametrize("host", [HOSTS[0], HOSTS[2]], ids=lambda host: host.agent)
def test_the_persons_own_address_is_honoured(repository: RealRepository, host: Host) -> None:
    variable = {"codex": "OPENAI_BASE_URL", "claude": "ANTHROPIC_BASE_URL"}[host.agent]
    key = {"codex": "OPENAI_API_KEY", "claude": "ANTHROPIC_API_KEY"}[host.agent]
    with ScriptedProvider({"turns": [EDIT, FINAL]}) as provider:
        done = agenvantage(
            "run", "--repo", repository.path, "--agent", host.agent, "--agent-bin", host.binary, "--model", host.model,
            "--task", "Fix add()", "--verify", CHECK, "--json",
            environment={variable: host.url(provider), key: "sk-dummy-" + "x" * 24},
        )  # fmt: skip
    assert (done.document["outcome"], len(provider.turns)) == ("solved", 2), done.document["reason"]
