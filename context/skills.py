"""Finds the skills and slash commands that are installed in a tree, as their front matter describes them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal

from .front_matter import FrontMatter, read_front_matter
from .ground import COMMAND_HOMES, SKILL_HOMES, Ground
from .guidance import heading
from .paths import folder_of, name_of

SkillKind = Literal["skill", "command"]

_MOST_SKILLS: Final = 500
_MOST_DESCRIPTION: Final = 1_500
_MOST_TRIGGERS: Final = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Skill:
    """An installed skill or slash command, as its front matter describes it."""

    name: str
    kind: SkillKind
    path: str
    description: str
    scope: str = ""
    """The folder in which it is offered; '' is everywhere."""
    triggers: tuple[str, ...] = ()
    globs: tuple[str, ...] = ()
    by_person_only: bool = False
    """Whether a model may not choose it by itself."""
    also_at: tuple[str, ...] = ()


def installed_skills(ground: Ground, home: str = "") -> tuple[Skill, ...]:
    """The skills and commands of a tree, sorted by path; `home` is put before the paths of those from elsewhere."""
    found: dict[str, Skill] = {}
    homes = (folder for home in (*COMMAND_HOMES, ".gemini/commands") for folder in ground.paths.folders_ending(home))
    prompts = (path for folder in homes for path in ground.paths.below(folder))
    for path in sorted({*ground.paths.named("SKILL.md"), *prompts}):
        if len(found) >= _MOST_SKILLS:
            break
        read = _skill(ground, path) if name_of(path) == "SKILL.md" else _command(ground, path)
        if read is not None:
            found[path] = read
    return tuple(_placed(skill, ground, home) for skill in found.values())


def _placed(skill: Skill, ground: Ground, home: str) -> Skill:
    folder = folder_of(skill.path)
    links = (link for link, target in ground.links.items() if target in (folder, skill.path))
    return Skill(
        name=skill.name, kind=skill.kind, path=home + skill.path, description=skill.description, scope=skill.scope,
        triggers=skill.triggers, globs=skill.globs, by_person_only=skill.by_person_only,
        also_at=tuple(sorted(home + link for link in links))[:5],
    )  # fmt: skip


_SKILL_PLACE: Final = re.compile(
    rf"(?:(.*)/)?(?:{'|'.join(map(re.escape, SKILL_HOMES))})/(?:[^/]+/)?([^/]+)/SKILL\.md"
    r"|(?:(.*)/)?skills/([^/]+)/SKILL\.md"
)
_COMMAND_PLACE: Final = re.compile(
    rf"(?:(.*)/)?(?:{'|'.join(map(re.escape, COMMAND_HOMES))}|\.gemini/commands)"
    r"/((?:[^/]+/)?[^/]+?)\.(?:prompt\.md|md|toml)"
)
_IN_A_SKILL: Final = re.compile(rf"(?:.*/)?(?:{'|'.join(map(re.escape, SKILL_HOMES))})/")
_PLUGIN: Final = ".claude-plugin/plugin.json"


def is_installed(path: str) -> bool:
    """Whether a file belongs to an installed skill, or is a command: told by its place."""
    return _COMMAND_PLACE.fullmatch(path) is not None or _IN_A_SKILL.match(path) is not None


def _skill(ground: Ground, path: str) -> Skill | None:
    place = _SKILL_PLACE.fullmatch(path)
    if place is None:
        return None
    scope, name = (place[1] or "", place[2]) if place[2] else ("", place[4])
    plugin = place[3] or ""
    if not place[2] and ground.first(plugin, _PLUGIN) is None:
        return None
    text = ground.read(path)
    if text is None:
        return None
    front = read_front_matter(text)
    prefix = f"{name_of(plugin)}:" if plugin and not place[2] else ""
    return _described(prefix + (front.text("name") or name)[:100], "skill", path, scope, front)


def _command(ground: Ground, path: str) -> Skill | None:
    place = _COMMAND_PLACE.fullmatch(path)
    text = ground.read(path) if place is not None else None
    if place is None or text is None:
        return None
    front = _from_toml(text) if path.endswith(".toml") else read_front_matter(text)
    return _described("/" + place[2].replace("/", ":"), "command", path, place[1] or "", front)


_TOML_DESCRIPTION: Final = re.compile(r'^description\s*=\s*"([^"\n]*)"', re.MULTILINE)


def _from_toml(text: str) -> FrontMatter:
    found = _TOML_DESCRIPTION.search(text)
    return FrontMatter(values={"description": found[1]} if found else {})


def _described(name: str, kind: SkillKind, path: str, scope: str, front: FrontMatter) -> Skill:
    said = " ".join(front.text("description").split()) or (heading(front) or "")
    when = " ".join(front.text("when_to_use", "when-to-use").split())
    return Skill(
        name=" ".join(name.split()),
        kind=kind,
        path=path,
        scope=scope,
        description=(f"{said} Use when {when}" if when else said)[:_MOST_DESCRIPTION],
        triggers=front.list("triggers", "keywords", "tags")[:_MOST_TRIGGERS],
        globs=front.list("paths", "globs")[:_MOST_TRIGGERS],
        by_person_only=front.true("disable-model-invocation"),
    )
