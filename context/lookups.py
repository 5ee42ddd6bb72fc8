"""What the tools answer: map, search, symbol, read. Every answer is about the files on disk now, within its tokens."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import PurePosixPath
from typing import Final

from .answers import DEFAULT_BUDGET, KINDS, ToolResult
from .errors import BadRequest
from .files import holding
from .files import read as read_file
from .index import FileView, RepositoryIndex
from .languages import role_of
from .model import SourceNode
from .ranking import RankedFile, RegionScorer, rank_files
from .render import fenced
from .repomap import printable, repository_map
from .task import EmptyTask, Query, read_task
from .tokens import count
from .words import terms_of, words

_NOT_ASKED: Final = frozenset({"commits", "messages", "company"})
"""A search is for what the files hold; to read the past first would double its time."""
_MOST_FILES: Final = 15
_MOST_EXACT_FILES: Final = 40
_MOST_PLACES: Final = 50
_MOST_DEFINITIONS: Final = 20
_SNIPPET_LINES: Final = 12
_NOTE_TOKENS: Final = 60
_MOST_NAMED: Final = 400
_MOST_READ: Final = 300
_UNREAD: Final = frozenset({"huge", "minified", "generated", "pending", "absent"})


class BadLocation(BadRequest):
    """A location that names nothing that may be read."""

    error_type = "bad_location"

    def __init__(self, location: str, why: str) -> None:
        super().__init__(
            f"{printable(location[:200])}: {why}.", "Give `path`, `path:line` or `path:start-end`, below the root."
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Piece:
    """A part of an answer: lines of a file, or a name alone where `text` is empty."""

    path: str
    start: int
    end: int
    label: str
    text: str
    stale: bool = False

    @property
    def location(self) -> str:
        return f"{self.path}:{self.start}-{self.end}"


def repo_map(index: RepositoryIndex, *, scope: str = "", budget: int = DEFAULT_BUDGET) -> ToolResult:
    """The outline of a folder, or of all."""
    path = _folder(scope)
    drawn = repository_map(index, most_tokens=max(1, budget - _NOTE_TOKENS), scope=path)
    if not drawn:
        return _nothing(f"Nothing is indexed under {printable(path) or 'the root'}.")
    text = f"Outline of {printable(path) or 'the repository'} (main files only):\n{fenced(drawn)}"
    return ToolResult(text=text, structured={"scope": path, "map": drawn}, tokens=count(text))


def search(
    index: RepositoryIndex,
    *,
    query: str,
    kind: str = "any",
    path: str = "",
    top_k: int = 8,
    budget: int = DEFAULT_BUDGET,
) -> ToolResult:
    """Places for words, identifiers or a piece of text; places that hold the very text come first."""
    try:
        asked = read_task(query)
    except EmptyTask:
        return _nothing("The query is empty.")
    below = _folder(path)
    roles = KINDS[kind]

    def allowed(candidate: str) -> bool:
        return _below(candidate, below) and (roles is None or role_of(candidate) in roles)

    ranked = [each for each in rank_files(index, _leaning(asked, kind), without=_NOT_ASKED) if allowed(each.file.path)]
    most = max(1, min(top_k, _MOST_PLACES))
    pieces = list(islice(_exact(index, query.strip(), ranked, allowed), most))
    shown = {piece.path for piece in pieces}
    pieces += _best_regions(index, asked, ranked[:_MOST_FILES], skip=shown)
    return _answer(pieces[:most], budget, empty=f"Nothing found for {printable(query[:100])!r}.")


def symbol(index: RepositoryIndex, *, name: str, budget: int = DEFAULT_BUDGET) -> ToolResult:
    """Where a name is defined, with its text; `Class.method` and `module::name` are understood."""
    parts = [part for part in re.split(r"[.:#/\s]+", name.encode("utf-8", "ignore").decode().strip()) if part]
    if not parts:
        return _nothing("The name is empty.")
    paths = {path for number in index.store.defining(parts[-1]) for path in index.paths_of(number)}
    found = [
        (_nearness(node, parts), node.path, node.start)
        for path in paths
        for node in _named(index.nodes(path), parts[-1])
    ]
    nearest = dict.fromkeys(path for _, path, _ in sorted(found)[:_MOST_DEFINITIONS])
    pieces = [
        (_nearness(node, parts), _definition(view, node))
        for path in nearest
        if (view := index.view(path)) is not None
        for node in _named(view.nodes(), parts[-1])
    ]
    pieces.sort(key=lambda each: (each[0], each[1].path, each[1].start))
    empty = f"No definition of {printable(name[:100])!r} is indexed; try search."
    return _answer([piece for _, piece in pieces[:_MOST_DEFINITIONS]], budget, empty=empty)


def _named(nodes: Iterable[SourceNode], name: str) -> list[SourceNode]:
    return [node for node in nodes if node.name.lower() == name.lower()]


def read(
    index: RepositoryIndex, *, location: str, surrounding_lines: int = 0, budget: int = DEFAULT_BUDGET
) -> ToolResult:
    """Lines of a file as they are on disk now."""
    path, start, end = parse_location(location)
    view = index.view(path)
    if view is None:
        raise BadLocation(path, "there is no text file of this name that may be shown")
    last = len(view.lines)
    if not last:
        return _nothing(f"{printable(path)} is empty.")
    first = max(1, (start or 1) - max(0, surrounding_lines))
    final = min(last, (end or last) + max(0, surrounding_lines))
    if first > last:
        raise BadLocation(location, f"the file has {last} lines")
    piece = _Piece(path=path, start=first, end=final, label="", text=view.cut(first, final), stale=view.stale)
    size = f"The first {last} lines of a larger file.\n" if view.cut_off else f"The file has {last} lines.\n"
    return _answer([piece], budget, empty="", closing=size)


def parse_location(location: str) -> tuple[str, int | None, int | None]:
    """`path`, `path:line` or `path:start-end` → path and lines. Raises BadLocation."""
    found = re.fullmatch(r"(.+?)(?::(\d{1,9})(?:-(\d{1,9}))?)?", location.strip(), re.DOTALL)
    if found is None:
        raise BadLocation(location, "no location")
    path, start, end = found.groups()
    first = int(start) if start else None
    last = int(end) if end else first
    if first is not None and last is not None and (first < 1 or last < first):
        raise BadLocation(location, "lines count from 1, and the end is not before the start")
    return clean_path(path), first, last


def clean_path(path: str) -> str:
    """A path below the root, as git spells it. Raises BadLocation for one that leads out or into git's own files."""
    pure = PurePosixPath(path.strip().replace("\\", "/"))
    parts = [part for part in pure.parts if part != "."]
    if pure.is_absolute() or ".." in parts or "\0" in path or re.match(r"[A-Za-z]:", path.strip()):
        raise BadLocation(path, "only paths below the repository's root can be read")
    if any(part.lower() == ".git" for part in parts):
        raise BadLocation(path, "git's own files are not shown")
    return "/".join(parts)


def _folder(path: str) -> str:
    return "" if path.strip() in ("", ".", "./") else clean_path(path)


def _leaning(query: Query, kind: str) -> Query:
    """The query with the roles that were asked for not held back."""
    return replace(query, wants_tests=query.wants_tests or kind == "test", wants_docs=query.wants_docs or kind == "doc")


def _below(path: str, folder: str) -> bool:
    return not folder or path == folder or path.startswith(folder + "/")


def _exact(
    index: RepositoryIndex, text: str, ranked: list[RankedFile], allowed: Callable[[str], bool]
) -> Iterable[_Piece]:
    """The first place in each file that holds the very text, ranked files first.

    A lone word is left to the ranking, unless there are files that the ranking does not know yet.
    """
    if len(text) < 3 or "\n" in text or "\0" in text or (index.complete and re.fullmatch(r"\w+", text)):
        return
    for path in islice(_holders(index, text, ranked, allowed), _MOST_EXACT_FILES):
        view = index.view(path)
        hits = [number for number, line in enumerate(view.lines, start=1) if text in line] if view else []
        if view is not None and hits:
            start, end = max(1, hits[0] - 2), min(len(view.lines), hits[0] + 3)
            label = f"exact, line {hits[0]}" + (f" and {len(hits) - 1} more" if len(hits) > 1 else "")
            yield _Piece(path=path, start=start, end=end, label=label, text=view.cut(start, end), stale=view.stale)


def _holders(
    index: RepositoryIndex, text: str, ranked: list[RankedFile], allowed: Callable[[str], bool]
) -> Iterator[str]:
    """The files that hold a text, ranked ones first. Few are read until there are enough; git looks through many."""
    may = _may_hold(index, text)
    order = [each.file.path for each in ranked if may is None or each.file.path in may]
    if may is not None:
        order += sorted(path for path in may.difference(order) if allowed(path))
    wanted = text.encode("utf-8", "ignore")
    for path in order[:_MOST_READ]:
        data = read_file(index.root, path)
        if data is not None and wanted in data:
            yield path
    left = order[_MOST_READ:]
    if may is None or left:
        holders = set(holding(index.root, text, left if may is not None and len(left) <= _MOST_NAMED else None))
        yield from (path for path in left if path in holders)
        yield from sorted(path for path in holders.difference(order) if may is None and allowed(path))


def _may_hold(index: RepositoryIndex, text: str) -> set[str] | None:
    """The files that may hold a text, told by the whole words inside it; None where any may.

    Files of which only the name is indexed may hold it too.
    """
    inside = [found.group() for found in re.finditer(r"\w+", text) if found.start() > 0 and found.end() < len(text)]
    numbers: set[int] | None = None
    for term in {terms[0] for word in inside for name in words(word)[:1] if (terms := terms_of(name))}:
        found = index.store.postings([term])
        holders = set(found[term].numbers) if term in found else set()
        numbers = holders if numbers is None else numbers & holders
    if numbers is None or not index.complete:
        return None
    return {f.path for f in index.files if f.number in numbers or f.skipped in _UNREAD}


def _best_regions(index: RepositoryIndex, query: Query, ranked: list[RankedFile], skip: set[str]) -> Iterable[_Piece]:
    """The best regions of the best files: first one of each file, then the second of each."""
    scorer = RegionScorer(index, query)
    found = []
    for place, each in enumerate(ranked):
        for turn, candidate in enumerate(scorer.regions(each, "")[:2]):
            if turn or each.file.path not in skip:
                found.append((turn, place, candidate.node))
    for _, _, node in sorted(found, key=lambda each: (each[0], each[1])):
        view = scorer.view(node.path)
        if view is not None:
            yield _snippet(view, node, query)


def _snippet(view: FileView, node: SourceNode, query: Query) -> _Piece:
    """A region, or the lines of it around the words that were asked for when it is long."""
    start, end = node.start, node.end
    if end - start >= _SNIPPET_LINES:
        lowered = [line.lower() for line in view.lines[start - 1 : end]]
        wanted = [term for term in query.terms if len(term) > 2]
        weights = [sum(term in line for term in wanted) for line in lowered]
        sums = [sum(weights[at : at + _SNIPPET_LINES]) for at in range(len(weights) - _SNIPPET_LINES + 1)]
        start += sums.index(max(sums))
        end = start + _SNIPPET_LINES - 1
    what = f"{node.kind} {printable(node.name)} {node.start}-{node.end}" if node.name else ""
    return _Piece(path=node.path, start=start, end=end, label=what, text=view.cut(start, end), stale=view.stale)


def _definition(view: FileView, node: SourceNode) -> _Piece:
    label = f"{node.kind} {printable(node.name)}" + (f" in {printable(node.container)}" if node.container else "")
    return _Piece(
        path=node.path,
        start=node.start,
        end=node.end,
        label=label,
        text=view.cut(node.start, node.end),
        stale=view.stale,
    )


def _nearness(node: SourceNode, parts: list[str]) -> tuple[int, ...]:
    """Smaller is nearer to what was asked: the container, the spelling, the role, the kind."""
    holder = parts[-2].lower() if len(parts) > 1 else None
    fits = holder in (None, (node.container or "").lower()) or f"/{holder}." in f"/{node.path.lower()}"
    values = node.kind in ("variable", "constant", "field", "property", "enum_member", "key", "selector", "heading")
    return (not fits, node.name != parts[-1], node.role != "source", values)


def _answer(pieces: list[_Piece], budget: int, *, empty: str, closing: str = "") -> ToolResult:
    """As many pieces as fit; one that does not fit whole is cut at a line, and the rest is named."""
    if not pieces:
        return _nothing(empty)
    parts: list[str] = []
    shown: list[_Piece] = []
    left = budget - _NOTE_TOKENS
    rest: list[_Piece] = []
    for piece in pieces:
        fitted = None if rest else _fitted(piece, left)
        if fitted is None:
            rest.append(piece)
            continue
        text = _text_of(fitted)
        left -= count(text)
        parts.append(text)
        shown.append(fitted)
        if fitted.end < piece.end:
            rest.append(_Piece(path=piece.path, start=fitted.end + 1, end=piece.end, label=piece.label, text=""))
    note = _note(rest, closing, left + _NOTE_TOKENS)
    text = "".join(parts) + note
    places = [
        {"path": p.path, "start": p.start, "end": p.end, "label": p.label, "stale": p.stale, "text": p.text}
        for p in shown
    ]
    return ToolResult(
        text=text,
        structured={"places": places, "left_out": [p.location for p in rest]},
        files=tuple((p.path, p.start, p.end) for p in shown),
        tokens=count(text),
    )


def _fitted(piece: _Piece, room: int) -> _Piece | None:
    """The piece, or as many of its first lines as fit the room; None if not even one does."""
    if count(_text_of(piece)) <= room:
        return piece
    lines = piece.text.split("\n")[:-1]
    low, high = 0, len(lines)
    while low < high:
        middle = (low + high + 1) // 2
        if count(_text_of(_first_lines(piece, lines, middle))) <= room:
            low = middle
        else:
            high = middle - 1
    return _first_lines(piece, lines, low) if low else None


def _first_lines(piece: _Piece, lines: list[str], number: int) -> _Piece:
    return _Piece(
        path=piece.path,
        start=piece.start,
        end=piece.start + number - 1,
        label=piece.label,
        text="\n".join(lines[:number]) + "\n",
        stale=piece.stale,
    )


def _text_of(piece: _Piece) -> str:
    label = f" ({piece.label})" if piece.label else ""
    return f"{printable(piece.location)}{label}\n{fenced(piece.text)}"


def _note(rest: list[_Piece], closing: str, room: int) -> str:
    """Where the rest is, as far as the room goes."""
    note = "" if rest else closing
    for shown in range(min(6, len(rest)), 0, -1):
        places = ", ".join(printable(piece.location) for piece in rest[:shown])
        note = f"Not shown: {places}{', …' if shown < len(rest) else ''}\n"
        if count(note) <= room:
            return note
    return note if count(note) <= room else ""


def _nothing(text: str) -> ToolResult:
    return ToolResult(text=text + "\n", structured={"places": []}, tokens=count(text))
