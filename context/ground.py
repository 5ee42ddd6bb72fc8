"""What may be read of a tree to route a task: its paths, the text of a file, and where its links lead inside it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from .index import RepositoryIndex
from .paths import Paths, folder_of

Read = Callable[[str], str | None]

_MOST_LINKS: Final = 2_000
_MOST_ENTRIES: Final = 400
_MOST_CHARACTERS: Final = 400_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """A tree as data. `read` gives a file's text with secrets taken out, or None; nothing outside the tree is read."""

    paths: Paths
    read: Read
    links: Mapping[str, str] = field(default_factory=dict)
    """A link of the tree → the path inside the tree to which it leads; links that lead out are not here."""

    def has(self, path: str) -> bool:
        return path in self.paths

    def first(self, folder: str, *names: str) -> str | None:
        """The first of these names that is a file of the folder."""
        return self.paths.first(f"{folder}/{name}" if folder else name for name in names)


def ground_of(index: RepositoryIndex) -> Ground:
    """The tree of an index, with what lies in the agents' own folders even if git ignores it."""
    listed = [file.path for file in index.files if file.skipped not in ("symlink", "submodule", "absent")]
    known = set(listed)
    linked = [file.path for file in index.files if file.skipped == "symlink"][:_MOST_LINKS]
    links = {path: target for path in linked if (target := _inside(index.root, path))}
    unlisted = tuple(path for path in _installed(index.root) if path not in known)
    texts: dict[str, str | None] = {}

    def read(path: str) -> str | None:
        if path not in texts:
            view = index.view(path)
            texts[path] = view.text[:_MOST_CHARACTERS] if view is not None else None
        return texts[path]

    held: tuple[tuple[str, ...], Paths] | None = index.path_memory.get("ground")
    if held is None or held[0] != unlisted:
        held = index.path_memory["ground"] = unlisted, Paths([*listed, *unlisted])
    return Ground(paths=held[1], read=read, links=links)


def _inside(root: Path, path: str) -> str | None:
    """Where a link leads, if that is inside the tree."""
    try:
        target = os.path.realpath(root / path)
    except (OSError, ValueError):
        return None
    home = os.path.realpath(root)
    return os.path.relpath(target, home).replace(os.sep, "/") if target.startswith(home + os.sep) else None


# Folders in which agents look for what a person has installed, whether git knows of it or not.
SKILL_HOMES: Final = (".claude/skills", ".codex/skills", ".agents/skills", ".github/skills")
COMMAND_HOMES: Final = (".claude/commands", ".codex/prompts", ".cursor/commands", ".github/prompts")
_OWN_FILES: Final = ("CLAUDE.local.md", "AGENTS.override.md")


def _installed(root: Path) -> Iterable[str]:
    return installed_below(root, (*SKILL_HOMES, *COMMAND_HOMES), _OWN_FILES)


def installed_below(root: Path, homes: Iterable[str], names: Iterable[str] = ()) -> tuple[str, ...]:
    """Skills and commands in these folders, two levels deep, and these files; no link is followed."""
    found = [name for name in names if (root / name).is_file() and not (root / name).is_symlink()]
    for home in homes:
        if not _linked(root, home):
            found += _files_below(root, home)
    return tuple(sorted(found))


def _linked(root: Path, home: str) -> bool:
    """Whether one of the folders on the way is a link, or none is there."""
    place, folders = root, home.split("/")
    for folder in folders:
        place = place / folder
        if place.is_symlink() or not place.is_dir():
            return True
    return False


def _files_below(root: Path, home: str, deep: int = 2) -> list[str]:
    found: list[str] = []
    try:
        with os.scandir(root / home) as entries:
            held = sorted((entry for _, entry in zip(range(_MOST_ENTRIES), entries, strict=False)), key=_name)
            for entry in held:
                path = f"{home}/{entry.name}"
                if entry.is_dir(follow_symlinks=False) and deep > 1:
                    found += _files_below(root, path, deep - 1)
                elif entry.is_file(follow_symlinks=False) and entry.name.endswith((".md", ".toml")):
                    found.append(path)
    except OSError:
        return found
    return found


def _name(entry: os.DirEntry[str]) -> str:
    return entry.name


def folders_of(paths: Iterable[str]) -> tuple[str, ...]:
    """The folders of these files, each once, in their order."""
    return tuple(dict.fromkeys(map(folder_of, paths)))
