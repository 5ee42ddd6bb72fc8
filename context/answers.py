"""What a tool answers, and the bounds of it: light enough to be read before any index is opened."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, Protocol

from .model import Role
from .tokens import count

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


UNFINISHED_TOKENS: Final = 50
"""What the words about an unfinished index take, at most."""


class HowFar(Protocol):
    """The reading of an index that goes on meanwhile."""

    @property
    def done(self) -> int: ...
    @property
    def total(self) -> int: ...
    @property
    def seconds_left(self) -> float | None: ...


def unfinished(answer: ToolResult, reading: HowFar) -> ToolResult:
    """The same, with the words that it speaks for a part of the tree."""
    done, total, seconds = reading.done, reading.total, reading.seconds_left
    left = f", about {seconds:,.0f} s left" if seconds is not None else ""
    note = f"The index is still being built: {done:,} of {total:,} files{left}. What is not read yet is missing here.\n"
    text = answer.text + note
    told = {"complete": False, "done": done, "total": total, "seconds_left": seconds}
    return replace(answer, text=text, structured={**answer.structured, "index": told}, tokens=count(text))
