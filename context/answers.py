"""What a tool answers, and the bounds of it: light enough to be read before any index is opened."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from .model import Role

DEFAULT_BUDGET: Final = 2_000
LEAST_BUDGET: Final = 100
MOST_BUDGET: Final = 20_000

FileRange = tuple[str, int, int]
KINDS: Final[Mapping[str, frozenset[Role] | None]] = {
    "any": None,
    "source": frozenset({"source", "schema", "style", "migration"}),
    "test": frozenset({"test", "fixture"}),
    "config": frozenset({"config", "build", "ci"}),
    "doc": frozenset({"doc"}),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResult:
    """An answer: `text` for the model, `structured` for programs, `files` the line ranges that were shown."""

    text: str
    structured: dict[str, Any] = field(default_factory=dict)
    files: tuple[FileRange, ...] = ()
    ok: bool = True
    tokens: int = 0
