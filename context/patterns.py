"""Definitions and imports by patterns, for languages without a grammar here and for files that no parser reads.

Each line is looked at once, by one pattern that holds all rows of the language (`pattern_table.py`). A definition runs
as long as the lines below it are indented more, and through the closing line (`end`, `}`, `)`) at its own indent.
Comments and strings that span lines are blanked first, so that nothing is found in them. All of it is linear.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Final, cast

from .headings import read_markdown, read_text
from .keys import read_ini, read_json, read_toml, read_yaml
from .languages import VISIBILITY
from .markup import read_html
from .model import NodeKind, Visibility
from .notebook import Notebook
from .pattern_table import ANY, LINE_CHARACTERS, NOT_CALLED, PATTERNS, SHEBANGS, Patterns, Row, spaced
from .sheets import read_css, read_less, read_scss
from .shell import read_shell
from .sql import read_sql
from .syntax import Syntax, UseKind
from .tree import first_line


def _read_page(text: str) -> Syntax:
    return _with_template(text, read_html(text))


def _read_sql(text: str) -> Syntax:
    return _with_template(text, read_sql(text))


def _with_template(text: str, found: Syntax) -> Syntax:
    """Adds what the statements of a template in the text define and take in."""
    templated = PATTERNS["template"]
    if templated is None or not _TEMPLATED.search(text):
        return found
    said = _Reading(text, templated, None).syntax()
    symbols = sorted((*found.symbols, *said.symbols), key=lambda each: (each.start, -each.end, each.name))
    facts = (*found.facts, *said.facts)
    return replace(found, symbols=tuple(symbols), imports=(*found.imports, *said.imports), facts=facts)


_TEMPLATED: Final = re.compile(r"\{%|\{\{|<%")
READERS: Final[Mapping[str, Callable[[str], Syntax]]] = {
    "astro": read_html,
    "bash": read_shell,
    "css": read_css,
    "html": _read_page,
    "ini": read_ini,
    "json": read_json,
    "less": read_less,
    "markdown": read_markdown,
    "rst": read_text,
    "scss": read_scss,
    "sql": _read_sql,
    "svelte": read_html,
    "toml": read_toml,
    "vue": read_html,
    "yaml": read_yaml,
}


def read(text: str, language: str | None) -> Syntax:
    """What line patterns find in a text of this language (None: unknown)."""
    if language is None:
        shebang = SHEBANGS.match(text)
        language = shebang.lastgroup if shebang else None
    reader = READERS.get(language or "")
    if reader:
        return reader(text)
    patterns = PATTERNS.get(language or "", ANY)
    if patterns is None:
        return Syntax()
    found = _Reading(text, patterns, language).syntax()
    return found if patterns is not ANY or found.symbols else replace(found, parser="lines")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Compiled:
    rows: re.Pattern[str]
    each: tuple[re.Pattern[str], ...]
    quiet: re.Pattern[str]
    imports: re.Pattern[str]
    inherits: re.Pattern[str] | None
    implements: re.Pattern[str] | None
    uses: tuple[tuple[UseKind, re.Pattern[str]], ...]
    called: re.Pattern[str] | None
    goes_on: re.Pattern[str] | None
    closes: re.Pattern[str] | None


@cache
def _compiled(patterns: Patterns) -> _Compiled:
    def maybe(pattern: str | None) -> re.Pattern[str] | None:
        return re.compile(spaced(pattern)) if pattern else None

    return _Compiled(
        rows=_one_of([spaced(row.pattern) for row in patterns.rows]),
        each=tuple(re.compile(rf"[ \t]*+(?:{spaced(row.pattern)})") for row in patterns.rows),
        quiet=re.compile(patterns.quiet),
        imports=_one_of(map(spaced, patterns.imports or ("(?!)",))),
        inherits=maybe(patterns.inherits),
        implements=maybe(patterns.implements),
        uses=tuple((kind, re.compile(spaced(pattern))) for kind, pattern in patterns.uses),
        called=re.compile(patterns.called) if patterns.called else None,
        goes_on=maybe(patterns.goes_on),
        closes=maybe(patterns.closes),
    )


def _one_of(alternatives: Iterable[str]) -> re.Pattern[str]:
    """The first alternative that fits, at the first character that is no blank; its group is `a` and its place."""
    return re.compile(r"[ \t]*+(?:" + "|".join(f"(?P<a{at}>{each})" for at, each in enumerate(alternatives)) + ")")


@dataclass(slots=True, kw_only=True)
class _Open:
    """A definition while its end is not known."""

    kind: NodeKind
    name: str
    start: int
    end: int
    indent: int
    opens: bool
    """Whether a closing line at its own indent may be its last."""
    container: str | None
    signature: str
    visibility: Visibility | None
    doc: str | None


_STRING_LINE: Final = "\x01"
_COMMENT_LINE: Final = "\x02"
_BLANKS: Final = " \t\r\f\v\x01\x02"
_CLOSES: Final = re.compile(r"[})\]]|\{$|(?:end|fi|done|esac)\b")
_OPENS: Final = re.compile(r"(?:[{(\[:=>]|\b(?:do|then|begin))$")
_GOES_ON: Final = re.compile(
    r"(?:rescue|ensure|else|elsif|elif|except|finally|catch|after|then|begin|where|is|as)\b|#"
    r"|(?:public|private|protected|signals|slots)[\w \t]*:(?!:)"
)
_TYPES_ONLY: Final = re.compile(r"[ \t]*(?:@(?:spec|type|typep|opaque|callback)|-(?:spec|type|opaque|callback))\b")
_ROUTINES: Final = frozenset({"function", "method", "constructor", "macro", "command"})
_VALUES: Final = frozenset({"constant", "variable", "field", "property", "enum_member", "key", "type"})
_HOLDS_METHODS: Final = frozenset({"class", "interface", "trait", "struct", "enum", "object", "protocol", "annotation"})
_NOT_IF_IMPORTED: Final = frozenset({"variable", "constant", "key", "property"})
_IMPORTING: Final = frozenset(
    {"require", "import", "include", "source", "library", "load", "dofile", "requireNamespace"}
)
_MOST_SIGNATURE_LINES: Final = 6
_MOST_LINES_ABOVE: Final = 200
_ENVIRONMENT: Final = re.compile(
    r"(?:getenv|get_env|fetch_env!?|ENV|environ(?:ment)?(?:\.get)?)"
    r"[ \t]*[\[({]{1,2}[ \t]*[\"']?([A-Z][A-Z0-9_]{1,80})|\$env:(\w{1,80})"
)


_HELD: Final = re.compile(r"(.+?)(?:::|[.:])([^.:]+)")
_BASE: Final = re.compile(r"(?:(?:public|private|protected|virtual)[ \t]+)*(?:\w+(?:\.|::|\\))*([^\W\d]\w*)")
_DOC_MARK: Final = re.compile(r"[ \t]*(?:--[ \t]*[|^]|--\[=*\[|@\w+[ \t]+(?:~[sS])?|\{#-?)|[ \t]*-?#\}[ \t]*$")
_NAMES: Final = re.compile(r"[^\s,;]+")
_MOST_NAMES: Final = 40


def _listed(text: str) -> list[str]:
    """The names of a list, without its quotes and brackets; blanks part them where nothing else does."""
    pieces = re.split(r"[,&]", text) if "," in text or " as " in text else re.split(r"[\s&]+", text)
    return [name for piece in pieces[:_MOST_NAMES] if (name := piece.strip(" \t\"'`{}()[];:"))]


def _of(found: re.Match[str]) -> str | None:
    return found["of"] if "of" in found.re.groupindex else None


def _fits(row: Row, indent: int, around: _Open | None) -> bool:
    if row.where == "top":
        return indent == 0
    if row.where == "member":
        return around is not None and around.kind in _HOLDS_METHODS
    return row.where == "any" or around is None or around.kind not in _ROUTINES


class _Reading:
    """One pass over the lines of a text."""

    def __init__(self, text: str, patterns: Patterns, language: str | None) -> None:
        self._patterns = patterns
        self._by = _compiled(patterns)
        self._visible = VISIBILITY.get(language or "")
        self._notes = Notebook(text)
        self._lines = text.split("\n")
        self._bare = self._by.quiet.sub(self._blank, text).split("\n")
        self._found: list[_Open] = []
        self._open: list[_Open] = []
        self._section: _Open | None = None
        self._last = 1
        self._header = (0, "")

    def syntax(self) -> Syntax:
        for number, bare in enumerate(self._bare, 1):
            said = bare.strip(_BLANKS)
            if said:
                self._line(number, bare, said)
        self._close(-1)
        for each in self._found[: self._patterns.most]:
            self._notes.symbol(
                each.kind,
                each.name,
                (each.start, each.end),
                each.signature,
                container=each.container,
                visibility=each.visibility,
                doc=each.doc,
            )
        return self._notes.syntax()

    def _blank(self, match: re.Match[str]) -> str:
        """Nothing for a comment, quotes for a string; as many lines as before."""
        piece = match.group()
        if match.lastgroup != "c":
            return '""' + f"\n{_STRING_LINE}" * piece.count("\n")
        self._notes.comments.append(piece)
        return f"\n{_COMMENT_LINE}" * piece.count("\n")

    def _line(self, number: int, bare: str, said: str) -> None:
        before = bare[: len(bare) - len(bare.lstrip(" \t"))]
        indent = len(before) + 3 * before.count("\t")
        if not self._by.closes:
            self._close(indent + 1)
            if not self._goes_on(indent, said, number):
                self._close(indent)
        line = self._lines[number - 1][:LINE_CHARACTERS].rstrip()
        imported = self._import(line, number)
        self._definition(line, number, indent, imported)
        if self._by.closes:
            self._end_at(self._by.closes, said, number)
        self._uses(line, bare, number, imported)
        self._last = number

    def _goes_on(self, indent: int, said: str, number: int) -> bool:
        """Whether this line belongs to the innermost open definition though it is indented no more than that."""
        top = self._open[-1] if self._open else None
        if top is None or indent != top.indent:
            return False
        if _GOES_ON.match(said) or (self._by.goes_on and self._by.goes_on.match(said)):
            return True
        if not top.opens or not _CLOSES.match(said):
            return False
        top.end = number
        if said[0] in "}e" and not _OPENS.search(said):
            self._open.pop()
        return True

    def _end_at(self, closes: re.Pattern[str], said: str, number: int) -> None:
        for _ in closes.finditer(said):
            if self._open:
                self._open.pop().end = number

    def _close(self, indent: int) -> None:
        """Ends all that is open at this indent or deeper."""
        while self._open and self._open[-1].indent >= indent:
            top = self._open.pop()
            top.end = max(top.end, self._last)
        if indent < 0 and self._section:
            self._section.end = max(self._section.end, self._last)

    def _import(self, line: str, number: int) -> bool:
        found = self._by.imports.match(line)
        if not found or not found.lastindex:
            return False
        at = found.lastindex
        names = found[at + 2] if at + 2 <= self._by.imports.groups else None
        self._notes.imports_from(found[at + 1], number, *_listed(names or ""))
        return True

    def _definition(self, line: str, number: int, indent: int, imported: bool) -> None:
        found = self._by.rows.match(line)
        if not found or not found.lastindex or not found.lastgroup:
            return
        first = int(found.lastgroup[1:])
        name, behind = found[found.lastindex + 1], found.end(found.lastindex + 1)
        around = self._open[-1] if self._open else None
        for at in range(first, len(self._patterns.rows)):
            row = self._patterns.rows[at]
            if not _fits(row, indent, around) or (imported and row.kind in _NOT_IF_IMPORTED):
                continue
            if at > first:
                again = self._by.each[at].match(line)
                if not again:
                    continue
                name, behind = again[1], again.end(1)
            if name and name not in NOT_CALLED:
                self._add(row, name, number, indent, line[behind:])
            return

    def _add(self, row: Row, name: str, number: int, indent: int, rest: str) -> None:
        around = self._open[-1] if self._open else None
        kind = row.kind
        if kind == "function" and around and around.kind in _HOLDS_METHODS:
            kind = "method"
        container = around.name if around else self._section.name if self._section and not row.runs_on else None
        if self._patterns.holders and kind in _ROUTINES and (parts := _HELD.fullmatch(name)):
            kind, container, name = "method" if kind == "function" else kind, parts[1], parts[2]
        self._header = (number, name)
        if self._patterns.clauses and self._again(kind, name, container):
            return
        start, doc = self._above(number)
        signature = self._signature(number)
        opened = _Open(
            kind=kind,
            name=name,
            start=start,
            end=number,
            indent=indent,
            opens=kind not in _VALUES or bool(_OPENS.search(self._bare[number - 1].rstrip(_BLANKS))),
            container=container,
            signature=signature,
            visibility=self._visibility(name, signature),
            doc=doc,
        )
        self._found.append(opened)
        self._bases(kind, rest, number)
        if row.runs_on:
            if self._section:
                self._section.end = max(self._section.end, self._last)
            self._section = opened
        else:
            self._open.append(opened)

    def _again(self, kind: NodeKind, name: str, container: str | None) -> bool:
        """One more clause of the definition right before: that one goes on."""
        latest = self._found[-1] if self._found else None
        if latest is None or (latest.kind, latest.name, latest.container) != (kind, name, container):
            return False
        self._open.append(latest)
        return True

    def _above(self, number: int) -> tuple[int, str | None]:
        """Where the comments and decorators right above a line begin, and what the comment says first."""
        start = number
        comments: list[str] = []
        while start > max(1, number - _MOST_LINES_ABOVE):
            line, bare = self._lines[start - 2], self._bare[start - 2]
            if not bare.strip(" \t\r\x02") and (line.strip() or _COMMENT_LINE in bare):
                comments.append(line)
            elif not line.lstrip().startswith(self._patterns.leading or ("\0",)):
                break
            start -= 1
        said = "\n".join(_DOC_MARK.sub("", line) for line in reversed(comments[-40:]))
        return start, first_line(said)

    def _signature(self, number: int) -> str:
        """The line of a definition, and those below it while its brackets are open; without what opens a body."""
        lines = self._lines[number - 1 : number - 1 + _MOST_SIGNATURE_LINES]
        text = ""
        for line in lines:
            text += " " + line[:LINE_CHARACTERS].strip()
            if text.count("(") <= text.count(")"):
                break
        else:
            text = lines[0][:LINE_CHARACTERS].strip()
        for ending in (" do", "{", ":", "=>", "->", "="):
            text = text.strip().removesuffix(ending)
        return text

    def _visibility(self, name: str, signature: str) -> Visibility | None:
        if self._visible:
            return self._visible(name, signature)
        private, public = self._patterns.private, self._patterns.public
        if private and re.match(private, signature):
            return "private"
        return "public" if public and re.match(public, signature) else None

    def _bases(self, kind: NodeKind, rest: str, number: int) -> None:
        if kind not in _HOLDS_METHODS:
            return
        for use, pattern in (("inherits", self._by.inherits), ("implements", self._by.implements)):
            for said in pattern.finditer(rest) if pattern else ():
                for base in filter(None, map(_BASE.match, _listed(said[1]))):
                    self._notes.use(cast(UseKind, use), base[1], number)

    def _uses(self, line: str, bare: str, number: int, imported: bool) -> None:
        for kind, pattern in self._by.uses:
            for found in pattern.finditer(line):
                for name in _NAMES.findall(found["name"]):
                    self._notes.use(kind, name, number, _of(found))
        if self._by.called and not _TYPES_ONLY.match(bare):
            for call in self._by.called.finditer(bare[:4_000]):
                name = call["name"]
                if name in NOT_CALLED or (number, name) == self._header or (imported and name in _IMPORTING):
                    continue
                self._notes.use("calls", name, number, _of(call))
        if "env" in line or "ENV" in line:
            for read in _ENVIRONMENT.finditer(line):
                self._notes.fact("env", read[1] or read[2], number)
