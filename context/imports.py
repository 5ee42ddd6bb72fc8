"""Which files of the tree an import means, told from its spelling, the tree's paths and its manifests."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from . import import_compiled as compiled
from . import import_others as others
from . import import_python, import_scripts
from .import_table import Table, Target
from .languages import language_of
from .paths import folder_of
from .syntax import Import

Rule = Callable[[str, Import, Table], tuple[Target, ...]]
"""Reads one language's spelling. Files of one folder get one answer, but for those in `_BY_FILE`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolved:
    """The files that an import means; `external` where it means something outside of the tree."""

    targets: tuple[Target, ...] = ()
    external: bool = False


RULES: Final[Mapping[str, Rule]] = {
    "astro": import_scripts.script,
    "bash": others.shell,
    "c": compiled.c,
    "c-header": compiled.c,
    "cpp": compiled.c,
    "csharp": compiled.csharp,
    "css": import_scripts.sheet,
    "cython": import_python.module,
    "dart": others.dart,
    "elixir": others.elixir,
    "erlang": others.erlang,
    "go": compiled.go,
    "gradle": others.plain,
    "graphql": others.plain,
    "haskell": others.haskell,
    "hcl": others.terraform,
    "html": import_scripts.link,
    "java": compiled.jvm,
    "javascript": import_scripts.script,
    "julia": others.julia,
    "kotlin": compiled.jvm,
    "less": import_scripts.sheet,
    "lua": others.lua,
    "make": others.plain,
    "markdown": import_scripts.link,
    "nix": others.plain,
    "perl": others.perl,
    "php": others.php,
    "powershell": others.powershell,
    "protobuf": others.proto,
    "python": import_python.module,
    "r": others.r,
    "rst": import_scripts.link,
    "ruby": others.ruby,
    "rust": compiled.rust,
    "sass": import_scripts.sheet,
    "scala": compiled.jvm,
    "scss": import_scripts.sheet,
    "svelte": import_scripts.script,
    "swift": compiled.swift,
    "tsx": import_scripts.script,
    "typescript": import_scripts.script,
    "vue": import_scripts.script,
    "zig": others.zig,
}
_BY_FILE: Final = frozenset({"rust"})
_OWN: Final[Mapping[str, tuple[str, ...]]] = {
    "astro": (".", "/", "#", "@/", "~/"),
    "javascript": (".", "/", "#", "@/", "~/"),
    "python": (".",),
    "rust": ("crate", "self", "super"),
    "svelte": (".", "/", "#", "@/", "~/"),
    "tsx": (".", "/", "#", "@/", "~/"),
    "typescript": (".", "/", "#", "@/", "~/"),
    "vue": (".", "/", "#", "@/", "~/"),
}
"""How an import begins that means the tree itself, whether or not we find the file."""


def targets(path: str, imported: Import, table: Table) -> tuple[Target, ...]:
    """The files of the tree that an import in `path` means, each with its certainty; none where it is external."""
    return resolve(path, imported, table).targets


def resolve(path: str, imported: Import, table: Table) -> Resolved:
    """What an import means; a file never imports itself. The order is that of the rule, which the tree decides."""
    language = language_of(path)
    name = language.name if language else ""
    rule = RULES.get(name)
    if rule is None or not imported.module:
        return Resolved()
    where = path if name in _BY_FILE else folder_of(path)
    if rule is compiled.jvm and compiled.same_everywhere(imported, table):
        where = ""
    key = (name, where, imported.module, imported.names)
    if key not in table.memory:
        table.memory[key] = _resolved(path, imported, table, name, rule)
    found: Resolved = table.memory[key]
    if found.targets and any(target == path for target, _ in found.targets):
        return replace(found, targets=tuple(each for each in found.targets if each[0] != path))
    return found


def _resolved(path: str, imported: Import, table: Table, language: str, rule: Rule) -> Resolved:
    found = rule(path, imported, table)
    own = imported.module.startswith(_OWN.get(language, (".", "/")))
    return Resolved(targets=found, external=not found and not own)
