"""What a project's CI runs: the command lines of its pipelines, with their place. Read line by line, never run."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from .ground import Ground

_MOST_FILES: Final = 40
_MOST_LINES: Final = 3_000
_MOST_STEPS: Final = 400
_LONGEST: Final = 2_000

_PIPELINE: Final = re.compile(
    r"(?:\.github|\.gitea|\.forgejo)/workflows/[^/]+\.ya?ml|\.gitlab-ci\.yml|\.circleci/config\.yml|\.travis\.yml"
    r"|\.?appveyor\.yml|azure-pipelines\.yml|\.azure-pipelines/[^/]+\.yml|\.cirrus\.yml|\.drone\.yml"
    r"|\.woodpecker(?:/[^/]+)?\.ya?ml|\.buildkite/pipeline\.ya?ml|bitbucket-pipelines\.yml|buildspec\.yml"
)
_KEY: Final = re.compile(r"( *)(- +)?([A-Za-z_][\w-]*) *:(?: +(.*))?$")
_ITEM: Final = re.compile(r"( *)- +(.*)$")
_RUNS: Final = frozenset(("run", "script", "command", "commands", "bash", "test_script", "build_script"))
_LISTS: Final = frozenset(("script", "before_script", "test_script", "build_script", "commands"))
_BLOCK: Final = re.compile(r"[|>][+-]?\d?$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A command line of a pipeline, and the folder in which it is run ('' is the root)."""

    command: str
    source: str
    line: int
    folder: str = ""


def ci_steps(ground: Ground) -> tuple[Step, ...]:
    """The command lines of all pipelines, by file and line. Those with a value that only CI knows are left out."""
    found: list[Step] = []
    for path in [path for path in ground.paths.all if _PIPELINE.fullmatch(path)][:_MOST_FILES]:
        text = ground.read(path)
        if text is not None and len(found) < _MOST_STEPS:
            found += _plain(_steps(path, text))
    return tuple(found[:_MOST_STEPS])


def _steps(path: str, text: str) -> Iterator[Step]:
    lines = [line[:_LONGEST].rstrip() for line in text.replace("\t", "  ").split("\n")[:_MOST_LINES]]
    at, folder, folder_depth = 0, "", -1
    while at < len(lines):
        key = _KEY.match(lines[at])
        at += 1
        if key is None:
            continue
        depth = len(key[1]) + len(key[2] or "")
        if key[2] or depth < folder_depth:
            folder, folder_depth = _folder_below(lines, at, depth), depth
        name, value = key[3].lower(), (key[4] or "").strip()
        if name not in _RUNS and name not in _LISTS:
            continue
        start, below = at, _below(lines, at, len(key[1]) if not key[2] else depth - 1, bool(key[2]))
        if value and not _BLOCK.match(value):
            yield Step(command=_unquoted(value), source=path, line=at, folder=folder)
            continue
        listed = not value
        if listed and name not in _LISTS and name not in ("run", "command"):
            continue
        at = below if value else at
        folded = value.startswith(">")
        for number, command in _listed(lines, start, below) if listed else _block(lines, start, below, folded=folded):
            yield Step(command=command, source=path, line=number, folder=folder)


def _folder_below(lines: list[str], at: int, depth: int) -> str:
    """The `working-directory` of the step whose keys stand at this depth."""
    for line in (lines[at - 1], *lines[at : at + 60]):
        key = _KEY.match(line)
        if key is None:
            continue
        here = len(key[1]) + len(key[2] or "")
        if here < depth or (key[2] and line is not lines[at - 1]):
            break
        if here == depth and key[3] in ("working-directory", "working_directory"):
            return _unquoted((key[4] or "").strip()).removeprefix("./").strip("/")
    return ""


def _below(lines: list[str], at: int, depth: int, dashed: bool) -> int:
    """Where the lines end that stand deeper; a list may stand as deep as its key."""
    end = at
    while end < len(lines):
        line = lines[end]
        deep = len(line) - len(line.lstrip())
        if line.strip() and (deep < depth or (deep == depth and (dashed or not line.lstrip().startswith("- ")))):
            break
        end += 1
    return end


def _listed(lines: list[str], start: int, end: int) -> Iterator[tuple[int, str]]:
    """The texts of a list; a block in it is read line by line."""
    at = start
    while at < end:
        item = _ITEM.match(lines[at])
        at += 1
        if item is None:
            continue
        if _BLOCK.match(item[2]):
            below = _below(lines, at, len(item[1]), dashed=True)
            yield from _block(lines, at, below, folded=item[2].startswith(">"))
            at = below
        elif not _KEY.match(item[2]):
            yield at, _unquoted(item[2])


def _block(lines: list[str], start: int, end: int, *, folded: bool = False) -> Iterator[tuple[int, str]]:
    """The command lines of a script; one that goes on after a backslash is one line, as all of a folded block is."""
    held, first = "", 0
    for number in range(start, end):
        bare = lines[number].strip()
        if not bare or bare.startswith("#"):
            continue
        first = first or number + 1
        held = f"{held} {bare.removesuffix(chr(92)).strip()}".strip()
        if not folded and not bare.endswith("\\"):
            yield first, held
            held, first = "", 0
    if held:
        yield first, held


def _unquoted(text: str) -> str:
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"" else text.partition(" #")[0].strip()


_WORDS_OF_SHELL: Final = re.compile(
    r"(?:if|then|else|elif|fi|for|while|do|done|case|esac|echo|export|set|exit|source|return)\b"
)
_CHANGES_FOLDER: Final = re.compile(r"(?:cd|pushd) ([\w./-]+) *(?:&&|;) *(.+)$")
# What is put in by CI, and what a shell would work out: such a line can't be run as it stands.
_ONLY_CI_KNOWS: Final = re.compile(r"\$[{(\[\w]|<<|%\w+%")


def _plain(steps: Iterator[Step]) -> Iterator[Step]:
    """Each command by itself, in its folder, without the shell's own words."""
    for step in steps:
        moved = _CHANGES_FOLDER.match(step.command)
        folder = "/".join(part for part in (step.folder, moved[1].strip("./") if moved else "") if part)
        for part in re.split(r" *(?:&&|\|\||;) *", moved[2] if moved else step.command):
            if part and not _WORDS_OF_SHELL.match(part) and not _ONLY_CI_KNOWS.search(part) and part.isprintable():
                yield Step(command=part, source=step.source, line=step.line, folder=folder)
