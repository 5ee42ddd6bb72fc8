"""Definitions and imports by patterns, for languages without a grammar here and for files that no parser reads."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from .headings import read_markdown, read_text
from .syntax import Syntax

_READERS: Final[Mapping[str, Callable[[str], Syntax]]] = {
    "markdown": read_markdown,
    "rst": read_text,
}


def read(text: str, language: str | None) -> Syntax:
    """What line patterns find in a text of this language (None: unknown)."""
    reader = _READERS.get(language or "")
    return reader(text) if reader else Syntax(parser="lines")
