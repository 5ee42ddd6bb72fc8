"""The JSON documents of the context engine: `agenvantage.plan/1`, `.index/1`, `.map/1` and tool results."""

from __future__ import annotations

from collections import Counter
from typing import Any

from .index import RepositoryIndex
from .answers import ToolResult
from .model import RepositoryRevision, RetrievalCandidate, TaskPlan
from .render import blocks


def plan_document(plan: TaskPlan) -> dict[str, Any]:
    """`agenvantage.plan/1`: equal for equal repository state, task and version, but for the `seconds`."""
    packed = sum(block.tokens for block in blocks(plan))
    return {
        "schema": "agenvantage.plan/1",
        "task": plan.task,
        "workflow": plan.workflow,
        "readiness": plan.readiness,
        "slots": [
            {
                "name": slot.name,
                "required": slot.required,
                "covered": slot.covered,
                "confidence": slot.confidence,
                "evidence": list(slot.evidence),
                "missing_reason": slot.missing_reason,
            }
            for slot in plan.slots
        ],
        "concepts": {"covered": list(plan.concepts_covered), "uncovered": list(plan.concepts_uncovered)},
        "files": [
            {"path": file.path, "score": file.score, "roles": list(file.roles), "reasons": list(file.reasons)}
            for file in plan.files
        ],
        "regions": [_region(candidate) for candidate in plan.chosen],
        "deferred": [candidate.node.location for candidate in plan.deferred],
        "test_files": list(plan.test_files),
        "readings": [],
        "rules": list(plan.rules),
        "constraints": list(plan.constraints),
        "rounds": [
            {
                "n": each.number,
                "seconds": each.seconds,
                "added": each.added,
                "coverage": each.coverage,
                "decision": each.decision,
            }
            for each in plan.rounds
        ],
        "tokens": {"packed": packed, "budget": plan.budget, "full_scan": plan.full_scan_tokens},
        "recommended": list(plan.recommended),
        "minimum_budget": plan.minimum_budget,
        "repository": plan.repository_name,
        "revision": revision_document(plan.revision),
        "planner_version": plan.planner_version,
        "index_version": plan.index_version,
        "seconds": plan.seconds,
    }


def index_document(index: RepositoryIndex) -> dict[str, Any]:
    """`agenvantage.index/1`: what is indexed, how it was read, and what is left out and why."""
    read = [file for file in index.files if file.number is not None and file.skipped is None]
    parsers = Counter((file.language or "unknown", file.parser) for file in read)
    return {
        "schema": "agenvantage.index/1",
        "repository": index.name,
        "revision": revision_document(index.revision),
        "index_version": index.version,
        "files": len(index.files),
        "indexed": len(read),
        "lines": sum(file.lines or 0 for file in read),
        "parsed": len(index.parsed),
        "changed": sum(file.changed for file in index.files),
        "languages": [
            {"language": language, "parser": parser, "files": number}
            for (language, parser), number in sorted(parsers.items())
        ],
        "roles": dict(sorted(Counter(file.role for file in index.files).items())),
        "skipped": dict(sorted(Counter(file.skipped for file in index.files if file.skipped is not None).items())),
        "warnings": list(index.warnings),
        "bytes": index.store.size(),
        "seconds": index.seconds,
    }


def map_document(index: RepositoryIndex, result: ToolResult) -> dict[str, Any]:
    """`agenvantage.map/1`."""
    return {
        "schema": "agenvantage.map/1",
        "repository": index.name,
        "revision": revision_document(index.revision),
        **result.structured,
        "tokens": result.tokens,
    }


def tool_document(name: str, result: ToolResult) -> dict[str, Any]:
    """`agenvantage.<tool>/1`: a tool's answer for programs."""
    return {
        "schema": f"agenvantage.{name.replace('_', '-')}/1",
        "ok": result.ok,
        "error": None if result.ok else result.text.strip(),
        "tokens": result.tokens,
        **result.structured,
    }


def revision_document(revision: RepositoryRevision) -> dict[str, Any]:
    """A revision without its place on this machine."""
    return {"commit": revision.commit, "tree": revision.tree, "changes": revision.changes, "key": revision.key}


def _region(candidate: RetrievalCandidate) -> dict[str, Any]:
    node = candidate.node
    return {
        "id": node.id,
        "path": node.path,
        "start": node.start,
        "end": node.end,
        "kind": node.kind,
        "name": node.name,
        "slot": candidate.slot,
        "score": candidate.score,
        "channels": {said.channel: said.rank for said in candidate.channels},
        "reasons": list(candidate.reasons),
        "tokens": candidate.tokens,
        "mode": candidate.mode,
    }
