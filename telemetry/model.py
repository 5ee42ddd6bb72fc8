"""The values of a run: what happened, what it used, how it ended.

Times are integer nanoseconds since the epoch, durations seconds, paths relative to the repository's root with `/`.
Token counts are split into parts that never overlap: uncached + cache read + cache writes = all input; reasoning is
part of output. `None` is unknown and is never replaced by 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from ..context.model import ContextPacket, Workflow

Source = Literal["reported", "estimated", "simulated"]
Via = Literal["session_log", "stream", "gateway"]
TimingSource = Literal["observed", "transcript"]
"""Whose clock the agent's events carry: ours at a line's arrival, or the agent's own."""
Confidence = Literal["high", "medium", "low"]
ToolKind = Literal["read", "search", "edit", "shell", "mcp", "other"]
ReadVia = Literal["shell", "read", "mcp", "prefix"]
ChangeKind = Literal["modified", "added", "deleted", "renamed", "mode", "type", "submodule"]
EventKind = Literal[
    "started",  # a thread or turn of the agent began; `session_id`, maybe `model`
    "prompt",  # a part of the prompt as the model was given it; `text`
    "tools",  # which tool servers the agent has; `servers`
    "request",  # one answered model call; `usage` with its provider id
    "usage",  # a running total over the whole session so far; `usage`
    "tool",  # a tool call, begun (`tool.ok` None) or ended
    "message",  # words of the model; `text`
    "retry",  # the agent tries a model call again; `error_type`
    "denied",  # the agent refused itself an action
    "compaction",  # the conversation was shortened
    "warning",
    "error",  # something failed; `error_type`, `text`
    "finished",  # the agent's own last word; `ok`
    "unknown",  # a line we can't read, kept raw
]
OutcomeClass = Literal[
    "interrupted", "tree_lost", "escaped", "env_not_ready", "treatment_not_delivered", "infrastructure", "provider",
    "capture_error", "budget", "no_change", "wrong", "solved", "unjudged",
]  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageRecord:
    """Tokens of one model request, or of several added up.

    `id` is the provider's response or message id: records with one id are one request, and the last one counts.
    """

    id: str | None = None
    agent: str = "main"
    model: str | None = None
    uncached_input_tokens: int | None = None
    cache_read_input_tokens: int | None = None
    cache_write_5m_input_tokens: int | None = None
    cache_write_1h_input_tokens: int | None = None
    output_tokens: int | None = None
    reasoning_output_tokens: int | None = None
    requests: int | None = 1
    source: Source = "reported"
    via: Via = "session_log"
    at: int | None = None
    """When the answer was complete; the usage summary fills it from the event."""

    @property
    def input_tokens(self) -> int | None:
        """All input parts; None when no part is known."""
        parts = (
            self.uncached_input_tokens,
            self.cache_read_input_tokens,
            self.cache_write_5m_input_tokens,
            self.cache_write_1h_input_tokens,
        )
        known = [part for part in parts if part is not None]
        return sum(known) if known else None


@dataclass(frozen=True, slots=True, kw_only=True)
class FileRead:
    """Lines of a file that the model was shown. `path` is as the agent named it until the trajectory places it.

    An `end` of None reads to the end of the file.
    """

    path: str
    start: int = 1
    end: int | None = None
    via: ReadVia = "read"


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """One use of a tool. `ok` is None while it runs, or when the agent never said."""

    id: str | None
    name: str
    kind: ToolKind
    server: str | None = None
    ok: bool | None = None
    exit_code: int | None = None
    seconds: float | None = None
    output_bytes: int | None = None
    output_tokens: int | None = None
    command: str | None = None
    cwd: str | None = None
    reads: tuple[FileRead, ...] = ()
    edits: tuple[str, ...] = ()
    """Paths it says it wrote, as the agent named them."""
    arguments: Mapping[str, Any] | None = None
    """Content: kept only on request."""
    output: str | None = None
    """Content: kept only on request; read by the parsers of test counts before it is dropped."""
    started_at: int | None = None
    """Filled by the trajectory from the call's events, as is `ended_at`."""
    ended_at: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentEvent:
    """One thing that happened, from one line of the agent's stream or session log."""

    kind: EventKind
    agent: str = "main"
    """`main`, or the id of a sub-agent or side thread."""
    at: int | None = None
    """When, by the agent's own clock."""
    session_id: str | None = None
    model: str | None = None
    text: str | None = None
    usage: UsageRecord | None = None
    tool: ToolCall | None = None
    servers: Mapping[str, str] | None = None
    """Tool servers and their status."""
    ok: bool | None = None
    error_type: str | None = None
    version: str | None = None
    cost_usd: float | None = None
    """What the agent says the session cost so far, at list prices it knows."""
    raw: str | None = None
    """The line itself, where we could not read it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageSummary:
    """Every token of a run, once. `total` sums all agents and models; the parts sum to it."""

    total: UsageRecord
    by_model: Mapping[str, UsageRecord] = field(default_factory=dict)
    by_agent: Mapping[str, UsageRecord] = field(default_factory=dict)
    requests: tuple[UsageRecord, ...] = ()
    """One a model call, in order; empty when the agent gave only totals."""
    via: tuple[Via, ...] = ()
    confidence: Confidence = "high"
    gap: float | None = None
    """Relative difference of two sources of the same total; None when there is only one."""
    reported_usd: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FileReadSummary:
    path: str
    ranges: tuple[tuple[int, int], ...]
    via: tuple[ReadVia, ...]
    times: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FileChange:
    path: str
    change: ChangeKind
    added: int | None = None
    """Lines; None for a binary file."""
    removed: int | None = None
    previous_path: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PatchFacts:
    """The agent's work as a patch against the base. `reapplies`: base + patch has the very tree hash that was seen."""

    file: str
    sha256: str
    bytes: int
    empty: bool
    reapplies: bool
    tree: str
    agent_commits: int | None = 0
    """None when the agent's repository can't be read any more."""
    caches_left_out: int = 0
    changes: tuple[FileChange, ...] = ()
    nested_repositories: tuple[str, ...] = ()
    secrets_left_out: tuple[str, ...] = ()
    """New files whose names say that they hold secrets: never in a patch, always named."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TestCounts:
    __test__ = False

    passed: int
    failed: int
    skipped: int
    failed_names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckResult:
    """One verification command. `judged` is False for checks that were detected, not asked for."""

    command: str
    exit_code: int | None
    seconds: float
    judged: bool
    timed_out: bool = False
    tests: TestCounts | None = None

    @property
    def passed(self) -> bool:
        return self.exit_code == 0 and not self.timed_out


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentExit:
    """How the agent's process ended. `forced`: we ended it; `passed_after_limit`: checks green although a limit hit."""

    code: int | None = None
    signal: str | None = None
    forced: bool = False
    passed_after_limit: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Integrity:
    """What a run did outside its own tree, and what it left."""

    checkout_unchanged: bool | None = None
    checkout_changed: tuple[str, ...] = ()
    escaped: tuple[str, ...] = ()
    leftover_processes: int | None = None
    swept_processes: int | None = None
    history_probes: int | None = None
    tampered: tuple[str, ...] = ()
    blocked: tuple[str, ...] = ()
    nested_repositories: tuple[str, ...] = ()
    verify_side_effects: tuple[str, ...] = ()
    pending_background: int | None = None
    stream_truncated: bool = False
    partial: bool = False
    unknown_events: int = 0
    seeded: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How a run ended: exactly one class, by evidence; never by an exit code or the agent's own words."""

    outcome: OutcomeClass
    reason: str
    error_type: str | None = None
    exit: AgentExit = AgentExit()
    checks: tuple[CheckResult, ...] = ()
    patch: PatchFacts | None = None
    integrity: Integrity = Integrity()


@dataclass(frozen=True, slots=True, kw_only=True)
class Trajectory:
    """The agent's way through the task, from its stream and its session log, each fact once."""

    session_ids: tuple[str, ...] = ()
    models_served: tuple[str, ...] = ()
    version: str | None = None
    usage: UsageSummary
    steps: int | None = None
    """Answered model calls of the main thread."""
    tool_calls: tuple[tuple[str, ToolCall], ...] = ()
    """(agent, call) in order."""
    files_read: tuple[FileReadSummary, ...] = ()
    agent_tests: tuple[CheckResult, ...] = ()
    denials: int = 0
    retries: int = 0
    compactions: int = 0
    unknown_events: int = 0
    history_probes: int = 0
    pending_background: int = 0
    stream_truncated: bool = False
    partial: bool = False
    finished: bool = False
    failed: bool | None = None
    """The agent's own last word was an error; None when it had no last word."""
    provider_error: str | None = None
    """`rate_limited`, `authentication`, `overloaded`, `unreachable`, … when the provider is why it ended."""
    error_text: str | None = None
    first_request_at: int | None = None
    first_edit_at: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentIdentity:
    name: str
    version: str | None = None
    model_requested: str | None = None
    effort: str | None = None
    sandbox: str = "workspace"
    provider: str | None = None
    """`openai`, `anthropic`, …: who answers the model calls."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RepositoryFacts:
    name: str
    commit: str | None = None
    """The person's commit that it started from."""
    base: str | None = None
    """The commit that the patch is against; differs from `commit` when uncommitted work was taken along."""
    branch: str | None = None
    dirty: bool | None = None
    from_: str = "head"


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """Whether each half of the treatment was proven there; None when it was not asked for."""

    prefix: bool | None = None
    mcp: bool | None = None
    mcp_calls: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ServedCall:
    """One tool call as our own server saw it."""

    tool: str
    started: int
    ended: int
    ok: bool
    tokens: int
    files: tuple[FileRead, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Phase:
    """A stretch of a run's own work: `prepare`, `index`, `plan`, `compile`, `agent`, `patch`, `verify`."""

    name: str
    started: int
    ended: int

    @property
    def seconds(self) -> float:
        return (self.ended - self.started) / 1e9


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentTrace:
    """A whole run: the unit that is stored, exported and compared."""

    run_id: str
    trace_id: str
    started: int
    ended: int
    agent: AgentIdentity
    strategy: str
    workflow: Workflow
    repository: RepositoryFacts
    packet: ContextPacket
    delivery: Delivery = Delivery()
    trajectory: Trajectory
    outcome: Outcome
    events: tuple[AgentEvent, ...] = ()
    served: tuple[ServedCall, ...] = ()
    phases: tuple[Phase, ...] = ()
    labels: tuple[str, ...] = ()
    folder: str | None = None
    tree: str | None = None
    compare_id: str | None = None
    pid: int | None = None
    timing_source: TimingSource = "observed"
    links: tuple[str, ...] = ()
    """Inbound `traceparent` values: traces that asked for this run."""
    task_id: str | None = None
    attempt: int | None = None
