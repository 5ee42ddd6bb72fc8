"""Tells what kind of work a task is, what it wants done, and on which surfaces of a program."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final, Literal

from .model import Workflow
from .words import words

Surface = Literal["ui", "api", "data", "cli", "config", "style", "build", "docs", "test"]

_VERBS: Final[Mapping[str, str]] = {
    "add": "adds added adding", "allow": "allows allowed allowing", "audit": "audits auditing", "avoid": "avoids avoided avoiding",
    "bump": "bumps bumped bumping", "change": "changes changed changing", "check": "checks checked checking",
    "clean": "cleans cleaned cleaning cleanup", "convert": "converts converted converting", "create": "creates created creating",
    "debug": "debugging", "deprecate": "deprecates deprecated deprecating", "describe": "describes",
    "disable": "disables disabled disabling", "document": "documents documented documenting", "drop": "drops dropped dropping",
    "enable": "enables enabled enabling", "ensure": "ensures ensured ensuring", "explain": "explains explaining",
    "expose": "exposes exposed exposing", "extend": "extends extended extending", "extract": "extracts extracted extracting",
    "fix": "fixes fixed fixing", "handle": "handles handled handling", "ignore": "ignores ignored ignoring",
    "implement": "implements implemented implementing", "improve": "improves improved improving",
    "introduce": "introduces introduced introducing", "investigate": "investigates investigating", "make": "makes made making",
    "migrate": "migrates migrated migrating", "move": "moves moved moving", "optimize": "optimizes optimized optimizing optimise",
    "port": "porting ported", "prevent": "prevents prevented preventing", "refactor": "refactors refactored refactoring",
    "remove": "removes removed removing delete deletes deleted deleting", "rename": "renames renamed renaming",
    "replace": "replaces replaced replacing", "report": "reports reporting", "respect": "respects respected respecting",
    "restore": "restores restored restoring", "return": "returns returned returning", "review": "reviews reviewing",
    "revert": "reverts reverted reverting rollback", "show": "shows showing display displays", "simplify": "simplifies simplified",
    "skip": "skips skipped skipping", "speed": "speeds", "split": "splits splitting", "support": "supports supported supporting",
    "test": "testing", "update": "updates updated updating", "upgrade": "upgrades upgraded upgrading", "use": "using",
    "validate": "validates validated validating", "write": "writes writing",
}  # fmt: skip
_BASE: Final = {form: base for base, forms in _VERBS.items() for form in (base, *forms.split())}
# Verbs that name nothing in the code: they say only that something is to be done.
GENERIC: Final = frozenset(
    word
    for base in "add allow avoid change ensure fix improve implement introduce make support update use".split()  # noqa: SIM905
    for word in (base, *_VERBS[base].split())
)

_SURFACE_WORDS: Final[Mapping[Surface, str]] = {
    "ui": "ui page pages button buttons dialog modal dashboard screen form frontend widget tooltip dropdown menu sidebar navbar"
    " toolbar icon icons layout render renders rendering rendered component components click clicks scroll hover browser tab"
    " popup panel checkbox theme chart",
    "api": "api apis endpoint endpoints rest graphql grpc http request requests route routes handler webhook controller"
    " middleware method methods function parameter parameters argument kwarg kwargs signature overload interface trait public",
    "data": "database db sql migration migrations schema table tables column columns query queries record records model models"
    " orm index transaction storage cache persistence serialize serialization deserialize deserialization row rows",
    "cli": "cli command commands subcommand flag flags terminal stdout stderr stdin shell console prompt argv exit",
    "config": "config configuration configs setting settings option options preference preferences environment env default"
    " defaults toml yaml ini",
    "style": "css scss sass less stylesheet stylesheets color colors colour font fonts padding margin theme dark style styles"
    " spacing responsive",
    "build": "build builds compile compilation compiler bundle bundler webpack vite cmake makefile docker dockerfile ci pipeline"
    " workflow release packaging dependency dependencies linker lockfile gradle maven",
    "docs": "docs doc documentation readme changelog docstring docstrings tutorial guide manual",
    "test": "test tests testing spec specs coverage flaky fixture fixtures mock mocks unittest pytest jest",
}  # fmt: skip
_SURFACE_OF: Final[dict[str, tuple[Surface, ...]]] = {}
for _surface, _listed in _SURFACE_WORDS.items():
    for _word in _listed.split():
        _SURFACE_OF[_word] = (*_SURFACE_OF.get(_word, ()), _surface)
_ENOUGH: Final = 3

# A workflow is taken if its words weigh most; a tie goes to the row that comes first.
_WORKFLOW_WORDS: Final[tuple[tuple[Workflow, str], ...]] = (
    (
        "bug",
        r"bugs?|fix(?:es|ed)?|crash\w*|fail\w*|error\w*|exception|panic\w*|wrong\w*|broken|incorrect\w*|regression"
        r"|leak\w*|hang\w*|traceback|doesn'?t work|does not|should not|unexpected\w*",
    ),
    (
        "feature",
        r"add(?:s|ed|ing)?|support\w*|implement\w*|introduc\w*|allow\w*|new|create\w*|feature|enable\w*|extend\w*"
        r"|provide\w*",
    ),
    (
        "migration",
        r"migrat\w*|upgrad\w*|port(?:ing)? to|deprecat\w*|renam\w*|move (?:from|to)|replace \w+ with|convert\w*",
    ),
    ("review", r"review\w*|audit\w*|critique"),
    ("explain", r"explain\w*|how does|why does|what does|describe|understand\w*|walk me through|where is"),
    ("incident", r"incident|outage|on-?call|production (?:is )?down|alert(?:s|ing)?|post-?mortem|sev-?\d|rollback"),
)
_PATTERNS: Final = tuple(
    (workflow, re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE)) for workflow, pattern in _WORKFLOW_WORDS
)


def workflow_of(title: str, text: str, *, traced: bool, changed: bool) -> Workflow:
    """What kind of work it is: by its words, the title's three times; by its trace or its diff; else a feature."""
    scores = {
        workflow: 3 * len(pattern.findall(title)) + min(3, len(pattern.findall(text)))
        for workflow, pattern in _PATTERNS
    }
    scores["bug"] += 3 * traced
    scores["review"] += 2 * changed
    if title.endswith("?"):
        scores["explain"] += 2
    best = max(scores.values())
    return next(workflow for workflow, _ in _PATTERNS if scores[workflow] == best) if best else "feature"


def verbs_in(title: str, text: str) -> tuple[str, ...]:
    """The plain forms of what is to be done: the title's in order, then those that begin a sentence of the text."""
    openings = re.findall(
        r"(?:^|[.:;!?]\s|\n\s*(?:[-*]|\d+[.)])?\s*)(?:please |to |and |then |we should )?([A-Za-z]+)", text
    )
    asked = (_BASE.get(word.lower()) for word in (*words(title), *openings))
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
