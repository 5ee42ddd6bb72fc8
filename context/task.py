"""Reads a task in plain words: what it asks for, which words matter, which files and names it points at.

How much a term weighs, with each use of it counted:

    min(3, prose + min(1.5, code / 2) + min(0.75, log / 4))     what is said, errors' messages too; less for the rest
    + 3 a use in the title, which is up to 6 in all             the title says what a task is about
    + 1 a use in backticks, which is up to 7 in all             a name that a person marked
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from .diffs import ChangedFile, take_diff
from .errors import BadRequest
from .frames import Frame, is_installed, read_frames
from .hygiene import Passage, messages, passages_of
from .links import link_words, linked_files
from .mentions import (
    CONFIGURED,
    DOTTED,
    codes_in,
    failing_tests_in,
    identifiers_in,
    kebabs_in,
    keys_in,
    marked_in,
    once,
    options_in,
    paths_in,
    quoted_in,
    variables_in,
)
from .model import Workflow
from .plain import plain, spaced
from .readings import Reading, readings_of
from .redact import redact
from .words import STOP, terms_of, words
from .workflow import Surface, base_verb, form_of, is_generic, surfaces_in, verbs_in, workflow_of

MAX_CHARACTERS: Final = 1_048_576
_HEAD_CHARACTERS: Final = 40_000
_TAIL_CHARACTERS: Final = 10_000
_MOST_LINES: Final = 4_000
_TITLE_CHARACTERS: Final = 300
_TITLE_WEIGHT: Final = 3
_MOST_REPEATS: Final = 3
_MOST_TERMS: Final = 150
_SHARES: Final[Mapping[str, tuple[float, float]]] = {"prose": (1.0, 3.0), "code": (0.5, 1.5), "log": (0.25, 0.75)}
"""For each kind of passage: what one use of a term weighs, and the most that all uses do."""


class EmptyTask(BadRequest):
    """There are no words in the task."""

    error_type = "empty_task"

    def __init__(self) -> None:
        super().__init__("The task is empty.", "Say what to do with --task, or name a file with --task-file.")


class TaskTooLong(BadRequest):
    """The task is longer than any prompt should be."""

    error_type = "task_too_long"

    def __init__(self, characters: int) -> None:
        super().__init__(
            f"The task has {characters:,} characters; the most is {MAX_CHARACTERS:,}.",
            "Put logs and data into a file of the repository and name it in the task.",
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """A task as the channels see it.

    `terms` weighs each search term; `title_terms`, `prose_terms`, `code_terms` and `log_terms` count its uses by place.
    `concepts` are the words a person would name. `frames` are the places of traces, compilers, sentences and links,
    the nearest to the fault first; those of tests and of installed packages stand apart, the latter cut behind the
    packages' folder: such a file is ours only if the repository has it under just that path. `quoted` are messages and
    strings as written. `readings` are given only where the words leave two places open.
    """

    text: str
    title: str
    terms: Mapping[str, float]
    identifiers: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()
    frames: tuple[Frame, ...] = ()
    concepts: tuple[str, ...] = ()
    wants_tests: bool = False
    wants_docs: bool = False
    wants_generated: bool = False
    title_terms: Mapping[str, float] = field(default_factory=dict)
    prose_terms: Mapping[str, float] = field(default_factory=dict)
    code_terms: Mapping[str, float] = field(default_factory=dict)
    log_terms: Mapping[str, float] = field(default_factory=dict)
    test_frames: tuple[Frame, ...] = ()
    installed_frames: tuple[Frame, ...] = ()
    functions: tuple[str, ...] = ()
    failing_tests: tuple[str, ...] = ()
    quoted: tuple[str, ...] = ()
    codes: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    variables: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    scopes: tuple[str, ...] = ()
    form: Workflow | None = None
    verbs: tuple[str, ...] = ()
    surfaces: tuple[Surface, ...] = ()
    diff: tuple[ChangedFile, ...] = ()
    readings: tuple[Reading, ...] = ()


_WANTS_TESTS: Final = frozenset("test tests testing spec specs coverage flaky".split())  # noqa: SIM905
_WANTS_DOCS: Final = frozenset("doc docs documentation readme changelog docstring docstrings typo".split())  # noqa: SIM905
_WANTS_GENERATED: Final = re.compile(
    r"\b(?:(?:re-?)?generated?|codegen|vendored|lock ?files?|snapshots?|bundled|minified|protoc|checked-in)\b",
    re.IGNORECASE,
)
# `fix(parser): …` and `langs: …` name a part of the program before they say what is to be done.
_SCOPE: Final = re.compile(
    r"^(?:[a-z]+!?\(([\w ./,@*-]{1,60})\)!?|((?!https?\b)[a-z][\w./-]{1,40}(?:, ?[a-z][\w./-]{1,40}){0,3})): (?=\S)"
)
_KINDS_OF_CHANGE: Final = frozenset(
    ("fix", "feat", "feature", "chore", "docs", "doc", "test", "tests", "refactor", "perf", "style", "build", "ci",
     "revert", "bug", "bugfix", "title", "subject", "error", "warning", "note", "todo")
)  # fmt: skip
_LABEL: Final = re.compile(
    r"^(?:\W{0,9}\[\W{0,5}(?:bug|feature|feat|question|help|request|improvement|rfc|proposal)[\w ]{0,20}\]\W{0,9}"
    r"|(?:title|subject|feature request|bug report|bug)\s{0,9}[:：]\s{0,9})+",
    re.IGNORECASE,
)


def read_task(text: str) -> Query:
    """What a task says. Raises EmptyTask, TaskTooLong."""
    if len(text) > MAX_CHARACTERS:
        raise TaskTooLong(len(text))
    if not text.strip("\0 \t\r\n"):
        raise EmptyTask
    diff = take_diff(text.replace("\r\n", "\n"))
    raw = plain(redact(_read_part(diff.around)))
    passages = _with_changes(passages_of(raw), diff.changed)
    if not any(words(passage.text) for passage in passages):
        passages = (Passage(kind="prose", text=link_words(raw)),)
    return _query(raw, passages, diff.files)


def detect_workflow(query: Query) -> Workflow:
    """What kind of work a task is."""
    return workflow_of(query.title, query.text, form=query.form, traced=bool(query.frames), changed=bool(query.diff))


def _read_part(text: str) -> str:
    """The beginning of a long text and its end, where a log tells what went wrong."""
    if len(text) > _HEAD_CHARACTERS + _TAIL_CHARACTERS:
        text = f"{text[:_HEAD_CHARACTERS]}\n{text[-_TAIL_CHARACTERS:]}"
    if text.count("\n") <= _MOST_LINES:
        return text
    lines = text.split("\n")
    return "\n".join((*lines[: _MOST_LINES * 3 // 4], *lines[-_MOST_LINES // 4 :]))


def _with_changes(passages: tuple[Passage, ...], changed: str) -> tuple[Passage, ...]:
    return (*passages, Passage(kind="code", text=plain(redact(changed[:_TAIL_CHARACTERS])))) if changed else passages


def _query(raw: str, passages: Sequence[Passage], files: tuple[ChangedFile, ...]) -> Query:
    texts, title, said = _by_kind(passages), _title(passages, files), messages(passages)
    marked = marked_in(f"{title}\n{texts['prose']}")
    # What an error said is as good as prose, wherever it was printed.
    counts = {kind: _counts(text) for kind, text in texts.items()}
    counts["prose"] = _counts(spaced("\n".join((texts["prose"], *said))))
    title_terms = _counts(title)
    bare = Query(
        text=spaced("\n".join(passage.text for passage in passages)),
        title=title,
        terms=_weights(counts, title_terms, _counts(" ".join(marked))),
        concepts=_concepts(title, marked),
        title_terms=title_terms,
        prose_terms=counts["prose"],
        code_terms=counts["code"],
        log_terms=counts["log"],
        quoted=once((*said, *(piece for text in texts.values() for piece in quoted_in(text))))[:40],
        diff=files,
    )
    return _with_wishes(_with_names(_with_places(bare, raw), texts["prose"], marked, passages), raw, texts["prose"])


def _with_places(query: Query, raw: str) -> Query:
    """What points at files and lines."""
    links = linked_files(raw)
    seen = read_frames(raw.split("\n"), tuple(link for link in links if isinstance(link, Frame)))
    linked = (link for link in links if isinstance(link, str))
    named = once((*(file.path for file in query.diff), *linked, *paths_in(query.text)))
    return replace(
        query,
        paths=_untraced(named, (*seen.own, *seen.tests)),
        modules=once(DOTTED.findall(query.text))[:40],
        frames=seen.own,
        test_frames=seen.tests,
        installed_frames=seen.installed,
        functions=seen.functions,
        failing_tests=failing_tests_in(raw),
    )


def _with_names(query: Query, prose: str, marked: Sequence[str], passages: Iterable[Passage]) -> Query:
    """What is spelled as code spells it."""
    configured = "\n".join(passage.text for passage in passages if passage.language in CONFIGURED)
    sources = (query.title, prose, query.text)
    identifiers = once((*marked, *(name for source in sources for name in identifiers_in(source))))
    return replace(
        query,
        identifiers=once((*identifiers[:60], *kebabs_in(quoted_in(prose))[:10])),
        codes=codes_in(query.text),
        options=options_in(query.text),
        variables=variables_in(query.text),
        keys=keys_in(prose, configured),
        scopes=_scopes(query.title),
    )


def _with_wishes(query: Query, raw: str, prose: str) -> Query:
    """What is to be done, and where."""
    lowered, verbs = set(words(query.title.lower())), verbs_in(query.title, prose)
    pointed = bool(query.paths or query.options or query.frames or query.diff)
    return replace(
        query,
        wants_tests=bool(lowered & _WANTS_TESTS),
        wants_docs=bool(lowered & _WANTS_DOCS),
        wants_generated=bool(_WANTS_GENERATED.search(query.title)),
        form=form_of(raw[:_HEAD_CHARACTERS]),
        verbs=verbs,
        surfaces=surfaces_in(query.title, prose, options=bool(query.options), keys=bool(query.keys)),
        readings=readings_of(query.title, prose, verbs, pointed=pointed),
    )


def _by_kind(passages: Iterable[Passage]) -> dict[str, str]:
    texts: dict[str, list[str]] = {kind: [] for kind in _SHARES}
    for passage in passages:
        texts[passage.kind].append(passage.text)
    return {kind: spaced("\n".join(held)) for kind, held in texts.items()}


def _title(passages: Sequence[Passage], files: Sequence[ChangedFile]) -> str:
    """The first line with words in it, of prose if there is any; without its label. A lone diff: its files."""
    if files and all(passage.kind == "code" for passage in passages):
        return ", ".join(file.path for file in files[:3])
    ranked = sorted(passages, key=lambda passage: passage.kind != "prose")
    lines = (line.strip("#>*= \t") for passage in ranked for line in passage.text.split("\n"))
    title = next((line for line in lines if words(line)), "")
    bare = " ".join(spaced(_LABEL.sub("", title) or title).split())
    # Where a reference to an issue stood, marks of two sides are left beside each other.
    return re.sub(r"([:,;]) ?[:,;] ", r"\1 ", bare)[:_TITLE_CHARACTERS].strip(" ,:;")


def _scopes(title: str) -> tuple[str, ...]:
    """The parts of a program that stand before a title's colon."""
    match = _SCOPE.match(title)
    if not match:
        return ()
    scopes = (scope.strip() for scope in re.split(r"[ ,]+", match[1] or match[2]))
    return once(scope for scope in scopes if scope.lower() not in _KINDS_OF_CHANGE)[:4]


def _counts(text: str) -> dict[str, float]:
    """How often each term is used."""
    counts: dict[str, float] = {}
    for word in words(text):
        if word.lower() not in STOP:
            for term in terms_of(word):
                if term not in STOP:
                    counts[term] = counts.get(term, 0.0) + 1.0
    return dict(sorted(counts.items()))


def _weights(
    counts: Mapping[str, Mapping[str, float]], title: Mapping[str, float], marked: Mapping[str, float]
) -> dict[str, float]:
    """The weight of each term, by the formula above; the heaviest hundred and fifty."""
    weights: dict[str, float] = {}
    for kind, (share, most) in _SHARES.items():
        for term, times in counts[kind].items():
            weights[term] = min(float(_MOST_REPEATS), weights.get(term, 0.0) + min(most, share * times))
    for uses, share, most in ((title, float(_TITLE_WEIGHT), 6.0), (marked, 1.0, 7.0)):
        for term, times in uses.items():
            before = weights.get(term, 0.0)
            weights[term] = max(before, min(most, before + share * times))
    heaviest = sorted(weights.items(), key=lambda item: (-item[1], item[0]))[:_MOST_TERMS]
    return dict(sorted(heaviest))


def _untraced(named: Iterable[str], frames: Iterable[Frame]) -> tuple[str, ...]:
    """Paths and file names that are written out and are not the places of a trace or of an installed package."""
    traced = {frame.path.strip("/.") for frame in frames}
    return tuple(path for path in named if path not in traced and not is_installed(path))[:40]


def _concepts(title: str, marked: Iterable[str]) -> tuple[str, ...]:
    """What the title and the backticks name, without the words that only say that something is to be done."""
    said = words(title)
    named = once((*(said[1:] if said and base_verb(said[0]) else said), *marked))
    return tuple(word for word in named if len(word) > 2 and word.lower() not in STOP and not is_generic(word))[:12]
