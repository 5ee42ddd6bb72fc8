"""`agenvantage bench route`: routes tasks whose files, skills, rules and commands are known, and scores the routes."""

from __future__ import annotations

import json as json_module
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any, Final

from ..context.errors import BadRequest
from ..context.index import RepositoryIndex
from ..context.route import route, route_document
from ..telemetry.routing import MEASURES, RouteCase, RouteScore, route_summary, score_route
from .configuration import load
from .doors import tell
from .routing import row

_MOST_BYTES: Final = 10_000_000
_LISTS: Final = tuple(field.name for field in fields(RouteCase) if field.name.startswith(("expected_", "avoid_")))
_KNOWN: Final = frozenset(("id", "task", "repo", *_LISTS))


class BadCases(BadRequest):
    """A file of cases that can't be used."""

    error_type = "bad_cases"

    def __init__(self, path: Path, why: str) -> None:
        super().__init__(
            f"The cases in {path} can't be used: {why}.",
            "Each needs `task` and `repo`, and may have lists: expected_files, expected_skills, avoid_skills, …",
        )


def route_bench_door(flags: Mapping[str, Any], *, cases: Path, repos: Path | None, misses: bool, json: bool) -> int:
    """Exit code 1 where a skill or rule was named that its case says to avoid."""
    settings = load(flags, repository=None).settings
    scores = [
        _scored(case, place, settings.cache_dir) for case, place in _placed(read_cases(cases), repos or cases.parent)
    ]
    document = {
        "schema": "agenvantage.bench-route/1",
        "summary": route_summary(scores),
        "cases": [asdict(score) for score in scores],
    }
    tell(document, bench_text(scores, misses=misses), json=json)
    return 1 if any(score.avoided_hit for score in scores) else 0


def _placed(cases: Iterable[RouteCase], folder: Path) -> list[tuple[RouteCase, Path]]:
    """Each case with its repository; all are looked for before the first is routed."""
    placed = [(case, (folder / case.repository).absolute()) for case in cases]
    for case, place in placed:
        if not place.is_dir():
            raise BadRequest(
                f"The repository {case.repository!r} of case {case.id!r} is not at {place}.",
                "Name the folder that holds the repositories with --repos DIR.",
            )
    return placed


def _scored(case: RouteCase, place: Path, cache_dir: Path) -> RouteScore:
    with RepositoryIndex.open(place, cache_dir=cache_dir) as index:
        return score_route(case, route_document(route(index, case.task, line=row(explain=False))))


# The file


def read_cases(path: Path) -> tuple[RouteCase, ...]:
    """Cases of a TOML file (`[[case]]` or `[[cases]]`), or of JSON lines. Raises BadCases."""
    try:
        data = path.read_bytes()
    except OSError as missing:
        raise BadCases(path, missing.strerror or "it can't be read") from missing
    if len(data) > _MOST_BYTES:
        raise BadCases(path, f"it has more than {_MOST_BYTES:,} bytes")
    try:
        rows = list(_rows(data.decode(), toml=path.suffix == ".toml"))
    except (ValueError, RecursionError) as broken:
        raise BadCases(path, f"it is no {'TOML' if path.suffix == '.toml' else 'JSON lines'} ({broken})") from broken
    cases = tuple(_case(path, number, each) for number, each in enumerate(rows, start=1))
    if not cases:
        raise BadCases(path, "it has none")
    return cases


def _rows(text: str, *, toml: bool) -> Iterator[Any]:
    if toml:
        said = tomllib.loads(text)
        for key in ("case", "cases"):
            yield from said.get(key, ())
    else:
        yield from (json_module.loads(line) for line in text.splitlines() if line.strip())


def _case(path: Path, number: int, said: Any) -> RouteCase:
    if not isinstance(said, dict) or not all(isinstance(said.get(key), str) and said[key] for key in ("task", "repo")):
        raise BadCases(path, f"case {number} has no `task` or no `repo`")
    unknown = sorted(said.keys() - _KNOWN)
    if unknown:
        raise BadCases(path, f"case {number} has {unknown[0]!r}, which means nothing here")
    lists = {name: said[name] for name in _LISTS if name in said}
    for name, value in lists.items():
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise BadCases(path, f"case {number}: {name} is no list of texts")
    given: dict[str, Any] = {name: tuple(value) for name, value in lists.items()}
    return RouteCase(id=str(said.get("id") or number), task=said["task"], repository=said["repo"], **given)


# For people


def bench_text(scores: list[RouteScore], *, misses: bool) -> str:
    summary = route_summary(scores)
    lines = [f"{summary['cases']} cases, {summary['seconds']:.2f} s", ""]
    for measure in MEASURES:
        found = summary[measure]
        mean = "–" if found["mean"] is None else f"{found['mean']:.3f}"
        lines.append(f"  {measure.replace('_', ' '):<24}{mean:>7}  ({found['cases']} cases)")
    lines.append(f"  {'avoided, and named':<24}{summary['avoided_hits']:>7}")
    for score in scores if misses else ():
        lines += [f"  {score.id}: misses {name}" for name in score.missed]
        lines += [f"  {score.id}: should not name {name}" for name in score.avoided_hit]
    return "\n".join(lines)
