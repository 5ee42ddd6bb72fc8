"""What a living run notes of itself, so that it can be told in full when its program is gone."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import msgspec

from ..adapters.agents import adapter
from ..context.model import ContextPacket, Workflow
from ..telemetry.model import AgentIdentity, AgentTrace, Integrity, Outcome, PatchFacts
from ..telemetry.recorder import trace_id_of
from .collect import Records, tell
from .conclude import repository_facts
from .desk import CALL_LOG, HOME, STDERR, STDOUT, Desk
from .find import Agent
from .follow import LineFollower
from .journal import JournalRecord
from .worktree import RunTree

LIFE: Final = "life.json"
REASON: Final = "AgenVantage was ended before it could finish this run."


@dataclass(frozen=True, slots=True, kw_only=True)
class Life:
    """Who works in a run and with what. `reader` names the adapter that understands its output."""

    agent: AgentIdentity
    reader: str
    strategy: str
    workflow: Workflow
    packet: ContextPacket
    tools: bool
    from_: str
    labels: tuple[str, ...] = ()


def note(desk: Desk, agent: Agent, *, workflow: Workflow, packet: ContextPacket, tools: bool) -> None:
    """Write down what only this program knows, before the agent starts."""
    settings = desk.request.settings
    life = Life(
        agent=AgentIdentity(
            name=agent.name,
            version=agent.version,
            model_requested=settings.model,
            effort=settings.effort,
            sandbox=settings.sandbox,
            provider=agent.adapter.PROVIDER,
        ),
        reader=agent.reader.NAME,
        strategy=packet.strategy,
        workflow=workflow,
        packet=packet,
        tools=tools,
        from_=settings.from_,
        labels=("simulated",) if agent.simulated else (),
    )
    (desk.folder / LIFE).write_text(json.dumps(msgspec.to_builtins(life)), encoding="ascii")


def told_again(record: JournalRecord, tree: RunTree, patch: PatchFacts | None, *, folder: str) -> AgentTrace | None:
    """The dead run as its files tell it, interrupted; None when it died before it noted anything.

    `folder` is where its record will lie. Its end is the last moment at which anything was written.
    """
    place = Path(record.tree).parent
    life = _life(place / LIFE)
    if life is None:
        return None
    reader = adapter(life.reader)
    lines, cut = LineFollower(place / STDOUT).finish()
    events = tuple(reader.events(iter(lines)))
    records = Records(
        home=place / HOME,
        call_log=place / CALL_LOG,
        reader=reader,
        proves_delivery=adapter(life.agent.name).TRAITS.proves_delivery,
        packet=life.packet,
        tools=life.tools,
    )
    told = tell(records, tree.root, events, cut_line=cut)
    return AgentTrace(
        run_id=record.run_id,
        trace_id=trace_id_of(record.run_id),
        started=record.started,
        ended=max(record.started, *(_written(place / name) for name in (STDOUT, STDERR, CALL_LOG))),
        agent=life.agent,
        strategy=life.strategy,
        workflow=life.workflow,
        repository=repository_facts(tree, name=tree.source.name, from_=life.from_),
        packet=life.packet,
        delivery=told.delivery,
        trajectory=told.trajectory,
        outcome=Outcome(outcome="interrupted", reason=REASON, patch=patch, integrity=Integrity(seeded=tree.seeded)),
        events=events,
        served=told.served,
        labels=life.labels,
        folder=folder,
    )


def _life(path: Path) -> Life | None:
    try:
        found: Any = json.loads(path.read_bytes())
        return msgspec.convert(found, type=Life)
    except (OSError, ValueError):
        return None


def _written(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0
