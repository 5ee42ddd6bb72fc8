"""Where a run works and what it keeps: its folders, journal, run folder and row in the store."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import msgspec

from ..context.errors import BadRequest, CannotProceed
from ..context.git import Repository, git, listed, names
from ..context.model import ContextPacket
from ..telemetry.recorder import AgentRunRecorder
from ..telemetry.seal import PARTIAL, RunFolder
from ..telemetry.store import TraceStore
from .confidential import seeded_values
from .environment import secret_values
from .gc import remove_folder
from .journal import Journal
from .request import RunRequest
from .watch import Discreet, Watch
from .worktree import RunTree, refuse_state_inside

STORE_NAME: Final = "traces.sqlite"
TREE_FACTS: Final = "tree.json"
HOME: Final = "home"
STDOUT: Final = "stdout"
STDERR: Final = "stderr"
CALL_LOG: Final = "tools.jsonl"
LOAN_RECORD: Final = "home.login.json"
"""What `login.lend` notes beside the agent's home."""


class NoRoom(CannotProceed):
    """The disk, or its rights, did not let a run keep what it must."""

    error_type = "disk"

    def __init__(self, failed: OSError) -> None:
        where = f" ({failed.filename})" if failed.filename else ""
        super().__init__(
            f"Could not write{where}: {failed.strerror or failed}.",
            "Make room, or move it with --state-dir or --data-dir.",
        )


class OutInsideRepository(BadRequest):
    """The run folder would count as a change of the person's checkout."""

    error_type = "out_inside_repository"

    def __init__(self, out: Path) -> None:
        super().__init__(
            f"The run folder {out} would lie among the repository's files.",
            "Give --out a folder outside, or below a folder that git ignores.",
        )


def refuse_out_inside(source: Repository, out: Path) -> None:
    """Raises OutInsideRepository when git would see a run folder at `out`, or the one it is written as."""
    place = out.resolve()
    if any(place.is_relative_to(home.resolve()) for home in (source.git_dir, source.common_dir)):
        raise OutInsideRepository(out)
    if source.bare or not place.is_relative_to(source.root.resolve()):
        return
    below = place.relative_to(source.root.resolve())
    written = [f"{below}/x", f"{below}{PARTIAL}/x"]
    ignored = git(source.root, "check-ignore", "-z", "--stdin", stdin=listed(written), accept=(0, 1))
    if len(names(ignored)) < len(written):
        raise OutInsideRepository(out)


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """The places of one living run. `folder` (state) goes when it ends, `record` becomes the sealed run folder."""

    request: RunRequest
    recorder: AgentRunRecorder
    watch: Watch
    folder: Path
    record: RunFolder
    journal: Journal
    store: TraceStore
    resources: ExitStack = field(default_factory=ExitStack)
    """What lives as long as the run, such as a server of ours."""

    @property
    def run_id(self) -> str:
        return self.recorder.run_id

    @property
    def secrets(self) -> tuple[str, ...]:
        """Values that are redacted wherever they would be written or shown."""
        return self.record.secrets

    @property
    def agent_home(self) -> Path:
        return self.folder / HOME

    @property
    def temporary(self) -> Path:
        return self.folder / "tmp"

    @property
    def stdout(self) -> Path:
        return self.folder / STDOUT

    @property
    def stderr(self) -> Path:
        return self.folder / STDERR

    @property
    def call_log(self) -> Path:
        return self.folder / CALL_LOG

    @contextmanager
    def phase(self, name: str, say: str = "") -> Iterator[None]:
        """A timed step of the run; the journal knows it, so that a crash can be told by it."""
        self.journal.update(phase=name)
        if say:
            self.watch.step(say)
        with self.recorder.phase(name):
            yield

    def remember(self, tree: RunTree) -> None:
        """What `gc` needs to save the agent's work after a crash; and the secrets that came with the tree."""
        self.record.hide(seeded_values(tree.root, tree.seeded))
        # Not by msgspec's own JSON, which takes no name that isn't UTF-8.
        facts = json.dumps(msgspec.to_builtins(tree, enc_hook=_plain))
        (self.folder / TREE_FACTS).write_text(facts, encoding="ascii")

    def leave(self, *, keep_tree: bool) -> None:
        """Clear the desk; with `keep_tree` the work tree and what it needs stay, and `gc` leaves them alone."""
        if keep_tree:
            self.journal.update(phase="kept", keep=True)
            lent = (self.folder / LOAN_RECORD).exists()
            for path in (self.temporary, self.folder / "verify", *([] if lent else [self.agent_home])):
                shutil.rmtree(path, ignore_errors=True)
        self.journal.close()
        if keep_tree or not self.folder.exists():
            return
        try:
            remove_folder(self.folder)
        except (CannotProceed, OSError) as failed:
            self.watch.step(f"{self.folder} stays, for `agenvantage gc`: {failed}")


@contextmanager
def opened(request: RunRequest, *, strategy: str, agent: str, watch: Watch) -> Iterator[Desk]:
    """A desk for one run. A bad request leaves nothing behind; anything else stays for `gc`."""
    settings = request.settings
    refuse_state_inside(request.repository, settings.state_dir, settings.data_dir, settings.cache_dir)
    if request.out is not None:
        refuse_out_inside(request.repository, request.out)
    recorder = AgentRunRecorder.start(ContextPacket.bare(strategy=strategy))
    try:
        desk = _laid(request, recorder, strategy=strategy, agent=agent, watch=watch)
    except OSError as failed:
        raise NoRoom(failed) from failed
    try:
        with desk.resources:
            yield desk
    except BadRequest:
        desk.record.discard()
        desk.store.forget(desk.run_id)
        desk.leave(keep_tree=False)
        raise
    finally:
        desk.store.close()


def _laid(request: RunRequest, recorder: AgentRunRecorder, *, strategy: str, agent: str, watch: Watch) -> Desk:
    settings = request.settings
    run_id = recorder.run_id
    folder = settings.state_dir / "runs" / run_id
    final = request.out or settings.data_dir / "runs" / run_id
    record = RunFolder(final, secrets=secret_values(request.environment))
    record.begin(
        run_id=run_id, started=recorder.started, agent=agent, strategy=strategy, repository=request.repository.name
    )
    journal = Journal.open(
        folder,
        run_id=run_id,
        tree=folder / "tree",
        data=record.path,
        started=recorder.started,
        repository=str(request.repository.root),
    )
    store = TraceStore(settings.data_dir / STORE_NAME)
    store.begin(
        run_id=run_id,
        trace_id=recorder.trace_id,
        started=recorder.started,
        agent=agent,
        strategy=strategy,
        repository=request.repository.name,
        folder=str(record.path),
    )
    desk = Desk(
        request=request,
        recorder=recorder,
        watch=Discreet(watch=watch, known=record),
        folder=folder,
        record=record,
        journal=journal,
        store=store,
    )
    for place in (desk.agent_home, desk.temporary):
        place.mkdir(mode=0o700)
    return desk


def recall(folder: Path) -> RunTree:
    """The tree that `Desk.remember` wrote down. Raises OSError or ValueError (of which msgspec's are)."""
    return msgspec.convert(json.loads((folder / TREE_FACTS).read_bytes()), type=RunTree, dec_hook=_path)


def _plain(value: Any) -> str:
    if isinstance(value, Path):
        return str(value)
    raise NotImplementedError(type(value).__name__)


def _path(kind: type, value: Any) -> Any:
    if issubclass(kind, Path):
        return Path(value)
    raise NotImplementedError(kind.__name__)
