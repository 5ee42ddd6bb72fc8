"""Plans a task: which files and regions it needs, slot by slot, how sure that is, and what fits the budget.

Rounds widen the search until the evidence is sufficient or there is nothing left to try; the verdict is about what was
chosen, not about what was searched. No model is asked.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Final, Literal

from .channels import rarities
from .errors import BadRequest
from .index import RepositoryIndex
from .model import (
    FileRank,
    PlanRound,
    Readiness,
    RetrievalCandidate,
    Role,
    Slot,
    TaskPlan,
    Workflow,
)
from .ranking import RankedFile, RegionScorer, rank_files, rank_tests
from .render import blocks, evidence_block
from .repomap import map_tokens, repository_map, rules
from .task import Query, detect_workflow, read_task
from .words import count_terms, terms_of

PLANNER_VERSION: Final = "adaptive-hybrid/1"
STRATEGIES: Final = ("adaptive-hybrid",)
WORKFLOWS: Final[tuple[Workflow, ...]] = ("feature", "bug", "review", "explain", "migration", "incident")
_GROUNDED_TOKENS: Final = 3_000
_UNGROUNDED_TOKENS: Final = 1_500
_MOST_EVIDENCE_TOKENS: Final = 8_000
_LEAST_SCORE: Final = 0.12
_FILE_SHARE: Final = 0.3
_MOST_LISTED: Final = 50
_MOST_DEFERRED: Final = 12
_MOST_POOL: Final = 80


# A channel's score from which on it points at a file rather than hints at it.
_ANCHORS: Final = {"path": 0.8, "frame": 0.5, "symbol": 0.6}


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


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotRule:
    """A kind of evidence: the roles of files that give it, and the most it may take of the evidence's tokens."""

    name: str
    roles: frozenset[Role]
    required: bool
    share: float


_SURFACE: Final[frozenset[Role]] = frozenset({"source", "schema", "style", "migration"})
_CODE: Final = SlotRule(name="implementation", roles=_SURFACE, required=True, share=1.0)
_TESTS: Final = SlotRule(name="tests", roles=frozenset({"test", "fixture"}), required=False, share=0.3)
_SETUP: Final = SlotRule(name="configuration", roles=frozenset({"config", "build", "ci"}), required=False, share=0.2)
_WORDS: Final = SlotRule(name="documents", roles=frozenset({"doc"}), required=False, share=0.2)
SLOTS: Final[dict[Workflow, tuple[SlotRule, ...]]] = {
    "feature": (_CODE, _TESTS, _SETUP),
    "bug": (replace(_CODE, name="failure path"), replace(_TESTS, name="validation"), _SETUP),
    "review": (_CODE, _TESTS, _SETUP),
    "explain": (_CODE, _WORDS, replace(_TESTS, share=0.15)),
    "migration": (_CODE, _TESTS, replace(_SETUP, share=0.35)),
    "incident": (replace(_CODE, name="failure path"), replace(_SETUP, share=0.35), replace(_TESTS, name="validation")),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Round:
    """How far a round looks: how many files give regions, and how many tokens of evidence it may choose."""

    number: int
    reach: int
    tokens: int


_ROUNDS: Final = (
    _Round(number=1, reach=10, tokens=_GROUNDED_TOKENS),
    _Round(number=2, reach=20, tokens=_MOST_EVIDENCE_TOKENS),
    _Round(number=3, reach=40, tokens=_MOST_EVIDENCE_TOKENS),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """What a round ended with."""

    chosen: tuple[RetrievalCandidate, ...]
    deferred: tuple[RetrievalCandidate, ...]
    slots: tuple[Slot, ...]
    covered: tuple[str, ...]
    uncovered: tuple[str, ...]
    coverage: float
    readiness: Readiness


def check_strategy(name: str) -> str:
    """The name, if there is such a strategy. Raises UnknownStrategy."""
    if name not in STRATEGIES:
        raise UnknownStrategy(name)
    return name


class ContextPlanner:
    """Plans tasks for one index."""

    def __init__(self, index: RepositoryIndex, *, strategy: str = "adaptive-hybrid") -> None:
        self.index = index
        self.strategy = check_strategy(strategy)

    def plan(self, task: str, *, workflow: Workflow | Literal["auto"] = "auto", budget: int = 6_000) -> TaskPlan:
        """The plan for a task. `budget` is a ceiling in tokens for prefix and evidence together.

        Raises EmptyTask, TaskTooLong, UnknownWorkflow, BudgetTooSmall.
        """
        began = perf_counter()
        if budget < 1:
            raise BudgetTooSmall(budget)
        if workflow != "auto" and workflow not in WORKFLOWS:
            raise UnknownWorkflow(workflow)
        query = read_task(task)
        kind = detect_workflow(query) if workflow == "auto" else workflow
        search = _Search(self.index, query, kind)
        plan = search.run(self._bare(task, kind, budget))
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
            repository_map=repository_map(self.index, most_tokens=map_tokens(budget)),
            rules=rules(self.index),
        )


class _Search:
    """One task's search in one index."""

    def __init__(self, index: RepositoryIndex, query: Query, workflow: Workflow) -> None:
        self.index = index
        self.query = query
        self.rules = SLOTS[workflow]
        self.ranked = rank_files(index, query)
        self.others = tuple(each for each in self.ranked if each.file.role != "test" or query.wants_tests)
        self.tests = rank_tests(self.ranked, self.others[:5])
        self.scorer = RegionScorer(index, query)
        self.rarities = rarities(index, {term for concept in query.concepts for term in terms_of(concept)})

    def run(self, plan: TaskPlan) -> TaskPlan:
        plan = replace(
            plan,
            files=tuple(map(_listed, self.others[:_MOST_LISTED])),
            test_files=tuple(each.file.path for each in self.tests[:_MOST_LISTED]),
        )
        rounds: list[PlanRound] = []
        for step in _ROUNDS:
            began = perf_counter()
            found = self._round(plan, step)
            last = step is _ROUNDS[-1] or found.readiness in ("grounded", "insufficient_budget")
            before = len(plan.chosen)
            plan = _with(plan, found)
            decision = f"stop: {found.readiness}" if last else f"widen: {found.readiness}"
            rounds.append(
                PlanRound(
                    number=step.number,
                    seconds=perf_counter() - began,
                    added=len(found.chosen) - before,
                    coverage=round(found.coverage, 4),
                    decision=decision,
                )
            )
            if last:
                break
        return self._settled(replace(plan, rounds=tuple(rounds)))

    def _round(self, plan: TaskPlan, step: _Round) -> _Found:
        pool = self._pool(step.reach)
        room = self._room(plan, pool)
        chosen = self._chosen(pool, min(room, step.tokens))
        if not chosen and pool:
            return self._judged((), pool, starved=room < self._smallest(pool))
        return self._judged(chosen, pool, starved=False)

    def _pool(self, reach: int) -> tuple[RetrievalCandidate, ...]:
        """Regions of the best files of each slot, best first by file and region together."""
        found: list[RetrievalCandidate] = []
        for rule in self.rules:
            files = [each for each in self.others if each.file.role in rule.roles] if rule.share != 0 else []
            if "test" in rule.roles:
                files = [*self.tests, *(each for each in files if each.file.role != "test")]
            leading = files[: reach if rule.required else max(3, reach // 4)]
            found.extend(_weighed(leading, rule, self.scorer))
        return tuple(sorted(found, key=lambda each: (-each.score, each.node.path, each.node.start)))[:_MOST_POOL]

    def _room(self, plan: TaskPlan, pool: tuple[RetrievalCandidate, ...]) -> int:
        """Tokens left for evidence when everything else of the packet is paid for."""
        slots = tuple(
            Slot(name=rule.name, required=rule.required, covered=False, confidence=0.0, missing_reason=_LONGEST_REASON)
            for rule in self.rules
        )
        fixed = replace(
            plan,
            readiness="ungrounded",
            slots=slots,
            concepts_uncovered=self.query.concepts[:8],
            chosen=(),
            deferred=tuple(sorted(pool, key=lambda each: -len(each.node.path))[:_MOST_DEFERRED]),
        )
        return plan.budget - sum(block.tokens for block in blocks(fixed))

    def _smallest(self, pool: tuple[RetrievalCandidate, ...]) -> int:
        return min((self._with_text(each).tokens or 0 for each in pool[:10]), default=0)

    def _chosen(self, pool: tuple[RetrievalCandidate, ...], room: int) -> tuple[RetrievalCandidate, ...]:
        """The best regions that fit: each slot within its share, nothing far below the best."""
        least = pool[0].score * _LEAST_SCORE if pool else 0.0
        left = {rule.name: int(room * rule.share) for rule in self.rules}
        chosen: list[RetrievalCandidate] = []
        for candidate in pool:
            slot = candidate.slot or ""
            if candidate.score < least and slot in {each.slot for each in chosen}:
                continue
            full = self._with_text(candidate)
            cost = full.tokens or 0
            if cost <= min(room, left[slot]):
                chosen.append(full)
                room -= cost
                left[slot] -= cost
        return tuple(chosen)

    def _with_text(self, candidate: RetrievalCandidate) -> RetrievalCandidate:
        view = self.scorer.view(candidate.node.path)
        text = view.cut(candidate.node.start, candidate.node.end) if view else ""
        full = replace(candidate, text=text)
        return replace(full, tokens=evidence_block(full).tokens)

    def _judged(
        self,
        chosen: tuple[RetrievalCandidate, ...],
        pool: tuple[RetrievalCandidate, ...],
        *,
        starved: bool,
    ) -> _Found:
        covered, uncovered, coverage = self._concepts(chosen)
        slots = tuple(self._slot(rule, chosen) for rule in self.rules)
        taken = {each.node.id for each in chosen}
        deferred = tuple(each for each in pool if each.node.id not in taken)[:_MOST_DEFERRED]
        readiness: Readiness = "insufficient_budget" if starved else self._readiness(slots, coverage)
        return _Found(
            chosen=chosen,
            deferred=deferred,
            slots=slots,
            covered=covered,
            uncovered=uncovered,
            coverage=coverage,
            readiness=readiness,
        )

    def _readiness(self, slots: tuple[Slot, ...], coverage: float) -> Readiness:
        if not all(slot.covered for slot in slots if slot.required):
            return "insufficient"
        anchored = any(each.of(name) >= least for each in self.others[:3] for name, least in _ANCHORS.items())
        if coverage >= (0.5 if anchored else 0.8) and len(self.query.concepts) >= (1 if anchored else 3):
            return "grounded"
        return "partially_grounded" if anchored or coverage >= 0.45 else "ungrounded"

    def _concepts(self, chosen: tuple[RetrievalCandidate, ...]) -> tuple[tuple[str, ...], tuple[str, ...], float]:
        """Which of the task's own words have a place in the evidence; rare words weigh more."""
        held: set[str] = set()
        for candidate in chosen:
            held.update(count_terms(f"{candidate.text} {candidate.node.path}"))
        covered: list[str] = []
        uncovered: list[str] = []
        weight = {True: 0.0, False: 0.0}
        for concept in self.query.concepts:
            terms = terms_of(concept)
            inside = bool(terms) and (terms[0] in held or (len(terms) > 1 and all(term in held for term in terms[1:])))
            (covered if inside else uncovered).append(concept)
            weight[inside] += max((self.rarities.get(term, 0.0) for term in terms), default=0.0)
        whole = weight[True] + weight[False]
        return tuple(covered), tuple(uncovered), weight[True] / whole if whole else 0.0

    def _slot(self, rule: SlotRule, chosen: tuple[RetrievalCandidate, ...]) -> Slot:
        mine = [each for each in chosen if each.slot == rule.name]
        return Slot(
            name=rule.name,
            required=rule.required,
            covered=bool(mine),
            confidence=round(min(1.0, max((each.score for each in mine), default=0.0)), 4),
            evidence=tuple(each.node.id for each in mine),
            missing_reason=None if mine else self._why_missing(rule),
        )

    def _why_missing(self, rule: SlotRule) -> str:
        if not any(file.role in rule.roles for file in self.index.files):
            return f"the repository has no {rule.name}" if not rule.required else "the repository has no source files"
        if any(each.file.role in rule.roles for each in self.ranked):
            return _LONGEST_REASON
        return "none has a word of the task"

    def _settled(self, plan: TaskPlan) -> TaskPlan:
        """The plan as it is handed out: little where the ground is weak, and never over its budget."""
        if plan.readiness == "insufficient_budget":
            return replace(plan, chosen=(), minimum_budget=self._minimum(plan))
        if plan.readiness == "ungrounded":
            plan = _trimmed(plan, _UNGROUNDED_TOKENS)
        while plan.chosen and sum(block.tokens for block in blocks(plan)) > plan.budget:
            plan = replace(plan, chosen=plan.chosen[:-1])
        if sum(block.tokens for block in blocks(plan)) > plan.budget:
            return replace(plan, readiness="insufficient_budget", minimum_budget=self._minimum(plan))
        scored = tuple(replace(each, score=round(each.score, 6)) for each in plan.chosen)
        hints = _HINTS.get(plan.readiness, ())
        return replace(plan, chosen=scored, recommended=hints)

    def _minimum(self, plan: TaskPlan) -> int:
        pool = self._pool(_ROUNDS[0].reach)
        return plan.budget - self._room(plan, pool) + self._smallest(pool)


_LONGEST_REASON: Final = "found, but none near enough or small enough"
_HINTS: Final[dict[Readiness, tuple[str, ...]]] = {
    "partially_grounded": ("search for the words that have no place yet",),
    "ungrounded": ("repo_map of the folder that the task is about", "search with words that the code would use"),
    "insufficient": ("repo_map", "search with words that the code would use"),
}


def _weighed(files: Iterable[RankedFile], rule: SlotRule, scorer: RegionScorer) -> Iterable[RetrievalCandidate]:
    """Regions of files with a score made of how the file and how the region fit, relative to the best of each."""
    leading = list(files)
    found = [(each, region) for each in leading for region in scorer.regions(each, rule.name)[:12]]
    best_file = max((each.score for each in leading), default=0.0) or 1.0
    best_region = max((region.score for _, region in found), default=0.0) or 1.0
    for each, region in found:
        score = region.score / best_region * (_FILE_SHARE + (1 - _FILE_SHARE) * each.score / best_file)
        yield replace(region, score=score * (1.0 if rule.required else 0.6), slot=rule.name)


def _with(plan: TaskPlan, found: _Found) -> TaskPlan:
    return replace(
        plan,
        readiness=found.readiness,
        chosen=found.chosen,
        deferred=found.deferred,
        slots=found.slots,
        concepts_covered=found.covered,
        concepts_uncovered=found.uncovered,
    )


def _trimmed(plan: TaskPlan, tokens: int) -> TaskPlan:
    kept: list[RetrievalCandidate] = []
    for candidate in plan.chosen:
        tokens -= candidate.tokens or 0
        if tokens < 0 and kept:
            break
        kept.append(candidate)
    return replace(plan, chosen=tuple(kept))


def _listed(ranked: RankedFile) -> FileRank:
    return FileRank(path=ranked.file.path, score=ranked.score, roles=(ranked.file.role,), reasons=ranked.reasons)
