"""Clean up after runs that died: their processes, trees and locks; sealed run folders only when asked."""

from __future__ import annotations

import os
import shutil
import stat
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import Final

from ..context.errors import AgenVantageError, CannotProceed
from .journal import (
    JOURNAL_NAME,
    KEPT,
    LOCK_NAME,
    PROCESS_RECORD_NAME,
    JournalRecord,
    JournalUnreadable,
    alive,
    locked,
    read,
    write,
)
from .remains import ProcessId, Recorded, is_alive, leftovers, recorded, sweep

# A supervisor whose runner died ends everything by itself; it knows more than we do, so it goes first.
_SUPERVISOR_SECONDS: Final = 8.0
# A folder without a journal may be one that is just being made.
_NEWBORN_SECONDS: Final = 60.0
_SEALED_BY: Final = ("result.json", "manifest.json")
_PARTIAL: Final = ".partial"

Interrupt = Callable[[JournalRecord], None]


class NotOurFolder(CannotProceed):
    """A folder that is not the run folder it should be."""

    error_type = "not_our_folder"

    def __init__(self, folder: Path) -> None:
        super().__init__(
            f"{folder} is not a run folder of ours, so it is not removed.", "Look at it, and delete it by hand."
        )


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
    interrupt: Interrupt,
    remove: Callable[[Path], None],
    forget: Callable[[str], None],
) -> GcReport:
    """Reap dead runs. Order for each: processes, `interrupt` (capture, seal, mark), `remove` of its state folder.

    A run whose `interrupt` raises an AgenVantageError or OSError keeps its tree. `older` also removes run folders
    sealed longer ago, then calls `forget` with the run's id. `force` removes trees that hold uncaptured work, and
    those kept on purpose.
    """
    work = _Work(dry_run=dry_run, force=force, interrupt=interrupt, remove=remove)
    report = GcReport(dry_run=dry_run)
    living: set[str] = set()
    for folder in _folders(state_dir / "runs"):
        try:
            part = _reap(folder, work)
        except JournalUnreadable as unreadable:
            part = _without_journal(folder, unreadable, dry_run=dry_run)
        if part is None:
            living.add(folder.name)
        else:
            report = _add(report, part)
    if older is not None:
        report = _add(report, _discard_old(data_dir / "runs", older, living, forget, dry_run=dry_run))
    return report


@dataclass(frozen=True, slots=True, kw_only=True)
class _Work:
    dry_run: bool
    force: bool
    interrupt: Interrupt
    remove: Callable[[Path], None]


def _reap(folder: Path, work: _Work) -> GcReport | None:
    """Clean up after one run; None when it lives. Raises JournalUnreadable."""
    record = read(folder)
    if alive(record):
        return None
    with locked(folder) as ours:
        if not ours:
            return None
        if work.dry_run:
            return _foreseen(folder, record, work)
        report = _end_processes(folder, record)
        return _add(report, _settle(folder, record, work))


def _foreseen(folder: Path, record: JournalRecord, work: _Work) -> GcReport:
    """What reaping would do."""
    stays = record.keep and not work.force
    noted = recorded(folder / PROCESS_RECORD_NAME)
    return GcReport(
        dry_run=True,
        reaped=() if record.phase == KEPT else (record.run_id,),
        processes=leftovers(record.run_id, folder, _known(record, noted), since=record.started / 1e9),
        trees=() if stays else (record.tree,),
        locks=0 if stays else 1,
        bytes_freed=0 if stays else size_of(folder),
        kept=(_kept(record),) if stays else (),
    )


def _end_processes(folder: Path, record: JournalRecord) -> GcReport:
    noted = recorded(folder / PROCESS_RECORD_NAME)
    until = time.monotonic() + _SUPERVISOR_SECONDS
    supervisors = {*noted.supervisors, *((record.supervisor,) if record.supervisor else ())}
    while any(is_alive(one) for one in supervisors) and time.monotonic() < until:
        time.sleep(0.05)
    # What the supervisor saw last counts too.
    noted = recorded(folder / PROCESS_RECORD_NAME)
    ended = sweep(record.run_id, folder, _known(record, noted), since=record.started / 1e9)
    return GcReport(dry_run=False, processes=ended)


def _known(record: JournalRecord, noted: Recorded) -> tuple[ProcessId, ...]:
    own = tuple(one for one in (record.supervisor, record.agent) if one is not None)
    return (*own, *noted.supervisors, *noted.processes)


def _settle(folder: Path, record: JournalRecord, work: _Work) -> GcReport:
    """Save what the run had, then remove its folder, unless it must stay."""
    reaped: tuple[str, ...] = ()
    if record.phase != KEPT:
        try:
            work.interrupt(record)
        except (AgenVantageError, OSError) as failed:
            if not work.force:
                reason = f"what it holds could not be saved: {_first_line(failed)}"
                return GcReport(dry_run=False, kept=(Kept(path=record.tree, reason=reason),))
        reaped = (record.run_id,)
    if record.keep and not work.force:
        write(replace(record, phase=KEPT))
        return GcReport(dry_run=False, reaped=reaped, kept=(_kept(record),))
    size = size_of(folder)
    try:
        work.remove(folder)
    except (AgenVantageError, OSError) as failed:
        reason = f"it could not be removed: {_first_line(failed)}"
        return GcReport(dry_run=False, reaped=reaped, kept=(Kept(path=str(folder), reason=reason),))
    return GcReport(dry_run=False, reaped=reaped, trees=(record.tree,), locks=1, bytes_freed=size)


def _kept(record: JournalRecord) -> Kept:
    return Kept(path=record.tree, reason="its work was not captured or it was kept on purpose; --force removes it")


def _without_journal(folder: Path, why: JournalUnreadable, *, dry_run: bool) -> GcReport:
    """A folder that died before its first record is empty; any other is not ours to touch."""
    names = {entry.name for entry in os.scandir(folder)}
    stillborn = names <= {LOCK_NAME, Path(JOURNAL_NAME).with_suffix(".new").name}
    if not stillborn or time.time() - folder.stat().st_mtime < _NEWBORN_SECONDS:
        return GcReport(dry_run=dry_run, kept=(Kept(path=str(folder), reason=why.what),))
    if not dry_run:
        _delete(folder)
    return GcReport(dry_run=dry_run, locks=int(LOCK_NAME in names))


def _discard_old(
    runs: Path, older: timedelta, living: set[str], forget: Callable[[str], None], *, dry_run: bool
) -> GcReport:
    """Remove run folders that were sealed, or given up, longer ago than `older`."""
    report = GcReport(dry_run=dry_run)
    for folder in _folders(runs):
        run_id = folder.name.removesuffix(_PARTIAL)
        finished = _finished(folder)
        if finished is None:
            report = _add(report, GcReport(dry_run=dry_run, kept=(Kept(path=str(folder), reason="not a run folder"),)))
        elif run_id not in living and time.time() - finished >= older.total_seconds():
            report = _add(report, GcReport(dry_run=dry_run, folders=(str(folder),), bytes_freed=size_of(folder)))
            if not dry_run:
                _delete(folder)
                forget(run_id)
    return report


def _finished(folder: Path) -> float | None:
    """When a run folder was sealed, or last written to when it never was; None when it is none."""
    sealed = [folder / name for name in _SEALED_BY if (folder / name).is_file()]
    if not sealed and not folder.name.endswith(_PARTIAL):
        return None
    return (sealed[0] if sealed else folder).stat().st_mtime


def _folders(parent: Path) -> Iterator[Path]:
    """Real folders below one, by name; links are not followed."""
    if not parent.is_dir():
        return
    for entry in sorted(os.scandir(parent), key=lambda entry: entry.name):
        if entry.is_dir(follow_symlinks=False):
            yield Path(entry.path)


def _add(left: GcReport, right: GcReport) -> GcReport:
    return GcReport(
        dry_run=left.dry_run,
        reaped=left.reaped + right.reaped,
        processes=left.processes + right.processes,
        trees=left.trees + right.trees,
        locks=left.locks + right.locks,
        folders=left.folders + right.folders,
        bytes_freed=left.bytes_freed + right.bytes_freed,
        kept=left.kept + right.kept,
    )


def _first_line(failed: Exception) -> str:
    return (str(failed).splitlines() or [type(failed).__name__])[0]


def size_of(folder: Path) -> int:
    """Bytes that a folder takes on the disk, a file with several names once; links are not followed."""
    seen: set[tuple[int, int]] = set()
    total = 0
    for place, folders, files in os.walk(folder):
        for name in (*folders, *files):
            try:
                status = os.lstat(os.path.join(place, name))  # noqa: PTH118 (hot, and names may not be UTF-8)
            except OSError:
                continue
            if (status.st_dev, status.st_ino) not in seen:
                seen.add((status.st_dev, status.st_ino))
                total += status.st_blocks * 512
    return total


def remove_folder(folder: Path) -> None:
    """Delete a run's state folder: refuses one without our journal, follows no link, the journal goes last.

    Raises NotOurFolder, JournalUnreadable, OSError.
    """
    if folder.is_symlink() or read(folder).run_id != folder.name:
        raise NotOurFolder(folder)
    for entry in list(os.scandir(folder)):
        if entry.name not in (JOURNAL_NAME, LOCK_NAME):
            _delete(Path(entry.path))
    _delete(folder)


def _delete(path: Path) -> None:
    """Delete a file, a link itself, or a folder with all in it, read-only folders too."""
    if path.is_symlink() or not path.is_dir():
        path.unlink(missing_ok=True)
        return
    try:
        shutil.rmtree(path)
    except PermissionError:
        _open_up(path)
        shutil.rmtree(path)


def _open_up(folder: Path) -> None:
    """Make every folder below writable by us: package caches are read-only on purpose."""
    folder.chmod(stat.S_IRWXU)
    for entry in os.scandir(folder):
        if entry.is_dir(follow_symlinks=False):
            _open_up(Path(entry.path))
