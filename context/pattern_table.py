"""The table of line patterns: how definitions, imports and bases are spelled in each language.

A row's pattern is tried at the first character of a line that is no blank; its first group is the name. A line is cut
to `LINE_CHARACTERS`, and no pattern nests one repetition in another over the same characters, so a line costs little
whatever is on it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal

from .model import NodeKind
from .notebook import MOST_SYMBOLS
from .syntax import UseKind

LINE_CHARACTERS: Final = 300

Where = Literal["any", "top", "outer", "member"]
"""Anywhere · at the left margin · outside functions · directly in a class or the like."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """`runs_on`: to the next such row or the end of the file; else as far as the lines below are indented more."""

    kind: NodeKind
    pattern: str
    where: Where = "any"
    runs_on: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Patterns:
    """One language. A blank stands for one blank or more, ` ?` for any number of them; not so in `quiet` and `called`.

    `quiet` matches comments (as group `c`) and strings. `imports`: first group the module, second the names. `inherits`
    and `implements` are searched behind the name of a definition, their group lists names. `uses` and
    `called`: group `name`, and perhaps `of`, what stands before it. `clauses`: rows of one name that follow
    each other are one definition. `holders`: `a.b` names what holds it. `goes_on` begins lines at a definition's own
    indent that do not end it. `closes`: such a line ends the innermost definition, and indents mean nothing. `leading`
    begins lines that belong to the definition below. `private` and `public` are matched at a signature's begin.
    """

    rows: tuple[Row, ...]
    quiet: str
    imports: tuple[str, ...] = ()
    inherits: str | None = None
    implements: str | None = None
    uses: tuple[tuple[UseKind, str], ...] = ()
    called: str | None = None
    clauses: bool = False
    holders: bool = False
    goes_on: str | None = None
    closes: str | None = None
    private: str | None = None
    public: str | None = None
    leading: tuple[str, ...] = ("@",)
    most: int = MOST_SYMBOLS


_BLANK: Final = re.compile(r"\[(?:\\.|[^\]\\])*\]|\\.| \??")


def spaced(pattern: str) -> str:
    """The pattern as `re` has it: blanks are blanks and tabs, here too."""
    return _BLANK.sub(lambda piece: _BLANKS.get(piece[0], piece[0]), pattern)


_BLANKS: Final = {" ": r"[ \t]+", " ?": r"[ \t]*"}


def _row(kind: NodeKind, pattern: str, where: Where = "any", *, runs_on: bool = False) -> Row:
    return Row(kind=kind, pattern=pattern, where=where, runs_on=runs_on)


def _references(*patterns: str) -> tuple[tuple[UseKind, str], ...]:
    return tuple(("references", pattern) for pattern in patterns)


_W: Final = r"[^\W\d]\w*"
_DOTTED: Final = r"[^\W\d]\w*(?:\.\w+)*"
_CALLED: Final = rf"(?:\b(?P<of>{_W}+)(?:\.|::|:|->))?+\b(?P<name>{_W}+[!?]?)\("
_TYPE: Final = r"(?:[\w$<>\[\],.?*&:]+ )+?[*&]*"

_SLASHES: Final = r"//[^\n]*|/\*(?s:.*?)(?:\*/|\Z)"
_DOUBLE: Final = r'"(?:[^"\\\n]|\\.)*+"?'
_SINGLE: Final = r"'(?:[^'\\\n]|\\.)*+'?"
_LETTER: Final = r"'(?:[^'\\\n]|\\[^\n]{1,8}?)'"
_DOUBLE_OVER_LINES: Final = r'"(?:[^"\\]|\\(?s:.))*+"?'
_SINGLE_OVER_LINES: Final = r"'(?:[^'\\]|\\(?s:.))*+'?"
_TICKED: Final = r"`(?:[^`\\]|\\(?s:.))*+`?"
_DOUBLE_LONG: Final = r'"""(?s:.*?)(?:"""|\Z)'
_SINGLE_LONG: Final = r"'''(?s:.*?)(?:'''|\Z)"


def _quiet(comments: str, *strings: str) -> str:
    return "|".join((f"(?P<c>{comments})", *strings))


_C_LIKE: Final = _quiet(_SLASHES, _DOUBLE, _SINGLE)
_HASH: Final = r"#[^\n]*"
_OPEN: Final = r"(?:(?:public|private|protected|internal|static|final|abstract|sealed|partial|async|override|virtual|" \
    r"open|data|inline|value|inner|export|default|declare|extern|unsafe|readonly|new|suspend|operator|infix|tailrec|" \
    r"lateinit|const|actual|expect|external|fileprivate|indirect|mutating|nonmutating|class|required|convenience|" \
    r"implicit|lazy|case|transparent|native|synchronized|strictfp|default|non-sealed) )*"  # fmt: skip
_NO_TYPE: Final = r"(?!(?:return|else|new|throw|await|yield|delete|import|using|package|case|goto|in|is|as|not)\b)"

_JAVA_IMPORT: Final = rf"import (?:static )?({_DOTTED}(?:\.\*)?)"
_EXTENDS: Final = r"\bextends ([\w.<>, \t]+?)(?=\bimplements\b|\bpermits\b|\bwith\b|[{;]|$)"
_IMPLEMENTS: Final = r"\b(?:implements|with) ([\w.<>, \t]+?)(?=\bpermits\b|\bimplements\b|[{;]|$)"
_SCRIPT: Final = Patterns(
    rows=(
        _row("class", rf"{_OPEN}class ({_W})"),
        _row("interface", rf"{_OPEN}interface ({_W})"),
        _row("enum", rf"{_OPEN}enum ({_W})"),
        _row("type", rf"{_OPEN}type ({_W}) ?[=<]"),
        _row("namespace", rf"{_OPEN}(?:namespace|module) ({_DOTTED})"),
        _row("function", rf"{_OPEN}function\b ?\*? ?({_W})"),
        _row("function", rf"{_OPEN}(?:let |var )?({_W}) ?(?::[^=]+)?= ?(?:async\b ?)?"
            rf"(?:function\b|\([^()]*\)[^=]*=>|{_W} ?=>)", "outer"),
        _row("variable", rf"{_OPEN}(?:let |var |(?<=const[ ]))({_W})", "top"),
        _row("method", rf"{_OPEN}(?:get |set )?\*?(#?{_W}) ?(?:<[^<>]*>)?\(.*\{{ ?$", "member"),
    ),
    quiet=_quiet(_SLASHES, _DOUBLE, _SINGLE, _TICKED),
    imports=(
        r"(?:import|export)\b(?: type)? ?(?:.*?[ \t}]from ?)?[\"']([^\"']+)",
        r".*?\b(?:require|import) ?\( ?[\"']([^\"']+)",
        r"\} ?from ?[\"']([^\"']+)",
    ),
    called=_CALLED,
    inherits=_EXTENDS,
    implements=_IMPLEMENTS,
)  # fmt: skip
_PYTHON: Final = Patterns(
    rows=(
        _row("class", rf"(?:cdef )?class ({_W})"),
        _row("struct", rf"(?:cdef|ctypedef) (?:packed )?(?:struct|union|enum) ({_W})"),
        _row("function", rf"(?:async )?def ({_W})"),
        _row("function", rf"cp?def {_TYPE}({_W}) ?\("),
        _row("function", rf"cp?def ({_W}) ?\("),
        _row("variable", rf"({_W}) ?(?::[^=]+)?=(?!=)", "top"),
        _row("field", rf"({_W}) ?(?:=(?!=)|: ?[^\W\d])", "member"),
    ),
    quiet=_quiet(_HASH, _DOUBLE_LONG, _SINGLE_LONG, _DOUBLE, _SINGLE),
    imports=(r"from ([.\w]+) c?import (.+)", rf"c?import ({_DOTTED})"),
    inherits=r"^ ?\(([\w., \t]+)",
    called=_CALLED,
)
_C: Final = Patterns(
    holders=True,
    rows=(
        _row("macro", rf"# ?define ({_W})"),
        _row("namespace", rf"(?:inline )?namespace ({_W}(?:::\w+)*)"),
        _row("class", rf"(?:template ?<.*> ?)?class (?:[A-Z_]+ )?({_W})(?![^;]*; ?$)"),
        _row("struct", rf"(?:typedef )?(?:struct|union) ({_W})(?![^;{{]*[;(=])"),
        _row("enum", rf"(?:typedef )?enum (?:class |struct )?({_W})(?![^;{{]*[;(=])"),
        _row("type", rf"using ({_W}) ?="),
        _row("type", rf"typedef\b[^;{{]*?({_W}) ?;"),
        _row("function", rf"{_NO_TYPE}{_TYPE}((?:{_W}::)*~?{_W}) ?\((?![^)]*\) ?\()", "outer"),
        _row("constructor", rf"((?:{_W}::)+~?{_W}) ?\(", "outer"),
    ),
    goes_on=r"\w+:$",
    quiet=_quiet(_SLASHES, _DOUBLE, _LETTER),
    imports=(r"# ?include ?[<\"]([^>\"]+)", r"import ([<\"]?[\w./:]+)"),
    inherits=r"^ ?(?:final ?)?:(?!:) ?([\w:<>, \t]+)",
    called=_CALLED,
)
_CSHARP: Final = Patterns(
    rows=(
        _row("namespace", rf"namespace ({_DOTTED}) ?;", runs_on=True),
        _row("namespace", rf"namespace ({_DOTTED})"),
        _row("class", rf"{_OPEN}(?:class|record(?: class)?) ({_W})"),
        _row("struct", rf"{_OPEN}(?:record |ref )?struct ({_W})"),
        _row("interface", rf"{_OPEN}interface ({_W})"),
        _row("enum", rf"{_OPEN}enum ({_W})"),
        _row("function", rf"{_OPEN}delegate {_TYPE}({_W})"),
        _row("method", rf"{_OPEN}{_NO_TYPE}{_TYPE}({_W}) ?(?:<[^<>]*>)?\(", "member"),
        _row("constructor", rf"(?:public|private|protected|internal) ({_W}) ?\(", "member"),
        _row("property", rf"{_OPEN}{_NO_TYPE}{_TYPE}({_W}) ?(?:\{{|=>)", "member"),
        _row("field", rf"{_OPEN}{_NO_TYPE}{_TYPE}({_W}) ?[=;]", "member"),
    ),
    quiet=_quiet(_SLASHES, r'@"(?:[^"]|"")*+"?', _DOUBLE_LONG, _DOUBLE, _LETTER),
    imports=(rf"(?:global )?using (?:static )?(?:{_W} ?= ?)?({_DOTTED}) ?;",),
    inherits=r"^[^:{]*: ?([\w.<>, \t]+)",
    called=_CALLED,
    leading=("[",),
)
_JAVA: Final = Patterns(
    rows=(
        _row("package", rf"package ({_DOTTED})"),
        _row("class", rf"{_OPEN}(?:class|record) ({_W})"),
        _row("interface", rf"{_OPEN}interface ({_W})"),
        _row("annotation", rf"{_OPEN}@interface ({_W})"),
        _row("enum", rf"{_OPEN}enum ({_W})"),
        _row("trait", rf"{_OPEN}trait ({_W})"),
        _row("method", rf"{_OPEN}{_NO_TYPE}{_TYPE}({_W}) ?\((?![^)]*\) ?;? ?\()", "member"),
        _row("constructor", rf"(?:public|private|protected) ({_W}) ?\(", "member"),
        _row("field", rf"{_OPEN}{_NO_TYPE}{_TYPE}({_W}) ?[=;]", "member"),
    ),
    quiet=_quiet(_SLASHES, _DOUBLE_LONG, _DOUBLE, _LETTER),
    imports=(_JAVA_IMPORT,),
    called=_CALLED,
    inherits=_EXTENDS,
    implements=_IMPLEMENTS,
)
_KOTLIN: Final = Patterns(
    holders=True,
    rows=(
        _row("package", rf"package ({_DOTTED})"),
        _row("enum", rf"{_OPEN}enum class ({_W})"),
        _row("annotation", rf"{_OPEN}annotation class ({_W})"),
        _row("interface", rf"{_OPEN}(?:fun )?interface ({_W})"),
        _row("object", rf"{_OPEN}(?:companion )?object ({_W})"),
        _row("class", rf"{_OPEN}(?<=class[ ])({_W})"),
        _row("function", rf"{_OPEN}fun (?:<[^<>]*> ?)?`?((?<=`)[^`]+|(?:{_W}(?:<[^<>]*>)?\.)?{_W})`? ?\("),
        _row("type", rf"{_OPEN}typealias ({_W})"),
        _row("property", rf"{_OPEN}va[lr] ({_W})", "outer"),
    ),
    quiet=_quiet(_SLASHES, _DOUBLE_LONG, _DOUBLE, _LETTER),
    imports=(rf"import ({_DOTTED}(?:\.\*)?)",),
    inherits=r"^(?:<[^<>]*>)? ?(?:\([^()]*\))? ?: ?([\w.<>(), \t]+)",
    called=_CALLED,
)
_SCALA: Final = Patterns(
    rows=(
        _row("package", rf"package ({_DOTTED})"),
        _row("class", rf"{_OPEN}(?<=class[ ])({_W})"),
        _row("trait", rf"{_OPEN}trait ({_W})"),
        _row("object", rf"{_OPEN}object ({_W})"),
        _row("enum", rf"{_OPEN}enum ({_W})"),
        _row("type", rf"{_OPEN}(?:opaque )?type ({_W})"),
        _row("function", rf"{_OPEN}def ({_W})"),
        _row("variable", rf"{_OPEN}va[lr] ({_W})", "outer"),
    ),
    quiet=_quiet(_SLASHES, _DOUBLE_LONG, _DOUBLE, _LETTER),
    imports=(rf"import ({_DOTTED}(?:\.[_*])?)",),
    inherits=r"\bextends ([\w.]+)",
    called=_CALLED,
)
_SWIFT: Final = Patterns(
    rows=(
        _row("class", rf"{_OPEN}(?:actor |(?<=class[ ]))({_W}) ?[:<{{]"),
        _row("struct", rf"{_OPEN}struct ({_W})"),
        _row("enum", rf"{_OPEN}enum ({_W})"),
        _row("protocol", rf"{_OPEN}protocol ({_W})"),
        _row("class", rf"{_OPEN}extension ({_DOTTED})"),
        _row("function", rf"{_OPEN}func ({_W})"),
        _row("constructor", rf"{_OPEN}(init)\b[?!]? ?[(<]", "member"),
        _row("type", rf"{_OPEN}(?:typealias|associatedtype) ({_W})"),
        _row("property", rf"{_OPEN}(?:let|var) ({_W})", "outer"),
    ),
    quiet=_quiet(_SLASHES, _DOUBLE_LONG, _DOUBLE),
    imports=(rf"(?:@testable )?import (?:(?:class|struct|enum|func|protocol) )?({_DOTTED})",),
    inherits=r"^(?:<[^<>]*>)? ?: ?([\w., \t]+)",
    called=_CALLED,
)
_GO: Final = Patterns(
    rows=(
        _row("package", rf"package ({_W})"),
        _row("method", rf"func ?\([^()]*\) ?({_W})"),
        _row("function", rf"func ({_W})"),
        _row("struct", rf"(?:type )?({_W})(?:\[[^\[\]]*\])? struct\b"),
        _row("interface", rf"(?:type )?({_W})(?:\[[^\[\]]*\])? interface\b"),
        _row("type", rf"type ({_W})"),
        _row("constant", rf"const ({_W})", "top"),
        _row("variable", rf"var ({_W})", "top"),
    ),
    quiet=_quiet(_SLASHES, _DOUBLE, r"`[^`]*+`?", _LETTER),
    imports=(r"import (?:[\w.]+ )?[\"`]([^\"`]+)", r"(?:[\w.]+ )?[\"`]([\w.\-~/]+)[\"`] ?$"),
    called=_CALLED,
)
_RUST_OPEN: Final = r"(?:pub(?:\([^()]*\))? )?(?:default )?(?:async )?(?:unsafe )?(?:extern(?: \"[^\"]*\")? )?"
_RUST: Final = Patterns(
    holders=True,
    rows=(
        _row("function", rf"{_RUST_OPEN}(?:const )?(?:unsafe )?fn ({_W})"),
        _row("struct", rf"{_RUST_OPEN}(?:struct|union) ({_W})"),
        _row("enum", rf"{_RUST_OPEN}enum ({_W})"),
        _row("trait", rf"{_RUST_OPEN}trait ({_W})"),
        _row("class", rf"{_RUST_OPEN}impl\b(?:<.*?>)? (?:[^{{]*?[ \t]for )?(?:\w+::)*({_W})"),
        _row("module", rf"{_RUST_OPEN}mod ({_W}) ?\{{"),
        _row("type", rf"{_RUST_OPEN}type ({_W})"),
        _row("constant", rf"{_RUST_OPEN}const ({_W})"),
        _row("variable", rf"{_RUST_OPEN}static (?:mut )?({_W})"),
        _row("macro", rf"macro_rules! ?({_W})"),
    ),
    quiet=_quiet(_SLASHES, r'r(?P<h>#{1,3})"(?s:.*?)(?:"(?P=h)|\Z)', _DOUBLE_OVER_LINES, _LETTER),
    imports=(rf"{_RUST_OPEN}use ([\w:]+)", rf"{_RUST_OPEN}mod ({_W}) ?;"),
    called=_CALLED,
    leading=("#[", "#!["),
)
_RUBY: Final = Patterns(
    rows=(
        _row("class", rf"class ({_W}(?:::\w+)*)"),
        _row("module", rf"module ({_W}(?:::\w+)*)"),
        _row("method", rf"(?:private |protected )?def self\.({_W}[?!=]?)"),
        _row("function", rf"(?:private |protected )?def ({_W}[?!=]?)"),
        _row("constant", r"([A-Z][A-Z0-9_]*) ?=(?!=)", "outer"),
        _row("property", rf"attr_(?:reader|writer|accessor) :({_W})", "member"),
    ),
    quiet=_quiet(r"#[^\n]*|(?<![^\n])=begin\b(?s:.*?)(?:\n=end\b|\Z)", _DOUBLE, _SINGLE),
    imports=(r"(?:require|require_relative|load) ?\(? ?[\"']([^\"']+)",),
    inherits=r"^ ?< ?([\w:]+)",
    called=_CALLED,
)
_PHP: Final = Patterns(
    rows=(
        _row("namespace", r"namespace ([\w\\]+) ?;", runs_on=True),
        _row("class", rf"(?:(?:abstract|final|readonly) )*class ({_W})"),
        _row("interface", rf"interface ({_W})"),
        _row("trait", rf"trait ({_W})"),
        _row("enum", rf"enum ({_W})"),
        _row("function", rf"(?:(?:abstract|final|public|private|protected|static) )*function &? ?({_W})"),
        _row("constant", rf"(?:(?:public|private|protected|final) )*const (?:\w+ )?({_W}) ?=", "outer"),
        _row("property", rf"(?:(?:public|private|protected|static|readonly|var) )+(?:[\w?|\\]+ )?\$({_W})",
            "member"),
    ),
    quiet=_quiet(rf"#(?!\[)[^\n]*|{_SLASHES}", _DOUBLE_OVER_LINES, _SINGLE_OVER_LINES),
    imports=(
        r"use (?:function |const )?([\w\\]+)",
        r"(?:require|include)(?:_once)?\b[^\"';]*[\"']([^\"']+)",
    ),
    called=_CALLED,
    leading=("#[",),
    inherits=r"\bextends ([\w\\, \t]+?)(?=\bimplements\b|[{;]|$)",
    implements=r"\bimplements ([\w\\, \t]+)",
)  # fmt: skip

_LUA: Final = Patterns(
    holders=True,
    rows=(
        _row("function", r"(?:local )?function ([\w.:]+)"),
        _row("function", r"(?:local )?([\w.]+) ?= ?function\b"),
        _row("variable", rf"(?:local )?({_W}) ?(?:<\w+> ?)?=(?!=)", "top"),
    ),
    quiet=_quiet(
        r"--\[(?P<n>=*)\[(?s:.*?)(?:\](?P=n)\]|\Z)|--[^\n]*",
        r"\[(?P<m>=*)\[(?s:.*?)(?:\](?P=m)\]|\Z)",
        _DOUBLE,
        _SINGLE,
    ),
    imports=(r".*?\b(?:require|dofile|loadfile)\b ?\(? ?[\"']([^\"']+)",),
    called=_CALLED,
    private=r"local\b",
)
_ELIXIR: Final = Patterns(
    rows=(
        _row("module", rf"defmodule ({_DOTTED})"),
        _row("protocol", rf"defprotocol ({_DOTTED})"),
        _row("object", rf"defimpl ({_DOTTED})"),
        _row("macro", rf"defmacrop? ({_W}[?!]?)"),
        _row("function", rf"def(?:p|guardp?|delegate|n|np)? ({_W}[?!]?)"),
        _row("type", rf"@(?:type|typep|opaque) ({_W})"),
        _row("constant", rf"@(?!(?:doc|moduledoc|typedoc|spec|impl|callback|macrocallback|behaviour|derive|"
            rf"enforce_keys|deprecated|since|dialyzer|compile|before_compile|after_compile|external_resource|tag|"
            rf"moduletag|describetag|on_load|on_definition|optional_callbacks|type|typep|opaque)\b)({_W}) \S"),
        _row("method", rf"@(?:macro)?callback ({_W}[?!]?)"),
    ),
    quiet=_quiet(
        r"#[^\n]*|@(?:doc|moduledoc|typedoc)[ \t]+(?:~[sS])?(?:\"\"\"(?s:.*?)(?:\"\"\"|\Z)|\"(?:[^\"\\\n]|\\.)*+\"?)",
        _DOUBLE_LONG, _SINGLE_LONG, _DOUBLE, r"\?'", _SINGLE,
    ),
    imports=(rf"(?:alias|import|require|use) ({_DOTTED})(?:\.\{{([^{{}}]*))?",),
    uses=(("implements", rf"@behaviour (?:(?P<of>{_DOTTED})\.)?(?P<name>\w+)"),),
    called=_CALLED,
    clauses=True,
    private=r"def\w*p[ \t]|@typep",
    leading=("@spec", "@impl", "@doc", "@deprecated", "@since", "@typedoc"),
)  # fmt: skip
_ERLANG: Final = Patterns(
    rows=(
        _row("module", r"- ?module\( ?'?([\w@]+)", runs_on=True),
        _row("struct", r"- ?record\( ?'?(\w+)"),
        _row("macro", r"- ?define\( ?(\w+)"),
        _row("type", r"- ?(?:type|opaque) '?(\w+)"),
        _row("method", r"- ?callback '?(\w+)"),
        _row("function", r"([a-z][\w@]*|'[^']+') ?\(", "top"),
    ),
    quiet=_quiet(r"%[^\n]*", r"\$\\?.", _DOUBLE, r"'(?:[^'\\\n]|\\.)*+'"),
    imports=(
        r"- ?include(?:_lib)?\( ?\"([^\"]+)",
        r"- ?import\( ?(\w+)",
    ),
    uses=(
        ("implements", r"- ?behaviou?r\( ?(?P<name>\w+)"),
        ("references", r"#(?P<name>[a-z]\w*)\{"),
    ),
    called=r"(?<![-\w])" + _CALLED,
    clauses=True,
    leading=("-spec",),
)
_HASKELL: Final = Patterns(
    rows=(
        _row("module", r"module ([\w.]+)", runs_on=True),
        _row("type", r"(?:data|newtype)(?: (?:instance|family))? (?:[^=]*=> ?)?([A-Z][\w']*)"),
        _row("type", r"type(?: (?:instance|family))? ([A-Z][\w']*)"),
        _row("class", r"class (?:[^=]*=> ?)?([A-Z][\w']*)"),
        _row("object", r"(?:deriving )?instance (?:[^=]*=> ?)?([A-Z][\w'.]*[^=]*?)(?: where)? ?$"),
        _row("function", r"(?!(?:import|where|let|in|if|then|else|case|of|do|foreign|infix[lr]?|default|deriving|"
            r"pattern|type|data|class|instance|newtype|module)\b)([a-z_][\w']*)(?= ?(?:::|=|\||,|$)| [\w(\[\"~!_'@])",
            "top"),
        _row("method", r"([a-z_][\w']*) ?(?:, ?[a-z_][\w']* ?)*::", "member"),
    ),
    quiet=_quiet(
        r"--+(?![!#$%&*+./<=>?@\\^|~:])[^\n]*|\{-(?s:.*?)(?:-\}|\Z)", _DOUBLE, r"'(?:[^'\\\n]|\\[^'\n]{1,6})'"
    ),
    imports=(r"import (?:safe )?(?:qualified )?(?:\"[^\"]*\" )?([A-Z][\w.']*)[^()]*(?:\(([^()]*))?",),
    clauses=True,
    leading=("{-#",),
)  # fmt: skip
_OCAML: Final = Patterns(
    rows=(
        _row("module", r"module (?:rec )?(?:type )?([A-Z]\w*)"),
        _row("class", rf"class (?:type )?(?:virtual )?(?:\[[^\[\]]*\] ?)?({_W})"),
        _row("type", r"(?:type|and) (?:nonrec )?(?:[+-]?'\w+ |\([^()]*\) ?)?([a-z_][\w']*) ?(?==|$)", "outer"),
        _row("type", r"exception ([A-Z]\w*)"),
        _row("method", rf"method (?:(?:private|virtual)!? )*({_W})"),
        _row("function", r"(?:external|val) (?:mutable )?([a-z_][\w']*)", "outer"),
        _row("function", r"(?:let(?:%\w+)?|and) (?:rec )?([a-z_][\w']*)(?= ?$| [\w(~?_'{\[]| ?= ?fun)", "outer"),
        _row("variable", r"(?:let|and) ([a-z][\w']*) ?[:=]", "outer"),
    ),
    quiet=_quiet(r"\(\*(?s:.*?)(?:\*\)|\Z)", _DOUBLE_OVER_LINES, r"'(?:[^'\\\n]|\\[^'\n]{1,4})'"),
    imports=(r"(?:open!?|include) ([A-Z][\w.]*)",),
    leading=("[@@",),
)  # fmt: skip
_DART: Final = Patterns(
    holders=True,
    rows=(
        _row("class", rf"(?:(?:abstract|base|final|interface|sealed|mixin) )*class ({_W})"),
        _row("trait", rf"(?:base )?mixin ({_W})"),
        _row("enum", rf"enum ({_W})"),
        _row("class", rf"extension (?:type )?({_W})"),
        _row("type", rf"typedef (?:[\w<>?,. ]+? )?({_W})(?:<[^<>]*>)? ?[=(]"),
        _row("property", rf"{_OPEN}(?:[\w<>?,.]+ )?(?:get|set) ({_W})", "outer"),
        _row("constructor", rf"{_OPEN}factory ({_W}(?:\.\w+)?) ?\(", "member"),
        _row("function", rf"{_OPEN}{_NO_TYPE}{_TYPE}({_W}) ?(?:<[^<>]*>)?\((?!.*\) ?[.,] ?$)", "outer"),
        _row("constructor", r"(?:const )?([A-Z]\w*(?:\.\w+)?) ?\(", "member"),
        _row("field", rf"(?:(?:static|final|late|const|covariant|var) )*{_NO_TYPE}(?:{_TYPE})({_W}) ?[=;]", "member"),
        _row("variable", rf"(?:final|const|var|late) (?:{_TYPE})?({_W}) ?=", "top"),
    ),
    quiet=_quiet(_SLASHES, _DOUBLE_LONG, _SINGLE_LONG, _DOUBLE, _SINGLE),
    imports=(r"(?:import|export|part) (?:of )?[\"']([^\"']+)[\"'](?:.*?\bshow ([\w, \t]+))?",),
    called=_CALLED,
    private=r"(?:[^(]*\s)?_",
    inherits=_EXTENDS,
    implements=_IMPLEMENTS,
)  # fmt: skip
_ZIG: Final = Patterns(
    rows=(
        _row("function", rf"(?:pub )?(?:export )?(?:extern (?:\"[^\"]*\" )?)?(?:inline )?fn ({_W})"),
        _row("struct", rf"(?:pub )?const ({_W}) ?= ?(?:packed |extern )?(?:struct|union|opaque)\b"),
        _row("enum", rf"(?:pub )?const ({_W}) ?= ?(?:enum\b|error ?\{{)"),
        _row("constant", rf"(?:pub )?const ({_W}) ?[:=]", "outer"),
        _row("variable", rf"(?:pub )?(?:threadlocal )?var ({_W})", "outer"),
        _row("function", r"test \"([^\"]+)\"", "top"),
        _row("field", rf"({_W}) ?: ?[^=,]+", "member"),
    ),
    quiet=_quiet(r"//[^\n]*", r"\\\\[^\n]*", _DOUBLE, _LETTER),
    imports=(r".*?@(?:import|embedFile|cInclude)\( ?\"([^\"]+)",),
    called=_CALLED,
    public=r"pub\b",
    leading=(),
)  # fmt: skip
_R: Final = Patterns(
    rows=(
        _row("function", r"[`\"']?([\w.]+)[`\"']? ?(?:<<?-|=) ?(?:function\b|\\\()"),
        _row("class", r"([\w.]+) ?(?:<-|=) ?(?:R6::)?(?:R6Class|setRefClass)\("),
        _row("class", r"setClass\( ?[\"']([\w.]+)"),
        _row("function", r"set(?:Generic|Method|Validity)\( ?[\"']([^\"']+)"),
        _row("variable", r"([\w.]+) ?(?:<-|=)(?!=)", "top"),
    ),
    quiet=_quiet(_HASH, _DOUBLE_OVER_LINES, _SINGLE_OVER_LINES),
    imports=(
        r"(?:.*?\b)?(?:library|require|requireNamespace|loadNamespace)\( ?[\"']?([\w.]+)",
        r"(?:.*?\b)?source\( ?(?:file ?= ?)?[\"']([^\"']+)",
    ),
    called=r"(?:\b(?P<of>[A-Za-z][\w.]*+)(?::::?|\$))?+(?<![\w.])(?P<name>[A-Za-z.][\w.]*+)\(",
    leading=("#'",),
)
_JULIA: Final = Patterns(
    holders=True,
    rows=(
        _row("module", rf"(?:bare)?module ({_W})", "top", runs_on=True),
        _row("struct", rf"(?:@\w+ )?(?:mutable )?struct ({_W})"),
        _row("type", rf"(?:abstract|primitive) type ({_W})"),
        _row("macro", rf"macro ({_W})"),
        _row("function", r"(?:@\w+ )*function ((?:\w+\.)*\w+!?)"),
        _row("function", r"(?:@\w+ )*((?:\w+\.)*\w+!?)(?:\{[^{}]*\})?\([^=]*\)[^=]*=(?![=>])", "outer"),
        _row("constant", rf"const ({_W})"),
    ),
    quiet=_quiet(r'#=(?s:.*?)(?:=#|\Z)|#[^\n]*|(?<![^\n])"""(?s:.*?)(?:"""|\Z)', _DOUBLE_LONG, _DOUBLE, _LETTER),
    imports=(r"(?:using|import) ([\w.]+)(?: ?: ?(.+))?", r"include\( ?\"([^\"]+)"),
    inherits=r"^[^<]*<: ?([\w.]+)",
    called=rf"(?:\b(?P<of>{_W}+)\.)?+\b(?P<name>{_W}+!?)\(",
    leading=("@",),
)
_PERL: Final = Patterns(
    holders=True,
    rows=(
        _row("package", r"package ([\w:]+)[^{]*$", runs_on=True),
        _row("package", r"package ([\w:]+)"),
        _row("function", r"sub ([\w:]+)"),
        _row("constant", r"use constant (\w+)"),
        _row("property", r"has [\"']?\+?(\w+)[\"']? ?(?:=>|,)", "top"),
        _row("variable", r"our ([$@%]\w+)", "top"),
    ),
    quiet=_quiet(
        r"(?<![$\\\w])#[^\n]*|(?<![^\n])=[a-z]\w*(?s:.*?)(?:\n=cut\b[^\n]*|\Z)",
        rf"(?<!\$){_DOUBLE}", rf"(?<![$\w]){_SINGLE}"
    ),
    imports=(r"(?:use|require|no) ([A-Z][\w:]*)(?: qw[(/{]([^)/}]*))?", r"(?:require|do) [\"']([^\"']+)"),
    uses=(("inherits", r"use (?:parent|base)\b[^'\"(/]*['\"(/]{1,2}(?:(?P<of>\w+(?:::\w+)*)::)?(?P<name>\w+)"),),
    called=r"(?:\b(?P<of>[\w:]++)->)?+\b(?P<name>[a-zA-Z_]\w*+)\(",
    leading=(),
)  # fmt: skip
_POWERSHELL: Final = Patterns(
    rows=(
        _row("function", r"(?i:function|filter|workflow) (?:\w+:)?([\w-]+)"),
        _row("class", r"(?i:class) (\w+)"),
        _row("enum", r"(?i:enum) (\w+)"),
        _row("method", r"(?:(?i:static|hidden) )*\[[\w.\[\]]+\] ?(\w+) ?\(", "member"),
        _row("property", r"(?:(?i:static|hidden) )*\[[\w.\[\]]+\] ?\$(\w+)", "member"),
        _row("variable", r"\$(?:(?i:script|global):)?(\w+) ?=", "top"),
    ),
    quiet=_quiet(
        r"<#(?s:.*?)(?:#>|\Z)|#[^\n]*",
        r'@"\n(?s:.*?)(?:\n"@|\Z)',
        r"@'\n(?s:.*?)(?:\n'@|\Z)",
        r'"(?:[^"`\n]|`.)*+"?',
        r"'[^'\n]*+'?",
    ),
    imports=(
        r"(?i:import-module|using module) [\"']?([^\s\"';]+)",
        r"\. [\"']?([^\s\"';|]+\.ps1)",
    ),
    inherits=r"^ ?: ?([\w, \t]+)",
    called=r"(?<![\w$.:-])(?P<name>[A-Z][a-zA-Z]+-[A-Z]\w*+)",
    leading=("[",),
)  # fmt: skip
_GROOVY: Final = Patterns(
    rows=(
        *_JAVA.rows[:6],
        _row("command", r"(?:task|tasks\.(?:register|create|named))\b ?\(? ?[\"']?([\w-]+)"),
        _row("function", rf"{_OPEN}def ({_W}) ?\(", "outer"),
        _row("function", rf"(?:project\.)?ext\.({_W}) ?= ?\{{"),
        _row("variable", rf"(?:ext\.|def )({_W}) ?=", "top"),
        *_JAVA.rows[6:],
    ),
    quiet=_quiet(_SLASHES, _DOUBLE_LONG, _SINGLE_LONG, _DOUBLE, _SINGLE),
    imports=(
        _JAVA_IMPORT,
        r"apply (?:from|plugin) ?: ?[\"']([^\"']+)",
        r"id ?\(? ?[\"']([\w.-]+)[\"']",
    ),
    uses=_references(
        r"(?:dependsOn|finalizedBy|mustRunAfter)[ \t(]*[\"']?(?P<name>[\w-]+)",
    ),
    called=_CALLED,
    inherits=_EXTENDS,
    implements=_IMPLEMENTS,
)

_PROTO_TYPE: Final = r"(?:(?P<of>[\w.]+)\.)?(?P<name>[A-Z]\w*)"
_PROTOBUF: Final = Patterns(
    rows=(
        _row("package", rf"package ({_DOTTED})"),
        _row("struct", rf"message ({_W})"),
        _row("enum", rf"enum ({_W})"),
        _row("interface", rf"service ({_W})"),
        _row("method", rf"rpc ({_W})"),
        _row("enum_member", r"([A-Z][A-Z0-9_]*) ?= ?-?\w+", "member"),
        _row("field", rf"(?:(?:repeated|optional|required) )?(?:map ?<[^<>]*>|[\w.]+) ({_W}) ?= ?\d", "outer"),
    ),
    quiet=_C_LIKE,
    imports=(r"import (?:public |weak )?[\"']([^\"']+)",),
    uses=_references(
        rf"(?:repeated |optional |required )?\.?{_PROTO_TYPE} \w+ ?=",
        rf"map ?<[^,]*, ?\.?{_PROTO_TYPE}",
        rf"rpc\b[^(]*\( ?(?:stream )?\.?{_PROTO_TYPE}",
        rf"\breturns ?\( ?(?:stream )?\.?{_PROTO_TYPE}",
        rf"extend \.?{_PROTO_TYPE}",
    ),
    leading=(),
)  # fmt: skip
_GRAPHQL: Final = Patterns(
    rows=(
        _row("class", rf"(?:extend )?(?:type|input) ({_W})"),
        _row("interface", rf"(?:extend )?interface ({_W})"),
        _row("enum", rf"(?:extend )?enum ({_W})"),
        _row("type", rf"(?:extend )?(?:union|scalar) ({_W})"),
        _row("annotation", rf"directive @({_W})"),
        _row("function", rf"(?:query|mutation|subscription|fragment) ({_W})", "top"),
        _row("field", rf"({_W}) ?(?:\(.*\) ?)?:", "member"),
        _row("field", rf"({_W}) ?\( ?$", "member"),
        _row("enum_member", r"([A-Z][A-Z0-9_]*) ?(?:@.*)?$", "member"),
    ),
    quiet=_quiet(rf"#(?![ \t]*import\b)[^\n]*|{_DOUBLE_LONG}", _DOUBLE),
    imports=(r"# ?import (?:.*?from )?[\"']([^\"']+)",),
    implements=r"\bimplements &? ?([\w& \t,]+)",
    uses=_references(
        r"[:=|&] ?\[*(?P<name>(?!(?:String|Int|Float|Boolean|ID)\b)[A-Z]\w*)",
        r"fragment \w+ on (?P<name>\w+)",
        r"\.\.\. ?(?:on )?(?P<name>(?!on\b)\w+)",
    ),
    leading=(),
)  # fmt: skip
_HCL: Final = Patterns(
    rows=(
        _row("object", r"(?:resource|data|ephemeral) \"?[\w-]+\"? \"?([\w-]+)\"? ?\{?", "top"),
        _row("module", r"module \"?([\w-]+)\"? ?\{", "top"),
        _row("variable", r"variable \"?([\w-]+)\"? ?\{", "top"),
        _row("property", r"output \"?([\w-]+)\"? ?\{", "top"),
        _row("object", r"provider \"?([\w-]+)\"? ?\{", "top"),
        _row("object", r"(locals|terraform) ?\{", "top"),
        _row("object", r"\w+ \"([\w-]+)\" ?(?:\"[\w-]+\" ?)?\{", "top"),
        _row("variable", r"([\w-]+) ?=(?!=)", "top"),
    ),
    quiet=_quiet(
        r"#[^\n]*|//[^\n]*|/\*(?s:.*?)(?:\*/|\Z)",
        r"<<[-~]?(?P<w>[A-Za-z_]\w*)\n(?s:.*?)(?:\n[ \t]*(?P=w)(?!\w)|\Z)",
        _DOUBLE,
    ),
    imports=(r"source ?= ?\"([^\"]+)",),
    uses=_references(
        r"\b(?P<of>var|local|module|data\.\w+|[a-z]+_\w+)\.(?P<name>[a-z_][\w-]*)",
    ),
    leading=(),
)
_CMAKE: Final = Patterns(
    rows=(
        _row("function", r"(?i:function) ?\( ?([\w-]+)"),
        _row("macro", r"(?i:macro) ?\( ?([\w-]+)"),
        _row("object", r"(?i:add_(?:library|executable|custom_target|test)) ?\( ?(?:NAME )?([\w:.+${}-]+)"),
        _row("package", r"(?i:project) ?\( ?([\w-]+)"),
        _row("variable", r"(?i:option) ?\( ?(\w+)"),
        _row("variable", r"(?i:set) ?\( ?(\w+)", "top"),
    ),
    quiet=_quiet(r"#\[\[(?s:.*?)(?:\]\]|\Z)|#[^\n]*", _DOUBLE_OVER_LINES),
    imports=(r"(?i:include|add_subdirectory|find_package) ?\( ?\"?([^\s\")]+)",),
    uses=_references(
        r"(?i:target_\w+|add_dependencies) ?\( ?(?P<name>[\w:.+-]+)",
    ),
    called=r"\b(?!(?:add|cmake|target|find|set|get|end|list|string|file|option|project|message|install|configure)(?:_|\b)|end)"
    r"(?P<name>[a-z]\w*+)[ \t]*\(",
    leading=(),
)
_MAKE: Final = Patterns(
    rows=(
        _row("macro", r"define ([\w.-]+)"),
        _row("variable", r"(?:export |override )*([\w.-]+) ?(?:[:?+!]|::)?=", "top"),
        _row("command", r"(?!\.[A-Z]+\b)([\w./%$(){}@+-]+)(?: [\w./%$(){}@+-]+)* ?::?(?!=)", "top"),
    ),
    quiet=_quiet(r"(?<![\\\w$])#[^\n]*"),
    imports=(r"[-s]?include (\S+)",),
    uses=_references(
        r"^[\w./%-]+(?: [\w./%-]+)* ?:(?![=:])(?P<name>[^=;|#$]*)",
    ),
    leading=(".PHONY",),
)
_DOCKER: Final = Patterns(
    rows=(
        _row("object", r"(?i:from) (?:--\S+ )?\S+ (?i:as) ([\w.-]+)", runs_on=True),
        _row("variable", r"(?i:arg|env) (\w+)"),
    ),
    quiet=_quiet(r"(?<![^\n])[ \t]*#[^\n]*"),
    imports=(r"(?i:from) (?:--\S+ )?(\S+)",),
    uses=_references(r"--from=(?P<name>[A-Za-z][\w.-]*)", r"(?i:from) (?P<name>[A-Za-z][\w-]*) (?i:as)\b"),
    leading=(),
)  # fmt: skip
_NIX: Final = Patterns(
    rows=(
        _row(
            "function",
            r"([\w'-]+) ?= ?(?:\{[^{}]*\} ?(?:@ ?\w+ ?)?:|[\w'-]+ ?:(?!//))",
            "outer",
        ),
        _row("key", r"([\w'.\"${}-]+) ?=(?!=)", "outer"),
    ),
    quiet=_quiet(r"#[^\n]*|/\*(?s:.*?)(?:\*/|\Z)", r"''(?s:.*?)(?:''(?!['$\\])|\Z)", _DOUBLE_OVER_LINES),
    imports=(r".*?\b(?:import|callPackage) \(?((?:\.{1,2}/|<)[^\s;)>]+)", r".*?(\.{1,2}/[\w./-]+\.nix)"),
    leading=(),
)
_BAZEL: Final = Patterns(
    rows=(
        _row("function", rf"def ({_W})"),
        _row("object", r"name ?= ?[\"']([^\"']+)"),
        _row("variable", rf"({_W}) ?=(?!=)", "top"),
    ),
    quiet=_PYTHON.quiet,
    imports=(r"load\( ?[\"']([^\"']+)[\"'](?: ?, ?(.+))?",),
    called=_CALLED,
)
_GOMOD: Final = Patterns(rows=(_row("module", r"module (\S+)"),), quiet=_quiet(r"//[^\n]*"), leading=())
_XML: Final = Patterns(
    rows=(
        _row("key", r"<[\w:.-]+(?:[ \t][^<>]*?)?[ \t](?:android:)?(?:id|name|key) ?= ?\"([^\"<>]+)\""),
    ),
    quiet=_quiet(r"<!--(?s:.*?)(?:-->|\Z)"),
    imports=(r"<[\w:]*(?:Import|include|import)\b[^<>]*?[ \t](?:Project|href|schemaLocation|resource) ?= ?\"([^\"]+)",),
    most=300,
    leading=(),
)  # fmt: skip
_SASS: Final = Patterns(
    rows=(
        _row("macro", r"(?:@mixin |=)([\w-]+)"),
        _row("function", r"@function ([\w-]+)"),
        _row("object", r"@keyframes ([\w-]+)"),
        _row("variable", r"(\$[\w-]+|--[\w-]+) ?:", "top"),
        _row("selector", r"([.#%][\w-]+[^:{,]*?) ?(?:[,:].*)?$"),
    ),
    quiet=_quiet(_SLASHES),
    imports=(r"@(?:import|use|forward) [\"']?([^\s\"',;]+)",),
    uses=_references(r"(?:@include |\+)(?:(?P<of>[\w-]+)\.)?(?P<name>[\w-]+)", r"@extend (?P<name>[.%#][\w-]+)"),
    leading=(),
)  # fmt: skip
_TEMPLATE: Final = Patterns(
    rows=(
        _row("macro", r".*?\{%-? ?macro (\w+)"),
        _row("region", r".*?\{%-? ?block ([\w.-]+)"),
        _row("function", r".*?\{\{-? ?(?:define|block) \"([^\"]+)", runs_on=True),
    ),
    closes=r"\{%-? ?end(?:block|macro)\b",
    quiet=_quiet(r"\{#(?s:.*?)(?:#\}|\Z)|\{\{-?[ \t]*/\*(?s:.*?)(?:\*/|\Z)|<%#[^%]*"),
    imports=(
        r".*?\{%-? ?(?:extends|include|import|from|embed|use) [\"']([^\"']+)",
        r".*?\{\{-? ?(?:template|partial|partialCached|include|tpl) \"([^\"]+)",
        r".*?\{\{#?> ?([\w./-]+)",
        r".*?<%-?=? ?(?:include|render|partial)[ \t(]+(?:partial: ?)?[\"']([^\"']+)",
        r".*?@(?:include|extends|model|using|component|inherits)\b[ \t(]*[\"']?([\w./\\-]+)",
    ),
    leading=(),
)
_JQ: Final = Patterns(
    rows=(_row("function", rf"def ({_W})"),),
    quiet=_quiet(_HASH, _DOUBLE),
    imports=(r"(?:import|include) \"([^\"]+)",),
    leading=(),
)
_YACC: Final = Patterns(
    rows=(
        _row("type", rf"%(?:token|type|left|right|nonassoc|union) ?(?:<[^<>]*> ?)?({_W})", "top"),
        _row("function", rf"({_W}) ?:(?!:)", "top"),
        *_C.rows,
    ),
    quiet=_C.quiet,
    imports=_C.imports,
    called=_CALLED,
)

ANY: Final = Patterns(
    holders=True,
    rows=(
        _row("function", rf"{_OPEN}(?:pub |local )?(?:function|func|fn|def|fun|sub|proc|procedure) "
            rf"((?:{_W}[.:]+)*{_W}) ?(?:[(<{{:]|$)"),
        _row("class", rf"{_OPEN}(?:pub )?(?:class|record) ([A-Z]\w*) ?(?:[(<{{:]|$)"),
        _row("struct", rf"{_OPEN}(?:pub )?struct ([A-Z]\w*) ?(?:[(<{{:]|$)"),
        _row("interface", rf"{_OPEN}(?:interface|trait|protocol) ([A-Z]\w*) ?(?:[(<{{:]|$)"),
        _row("enum", rf"{_OPEN}(?:pub )?enum ([A-Z]\w*) ?(?:[(<{{:]|$)"),
        _row("module", rf"{_OPEN}(?:module|namespace) ([A-Z][\w.:]*) ?(?:[{{]|$)"),
    ),
    quiet=_quiet(r"(?!)"),
)  # fmt: skip
"""For what has no row of its own."""

PATTERNS: Final[dict[str, Patterns | None]] = {
    "bazel": _BAZEL,
    "c": _C,
    "c-header": _C,
    "cmake": _CMAKE,
    "cpp": _C,
    "csharp": _CSHARP,
    "cython": _PYTHON,
    "dart": _DART,
    "docker": _DOCKER,
    "elixir": _ELIXIR,
    "erlang": _ERLANG,
    "go": _GO,
    "gomod": _GOMOD,
    "gradle": _GROOVY,
    "graphql": _GRAPHQL,
    "haskell": _HASKELL,
    "hcl": _HCL,
    "java": _JAVA,
    "javascript": _SCRIPT,
    "jq": _JQ,
    "jsonl": None,
    "julia": _JULIA,
    "kotlin": _KOTLIN,
    "lua": _LUA,
    "make": _MAKE,
    "nix": _NIX,
    "ocaml": _OCAML,
    "perl": _PERL,
    "php": _PHP,
    "powershell": _POWERSHELL,
    "protobuf": _PROTOBUF,
    "python": _PYTHON,
    "r": _R,
    "ruby": _RUBY,
    "rust": _RUST,
    "sass": _SASS,
    "scala": _SCALA,
    "swift": _SWIFT,
    "template": _TEMPLATE,
    "tsx": _SCRIPT,
    "typescript": _SCRIPT,
    "xml": _XML,
    "yacc": _YACC,
    "zig": _ZIG,
}

SHEBANGS: Final = re.compile(
    r"#![^\n]{0,80}?\b(?:(?P<python>python)|(?P<bash>(?:ba|z|k|da)?sh)|(?P<javascript>node|deno|bun)|(?P<ruby>ruby)"
    r"|(?P<perl>perl)|(?P<lua>lua)|(?P<php>php)|(?P<r>Rscript)|(?P<elixir>elixir)|(?P<make>make)|(?P<powershell>pwsh))"
)
"""The language of a script without an ending, as the name of its group."""

NOT_CALLED: Final = frozenset(
    """and as assert await case catch def defined do echo elif else elsif elseif end except exit false finally fn for
    foreach fun func function goto if in is isset let lambda local match new nil none not null of on or print qw raise
    receive return select sizeof static struct sub super switch then this throw true try type typeof unless until
    using val var void when where while with yield list array int string bool float double char""".split()  # noqa: SIM905
)
"""Words that stand before a bracket and are no calls."""
