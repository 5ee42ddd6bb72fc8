"""Searches for a task's evidence in rounds: what the channels lead to, then what lies around it, then further afield.

Each round chooses regions for the packet, measures what is covered, and stops, goes on or says what is missing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Final

from .channels import rarities
from .choosing import Basket, Prices, by_worth, fill, first_that_fits, reserve, spread
from .finding import Findings
from .index import RepositoryIndex
from .model import PlanRound, Readiness, RetrievalCandidate, Slot, TaskPlan, Workflow
from .pools import Pools, is_at
from .regions import units
from .render import blocks
from .slots import LONGEST_REASON, UNRESOLVED, Scene, SlotRule, absent, applying, why_missing
from .sufficiency import Figures, Words, decided, measured, words_covered
from .tokens import count
from .verdict import Look, features, probability, readiness
from .words import terms_of

_GROUNDED_TOKENS: Final = 3_000
_SPENT_FREELY: Final = 1_500
"""A packet beyond this size takes only what is not far below its best."""
_LEAST_WORTH: Final = 0.01
_MOST_EVIDENCE_TOKENS: Final = 8_000
_MOST_DEFERRED: Final = 12
_LONGEST_LIST: Final = 8
_SMALLEST_LISTED: Final = 15
_SPREAD: Final = 6
"""So many of the first files give at least one region."""
_ASIDE: Final = 0.2
"""The most of a packet that all slots beside the main one may take."""
_LEADING: Final = 5
_SENT_WHOLE: Final = frozenset({"source", "schema", "style", "migration", "test", "config"})
_BYTES_A_TOKEN: Final = 3
_WHOLE: Final = "the repository is small enough to be read whole"


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """How far a round looks: how many files give regions, how many tokens it may take, whether around what it has."""

    number: int
    reach: int
    tokens: int
    expands: bool = True


STEPS: Final = (
    Step(number=1, reach=12, tokens=_GROUNDED_TOKENS, expands=False),
    Step(number=2, reach=12, tokens=_GROUNDED_TOKENS),
    Step(number=3, reach=20, tokens=_MOST_EVIDENCE_TOKENS),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a round ended with. `left` was found and left out, best first."""

    chosen: tuple[RetrievalCandidate, ...]
    left: tuple[RetrievalCandidate, ...]
    slots: tuple[Slot, ...]
    words: Words
    figures: Figures
    told: dict[str, float]
    confidence: float
    readiness: Readiness


class Search:
    """One task's search in one index."""

    def __init__(self, index: RepositoryIndex, findings: Findings, workflow: Workflow, rules: tuple[str, ...]) -> None:
        self.index = index
        self.query = findings.query
        self.pools = Pools(index, findings)
        self.prices: Prices = {}
        self.scene = Scene(
            query=self.query,
            roles=frozenset(file.role for file in index.files if file.number is not None),
            found=frozenset(each.file.role for each in self.pools.ranked),
            leading=frozenset(each.file.role for each in self.pools.others[:_LEADING]),
            rules=rules,
            commits=findings.commits,
            changed=findings.changed,
        )
        self.rules = applying(workflow, self.scene)
        self.main = next(rule for rule in self.rules if rule.required)
        named = {term for concept in self.query.concepts for term in terms_of(concept)}
        self.rarities = rarities(index, named | self.query.terms.keys())

    def run(self, plan: TaskPlan) -> tuple[TaskPlan, Found]:
        """The plan with what was found and the rounds it took, and what the last of them found."""
        rounds: list[PlanRound] = []
        room = self.room(plan)
        found = None
        for step in STEPS:
            began = perf_counter()
            before, found = found, self.look(found, step, room)
            empty = self.still_to_fill(found, step)
            stop, why = decided(found.readiness, found.figures, empty=empty, last=step is STEPS[-1])
            rounds.append(_told(step, before, found, why, perf_counter() - began))
            if stop:
                break
        assert found is not None
        return replace(_with(plan, found), rounds=tuple(rounds)), found

    def ranked_within(self, plan: TaskPlan) -> tuple[RetrievalCandidate, ...]:
        """What the packet holds and what would follow within the budget: what may be changed first, then the rest.

        A region costs its lines and a line with its place: who reads such a list does not pay for a packet's fences.
        """
        basket = Basket(self.pools.scorer.view, self.prices)
        listed: list[RetrievalCandidate] = []
        for each in (*plan.chosen, *self.pools.of(self.main, STEPS[0].reach)):
            left = plan.budget - sum(one.tokens or 0 for one in listed)
            full = basket.priced(each) if left > _SMALLEST_LISTED else None
            tokens = count(f"{full.node.location}\n{full.text}\n") if full is not None else 0
            if full is not None and tokens <= left:
                basket.hold(full)
                listed.append(replace(full, text=None, tokens=tokens))
        return tuple(sorted(listed, key=lambda each: (each.slot != self.main.name, by_worth(each))))

    def with_the_rest(self, plan: TaskPlan) -> TaskPlan:
        """Of a repository small enough to be sent whole, also what nothing points at; else the plan as it is."""
        files = [file for file in self.index.files if file.role in _SENT_WHOLE and file.skipped is None]
        room = self.room(plan)
        if sum(file.size or 0 for file in files) > _BYTES_A_TOKEN * min(room, _GROUNDED_TOKENS):
            return plan
        basket = Basket(self.pools.scorer.view, self.prices)
        for each in plan.chosen:
            basket.hold(each)
        for file in files:
            view = self.pools.scorer.view(file.path)
            for node in units(view) if view is not None else ():
                rest = RetrievalCandidate(node=node, score=0.0, reasons=(_WHOLE,), slot=self.main.name)
                basket.take(rest, room - basket.tokens)
        return replace(plan, chosen=tuple(basket.taken))

    def least_budget(self, plan: TaskPlan) -> int:
        """The smallest budget that holds the prefix and a piece of evidence."""
        basket = Basket(self.pools.scorer.view, self.prices)
        priced = (basket.priced(each) for each in self.pools.of(self.main, STEPS[0].reach)[:_MOST_DEFERRED])
        smallest = min((each.tokens or 0 for each in priced if each is not None), default=0)
        return plan.budget - self.room(plan) + smallest

    def look(self, before: Found | None, step: Step, room: int) -> Found:
        """One round: the regions for the packet, and what they cover. `before` is what the round before ended with."""
        room = min(room, step.tokens)
        basket = Basket(self.pools.scorer.view, self.prices)
        evidence: dict[str, tuple[str, ...]] = {}
        first_that_fits(basket, self.pools.of(self.main, step.reach), room)
        most = basket.tokens + int(_ASIDE * room)
        for rule in self.rules:
            if rule is not self.main:
                left = min(most - basket.tokens, int(rule.share * room))
                evidence[rule.name] = self._filled(basket, rule, step, left, before)
        pool = self.pools.of(self.main, step.reach)
        spread(basket, pool, self.pools.leading(self.main, _SPREAD), room)
        fill(basket, pool, min(room, _SPENT_FREELY) - basket.tokens)
        fill(basket, pool, room - basket.tokens, least=_LEAST_WORTH)
        evidence[self.main.name] = tuple(each.node.id for each in basket.taken if each.slot == self.main.name)
        return self._judged(basket, evidence, step)

    def _filled(self, basket: Basket, rule: SlotRule, step: Step, left: int, before: Found | None) -> tuple[str, ...]:
        """Fill a slot beside the main one; the ids of its evidence, taken for it or there already."""
        number = len(basket.taken)
        reserve(basket, self.pools.of(rule, step.reach), rule, left)
        if len(basket.taken) == number and step.expands and before is not None:
            leading = [each for each in before.chosen if each.slot == self.main.name]
            near = self.pools.near(rule, leading)
            held = [each for each in before.chosen if any(is_at(each, one) for one in near)][: rule.most]
            if held:
                return tuple(each.node.id for each in held if basket.keep(each, left))
            reserve(basket, self.pools.of_neighbours(rule, near), rule, left)
        return tuple(each.node.id for each in basket.taken[number:])

    def _judged(self, basket: Basket, evidence: dict[str, tuple[str, ...]], step: Step) -> Found:
        chosen = tuple(sorted(basket.taken, key=lambda each: (each.slot != self.main.name, by_worth(each))))
        words = words_covered(self.query.concepts, chosen, self.rarities)
        slots = tuple(self._slot(rule, chosen, evidence.get(rule.name, ()), words) for rule in self.rules)
        pool = self.pools.of(self.main, step.reach)
        taken = {each.node.id for each in chosen}
        left = tuple(each for each in pool if each.node.id not in taken)
        unfilled = [rule.name for rule, slot in zip(self.rules, slots, strict=True) if not slot.covered and rule.near]
        figures = measured(slots, words, self.pools.others, chosen, left, unfilled if step.expands else ())
        look = Look(query=self.query, ranked=self.pools.others, chosen=chosen, words=words, rarities=self.rarities)
        told = features(self.index, look)
        confidence = probability(told)
        return Found(
            chosen=chosen,
            left=left,
            slots=slots,
            words=words,
            figures=figures,
            told=told,
            confidence=confidence,
            readiness=self._readiness(slots, confidence, starved=bool(pool) and not chosen),
        )

    def _readiness(self, slots: Sequence[Slot], confidence: float, *, starved: bool) -> Readiness:
        if starved:
            return "insufficient_budget"
        if not all(slot.covered for slot in slots if slot.required):
            return "insufficient"
        return readiness(confidence)

    def _slot(
        self, rule: SlotRule, chosen: Sequence[RetrievalCandidate], evidence: tuple[str, ...], words: Words
    ) -> Slot:
        if rule.name == UNRESOLVED:
            evidence, sure = words.covered, words.share
            covered = not words.uncovered
        elif rule.told is not None:
            evidence = rule.told(self.scene)
            covered, sure = bool(evidence), 1.0
        else:
            roles = rule.roles if rule is not self.main else frozenset()
            also = (each.node.id for each in chosen if each.node.kind in rule.kinds or each.node.role in roles)
            evidence = tuple(dict.fromkeys((*evidence, *also)))
            covered = bool(evidence)
            sure = max((each.score for each in chosen if each.node.id in evidence), default=0.0)
        return Slot(
            name=rule.name,
            required=rule.required,
            covered=covered,
            confidence=round(min(1.0, sure), 4) if covered else 0.0,
            evidence=evidence,
            missing_reason=None if covered else why_missing(rule, self.scene),
            absent=not covered and absent(rule, self.scene),
        )

    def still_to_fill(self, found: Found, step: Step) -> tuple[str, ...]:
        """The slots that looking around what was found may fill; it was not done yet in the first round."""
        rules = zip(self.rules, found.slots, strict=True)
        return () if step.expands else tuple(rule.name for rule, slot in rules if rule.near and not slot.covered)

    def room(self, plan: TaskPlan) -> int:
        """Tokens left for evidence when everything else of the packet is paid for at its longest."""
        slots = tuple(
            Slot(name=rule.name, required=rule.required, covered=False, confidence=0.0, missing_reason=LONGEST_REASON)
            for rule in self.rules
        )
        pool = self.pools.of(self.main, STEPS[0].reach)
        fixed = replace(
            plan,
            readiness="ungrounded",
            slots=slots,
            concepts_uncovered=self.query.concepts[:_LONGEST_LIST],
            chosen=(),
            deferred=tuple(sorted(pool, key=lambda each: -len(each.node.path))[:_MOST_DEFERRED]),
        )
        return plan.budget - sum(block.tokens for block in blocks(fixed))


def _told(step: Step, before: Found | None, found: Found, decision: str, seconds: float) -> PlanRound:
    figures = found.figures
    return PlanRound(
        number=step.number,
        seconds=seconds,
        added=len(found.chosen) - (len(before.chosen) if before is not None else 0),
        coverage=figures.coverage,
        decision=decision,
        slots=figures.slots,
        anchor=figures.anchor,
        agreement=figures.agreement,
        redundancy=figures.redundancy,
        gain=figures.gain,
        missing_edges=figures.missing_edges,
        confidence=found.confidence,
    )


def _with(plan: TaskPlan, found: Found) -> TaskPlan:
    return replace(
        plan,
        readiness=found.readiness,
        confidence=found.confidence,
        chosen=found.chosen,
        deferred=found.left[:_MOST_DEFERRED],
        slots=found.slots,
        concepts_covered=found.words.covered,
        concepts_uncovered=found.words.uncovered,
    )
