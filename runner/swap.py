"""Put new files into a checkout and take old ones away, together: each step can be undone until all are done."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from ..context.errors import CannotProceed
from .merge import Stamp, stamp


class ChangedMeanwhile(CannotProceed):
    """The checkout was written to while the patch was being brought in."""

    error_type = "changed_meanwhile"

    def __init__(self, path: str) -> None:
        super().__init__(f"'{path}' was changed while the patch was applied; everything is as it was.", "Try again.")


class NotRestored(CannotProceed):
    """A step failed, and so did taking it back: some of the person's files wait in another place."""

    error_type = "not_restored"

    def __init__(self, folder: Path) -> None:
        super().__init__(
            f"The patch stopped half-way, and not every file could be put back. They are safe below {folder}.",
            "Copy them back by hand; then remove that folder.",
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Swap:
    """New files lie ready below `staged`, under their own names. `seen` are the stamps they were decided by."""

    root: Path
    staged: Path
    kept: Path
    """Where the old files wait until all is done."""
    written: Mapping[str, bool | None]
    """Path → executable; None leaves that as it is."""
    deleted: tuple[str, ...]
    seen: Mapping[str, Stamp | None]


@dataclass(slots=True)
class _Undo:
    """What takes back the steps so far. A step is noted before it is done: taking back what never was does nothing."""

    steps: list[Callable[[], object]] = field(default_factory=list)

    def back(self) -> None:
        """Take all back, latest first; one that fails does not stop the others."""
        while self.steps:
            with suppress(OSError):
                self.steps.pop()()


@contextmanager
def staging(root: Path, git_dir: Path) -> Iterator[Path]:
    """A folder on the same file system as the checkout, out of the way of whatever watches it; gone afterwards."""
    near = git_dir if git_dir.stat().st_dev == root.stat().st_dev else root
    folder = Path(tempfile.mkdtemp(prefix=".agenvantage-apply-", dir=near))
    for name in ("new", "old"):
        (folder / name).mkdir()
    try:
        yield folder
    except BaseException as failed:
        # Whatever is still here is the only copy.
        if any(path.is_symlink() or path.is_file() for path in (folder / "old").rglob("*")):
            raise NotRestored(folder / "old") from failed
        shutil.rmtree(folder, ignore_errors=True)
        raise
    shutil.rmtree(folder, ignore_errors=True)


def swap(plan: Swap) -> None:
    """Carry the plan out, or leave everything as it was. Raises ChangedMeanwhile, or the OSError that stopped it."""
    undo = _Undo()
    try:
        for path in (*plan.deleted, *plan.written):
            _put_aside(plan, path, undo)
        for path in plan.written:
            _put_in(plan, path, undo)
    except BaseException:
        undo.back()
        raise
    _drop_empty_folders(plan)


def _put_aside(plan: Swap, path: str, undo: _Undo) -> None:
    target, waiting = plan.root / path, plan.kept / path
    seen = plan.seen.get(path)
    if seen is None:
        return
    try:
        unchanged = stamp(target.lstat()) == seen
    except OSError:
        unchanged = False
    if not unchanged:
        raise ChangedMeanwhile(path)
    waiting.parent.mkdir(parents=True, exist_ok=True)
    undo.steps.append(lambda: waiting.rename(target))
    target.rename(waiting)


def _put_in(plan: Swap, path: str, undo: _Undo) -> None:
    target, new = plan.root / path, plan.staged / path
    _take_rights(new, plan.kept / path, executable=plan.written[path])
    _clear_folder(target, undo)
    _make_parents(target, plan.root, undo)
    ours = new.lstat().st_ino
    undo.steps.append(lambda: _take_out(target, ours))
    try:
        os.link(new, target, follow_symlinks=False)
    except (OSError, NotImplementedError) as refused:
        if os.path.lexists(target):
            raise ChangedMeanwhile(path) from refused
        # Not every file system has hard links.
        new.rename(target)


def _take_out(target: Path, inode: int) -> None:
    if target.lstat().st_ino == inode:
        target.unlink()


def _take_rights(new: Path, old: Path, *, executable: bool | None) -> None:
    """The old file's rights go on, but for the bit that git keeps."""
    if new.is_symlink() or old.is_symlink() or not old.is_file():
        return
    rights = old.stat().st_mode & 0o7777
    if executable is not None:
        rights = rights | (rights & 0o444) >> 2 if executable else rights & ~0o111
    new.chmod(rights)


def _clear_folder(target: Path, undo: _Undo) -> None:
    """Take away the empty folders that stand where a file should; anything in them stops the swap."""
    if not target.is_dir() or target.is_symlink():
        return
    for top, _, _ in os.walk(target, topdown=False):
        folder = Path(top)
        rights = folder.stat().st_mode & 0o7777
        undo.steps.append(_remaking(folder, rights))
        folder.rmdir()


def _remaking(folder: Path, rights: int) -> Callable[[], None]:
    def remake() -> None:
        folder.mkdir(exist_ok=True)
        folder.chmod(rights)

    return remake


def _make_parents(target: Path, root: Path, undo: _Undo) -> None:
    for parent in reversed(target.parents):
        if parent.is_relative_to(root) and not parent.is_dir():
            undo.steps.append(parent.rmdir)
            parent.mkdir()


def _drop_empty_folders(plan: Swap) -> None:
    """As git does: a folder goes with its last file."""
    for path in plan.deleted:
        for parent in (plan.root / path).parents:
            if parent == plan.root or not parent.is_relative_to(plan.root) or parent.is_symlink():
                break
            try:
                parent.rmdir()
            except OSError:
                break
