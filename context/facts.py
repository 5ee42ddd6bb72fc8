"""Facts that a file states through calls and decorators with a literal argument, and through where it lies.

Each rule asks for more than a name: a receiver called so, a shape of argument. What is left in doubt is no fact.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from . import command_lines, configured, routes, tables
from .calls import FAMILIES, Rule, call_at
from .syntax import Fact, FactKind

if TYPE_CHECKING:
    from tree_sitter import Node


def _joined() -> dict[str, dict[str, tuple[Rule, ...]]]:
    """family → name → its rules."""
    found: dict[str, dict[str, tuple[Rule, ...]]] = {}
    for module in (routes, command_lines, configured, tables):
        for family, rules in module.RULES.items():
            held = found.setdefault(family, {})
            for name, rule in rules.items():
                held[name] = (*held.get(name, ()), rule)
    return found


_BY_NAME: Final = _joined()
INTERESTING: Final = frozenset(name for rules in _BY_NAME.values() for name in rules)
"""Names that some language has a rule for: the only ones worth a call of `of_call`."""


def of_call(language: str, name: str, qualifier: str | None, node: Node) -> tuple[Fact, ...]:
    """What the call or decorator whose name is at this node states; most often nothing."""
    family = FAMILIES.get(language)
    rules = _BY_NAME[family].get(name) if family in _BY_NAME else None
    call = call_at(family, name, qualifier, node) if rules and family else None
    if call is None or rules is None:
        return ()
    return tuple(fact for rule in rules for fact in rule(call))


def captured(kind: FactKind, text: str) -> str | None:
    """The name of a fact that a query captured as text: of a usage line its first word; None if it can't be one."""
    if kind == "command":
        text = re.split(r"[\s{\[<]", text, maxsplit=1)[0]
    return text if text and (kind != "env" or configured.VARIABLE.fullmatch(text)) else None


_MIGRATION: Final = re.compile(
    r"(?:^|/)(?:[^/]*migrations?/(?:[^/]+/){0,2}?(?P<folder>\d[\w.-]*)/(?:up|down|migration)\.sql"
    r"|db/migrate/(?P<rails>\d+_\w+)\.rb"
    r"|(?P<flyway>[VUR]\d*[\d._]*__\w+)\.(?:sql|java|kt)"
    r"|(?:alembic|migrations)/versions/(?P<alembic>\w+)\.py"
    r"|(?i:[^/]*migrations?)/(?:[^/]+/){0,3}?(?P<numbered>[A-Za-z]{0,8}_?\d[\w.-]*?)(?:\.(?:up|down))?\.(?:py|rb|js|ts|php|sql|cs|exs|rs|go))$"
)


def migration_of_path(path: str) -> tuple[Fact, ...]:
    """The migration that a file is by name and folder: `V1__x.sql`, `db/migrate/2024_x.rb`, `migrations/0001_x.py`."""
    found = _MIGRATION.search(path)
    name = next((part for part in found.groups() if part), None) if found else None
    if name is None or name.endswith(("Designer", ".Designer")):
        return ()
    return (Fact(kind="migration", name=name, line=1),)


def command_of_path(path: str) -> tuple[Fact, ...]:
    """Django's `management/commands/x.py` is the command `x`."""
    found = re.search(r"(?:^|/)management/commands/([a-z]\w*)\.py$", path)
    return (Fact(kind="command", name=found[1], line=1),) if found else ()
