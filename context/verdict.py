"""How likely it is that a packet holds a place to change, told from what the channels and the words say.

A logistic model of a dozen features. Its weights were fitted by `tests/benchmarks/calibrate.py` on real tasks, on the
same tasks with their answer taken out of the tree, and on tasks of other repositories; docs/retrieval.md has the curve.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from .index import RepositoryIndex
from .model import Readiness, RetrievalCandidate
from .ranking import RankedFile
from .sufficiency import Words, agreement, anchor_strength
from .task import Query
from .words import count_terms, terms_of, words

_LEADING: Final = 10
_HIGH_RANK: Final = 5
_DIGITS: Final = 4

# Feature → mean, deviation and weight of the feature scaled by them. Fitted on 453 cases of 22 repositories: 151 real
# tasks, the same with their answer taken out (0.35 each), and each in another repository (0.15 each).
MODEL: Final[Mapping[str, tuple[float, float, float]]] = {
    "agreement": (0.4598, 0.2237, 0.2422),
    "densest": (0.3186, 0.1873, 0.0291),
    "first": (0.3424, 0.2032, 0.3185),
    "height": (0.3794, 0.0941, 0.6055),
    "known": (0.4986, 0.1821, 0.2868),
    "margin": (0.2021, 0.1732, 0.0568),
    "support": (0.3909, 0.1880, 0.2477),
    "terms": (0.4973, 0.2212, 0.0541),
    "title": (0.5437, 0.2357, 0.0555),
}
BIAS: Final = 0.8126
GROUNDED: Final = 0.71
"""From here on a packet is called grounded: with whole repositories held out, 1 in 100 of these was wrong on real
tasks, and 65 in 100 good packets were called so; of packets whose answer was not in the tree 23 in 100 were."""
PARTLY: Final = 0.4
"""Below it the task's words are taken to lead nowhere: so are 11 in 100 real tasks, 72 in 100 of another repository."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """What the verdict is told from."""

    query: Query
    ranked: Sequence[RankedFile]
    chosen: Sequence[RetrievalCandidate]
    words: Words
    rarities: Mapping[str, float]


def features(index: RepositoryIndex, look: Look) -> dict[str, float]:
    """The features by name, each about 0 to 1; all of them whether the model uses them or not."""
    held = [count_terms(f"{each.text} {each.node.path}").keys() for each in look.chosen]
    everything: set[str] = set().union(*held)
    first = look.ranked[0].file.path if look.ranked else None
    of_first: set[str] = set().union(*(h for h, each in zip(held, look.chosen, strict=True) if each.node.path == first))
    return {
        "coverage": look.words.share,
        "terms": _share(look, everything),
        "densest": max((_share(look, each) for each in held), default=0.0),
        "first": _share(look, of_first),
        "title": _title(look, held),
        "anchor": anchor_strength(look.ranked),
        "agreement": agreement(look.ranked),
        "support": _support(look.ranked, 0),
        "second": _support(look.ranked, 1),
        "known": _known(index, look.query),
        "names": math.log1p(len(look.query.identifiers)) / 4,
        "unknown": _unknown(index, look),
        "margin": _margin(look.ranked, 1),
        "lead": _margin(look.ranked, 4),
        "concentration": _concentration(look.ranked),
        "height": look.ranked[0].score if look.ranked else 0.0,
        "length": math.log1p(len(look.query.terms)) / 5,
        "size": math.log1p(len(index.files)) / 10,
        "spread": len({each.node.path for each in look.chosen}) / _LEADING,
        **_by_channel(look.ranked),
    }


def probability(told: Mapping[str, float]) -> float:
    """How likely it is that the packet holds a place to change."""
    total = BIAS
    for name, (mean, deviation, weight) in MODEL.items():
        total += weight * (told.get(name, 0.0) - mean) / deviation
    return round(1 / (1 + math.exp(-max(-30.0, min(30.0, total)))), _DIGITS)


def readiness(confidence: float) -> Readiness:
    if confidence >= GROUNDED:
        return "grounded"
    return "partially_grounded" if confidence >= PARTLY else "ungrounded"


def _weights(look: Look) -> dict[str, float]:
    return {term: min(weight, 3.0) * look.rarities.get(term, 0.0) for term, weight in look.query.terms.items()}


def _share(look: Look, held: Collection[str]) -> float:
    """How much of the task's terms is there, by their weight and rarity."""
    weights = _weights(look)
    whole = sum(weights.values())
    return sum(weights[term] for term in sorted(weights) if term in held) / whole if whole else 0.0


def _title(look: Look, held: Sequence[Collection[str]]) -> float:
    """The most of the title that one region holds."""
    terms = sorted({term for word in words(look.query.title) for term in terms_of(word) if term in look.query.terms})
    whole = sum(look.rarities.get(term, 0.0) for term in terms)
    most = max((sum(look.rarities.get(t, 0.0) for t in terms if t in each) for each in held), default=0.0)
    return most / whole if whole else 0.0


def _known(index: RepositoryIndex, query: Query) -> float:
    """The share of the names spelled like code that the repository defines; one half where there are none."""
    names = [name for name in query.identifiers if len(name) > 2][:20]
    defined = sum(any(map(index.paths_of, index.defining(name))) for name in names)
    return (1 + defined) / (2 + len(names))


def _unknown(index: RepositoryIndex, look: Look) -> float:
    """How much of the title no file of the repository has."""
    terms = sorted({term for word in words(look.query.title) for term in terms_of(word) if term in look.query.terms})
    most = max(look.rarities.values(), default=0.0)
    absent = sum(look.rarities.get(term, 0.0) >= most > 0 for term in terms)
    return absent / len(terms) if terms and index.files else 0.0


def _margin(ranked: Sequence[RankedFile], place: int) -> float:
    """How far the first file is above a later one."""
    if not ranked or ranked[0].score <= 0:
        return 0.0
    return 1 - ranked[place].score / ranked[0].score if len(ranked) > place else 1.0


def _concentration(ranked: Sequence[RankedFile]) -> float:
    total = sum(each.score for each in ranked[:_LEADING])
    return ranked[0].score / total if total > 0 else 0.0


def _support(ranked: Sequence[RankedFile], place: int) -> float:
    """How high the channels that said anything put a file, on the whole: one over its rank."""
    spoke = {said.channel for each in ranked for said in each.channels}
    of_it = ranked[place].channels if len(ranked) > place else ()
    return sum(1 / said.rank for said in of_it) / len(spoke) if spoke else 0.0


def _by_channel(ranked: Sequence[RankedFile]) -> dict[str, float]:
    """How high each channel puts the best of the first files of all."""
    best: dict[str, int] = {}
    for each in ranked[:3]:
        for said in each.channels:
            best[said.channel] = min(best.get(said.channel, said.rank), said.rank)
    return {f"by {name}": 1 / rank for name, rank in sorted(best.items()) if rank <= _HIGH_RANK}
