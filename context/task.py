"""Reads a task in plain words: what it asks for, which words matter, which files and names it points at."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from .errors import BadRequest
from .model import Workflow
from .redact import redact
from .words import STOP, terms_of, words

MAX_CHARACTERS: Final = 1_048_576
_READ_CHARACTERS: Final = 48_000
_TITLE_WEIGHT: Final = 3
_MOST_REPEATS: Final = 3
_MOST_TERMS: Final = 150


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
class Frame:
    """A line of a stack trace: a path as printed, and a line."""

    path: str
    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """A task as the channels see it. `terms` weighs each search term; `concepts` are the words a person would name."""

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


# Report hygiene: what issue forms and logs bring along and nobody means.
_HEADINGS: Final = (
    r"describe the bug|to reproduce|steps to reproduce|expected behaviou?r|actual behaviou?r|environment"
    r"|additional context|checklist|screenshots?|system info|version.*"
)
_NOISE: Final = (
    re.compile(r"<!--.*?-->", re.DOTALL),
    re.compile(r"!\[[^\]]*\]\([^)]*\)"),
    re.compile(r"\bhttps?://\S+"),
    re.compile(r"^\s*[-*] \[[ xX]\].*$", re.MULTILINE),
    re.compile(rf"^#+\s*(?:{_HEADINGS})\s*:?\s*$", re.MULTILINE | re.IGNORECASE),
    re.compile(
        r"^\s*(?:os|platform|python|node|npm|browser|rustc|cargo|java|go) ?(?:version)?\s*[:=].*$",
        re.MULTILINE | re.IGNORECASE,
    ),
    re.compile(r"\b[0-9a-f]{32,}\b"),
    re.compile(r"Traceback \(most recent call last\):"),
)
# The places of a trace are read apart; of its lines only the functions' names are words of the task, never its title.
_FRAME_LINE: Final = re.compile(r'File "[^"\n]+", line \d+(?:, in)?')
_FRAME_MARK: Final = "\1"
_PYTHON_FRAME: Final = re.compile(r'File "([^"\n]+)", line (\d+)')
_PLACE: Final = re.compile(r"(?<![\w/.-])((?:[\w.@-]+/)*[\w@.-]+\.[A-Za-z]{1,6}):(\d+)(?::\d+)?")
_JAVA_FRAME: Final = re.compile(r"\bat ([\w.$]+)\.[\w$<>]+\(([\w$]+\.(?:java|kt|scala)):(\d+)\)")
_PATH: Final = re.compile(
    r"(?<![\w/.-])((?:[\w.@+-]+/)+[\w.@+-]*\w|[\w@+-]+\.(?:[a-z]{1,4}|java|scala|swift|astro|svelte|proto))(?![\w/])"
)
_DOTTED: Final = re.compile(r"(?<![\w./-])([A-Za-z_]\w*(?:(?:\.|::)[A-Za-z_]\w*)+)(?![\w/])")
_QUOTED: Final = re.compile(r"`([^`\n]{2,120})`")
_LOOKS_LIKE_CODE: Final = re.compile(r"\w_\w|[a-z][A-Z]|[A-Z]{2,}[a-z]|^[A-Za-z]{1,4}-?\d{2,}$")
_LIBRARY: Final = re.compile(
    r"(^|/)(site-packages|dist-packages|node_modules|lib/python\d|usr/lib|\.cargo/registry|go/pkg/mod|rustc)/"
)


def read_task(text: str) -> Query:
    """What a task says. Raises EmptyTask, TaskTooLong."""
    if len(text) > MAX_CHARACTERS:
        raise TaskTooLong(len(text))
    if not text.strip("\0 \t\r\n"):
        raise EmptyTask
    raw = redact(text[:_READ_CHARACTERS].replace("\0", " ").replace("\r\n", "\n"))
    clean = raw
    for noise in _NOISE:
        clean = noise.sub(" ", clean)
    clean = _FRAME_LINE.sub(_FRAME_MARK, clean)
    lines = (line.strip("# \t") for line in clean.split("\n") if _FRAME_MARK not in line)
    title = next((line for line in lines if words(line)), "")[:300]
    quoted = [part for piece in _QUOTED.findall(clean) for part in words(piece)]
    lowered = set(words(title.lower()))
    frames = _frames(raw)
    return Query(
        text=clean,
        title=title,
        terms=_weights(clean, title, quoted),
        identifiers=_once([*quoted, *(word for word in words(clean) if _LOOKS_LIKE_CODE.search(word))])[:60],
        paths=_named_paths(clean, frames),
        modules=_once(_DOTTED.findall(clean))[:40],
        frames=frames,
        concepts=_concepts(title, quoted),
        wants_tests=bool(lowered & {"test", "tests", "testing", "spec", "coverage", "flaky"}),
        wants_docs=bool(lowered & {"doc", "docs", "documentation", "readme", "changelog", "docstring", "typo"}),
    )


def _weights(text: str, title: str, quoted: Iterable[str]) -> dict[str, float]:
    """How much each term counts: repeats up to three, the title again, what is quoted as code again."""
    counts: dict[str, float] = {}
    for source, weight, most in ((words(text), 1.0, _MOST_REPEATS), (words(title), _TITLE_WEIGHT, 6), (quoted, 1.0, 7)):
        for word in source:
            if word.lower() in STOP:
                continue
            for term in terms_of(word):
                if term not in STOP:
                    counts[term] = max(counts.get(term, 0.0), min(counts.get(term, 0.0) + weight, most))
    heaviest = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:_MOST_TERMS]
    return dict(sorted(heaviest))


def _named_paths(text: str, frames: Iterable[Frame]) -> tuple[str, ...]:
    """Paths and file names that are written out and are not the places of a stack trace."""
    traced = {frame.path.strip("/.") for frame in frames}
    named = (path.strip("/.") for path in _PATH.findall(text))
    return _once(path for path in named if path not in traced and not _LIBRARY.search(path))[:40]


def _frames(text: str) -> tuple[Frame, ...]:
    """The frames of a stack trace in our own code, nearest to the fault first: Python prints that one last."""
    python = [Frame(path=path, line=int(line)) for path, line in _PYTHON_FRAME.findall(text)][::-1]
    java = [
        Frame(path=f"{owner.rsplit('.', 1)[0].replace('.', '/')}/{name}" if "." in owner else name, line=int(line))
        for owner, name, line in _JAVA_FRAME.findall(text)
    ]
    other = [
        Frame(path=path, line=int(line)) for path, line in _PLACE.findall(text) if not path.endswith((".java", ".kt"))
    ]
    own = [frame for frame in (*python, *java, *other) if not _LIBRARY.search(frame.path)]
    return tuple(dict.fromkeys(own))[:20]


def _concepts(title: str, quoted: Iterable[str]) -> tuple[str, ...]:
    named = [word for word in words(title) if word.lower() not in STOP and len(word) > 2]
    return _once([*named, *quoted])[:12]


def _once(items: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(item for item in items if item))


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


def detect_workflow(query: Query) -> Workflow:
    """What kind of work a task is: by its words, the title's three times; by its stack trace; else a feature."""
    scores = {
        workflow: 3 * len(pattern.findall(query.title)) + min(3, len(pattern.findall(query.text)))
        for workflow, pattern in _PATTERNS
    }
    scores["bug"] += 3 * bool(query.frames)
    if query.title.endswith("?"):
        scores["explain"] += 2
    best = max(scores.values())
    return next(workflow for workflow, _ in _PATTERNS if scores[workflow] == best) if best else "feature"
