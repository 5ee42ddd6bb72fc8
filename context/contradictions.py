"""Where documents in a packet speak of what the code does not have: the code counts, and the reader is told."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from .index import RepositoryIndex
from .model import RetrievalCandidate, Role
from .repomap import printable

_MOST: Final = 5
_MOST_NAMES: Final = 40
_NAMED: Final = re.compile(r"`([A-Za-z_][\w.:/-]{2,80})(?:\(\))?`")
_LIKE_CODE: Final = re.compile(r"\w_\w|[a-z][A-Z]|[A-Z]{2,}[a-z]")
_LIKE_PATH: Final = re.compile(r"[\w.-]+(?:/[\w.-]+)+\.[A-Za-z]{1,5}")
_TOLD: Final[frozenset[Role]] = frozenset({"doc", "lock", "data"})


def contradictions(index: RepositoryIndex, chosen: Iterable[RetrievalCandidate]) -> tuple[str, ...]:
    """A line for each name or path that a chosen document spells as code while no code of the repository has it."""
    found: list[str] = []
    for each in chosen:
        if each.node.role == "doc":
            found += (
                f"{printable(each.node.location)} spells `{printable(name)}`, which no code here has: the code counts"
                for name in _unknown(index, each.text or "")
            )
    return tuple(dict.fromkeys(found))[:_MOST]


def _unknown(index: RepositoryIndex, text: str) -> Iterator[str]:
    for name in list(dict.fromkeys(_NAMED.findall(text)))[:_MOST_NAMES]:
        if _LIKE_PATH.fullmatch(name):
            if not any(path == name or path.endswith("/" + name) for path in index.by_path):
                yield name
        elif _LIKE_CODE.search(name) and "/" not in name and not _in_code(index, name):
            yield name


def _in_code(index: RepositoryIndex, name: str) -> bool:
    """Whether some file that is no document may hold the last part of a name; where that can't be told, it does."""
    last = re.split(r"[.:]+", name.strip(".:-"))[-1]
    numbers = index.mentioning(last)
    if numbers is None:
        return True
    return any(index.by_path[path].role not in _TOLD for number in numbers for path in index.paths_of(number))
