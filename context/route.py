"""Routes a task: likely files and tests, the rules, skills and commands that go with them, and what to beware of.

No packet is made and no model is asked; nothing of what is found is run. The lists fit a budget of tokens together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any, Final

from .cautions import Caution, cautions
from .chores import Chore, Site
from .document import revision_document
from .ground import ground_of
from .guidance import Rule, is_guidance, rules_for
from .index import RepositoryIndex
from .model import FileRank, Readiness, RepositoryRevision, Workflow
from .paths import Paths, name_of, shared_depth
from .plan import PLANNER_VERSION, ContextPlanner
from .project_commands import commands_for
from .skill_matching import Refused, SkillMatch, match_skills
from .skills import Skill, installed_skills, is_installed
from .tested import tests_for
from .tokens import count

DEFAULT_BUDGET: Final = 3_000
_MOST_FILES: Final = 10
_MOST_TESTS: Final = 6
_LEAST_SHARE: Final = 0.25
_ASKED_FOR_TESTS: Final = 3
_COMMON_NAME: Final = 20
"""How many files of one name, such as `index.ts`, make the name say nothing; to ask for such a file takes long."""
_LEAST_CERTAINTY: Final = 0.45
_FRAME_TOKENS: Final = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class LikelyTest:
    """A test file; `certainty` that it is about one of the likely files is None where only its words speak for it."""

    path: str
    certainty: float | None
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """How many of each were found and did not fit."""

    files: int = 0
    tests: int = 0
    rules: int = 0
    skills: int = 0
    commands: int = 0
    warnings: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskRoute:
    """Where a task leads, best first in each list."""

    task: str
    workflow: Workflow
    readiness: Readiness
    repository_name: str
    revision: RepositoryRevision
    index_version: str
    files: tuple[FileRank, ...] = ()
    tests: tuple[LikelyTest, ...] = ()
    rules: tuple[Rule, ...] = ()
    skills: tuple[SkillMatch, ...] = ()
    refused: tuple[Refused, ...] = ()
    commands: tuple[Chore, ...] = ()
    warnings: tuple[Caution, ...] = ()
    installed: int = 0
    """Skills and commands that were looked at."""
    left_out: LeftOut = LeftOut()
    budget: int = DEFAULT_BUDGET
    tokens: int = 0
    seconds: float = 0.0


def route(
    index: RepositoryIndex,
    task: str,
    *,
    line: Callable[[Any], str],
    budget: int = DEFAULT_BUDGET,
    more_skills: Iterable[Skill] = (),
) -> TaskRoute:
    """The route of a task. `line` is how a row is shown, by which the budget counts; `more_skills` are a person's own.

    Raises EmptyTask, TaskTooLong, BudgetTooSmall.
    """
    began = perf_counter()
    plan = ContextPlanner(index).plan(task, budget=max(budget, 6_000))
    ground = ground_of(index)
    files = _likely(plan.files, task)
    tests = _tests(index, ground.paths, files, plan.test_files)
    site = Site(ground=ground, files=tuple(file.path for file in files), tests=tuple(test.path for test in tests))
    offered = (*installed_skills(ground), *more_skills)
    skills, refused = match_skills(offered, task, site.all)
    found = TaskRoute(
        task=task,
        workflow=plan.workflow,
        readiness=plan.readiness,
        repository_name=plan.repository_name,
        revision=plan.revision,
        index_version=plan.index_version,
        files=files,
        tests=tests,
        rules=rules_for(ground, site.all),
        skills=skills,
        refused=refused,
        commands=commands_for(site),
        warnings=(*_unsure(plan.readiness, index), *cautions(index, ground, site.all, task)),
        installed=len(offered),
        budget=budget,
    )
    return replace(_fitted(found, line), seconds=perf_counter() - began)


def _likely(ranked: Sequence[FileRank], task: str) -> tuple[FileRank, ...]:
    """The files that are not far behind the best. What instructs agents is listed apart, unless the task names it."""
    low = task.lower()
    meant = [file for file in ranked if not _instructs(file.path) or name_of(file.path).lower() in low]
    best = meant[0].score if meant else 0.0
    return tuple(file for file in meant[:_MOST_FILES] if file.score >= best * _LEAST_SHARE)


def _instructs(path: str) -> bool:
    return is_guidance(path) or is_installed(path)


def _tests(
    index: RepositoryIndex, paths: Paths, files: tuple[FileRank, ...], by_words: Sequence[str]
) -> tuple[LikelyTest, ...]:
    """Tests of the first files, those first that the task's words name too; then those that only the words name."""
    about: dict[str, LikelyTest] = {}
    leading = [file.path for file in files if index.by_path[file.path].role != "test"][:_ASKED_FOR_TESTS]
    for path in (path for path in leading if len(paths.named(name_of(path))) <= _COMMON_NAME):
        for link in tests_for(index, path)[:_MOST_TESTS]:
            known = about.get(link.test)
            if link.certainty >= _LEAST_CERTAINTY and (known is None or (known.certainty or 0) < link.certainty):
                why = (f"about {path}", *link.reasons)
                about[link.test] = LikelyTest(path=link.test, certainty=link.certainty, reasons=why)
    place = {path: at for at, path in enumerate(by_words)}
    worth = {
        path: (about[path].certainty or 0.0 if path in about else 0.0) * (1.0 if path in place else 0.6)
        + (0.6 / (1 + 0.5 * place[path]) if path in place else 0.0)
        + (0.2 if leading and shared_depth(path, leading[0]) > 1 else 0.0)
        for path in (*about, *by_words[:_MOST_TESTS])
    }
    best = sorted(worth, key=lambda path: (-round(worth[path], 6), path))[:_MOST_TESTS]
    words = ("words of the task",)
    return tuple(about.get(path) or LikelyTest(path=path, certainty=None, reasons=words) for path in best)


_UNSURE: Final = {
    "ungrounded": ("the task's words are hardly found in this repository", "search for other words before editing"),
    "insufficient": ("not all that the task needs was found", "look at the files before relying on this list"),
    "insufficient_budget": ("not all that the task needs was found", "look at the files before relying on this list"),
    "partially_grounded": ("only a part of the task's words was found", "take the files for a start, not for all"),
}


def _unsure(readiness: Readiness, index: RepositoryIndex) -> Iterator[Caution]:
    if readiness in _UNSURE:
        what, advice = _UNSURE[readiness]
        yield Caution(kind=readiness, path=None, what=what, advice=advice)
    if not index.complete:
        yield Caution(
            kind="incomplete", path=None, what="the index is still being built", advice="ask again when it is"
        )


# Budget


def _fitted(found: TaskRoute, line: Callable[[Any], str]) -> TaskRoute:
    """Rows of all lists in turn, best first, while they fit; a list ends with its first row that does not."""
    lists: dict[str, tuple[Any, ...]] = {
        "files": found.files, "commands": found.commands, "rules": found.rules, "warnings": found.warnings,
        "tests": found.tests, "skills": found.skills,
    }  # fmt: skip
    used = min(_FRAME_TOKENS, found.budget)
    kept = dict.fromkeys(lists, 0)
    going = {name for name, rows in lists.items() if rows}
    while going:
        for name, rows in lists.items():
            if name not in going:
                continue
            cost = count(line(rows[kept[name]]) + "\n")
            if used + cost > found.budget:
                going.discard(name)
                continue
            used += cost
            kept[name] += 1
            if kept[name] == len(rows):
                going.discard(name)
    out = LeftOut(**{name: len(rows) - kept[name] for name, rows in lists.items()})
    fitting: dict[str, Any] = {name: rows[: kept[name]] for name, rows in lists.items()}
    return replace(found, **fitting, left_out=out, tokens=used)


# The document


def route_document(found: TaskRoute) -> dict[str, Any]:
    """`agenvantage.route/1`: equal for equal repository state, task, skills and version, but for `seconds`."""
    return {
        "schema": "agenvantage.route/1",
        "task": found.task,
        "workflow": found.workflow,
        "readiness": found.readiness,
        "files": [
            {
                "path": file.path,
                "score": file.score,
                "role": next(iter(file.roles), None),
                "reasons": list(file.reasons),
            }
            for file in found.files
        ],
        "tests": [
            {"path": test.path, "certainty": test.certainty, "reasons": list(test.reasons)} for test in found.tests
        ],
        "rules": [_rule(rule) for rule in found.rules],
        "skills": [
            {**_skill(match.skill), "score": match.score, "reasons": list(match.reasons)} for match in found.skills
        ],
        "skills_refused": [
            {"name": each.skill.name, "path": each.skill.path, "score": each.score, "why": each.why}
            for each in found.refused
        ],
        "skills_installed": found.installed,
        "commands": [_command(chore) for chore in found.commands],
        "warnings": [_warning(each) for each in found.warnings],
        "left_out": {name: getattr(found.left_out, name) for name in LeftOut.__dataclass_fields__},
        "tokens": {"used": found.tokens, "budget": found.budget},
        "repository": found.repository_name,
        "revision": revision_document(found.revision),
        "planner_version": PLANNER_VERSION,
        "index_version": found.index_version,
        "seconds": found.seconds,
    }


def _rule(rule: Rule) -> dict[str, Any]:
    return {
        "path": rule.path,
        "kind": rule.kind,
        "agents": list(rule.agents),
        "scope": rule.scope,
        "applies": rule.applies,
        "why": rule.why,
        "heading": rule.heading,
        "tokens": rule.tokens,
        "covers": list(rule.covers),
        "imports": list(rule.imports),
        "imported_by": rule.imported_by,
        "also_at": list(rule.also_at),
    }


def _skill(skill: Skill) -> dict[str, Any]:
    return {
        "name": skill.name,
        "kind": skill.kind,
        "path": skill.path,
        "description": skill.description,
        "by_person_only": skill.by_person_only,
        "also_at": list(skill.also_at),
    }


def _command(chore: Chore) -> dict[str, Any]:
    return {
        "kind": chore.kind,
        "command": chore.command,
        "folder": chore.folder,
        "certainty": chore.certainty,
        "narrowed_to": list(chore.narrowed_to),
        "source": chore.source,
        "line": chore.line,
        "why": chore.why,
    }


def _warning(each: Caution) -> dict[str, Any]:
    return {
        "kind": each.kind,
        "path": each.path,
        "what": each.what,
        "advice": each.advice,
        "source": each.source,
        "line": each.line,
    }
