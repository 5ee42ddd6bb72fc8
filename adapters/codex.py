"""The adapter of codex: how to start it, and how to read what it says and logs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from ..context.model import Provider
from ..telemetry.model import AgentEvent
from .base import Command, Launch, Traits

NAME: Final = "codex"
PROVIDER: Final[Provider] = "openai"
TRAITS: Final = Traits(binary="codex")


def command(launch: Launch) -> Command:
    """What to start for this run."""
    return Command(argv=(launch.binary,))


def events(lines: Iterable[str]) -> Iterator[AgentEvent]:
    """The agent's standard output, read line by line."""
    for line in lines:
        yield AgentEvent(kind="unknown", raw=line)


def session(files: Mapping[str, Iterable[str]]) -> Iterator[AgentEvent]:
    """The agent's own logs."""
    for lines in files.values():
        for line in lines:
            yield AgentEvent(kind="unknown", raw=line)
