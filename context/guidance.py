"""Which of a repository's own instructions speak of given files: by folder, by glob, by import. Their text is data.

What they say is neither judged nor followed here; where two speak of one file, the one in the deeper folder comes later
and counts for more.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final, Literal

from .front_matter import FrontMatter, read_front_matter
from .globs import fits
from .ground import Ground
from .paths import folder_of, joined, name_of
from .tokens import count

Applies = Literal["always", "folder", "glob", "import", "on request"]
"""Always: to all of its scope by the file's own word. On request: when somebody names it, or an agent chooses to."""

_MOST_IMPORTS: Final = 20
_DEEPEST_IMPORT: Final = 5
_MOST_RULES: Final = 60
_MOST_PATHS_NAMED: Final = 3
_MOST_GLOBS: Final = 50
_LONGEST_HEADING: Final = 100
_MOST_LINES: Final = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A file of instructions that counts for some of the asked files."""

    path: str
    kind: str
    agents: tuple[str, ...]
    """Who reads it by itself; people read it as well."""
    scope: str
    """The folder it speaks of ('' is the whole repository), or its globs."""
    applies: Applies
    why: str
    depth: int
    tokens: int | None = None
    heading: str | None = None
    covers: tuple[str, ...] = ()
    """Those of the asked files that it is about."""
    imports: tuple[str, ...] = ()
    imported_by: str | None = None
    also_at: tuple[str, ...] = ()
    """Links of the tree that lead to it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kind:
    """A place where instructions lie. `home`, searched in the path, names the folder they speak of, as group 1."""

    name: str
    agents: tuple[str, ...]
    pattern: re.Pattern[str]
    how: Callable[[FrontMatter], tuple[Applies, tuple[str, ...]]]
    imports: bool = False


def _plain(_front: FrontMatter) -> tuple[Applies, tuple[str, ...]]:
    return "folder", ()


def _cursor(front: FrontMatter) -> tuple[Applies, tuple[str, ...]]:
    globs = front.list("globs")[:_MOST_GLOBS]
    return ("always", ()) if front.true("alwaysApply") else ("glob", globs) if globs else ("on request", ())


def _copilot(front: FrontMatter) -> tuple[Applies, tuple[str, ...]]:
    globs = front.list("applyTo")[:_MOST_GLOBS]
    return ("glob", globs) if globs else ("on request", ())


def _claude(front: FrontMatter) -> tuple[Applies, tuple[str, ...]]:
    globs = front.list("paths", "globs")[:_MOST_GLOBS]
    return ("glob", globs) if globs else ("always", ())


def _windsurf(front: FrontMatter) -> tuple[Applies, tuple[str, ...]]:
    trigger, globs = front.text("trigger"), front.list("globs")[:_MOST_GLOBS]
    if trigger in ("manual", "model_decision"):
        return "on request", ()
    return ("glob", globs) if trigger == "glob" and globs else ("always", ())


def _kind(
    name: str,
    agents: str,
    pattern: str,
    how: Callable[[FrontMatter], tuple[Applies, tuple[str, ...]]] = _plain,
    *,
    imports: bool = False,
) -> _Kind:
    # The folder is as short as can be: `.github/` belongs to the place, not to the folder.
    matcher = re.compile(rf"(?:(.*?)/)??(?:{pattern})")
    return _Kind(name=name, agents=tuple(agents.split()), pattern=matcher, how=how, imports=imports)


_KINDS: Final = (
    _kind("AGENTS.md", "codex cursor copilot gemini opencode", r"AGENTS(?:\.override)?\.md"),
    _kind("CLAUDE.md", "claude", r"(?:\.claude/)?CLAUDE(?:\.local)?\.md", imports=True),
    _kind("GEMINI.md", "gemini", r"GEMINI\.md", imports=True),
    _kind("claude rule", "claude", r"\.claude/rules/.+\.md", _claude),
    _kind("cursor rule", "cursor", r"\.cursor/rules/.+\.mdc?", _cursor),
    _kind(".cursorrules", "cursor", r"\.cursorrules"),
    _kind("copilot instructions", "copilot", r"\.github/copilot-instructions\.md"),
    _kind("copilot instructions", "copilot", r"\.github/instructions/.+\.instructions\.md", _copilot),
    _kind("windsurf rule", "windsurf", r"\.windsurf/rules/.+\.md", _windsurf),
    _kind(".windsurfrules", "windsurf", r"\.windsurfrules"),
    _kind("cline rule", "cline", r"\.clinerules(?:/.+\.md)?"),
    _kind("CONTRIBUTING", "", r"(?:\.github/|docs/)?CONTRIBUTING(?:\.(?:md|rst|txt|adoc|org))?"),
)
_NAMES: Final = (
    "AGENTS.md", "AGENTS.override.md", "CLAUDE.md", "CLAUDE.local.md", "GEMINI.md", ".cursorrules", ".windsurfrules",
    ".clinerules", "copilot-instructions.md", "CONTRIBUTING",
    *(f"CONTRIBUTING.{ending}" for ending in ("md", "rst", "txt", "adoc", "org")),
)  # fmt: skip
_FOLDERS: Final = (".claude/rules", ".cursor/rules", ".github/instructions", ".windsurf/rules", ".clinerules")
_NOT_OURS: Final = re.compile(
    r"(?:^|/)(?:node_modules|vendor|third_party|fixtures?|testdata|__fixtures__|templates?|examples?)/"
)


def is_guidance(path: str) -> bool:
    """Whether a file is instructions to agents, told by its place. What is for people, too, is not meant."""
    return any(kind.agents and kind.pattern.fullmatch(path) for kind in _KINDS)


def rules_for(ground: Ground, asked: Iterable[str]) -> tuple[Rule, ...]:
    """The instructions that count for these files, general before special; what is only on request comes last."""
    files = tuple(dict.fromkeys(asked))
    found = [rule for path in _places(ground) for rule in _rules(ground, path, files)]
    kept = _without_overridden(found)
    linked = [replace(rule, also_at=_links_to(ground, rule.path)) for rule in kept]
    every = [*linked, *(each for rule in linked for each in _imported(ground, rule))]
    once: dict[str, Rule] = {}
    for rule in sorted(every, key=_order):
        once.setdefault(rule.path, rule)
    return tuple(once.values())[:_MOST_RULES]


def _places(ground: Ground) -> list[str]:
    """The files that may be instructions by their name or folder, sorted."""
    folders = (folder for home in _FOLDERS for folder in ground.paths.folders_ending(home))
    below = (path for folder in folders for path in ground.paths.below(folder))
    return sorted({*below, *(path for name in _NAMES for path in ground.paths.named(name))})


def _order(rule: Rule) -> tuple[bool, int, bool, str, bool, str]:
    """General before special; what is imported right after what imports it."""
    parent = rule.imported_by or rule.path
    return rule.applies == "on request", rule.depth, rule.applies == "glob", parent, parent != rule.path, rule.path


def _rules(ground: Ground, path: str, files: tuple[str, ...]) -> Iterator[Rule]:
    """What a file says of the asked ones, if it is a file of rules."""
    for kind in _KINDS:
        match = kind.pattern.fullmatch(path)
        if match is None:
            continue
        home = match[1] or ""
        below = tuple(file for file in files if not home or file.startswith(home + "/"))
        if (below or not home) and not (home and _foreign(home, files)):
            yield from _rule(ground, kind, path, home, below)
        return


def _foreign(home: str, files: tuple[str, ...]) -> bool:
    """Whether a folder is not the project's own (a fixture, say) though files in it are asked for by chance."""
    return _NOT_OURS.search(home + "/") is not None and not all(file.startswith(home + "/") for file in files)


def _rule(ground: Ground, kind: _Kind, path: str, home: str, below: tuple[str, ...]) -> Iterator[Rule]:
    text = ground.read(path)
    if text is None:
        return
    front = read_front_matter(text)
    applies, globs = kind.how(front)
    covers = tuple(file for file in below if _meant(file, home, globs)) if globs else below
    if globs and not covers:
        return
    rule = Rule(
        path=path,
        kind=kind.name,
        agents=kind.agents,
        scope=", ".join(globs) if globs else home,
        applies=applies,
        why=_why(applies, home, front, covers),
        depth=home.count("/") + 1 if home else 0,
        tokens=count(text),
        heading=heading(front),
        covers=covers if applies != "on request" else (),
    )
    yield replace(rule, imports=_imports(ground, path, text)) if kind.imports else rule


def _meant(file: str, home: str, globs: tuple[str, ...]) -> bool:
    inside = file.removeprefix(home + "/") if home else file
    return any(fits(inside, glob) or (home != "" and fits(file, glob)) for glob in globs)


def _why(applies: Applies, home: str, front: FrontMatter, covers: tuple[str, ...]) -> str:
    if applies == "on request":
        said = front.text("description")
        return f"on request: {_line(said)}" if said else "only when somebody names it"
    if applies == "glob":
        more = ", …" if len(covers) > _MOST_PATHS_NAMED else ""
        return f"its globs fit {', '.join(map(name_of, covers[:_MOST_PATHS_NAMED]))}{more}"
    if applies == "always":
        return "applies always" if not home else f"applies always below {home}/"
    return f"speaks of all below {home}/" if home else "speaks of the whole repository"


def heading(front: FrontMatter) -> str | None:
    """The first heading of the text below the front matter, else its first line."""
    lines = [line.strip() for line in front.body.split("\n", _MOST_LINES)[:_MOST_LINES]]
    below = (*lines[1:], "")
    found = next((line for line, rule in zip(lines, below, strict=True) if _is_heading(line, rule)), None)
    first = found or next((line for line in lines if _WORDY.match(line)), None)
    return _line(first.strip("#= ")) if first else None


_UNDERLINE: Final = re.compile(r"(?:=+|-{3,}|~{3,}|\^{3,}|#{3,}|\*{3,})$")
_WORDY: Final = re.compile(r"(?!\.\. )[^\W_]|[*_`\[>-]\s*\w")


def _is_heading(line: str, below: str) -> bool:
    marked = line.startswith(("#", "= ")) and line.strip("#= ") != ""
    return marked or (_WORDY.match(line) is not None and _UNDERLINE.match(below) is not None)


def _line(text: str) -> str:
    shown = " ".join(text.split())
    return shown if len(shown) <= _LONGEST_HEADING else shown[: _LONGEST_HEADING - 1] + "…"


def _without_overridden(found: list[Rule]) -> list[Rule]:
    """Without an AGENTS.md that has its override beside it."""
    overrides = {rule.path for rule in found if name_of(rule.path) == "AGENTS.override.md"}
    overridden = {path.replace("AGENTS.override.md", "AGENTS.md") for path in overrides}
    return [rule for rule in found if rule.path not in overridden]


def _links_to(ground: Ground, path: str) -> tuple[str, ...]:
    return tuple(sorted(link for link, target in ground.links.items() if target == path))[:5]


# Imports: `@docs/style.md` on a line of CLAUDE.md or GEMINI.md

_IMPORT: Final = re.compile(r"(?:^|(?<=[\s(]))@((?:\./|\.\./|~/)?[\w.@-]+(?:/[\w.@-]+)*)")
_CODE_SPAN: Final = re.compile(r"`[^`\n]*`")


def _imports(ground: Ground, path: str, text: str) -> tuple[str, ...]:
    """The files of the tree that a text imports, in its order. What stands in code is no import."""
    found: dict[str, None] = {}
    fenced = False
    for line in text.split("\n"):
        if line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
        elif not fenced and "@" in line:
            for spelled in _IMPORT.findall(_CODE_SPAN.sub("", line)):
                target = joined(folder_of(path), spelled.rstrip("."))
                target = ground.links.get(target, target) if target else None
                if target and target != path and ground.has(target):
                    found[target] = None
    return tuple(found)[:_MOST_IMPORTS]


def _imported(ground: Ground, rule: Rule) -> Iterator[Rule]:
    """What a rule imports, and what that imports, each once."""
    taken, waiting = {rule.path}, [(rule, 1)]
    for parent, deep in waiting:
        for path in parent.imports if deep <= _DEEPEST_IMPORT and len(taken) <= _MOST_IMPORTS else ():
            text = ground.read(path) if path not in taken else None
            taken.add(path)
            if text is not None:
                inner = replace(
                    rule, path=path, kind="import", applies="import", why=f"imported by {parent.path}",
                    tokens=count(text), heading=heading(read_front_matter(text)), imported_by=parent.path, also_at=(),
                    imports=_imports(ground, path, text),
                )  # fmt: skip
                waiting.append((inner, deep + 1))
                yield inner
