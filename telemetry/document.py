"""Turns a trace into the document `agenvantage.run/1`: what other programs read of a run."""

from __future__ import annotations

from typing import Any, Final

from .model import AgentTrace

SCHEMA: Final = "agenvantage.run/1"


def run_document(trace: AgentTrace) -> dict[str, Any]:
    raise NotImplementedError
