"""What real agents printed and logged, as `recordings/refresh.py` kept it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agenvantage.adapters.base import Adapter, Launch
from agenvantage.telemetry.model import AgentEvent, ToolCall
from agenvantage.telemetry.trajectory import build

RECORDINGS = Path(__file__).parent / "recordings"


@dataclass(frozen=True)
class Recording:
    """One real run. `trajectory` is what we make of it."""

    stream: tuple[AgentEvent, ...]
    session: tuple[AgentEvent, ...]

    @property
    def trajectory(self) -> Any:
        return build(self.stream, self.session, tree=Path("/run/project"), line_counts=_no_counts)

    @property
    def calls(self) -> list[tuple[str, bool | None]]:
        return [(call.name, call.ok) for _, call in self.trajectory.tool_calls]


def recorded(adapter: Adapter, name: str) -> Recording:
    folder = RECORDINGS / name
    home = folder / "home"
    paths = (path for pattern in adapter.TRAITS.session_files for path in sorted(home.glob(pattern)))
    logs = {str(path.relative_to(home)): _placed(path) for path in paths}
    return Recording(tuple(adapter.events(_placed(folder / "stdout.jsonl"))), tuple(adapter.session(logs)))


def _placed(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").replace("@CWD@", "/run/project").splitlines()


def _no_counts(path: str) -> int | None:
    del path
    return None


def lines(*entries: Any) -> list[str]:
    return [entry if isinstance(entry, str) else json.dumps(entry) for entry in entries]


def kinds(events: Iterable[AgentEvent]) -> list[str]:
    return [event.kind for event in events]


def tools(events: Iterable[AgentEvent]) -> list[ToolCall]:
    return [event.tool for event in events if event.tool is not None]


def launch(**facts: Any) -> Launch:
    """A launch below `/run`, with only what a test is about said."""
    standard: dict[str, Any] = {
        "run_id": "r1",
        "binary": "/bin/agent",
        "version": None,
        "cwd": Path("/run/tree"),
        "tree": Path("/run/tree"),
        "home": Path("/run/home"),
        "temporary": Path("/run/tmp"),
        "prompt": "Fix it.",
        "task": "Fix it.",
    }
    return Launch(**(standard | facts))
