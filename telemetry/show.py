"""Shows runs to people: a table of them, or one as a tree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from .span import Span
from .store import StoredRun
from .usage import summed

Document = Mapping[str, Any]
Tree = tuple[str, "Sequence[Tree]"]
"""A line, and what hangs below it."""
HEADINGS: Final = ("RUN", "STARTED", "AGENT", "STRATEGY", "OUTCOME", "TIME", "IN", "OUT", "REPOSITORY")
COLORS: Final[Mapping[str, str]] = {"solved": "32", "unjudged": "36", "running": "36", "wrong": "31", "no_change": "33"}
OTHER_COLOR: Final = "31"
MOST_FILES: Final = 20
LABEL_WIDTH: Final = 10
UNKNOWN: Final = "?"
COUNTED: Final = (("denials", "denial"), ("retries", "retry"), ("compactions", "compaction"))


def runs_table(runs: Iterable[StoredRun], *, color: bool = False) -> str:
    """What `traces list` prints, in the order given. Times are UTC."""
    rows = [_row(run) for run in runs]
    widths = [max(len(row[column]) for row in (HEADINGS, *rows)) for column in range(len(HEADINGS))]
    lines = ["  ".join(name.ljust(width) for name, width in zip(HEADINGS, widths, strict=True)).rstrip()]
    for row in rows:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=True)]
        cells[4] = _outcome(row[4], cells[4], color=color)
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def run_tree(document: Document, spans: Iterable[Span] = (), *, color: bool = False) -> str:
    """What `traces show` prints: a run's steps with times, tokens and files; with `spans`, every call with its time."""
    agent = document["agent"]
    outcome = str(document["outcome"])
    title = f"{document['run_id']}  {_outcome(outcome, outcome, color=color)}  {seconds(document['timing']['total_s'])}"
    who = [
        f"{agent['name']} {agent['version'] or ''}".strip(),
        ", ".join(agent["models_served"]) or agent["model_requested"],
        document["strategy"],
        document["workflow"],
        *document["labels"],
    ]
    head = [title, f"  {' · '.join(plain(str(part)) for part in who if part)}", f"  {_repository(document)}"]
    head += [f"  {plain(document['reason'])}"] if document["reason"] else []
    branches = [*_context(document), _agent(document, tuple(spans)), _patch(document), *_verify(document)]
    tail = [f"  {'folder':<{LABEL_WIDTH}}{plain(document['folder'])}"] if document["folder"] else []
    return "\n".join([*head, *_drawn(branches), *tail])


def seconds(value: float | None) -> str:
    if value is None:
        return UNKNOWN
    return f"{value:.2f} s" if value < 100 else f"{int(value // 60)} min {int(value % 60):02} s"


def number(value: int | None) -> str:
    return UNKNOWN if value is None else f"{value:,}"


def plain(text: str) -> str:
    """Text that a terminal only prints: no control characters, nothing that can't be encoded."""
    return "".join(character if character.isprintable() else "?" for character in text)


def _row(run: StoredRun) -> tuple[str, ...]:
    took = (run.ended - run.started) / 1e9 if run.ended is not None else None
    return (
        run.run_id,
        f"{datetime.fromtimestamp(run.started / 1e9, UTC):%Y-%m-%d %H:%M}",
        plain(run.agent),
        plain(run.strategy),
        run.outcome or run.state,
        seconds(took),
        number(run.input_tokens),
        number(run.output_tokens),
        plain(run.repository or ""),
    )


def _outcome(outcome: str, shown: str, *, color: bool) -> str:
    return f"\x1b[{COLORS.get(outcome, OTHER_COLOR)}m{shown}\x1b[0m" if color else shown


def _repository(document: Document) -> str:
    facts = document["repository"]
    commit = (facts["commit"] or "")[:12]
    state = " with uncommitted changes" if facts["from"] == "dirty" else ""
    return plain(f"{facts['name']} @ {commit or UNKNOWN}{state}")


def _context(document: Document) -> list[Tree]:
    context = document["context"]
    if context is None:
        return []
    delivered = [name for name, there in context["delivered"].items() if there]
    used = context["utilization"]
    facts = [
        f"{number(context['tokens'])} tokens, {number(context['prefix_tokens'])} of them prefix",
        context["readiness"],
        f"delivered by {' and '.join(delivered)}" if delivered else "not delivered",
        f"{used:.0%} of its regions used" if used is not None else None,
        f"{_counted(context['missing_context_events'], 'file')} missing" if context["missing_context_events"] else None,
    ]
    timing = document["timing"]
    took = [timing[name] for name in ("index_s", "plan_s") if timing[name] is not None]
    return [(_line("context", sum(took) if took else None, facts), ())]


def _agent(document: Document, spans: Sequence[Span]) -> Tree:
    timing, end = document["timing"], document["exit"]
    facts = [
        f"{_counted(document['steps'], 'step')}" if document["steps"] is not None else None,
        f"first edit after {seconds(timing['first_edit_s'])}" if timing["first_edit_s"] is not None else None,
        f"ended by {end['signal']}" if end["signal"] else f"exit {end['code']}" if end["code"] is not None else None,
        *(_counted(document[name], word) for name, word in COUNTED if document[name]),
    ]
    below = [*_tokens(document), *_tools(document), *_files(document), *_calls(spans)]
    return _line("agent", timing["agent_s"], facts), below


def _tokens(document: Document) -> list[Tree]:
    usage = document["usage"]
    if usage["input_tokens"] is None and usage["output_tokens"] is None:
        return [(_label("tokens", "unknown"), ())]
    parts = (
        ("new", usage["uncached_input_tokens"]),
        ("cached", usage["cache_read_input_tokens"]),
        ("written", summed(usage["cache_write_5m_input_tokens"], usage["cache_write_1h_input_tokens"])),
    )
    split = " · ".join(f"{number(value)} {name}" for name, value in parts if value is not None)
    facts = [
        f"{number(usage['input_tokens'])} in ({split})" if split else f"{number(usage['input_tokens'])} in",
        f"{number(usage['output_tokens'])} out",
        _counted(usage["requests"], "request") if usage["requests"] is not None else None,
        f"{usage['confidence']} confidence" if usage["confidence"] else None,
        f"${document['cost']['reported_usd']:.4f} reported" if document["cost"]["reported_usd"] is not None else None,
    ]
    by_agent = usage["by_agent"] if len(usage["by_agent"]) > 1 else {}
    below: list[Tree] = [
        (f"{plain(name)}: {number(part['input_tokens'])} in, {number(part['output_tokens'])} out", ())
        for name, part in by_agent.items()
    ]
    return [(_label("tokens", _joined(facts)), below)]


def _tools(document: Document) -> list[Tree]:
    calls = document["tool_calls"]
    if not calls:
        return []
    names = Counter(_tool_name(call) for call in calls)
    failed = Counter(_tool_name(call) for call in calls if call["ok"] is False)
    told = [f"{name} ×{count}" + (f" ({failed[name]} failed)" if failed[name] else "") for name, count in names.items()]
    return [(_label("tools", _joined(told)), ())]


def _tool_name(call: Document) -> str:
    return plain(f"{call['server']}.{call['name']}" if call["server"] else call["name"])


def _files(document: Document) -> list[Tree]:
    reads = [(_read(read), ()) for read in document["files_read"]]
    changes = [(_change(change), ()) for change in document["files_modified"]]
    return [*_section("read", reads), *_section("changed", changes)]


def _section(name: str, entries: Sequence[Tree]) -> list[Tree]:
    if not entries:
        return []
    more: list[Tree] = [(f"and {len(entries) - MOST_FILES} more", ())] if len(entries) > MOST_FILES else []
    return [(_label(name, _counted(len(entries), "file")), [*entries[:MOST_FILES], *more])]


def _read(read: Document) -> str:
    ranges = ", ".join(f"{start}-{end}" for start, end in read["ranges"])
    times = f" ×{read['times']}" if read["times"] > 1 else ""
    return plain(f"{read['path']}{':' if ranges else ''}{ranges}  {', '.join(read['via'])}{times}")


def _change(change: Document) -> str:
    lines = f"  +{change['added']} −{change['removed']}" if change["added"] is not None else ""
    moved = f" from {change['from']}" if change["from"] else ""
    return plain(f"{change['path']}  {change['change']}{moved}{lines}")


def _calls(spans: Sequence[Span]) -> list[Tree]:
    """Every call below the agent with when it began and how long it took."""
    origin = min((span.start for span in spans), default=0)
    below: dict[str | None, list[Span]] = {}
    for span in spans:
        below.setdefault(span.parent_id, []).append(span)

    def told(span: Span) -> Tree:
        failed = f"  {span.error}" if span.error is not None else ""
        line = f"{seconds((span.start - origin) / 1e9)}  {plain(span.name)}  {seconds((span.end - span.start) / 1e9)}"
        return line + failed, [told(child) for child in below.get(span.span_id, ())]

    processes = [span.span_id for span in spans if span.name == "agenvantage.agent.process"]
    calls = [told(child) for process in processes for child in below.get(process, ())]
    return [(_label("calls", ""), calls)] if calls else []


def _patch(document: Document) -> Tree:
    patch = document["patch"]
    if patch is None:
        return _line("patch", None, ["none captured"]), ()
    size = f"{number(patch['bytes'])} bytes, {_counted(len(document['files_modified']), 'file')}"
    what = "empty" if patch["empty"] else size
    return _line("patch", None, [what, "does not re-apply" if patch["reapplies"] is False else None]), ()


def _verify(document: Document) -> list[Tree]:
    checks = document["verify"]
    if not checks:
        return []
    return [(_line("verify", document["timing"]["verify_s"], []), [(_check(check), ()) for check in checks])]


def _check(check: Document) -> str:
    tests = check["tests"] or {}
    counts = [f"{tests[name]} {name}" for name in ("passed", "failed", "skipped") if tests.get(name)]
    verdict = "passed" if check["passed"] else "timed out" if check["timed_out"] else f"exit {check['exit_code']}"
    detected = "" if check["judged"] else " (detected, not judged)"
    return plain(f"{check['command']}  {verdict}{detected}" + (f": {', '.join(counts)}" if counts else ""))


def _line(name: str, took: float | None, facts: Iterable[str | None]) -> str:
    told = _joined([seconds(took) if took is not None else None, *facts])
    return _label(name, told)


def _label(name: str, text: str) -> str:
    return f"{name:<{LABEL_WIDTH}}{text}".rstrip()


def _joined(facts: Iterable[str | None]) -> str:
    return " · ".join(plain(fact) for fact in facts if fact)


def _counted(count: int, word: str) -> str:
    plural = f"{word[:-1]}ies" if word.endswith("y") else f"{word}s"
    return f"{count:,} {word if count == 1 else plural}"


def _drawn(branches: Sequence[Tree], indent: str = "  ") -> list[str]:
    lines = []
    for index, (line, below) in enumerate(branches):
        last = index == len(branches) - 1
        lines.append(f"{indent}{'└─' if last else '├─'} {line}")
        lines += _drawn(below, f"{indent}{'  ' if last else '│ '} ")
    return lines
