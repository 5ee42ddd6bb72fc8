"""The commands that test, check, build and run the packages of given files, each with its source and how sure it is.

They are gathered from manifests, settings and CI; the ones that more than one of these name are surer. None is run.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

from .checkers import checkers
from .chores import KINDS, LONGEST_COMMAND, Chore, Site, kind_of_line
from .ci_steps import Step, ci_steps
from .named_tasks import named_tasks
from .toolchains import toolchains

_MOST_OF_A_KIND: Final = {"test": 3}
_MOST: Final = 2
_BY_CI: Final = 0.7
_ASIDE: Final = 0.45
_CONFIRMED: Final = 0.08
_SUREST: Final = 0.98
_LEAST: Final = 0.3
_OTHER_ENDS: Final = re.compile(
    r"release|deploy|publish|nightly|docs?\b|update|benchmark|cron|stale|openapi|coverage|windows|macos|canary",
    re.IGNORECASE,
)


def commands_for(site: Site) -> tuple[Chore, ...]:
    """Commands by kind, the surest and narrowest of each first."""
    steps = tuple(_told(ci_steps(site.ground)))
    own = [*named_tasks(site), *toolchains(site), *checkers(site)]
    confirmed = [_confirmed(chore, steps) for chore in own]
    known = {_tool(chore.command) for chore in own}
    seen = (_by_ci(step, kind, known, tool) for step, kind, tool in steps)
    return tuple(_chosen([*confirmed, *(chore for chore in seen if chore is not None)]))


_Told = tuple[Step, str, str]


def _told(steps: Iterable[Step]) -> Iterator[_Told]:
    """The steps that test, check or build something, with what they do and by which program."""
    for step in steps:
        kind = kind_of_line(step.command)
        if kind is not None and len(step.command) <= LONGEST_COMMAND:
            yield step, kind[0], kind[1]


def _tool(command: str) -> str | None:
    kind = kind_of_line(command)
    return kind[1] if kind else None


def _confirmed(chore: Chore, steps: tuple[_Told, ...]) -> Chore:
    """Surer, if CI runs the same program."""
    tool = _tool(chore.command)
    step = next((step for step, kind, said in steps if kind == chore.kind and said == tool), None)
    if step is None:
        return chore
    certainty = min(_SUREST, round(chore.certainty + _CONFIRMED, 2))
    return replace(chore, certainty=certainty, why=f"{chore.why}; CI runs it at {step.source}:{step.line}")


def _by_ci(step: Step, kind: str, known: set[str | None], tool: str) -> Chore | None:
    """A command that only CI names."""
    if tool in known:
        return None
    aside = _OTHER_ENDS.search(step.source.rpartition("/")[2]) is not None
    return Chore(
        kind=kind, command=step.command, source=step.source, line=step.line, certainty=_ASIDE if aside else _BY_CI,  # type: ignore[arg-type]  # told by kind_of_line
        why="CI runs it", folder=step.folder,
    )  # fmt: skip


def _chosen(chores: list[Chore]) -> Iterator[Chore]:
    for kind in KINDS:
        held: dict[tuple[str, str | None], Chore] = {}
        mine = [
            chore
            for chore in chores
            if chore.kind == kind and chore.certainty >= _LEAST and chore.command.isprintable()
        ]
        for chore in sorted(mine, key=_order):
            # Tests of several packages are several commands; one call of a linter is enough.
            same = chore.command if kind == "test" else _tool(chore.command) or chore.command
            held.setdefault((chore.folder, same), chore)
        yield from _with_a_whole(list(held.values()), _MOST_OF_A_KIND.get(kind, _MOST))


def _with_a_whole(chores: list[Chore], most: int) -> list[Chore]:
    """The first ones, the last of them about a whole package if there is such a one."""
    first, rest = chores[:most], chores[most:]
    whole = next((chore for chore in rest if not chore.narrowed_to), None)
    return [*first[:-1], whole] if whole is not None and all(chore.narrowed_to for chore in first) else first


def _order(chore: Chore) -> float:
    """What is narrowed goes before what is not, if it is about as sure; else they stay as they were found."""
    return -round(chore.certainty + 0.1 * bool(chore.narrowed_to), 3)
