"""Shared by the benchmarks: repositories of a given size, and figures as a table row."""

from __future__ import annotations

import statistics
import subprocess
from collections.abc import Sequence
from pathlib import Path

MODULE = '''"""Module {number} of the measured repository."""

LIMIT_{number} = {number}


class Part{number}:
    """Holds value {number}."""

    def __init__(self, value: int) -> None:
        self.value = value

    def scaled(self, factor: int) -> int:
        """The value times a factor, capped."""
        return min(self.value * factor, LIMIT_{number} * 100)


def make_part_{number}(value: int = {number}) -> Part{number}:
    return Part{number}(value)
'''


def repository_of(folder: Path, files: int) -> Path:
    """A git repository of `files` small Python modules in folders of 25."""
    folder.mkdir(parents=True)
    for number in range(files):
        module = folder / f"package_{number // 25:03}" / f"part_{number:05}.py"
        module.parent.mkdir(exist_ok=True)
        module.write_text(MODULE.format(number=number), encoding="utf-8")
    for arguments in (
        ("init", "-q", "-b", "main"),
        ("config", "user.name", "A Person"),
        ("config", "user.email", "person@example.org"),
        ("add", "-A"),
        ("commit", "-q", "-m", "start"),
    ):
        subprocess.run(("git", *arguments), cwd=folder, check=True)
    return folder


def figures(seconds: Sequence[float]) -> str:
    """Median, least and most, in milliseconds."""
    told = [1000 * one for one in (statistics.median(seconds), min(seconds), max(seconds))]
    return "median {:.0f} ms  (min {:.0f}, max {:.0f}, n = {})".format(*told, len(seconds))
