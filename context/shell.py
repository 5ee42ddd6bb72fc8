"""Reads shell scripts: functions, variables and aliases; sourced files; the commands that are run.

A scanner and no grammar: the one for Bash takes gigabytes for 20 kB of `a|a|a|…` and minutes for `<<<<…`. It follows
quotes, substitutions, here-documents, `case` and brackets only as far as it takes to tell a command from its words.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import Final, Literal

from .model import NodeKind
from .notebook import Notebook
from .syntax import Syntax
from .tree import first_line

_MOST_VARIABLES: Final = 500
_REST_CHARACTERS: Final = 400

_CODE: Final = re.compile(
    r"(?P<blank>(?:[ \t\r]|\\\r?\n)++)"
    r"|(?P<line>\n)"
    r"|(?P<comment>(?<![^\s;&|()])#[^\n]*+)"
    r"|(?P<string>\$?'(?:[^'\\]|\\(?s:.))*+'?)"
    r"|(?P<here><<-?(?!<)[ \t]*[\"'\\]?(?P<mark>[A-Za-z_][\w.-]*+)[\"']?)"
    r"|(?P<sign>\$\(\(|[$<>]\(|\$\{|\(\(|;;&?|;&|&&|\|\||\|&|&>>?|[<>]++&?|[;&|(){}`\"])"
    r"|(?P<word>(?:[^\s;&|(){}<>`\"'$\\]|\\(?s:.)|\$(?![({']))++)"
    r"|(?P<other>(?s:.))"
)
_QUOTED: Final = re.compile(r"[^\"\\$`]++|\\(?s:.)|\$\(\(|\$\(|\$\{|(?s:.)")
_FRAMES: Final = {"$((": "((", "((": "((", "$(": "(", "<(": "(", ">(": "(", "(": "(", "${": "${", "`": "`", '"': '"'}
Frame = Literal["(", "((", "{", "${", "`", '"', "[[", "case", "list"]
_HOLDS_WORDS: Final = frozenset({"((", "${", "[[", "list", '"'})
"""Frames in which a word is never a command."""


def read_shell(text: str) -> Syntax:
    """What a script of Bash, Zsh or a plain shell defines, reads and runs."""
    script = _Script(Notebook(text))
    script.read()
    for found in _ENVIRONMENT.finditer(text):
        line = script.notes.line(found.start())
        if line not in script.remarks:
            script.notes.fact("env", found[1], line)
    return script.notes.syntax()


_ENVIRONMENT: Final = re.compile(r"\$\{([A-Z][A-Z0-9_]{1,80}):?[-=?+]")


@dataclass(slots=True, kw_only=True)
class _Routine:
    name: str
    start: int
    head: str
    doc: str | None
    container: str | None


@dataclass(slots=True, kw_only=True)
class _Open:
    """A bracket or quote that is open; `routine` is the function whose body it is, `expects` and `assigning`
    are what was before it."""

    frame: str
    expects: bool
    assigning: bool = False
    routine: _Routine | None = None


@dataclass(slots=True)
class _Script:
    """`expects`: the next word is a command. `patterns`: it is a pattern of a `case`. `target`: of a redirection."""

    notes: Notebook
    at: int = 0
    open: list[_Open] = field(default_factory=list)
    expects: bool = True
    patterns: bool = False
    target: bool = False
    assigning: bool = False
    prefixed: bool = False
    body_of: _Routine | None = None
    marks: list[str] = field(default_factory=list)
    remark: tuple[int, int, int, int] = (0, 0, 0, 0)
    known: set[str] = field(default_factory=set)
    values: list[tuple[str, int]] = field(default_factory=list)
    remarks: set[int] = field(default_factory=set)
    places: dict[str, list[int]] | None = None

    def read(self) -> None:
        text = self.notes.text
        while self.at < len(text):
            quoted = bool(self.open) and self.open[-1].frame == '"'
            token = (_QUOTED if quoted else _CODE).match(text, self.at)
            if token is None:
                break
            self.at = token.end()
            if quoted:
                self._in_quotes(token[0])
            else:
                self._in_code(token)
        last = self.notes.line(max(0, len(text.rstrip()) - 1))
        self._assign()
        while self.open:
            self._define(self.open.pop().routine, last)

    def _in_quotes(self, piece: str) -> None:
        if piece == '"':
            self._pop()
        elif piece in _FRAMES:
            self._push(_FRAMES[piece])

    def _in_code(self, token: re.Match[str]) -> None:
        kind = token.lastgroup if token["mark"] is None else "here"
        if kind == "word":
            self._word(token[0], token.start())
        elif kind == "sign":
            self._sign(token[0])
        elif kind == "line":
            self._end_line()
        elif kind == "blank":
            self.assigning = False
        elif kind == "comment":
            self._comment(token.start(), token.end())
        elif kind == "here":
            if not self._among_words():
                self.marks.append(token["mark"])
        elif not self.assigning:
            self.expects = self.expects and self.target
            self.target = False

    def _among_words(self) -> bool:
        return bool(self.open) and self.open[-1].frame in _HOLDS_WORDS

    def _end_line(self) -> None:
        self.assigning = self.prefixed = False
        if not self._among_words():
            self.expects = True
            self.target = False
            self._assign()
        for mark in self.marks:
            self._skip_document(mark)
        self.marks.clear()

    def _skip_document(self, mark: str) -> None:
        """Goes behind the line that ends a here-document; nowhere if there is none (then it was a shift of bits)."""
        if self.places is None:
            self.places = {}
            begins = 0
            for line in self.notes.text.split("\n"):
                if line and len(line) < 100:
                    self.places.setdefault(line.strip(), []).append(begins)
                begins += len(line) + 1
        found = self.places.get(mark, [])
        after = bisect_right(found, self.at - 1)
        if after < len(found):
            ends = self.notes.text.find("\n", found[after])
            self.at = ends + 1 if ends >= 0 else len(self.notes.text)

    def _comment(self, begins: int, ends: int) -> None:
        text = self.notes.text
        if begins == 0 and text.startswith("#!"):
            return
        self.notes.comments.append(text[begins:ends])
        line = self.notes.line(begins)
        if text[text.rfind("\n", max(0, begins - 200), begins) + 1 : begins].strip():
            return
        self.remarks.add(line)
        first, last, at, _ = self.remark
        self.remark = (first, line, at, ends) if last == line - 1 and last else (line, line, begins, ends)

    def _push(self, frame: str) -> None:
        routine, self.body_of = (self.body_of, None) if frame in ("{", "(") else (None, self.body_of)
        self.open.append(_Open(frame=frame, expects=self.expects, assigning=self.assigning, routine=routine))
        self.expects = frame not in _HOLDS_WORDS
        self.assigning = self.target = False
        if frame == "((":
            self.open.append(_Open(frame=frame, expects=False))

    def _pop(self) -> None:
        closed = self.open.pop()
        self._define(closed.routine, self.notes.line(self.at - 1))
        # What stood in a value is part of it, and a command may still follow.
        self.assigning = closed.assigning
        self.expects = closed.expects and closed.assigning
        self.patterns = bool(self.open) and self.open[-1].frame == "case" and self.patterns

    def _sign(self, sign: str) -> None:
        top = self.open[-1].frame if self.open else ""
        if (sign == "`" and top == "`") or (sign == "}" and top in ("${", "list{")):
            self._pop()
        elif sign == ")":
            self._close_bracket(top)
        elif sign == "}":
            if top == "{" and self.expects:
                self._pop()
        elif sign == "{":
            self._push("{" if self.expects or self.body_of else "list{")
        elif sign == "(" and (self.assigning or self._among_words()):
            self._push("list")
        elif sign in _FRAMES:
            if not (sign == "(" and self.patterns):
                self._push(_FRAMES[sign])
        elif sign[0] in "<>" or sign.startswith("&>"):
            self.target = True
        else:
            self._separator(sign, top)

    def _close_bracket(self, top: str) -> None:
        if top in ("(", "((", "list"):
            self._pop()
        elif top == "case":
            self.patterns = False
            self.expects = True

    def _separator(self, sign: str, top: str) -> None:
        self.assigning = self.prefixed = self.target = False
        if top == "case" and sign.startswith(";") and sign != ";":
            self.patterns, self.expects = True, False
        elif top not in _HOLDS_WORDS and not self.patterns:
            self.expects = True
            self._assign()

    def _word(self, word: str, begins: int) -> None:
        top = self.open[-1].frame if self.open else ""
        if top == "[[" and word == "]]":
            self.open.pop()
            self.expects = False
        elif top == "case" and self.patterns:
            if word == "esac":
                self.open.pop()
                self.patterns = self.expects = False
        elif top == "case" and word == "in" and not self.expects:
            self.patterns = True
        elif top in _HOLDS_WORDS or top == "list{" or self.assigning:
            return
        elif self.target:
            self.target = False
        elif self.expects:
            self._command(word, begins)

    def _command(self, word: str, begins: int) -> None:
        """The first word of a command: a keyword, an assignment, a definition, or what is run."""
        text = self.notes.text
        assigned = _ASSIGNED.match(word)
        if assigned:
            self._assigned(assigned[1], begins)
            self.assigning = True
        elif word in _KEYWORDS:
            self._keyword(word)
        elif word in _DEFINING and (named := _DEFINING[word].match(text, self.at)):
            self._routine(named[1], begins)
            self.at = named.end()
        elif parentheses := _PARENTHESES.match(text, self.at):
            self._routine(word, begins)
            self.at = parentheses.end()
        elif not (word.startswith("-") and self.prefixed):
            self._run(word, begins)

    def _keyword(self, word: str) -> None:
        if word == "[[":
            self._push("[[")
        elif word == "case":
            self._push("case")
            self.expects = self.patterns = False
        elif word == "esac":
            self.expects = False
            if self.open and self.open[-1].frame == "case":
                self.open.pop()
        else:
            self.expects = word in _BEFORE_COMMANDS

    def _run(self, word: str, begins: int) -> None:
        text, line = self.notes.text, self.notes.line(begins)
        self.prefixed = self.expects = word in _PREFIXES
        if not self._in_substitution():
            self.values.clear()
        rest = text[self.at : self.at + _REST_CHARACTERS].split("\n", 1)[0]
        following = text[self.at : self.at + 1]
        in_ticks = bool(self.open) and self.open[-1].frame == "`"
        if "$" in word or following in ("$", '"', "'") or (following == "`" and not in_ticks):
            return
        if word in _DECLARING:
            self._declared(word, rest, line)
        elif word in ("source", ".") or word in _SHELLS:
            self._sourced(rest, line, any_file=word not in _SHELLS)
        elif word == "alias":
            for name in _ALIAS.findall(rest):
                self._value("command", name, line, f"alias {rest.strip()}")
        elif word == "trap" and (handler := _HANDLER.match(rest)):
            self.notes.use("calls", handler[1], line)
        elif "/" in word:
            if word.endswith((".sh", ".bash")):
                self.notes.imports_from(word, line)
        elif word not in _BUILT_IN and word not in _PREFIXES and _NAME.fullmatch(word):
            self.notes.use("calls", word, line)

    def _in_substitution(self) -> bool:
        return bool(self.open) and self.open[-1].assigning

    def _sourced(self, rest: str, line: int, *, any_file: bool) -> None:
        for argument in _ARGUMENT.finditer(rest):
            said = argument[0].replace('"', "").replace("'", "")
            if not said.startswith("-"):
                if any_file or said.endswith((".sh", ".bash")):
                    self.notes.imports_from(said, line)
                return

    def _declared(self, word: str, rest: str, line: int) -> None:
        options = _OPTIONS.match(rest)
        flags = options[0] if options else ""
        inside = any(each.routine for each in self.open)
        if "f" in flags or word == "local" or (inside and word not in ("export", "readonly") and "g" not in flags):
            return
        constant = word == "readonly" or "r" in flags
        for name in _DECLARED.findall(rest[len(flags) :].split(" #")[0]):
            self._value("constant" if constant else "variable", name, line, word + rest, public=word == "export")

    def _assigned(self, name: str, begins: int) -> None:
        if not any(each.routine for each in self.open):
            self.values.append((name, begins))

    def _assign(self) -> None:
        """What was assigned stays, for no command followed: `A=1 run` sets it for that run alone."""
        for name, begins in self.values:
            said = self.notes.text[begins : begins + 200].split("\n", 1)[0]
            self._value("variable", name, self.notes.line(begins), said)
        self.values.clear()

    def _value(self, kind: NodeKind, name: str, line: int, said: str, *, public: bool = False) -> None:
        if name not in self.known and len(self.known) < _MOST_VARIABLES:
            self.known.add(name)
            start, doc = self._above(line)
            self.notes.symbol(kind, name, (start, line), said, visibility="public" if public else None, doc=doc)

    def _routine(self, name: str, begins: int) -> None:
        line = self.notes.line(begins)
        start, doc = self._above(line)
        around = next((each.routine.name for each in reversed(self.open) if each.routine), None)
        head = self.notes.text[begins : begins + 200].split("\n", 1)[0].rstrip(" \t\r{")
        self.body_of = _Routine(name=name, start=start, head=head, doc=doc, container=around)
        self.expects = True

    def _above(self, line: int) -> tuple[int, str | None]:
        first, last, begins, ends = self.remark
        if last != line - 1 or not last:
            return line, None
        return first, first_line(self.notes.text[begins:ends])

    def _define(self, routine: _Routine | None, last: int) -> None:
        if routine:
            lines = (routine.start, last)
            self.notes.symbol(
                "function", routine.name, lines, routine.head, container=routine.container, doc=routine.doc
            )


_ASSIGNED: Final = re.compile(r"([A-Za-z_]\w*)(?:\[[^\]]*\])?\+?=")
_DEFINING: Final = {
    "function": re.compile(r"[ \t]+([^\s(){};&|<>$\"'`]+)[ \t]*(?:\([ \t]*\))?"),
    "@test": re.compile(r"[ \t]+[\"']([^\"'\n]+)[\"']"),
}
_PARENTHESES: Final = re.compile(r"[ \t]*\([ \t]*\)")
_ALIAS: Final = re.compile(r"(?:^|[ \t])([\w.:+-]+)=")
_HANDLER: Final = re.compile(r"[ \t]+[\"']?([A-Za-z_]\w*)[\"']?[ \t]+[A-Z0-9]")
_ARGUMENT: Final = re.compile(r"(?:\"(?:[^\"\\]|\\.)*\"|'[^']*'|\$\([^()]*\)|[^\s;&|\"'()])+")
_OPTIONS: Final = re.compile(r"(?:[ \t]+-\w+)*")
_DECLARED: Final = re.compile(
    r"(?<![^\s])([A-Za-z_]\w*)(?:\+?=(?:\"(?:[^\"\\]|\\.)*+\"?|'[^']*+'?|\$\([^()]*+\)?|[^\s\"'])*+|(?=[\s;]|$))"
)
_NAME: Final = re.compile(r"[A-Za-z_][\w.:+-]*")
_PREFIXES: Final = frozenset(
    {"builtin", "command", "coproc", "env", "eval", "exec", "nice", "nohup", "sudo", "time", "xargs"}
)
_SHELLS: Final = frozenset({"bash", "ksh", "sh", "zsh"})
_DECLARING: Final = frozenset({"declare", "export", "local", "readonly", "typeset"})
_BEFORE_COMMANDS: Final = frozenset({"!", "do", "elif", "else", "if", "then", "until", "while"})
_KEYWORDS: Final = _BEFORE_COMMANDS | {"[[", "case", "done", "esac", "fi", "for", "in", "select"}
_BUILT_IN: Final = frozenset(
    """alias bg bind break cat cd cp continue dirs disown echo enable exit false fg getopts grep hash help history jobs
    kill let logout ls mapfile mkdir mv popd printf pushd pwd read readarray return rm sed set shift shopt sleep suspend
    test times touch trap true type ulimit umask unalias unset wait""".split()  # noqa: SIM905
)
"""Of the shell itself, and tools so common that a call of them tells nothing."""
