"""Finds the tags of HTML and of files that look like it, and reads what a page defines and takes from elsewhere.

A scanner and no grammar: those for HTML, Vue, Svelte and Astro need minutes for 200 kB of unclosed tags. A tag that is
never closed ends at the next `<`, so each character is looked at once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Final

from .notebook import Notebook
from .syntax import Syntax

_MOST_SYMBOLS: Final = 300
_MOST_IMPORTS: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Tag:
    """An opening tag. `begins` and `ends` are its place; `inner` that of its text, for a script or style."""

    name: str
    begins: int
    ends: int
    said: str
    inner: tuple[int, int] | None = None

    def attributes(self) -> dict[str, str]:
        """Values by lower-case name, without quotes, expressions in their braces; the first of a name counts."""
        found: dict[str, str] = {}
        for attribute in _ATTRIBUTE.finditer(self.said):
            value = next((group for group in attribute.groups()[1:] if group is not None), "")
            found.setdefault(attribute[1].lower(), value)
        return found


_BRACES: Final = r"\{(?:[^{}]++|\{(?:[^{}]++|\{[^{}]*+\})*+\})*+\}"
_TOKEN: Final = re.compile(
    r"<!--(?s:.*?)(?:-->|\Z)|<!\[CDATA\[(?s:.*?)(?:\]\]>|\Z)"
    r"|<(?P<slash>/?)(?P<name>[A-Za-z][^\s/<>\"'={}]*+)"
    rf"(?P<said>(?:=\s*+\"[^\"]*+(?:\"|\Z)|=\s*+'[^']*+(?:'|\Z)|{_BRACES}|[^<>={{]++|[={{])*+)>?"
)
_ATTRIBUTE: Final = re.compile(
    rf"([^\s=<>\"'/{{]+)(?:\s*+=\s*+(?:\"([^\"]*+)\"?|'([^']*+)'?|({_BRACES})|([^\s\"'<>]++)))?"
)


def tags(text: str, at: int = 0) -> Iterator[Tag]:
    """The opening tags from a place on, in order; nothing inside comments, scripts and styles."""
    while token := _TOKEN.search(text, at):
        at = token.end()
        name = token["name"]
        if name is None or token["slash"]:
            continue
        inner = None
        if name.lower() in ("script", "style") and not token["said"].rstrip().endswith("/"):
            closing = _closing(name.lower()).search(text, at)
            inner = (at, closing.start() if closing else len(text))
            at = inner[1]
        yield Tag(name=name, begins=token.start(), ends=token.end(), said=token["said"], inner=inner)


@cache
def _closing(name: str) -> re.Pattern[str]:
    return re.compile(rf"</{name}(?=[\s/>]|\Z)", re.IGNORECASE)


_LINKS: Final = {"script": "src", "style": "src", "link": "href", "iframe": "src", "a": "href", "template": "src"}
_ELSEWHERE: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//|#|\s*$|.*(?:\{|<[?%])")
_COMMENT: Final = re.compile(r"<!--(?s:.*?)(?:-->|\Z)")


def read_html(text: str) -> Syntax:
    """Elements with an id, forms with a name; the local files that scripts, styles, frames and links name."""
    notes = Notebook(text)
    notes.comments.extend(found.group() for found in _COMMENT.finditer(text))
    for tag in tags(text):
        name = tag.name.lower()
        if name in _LINKS or " id" in tag.said or "\nid" in tag.said or "\tid" in tag.said or name == "form":
            _read_tag(notes, tag, name, tag.attributes())
    return notes.syntax()


def _read_tag(notes: Notebook, tag: Tag, name: str, attributes: dict[str, str]) -> None:
    lines = notes.lines(tag.begins, tag.ends)
    signature = notes.text[tag.begins : tag.ends][:300]
    if len(notes.symbols) < _MOST_SYMBOLS:
        identity = attributes.get("id", "")
        if identity and not re.search(r"[\s{<$]", identity):
            notes.symbol("selector", f"#{identity}", lines, signature)
        if name == "form" and attributes.get("name"):
            notes.symbol("object", attributes["name"], lines, signature)
    target = attributes.get(_LINKS.get(name, ""), "")
    if target and len(notes.imports) < _MOST_IMPORTS and not _ELSEWHERE.match(target):
        notes.imports_from(re.split(r"[#?]", target, maxsplit=1)[0], lines[0])
