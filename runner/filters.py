"""Content filters (large files, encryption): whether their programs are here, before a checkout needs them."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path
from typing import Final

from ..context.errors import CannotProceed
from ..context.git import git, listed, names, place
from .copies import Origin, Settings, read

_COMMANDS: Final = ("process", "smudge", "clean")
_LARGE_FILES: Final = "lfs"
_FOR_A_SHELL: Final = re.compile(r"[|&;<>()$`\n]")


class FilterMissing(CannotProceed):
    """Tracked files go through a filter whose program is not there."""

    error_type = "filter_missing"

    def __init__(self, name: str, program: str | None, path: str) -> None:
        lacking = f"its program '{program}' is not on the path" if program else "it is not configured here"
        super().__init__(
            f"Files such as '{path}' need the filter '{name}', but {lacking}.",
            "Install it (Git LFS: git-lfs, then `git lfs install`), or take the pointers as they are: --lfs pointers.",
        )
        self.name = name


def preflight(mirror: Path, origin: Origin, commit: str) -> None:
    """Raises FilterMissing when a checkout of `commit` would fail, or would silently leave pointers."""
    settings = dict(origin.settings)
    for name, path in _used(mirror, origin, commit).items():
        commands = [settings.get(f"filter.{name}.{kind}") for kind in _COMMANDS]
        given = [command for command in commands if command]
        required = settings.get(f"filter.{name}.required", "false") in ("true", None)
        needed = name == _LARGE_FILES or (required and bool(given))
        absent = next((command for command in given if not _there(command)), None)
        if needed and (absent or not given):
            raise FilterMissing(name, _program(absent) if absent else None, path)


def as_pointers(origin: Origin) -> Settings:
    """Settings under which a filter without its program, and the large-file filter, does nothing."""
    commands = {key: value for key, value in origin.settings if key.startswith("filter.") and key.endswith(_COMMANDS)}
    gone = {key.rpartition(".")[0] for key, value in commands.items() if value and not _there(value)} | {
        f"filter.{_LARGE_FILES}"
    }
    off = [(f"{section}.{kind}", "") for section in sorted(gone) for kind in _COMMANDS]
    return (*origin.settings, *off, *((f"{section}.required", "false") for section in sorted(gone)))


def _used(mirror: Path, origin: Origin, commit: str) -> dict[str, str]:
    """Filter → one path that asks for it, by the attributes of the commit and of the person's own."""
    here = place(mirror, index=mirror / "filters.index")
    asked = git(
        mirror,
        "grep",
        "-l",
        "-e",
        "filter",
        commit,
        "--",
        ".gitattributes",
        "*/.gitattributes",
        accept=(0, 1),
        environment=here,
    )
    if not asked and b"filter" not in _own_attributes(origin):
        return {}
    git(mirror, "read-tree", commit, environment=here)
    paths = names(git(mirror, "ls-files", "-z", environment=here))
    answer = names(
        git(mirror, "check-attr", "--cached", "-z", "--stdin", "filter", stdin=listed(paths), environment=here)
    )
    (mirror / "filters.index").unlink()
    pairs = zip(answer[::3], answer[2::3], strict=True)
    return {value: path for path, value in pairs if value not in ("unspecified", "unset", "set")}


def _own_attributes(origin: Origin) -> bytes:
    file = dict(origin.settings).get("core.attributesfile")
    return (origin.attributes or b"") + ((read(Path(file)) or b"") if file else b"")


def _program(command: str) -> str:
    try:
        return shlex.split(command)[0]
    except (ValueError, IndexError):
        return command


def _there(command: str) -> bool:
    """Whether the first word is a program; a command that only a shell can read is taken at its word."""
    program = _program(command)
    if not program.startswith("/") and ("/" in program or _FOR_A_SHELL.search(command)):
        return True
    return shutil.which(program) is not None
