"""Records the real agents anew, against the scripted provider: streams and logs for the tests, recordings for the demo.

    python tests/recordings/refresh.py --codex .agents/codex/node_modules/.bin/codex \
        --claude .agents/claude/node_modules/.bin/claude [--only NAME]

Each recording is a folder named after agent, version and scenario: `stdout.jsonl`, and the agent's logs in `home/`.
What differs from one machine or hour to the next (paths, ids, times) is made the same, and the vendors' long prompt
texts are cut, so that a diff shows what a new version changed.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from agenvantage.adapters.agents import adapter  # noqa: E402
from agenvantage.adapters.base import Launch, ToolServer  # noqa: E402
from agenvantage.adapters.mcp_server import server_command  # noqa: E402
from provider import ScriptedProvider  # noqa: E402

DEMO = HERE.parent.parent / "runner" / "demo"
CALC = {
    "calc.py": "def add(a, b):\n    return a - b\n",
    "test_calc.py": "import unittest\n\nfrom calc import add\n\n\nclass AddTest(unittest.TestCase):\n"
    "    def test_add(self):\n        self.assertEqual(add(2, 3), 5)\n",
}
TASK = "Fix add() in calc.py"
PREFIX = "# Repository map\n\ncalc.py: add(a, b)\n"
LONGEST_TEXT = 400
BASE = datetime(2026, 1, 1, tzinfo=UTC)
ISO = re.compile(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:?\d\d)$")
UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
SHORT_ID = re.compile(r"\ba[0-9a-f]{16}\b")
SMALL_WORDS = (
    (re.compile(r"\b[0-9a-f]{40}\b|\b[0-9a-f]{64}\b"), "0" * 40),
    (re.compile(r"(Chunk ID: )\w+"), r"\g<1>000000"),
    (re.compile(r"([Ww]all time:? )[\d.]+"), r"\g<1>0.0"),
    (re.compile(r"127\.0\.0\.1:\d+"), "127.0.0.1:1"),
    (re.compile(r"(in )\d+\.\d+s"), r"\g<1>0.000s"),
    (re.compile(r"(session ID )\d+"), r"\g<1>1"),
    (re.compile(r"\d+\.sock\b"), "1.sock"),
    (re.compile(r"(OS Version: |\"osVersion\": \")[^\n\"]+"), r"\g<1>an operating system"),
    (re.compile(r"^Linux [\w.-]+$"), "an operating system"),
    (re.compile(r"20\d\d-\d\d-\d\d(?!T)"), "2026-01-01"),
)
DURATIONS = frozenset({
    "duration_ms", "duration_api_ms", "time_to_first_token_ms", "ttft_ms", "time_to_request_ms", "ttft_stream_ms",
    "totalAPIDuration", "totalAPIDurationWithoutRetries", "totalToolDuration", "totalDuration", "toolInputStreamMs",
    "durationMs", "startTime", "nanos", "wall_time_seconds", "process_id", "retry_delay_ms", "retryInMs",
    "totalDurationMs",
})  # fmt: skip


def usage(read: int, cached: int, write: int, output: int, reasoning: int) -> dict[str, int]:
    return {"input": read, "cached": cached, "cache_write": write, "output": output, "reasoning": reasoning}


FIVE_TURNS = {
    "turns": [
        {"kind": "read", "path": "calc.py", "offset": 1, "limit": 4, "text": "Reading calc.py.",
         "usage": usage(1001, 0, 900, 51, 21)},
        {"kind": "mcp", "server": "agenvantage", "tool": "search", "arguments": {"query": "add"},
         "usage": usage(2002, 1500, 200, 52, 22)},
        {"kind": "edit", "path": "calc.py", "old": "    return a - b", "new": "    return a + b",
         "usage": usage(3003, 2500, 300, 53, 23)},
        {"kind": "shell", "command": "python3 -m unittest -q", "usage": usage(4004, 3500, 400, 54, 24)},
        {"kind": "final", "text": "Fixed add().", "usage": usage(5005, 4500, 500, 55, 25)},
    ]
}  # fmt: skip
TROUBLE = {
    "turns": [
        {"kind": "edit", "path": "calc.py", "old": "    not there", "new": "    x"},
        {"kind": "tool", "name": "no_such_tool", "arguments": {"a": 1}},
        {"kind": "shell", "command": "exit 3"},
        {"kind": "shell", "command": "cd .. && cat project/calc.py | head -1; git log --all"},
        {"kind": "edit", "path": "/var/empty/outside.txt", "create": True, "new": "x"},
        {"kind": "final", "text": "Gave up."},
    ]
}
BACKGROUND = {
    "turns": [
        {"kind": "shell", "command": "sleep 60", "extra": {"yield_time_ms": 300}},
        {"kind": "final", "text": "Left it running."},
    ]
}
RETRIED = {"turns": [{"kind": "final", "text": "ok", "fault": {"type": "http", "status": 529, "times": 1}}]}
REFUSED = {"turns": [{"kind": "final", "text": "ok", "fault": {"type": "http", "status": 401}}]}
OVERFLOW = {"turns": [{"kind": "final", "text": "ok", "fault": {"type": "overflow"}}]}
CHILD = {
    "match": "SUBTASK",
    "turns": [
        {"kind": "read", "path": "calc.py", "offset": 1, "limit": 1, "usage": usage(700, 100, 0, 7, 1)},
        {"kind": "final", "text": "It subtracts.", "usage": usage(800, 200, 0, 8, 2)},
    ],
}
# What the child is told is encrypted; who it is, is not.
SUBAGENT_CODEX = {
    "agents": [{**CHILD, "match": "Task name: /root/look"}],
    "turns": [
        {"kind": "tool", "name": "spawn_agent", "namespace": "collaboration", "usage": usage(1000, 0, 0, 10, 0),
         "arguments": {"message": "SUBTASK: look at calc.py", "task_name": "look", "fork_turns": "none"}},
        {"kind": "tool", "name": "wait_agent", "namespace": "collaboration", "usage": usage(1100, 0, 0, 11, 0),
         "arguments": {"timeout_ms": 10000}},
        {"kind": "final", "text": "done", "usage": usage(1200, 0, 0, 12, 0)},
    ],
}  # fmt: skip
SUBAGENT_CLAUDE = {
    "agents": [CHILD],
    "turns": [
        {"kind": "tool", "name": "Agent", "usage": usage(1000, 0, 0, 10, 0),
         "arguments": {"description": "look", "prompt": "SUBTASK: look at calc.py", "subagent_type": "general-purpose",
                       "run_in_background": False}},
        {"kind": "final", "text": "done", "usage": usage(1200, 0, 0, 12, 0)},
    ],
}  # fmt: skip
DEMO_FIX = {
    "old": "    share = cents // len(people)\n    return {person: share for person in people}",
    "new": "    share, extra = divmod(cents, len(people))\n"
    "    return {person: share + (place < extra) for place, person in enumerate(people)}",
}
DEMO_END = [
    {"kind": "edit", "path": "ledger/sharing.py", **DEMO_FIX},
    {"kind": "shell", "command": "python3 -m unittest -q"},
    {"kind": "final", "text": "An uneven bill no longer loses a cent: the first people take the extra ones."},
]
DEMO_NATIVE = [
    {"kind": "shell", "command": "cat AGENTS.md README.md && ls -R", "text": "I'll look around first."},
    {"kind": "read", "path": "ledger/balances.py"},
    {"kind": "read", "path": "ledger/entries.py"},
    {"kind": "read", "path": "ledger/money.py"},
    {"kind": "read", "path": "ledger/sharing.py"},
    {"kind": "read", "path": "tests/test_balances.py"},
    {"kind": "shell", "command": "python3 -m unittest -q"},
    *DEMO_END,
]
DEMO_OPTIMIZED = [
    {"kind": "mcp", "server": "agenvantage", "tool": "search", "arguments": {"query": "equal shares of an expense"},
     "text": "The evidence points at the shares."},
    {"kind": "mcp", "server": "agenvantage", "tool": "read", "arguments": {"location": "ledger/sharing.py:8-13"}},
    *DEMO_END,
]  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """What is recorded. `files` make the repository; the tools are attached where `optimized`."""

    name: str
    agent: str
    script: dict[str, Any]
    model: str | None = None
    optimized: bool = False
    files: dict[str, str] = field(default_factory=lambda: CALC)
    task: str = TASK


@dataclass(frozen=True, kw_only=True)
class Recorded:
    """A run as it was, with the places that it happened in."""

    stdout: list[str]
    logs: dict[str, list[str]]
    files: dict[str, str]
    cwd: Path
    home: Path


def scenarios() -> Iterator[Scenario]:
    for label, model in (("classic", "gpt-5.5"), ("code-mode", "gpt-6.2-sol")):
        yield Scenario(name=f"{label}-five", agent="codex", model=model, script=FIVE_TURNS, optimized=True)
        yield Scenario(name=f"{label}-trouble", agent="codex", model=model, script=TROUBLE)
        yield Scenario(name=f"{label}-background", agent="codex", model=model, script=BACKGROUND)
    yield Scenario(name="code-mode-subagent", agent="codex", model="gpt-6.2-sol", script=SUBAGENT_CODEX)
    yield Scenario(name="classic-search-hop", agent="codex", model="gpt-5.5", script=FIVE_TURNS)
    yield Scenario(name="five", agent="claude", script=FIVE_TURNS, optimized=True)
    yield Scenario(name="trouble", agent="claude", script=TROUBLE)
    yield Scenario(name="subagent", agent="claude", script=SUBAGENT_CLAUDE)
    for agent, model in (("codex", "gpt-5.5"), ("claude", None)):
        for name, script in (("retried", RETRIED), ("refused", REFUSED), ("overflow", OVERFLOW)):
            yield Scenario(name=name, agent=agent, model=model, script=script)


def record(scenario: Scenario, binary: Path) -> Recorded:
    """Run the real agent once. Everything is below a folder that is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="record-") as folder:
        root = Path(folder).resolve()
        for name in ("home", "tmp", "person"):
            (root / name).mkdir()
        project = repository(root / "project", scenario.files)
        with ScriptedProvider(scenario.script) as provider:
            launch = _launch(scenario, binary, root, provider)
            command = adapter(scenario.agent).command(launch)
            for name, text in command.home_files.items():
                (root / "home" / name).parent.mkdir(parents=True, exist_ok=True)
                (root / "home" / name).write_text(text, encoding="utf-8")
            with (root / "stdout").open("wb") as stdout:
                subprocess.run(
                    command.argv, cwd=project, env=_environment(scenario, root) | dict(command.environment),
                    input=command.stdin, stdout=stdout, stderr=subprocess.DEVNULL, timeout=180, check=False,
                )  # fmt: skip
        patterns = adapter(scenario.agent).TRAITS.session_files
        logs = [path for pattern in patterns for path in sorted((root / "home").glob(pattern))]
        return Recorded(
            stdout=(root / "stdout").read_text(encoding="utf-8").splitlines(),
            logs={str(path.relative_to(root / "home")): path.read_text(encoding="utf-8").splitlines() for path in logs},
            files={name: (project / name).read_text(encoding="utf-8") for name in scenario.files},
            cwd=project,
            home=root / "home",
        )


def repository(path: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_text(text, encoding="utf-8")
    for arguments in (("init", "-q", "-b", "main"), ("add", "-A"), ("commit", "-q", "-m", "start")):
        person = ("-c", "user.name=A Person", "-c", "user.email=person@example.org")
        subprocess.run(("git", *person, *arguments), cwd=path, check=True, capture_output=True)
    return path


def _launch(scenario: Scenario, binary: Path, root: Path, provider: ScriptedProvider) -> Launch:
    tree = root / "project"
    command = server_command(tree, cache_dir=root / "cache", identity=None, log=root / "calls.jsonl")
    return Launch(
        run_id="recorded",
        binary=str(binary),
        version=None,
        cwd=tree,
        tree=tree,
        home=root / "home",
        temporary=root / "tmp",
        prompt=scenario.task,
        task=scenario.task,
        prefix=PREFIX if scenario.optimized else "",
        tools=ToolServer(url="", token="", command=command) if scenario.optimized else None,
        model=scenario.model,
        provider_url=provider.openai_url if scenario.agent == "codex" else provider.anthropic_url,
        has_credentials=False,
        as_root=os.geteuid() == 0,
        git_dir=tree / ".git",
    )


def _environment(scenario: Scenario, root: Path) -> dict[str, str]:
    variable = adapter(scenario.agent).TRAITS.home_variable or ""
    own = {"HOME": str(root / "person"), "TMPDIR": str(root / "tmp"), "LANG": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1"}
    return {"PATH": os.environ["PATH"], variable: str(root / "home"), **own}


# Making two recordings of one thing the same


@dataclass(kw_only=True)
class Scrubber:
    """Stable names for what is new in each run, in the order in which it appears. `times` and `cut` are what to do."""

    recorded: Recorded
    times: Callable[[int], str]
    milliseconds: Callable[[int], Any]
    seconds: Callable[[int], Any]
    cut: bool = True
    ids: dict[str, str] = field(default_factory=dict)
    ticks: int = 0

    def line(self, line: str) -> Any:
        """A JSON line as a value; one that is none stays text."""
        try:
            value = json.loads(line)
        except ValueError:
            return self._text(line)
        self.ticks += 1
        return self.value(value)

    def value(self, value: Any, key: str = "") -> Any:
        if isinstance(value, dict):
            return {self._text(name): self.value(item, name) for name, item in value.items()}
        if isinstance(value, list):
            return [self.value(item, key) for item in value]
        if isinstance(value, str):
            return self.times(self.ticks) if ISO.match(value) else self._text(value)
        if isinstance(value, bool) or not isinstance(value, int | float):
            return value
        if key in DURATIONS:
            return 1
        if value > 1e12:
            return self.milliseconds(self.ticks)
        return self.seconds(self.ticks) if 1.6e9 < value < 4e9 else value

    def path(self, path: str) -> str:
        return re.sub(r"\d{4}-\d\d-\d\dT[\d-]+(?=-[0-9a-f]{8}-)", "2026-01-01T00-00-00", self._dates(self._text(path)))

    def _dates(self, path: str) -> str:
        return re.sub(r"sessions/\d{4}/\d\d/\d\d/", "sessions/2026/01/01/", path)

    def _text(self, text: str) -> str:
        slug = re.sub(r"[^A-Za-z0-9]", "-", str(self.recorded.cwd))
        for found, name in ((str(self.recorded.cwd), "@CWD@"), (str(self.recorded.home), "@HOME@"), (slug, "-project")):
            text = text.replace(found, name)
        text = text.replace(str(self.recorded.cwd.parent), "@RUN@").replace(self.recorded.cwd.parent.name, "run")
        text = UUID.sub(
            lambda found: self.ids.setdefault(found[0], f"00000000-0000-4000-8000-{len(self.ids):012d}"), text
        )
        text = SHORT_ID.sub(lambda found: self.ids.setdefault(found[0], f"a{len(self.ids):016d}"), text)
        for pattern, replacement in SMALL_WORDS:
            text = pattern.sub(replacement, text)
        if self.cut and len(text) > LONGEST_TEXT:
            return f"{text[:100]}… {text[-200:]}"
        return text


def for_tests(recorded: Recorded, folder: Path) -> None:
    """The recording as files, small and stable."""

    def tick(number: int) -> datetime:
        return BASE + timedelta(milliseconds=10 * number)

    scrubber = Scrubber(
        recorded=recorded,
        times=lambda number: tick(number).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        milliseconds=lambda number: int(tick(number).timestamp() * 1000),
        seconds=lambda number: int(tick(number).timestamp()),
    )
    shutil.rmtree(folder, ignore_errors=True)
    logs = {scrubber.path(path): [scrubber.line(line) for line in lines] for path, lines in recorded.logs.items()}
    _write_lines(folder / "stdout.jsonl", [scrubber.line(line) for line in recorded.stdout])
    for path, lines in logs.items():
        _write_lines(folder / "home" / path, lines)


def _write_lines(path: Path, lines: list[Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")


# The demo: a Codex run as steps of the replay agent


def for_demo(recorded: Recorded, version: str, scenario: Scenario) -> list[Any]:
    """Log and stream in one order, with the edits and tool calls to make, and room for a run's own times and prompt."""
    scrubber = Scrubber(
        recorded=recorded,
        times=lambda _: "@NOW@",
        milliseconds=lambda _: "@MS@",
        seconds=lambda _: "@S@",
    )
    printed = [scrubber.line(line) for line in recorded.stdout]
    steps: list[Any] = [{"agent": scenario.agent, "version": version}]
    ((path, lines),) = recorded.logs.items()
    for line in (scrubber.line(line) for line in lines):
        payload = line["payload"]
        if line["type"] == "world_state":
            continue
        item = payload.get("item", {}) if payload.get("type") == "item_completed" else {}
        steps += _deeds(item, recorded)
        steps.append({"log": scrubber.path(path), "line": _own_words(line, scenario, item), **_pause(payload)})
        if payload.get("type") == "task_started" or line["type"] == "session_meta":
            steps += [{"emit": printed.pop(0)}]
        elif item.get("type") in ("CommandExecution", "FileChange", "McpToolCall", "AgentMessage"):
            while printed:
                shown = printed.pop(0)
                steps.append({"emit": _own_words(shown, scenario, shown.get("item", {}))})
                if shown["type"] == "item.completed":
                    break
    return [*steps, *({"emit": line} for line in printed)]


def _deeds(item: dict[str, Any], recorded: Recorded) -> list[Any]:
    """What the agent did to the world with this item."""
    if item.get("type") == "FileChange":
        names = [path.removeprefix("@CWD@/") for path in item["changes"]]
        return [{"write": {"path": name, "text": recorded.files[name]}} for name in names]
    if item.get("type") == "McpToolCall":
        return [{"call": {"tool": item["tool"], "arguments": item["arguments"]}}]
    return []


def _own_words(line: Any, scenario: Scenario, item: dict[str, Any]) -> Any:
    """The line with places for what this run's prompt holds and its tools answer."""
    line = json.loads(json.dumps(line))
    for where in (item_of(line), line.get("payload", {})):
        if item.get("type") in ("McpToolCall", "mcp_tool_call") and where.get("result"):
            where["result"]["content"] = [{"type": "text", "text": "@RESULT@"}]
        for part in where.get("content") or [] if isinstance(where.get("content"), list) else []:
            if part.get("text") == scenario.task:
                part["text"] = "@PROMPT@"
            elif part.get("text", "").strip() == PREFIX.strip():
                part["text"] = "@PREFIX@"
    payload = line.get("payload", {})
    if payload.get("type") == "function_call_output" and isinstance(payload.get("output"), list):
        payload["output"] = [{"type": "input_text", "text": "@RESULT@"}]
    return line


def item_of(line: Any) -> dict[str, Any]:
    found: dict[str, Any] = line.get("item") or line.get("payload", {}).get("item") or {}
    return found


def _pause(payload: dict[str, Any]) -> dict[str, float]:
    """A little time to think, so that a person can follow."""
    return {"after": 0.12} if payload.get("usage") else {}


def demo_usage(turns: list[Any], start: int, step: int) -> dict[str, Any]:
    """Made-up counts of a plausible shape: the conversation grows, and what was sent before is read from the cache."""
    counted = []
    for number, turn in enumerate(turns):
        size, before = start + step * number, start + step * (number - 1)
        cached = 0 if number == 0 else before - before % 128
        counted.append({**turn, "usage": usage(size, cached, 0, 120 + 15 * number, 40)})
    return {"turns": counted}


def refresh_demo(codex: Path, version: str) -> None:
    files = {
        str(path.relative_to(DEMO / "repository")): path.read_text(encoding="utf-8")
        for path in sorted((DEMO / "repository").rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }
    task = (DEMO / "task.txt").read_text(encoding="utf-8").strip()
    arms = (("native", DEMO_NATIVE, False, 8_600, 640), ("optimized", DEMO_OPTIMIZED, True, 10_900, 520))
    for arm, turns, optimized, start, step in arms:
        scenario = Scenario(
            name=arm, agent="codex", model="gpt-5.5", script=demo_usage(turns, start, step), optimized=optimized,
            files=files, task=task,
        )  # fmt: skip
        _write_lines(DEMO / f"{arm}.jsonl", for_demo(record(scenario, codex), version, scenario))
        print(f"demo {arm}")


def version_of(binary: Path) -> str:
    said = subprocess.run((binary, "--version"), capture_output=True, text=True, check=True).stdout
    found = re.search(r"\d+\.\d+\.\d+", said)
    assert found, said
    return found[0]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--codex", type=Path, help="the Codex CLI")
    parser.add_argument("--claude", type=Path, help="Claude Code")
    parser.add_argument("--only", default="", help="only recordings whose name contains this")
    asked = parser.parse_args()
    binaries = {name: path.absolute() for name, path in vars(asked).items() if isinstance(path, Path)}
    versions = {name: version_of(path) for name, path in binaries.items()}
    for scenario in scenarios():
        folder = f"{scenario.agent}-{versions.get(scenario.agent)}-{scenario.name}"
        if scenario.agent in binaries and asked.only in folder:
            for_tests(record(scenario, binaries[scenario.agent]), HERE / folder)
            print(folder)
    if "codex" in binaries and asked.only in "demo":
        refresh_demo(binaries["codex"], versions["codex"])


if __name__ == "__main__":
    main()
