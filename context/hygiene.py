"""Takes out of a report what its form, its machine and its log brought along; parts prose from code and from logs.

Sentences and snippets of code are never dropped: a line goes only if it is known to be nobody's own words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from .forms import is_particular, own_words
from .frames import is_installed, without_place
from .links import without_links

Kind = Literal["prose", "code", "log"]

_LONGEST_LINE: Final = 4000
_LOG_SHARE: Final = 0.4
_DUMP_SHARE: Final = 0.6
_DUMP_LINES: Final = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A piece of a task of one kind, in the order of the text. `language` is what a fence called itself."""

    kind: Kind
    text: str
    language: str = ""


def _without_comments(text: str) -> str:
    """Without `<!-- … -->`; one that never ends is left, since it may be what the task is about."""
    kept, at = [], 0
    while (start := text.find("<!--", at)) >= 0 and (end := text.find("-->", start + 4)) >= 0:
        kept.append(text[at:start])
        at = end + 3
    return " ".join((*kept, text[at:]))


_MAIL: Final = re.compile(r"\b[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64})+\b")
_CLOSES: Final = re.compile(
    r"\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?|refs?|see|related to|part of)\s*:?\s+(?:[\w.-]+/[\w.-]+)?#\d+\b",
    re.IGNORECASE,
)
_VERSION: Final = re.compile(
    r"(?<![\w.])v?\d{1,5}(?:\.\d{1,5}){1,3}(?:[-.+]?(?:alpha|beta|rc|dev|pre|post|final|snapshot|a|b"
    r"|m)[-.]?\d*)*(?![\w.]*\w)",
    re.IGNORECASE,
)


# What a log has beside its message.
_STAMP: Final = re.compile(
    r"\[?\b\d{4}[-/]\d{1,2}[-/]\d{1,2}[T ]\d{1,2}:\d{2}(?::\d{2})?(?:[.,]\d{1,9})?(?:Z"
    r"|\s?[+-]\d{2}:?\d{2})?\]?|(?<![\w:.])\d{1,2}:\d{2}:\d{2}(?:[.,]\d{1,9})?(?![\w:])"
)
_TRACEBACK: Final = re.compile(r"Traceback \(most recent call last\):?|\bstack backtrace:")
_ADDRESS: Final = re.compile(r"\b0x(?!8[0-9a-fA-F]{7}\b)[0-9a-fA-F]{5,}\b")
_HASH: Final = re.compile(
    r"\b(?=[0-9a-f]*\d)(?=\d*[a-f])[0-9a-f]{12,}\b"
    r"|\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b|\bsha(?:1|256"
    r"|512)[-:][A-Za-z0-9+/=]{16,}"
)
_BAR: Final = re.compile(r"[━█▏▎▍▌▋▊▉░▒▓╸╺─═⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]{3,}|\[[=#>\-. ]{6,}\]|={6,}>?|#{7,}|\d{1,3}%\|")
_LOG_LINE: Final = re.compile(
    r"^\s*(?:\[?\d{4}[-/]\d\d[-/]\d\d|\[?\d\d:\d\d:\d\d|\[?(?:ERROR|WARN(?:ING)?|INFO|DEBUG|TRACE|FATAL"
    r"|CRITICAL)\b|Traceback |Caused by: |\s*\.\.\. \d+ more|at \S+\(|npm (?:ERR|error|WARN)"
    r"|error(?:\[\w+\])?: |warning(?:\[\w+\])?: "
    r"|thread '|goroutine \d|panic: |note: |make(?:\[\d+\])?: |\s*(?:Compiling|Downloading|Downloaded"
    r"|Installing|Collecting|Fetching|Finished|Running|Updating|Checking|Building|Requirement already) "
    r"|test \S+ \.\.\. |(?:PASS|FAIL|ok|---) "
    r"|E   |--> \S+:\d|\s+\^+|[=_]{4,}|#\d+ +(?:0x|\S+ at|in )|\+{3} |>>> exit|Exit code|Process finished)"
)  # fmt: skip
_MESSAGE: Final = re.compile(
    r"^\s*(?:E\s{1,8})?(?:(?:[\w.$]+\.)?[A-Z]\w*(?:Error|Exception|Warning|Failure|Panic|Fault"
    r"|Interrupt)\b[^\n]{0,300}|(?:fatal |runtime |syntax |internal )?(?:error|panic"
    r"|fatal)(?:\[\w+\])?: [^\n]{2,400}"
    r"|Caused by: [^\n]{2,400}|(?:PHP )?(?:Fatal error|Uncaught \w+|Parse error)\b[^\n]{2,400}|\[?(?:ERROR"
    r"|FATAL|CRITICAL)\]?\b[^\n]{2,400}|\S{0,80}: (?:command not found|No such file[^\n]{0,100}))$"
)  # fmt: skip
# What stands before a message and is not part of it.
_RAISED: Final = re.compile(
    r"^\s*(?:E\s{1,8})?(?:Caused by: |Uncaught (?:exception )?|PHP |\[?(?:ERROR|FATAL"
    r"|CRITICAL)\]?:?\s{1,9})*(?:(?:[\w$]+[.:]{1,2})*[A-Z]\w*(?:Error|Exception|Warning|Failure|Panic|Fault"
    r"|Interrupt)(?:: |\s*$))*"
    r"(?:(?:fatal |runtime |syntax |internal |Fatal )?(?:error|panic|fatal)(?:\[\w+\])?: )?"
)  # fmt: skip
_LOG_FENCES: Final = frozenset(
    [
        "log",
        "logs",
        "output",
        "traceback",
        "pytb",
        "python-traceback",
        "pycon-traceback",
        "console-output",
        "stacktrace",
    ]
)
_FENCE: Final = re.compile(r"^\s{0,12}(?:>\s?)?(?P<mark>`{3,}|~{3,})\s*(?P<language>[\w+#.-]*)[^`\n]*$")
_CODE_LINE: Final = re.compile(
    r"^\s*(?:>>> |\.\.\. |\$ |#include\b|#define\b|import [\w.{*]+(?: from|;|$)|from [\w.]+ import |(?:const"
    r"|let|var) \w+ = |(?:def|class|fn|func|function) \w+.*[:{(]$|@\w+\(|return\b.*;$|[})\]]+[;,]?$"
    r"|</?\w[^>]*>$)"
    r"|[;{]\s*(?://.*)?$"
)  # fmt: skip
_TAG: Final = re.compile(
    r"(`[^`\n]{0,200}`)|</?(?:details|summary|br|hr|kbd|sub|sup|img|p|b|i|em|strong|pre|code|ul|ol|li|div"
    r"|span|center|table|tr|td|th|tbody|thead|h[1-6]|blockquote|picture|source|video)(?:\s[^<>\n]{0,300})?/?>",
    re.IGNORECASE,
)  # fmt: skip


def passages_of(text: str) -> tuple[Passage, ...]:
    """The passages of a plain text, noise taken out; the empty ones are left out."""
    cleaned = (_cleaned(passage) for passage in _parted(_without_comments(text)))
    return tuple(passage for passage in cleaned if passage.text.strip())


def _parted(text: str) -> Iterator[Passage]:
    """Fences, indented code and runs of lines of a trace or of code, apart from the prose around them."""
    lines = [line[:_LONGEST_LINE] for line in text.split("\n")]
    held: list[str] = []
    fence = language = ""
    for line in lines:
        match = _FENCE.match(line)
        if fence:
            if match and match["mark"].startswith(fence) and not match["language"]:
                yield _fenced(held, language)
                held, fence = [], ""
            else:
                held.append(line)
        elif match:
            yield from _unfenced(held)
            held, fence, language = [], match["mark"], match["language"].lower()
        else:
            held.append(line)
    if fence:
        yield _fenced(held, language)
    else:
        yield from _unfenced(held)


def _fenced(lines: Sequence[str], language: str) -> Passage:
    """What a fence holds: nothing of a machine's dump; a log if it is called one or looks like one."""
    told = [line for line in lines if line.strip()]
    if len(told) >= _DUMP_LINES and sum(map(is_particular, told)) >= _DUMP_SHARE * len(told):
        return Passage(kind="log", text="")
    logged = sum(_is_log(line, before) for line, before in zip(told, ("", *told), strict=False))
    log = language in _LOG_FENCES or (logged >= _LOG_SHARE * len(told) and logged > 0)
    return Passage(kind="log" if log else "code", text="\n".join(lines), language=language)


def _unfenced(lines: Sequence[str]) -> Iterator[Passage]:
    """Runs of lines of one kind."""
    run: list[str] = []
    kind: Kind = "prose"
    before, indented = "", False
    for line in own_words(lines):
        blank = not line.strip()
        indented = line.startswith(("    ", "\t")) and (indented or not before.strip())
        now = kind if blank else _kind_of(line, before, indented=indented)
        if now != kind and run:
            yield Passage(kind=kind, text="\n".join(run))
            run = []
        kind = now
        run.append(line)
        before = line
    yield Passage(kind=kind, text="\n".join(run))


def _kind_of(line: str, before: str, *, indented: bool) -> Kind:
    if _is_log(line, before):
        return "log"
    return "code" if indented or _CODE_LINE.search(line) else "prose"


def _is_log(line: str, before: str) -> bool:
    return bool(_LOG_LINE.match(line)) or without_place(line, before) is not None


def _cleaned(passage: Passage) -> Passage:
    text = without_links(passage.text)
    if passage.kind == "prose":
        text = _CLOSES.sub(_closed, _TAG.sub(lambda match: match[1] or " ", _MAIL.sub(" ", text)))
        text = _VERSION.sub(" ", text)
    if passage.kind == "log":
        text = _said_by_log(text.split("\n"))
    for noise in (_TRACEBACK, _STAMP, _ADDRESS, _HASH, _BAR):
        text = noise.sub(" ", text)
    return Passage(kind=passage.kind, text=text, language=passage.language)


def _closed(match: re.Match[str]) -> str:
    """Of `fixes #12` the verb is kept, since it says what the work is."""
    return "Fix" if match[0][:3].lower() == "fix" else " "


def _said_by_log(lines: Iterable[str]) -> str:
    """A log with the places of its frames taken out, since they are read apart; the functions' names stay."""
    kept, before = [], ""
    for line in lines:
        function = without_place(line, before)
        kept.append(line if function is None else function)
        before = line
    return "\n".join(kept)


def messages(passages: Iterable[Passage]) -> tuple[str, ...]:
    """What errors said, as written: lines that name an error, out of code and logs."""
    lines = (line for passage in passages for line in passage.text.split("\n"))
    found = (_RAISED.sub("", line).strip() for line in lines if _MESSAGE.match(line[:500]))
    return tuple(dict.fromkeys(line for line in found if len(line) > 3 and not is_installed(line)))[:20]
