"""Drafts the span tree of a run: our own phases, and below the agent's process what the agent did."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from .agent_draft import agent_draft
from .evidence import adoption
from .model import AgentTrace, OutcomeClass, Phase
from .span import Attributes, Draft, SpanEvent, Value, link_to
from .usage import summed

UNWELL: Final[tuple[OutcomeClass, ...]] = (
    "interrupted",
    "tree_lost",
    "escaped",
    "env_not_ready",
    "treatment_not_delivered",
    "infrastructure",
    "provider",
    "capture_error",
    "budget",
)
"""Outcomes in which the run itself failed. A wrong patch is a good run's finding."""
CONTEXT_PHASES: Final = ("index", "plan", "compile")
SUITE: Final = "agenvantage.verify"
SCHEMA_VERSION: Final = 1
_Dress = Callable[[AgentTrace, Phase], Draft]


def run_draft(trace: AgentTrace) -> Draft:
    """The whole tree. Times are as recorded: what lies outside its parent is fitted later."""
    outcome = trace.outcome
    children = [*_phases(trace, "prepare", _prepare), *_context(trace), *_agents(trace)]
    children += [*_phases(trace, "patch", _patch), *_phases(trace, "verify", _verify)]
    return Draft(
        key="run",
        name="agenvantage.run",
        start=trace.started,
        end=trace.ended,
        attributes=_run_attributes(trace),
        links=tuple(link for link in map(link_to, trace.links) if link is not None),
        error=(outcome.error_type or outcome.outcome) if outcome.outcome in UNWELL else None,
        children=tuple(children),
    )


def _run_attributes(trace: AgentTrace) -> Attributes:
    usage = trace.trajectory.usage
    total = usage.total
    used = adoption(trace) if trace.strategy != "native" else None
    return {
        "session.id": trace.compare_id or trace.run_id,
        "agenvantage.schema.version": SCHEMA_VERSION,
        "agenvantage.task.id": trace.task_id,
        "agenvantage.compare.id": trace.compare_id,
        "agenvantage.run.attempt": trace.attempt,
        "agenvantage.run.outcome": trace.outcome.outcome,
        "agenvantage.run.labels": trace.labels or None,
        "agenvantage.workflow": trace.workflow,
        "agenvantage.timing.source": trace.timing_source,
        "agenvantage.usage.level": usage_level(trace),
        "agenvantage.usage.confidence": usage.confidence,
        "agenvantage.tokens.input": total.input_tokens,
        "agenvantage.tokens.output": total.output_tokens,
        "agenvantage.tokens.cache_read": total.cache_read_input_tokens,
        "agenvantage.tokens.cache_write": summed(total.cache_write_5m_input_tokens, total.cache_write_1h_input_tokens),
        "agenvantage.tokens.reasoning": total.reasoning_output_tokens,
        "agenvantage.cost.reported_usd": usage.reported_usd,
        "agenvantage.context.readiness": trace.packet.readiness,
        "agenvantage.context.utilization": used.utilization if used else None,
        "agenvantage.context.missing_context_events": len(used.missing) if used else None,
        "agenvantage.context.recovery_tax": used.recovery_tax if used else None,
    }


def usage_level(trace: AgentTrace) -> str | None:
    """On which level of the tree usage stands: one level only, so that plain sums are right."""
    usage = trace.trajectory.usage
    if usage.requests:
        return "inference"
    return "agent" if usage.by_agent else None


def _phases(trace: AgentTrace, name: str, dress: _Dress) -> list[Draft]:
    phases = [phase for phase in trace.phases if phase.name == name]
    return [replace(dress(trace, phase), key=f"{name}:{index}") for index, phase in enumerate(phases)]


def _prepare(trace: AgentTrace, phase: Phase) -> Draft:
    return Draft(
        key="",
        name="agenvantage.worktree.prepare",
        start=phase.started,
        end=phase.ended,
        attributes={"agenvantage.worktree.dirty": trace.repository.dirty, "agenvantage.worktree.kind": "mirror"},
    )


def _context(trace: AgentTrace) -> list[Draft]:
    """One span around the phases of the context engine; none when there was nothing to prepare."""
    phases = [phase for phase in trace.phases if phase.name in CONTEXT_PHASES]
    if not phases:
        return []
    children = [
        Draft(
            key=f"{phase.name}:{index}",
            name=f"agenvantage.context.{phase.name}",
            start=phase.started,
            end=phase.ended,
            attributes=_compiled(trace) if phase.name == "compile" else {},
        )
        for index, phase in enumerate(phases)
    ]
    return [
        Draft(
            key="context",
            name="agenvantage.context.build",
            start=min(phase.started for phase in phases),
            end=max(phase.ended for phase in phases),
            attributes=_built(trace),
            children=tuple(children),
        )
    ]


def _built(trace: AgentTrace) -> Attributes:
    packet, delivery = trace.packet, trace.delivery
    halves = (("prompt", delivery.prefix), ("mcp", delivery.mcp))
    return {
        "agenvantage.context.strategy": trace.strategy,
        "agenvantage.context.budget_tokens": packet.budget,
        "agenvantage.context.tokens": packet.tokens,
        "agenvantage.context.tokenizer": packet.tokenizer,
        "agenvantage.context.files": len({block.path for block in packet.blocks if block.path is not None}),
        "agenvantage.context.chunks": len(packet.blocks),
        "agenvantage.context.pack.sha256": packet.digest or None,
        "agenvantage.context.delivery": tuple(name for name, there in halves if there) or None,
    }


def _compiled(trace: AgentTrace) -> Attributes:
    packet = trace.packet
    return {
        "agenvantage.context.chunks": len(packet.blocks),
        "agenvantage.context.tokens": packet.tokens,
        "agenvantage.context.prefix_tokens": packet.prefix_tokens,
    }


def _agents(trace: AgentTrace) -> list[Draft]:
    return _phases(trace, "agent", _process)


def _process(trace: AgentTrace, phase: Phase) -> Draft:
    end = trace.outcome.exit
    return Draft(
        key="",
        name="agenvantage.agent.process",
        start=phase.started,
        end=phase.ended,
        attributes={
            "process.executable.name": trace.agent.name,
            "process.pid": trace.pid,
            "process.exit.code": end.code,
            "agenvantage.agent.version": trace.trajectory.version or trace.agent.version,
            "agenvantage.agent.sandbox": trace.agent.sandbox,
        },
        error=_process_error(trace),
        children=(agent_draft(trace, phase),),
    )


def _process_error(trace: AgentTrace) -> str | None:
    end = trace.outcome.exit
    if end.forced:
        return trace.outcome.error_type or "cancelled"
    if end.signal is not None:
        return end.signal.lower()
    return f"exit_{end.code}" if end.code else None


def _patch(trace: AgentTrace, phase: Phase) -> Draft:
    patch = trace.outcome.patch
    changes = patch.changes if patch is not None else ()
    return Draft(
        key="",
        name="agenvantage.patch.capture",
        start=phase.started,
        end=phase.ended,
        attributes={
            "agenvantage.patch.files": len(changes) if patch is not None else None,
            "agenvantage.patch.lines_added": summed(*(change.added for change in changes)),
            "agenvantage.patch.lines_removed": summed(*(change.removed for change in changes)),
            "agenvantage.patch.sha256": patch.sha256 if patch is not None else None,
            "agenvantage.patch.empty": patch.empty if patch is not None else None,
        },
        error="capture_error" if trace.outcome.outcome == "capture_error" else None,
    )


def _verify(trace: AgentTrace, phase: Phase) -> Draft:
    checks = trace.outcome.checks
    judged = [check for check in checks if check.judged]
    counts = [check.tests for check in checks if check.tests is not None]
    timed_out = sum(check.timed_out for check in checks)
    passed = all(check.passed for check in judged)
    return Draft(
        key="",
        name="agenvantage.verify",
        start=phase.started,
        end=phase.ended,
        attributes={
            "test.suite.name": SUITE,
            "test.suite.run.status": _suite_status(passed=all(check.passed for check in checks), timed_out=timed_out),
            "agenvantage.verify.passed": summed(*(count.passed for count in counts)),
            "agenvantage.verify.failed": summed(*(count.failed for count in counts)),
            "agenvantage.verify.skipped": summed(*(count.skipped for count in counts)),
            "agenvantage.verify.timed_out": timed_out,
        },
        events=_verdict(phase, passed=passed) if judged else (),
    )


def _suite_status(*, passed: bool, timed_out: int) -> str:
    if timed_out:
        return "timed_out"
    return "success" if passed else "failure"


def _verdict(phase: Phase, *, passed: bool) -> tuple[SpanEvent, ...]:
    attributes: dict[str, Value] = {
        "gen_ai.evaluation.name": "tests_pass",
        "gen_ai.evaluation.score.value": float(passed),
        "gen_ai.evaluation.score.label": "pass" if passed else "fail",
    }
    return (SpanEvent(name="gen_ai.evaluation.result", at=phase.ended, attributes=attributes),)
