"""The adapter that plays a recording back through the real process door: no key, no network, real edits."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from ..context.errors import BadRequest
from ..context.model import Provider
from ..telemetry.model import AgentEvent
from . import claude, codex
from .base import Adapter, Command, Launch, Traits
from .exec import tool_variables
from .jsonl import entries

NAME: Final = "replay"
PROVIDER: Final[Provider] = "any"
HOME_VARIABLE: Final = "AGENVANTAGE_REPLAY_HOME"
PREFIX_FILE: Final = "agenvantage/prefix.md"
TRAITS: Final = Traits(
    binary=None,
    home_variable=HOME_VARIABLE,
    session_files=(*codex.TRAITS.session_files, *claude.TRAITS.session_files),
    simulated=True,
)
# Which agent was recorded is told by the first line it prints, and by where it keeps its logs.
CODEX_LINES: Final = frozenset({"thread.started", "turn.started", "item.started", "item.completed", "error"})
CLAUDE_LOGS: Final = "projects/"


class NoRecording(BadRequest):
    """`replay` was asked for without a recording."""

    error_type = "no_recording"

    def __init__(self) -> None:
        super().__init__("The agent 'replay' needs a recording.", "Give one with --recording FILE.")


def command(launch: Launch) -> Command:
    """The player, on the recording. Raises NoRecording."""
    if launch.recording is None:
        raise NoRecording
    # -P: the run tree must not be able to stand in for the standard library.
    player = (sys.executable, "-P", "-m", "agenvantage.adapters.replay_player")
    return Command(
        argv=(*player, str(launch.recording), *launch.arguments),
        stdin=launch.prompt.encode("utf-8", "surrogateescape"),
        environment=tool_variables(launch.tools) if launch.tools else {},
        home_files={PREFIX_FILE: launch.prefix} if launch.prefix else {},
    )


def events(lines: Iterable[str]) -> Iterator[AgentEvent]:
    """Read as the recorded agent's stream."""
    rest = iter(lines)
    for line in rest:
        for _, said in entries([line]):
            reader: Adapter = codex if said is not None and said.get("type") in CODEX_LINES else claude
            yield from reader.events(itertools.chain([line], rest))


def session(files: Mapping[str, Iterable[str]]) -> Iterator[AgentEvent]:
    """Read as the recorded agent's logs."""
    theirs = {path: lines for path, lines in files.items() if path.startswith(CLAUDE_LOGS)}
    yield from codex.session({path: lines for path, lines in files.items() if path not in theirs})
    yield from claude.session(theirs)
