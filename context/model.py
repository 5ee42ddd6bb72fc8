"""The values of the context engine: what a repository holds, what a task needs, what an agent is given.

Lines are 1-based and ranges inclusive. Paths are relative to the repository's root, with `/`. Tokens are
counted with `o200k_base`. `None` is unknown.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from .aids import AidCost

Role = Literal[
    "source", "test", "fixture", "config", "schema", "style", "migration", "doc", "lock", "build", "ci", "data",
    "generated", "vendored",
]  # fmt: skip
NodeKind = Literal[
    "file", "module", "namespace", "package", "class", "interface", "enum", "struct", "trait", "object", "protocol",
    "annotation", "function", "method", "constructor", "property", "field", "enum_member", "constant", "variable",
    "type", "macro", "heading", "key", "selector", "table", "view", "route", "command", "region",
]  # fmt: skip
Visibility = Literal["public", "private", "protected", "internal"]
EdgeKind = Literal[
    "contains", "imports", "exports", "inherits", "implements", "calls", "references", "tests", "co_changes", "reads",
    "routes", "depends_on",
]  # fmt: skip
Workflow = Literal["feature", "bug", "review", "explain", "migration", "incident"]
Readiness = Literal["grounded", "partially_grounded", "ungrounded", "insufficient", "insufficient_budget"]
Provider = Literal["openai", "anthropic", "any"]
RenderMode = Literal["full", "diff", "symbols", "skeleton", "summary"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RepositoryRevision:
    """Which content of a repository an answer is about. Two equal keys mean equal content."""

    root: Path
    commit: str | None
    tree: str | None
    changes: str | None
    """Digest of uncommitted changes; None when the tree is clean."""
    key: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceNode:
    """A definition, or a region of lines where a language has no definitions for us."""

    id: str
    path: str
    kind: NodeKind
    name: str
    start: int
    end: int
    language: str | None = None
    role: Role = "source"
    signature: str | None = None
    container: str | None = None
    visibility: Visibility | None = None

    @property
    def location(self) -> str:
        return f"{self.path}:{self.start}-{self.end}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelScore:
    """Where one retrieval channel put a candidate; rank 1 is best."""

    channel: str
    rank: int
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievalCandidate:
    """A node that may matter to a task, with the evidence for it and, once chosen, its text.

    What is shown may reach a little beyond the definition of which `node.id` tells: over the blank lines around it.
    """

    node: SourceNode
    score: float
    channels: tuple[ChannelScore, ...] = ()
    reasons: tuple[str, ...] = ()
    slot: str | None = None
    mode: RenderMode = "full"
    text: str | None = None
    tokens: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """A kind of evidence that a workflow asks for, and whether it was found.

    `evidence` names regions by their ids, rules by their paths, changes by `commit:` and their ids. `absent`: the
    repository has nothing of the kind, which is not the same as that nothing was found.
    """

    name: str
    required: bool
    covered: bool
    confidence: float
    evidence: tuple[str, ...] = ()
    missing_reason: str | None = None
    absent: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskReading:
    """One way to understand a task that has several, and the files to which that leads."""

    name: str
    words: tuple[str, ...] = ()
    files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanRound:
    """One pass of the planner: what it added, what is covered after it, and why it went on or stopped.

    Shares are 0 to 1. `coverage` is that of the task's own words, rare ones weighing more, `slots` that of the slots
    that apply; `anchor` how surely the best file is pointed at; `agreement` how many channels agree on it;
    `redundancy` the share of chosen lines that are there twice; `gain` what the next round could add to what is
    chosen; `missing_edges` what was looked for around the places found, and is not there.
    """

    number: int
    seconds: float
    added: int
    coverage: float
    decision: str
    slots: float = 0.0
    anchor: float = 0.0
    agreement: float = 0.0
    redundancy: float = 0.0
    gain: float = 0.0
    missing_edges: tuple[str, ...] = ()
    confidence: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FileRank:
    """A file in the order in which it is likely to matter."""

    path: str
    score: float
    roles: tuple[Role, ...] = ()
    reasons: tuple[str, ...] = ()
    channels: tuple[ChannelScore, ...] = ()
    reciprocal_rank: int | None = None
    """Where reciprocal rank fusion of the same channels would put it: to audit `score` by."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RepositoryShare:
    """One repository of several that are planned together: whether the task concerns it, and what it gave."""

    name: str
    concerned: bool
    readiness: Readiness
    confidence: float | None
    missing: tuple[str, ...] = ()
    revision: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskPlan:
    """What a task needs from a repository, with the text to show: all that the compiler reads."""

    task: str
    workflow: Workflow
    budget: int
    readiness: Readiness
    revision: RepositoryRevision
    planner_version: str
    index_version: str
    repository_name: str
    repository_map: str
    """The navigable outline that opens the stable prefix; the same for every task at one revision."""
    rules: tuple[str, ...] = ()
    """Paths of the repository's own instructions to agents."""
    concepts_covered: tuple[str, ...] = ()
    concepts_uncovered: tuple[str, ...] = ()
    slots: tuple[Slot, ...] = ()
    constraints: tuple[str, ...] = ()
    files: tuple[FileRank, ...] = ()
    chosen: tuple[RetrievalCandidate, ...] = ()
    """What is put into the prompt, each with its text: as much as the ground asks for, within the budget."""
    regions: tuple[RetrievalCandidate, ...] = ()
    """Ranked, within the budget: those chosen, and what would follow if all of the budget were spent."""
    deferred: tuple[RetrievalCandidate, ...] = ()
    """Found and left out: named in the packet, fetched by tool."""
    test_files: tuple[str, ...] = ()
    readings: tuple[TaskReading, ...] = ()
    """More than one where the task can be understood in ways that lead to different files."""
    orientation: str = ""
    """Where to begin, for a task whose words lead nowhere."""
    rounds: tuple[PlanRound, ...] = ()
    confidence: float | None = None
    """How likely it is that a file to change is among those chosen."""
    aids: tuple[AidCost, ...] = ()
    """What the helpers took that a person asked for."""
    repositories: tuple[RepositoryShare, ...] = ()
    """Of a plan for several repositories, each of them; places are `name:path` then."""
    recommended: tuple[str, ...] = ()
    minimum_budget: int | None = None
    full_scan_tokens: int | None = None
    seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextBlock:
    """A piece of the prompt. `id` is a digest of kind and text; a stable block is the same for every task."""

    id: str
    kind: str
    text: str
    tokens: int
    stable: bool
    path: str | None = None
    start: int | None = None
    end: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextPacket:
    """What is put into the agent's prompt: stable blocks first, then the task's evidence.

    The native arm carries `bare()`: no blocks, nothing to deliver.
    """

    strategy: str
    provider: Provider
    blocks: tuple[ContextBlock, ...] = ()
    handles: tuple[str, ...] = ()
    """Locations left out of the packet and reachable by tool."""
    digest: str = ""
    tokenizer: str = "o200k_base"
    readiness: Readiness | None = None
    slots: tuple[Slot, ...] = ()
    budget: int | None = None
    full_scan_tokens: int | None = None
    profile: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def bare(cls, *, strategy: str = "native", provider: Provider = "any") -> ContextPacket:
        return cls(strategy=strategy, provider=provider)

    @property
    def prefix(self) -> str:
        """The stable part, byte-equal for every task at one revision and strategy."""
        return "".join(block.text for block in self.blocks if block.stable)

    @property
    def evidence(self) -> str:
        """The part that belongs to one task; goes in front of the task's own words."""
        return "".join(block.text for block in self.blocks if not block.stable)

    @property
    def tokens(self) -> int:
        return sum(block.tokens for block in self.blocks)

    @property
    def prefix_tokens(self) -> int:
        return sum(block.tokens for block in self.blocks if block.stable)
