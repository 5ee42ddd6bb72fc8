"""The error tree: every foreseeable fault says what happened and what to do about it.

    AgenVantageError
    ├─ BadRequest        the command or its input is wrong          (exit code 2)
    └─ CannotProceed     it could not be carried out, or be trusted (exit code 3)

Subclasses take facts and make the sentence. `runner/cli.py` alone turns a class into an exit code.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

# How git ends when a file that it has mapped can't grow.
_SIGBUS: Final = 7


class AgenVantageError(Exception):
    """`what` happened and the `remedy`, one line each; `error_type` is the low-cardinality OpenTelemetry word."""

    error_type = "_OTHER"

    def __init__(self, what: str, remedy: str = "") -> None:
        super().__init__(what if not remedy else f"{what}\n{remedy}")
        self.what = what
        self.remedy = remedy


class BadRequest(AgenVantageError):
    """The command or its input is wrong; nothing was started."""

    error_type = "bad_request"


class CannotProceed(AgenVantageError):
    """The request was understood and could not be carried out."""

    error_type = "cannot_proceed"


class NotARepository(BadRequest):
    """No git repository contains the folder."""

    error_type = "not_a_repository"

    def __init__(self, path: Path) -> None:
        super().__init__(
            f"No git repository contains {path}.",
            "Run inside a repository, give one with --repo PATH, or make one with `git init`.",
        )


class UnusablePath(BadRequest):
    """A folder's name has a line end in it, which git's own lists can't carry."""

    error_type = "unusable_path"

    def __init__(self, path: Path) -> None:
        super().__init__(
            f"The path {str(path)!r} has a line end in it.", "Rename the folder, or work in another clone."
        )


class EmptyRepository(BadRequest):
    """The repository has no commit to start from."""

    error_type = "empty_repository"

    def __init__(self, path: Path) -> None:
        super().__init__(
            f"The repository {path.name} has no commit yet.", "Commit something first: a run starts from it."
        )


class UnknownRevision(BadRequest):
    """A revision that git can't resolve to a commit."""

    error_type = "unknown_revision"

    def __init__(self, revision: str) -> None:
        super().__init__(f"{revision!r} is not a commit here.", "Name a branch, a tag or a commit, `head` or `dirty`.")


class GitFailed(CannotProceed):
    """A git command ended with an error that its caller had no answer to."""

    error_type = "git_failed"

    def __init__(self, arguments: tuple[str, ...], code: int, message: str) -> None:
        first = message.strip().splitlines()[-1] if message.strip() else "it said nothing"
        full = "No space left on device" in message or code == -_SIGBUS
        remedy = "The disk seems full: make room, or move our folders with --state-dir and --data-dir." if full else ""
        super().__init__(f"git {' '.join(arguments[:2])} failed (exit {code}): {first}", remedy)
        self.code = code
        self.message = message


class GitMissing(CannotProceed):
    """There is no git to call."""

    error_type = "git_missing"

    def __init__(self) -> None:
        super().__init__("Could not find 'git' on the path.", "Install git 2.30 or newer.")


class IndexDamaged(CannotProceed):
    """The index file could not be read; it has been removed, the next open builds it again."""

    error_type = "index_damaged"

    def __init__(self, path: Path | None) -> None:
        super().__init__(f"The index {path} is damaged and was removed.", "Run the command again: it is rebuilt.")
