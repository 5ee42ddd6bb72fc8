"""Chooses a set of regions that fits a number of tokens: worth for its size, no line twice, each slot its share.

A region is worth what the channels say of its file and what its own words say: by scores and by places in their orders,
since the first of a few tell more than the first of many; less for its size. Around the weights the outcome is flat.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import accumulate
from math import exp, log
from typing import Final

from .index import FileView
from .model import RetrievalCandidate, SourceNode
from .ranking import RankedFile, RegionScorer
from .regions import units
from .render import evidence_block
from .slots import SlotRule
from .words import terms_of, words

# The worth of a region, as logarithms: fitted by regions that a patch did and did not change, repositories left out.
_BY_FILE: Final = 3.2
_BY_PLACE: Final = 0.67
_BY_NUMBER: Final = 0.33
_BY_REGION: Final = 1.0
_BY_RANK: Final = 0.9
_BY_SIZE: Final = 0.4
_WINDOW: Final = 0.37
_NAMED: Final = 0.9
_SMALL: Final = 30
_CHARACTERS_A_TOKEN: Final = 3.7
_OPTIONAL: Final = 0.5
_NEAR_BEST: Final = 0.2
_NO_WORDS: Final = 0.2
"""What a region without a word of the task counts as."""
_MOST_BLANK_LINES: Final = 2
_LEAST_TOKENS_A_LINE: Final = 1
_SMALLEST_TOKENS: Final = 25
"""A region's header alone takes about so many."""
_MOST_MISSES: Final = 60
_PARTS: Final = 12
"""A file that gives one region to begin with gives no more than this part of the room."""
_DIGITS: Final = 6


def weighed(
    files: Sequence[RankedFile], rule: SlotRule, scorer: RegionScorer, terms: Collection[str]
) -> list[RetrievalCandidate]:
    """The regions of files, best first; the score says what each is worth for its size, 1.0 for the best."""
    regions = {each.file.path: scorer.regions(each, rule.name) for each in files}
    best_file = max((each.score for each in files), default=0.0) or 1.0
    best_region = max((region.score for found in regions.values() for region in found), default=0.0) or 1.0
    worth = []
    for place, each in enumerate(files, start=1):
        found = regions[each.file.path] or tuple(_beginning(each, scorer, terms))
        ends = _sizes(scorer.view(each.file.path))
        of_file = _BY_FILE * each.score / best_file - _BY_PLACE * log(place) - _BY_NUMBER * log(len(found) or 1)
        for rank, region in enumerate(found, start=1):
            node = region.node
            tokens = (ends[min(node.end, len(ends) - 1)] - ends[node.start - 1]) / _CHARACTERS_A_TOKEN
            fits = _BY_REGION * region.score / best_region - _BY_RANK * log(rank) - _BY_SIZE * log(max(_SMALL, tokens))
            shape = _WINDOW * (node.kind == "region") + _NAMED * (f"defines {node.name}" in region.reasons)
            worth.append((exp(of_file + fits + shape), region))
    return in_order((replace(each, score=score, slot=rule.name) for score, each in worth), rule)


def _beginning(each: RankedFile, scorer: RegionScorer, terms: Collection[str]) -> Iterator[RetrievalCandidate]:
    """The first region of a file whose path has a word of the task, while none of its lines has."""
    view = scorer.view(each.file.path)
    if view is None or not any(term in terms for word in words(each.file.path) for term in terms_of(word)):
        return
    for node in units(view)[:1]:
        yield RetrievalCandidate(node=node, score=_NO_WORDS, channels=each.channels, reasons=each.reasons)


def in_order(candidates: Iterable[RetrievalCandidate], rule: SlotRule) -> list[RetrievalCandidate]:
    """Candidates of one slot, best first, their scores made comparable with those of the others."""
    listed = list(candidates)
    best = max((each.score for each in listed), default=0.0) or 1.0
    factor = 1.0 if rule.required else _OPTIONAL
    scaled = (replace(each, score=round(factor * each.score / best, _DIGITS)) for each in listed)
    return sorted((each for each in scaled if each.score > 0), key=by_worth)


def by_worth(candidate: RetrievalCandidate) -> tuple[float, str, int]:
    return -candidate.score, candidate.node.path, candidate.node.start


def _sizes(view: FileView | None) -> list[int]:
    """The characters up to the end of each line."""
    return list(accumulate((len(line) + 1 for line in view.lines), initial=0)) if view is not None else [0]


Prices = dict[tuple[str, int, int, str | None], RetrievalCandidate]
"""What was cut and counted already, for whoever fills another basket."""


class Basket:
    """The regions taken so far: no line and no text twice."""

    def __init__(self, view: Callable[[str], FileView | None], prices: Prices | None = None) -> None:
        self.taken: list[RetrievalCandidate] = []
        self.tokens = 0
        self._view = view
        self._prices = prices if prices is not None else {}
        self._lines: dict[str, set[int]] = {}
        self._texts: set[str] = set()

    def priced(self, candidate: RetrievalCandidate) -> RetrievalCandidate | None:
        """The candidate with what of it would be shown, and its tokens; None if nothing new."""
        view = self._view(candidate.node.path)
        if view is None or self._overlaps(candidate.node):
            return None
        start, end = self._with_blank_lines(candidate.node, view)
        key = (candidate.node.id, start, end, candidate.slot)
        full = self._prices.get(key)
        if full is None:
            full = replace(candidate, node=replace(candidate.node, start=start, end=end), text=view.cut(start, end))
            full = self._prices[key] = replace(full, tokens=evidence_block(full).tokens)
        text = (full.text or "").strip()
        return None if not text or text in self._texts else replace(full, score=candidate.score)

    def take(self, candidate: RetrievalCandidate, room: int) -> RetrievalCandidate | None:
        """The candidate as taken, if it fits and is new."""
        if (candidate.node.end - candidate.node.start) * _LEAST_TOKENS_A_LINE > room:
            return None
        full = self.priced(candidate)
        if full is None or (full.tokens or 0) > room:
            return None
        self.hold(full)
        return full

    def keep(self, full: RetrievalCandidate, room: int) -> bool:
        """Take again what an earlier basket had; whether it is here now."""
        if any(each.node.id == full.node.id for each in self.taken):
            return True
        if (full.tokens or 0) > room or self._overlaps(full.node):
            return False
        self.hold(full)
        return True

    def hold(self, full: RetrievalCandidate) -> None:
        """Count what was taken already."""
        self.taken.append(full)
        self.tokens += full.tokens or 0
        self._texts.add((full.text or "").strip())
        self._lines.setdefault(full.node.path, set()).update(range(full.node.start, full.node.end + 1))

    def _overlaps(self, node: SourceNode) -> bool:
        lines = self._lines.get(node.path)
        return lines is not None and not lines.isdisjoint(range(node.start, node.end + 1))

    def _with_blank_lines(self, node: SourceNode, view: FileView) -> tuple[int, int]:
        """The node's lines and the blank ones around them that nobody has: where something may be put in."""
        lines = self._lines.get(node.path, ())
        start, end = node.start, node.end
        while start > max(1, node.start - _MOST_BLANK_LINES) and start - 1 not in lines and _blank(view, start - 1):
            start -= 1
        while end < node.end + _MOST_BLANK_LINES and end + 1 not in lines and _blank(view, end + 1):
            end += 1
        return start, end


def _blank(view: FileView, line: int) -> bool:
    return 1 <= line <= len(view.lines) and not view.lines[line - 1].strip()


def fill(basket: Basket, pool: Iterable[RetrievalCandidate], room: int, *, least: float = 0.0) -> None:
    """Take of a pool in its order what fits into the room and is worth at least so much."""
    misses = 0
    for candidate in pool:
        if candidate.score < least or room < _SMALLEST_TOKENS or misses > _MOST_MISSES:
            return
        taken = basket.take(candidate, room)
        room -= (taken.tokens or 0) if taken is not None else 0
        misses = 0 if taken is not None else misses + 1


def spread(basket: Basket, pool: Sequence[RetrievalCandidate], files: Sequence[str], room: int) -> None:
    """Take of each of these files the best region that is small beside the others: a place to go on from."""
    most = room // _PARTS
    for path in files:
        if not any(each.node.path == path for each in basket.taken):
            left = min(most, room - basket.tokens)
            first_that_fits(basket, (each for each in pool if each.node.path == path), left)


def reserve(basket: Basket, pool: Sequence[RetrievalCandidate], rule: SlotRule, left: int) -> None:
    """Take the few best of a slot that is filled beside the main one, within so much; nothing far below its best."""
    number = rule.most
    for candidate in pool:
        if number == 0 or candidate.score < _NEAR_BEST * pool[0].score:
            return
        taken = basket.take(candidate, left)
        if taken is not None:
            left -= taken.tokens or 0
            number -= 1


def first_that_fits(basket: Basket, pool: Iterable[RetrievalCandidate], room: int) -> RetrievalCandidate | None:
    """Take the best of a slot that must not stay empty."""
    return next((taken for each in pool if (taken := basket.take(each, room)) is not None), None)
