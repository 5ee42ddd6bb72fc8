"""Files of several languages: which parts of a component or page are in which language, and what its markup uses."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from .markup import Tag, tags
from .notebook import Notebook
from .pattern_table import NOT_CALLED
from .syntax import Use

COMPONENTS: Final = frozenset({"vue", "svelte", "astro"})
"""Each file of these is one component."""
HOLDERS: Final = COMPONENTS | {"html"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A piece of a file; `first_line` is the line of the file on which its first line stands."""

    language: str
    first_line: int
    text: str


_SCRIPTS: Final = {
    "": "javascript",
    "js": "javascript",
    "javascript": "javascript",
    "ecmascript": "javascript",
    "module": "javascript",
    "babel": "javascript",
    "jsx": "javascript",
    "ts": "typescript",
    "typescript": "typescript",
    "tsx": "tsx",
}
"""By `lang`, or by `type` without what it says before a slash; any other type (JSON, a template) is data."""
_STYLES: Final = {"": "css", "css": "css", "postcss": "css", "scss": "scss", "sass": "sass", "less": "less"}
_FRONT: Final = re.compile(r"\s*---[ \t]*\r?\n(?P<code>(?s:.*?))(?:^|(?<=\n))---[ \t]*(?=\r?\n|\Z)")


def parts(text: str, language: str) -> tuple[Part, ...]:
    """The scripts and styles of a page or component, in order; those that are data or lie elsewhere are left out."""
    if language not in HOLDERS:
        return ()
    return tuple(_parts(text, language))


def _parts(text: str, language: str) -> Iterator[Part]:
    front = _FRONT.match(text) if language == "astro" else None
    if front:
        first = text.count("\n", 0, front.start("code")) + 1
        yield Part(language="typescript", first_line=first, text=front["code"])
    line, at = 1, 0
    for tag in tags(text, front.end() if front else 0):
        spoken = _language_of(tag, language)
        if tag.inner is None or spoken is None:
            continue
        begins, ends = tag.inner
        line, at = line + text.count("\n", at, begins), begins
        if text[begins:ends].strip():
            yield Part(language=spoken, first_line=line, text=text[begins:ends])


def _language_of(tag: Tag, holder: str) -> str | None:
    if tag.inner is None:
        return None
    attributes = tag.attributes()
    said = attributes.get("lang") or attributes.get("type", "").rpartition("/")[2].removeprefix("x-")
    said = said.strip().lower()
    if tag.name.lower() == "style":
        return _STYLES.get(said)
    if holder == "astro" and not said:
        return "typescript"
    return _SCRIPTS.get(said)


_BUILT_IN: Final = frozenset(
    """Transition TransitionGroup KeepAlive Teleport Suspense Component Slot Template Fragment RouterLink RouterView
    FontFace""".split()  # noqa: SIM905
)
_ELEMENTS: Final = frozenset({"script", "style", "template", "slot"})
_NAME: Final = re.compile(r"[^\W\d][\w$]*")
_CLASS: Final = re.compile(r"-?[A-Za-z_][\w-]*")
_CALL: Final = re.compile(r"(?:\b([^\W\d]\w*+)\.)?+\b([^\W\d]\w*+)\(")
_EVENT: Final = re.compile(r"@|v-on:|on:|on(?=[a-z])")
_BOUND: Final = re.compile(r"[:@#]|v-|on")
_SHOWN: Final = {
    "vue": re.compile(r"\{\{([^{}]*)\}\}"),
    "svelte": re.compile(r"\{([^{}]*)\}"),
    "astro": re.compile(r"\{([^{}]*)\}"),
}
_MOST_CLASSES: Final = 300


def component_uses(text: str, language: str) -> tuple[Use, ...]:
    """What the markup refers to: components, classes of style sheets; and what its handlers and expressions call."""
    if language not in HOLDERS:
        return ()
    notes = Notebook(text)
    classes: set[str] = set()
    shown = _SHOWN.get(language)
    front = _FRONT.match(text) if language == "astro" else None
    at = front.end() if front else 0
    for tag in tags(text, at):
        line = notes.line(tag.begins)
        component = _component(tag.name, language)
        if component:
            notes.use("references", component[1], line, component[0])
        _tag_uses(notes, tag, line, classes)
        if shown:
            _expressions(notes, shown, at, tag.begins)
        at = tag.inner[1] if tag.inner else tag.ends
    if shown:
        _expressions(notes, shown, at, len(text))
    return notes.syntax().uses


def _component(name: str, language: str) -> tuple[str | None, str] | None:
    """What stands before a component's name, and the name as a script spells it; None for an element."""
    of, _, last = name.rpartition(".")
    if ":" in name or name.lower() in _ELEMENTS:
        return None
    if "-" in last and language in ("vue", "html"):
        last = "".join(word[:1].upper() + word[1:] for word in last.split("-"))
    elif not last[:1].isupper() or language == "html":
        return None
    return (of or None, last) if last not in _BUILT_IN and _NAME.fullmatch(last) else None


def _tag_uses(notes: Notebook, tag: Tag, line: int, classes: set[str]) -> None:
    if "=" not in tag.said:
        return
    for name, value in tag.attributes().items():
        if name == "class":
            fresh = [word for word in value.split() if _CLASS.fullmatch(word)]
            classes.update(fresh[: max(0, _MOST_CLASSES - len(classes))])
            for word in fresh:
                if word in classes:
                    notes.use("references", f".{word}", line)
        elif _BOUND.match(name) or value.startswith("{"):
            handler = value.strip("{} ")
            if _EVENT.match(name) and _NAME.fullmatch(handler):
                notes.use("calls", handler, line)
            _calls(notes, value, line)


def _expressions(notes: Notebook, shown: re.Pattern[str], begins: int, ends: int) -> None:
    for found in shown.finditer(notes.text, begins, ends):
        if "(" in found[1]:
            _calls(notes, found[1], notes.line(found.start(1)))


def _calls(notes: Notebook, expression: str, line: int) -> None:
    for call in _CALL.finditer(expression):
        if call[2] not in NOT_CALLED:
            notes.use("calls", call[2], line, call[1])
