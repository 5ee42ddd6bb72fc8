"""Takes foreign JSON lines apart at the door: nothing here trusts a field to be there, or to be what it was."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any, Final

from ..telemetry.faults import classify
from ..telemetry.model import AgentEvent

Entry = Mapping[str, Any]
OTHER: Final = "_OTHER"
# Beyond these a figure is no figure: what JSON numbers hold exactly, more tokens than any run has, a far year.
LARGEST: Final = 2**53
MOST_TOKENS: Final = 10**12
LATEST_SECONDS: Final = 10**11


def entries(lines: Iterable[str]) -> Iterator[tuple[str, Entry | None]]:
    """Each line that holds anything, with the JSON object in it; None where there is none."""
    for line in lines:
        text = line.strip()
        if text:
            yield text, _object(text)


def unknown(line: str, agent: str = "main") -> AgentEvent:
    """A line we can't read, kept as it is."""
    return AgentEvent(kind="unknown", agent=agent, raw=line)


def entry(value: Any) -> Entry:
    """The object, or an empty one."""
    return value if isinstance(value, dict) else {}


def items(value: Any) -> list[Entry]:
    """The objects of a list."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def number(value: Any) -> int | None:
    """A whole number. Anything else is unknown, also one that no counter reaches."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= LARGEST:
        return None
    return int(value)


def count(value: Any) -> int | None:
    """How many tokens; fewer than none is unknown, and so is an absurdity."""
    found = number(value)
    return found if found is not None and 0 <= found <= MOST_TOKENS else None


def amount(value: Any) -> float | None:
    """A sum of money."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= LARGEST:
        return None
    return float(value)


def time_ns(value: Any) -> int | None:
    """ISO 8601 or seconds since the epoch, as nanoseconds."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return int(value * 1e9) if abs(value) <= LATEST_SECONDS else None
    try:
        return int(datetime.fromisoformat(value).timestamp() * 1000) * 1_000_000
    except (TypeError, ValueError, OverflowError):
        return None


def texts(content: Any) -> str:
    """The words of a message's content: a string, or blocks that carry `text`."""
    if isinstance(content, str):
        return content
    return "\n".join(block["text"] for block in items(content) if isinstance(block.get("text"), str))


def fault(said: str | None, word: str | None = None) -> str:
    """The low-cardinality word for what went wrong between agent and provider."""
    return classify(AgentEvent(kind="error", error_type=word, text=said)) or OTHER


def _object(line: str) -> Entry | None:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
