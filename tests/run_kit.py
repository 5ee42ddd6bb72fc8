"""Runs the real command in a process of its own, and writes small agents for it."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

COMMAND = (sys.executable, "-m", "agenvantage")
FIX = "p = 'calc.py'; s = open(p).read(); open(p, 'w').write(s.replace('a - b', 'a + b'))"
CHECK = f"{sys.executable} -m unittest -q"


@dataclass(frozen=True)
class Ended:
    """A command that has ended."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> dict[str, Any]:
        """Standard output, which must be exactly one JSON document."""
        document: dict[str, Any] = json.loads(self.out)
        return document


def agenvantage(
    *arguments: object,
    cwd: Path | None = None,
    stdin: bytes | None = None,
    environment: Mapping[str, str] | None = None,
) -> Ended:
    done = subprocess.run(
        (*COMMAND, *map(str, arguments)),
        cwd=cwd,
        input=stdin,
        stdin=subprocess.DEVNULL if stdin is None else None,
        capture_output=True,
        env=os.environ | dict(environment or {}),
        check=False,
        timeout=240,
    )
    return Ended(done.returncode, done.stdout.decode(), done.stderr.decode())


def python_agent(code: str) -> str:
    """An `--agent-command` that runs Python code in the run tree."""
    return shlex.join((sys.executable, "-c", code))


def run_agent(repository: Path, code: str, *more: object, environment: Mapping[str, str] | None = None) -> Ended:
    """`agenvantage run --json` with a Python program as the agent."""
    return agenvantage(
        "run", "--repo", repository, "--agent", "exec", "--agent-command", python_agent(code), "--json",
        *(() if "--task" in more or "--task-file" in more else ("--task", "Fix add()")), *more,
        environment=environment,
    )  # fmt: skip


def places() -> dict[str, Path]:
    """Where this test's index, state and data are."""
    return {name: Path(os.environ[f"AGENVANTAGE_{name}_DIR"]) for name in ("CACHE", "STATE", "DATA")}


def nothing_left() -> bool:
    """No run's state folder is there any more."""
    runs = places()["STATE"] / "runs"
    return not runs.exists() or not any(path.is_dir() for path in runs.iterdir())
