"""Turns a trace into the document `agenvantage.run/1`: what other programs read of a run."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from .evidence import adoption
from .model import AgentTrace, CheckResult, FileChange, FileReadSummary, TestCounts, ToolCall, UsageRecord
from .usage import TOKEN_FIELDS

SCHEMA: Final = "agenvantage.run/1"
SOURCES: Final[Mapping[str, str]] = {"reported": "reported", "simulated": "reported", "estimated": "estimated"}
"""A scripted provider's usage is reported, too: that it was simulated is said by the label."""
TIMED: Final[Mapping[str, tuple[str, ...]]] = {
    "prepare_s": ("prepare",),
    "index_s": ("index",),
    "plan_s": ("plan", "compile"),
    "agent_s": ("agent",),
    "verify_s": ("verify",),
}
Document = dict[str, Any]


def run_document(trace: AgentTrace) -> Document:
    """The document, of plain values. Unknown is None; bytes of a name that are not UTF-8 stay surrogates."""
    way, outcome = trace.trajectory, trace.outcome
    return {
        "schema": SCHEMA,
        "run_id": trace.run_id,
        "trace_id": trace.trace_id,
        "agent": _agent(trace),
        "strategy": trace.strategy,
        "workflow": trace.workflow,
        "labels": list(trace.labels),
        "repository": _repository(trace),
        "outcome": outcome.outcome,
        "reason": outcome.reason,
        "error": {"type": outcome.error_type},
        "exit": _exit(trace),
        "verify": [_check(check) | {"judged": check.judged} for check in outcome.checks],
        "agent_tests": [_agent_test(check) for check in way.agent_tests],
        "usage": _usage(trace),
        "cost": _cost(trace),
        "steps": way.steps,
        "tool_calls": [_tool_call(agent, call) for agent, call in way.tool_calls],
        "files_read": [_file_read(read) for read in way.files_read],
        "files_modified": [_file_modified(change) for change in (outcome.patch.changes if outcome.patch else ())],
        "patch": _patch(trace),
        "context": _context(trace),
        "integrity": _integrity(trace),
        "denials": way.denials,
        "retries": way.retries,
        "compactions": way.compactions,
        "prefix_churn": None,
        "timing": _timing(trace),
        "folder": trace.folder,
        "tree": trace.tree,
    }


def dumps(document: Mapping[str, Any]) -> str:
    """The document as JSON text of ASCII only, so that a name that is not UTF-8 survives any file or terminal."""
    return json.dumps(document, ensure_ascii=True, indent=2, allow_nan=False) + "\n"


def tokens(record: UsageRecord) -> Document:
    """The token fields of a record, of a whole run or of a part of it."""
    return {name: getattr(record, name) for name in TOKEN_FIELDS} | {
        "input_tokens": record.input_tokens,
        "requests": record.requests,
    }


def _agent(trace: AgentTrace) -> Document:
    agent, way = trace.agent, trace.trajectory
    return {
        "name": agent.name,
        "version": way.version or agent.version,
        "model_requested": agent.model_requested,
        "effort": agent.effort,
        "models_served": list(way.models_served),
        "session_ids": list(way.session_ids),
        "sandbox": agent.sandbox,
    }


def _repository(trace: AgentTrace) -> Document:
    facts = trace.repository
    return {
        "name": facts.name,
        "commit": facts.commit,
        "base": facts.base,
        "branch": facts.branch,
        "dirty": facts.dirty,
        "from": facts.from_,
    }


def _exit(trace: AgentTrace) -> Document:
    end = trace.outcome.exit
    return {
        "code": end.code,
        "signal": end.signal,
        "forced": end.forced,
        "passed_after_limit": end.passed_after_limit,
    }


def _check(check: CheckResult) -> Document:
    return {
        "command": check.command,
        "exit_code": check.exit_code,
        "passed": check.passed,
        "timed_out": check.timed_out,
        "seconds": _seconds(check.seconds),
        "tests": _tests(check.tests),
    }


def _agent_test(check: CheckResult) -> Document:
    return {"command": check.command, "exit_code": check.exit_code, "tests": _tests(check.tests)}


def _tests(counts: TestCounts | None) -> Document | None:
    if counts is None:
        return None
    return {
        "passed": counts.passed,
        "failed": counts.failed,
        "skipped": counts.skipped,
        "failed_names": list(counts.failed_names),
    }


def _usage(trace: AgentTrace) -> Document:
    usage = trace.trajectory.usage
    known = any(getattr(usage.total, name) is not None for name in TOKEN_FIELDS)
    return tokens(usage.total) | {
        "source": SOURCES[usage.total.source] if known else None,
        "via": list(usage.via),
        "confidence": usage.confidence if known else None,
        "gap": usage.gap,
        "by_model": {name: tokens(record) for name, record in usage.by_model.items()},
        "by_agent": {name: tokens(record) for name, record in usage.by_agent.items()},
    }


def _cost(trace: AgentTrace) -> Document:
    """There is no price table yet: all tokens are unpriced, and no figure is made up."""
    total = trace.trajectory.usage.total
    parts = [part for part in (total.input_tokens, total.output_tokens) if part is not None]
    return {
        "reported_usd": trace.trajectory.usage.reported_usd,
        "list_price_usd": None,
        "cache_neutral_usd": None,
        "unpriced_tokens": sum(parts) if parts else None,
        "price_table": None,
    }


def _tool_call(agent: str, call: ToolCall) -> Document:
    return {
        "name": call.name,
        "kind": call.kind,
        "server": call.server,
        "ok": call.ok,
        "exit_code": call.exit_code,
        "seconds": _seconds(call.seconds),
        "output_tokens": call.output_tokens,
        "agent": agent,
    }


def _file_read(read: FileReadSummary) -> Document:
    return {
        "path": read.path,
        "ranges": [list(pair) for pair in read.ranges],
        "via": list(read.via),
        "times": read.times,
    }


def _file_modified(change: FileChange) -> Document:
    return {
        "path": change.path,
        "from": change.previous_path,
        "change": change.change,
        "added": change.added,
        "removed": change.removed,
    }


def _patch(trace: AgentTrace) -> Document | None:
    patch = trace.outcome.patch
    if patch is None:
        return None
    return {
        "file": patch.file,
        "sha256": patch.sha256,
        "bytes": patch.bytes,
        "empty": patch.empty,
        "reapplies": patch.reapplies,
        "agent_commits": patch.agent_commits,
        "caches_left_out": patch.caches_left_out,
        "secrets_left_out": list(patch.secrets_left_out),
    }


def _context(trace: AgentTrace) -> Document | None:
    packet, delivery = trace.packet, trace.delivery
    if trace.strategy == "native":
        return None
    used = adoption(trace)
    return {
        "strategy": trace.strategy,
        "packet": packet.digest or None,
        "tokens": packet.tokens,
        "prefix_tokens": packet.prefix_tokens,
        "tokenizer": packet.tokenizer,
        "readiness": packet.readiness,
        "slots": [{"name": slot.name, "required": slot.required, "covered": slot.covered} for slot in packet.slots],
        "delivered": {"prefix": delivery.prefix, "mcp": delivery.mcp},
        "mcp_calls": delivery.mcp_calls,
        "utilization": used.utilization,
        "missing_context_events": len(used.missing),
        "recovery_tax": used.recovery_tax,
        "candidate_context_reduction": _candidate_reduction(packet.tokens, packet.full_scan_tokens),
    }


def _candidate_reduction(packed: int, full_scan: int | None) -> float | None:
    """Against reading everything: a counterfactual, never a saving."""
    return 1 - packed / full_scan if full_scan else None


def _integrity(trace: AgentTrace) -> Document:
    """What the runner found of the run, and what the trajectory tells of it."""
    found, way = trace.outcome.integrity, trace.trajectory
    nested = found.nested_repositories or (trace.outcome.patch.nested_repositories if trace.outcome.patch else ())
    return {
        "checkout_unchanged": found.checkout_unchanged,
        "checkout_changed": list(found.checkout_changed),
        "escaped": list(found.escaped),
        "leftover_processes": found.leftover_processes,
        "swept_processes": found.swept_processes,
        "history_probes": way.history_probes if found.history_probes is None else found.history_probes,
        "tampered": list(found.tampered),
        "blocked": list(found.blocked),
        "nested_repositories": list(nested),
        "verify_side_effects": list(found.verify_side_effects),
        "pending_background": way.pending_background if found.pending_background is None else found.pending_background,
        "stream_truncated": found.stream_truncated or way.stream_truncated,
        "partial": found.partial or way.partial,
        "unknown_events": max(found.unknown_events, way.unknown_events),
        "seeded": list(found.seeded),
    }


def _timing(trace: AgentTrace) -> Document:
    way = trace.trajectory
    launched = next((phase.started for phase in trace.phases if phase.name == "agent"), None)
    return {name: _phase_seconds(trace, phases) for name, phases in TIMED.items()} | {
        "first_request_s": _since(launched, way.first_request_at),
        "first_edit_s": _since(launched, way.first_edit_at),
        "total_s": _seconds((trace.ended - trace.started) / 1e9),
        "source": trace.timing_source,
    }


def _phase_seconds(trace: AgentTrace, names: tuple[str, ...]) -> float | None:
    times = [phase.seconds for phase in trace.phases if phase.name in names]
    return _seconds(sum(times)) if times else None


def _since(start: int | None, at: int | None) -> float | None:
    return None if start is None or at is None else _seconds(max(at - start, 0) / 1e9)


def _seconds(value: float | None) -> float | None:
    return None if value is None else round(value, 6)
