"""Run verification commands in a copy of base + patch, and find a project's own when none are given."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from ..telemetry.model import CheckResult


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckRequest:
    """Which commands to run (`sh -c`, in order), where, and for how long each."""

    commands: tuple[str, ...]
    cwd: Path
    environment: Mapping[str, str]
    folder: Path
    """Gets `<n>.txt`, the redacted output of each command, counted from 1."""
    marker: str
    judged: bool = True
    time_limit_seconds: float = 1800.0
    secrets: tuple[str, ...] = ()
    cancelled: Callable[[], bool] | None = None


def run_checks(request: CheckRequest) -> tuple[CheckResult, ...]:
    """The result of each command. All are run, whatever the earlier ones said, unless cancelled."""
    raise NotImplementedError


def detect(folder: Path, *, search_path: str | None = None) -> tuple[str, ...]:
    """The commands by which the project in `folder` tests itself, where the tool for it is installed."""
    raise NotImplementedError


def check_environment(variables: Mapping[str, str], *, keep: Iterable[str] = ()) -> dict[str, str]:
    """The variables with time zone, hash seed and locale pinned, so that a check says the same thing twice."""
    raise NotImplementedError
