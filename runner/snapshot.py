"""The content of a work tree as a git tree: through an index and an object store of our own, only reading."""

from __future__ import annotations

import filecmp
import os
import tempfile
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from ..context.git import git, line, listed, names, place
from ..context.redact import secret_path
from .caches import is_cache


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """A work tree seen through another repository: `mirror` has the settings and takes objects, `index` is scratch."""

    mirror: Path
    root: Path
    index: Path

    def git(self, *arguments: str, stdin: bytes = b"", accept: tuple[int, ...] = (0,)) -> bytes:
        here = place(self.mirror, work_tree=self.root, index=self.index)
        return git(self.root, *arguments, stdin=stdin, environment=here, accept=accept)

    def update(self, paths: Iterable[str], *options: str) -> None:
        """Change entries of the index."""
        self.git("update-index", *options, "-z", "--stdin", stdin=listed(paths))


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """A work tree's content, and the new files that were left out of it by kind."""

    tree: str
    caches: tuple[str, ...] = ()
    secrets: tuple[str, ...] = ()
    nested: tuple[str, ...] = ()
    """Untracked repositories inside; their files are in the tree, their history is not."""


def take(view: View, *, keep_out: Collection[str] = (), links: Mapping[str, str] = MappingProxyType({})) -> Snapshot:
    """Bring `view.index` up to what lies in `view.root`, and write it as a tree.

    New files are taken unless ignored, a cache, secret-looking or in `keep_out` (paths; a folder ends with `/`).
    `links` are submodules and the commits to record for them; one whose folder is gone counts as deleted.
    """
    _see_files_outside_the_sparse_cone(view)
    behind_links = _behind_links(view)
    if behind_links:
        view.update(behind_links, "--force-remove")
    changed, fresh = _changed(view)
    same = as_checked_out(view.git, view.root, changed)
    nested = tuple(path for path in fresh if path.endswith("/"))
    inside = [path for folder in nested for path in _files_in(view, folder)]
    sorted_out = _sort_out([path for path in fresh if not path.endswith("/")] + inside, _kinds(keep_out))
    linked = {path: commit for path, commit in links.items() if (view.root / path).is_dir()}
    taken = [path for path in changed if path not in same and path not in linked] + sorted_out[""]
    if taken:
        view.update(taken, "--add", "--remove", "--replace", "--ignore-skip-worktree-entries")
    if linked:
        lines = (f"160000 {commit}\t{path}" for path, commit in linked.items())
        view.git("update-index", "-z", "--index-info", stdin=listed(lines))
    return Snapshot(
        tree=line(view.git("write-tree")),
        caches=tuple(sorted_out["cache"]),
        secrets=tuple(sorted_out["secret"]),
        nested=tuple(folder.rstrip("/") for folder in nested),
    )


def _changed(view: View) -> tuple[list[str], list[str]]:
    """Known paths that changed or are gone, and new ones that are not ignored; nested repositories end with `/`."""
    how = ("ls-files", "-z", "-t", "--deleted", "--modified", "--others", "--exclude-standard")
    answer = names(view.git(*how))
    changed = dict.fromkeys(entry[2:] for entry in answer if entry[0] != "?")
    return [*changed], [entry[2:] for entry in answer if entry[0] == "?"]


def as_checked_out(run: Callable[..., bytes], root: Path, paths: Iterable[str]) -> frozenset[str]:
    """Paths whose files are byte for byte what a checkout of their index entry makes; `run` is git with that index.

    Where a file's stored form breaks its own line-end rules git calls it changed after every checkout. It is not.
    """
    present = [path for path in paths if (root / path).is_symlink() or (root / path).is_file()]
    if not present:
        return frozenset()
    with tempfile.TemporaryDirectory(prefix="agenvantage-") as folder:
        run(
            "checkout-index",
            "--quiet",
            "--force",
            f"--prefix={folder}/",
            "-z",
            "--stdin",
            stdin=listed(present),
            accept=(0, 1, 128),
        )
        return frozenset(path for path in present if _alike(root / path, Path(folder) / path))


def _alike(one: Path, other: Path) -> bool:
    if one.is_symlink() or other.is_symlink():
        return one.is_symlink() and other.is_symlink() and one.readlink() == other.readlink()
    executable = [bool(path.stat().st_mode & 0o100) for path in (one, other) if path.is_file()]
    return len(executable) == 2 and executable[0] == executable[1] and filecmp.cmp(one, other, shallow=False)


def _behind_links(view: View) -> list[str]:
    """Entries of the index that are reached only through a link in a folder's place: git's listing follows it."""
    known = names(view.git("ls-files", "-z"))
    folders = {folder for path in known for folder in _parents(path)}
    links = tuple(folder + "/" for folder in folders if (view.root / folder).is_symlink())
    return [path for path in known if path.startswith(links)] if links else []


def _parents(path: str) -> list[str]:
    parts = path.split("/")[:-1]
    return ["/".join(parts[: count + 1]) for count in range(len(parts))]


def _see_files_outside_the_sparse_cone(view: View) -> None:
    """A file that was made where the sparse checkout has none is the agent's work all the same."""
    if not (view.mirror / "info/sparse-checkout").exists():
        return
    entries = names(view.git("ls-files", "-z", "-t"))
    present = [entry[2:] for entry in entries if entry[0] == "S" and os.path.lexists(view.root / entry[2:])]
    if present:
        view.update(present, "--no-skip-worktree")


def _files_in(view: View, folder: str) -> list[str]:
    """Files of an untracked repository, its own git directory and ignored ones left out."""
    found = []
    for top, folders, files in os.walk(view.root / folder):
        folders[:] = [name for name in folders if name != ".git"]
        links = [name for name in folders if (Path(top) / name).is_symlink()]
        place_in_tree = Path(top).relative_to(view.root).as_posix()
        found += [
            f"{place_in_tree}/{name}" for name in (*files, *links) if name != ".git" and _holdable(Path(top) / name)
        ]
    if not found:
        return []
    asked = view.git("check-ignore", "--no-index", "-z", "--stdin", stdin=listed(found), accept=(0, 1))
    ignored = set(names(asked))
    return [path for path in found if path not in ignored]


def _holdable(path: Path) -> bool:
    return path.is_symlink() or path.is_file()


Kind = Callable[[str], bool]


def _kinds(keep_out: Collection[str]) -> tuple[tuple[str, Kind], ...]:
    exact = frozenset(keep_out)
    folders = tuple(path for path in keep_out if path.endswith("/"))

    def kept_out(path: str) -> bool:
        return path in exact or path.startswith(folders)

    return (("kept_out", kept_out), ("cache", is_cache), ("secret", secret_path))


def _sort_out(paths: list[str], kinds: tuple[tuple[str, Kind], ...]) -> dict[str, list[str]]:
    """Paths by the first kind that they are; those of none under the empty name."""
    sorted_out: dict[str, list[str]] = {"": [], **{name: [] for name, _ in kinds}}
    for path in paths:
        sorted_out[next((name for name, is_kind in kinds if is_kind(path)), "")].append(path)
    return sorted_out
