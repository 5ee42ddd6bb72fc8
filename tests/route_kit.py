"""Makes the repositories of `data/route/repositories.toml`, and other small ones, as a person would have them."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any, Final

from agenvantage.context.chores import Chore, Site
from agenvantage.context.ground import Ground
from agenvantage.context.index import RepositoryIndex
from agenvantage.context.paths import Paths
from agenvantage.context.project_commands import commands_for
from agenvantage.context.route import TaskRoute, route
from agenvantage.context.skill_matching import SkillMatch, match_skills
from agenvantage.context.skills import installed_skills
from agenvantage.runner.routing import row
from conftest import RealRepository, make_repository

DATA: Final = Path(__file__).parent / "data" / "route"
CASES: Final = DATA / "cases.toml"


def bundled() -> dict[str, dict[str, str]]:
    """Name → path → text."""
    return tomllib.loads((DATA / "repositories.toml").read_text())


def filled(repository: RealRepository, files: dict[str, str]) -> RealRepository:
    """Write and commit these files."""
    for path, text in files.items():
        repository.write(path, text.removeprefix("\n"))
    repository.commit()
    return repository


def made(folder: Path, name: str) -> RealRepository:
    """One of the bundled repositories."""
    return filled(make_repository(folder / name), bundled()[name])


def routed(path: Path, task: str, **how: Any) -> TaskRoute:
    with RepositoryIndex.open(path) as index:
        return route(index, task, **{"line": row(explain=False), **how})


def ground(files: dict[str, str], links: dict[str, str] | None = None) -> Ground:
    """A tree that is nowhere but here."""
    return Ground(paths=Paths(files), read=files.get, links=links or {})


def site(files: dict[str, str], likely: tuple[str, ...] = (), tests: tuple[str, ...] = ()) -> Site:
    return Site(ground=ground(dict.fromkeys((*likely, *tests), "") | files), files=likely, tests=tests)


def commands(files: dict[str, str], likely: tuple[str, ...] = (), tests: tuple[str, ...] = ()) -> dict[str, Chore]:
    """Command → chore."""
    return {chore.command: chore for chore in commands_for(site(files, likely, tests))}


def skill(name: str, description: str, more: str = "") -> dict[str, str]:
    text = f"---\nname: {name}\ndescription: {description}\n{more}---\n# {name}\n"
    return {f".claude/skills/{name.lower().replace(' ', '-')}/SKILL.md": text}


def matched(files: dict[str, str], task: str, likely: tuple[str, ...] = ()) -> dict[str, SkillMatch]:
    """Name → match."""
    found, _ = match_skills(installed_skills(ground(files)), task, likely)
    return {match.skill.name: match for match in found}
