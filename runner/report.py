"""What a person reads: a run's report, and the lines while it goes on. All figures come from the run's document."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final, TextIO

from ..telemetry.model import AgentEvent, ToolCall
from .gc import GcReport

MARKS: Final = {
    "solved": "✓", "unjudged": "·", "wrong": "✗", "no_change": "✗", "budget": "✗", "interrupted": "!",
}  # fmt: skip
SHOWN_PATHS: Final = 6
# Paths in a run tree are shown as they are in the repository.
_RUN_TREE: Final = re.compile(r"[^\s'\"]*/runs/[\w-]+/tree/")


@dataclass(slots=True, kw_only=True)
class Lines:
    """Tells a run as it goes on: one plain line a step, with the seconds since the start."""

    stream: TextIO
    began: float = field(default_factory=time.monotonic)
    calls: int = 0
    told: str = ""

    def step(self, text: str) -> None:
        self._say(text)

    def event(self, event: AgentEvent) -> None:
        if event.kind == "tool" and event.tool is not None and event.tool.ok is not None:
            self.calls += 1
            self._say(f"  {self.calls:>3} {_call_line(event.tool)}")
        elif event.kind in ("retry", "denied", "error"):
            said = _one_line(event.text or event.error_type or "", 300)
            self._say_once(f"      {event.kind}: {said}".rstrip(": "))

    def _say_once(self, text: str) -> None:
        """Agents tell one fault twice, and a retry many times over."""
        if text != self.told:
            self._say(text)
        self.told = text

    def _say(self, text: str) -> None:
        # A run goes on where nobody can be told any more.
        with suppress(OSError):
            print(f"{time.monotonic() - self.began:6.1f}s  {text}", file=self.stream, flush=True)


def _call_line(call: ToolCall) -> str:
    name = f"{call.server}.{call.name}" if call.server else call.name
    said = (value for value in (call.arguments or {}).values() if isinstance(value, str))
    what = call.command or ", ".join(read.path for read in call.reads) or ", ".join(call.edits) or next(said, "")
    failed = "" if call.ok else f"  (failed{f', exit {call.exit_code}' if call.exit_code is not None else ''})"
    return f"{name} {_one_line(_RUN_TREE.sub('', what))}{failed}"


def _one_line(text: str, width: int = 90) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= width else flat[: width - 1] + "…"


def run_report(document: Mapping[str, Any], *, offer: bool = True) -> str:
    """The end of a run for people: outcome first, then what it took, then (`offer`) what to do next."""
    agent = document["agent"]
    who = " ".join(filter(None, (agent["name"], agent["version"], agent["model_requested"])))
    head = f"{MARKS.get(document['outcome'], '✗')} {document['outcome']}: {document['reason']}"
    labels = f"  [{', '.join(document['labels'])}]" if document["labels"] else ""
    shown = [(name, tell) for name, tell in ROWS if offer or tell is not _next]
    rows = [(name, text) for name, tell in shown if (text := tell(document))]
    lines = [head, f"  {document['run_id']} · {who} · {document['strategy']} · {document['workflow']}{labels}"]
    return "\n".join(lines + [f"  {name:<9}{text}" for name, text in rows])


def _tokens(document: Mapping[str, Any]) -> str:
    usage = document["usage"]
    if usage["input_tokens"] is None:
        return "not reported"
    writes = [usage["cache_write_5m_input_tokens"], usage["cache_write_1h_input_tokens"]]
    parts = [
        f"{_number(usage['uncached_input_tokens'])} uncached",
        f"{_number(usage['cache_read_input_tokens'])} from cache",
    ]
    if any(part is not None for part in writes):
        parts.append(f"{_number(sum(part or 0 for part in writes))} written to cache")
    return (
        f"{_number(usage['input_tokens'])} in ({', '.join(parts)}), {_number(usage['output_tokens'])} out,"
        f" {_number(usage['requests'])} model calls"
    )


def _cost(document: Mapping[str, Any]) -> str:
    reported = document["cost"]["reported_usd"]
    return "" if reported is None else f"{reported:.4f} USD, as the agent reports it"


def _steps(document: Mapping[str, Any]) -> str:
    counts = [f"{_number(document['steps'])} steps", f"{len(document['tool_calls'])} tool calls"]
    counts += [f"{document[name]} {name}" for name in ("denials", "retries", "compactions") if document[name]]
    return ", ".join(counts)


def _read(document: Mapping[str, Any]) -> str:
    return _some(_read_path(entry) for entry in document["files_read"])


def _read_path(entry: Mapping[str, Any]) -> str:
    ranges = ",".join(f"{start}-{end}" for start, end in entry["ranges"])
    return f"{entry['path']}:{ranges}" if ranges else str(entry["path"])


def _changed(document: Mapping[str, Any]) -> str:
    return _some(
        f"{entry['path']} (+{_number(entry['added'])} −{_number(entry['removed'])})"
        for entry in document["files_modified"]
    )


def _left_out(document: Mapping[str, Any]) -> str:
    patch = document["patch"]
    return (
        f"{_some(patch['secrets_left_out'])}: new files that look like secrets"
        if patch and patch["secrets_left_out"]
        else ""
    )


def _checks(document: Mapping[str, Any]) -> str:
    return "; ".join(_check(check) for check in document["verify"])


def _check(check: Mapping[str, Any]) -> str:
    mark = "✓" if check["passed"] else "✗"
    tests = check["tests"]
    counts = f", {tests['passed']} passed, {tests['failed']} failed" if tests else ""
    note = "" if check["judged"] else ", found by itself, not judged"
    return f"{mark} {check['command']} ({check['seconds']:.1f} s{counts}{note})"


def _context(document: Mapping[str, Any]) -> str:
    context = document["context"]
    if context is None or context["readiness"] is None:
        return ""
    there = {True: "delivered", False: "NOT delivered", None: "not asked for"}
    delivered = context["delivered"]
    return (
        f"{_number(context['tokens'])} tokens ({_number(context['prefix_tokens'])} stable), {context['readiness']};"
        f" prefix {there[delivered['prefix']]}, tools {there[delivered['mcp']]}, called {context['mcp_calls']}×"
    )


def _safety(document: Mapping[str, Any]) -> str:
    integrity = document["integrity"]
    if integrity["checkout_unchanged"] is None:
        return ""
    text = "your checkout is unchanged" if integrity["checkout_unchanged"] else "your checkout changed meanwhile"
    if integrity["escaped"]:
        text = f"the agent wrote outside its tree: {_some(integrity['escaped'])}"
    elif integrity["checkout_changed"]:
        text += f": {_some(integrity['checkout_changed'])}"
    left = integrity["leftover_processes"]
    return f"{text}; {_number(left)} processes left"


def _time(document: Mapping[str, Any]) -> str:
    timing = document["timing"]
    parts = [(name, timing[f"{name}_s"]) for name in ("prepare", "index", "plan", "agent", "verify")]
    known = ", ".join(f"{name} {seconds:.1f} s" for name, seconds in parts if seconds is not None)
    return f"{timing['total_s']:.1f} s in all: {known}" if known else ""


def _folder(document: Mapping[str, Any]) -> str:
    tree = f"  (tree kept: {document['tree']})" if document["tree"] else ""
    return f"{document['folder']}{tree}"


def _next(document: Mapping[str, Any]) -> str:
    patch = document["patch"]
    return f"agenvantage apply {document['run_id']}" if patch and not patch["empty"] and patch["reapplies"] else ""


def _some(items: Iterable[str]) -> str:
    every = list(items)
    rest = len(every) - SHOWN_PATHS
    return ", ".join(every[:SHOWN_PATHS]) + (f" and {rest} more" if rest > 0 else "")


def _number(value: int | None) -> str:
    return "?" if value is None else f"{value:,}"


ROWS: Final = (
    ("tokens", _tokens),
    ("cost", _cost),
    ("work", _steps),
    ("read", _read),
    ("changed", _changed),
    ("left out", _left_out),
    ("checks", _checks),
    ("context", _context),
    ("safety", _safety),
    ("time", _time),
    ("kept in", _folder),
    ("next", _next),
)


def comparison_report(document: Mapping[str, Any]) -> str:
    """A comparison for people: the arms side by side, then what may and may not be said."""
    labels = f"  [{', '.join(document['labels'])}]" if document["labels"] else ""
    lines = [f"{document['compare_id']} · seed {document['plan']['seed']}{labels}", "", _arm_line("", ARM_COLUMNS)]
    for arm, told in document["arms"].items():
        median = told["median"]
        figures = [f"{told['solved']}/{told['trials']}"]
        figures += [
            _figure(median[name]) for name in ("input_tokens", "uncached_input_tokens", "output_tokens", "requests")
        ]
        lines.append(_arm_line(arm, [*figures, _figure(told["median_seconds"], 1)]))
    lines += ["", f"verdict: {document['verdict']}"]
    lines += [f"  not shown: {gate['name']} ({gate['why']})" for gate in document["gates"] if not gate["held"]]
    if document["excluded"]:
        lines.append(f"  left out of both arms: {len(document['excluded'])} trials")
    return "\n".join([*lines, f"kept in {document['folder']}"])


ARM_COLUMNS: Final = ("solved", "input", "uncached", "output", "calls", "seconds")


def _arm_line(name: str, figures: Iterable[str]) -> str:
    return f"  {name:<18}" + "".join(f"{figure:>12}" for figure in figures)


def _figure(value: float | None, digits: int = 0) -> str:
    return "?" if value is None else f"{value:,.{digits}f}"


def gc_report(cleared: GcReport) -> str:
    """What was cleared, or would be."""
    did = "would clear" if cleared.dry_run else "cleared"
    lines = [
        f"{did}: {len(cleared.reaped)} dead runs, {cleared.processes} processes, {len(cleared.trees)} trees,"
        f" {cleared.locks} locks, {len(cleared.folders)} run folders, {cleared.bytes_freed / 1e6:,.1f} MB"
    ]
    return "\n".join(lines + [f"  kept {kept.path}: {kept.reason}" for kept in cleared.kept])
