"""What `agenvantage compare` does between the command line and the comparison."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..context.git import discover
from . import report
from .compare import CompareRequest, compare
from .configuration import load, person_environment
from .doors import start_folder, tell
from .reap import reap
from .request import read_task


def compare_door(
    flags: Mapping[str, Any],
    *,
    task: str | None,
    task_file: str | None,
    repo: Path | None,
    cwd: str | None,
    json: bool,
    resume: Path | None,
    **asked: Any,
) -> int:
    """`agenvantage compare`: 0 when the comparison was carried out, whatever it says."""
    text = None if resume and task is None and task_file is None else read_task(task, task_file)
    repository = discover((repo or Path.cwd()).absolute())
    settings = load(flags, repository=None if repository.bare else repository.root).settings
    reap(settings)
    comparison = compare(
        CompareRequest(
            settings=settings,
            repository=repository,
            task=text,
            cwd=start_folder(repository, repo, cwd),
            environment=person_environment(),
            resume=resume.absolute() if resume else None,
            **asked,
        ),
        watch=report.Lines(stream=sys.stderr),
    )
    tell(comparison.document, report.comparison_report(comparison.document), json=json)
    return 130 if comparison.interrupted else 0
