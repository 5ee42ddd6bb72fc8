"""Reads CSS, SCSS and Less: selectors, variables, mixins, and what a sheet imports, includes and extends.

A scanner over `{`, `}` and `;` and no grammar: the one for CSS needs minutes for 200 kB of broken rules, and the one
for SCSS loses its way at `@use … as`, `@include a.b`, placeholders and maps. Rules inside `@media` and the like count
as if they stood outside; a selector that only adds a pseudo-class to one that is known adds no symbol.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, Literal

from .model import NodeKind
from .notebook import Notebook
from .syntax import Syntax
from .tree import first_line

Dialect = Literal["css", "scss", "less"]

_MOST_SYMBOLS: Final = 1_000
_MOST_SELECTORS_OF_A_RULE: Final = 40
_HEAD_CHARACTERS: Final = 2_000

_BLOCK: Final = r"(?P<c>/\*(?s:.*?)(?:\*/|\Z)"
_REST: Final = (
    r"|(?P<s>\"(?:[^\"\\\n]|\\(?s:.))*+\"?|'(?:[^'\\\n]|\\(?s:.))*+'?|(?i:url)\([ \t]*(?![\"' \t])[^)\n]*+\)?"
    r"|[#@]\{[^{}\n]*+\}?|\\(?s:.))|(?P<sign>[{};])"
)
_TOKENS: Final = {
    "css": re.compile(_BLOCK + ")" + _REST),
    "scss": re.compile(_BLOCK + r"|//[^\n]*+)" + _REST),
    "less": re.compile(_BLOCK + r"|//[^\n]*+)" + _REST),
}


def read_css(text: str) -> Syntax:
    return _read(text, "css")


def read_scss(text: str) -> Syntax:
    return _read(text, "scss")


def read_less(text: str) -> Syntax:
    return _read(text, "less")


def _read(text: str, dialect: Dialect) -> Syntax:
    sheet = _Sheet(Notebook(text), dialect)
    for token in _TOKENS[dialect].finditer(text):
        if token["c"] is not None:
            sheet.comment(token.start(), token.end())
        elif token["sign"] is not None:
            sheet.sign(token["sign"], token.start())
    sheet.end(len(text))
    _uses(sheet.notes, _without_comments(text, dialect) if sheet.notes.comments else text, dialect)
    return sheet.notes.syntax()


def _without_comments(text: str, dialect: Dialect) -> str:
    """The same with blanks for comments, every character at its place."""
    return _TOKENS[dialect].sub(lambda token: _SAID.sub(" ", token[0]) if token["c"] is not None else token[0], text)


_SAID: Final = re.compile(r"[^\n]")


@dataclass(slots=True, kw_only=True)
class _Block:
    """An open brace. `name` is what its members are in; `parent` completes `&-suffix`; `steps` are no selectors."""

    name: str | None
    parent: str
    found: list[tuple[NodeKind, str]]
    begins: int
    head: str
    start: int
    doc: str | None
    steps: bool = False


@dataclass(slots=True)
class _Sheet:
    """`at` is where the current head or declaration begins; comments are cut out of it by their places."""

    notes: Notebook
    dialect: Dialect
    at: int = 0
    open: list[_Block] = field(default_factory=list)
    cuts: list[tuple[int, int]] = field(default_factory=list)
    known: set[str] = field(default_factory=set)
    doc_ends: int = -1
    doc: tuple[int, int] = (0, 0)

    def comment(self, begins: int, ends: int) -> None:
        """Comments with nothing but blanks between are one; the last before a rule is its doc."""
        text = self.notes.text
        self.notes.comments.append(text[begins:ends])
        joined = self.doc_ends >= self.at and text[self.doc_ends : begins].count("\n") <= 1
        fresh = begins if not (joined and not text[self.doc_ends : begins].strip()) else self.doc[0]
        self.doc, self.doc_ends = (fresh, ends), ends
        self.cuts.append((begins, ends))

    def sign(self, sign: str, offset: int) -> None:
        head, begins = self._head(offset)
        if sign == ";" and self.dialect == "less" and offset - self.at < 500 and head.count("(") > head.count(")"):
            # The parameters of a mixin may be parted so.
            return
        if sign == "{":
            self._enter(head, begins)
        else:
            if head:
                self._declaration(head, begins, offset)
            if sign == "}" and self.open:
                self._leave(offset)
        self.at = offset + 1
        self.cuts.clear()

    def _head(self, offset: int) -> tuple[str, int]:
        """What stands since the last sign, without comments, and where it begins."""
        text, at = self.notes.text, self.at
        if not self.cuts:
            said = text[at : min(offset, at + _HEAD_CHARACTERS)].lstrip()
            return " ".join(said.split()), min(offset, at + _HEAD_CHARACTERS) - len(said)
        pieces: list[str] = []
        begins = -1
        for cut, after in (*self.cuts, (offset, offset)):
            piece = text[at : min(cut, at + _HEAD_CHARACTERS)]
            if begins < 0 and piece.strip():
                begins = at + len(piece) - len(piece.lstrip())
            pieces.append(piece)
            at = after
        return " ".join("".join(pieces)[:_HEAD_CHARACTERS].split()), begins if begins >= 0 else offset

    def _enter(self, head: str, begins: int) -> None:
        around = self.open[-1] if self.open else None
        doc = self._doc_above(begins)
        block = _Block(
            name=around.name if around else None,
            parent=around.parent if around else "",
            found=[],
            begins=begins,
            head=head,
            start=self._start(begins, doc),
            doc=doc,
            steps=around.steps if around else False,
        )
        self.open.append(block)
        if head.startswith("@"):
            self._at_block(head, block)
        elif head and not block.steps and not head.endswith(":"):
            self._rule(head, block)

    def _doc_above(self, begins: int) -> str | None:
        between = self.notes.text[self.doc_ends : begins] if self.at <= self.doc[1] <= begins else "x"
        if between.strip() or between.count("\n") > 1:
            return None
        return first_line(self.notes.text[self.doc[0] : self.doc[1]][:1_000])

    def _at_block(self, head: str, block: _Block) -> None:
        word, _, rest = head[1:].partition(" ")
        name = _WORD.match(rest)
        kind = _AT_BLOCKS.get(word.rpartition("-")[2] if word.startswith("-") else word)
        if word == "include":
            self._include(rest, block.begins)
        elif kind and name:
            block.found.append((kind, name[0]))
            block.name = name[0]
            block.steps = kind == "object"
        elif (self.dialect == "less" and rest.endswith(":")) or word.endswith(":"):
            block.found.append(("variable", "@" + word.rstrip(":")))
            block.steps = True
        elif word in ("font-face", "page", "property", "counter-style", "font-feature-values"):
            block.steps = True
            if word == "property" and rest.startswith("--"):
                block.found.append(("variable", rest))

    def _rule(self, head: str, block: _Block) -> None:
        if self.dialect == "less" and (mixin := _LESS_MIXIN.match(head)):
            block.found.append(("macro", mixin[1]))
            block.name = mixin[1]
            return
        first = None
        for selector in _split(head)[:_MOST_SELECTORS_OF_A_RULE]:
            name, bare = self._selector(selector, block.parent)
            if not name:
                continue
            first = first or name
            if (not bare or name not in self.known) and len(self.notes.symbols) < _MOST_SYMBOLS:
                self.known.add(name)
                block.found.append(("selector", name))
        block.name = first or block.name
        block.parent = first or block.parent

    def _selector(self, selector: str, parent: str) -> tuple[str, bool]:
        """The name of a selector without its pseudo-classes, and whether it had any; empty if nothing else is left."""
        name = selector
        if selector.startswith("&"):
            suffix = _SUFFIX.match(selector)
            if suffix and parent and len(parent) < 100:
                name = parent + selector[1:]
            elif not _SUFFIX.match(selector) and not _MORE.match(selector):
                return "", True
        bare = _PSEUDO.sub("", name).strip()
        if not bare or bare in ("&", "*"):
            return ("", True) if selector.startswith("&") else (name, False)
        return bare, bare != name

    def _declaration(self, head: str, begins: int, offset: int) -> None:
        if head.startswith("@"):
            self._at_rule(head, begins, offset)
        elif head.startswith("--"):
            self._variable(head, begins, offset, _CUSTOM)
        elif head.startswith("$") and not self._inside_routine():
            self._variable(head, begins, offset, _DOLLAR)
        elif self.dialect == "less" and (call := _LESS_CALL.match(head)):
            self.notes.use("calls", call[1], self.notes.line(begins))
        elif self.dialect == "less" and (extended := _LESS_EXTEND.match(head)):
            self.notes.use("inherits", extended[1].removesuffix(" all"), self.notes.line(begins))
        elif composed := _COMPOSES.match(head):
            self._composes(composed, begins)

    def _inside_routine(self) -> bool:
        return any(kind in ("macro", "function") for block in self.open for kind, _ in block.found)

    def _variable(self, head: str, begins: int, offset: int, pattern: re.Pattern[str]) -> None:
        found = pattern.match(head)
        if not found or found[1] in self.known or len(self.notes.symbols) >= _MOST_SYMBOLS:
            return
        self.known.add(found[1])
        container = self.open[-1].name if self.open else None
        doc = self._doc_above(begins)
        lines = self._start(begins, doc), self.notes.line(offset)
        self.notes.symbol("variable", found[1], lines, head, container=container, doc=doc)

    def _start(self, begins: int, doc: str | None) -> int:
        return self.notes.line(self.doc[0] if doc else begins)

    def _at_rule(self, head: str, begins: int, offset: int) -> None:
        word, _, rest = head[1:].partition(" ")
        line = self.notes.line(begins)
        if word in ("import", "use", "forward", "plugin", "reference", "config"):
            self._import(word, rest, line)
        elif word == "include":
            self._include(rest, begins)
        elif word == "extend":
            for name in _split(rest):
                self.notes.use("inherits", name.removesuffix("!optional").strip(), line)
        elif self.dialect == "less" and word.endswith(":"):
            self._variable(head, begins, offset, _AT_VARIABLE)

    def _import(self, word: str, rest: str, line: int) -> None:
        paths = _PATH.findall(rest)
        for quoted, plain in paths if word == "import" else paths[:1]:
            target = quoted or plain
            if not target.startswith(("http:", "https:", "//", "data:")):
                alias = _ALIAS.search(rest)
                self.notes.imports_from(target, line, *([alias[1]] if alias else []))

    def _include(self, rest: str, begins: int) -> None:
        called = _MIXIN_CALL.match(rest)
        if called:
            self.notes.use("calls", called[2], self.notes.line(begins), called[1])

    def _composes(self, composed: re.Match[str], begins: int) -> None:
        line = self.notes.line(begins)
        for name in composed[1].split():
            self.notes.use("inherits", f".{name}", line)
        if composed[2]:
            self.notes.imports_from(composed[2], line)

    def _leave(self, offset: int) -> None:
        block = self.open.pop()
        lines = block.start, self.notes.line(offset)
        container = self.open[-1].name if self.open else None
        for kind, name in block.found:
            self.notes.symbol(kind, name, lines, block.head, container=container, doc=block.doc)

    def end(self, offset: int) -> None:
        while self.open:
            self._leave(offset)


_AT_BLOCKS: Final[dict[str, NodeKind]] = {"mixin": "macro", "function": "function", "keyframes": "object"}
_WORD: Final = re.compile(r"[\w-]+")
_SUFFIX: Final = re.compile(r"&[\w-]")
_MORE: Final = re.compile(r"&[.#\[]|&[ \t]*[>+~]?[ \t]*[.#%\w]")
_PSEUDO: Final = re.compile(r"(?<!\\)::?[A-Za-z-]+(?:\((?:[^()]|\([^()]*\))*\))?")
_CUSTOM: Final = re.compile(r"(--[\w-]+)[ \t]*:")
_DOLLAR: Final = re.compile(r"(\$[\w-]+)[ \t]*:")
_AT_VARIABLE: Final = re.compile(r"(@[\w-]+)[ \t]*:")
_LESS_MIXIN: Final = re.compile(r"([.#][\w-]+)[ \t]*\(.*\)(?:[ \t]*when\b.*)?$")
_LESS_CALL: Final = re.compile(r"(?:#[\w-]+[ \t]*>?[ \t]*)?([.#][\w-]+)[ \t]*(?:\(.*\))?[ \t]*(?:!important)?$")
_LESS_EXTEND: Final = re.compile(r"&:extend\(([^()]*)\)")
_COMPOSES: Final = re.compile(r"composes[ \t]*:[ \t]*([\w \t-]+?)(?:[ \t]+from[ \t]+[\"']([^\"']+)[\"'])?$")
_PATH: Final = re.compile(r"[\"']([^\"']+)[\"']|url\([ \t]*([^\s\"')]+)")
_ALIAS: Final = re.compile(r"\bas[ \t]+([\w*-]+)")
_MIXIN_CALL: Final = re.compile(r"(?:([\w-]+)\.)?([\w-]+)")


def _split(head: str) -> list[str]:
    """The parts of a list of selectors; a comma inside brackets parts none."""
    if "(" not in head and "[" not in head:
        return [part for piece in head.split(",") if (part := piece.strip())]
    return list(_split_outside(head))


def _split_outside(head: str) -> Iterator[str]:
    depth = at = 0
    for sign in re.finditer(r"[(\[)\],]", head):
        if sign[0] == ",":
            if depth == 0:
                yield head[at : sign.start()].strip()
                at = sign.end()
        else:
            depth = max(0, depth + (1 if sign[0] in "([" else -1))
    yield head[at:].strip()


_CUSTOM_USED: Final = re.compile(r"var\([ \t]*(--[\w-]++)")
_DOLLAR_USED: Final = re.compile(r"\$[\w-]++")
_AT_USED: Final = re.compile(r"@\{?[\w-]++")
_OF: Final = re.compile(r"([A-Za-z][\w-]*)\.$")
_TO_COLON: Final = re.compile(r"[ \t]*:")
_AT_WORDS: Final = frozenset(
    """@media @import @charset @keyframes @-webkit-keyframes @-moz-keyframes @font-face @supports @plugin @namespace
    @layer @container @page @arguments @rest @property @tailwind @apply""".split()  # noqa: SIM905
)


def _uses(notes: Notebook, text: str, dialect: Dialect) -> None:
    """Variables that are read, and the functions of the sheet's own that are called. The text has no comments."""
    for found in _CUSTOM_USED.finditer(text):
        notes.use("references", found[1], notes.line(found.start()))
    if dialect == "css":
        return
    for found in (_DOLLAR_USED if dialect == "scss" else _AT_USED).finditer(text):
        name = found[0].replace("{", "")
        if name not in _AT_WORDS and not _TO_COLON.match(text, found.end()):
            of = _OF.search(text[max(0, found.start() - 60) : found.start()])
            notes.use("references", name, notes.line(found.start()), of[1] if of else None)
    for bracket in _BRACKET.finditer(text):
        called = _CALLED.search(text[max(0, bracket.start() - 80) : bracket.start()])
        if called and called[3] not in _CSS_FUNCTIONS and called[2] != "math" and not called[1]:
            notes.use("calls", called[3], notes.line(bracket.start()), called[2])


_BRACKET: Final = re.compile(r"\(")
_CALLED: Final = re.compile(
    r"(@(?:function|mixin|include)[ \t]+)?(?:(?<![\w.$@#-])([A-Za-z][\w-]*)\.)?(?<![\w.$@:#-])([A-Za-z_][\w-]*)$"
)
_CSS_FUNCTIONS: Final = frozenset(
    """abs acos add adjust-color alpha and append asin atan attr blur brightness calc ceil clamp color color-mix
    comparable conic-gradient contrast cos counter counters cubic-bezier darken data-uri desaturate drop-shadow
    each element env escape extend fade fadein fadeout feature-exists fit-content floor format from
    function-exists get-function grayscale hsl hsla hue hue-rotate hwb if image image-set index inspect invert is
    is-superset join lab lch length lighten lightness linear-gradient local map-get map-has-key map-keys
    map-merge map-remove map-values matrix matrix3d max media min minmax mix mixin mixin-exists mod nth not oklab
    oklch opacity or path percentage perspective polygon pow quote radial-gradient random rect rem repeat
    repeating-linear-gradient repeating-radial-gradient replace rgb rgba rotate rotate3d rotateX rotateY rotateZ
    round saturate saturation scale scale-color scale3d scaleX scaleY selector-append sepia set-nth sign sin skew
    skewX skewY sqrt steps str-index str-insert str-length str-slice supports tan to-lower-case to-upper-case
    transform translate translate3d translateX translateY translateZ type-of unique-id unit unitless unquote url
    var variable-exists when where zip""".split()  # noqa: SIM905
)
