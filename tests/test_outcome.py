"""How a run's class is decided: the first rule that holds, never an exit code or the agent's own words."""

from __future__ import annotations

from dataclasses import replace

import pytest
from agenvantage.context.errors import CannotProceed
from agenvantage.runner.outcome import (
    EXIT_CODES,
    RULES,
    AgentFault,
    EnvironmentNotReady,
    Evidence,
    ProviderRefused,
    TreatmentNotDelivered,
    classify,
)
from agenvantage.telemetry.model import (
    AgentExit,
    CheckResult,
    Integrity,
    PatchFacts,
    Trajectory,
    UsageRecord,
    UsageSummary,
)

TRAJECTORY = Trajectory(usage=UsageSummary(total=UsageRecord()))
EDITED = PatchFacts(file="patch.diff", sha256="0", bytes=9, empty=False, reapplies=True, tree="0")
EMPTY = replace(EDITED, empty=True, bytes=0)
GREEN = CheckResult(command="make test", exit_code=0, seconds=1.0, judged=True)
RED = replace(GREEN, exit_code=1)
FOUND = replace(RED, judged=False)
DONE = Evidence(workflow="bug", trajectory=TRAJECTORY, patch=EDITED)


@pytest.mark.parametrize(
    ("evidence", "outcome"),
    [
        (DONE, "unjudged"),
        (replace(DONE, checks=(GREEN,)), "solved"),
        (replace(DONE, checks=(GREEN, RED)), "wrong"),
        (replace(DONE, checks=(FOUND,)), "unjudged"),
        (replace(DONE, patch=EMPTY, checks=(GREEN,)), "no_change"),
        (replace(DONE, patch=EMPTY), "no_change"),
        (replace(DONE, patch=EMPTY, workflow="explain"), "unjudged"),
        (replace(DONE, patch=EMPTY, workflow="review", checks=(GREEN,)), "solved"),
        (replace(DONE, patch=EMPTY, workflow="incident"), "unjudged"),
        (replace(DONE, patch=EMPTY, workflow="incident", checks=(GREEN,)), "no_change"),
        (replace(DONE, limit="the time limit was reached", checks=(GREEN,)), "budget"),
        (replace(DONE, patch=replace(EDITED, reapplies=False), checks=(GREEN,)), "capture_error"),
        (replace(DONE, capture_error="disk full"), "capture_error"),
        (replace(DONE, trajectory=replace(TRAJECTORY, provider_error="rate_limited"), checks=(GREEN,)), "provider"),
        (replace(DONE, fault=ProviderRefused("no key")), "provider"),
        (replace(DONE, fault=AgentFault("missing")), "infrastructure"),
        (replace(DONE, fault=CannotProceed("anything else")), "infrastructure"),
        (replace(DONE, fault=TreatmentNotDelivered("no tools")), "treatment_not_delivered"),
        (replace(DONE, fault=EnvironmentNotReady("setup failed")), "env_not_ready"),
        (replace(DONE, integrity=Integrity(escaped=("a.py",)), checks=(GREEN,)), "escaped"),
        (replace(DONE, tree_lost=True), "tree_lost"),
        (replace(DONE, interrupted=True, tree_lost=True), "interrupted"),
    ],
)
def test_the_class_follows_from_the_evidence(evidence: Evidence, outcome: str) -> None:
    assert classify(evidence).outcome == outcome


@pytest.mark.parametrize("exit_", [AgentExit(code=0), AgentExit(code=1), AgentExit(signal="SIGKILL", forced=True)])
@pytest.mark.parametrize("said", [None, True, False])
def test_neither_exit_code_nor_the_agents_word_changes_the_class(exit_: AgentExit, said: bool | None) -> None:
    trajectory = replace(TRAJECTORY, finished=True, failed=said)
    assert classify(replace(DONE, exit=exit_, trajectory=trajectory, checks=(GREEN,))).outcome == "solved"


def test_the_rules_stand_in_the_order_of_the_exit_codes() -> None:
    assert [outcome for outcome, _ in RULES] == list(EXIT_CODES)


def test_a_provider_fault_keeps_its_kind() -> None:
    trajectory = replace(TRAJECTORY, provider_error="authentication", error_text="401 Unauthorized")
    told = classify(replace(DONE, trajectory=trajectory))
    assert (told.error_type, told.reason) == ("authentication", "401 Unauthorized")


def test_a_failed_check_is_named_with_how_it_failed() -> None:
    assert classify(replace(DONE, checks=(GREEN, RED))).reason == "1 of 2 checks failed: make test (exit 1)"
