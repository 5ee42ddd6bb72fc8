"""A fresh repository of base + patch, for checks and for going on; and what was written in it since."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from pathspec import GitIgnoreSpec

from ..context.errors import CannotProceed, GitFailed
from ..context.git import Repository, git, line, listed, names, place
from .caches import is_cache
from .copies import FAST, Origin, make, of_submodule, origin_of
from .rooms import Room, patched, scratch_folder
from .seeds import bring, ignore_lines
from .worktree import RunTree

_AS_BUILT: Final = "agenvantage-as-built"


class RebuildFailed(CannotProceed):
    """Base + patch could not be put together again."""

    error_type = "rebuild_failed"

    def __init__(self, why: str) -> None:
        super().__init__(f"Base and patch could not be put together: {why}.")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Site:
    """Where a rebuild goes on: everything that its steps share."""

    tree: RunTree
    patch_file: Path
    destination: Path
    protect: GitIgnoreSpec
    scratch: Path


def rebuild(tree: RunTree, patch_file: Path, destination: Path, protect: tuple[str, ...] = ()) -> Path:
    """A fresh repository at the base with the patch in its work tree, seeded alike; protected paths as in the base.

    `protect` are globs in ignore syntax. Raises RebuildFailed.
    """
    destination.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        with scratch_folder(tree.mirror) as scratch:
            protected = GitIgnoreSpec.from_lines(protect)
            _rooms(_Site(tree=tree, patch_file=patch_file, destination=destination, protect=protected, scratch=scratch))
    except GitFailed as failed:
        raise RebuildFailed(str(failed).splitlines()[0]) from failed
    seeded = bring(tree.seeded, (tree.source.root, tree.root), destination)
    with (destination / ".git/info/exclude").open("ab") as file:
        file.write(b"\n" + ignore_lines(seeded))
    return destination


def _rooms(site: _Site) -> None:
    """The tree, then its submodules, each on the commit that the tree around it now names."""
    mirror = site.tree.mirror
    origin = origin_of(Repository(root=mirror, git_dir=mirror, common_dir=mirror, bare=True))
    everything = tuple(Room(path=path, base="") for path in ("", *(module.path for module in site.tree.submodules)))
    after = {"": _room(site, Room(path="", base=site.tree.base_commit), everything, origin)}
    for module in site.tree.submodules:
        parent = max((path for path in after if not path or module.path.startswith(f"{path}/")), key=len)
        inside = module.path[len(parent) :].lstrip("/")
        entry = git(mirror, "ls-tree", "-z", after[parent], "--", f":(literal){inside}", environment=place(mirror))
        if entry.startswith(b"160000 ") and (site.destination / module.path).is_dir():
            room = Room(path=module.path, base=entry.split()[2].decode())
            after[module.path] = _room(site, room, everything, of_submodule(origin, module.store))


def _room(site: _Site, room: Room, everything: tuple[Room, ...], origin: Origin) -> str:
    """Build one repository. Returns its tree: base + patch, protected paths as in the base."""
    mirror = site.tree.mirror
    tree = patched(mirror, room, everything, site.patch_file, site.scratch)
    tree = _protected(site, room, tree)
    folder = site.destination / room.path
    git_dir = make(folder, _borrowing(origin, mirror))
    here = place(git_dir, work_tree=folder)
    git(folder, *FAST, "read-tree", "-u", "--reset", tree, environment=here)
    _fill_outside_the_sparse_cone(site, room, tree, folder)
    shutil.copy2(git_dir / "index", git_dir / _AS_BUILT)
    git(folder, "update-ref", "--no-deref", "HEAD", room.base, environment=here)
    git(folder, "read-tree", "--reset", room.base, environment=here)
    return tree


def _borrowing(origin: Origin, mirror: Path) -> Origin:
    """The mirror itself borrows from the person's store, and from those of the submodules."""
    return replace(origin, stores=(mirror / "objects",))


def _protected(site: _Site, room: Room, tree: str) -> str:
    """The tree with every protected path as the base has it."""
    mirror = site.tree.mirror
    raw = names(
        git(mirror, "diff-tree", "-r", "-z", "--no-renames", "--raw", room.base, tree, environment=place(mirror))
    )
    changed = zip(raw[1::2], (facts[1:].split() for facts in raw[::2]), strict=True)
    back = [(path, facts) for path, facts in changed if site.protect.match_file(room.prefix + path)]
    if not back:
        return tree
    here = place(mirror, index=site.scratch / "protected")
    git(mirror, "read-tree", tree, environment=here)
    # Mode 0 takes an entry out; those go first, as a file may stand where the base has a folder.
    entries = sorted(f"{facts[0].lstrip('0') or '0'} {facts[2]}\t{path}" for path, facts in back)
    git(mirror, "update-index", "-z", "--index-info", stdin=listed(entries), environment=here)
    return line(git(mirror, "write-tree", environment=here))


def _fill_outside_the_sparse_cone(site: _Site, room: Room, tree: str, folder: Path) -> None:
    """What the patch adds or changes is there, also where the sparse checkout has no files."""
    if not (folder / ".git/info/sparse-checkout").exists():
        return
    how = ("diff-tree", "-r", "-z", "--no-renames", "--name-only", "--diff-filter=d", room.base, tree)
    changed = names(git(site.tree.mirror, *how, environment=place(site.tree.mirror)))
    here = place(folder / ".git", work_tree=folder)
    for command in (("update-index", "--no-skip-worktree"), ("checkout-index", "--force")):
        git(folder, *command, "-z", "--stdin", stdin=listed(changed), environment=here)


def side_effects(copy: Path) -> tuple[str, ...]:
    """What was written in a rebuilt copy since: changed, deleted or new and not ignored, caches left out."""
    git_dir = copy / ".git"
    as_built = git_dir / _AS_BUILT
    if not as_built.is_file():
        return (".git",)
    how = ("ls-files", "-z", "--deleted", "--modified", "--others", "--exclude-standard")
    found = names(git(copy, *how, environment=place(git_dir, work_tree=copy, index=as_built)))
    return tuple(sorted({path for path in found if not is_cache(path)}))
