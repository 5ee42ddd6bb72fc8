"""Which changes of the person's checkout an agent made itself, by what its own calls name."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType
from typing import Final

from ..context.git import Repository
from ..telemetry.model import ToolCall

# Words of a command that may be paths: everything between blanks, quotes and the shell's own signs.
_WORDS: Final = re.compile(r"""[^\s"'`;|&<>()=,]+""")
# A command of these words alone, without a redirection, reads.
_READERS: Final = frozenset({
    "cat", "head", "tail", "less", "more", "ls", "tree", "stat", "file", "wc", "nl", "od", "xxd", "strings", "diff",
    "cmp", "grep", "rg", "egrep", "fgrep", "ag", "pwd", "cd", "echo", "realpath", "readlink", "basename", "dirname",
    "du", "sort", "uniq", "cut", "md5sum", "sha256sum", "test", "[", "true", "which",
})  # fmt: skip
_GO: Final = ("cd", "pushd", "-C")
_PARTS: Final = re.compile(r"&&|\|\||[;|\n]")
_WRITES: Final = re.compile(r"(?<![0-9&])>(?!\s*/dev/null|&)|\btee\b")
_VARIABLE: Final = re.compile(r"\$\{?([A-Za-z_][A-Za-z0-9_]*)\}?")


def escaped(
    changed: Iterable[str],
    *,
    source: Repository,
    cwd: Path,
    calls: Iterable[ToolCall],
    observed: bool,
    environment: Mapping[str, str] = MappingProxyType({}),
) -> tuple[str, ...]:
    """Which of the `changed` names the agent's own calls account for.

    `cwd` is where the agent started, `environment` what it saw (for `$NAME` in its commands). `observed` False: it left
    no trajectory to tell by, so every change counts, but for an index that was only refreshed.
    """
    names = tuple(name for name in changed if not name.endswith("(refreshed)"))
    if not observed or not names:
        return names
    checkout = _Checkout(source)
    areas: set[Path] = set()
    for call in calls:
        place = _resolved(call.cwd, cwd, environment) if call.cwd else cwd
        areas |= {_resolved(edit, place, environment) for edit in call.edits}
        if call.command and not _only_reads(call.command):
            areas |= checkout.areas_named(_expanded(call.command, environment), place, environment)
    return tuple(name for name in names if any(checkout.place_of(name).is_relative_to(area) for area in areas))


class _Checkout:
    """The person's checkout by its real places."""

    def __init__(self, source: Repository) -> None:
        self.root, self.git_dir, self.common_dir = (
            Path(os.path.realpath(path)) for path in (source.root, source.git_dir, source.common_dir)
        )

    def place_of(self, name: str) -> Path:
        """Where a changed thing lies. A git directory counts as below the root: who works there may commit."""
        for prefix, home in ((".git/common/", self.common_dir), (".git/", self.git_dir)):
            if name.startswith(prefix):
                return self._below_root(home / name.removeprefix(prefix))
        return self._below_root(self.git_dir / name) if name == "HEAD" or name.startswith("refs/") else self.root / name

    def _below_root(self, path: Path) -> Path:
        for home in (self.git_dir, self.common_dir):
            if path.is_relative_to(home):
                return self.root / ".git" / path.relative_to(home)
        return path

    def areas_named(self, command: str, cwd: Path, environment: Mapping[str, str]) -> set[Path]:
        """The places in the checkout that a command names; all of it when it runs there."""
        words = _WORDS.findall(command)
        bases = {cwd} | {_resolved(word, cwd, environment) for before, word in pairwise(words) if before in _GO}
        if any(self._holds(base) for base in bases):
            return {self.root}
        named = {_resolved(word, base, environment) for word in words for base in bases}
        return {self._below_root(path) for path in named if self._holds(path)}

    def _holds(self, path: Path) -> bool:
        return any(path.is_relative_to(home) for home in (self.root, self.git_dir, self.common_dir))


def _only_reads(command: str) -> bool:
    if _WRITES.search(command):
        return False
    words = [part.split() for part in _PARTS.split(command)]
    return all(not part or _reads(part) for part in words)


def _reads(words: list[str]) -> bool:
    if words[0] == "sed":
        return "-n" in words and not any(word.startswith(("-i", "--in-place")) for word in words)
    if words[0] == "find":
        return not {"-delete", "-exec", "-execdir", "-ok", "-fprint"} & set(words)
    return words[0] in _READERS


def _expanded(text: str, environment: Mapping[str, str]) -> str:
    return _VARIABLE.sub(lambda found: environment.get(found[1], found[0]), text)


def _resolved(text: str, cwd: Path, environment: Mapping[str, str]) -> Path:
    text = _expanded(text, environment)
    if text.startswith("~"):
        text = text.replace("~", environment.get("HOME", "~"), 1)
    return Path(os.path.realpath(cwd / text))
