"""How good a route was: what `agenvantage route` named for a task held against what its case expects.

A measure that a case says nothing of is None, not 0; a mean is over the cases that say something.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

FIRST_SKILLS: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class RouteCase:
    """A task and what its route should hold. None: the case says nothing of it; empty: there should be none."""

    id: str
    task: str
    repository: str
    expected_files: tuple[str, ...] | None = None
    expected_tests: tuple[str, ...] | None = None
    expected_rules: tuple[str, ...] | None = None
    expected_commands: tuple[str, ...] | None = None
    """Each is found if a command has it in it."""
    expected_warnings: tuple[str, ...] | None = None
    """Kinds of warnings."""
    expected_skills: tuple[str, ...] | None = None
    avoid_skills: tuple[str, ...] = ()
    avoid_rules: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RouteScore:
    """The measures of one case, from 0 to 1 but for the hits on what was to be avoided, which are named."""

    id: str
    file_recall: float | None
    test_recall: float | None
    rules_found: float | None
    commands_found: float | None
    warnings_found: float | None
    skill_recall: float | None
    skill_precision: float | None
    skill_reciprocal_rank: float | None
    avoided_hit: tuple[str, ...]
    missed: tuple[str, ...]
    """Everything that was expected and is not there."""
    selected_skills: tuple[str, ...]
    seconds: float


MEASURES: Final = (
    "file_recall", "test_recall", "rules_found", "commands_found", "warnings_found", "skill_recall", "skill_precision",
    "skill_reciprocal_rank",
)  # fmt: skip


def score_route(case: RouteCase, document: Mapping[str, Any]) -> RouteScore:
    """Hold a document of `agenvantage.route/1` against its case. Skills are judged by the first three."""
    held = {
        "files": _values(document["files"], "path"),
        "tests": _values(document["tests"], "path"),
        "rules": _values(document["rules"], "path"),
        "warnings": _values(document["warnings"], "kind"),
        "commands": _values(document["commands"], "command"),
    }
    skills = _values(document["skills"], "name")
    first = skills[:FIRST_SKILLS]
    missed = [
        *_missing(case.expected_files, held["files"]), *_missing(case.expected_tests, held["tests"]),
        *_missing(case.expected_rules, held["rules"]), *_missing(case.expected_warnings, held["warnings"]),
        *_unheard(case.expected_commands, held["commands"]), *_missing(case.expected_skills, first),
    ]  # fmt: skip
    return RouteScore(
        id=case.id,
        file_recall=_share(case.expected_files, _missing(case.expected_files, held["files"])),
        test_recall=_share(case.expected_tests, _missing(case.expected_tests, held["tests"])),
        rules_found=_share(case.expected_rules, _missing(case.expected_rules, held["rules"])),
        commands_found=_share(case.expected_commands, _unheard(case.expected_commands, held["commands"])),
        warnings_found=_share(case.expected_warnings, _missing(case.expected_warnings, held["warnings"])),
        skill_recall=_share(case.expected_skills, _missing(case.expected_skills, first)),
        skill_precision=_precision(case.expected_skills, first),
        skill_reciprocal_rank=_reciprocal_rank(case.expected_skills, skills),
        avoided_hit=tuple(
            name for name in (*skills, *held["rules"]) if name in (*case.avoid_skills, *case.avoid_rules)
        ),
        missed=tuple(missed),
        selected_skills=tuple(first),
        seconds=document["seconds"],
    )


def _values(rows: Iterable[Mapping[str, Any]], key: str) -> list[str]:
    return [row[key] for row in rows]


def _missing(expected: Sequence[str] | None, found: Sequence[str]) -> list[str]:
    return [name for name in expected or () if name not in found]


def _unheard(expected: Sequence[str] | None, commands: Sequence[str]) -> list[str]:
    return [part for part in expected or () if not any(part in command for command in commands)]


def _share(expected: Sequence[str] | None, missing: Sequence[str]) -> float | None:
    return 1 - len(missing) / len(expected) if expected else None


def _precision(expected: Sequence[str] | None, first: Sequence[str]) -> float | None:
    """The share of the named skills that were expected; where none was, whether none was named."""
    if expected is None or (expected and not first):
        return None
    return sum(name in expected for name in first) / len(first) if first else 1.0


def _reciprocal_rank(expected: Sequence[str] | None, skills: Sequence[str]) -> float | None:
    if not expected:
        return None
    return next((1 / rank for rank, name in enumerate(skills, start=1) if name in expected), 0.0)


def route_summary(scores: Sequence[RouteScore]) -> dict[str, Any]:
    """The mean of each measure over the cases that say something of it, and how many that are."""
    means: dict[str, Any] = {}
    for measure in MEASURES:
        known = [value for score in scores if (value := getattr(score, measure)) is not None]
        means[measure] = {"mean": round(sum(known) / len(known), 4) if known else None, "cases": len(known)}
    return {
        "cases": len(scores),
        **means,
        "avoided_hits": sum(len(score.avoided_hit) for score in scores),
        "seconds": round(sum(score.seconds for score in scores), 3),
    }
