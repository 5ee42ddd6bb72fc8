"""The JSON documents of the context engine: `agenvantage.plan/1`, `.index/1` and its kin, `.map/1`, tool results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

from .answers import ToolResult
from .index import RepositoryIndex
from .model import FileRank, PlanRound, RepositoryRevision, RetrievalCandidate, TaskPlan
from .render import blocks
from .source_edge import SourceEdge
from .syntax import Parser

if TYPE_CHECKING:
    from .statistics import Group, Imports, LanguageRow, Statistics
    from .watching import Refreshed

_EXAMPLES: Final = 3
_MOST_PATHS: Final = 100


def plan_document(plan: TaskPlan) -> dict[str, Any]:
    """`agenvantage.plan/1`: equal for equal repository state, task and version, but for the `seconds`."""
    packed = sum(block.tokens for block in blocks(plan))
    packed_ids = {each.node.id for each in plan.chosen}
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
                "absent": slot.absent,
            }
            for slot in plan.slots
        ],
        "concepts": {"covered": list(plan.concepts_covered), "uncovered": list(plan.concepts_uncovered)},
        "confidence": plan.confidence,
        "files": [_file(file) for file in plan.files],
        "regions": [_region(each, packed=each.node.id in packed_ids) for each in plan.regions],
        "deferred": [candidate.node.location for candidate in plan.deferred],
        "test_files": list(plan.test_files),
        "readings": [
            {"name": each.name, "words": list(each.words), "files": list(each.files)} for each in plan.readings
        ],
        "rules": list(plan.rules),
        "constraints": list(plan.constraints),
        "rounds": [_round(each) for each in plan.rounds],
        "aids": [asdict(each) for each in plan.aids],
        "tokens": {"packed": packed, "budget": plan.budget, "full_scan": plan.full_scan_tokens},
        "recommended": list(plan.recommended),
        "minimum_budget": plan.minimum_budget,
        "repository": plan.repository_name,
        "repositories": [asdict(each) for each in plan.repositories],
        "revision": revision_document(plan.revision),
        "planner_version": plan.planner_version,
        "index_version": plan.index_version,
        "seconds": plan.seconds,
    }


def index_document(index: RepositoryIndex, counted: Statistics | None = None) -> dict[str, Any]:
    """`agenvantage.index/1`: what is indexed, how it was read, what is left out; `counted` where that was asked for."""
    read = [file for file in index.files if file.number is not None and file.skipped is None]
    parsers = Counter((file.language or "unknown", file.parser) for file in read)
    source, held = sum(file.size or 0 for file in read), index.store.size()
    return {
        "schema": "agenvantage.index/1",
        "repository": index.name,
        "revision": revision_document(index.revision),
        "index_version": index.version,
        "complete": index.complete,
        "age_seconds": round(index.age_seconds, 3),
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
        "bytes": held,
        "source_bytes": source,
        "bytes_ratio": round(held / source, 3) if source else None,
        "segments": index.store.segments(),
        "seconds": index.seconds,
        "stats": statistics_document(counted) if counted is not None else None,
    }


def statistics_document(counted: Statistics) -> dict[str, Any]:
    """The `stats` of `agenvantage.index/1`. Shares are of bytes; of imports, of those that mean the tree."""
    total = sum(read.bytes for _, read in counted.coverage)
    return {
        "coverage": {
            _KEYS[parser]: {"files": read.files, "bytes": read.bytes, "share": _share(read.bytes, total)}
            for parser, read in counted.coverage
        },
        "languages": [_language(row) for row in counted.languages],
        "fell_back": [_group(group) for group in counted.fell_back],
        "skipped": [_group(group) for group in counted.skipped],
        "packages": {
            "count": sum(number for _, number in counted.packages.by_ecosystem),
            "by_ecosystem": dict(counted.packages.by_ecosystem),
            "problems": [{"path": path, "why": why} for path, why in counted.packages.problems],
        },
        "facts": dict(counted.facts),
        "edges": {"count": sum(row.count for row in counted.edges), "kinds": [asdict(row) for row in counted.edges]},
        "imports": _imports(counted.imports),
    }


_KEYS: Final[Mapping[Parser, str]] = {"tree-sitter": "tree_sitter", "patterns": "patterns", "lines": "lines_only"}


def _group(group: Group) -> dict[str, Any]:
    return {"why": group.why, "files": group.files, "examples": list(group.examples)}


def _language(row: LanguageRow) -> dict[str, Any]:
    return {
        "language": row.language,
        "files": row.files,
        "bytes": row.bytes,
        "lines": row.lines,
        **{_KEYS[parser]: read.files for parser, read in row.by},
        "parsed_bytes": row.read_by("tree-sitter").bytes,
        "parsed_share": _share(row.read_by("tree-sitter").bytes, row.bytes),
        "symbols": row.symbols,
        "imports": _imports(row.imports),
    }


def _imports(counted: Imports) -> dict[str, Any]:
    own = counted.resolved + counted.unresolved
    return {**asdict(counted), "resolved_share": _share(counted.resolved, own)}


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None


def between_document(edges: Iterable[SourceEdge], circles: Iterable[tuple[str, ...]]) -> dict[str, Any]:
    """The `between` of `agenvantage.index/1`: edges from one repository to another, counted, with the surest few."""
    counts: Counter[tuple[str, str, str]] = Counter()
    surest: dict[tuple[str, str, str], list[SourceEdge]] = {}
    for edge in edges:
        key = (edge.kind, edge.source.partition(":")[0], edge.target.partition(":")[0])
        counts[key] += 1
        shown = surest.setdefault(key, [])
        shown.append(edge)
        shown.sort(key=lambda each: (-each.certainty, each.source, each.target))
        del shown[_EXAMPLES:]
    return {
        "count": counts.total(),
        "edges": [
            {
                "kind": key[0],
                "from": key[1],
                "to": key[2],
                "count": counts[key],
                "examples": [
                    {"source": edge.source, "target": edge.target, "line": edge.line, "certainty": edge.certainty}
                    for edge in surest[key]
                ],
            }
            for key in sorted(counts)
        ],
        "circles": [list(circle) for circle in circles],
    }


def refresh_document(name: str, found: Refreshed, *, polling: str | None) -> dict[str, Any]:
    """`agenvantage.index-refresh/1`: one line of `index --watch --json`."""
    paths = {"changed": found.changed, "added": found.added, "removed": found.removed}
    return {
        "schema": "agenvantage.index-refresh/1",
        "name": name,
        "changed": len(found.changed),
        "added": len(found.added),
        "removed": len(found.removed),
        "moved": found.moved,
        "parsed": len(found.index.parsed),
        "files": len(found.index.files),
        "milliseconds": round(found.seconds * 1_000, 1),
        "paths": {kind: list(listed[:_MOST_PATHS]) for kind, listed in paths.items()},
        "paths_left_out": sum(max(0, len(listed) - _MOST_PATHS) for listed in paths.values()),
        "revision": revision_document(found.index.revision),
        "polling": polling,
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


def _file(file: FileRank) -> dict[str, Any]:
    return {
        "path": file.path,
        "score": file.score,
        "roles": list(file.roles),
        "reasons": list(file.reasons),
        "channels": {said.channel: {"rank": said.rank, "score": said.score} for said in file.channels},
        "reciprocal_rank": file.reciprocal_rank,
    }


def _round(each: PlanRound) -> dict[str, Any]:
    return {
        "n": each.number,
        "seconds": each.seconds,
        "added": each.added,
        "coverage": each.coverage,
        "slots": each.slots,
        "anchor": each.anchor,
        "agreement": each.agreement,
        "redundancy": each.redundancy,
        "gain": each.gain,
        "missing_edges": list(each.missing_edges),
        "confidence": each.confidence,
        "decision": each.decision,
    }


def _region(candidate: RetrievalCandidate, *, packed: bool) -> dict[str, Any]:
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
        "packed": packed,
    }
