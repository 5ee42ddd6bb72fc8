"""What people read of runs: a tree of one, a table of many."""

from __future__ import annotations

from dataclasses import replace

from agenvantage.context.model import ContextPacket
from agenvantage.telemetry.document import run_document
from agenvantage.telemetry.show import run_tree, runs_table
from agenvantage.telemetry.spans import spans
from agenvantage.telemetry.store import StoredRun
from telemetry_kit import RUN_ID, START, at, trace

TREE = """\
20261130-212530-3f9a1c  solved  9.00 s
  codex 0.171.0 · gpt-5.5 · adaptive-hybrid · bug · simulated
  project @ aaaaaaaaaaaa
  Every check passed.
  ├─ context   0.55 s · 3,100 tokens, 1,400 of them prefix · grounded · delivered by prefix and mcp · \
50% of its regions used · 1 file missing
  ├─ agent     6.50 s · 5 steps · first edit after 3.30 s · exit 0 · 1 compaction
  │  ├─ tokens    32,300 in (5,300 new · 24,000 cached · 3,000 written) · 530 out · 6 requests · high confidence
  │  │  ├─ child-7: 4,800 in, 30 out
  │  │  └─ main: 27,500 in, 500 out
  │  ├─ tools     exec_command ×2 (1 failed) · agenvantage.search ×1 · apply_patch ×1
  │  ├─ read      3 files
  │  │  ├─ calc.py:1-2  mcp, prefix ×2
  │  │  ├─ src/other.py:1-40  shell
  │  │  └─ unused.py:5-9  prefix
  │  └─ changed   1 file
  │     └─ calc.py  modified  +1 −1
  ├─ patch     812 bytes, 1 file
  └─ verify    1.20 s
     └─ python3 -m unittest -q  passed: 12 passed, 1 skipped
  folder    /data/runs/x"""

CALLS = """\
  │  └─ calls
  │     └─ 1.00 s  invoke_agent codex  6.50 s
  │        ├─ 1.00 s  chat gpt-5.5  1.00 s
  │        ├─ 2.00 s  execute_tool exec_command  0.50 s
  │        ├─ 2.50 s  chat gpt-5.5  1.00 s
  │        ├─ 3.50 s  execute_tool search  0.20 s
  │        │  └─ 3.55 s  tools/call search  0.10 s
"""


def test_a_run_is_a_tree():
    assert run_tree(run_document(trace())) == TREE


def test_with_its_spans_every_call_is_shown():
    assert CALLS in run_tree(run_document(trace()), spans(trace()))


def test_a_native_run_that_told_nothing_is_shown_as_unknown():
    bare = trace(packet=ContextPacket.bare(), events=(), served=(), phases=())
    text = run_tree(run_document(replace(bare, outcome=replace(bare.outcome, checks=(), patch=None))))
    assert "tokens    unknown" in text
    assert "patch     none captured" in text
    assert "context" not in text


def test_a_control_character_does_not_reach_the_terminal():
    evil = replace(trace().repository, name="pro\x1b[31mject\udce9")
    text = run_tree(run_document(trace(repository=evil)))
    assert "\x1b" not in text
    assert text.encode()


def test_colour_is_used_only_when_asked_for():
    assert "\x1b[32msolved\x1b[0m" in run_tree(run_document(trace()), color=True)
    assert "\x1b" not in run_tree(run_document(trace()))


def test_runs_are_a_table_and_unknown_is_a_question_mark():
    facts = {"trace_id": "f" * 32, "started": START, "agent": "codex", "repository": "project"}
    ended = {"ended": at(9), "outcome": "solved", "input_tokens": 32300, "output_tokens": 530}
    runs = (
        StoredRun(run_id=RUN_ID, state="sealed", strategy="adaptive-hybrid", **facts, **ended),
        StoredRun(run_id=RUN_ID[:-1] + "b", state="running", strategy="native", **facts),
    )
    assert (
        runs_table(runs)
        == """\
RUN                     STARTED           AGENT  STRATEGY         OUTCOME  TIME    IN      OUT  REPOSITORY
20261130-212530-3f9a1c  2026-11-30 00:53  codex  adaptive-hybrid  solved   9.00 s  32,300  530  project
20261130-212530-3f9a1b  2026-11-30 00:53  codex  native           running  ?       ?       ?    project"""
    )
