"""Takes out of a report what its form, its machine and its log brought along; parts prose from code and from logs.

Sentences and snippets of code are never dropped: a line goes only if it is known to be nobody's own words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from .frames import Frame, is_installed, without_place

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


# Characters that are not seen or that change the order of those that are; full-width letters as plain ones.
_UNSEEN: Final = dict.fromkeys((0xAD, 0xFEFF, *range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x206A)))
_WIDE: Final = {
    code: code - 0xFEE0 for code in (*range(0xFF10, 0xFF1A), *range(0xFF21, 0xFF3B), *range(0xFF41, 0xFF5B))
}
_ALIKE: Final = str.maketrans(
    "аеорсухіјѕԁһАВЕКМНОРСТХЅІЈοαρνΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "aeopcyxijsdhABEKMHOPCTXSIJoapvABEZHIKMNOPTYX"
)
_MIXED: Final = re.compile(r"[A-Za-z_][\u0370-\u052f]|[\u0370-\u052f][A-Za-z_]")
_WORD: Final = re.compile(r"\w+")
_COLOUR: Final = re.compile(r"\x1b\[[0-9;?]{0,20}[A-Za-z]|\x1b\][^\x07\x1b\n]{0,200}\x07?")
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_ENDLESS: Final = re.compile(r"\S{300}")
_IDEOGRAPHS: Final = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
_BORDER: Final = re.compile(rf"(?<=[{_IDEOGRAPHS}])(?=[A-Za-z0-9_])|(?<=[A-Za-z0-9_])(?=[{_IDEOGRAPHS}])")


def plain(text: str) -> str:
    """The text without what can't be seen: colours, controls, zero-width characters, look-alikes inside a word.

    A run of 300 characters without a space gets one, so that no pattern that is tried on it takes long.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n").translate(_UNSEEN | _WIDE)
    if "\x1b" in text:
        text = _COLOUR.sub("", text)
    text = _CONTROL.sub(" ", text)
    if not text.isascii() and _MIXED.search(text):
        text = _WORD.sub(lambda match: match[0].translate(_ALIKE) if _MIXED.search(match[0]) else match[0], text)
    return _ENDLESS.sub(r"\g<0> ", _unescaped(text))


def spaced(text: str) -> str:
    """The text with a space wherever Chinese, Japanese or Korean touches a Latin word, so that this is one of its own."""
    return text if text.isascii() else _BORDER.sub(" ", text)


def _unescaped(text: str) -> str:
    """A text that came as one quoted string is read as what it spells."""
    body = text.strip()
    if "\n" in body or body.count("\\n") < 2:
        return text
    body = body[1:-1] if len(body) > 1 and body[0] == body[-1] == '"' else body
    return body.replace("\\n", "\n").replace("\\t", "\t").replace('\\"', '"')


# Links. One that points into a repository keeps the path; every other is gone, with its words.
_LINKED: Final = re.compile(
    r"(!?)\[([^\]\[\n]{0,300})\]\(\s{0,3}<?[^()\s<>]{1,800}(?:\([^()\s]{0,100}\)[^()\s]{0,300})?>?[^()\n]{0,200}\)"
)
_LINK: Final = re.compile(r"(?:https?|ftp|ssh|git)://[^\s<>\"'`|]+|\bwww\.[\w-]+\.[^\s<>\"'`|]+")
_INTO_REPOSITORY: Final = re.compile(
    r"^https?://[^/\s]+/[^/\s]+/[^/\s]+/(?:-/)?(?:blob|tree|raw|src|blame|edit|src/branch|src/commit|src/tag)/[^/\s]+/([^\s?#]+)"
    r"(?:\?[^\s#]*)?(?:#L(\d{1,7}))?"
)  # fmt: skip
_MAIL: Final = re.compile(r"\b[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64})+\b")


def linked_files(text: str) -> tuple[Frame | str, ...]:
    """The files that links into a repository point at: a frame if with a line, else a path."""
    found: list[Frame | str] = []
    for link in _LINK.findall(text)[:200]:
        if match := _INTO_REPOSITORY.match(link.rstrip(").,;:")):
            path = match[1].rstrip("/")
            found.append(Frame(path=path, line=int(match[2]), kind="link") if match[2] else path)
    return tuple(dict.fromkeys(found))


def link_words(text: str) -> str:
    """The paths of all links, as words: all that a task has that is nothing but a link."""
    return " ".join(re.sub(r"^\w+://[^/]*/?|^www\.[^/]*/?", "", link) for link in _LINK.findall(text)[:50])


def _without_links(text: str) -> str:
    text = _LINKED.sub(lambda match: " " if match[1] else f" {match[2]} ", text)
    return _LINK.sub(" ", text)


def _without_comments(text: str) -> str:
    """Without `<!-- … -->`; one that never ends is left, since it may be what the task is about."""
    kept, at = [], 0
    while (start := text.find("<!--", at)) >= 0 and (end := text.find("-->", start + 4)) >= 0:
        kept.append(text[at:start])
        at = end + 3
    return " ".join((*kept, text[at:]))


# Headings of forms, in the languages that forms are mostly written in. A heading goes; what stands under it stays.
_FORM: Final = re.compile(
    r"(?:the )?(?:bug(?: report| description)?|feature request|description|summary|overview|title|issue|problem(?: description| statement)?"
    r"|describe (?:the|your) (?:bug|issue|problem|question|feature)[^\n]*|(?:a )?clear and concise description[^\n]*"
    r"|(?:steps )?to reproduce(?: the (?:bug|issue|behaviou?r|problem))?|steps to reproduce[^\n]*|reproduc(?:tion|ing|ible|tive)(?: (?:steps|link|example|case|code))?"
    r"|(?:expected|actual|current|desired|observed|wanted)(?: and actual)?(?: behaviou?r| results?| output| outcome)?"
    r"|what (?:happened|did you expect[^\n]*|happens[^\n]*|is (?:the|your|happening)[^\n]*|are you trying[^\n]*|do you see[^\n]*|should happen[^\n]*|went wrong|are the steps[^\n]*)"
    r"|(?:how to reproduce|how can we reproduce|how do we reproduce|how often does)[^\n]*"
    r"|is your feature request related to a problem[^\n]*|describe the solution[^\n]*|describe alternatives[^\n]*|(?:proposed|possible|suggested) (?:solution|fix|change)s?"
    r"|alternatives?(?: considered| solutions?)?|additional (?:context|info(?:rmation)?|details|notes)|(?:any|more|further|other) (?:context|info(?:rmation)?|details|comments)"
    r"|anything else[^\n]*|(?:minimal |complete |verifiable |reproducible |working |code )*(?:example|sample|snippet|mcve|mvce|repro)s?(?: code)?(?: confirmation)?"
    r"|(?:relevant )?(?:log|console|error|terminal)s?(?: (?:output|message|trace))?|stack ?trace|traceback|output|screenshots?(?: or (?:videos?|recordings?))?|videos?|attachments?"
    r"|context|motivation|background|rationale|use ?cases?|impact|severity|notes?|related(?: (?:issues?|prs?))?|references?|links?"
    r"|(?:pre-?submission |pr |pull request )?check ?lists?|acceptance criteria|prerequisites|code of conduct|contact details|type of change|changes|how has this been tested[^\n]*"
    r"|问题描述|问题|描述|重现步骤|复现步骤|如何重现|期待的正确结果|期望(?:结果|行为)?|实际(?:结果|行为)|相关日志输出|附加信息|补充信息|请描述[^\n]*|截图|日志"
    r"|概要|内容|再現手順|期待する(?:動作|挙動)|実際の(?:動作|挙動)|補足)"
)  # fmt: skip
# Headings under which stands a machine: only whole sentences stay.
_MACHINE: Final = re.compile(
    r"(?:your |my |test |runtime |development )?(?:environment|system|setup|platform|configuration|installation|machine)(?: (?:info(?:rmation)?|details|setup|description))?"
    r"|environment (?:\()?please complete[^\n]*|(?:please complete )?the following information[^\n]*|version(?:s|\(s\))?(?: info(?:rmation)?| used)?|(?:software |package |library |installed |dependency )*versions?"
    r"|[\w.-]+ version|what (?:version|operating system|os|platform|browser|environment)[^\n]*|how did you install[^\n]*|which (?:version|os|operating system|platform|browser)[^\n]*"
    r"|output of [^\n]*(?:show_versions|version|freeze|list|npm ls|info|doctor|env)\S*[^\n]*|(?:pip|conda|npm|yarn|pnpm|gem|cargo|brew) (?:freeze|list|ls|env|info|tree)[^\n]*"
    r"|desktop[^\n]{0,40}|smartphone[^\n]{0,40}|device[^\n]{0,20}|browsers?|os|operating system|hardware|dependencies|system information|website address"
    r"|环境(?:信息)?|版本(?:信息|号)?|运行环境|系统(?:信息)?|環境|バージョン"
)  # fmt: skip
_HEADING: Final = re.compile(
    r"^\s{0,3}(?:#{1,6}\s*(?P<hash>[^\n]*?)[#\s]*|(?:\*\*|__)(?P<bold>[^*_\n]{1,120})(?:\*\*|__)\s*:?\s*|(?P<colon>[A-Za-z][^:：\n]{1,60})[:：]\s*)$"
)
_UNDERLINE: Final = re.compile(r"^\s{0,3}(?:={3,}|-{3,}|\*{3,}|_{3,}|~{3,})\s*$")

# What forms say of themselves, and the answers that say nothing.
_FORM_LINE: Final = re.compile(
    r"^\s*(?:[-*>]\s*)?(?:_?no response_?|n/?a|none|todo|tbd|-|\?+|a clear and concise description of .*|if applicable, add .*"
    r"|add any other (?:context|information) .*|i'?m always frustrated when \[.*|ex\. i'?m always .*|please (?:fill|complete) (?:out|in|the form|all) ?.*|please (?:describe\.?$|note that this form .*|make sure (?:that )?you .*|search (?:for )?(?:the )?(?:existing|open|issues).*|delete this .*)"
    r"|(?:thank you|thanks)(?: (?:for|in advance|so much|a lot|very much)\b.{0,120})?[!. ]*|(?:hi|hello|hey)(?: (?:there|all|team|everyone|guys))?[!,. ]*|before (?:submitting|opening|filing) .*"
    r"|i have (?:searched|read|checked|verified|reviewed) .*|i(?:'ve| have) (?:already )?searched .*|sent from my .*|get outlook for .*|\[?e\.g\.[^\]]*\]?|this issue (?:was|has been) .{0,40}automatic.*)\s*$",
    re.IGNORECASE,
)  # fmt: skip
# A box to tick belongs to the form, unless it says what to do.
_BOX: Final = re.compile(r"^\s*(?:[-*+]|\d+[.)]) \[[ xX✓]?\]")
_TO_DO: Final = re.compile(
    r"^\s*(?:[-*+]|\d+[.)]) \[[ xX✓]?\] \W{0,4}(?:add|allow|change|convert|create|drop|enable|ensure|extend|extract|fix|handle|implement|improve|introduce|make|migrate|move|port|refactor|remove|rename|replace|return|show|support|update|use|write)\b",
    re.IGNORECASE,
)  # fmt: skip
_TRAILER: Final = re.compile(
    r"^\s*(?:signed-off-by|co-?authored-by|reviewed-by|acked-by|tested-by|reported-by|suggested-by|cc|change-id|reviewed-on|git-svn-id|pr-url|refs?|backport-of"
    r"|cherry[ -]picked from|\(cherry picked from|approved-by|bors|differential revision|generated (?:with|by) \[?claude)\b\s*:?.*$",
    re.IGNORECASE,
)  # fmt: skip
_CLOSES: Final = re.compile(
    r"\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?|refs?|see|related to|part of)\s*:?\s+(?:[\w.-]+/[\w.-]+)?#\d+\b",
    re.IGNORECASE,
)
_WROTE: Final = re.compile(
    r"^\s*(?:On .{6,160} wrote:|-{2,} ?(?:Original|Forwarded) Message ?-{2,}|(?:From|Sent|To|Subject|Date): .{1,200})\s*$"
)

# A machine's particulars on a line of its own.
_PARTICULAR: Final = re.compile(
    r"^\s*(?:[-*+|]\s*)?\**`?(?:os(?:[ -]release)?|operating system|platform|machine|processor|cpu|gpu|ram|memory|arch(?:itecture)?|kernel|shell|terminal|browser|device|locale|lang|lc_all|byteorder|python-bits|os-bits"
    r"|python|node(?:\.?js)?|npm|yarn|pnpm|bun|deno|rustc|rust|cargo|java|jdk|jvm|kotlin|scala|maven|gradle|go|golang|go version|php|composer|ruby|gem|bundler|dotnet|\.net(?: core| sdk)?|gcc|clang|cmake|llvm|msvc|visual studio"
    r"|docker|kubernetes|chrome|firefox|safari|edge|macos|windows|linux|ubuntu|debian|fedora|android|ios|[\w.-]{1,30}[ _-]versions?|versions?)`?\**(?:[ _-]?versions?)?\**\s*(?:[:=|：]\s*.{0,160}|[ ]\(?v?\d+(?:\.\d+)+\S*)$",
    re.IGNORECASE,
)  # fmt: skip
_VERSIONED: Final = re.compile(
    r"^[\s|│├└─┬+`*-]{0,40}[@\w][\w.@/+-]{0,60}(?:\s*(?:==|>=|~=|@|[:=|])\s*|\s{1,30}\(?)\^?v?(?:\d+(?:\.\d+)+\S{0,40}|None|N/A|not installed)\)?(?:\s{1,9}\S{1,40}){0,3}[\s|]*$"
)
_VERSION: Final = re.compile(
    r"(?<![\w.])v?\d{1,5}(?:\.\d{1,5}){1,3}(?:[-.+]?(?:alpha|beta|rc|dev|pre|post|final|snapshot|a|b|m)[-.]?\d*)*(?![\w.]*\w)",
    re.IGNORECASE,
)

# What a log has beside its message.
_STAMP: Final = re.compile(
    r"\[?\b\d{4}[-/]\d{1,2}[-/]\d{1,2}[T ]\d{1,2}:\d{2}(?::\d{2})?(?:[.,]\d{1,9})?(?:Z|\s?[+-]\d{2}:?\d{2})?\]?|(?<![\w:.])\d{1,2}:\d{2}:\d{2}(?:[.,]\d{1,9})?(?![\w:])"
)
_ADDRESS: Final = re.compile(r"\b0x[0-9a-fA-F]{5,}\b")
_HASH: Final = re.compile(
    r"\b(?=[0-9a-f]*\d)(?=\d*[a-f])[0-9a-f]{12,}\b|\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b|\bsha(?:1|256|512)[-:][A-Za-z0-9+/=]{16,}"
)
_BAR: Final = re.compile(r"[━█▏▎▍▌▋▊▉░▒▓╸╺─═⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]{3,}|\[[=#>\-. ]{6,}\]|={6,}>?|#{7,}|\d{1,3}%\|")
_LOG_LINE: Final = re.compile(
    r"^\s*(?:\[?\d{4}[-/]\d\d[-/]\d\d|\[?\d\d:\d\d:\d\d|\[?(?:ERROR|WARN(?:ING)?|INFO|DEBUG|TRACE|FATAL|CRITICAL)\b|Traceback |Caused by: |\s*\.\.\. \d+ more|at \S+\(|npm (?:ERR|error|WARN)|error(?:\[\w+\])?: |warning(?:\[\w+\])?: "
    r"|thread '|goroutine \d|panic: |note: |make(?:\[\d+\])?: |\s*(?:Compiling|Downloading|Downloaded|Installing|Collecting|Fetching|Finished|Running|Updating|Checking|Building|Requirement already) |test \S+ \.\.\. |(?:PASS|FAIL|ok|---) "
    r"|E   |\s+\^+|[=_]{4,}|#\d+ +(?:0x|\S+ at|in )|\+{3} |>>> exit|Exit code|Process finished)"
)  # fmt: skip
_MESSAGE: Final = re.compile(
    r"^\s*(?:E\s{1,8})?(?:(?:[\w.$]+\.)?[A-Z]\w*(?:Error|Exception|Warning|Failure|Panic|Fault|Interrupt)\b[^\n]{0,300}|(?:fatal |runtime |syntax |internal )?(?:error|panic|fatal)(?:\[\w+\])?: [^\n]{2,400}"
    r"|Caused by: [^\n]{2,400}|(?:PHP )?(?:Fatal error|Uncaught \w+|Parse error)\b[^\n]{2,400}|\[?(?:ERROR|FATAL|CRITICAL)\]?\b[^\n]{2,400}|\S{0,80}: (?:command not found|No such file[^\n]{0,100}))$"
)  # fmt: skip
_LOG_FENCES: Final = frozenset(
    "log logs output traceback pytb python-traceback pycon-traceback console-output stacktrace".split()
)
_FENCE: Final = re.compile(r"^\s{0,12}(?:>\s?)?(?P<mark>`{3,}|~{3,})\s*(?P<language>[\w+#.-]*)[^`\n]*$")
_CODE_LINE: Final = re.compile(
    r"^\s*(?:>>> |\.\.\. |\$ |#include\b|#define\b|import [\w.{*]+(?: from|;|$)|from [\w.]+ import |(?:const|let|var) \w+ = |(?:def|class|fn|func|function) \w+.*[:{(]$|@\w+\(|return\b.*;$|[})\]]+[;,]?$|</?\w[^>]*>$)"
    r"|[;{]\s*(?://.*)?$"
)  # fmt: skip
_TAG: Final = re.compile(
    r"(`[^`\n]{0,200}`)|</?(?:details|summary|br|hr|kbd|sub|sup|img|p|b|i|em|strong|pre|code|ul|ol|li|div|span|center|table|tr|td|th|tbody|thead|h[1-6]|blockquote|picture|source|video)(?:\s[^<>\n]{0,300})?/?>",
    re.IGNORECASE,
)  # fmt: skip
_FILLER: Final = frozenset(
    "a an and are as at be but by can could do does for from has have i if in is it no not of on or so that the then there this to was we when which will with would you".split()
)


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
    if len(told) >= _DUMP_LINES and sum(map(_is_particular, told)) >= _DUMP_SHARE * len(told):
        return Passage(kind="log", text="")
    logged = sum(_is_log(line, before) for line, before in zip(told, ("", *told), strict=False))
    log = language in _LOG_FENCES or (logged >= _LOG_SHARE * len(told) and logged > 0)
    return Passage(kind="log" if log else "code", text="\n".join(lines), language=language)


def _unfenced(lines: Sequence[str]) -> Iterator[Passage]:
    """Runs of lines of one kind."""
    run: list[str] = []
    kind: Kind = "prose"
    before, indented = "", False
    for line in _own_words(lines):
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


def _own_words(lines: Sequence[str]) -> Iterator[str]:
    """Lines of prose without the form, the machine and the mail around them."""
    machine = mail = False
    dump = _dumps(lines)
    for number, line in enumerate(lines):
        if not line.strip():
            yield line
            continue
        heading = _heading(line)
        if heading is not None:
            machine, mail = bool(_MACHINE.fullmatch(heading)), False
            if machine or _FORM.fullmatch(heading):
                continue
        elif _WROTE.match(line):
            mail = line.rstrip().endswith(("wrote:", "-"))
            continue
        if _BOX.match(line) and not _TO_DO.match(line):
            continue
        if number in dump or _FORM_LINE.match(line) or _TRAILER.match(line) or _UNDERLINE.match(line):
            continue
        if _PARTICULAR.match(line) or (machine and heading is None and not _is_sentence(line)):
            continue
        if mail and line.lstrip().startswith(">"):
            continue
        yield line


def _heading(line: str) -> str | None:
    """A heading's words in lower case, without marks, numbers and emoji around them."""
    match = _HEADING.match(line)
    if not match:
        return None
    said = match["hash"] or match["bold"] or match["colon"] or ""
    return re.sub(r"^[\W\d_]+|[\W_]+$", "", said.replace("*", "").replace("`", "")).lower()


def _dumps(lines: Sequence[str]) -> frozenset[int]:
    """The numbers of lines in a run of at least four particulars."""
    found: list[int] = []
    run: list[int] = []
    for number, line in enumerate((*lines, "end of the lines")):
        if _is_particular(line):
            run.append(number)
        elif line.strip():
            found.extend(run if len(run) >= _DUMP_LINES else ())
            run = []
    return frozenset(found)


def _is_particular(line: str) -> bool:
    return bool(_VERSIONED.match(line) or _PARTICULAR.match(line))


def _is_sentence(line: str) -> bool:
    said = re.findall(r"[A-Za-z']+|[\u3040-\u9fff\uac00-\ud7af]", line.lower())
    return len(said) >= 6 and (sum(word in _FILLER for word in said) >= 2 or not line.isascii())


def _cleaned(passage: Passage) -> Passage:
    text = _without_links(passage.text)
    if passage.kind == "prose":
        text = _CLOSES.sub(" ", _TAG.sub(lambda match: match[1] or " ", _MAIL.sub(" ", text)))
        text = _VERSION.sub(" ", text)
    if passage.kind == "log":
        text = _said_by_log(text.split("\n"))
    for noise in (_STAMP, _ADDRESS, _HASH, _BAR):
        text = noise.sub(" ", text)
    return Passage(kind=passage.kind, text=text, language=passage.language)


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
    found = (line.strip() for line in lines if _MESSAGE.match(line[:500]))
    return tuple(dict.fromkeys(line for line in found if not is_installed(line)))[:20]
