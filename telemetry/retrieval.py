"""How good retrieval was for one task: its prediction held against what the accepted patch changed.

Nothing here reads a disk or a clock. Lines are 1-based and ranges inclusive. A measure that a task has no ground for is
left out of its scores: it is unknown, not 0.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final, Literal, Protocol

FIRST: Final = (1, 3, 5, 10)
SMALLER_BUDGETS: Final = (1_500, 3_000)
SUFFICIENT: Final = "grounded"
# Shorter stretches, such as a closing brace, are alike everywhere.
_LEAST_COPY_LINES: Final = 4

Packet = Literal["none", "some", "all files", "all hunks"]
"""How much of the gold is in the lines packed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranges:
    """Places in one file."""

    path: str
    ranges: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Gold:
    """What is known of a task after it was done. The ranker never sees it."""

    id: str
    repository: str
    edits: tuple[Ranges, ...]
    tests: tuple[str, ...] = ()
    context: tuple[Ranges, ...] = ()
    """What people marked as needed to read, where somebody did."""
    language: str | None = None
    kind: str | None = None
    text: Literal["request", "commit"] | None = None
    """Whether the words are of a report before the change or of the change's own description."""
    names: Literal["file", "symbol", "neither"] | None = None
    """What of the gold the words give away."""
    repository_files: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Region:
    """Lines of a file, in the rank order of the prediction."""

    path: str
    start: int
    end: int
    packed: bool = True
    """Whether it is in the packet that is delivered; one that is not was ranked, and can be asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prediction:
    """What a ranker said of one task. `tests` None: it has no list of its own for them."""

    id: str
    files: tuple[str, ...] = ()
    regions: tuple[Region, ...] = ()
    tests: tuple[str, ...] | None = None
    readiness: str | None = None
    tokens: int | None = None
    seconds: float | None = None
    cpu_seconds: float | None = None
    first_seconds: float | None = None
    """Of the first plan of a tree, where that was another."""
    seconds_with_all: float | None = None
    cpu_seconds_with_all: float | None = None
    """Of a plan of the same words in the same minute that leaves nothing out, where this one does."""
    slots: tuple[tuple[bool, bool], ...] = ()
    """Of each slot: whether it was required, whether it was covered."""


class Tree(Protocol):
    """The files of the task's base commit."""

    def has(self, path: str) -> bool: ...

    def lines(self, path: str) -> Sequence[str] | None: ...


Count = Callable[[str], int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """The lines of regions that a budget has room for. `spent_at` is what it took until a line was there."""

    spent_at: Mapping[tuple[str, int], int]
    spent: int
    by_path: Mapping[str, int]
    repeated: int
    """Tokens of lines that had been given before; they are free, and wasted all the same."""
    copied: int
    """Tokens of stretches that say what another stretch has said already."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskScore:
    """One task's measures by name; what is not measurable is absent."""

    id: str
    repository: str
    values: Mapping[str, float]
    packet: Packet
    predicted: bool
    readiness: str | None = None
    seconds: float | None = None
    hallucinated: tuple[str, ...] = ()

    @property
    def sufficient(self) -> bool:
        return self.readiness == SUFFICIENT


def score(gold: Gold, prediction: Prediction | None, tree: Tree, count: Count, budget: int) -> TaskScore:
    """Hold a prediction against the gold. A task without one scores 0 wherever something could have been found."""
    found = prediction or Prediction(id=gold.id)
    shown = show(found.regions, tree, count, budget)
    packed = show([region for region in found.regions if region.packed], tree, count, budget)
    values = dict(chain(_ranking(gold, found), _lines(gold, shown), _packed(gold, packed), _context(gold, shown)))
    invented = _invented(found, tree)
    if prediction is not None:
        values |= {"tokens": float(shown.spent), "hallucinated": float(len(invented))}
        values |= dict(chain(_waste(gold, packed), _costs(prediction)))
    return TaskScore(
        id=gold.id,
        repository=gold.repository,
        values=values,
        packet=_packet(gold, packed),
        predicted=prediction is not None,
        readiness=found.readiness,
        seconds=found.seconds,
        hallucinated=invented,
    )


def show(regions: Sequence[Region], tree: Tree, count: Count, budget: int) -> Shown:
    """Read regions in rank order until the first thing that does not fit.

    Each line costs its tokens with its line end, once; a region that has a line not given before costs one more line
    that names it.
    """
    reading = _Reading(count, budget)
    for region in regions:
        text = tree.lines(region.path)
        if text is not None and region.start <= len(text) and not reading.take(region, text):
            break
    return Shown(
        spent_at=reading.spent_at,
        spent=reading.spent,
        by_path=reading.by_path,
        repeated=reading.repeated,
        copied=reading.copied,
    )


class _Reading:
    """How far the regions have been read."""

    def __init__(self, count: Count, budget: int) -> None:
        self.count, self.budget = count, budget
        self.spent_at: dict[tuple[str, int], int] = {}
        self.by_path: dict[str, int] = {}
        self.spent = self.repeated = self.copied = 0
        self._said: set[tuple[str, ...]] = set()

    def take(self, region: Region, text: Sequence[str]) -> bool:
        """Whether all of it fits."""
        numbers = range(region.start, min(region.end, len(text)) + 1)
        given = [number for number in numbers if (region.path, number) in self.spent_at]
        self.repeated += sum(self.count(text[number - 1] + "\n") for number in given)
        fresh = [number for number in numbers if (region.path, number) not in self.spent_at]
        before = self.spent
        whole = not fresh or (
            self._spend(region.path, f"{region.path}:{region.start}-{region.end}")
            and all(self._spend(region.path, text[number - 1], number) for number in fresh)
        )
        if self._said_before(tuple(text[number - 1].strip() for number in fresh)):
            self.copied += self.spent - before
        return whole

    def _spend(self, path: str, line: str, number: int | None = None) -> bool:
        cost = self.count(line + "\n")
        if self.spent + cost > self.budget:
            return False
        self.spent += cost
        self.by_path[path] = self.by_path.get(path, 0) + cost
        if number is not None:
            self.spent_at[path, number] = self.spent
        return True

    def _said_before(self, lines: tuple[str, ...]) -> bool:
        if len(lines) < _LEAST_COPY_LINES:
            return False
        before = lines in self._said
        self._said.add(lines)
        return before


def _ranking(gold: Gold, found: Prediction) -> Iterator[tuple[str, float]]:
    """Measures of the order of files. A path that is listed again keeps its first rank."""
    edits = {each.path for each in gold.edits}
    if edits:
        files = tuple(dict.fromkeys(found.files))
        hits = [rank for rank, path in enumerate(files, start=1) if path in edits]
        for first in FIRST:
            yield f"recall@{first}", sum(rank <= first for rank in hits) / len(edits)
        yield "all@10", float(edits <= set(files[:10]))
        yield "mrr", 1 / hits[0] if hits else 0.0
        yield "ndcg@10", _gain(rank for rank in hits if rank <= 10) / _gain(range(1, min(10, len(edits)) + 1))
    if gold.tests:
        tests = dict.fromkeys(found.files if found.tests is None else found.tests)
        yield "test_recall@10", len(set(gold.tests) & set(tuple(tests)[:10])) / len(gold.tests)


def _gain(ranks: Iterable[int]) -> float:
    """A file at rank 1 gains 1, later ones less and less."""
    return sum(1 / math.log2(rank + 1) for rank in ranks)


def _places(files: Iterable[Ranges]) -> set[tuple[str, int]]:
    return {(each.path, line) for each in files for start, end in each.ranges for line in range(start, end + 1)}


def _lines(gold: Gold, shown: Shown) -> Iterator[tuple[str, float]]:
    """Measures of the lines ranked, packed or not. A hunk is found once one line of it is there."""
    wanted = _places(gold.edits)
    if not wanted:
        return
    hit = len(wanted & shown.spent_at.keys())
    yield "line_recall", hit / len(wanted)
    yield "line_precision", hit / len(shown.spent_at) if shown.spent_at else 0.0
    touched = _touched(gold, shown)
    reached = [spent for spent in touched if spent is not None]
    yield "hunk_recall", len(reached) / len(touched)
    for budget in SMALLER_BUDGETS:
        yield f"hunk_recall@{budget}", sum(spent <= budget for spent in reached) / len(touched)
    yield "every_hunk", float(len(reached) == len(touched))
    if len(reached) == len(touched):
        yield "sufficient_budget", float(max(reached))


def _packed(gold: Gold, packed: Shown) -> Iterator[tuple[str, float]]:
    """The same of what is delivered."""
    wanted = _places(gold.edits)
    if wanted:
        touched = _touched(gold, packed)
        yield "packed_line_recall", len(wanted & packed.spent_at.keys()) / len(wanted)
        yield "packed_hunk_recall", sum(spent is not None for spent in touched) / len(touched)


def _touched(gold: Gold, shown: Shown) -> list[int | None]:
    """Of each hunk: the tokens it took until a line of it was there, None where none was."""
    return [
        min((spent for line in range(start, end + 1) if (spent := shown.spent_at.get((each.path, line)))), default=None)
        for each in gold.edits
        for start, end in each.ranges
    ]


def _context(gold: Gold, shown: Shown) -> Iterator[tuple[str, float]]:
    wanted = _places(gold.context)
    if wanted:
        hit = len(wanted & shown.spent_at.keys())
        yield "context_recall", hit / len(wanted)
        yield "context_f1", 2 * hit / (len(wanted) + len(shown.spent_at))


def _waste(gold: Gold, packed: Shown) -> Iterator[tuple[str, float]]:
    """What was delivered beside the point: files that the patch leaves alone, and what had been said already."""
    if not packed.spent:
        return
    touched = {each.path for each in (*gold.edits, *gold.context)} | set(gold.tests)
    yield "packet_precision", len(touched & packed.by_path.keys()) / len(packed.by_path)
    yield "distractor_share", sum(cost for path, cost in packed.by_path.items() if path not in touched) / packed.spent
    yield "duplicate_share", (packed.repeated + packed.copied) / (packed.spent + packed.repeated)


def _costs(found: Prediction) -> Iterator[tuple[str, float]]:
    if found.slots:
        yield "slots_covered", sum(covered for _, covered in found.slots) / len(found.slots)
    required = [covered for needed, covered in found.slots if needed]
    if required:
        yield "required_slots_covered", sum(required) / len(required)
    if found.tokens is not None:
        yield "packet_tokens", float(found.tokens)
    for name in ("seconds", "cpu_seconds", "first_seconds"):
        if (took := getattr(found, name)) is not None:
            yield name, took
    for name in ("seconds", "cpu_seconds"):
        took, usual = getattr(found, name), getattr(found, f"{name}_with_all")
        if took is not None and usual is not None:
            yield f"{name}_change", took - usual


def _invented(found: Prediction, tree: Tree) -> tuple[str, ...]:
    """Paths that are not in the tree."""
    named = (*found.files, *(found.tests or ()), *(region.path for region in found.regions))
    return tuple(path for path in dict.fromkeys(named) if not tree.has(path))


def _packet(gold: Gold, shown: Shown) -> Packet:
    edits = {each.path for each in gold.edits}
    there = {path for path, _ in shown.spent_at}
    if not edits & there:
        return "none"
    if not edits <= there:
        return "some"
    return "all hunks" if None not in _touched(gold, shown) else "all files"
