"""What kinds of evidence a workflow asks for, and which of them can apply to a repository and a task."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from .expansion import Near
from .model import NodeKind, Role, Workflow
from .task import Query
from .workflow import Surface


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """What is known before regions are looked at: enough to tell which slots can apply."""

    query: Query
    roles: frozenset[Role]
    """Of the files that the repository has."""
    found: frozenset[Role]
    """Of the files that the task's words lead to."""
    leading: frozenset[Role] = frozenset()
    """Of the first few of them."""
    rules: tuple[str, ...] = ()
    commits: tuple[str, ...] = ()
    """Ids of the last changes to the places that lead."""
    changed: tuple[str, ...] = ()
    """Files that the task's diff or the work tree changes."""


Applies = Callable[[Scene], bool]
UNRESOLVED: Final = "unresolved concepts"
LONGEST_REASON: Final = "found, but none near enough or small enough"


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotRule:
    """A kind of evidence: the roles of files that give it, and the most it may take of the packet's evidence.

    `kinds`: a chosen definition of such a kind is evidence, too. `near`: what is looked for around the places found,
    if nothing else fills the slot.
    """

    name: str
    roles: frozenset[Role] = frozenset()
    required: bool = False
    share: float = 0.0
    most: int = 2
    kinds: frozenset[NodeKind] = frozenset()
    near: tuple[Near, ...] = ()
    told: Callable[[Scene], tuple[str, ...]] | None = None
    """What the scene itself gives as evidence, where no region is looked for."""
    applies: Applies = lambda _: True


def _has(*roles: Role) -> Applies:
    return lambda scene: not scene.roles.isdisjoint(roles)


def _asks(surfaces: frozenset[Surface], *roles: Role) -> Applies:
    """Whether the repository has such files, and the task is about what they are for or leads to one of them."""

    def applies(scene: Scene) -> bool:
        wanted = not surfaces.isdisjoint(scene.query.surfaces) or not scene.leading.isdisjoint(roles)
        return wanted and not scene.roles.isdisjoint(roles)

    return applies


def _asks_for_setup(scene: Scene) -> bool:
    """Whether the task speaks of settings or of building, or its words lead there first."""
    return not {"config", "build"}.isdisjoint((*scene.query.surfaces, *scene.leading))


SURFACE: Final[frozenset[Role]] = frozenset({"source", "schema", "style", "migration"})
_SHAPES: Final[frozenset[NodeKind]] = frozenset(
    {"class", "interface", "struct", "enum", "trait", "type", "protocol", "table", "view"}
)
_CODE: Final = SlotRule(name="implementation", roles=SURFACE, required=True, share=1.0, most=1_000)
_FAILING: Final = replace(_CODE, name="failure path")
_TESTS: Final = SlotRule(name="tests", roles=frozenset({"test", "fixture"}), share=0.25, most=3, near=("tests",))
_VALIDATION: Final = replace(_TESTS, name="validation")
_DATA: Final = SlotRule(
    name="data and state", share=0.2, kinds=_SHAPES, near=("types", "same_file"), applies=_has("source")
)
_USES: Final = SlotRule(name="integration surface", share=0.2, near=("callers", "importers"), applies=_has("source"))
_ALIKE: Final = SlotRule(name="analogous behaviour", share=0.2, most=1, near=("siblings",), applies=_has("source"))
_SETUP: Final = SlotRule(
    name="configuration", roles=frozenset({"config", "build", "ci"}), share=0.15, applies=_asks_for_setup
)
_STYLE: Final = SlotRule(
    name="style", roles=frozenset({"style"}), share=0.15, applies=_asks(frozenset({"ui", "style"}), "style")
)
_STORED: Final = SlotRule(
    name="schema and migrations",
    roles=frozenset({"schema", "migration"}),
    share=0.15,
    applies=_asks(frozenset({"data"}), "schema", "migration"),
)
_WORDS: Final = SlotRule(name="documents", roles=frozenset({"doc"}), share=0.2, applies=_has("doc"))
_SCHEMAS: Final = SlotRule(
    name="contracts", roles=frozenset({"schema"}), share=0.2, near=("implementations", "types"), applies=_has("source")
)
_LATELY: Final = SlotRule(
    name="recent changes",
    told=lambda scene: (*scene.changed, *(f"commit:{commit}" for commit in scene.commits)),
    applies=lambda scene: bool(scene.commits or scene.changed),
)
_RULES: Final = SlotRule(name="rules", told=lambda scene: scene.rules, applies=lambda scene: bool(scene.rules))
_UNRESOLVED: Final = SlotRule(name=UNRESOLVED, applies=lambda scene: bool(scene.query.concepts))
_DIFF: Final = replace(_CODE, name="diff", applies=lambda scene: bool(scene.changed))

SLOTS: Final[Mapping[Workflow, tuple[SlotRule, ...]]] = {
    "feature": (_CODE, _DATA, _USES, _ALIKE, _TESTS, _STYLE, _STORED, _SETUP, _RULES, _UNRESOLVED),
    "bug": (_FAILING, _VALIDATION, _LATELY, replace(_USES, name="callers"), _SETUP, _RULES, _UNRESOLVED),
    "review": (
        _DIFF,
        replace(_CODE, name="definitions"),
        replace(_USES, name="callers", share=0.3),
        _TESTS,
        _SCHEMAS,
        _RULES,
        _UNRESOLVED,
    ),
    "migration": (
        _CODE,
        replace(_USES, name="users", share=0.3),
        replace(_DATA, roles=frozenset({"schema", "migration"})),
        replace(_SETUP, share=0.3, applies=_has("config", "build")),
        _TESTS,
        _RULES,
        _UNRESOLVED,
    ),
    "incident": (_FAILING, _LATELY, replace(_SETUP, share=0.3, applies=_has("config", "build", "ci")), _VALIDATION,
                 replace(_USES, name="callers"), _RULES, _UNRESOLVED),
    "explain": (_CODE, replace(_USES, name="entry surface"), _WORDS, replace(_TESTS, share=0.15, most=1), _UNRESOLVED),
}  # fmt: skip
"""In order of importance. A slot that can't apply to a repository and a task is not spoken of."""


def applying(workflow: Workflow, scene: Scene) -> tuple[SlotRule, ...]:
    """The slots of a workflow that can apply; of a review without a diff the definitions are what is looked at."""
    rules = [rule for rule in SLOTS[workflow] if rule.applies(scene)]
    if rules[0].name == "diff":
        rules[1:2] = [replace(rules[1], required=False)]
    return tuple(rules)


def absent(rule: SlotRule, scene: Scene) -> bool:
    """Whether the repository has nothing that could fill a slot."""
    return bool(rule.roles) and scene.roles.isdisjoint(rule.roles)


def why_missing(rule: SlotRule, scene: Scene) -> str:
    """Why a slot has no evidence: none in the repository, none found, or none that fits."""
    if rule.name == UNRESOLVED:
        return "no place was found for some of the task's words"
    if absent(rule, scene):
        return "the repository has no source files" if rule.required else f"the repository has no {rule.name}"
    if rule.roles and scene.found.isdisjoint(rule.roles):
        return "none has a word of the task"
    if rule.roles:
        return LONGEST_REASON
    return f"none around the places found ({', '.join(rule.near)})"
