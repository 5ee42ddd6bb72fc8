"""Blanks out what keeps a grammar from reading a source: above all the preprocessor's branches and macros of C and C++.

A grammar reads text before the preprocessor has run, so half a brace in a branch, or a macro where a word of the
language is expected, can hide all that follows. The text keeps its length and its lines, so places stay true.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final


def masked(source: bytes, language: str) -> bytes:
    """The source as the grammar of this language is to see it."""
    mask = MASKS.get(language)
    return mask(source) if mask else source


def _c(source: bytes) -> bytes:
    if _CONDITION.search(source):
        source = _one_branch(source)
    return _macros_blanked(source)


_CONDITION: Final = re.compile(rb"^[ \t]*+#[ \t]*+if", re.MULTILINE)


# Possessive, and unclosed comments and strings run on, so that each byte is looked at once.
_TOKEN: Final = re.compile(
    rb"""//[^\n]*+
    | /\*(?:[^*]++|\*(?!/))*+(?:\*/)?
    | R"([^()\\\s"]{0,16})\((?:[^)]++|\)(?!\1"))*+(?:\)\1")?
    | \b[0-9](?:[\w.]++|'(?=\w))*+
    | "(?:[^"\\\n]++|\\.)*+"? | '(?:[^'\\\n]++|\\.)*+'?
    | ^[ \t]*+\#[ \t]*+(?P<directive>[a-z]++)(?P<rest>(?:[^\n\\]++|\\\r?\n|\\.)*+)
    | [{}()]""",
    re.MULTILINE | re.VERBOSE,
)
_OPENS: Final = frozenset({b"if", b"ifdef", b"ifndef"})
_TURNS: Final = frozenset({b"else", b"elif", b"elifdef", b"elifndef"})
_DEEPEST: Final = 64
_NESTS: Final = {b"{": (1, 0), b"}": (-1, 0), b"(": (0, 1), b")": (0, -1)}


@dataclass(slots=True, kw_only=True)
class _Group:
    """An `#if` with its branches. Depths are of braces and of parentheses; `lowest` is where a branch fell to."""

    at: tuple[int, int]
    never: bool
    directives: list[tuple[int, int]]
    branches: list[tuple[int, int]] = field(default_factory=list)
    begins: int
    lowest: tuple[int, int]
    first_ends_at: tuple[int, int] | None = None
    balanced: bool = True


def _one_branch(source: bytes) -> bytes:
    """Without the directives of conditions, and with the first branch alone where branches are no whole code."""
    text = bytearray(source)
    groups: list[_Group] = []
    depth = (0, 0)
    for token in _TOKEN.finditer(source):
        directive = token["directive"]
        if directive in _OPENS:
            never = directive == b"if" and token["rest"].strip() == b"0"
            span = token.span()
            if len(groups) == _DEEPEST:
                return source
            groups.append(_Group(at=depth, never=never, directives=[span], begins=span[1], lowest=depth))
        elif groups and directive in _TURNS:
            _close_branch(groups[-1], depth, token.span())
            depth = groups[-1].at
        elif groups and directive == b"endif":
            group = groups.pop()
            _close_branch(group, depth, token.span())
            _blank(text, _unwanted(group, source))
            depth = group.first_ends_at or depth
        elif (nests := _NESTS.get(token.group())) is not None:
            depth = (depth[0] + nests[0], depth[1] + nests[1])
            if groups:
                lowest = groups[-1].lowest
                groups[-1].lowest = min(lowest[0], depth[0]), min(lowest[1], depth[1])
    return bytes(text)


def _close_branch(group: _Group, depth: tuple[int, int], directive: tuple[int, int]) -> None:
    group.branches.append((group.begins, directive[0]))
    group.directives.append(directive)
    group.balanced &= depth == group.at == group.lowest
    if group.first_ends_at is None:
        group.first_ends_at = group.at if group.never else depth
    group.begins, group.lowest = directive[1], group.at


def _unwanted(group: _Group, source: bytes) -> Iterator[tuple[int, int]]:
    """The directives, and the branches that can't be read beside the first."""
    yield from group.directives
    if group.never:
        yield group.branches[0]
    elif not (group.balanced and group.at[1] == 0 and all(_is_whole(source, *branch) for branch in group.branches)):
        yield from group.branches[1:]


def _is_whole(source: bytes, begins: int, ends: int) -> bool:
    """Whether a branch ends where a declaration or statement may end."""
    lines = source[max(begins, ends - 2_000) : ends].rstrip().split(b"\n")
    last = next(
        (n for n in range(len(lines) - 1, -1, -1) if _code(lines[n]) and not lines[n].rstrip().endswith(b"*/")), 0
    )
    while last and lines[last - 1].rstrip().endswith(b"\\"):
        last -= 1
    code = _code(lines[last])
    return not code or code.startswith(b"#") or code[-1:] in b";},:{>"


def _code(line: bytes) -> bytes:
    return line.split(b"//")[0].strip()


def _blank(text: bytearray, spans: Iterable[tuple[int, int]]) -> None:
    for begins, ends in spans:
        text[begins:ends] = _NOT_BREAK.sub(b" ", text[begins:ends])


_NOT_BREAK: Final = re.compile(rb"[^\r\n]")
_CONTROL: Final = rb"(?:\}?[ \t]*else|if|for|while|switch|return|case|do)\b"
_MACRO: Final = rb"[A-Z][A-Z0-9_]{2,}+\b(?:\((?:[^(){};\n]++|\([^(){};\n]*+\))*+\))?"
_HEAD: Final = (
    rb"^[ \t]*+(?:template[ \t]*+<(?:[^<>;{}()\n]++|<[^<>;{}()\n]*+>)*+>[ \t]*+"
    rb"|(?:template|static|extern|inline|constexpr|virtual|explicit|friend|typedef)[ \t]++)*+"
)
_PLACES: Final = tuple(
    re.compile(place, re.MULTILINE)
    for place in (
        # `class API Name`, where the name is followed by what a class may be followed by.
        rb"\b(?:class|struct|union|enum)[ \t]+(" + _MACRO + rb")(?=[ \t]+[A-Za-z_][\w:]*+\s*+(?:final\s*+)?[:{<;\n])",
        # `API type name(` and `API type name;`.
        _HEAD + rb"((?:" + _MACRO + rb"[ \t]++){1,3})"
        rb"(?![A-Z][A-Z0-9_]+[ \t])(?=(?:[a-z_]+[ \t]+)*[A-Za-z_][\w:]*(?:<[^;\n(){}]*>)?[ \t*&]+"
        rb"(?:operator\b|[A-Za-z_~][\w:~]*[ \t]*[(\[;={]))",
        # `API template <...>`.
        rb"^[ \t]*+(" + _MACRO + rb")(?=[ \t]+template\b)",
        # `API Name(` of a constructor, where only the macro's own name tells that it is no type.
        _HEAD + rb"((?=\w*(?:CONSTEXPR|INLINE|API|EXPORT|EXPLICIT|DEPRECATED|NODISCARD|NOINLINE))[A-Z][A-Z0-9_]{2,}+)"
        rb"(?=[ \t]+~?[A-Za-z_]\w*[ \t]*\()",
        # `type CALL name(`.
        rb"^[ \t]*+(?:(?:static|extern|inline|const|constexpr|virtual)[ \t]+)*+"
        rb"(?!(?:return|else|case|goto|typedef|throw|new|delete|using|struct|class|enum|union)\b)"
        rb"[A-Za-z_]\w*+[ \t*&]++([A-Z][A-Z0-9_]{2,}+)(?=[ \t]+[A-Za-z_]\w*[ \t]*\()",
        # `name(...) MACRO;` and `name(...) MACRO {`.
        rb"^(?![ \t]*"
        + _CONTROL
        + rb")[^\n;{}#]*\)[ \t]*(?:const[ \t]+)?("
        + _MACRO
        + rb")(?=[ \t]*(?:[;{]|\n[ \t]*\{))",
        # `EXPORTED(type) name(`: the type stays.
        rb"^[ \t]*+(?:static[ \t]+|extern[ \t]+)?([A-Z]\w+\()[^()\n]+(\))(?=[ \t]+\*?[A-Za-z_]\w*[ \t]*[(;=\[])",
    )
)
# A macro alone on its line, with more code below.
_ALONE: Final = re.compile(rb"^[ \t]*+(" + _MACRO + rb")[ \t]*+$(?=\s*+(?:[A-Za-z_#\[~}]|//|/\*))", re.MULTILINE)


def _macros_blanked(source: bytes) -> bytes:
    text = bytearray(source)
    for place in _PLACES:
        for found in place.finditer(source):
            if not _continues(source, found.start()):
                _blank(text, (found.span(number) for number in range(1, place.groups + 1)))
    for found in _ALONE.finditer(source):
        if not _continues(source, found.start()) and _follows_a_whole(text, found.start()):
            _blank(text, [found.span(1)])
    return bytes(text)


def _continues(source: bytes, at: int) -> bool:
    """Whether this line goes on with the directive above it."""
    return source[max(0, at - 3) : at].endswith((b"\\\n", b"\\\r\n"))


def _follows_a_whole(text: bytearray, at: int) -> bool:
    """Whether the line above ends a declaration or statement, opens a block, or says nothing to the compiler."""
    for _ in range(4):
        begins = text.rfind(b"\n", 0, max(0, at - 1)) + 1
        line = text[begins:at].strip()
        if line or begins == 0:
            return not line or line[-1:] in b";{}>:" or line.startswith((b"#", b"//", b"*", b"/*"))
        at = begins
    return True


# A class whose constructor is named on a line of its own.
_CONSTRUCTOR: Final = re.compile(
    rb"\bclass[ \t]++\w++(?:<[^<>{}()\n]*+>)?[ \t]*+\r?\n"
    rb"((?:\s*+(?:@[\w.:]++(?:\([^(){}\n]*+\))?|private|internal|protected|public)(?!\w))*+"
    rb"\s*+constructor\b)(?=[ \t]*+\()"
)


def _kotlin(source: bytes) -> bytes:
    return _without(source, _CONSTRUCTOR)


_SWIFT_CONDITION: Final = re.compile(rb"^[ \t]*+(#(?:if|elseif|else|endif)\b[^\n]*+)", re.MULTILINE)


def _swift(source: bytes) -> bytes:
    return _without(source, _SWIFT_CONDITION)


def _without(source: bytes, unwanted: re.Pattern[bytes]) -> bytes:
    text = bytearray(source)
    _blank(text, (found.span(1) for found in unwanted.finditer(source)))
    return bytes(text)


MASKS: Final[dict[str, Callable[[bytes], bytes]]] = {
    "c": _c,
    "c-header": _c,
    "cpp": _c,
    "kotlin": _kotlin,
    "swift": _swift,
}
