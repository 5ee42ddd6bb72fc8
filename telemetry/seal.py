"""The run folder: written under a temporary name, secrets redacted, renamed when it is whole."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .model import AgentTrace


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """What a reader needs to judge or repeat a run. Names of variables, never values."""

    versions: Mapping[str, str | None] = field(default_factory=dict)
    environment_names: tuple[str, ...] = ()
    seeded: tuple[str, ...] = ()
    arguments: Mapping[str, Any] = field(default_factory=dict)


class RunFolder:
    def __init__(self, final: Path, *, secrets: Iterable[str] = ()) -> None:
        """Creates `<final>.partial`; refuses a `final` that holds something."""
        raise NotImplementedError

    path: Path

    def write(self, name: str, data: bytes | str) -> Path:
        raise NotImplementedError

    def adopt(self, name: str, source: Path) -> Path:
        """Copies a file of any size in, redacted."""
        raise NotImplementedError

    def seal(self, trace: AgentTrace, manifest: Manifest, *, capture_content: bool = False) -> Path:
        """Writes the documents of the run, the manifest last, and gives the folder its own name."""
        raise NotImplementedError


def seal_interrupted(partial: Path) -> Path | None:
    raise NotImplementedError


def load(folder: Path) -> dict[str, Any]:
    raise NotImplementedError
