"""Run trees for tests: made of a real repository, in a folder of their own."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

from agenvantage.context.git import discover
from agenvantage.runner.worktree import RunTree, TreeRequest, prepare
from hypothesis import strategies as st

MakeTree = Callable[..., RunTree]


def tree_maker(folder: Path, repository: Path) -> MakeTree:
    """A function that prepares a tree of the repository; keywords as in TreeRequest."""
    count = iter(range(1000))

    def make(**wanted: Any) -> RunTree:
        run_id = f"run-{next(count)}"
        source = discover(wanted.pop("at", repository))
        return prepare(TreeRequest(run_id=run_id, source=source, folder=folder / "runs" / run_id, **wanted))

    return make


def git(folder: Path, *arguments: str) -> str:
    """A person's (or an agent's) own git command."""
    done = subprocess.run(("git", *arguments), cwd=folder, capture_output=True, check=True)
    return os.fsdecode(done.stdout).strip()


def contents(folder: Path) -> dict[str, tuple[str, int]]:
    """Every file and link below, git directory included: path → (digest, mode)."""
    found = {}
    for path in sorted(folder.rglob("*")):
        if path.is_symlink():
            found[str(path.relative_to(folder))] = (f"link {path.readlink()}", 0)
        elif path.is_file():
            found[str(path.relative_to(folder))] = (hashlib.sha256(path.read_bytes()).hexdigest(), path.stat().st_mode)
    return found


def files(folder: Path) -> dict[str, tuple[str, int]]:
    """As `contents`, without git directories."""
    return {path: facts for path, facts in contents(folder).items() if ".git" not in Path(path).parts}


# Random trees: path → (mode, or None for a link; bytes). Few names, so that files, folders and links often clash.
parts = st.sampled_from(["a", "b", "c", "\n", "ü", "x y", '"'])
relative = st.lists(parts, min_size=1, max_size=3).map("/".join)
content = st.tuples(st.sampled_from([0o644, 0o755, None]), st.binary(max_size=20) | st.just(b"line\n" * 30))
trees = st.dictionaries(relative, content, max_size=6)


def put(root: Path, path: str, what: tuple[int | None, bytes]) -> None:
    """Write a file, or a link where there is no mode; whatever stands in the way goes."""
    target, (mode, data) = root / path, what
    for parent in reversed(target.parents):
        if parent.is_relative_to(root) and parent != root and (parent.is_symlink() or parent.is_file()):
            parent.unlink()
    if target.is_dir() and not target.is_symlink():
        shutil.rmtree(target)
    target.unlink(missing_ok=True)
    target.parent.mkdir(parents=True, exist_ok=True)
    if mode is None:
        target.symlink_to(f"to{len(data)}")
    else:
        target.write_bytes(data)
        target.chmod(mode)
