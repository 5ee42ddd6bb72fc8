"""Takes a shell command line apart into its simple commands, in order, each with its folder: parsed, never run."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

Words = tuple[str | None, ...]
"""A word that only a running shell could tell is None."""

SHELL_NAMES: Final = frozenset({"bash", "sh", "zsh", "dash", "ksh"})
# Commands that run the rest of their words: how many words of their own they take, options aside.
WRAPPERS: Final[Mapping[str, int]] = {
    "sudo": 0, "time": 0, "command": 0, "nice": 0, "nohup": 0, "env": 0, "stdbuf": 0, "timeout": 1, "exec": 0,
    "builtin": 0,
}  # fmt: skip
OPTIONS_WITH_VALUE: Final[Mapping[str, frozenset[str]]] = {
    "nice": frozenset({"-n"}),
    "sudo": frozenset({"-u", "-g"}),
    "timeout": frozenset({"-k", "-s"}),
    "env": frozenset({"-u", "-C"}),
    "stdbuf": frozenset({"-i", "-o", "-e"}),
}
DEEPEST: Final = 5
LONGEST: Final = 100_000
"""A command line longer than this holds data, not commands worth taking apart."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Simple:
    """One command with its words, where it runs, and what its redirections do."""

    words: Words
    folder: str | None
    """Relative to where the line began; None when a `cd` could not be followed."""
    stdin: str | None = None
    shown: bool = True
    """False when its output goes to a file."""

    @property
    def name(self) -> str:
        return posixpath.basename(self.words[0] or "") if self.words else ""


Pipeline = tuple[Simple, ...]


def pipelines(command: str) -> tuple[Pipeline, ...]:
    """Every pipeline of the command line, in order, with those that an inner shell is given in their place."""
    try:
        return tuple(_lines(command, "", 0))
    except RecursionError:
        return ()


def unwrapped(command: str) -> str:
    """The command inside `bash -lc '…'`."""
    if not command.startswith("/") and command.partition(" ")[0] not in SHELL_NAMES:
        return command
    found = tuple(_parsed(command, ""))
    inner = _script(found[0][0].words) if len(found) == 1 and len(found[0]) == 1 else None
    return command if inner is None else inner


def _lines(command: str, folder: str | None, depth: int) -> Iterator[Pipeline]:
    for pipeline in _parsed(command, folder):
        bare = tuple(replace(simple, words=_without_wrapper(simple.words)) for simple in pipeline)
        script = _script(bare[0].words) if len(bare) == 1 else None
        if script is not None and depth < DEEPEST:
            yield from _lines(script, bare[0].folder, depth + 1)
        else:
            yield bare


def _without_wrapper(words: Words) -> Words:
    """What `timeout 5 …`, `env A=1 …` and the like run."""
    while words and posixpath.basename(words[0] or "") in WRAPPERS:
        name = posixpath.basename(words[0] or "")
        rest, own = list(words[1:]), WRAPPERS[name]
        while rest and ((rest[0] or "").startswith("-") or (name == "env" and "=" in (rest[0] or ""))):
            taken = rest.pop(0)
            if taken in OPTIONS_WITH_VALUE.get(name, ()) and rest:
                rest.pop(0)
        words = tuple(rest[own:])
    return words


def _script(words: Words) -> str | None:
    """The text that `sh -c` is given."""
    if not words or posixpath.basename(words[0] or "") not in SHELL_NAMES:
        return None
    for place, word in enumerate(words[1:-1], start=1):
        if word is not None and word.startswith("-") and not word.startswith("--") and word.endswith("c"):
            return words[place + 1]
    return None


# Parsing


@cache
def _parser() -> Parser:
    from tree_sitter import Parser  # noqa: PLC0415  (a heavy door, opened at the first command line)
    from tree_sitter_language_pack import get_language  # noqa: PLC0415

    return Parser(get_language("bash"))


def _parsed(command: str, folder: str | None) -> Iterator[Pipeline]:
    if not command.strip() or len(command) > LONGEST:
        return
    tree = _parser().parse(command.encode("utf-8", "replace"))
    yield from _Walk(folder=folder).statements(tree.root_node)


@dataclass(slots=True)
class _Walk:
    """Goes through a command line in order, and through its folders with it."""

    folder: str | None

    def statements(self, node: Node) -> Iterator[Pipeline]:
        for child in node.named_children:
            yield from self.statement(child)

    def statement(self, node: Node) -> Iterator[Pipeline]:
        if node.type == "command":
            yield self._one(node)
        elif node.type == "pipeline":
            yield from self._pipeline(node)
        elif node.type == "redirected_statement":
            yield from self._redirected(node)
        elif node.type == "subshell":
            yield from _Walk(folder=self.folder).statements(node)
        elif node.type not in ("function_definition", "heredoc_redirect", "file_redirect", "command_substitution"):
            yield from self.statements(node)

    def _one(self, node: Node) -> Pipeline:
        simple = Simple(words=_words(node), folder=self.folder)
        if simple.name in ("cd", "pushd"):
            self.folder = _moved(self.folder, simple.words[1:])
        return (simple,)

    def _pipeline(self, node: Node) -> Iterator[Pipeline]:
        parts: list[Simple] = []
        for child in node.named_children:
            inner = tuple(_Walk(folder=self.folder).statement(child))
            parts.extend(inner[-1] if inner else (Simple(words=(None,), folder=self.folder),))
        yield tuple(parts)

    def _redirected(self, node: Node) -> Iterator[Pipeline]:
        body = node.child_by_field_name("body")
        if body is None:
            return
        redirects = [child for child in node.named_children if child.type == "file_redirect"]
        hidden = any(_hides_output(redirect) for redirect in redirects)
        sources = [_target(redirect) for redirect in redirects if _sign(redirect) == "<"]
        for pipeline in self.statement(body):
            first = replace(pipeline[0], stdin=sources[-1]) if sources else pipeline[0]
            whole = (first, *pipeline[1:])
            yield (*whole[:-1], replace(whole[-1], shown=whole[-1].shown and not hidden))


def _moved(folder: str | None, words: Words) -> str | None:
    target = next((word for word in words if word is None or not word.startswith("-")), None)
    if target is None or target.startswith("~") or "-" in words or (folder is None and not posixpath.isabs(target)):
        return None
    return posixpath.normpath(posixpath.join(folder or "", target))


def _sign(redirect: Node) -> str:
    return next((child.type for child in redirect.children if not child.is_named), "")


def _target(redirect: Node) -> str | None:
    destination = redirect.child_by_field_name("destination")
    return _word(destination) if destination is not None else None


def _hides_output(redirect: Node) -> bool:
    """Whether standard output goes to a file, and not only what is said of errors."""
    descriptor = redirect.child_by_field_name("descriptor")
    return _sign(redirect) in (">", ">>", "&>", "&>>", ">|") and (descriptor is None or _text(descriptor) == "1")


def _words(node: Node) -> Words:
    kinds = ("variable_assignment", "file_redirect", "heredoc_redirect", "herestring_redirect", "comment")
    return tuple(_word(child) for child in node.named_children if child.type not in kinds)


def _word(node: Node) -> str | None:
    """A word's value, where it has one without a shell."""
    return WORDS.get(node.type, _no_word)(node)


def _plain(node: Node) -> str | None:
    text = _text(node)
    if any(sign in text for sign in "*?[{") and not text.startswith("-"):
        return None
    return text.replace("\\\n", "").replace("\\", "") if "\\" in text else text


def _string(node: Node) -> str | None:
    if any(child.type not in ("string_content",) for child in node.named_children):
        return None
    return _text(node)[1:-1].replace('\\"', '"').replace("\\$", "$").replace("\\`", "`").replace("\\\\", "\\")


def _raw(node: Node) -> str | None:
    return _text(node)[1:-1]


def _joined(node: Node) -> str | None:
    parts = [_word(child) for child in node.named_children]
    return None if None in parts else "".join(part for part in parts if part is not None)


def _name(node: Node) -> str | None:
    return _word(node.named_children[0]) if node.named_children else _plain(node)


def _no_word(node: Node) -> str | None:
    del node
    return None


def _text(node: Node) -> str:
    text: Any = node.text
    return text.decode("utf-8", "replace") if text is not None else ""


WORDS: Final[Mapping[str, Callable[[Any], str | None]]] = {
    "word": _plain,
    "number": _plain,
    "string": _string,
    "raw_string": _raw,
    "concatenation": _joined,
    "command_name": _name,
}
