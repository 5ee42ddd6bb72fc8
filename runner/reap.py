"""Save what dead runs had captured, mark them as interrupted, and clear what they left."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

from ..adapters.agents import AGENTS
from ..telemetry.model import AgentTrace
from ..telemetry.seal import PARTIAL, RunFolder, adopt_into, is_whole, seal_interrupted
from ..telemetry.store import TraceStore
from .afterlife import told_again
from .confidential import seeded_values
from .configuration import person_environment
from .desk import HOME, LOAN_RECORD, STDERR, STDOUT, STORE_NAME, recall
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
        if not partial.is_dir() and partial.with_name(partial.name.removesuffix(PARTIAL)).exists():
            # It was sealed, and only its desk was left.
            store.mark_interrupted(record.run_id)
            return
        partial.mkdir(mode=0o700, parents=True, exist_ok=True)
        secrets = _secrets(folder)
        trace = _saved(record, folder, partial, secrets)
        if trace is None:
            store.mark_interrupted(record.run_id, folder=seal_interrupted(partial, secrets=secrets))
        else:
            RunFolder.reopen(partial, secrets=secrets).seal(trace)
            store.record(trace, secrets=secrets)

    return interrupt


def _secrets(folder: Path) -> tuple[str, ...]:
    """What the dead run would have redacted, as far as it can be known now."""
    tree = _tree(folder)
    return secret_values(person_environment()) + (seeded_values(tree.root, tree.seeded) if tree else ())


def _saved(record: JournalRecord, folder: Path, partial: Path, secrets: tuple[str, ...]) -> AgentTrace | None:
    """The dead run's streams, logs and work, brought into its run folder, and its trace as they tell it.

    None for a run that was sealed and lacked its name only, or that had no tree yet. Raises CaptureFailed or OSError,
    and then the tree stays.
    """
    if is_whole(partial):
        return None
    for name, source in (("stream.raw", folder / STDOUT), ("stderr.raw", folder / STDERR), *_sessions(folder)):
        if source.exists() and not (partial / name).exists():
            adopt_into(partial, name, source, secrets=secrets)
    tree = _tree(folder)
    if tree is None:
        return None
    patch = capture(tree, partial / PATCH_NAME) if is_ours(tree) else None
    return told_again(record, tree, patch, folder=str(partial.with_name(partial.name.removesuffix(PARTIAL))))


def _sessions(folder: Path) -> Iterator[tuple[str, Path]]:
    """The session logs of whichever agent it was, by the name that they get."""
    home = folder / HOME
    for pattern in {pattern for known in AGENTS.values() for pattern in known.TRAITS.session_files}:
        for path in sorted(home.glob(pattern)):
            if path.is_file() and not path.is_symlink():
                yield f"sessions/{path.relative_to(home)}", path


def _tree(folder: Path) -> RunTree | None:
    """The dead run's tree; None where the run died before it had one."""
    try:
        return recall(folder)
    except FileNotFoundError:
        return None
    except ValueError as broken:
        raise CaptureFailed(folder, f"what was noted of it can't be read ({broken})") from broken
