"""Plans a task: which files and regions it needs, slot by slot, how sure that is, and what fits the budget.

The channels rank the files; rounds choose regions until the evidence is sufficient or there is nothing left to try; the
verdict is about what was chosen, not about what was searched. No model is asked.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from time import perf_counter
from typing import Final, Literal, TypeVar

from .aids import NO_AIDS, Aids
from .contradictions import contradictions
from .errors import BadRequest
from .finding import Asked, Findings, asked_for, find, found_again, listed, read_as
from .index import RepositoryIndex
from .model import Readiness, RetrievalCandidate, TaskPlan, Workflow
from .orientation import orientation
from .render import blocks
from .repomap import map_tokens, repository_map, rules
from .rounds import Search
from .session import Session
from .task import detect_workflow

PLANNER_VERSION: Final = "adaptive-hybrid/2"
STRATEGIES: Final = ("adaptive-hybrid",)
WORKFLOWS: Final[tuple[Workflow, ...]] = ("feature", "bug", "review", "explain", "migration", "incident")
_UNGROUNDED_TOKENS: Final = 1_500
_MOST_LISTED: Final = 50
Kept = TypeVar("Kept")


class UnknownStrategy(BadRequest):
    """No strategy has this name."""

    error_type = "unknown_strategy"

    def __init__(self, name: str) -> None:
        super().__init__(f"There is no strategy {name!r}.", f"Known: {', '.join(STRATEGIES)}.")


class UnknownWorkflow(BadRequest):
    """No workflow has this name."""

    error_type = "unknown_workflow"

    def __init__(self, name: str) -> None:
        super().__init__(f"There is no workflow {name!r}.", f"Known: auto, {', '.join(WORKFLOWS)}.")


class BudgetTooSmall(BadRequest):
    """A budget of no tokens."""

    error_type = "budget_too_small"

    def __init__(self, budget: int) -> None:
        super().__init__(
            f"A budget of {budget} tokens holds nothing.", "Give --budget a positive number; 6000 is usual."
        )


def check_strategy(name: str) -> str:
    """The name, if there is such a strategy. Raises UnknownStrategy."""
    if name not in STRATEGIES:
        raise UnknownStrategy(name)
    return name


class ContextPlanner:
    """Plans tasks for one index. `without` names channels to leave out; `aids` are helpers that a person asked for."""

    def __init__(
        self,
        index: RepositoryIndex,
        *,
        strategy: str = "adaptive-hybrid",
        without: Collection[str] = (),
        aids: Aids = NO_AIDS,
    ) -> None:
        self.index = index
        self.strategy = check_strategy(strategy)
        self.without = frozenset(without)
        self.aids = aids

    def plan(
        self,
        task: str,
        *,
        workflow: Workflow | Literal["auto"] = "auto",
        budget: int = 6_000,
        session: Session | None = None,
        diff: str | None = None,
    ) -> TaskPlan:
        """The plan for a task. `budget` is a ceiling in tokens for prefix and evidence together.

        `session` is what was done already, `diff` a patch that the task is about. Raises EmptyTask, TaskTooLong,
        UnknownWorkflow, BudgetTooSmall.
        """
        began = perf_counter()
        if budget < 1:
            raise BudgetTooSmall(budget)
        if workflow != "auto" and workflow not in WORKFLOWS:
            raise UnknownWorkflow(workflow)
        asked = asked_for(task, diff=diff, session=session, without=self.without, aids=self.aids)
        kind = detect_workflow(asked.query) if workflow == "auto" else workflow
        plan = self._searched(self._bare(task, kind, budget), asked)
        return replace(plan, seconds=perf_counter() - began)

    def _bare(self, task: str, workflow: Workflow, budget: int) -> TaskPlan:
        """The plan before anything was looked for: all that the stable prefix needs."""
        return TaskPlan(
            task=task,
            workflow=workflow,
            budget=budget,
            readiness="insufficient",
            revision=self.index.revision,
            planner_version=PLANNER_VERSION,
            index_version=self.index.version,
            repository_name=self.index.name,
            repository_map=self._kept(
                f"map of {map_tokens(budget)}", lambda: repository_map(self.index, most_tokens=map_tokens(budget))
            ),
            rules=self._kept("rules", lambda: rules(self.index)),
        )

    def _kept(self, name: str, made: Callable[[], Kept]) -> Kept:
        """What is the same for every task at one state of the tree."""
        if name not in self.index.memory:
            self.index.memory[name] = made()
        held: Kept = self.index.memory[name]
        return held

    def _searched(self, bare: TaskPlan, asked: Asked) -> TaskPlan:
        """The plan with what was found; a task that leads nowhere is put in other words, if a helper is there."""
        findings = find(self.index, asked)
        search, plan = self._search(bare, findings)
        if plan.readiness in _WEAK and asked.aids.rewrite is not None:
            findings = found_again(self.index, asked, findings)
            search, plan = self._search(bare, findings)
        plan = replace(plan, readings=read_as(findings), aids=findings.costs)
        return _settled(search, plan)

    def _search(self, bare: TaskPlan, findings: Findings) -> tuple[Search, TaskPlan]:
        search = Search(self.index, findings, bare.workflow, bare.rules)
        plan = replace(
            bare,
            files=listed(search.pools.others[:_MOST_LISTED], search.pools.others),
            test_files=tuple(each.file.path for each in search.pools.tests[:_MOST_LISTED]),
        )
        return search, search.run(plan)[0]


_WEAK: Final[frozenset[Readiness]] = frozenset({"ungrounded", "insufficient"})
_HINTS: Final[dict[Readiness, tuple[str, ...]]] = {
    "partially_grounded": ("search for the words that have no place yet",),
    "ungrounded": ("repo_map of the folder that the task is about", "search with words that the code would use"),
    "insufficient": ("repo_map", "search with words that the code would use"),
}


def _settled(search: Search, plan: TaskPlan) -> TaskPlan:
    """The plan as it is handed out: little where the ground is weak, and never over its budget."""
    if plan.readiness == "insufficient_budget":
        return replace(plan, chosen=(), minimum_budget=search.least_budget(plan))
    if plan.readiness == "ungrounded":
        plan = replace(plan, chosen=_first(plan.chosen, _UNGROUNDED_TOKENS))
    plan = search.with_the_rest(plan)
    plan = replace(plan, constraints=contradictions(search.index, plan.chosen))
    while plan.chosen and _tokens(plan) > plan.budget:
        plan = replace(plan, chosen=plan.chosen[:-1])
    if _tokens(plan) > plan.budget:
        return replace(plan, chosen=(), readiness="insufficient_budget", minimum_budget=search.least_budget(plan))
    if plan.readiness in _WEAK:
        plan = replace(plan, orientation=orientation(search.index, plan, plan.budget - _tokens(plan)))
    return replace(
        plan,
        regions=search.ranked_within(plan),
        recommended=_recommended(plan),
    )


def _tokens(plan: TaskPlan) -> int:
    return sum(block.tokens for block in blocks(plan))


def _first(chosen: tuple[RetrievalCandidate, ...], tokens: int) -> tuple[RetrievalCandidate, ...]:
    """The first of what was chosen, within so many tokens, and at least one."""
    kept: list[RetrievalCandidate] = []
    for candidate in chosen:
        tokens -= candidate.tokens or 0
        if tokens < 0 and kept:
            break
        kept.append(candidate)
    return tuple(kept)


def _recommended(plan: TaskPlan) -> tuple[str, ...]:
    """What to do next where the packet is not enough."""
    missing = (f"expand {slot.name}" for slot in plan.slots if not slot.covered and not slot.absent and slot.required)
    return (*_HINTS.get(plan.readiness, ()), *missing)
