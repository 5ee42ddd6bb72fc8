"""Makes the repositories of `data/route/repositories.toml`, and other small ones, as a person would have them."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Final

from agenvantage.context.index import RepositoryIndex
from agenvantage.context.route import TaskRoute, route
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


def routed(path: Path, task: str, **how: object) -> TaskRoute:
    with RepositoryIndex.open(path) as index:
        return route(index, task, **how)
