"""`agenvantage route`: where a task leads in a repository, for people and as a document. No pack, no model."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from ..context.cautions import Caution
from ..context.chores import Chore
from ..context.files import read
from ..context.ground import COMMAND_HOMES, SKILL_HOMES, Ground, installed_below
from ..context.guidance import Rule
from ..context.model import FileRank
from ..context.parse import text_of
from ..context.paths import Paths
from ..context.plan import BudgetTooSmall
from ..context.repomap import printable
from ..context.route import DEFAULT_BUDGET, LikelyTest, TaskRoute, route, route_document
from ..context.skill_matching import SkillMatch
from ..context.skills import Skill, installed_skills
from .configuration import person_environment
from .doors import tell
from .indexing import opened
from .request import read_task


def route_door(
    flags: Mapping[str, Any],
    *,
    task: str | None,
    task_file: str | None,
    budget: int | None,
    home_skills: bool,
    explain: bool,
    repo: Path | None,
    json: bool,
) -> int:
    """`agenvantage route`. An answer on weak ground is an answer: its warnings say so."""
    if budget is not None and budget < 1:
        raise BudgetTooSmall(budget)
    text = read_task(task, task_file)
    mine = skills_of_home(person_environment()) if home_skills else ()
    with opened(flags, repo) as index:
        found = route(index, text, budget=budget or DEFAULT_BUDGET, more_skills=mine, line=row(explain))
    tell(route_document(found), route_text(found, explain=explain), json=json)
    return 0


def skills_of_home(variables: Mapping[str, str]) -> tuple[Skill, ...]:
    """What a person has installed for all projects. Links there are not followed."""
    home = Path(variables.get("HOME") or Path.home())
    paths = installed_below(home, (*SKILL_HOMES, *COMMAND_HOMES))

    def text(path: str) -> str | None:
        data = read(home, path)
        return text_of(data) if data is not None else None

    return installed_skills(Ground(paths=Paths(paths), read=text), home="~/")


# For people

_TITLES: Final = (
    ("files", "likely files"), ("tests", "likely tests"), ("rules", "rules for them"), ("skills", "skills"),
    ("commands", "commands (not run)"), ("warnings", "beware"),
)  # fmt: skip


def route_text(found: TaskRoute, *, explain: bool) -> str:
    shown = row(explain)
    lines = [f"{found.readiness} · {found.workflow} · {found.seconds:.2f} s"]
    for name, title in _TITLES:
        rows = getattr(found, name)
        if rows:
            lines += ["", title, *map(shown, rows)]
    if explain:
        lines += list(_refused(found))
    out = ", ".join(f"{getattr(found.left_out, name)} {name}" for name, _ in _TITLES if getattr(found.left_out, name))
    return "\n".join([*lines, *(("", f"left out for the budget of {found.budget:,} tokens: {out}") if out else ())])


def _refused(found: TaskRoute) -> Iterator[str]:
    if found.refused:
        yield from ("", f"skills not recommended, of {found.installed} installed")
        yield from (f"  {printable(each.skill.name)}  {each.score:.2f}  {each.why}" for each in found.refused)


def row(explain: bool) -> Callable[[Any], str]:
    """How one row is shown: with its reasons, if asked for."""
    return lambda each: _ROWS[type(each)](each, explain)


def _file(each: FileRank, explain: bool) -> str:
    why = f"  {each.score:.2f}  {next(iter(each.roles), '')}  {'; '.join(each.reasons)}" if explain else ""
    return f"  {printable(each.path)}{printable(why)}"


def _test(each: LikelyTest, explain: bool) -> str:
    why = (
        f"  {'–' if each.certainty is None else f'{each.certainty:.2f}'}  {'; '.join(each.reasons)}" if explain else ""
    )
    return f"  {printable(each.path)}{printable(why)}"


def _rule(each: Rule, explain: bool) -> str:
    size = f"{each.tokens:,} tokens" if each.tokens is not None else "not read"
    head = f"  {each.heading}" if each.heading else ""
    more = f"  ({len(each.covers)} of the files)" if explain and each.covers else ""
    return printable(f"  {each.path}  ({size}){head}: {each.why}{more}")


def _skill(each: SkillMatch, explain: bool) -> str:
    person = "  (only a person may call it)" if each.skill.by_person_only else ""
    where = f"  {each.skill.path}" if explain else ""
    return printable(f"  {each.skill.name}  {each.score:.2f}  {'; '.join(each.reasons)}{person}{where}")


def _command(each: Chore, explain: bool) -> str:
    place = f"  (in {each.folder}/)" if each.folder else ""
    source = f"{each.source}:{each.line}" if each.line is not None else each.source
    why = f"  {each.certainty:.2f}  {each.why}" if explain else ""
    return f"  {each.kind:<9} {printable(each.command)}{printable(f'{place}  [{source}]{why}')}"


def _warning(each: Caution, explain: bool) -> str:
    source = f"  [{each.source}:{each.line}]" if explain and each.source and each.line else ""
    return printable(f"  {each.path or each.kind}: {each.what}; {each.advice}{source}")


_ROWS: Final[Mapping[type, Callable[[Any, bool], str]]] = {
    FileRank: _file,
    LikelyTest: _test,
    Rule: _rule,
    SkillMatch: _skill,
    Chore: _command,
    Caution: _warning,
}
