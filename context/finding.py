"""Asks the channels for a task: by its words, by what else they may mean, and by what helpers say, if there are any."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from .aids import NO_AIDS, AidCost, Aids
from .channels import Channel
from .diffs import take_diff
from .helped import meaning_row, reranked, rewritten
from .index import RepositoryIndex
from .model import FileRank, TaskReading
from .past import past_of
from .ranking import RankedFile, rank_files
from .session import WEIGHT as SESSION_WEIGHT
from .session import Session, by_session
from .task import Query, read_task

_MOST_COMMITS: Final = 3
_LEADING: Final = 3
_READING_WEIGHT: Final = 2.0
_RECIPROCAL_PULL: Final = 60

Row = tuple[str, float, Channel]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A task as it was asked: its words, what was done already, which channels count and who may help."""

    query: Query
    session: Session | None = None
    without: frozenset[str] = frozenset()
    aids: Aids = NO_AIDS


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """What the channels found for a task, before any region was looked at.

    `readings` are further rankings, by what else the words may mean. `commits` are the last changes to the files that
    lead, `changed` the files that the task's diff or the work tree changes.
    """

    query: Query
    ranked: tuple[RankedFile, ...]
    readings: tuple[tuple[str, tuple[RankedFile, ...]], ...] = ()
    commits: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    costs: tuple[AidCost, ...] = ()


def asked_for(
    task: str,
    *,
    diff: str | None = None,
    session: Session | None = None,
    without: frozenset[str] = frozenset(),
    aids: Aids = NO_AIDS,
) -> Asked:
    """Raises EmptyTask, TaskTooLong."""
    query = read_task(task)
    if diff:
        query = replace(query, diff=(*query.diff, *take_diff(diff).files))
    return Asked(query=query, session=session, without=without, aids=aids)


def find(index: RepositoryIndex, asked: Asked) -> Findings:
    """All files that a channel speaks for, best first, and what is known of the first of them."""
    rows: list[Row] = []
    costs: list[AidCost] = []
    if asked.session is not None:
        rows.append(("session", SESSION_WEIGHT, by_session(asked.session)))
    if asked.aids.embed is not None:
        row, cost = meaning_row(index, asked.query, asked.aids.embed)
        rows.append(row)
        costs.append(cost)
    ranked = _ranked(index, asked, asked.query, rows)
    if asked.aids.rerank is not None:
        ranked, cost = reranked(index, asked.query, ranked, asked.aids.rerank)
        costs.append(cost)
    return Findings(
        query=asked.query,
        ranked=ranked,
        readings=tuple(
            (reading.name, _ranked(index, asked, _leaning(asked.query, reading.terms), rows))
            for reading in asked.query.readings
        ),
        commits=_last_commits(index, ranked),
        changed=_changed(index, asked.query),
        costs=tuple(costs),
    )


def found_again(index: RepositoryIndex, asked: Asked, before: Findings) -> Findings:
    """What the task's other words lead to, where a helper has some; else what was found before."""
    if asked.aids.rewrite is None:
        return before
    query, cost = rewritten(asked.query, asked.aids.rewrite)
    if query is None:
        return replace(before, costs=(*before.costs, cost))
    after = find(index, replace(asked, query=query))
    return replace(after, costs=(*before.costs, cost, *after.costs))


def _ranked(index: RepositoryIndex, asked: Asked, query: Query, rows: Sequence[Row]) -> tuple[RankedFile, ...]:
    options: dict[str, Any] = {}
    if asked.without or rows:
        options = {"without": asked.without, "more": tuple(rows)}
    return rank_files(index, query, **options)


def _leaning(query: Query, terms: Mapping[str, float]) -> Query:
    """The query as one reading of the task would have it."""
    more = {term: max(query.terms.get(term, 0.0), _READING_WEIGHT * weight) for term, weight in terms.items()}
    return replace(query, terms=dict(sorted({**query.terms, **more}.items())))


def _last_commits(index: RepositoryIndex, ranked: Sequence[RankedFile]) -> tuple[str, ...]:
    """The last commits to the files that lead, in their order."""
    history = past_of(index)
    churned = (history.churn(each.file.path) for each in ranked[:_LEADING] if each.file.role == "source")
    return tuple(dict.fromkeys(each.last for each in churned if each is not None))[:_MOST_COMMITS]


def _changed(index: RepositoryIndex, query: Query) -> tuple[str, ...]:
    """The files of the diff that the repository has; without a diff those that differ from the commit."""
    if query.diff:
        return tuple(dict.fromkeys(file.path for file in query.diff if file.path in index.by_path))
    return tuple(file.path for file in index.files if file.changed)[:50]


def read_as(findings: Findings) -> tuple[TaskReading, ...]:
    """The ways to understand the task, where they lead to different files."""
    readings = tuple(
        TaskReading(name=name, words=(of.word,), files=tuple(each.file.path for each in ranked[:_LEADING]))
        for (name, ranked), of in zip(findings.readings, findings.query.readings, strict=True)
    )
    return readings if len({reading.files[:1] for reading in readings}) > 1 else ()


def listed(shown: Sequence[RankedFile], everything: Sequence[RankedFile]) -> tuple[FileRank, ...]:
    """Files as the plan lists them; where reciprocal rank fusion would put each is told beside the fused score."""
    reciprocal = {
        each.file.path: sum(1 / (_RECIPROCAL_PULL + said.rank) for said in each.channels) for each in everything
    }
    order = sorted(reciprocal, key=lambda path: (-round(reciprocal[path], 9), path))
    places = {path: place for place, path in enumerate(order, start=1)}
    return tuple(
        FileRank(
            path=each.file.path,
            score=each.score,
            roles=(each.file.role,),
            reasons=(*each.reasons, *(("changed, not committed",) if each.file.changed else ())),
            channels=each.channels,
            reciprocal_rank=places[each.file.path],
        )
        for each in shown
    )
