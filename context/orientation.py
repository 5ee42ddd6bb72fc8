"""Where to begin when a task's words lead nowhere: landmarks of the repository, and the outline of likely folders."""

from __future__ import annotations

from typing import Final

from .index import RepositoryIndex
from .landmarks import Landmark, LandmarkKind, landmarks
from .model import TaskPlan
from .paths import folder_of
from .repomap import printable, repository_map
from .tokens import count

_MOST_TOKENS: Final = 1_500
_LEAST_TOKENS: Final = 120
_A_LANDMARK: Final = 400
_MOST_FOLDERS: Final = 2
_SPARE: Final = 60
_KINDS: Final[tuple[LandmarkKind, ...]] = ("app", "router", "entry", "migrations", "tests", "manifest")
_OF_A_KIND: Final = 4


def orientation(index: RepositoryIndex, plan: TaskPlan, room: int) -> str:
    """At most so many tokens; '' where there is no room for anything of use."""
    left = min(room - _SPARE, _MOST_TOKENS)
    if left < _LEAST_TOKENS:
        return ""
    text = _within(_landmarks(index), min(left, _A_LANDMARK))
    folders = dict.fromkeys(folder_of(each.path) for each in plan.files if folder_of(each.path))
    for folder in list(folders)[:_MOST_FOLDERS]:
        room_here = (left - count(text)) // 2 - _SPARE
        outline = repository_map(index, most_tokens=room_here, scope=folder) if room_here >= _LEAST_TOKENS else ""
        text += f"\n{printable(folder)}/\n{outline}" if outline else ""
    return text


def _landmarks(index: RepositoryIndex) -> list[str]:
    """A line for each place from which a part of the repository unfolds, a few of a kind."""
    if "landmarks" not in index.memory:
        index.memory["landmarks"] = landmarks(index.files, index.facts)
    found: tuple[Landmark, ...] = index.memory["landmarks"]
    return [
        f"{kind}: {printable(each.path)} ({printable(each.why)})"
        for kind in _KINDS
        for each in [one for one in found if one.kind == kind][:_OF_A_KIND]
    ]


def _within(lines: list[str], tokens: int) -> str:
    text = ""
    for line in lines:
        if count(text + line + "\n") > tokens:
            break
        text += line + "\n"
    return text
