"""Tells what kind of work a task is, what it wants done, and on which surfaces of a program."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final, Literal

from .model import Workflow
from .words import stem, words

Surface = Literal["ui", "api", "data", "cli", "config", "style", "build", "docs", "test"]

_VERBS: Final = (
    "add allow audit avoid bump change check clean convert create debug deprecate describe disable document drop enable"
    " ensure explain expose extend extract fix handle ignore implement improve introduce investigate make migrate move"
    " optimize port prevent refactor remove rename replace report respect restore return review revert show simplify"
    " skip speed split support test update upgrade use validate write"
)
_ALIKE: Final[Mapping[str, str]] = {"delete": "remove", "display": "show", "optimise": "optimize", "rollback": "revert"}
_BASE: Final = {stem(verb): _ALIKE.get(verb, verb) for verb in (*_VERBS.split(), *_ALIKE)}
# Verbs that name nothing in the code: they say only that something is to be done.
_GENERIC: Final = frozenset(
    ("add", "allow", "avoid", "change", "ensure", "fix", "implement", "improve", "introduce", "make", "support", "use")
)

_SURFACE_WORDS: Final[Mapping[Surface, str]] = {
    "ui": "ui page pages button buttons dialog modal dashboard screen form frontend widget tooltip dropdown menu"
    " sidebar navbar toolbar icon icons layout render renders rendering rendered component components click clicks"
    " scroll hover browser tab popup panel checkbox theme chart",
    "api": "api apis endpoint endpoints rest graphql grpc http request requests route routes handler webhook controller"
    " middleware method methods function parameter parameters argument kwarg kwargs signature overload interface trait"
    " public",
    "data": "database db sql migration migrations schema table tables column columns query queries record records model"
    " models orm index transaction storage cache persistence serialize serialization deserialize deserialization row"
    " rows",
    "cli": "cli command commands subcommand flag flags terminal stdout stderr stdin shell console prompt argv exit",
    "config": "config configuration configs setting settings option options preference preferences environment env"
    " default defaults toml yaml ini",
    "style": "css scss sass less stylesheet stylesheets color colors colour font fonts padding margin theme dark style"
    " styles spacing responsive",
    "build": "build builds compile compilation compiler bundle bundler webpack vite cmake makefile docker dockerfile ci"
    " pipeline workflow release packaging dependency dependencies linker lockfile gradle maven",
    "docs": "docs doc documentation readme changelog docstring docstrings tutorial",
    "test": "test tests testing spec specs coverage flaky fixture fixtures mock mocks unittest pytest jest",
}
_SURFACE_OF: Final[dict[str, tuple[Surface, ...]]] = {}
for _surface, _listed in _SURFACE_WORDS.items():
    for _word in _listed.split():
        _SURFACE_OF[_word] = (*_SURFACE_OF.get(_word, ()), _surface)
_ENOUGH: Final = 3

# The verb that a title begins with says most.
_LED_BY: Final[Mapping[str, Workflow]] = {
    **dict.fromkeys("add allow create enable expose extend implement introduce support".split(), "feature"),  # noqa: SIM905
    **dict.fromkeys("avoid debug ensure fix handle prevent restore revert respect".split(), "bug"),  # noqa: SIM905
    **dict.fromkeys("convert deprecate migrate port rename upgrade".split(), "migration"),  # noqa: SIM905
    **dict.fromkeys("review audit".split(), "review"),  # noqa: SIM905
    **dict.fromkeys("explain describe".split(), "explain"),  # noqa: SIM905
    "investigate": "incident",
}  # fmt: skip
_BUG: Final = (
    r"bugs?|crash\w*|fail(?:s|ed|ing|ure\w*)?|errors?|exceptions?|panics?|panicked|wrong\w*|broken?|breaks?"
    r"|breaking|incorrect\w*|regress\w*"
    r"|leak\w*|hangs?|traceback|unexpected\w*|inconsisten\w*|overflow\w*|underflow\w*|deadlock\w*"
    r"|race condition|typos?|missing|invalid|ignored|ignores"
    r"|can ?not|can'?t|unable to|does(?: no|n'?)t|do(?: no|n'?)t|is(?: no|n'?)t|are(?: no|n'?)t|won'?t"
    r"|no longer|should(?: no|n'?)t|instead of|never|lost|loses"
    r"|overwrites?|duplicated?|truncat\w*|segfault\w*|not (?:work|being|respected|available|set|called|found"
    r"|applied|handled)\w*|too (?:many|slow|long)|infinite"
)  # fmt: skip
_FOREIGN_BUG: Final = (
    r"报错|失败|错误|异常|无效|不生效|不正确|有问题|崩溃|丢失|エラー|失敗|不具合|バグ|動かない"
    r"|오류|버그|실패|خطأ|ошибка|не работает"
)
_FEATURE: Final = (
    r"add(?:s|ed|ing)?|support(?:s|ed|ing)?|implement\w*|introduc\w*|allow\w*|new|create\w*|features?"
    r"|enabl\w*|extend\w*|provid\w*|ability to|would be (?:nice|great|useful|helpful)"
    r"|option to|(?:a )?way to|i(?:'d| would) like|proposal|expose\w*|enhance\w*|make it possible"
)  # fmt: skip
_FOREIGN_FEATURE: Final = r"新增|增加|添加|支持|希望|需要|建议|追加|対応|추가|지원|добавить|أضف|إضافة"
# Work of these kinds is asked for in so many words, near the beginning.
_ASKED: Final[Mapping[Workflow, re.Pattern[str]]] = {
    "migration": re.compile(
        r"^(?:please )?(?:migrate|port|upgrade|convert|switch|move)\b[^\n]{1,200}?\b(?:to|from|onto)\b"
        r"|\bmigrat(?:e|es|ion|ing)\b[^\n]{0,80}\b(?:to|from|off)\b|^replace \S[^\n]{0,80} (?:with|by)\b"
        r"|^(?:rename|deprecate)\b",
        re.IGNORECASE,
    ),
    "review": re.compile(
        r"^(?:please |(?:can|could) you (?:please )?)?(?:do a |code )?(?:review|audit|critique|look over"
        r"|check)\b(?! (?:page|command|form|screen|app))|\b(?:review|audit) (?:this|these|the|my"
        r"|our) (?:\w+ )?(?:change|diff|patch|pr|pull request|commit|code|branch|module)s?\b"
        r"|\bfeedback on (?:this|my|the) (?:change|diff|patch|pr|code)\b|^is this (?:change|diff|patch"
        r"|code) (?:safe|ok|correct|right)",
        re.IGNORECASE,
    ),
    "explain": re.compile(
        r"^(?:please |(?:can|could) you (?:please )?)?(?:explain|describe (?:how|what|why|the)|walk me through"
        r"|summari[sz]e|tell me|help me understand|understand|document how)\b|^(?:how|why|what|where|when|which"
        r"|who) (?:do|does|did|is|are|was|were|can|should|would|will|happens|exactly)\b|^where (?:is|are|do"
        r"|does)\b",
        re.IGNORECASE,
    ),
    "incident": re.compile(
        r"\b(?:incident|outage|on-?call|post-?mortem|root cause analysis|rca|sev-?[0-4]|p[01] (?:incident|alert)"
        r"|production (?:is |went |was )?(?:down|broken|failing)|(?:site|service|prod|api|cluster"
        r"|everything) (?:is|was|went) down"
        r"|in production since|since (?:the|last|this|today'?s|yesterday'?s) (?:deploy\w*|release|rollout)"
        r"|alerts? (?:is|are|keeps?|started) (?:firing|fired|paging)|paged|error rate|latency (?:spike|went up)"
        r"|5xx|spike of)\b",
        re.IGNORECASE,
    ),
}  # fmt: skip
_WORDED: Final = tuple(
    (workflow, re.compile(rf"\b(?:{words})\b|{foreign}", re.IGNORECASE))
    for workflow, words, foreign in (("bug", _BUG, _FOREIGN_BUG), ("feature", _FEATURE, _FOREIGN_FEATURE))
)
_OPENING: Final = re.compile(
    r"^(?:\W{0,9}(?:please|can you|could you|we (?:should|need to)|let'?s|i want to|to)\b){0,3}\W{0,9}"
)
_KIND_OF_CHANGE: Final[tuple[tuple[re.Pattern[str], Workflow], ...]] = (
    (re.compile(r"^(?:fix|bug(?:fix)?|hotfix|revert)(?:\([^)\n]{0,60}\))?!?:", re.IGNORECASE), "bug"),
    (re.compile(r"^(?:feat(?:ure)?|refactor|perf)(?:\([^)\n]{0,60}\))?!?:", re.IGNORECASE), "feature"),
)
_FORMS: Final[tuple[tuple[re.Pattern[str], Workflow], ...]] = (
    (
        re.compile(
            r"\[\W{0,5}(?:feature|feat|enhancement|proposal|rfc)\b|feature request|describe the solution"
            r"|请描述您的需求",
            re.IGNORECASE,
        ),
        "feature",
    ),
    (
        re.compile(
            r"\[\W{0,5}bug\b|bug report|describe the bug|steps to reproduce|to reproduce|what happened\?"
            r"|(?:actual|current) (?:behaviou?r|result|output)|重现步骤|复现|再現手順",
            re.IGNORECASE,
        ),
        "bug",
    ),
)


def form_of(text: str) -> Workflow | None:
    """What the headings or labels of a report's form say it is."""
    return next((workflow for pattern, workflow in _FORMS if pattern.search(text)), None)


def workflow_of(title: str, text: str, *, form: Workflow | None, traced: bool, changed: bool) -> Workflow:
    """What kind of work it is: what is asked in so many words, else a defect or a feature by what the words weigh.

    A diff is there to be reviewed, unless the title asks for something else; no sign at all is a feature.
    """
    opening = _OPENING.sub("", title.lower())
    if asked := next((kind for kind, pattern in _ASKED.items() if pattern.search(title)), None):
        return "bug" if asked == "explain" and traced else asked
    led = _LED_BY.get(base_verb(next(iter(words(opening)), "")) or "")
    if led is None and changed and not base_verb(next(iter(words(opening)), "")):
        return "review"
    if led in ("review", "explain", "migration", "incident"):
        return led
    scores = {kind: 2 * len(pattern.findall(title)) + min(2, len(pattern.findall(text))) for kind, pattern in _WORDED}
    labelled = next((kind for pattern, kind in _KIND_OF_CHANGE if pattern.match(title)), None)
    for kind, weight in ((led, 4), (form, 4), (labelled, 5)):
        if kind:
            scores[kind] += weight
    scores["bug"] += 4 * traced
    return "bug" if scores["bug"] > 0 and scores["bug"] >= scores["feature"] else "feature"


def base_verb(word: str) -> str | None:
    """The plain form of a word that says what is to be done."""
    return _BASE.get(stem(word.lower()))


def is_generic(word: str) -> bool:
    """Whether a word only says that something is to be done, not to what."""
    return base_verb(word) in _GENERIC


def verbs_in(title: str, text: str) -> tuple[str, ...]:
    """The plain forms of what is to be done: the title's in order, then those that begin a sentence of the text."""
    openings = re.findall(
        r"(?:^|[.:;!?]\s|\n\s*(?:[-*]|\d+[.)])?\s*)(?i:please |to |and |then |we should )?([A-Za-z]+)", text
    )
    asked = (base_verb(word) for word in (*words(title), *openings))
    return tuple(dict.fromkeys(verb for verb in asked if verb))[:8]


def surfaces_in(title: str, prose: str, *, options: bool, keys: bool) -> tuple[Surface, ...]:
    """The sides of a program that the words name, the most named first."""
    scores: dict[Surface, int] = {}
    for source, weight, most in ((title, 3, 9), (prose, 1, 3)):
        for surface, times in _named(words(source)).items():
            scores[surface] = scores.get(surface, 0) + min(most, weight * times)
    scores["cli"] = scores.get("cli", 0) + 3 * options
    scores["config"] = scores.get("config", 0) + 2 * keys
    order = list(_SURFACE_WORDS)
    told = (surface for surface in order if scores.get(surface, 0) >= _ENOUGH)
    return tuple(sorted(told, key=lambda surface: (-scores[surface], order.index(surface))))


def _named(found: Iterable[str]) -> dict[Surface, int]:
    counts: dict[Surface, int] = {}
    for word in found:
        for surface in _SURFACE_OF.get(word.lower(), ()):
            counts[surface] = counts.get(surface, 0) + 1
    return counts
