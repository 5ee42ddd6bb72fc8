"""A whole trace of a small run, for the tests of what is made of traces."""

from __future__ import annotations

from typing import Any

from agenvantage.context.model import ContextBlock, ContextPacket, Slot
from agenvantage.telemetry.model import (
    AgentEvent,
    AgentExit,
    AgentIdentity,
    AgentTrace,
    CheckResult,
    Delivery,
    FileChange,
    FileRead,
    Integrity,
    Outcome,
    PatchFacts,
    Phase,
    RepositoryFacts,
    ServedCall,
    TestCounts,
    ToolCall,
    UsageRecord,
)
from agenvantage.telemetry.recorder import trace_id_of
from agenvantage.telemetry.trajectory import build

START = 1_796_000_000_000_000_000
SECOND = 1_000_000_000
RUN_ID = "20261130-212530-3f9a1c"
OTHER_READ = FileRead(path="src/other.py", start=1, end=40, via="shell")
LINES = {"calc.py": 2, "test_calc.py": 9, "src/other.py": 80}


def at(seconds: float) -> int:
    return START + round(seconds * SECOND)


def packet() -> ContextPacket:
    return ContextPacket(
        strategy="adaptive-hybrid",
        provider="openai",
        blocks=(
            ContextBlock(id="map", kind="map", text="# map\n", tokens=1400, stable=True),
            ContextBlock(id="a", kind="evidence", text="a", tokens=1000, stable=False, path="calc.py", start=1, end=2),
            ContextBlock(id="b", kind="evidence", text="b", tokens=700, stable=False, path="unused.py", start=5, end=9),
        ),
        digest="d" * 64,
        readiness="grounded",
        slots=(Slot(name="edit_target", required=True, covered=True, confidence=0.9),),
        budget=6000,
        full_scan_tokens=31000,
    )


def request(id: str, seconds: float, *, agent: str = "main", fresh: int = 1000, out: int = 100) -> AgentEvent:
    usage = UsageRecord(
        id=id,
        agent=agent,
        model="gpt-5.5",
        uncached_input_tokens=fresh,
        cache_read_input_tokens=4000,
        cache_write_5m_input_tokens=500,
        output_tokens=out,
        reasoning_output_tokens=10,
    )
    return AgentEvent(kind="request", agent=agent, at=at(seconds), usage=usage)


def call(id: str, start: float, end: float, *, agent: str = "main", **fields: Any) -> AgentEvent:
    tool = ToolCall(id=id, seconds=end - start, **{"ok": True, "name": "exec_command", "kind": "shell"} | fields)
    return AgentEvent(kind="tool", agent=agent, at=at(end), tool=tool)


def session() -> tuple[AgentEvent, ...]:
    return (
        AgentEvent(kind="started", at=at(1.1), session_id="thread-1", version="0.171.0"),
        request("r1", 2),
        call("c1", 2, 2.5, reads=(OTHER_READ,), command="sed -n 1,40p"),
        request("r2", 3.5),
        call("c2", 3.5, 3.7, name="search", kind="mcp", server="agenvantage"),
        AgentEvent(kind="compaction", at=at(3.75)),
        request("r3", 4),
        request("s1", 4.4, agent="child-7", fresh=300, out=30),
        call("c3", 4, 4.3, name="apply_patch", kind="edit", edits=("calc.py",)),
        request("r4", 5),
        call("c4", 5, 6, command="python -m unittest -q", exit_code=1, ok=False, output="FAILED"),
        request("r5", 7),
        AgentEvent(kind="finished", at=at(7.1), ok=True, session_id="thread-1"),
    )


def served() -> tuple[ServedCall, ...]:
    files = (FileRead(path="calc.py", start=1, end=2, via="mcp"),)
    return (ServedCall(tool="search", started=at(3.55), ended=at(3.65), ok=True, tokens=120, files=files),)


def trace(**changes: Any) -> AgentTrace:
    packed = changes.pop("packet", packet())
    events = changes.pop("events", session())
    ours = changes.pop("served", served())
    trajectory = build(
        events,
        events,
        tree=None,
        line_counts=LINES.get,
        packet=packed,
        served=ours,
        is_test_command=lambda command: "unittest" in command,
    )
    facts: dict[str, Any] = {
        "run_id": RUN_ID,
        "trace_id": trace_id_of(RUN_ID),
        "started": START,
        "ended": at(9),
        "agent": AgentIdentity(name="codex", version="0.171.0", model_requested="gpt-5.5", provider="openai"),
        "strategy": packed.strategy,
        "workflow": "bug",
        "repository": RepositoryFacts(name="project", commit="a" * 40, branch="main", dirty=False),
        "delivery": Delivery(prefix=True, mcp=True, mcp_calls=1),
        "outcome": outcome(),
        "phases": phases(),
        "labels": ("simulated",),
        "folder": "/data/runs/x",
        "pid": 4242,
    }
    return AgentTrace(packet=packed, events=events, served=ours, trajectory=trajectory, **facts | changes)


def phases() -> tuple[Phase, ...]:
    stretches = (
        ("prepare", 0.1, 0.3), ("index", 0.3, 0.7), ("plan", 0.7, 0.8), ("compile", 0.8, 0.85),
        ("agent", 1.0, 7.5), ("patch", 7.5, 7.7), ("verify", 7.7, 8.9),
    )  # fmt: skip
    return tuple(Phase(name=name, started=at(start), ended=at(end)) for name, start, end in stretches)


def outcome() -> Outcome:
    return Outcome(
        outcome="solved",
        reason="Every check passed.",
        exit=AgentExit(code=0),
        checks=(
            CheckResult(
                command="python3 -m unittest -q",
                exit_code=0,
                seconds=1.2,
                judged=True,
                tests=TestCounts(passed=12, failed=0, skipped=1),
            ),
        ),
        patch=PatchFacts(
            file="patch.diff",
            sha256="c" * 64,
            bytes=812,
            empty=False,
            reapplies=True,
            tree="t" * 40,
            changes=(FileChange(path="calc.py", change="modified", added=1, removed=1),),
        ),
        integrity=Integrity(checkout_unchanged=True, leftover_processes=0, swept_processes=0),
    )
