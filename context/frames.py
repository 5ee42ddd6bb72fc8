"""Reads the stack traces and compiler messages of a text: which places they name, the nearest to the fault first.

Python and pytest print the frame nearest to the fault last, everyone else first; the root of a chain of causes is
nearer than what it caused. Frames of tests, of installed packages and of the language itself are kept apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

FrameKind = Literal["trace", "error", "place", "link"]
"""Where a place was printed: in a stack trace, by a compiler, as `path:line` in a sentence, or as a link to a line."""

_LONGEST_LINE: Final = 1000
_MOST: Final = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """A path as printed and a line in it; the function if it was named."""

    path: str
    line: int
    function: str | None = None
    kind: FrameKind = "trace"


@dataclass(frozen=True, slots=True, kw_only=True)
class Frames:
    """The frames of a text. Paths of `installed` are cut behind the folder that packages are installed in."""

    own: tuple[Frame, ...] = ()
    tests: tuple[Frame, ...] = ()
    installed: tuple[Frame, ...] = ()
    functions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shape:
    """How one language prints a frame on one line; `hint` is in each such line. Groups: path, line, function."""

    hint: str
    pattern: re.Pattern[str]
    kind: FrameKind = "trace"
    last_is_nearest: bool = False


def _shape(hint: str, pattern: str, kind: FrameKind = "trace", *, last_is_nearest: bool = False) -> _Shape:
    return _Shape(hint=hint, pattern=re.compile(pattern), kind=kind, last_is_nearest=last_is_nearest)


_FILE: Final = r"(?P<path>(?:[A-Za-z]:)?[^\s:()\"'<>|]{1,300}?\.[A-Za-z]\w{0,7})"
_LINE: Final = r":(?P<line>\d{1,7})"
_AT: Final = _LINE + r"(?::\d{1,7})?"
# A script's address as a browser or a bundler spells it.
_SERVED: Final = (
    r"(?:file://|webpack:/{2,4}|webpack-internal:/{2,4}|https?://[^/\s]{1,100})?"
    + _FILE
    + r"(?:\?[^\s:()]{0,200})?"
    + _AT
)
_RAISED: Final = r"(?:fatal |runtime |internal |Fatal |parse )?(?:error|warning|note|Error|ERROR)\b"
# The first shape that fits a line counts.
_SHAPES: Final = (
    _shape(
        'File "',
        r'File "(?P<path>[^"]{1,300})", line (?P<line>\d{1,7})(?:, in (?P<function>[\w.<>]+))?',
        last_is_nearest=True,
    ),
    _shape(": in ", rf"^\s*{_FILE}{_LINE}: in (?P<function>[\w.<>]+)", last_is_nearest=True),
    _shape(
        ":in ",
        rf"^\s*(?:\d+: )?(?:from |\#\d+ |\[\d+\] )?{_FILE}{_LINE}:in [`'](?P<function>[^'`]{{1,200}})'",
    ),
    _shape(
        "at ",
        r"\bat (?:[\w.-]*(?:@[\w.-]+)?/){0,3}(?P<owner>[\w.$]+)\.(?P<function>[\w$<>]+)"
        rf"\((?P<path>[\w$-]+\.(?:java|kt|scala|groovy|clj)){_LINE}\)",
    ),
    _shape(
        ":line ", r"\bat (?P<function>[^()]{1,300})\([^)]{0,400}\) in (?P<path>[^\"]{1,300}?):line (?P<line>\d{1,7})"
    ),
    _shape(
        "at ", rf"^\s*at (?:async )?(?:new )?(?P<function>[^\s()]{{1,200}})(?: \[as [^\]]{{1,80}}\])? \({_SERVED}\)"
    ),
    _shape("at ", rf"^\s*at (?:async )?{_SERVED}"),
    _shape("://", rf"^\s*(?P<function>[\w$.<>/*]{{0,200}})@{_SERVED}\s*$"),
    _shape("panicked at ", rf"panicked at (?:'[^\n]{{0,500}}', )?{_FILE}{_AT}"),
    _shape("#", r"^\s*#\d+ (?P<path>/?[^\s()]{1,300}\.\w{1,8})\((?P<line>\d{1,7})\): (?P<function>[\w\\:>-]{1,200})"),
    _shape("#", rf"^\s*#\d+\s+(?P<function>[^\s(]{{1,200}}) \((?:package:[^/\s]{{1,80}}/)?{_FILE}{_AT}\)"),
    _shape(
        "#",
        r"^\s*#\d+:?\s+(?:0x[0-9a-f]+ )?(?:in )?(?P<function>[^\n]{1,400}?)(?: at | \(?)"
        rf"(?:\.\./)*{_FILE}{_AT}\)?\s*$",
    ),
    _shape(" on line ", r"\bin (?P<path>/?[^\s\"]{1,300}\.\w{1,8}) on line (?P<line>\d{1,7})"),
    _shape("): ", r"^\s*(?P<path>[^\s()\"':]{1,300}\.[A-Za-z]\w{0,7})\((?P<line>\d{1,7}),\d{1,7}\): ", "error"),
    _shape("--> ", rf"^\s*--> {_FILE}{_AT}", "error"),
    _shape(": ", rf"^\s*(?:e: |w: )?(?:file://)?{_FILE}{_AT}: {_RAISED}", "error"),
    _shape(
        ": ",
        rf"^(?P<path>[^\s:()\"'<>|]{{1,300}}\.py){_LINE}: [A-Z]\w*(?:Error|Exception|Warning|Failed|Exit)\b",
        last_is_nearest=True,
    ),
    _shape("(", rf"^\s*\([\w-]+ [\d.]+\) {_FILE}{_LINE}: (?P<function>[\w.?!/]+)"),
)  # fmt: skip
# Go and Rust print the function on the line before its place.
_PLACE_ALONE: Final = re.compile(rf"^\s+(?:at )?(?:\./)?{_FILE}{_AT}(?: \+0x[0-9a-f]+)?\s*$")
_GO_FUNCTION: Final = re.compile(
    r"^(?:created by )?(?P<name>[\w./*()\[\]-]{1,300}?)(?:\([^()]*\))?(?: in goroutine \d+)?$"
)
_RUST_FUNCTION: Final = re.compile(r"^\s*\d+:\s+(?:0x[0-9a-f]+ - )?(?P<name>\S.{0,300})$")
_PLACE: Final = re.compile(
    r"(?<![\w/.\\:@-])((?:[\w.@+-]+/|/)*[\w@.+-]+\.[A-Za-z]\w{0,7}):(\d{1,7})(?::\d{1,7})?(?!\w|\.\w)"
)
_NEW_CHAIN: Final = re.compile(
    r"Traceback \(most recent call last\)|^goroutine \d+|^thread '|Exception in thread|^_{3,} |^--- FAIL"
    r"|stack backtrace:"
)
_CAUSE: Final = re.compile(r"^\s*(?:Caused by: |\[cause\]: |--->|.{0,20}---> )")

_INSTALLED: Final = re.compile(
    r"(?:^|/)(?:site-packages|dist-packages|node_modules(?:/\.pnpm/[^/]+/node_modules)?"
    r"|\.cargo/registry/src/[^/]+/[^/]+"
    r"|go/pkg/mod|vendor/bundle/(?:.*/)?gems/[^/]+|gems/[\d.]+/gems/[^/]+|pub-cache/hosted/[^/]+/[^/]+)/"
)  # fmt: skip
_LANGUAGE: Final = re.compile(
    r"^<|^node:|^internal/|^(?:java|javax|jdk|sun|com/sun|kotlin|kotlinx|scala)/|(?:^|/)(?:lib/python\d|rustc/)"
    r"|/lib/rustlib/|/usr/(?:local/)?(?:lib|include)/|/go/src/(?:runtime|testing|net|reflect|sync)/|go\d[\w.]*/src/"
    r"|/lib/ruby/\d|sysdeps/|libsanitizer|^[A-Za-z]:/Program Files|^runtime/|^(?:raise|abort|malloc)\.c$"
)  # fmt: skip
_RUNNER: Final = re.compile(r"^(?:org/junit|junit|org/testng|org/gradle|org/apache/maven|worker/org/gradle)/")
_TEST_NAME: Final = re.compile(
    r"(?:^|/)(?:test_[^/]*|tests|conftest|[^/]*[_-]tests?|[^/]*[_.-]spec|[^/]*\.(?:test|cy)"
    r"|[^/]*[a-z\d](?:Tests?|TestCase|Spec|IT)\d*)\.\w+$"
)  # fmt: skip
_TEST_FOLDER: Final = frozenset(("tests", "__tests__", "spec"))


def read_frames(lines: Sequence[str], links: Iterable[Frame] = ()) -> Frames:
    """The frames of all traces in a text, then the places that compilers, sentences and `links` name with a line."""
    chains: list[list[list[Frame]]] = []
    loose: list[Frame] = []
    reversed_now: bool | None = None
    fresh = True
    before = ""
    for line in (each[:_LONGEST_LINE] for each in lines):
        found = _frame_in(line, before)
        if found is None:
            cause = bool(_CAUSE.match(line))
            if cause and chains:
                chains[-1].append([])
            elif cause or _NEW_CHAIN.search(line):
                fresh = True
            loose.extend(_places(line))
        elif found[0].kind == "trace":
            frame, last = found
            if fresh or last != reversed_now:
                chains.append([[]])
            fresh, reversed_now = False, last
            if last:
                chains[-1][-1].insert(0, frame)
            else:
                chains[-1][-1].append(frame)
        else:
            loose.append(found[0])
        before = line
    traced = [frame for chain in chains for part in reversed(chain) for frame in part]
    return _sorted_out([*traced, *sorted(loose, key=lambda frame: frame.kind != "error"), *links])


def without_place(line: str, before: str = "") -> str | None:
    """What a line of a trace says besides its place: the function's name, or nothing. None if it is no such line."""
    found = _frame_in(line[:_LONGEST_LINE], before[:_LONGEST_LINE])
    if found is None or found[0].kind != "trace":
        return None
    return found[0].function or ""


def _sorted_out(frames: Iterable[Frame]) -> Frames:
    """Frames put to the sort they are of, each once, in their order."""
    own: dict[Frame, None] = {}
    tests: dict[Frame, None] = {}
    installed: dict[Frame, None] = {}
    for frame in frames:
        away = list(_INSTALLED.finditer(frame.path))
        if away:
            installed[_moved(frame, frame.path[away[-1].end() :])] = None
        elif _LANGUAGE.search(frame.path) or _RUNNER.search(frame.path):
            continue
        else:
            (tests if names_a_test(frame.path) else own)[frame] = None
    functions = [frame.function for frame in (*own, *installed) if frame.function and frame.function[0] != "<"]
    return Frames(
        own=_unlike(own)[:_MOST],
        tests=_unlike(tests)[:_MOST],
        installed=_unlike(installed)[:_MOST],
        functions=tuple(dict.fromkeys(functions))[:_MOST],
    )


def names_a_test(path: str) -> bool:
    """Whether a path as printed is that of a test, by its name or the folders right above it."""
    folders = path.split("/")[-3:-1]
    return bool(_TEST_NAME.search(path)) or not _TEST_FOLDER.isdisjoint(folders) or "/src/test/" in path


def is_installed(path: str) -> bool:
    """Whether a path is that of an installed package or of the language itself."""
    return bool(_INSTALLED.search(path) or _LANGUAGE.search(path))


def _unlike(frames: Iterable[Frame]) -> tuple[Frame, ...]:
    """One frame a place."""
    places: dict[tuple[str, int], Frame] = {}
    for frame in frames:
        held = places.setdefault((frame.path, frame.line), frame)
        if held.function is None and frame.function:
            places[frame.path, frame.line] = frame
    return tuple(places.values())


def _moved(frame: Frame, path: str) -> Frame:
    return Frame(path=path, line=frame.line, function=frame.function, kind=frame.kind)


def _frame_in(line: str, before: str) -> tuple[Frame, bool] | None:
    """The frame on a line, and whether its language prints the nearest last."""
    if ":" not in line and "(" not in line and "line " not in line:
        return None
    for shape in _SHAPES:
        if shape.hint in line and (match := shape.pattern.search(line)):
            return _frame(match, shape, before), shape.last_is_nearest
    if match := _PLACE_ALONE.match(line):
        function = _function_before(before)
        if function:
            return Frame(path=_plain(match["path"]), line=int(match["line"]), function=function), False
    return None


def _frame(match: re.Match[str], shape: _Shape, before: str) -> Frame:
    said = match.groupdict()
    path, function = _plain(said["path"]), said.get("function")
    owner = said.get("owner")
    if owner and "." in owner:
        path = f"{owner.rsplit('.', 1)[0].replace('.', '/')}/{path}"
    if function is None and path.endswith(".rs") and (above := _RUST_FUNCTION.match(before.rstrip())):
        function = above["name"]
    return Frame(path=path, line=int(said["line"]), function=_last_name(function), kind=shape.kind)


def _function_before(line: str) -> str | None:
    text = line.rstrip()
    if match := _RUST_FUNCTION.match(text):
        return _last_name(match["name"])
    if text[:1] in (" ", "\t", "") or " " in text.split("(", 1)[0].removeprefix("created by "):
        return None
    match = _GO_FUNCTION.match(text)
    return (
        _last_name(re.sub(r"(?:\.func\d+|\.\d+)+$", "", match["name"]).replace("(", "").replace(")", ""))
        if match
        else None
    )


# What a compiler makes of a closure or of an asynchronous method, around the name that a person wrote.
_HIDDEN: Final = re.compile(r"\blambda\$(\w+)\$\d+$|<(\w+)>[a-z]__\d+")
_NO_NAME: Final = re.compile(r"<[^<>]*>|\{[^{}]*\}+|\[[^\[\]]*\]")
_NAME: Final = re.compile(r"[^\W\d][\w$]*[?!]?")


def _last_name(function: str | None) -> str | None:
    """`Class.method`, `Class->method`, `a::b::{{closure}}` and `block in m` name their last part."""
    if not function:
        return None
    if hidden := _HIDDEN.search(function):
        return hidden[1] or hidden[2]
    bare = _NO_NAME.sub("", function.split("(", 1)[0])
    names = _NAME.findall(bare)
    return names[-1] if names else None


def _places(line: str) -> Iterator[Frame]:
    """Places in a sentence: a path, a colon and a line number."""
    if ":" in line:
        for path, number in _PLACE.findall(line):
            if not _HOST.search(path):
                yield Frame(path=_plain(path), line=int(number), kind="place")


_HOST: Final = re.compile(r"^(?:localhost|[\w.-]+\.(?:com|org|net|io|dev|local|internal))$|^//")


def _plain(path: str) -> str:
    """Forward slashes, and no scheme or leading dots."""
    path = path.replace("\\", "/").removeprefix("file://").removeprefix("webpack-internal:///").removeprefix("./")
    return re.sub(r"^(?:\.\./)+", "", path)
