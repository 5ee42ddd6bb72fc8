"""Says what a reader found in a few words, for tests of readers that work without a parser."""

from __future__ import annotations

from agenvantage.context import patterns
from agenvantage.context.syntax import Syntax


def read(text: str, language: str | None) -> Syntax:
    return patterns.read(text, language)


def places(text: str, language: str | None) -> dict[str, tuple]:
    """By name: kind, first line, last line, container. The last of a name counts."""
    return {s.name: (s.kind, s.start, s.end, s.container) for s in read(text, language).symbols}


def kinds(text: str, language: str | None) -> list[tuple[str, str]]:
    return [(s.kind, s.name) for s in read(text, language).symbols]


def imported(text: str, language: str | None) -> list[str]:
    return [each.module for each in read(text, language).imports]


def uses(text: str, language: str | None, kind: str) -> set[str]:
    """Names used in this way, each with what stands before it."""
    found = read(text, language).uses
    return {f"{use.qualifier}.{use.name}" if use.qualifier else use.name for use in found if use.kind == kind}
