"""The adapter that plays a recording back through the real process door: no key, no network, real edits."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from ..context.errors import BadRequest
from ..context.model import Provider
from ..telemetry.model import AgentEvent
from . import codex
from .base import Command, Launch, Traits
from .exec import tool_variables

NAME: Final = "replay"
PROVIDER: Final[Provider] = "any"
HOME_VARIABLE: Final = "AGENVANTAGE_REPLAY_HOME"
TRAITS: Final = Traits(binary=None, home_variable=HOME_VARIABLE, simulated=True)


class NoRecording(BadRequest):
    """`replay` was asked for without a recording."""

    error_type = "no_recording"

    def __init__(self) -> None:
        super().__init__("The agent 'replay' needs a recording.", "Give one with --recording FILE.")


def command(launch: Launch) -> Command:
    """This module as a program, on the recording. Raises NoRecording."""
    if launch.recording is None:
        raise NoRecording
    return Command(
        # -P: the run tree must not be able to stand in for the standard library.
        argv=(sys.executable, "-P", "-m", "agenvantage.adapters.replay", str(launch.recording), *launch.arguments),
        stdin=launch.prompt.encode("utf-8", "surrogateescape"),
        environment=tool_variables(launch.tools) if launch.tools else {},
    )


def events(lines: Iterable[str]) -> Iterator[AgentEvent]:
    """Read as the recorded agent's stream."""
    return codex.events(lines)


def session(files: Mapping[str, Iterable[str]]) -> Iterator[AgentEvent]:
    """Read as the recorded agent's log."""
    return codex.session(files)
