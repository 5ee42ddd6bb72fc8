"""The trees that are measured: private copies of the named work trees, made ones, and the edits done to them."""

from __future__ import annotations

import os
import random
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from kit import repository_of

CODE = frozenset((
    ".bash", ".c", ".cc", ".cjs", ".cpp", ".cs", ".css", ".cts", ".dart", ".ex", ".exs", ".go", ".gradle", ".groovy",
    ".h", ".hpp", ".html", ".java", ".js", ".jsx", ".kt", ".kts", ".lua", ".m", ".mjs", ".mts", ".php", ".pl", ".proto",
    ".ps1", ".py", ".pyi", ".r", ".rb", ".rs", ".scala", ".scss", ".sh", ".sql", ".svelte", ".swift", ".tf", ".ts",
    ".tsx", ".vue", ".zig",
))  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Tree:
    """A work tree to copy from."""

    name: str
    root: Path
    commit: str
    files: int
    code_files: int

    def copy(self, folder: Path) -> Path:
        """A clean checkout of the tree's commit in `folder`; objects are borrowed from the tree's repository."""
        git(self.root, "clone", "-q", "--shared", "--no-checkout", str(self.root), str(folder))
        git(folder, "checkout", "-q", "--detach", self.commit)
        settle(folder)
        return folder


def named(root: Path) -> Tree:
    """The work tree that contains `root`."""
    top = Path(git(root, "rev-parse", "--show-toplevel").strip())
    paths = tracked(top)
    return Tree(
        name=top.name,
        root=top,
        commit=git(top, "rev-parse", "HEAD").strip(),
        files=len(paths),
        code_files=sum(Path(path).suffix.lower() in CODE for path in paths),
    )


def made(folder: Path, files: int) -> Tree:
    """A tree of `files` small Python modules, for a short sample where no real tree is at hand."""
    return named(repository_of(folder / f"made-{files}", files))


def settle(root: Path) -> None:
    """Let git trust its own notes on the files: until a second has passed it reads each of them again every time."""
    time.sleep(1.1)
    git(root, "update-index", "-q", "--refresh", "--force-write-index")


def tracked(root: Path) -> list[str]:
    return [path for path in git(root, "ls-files", "-z").split("\0") if path]


def sample(root: Path, count: int, seed: int) -> list[str]:
    """Code files of the tree, at random but the same each time; not the very small nor the very large ones."""
    fit = [path for path in tracked(root) if Path(path).suffix.lower() in CODE and _usual(root / path)]
    return random.Random(seed).sample(sorted(fit), min(count, len(fit)))


def _usual(file: Path) -> bool:
    return file.is_file() and not file.is_symlink() and 200 <= file.stat().st_size <= 60_000


def edit(root: Path, path: str, mark: int) -> None:
    """Change a file as a person does: one line more, in its middle, with a word that was not there."""
    lines = (root / path).read_bytes().split(b"\n")
    lines.insert(len(lines) // 2, _note(path, mark))
    (root / path).write_bytes(b"\n".join(lines))


def _note(path: str, mark: int) -> bytes:
    hashed = Path(path).suffix.lower() in {
        ".py",
        ".pyi",
        ".rb",
        ".sh",
        ".bash",
        ".pl",
        ".r",
        ".ps1",
        ".ex",
        ".exs",
        ".tf",
    }
    return f"{'#' if hashed else '//'} edited_here_{mark}".encode()


def branch_with_changes(root: Path, name: str, paths: Sequence[str]) -> None:
    """Make a branch on which each of the files is edited, and come back."""
    start = git(root, "rev-parse", "HEAD").strip()
    git(root, "checkout", "-q", "-B", name)
    for mark, path in enumerate(paths):
        edit(root, path, 10_000 + mark)
    git(root, "-c", "user.name=A Person", "-c", "user.email=person@example.org", "commit", "-q", "-a", "-m", name)
    git(root, "checkout", "-q", "--detach", start)


def restore(root: Path) -> None:
    """Back to the commit, with nothing untracked."""
    git(root, "checkout", "-q", "-f", "--detach", "HEAD")
    git(root, "clean", "-q", "-f", "-d")


def git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(("git", *arguments), cwd=folder, capture_output=True, check=True)
    return os.fsdecode(done.stdout)
