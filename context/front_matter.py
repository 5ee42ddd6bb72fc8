"""Reads the front matter of a Markdown file: top-level keys with a text or a list of texts, and nothing else of YAML.

There are no anchors, tags or types, nesting is passed over, and every size is bounded: the text may be hostile.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

Value = str | tuple[str, ...]

_MOST_LINES: Final = 200
_MOST_LINE: Final = 4_000
_MOST_VALUE: Final = 4_000
_MOST_ITEMS: Final = 100
_FENCE: Final = "---"
_KEY: Final = re.compile(r"([A-Za-z_][\w.-]{0,63})[ \t]*:(?:[ \t]+(.*))?$")
_BLOCK: Final = re.compile(r"[|>][+-]?\d?[+-]?$")


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontMatter:
    """The keys by lower-case name, and the text below; `closed` is False where the block never ends."""

    values: Mapping[str, Value] = field(default_factory=dict)
    body: str = ""
    closed: bool = True

    def text(self, *keys: str) -> str:
        """The first of these keys that is there, as one text."""
        value = next((self.values[key.lower()] for key in keys if key.lower() in self.values), "")
        return value if isinstance(value, str) else ", ".join(value)

    def list(self, *keys: str) -> tuple[str, ...]:
        """As `text`, as a list: a text is parted at its commas, those inside of braces left alone."""
        value = next((self.values[key.lower()] for key in keys if key.lower() in self.values), ())
        return tuple(part for item in ((value,) if isinstance(value, str) else value) for part in at_commas(item))

    def true(self, key: str) -> bool:
        return self.text(key).lower() in ("true", "yes", "on")


def read_front_matter(text: str) -> FrontMatter:
    """The front matter at the start of a text; without one all of it is body."""
    lines = text.removeprefix("\ufeff").split("\n", _MOST_LINES + 1)
    if lines[0].rstrip() != _FENCE:
        return FrontMatter(body=text)
    end = next((at for at, line in enumerate(lines[1 : _MOST_LINES + 1], start=1) if line.rstrip() == _FENCE), None)
    if end is None:
        return FrontMatter(body=text, closed=False)
    held = [line[:_MOST_LINE].rstrip() for line in lines[1:end]]
    return FrontMatter(values=_values(held), body="\n".join(lines[end + 1 :]))


def _values(lines: list[str]) -> dict[str, Value]:
    found: dict[str, Value] = {}
    at = 0
    while at < len(lines):
        match = _KEY.match(lines[at])
        at += 1
        if match is None:
            continue
        below = at
        while below < len(lines) and (not lines[below] or lines[below][0] in " \t" or lines[below].startswith("- ")):
            below += 1
        found.setdefault(match[1].lower(), _value((match[2] or "").strip(), lines[at:below]))
        at = below
    return found


def _value(first: str, below: list[str]) -> Value:
    """What stands behind a key's colon and on the lines that belong to it."""
    inner = [line.strip() for line in below]
    if _BLOCK.match(first):
        return ("\n" if first[0] == "|" else " ").join(inner).strip()[:_MOST_VALUE]
    first = _without_comment(first)
    items = [_scalar(line[1:].strip()) for line in inner if line.startswith("-")]
    if not first and items:
        return tuple(item for item in items[:_MOST_ITEMS] if item)
    whole = " ".join((first, *(line for line in inner if not line.startswith("#"))))[:_MOST_VALUE].strip()
    if whole.startswith("[") and whole.endswith("]"):
        return tuple(item for part in at_commas(whole[1:-1])[:_MOST_ITEMS] if (item := _scalar(part)))
    # What is nested below a bare key is no text of it.
    return _scalar(whole if first else "")


def _scalar(text: str) -> str:
    if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"":
        inner = text[1:-1]
        return inner.replace("''", "'") if text[0] == "'" else inner.replace('\\"', '"').replace("\\n", "\n")
    return _without_comment(text)


def _without_comment(text: str) -> str:
    return text if text[:1] in ("'", '"') else text.partition(" #")[0].rstrip()


def at_commas(text: str) -> tuple[str, ...]:
    """The parts between commas that stand in no braces or quotes, each trimmed and without its own quotes."""
    parts, depth, quote, start = [], 0, "", 0
    for at, letter in enumerate(text):
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "'\"" and not text[start:at].strip():
            quote = letter
        elif letter == "{":
            depth += 1
        elif letter == "}":
            depth = max(0, depth - 1)
        elif letter == "," and not depth:
            parts.append(text[start:at])
            start = at + 1
    trimmed = (part.strip() for part in (*parts, text[start:]))
    return tuple(part.strip("'\"") for part in trimmed if part.strip("'\""))
