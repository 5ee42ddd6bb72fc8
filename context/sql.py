"""Reads SQL of any dialect: what its statements create and change, the columns of tables, and what they refer to.

Patterns and no grammar: the one for SQL reads Postgres' own scripts with an error in every second statement, knows
neither procedures nor T-SQL, and needs five seconds for 200 kB of brackets. Comments, texts and dollar-quoted bodies
are blanked first; a statement ends at its `;`, a routine without quotes at the last `END` before the next statement.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from .model import NodeKind
from .notebook import Notebook
from .syntax import Syntax
from .tree import first_line

_MOST_COLUMNS: Final = 200
_STATEMENT_CHARACTERS: Final = 200_000
_QUIET: Final = re.compile(
    r"(?P<c>--[^\n]*+|/\*(?s:.*?)(?:\*/|\Z))"
    r"|'(?:[^'\\]|''|\\(?s:.))*+'?"
    r"|\$(?P<tag>\w*)\$(?s:.*?)(?:\$(?P=tag)\$|\Z)"
)
_SAID: Final = re.compile(r"[^\n]")
_PART: Final = r"(?::?\"[^\"\n]+\"|`[^`\n]+`|\[[^\]\n]+\]|:?[\w$#@]+|\{\{[^{}\n]*\}\}|\$\{[^{}\n]*\})"
_NAME: Final = rf"(?P<name>{_PART}(?:[ \t]*\.[ \t]*{_PART}){{0,3}})"
_BETWEEN: Final = (
    r"or[ \t]+(?:replace|alter)|global|local|temp|temporary|unlogged|transient|unique|clustered|nonclustered|fulltext"
    r"|spatial|materialized|recursive|external|virtual|foreign|constraint|force|editionable|noneditionable|secure"
    r"|definer[ \t]*=[ \t]*\S+|algorithm[ \t]*=[ \t]*\w+|sql[ \t]+security[ \t]+\w+"
)
_THINGS: Final = (
    r"table|view|index|function|procedure|proc|aggregate|trigger|type|domain|schema|sequence|event"
    r"|package(?:[ \t]+body)?|policy"
)
_HEAD: Final = re.compile(
    rf"^[ \t]*(?P<verb>create|alter|drop)\b(?:[ \t\r\n]+(?:{_BETWEEN}))*[ \t\r\n]+(?P<what>{_THINGS})\b"
    rf"(?:[ \t\r\n]+(?:concurrently|if[ \t]+(?:not[ \t]+)?exists|only))*[ \t\r\n]+{_NAME}",
    re.IGNORECASE | re.MULTILINE,
)
_KINDS: Final[dict[str, NodeKind]] = {
    "table": "table",
    "view": "view",
    "index": "object",
    "function": "function",
    "procedure": "function",
    "proc": "function",
    "aggregate": "function",
    "trigger": "function",
    "event": "function",
    "type": "type",
    "domain": "type",
    "schema": "namespace",
    "sequence": "object",
    "package": "package",
    "policy": "object",
}
_ROUTINES: Final = frozenset({"function", "procedure", "proc", "trigger", "event", "package"})
_NEXT: Final = re.compile(
    r"^(?:create|alter|drop|grant|revoke|insert|comment|delimiter|go|set)\b", re.IGNORECASE | re.MULTILINE
)
_END: Final = re.compile(r"^[ \t]*end\b[^;\n]*;?", re.IGNORECASE | re.MULTILINE)


def read_sql(text: str) -> Syntax:
    notes = Notebook(text)
    bare = _QUIET.sub(lambda piece: _blanked(notes, piece), text)
    reading = _Reading(notes, bare)
    for head in _HEAD.finditer(bare):
        reading.statement(head)
    _named_queries(notes, text, bare)
    _uses(notes, bare)
    _bodies(notes, text)
    return notes.syntax()


def _blanked(notes: Notebook, piece: re.Match[str]) -> str:
    if piece["c"] is not None:
        notes.comments.append(piece[0])
    return _SAID.sub(" ", piece[0])


def _plain(name: str) -> tuple[str | None, str]:
    """What holds a name, and the name; both without quotes."""
    parts = [part.strip(':"`[] \t') for part in re.findall(_PART, name)]
    if not parts or parts[-1].startswith(("{", "$")):
        return None, ""
    return (parts[-2] if len(parts) > 1 and "{" not in parts[-2] else None), parts[-1]


@dataclass(slots=True)
class _Reading:
    """The statements of a text; `bare` is the text with blanks for comments and texts, each character at its place."""

    notes: Notebook
    bare: str
    starts: list[int] = field(init=False)
    semicolons: list[int] = field(init=False)

    def __post_init__(self) -> None:
        self.starts = [found.start() for found in _NEXT.finditer(self.bare)]
        self.semicolons = [found.start() for found in re.finditer(";", self.bare)]

    def statement(self, head: re.Match[str]) -> None:
        verb, what = head["verb"].lower(), head["what"].lower().split()[0]
        holder, name = _plain(head["name"])
        begins = head.start() + len(head[0]) - len(head[0].lstrip())
        line = self.notes.line(begins)
        if not name or (name.lower() == head["name"].lower() and name.upper() in _NO_NAMES - _ROWS):
            return
        if what in ("table", "view") or (what == "type" and verb == "create"):
            self.notes.fact("schema", name, line, verb)
        if verb != "create":
            if what in ("table", "view", "type", "function"):
                self.notes.use("references", name, line, holder)
            return
        kind = _KINDS.get(what)
        if kind is None:
            return
        ends = self._end(head.end(), routine=what in _ROUTINES)
        start, doc = self._above(begins, line)
        lines = (start, self.notes.lines(begins, ends)[1])
        self.notes.symbol(kind, name, lines, self._signature(begins, ends), container=holder, doc=doc)
        if what == "table":
            self._columns(name, head.end(), ends)
        elif what in ("index", "trigger", "policy"):
            self._on(head.end(), ends)

    def _end(self, begins: int, *, routine: bool) -> int:
        """Where a statement ends: at its semicolon, or before the next one; a routine at its last END."""
        after = bisect_right(self.starts, begins)
        limit = self.starts[after] if after < len(self.starts) else len(self.bare)
        at = bisect_right(self.semicolons, begins)
        semicolon = self.semicolons[at] + 1 if at < len(self.semicolons) else len(self.bare)
        if routine and "begin" in self.bare[begins : min(limit, begins + _STATEMENT_CHARACTERS)].lower():
            last = begins
            for end in _END.finditer(self.bare, begins, min(limit, begins + _STATEMENT_CHARACTERS)):
                last = end.end()
            if last > begins:
                return last
        ends = min(semicolon, limit)
        return begins + len(self.bare[begins:ends].rstrip())

    def _signature(self, begins: int, ends: int) -> str:
        said = self.notes.text[begins : min(ends, begins + 300)]
        body = re.search(r"[ \t\r\n](?:as|is)[ \t\r\n]|\$\w*\$|;", said, re.IGNORECASE)
        opened = said.find("(\n")
        cut = min(place for place in (body.start() if body else 300, opened if opened >= 0 else 300))
        return said[:cut]

    def _above(self, begins: int, line: int) -> tuple[int, str | None]:
        """The comments right above a statement."""
        text, at, start = self.notes.text, self.notes.text.rfind("\n", 0, begins) + 1, line
        while at > 0 and start > line - 60:
            before = text.rfind("\n", 0, at - 1) + 1
            if self.bare[before : at - 1].strip() or not text[before : at - 1].strip():
                break
            at, start = before, start - 1
        return start, first_line(text[at:begins]) if start < line else None

    def _columns(self, table: str, begins: int, ends: int) -> None:
        opened = self.bare.find("(", begins, min(ends, begins + 400))
        if opened < 0 or self.bare[begins:opened].strip():
            return
        for at, item in list(_items(self.bare[opened + 1 : ends]))[:_MOST_COLUMNS]:
            named = _COLUMN.match(item)
            if not named:
                continue
            if named[1][0] not in '"`[' and named[1].upper() in _CONSTRAINTS:
                continue
            first = opened + 1 + at + named.start(1)
            last = opened + 1 + at + len(item.rstrip())
            said = self.notes.text[first:last]
            self.notes.symbol("field", _plain(named[1])[1], self.notes.lines(first, last), said, container=table)

    def _on(self, begins: int, ends: int) -> None:
        found = _ON.search(self.bare, begins, min(ends, begins + 2_000))
        if found:
            holder, name = _plain(found["name"])
            self.notes.use("references", name, self.notes.line(found.start("name")), holder)


_COLUMN: Final = re.compile(rf"\s*({_PART})\s+[A-Za-z\"\[]")
_CONSTRAINTS: Final = frozenset(
    """CHECK CONSTRAINT EXCLUDE FOREIGN FULLTEXT INDEX KEY LIKE PARTITION PERIOD PRIMARY SPATIAL UNIQUE
    SELECT AS""".split()  # noqa: SIM905
)
_NO_NAMES: Final = frozenset(
    """AS BY CASCADE DUAL EACH FOR FROM IF IN INTO LATERAL NOT NULL OF ON ONLY OR ROW SELECT SET STATEMENT
    TABLE THE THEN UNNEST UPDATE USING VALUES WHERE WITH DELETE INSERT RETURN NEW OLD
    CURRENT_TIMESTAMP""".split()  # noqa: SIM905
)
_ON: Final = re.compile(rf"\bon[ \t\r\n]+(?:only[ \t]+)?{_NAME}", re.IGNORECASE)


_ROWS: Final = frozenset({"NEW", "OLD"})
"""What a trigger calls the rows; a table may be called so too."""


def _items(body: str) -> Iterator[tuple[int, str]]:
    """The parts of a bracket's inside that commas part, with their places; up to the bracket that closes it."""
    depth = at = 0
    for sign in re.finditer(r"[(),]", body):
        if sign[0] == "(":
            depth += 1
        elif sign[0] == "," and depth == 0:
            yield at, body[at : sign.start()]
            at = sign.end()
        elif sign[0] == ")":
            if depth == 0:
                yield at, body[at : sign.start()]
                return
            depth -= 1
    yield at, body[at:]


_NAMED_QUERY: Final = re.compile(r"^--[ \t]*name:[ \t]*([\w-]+)([^\n]*)", re.MULTILINE)


def _named_queries(notes: Notebook, text: str, bare: str) -> None:
    """`-- name: GetUser :one`, as sqlc and aiosql have it: the query below runs to its semicolon."""
    found = list(_NAMED_QUERY.finditer(text))
    for at, named in enumerate(found):
        limit = found[at + 1].start() if at + 1 < len(found) else len(text)
        semicolon = bare.find(";", named.end(), limit)
        ends = named.start() + len(text[named.start() : semicolon + 1 if semicolon >= 0 else limit].rstrip())
        notes.symbol("function", named[1], notes.lines(named.start(), ends), named[0])


_USED: Final = re.compile(
    r"\b(?P<verb>references|from|join|(?:insert|merge|replace)[ \t]+into|update|call|perform|exec"
    r"|execute[ \t]+(?:function|procedure))\b[ \t\r\n]+"
    rf"(?:only[ \t]+|lateral[ \t]+)?{_NAME}(?P<open>[ \t]*\()?",
    re.IGNORECASE,
)
_COLUMN_LISTS: Final = frozenset({"references", "insert", "merge", "replace"})
_CALLING: Final = frozenset({"call", "exec", "execute", "perform"})
_FILES: Final = re.compile(
    r"^[ \t]*(?:\\ir?|\\include|source|:r|@@?)[ \t]+[\"']?([^\s;\"']+)", re.IGNORECASE | re.MULTILINE
)
_MODELS: Final = re.compile(
    r"\{\{-?[ \t]*(?:ref|source)\((?:[ \t]*['\"][^'\"\n]*['\"][ \t]*,)?[ \t]*['\"]([^'\"\n]+)['\"]"
)


def _uses(notes: Notebook, text: str, shift: int = 0) -> None:
    """Tables that statements read, write or point to; routines that they call. `shift` is where the text begins."""
    for found in _USED.finditer(text):
        verb = found["verb"].lower().split()[0]
        holder, name = _plain(found["name"])
        if not name or name.upper() in _NO_NAMES or name[0] in "@#$0123456789":
            continue
        line = notes.line(shift + found.start("name"))
        if verb in _CALLING:
            notes.use("calls", name, line, holder)
        elif not found["open"] or verb in _COLUMN_LISTS:
            notes.use("references", name, line, holder)


def _bodies(notes: Notebook, text: str) -> None:
    """What stands in texts: the bodies of functions, the files that a script reads, the models of dbt."""
    for quoted in _DOLLARS.finditer(text):
        body = _QUIET.sub(lambda piece: _SAID.sub(" ", piece[0]), quoted[2])
        _uses(notes, body, quoted.start(2))
    for file in _FILES.finditer(text):
        notes.imports_from(file[1], notes.line(file.start()))
    for model in _MODELS.finditer(text):
        notes.use("references", model[1], notes.line(model.start()))


_DOLLARS: Final = re.compile(r"\$(\w*)\$((?s:.*?))(?:\$\1\$|\Z)")
