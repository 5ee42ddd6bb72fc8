"""Measures what a round found, and decides whether to go on: figures of what is there, and of what more could bring."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from .model import Readiness, RetrievalCandidate, Slot
from .ranking import RankedFile
from .words import count_terms, terms_of

# A channel's score from which on it points at a file rather than hints at it.
ANCHORS: Final[Mapping[str, float]] = {"path": 0.8, "frame": 0.5, "symbol": 0.6, "test": 0.6, "diff": 0.5}
_AGREEING: Final = 3
_LONG_LINE: Final = 20
_MORE_TOKENS: Final = 2_000
LITTLE: Final = 0.05
_DIGITS: Final = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """Which of the task's own words have a place in the evidence; `share` weighs rare ones more."""

    covered: tuple[str, ...]
    uncovered: tuple[str, ...]
    share: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """What a round is judged by; shares are 0 to 1. `PlanRound` says what each means."""

    slots: float
    coverage: float
    anchor: float
    agreement: float
    redundancy: float
    gain: float
    missing_edges: tuple[str, ...]


def measured(
    slots: Sequence[Slot],
    words: Words,
    ranked: Sequence[RankedFile],
    chosen: Sequence[RetrievalCandidate],
    left: Sequence[RetrievalCandidate],
    missing_edges: Iterable[str],
) -> Figures:
    return Figures(
        slots=_rounded(sum(slot.covered for slot in slots) / len(slots) if slots else 0.0),
        coverage=_rounded(words.share),
        anchor=_rounded(anchor_strength(ranked)),
        agreement=_rounded(agreement(ranked)),
        redundancy=_rounded(_redundancy(chosen)),
        gain=_rounded(_gain(chosen, left)),
        missing_edges=tuple(dict.fromkeys(missing_edges)),
    )


def _rounded(share: float) -> float:
    return round(share, _DIGITS)


def words_covered(
    concepts: Iterable[str], chosen: Iterable[RetrievalCandidate], rarities: Mapping[str, float]
) -> Words:
    """Whether each of the task's words, or all of its parts, stands in the evidence or in its paths."""
    held: set[str] = set()
    for candidate in chosen:
        held.update(count_terms(f"{candidate.text} {candidate.node.path}"))
    covered: list[str] = []
    uncovered: list[str] = []
    weight = {True: 0.0, False: 0.0}
    for concept in concepts:
        terms = terms_of(concept)
        inside = bool(terms) and (terms[0] in held or (len(terms) > 1 and all(term in held for term in terms[1:])))
        (covered if inside else uncovered).append(concept)
        weight[inside] += max((rarities.get(term, 0.0) for term in terms), default=0.0)
    whole = weight[True] + weight[False]
    return Words(covered=tuple(covered), uncovered=tuple(uncovered), share=weight[True] / whole if whole else 0.0)


def anchor_strength(ranked: Sequence[RankedFile]) -> float:
    """How surely something points at one of the first files: 1.0 a name that is written out, 0 words alone."""
    return max((each.of(name) for each in ranked[:_AGREEING] for name in ANCHORS), default=0.0)


def agreement(ranked: Sequence[RankedFile]) -> float:
    """The share of the channels that said anything which have the first file among their first."""
    spoke = {said.channel for each in ranked for said in each.channels}
    agree = {said.channel for said in ranked[0].channels if said.rank <= _AGREEING} if ranked else set()
    return len(agree) / len(spoke) if spoke else 0.0


def _redundancy(chosen: Iterable[RetrievalCandidate]) -> float:
    lines = Counter(
        line.strip() for each in chosen for line in (each.text or "").split("\n") if len(line.strip()) > _LONG_LINE
    )
    return 1 - len(lines) / lines.total() if lines else 0.0


def _gain(chosen: Sequence[RetrievalCandidate], left: Sequence[RetrievalCandidate]) -> float:
    """What the next tokens would add, as a share of what then would be there: worth times size."""
    held = sum(each.score * (each.tokens or 0) for each in chosen)
    more, room = 0.0, _MORE_TOKENS
    for each in left:
        tokens = max(1, each.node.end - each.node.start + 1) * 10
        more += each.score * min(tokens, room)
        room -= tokens
        if room <= 0:
            break
    return more / (held + more) if held + more else 0.0


def decided(readiness: Readiness, figures: Figures, *, empty: Sequence[str], last: bool) -> tuple[bool, str]:
    """Whether to stop, and why in a few words. `empty` are the slots that a further round could still fill."""
    if readiness == "insufficient_budget":
        return True, "declare: the budget holds no evidence"
    if readiness == "grounded" and not empty:
        return True, "stop: grounded"
    if last:
        return True, ("stop: " if readiness == "grounded" else "declare: ") + readiness.replace("_", " ")
    if empty:
        return False, f"expand: {', '.join(empty)} empty"
    if figures.gain < LITTLE:
        return True, f"declare: {readiness.replace('_', ' ')}, more would add little"
    return False, f"widen: {readiness.replace('_', ' ')}"
