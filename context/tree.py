"""Reads a syntax tree by a language's query: what the captures are called is the contract of `queries/*.scm`.

`@definition.<kind>` (several nodes: from the first to the last) with `@name` and perhaps `@container` · `@scope` with
`@name`: it holds members and is none itself · `@import` and `@import.name` · `@call` and `@call.of`: a name that is
called and what stands before it · `@reference` and `@reference.of` · `@inherits`, `@implements` · `@decorator` ·
`@access`: a word for all members below it · `@doc`: a docstring · `@comment` · `@leading`: an attribute that stands
before a definition · `@export` · `@fact.<kind>` · names that begin with `_` are for predicates.
A reference at the place of a defined, called or inherited name says nothing more, and a name that is imported where a
variable of it is made is no definition. A query file whose first line is `; inherits: a,b` begins with those files.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple, cast

from .facts import INTERESTING, captured, of_call
from .grammars import Found, Rule, parser_of, questions, wrappers
from .languages import OPEN_MEMBERS, SECTIONS, VISIBILITY, Language
from .masks import masked
from .model import NodeKind, Visibility
from .syntax import EXPRESSION, Fact, FactKind, Import, Symbol, Syntax, Use, UseKind

if TYPE_CHECKING:
    from tree_sitter import Node, Query

_SIGNATURE_CHARACTERS: Final = 200
_DOC_CHARACTERS: Final = 160
_NAME_BYTES: Final = 200
_IMPORT_BYTES: Final = 4_000
_MOST_SYMBOLS: Final = 4_000
_MOST_LINES_OF_A_USE: Final = 50
# Of 19,000 real files in 17 languages the one that took most took one step for 34 bytes, most took one for 100.
_STEPS_AT_FIRST: Final = 30
_BYTES_A_STEP: Final = 28
_MOST_PARTS_OF_AN_ERROR: Final = 10_000
# Of code nested thousands deep the query holds each level open, at a cost of their square. People nest tens.
_DEEPEST: Final = 500
# Small: what is left of a query's predicates reads the text of its node through the same function.
_READ: Final = 1_024
_KINDS: Final[tuple[UseKind, ...]] = ("calls", "implements", "inherits", "references")
"""In order of the alphabet."""


def read_tree(source: bytes, language: Language) -> Syntax | None:
    """What the query of a language finds in a source; None if the parser gave up on it."""
    if language.grammar is None or language.query is None:
        return None
    root = _parsed(masked(source, language.name), language.grammar)
    if root is None:
        return None
    asked = questions(language.grammar, language.query)
    gathered = _Gathered(source=source, language=language.name, wrappers=wrappers(language.grammar), rules=asked.rules)
    gathered.take(_matches(asked.query, root))
    return gathered.syntax()


def _parsed(source: bytes, grammar: str) -> Node | None:
    """The root of the tree; None for a source on which the parser is lost.

    Error recovery can be quadratic in time and memory, and its worst may come in one step at the end. So parsing
    stops once it has taken more steps for the bytes behind it than any ordinary source does.
    """
    parser = parser_of(grammar)
    steps = 0

    def lost(offset: int, _error: bool) -> bool:
        nonlocal steps
        steps += 1
        return steps > _STEPS_AT_FIRST + offset // _BYTES_A_STEP

    try:
        tree = parser.parse(lambda offset, _point: source[offset : offset + _READ], progress_callback=lost)
    except ValueError:
        parser.reset()
        return None
    root = tree.root_node
    # A query looks at each part of an error beside all others.
    return None if root.type == "ERROR" and root.child_count > _MOST_PARTS_OF_AN_ERROR else root


def _matches(query: Query, root: Node) -> list[tuple[int, Found]]:
    from tree_sitter import QueryCursor  # noqa: PLC0415  (only who parses loads the parser)

    cursor = QueryCursor(query)
    cursor.set_max_start_depth(_DEEPEST)
    return cursor.matches(root)


class _Definition(NamedTuple):
    """A match before it is placed: `begins` and `ends` are bytes, `start` and `end` lines."""

    kind: str
    name: str
    named_at: int
    begins: int
    ends: int
    start: int
    end: int
    signature: str
    holder: str | None


@dataclass(slots=True, kw_only=True)
class _Gathered:
    """The captures of one file, sorted by what they are."""

    source: bytes
    language: str
    wrappers: frozenset[str]
    rules: Mapping[int, tuple[Rule, ...]]
    text: str | None = None
    """The source, where each byte is a letter."""
    definitions: list[tuple[str, list[Node], Node, Node | None]] = field(default_factory=list)
    imports: dict[tuple[int, str], list[str]] = field(default_factory=dict)
    uses: dict[UseKind, dict[int, tuple[str, str, int]]] = field(default_factory=lambda: {kind: {} for kind in _KINDS})
    """By kind and place: the name, what stands before it (nothing for none), and the line."""
    facts: list[Fact] = field(default_factory=list)
    comments: list[tuple[int, int, int, int]] = field(default_factory=list)
    docs: list[tuple[int, str]] = field(default_factory=list)
    leading: dict[int, int] = field(default_factory=dict)
    decorators: list[tuple[int, int, str]] = field(default_factory=list)
    exports: set[str] = field(default_factory=set)
    told: set[int] = field(default_factory=set)
    imported: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        if self.source.isascii():
            self.text = self.source.decode("ascii")

    def take(self, matches: Iterable[tuple[int, Found]]) -> None:
        """Matches, each with the number of its pattern. The kinds that are met most often come first."""
        rules = self.rules
        for number, captures in matches:
            if number in rules and not self._holds(rules[number], captures):
                continue
            if "call" in captures:
                self._use("calls", captures["call"][0], captures.get("call.of"))
            elif "reference" in captures:
                for node in captures["reference"]:
                    self._use("references", node, captures.get("reference.of"))
            elif "comment" in captures:
                for node in captures["comment"]:
                    self._comment(node)
            elif "name" in captures:
                self._definition(captures)
            elif "import" in captures:
                self._import(captures)
            else:
                self._rest(captures)

    def _holds(self, rules: tuple[Rule, ...], captures: Found) -> bool:
        for rule in rules:
            for node in captures.get(rule.capture, ()):
                if not rule[self._long_text(node)]:
                    return False
        return True

    def _use(self, kind: UseKind, node: Node, of: list[Node] | None) -> None:
        """A place counts once for a kind, with its qualifier where one pattern sees it and another does not."""
        at, uses = node.start_byte, self.uses[kind]
        if not of and at in uses:
            return
        name, qualifier = self._text(node), None
        if of:
            qualifier = _plain(self._text(of[0]))
            uses[at] = name, qualifier or EXPRESSION, node.start_point[0] + 1
        else:
            uses[at] = name, "", node.start_point[0] + 1
        if kind == "calls" and name in INTERESTING:
            self.facts.extend(of_call(self.language, name, qualifier, node))

    def _comment(self, node: Node) -> None:
        begins, row, last = node.start_byte, node.start_point[0], node.end_point[0]
        if node.end_point[1] == 0 and last > row:
            last -= 1
        self.comments.append((begins, node.end_byte, row, last))
        self._leads(begins, row, last)

    def _leads(self, begins: int, row: int, last: int) -> None:
        """What stands alone on its lines may belong to the definition below it."""
        if self._opens_line(begins):
            self.leading[last] = row

    def _opens_line(self, at: int) -> bool:
        return not self.source[self.source.rfind(b"\n", 0, at) + 1 : at].strip()

    def _definition(self, captures: Found) -> None:
        for tag, nodes in captures.items():
            if tag.startswith("definition.") or tag == "scope":
                holder = captures.get("container")
                kind, name = tag.removeprefix("definition."), captures["name"][0]
                self.told.add(name.start_byte)
                self.definitions.append((kind, nodes, name, holder[0] if holder else None))
                return

    def _import(self, captures: Found) -> None:
        parts = captures["import"]
        module = self.source[parts[0].start_byte : parts[-1].end_byte][:_IMPORT_BYTES].decode("utf-8", "replace")
        if "\n" in module:
            module = " ".join(module.split())
        names = self.imports.setdefault((parts[0].start_point[0] + 1, _unquoted(module)), [])
        if taken := captures.get("import.name"):
            self.imported.add(taken[0].start_byte)
            names.append(self.source[taken[0].start_byte : taken[-1].end_byte][:_NAME_BYTES].decode("utf-8", "replace"))

    def _rest(self, captures: Found) -> None:
        for tag, nodes in captures.items():
            for node in nodes:
                if tag in ("inherits", "implements"):
                    self._use(cast(UseKind, tag), node, None)
                elif tag == "decorator":
                    self._decorator(node)
                elif tag == "leading":
                    self._leads(node.start_byte, node.start_point[0], node.end_point[0])
                elif tag == "access":
                    self.definitions.append((tag, [node], node, None))
                elif tag == "doc":
                    self.docs.append((node.start_byte, self._long_text(node)))
                elif tag == "export":
                    self.exports.add(_unquoted(self._text(node)))
                elif tag.startswith("fact."):
                    self._fact(cast(FactKind, tag.removeprefix("fact.")), node)

    def _decorator(self, node: Node) -> None:
        name = self._text(node)
        self.decorators.append((node.start_byte, node.start_point[0] + 1, name))
        last = re.split(r"[.:\\]+", name)[-1]
        if last in INTERESTING:
            before = name[: -len(last)].rstrip(".:\\")
            self.facts.extend(of_call(self.language, last, before or None, node))

    def _fact(self, kind: FactKind, node: Node) -> None:
        name = captured(kind, _unquoted(self._text(node)))
        if name:
            self.facts.append(Fact(kind=kind, name=name, line=node.start_point[0] + 1))

    def _text(self, node: Node) -> str:
        """The first bytes of it: names are not longer."""
        begins, ends = node.start_byte, node.end_byte
        if ends - begins > _NAME_BYTES:
            ends = begins + _NAME_BYTES
        return self.source[begins:ends].decode("utf-8", "replace") if self.text is None else self.text[begins:ends]

    def _long_text(self, node: Node) -> str:
        return self._slice(node.start_byte, node.end_byte)

    def _slice(self, begins: int, ends: int) -> str:
        if self.text is not None:
            return self.text[begins:ends]
        return self.source[begins:ends].decode("utf-8", "replace")

    def syntax(self) -> Syntax:
        found = sorted(self._placed(), key=_place)
        symbols = tuple(_symbols(found, self))[:_MOST_SYMBOLS]
        facts = {(f.line, f.kind, f.name, f.detail or ""): f for f in self.facts}
        texts = [self._slice(begins, ends) for begins, ends, _, _ in sorted(self.comments)]
        return Syntax(
            symbols=symbols,
            imports=tuple(_imports(self.imports)),
            uses=tuple(use for kind in _KINDS for use in _uses(kind, self._lines_of_uses(kind))),
            facts=tuple(facts[key] for key in sorted(facts)),
            comments=(*texts, *(text for _, text in sorted(self.docs))),
            parser="tree-sitter",
        )

    def _lines_of_uses(self, kind: UseKind) -> dict[tuple[str, str], list[int]]:
        """By name and what stands before it. A reference at a place of which more is said is none."""
        uses = self.uses[kind]
        if kind == "references":
            others = (self.told, *(self.uses[other].keys() for other in _KINDS if other != kind))
            uses = {at: uses[at] for at in uses.keys() - set().union(*others)}
        lines: dict[tuple[str, str], list[int]] = {}
        known = lines.get
        for name, of, line in uses.values():
            held = known((name, of))
            if held is None:
                lines[name, of] = [line]
            else:
                held.append(line)
        return lines

    def _placed(self) -> Iterator[_Definition]:
        for kind, nodes, name_node, holder in self.definitions:
            name = _named(self._text(name_node))
            if name and not (kind in _VALUES and name_node.start_byte in self.imported):
                start, end = self._extent(nodes[0], nodes[-1])
                signature = self._signature(nodes[0])
                held_by = _named(self._text(holder)) if holder else None
                begins, ends = nodes[0].start_byte, nodes[-1].end_byte
                yield _Definition(kind, name, name_node.start_byte, begins, ends, start, end, signature, held_by)

    def _extent(self, node: Node, last: Node) -> tuple[int, int]:
        """First and last line with what belongs to it: its decorators, its export, the comments right above."""
        node, last = _outer(node, self.wrappers), _outer(last, self.wrappers)
        start, end = node.start_point[0], last.end_point[0]
        if self.source[last.end_byte - 1 : last.end_byte].isspace():
            # Some grammars count the blank lines that follow to a definition.
            end -= self._blank_before(last.end_byte).count(b"\n")
        if start - 1 in self.leading and self._begins_line(node.start_byte):
            while start - 1 in self.leading:
                start = self.leading[start - 1]
        return start + 1, end + 1

    def _begins_line(self, at: int) -> bool:
        return _HEAD.fullmatch(self.source, self.source.rfind(b"\n", 0, at) + 1, at) is not None

    def _blank_before(self, at: int) -> bytes:
        begins = max(0, at - _NAME_BYTES)
        return self.source[begins + len(self.source[begins:at].rstrip()) : at]

    def _signature(self, node: Node) -> str:
        """The definition without its body, on one line."""
        body = _body(node)
        outer = _outer(node, self.wrappers - _DECORATED if self.wrappers else self.wrappers)
        begins, ends = outer.start_byte, body.start_byte if body is not None else outer.end_byte
        ends = max(begins, min(ends, begins + 8 * _SIGNATURE_CHARACTERS))
        text = self._slice(begins, ends)
        if body is not None and "\n" not in text and text[:1].isalpha():
            return _trimmed(text)
        lines = [one.strip() for one in text.split("\n")]
        kept = [one for one in lines if one and not one.startswith(_NO_SIGNATURE)]
        while len(kept) > 1 and kept[0][0] in "@[" and _ANNOTATIONS.fullmatch(kept[0] + " "):
            kept = kept[1:]
        signature = " ".join(kept if body is not None else _first_statement_of(kept))
        if signature[:1] in ("@", "["):
            signature = _ANNOTATIONS.sub("", signature) or signature
        return _trimmed(signature)


def _trimmed(signature: str) -> str:
    """Without what leads over to the body, and cut off."""
    return signature.strip().removesuffix("=>").rstrip("{: ").removesuffix(" =").strip()[:_SIGNATURE_CHARACTERS]


def _body(node: Node) -> Node | None:
    """Where a definition's body is: in its own, its value's or its last part."""
    body = node.child_by_field_name("body")
    if body is None and (value := node.child_by_field_name("value")) is not None:
        body = value.child_by_field_name("body")
    if body is None and (count := node.child_count):
        last = node.child(count - 1)
        body = last if last is not None and last.type.endswith("_body") else None
    return body


def _first_statement_of(lines: list[str]) -> list[str]:
    """The first line, and those after it until its parentheses are closed."""
    opened = 0
    for number, line in enumerate(lines):
        opened += line.count("(") - line.count(")")
        if opened <= 0:
            return lines[: number + 1]
    return lines[:1]


# What may stand before a definition on its line, if the comment above the line is about the definition.
_HEAD: Final = re.compile(rb"[\w\s]*")
_ANNOTATIONS: Final = re.compile(r"^(?:(?:@[\w.:]+(?:\((?:[^()]|\([^()]*\))*\))?|\[{1,2}[^][]*\]{1,2})\s+)+")
_NO_SIGNATURE: Final = ("//", "/*", "*", "#[")
_DECORATED: Final = frozenset({"decorated_definition"})


def _outer(node: Node, wrappers: frozenset[str]) -> Node:
    """The node with what only wraps it."""
    while wrappers and (parent := node.parent) is not None and parent.type in wrappers:
        node = parent
    return node


# Of several kinds of one definition the one that says most is kept.
_VAGUE: Final = {"class": 1, "constant": 1, "method": 2, "function": 3, "field": 4, "property": 4, "variable": 5}


def _place(each: _Definition) -> tuple[int, int, int, int, str]:
    return each.begins, -each.ends, each.named_at, _VAGUE.get(each.kind, 0), each.kind


_HOLDS_METHODS: Final = frozenset({"class", "interface", "trait", "scope", "struct", "enum", "object", "protocol"})
_OPEN: Final = frozenset({"annotation", "interface", "protocol", "trait"})
_VALUES: Final = frozenset({"variable", "constant"})
_ROUTINES: Final = frozenset({"function", "method", "constructor"})


def _symbols(found: list[_Definition], gathered: _Gathered) -> Iterator[Symbol]:
    """Definitions in order of place, each with the name of the one that holds it, each place and name once."""
    docs = _Docs(gathered)
    decorators = _decorators(found, gathered.decorators)
    around: list[_Definition] = []
    seen: set[tuple[str, int, int] | int] = set()
    functions = {(each.name, each.end) for each in found if each.kind == "function"}
    sections: dict[int, str] = {}
    for each in found:
        place = (each.name, each.start, each.end)
        if each.kind != "scope" and (place in seen or each.named_at in seen):
            continue
        while around and (
            around[-1].ends < each.ends or (around[-1].begins, around[-1].ends) == (each.begins, each.ends)
        ):
            around.pop()
        inside = around[-1] if around else None
        if each.kind == "access":
            sections[inside.named_at if inside else 0] = each.name
            continue
        if each.kind in ("field", "property") and inside and inside.kind == "constructor":
            inside = around[-2] if len(around) > 1 else None
        if each.kind in _VALUES and ((each.name, each.end) in functions or (inside and inside.kind in _ROUTINES)):
            continue
        around.append(each)
        if each.kind == "scope":
            continue
        seen.update((place, each.named_at))
        method = each.kind == "function" and inside is not None and inside.kind in _HOLDS_METHODS
        public = inside is None and each.name in gathered.exports
        yield Symbol(
            kind=cast(NodeKind, "method" if method else each.kind),
            name=each.name,
            start=each.start,
            end=each.end,
            signature=each.signature,
            container=each.holder or (inside.name if inside else None),
            visibility="public" if public else _visibility(each, inside, gathered.language, sections),
            doc=docs.of(each),
            decorators=decorators.get(each.named_at, ()),
        )


def _visibility(
    each: _Definition, inside: _Definition | None, language: str, sections: Mapping[int, str]
) -> Visibility | None:
    visible = VISIBILITY.get(language)
    said = visible(each.name, each.signature) if visible else None
    open_member = each.kind == "enum_member" or (inside is not None and inside.kind in _OPEN)
    if open_member and language in OPEN_MEMBERS and "private " not in each.signature:
        return "public"
    if said is None and inside is not None and inside.kind in (kinds := SECTIONS.get(language, {})):
        return cast(Visibility, sections.get(inside.named_at, kinds[inside.kind]))
    return said


class _Docs:
    """The docstring or leading comment of each definition, by its place."""

    def __init__(self, gathered: _Gathered) -> None:
        self._source = gathered.source
        self._by_row = {row: (begins, ends, last) for begins, ends, row, last in gathered.comments}
        self._docstrings = sorted(gathered.docs)
        self._at = 0

    def of(self, definition: _Definition) -> str | None:
        while self._at < len(self._docstrings) and self._docstrings[self._at][0] < definition.begins:
            self._at += 1
        if self._at < len(self._docstrings):
            begins, text = self._docstrings[self._at]
            # A docstring is the first statement of the body: nothing but the signature stands before it.
            head = self._source[definition.named_at : begins]
            if begins < definition.ends and len(head) < 4_000 and _first_statement(head):
                return first_line(text)
        return self._comment(definition.start - 1, definition.named_at)

    def _comment(self, row: int, before: int) -> str | None:
        """What the first comment says that says something, of those that stand together from this row on."""
        while (comment := self._by_row.get(row)) is not None and comment[0] < before:
            said = first_line(self._source[comment[0] : comment[1]].decode("utf-8", "replace"))
            if said:
                return said
            row = comment[2] + 1
        return None


def _first_statement(head: bytes) -> bool:
    """Whether what stands between a name and a docstring is only parameters and a colon."""
    return head.rstrip().endswith(b":") and not re.search(rb"\n\s*(?:def|class|async|return|if|for|with)\b", head)


def _decorators(found: list[_Definition], named: list[tuple[int, int, str]]) -> dict[int, tuple[str, ...]]:
    """By the place of a definition's name: the decorators on its lines, before it and after any other name."""
    starts = {each.named_at: each.start for each in found if each.kind not in ("scope", "access")}
    places = sorted(starts)
    held: dict[int, list[str]] = {}
    at = 0
    for begins, line, name in sorted(named):
        while at < len(places) and places[at] < begins:
            at += 1
        if at < len(places) and line >= starts[places[at]]:
            held.setdefault(places[at], []).append(name)
    return {place: tuple(names) for place, names in held.items()}


_TAGS: Final = re.compile(r"</?(?:summary|remarks|returns|value|para|inheritdoc|p|ul|li|b|i|code|pre)\s*/?>")
_MARKS: Final = re.compile(r"^(?:\s*#:)?[\s/*#!\-;'\"%<({]+|[\s*/'\")}>]+$")


def first_line(text: str) -> str | None:
    """The first line of a comment or docstring that says something, without its marks."""
    for line in text[:2_000].split("\n"):
        said = _MARKS.sub("", _TAGS.sub("", line) if "<" in line else line)
        if said and any(letter.isalnum() for letter in said):
            return said[:_DOC_CHARACTERS]
    return None


def _imports(found: Mapping[tuple[int, str], list[str]]) -> Iterator[Import]:
    for (line, module), names in sorted(found.items()):
        if module:
            yield Import(module=module, names=tuple(dict.fromkeys(names)), line=line)


def _uses(kind: UseKind, found: Mapping[tuple[str, str], list[int]]) -> Iterator[Use]:
    for key in sorted(found):
        lines = found[key]
        if len(lines) > 1:
            lines = sorted(set(lines))[:_MOST_LINES_OF_A_USE]
        yield Use(kind=kind, name=key[0], qualifier=key[1] or None, lines=tuple(lines))


_PLAIN: Final = re.compile(r"[$@]{0,2}[^\W\d][\w.:$\\]{0,79}")


@lru_cache(maxsize=65_536)
def _plain(text: str) -> str | None:
    """A qualifier that is a plain name, or a dotted one however it spells the dots; None for an expression."""
    if _PLAIN.fullmatch(text):
        return text
    dotted = text.rstrip("!").replace("->", ".").replace("?.", ".").replace("!!.", ".").replace("!.", ".")
    return dotted if _PLAIN.fullmatch(dotted) else None


def _named(text: str) -> str:
    """A name without the quotes or the colon of a symbol; an operator stays as it is."""
    return text.strip("\"'` \n\r\t").removeprefix(":") or text


def _unquoted(text: str) -> str:
    """A text without its quotes; the marks around what C includes are quotes where they are on both sides."""
    bare = text.strip("\"'` \n\r\t")
    return bare[1:-1].strip() if bare.startswith("<") and bare.endswith(">") else bare
