"""What a run has come to so far: the value that its steps pass along."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from ..context.errors import CannotProceed
from ..telemetry.model import Integrity, PatchFacts, Trajectory, UsageRecord, UsageSummary
from .attend import Attended
from .brief import Briefing
from .collect import Told
from .find import Agent
from .integrity import Fingerprint
from .judge import Judged
from .launch import Started
from .worktree import RunTree

NOTHING_TOLD: Final = Told(
    trajectory=Trajectory(usage=UsageSummary(total=UsageRecord(requests=None), confidence="low")),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What a run has come to so far. Each step adds its part."""

    agent_name: str
    briefing: Briefing
    before: Fingerprint | None = None
    agent: Agent | None = None
    tree: RunTree | None = None
    started: Started | None = None
    attended: Attended | None = None
    told: Told = NOTHING_TOLD
    patch: PatchFacts | None = None
    capture_error: str | None = None
    judged: Judged = Judged()
    integrity: Integrity = Integrity()
    tree_lost: bool = False
    fault: CannotProceed | None = None
    interrupted: bool = False
