"""Cuts a file into units that can be ranked and shown: definitions where we know them, else windows of lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Final

from .index import FileView, node_of
from .model import SourceNode
from .syntax import Symbol
from .words import terms_of, words

_WINDOW: Final = 40
_WHOLE_CLASS: Final = 60
_WHOLE_FUNCTION: Final = 120
_SMALL_VALUE: Final = 15
_HOLDERS: Final = frozenset(
    {"class", "interface", "struct", "trait", "enum", "object", "protocol", "module", "namespace", "heading", "table"}
)
_VALUES: Final = frozenset(
    {"variable", "constant", "type", "field", "property", "enum_member", "key", "selector", "package", "route"}
)
_SATURATION: Final = 1.2
_MOST_WEIGHT: Final = 4.0
_IN_NAME: Final = 2
_USUAL_LENGTH: Final = 120.0
_NEIGHBOUR_PULL: Final = 0.2


def units(view: FileView) -> tuple[SourceNode, ...]:
    """Parts of a file in order of place that do not overlap and together hold every line that is not blank.

    A definition is one unit; a large class is cut at its members, a very long function into windows; what stands
    between definitions is cut into windows.
    """
    found: list[SourceNode] = []
    at = 1
    holder: Symbol | None = None
    for symbol in sorted(view.symbols, key=lambda each: (each.start, -each.end)):
        if symbol.start < at or _too_small(symbol):
            continue
        found.extend(_windows(view, at, symbol.start - 1, holder))
        at = symbol.start
        if symbol.kind in _HOLDERS and symbol.end - symbol.start >= _WHOLE_CLASS:
            holder = symbol
            continue
        found.extend(_whole(view, symbol))
        at = symbol.end + 1
        holder = holder if holder is not None and holder.end >= at else None
    found.extend(_windows(view, at, len(view.lines), holder))
    return tuple(found)


def _too_small(symbol: Symbol) -> bool:
    return symbol.kind in _VALUES and symbol.end - symbol.start < _SMALL_VALUE


def _whole(view: FileView, symbol: Symbol) -> Iterator[SourceNode]:
    end = min(symbol.end, len(view.lines))
    if end - symbol.start < _WHOLE_FUNCTION:
        yield node_of(view.path, symbol, view.language, view.role)
        return
    yield from _windows(view, symbol.start, end, symbol)


def _windows(view: FileView, start: int, end: int, holder: Symbol | None) -> Iterator[SourceNode]:
    """The lines cut at a blank line after some 40, without blank lines at either side."""
    while start <= end:
        if not view.lines[start - 1].strip():
            start += 1
            continue
        last = _cut(view, start, end)
        shown = last
        while not view.lines[shown - 1].strip():
            shown -= 1
        yield SourceNode(
            id=f"{view.path}:{start}-{shown}",
            path=view.path,
            kind="region",
            name=holder.name if holder else "",
            start=start,
            end=shown,
            language=view.language,
            role=view.role,
            container=holder.name if holder else None,
        )
        start = last + 1


def _cut(view: FileView, start: int, end: int) -> int:
    if end - start < _WINDOW + _WINDOW // 4:
        return end
    for last in range(start + _WINDOW - 1, start + _WINDOW // 2, -1):
        if not view.lines[last - 1].strip():
            return last
    return start + _WINDOW - 1


class QueryWords(dict[str, tuple[str, ...]]):
    """Word → those of its terms that a query has, worked out once a word."""

    def __init__(self, weights: Mapping[str, float], rarities: Mapping[str, float]) -> None:
        self.worth = {term: min(weights[term], _MOST_WEIGHT) * rarities.get(term, 0.0) for term in weights}

    def __missing__(self, word: str) -> tuple[str, ...]:
        found = self[word] = tuple(term for term in terms_of(word) if term in self.worth)
        return found


def scored(view: FileView, query: QueryWords) -> list[tuple[float, SourceNode]]:
    """Each unit with its BM25 score for the query's terms, drawn a little towards its neighbours' scores."""
    nodes = units(view)
    raw = [_score(view, node, query) for node in nodes]
    smooth = []
    for at, own in enumerate(raw):
        around = raw[max(0, at - 1) : at] + raw[at + 1 : at + 2]
        smooth.append((1 - _NEIGHBOUR_PULL) * own + _NEIGHBOUR_PULL * (sum(around) / len(around) if around else 0.0))
    return list(zip(smooth, nodes, strict=True))


def _score(view: FileView, node: SourceNode, query: QueryWords) -> float:
    times: dict[str, int] = {}
    held = words("\n".join(view.lines[node.start - 1 : node.end]))
    for word, count in Counter(held).items():
        for term in query[word]:
            times[term] = times.get(term, 0) + count
    for name in (node.name, node.container or ""):
        for word in words(name):
            for term in query[word]:
                times[term] = times.get(term, 0) + _IN_NAME
    damp = _SATURATION * (0.5 + 0.5 * len(held) / _USUAL_LENGTH)
    return sum(query.worth[term] * times[term] / (times[term] + damp) for term in sorted(times))
