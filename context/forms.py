"""Knows the forms that reports are written in, the machines they list and the mail around them, line by line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

_DUMP_LINES: Final = 4

# Headings of forms, in the languages that forms are mostly written in. A heading goes; what stands under it stays.
_FORM: Final = re.compile(
    r"(?:the )?(?:bug(?: report| description)?|feature request|description|summary|overview|title|issue"
    r"|problem(?: description| statement)?"
    r"|describe (?:the|your) (?:bug|issue|problem|question|feature)[^\n]*|(?:a )?clear and concise description[^\n]*"
    r"|(?:steps )?to reproduce(?: the (?:bug|issue|behaviou?r|problem))?|steps to reproduce[^\n]*"
    r"|reproduc(?:tion|ing|ible|tive)(?: (?:steps|link|example|case|code))?"
    r"|(?:expected|actual|current|desired|observed|wanted)(?: and actual)?(?: behaviou?r| results?| output| outcome)?"
    r"|what (?:happened|did you expect[^\n]*|happens[^\n]*|is (?:the|your|happening)[^\n]*"
    r"|are you trying[^\n]*|do you see[^\n]*|should happen[^\n]*|went wrong|are the steps[^\n]*)"
    r"|(?:how to reproduce|how can we reproduce|how do we reproduce|how often does)[^\n]*"
    r"|is your feature request related to a problem[^\n]*|describe the solution[^\n]*"
    r"|describe alternatives[^\n]*|(?:proposed|possible|suggested) (?:solution|fix|change)s?"
    r"|alternatives?(?: considered| solutions?)?|additional (?:context|info(?:rmation)?|details|notes)|(?:any"
    r"|more|further|other) (?:context|info(?:rmation)?|details|comments)"
    r"|anything else[^\n]*|(?:minimal |complete |verifiable |reproducible |working |code )*(?:example|sample"
    r"|snippet|mcve|mvce|repro)s?(?: code)?(?: confirmation)?"
    r"|(?:relevant )?(?:log|console|error|terminal)s?(?: (?:output|message|trace))?|stack ?trace|traceback"
    r"|output|screenshots?(?: or (?:videos?|recordings?))?|videos?|attachments?"
    r"|context|motivation|background|rationale|use ?cases?|impact|severity|notes?|related(?: (?:issues?"
    r"|prs?))?|references?|links?"
    r"|(?:pre-?submission |pr |pull request )?check ?lists?|acceptance criteria|prerequisites|code of conduct"
    r"|contact details|type of change|changes|how has this been tested[^\n]*"
    r"|问题描述|问题|描述|重现步骤|复现步骤|如何重现|期待的正确结果|期望(?:结果|行为)?|实际(?:结果|行为)|相关日志输出|附加信息|补充信息|请描述[^\n]*|截图|日志"
    r"|概要|内容|再現手順|期待する(?:動作|挙動)|実際の(?:動作|挙動)|補足)"
)  # fmt: skip
# Headings under which stands a machine: only whole sentences stay.
_MACHINE: Final = re.compile(
    r"(?:your |my |test |runtime |development )?(?:environment|system|setup|platform|configuration"
    r"|installation|machine)(?: (?:info(?:rmation)?|details|setup|description))?"
    r"|environment (?:\()?please complete[^\n]*|(?:please complete )?the following information[^\n]*"
    r"|version(?:s|\(s\))?(?: info(?:rmation)?| used)?|(?:software |package |library |installed "
    r"|dependency )*versions?"
    r"|[\w.-]+ version|what (?:version|operating system|os|platform|browser|environment)[^\n]*"
    r"|how did you install[^\n]*|which (?:version|os|operating system|platform|browser)[^\n]*"
    r"|output of [^\n]*(?:show_versions|version|freeze|list|npm ls|info|doctor|env)\S*[^\n]*|(?:pip|conda|npm"
    r"|yarn|pnpm|gem|cargo|brew) (?:freeze|list|ls|env|info|tree)[^\n]*"
    r"|desktop[^\n]{0,40}|smartphone[^\n]{0,40}|device[^\n]{0,20}|browsers?|os|operating system|hardware"
    r"|dependencies|system information|website address"
    r"|环境(?:信息)?|版本(?:信息|号)?|运行环境|系统(?:信息)?|環境|バージョン"
)  # fmt: skip
_HEADING: Final = re.compile(
    r"^\s{0,3}(?:#{1,6}\s*(?P<hash>[^\n]*?)[#\s]*|(?:\*\*|__)(?P<bold>[^*_\n]{1,120})(?:\*\*|__)\s*:?\s*"
    r"|(?P<colon>[A-Za-z][^:：\n]{1,60})[:：]\s*)$"
)
_UNDERLINE: Final = re.compile(r"^\s{0,3}(?:={3,}|-{3,}|\*{3,}|_{3,}|~{3,})\s*$")

# What forms say of themselves, and the answers that say nothing.
_FORM_LINE: Final = re.compile(
    r"^\s*(?:[-*>]\s*)?(?:_?no response_?|n/?a|none|todo|tbd|-|\?+|a clear and concise description of .*"
    r"|if applicable, add .*"
    r"|add any other (?:context|information) .*|i'?m always frustrated when \[.*|ex\. i'?m always .*"
    r"|please (?:fill|complete) (?:out|in|the form|all) ?.*|please (?:describe\.?$|note that this form .*"
    r"|make sure (?:that )?you .*|search (?:for )?(?:the )?(?:existing|open|issues).*|delete this .*)"
    r"|(?:thank you|thanks)(?: (?:for|in advance|so much|a lot|very much)\b.{0,120})?[!. ]*|(?:hi|hello"
    r"|hey)(?: (?:there|all|team|everyone|guys))?[!,. ]*|before (?:submitting|opening|filing) .*"
    r"|i have (?:searched|read|checked|verified|reviewed) .*|i(?:'ve| have) (?:already )?searched .*"
    r"|sent from my .*|get outlook for .*|\[?e\.g\.[^\]]*\]?|this issue (?:was"
    r"|has been) .{0,40}automatic.*)\s*$",
    re.IGNORECASE,
)  # fmt: skip
# A box to tick belongs to the form, unless it says what to do.
_BOX: Final = re.compile(r"^\s*(?:[-*+]|\d+[.)]) \[[ xX✓]?\]")
_TO_DO: Final = re.compile(
    r"^\s*(?:[-*+]|\d+[.)]) \[[ xX✓]?\] \W{0,4}(?:add|allow|change|convert|create|drop|enable|ensure|extend"
    r"|extract|fix|handle|implement|improve|introduce|make|migrate|move|port|refactor|remove|rename|replace"
    r"|return|show|support|update|use|write)\b",
    re.IGNORECASE,
)  # fmt: skip
_TRAILER: Final = re.compile(
    r"^\s*(?:signed-off-by|co-?authored-by|reviewed-by|acked-by|tested-by|reported-by|suggested-by|cc"
    r"|change-id|reviewed-on|git-svn-id|pr-url|refs?|backport-of"
    r"|cherry[ -]picked from|\(cherry picked from|approved-by|bors|differential revision|generated (?:with"
    r"|by) \[?claude)\b\s*:?.*$",
    re.IGNORECASE,
)  # fmt: skip
_WROTE: Final = re.compile(
    r"^\s*(?:On .{6,160} wrote:|-{2,} ?(?:Original|Forwarded) Message ?-{2,}|(?:From|Sent|To|Subject"
    r"|Date): .{1,200})\s*$"
)

# A machine's particulars on a line of its own.
_PARTICULAR: Final = re.compile(
    r"^\s*(?:[-*+|]\s*)?\**`?(?:os(?:[ -]release)?|operating system|platform|machine|processor|cpu|gpu|ram"
    r"|memory|arch(?:itecture)?|kernel|shell|terminal|browser|device|locale|lang|lc_all|byteorder|python-bits"
    r"|os-bits"
    r"|python|node(?:\.?js)?|npm|yarn|pnpm|bun|deno|rustc|rust|cargo|java|jdk|jvm|kotlin|scala|maven|gradle"
    r"|go|golang|go version|php|composer|ruby|gem|bundler|dotnet|\.net(?: core| sdk)?|gcc|clang|cmake|llvm"
    r"|msvc|visual studio"
    r"|docker|kubernetes|chrome|firefox|safari|edge|macos|windows|linux|ubuntu|debian|fedora|android|ios"
    r"|[\w.-]{1,30}[ _-]versions?|versions?)`?\**(?:[ _-]?versions?)?\**\s*(?:[:=|：]\s*.{0,160}"
    r"|[ ]\(?v?\d+(?:\.\d+)+\S*)$",
    re.IGNORECASE,
)  # fmt: skip
_VERSIONED: Final = re.compile(
    r"^[\s|│├└─┬+`*-]{0,40}[@\w][\w.@/+-]{0,60}(?:\s*(?:==|>=|~=|@|[:=|])\s*"
    r"|\s{1,30}\(?)\^?v?(?:\d+(?:\.\d+)+\S{0,40}|None|N/A|not installed)\)?(?:\s{1,9}\S{1,40}){0,3}[\s|]*$"
)
_FILLER: Final = frozenset(
    [
        "a",
        "an",
        "and",
        "are",
        "as",
        "at",
        "be",
        "but",
        "by",
        "can",
        "could",
        "do",
        "does",
        "for",
        "from",
        "has",
        "have",
        "i",
        "if",
        "in",
        "is",
        "it",
        "no",
        "not",
        "of",
        "on",
        "or",
        "so",
        "that",
        "the",
        "then",
        "there",
        "this",
        "to",
        "was",
        "we",
        "when",
        "which",
        "will",
        "with",
        "would",
        "you",
    ]
)


def own_words(lines: Sequence[str]) -> Iterator[str]:
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
        if is_particular(line):
            run.append(number)
        elif line.strip():
            found.extend(run if len(run) >= _DUMP_LINES else ())
            run = []
    return frozenset(found)


def is_particular(line: str) -> bool:
    return bool(_VERSIONED.match(line) or _PARTICULAR.match(line))


def _is_sentence(line: str) -> bool:
    said = re.findall(r"[A-Za-z']+|[\u3040-\u9fff\uac00-\ud7af]", line.lower())
    return len(said) >= 6 and (sum(word in _FILLER for word in said) >= 2 or not line.isascii())
