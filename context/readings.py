"""Finds the words of a task that mean one of two things, so that both places are looked at and named."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from .words import terms_of
from .workflow import Surface


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """One way to take a task: what it would be about, where it would be done, and the terms that this adds."""

    name: str
    word: str
    surfaces: tuple[Surface, ...]
    terms: Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sense:
    """A sense of a word; `cues` are words that tell it from the others, `terms` those that its code would have."""

    name: str
    surfaces: tuple[Surface, ...]
    cues: re.Pattern[str]
    terms: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ambiguous:
    """A word, the phrases in which it means neither, and its senses."""

    word: re.Pattern[str]
    senses: tuple[_Sense, ...]


def _sense(name: str, surfaces: Sequence[Surface], cues: str, terms: str = "") -> _Sense:
    return _Sense(name=name, surfaces=tuple(surfaces), cues=re.compile(rf"\b(?:{cues})\b", re.IGNORECASE), terms=terms)


def _either(word: str, *senses: _Sense) -> _Ambiguous:
    return _Ambiguous(word=re.compile(rf"(?<![\w`.-])(?:{word})(?![\w`-])", re.IGNORECASE), senses=senses)


_CLI: Final = r"cli|command(?:[- ]line)?|flags?|terminal|subcommand|argv|shell|argparse|usage"
_CONFIG: Final = r"config\w*|settings?|toml|ya?ml|ini|json|file|keys?|preferences?"
_API: Final = (
    r"functions?|methods?|parameters?|kwargs?|argument|constructor|class|builder|struct|api|callers?|trait|macro"
)
_UI: Final = (
    r"ui|pages?|buttons?|screen|dialog|click\w*|frontend|render\w*|display\w*|dropdown|menu|css|html|browser|layout"
    r"|columns? (?:header|width)|hover|scroll\w*|component|widget|dashboard"
)
_DATABASE: Final = (
    r"database|db|sql|migrations?|schema|quer(?:y|ies)|orm|foreign|primary|postgres\w*|mysql|sqlite|insert|models?"
    r"|records?"
)
_HTTP: Final = r"http\w*|requests?|responses?|headers|cors|cookies?|authori[sz]ation|server|client|endpoint|proxy"

# A sense without terms is taken where its cues are, but not offered where there are none.
_AMBIGUOUS: Final = (
    _either(
        r"(?:an?|the|this|that|new|old|these|those) (?:[\w-]+ )?options?",
        _sense("an option of the command line", ("cli",), _CLI, "cli flag argument command parser"),
        _sense("a setting of the configuration", ("config",), _CONFIG, "config setting option default"),
        _sense("an option of a function", ("api",), _API),
        _sense("a choice on the screen", ("ui",), _UI),
    ),
    _either(
        r"tables?(?! of contents)",
        _sense(
            "a table on the screen",
            ("ui",),
            rf"{_UI}|sort\w*|rows? select\w*|pagination|cells?",
            "table row cell render column",
        ),
        _sense("a table of the database", ("data",), _DATABASE, "table schema migration model sql"),
        _sense(
            "a table in code or in a text",
            ("api",),
            r"hash|lookup|markdown|latex|parse\w*|jump|dispatch|symbol|format\w*|lua|toml|print\w*|array|dtype",
        ),
    ),
    _either(
        r"(?:form |input )?fields?",
        _sense("a field of a form", ("ui",), rf"{_UI}|input|form|label|placeholder|text ?box", "form input label"),
        _sense("a field of stored data", ("data",), rf"{_DATABASE}|column", "model schema column migration"),
        _sense(
            "a field in code",
            ("api",),
            rf"{_API}|struct\w*|json|serial\w*|deserial\w*|type|object|property|private|public|proto\w*|enum",
        ),
    ),
    _either(
        r"views?",
        _sense("a view on the screen", ("ui",), _UI, "view render template page"),
        _sense("a view of the database", ("data",), _DATABASE, "view sql query migration"),
        _sense(
            "a view of data in code",
            ("api",),
            rf"{_API}|array|slice|string|memory|buffer|copy|span|range|iterator|url|handler",
        ),
    ),
    _either(
        r"(?:the|an?|page|table|custom|sticky) headers?",
        _sense("a header of a request", ("api",), _HTTP, "header http request response"),
        _sense("the head of a page", ("ui",), rf"{_UI}|nav\w*|logo|title", "header nav layout template"),
        _sense("a header file", ("build",), r"include\w*|hpp|cpp|compile\w*|macro"),
        _sense(
            "the head of a file or a table",
            ("data",),
            r"csv|tar|png|file|licen[cs]e|magic|bytes?|parse\w*|binary|markdown|mail|elf|zip|column|table",
        ),
    ),
    _either(
        r"(?:the|an?|its|missing|new) index(?:es)?",
        _sense("an index of the database", ("data",), rf"{_DATABASE}|slow|unique", "index migration schema sql"),
        _sense("a search index", ("api",), r"search\w*|lucene|elastic\w*|solr|crawl\w*|tokeni\w*|documents?", "search"),
        _sense(
            "a place in a list",
            ("api",),
            r"list|array|bounds?|range|slice|offset|off[- ]by|element|negative|iterat\w*|loop|position|dimension",
        ),
        _sense("the first page", ("ui",), rf"{_UI}|home"),
    ),
    _either(
        r"notifications?|alerts?|banners?",
        _sense("a note on the screen", ("ui",), rf"{_UI}|toast|pop-?up|dismiss\w*", "toast component banner"),
        _sense(
            "a message that is sent",
            ("api",),
            r"e-?mails?|sms|push|webhook|slack|smtp|send\w*|queue|subscri\w*|deliver\w*",
            "mail send webhook notify",
        ),
        _sense("an alarm", ("config",), r"prometheus|grafana|pager\w*|metrics?|threshold|on-?call|monitor\w*"),
    ),
)
_ACTS: Final = frozenset(
    ("add", "change", "deprecate", "disable", "drop", "enable", "extend", "improve", "introduce", "make", "move",
     "remove", "rename", "replace", "show", "split", "update")
)  # fmt: skip
_MOST: Final = 3
# Who writes more than this has told what is meant.
_LONG: Final = 500


def readings_of(title: str, text: str, verbs: Sequence[str], *, pointed: bool) -> tuple[Reading, ...]:
    """Two or three readings of the title's first ambiguous word, or none: where a cue decides, or a place is named."""
    if pointed or len(text) > _LONG or not _ACTS.intersection(verbs):
        return ()
    for row in _AMBIGUOUS:
        match = row.word.search(title)
        if not match:
            continue
        around = f"{title[: match.start()]} {title[match.end() :]} {text}"
        told = [sense for sense in row.senses if sense.cues.search(around)]
        open_senses = told if len(told) > 1 else [sense for sense in row.senses if sense.terms] if not told else []
        if len({sense.surfaces for sense in open_senses}) > 1:
            return tuple(_reading(sense, match[0]) for sense in open_senses[:_MOST])
    return ()


def _reading(sense: _Sense, word: str) -> Reading:
    terms = {term: 1.0 for each in sense.terms.split() for term in terms_of(each)}
    return Reading(name=sense.name, word=word, surfaces=sense.surfaces, terms=dict(sorted(terms.items())))
