"""Save what dead runs had captured, mark them as interrupted, and clear what they left."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

from ..telemetry.seal import adopt_into, seal_interrupted
from ..telemetry.store import TraceStore
from .confidential import seeded_values
from .configuration import person_environment
from .desk import LOAN_RECORD, STORE_NAME, recall
from .environment import secret_values
from .gc import GcReport, collect, remove_folder
from .journal import JournalRecord
from .litter import clear_litter
from .login import recover
from .patch import CaptureFailed, capture
from .run import PATCH_NAME
from .settings import Settings
from .worktree import RunTree, is_ours


def reap(settings: Settings, *, older: timedelta | None = None, dry_run: bool = False, force: bool = False) -> GcReport:
    """Clear after runs whose program died. A dead run's patch and streams are saved first; then its tree goes."""
    if not (settings.state_dir / "runs").is_dir() and older is None:
        return GcReport(dry_run=dry_run)
    settings.data_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
    store = TraceStore(settings.data_dir / STORE_NAME)
    try:
        return collect(
            settings.state_dir,
            settings.data_dir,
            older=older,
            dry_run=dry_run,
            force=force,
            interrupt=_interrupting(store),
            remove=remove_folder,
            forget=store.forget,
        )
    finally:
        store.close()


def _interrupting(store: TraceStore) -> Callable[[JournalRecord], None]:
    def interrupt(record: JournalRecord) -> None:
        """Save the work, seal what is there, and mark the run."""
        partial, folder = Path(record.data), Path(record.tree).parent
        clear_litter(record.run_id, person_environment())
        recover(folder / LOAN_RECORD)
        if partial.is_dir():
            secrets = _secrets(folder)
            _save_work(folder, partial, secrets)
            sealed = seal_interrupted(partial, secrets=secrets)
            store.mark_interrupted(record.run_id, folder=sealed)
        else:
            store.mark_interrupted(record.run_id)

    return interrupt


def _secrets(folder: Path) -> tuple[str, ...]:
    """What the dead run would have redacted, as far as it can be known now."""
    tree = _tree(folder)
    return secret_values(person_environment()) + (seeded_values(tree.root, tree.seeded) if tree else ())


def _save_work(folder: Path, partial: Path, secrets: tuple[str, ...]) -> None:
    """The streams as they are, and the patch. Raises CaptureFailed or OSError, and then the tree stays."""
    for name, source in (("stream.raw", folder / "stdout"), ("stderr.raw", folder / "stderr")):
        if source.exists() and not (partial / name).exists():
            adopt_into(partial, name, source, secrets=secrets)
    tree = _tree(folder)
    if tree is not None and is_ours(tree) and not (partial / PATCH_NAME).exists():
        capture(tree, partial / PATCH_NAME)


def _tree(folder: Path) -> RunTree | None:
    """The dead run's tree; None where the run died before it had one."""
    try:
        return recall(folder)
    except FileNotFoundError:
        return None
    except ValueError as broken:
        raise CaptureFailed(folder, f"what was noted of it can't be read ({broken})") from broken
