"""The candidates of each slot: regions of the files that the channels put first, and of places around those found."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from .choosing import in_order, weighed
from .expansion import Neighbour, anchor_of, around
from .finding import Findings
from .index import RepositoryIndex
from .model import RetrievalCandidate, SourceNode
from .ranking import RankedFile, RegionScorer, rank_tests
from .slots import SlotRule
from .task import Query

_FEW_FILES: Final = 3
_MOST_ANCHORS: Final = 3
_UNRANKED: Final = 0.2
_UNASKED: Final = frozenset({"generated", "vendored", "lock"})
_POINTED: Final = (("path", 0.8), ("frame", 0.5))


class Pools:
    """Candidates by slot, each list best first and made once."""

    def __init__(self, index: RepositoryIndex, findings: Findings) -> None:
        query = findings.query
        self.index = index
        self._terms = query.terms
        self.ranked = tuple(each for each in findings.ranked if _wanted(each, query))
        self.others = tuple(each for each in self.ranked if each.file.role != "test" or query.wants_tests)
        self.tests = rank_tests(self.ranked, self.others[:5])
        self.scorer = RegionScorer(index, query)
        self._readings = tuple(each for _, ranked in findings.readings for each in ranked[:2] if _wanted(each, query))
        self._of_slot: dict[tuple[str, int], list[RetrievalCandidate]] = {}
        self._around: dict[str, tuple[Neighbour, ...]] = {}

    def of(self, rule: SlotRule, reach: int) -> list[RetrievalCandidate]:
        """Regions of the first files that can fill a slot; `reach` is how many files a required one looks at."""
        key = (rule.name, reach if rule.required else _FEW_FILES)
        if rule.roles and key not in self._of_slot:
            self._of_slot[key] = weighed(self._files(rule, key[1]), rule, self.scorer, self._terms)
        return self._of_slot.get(key, [])

    def _files(self, rule: SlotRule, most: int) -> list[RankedFile]:
        files = [each for each in self.others if each.file.role in rule.roles]
        if "test" in rule.roles:
            files = [*self.tests, *(each for each in files if each.file.role != "test")]
        files = files[:most]
        if rule.required:
            files += [each for each in self._readings if each.file.path not in {one.file.path for one in files}]
        return files

    def leading(self, rule: SlotRule, most: int) -> tuple[str, ...]:
        """The first files that can fill a slot."""
        return tuple(each.file.path for each in self._files(rule, most)[:most])

    def near(self, rule: SlotRule, leading: Sequence[RetrievalCandidate]) -> tuple[Neighbour, ...]:
        """What lies around the leading places in the ways that can fill a slot. Looked for once."""
        if rule.name not in self._around:
            anchors = list(dict.fromkeys(anchor_of(self.index, each) for each in leading))[:_MOST_ANCHORS]
            found = (each for near in rule.near for one in anchors for each in around(self.index, one, near))
            self._around[rule.name] = tuple(dict.fromkeys(found))
        return self._around[rule.name]

    def of_neighbours(self, rule: SlotRule, near: Sequence[Neighbour]) -> list[RetrievalCandidate]:
        """Neighbours as candidates: by how sure they are, and how the channels rank their files."""
        by_path = {each.file.path: each for each in (*self.others, *self.tests)}
        found = []
        for one in near:
            node = one.node(self.index) or self._best_of(one.path)
            if node is not None:
                known = by_path.get(one.path)
                score = one.certainty * (_UNRANKED + (known.score if known is not None else 0.0))
                channels = known.channels if known is not None else ()
                found.append(
                    RetrievalCandidate(node=node, score=score, channels=channels, reasons=(one.why,), slot=rule.name)
                )
        return in_order(found, rule)

    def _best_of(self, path: str) -> SourceNode | None:
        """The region of a file that says most to the task."""
        bare = RankedFile(file=self.index.by_path[path], score=0.0, channels=(), reasons=())
        regions = self.scorer.regions(bare, "")
        return regions[0].node if regions else None


def _wanted(each: RankedFile, query: Query) -> bool:
    """Generated and vendored files only where the task asks for them or points at one."""
    return (
        each.file.role not in _UNASKED
        or query.wants_generated
        or any(each.of(channel) >= least for channel, least in _POINTED)
    )


def is_at(candidate: RetrievalCandidate, one: Neighbour) -> bool:
    """Whether a candidate is, or holds, a neighbour."""
    node = candidate.node
    if node.path != one.path:
        return False
    return one.symbol is None or (node.start <= one.symbol.start <= node.end)
