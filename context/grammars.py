"""The grammars and query files of languages, loaded when they are first needed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from tree_sitter import Node, Parser, Query

Found = dict[str, "list[Node]"]
"""The captures of one match."""

_MOST_HELD: Final = 10_000
_INHERITS: Final = "; inherits: "
_PREDICATE: Final = re.compile(r'\(#((?:not-)?match\?) @([\w.]+)\s+("(?:[^"\\]|\\.)*")\)')
_WRAPPERS: Final = (
    "decorated_definition", "export_statement", "lexical_declaration", "ambient_declaration", "template_declaration",
)  # fmt: skip


class Rule(dict[str, bool]):
    """A predicate on the text of a capture, asked like a dictionary; started anew when it has grown large."""

    def __init__(self, capture: str, pattern: str, *, wanted: bool) -> None:
        super().__init__()
        self.capture = capture
        self._matches = re.compile(pattern).search
        self._wanted = wanted

    def __missing__(self, text: str) -> bool:
        if len(self) >= _MOST_HELD:
            self.clear()
        holds = self[text] = (self._matches(text) is not None) == self._wanted
        return holds


@dataclass(frozen=True, slots=True, kw_only=True)
class Questions:
    """A query, and by the number of a pattern what the query itself does not look at."""

    query: Query
    rules: Mapping[int, tuple[Rule, ...]]


@cache
def parser_of(grammar: str) -> Parser:
    from tree_sitter_language_pack import get_parser  # noqa: PLC0415  (only who parses loads a grammar)

    return get_parser(grammar)  # type: ignore[arg-type,no-any-return,unused-ignore]


@cache
def questions(grammar: str, name: str) -> Questions:
    """The query file of this name for a grammar.

    The binding would fetch each text that a predicate looks at through the function that the source is read by, which
    is a third of a query's cost. So those are rules, held against the source itself.
    """
    from tree_sitter import Query  # noqa: PLC0415  (only who parses loads the parser)
    from tree_sitter_language_pack import get_language  # noqa: PLC0415

    text = _PREDICATE.sub(r'(#set! "\1 \2" \3)', _query_text(name))
    query = Query(get_language(grammar), text)  # type: ignore[arg-type,unused-ignore]
    found = {number: _rules(query.pattern_settings(number)) for number in range(query.pattern_count)}
    return Questions(query=query, rules={number: rules for number, rules in found.items() if rules})


def _rules(settings: Mapping[str, str | None]) -> tuple[Rule, ...]:
    return tuple(
        Rule(name.partition(" ")[2], said, wanted=name.startswith("match?"))
        for name, said in settings.items()
        if said is not None
    )


def _query_text(name: str) -> str:
    text = files(__package__).joinpath("queries", f"{name}.scm").read_text(encoding="utf-8")
    first, _, _ = text.partition("\n")
    inherited = first.removeprefix(_INHERITS).split(",") if first.startswith(_INHERITS) else []
    return "".join(map(_query_text, inherited)) + text


@cache
def wrappers(grammar: str) -> frozenset[str]:
    """The kinds of nodes of a grammar that only wrap a definition."""
    from tree_sitter_language_pack import get_language  # noqa: PLC0415

    language = get_language(grammar)  # type: ignore[arg-type,unused-ignore]
    return frozenset(kind for kind in _WRAPPERS if language.id_for_node_kind(kind, True))
