"""Which other repositories belong to one: named by a flag, else by a variable, else by its own file.

A repository is under observation, not in command. Its file may name what lies below it or beside it, as clones that
belong together do; anything farther away is for a person to name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from ..context.errors import BadRequest
from ..context.several import by_name
from .configuration import FILE, PREFIX, BadSetting, file_table

FLAG: Final = "--repositories"
VARIABLE: Final = PREFIX + "REPOSITORIES"
_KEY: Final = "repositories"


class FarRepository(BadRequest):
    """A repository's own file names one that is neither below nor beside it."""

    error_type = "far_repository"

    def __init__(self, name: str, path: Path) -> None:
        super().__init__(
            f"{FILE} names the repository {name!r} at {path}, neither below this one nor beside it.",
            f"A repository's file may not reach that far: name it yourself with {FLAG} {name}={path}.",
        )


def named_repositories(root: Path, given: Sequence[str], variables: Mapping[str, str]) -> dict[str, Path]:
    """All repositories of a set by name, the one at `root` first. Raises BadName, RepeatedName, BadSetting."""
    lines = [line for line in variables.get(VARIABLE, "").split("\n") if line.strip()]
    if given:
        others = _pairs(given, "flag")
    elif lines:
        others = _pairs(lines, VARIABLE)
    else:
        others = _named_by_file(root)
    here = root.resolve()
    own = next((name for name, path in others if path.resolve() == here), _usable(root.name))
    return by_name([(own, root), *((name, path) for name, path in others if path.resolve() != here or name != own)])


def named_by_folder(roots: Iterable[Path]) -> dict[str, Path]:
    """Repositories by the names of their folders. Raises RepeatedName."""
    return by_name((_usable(root.name), root) for root in roots)


def _pairs(lines: Iterable[str], origin: str) -> list[tuple[str, Path]]:
    pairs = [(line, *line.strip().partition("=")) for line in lines]
    for line, name, _, path in pairs:
        if not name or not path:
            raise BadSetting(FLAG, line, origin, "it must be NAME=PATH")
    return [(name, Path(path).expanduser().absolute()) for _, name, _, path in pairs]


def _named_by_file(root: Path) -> list[tuple[str, Path]]:
    entries = file_table(root).get(_KEY, [])
    if not isinstance(entries, list) or not all(map(_is_entry, entries)):
        raise BadSetting(_KEY, entries, FILE, "each entry must have a name and a path, both texts, and nothing else")
    found = [(entry["name"], root / entry["path"]) for entry in entries]
    for name, path in found:
        if not _is_near(path.resolve(), root.resolve()):
            raise FarRepository(name, path)
    return found


def _is_entry(entry: Any) -> bool:
    return isinstance(entry, dict) and entry.keys() == {"name", "path"} and all(map(_is_text, entry.values()))


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value) and "\0" not in value


def _is_near(path: Path, root: Path) -> bool:
    """Below it, or in the same folder as it is. Links have been followed."""
    return path.is_relative_to(root) or path.parent == root.parent


def _usable(name: str) -> str:
    """A folder's name as one that may stand before a path."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-._")[:100] or "repository"
