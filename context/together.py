"""Plans one task for several repositories: each is searched, the budget goes to those that it concerns.

Places are `name:path`. The set is not sufficient before every repository that the task concerns has given evidence.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from hashlib import sha256
from itertools import chain
from time import perf_counter
from typing import Final, Literal

from .choosing import by_worth
from .index import RepositoryIndex
from .model import (
    FileRank,
    Readiness,
    RepositoryRevision,
    RepositoryShare,
    RetrievalCandidate,
    Slot,
    TaskPlan,
    Workflow,
)
from .plan import ContextPlanner
from .render import blocks
from .several import RepositorySet
from .task import read_task

_NEAR_BEST: Final = 0.75
_LEAST_BUDGET: Final = 1_500
_FROM_WEAK: Final[tuple[Readiness, ...]] = (
    "insufficient_budget", "insufficient", "ungrounded", "partially_grounded", "grounded",
)  # fmt: skip
_WEAK: Final = frozenset(_FROM_WEAK[:3])

Planner = Callable[[RepositoryIndex], ContextPlanner]


def plan_together(
    repositories: RepositorySet,
    task: str,
    *,
    workflow: Workflow | Literal["auto"] = "auto",
    budget: int = 6_000,
    planner: Planner = ContextPlanner,
) -> TaskPlan:
    """One plan for a named set. Raises what `ContextPlanner.plan` does."""
    began = perf_counter()
    planners = {name: planner(index) for name, index in repositories}
    alone = {name: each.plan(task, workflow=workflow, budget=budget) for name, each in planners.items()}
    concerned = _concerned(alone, task)
    share = max(_LEAST_BUDGET, budget // len(concerned))
    shared = {name: planners[name].plan(task, workflow=workflow, budget=share) for name in concerned}
    plan = _merged(alone, shared, task, budget)
    return replace(plan, seconds=perf_counter() - began)


def _concerned(plans: Mapping[str, TaskPlan], task: str) -> tuple[str, ...]:
    """The repositories that a task names, that are about as sure as the surest, or that alone have a name it spells."""
    surest = max(plans, key=lambda name: plans[name].confidence or 0.0)
    best = plans[surest].confidence or 0.0
    found = {surest} | {
        name
        for name, plan in plans.items()
        if re.search(rf"(?<![\w.-]){re.escape(name)}(?![\w-])", task, re.IGNORECASE)
        or (plan.readiness not in _WEAK and (plan.confidence or 0.0) >= _NEAR_BEST * best)
    }
    spelled = set(read_task(task).identifiers)
    for name in sorted(plans, key=lambda name: (-(plans[name].confidence or 0.0), name)):
        known = {word for other in found for word in plans[other].concepts_covered}
        if spelled & {*plans[name].concepts_covered} - known:
            found.add(name)
    return tuple(name for name in plans if name in found)


def _merged(alone: Mapping[str, TaskPlan], shared: Mapping[str, TaskPlan], task: str, budget: int) -> TaskPlan:
    first = next(iter(shared.values()))
    plan = TaskPlan(
        task=task,
        workflow=first.workflow,
        budget=budget,
        readiness=min((each.readiness for each in shared.values()), key=_FROM_WEAK.index),
        confidence=min((each.confidence for each in shared.values() if each.confidence is not None), default=None),
        revision=_revision(alone),
        planner_version=first.planner_version,
        index_version=first.index_version,
        repository_name="+".join(alone),
        repository_map="".join(f"{name}:\n{each.repository_map}" for name, each in shared.items()),
        rules=tuple(f"{name}:{path}" for name, each in shared.items() for path in each.rules),
        concepts_covered=_once(chain.from_iterable(each.concepts_covered for each in shared.values())),
        slots=tuple(_slot(name, slot) for name, each in shared.items() for slot in each.slots),
        files=_files(shared),
        chosen=_places(shared, "chosen"),
        regions=_places(shared, "regions"),
        deferred=_places(shared, "deferred"),
        test_files=tuple(f"{name}:{path}" for name, each in shared.items() for path in each.test_files),
        readings=tuple(reading for each in shared.values() for reading in each.readings),
        rounds=first.rounds,
        recommended=_once(chain.from_iterable(each.recommended for each in shared.values())),
        repositories=tuple(_share(name, each, shared.get(name)) for name, each in alone.items()),
    )
    uncovered = {word for each in shared.values() for word in each.concepts_uncovered} - {*plan.concepts_covered}
    plan = replace(plan, concepts_uncovered=tuple(word for word in first.concepts_uncovered if word in uncovered))
    return _within(plan)


def _within(plan: TaskPlan) -> TaskPlan:
    """The plan without what is too much for its budget, the least worth first."""
    while plan.chosen and sum(block.tokens for block in blocks(plan)) > plan.budget:
        plan = replace(plan, chosen=plan.chosen[:-1])
    if sum(block.tokens for block in blocks(plan)) > plan.budget or not plan.chosen:
        fixed = sum(block.tokens for block in blocks(replace(plan, readiness="ungrounded", chosen=())))
        return replace(plan, chosen=(), readiness="insufficient_budget", minimum_budget=fixed + _LEAST_BUDGET)
    return replace(plan, regions=_first(plan.regions, plan.budget))


def _first(regions: Iterable[RetrievalCandidate], tokens: int) -> tuple[RetrievalCandidate, ...]:
    kept = []
    for each in regions:
        tokens -= each.tokens or 0
        if tokens >= 0:
            kept.append(each)
    return tuple(kept)


def _revision(plans: Mapping[str, TaskPlan]) -> RepositoryRevision:
    """What all repositories hold, as one key."""
    key = sha256("\n".join(f"{name} {plan.revision.key}" for name, plan in plans.items()).encode()).hexdigest()
    root = next(iter(plans.values())).revision.root
    return RepositoryRevision(root=root, commit=None, tree=None, changes=None, key=key)


def _share(name: str, alone: TaskPlan, shared: TaskPlan | None) -> RepositoryShare:
    plan = shared or alone
    missing = tuple(slot.name for slot in plan.slots if slot.required and not slot.covered)
    return RepositoryShare(
        name=name,
        concerned=shared is not None,
        readiness=plan.readiness,
        confidence=plan.confidence,
        missing=missing,
        revision=plan.revision.key,
    )


def _slot(name: str, slot: Slot) -> Slot:
    evidence = tuple(f"{name}:{each}" for each in slot.evidence)
    return replace(slot, name=f"{name}: {slot.name}", evidence=evidence)


def _files(plans: Mapping[str, TaskPlan]) -> tuple[FileRank, ...]:
    """Files of all repositories; a file counts more where the repository is surer."""
    listed = [
        replace(file, path=f"{name}:{file.path}", score=round(file.score * (plan.confidence or 0.0), 6))
        for name, plan in plans.items()
        for file in plan.files
    ]
    return tuple(sorted(listed, key=lambda file: (-file.score, file.path)))


def _places(plans: Mapping[str, TaskPlan], kind: str) -> tuple[RetrievalCandidate, ...]:
    placed = []
    for name, plan in plans.items():
        for each in getattr(plan, kind):
            node = replace(each.node, path=f"{name}:{each.node.path}", id=f"{name}:{each.node.id}")
            placed.append(replace(each, node=node, score=round(each.score * (plan.confidence or 0.0), 6)))
    return tuple(sorted(placed, key=by_worth))


def _once(items: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(items))
