"""A whole run on a bundled repository: natively, then with prepared context. Needs no key and no network."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from ..context.git import Repository, discover, git
from . import report
from .configuration import load, person_environment
from .doors import sealed_document, tell
from .launch import BUNDLED
from .outcome import EXIT_CODES
from .reap import reap
from .request import RunRequest
from .run import run
from .settings import Settings

TASK: Final = (BUNDLED / "task.txt").read_text(encoding="utf-8").strip()
CHECK: Final = "python3 -m unittest -q"
# What kept one arm from being run would keep the other from it, too.
CANNOT_GO_ON: Final = 3
ARMS: Final = (("native", False), ("optimized", True))


def demo_door(flags: Mapping[str, Any], *, json: bool) -> int:
    """Run both arms on a fresh copy of the bundled repository; the worse exit code of the two."""
    settings = load({**flags, "agent": flags.get("agent") or "replay"}, repository=None).settings
    reap(settings)
    with tempfile.TemporaryDirectory(prefix="agenvantage-demo-") as folder:
        repository = bundled_repository(Path(folder) / "ledger")
        _say(f"The task: {TASK}", json=json)
        documents = []
        for arm, optimized in ARMS:
            documents.append(_arm(settings, repository, arm, optimized=optimized, json=json))
            if EXIT_CODES[documents[-1]["outcome"]] == CANNOT_GO_ON:
                break
    _say(closing(settings, documents), json=json)
    if json:
        tell({"schema": "agenvantage.demo/1", "runs": documents}, "", json=True)
    return max(EXIT_CODES[document["outcome"]] for document in documents)


def bundled_repository(folder: Path) -> Repository:
    """A git repository with the demo's files, its one commit the same on every machine."""
    shutil.copytree(BUNDLED / "repository", folder, ignore=shutil.ignore_patterns("__pycache__"))
    person = {
        "GIT_AUTHOR_NAME": "AgenVantage demo", "GIT_AUTHOR_EMAIL": "demo@example.org",
        "GIT_AUTHOR_DATE": "2026-01-01T00:00:00Z",
        "GIT_COMMITTER_NAME": "AgenVantage demo", "GIT_COMMITTER_EMAIL": "demo@example.org",
        "GIT_COMMITTER_DATE": "2026-01-01T00:00:00Z",
    }  # fmt: skip
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "A small ledger with a failing test", environment=person)
    return discover(folder)


def _arm(settings: Settings, repository: Repository, arm: str, *, optimized: bool, json: bool) -> dict[str, Any]:
    _say(f"\n── {arm} ──", json=json)
    request = RunRequest(
        settings=replace(settings, optimize_context=optimized, workflow="bug", verify=(CHECK,)),
        repository=repository,
        task=TASK,
        environment=person_environment(),
    )
    document = sealed_document(run(request, watch=report.Lines(stream=sys.stderr)))
    _say(report.run_report(document, offer=False), json=json)
    return document


def closing(settings: Settings, documents: list[dict[str, Any]]) -> str:
    """What was seen, what it does not show, and what to type next."""
    simulated = any("simulated" in document["labels"] for document in documents)
    honest = (
        "Both runs replay recorded agents: their tokens are scripted and show how a run is reported, not what is saved."
        if simulated
        else "One run of each arm shows nothing about savings; `agenvantage compare` is for that."
    )
    agent = "codex" if settings.agent == "replay" else settings.agent
    steps = {
        "agenvantage traces show last": "this run as a tree",
        "agenvantage doctor": "which agents are here",
        f"agenvantage demo --agent {agent}": "the same with the real agent",
        f'agenvantage run --agent {agent} --optimize-context --task "…" --verify "…"': "in a repository of yours",
    }
    width = max(map(len, steps))
    return "\n".join(["", honest, "", "Next:", *(f"  {typed:<{width}}  {meaning}" for typed, meaning in steps.items())])


def _say(text: str, *, json: bool) -> None:
    """For people, on standard output unless that is taken by the document."""
    print(text, file=sys.stderr if json else sys.stdout, flush=True)
