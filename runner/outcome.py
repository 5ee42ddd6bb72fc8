"""How a run ended: one pure function from evidence to exactly one class, first rule that holds.

Neither the agent's exit code nor its own words decide; see `docs/outcomes.md`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from ..context.errors import CannotProceed
from ..context.model import Workflow
from ..telemetry.model import (
    AgentExit,
    CheckResult,
    Integrity,
    Outcome,
    OutcomeClass,
    PatchFacts,
    Trajectory,
)

CHANGES_CODE: Final[frozenset[Workflow]] = frozenset({"feature", "bug", "migration"})
READS_ONLY: Final[frozenset[Workflow]] = frozenset({"explain", "review"})
EXIT_CODES: Final[dict[OutcomeClass, int]] = {
    "interrupted": 130,
    "tree_lost": 3,
    "escaped": 3,
    "env_not_ready": 3,
    "treatment_not_delivered": 3,
    "infrastructure": 3,
    "provider": 3,
    "capture_error": 3,
    "budget": 1,
    "no_change": 1,
    "wrong": 1,
    "solved": 0,
    "unjudged": 0,
}


class EnvironmentNotReady(CannotProceed):
    """A `--setup` or `--ready` command failed, so the agent was not started."""

    error_type = "env_not_ready"


class TreatmentNotDelivered(CannotProceed):
    """The prefix or the tools were asked for and not proven there."""

    error_type = "treatment_not_delivered"


class ProviderRefused(CannotProceed):
    """The model's provider is the reason that nothing came of it."""

    error_type = "provider"


class AgentFault(CannotProceed):
    """The agent is missing, did not start, or hung at its start."""

    error_type = "agent"


# Which class a fault of one of our own steps makes; any other is `infrastructure`.
_FAULT_CLASS: Final[dict[type[CannotProceed], OutcomeClass]] = {
    EnvironmentNotReady: "env_not_ready",
    TreatmentNotDelivered: "treatment_not_delivered",
    ProviderRefused: "provider",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """All that a verdict may rest on."""

    workflow: Workflow
    trajectory: Trajectory
    exit: AgentExit = AgentExit()
    interrupted: bool = False
    tree_lost: bool = False
    fault: CannotProceed | None = None
    """What stopped one of our own steps."""
    limit: str | None = None
    """The budget that stopped the agent, in words."""
    capture_error: str | None = None
    patch: PatchFacts | None = None
    checks: tuple[CheckResult, ...] = ()
    integrity: Integrity = Integrity()

    @property
    def judged(self) -> tuple[CheckResult, ...]:
        return tuple(check for check in self.checks if check.judged)


def classify(evidence: Evidence) -> Outcome:
    """The outcome: the first rule from the top that gives a reason."""
    for outcome, rule in RULES:
        reason = rule(evidence)
        if reason is not None:
            return Outcome(
                outcome=outcome,
                reason=reason,
                error_type=_error_type(outcome, evidence),
                exit=evidence.exit,
                checks=evidence.checks,
                patch=evidence.patch,
                integrity=evidence.integrity,
            )
    raise AssertionError("the last rule always holds")


def _error_type(outcome: OutcomeClass, evidence: Evidence) -> str | None:
    if outcome in ("solved", "unjudged", "wrong", "no_change"):
        return None
    if outcome == "provider" and evidence.trajectory.provider_error:
        return evidence.trajectory.provider_error
    if evidence.fault is not None and outcome == _fault_class(evidence.fault):
        return evidence.fault.error_type
    return outcome


def _fault_class(fault: CannotProceed) -> OutcomeClass:
    return _FAULT_CLASS.get(type(fault), "infrastructure")


def _fault(wanted: OutcomeClass) -> Callable[[Evidence], str | None]:
    def rule(evidence: Evidence) -> str | None:
        fault = evidence.fault
        return fault.what if fault is not None and _fault_class(fault) == wanted else None

    return rule


def _interrupted(evidence: Evidence) -> str | None:
    return "stopped by a person or the system" if evidence.interrupted else None


def _tree_lost(evidence: Evidence) -> str | None:
    return "the run's work tree vanished or is no longer the one we made" if evidence.tree_lost else None


def _escaped(evidence: Evidence) -> str | None:
    paths = evidence.integrity.escaped
    return (
        f"the agent wrote outside its tree: {', '.join(paths[:3])}" + (" …" if len(paths) > 3 else "")
        if paths
        else None
    )


def _provider(evidence: Evidence) -> str | None:
    error = evidence.trajectory.provider_error
    if error is not None:
        return evidence.trajectory.error_text or f"the provider ended it: {error.replace('_', ' ')}"
    return _fault("provider")(evidence)


def _capture_error(evidence: Evidence) -> str | None:
    if evidence.capture_error is not None:
        return evidence.capture_error
    if evidence.patch is not None and not evidence.patch.reapplies:
        return "the patch does not re-create the tree that was seen"
    return None


def _budget(evidence: Evidence) -> str | None:
    return evidence.limit


def _no_change(evidence: Evidence) -> str | None:
    if evidence.patch is None or not evidence.patch.empty or evidence.workflow in READS_ONLY:
        return None
    return "the agent changed nothing" if evidence.judged or evidence.workflow in CHANGES_CODE else None


def _wrong(evidence: Evidence) -> str | None:
    failed = [check for check in evidence.judged if not check.passed]
    if not failed:
        return None
    first = failed[0]
    how = "ran out of time" if first.timed_out else f"exit {first.exit_code}"
    return f"{len(failed)} of {len(evidence.judged)} checks failed: {first.command} ({how})"


def _solved(evidence: Evidence) -> str | None:
    passed = len(evidence.judged)
    return f"{passed} of {passed} checks passed" if passed else None


def _unjudged(_evidence: Evidence) -> str | None:
    return "finished, with nothing to judge by"


RULES: Final[tuple[tuple[OutcomeClass, Callable[[Evidence], str | None]], ...]] = (
    ("interrupted", _interrupted),
    ("tree_lost", _tree_lost),
    ("escaped", _escaped),
    ("env_not_ready", _fault("env_not_ready")),
    ("treatment_not_delivered", _fault("treatment_not_delivered")),
    ("infrastructure", _fault("infrastructure")),
    ("provider", _provider),
    ("capture_error", _capture_error),
    ("budget", _budget),
    ("no_change", _no_change),
    ("wrong", _wrong),
    ("solved", _solved),
    ("unjudged", _unjudged),
)
