"""Reads prose line by line: its sections, and the local files that it links to or includes.

Lines and no grammar: the one for Markdown ends the process on a thousand nested quotes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from .notebook import Notebook
from .syntax import Syntax

MOST_HEADINGS: Final = 400
_LINE_CHARACTERS: Final = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class Heading:
    """`level` 1 is the outermost; 0 is a document's own title where that stands apart from its text."""

    level: int
    line: int
    name: str
    text: str


def read_markdown(text: str) -> Syntax:
    """Sections of Markdown and MDX; their imports are links to local files, snippets and MDX's own imports."""
    notes = Notebook(text)
    lines = text.split("\n")
    body, title = _front_matter(lines)
    found = [title] if title else []
    for number, line, before in _prose(lines, body):
        heading = _heading(number, line, before)
        if heading:
            found.append(heading)
        _links(notes, number, line)
    _sections(notes, found, lines)
    return notes.syntax()


def _front_matter(lines: list[str]) -> tuple[int, Heading | None]:
    """The number of lines before the body, and the title said there."""
    mark = lines[0].rstrip()
    if mark not in ("---", "+++"):
        return 0, None
    last = next((at for at, line in enumerate(lines[1:200], 1) if line.rstrip() == mark), None)
    if last is None:
        return 0, None
    for at in range(1, last):
        said = re.match(r"title[ \t]*[:=][ \t]*(.+)", lines[at][:_LINE_CHARACTERS])
        if said:
            title = said.group(1).strip().strip("\"'")
            return last + 1, Heading(level=0, line=at + 1, name=title, text=title)
    return last + 1, None


_FENCE: Final = re.compile(r"[ \t>]*(?:[-*+][ \t]+|\d{1,9}[.)][ \t]+)?(`{3,}|~{3,})(.*)")


def _prose(lines: list[str], first: int) -> Iterator[tuple[int, str, str]]:
    """Numbered lines outside code blocks and comments, each with the line before it (empty where that is no text)."""
    fence = before = ""
    comment = False
    for number, whole in enumerate(lines[first:], first + 1):
        line = whole[:_LINE_CHARACTERS].rstrip()
        opening = None if comment else _FENCE.match(line)
        if fence:
            if opening and opening.group(1).startswith(fence) and not opening.group(2).strip():
                fence = ""
            before = ""
        elif comment:
            comment = "-->" not in whole
        elif opening and "`" not in opening.group(2):
            fence = opening.group(1)
            before = ""
        else:
            comment = whole.rfind("<!--") > whole.rfind("-->")
            yield number, line, before
            before = line


_ATX: Final = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?$")
_UNDERLINE: Final = re.compile(r" {0,3}(={2,}|-{2,})$")
_TAG: Final = re.compile(r"[ \t]*<h([1-6])\b[^>]*>(.*?)</h[1-6]>", re.IGNORECASE)
_NO_TITLE: Final = re.compile(
    r" {0,3}(?:[>#|+]|[-*][ \t]|\d{1,9}[.)][ \t]|(?:[-*_][ \t]*){3,}$|\[[^\]]*\]:|</?\w)| {4}|\t|$"
)


def _heading(number: int, line: str, before: str) -> Heading | None:
    atx = _ATX.match(line)
    if atx:
        return _named(len(atx.group(1)), number, atx.group(2) or "", line)
    if _UNDERLINE.match(line) and not _NO_TITLE.match(before):
        return _named(1 if "=" in line else 2, number - 1, before, before)
    tag = _TAG.match(line)
    return _named(int(tag.group(1)), number, tag.group(2), line) if tag else None


_MARKUP: Final = re.compile(r"!?\[([^\[\]]*)\](?:\([^()]*\)|\[[^\[\]]*\])|<[^<>]*>|\{#[^{}]*\}|\*\*|__|`")


def _named(level: int, line: int, title: str, text: str) -> Heading | None:
    """A heading whose name is what a reader sees: no links, tags or stars."""
    shown = _MARKUP.sub(lambda mark: mark.group(1) or "", title)
    name = _MARKUP.sub(lambda mark: mark.group(1) or "", shown).strip()
    return Heading(level=level, line=line, name=name, text=text.strip()) if name else None


_CODE: Final = re.compile(r"`[^`]*`")
_LINKS: Final = re.compile(
    r"\]\([ \t]*<?([^)\s<>]+)[^()]*\)"
    r"|^ {0,3}\[[^\]]+\]:[ \t]*<?([^\s<>]+)"
    r"|^(?:import|export)[ \t](?:[^\"']*?[ \t}]from[ \t]*)?[\"']([^\"']+)[\"']"
    r"|\b(?:rel)?ref[ \t]+\"([^\"]+)\""
    r"|\{[!*]>?[ \t]*([\w./-]+)"
)
_ELSEWHERE: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//|#|\{|<|\$|@?$")


_MAY_LINK: Final = ("](", "]:", 'ref "', "{*", "{!", "import", "export")


def _links(notes: Notebook, number: int, line: str) -> None:
    if not any(sign in line for sign in _MAY_LINK):
        return
    for link in _LINKS.finditer(_CODE.sub("", line)):
        target = link.group(link.lastindex or 0)
        if not _ELSEWHERE.match(target):
            notes.imports_from(re.split(r"[#?]", target, maxsplit=1)[0], number)


def read_text(text: str) -> Syntax:
    """Sections of reStructuredText, AsciiDoc and plain text with underlined titles."""
    notes = Notebook(text)
    lines = text.split("\n")
    ascii_doc = any(_ADOC_TITLE.match(line[:_LINE_CHARACTERS]) for line in lines)
    found = list(_adoc_headings(lines) if ascii_doc else _rst_headings(lines))
    _inclusions(notes, lines)
    _sections(notes, found, lines)
    return notes.syntax()


_ADOC_TITLE: Final = re.compile(r"(={1,6})[ \t]+([^\s=].*)")
_ADOC_BLOCK: Final = re.compile(r"(-{4,}|\.{4,}|/{4,}|\+{4,}|```)")


def _adoc_headings(lines: list[str]) -> Iterator[Heading]:
    block = ""
    for number, whole in enumerate(lines, 1):
        line = whole[:_LINE_CHARACTERS].rstrip()
        if block:
            block = "" if line == block else block
        elif (opening := _ADOC_BLOCK.match(line)) and (line == opening.group(1) or line.startswith("```")):
            block = opening.group(1)
        elif (title := _ADOC_TITLE.match(line)) and (heading := _named(len(title[1]), number, title[2], line)):
            yield heading


_ADORNMENT: Final = re.compile(r"([!-/:-@\[-`{-~])\1{2,}$")


def _rst_headings(lines: list[str]) -> Iterator[Heading]:
    """Titles with a line of punctuation below, or above and below; levels in the order in which the styles appear."""
    levels: dict[tuple[str, bool], int] = {}
    cut = [line[:_LINE_CHARACTERS].rstrip() for line in lines]
    for at in range(1, len(cut)):
        title, line = cut[at - 1].strip(), cut[at]
        if not title or not line or not _ADORNMENT.match(line) or _ADORNMENT.match(title):
            continue
        if len(line) < min(len(title), 4) or not any(letter.isalnum() for letter in title):
            continue
        over = at > 1 and cut[at - 2] == line
        if at > 1 and cut[at - 2] and not over:
            continue
        level = levels.setdefault((line[0], over), len(levels) + 1)
        heading = _named(level, at - over, title, title)
        if heading:
            yield heading


_INCLUDED: Final = re.compile(
    r"[ \t]*\.\.[ \t]+(?:literal)?include::[ \t]*(\S+)|[ \t]*include::([^\[\s]+)\[|.*\bxref:([^\[\s#]+\.adoc)"
)
_DOCUMENTED: Final = re.compile(r"[ \t]*\.\.[ \t]+auto(?:class|function|method|exception|data)::[ \t]*([\w.]+)")
_TOCTREE: Final = re.compile(r"([ \t]*)\.\.[ \t]+toctree::")
_ENTRY: Final = re.compile(r"(?:[^<>]*<)?([\w./-]+)>?$")


def _inclusions(notes: Notebook, lines: list[str]) -> None:
    margin: int | None = None
    for number, whole in enumerate(lines, 1):
        line = whole[:_LINE_CHARACTERS].rstrip()
        if margin is not None and line:
            if len(line) - len(line.lstrip()) <= margin:
                margin = None
            elif entry := _ENTRY.match(line.strip()):
                notes.imports_from(entry[1], number)
                continue
        if tree := _TOCTREE.match(line):
            margin = len(tree[1])
        elif included := _INCLUDED.match(line):
            notes.imports_from(included[included.lastindex or 0], number)
        elif documented := _DOCUMENTED.match(line):
            of, _, name = documented[1].rpartition(".")
            notes.use("references", name, number, of or None)


def _sections(notes: Notebook, found: list[Heading], lines: list[str]) -> None:
    """A symbol for each heading, which runs to the next of its level or above; the deepest go where there are many."""
    kept = _shallow(found)
    last_text = _last_lines_with_text(lines, [heading.line for heading in kept])
    open_: list[int] = []
    ends = [len(lines)] * len(kept)
    containers: list[str | None] = []
    for at, heading in enumerate(kept):
        while open_ and kept[open_[-1]].level >= heading.level:
            ends[open_.pop()] = last_text[at]
        containers.append(kept[open_[-1]].name if open_ else None)
        open_.append(at)
    for at in open_:
        ends[at] = last_text[-1]
    for heading, end, container in zip(kept, ends, containers, strict=True):
        notes.symbol("heading", heading.name, (heading.line, end), heading.text, container=container)


def _shallow(found: list[Heading]) -> list[Heading]:
    kept = found
    for deepest in sorted({heading.level for heading in found}, reverse=True)[:12]:
        kept = [heading for heading in found if heading.level <= deepest]
        if len(kept) <= MOST_HEADINGS:
            break
    return kept[:MOST_HEADINGS]


def _last_lines_with_text(lines: list[str], starts: Iterable[int]) -> list[int]:
    """For each start, and for the end of the text, the last line before it that is not empty."""
    found = []
    for start in (*starts, len(lines) + 1):
        line = start - 1
        while line > 1 and not lines[line - 1].strip():
            line -= 1
        found.append(max(1, line))
    return found
