"""The retrieval channels with their weights, and how likely a file of each role is what a task is about.

A channel says 1.0 for its best file. The weights were fitted by pairs of files that a task's patch did and did not
change, repository by repository left out, and rounded; around them the outcome is flat.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from .anchors import by_diff, by_frame, by_path, by_stem, by_symbol, by_test
from .channel import Channel, Ranking
from .filed import IndexedFile
from .index import RepositoryIndex
from .lexical import by_file_name, by_names, by_path_words, by_title, by_words, rarities, rarity
from .model import Role
from .past import by_commits, by_company, by_messages
from .task import Query

__all__ = [
    "CHANNELS", "LATER", "Channel", "LaterChannel", "Ranking", "by_stem", "rarities", "rarity", "role_prior",
]  # fmt: skip

CHANNELS: Final[tuple[tuple[str, float, Channel], ...]] = (
    ("words", 1.4, by_words),
    ("names", 0.8, by_names),
    ("title", 0.8, by_title),
    ("file name", 0.6, by_file_name),
    ("path words", 0.7, by_path_words),
    ("symbol", 0.8, by_symbol),
    ("path", 3.0, by_path),
    ("frame", 3.0, by_frame),
    ("test", 0.8, by_test),
    ("diff", 2.0, by_diff),
    ("commits", 1.5, by_commits),
    ("messages", 1.0, by_messages),
)

LaterChannel = Callable[[RepositoryIndex, Query, Sequence[str]], Ranking]
"""A channel that is asked once the others have spoken: the paths are those that lead so far."""

LATER: Final[tuple[tuple[str, float, LaterChannel], ...]] = (("company", 0.8, by_company),)

# How likely a file of a role is what a task is about, before the task has asked for such files.
_PRIOR: Final[Mapping[Role, float]] = {
    "source": 1.0, "migration": 0.7, "schema": 0.7, "style": 0.6, "build": 0.5, "config": 0.5, "test": 0.4, "ci": 0.35,
    "doc": 0.3, "fixture": 0.25, "data": 0.3, "vendored": 0.3, "generated": 0.2, "lock": 0.05,
}  # fmt: skip
_ASKED_FOR: Final = 0.9


def role_prior(file: IndexedFile, query: Query) -> float:
    """The factor of a file's role; tests, documents and generated files that the task asks for are not held back."""
    asked = (
        (file.role == "test" and query.wants_tests)
        or (file.role == "doc" and query.wants_docs)
        or (file.role in ("generated", "vendored", "lock") and query.wants_generated)
    )
    return _ASKED_FOR if asked else _PRIOR[file.role]
