"""The one door to git: every call with a clean environment, no hooks, no prompts and no shell."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from .errors import GitFailed, GitMissing, NotARepository

# Names that point git at another repository; they win even over `-C`. (`git rev-parse --local-env-vars`, and kin.)
REPOSITORY_VARIABLES: Final = frozenset({
    "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_CEILING_DIRECTORIES", "GIT_COMMON_DIR", "GIT_CONFIG", "GIT_CONFIG_COUNT",
    "GIT_CONFIG_PARAMETERS", "GIT_DIR", "GIT_DISCOVERY_ACROSS_FILESYSTEM", "GIT_GRAFT_FILE", "GIT_IMPLICIT_WORK_TREE",
    "GIT_INDEX_FILE", "GIT_INTERNAL_SUPER_PREFIX", "GIT_LITERAL_PATHSPECS", "GIT_NAMESPACE", "GIT_NO_REPLACE_OBJECTS",
    "GIT_OBJECT_DIRECTORY", "GIT_PREFIX", "GIT_QUARANTINE_PATH", "GIT_REPLACE_REF_BASE", "GIT_SHALLOW_FILE",
    "GIT_WORK_TREE", "GIT_GLOB_PATHSPECS", "GIT_NOGLOB_PATHSPECS", "GIT_ICASE_PATHSPECS", "GIT_EXTERNAL_DIFF",
    "GIT_DIFF_OPTS", "GIT_TEMPLATE_DIR", "GIT_TRACE", "GIT_TRACE2",
})  # fmt: skip

# The repository under observation may run code through its configuration; none of it runs for our own calls.
_SAFE: Final = (
    "--no-optional-locks",
    "-c", f"core.hooksPath={os.devnull}",
    "-c", "core.fsmonitor=false",
    "-c", "protocol.ext.allow=never",
    "-c", "gc.auto=0",
    "-c", "maintenance.auto=false",
    "-c", "commit.gpgSign=false",
    "-c", "core.quotePath=false",
    "-c", "advice.detachedHead=false",
)  # fmt: skip
_QUIET: Final = {"GIT_TERMINAL_PROMPT": "0", "GIT_PAGER": "cat", "GIT_EDITOR": "true", "LC_ALL": "C"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Repository:
    """Where a repository lies. `root` is the top of the work tree, or the repository itself when bare."""

    root: Path
    git_dir: Path
    common_dir: Path
    bare: bool

    @property
    def name(self) -> str:
        home = self.common_dir.parent if self.common_dir.name == ".git" else self.common_dir
        return home.name.removesuffix(".git")


def git(
    folder: Path,
    *arguments: str,
    stdin: bytes = b"",
    environment: Mapping[str, str] | None = None,
    accept: tuple[int, ...] = (0,),
    time_limit_seconds: float | None = 600,
) -> bytes:
    """The standard output of one git command run in `folder`.

    Raises GitFailed when the exit code is not among `accept`, GitMissing when there is no git.
    """
    inherited = {name: value for name, value in os.environ.items() if name not in REPOSITORY_VARIABLES}
    try:
        done = subprocess.run(
            ("git", *_SAFE, *arguments),
            cwd=folder,
            input=stdin,
            capture_output=True,
            env=inherited | _QUIET | dict(environment or {}),
            timeout=time_limit_seconds,
            check=False,
        )
    except FileNotFoundError as missing:
        if not folder.is_dir():
            raise NotARepository(folder) from missing
        raise GitMissing from missing
    except subprocess.TimeoutExpired as late:
        raise GitFailed(arguments, -1, f"no answer within {time_limit_seconds} s") from late
    if done.returncode not in accept:
        raise GitFailed(arguments, done.returncode, done.stderr.decode("utf-8", "replace"))
    return done.stdout


def discover(folder: Path) -> Repository:
    """The repository that contains `folder`. Raises NotARepository."""
    try:
        answer = git(folder, "rev-parse", "--is-bare-repository", "--absolute-git-dir", "--git-common-dir")
    except GitFailed as failed:
        raise NotARepository(folder) from failed
    bare, git_dir, common = os.fsdecode(answer).splitlines()
    git_path = Path(git_dir)
    common_path = (folder / common).resolve()
    if bare == "true":
        return Repository(root=git_path, git_dir=git_path, common_dir=common_path, bare=True)
    root = Path(os.fsdecode(git(folder, "rev-parse", "--show-toplevel")).rstrip("\n"))
    return Repository(root=root, git_dir=git_path, common_dir=common_path, bare=False)
