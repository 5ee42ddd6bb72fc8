"""Reads settings and data: the outer keys of JSON, YAML, TOML and INI, and the local files that their values name.

Keys count to a depth of two, outside lists. Where they are more than `MOST_KEYS` the deepest are left out, so that
a translation table or a lock file does not drown the definitions of a program. By hand and no grammar: the one for
YAML ends the process on deep lists, and none of them reads templates or stops early.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from .notebook import Notebook
from .syntax import Syntax

MOST_KEYS: Final = 200
_DEEPEST: Final = 2
_MOST_FILES: Final = 200
_LINE_CHARACTERS: Final = 400


@dataclass(slots=True, kw_only=True)
class _Key:
    name: str
    depth: int
    start: int
    end: int
    text: str
    container: str | None
    doc: str | None = None


@dataclass(slots=True)
class _Keys:
    """Keys in order; `depth` counts those around one, itself included."""

    notes: Notebook
    found: list[_Key] = field(default_factory=list)

    def add(self, name: str, depth: int, line: int, text: str, container: str | None) -> _Key:
        key = _Key(name=name, depth=depth, start=line, end=line, text=text, container=container)
        self.found.append(key)
        return key

    def value(self, text: str, line: int) -> None:
        """A value that says a local path is a link to that file."""
        if text.startswith(("./", "../")) and len(self.notes.imports) < _MOST_FILES and not re.search(r"[\s{$*]", text):
            self.notes.imports_from(re.split(r"[#?]", text, maxsplit=1)[0], line)

    def syntax(self) -> Syntax:
        kept = self.found
        for depth in range(_DEEPEST, 0, -1):
            kept = [key for key in self.found if key.depth <= depth]
            if len(kept) <= MOST_KEYS:
                break
        for key in kept[:MOST_KEYS]:
            lines = (key.start, key.end)
            self.notes.symbol("key", key.name, lines, key.text, container=key.container, doc=key.doc)
        return self.notes.syntax()


_JSON_TOKEN: Final = re.compile(
    r'"(?:[^"\\\n]|\\.)*+"?'
    r"|'(?:[^'\\\n]|\\.)*+'?"
    r"|//[^\n]*|/\*(?s:.*?)(?:\*/|\Z)"
    r"|[{}\[\]:,]"
    r"|[A-Za-z_$][\w$]*+"
)


def read_json(text: str) -> Syntax:
    """JSON with or without comments, trailing commas and bare keys."""
    reader = _Json(_Keys(Notebook(text)))
    for token in _JSON_TOKEN.finditer(text):
        reader.take(token.group(), token.start())
    reader.close(len(text))
    return reader.keys.syntax()


@dataclass(slots=True)
class _Json:
    """`open` holds, for each bracket, the key whose value it is: None where there is none or it is too deep."""

    keys: _Keys
    open: list[_Key | None] = field(default_factory=list)
    kinds: list[str] = field(default_factory=list)
    lists: int = 0
    current: list[_Key | None] = field(default_factory=list)
    before: tuple[str, int] | None = None
    valued: bool = False

    def take(self, token: str, offset: int) -> None:
        sign = token[0]
        if sign in "{[":
            self._enter(sign)
        elif sign in "}]":
            self._leave(offset)
        elif sign == ",":
            self._end_pair()
        elif sign == ":":
            self._pair()
        elif not token.startswith(("//", "/*")):
            self._scalar(token, offset)

    def _enter(self, sign: str) -> None:
        self.open.append(self.current[-1] if self.current else None)
        self.kinds.append(sign)
        self.current.append(None)
        self.lists += sign == "["
        self.before = None
        self.valued = False

    def _leave(self, offset: int) -> None:
        if self.kinds:
            self.lists -= self.kinds.pop() == "["
            self.current.pop()
            key = self.open.pop()
            if key:
                key.end = self.keys.notes.line(offset)
        self.before = None

    def _end_pair(self) -> None:
        if self.current:
            self.current[-1] = None
        self.before = None
        self.valued = False

    def _pair(self) -> None:
        depth = len(self.kinds)
        if self.before is None or not self.kinds or self.kinds[-1] != "{" or self.valued:
            return
        spelled, offset = self.before
        self.valued = True
        self.before = None
        if self.lists or depth > _DEEPEST:
            self.current[-1] = None
            return
        around = self.open[-1]
        text = self.keys.notes.text[offset : offset + 160].split("\n", 1)[0].rstrip(" \t\r,{[")
        line = self.keys.notes.line(offset)
        self.current[-1] = self.keys.add(_bare(spelled), depth, line, text, around.name if around else None)

    def _scalar(self, token: str, offset: int) -> None:
        if token[0] in "\"'" and "/" in token[:4]:
            self.keys.value(_bare(token), self.keys.notes.line(offset))
        if not self.valued:
            self.before = (token, offset)

    def close(self, offset: int) -> None:
        while self.kinds:
            self._leave(offset)


def _bare(spelled: str) -> str:
    return spelled.strip("\"'").strip()


_YAML_PAIR: Final = re.compile(
    r"(\"(?:[^\"\\]|\\.)*+\"|'[^']*+'"
    r"|[^\s\"'#\-?:,\[\]{}&*!|>%@`](?:[^:\s]|:(?=\S)|[ \t]++(?=[^\s#]))*+)"
    r"[ \t]*+:(?:[ \t]+(.*))?$"
)
_NO_VALUE: Final = re.compile(r"(?:[&!]\S*[ \t]*)*(?:#.*)?$")


def read_yaml(text: str) -> Syntax:
    """Block mappings of YAML, templates and all; nothing inside lists, flow collections or block scalars."""
    reader = _Yaml(_Keys(Notebook(text)))
    for number, whole in enumerate(text.split("\n"), 1):
        line = whole[:_LINE_CHARACTERS].rstrip()
        bare = line.lstrip(" ")
        if not bare or bare[0] == "#" or bare.startswith("{{"):
            reader.comment(bare, number)
        elif bare == line and (bare.startswith("---") or bare == "..."):
            reader.restart()
        else:
            reader.take(bare, len(line) - len(bare), number)
    reader.restart()
    return reader.keys.syntax()


@dataclass(slots=True)
class _Yaml:
    """`closed_at` is the indent of a list item or a valued key: what is deeper belongs to it and holds no keys."""

    keys: _Keys
    open: list[tuple[int, _Key | None]] = field(default_factory=list)
    closed_at: int | None = None
    last: int = 1
    remark: tuple[int, int, str] | None = None

    def comment(self, bare: str, number: int) -> None:
        if not bare.startswith("#") or (self.closed_at is not None and self.last == number):
            return
        if self.remark and self.remark[1] == number - 1:
            self.remark = (self.remark[0], number, self.remark[2])
        else:
            self.remark = (number, number, bare)

    def restart(self) -> None:
        self._pop(0)
        self.closed_at = None

    def take(self, bare: str, indent: int, number: int) -> None:
        if self.closed_at is not None and indent > self.closed_at:
            self.last = number
            self._value(bare, number)
            return
        self.closed_at = None
        item = bare == "-" or bare.startswith("- ")
        # A list may stand at the indent of the key that holds it.
        self._pop(indent + item)
        self.last = number
        if item:
            self.closed_at = indent
            self._value(bare, number)
        elif pair := _YAML_PAIR.match(bare):
            self._key(pair, bare, indent, number)

    def _value(self, bare: str, number: int) -> None:
        if "./" in bare:
            value = bare.removeprefix("- ").rpartition(": ")[2].strip()
            self.keys.value(_bare(value), number)

    def _key(self, pair: re.Match[str], bare: str, indent: int, number: int) -> None:
        value = (pair[2] or "").strip()
        if not _NO_VALUE.match(value):
            self.closed_at = indent
            self.keys.value(_bare(value), number)
        around = self.open[-1][1] if self.open else None
        depth = len(self.open) + 1
        key = None
        if depth <= _DEEPEST:
            key = self.keys.add(_bare(pair[1]), depth, number, bare, around.name if around else None)
            if self.remark and self.remark[1] == number - 1:
                key.start, key.doc = self.remark[0], self.remark[2].strip("# \t") or None
        self.open.append((indent, key))

    def _pop(self, indent: int) -> None:
        while self.open and self.open[-1][0] >= indent:
            key = self.open.pop()[1]
            if key:
                key.end = max(key.end, self.last)


_TABLE: Final = re.compile(r"[ \t]*(\[\[?)[ \t]*([^\[\]]+?)[ \t]*\]\]?[ \t]*(?:#.*)?$")
_TOML_PAIR: Final = re.compile(
    r"[ \t]*((?:[\w-]+|\"[^\"]*\"|'[^']*')(?:[ \t]*\.[ \t]*(?:[\w-]+|\"[^\"]*\"|'[^']*'))*)[ \t]*=[ \t]*(.*)"
)
_TOML_TOKEN: Final = re.compile(r"\"\"\"|'''|\"(?:[^\"\\]|\\.)*+\"?|'[^']*+'?|#.*|[\[\]{}]")


def read_toml(text: str) -> Syntax:
    """Tables, and the pairs in them but for those of an array of tables."""
    reader = _Toml(_Keys(Notebook(text)))
    for number, line in enumerate(text.split("\n"), 1):
        reader.take(line[:_LINE_CHARACTERS], line, number)
    reader.end()
    return reader.keys.syntax()


@dataclass(slots=True)
class _Toml:
    """`quote` and `brackets` say in which value that spans lines we are."""

    keys: _Keys
    table: _Key | None = None
    listed: bool = False
    pair: _Key | None = None
    quote: str = ""
    brackets: int = 0
    last: int = 1
    remark: tuple[int, int, str] | None = None

    def take(self, line: str, whole: str, number: int) -> None:
        bare = line.strip()
        if self.quote or self.brackets:
            self._go_on(whole, number)
        elif bare.startswith("#"):
            first = self.remark if self.remark and self.remark[1] == number - 1 else (number, number, bare)
            self.remark = (first[0], number, first[2])
        elif header := _TABLE.match(line):
            self._header(header, bare, number)
        elif pair := _TOML_PAIR.match(line):
            self._pair(pair, whole, bare, number)
        elif bare:
            self.last = number

    def _go_on(self, whole: str, number: int) -> None:
        self._count(whole)
        self.last = number
        if self.pair:
            self.pair.end = number

    def _header(self, header: re.Match[str], bare: str, number: int) -> None:
        """A table opens; the tables of an array that follow each other count as one."""
        self.end()
        listed, name = header[1] == "[[", _unquoted(header[2])
        if not (listed and self.listed and self.table and self.table.name == name):
            self.table = self.keys.add(name, 1, number, bare, None)
            self._remarked(self.table, number)
        self.listed = listed
        self.last = number

    def _pair(self, pair: re.Match[str], whole: str, bare: str, number: int) -> None:
        self.last = number
        self.pair = None
        if not self.listed:
            depth, container = (2, self.table.name) if self.table else (1, None)
            self.pair = self.keys.add(_unquoted(pair[1]), depth, number, bare, container)
            self._remarked(self.pair, number)
        self.keys.value(_bare(pair[2].partition(" #")[0]), number)
        self._count(whole[pair.start(2) :])

    def _remarked(self, key: _Key, number: int) -> None:
        if self.remark and self.remark[1] == number - 1:
            key.start, key.doc = self.remark[0], self.remark[2].strip("# \t") or None

    def _count(self, text: str) -> None:
        """Which string or how many brackets are still open after this line."""
        at = 0
        if self.quote:
            closing = text.find(self.quote)
            if closing < 0:
                return
            at = closing + 3
            self.quote = ""
        for token in _TOML_TOKEN.finditer(text, at):
            if token.group() in ('"""', "'''"):
                rest = text.find(token.group(), token.end())
                if rest < 0:
                    self.quote = token.group()
                    return
                self._count(text[rest + 3 :])
                return
            self.brackets = max(0, self.brackets + {"[": 1, "{": 1, "]": -1, "}": -1}.get(token.group(), 0))

    def end(self) -> None:
        if self.table:
            self.table.end = max(self.table.end, self.last)


def _unquoted(name: str) -> str:
    return name.replace('"', "").replace("'", "").replace(" ", "") if '"' in name or "'" in name else name


_SECTION: Final = re.compile(r"[ \t]*\[([^\[\]]+)\][ \t]*(?:[#;].*)?$")
_INI_PAIR: Final = re.compile(r"([\w.$/*-][^=:\n]*?)[ \t]*[=:](.*)")


def read_ini(text: str) -> Syntax:
    """Sections and their keys; a line that is indented or follows a backslash goes on with a value."""
    keys = _Keys(Notebook(text))
    section: _Key | None = None
    pair: _Key | None = None
    going_on = False
    for number, whole in enumerate(text.split("\n"), 1):
        line = whole[:_LINE_CHARACTERS].rstrip()
        if not line or line.lstrip().startswith(("#", ";", "!")):
            continue
        if header := _SECTION.match(line):
            section = keys.add(header[1], 1, number, line, None)
            pair = None
        elif (going_on or line[0] in " \t") and pair:
            pair.end = number
        elif said := _INI_PAIR.match(line):
            pair = keys.add(_bare(said[1]), 2 if section else 1, number, line, section.name if section else None)
            keys.value(_bare(said[2]), number)
        if section:
            section.end = number
        going_on = line.endswith("\\")
    return keys.syntax()
