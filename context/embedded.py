"""Files of several languages: which parts of a component or page are in which language."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from .syntax import Use

HOLDERS: Final = frozenset({"vue", "svelte", "astro", "html"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A piece of a file; `first_line` is the line of the file on which its first line stands."""

    language: str
    first_line: int
    text: str


def parts(text: str, language: str) -> tuple[Part, ...]:
    return ()


def component_uses(text: str, language: str) -> tuple[Use, ...]:
    return ()
