"""What every test may use: a real repository in a temporary folder, and nothing of the person's own configuration."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

CALC = "def add(a, b):\n    return a - b\n"
TEST_CALC = """import unittest

from calc import add


class AddTest(unittest.TestCase):
    def test_add(self):
        self.assertEqual(add(2, 3), 5)
"""


@dataclass(frozen=True)
class RealRepository:
    """A git repository that a test may change as a person would."""

    path: Path

    def git(self, *arguments: str) -> str:
        done = subprocess.run(("git", *arguments), cwd=self.path, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    def write(self, name: str, text: str | bytes) -> Path:
        target = self.path / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text.encode() if isinstance(text, str) else text)
        return target

    def commit(self, message: str = "change") -> str:
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message)
        return self.git("rev-parse", "HEAD")


def make_repository(path: Path) -> RealRepository:
    path.mkdir(parents=True)
    made = RealRepository(path)
    made.git("init", "-q", "-b", "main")
    made.git("config", "user.name", "A Person")
    made.git("config", "user.email", "person@example.org")
    return made


@pytest.fixture(autouse=True)
def _own_places(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Index, state and data of a test lie in its own folder, and no key or address of the person's is seen."""
    places = tmp_path_factory.mktemp("places")
    for variable, folder in (("CACHE", "cache"), ("STATE", "state"), ("DATA", "data")):
        monkeypatch.setenv(f"AGENVANTAGE_{variable}_DIR", str(places / folder))
    for name in os.environ:
        if (
            name.startswith(("OTEL_", "ANTHROPIC_", "OPENAI_", "CODEX_", "CLAUDE", "AGENVANTAGE_RUN"))
            or name == "NO_COLOR"
        ):
            monkeypatch.delenv(name)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")


@pytest.fixture
def repository(tmp_path: Path) -> RealRepository:
    made = make_repository(tmp_path / "project")
    made.write("calc.py", CALC)
    made.write("test_calc.py", TEST_CALC)
    made.commit("start")
    return made
