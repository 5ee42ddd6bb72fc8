"""Clean up after runs that died: their processes, trees and locks; sealed run folders only when asked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from .journal import JournalRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """Something that stays, and why."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GcReport:
    """What was cleaned up, or would be (`dry_run`)."""

    dry_run: bool
    reaped: tuple[str, ...] = ()
    """Ids of dead runs."""
    processes: int = 0
    trees: tuple[str, ...] = ()
    locks: int = 0
    folders: tuple[str, ...] = ()
    """Sealed run folders that were old enough."""
    bytes_freed: int = 0
    kept: tuple[Kept, ...] = ()


def collect(
    state_dir: Path,
    data_dir: Path,
    *,
    older: timedelta | None = None,
    dry_run: bool = False,
    force: bool = False,
    interrupt: Callable[[JournalRecord], None],
    remove: Callable[[Path], None],
    forget: Callable[[str], None],
) -> GcReport:
    """Reap dead runs. Order for each: processes, `interrupt` (capture, seal, mark), `remove` of its state folder.

    A run whose `interrupt` raises an AgenVantageError or OSError keeps its tree. `older` also removes run folders
    sealed longer ago, then calls `forget` with the run's id. `force` removes trees that hold uncaptured work.
    """
    raise NotImplementedError


def remove_folder(folder: Path) -> None:
    """Delete a run's state folder: refuses one without our journal, follows no link, the journal goes last."""
    raise NotImplementedError
