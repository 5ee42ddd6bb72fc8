"""A relation between two places of a repository."""

from __future__ import annotations

import msgspec

from .model import EdgeKind


class SourceEdge(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A directed relation between two nodes; `certainty` is 0 to 1, `line` the place in the source that states it.

    A struct and not a dataclass, since a large tree has a million of them.
    """

    source: str
    target: str
    kind: EdgeKind
    certainty: float = 1.0
    line: int | None = None
