"""Collect what a run left: the agent's own logs, and how they tell the run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from ..adapters.base import Adapter
from ..adapters.mcp_log import handshakes, read_calls
from ..adapters.shell import history_probe, is_test_command
from ..context.model import ContextPacket
from ..telemetry.model import AgentEvent, Delivery, ServedCall, TestCounts, Trajectory
from ..telemetry.trajectory import build
from ..telemetry.usage import summarize
from . import testcounts
from .attend import Spent
from .brief import Briefing
from .desk import Desk
from .find import Agent


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """The run as the agent's records tell it, and as our own server saw it."""

    trajectory: Trajectory
    served: tuple[ServedCall, ...] = ()
    delivery: Delivery = Delivery()


@dataclass(frozen=True, slots=True, kw_only=True)
class Records:
    """Where a run's records lie and how they are read. `tools`: they were asked for."""

    home: Path
    call_log: Path
    reader: Adapter
    proves_delivery: bool
    packet: ContextPacket
    tools: bool


def records_of(desk: Desk, agent: Agent, briefing: Briefing) -> Records:
    """The records of a living run."""
    return Records(
        home=desk.agent_home,
        call_log=desk.call_log,
        reader=agent.reader,
        proves_delivery=agent.adapter.TRAITS.proves_delivery,
        packet=briefing.packet,
        tools=briefing.server is not None,
    )


def tell(records: Records, tree: Path, stream: tuple[AgentEvent, ...], *, cut_line: bool) -> Told:
    """Read the session logs and put them together with the stream and our server's call log."""
    session = tuple(records.reader.session(session_lines(records.home, records.reader.TRAITS.session_files)))
    served = tuple(read_calls(records.call_log))
    trajectory = build(
        stream,
        session,
        tree=tree,
        line_counts=lines_below(tree),
        packet=records.packet,
        served=served,
        is_test_command=is_test_command,
        is_history_probe=history_probe,
        count_tests=_count_tests,
        cut_line=cut_line,
    )
    return Told(trajectory=trajectory, served=served, delivery=_delivery(records, session, served))


def session_lines(home: Path, patterns: tuple[str, ...]) -> Mapping[str, list[str]]:
    """The agent's session logs: path below its home → lines."""
    return {
        str(path.relative_to(home)): path.read_text(encoding="utf-8", errors="replace").split("\n")
        for pattern in patterns
        for path in sorted(home.glob(pattern))
        if path.is_file() and not path.is_symlink()
    }


def spent_so_far(home: Path, reader: Adapter) -> Callable[[], Spent]:
    """What the session log shows at any moment of the run."""

    def read() -> Spent:
        lines = session_lines(home, reader.TRAITS.session_files)
        usage = summarize(reader.session(lines))
        main = usage.by_agent.get("main")
        return Spent(
            turns=(main.requests or 0) if main else 0,
            tokens=(usage.total.input_tokens or 0) + (usage.total.output_tokens or 0),
            anything=bool(lines),
        )

    return read


def lines_below(root: Path) -> Callable[[str], int | None]:
    """How many lines a file of the tree has; None when it can't be told."""

    def count(path: str) -> int | None:
        try:
            data = (root / path).read_bytes()
        except OSError:
            return None
        return data.count(b"\n") + (not data.endswith(b"\n") and bool(data))

    return count


def _count_tests(command: str, output: str) -> TestCounts | None:
    del command
    return testcounts.parse(output)


def _delivery(records: Records, session: tuple[AgentEvent, ...], served: tuple[ServedCall, ...]) -> Delivery:
    """What of the treatment was there, by the agent's own log of its prompt and our server's log of who asked."""
    proven = records.proves_delivery
    return Delivery(
        prefix=_prefix_there(records.packet, session, proven=proven),
        mcp=_tools_there(records.call_log, proven=proven) if records.tools else None,
        mcp_calls=len(served),
    )


def _prefix_there(packet: ContextPacket, session: tuple[AgentEvent, ...], *, proven: bool) -> bool | None:
    wanted = [part.strip() for part in (packet.prefix, packet.evidence) if part.strip()]
    if not wanted:
        return None
    if not proven:
        return True
    prompts = [event.text for event in session if event.kind == "prompt" and event.text]
    return all(any(part in prompt for prompt in prompts) for part in wanted)


def _tools_there(log: Path, *, proven: bool) -> bool:
    """`proven` agents list the tools by themselves; a program of the person's own finds them ready, and may not ask."""
    return any(client.listed for client in handshakes(log)) if proven else True
