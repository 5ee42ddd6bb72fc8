"""How languages let one name another: which are of one family, what needs no import, what calls its own object."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from typing import Final, Literal

from .languages import language_of

Nearby = Literal["import", "folder", "package", "namespace", "target"]
"""Whose names are seen without an import: nobody's, those of files in the folder, of the same package, of the
namespaces around, of the same build target."""
Types = Literal["after", "before", "go"]
"""Where a declaration has its type: `name: Type`, `Type name`, `name Type`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Habits:
    """What decides which definition a name can mean. Names never cross from one family to another."""

    family: str
    own: frozenset[str] = frozenset()
    """Words for the object or class that a method belongs to."""
    parent: frozenset[str] = frozenset()
    """Words for its base."""
    bare_members: bool = False
    """Whether a bare name may be a member of the class around it."""
    nearby: Nearby = "import"
    open_functions: bool = False
    """Whether functions are seen everywhere without an import."""
    open_types: bool = False
    types: Types = "after"


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_PYTHON: Final = Habits(family="python", own=_words("self cls mcs"), parent=_words("super"))
_SCRIPT: Final = Habits(family="script", own=_words("this self that"), parent=_words("super"))
_JVM: Final = Habits(
    family="jvm", own=_words("this"), parent=_words("super"), bare_members=True, nearby="package", types="before"
)
_C: Final = Habits(
    family="c", own=_words("this"), bare_members=True, open_functions=True, open_types=True, types="before"
)
_OPEN: Final = Habits(family="", own=_words("self this"), open_functions=True, open_types=True)

HABITS: Final[Mapping[str, Habits]] = {
    "astro": _SCRIPT,
    "c": _C,
    "c-header": _C,
    "cpp": _C,
    "csharp": Habits(
        family="csharp",
        own=_words("this"),
        parent=_words("base"),
        bare_members=True,
        nearby="namespace",
        types="before",
    ),
    "cython": _PYTHON,
    "go": Habits(family="go", nearby="folder", types="go"),
    "gradle": _JVM,
    "html": _SCRIPT,
    "java": _JVM,
    "javascript": _SCRIPT,
    "kotlin": Habits(
        family="jvm", own=_words("this"), parent=_words("super"), bare_members=True, nearby="package", types="after"
    ),
    "php": Habits(
        family="php",
        own=_words("$this self static"),
        parent=_words("parent"),
        nearby="namespace",
        open_functions=True,
        types="before",
    ),
    "python": _PYTHON,
    "ruby": Habits(
        family="ruby",
        own=_words("self"),
        parent=_words("super"),
        bare_members=True,
        open_functions=True,
        open_types=True,
    ),
    "rust": Habits(family="rust", own=_words("self Self")),
    "scala": Habits(
        family="jvm", own=_words("this"), parent=_words("super"), bare_members=True, nearby="package", types="after"
    ),
    "svelte": _SCRIPT,
    "swift": Habits(
        family="swift", own=_words("self Self"), parent=_words("super"), bare_members=True, nearby="target"
    ),
    "tsx": _SCRIPT,
    "typescript": _SCRIPT,
    "vue": _SCRIPT,
}


def habits_of(language: str | None) -> Habits:
    """A language that is not in the table is a family of its own, in which names are open."""
    return HABITS.get(language or "") or _alone(language or "")


@lru_cache(maxsize=65_536)
def family_of(path: str) -> str:
    """The family of a file, by its name."""
    language = language_of(path)
    return habits_of(language.name if language else None).family


@lru_cache(maxsize=256)
def _alone(language: str) -> Habits:
    return Habits(family="other " + language, own=_OPEN.own, open_functions=True, open_types=True)


@cache
def method_names(section: str) -> frozenset[str]:
    """Names that many classes have: those of a section of `data/method_names.txt`, which says what they are for."""
    text = files(__package__).joinpath("data", "method_names.txt").read_text(encoding="utf-8")
    lines = text.partition(f"[{section}]\n")[2].partition("\n[")[0].split("\n")
    return frozenset(name for line in lines if not line.startswith("#") for name in line.split())


_WRAPPERS: Final = _words(
    "Optional Annotated Final ClassVar Type Required NotRequired Readonly Box Arc Rc Lazy unique_ptr shared_ptr"
)
_AFTER: Final = re.compile(
    r"""([A-Za-z_$]\w{0,80})\s?[?!]?\s?:\s?["'&*]*"""
    r"""(?:'\w+\s)?(?:mut\s|dyn\s|impl\s|inout\s|readonly\s)*["']?"""
    r"""([A-Za-z_]\w*(?:(?:\.|::)\w+)*)(?:[<\[]["']?([A-Za-z_]\w*(?:\.\w+)*))?"""
)
_BEFORE: Final = re.compile(
    r"(?<![A-Za-z_])([A-Za-z_]\w*+(?:(?:\.|::|\\)\w++)*+)(?:<([A-Za-z_]\w*+)[^<>()]*+>)?"
    r"[\s*&?]++\$?([A-Za-z_]\w*+)\s?(?=[,)=;]|$)"
)
_GO: Final = re.compile(r"((?:\w+,\s?)*\w+)\s(?:\.\.\.)?\*?([A-Za-z_]\w*(?:\.\w+)?)(?=[\s,)\[{`]|$)")
_MADE: Final = re.compile(r"^[^=({]{0,120}=\s?(?:await\s)?(?:new\s)?&?((?:[a-z_]\w*\.)*[A-Z]\w*)\s?[({]")
_NO_TYPES: Final = _words("return new final const static public private protected readonly var val let in out func fn")


@lru_cache(maxsize=65_536)
def typed_names(signature: str, types: Types) -> Mapping[str, str]:
    """The names that a signature gives a type to, with that type's name; wrappers like `Optional` are taken off."""
    found: dict[str, str] = {}
    if types == "after":
        for name, kind, inner in _AFTER.findall(signature):
            found.setdefault(name, inner if kind in _WRAPPERS and inner else kind)
    elif types == "before":
        for kind, inner, name in _BEFORE.findall(signature):
            if kind not in _NO_TYPES:
                found.setdefault(name, inner if kind.rpartition("::")[2] in _WRAPPERS and inner else kind)
    else:
        for names, kind in _GO.findall(signature):
            found |= {name.strip(): kind for name in names.split(",") if name.strip() not in _NO_TYPES}
    return found


@lru_cache(maxsize=65_536)
def type_of_value(name: str, signature: str, types: Types) -> str | None:
    """The type that a field's or variable's declaration names: as written, else that of the object it is made as."""
    typed = typed_names(signature, types).get(name)
    if typed is not None:
        return typed
    bare = signature.lstrip("*& ")
    if types == "go" and bare.rpartition(".")[2] == name:
        return bare
    made = _MADE.match(signature)
    return made.group(1) if made else None
