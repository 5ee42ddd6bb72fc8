"""Reads and writes the settings of agents that are configured in TOML."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from typing import Any, Final

from ..context.errors import BadRequest

BARE: Final = re.compile(r"[A-Za-z0-9_-]+")


class UnreadableConfiguration(BadRequest):
    """The person's own configuration of an agent is broken."""

    error_type = "unreadable_configuration"

    def __init__(self, agent: str, why: str) -> None:
        super().__init__(
            f"The configuration of {agent} can't be read: {why}.",
            "Mend it: a run keeps the provider that is set there.",
        )


def parsed(text: str, agent: str) -> dict[str, Any]:
    """The table that the text holds. Raises UnreadableConfiguration."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as broken:
        raise UnreadableConfiguration(agent, str(broken)) from broken


def merged(under: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """Both tables in one, key by key; `over` wins."""
    both = dict(under)
    for key, value in over.items():
        below = both.get(key)
        both[key] = merged(below, value) if isinstance(below, dict) and isinstance(value, Mapping) else value
    return both


def written(table: Mapping[str, Any]) -> str:
    """The table as text: one setting a line, under its whole dotted name."""
    return "".join(f"{name} = {_value(value)}\n" for name, value in _settings(table, ()))


def _settings(table: Mapping[str, Any], above: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
    for key, value in table.items():
        name = (*above, key if BARE.fullmatch(key) else _string(key))
        if isinstance(value, Mapping) and value:
            yield from _settings(value, name)
        else:
            yield ".".join(name), value


def _value(value: Any) -> str:
    if isinstance(value, str):
        return _string(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_string(key)} = {_value(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_value(item) for item in value) + "]"
    return value.isoformat() if hasattr(value, "isoformat") else repr(value)


def _string(text: str) -> str:
    """A basic string: JSON's escapes are TOML's, but for a few characters that JSON leaves as they are."""
    whole = text.encode("utf-8", "replace").decode()
    return json.dumps(whole, ensure_ascii=False).replace("\x7f", "\\u007f")
