"""The agent's own work tree: a self-contained repository at the base commit, outside the person's checkout."""

from __future__ import annotations

import errno
import os
import shutil
import stat
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from ..context.errors import BadRequest, CannotProceed
from ..context.git import Repository, git, line, place, resolve
from .copies import Origin, check_out, copy_history, make, origin_of
from .filters import as_pointers, preflight
from .modules import Submodule, fill, find
from .prepared import Prepared
from .seeds import bring, ignore_lines, wanted
from .snapshot import View, take

From = str
"""`head`, `dirty`, or any revision."""
BASE_REF: Final = "refs/agenvantage/base"
RUN_MARK: Final = ".agenvantage-run"
"""Names a run's folder as ours: holds the run id, and is the last thing that `remove` takes away."""
_TREE_MARK: Final = "agenvantage-run"
_ATTRIBUTE: Final = "user.agenvantage.run"
_MINE: Final = 0o700


class StateInsideRepository(BadRequest):
    """A folder of ours would lie in the repository under observation."""

    error_type = "state_inside_repository"

    def __init__(self, folder: Path, repository: Path) -> None:
        super().__init__(
            f"{folder} lies inside the repository {repository}.",
            "Keep it elsewhere: --state-dir, --data-dir, --cache-dir, or the AGENVANTAGE_*_DIR variables.",
        )


class NoSuchFolder(BadRequest):
    """`--cwd` names no folder of the base."""

    error_type = "no_such_folder"

    def __init__(self, cwd: str, why: str) -> None:
        super().__init__(f"Can't start in '{cwd}': {why}.", "Give --cwd a folder, relative to the repository's root.")


class NoChangesToTake(BadRequest):
    """`--from dirty` with a bare repository."""

    error_type = "nothing_dirty"

    def __init__(self) -> None:
        super().__init__("A bare repository has no uncommitted changes.", "Start from a revision: --from REV.")


class PlaceTaken(CannotProceed):
    """Something lies where a run's tree should be made."""

    error_type = "place_taken"

    def __init__(self, path: Path) -> None:
        super().__init__(
            f"{path} is already there; a tree is never made over something else.", "Run `agenvantage gc`, then again."
        )


class NotARun(CannotProceed):
    """A folder that should be removed is not one of a run."""

    error_type = "not_a_run"

    def __init__(self, folder: Path) -> None:
        super().__init__(
            f"{folder} is not the folder of a run; it was left alone.", "Remove it by hand if you know what it is."
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeRequest:
    """What to start from. `folder` is the run's own folder under the state folder; `cwd` is relative to the root."""

    run_id: str
    source: Repository
    folder: Path
    from_: From = "head"
    cwd: str | None = None
    copy: tuple[str, ...] = ()
    """Globs (ignore syntax) of untracked files to bring along."""
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
class RunTree:
    """The agent's tree (`root`), where it starts (`cwd`), and the private repository that knows its base (`mirror`)."""

    run_id: str
    root: Path
    cwd: Path
    mirror: Path
    git_dir: Path
    base_commit: str
    source: Repository
    source_commit: str
    """The person's commit below the base; equal to `base_commit` unless `dirty`."""
    branch: str | None
    dirty: bool
    """The base is a snapshot that holds uncommitted changes."""
    from_: From
    identity: TreeIdentity
    seeded: tuple[str, ...] = ()
    prepared: tuple[Prepared, ...] = ()
    """What setup commands wrote before the agent came."""
    submodules: tuple[Submodule, ...] = ()
    lfs_pointers: bool = False
    borrow: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class _Base:
    """The commit that a run starts from, in the mirror."""

    commit: str
    source_commit: str
    dirty: bool
    branch: str | None


def prepare(request: TreeRequest) -> RunTree:
    """Make the run's tree. Raises a BadRequest or CannotProceed that names the way out; then nothing is left behind."""
    mirror, root = request.folder / "mirror.git", request.folder / "tree"
    for path in (mirror, root):
        if os.path.lexists(path):
            raise PlaceTaken(path)
    commit = resolve(request.source, "HEAD" if request.from_ in ("head", "dirty") else request.from_)
    request.folder.mkdir(mode=_MINE, parents=True, exist_ok=True)
    (request.folder / RUN_MARK).write_text(request.run_id, encoding="utf-8")
    try:
        return _made(request, mirror, root, commit)
    except BaseException:
        for path in (mirror, root):
            _clear(path)
        raise


def _made(request: TreeRequest, mirror: Path, root: Path, commit: str) -> RunTree:
    origin = origin_of(request.source)
    if request.lfs_pointers:
        origin = replace(origin, settings=as_pointers(origin))
    make(mirror, origin if request.borrow else replace(origin, stores=()), bare=True)
    if not request.borrow:
        copy_history(mirror, origin.stores, commit)
    base = _base(request, mirror, commit)
    git(mirror, "update-ref", BASE_REF, base.commit, environment=place(mirror))
    if not request.lfs_pointers:
        preflight(mirror, origin, base.commit)
    modules = find(request.source, mirror, base.commit) if request.submodules else ()
    git_dir = make(root, replace(origin, stores=stores(mirror, origin, borrow=request.borrow)))
    check_out(root, base.commit)
    filled = fill(root, origin, modules)
    seeded = bring(wanted(request.source, request.copy), (request.source.root,), root)
    _keep_seeds_out(seeded, mirror, git_dir)
    _remember_indexes(mirror, root, filled)
    return RunTree(
        run_id=request.run_id,
        root=root,
        cwd=_starting_folder(root, request.cwd),
        mirror=mirror,
        git_dir=git_dir,
        base_commit=base.commit,
        source=request.source,
        source_commit=base.source_commit,
        branch=base.branch,
        dirty=base.dirty,
        from_=request.from_,
        identity=_mark(root, git_dir, request.run_id),
        seeded=seeded,
        submodules=filled,
        lfs_pointers=request.lfs_pointers,
        borrow=request.borrow,
    )


def stores(mirror: Path, origin: Origin, *, borrow: bool) -> tuple[Path, ...]:
    """Where a copy of the mirror's base finds its objects."""
    return (mirror / "objects", *(origin.stores if borrow else ()))


def _base(request: TreeRequest, mirror: Path, commit: str) -> _Base:
    by_name = request.from_ in ("head", "dirty")
    base = _Base(commit=commit, source_commit=commit, dirty=False, branch=_branch(request.source) if by_name else None)
    if request.from_ != "dirty":
        return base
    if request.source.bare:
        raise NoChangesToTake
    dirty_tree = _uncommitted(request.source, mirror, commit)
    if dirty_tree == _tree(mirror, commit):
        return base
    return replace(base, commit=_snapshot_commit(mirror, dirty_tree, commit), dirty=True)


def _tree(mirror: Path, commit: str) -> str:
    return line(git(mirror, "rev-parse", "--verify", f"{commit}^{{tree}}", environment=place(mirror)))


def _branch(source: Repository) -> str | None:
    return line(git(source.root, "symbolic-ref", "-q", "--short", "HEAD", accept=(0, 1))) or None


def _uncommitted(source: Repository, mirror: Path, commit: str) -> str:
    """The tree of what lies in the checkout: staged, unstaged, new and not ignored. Objects go to the mirror."""
    index = mirror / "dirty.index"
    if (source.git_dir / "index").exists():
        shutil.copy2(source.git_dir / "index", index)
        for shared in source.git_dir.glob("sharedindex.*"):
            shutil.copy2(shared, mirror)
    else:
        git(mirror, "read-tree", commit, environment=place(mirror, index=index))
    taken = take(View(mirror=mirror, root=source.root, index=index))
    index.unlink()
    return taken.tree


def _snapshot_commit(mirror: Path, tree: str, parent: str) -> str:
    """A commit whose id depends on its content alone, so that both arms of a comparison start from the same."""
    date = line(git(mirror, "log", "-1", "--format=%ct +0000", parent, environment=place(mirror)))
    who = {
        f"GIT_{role}_{part}": value
        for role in ("AUTHOR", "COMMITTER")
        for part, value in (("NAME", "AgenVantage"), ("EMAIL", "agenvantage@localhost"), ("DATE", date))
    }
    made = git(mirror, "commit-tree", tree, "-p", parent, "-m", "Uncommitted changes", environment=place(mirror) | who)
    return line(made)


def _starting_folder(root: Path, cwd: str | None) -> Path:
    place_ = Path(os.path.normpath(root / (cwd or ".")))
    if not place_.is_relative_to(root):
        raise NoSuchFolder(str(cwd), "it lies outside the repository")
    if not place_.is_dir():
        raise NoSuchFolder(str(cwd), "the base has no such folder")
    if not place_.resolve().is_relative_to(root.resolve()):
        raise NoSuchFolder(str(cwd), "it leads out of the repository")
    return place_


def _keep_seeds_out(seeded: tuple[str, ...], mirror: Path, git_dir: Path) -> None:
    """A seed must not show as new: not to the agent, who might commit it, and not to the capture."""
    for folder in (mirror, git_dir):
        (folder / "info").mkdir(exist_ok=True)
        with (folder / "info/exclude").open("ab") as file:
            file.write(b"\n" + ignore_lines(seeded) if seeded else b"")


def index_of(mirror: Path, module: str = "") -> Path:
    """Where the mirror keeps the index of the untouched tree, or of one of its submodules."""
    return mirror / "indexes" / (module.replace("%", "%25").replace("/", "%2F") or "tree")


def _remember_indexes(mirror: Path, root: Path, modules: tuple[Submodule, ...]) -> None:
    (mirror / "indexes").mkdir()
    for path in ("", *(module.path for module in modules)):
        shutil.copy2(root / path / ".git/index", index_of(mirror, path))


def _mark(root: Path, git_dir: Path, run_id: str) -> TreeIdentity:
    (git_dir / _TREE_MARK).write_text(run_id, encoding="utf-8")
    _set_attribute(root, run_id)
    seen = root.lstat()
    return TreeIdentity(device=seen.st_dev, inode=seen.st_ino, marker=run_id)


def _set_attribute(root: Path, marker: str) -> None:
    """An inode number is given again at once; an attribute on the folder itself is not. Not every system has them."""
    if hasattr(os, "setxattr"):
        try:
            os.setxattr(root, _ATTRIBUTE, marker.encode())
        except OSError as refused:
            if refused.errno not in (errno.ENOTSUP, errno.EPERM, errno.ENOSPC):
                raise


def is_ours(tree: RunTree) -> bool:
    """Whether the folder at `tree.root` is still the very folder that we made."""
    try:
        seen = tree.root.lstat()
    except OSError:
        return False
    same = stat.S_ISDIR(seen.st_mode) and (seen.st_dev, seen.st_ino) == (tree.identity.device, tree.identity.inode)
    return same and tree.identity.marker in (_attribute(tree.root), _text(tree.git_dir / _TREE_MARK))


def _attribute(root: Path) -> str | None:
    try:
        return os.getxattr(root, _ATTRIBUTE).decode() if hasattr(os, "getxattr") else None
    except OSError:
        return None


def _text(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None


def remove(folder: Path) -> None:
    """Remove a run's folder. Follows no link, and refuses a folder that is not a run's (NotARun)."""
    if not os.path.lexists(folder):
        return
    if folder.is_symlink() or not folder.is_dir():
        raise NotARun(folder)
    marks = [folder / RUN_MARK, folder / "journal.json"]
    if any(folder.iterdir()) and not any(mark.is_file() for mark in marks):
        raise NotARun(folder)
    # The marks go last: a removal that was cut short can be taken up again.
    for path in [entry for entry in folder.iterdir() if entry not in marks] + marks:
        _clear(path)
    folder.rmdir()


def _clear(path: Path) -> None:
    if path.is_symlink() or path.is_file():
        path.unlink()
    elif path.exists():
        try:
            shutil.rmtree(path)
        except (PermissionError, FileNotFoundError):
            _give_back_rights(path)
            shutil.rmtree(path)


def _give_back_rights(folder: Path) -> None:
    """A folder without the right to write keeps its files."""
    folder.chmod(_MINE)
    for top, folders, _ in os.walk(folder):
        for inner in (Path(top) / name for name in folders):
            if not inner.is_symlink():
                inner.chmod(_MINE)


def refuse_state_inside(source: Repository, *folders: Path) -> None:
    """Raises StateInsideRepository when a folder of ours lies inside the repository or its git directory."""
    for folder in folders:
        for home in (source.root, source.git_dir, source.common_dir):
            if folder.resolve().is_relative_to(home.resolve()):
                raise StateInsideRepository(folder, source.root)
