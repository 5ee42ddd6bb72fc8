"""The trees that retrieval is measured on, as an index and as a scorer read them. None of them is written to."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from ..context.git import git

_HELD: Final = 400
# What the person has set up for git must not change a single byte of a tree.
_OWN: Final = {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1", "GIT_ATTR_NOSYSTEM": "1"} | {
    f"GIT_{who}_{what}": value
    for who in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "bench"), ("EMAIL", "bench@localhost"), ("DATE", "2000-01-01T00:00:00+0000"))
}


@contextmanager
def as_repository(tree: Path) -> Iterator[Path]:
    """The tree itself if it is a git work tree, else a repository of one commit made from a copy, gone afterwards."""
    if (tree / ".git").exists():
        yield tree
        return
    with tempfile.TemporaryDirectory(prefix="agenvantage-tree-") as folder:
        copy = Path(folder) / tree.name
        shutil.copytree(tree, copy, symlinks=True, ignore=shutil.ignore_patterns(".git"))
        git(copy, "init", "-q", "-b", "base", environment=_OWN)
        # Ignored files too: all of the tree was tracked where it came from.
        git(copy, "add", "-A", "-f", ".", environment=_OWN)
        git(copy, "commit", "-q", "--allow-empty", "--no-verify", "-m", "base", environment=_OWN)
        yield copy


class DiskTree:
    """A tree's files as a scorer reads them."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._lines: dict[str, tuple[str, ...] | None] = {}

    def has(self, path: str) -> bool:
        return (self._root / path).is_file()

    def lines(self, path: str) -> Sequence[str] | None:
        """Without line ends; None where there is no such file."""
        if path not in self._lines:
            if len(self._lines) >= _HELD:
                self._lines.clear()
            self._lines[path] = self._read(path)
        return self._lines[path]

    def _read(self, path: str) -> tuple[str, ...] | None:
        if not self.has(path):
            return None
        lines = (self._root / path).read_bytes().decode("utf-8", "replace").split("\n")
        return tuple(lines[:-1] if lines[-1] == "" else lines)
