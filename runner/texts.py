"""What a person reads of an index; every figure comes from its document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from ..context.repomap import printable

SHOWN_PATHS: Final = 3
SHOWN_ID: Final = 10


def index_text(document: Mapping[str, Any]) -> str:
    """One line a repository; where it was counted, what was read, how, what was not, and how things are related."""
    return "\n".join(
        [
            *_index(document),
            *(line for each in document["repositories"] for line in ("", *_index(each))),
            *(_between(document["between"]) if document["between"] else ()),
        ]
    )


def _index(document: Mapping[str, Any]) -> list[str]:
    head = (
        f"{document['name']}: {document['indexed']:,} of {document['files']:,} files,"
        f" {document['lines']:,} lines, {document['parsed']:,} read now in {document['seconds']:.2f} s,"
        f" {document['bytes'] / 1e6:.1f} MB on disk"
    )
    stats = document["stats"]
    return [head, *(_counted(document, stats) if stats else ()), *document["warnings"]]


def _counted(document: Mapping[str, Any], stats: Mapping[str, Any]) -> Iterator[str]:
    revision = document["revision"]
    commit = (revision["commit"] or "no commit")[:SHOWN_ID]
    yield f"  at {commit}{' with changes' if revision['changes'] else ''}, {document['age_seconds']:.1f} s ago"
    yield ""
    yield f"  {'language':<14}{'files':>8}{'size':>10}{'tree-sitter':>13}{'patterns':>10}{'lines':>7}{'symbols':>10}"
    yield from (_language(row) for row in stats["languages"])
    shares = {name: _percent(part["share"]) for name, part in stats["coverage"].items()}
    yield (
        f"  read by tree-sitter: {shares['tree_sitter']} of the bytes, by patterns {shares['patterns']},"
        f" as lines only {shares['lines_only']}"
    )
    yield from (_group("fell back", group) for group in stats["fell_back"])
    yield from (_group("left out", group) for group in stats["skipped"])
    yield ""
    yield f"  roles: {_counts(document['roles'])}"
    yield f"  packages: {_counts(stats['packages']['by_ecosystem'])}"
    yield from (f"    {printable(bad['path'])} can't be read: {bad['why']}" for bad in stats["packages"]["problems"])
    yield f"  facts: {_counts(stats['facts'])}"
    yield f"  edges: {stats['edges']['count']:,}"
    yield from (_edges(row) for row in stats["edges"]["kinds"])
    imports = stats["imports"]
    yield (
        f"  imports: {imports['resolved']:,} resolved ({_percent(imports['resolved_share'])} of those that mean the"
        f" tree), {imports['unresolved']:,} unresolved, {imports['external']:,} external"
    )
    ratio = "" if document["bytes_ratio"] is None else f", {document['bytes_ratio']:.2f} bytes a byte"
    yield (
        f"  index: {_size(document['bytes'])} for {_size(document['source_bytes'])} of source{ratio},"
        f" {document['segments']:,} segment{'' if document['segments'] == 1 else 's'}"
    )


def _language(row: Mapping[str, Any]) -> str:
    return (
        f"  {row['language']:<14}{row['files']:>8,}{_size(row['bytes']):>10}{row['tree_sitter']:>13,}"
        f"{row['patterns']:>10,}{row['lines_only']:>7,}{row['symbols']:>10,}"
    )


def _group(what: str, group: Mapping[str, Any]) -> str:
    more = ", …" if group["files"] > len(group["examples"]) else ""
    return f"  {what}: {group['files']:,} {group['why']} ({', '.join(map(printable, group['examples']))}{more})"


def _edges(row: Mapping[str, Any]) -> str:
    classes = ", ".join(f"{row[name]:,} {name}" for name in ("sure", "likely", "guessed") if row[name])
    return f"    {row['kind']:<12}{row['count']:>10,}  {'all sure' if row['sure'] == row['count'] else classes}"


def _between(between: Mapping[str, Any]) -> Iterator[str]:
    yield ""
    yield f"between the repositories: {between['count']:,} edges"
    for row in between["edges"]:
        yield f"  {row['from']} {row['kind']} {row['to']}: {row['count']:,}"
        yield from (f"    {printable(one['source'])} → {printable(one['target'])}" for one in row["examples"])
    yield from (f"  a circle: {' ⇄ '.join(circle)}" for circle in between["circles"])


def refresh_text(document: Mapping[str, Any], *, alone: bool) -> str:
    """One line for what a look at the tree found."""
    shown = [printable(path) for listed in document["paths"].values() for path in listed]
    more = ", …" if len(shown) > SHOWN_PATHS or document["paths_left_out"] else ""
    names = f": {', '.join(shown[:SHOWN_PATHS])}{more}" if shown else ""
    moved = f", now at {(document['revision']['commit'] or 'no commit')[:SHOWN_ID]}" if document["moved"] else ""
    return (
        f"{'' if alone else document['name'] + ': '}{document['changed']:,} changed, {document['added']:,} added,"
        f" {document['removed']:,} removed, {document['parsed']:,} parsed in {document['milliseconds']:.0f} ms"
        f"{moved}{names}"
    )


def _counts(numbers: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {number:,}" for name, number in numbers.items()) or "none"


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{share:.1%}"


def _size(number: int) -> str:
    return f"{number / 1e6:.1f} MB" if number >= 100_000 else f"{number / 1e3:.1f} kB"
