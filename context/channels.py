"""The retrieval channels: each is a function of index and query that ranks files, with reasons.

A channel says 1.0 for its best file. `CHANNELS` lists them with their weights in the fused score; the role prior
multiplies afterwards. Ties are broken by path, and nothing depends on the order in which contents were indexed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

import msgspec

from .filed import IndexedFile
from .index import RepositoryIndex
from .model import Role
from .store import Postings
from .task import Query
from .words import terms_of, words

_SATURATION: Final = 1.2
_LENGTH_PULL: Final = 0.75
_DEFINED_WEIGHT: Final = 3
_PATH_FIELD: Final = 0.5
_TOO_COMMON: Final = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking:
    """What one channel found: path → score (best 1.0), and why."""

    scores: Mapping[str, float]
    reasons: Mapping[str, str]


Channel = Callable[[RepositoryIndex, Query], Ranking]


def by_words(index: RepositoryIndex, query: Query) -> Ranking:
    """BM25 over identifiers and their parts, with the names a file defines and its path as fields."""
    norms = _norms(index)
    found = index.store.postings(query.terms)
    in_paths = _path_terms(index)
    bodies: dict[int, float] = {}
    scores: dict[str, float] = {}
    for term in sorted(query.terms):
        weight = min(query.terms[term], 3.0)
        if term in found:
            _add_scores(bodies, weight, found[term], norms)
        named = in_paths.get(term, ())
        by_name = _PATH_FIELD * weight * rarity(len(named), len(index.files))
        for place in named:
            path = index.files[place].path
            scores[path] = scores.get(path, 0.0) + by_name
    paths = index.paths()
    for number, score in bodies.items():
        for path in paths[number]:
            scores[path] = scores.get(path, 0.0) + score
    return Ranking(scores=_scaled(scores), reasons={})


def by_symbol(index: RepositoryIndex, query: Query) -> Ranking:
    """Files that define a name which the task spells like code; a name defined in many places counts little."""
    scores: dict[str, float] = {}
    reasons: dict[str, str] = {}
    dotted = [part for module in query.modules for part in module.replace("::", ".").split(".")]
    for name in dict.fromkeys((*query.identifiers, *dotted)):
        if len(name) < 3:
            continue
        numbers = index.store.defining(name)
        paths = sorted({path for number in numbers for path in index.paths_of(number)})
        if 0 < len(paths) <= _TOO_COMMON:
            for path in paths:
                scores[path] = scores.get(path, 0.0) + 1.0 / len(paths)
                reasons.setdefault(path, f"defines {name}")
    return Ranking(scores=_scaled(scores), reasons=reasons)


def by_path(index: RepositoryIndex, query: Query) -> Ranking:
    """Files that the task names: a path, a file name, a dotted module."""
    scores: dict[str, float] = {}
    reasons: dict[str, str] = {}
    for named in query.paths:
        for path in _ending_with(index, named):
            _raise(scores, path, 1.0)
            reasons.setdefault(path, f"named: {named}")
    for module in query.modules:
        for path in _module_files(index, module):
            _raise(scores, path, 0.8)
            reasons.setdefault(path, f"module: {module}")
    return Ranking(scores=scores, reasons=reasons)


def by_frame(index: RepositoryIndex, query: Query) -> Ranking:
    """Files in the task's stack trace, the nearest to the fault first."""
    scores: dict[str, float] = {}
    reasons: dict[str, str] = {}
    for rank, frame in enumerate(query.frames):
        for path in _ending_with(index, frame.path):
            _raise(scores, path, 1.0 / (1.0 + 0.5 * rank))
            reasons.setdefault(path, f"in the stack trace, line {frame.line}")
    return Ranking(scores=scores, reasons=reasons)


CHANNELS: Final[tuple[tuple[str, float, Channel], ...]] = (
    ("words", 1.0, by_words),
    ("symbol", 0.35, by_symbol),
    ("path", 0.9, by_path),
    ("frame", 1.8, by_frame),
)

# How likely a file of a role is what a task is about, before the task has asked for such files.
_PRIOR: Final[Mapping[Role, float]] = {
    "source": 1.0, "migration": 0.7, "schema": 0.7, "style": 0.6, "build": 0.5, "config": 0.5, "test": 0.4, "ci": 0.35,
    "doc": 0.3, "fixture": 0.25, "data": 0.3, "vendored": 0.3, "generated": 0.2, "lock": 0.05,
}  # fmt: skip


def role_prior(file: IndexedFile, query: Query) -> float:
    """The factor of a file's role; tests and documents that the task asks for are not held back."""
    if (file.role == "test" and query.wants_tests) or (file.role == "doc" and query.wants_docs):
        return 0.9
    return _PRIOR[file.role]


def _add_scores(scores: dict[int, float], weight: float, postings: Postings, norms: Mapping[int, float]) -> None:
    """BM25 of one term, for each content of the tree that has it."""
    holders = sum(map(norms.__contains__, postings.numbers))
    rare = rarity(holders, len(norms)) * (_SATURATION + 1)
    norm_of, known = norms.get, scores.get
    for number, counts in zip(postings.numbers, postings.counts, strict=True):
        norm = norm_of(number)
        if norm is not None:
            times = (counts & 255) + _DEFINED_WEIGHT * (counts >> 8 & 255)
            scores[number] = known(number, 0.0) + weight * (rare * times / (times + norm))


def _norms(index: RepositoryIndex) -> dict[int, float]:
    """For each content of the tree: by how much its length damps a term's count."""
    if "norms" not in index.memory:
        live = _live(index)
        average = sum(live.values()) / max(1, len(live))
        slope = _SATURATION * _LENGTH_PULL / average if average else 0.0
        flat = _SATURATION * (1 - _LENGTH_PULL)
        index.memory["norms"] = {number: flat + slope * length for number, length in live.items()}
    norms: dict[int, float] = index.memory["norms"]
    return norms


def rarity(holders: int, everything: int) -> float:
    """How much a term tells that `holders` of `everything` have."""
    return math.log(1 + (everything - holders + 0.5) / (holders + 0.5))


def rarities(index: RepositoryIndex, terms: Iterable[str]) -> dict[str, float]:
    """The rarity of each term among the contents of the tree."""
    live = _live(index)
    found = index.store.postings(terms)
    held = {term: sum(map(live.__contains__, postings.numbers)) for term, postings in found.items()}
    return {term: rarity(held.get(term, 0), len(live)) for term in terms}


def _live(index: RepositoryIndex) -> dict[int, int]:
    """Length of each content that is in the tree."""
    if "live" not in index.memory:
        index.memory["live"] = {f.number: f.length for f in index.files if f.number is not None and f.length}
    lengths: dict[int, int] = index.memory["live"]
    return lengths


def _path_terms(index: RepositoryIndex) -> dict[str, list[int]]:
    """term → places in `index.files` of those whose path has it. Kept, since it depends on the paths alone."""
    if "path_terms" not in index.path_memory:
        paths = "\0".join(file.path for file in index.files).encode("utf-8", "surrogateescape")
        key = "paths:" + sha256(paths).hexdigest()[:32]
        data = index.store.derived_bytes(key)
        if data is None:
            terms = _all_path_terms(index)
            index.keep(key, msgspec.msgpack.encode(terms))
        else:
            with index.store.decoding():
                terms = msgspec.msgpack.decode(data, type=dict[str, list[int]])
        index.path_memory["path_terms"] = terms
    held: dict[str, list[int]] = index.path_memory["path_terms"]
    return held


def _all_path_terms(index: RepositoryIndex) -> dict[str, list[int]]:
    terms: dict[str, list[int]] = {}
    folders: dict[str, frozenset[str]] = {}
    for place, file in enumerate(index.files):
        folder, _, name = file.path.rpartition("/")
        if folder not in folders:
            folders[folder] = _terms_in(folder)
        for term in sorted(folders[folder] | _terms_in(name)):
            terms.setdefault(term, []).append(place)
    return terms


def _terms_in(text: str) -> frozenset[str]:
    return frozenset(term for word in words(text) for term in terms_of(word))


def _by_name(index: RepositoryIndex) -> dict[str, list[str]]:
    """Lower-case file name → files."""
    if "by_name" not in index.path_memory:
        names: dict[str, list[str]] = {}
        for file in index.files:
            names.setdefault(file.path.rsplit("/", 1)[-1].lower(), []).append(file.path)
        index.path_memory["by_name"] = names
    held: dict[str, list[str]] = index.path_memory["by_name"]
    return held


def _ending_with(index: RepositoryIndex, named: str) -> list[str]:
    """Files that share the longest tail of folders with a path as written, at most eight of them."""
    parts = [part for part in named.replace("\\", "/").lower().split("/") if part not in ("", ".", "..")]
    candidates = _by_name(index).get(parts[-1], []) if parts else []
    shared = {path: _common_tail(path.lower().split("/"), parts) for path in candidates}
    best = max(shared.values(), default=0)
    chosen = [path for path, length in shared.items() if length == best]
    return chosen if len(chosen) <= 8 else []


def _common_tail(one: list[str], other: list[str]) -> int:
    length = 0
    for left, right in zip(reversed(one), reversed(other), strict=False):
        if left != right:
            break
        length += 1
    return length


def _module_files(index: RepositoryIndex, module: str) -> list[str]:
    """Files that a dotted name may mean: `a.b.c` is `a/b/c.*`, a package, or a member of `a/b.*`."""
    parts = module.replace("::", ".").lower().split(".")
    stems = by_stem(index)
    for length in range(len(parts), 1, -1):
        tail = "/".join(parts[:length])
        matched = [path for path in stems.get(parts[length - 1], ()) if _stem_path(path).endswith(tail)]
        if 0 < len(matched) <= 8:
            return matched
    return []


def by_stem(index: RepositoryIndex) -> dict[str, list[str]]:
    """Lower-case file name without its ending (a package: its folder) → files."""
    if "by_stem" not in index.path_memory:
        stems: dict[str, list[str]] = {}
        for file in index.files:
            stems.setdefault(_stem_path(file.path).rsplit("/", 1)[-1], []).append(file.path)
        index.path_memory["by_stem"] = stems
    held: dict[str, list[str]] = index.path_memory["by_stem"]
    return held


def _stem_path(path: str) -> str:
    stem = path.lower().rsplit(".", 1)[0] if "." in path.rsplit("/", 1)[-1] else path.lower()
    return stem.removesuffix("/__init__").removesuffix("/index").removesuffix("/mod")


def _raise(scores: dict[str, float], path: str, score: float) -> None:
    scores[path] = max(scores.get(path, 0.0), score)


def _scaled(scores: Mapping[str, float]) -> dict[str, float]:
    best = max(scores.values(), default=0.0)
    return {path: score / best for path, score in scores.items()} if best > 0 else {}
