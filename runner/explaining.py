"""What a person reads of a plan: how sure it is, what was found, what was not; with `--explain` also why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from ..context.repomap import printable

SHOWN_FILES: Final = 10
_SHOWN_REASONS: Final = 4


def plan_text(document: Mapping[str, Any], *, explain: bool) -> str:
    """Readiness first, then what was found, then what was not."""
    return "\n".join([*_head(document), *(_explained(document) if explain else _told(document))])


def _head(document: Mapping[str, Any]) -> Iterator[str]:
    tokens, sure = document["tokens"], document["confidence"]
    how_sure = f" ({sure:.0%} sure)" if sure is not None else ""
    yield (
        f"{document['readiness']}{how_sure} · {document['workflow']}"
        f" · {tokens['packed']:,} of {tokens['budget']:,} tokens · {document['seconds']:.2f} s"
    )
    if document["minimum_budget"]:
        yield f"  a budget of {document['minimum_budget']:,} tokens is the least that holds something useful"


def _told(document: Mapping[str, Any]) -> Iterator[str]:
    yield from (f"  {printable(file['path'])}" for file in document["files"][:SHOWN_FILES])
    yield from (_slot(slot) for slot in document["slots"])
    yield from _words(document)


def _explained(document: Mapping[str, Any]) -> Iterator[str]:
    yield from ("", "files")
    for place, file in enumerate(document["files"][:SHOWN_FILES], start=1):
        yield from _file(place, file)
    yield from ("", "regions (● in the packet, ○ next within the budget)")
    for region in document["regions"]:
        yield from _region(region)
    yield from ("", "slots", *(_slot(slot) for slot in document["slots"]), *_words(document))
    yield from _readings(document)
    yield from ("", "rounds", *(_round(each) for each in document["rounds"]))
    yield from (f"  recommended: {each}" for each in document["recommended"])


def _file(place: int, file: Mapping[str, Any]) -> Iterator[str]:
    said = ", ".join(f"{name} #{each['rank']} {each['score']:.2f}" for name, each in file["channels"].items())
    yield f"  {place:>2}. {printable(file['path'])}  {file['score']:.2f}"
    yield f"      {said}; by reciprocal rank #{file['reciprocal_rank']}"
    yield f"      {_reasons(file['reasons'])}"


def _region(region: Mapping[str, Any]) -> Iterator[str]:
    place = f"{printable(region['path'])}:{region['start']}-{region['end']}"
    name = f"  {region['kind']} {printable(region['name'])}" if region["name"] else ""
    mark = "●" if region["packed"] else "○"
    yield f"  {mark} {place}{name}  {region['slot'] or ''}  {region['score']:.2f}  {region['tokens']:,} tokens"
    if region["packed"]:
        yield f"      {_reasons(region['reasons'])}"


def _reasons(reasons: list[str]) -> str:
    return printable("; ".join(dict.fromkeys(reasons[:_SHOWN_REASONS])))


def _slot(slot: Mapping[str, Any]) -> str:
    mark = "✓" if slot["covered"] else "✗" if slot["required"] else "·"
    if slot["covered"]:
        return f"  {mark} {slot['name']}"
    return f"  {mark} {slot['name']}: {slot['missing_reason'] or 'not found'}"


def _words(document: Mapping[str, Any]) -> Iterator[str]:
    if document["concepts"]["uncovered"]:
        yield f"  not found: {', '.join(map(printable, document['concepts']['uncovered']))}"


def _readings(document: Mapping[str, Any]) -> Iterator[str]:
    if document["readings"]:
        yield from ("", "may mean")
    for each in document["readings"]:
        yield f"  {each['name']}: {', '.join(map(printable, each['files']))}"


def _round(each: Mapping[str, Any]) -> str:
    lacking = f", nothing around for {', '.join(each['missing_edges'])}" if each["missing_edges"] else ""
    return (
        f"  {each['n']}. {each['added']:+} regions in {1000 * each['seconds']:.0f} ms: words {each['coverage']:.0%},"
        f" slots {each['slots']:.0%}, anchor {each['anchor']:.2f}, agreement {each['agreement']:.0%},"
        f" twice {each['redundancy']:.0%}, to gain {each['gain']:.0%}{lacking} → {each['decision']}"
    )
