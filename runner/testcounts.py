"""Read how many tests passed, failed and were skipped from what a test runner printed."""

from __future__ import annotations

from pathlib import Path

from ..telemetry.model import TestCounts


def parse(text: str) -> TestCounts | None:
    """The counts in a runner's output; None when there are none to read."""
    raise NotImplementedError


def parse_junit(document: bytes) -> TestCounts | None:
    """The counts in a JUnit XML report; None when it is not one."""
    raise NotImplementedError


def junit_files(command: str, cwd: Path) -> tuple[Path, ...]:
    """The JUnit XML reports that a command says it writes."""
    raise NotImplementedError
