"""The adapter for any program: a script or an agent that nobody wrote an adapter for."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from ..context.errors import BadRequest
from ..context.model import Provider
from ..telemetry.model import AgentEvent
from .base import Command, Launch, ToolServer, Traits

NAME: Final = "exec"
PROVIDER: Final[Provider] = "any"
TRAITS: Final = Traits(binary=None, speaks=False, proves_delivery=False)

TASK_FILE: Final = "agenvantage/task.md"
PACKET_FILE: Final = "agenvantage/packet.md"


class NoAgentCommand(BadRequest):
    """`exec` was asked for without a program."""

    error_type = "no_agent_command"

    def __init__(self) -> None:
        super().__init__("The agent 'exec' needs a program.", 'Give one: --agent-command "my-agent --flag".')


def command(launch: Launch) -> Command:
    """The program with the whole prompt on its standard input. Raises NoAgentCommand."""
    argv = (*launch.command, *launch.arguments)
    if not argv:
        raise NoAgentCommand
    packet = launch.prefix + _evidence(launch)
    files = {TASK_FILE: launch.task or launch.prompt} | ({PACKET_FILE: packet} if packet else {})
    return Command(
        argv=argv,
        stdin=(launch.prefix + launch.prompt).encode("utf-8", "surrogateescape"),
        environment=_variables(launch, packet=bool(packet)),
        home_files=files,
    )


def events(lines: Iterable[str]) -> Iterator[AgentEvent]:
    """Nothing: what such a program prints is kept raw, and its work is seen by git."""
    del lines
    return iter(())


def session(files: Mapping[str, Iterable[str]]) -> Iterator[AgentEvent]:
    """Nothing: it has no log we know of."""
    del files
    return iter(())


def tool_variables(server: ToolServer) -> dict[str, str]:
    """How a program that reads no configuration of ours finds the tools."""
    variables = {
        "AGENVANTAGE_MCP_URL": server.url,
        "AGENVANTAGE_MCP_TOKEN": server.token,
        "AGENVANTAGE_MCP_COMMAND": shlex.join(server.command),
    }
    return dict(server.environment) | {name: value for name, value in variables.items() if value}


def _variables(launch: Launch, *, packet: bool) -> dict[str, str]:
    variables = {"AGENVANTAGE_RUN": launch.run_id, "AGENVANTAGE_TASK_FILE": str(launch.home / TASK_FILE)}
    if packet:
        variables["AGENVANTAGE_PACKET_FILE"] = str(launch.home / PACKET_FILE)
    if launch.provider_url:
        variables["AGENVANTAGE_PROVIDER_URL"] = launch.provider_url
    if launch.tools:
        variables |= tool_variables(launch.tools)
    return variables


def _evidence(launch: Launch) -> str:
    """What stands in front of the task in the prompt."""
    return launch.prompt.removesuffix(launch.task) if launch.task and launch.prompt.endswith(launch.task) else ""
