"""Shows runs to people: a table of them, or one as a tree."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .span import Span
from .store import StoredRun


def runs_table(runs: Iterable[StoredRun], *, color: bool = False) -> str:
    """What `traces list` prints, newest first as given."""
    raise NotImplementedError


def run_tree(document: Mapping[str, Any], spans: Iterable[Span] = (), *, color: bool = False) -> str:
    """What `traces show` prints."""
    raise NotImplementedError
