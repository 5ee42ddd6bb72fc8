"""The agent's own work tree: a self-contained repository at the base commit, outside the person's checkout."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ..context.git import Repository

From = str
"""`head`, `dirty`, or any revision."""
SourceKind = Literal["checkout", "linked", "bare"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeRequest:
    """What to start from. `folder` is the run's own folder under the state folder; `cwd` is relative to the root."""

    run_id: str
    source: Repository
    folder: Path
    from_: From = "head"
    cwd: str | None = None
    copy: tuple[str, ...] = ()
    """Globs (ignore syntax) of files to bring along, tracked or not, ignored or not."""
    submodules: bool = True
    lfs_pointers: bool = False
    borrow: bool = True
    """Borrow objects from the person's store; False copies the base's own history and nothing later."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeIdentity:
    """What makes a folder the one that we made, whatever its path says later."""

    device: int
    inode: int
    marker: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Submodule:
    """A submodule that was filled from the local module store."""

    path: str
    commit: str
    store: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class RunTree:
    """The agent's tree (`root`), where it starts (`cwd`), and the private repository that knows its base (`mirror`)."""

    run_id: str
    root: Path
    cwd: Path
    mirror: Path
    git_dir: Path
    base_commit: str
    base_tree: str
    source: Repository
    source_kind: SourceKind
    source_commit: str
    """The person's commit below the base; equal to `base_commit` unless `dirty`."""
    branch: str | None
    dirty: bool
    """The base is a snapshot that holds uncommitted changes."""
    from_: From
    identity: TreeIdentity
    seeded: tuple[str, ...] = ()
    submodules: tuple[Submodule, ...] = ()
    lfs_pointers: bool = False
    safe_git_config: bool = True
    """The tree's own configuration turns signing, hooks, pager, editor and credential prompts off."""


def prepare(request: TreeRequest) -> RunTree:
    """Make the run's tree. Raises a BadRequest or CannotProceed that names the way out; then nothing is left behind."""
    raise NotImplementedError


def is_ours(tree: RunTree) -> bool:
    """Whether the folder at `tree.root` is still the very folder that we made."""
    raise NotImplementedError


def remove(folder: Path) -> None:
    """Remove a run's folder. Follows no link and refuses a folder that is not a run's."""
    raise NotImplementedError


def refuse_state_inside(source: Repository, *folders: Path) -> None:
    """Raises StateInsideRepository when a folder of ours lies inside the repository or its git directory."""
    raise NotImplementedError
