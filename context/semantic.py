"""The channel of meaning: files whose definitions lie near the task as a model of language sees it, words aside.

Each definition's place, name, signature, document and first lines become one vector of small whole numbers, kept by
content and model. Small repositories are looked at whole, of large ones the files that the other channels found.
It speaks for tasks in plain words alone: one that spells names of the code is better served by them.
Whole numbers make the comparison exact: the same vectors give the same order on every machine.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from time import perf_counter
from typing import Any, Final

from .aids import AidCost, AidFailed, Embedder
from .channels import Channel, Ranking
from .filed import IndexedFile
from .index import FileView, RepositoryIndex
from .model import Role, SourceNode
from .ranking import rank_files
from .regions import units
from .task import Query
from .vectors import beside, keep, kept

Rows = Any
"""An array of numpy, which only the optional extra has."""
SEMANTIC: Final = "meaning"
WEIGHT: Final = 1.6
_LAYOUT: Final = "vectors/1"
_WHOLE_LOCAL: Final = 2_000
_SHORTLIST_LOCAL: Final = 400
_SHORTLIST_AWAY: Final = 150
_UNITS_A_FILE: Final = 80
_UNITS_A_FILE_AWAY: Final = 20
_LINES: Final = 25
_CHARACTERS: Final = 1_200
_ASKED_CHARACTERS: Final = 1_500
_FILES_AT_ONCE: Final = 100
_MOST_FILES: Final = 200
_BEST_UNITS: Final = 3
_ROLES: Final[frozenset[Role]] = frozenset({"source", "schema", "style", "migration", "config", "build", "test"})
_PLACE_BYTES: Final = 8
_NO_VECTORS: Final = "its vectors are not one a text, all of one length"
_MOST_HELD: Final = 4_000
_JOINTS: Final = str.maketrans("_/.-", "    ")
_HUMPS: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


@dataclass(frozen=True, slots=True, kw_only=True)
class Meaning:
    """What the channel found, and what finding it took."""

    ranking: Ranking
    cost: AidCost


def by_meaning(embedder: Embedder) -> Channel:
    """The channel, for `rank_files(more=…)`. Where the model gives no answer it finds nothing."""
    return lambda index, query: meaning(index, query, embedder).ranking


def meaning(index: RepositoryIndex, query: Query, embedder: Embedder) -> Meaning:
    """The files near the task in meaning, best 1.0, an average file 0; none, and why, where the model fails."""
    began = perf_counter()
    spent = _Spent(embedder)
    try:
        ranking, problem = _ranking(index, query, spent), None
    except AidFailed as failed:
        ranking, problem = Ranking(scores={}, reasons={}), failed.why
    return Meaning(ranking=ranking, cost=spent.cost(perf_counter() - began, problem))


def _ranking(index: RepositoryIndex, query: Query, spent: _Spent) -> Ranking:
    if query.identifiers or query.paths or query.modules or query.frames:
        # Measured: there the other channels lead, and nearness in meaning only draws away from them.
        raise AidFailed("semantic", "it was not asked, since the task spells names of the code")
    # The task first: a model that does not answer is asked once.
    asked = spent.vectors([f"{query.title}\n{query.text[:_ASKED_CHARACTERS]}"])[0]
    files = _vectors(index, _looked_at(index, query, local=spent.embedder.local), spent)
    scores, reasons = _compared(files, asked) if files else ({}, {})
    return Ranking(scores=scores, reasons=reasons)


class _Spent:
    """Asks the model, and counts what it takes."""

    def __init__(self, embedder: Embedder) -> None:
        self.embedder = embedder
        self._requests = 0
        self._tokens: list[int | None] = []

    def vectors(self, texts: Sequence[str]) -> Rows:
        """The texts' vectors as whole numbers up to 127, a row each."""
        np = _numpy()
        try:
            made = self.embedder(texts)
        except AidFailed as failed:
            self._requests += failed.requests
            raise
        self._requests += made.requests
        self._tokens.append(made.tokens)
        try:
            rows = np.asarray(made.vectors, dtype=np.float64)
        except (TypeError, ValueError):
            raise AidFailed("semantic", _NO_VECTORS) from None
        if rows.ndim != 2 or rows.shape[0] != len(texts) or not rows.shape[1] or not np.isfinite(rows).all():
            raise AidFailed("semantic", _NO_VECTORS)
        most = np.abs(rows).max(axis=1, keepdims=True)
        return np.rint(rows / np.where(most > 0, most, 1) * 127).astype(np.int8)

    def cost(self, seconds: float, problem: str | None) -> AidCost:
        known = [tokens for tokens in self._tokens if tokens is not None]
        return AidCost(
            aid="semantic",
            model=self.embedder.name,
            requests=self._requests,
            input_tokens=sum(known) if known and len(known) == len(self._tokens) else None,
            output_tokens=None,
            seconds=seconds,
            problem=problem,
        )


@dataclass(frozen=True, slots=True)
class _FileVectors:
    """The parts of one file: first and last line of each, and its vector."""

    places: Rows
    vectors: Rows


def _looked_at(index: RepositoryIndex, query: Query, *, local: bool) -> list[IndexedFile]:
    """Files to compare with the task, by path: all of a small repository, the likely ones of another."""
    files = [file for file in index.files if file.role in _ROLES and file.skipped is None and file.length]
    if local and len(files) <= _WHOLE_LOCAL:
        return files
    likely = (each.file for each in rank_files(index, query) if each.file.role in _ROLES and each.file.length)
    first = [file for _, file in zip(range(_SHORTLIST_LOCAL if local else _SHORTLIST_AWAY), likely, strict=False)]
    return sorted(first, key=lambda file: file.path)


def _vectors(index: RepositoryIndex, files: Iterable[IndexedFile], spent: _Spent) -> dict[str, _FileVectors]:
    """path → its vectors: remembered, else from the file of vectors, else made and kept there."""
    model = spent.embedder.name
    keys = {file.path: _key(file, model) for file in files}
    held: dict[str, _FileVectors] = index.memory.setdefault(f"vectors:{model}", {})
    if len(held) > _MOST_HELD:
        held.clear()
    place = beside(index.store.path)
    for key, data in kept(place, (key for key in keys.values() if key not in held)).items():
        known = _unpacked(data)
        if known is not None:
            held[key] = known
    missing = [path for path, key in keys.items() if key not in held]
    for at in range(0, len(missing), _FILES_AT_ONCE):
        made = _made(index, missing[at : at + _FILES_AT_ONCE], spent)
        held.update((keys[path], each) for path, each in made.items())
        keep(place, {keys[path]: _packed(each) for path, each in made.items()})
    return {path: held[key] for path, key in keys.items() if key in held and len(held[key].places)}


def _key(file: IndexedFile, model: str) -> str:
    named = "\0".join((_LAYOUT, model, file.content or "", file.path))
    return sha256(named.encode("utf-8", "surrogateescape")).hexdigest()[:32]


def _made(index: RepositoryIndex, paths: Sequence[str], spent: _Spent) -> dict[str, _FileVectors]:
    """The vectors of these files. One that changed since it was indexed is left for the next look."""
    np = _numpy()
    parts: dict[str, list[tuple[SourceNode, str]]] = {}
    most = _UNITS_A_FILE if spent.embedder.local else _UNITS_A_FILE_AWAY
    for path in paths:
        view = index.view(path)
        if view is not None and not view.stale:
            parts[path] = [(node, _told(view, node)) for node in units(view)[:most]]
    texts = [text for each in parts.values() for _, text in each]
    vectors = spent.vectors(texts) if texts else np.zeros((0, 1), np.int8)
    made: dict[str, _FileVectors] = {}
    at = 0
    for path, each in parts.items():
        places = np.array([(node.start, node.end) for node, _ in each], dtype="<u4").reshape(-1, 2)
        made[path] = _FileVectors(places, vectors[at : at + len(each)])
        at += len(each)
    return made


def _told(view: FileView, node: SourceNode) -> str:
    """What the model is told of a part: where it is, what it is called, what it says of itself, how it begins."""
    doc = next((symbol.doc for symbol in view.symbols if symbol.start == node.start and symbol.doc), "")
    begins = view.cut(node.start, min(node.end, node.start + _LINES - 1))
    named = f"{node.container or ''} {node.name} {node.signature or ''}"
    return f"{_spaced(view.path)}\n{_spaced(named)}\n{doc}\n{_spaced(begins)}"[:_CHARACTERS]


def _spaced(text: str) -> str:
    """Names taken apart into words: `read_file`, `readFile` and `read/file` alike."""
    return _HUMPS.sub(" ", text.translate(_JOINTS))


def _compared(files: Mapping[str, _FileVectors], asked: Rows) -> tuple[dict[str, float], dict[str, str]]:
    """A file is as near as the mean of its nearest part and its three nearest together."""
    np = _numpy()
    every = np.vstack([each.vectors for each in files.values()])
    if every.shape[1] != asked.shape[0]:
        raise AidFailed("semantic", "the length of its vectors has changed")
    # The sums stay below 2^53: no order of adding them up can change them.
    cosines = every.astype(np.float64) @ asked.astype(np.float64) / (_lengths(every) * _lengths(asked[None])[0])
    near: dict[str, float] = {}
    places: dict[str, tuple[int, int]] = {}
    at = 0
    for path, each in files.items():
        own = cosines[at : at + len(each.places)]
        at += len(each.places)
        best = int(own.argmax())
        near[path] = float(own[best] + np.sort(own)[-_BEST_UNITS:].mean()) / 2
        places[path] = (int(each.places[best][0]), int(each.places[best][1]))
    scores = _scaled(near)
    return scores, {path: "near in meaning: lines {}-{}".format(*places[path]) for path in scores}


def _lengths(rows: Rows) -> Rows:
    np = _numpy()
    whole = rows.astype(np.float64)
    return np.sqrt(np.maximum((whole * whole).sum(axis=1), 1.0))


def _scaled(near: Mapping[str, float]) -> dict[str, float]:
    """The nearest files from 1.0 down to 0.0, which is how near an average file is."""
    average = sum(near.values()) / len(near)
    reach = max(near.values()) - average
    nearest = sorted(near, key=lambda path: (-near[path], path))[:_MOST_FILES]
    scores = {path: (near[path] - average) / reach for path in nearest} if reach > 1e-9 else {}
    return {path: round(score, 6) for path, score in scores.items() if score > 0}


def _packed(each: _FileVectors) -> bytes:
    """How many parts, their places, their vectors."""
    count = len(each.places)
    return b"".join((count.to_bytes(4, "little"), each.places.astype("<u4").tobytes(), each.vectors.tobytes()))


def _unpacked(data: bytes) -> _FileVectors | None:
    """None for what is damaged."""
    np = _numpy()
    count = int.from_bytes(data[:4], "little")
    places, rest = data[4 : 4 + count * _PLACE_BYTES], data[4 + count * _PLACE_BYTES :]
    if len(places) != count * _PLACE_BYTES or (count and (not rest or len(rest) % count)) or (not count and rest):
        return None
    vectors = np.frombuffer(rest, dtype=np.int8).reshape(count, -1) if count else np.zeros((0, 1), np.int8)
    return _FileVectors(np.frombuffer(places, dtype="<u4").reshape(count, 2), vectors)


def _numpy() -> Any:
    try:
        import numpy  # noqa: PLC0415  (only the optional extra has it)
    except ImportError:
        raise AidFailed("semantic", "numpy is missing; install agenvantage[semantic]") from None
    return numpy
