"""What a person reads of an index and of a plan; every figure comes from their documents."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

SHOWN_FILES: Final = 10


def index_text(document: Mapping[str, Any], *, stats: bool) -> str:
    """One line, or with `stats` what was read and how."""
    head = (
        f"{document['repository']}: {document['indexed']:,} of {document['files']:,} files,"
        f" {document['lines']:,} lines, {document['parsed']:,} read now in {document['seconds']:.2f} s,"
        f" {document['bytes'] / 1e6:.1f} MB on disk"
    )
    if not stats:
        return "\n".join([head, *document["warnings"]])
    rows = [f"  {row['language']:<14}{row['parser'] or 'lines':<14}{row['files']:>8,}" for row in document["languages"]]
    left_out = [f"  left out: {number:,} {why}" for why, number in document["skipped"].items()]
    return "\n".join([head, *rows, *left_out, *document["warnings"]])


def plan_text(document: Mapping[str, Any], *, explain: bool) -> str:
    """Readiness first, then what was found, then what was not."""
    tokens = document["tokens"]
    lines = [
        f"{document['readiness']} · {document['workflow']} · {tokens['packed']:,} of {tokens['budget']:,} tokens"
        f" · {document['seconds']:.2f} s",
        *(f"  {file['path']}" for file in document["files"][:SHOWN_FILES]),
    ]
    lines += [_slot(slot) for slot in document["slots"]]
    if document["concepts"]["uncovered"]:
        lines.append(f"  not found: {', '.join(document['concepts']['uncovered'])}")
    if document["minimum_budget"]:
        lines.append(f"  a budget of {document['minimum_budget']:,} tokens is the least that holds something useful")
    if explain:
        lines += ["", *(_region(region) for region in document["regions"])]
        lines += [
            f"  round {one['n']}: {one['decision']} ({one['coverage']:.0%} covered)" for one in document["rounds"]
        ]
    return "\n".join(lines)


def _slot(slot: Mapping[str, Any]) -> str:
    mark = "✓" if slot["covered"] else "✗" if slot["required"] else "·"
    why = "" if slot["covered"] else f": {slot['missing_reason'] or 'not found'}"
    return f"  {mark} {slot['name']}{why}"


def _region(region: Mapping[str, Any]) -> str:
    channels = ", ".join(f"{name} #{rank}" for name, rank in region["channels"].items())
    place = f"{region['path']}:{region['start']}-{region['end']}"
    return f"  {place}  {region['score']:.2f}  {region['slot'] or ''}  [{channels}]  {'; '.join(region['reasons'])}"
