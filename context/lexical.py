"""The channels of words: BM25F over what files hold and define, and the words of their paths.

Robertson, Zaragoza: The Probabilistic Relevance Framework (2009), with one length for all fields. Contents are gone
through once for all channels of a query. Ties are broken by path, and nothing depends on the order of indexing.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Final

import msgspec

from .channel import Ranking, scaled
from .index import RepositoryIndex
from .store import Postings
from .task import Query
from .words import terms_of, words

_SATURATION: Final = 1.2
_LENGTH_PULL: Final = 0.4
_NAME_LENGTH_PULL: Final = 0.75
_DEFINED: Final = 3
"""An occurrence in a defined name counts so many times more than one in a body; one in a signature twice."""
_MOST_WEIGHT: Final = 6.0
_MOST_PATH_WEIGHT: Final = 3.0
_COMMON: Final = 0.5
_ENOUGH_TERMS: Final = 8


def by_words(index: RepositoryIndex, query: Query) -> Ranking:
    """All words of the task in bodies, names and signatures."""
    return _of_contents(index, _scan(index, query).words)


def by_names(index: RepositoryIndex, query: Query) -> Ranking:
    """All words of the task in the names that a file defines."""
    return _of_contents(index, _scan(index, query).names)


def by_title(index: RepositoryIndex, query: Query) -> Ranking:
    """The words of the title alone."""
    return _of_contents(index, _scan(index, query).title)


def by_path_words(index: RepositoryIndex, query: Query) -> Ranking:
    """Words of the task among the folders and the name of a file."""
    spelled = path_words(index)
    scores: dict[int, float] = {}
    for term in sorted(query.terms):
        places = spelled.paths.get(term, ())
        gain = min(query.terms[term], _MOST_PATH_WEIGHT) * rarity(len(places), len(index.files))
        for place in places:
            scores[place] = scores.get(place, 0.0) + gain
    return Ranking(scores=scaled({index.files[place].path: score for place, score in scores.items()}), reasons={})


def by_file_name(index: RepositoryIndex, query: Query) -> Ranking:
    """Words of the task in the name of a file; less for each other word in it."""
    spelled = path_words(index)
    scores: dict[int, float] = {}
    for term in sorted(query.terms):
        places = spelled.names.get(term, ())
        gain = min(query.terms[term], _MOST_PATH_WEIGHT) * rarity(len(places), len(index.files))
        for place in places:
            scores[place] = scores.get(place, 0.0) + gain / math.sqrt(spelled.sizes[place])
    found = scaled({index.files[place].path: score for place, score in scores.items()})
    return Ranking(scores=found, reasons={path: "named like the task" for path, score in found.items() if score > 0.5})


# Words in contents


@dataclass(slots=True)
class _Scan:
    """Scores by content, and the rarity of each term of the query."""

    words: dict[int, float] = field(default_factory=dict)
    names: dict[int, float] = field(default_factory=dict)
    title: dict[int, float] = field(default_factory=dict)
    rarities: dict[str, float] = field(default_factory=dict)


def _scan(index: RepositoryIndex, query: Query) -> _Scan:
    """The last query's scan is kept, since several channels ask for it."""
    held = index.memory.get("scan")
    if held is None or held[0] is not query:
        held = index.memory["scan"] = (query, _scanned(index, query))
    scan: _Scan = held[1]
    return scan


def _scanned(index: RepositoryIndex, query: Query) -> _Scan:
    norms = _norms(index)
    found = index.store.postings(query.terms)
    scan = _Scan(rarities=_rarities(index, query.terms, found))
    common = rarity(int(_COMMON * norms.contents), norms.contents)
    telling = [term for term in sorted(found) if scan.rarities[term] > common]
    # What half of all files hold tells little and costs most; a short query can't do without.
    for term in telling if len(telling) >= _ENOUGH_TERMS else sorted(found):
        weight = min(query.terms[term], _MOST_WEIGHT)
        _add(scan, found[term], norms, scan.rarities[term], weight, in_title=term in query.title_terms)
    return scan


def _add(scan: _Scan, postings: Postings, norms: _Norms, rare: float, weight: float, *, in_title: bool) -> None:
    """BM25F of one term, for each content of the tree that has it."""
    whole, named = scan.words, scan.names
    gain_of, name_gain_of = whole.get, named.get
    lengths, name_lengths, most = norms.bodies, norms.names, len(norms.bodies)
    full = weight * rare
    gains: list[tuple[int, float]] = []
    for number, counts in zip(postings.numbers, postings.counts, strict=True):
        norm = lengths[number] if number < most else 0.0
        if not norm:
            continue
        names = counts >> 8 & 255
        times = (counts & 255) + _DEFINED * names + (counts >> 16 & 255)
        share = times / (times + norm)
        whole[number] = gain_of(number, 0.0) + full * share
        if names:
            named[number] = name_gain_of(number, 0.0) + full * names / (names + name_lengths[number])
        if in_title:
            gains.append((number, rare * share))
    title = scan.title
    for number, gain in gains:
        title[number] = title.get(number, 0.0) + gain


@dataclass(frozen=True, slots=True)
class _Norms:
    """By content number: by how much its length damps a term's count; 0 for one that is not in the tree."""

    bodies: array[float]
    names: array[float]
    contents: int


def _norms(index: RepositoryIndex) -> _Norms:
    if "norms" not in index.memory:
        index.memory["norms"] = _made_norms(index)
    norms: _Norms = index.memory["norms"]
    return norms


def _made_norms(index: RepositoryIndex) -> _Norms:
    live = {f.number: f for f in index.files if f.number is not None and f.length}
    most = max(live, default=-1) + 1
    bodies, names = array("d", bytes(8 * most)), array("d", bytes(8 * most))
    average = sum(file.length for file in live.values()) / max(1, len(live))
    named = sum(file.names for file in live.values()) / max(1, len(live)) or 1.0
    for number, file in live.items():
        bodies[number] = _damping(_LENGTH_PULL, file.length / average)
        names[number] = _damping(_NAME_LENGTH_PULL, file.names / named)
    return _Norms(bodies, names, len(live))


def _damping(pull: float, length: float) -> float:
    return _SATURATION * (1 - pull + pull * length)


def _of_contents(index: RepositoryIndex, scores: Mapping[int, float]) -> Ranking:
    paths = index.paths()
    return Ranking(
        scores=scaled({path: score for number, score in scores.items() for path in paths[number]}), reasons={}
    )


def rarity(holders: int, everything: int) -> float:
    """How much a term tells that `holders` of `everything` have."""
    return math.log(1 + (everything - holders + 0.5) / (holders + 0.5))


def rarities(index: RepositoryIndex, terms: Iterable[str]) -> dict[str, float]:
    """The rarity of each term among the contents of the tree."""
    wanted = set(terms)
    held = index.memory.get("scan")
    known = held[1].rarities if held is not None else {}
    missing = wanted - known.keys()
    return {term: known[term] for term in wanted & known.keys()} | _rarities(
        index, missing, index.store.postings(missing) if missing else {}
    )


def _rarities(index: RepositoryIndex, terms: Iterable[str], found: Mapping[str, Postings]) -> dict[str, float]:
    norms = _norms(index)
    whole = len(index.paths()) and _all_live(index)
    held = {term: sum(map(whole.__contains__, found[term].numbers)) for term in found} if whole else {}
    return {term: rarity(held.get(term, 0), norms.contents) for term in terms}


def _all_live(index: RepositoryIndex) -> frozenset[int]:
    """The contents of the tree that have words."""
    if "live" not in index.memory:
        index.memory["live"] = frozenset(f.number for f in index.files if f.number is not None and f.length)
    live: frozenset[int] = index.memory["live"]
    return live


# Words in paths


class PathWords(msgspec.Struct, frozen=True, array_like=True):
    """For each term: places in `index.files` of those that have it in their path, and of those in their name.

    `sizes` is how many terms each file's name has.
    """

    paths: dict[str, list[int]]
    names: dict[str, list[int]]
    sizes: list[int]


def path_words(index: RepositoryIndex) -> PathWords:
    """Kept, since it depends on the paths alone."""
    if "path words" not in index.path_memory:
        spelled = "\0".join(file.path for file in index.files).encode("utf-8", "surrogateescape")
        key = "path words:" + sha256(spelled).hexdigest()[:32]
        data = index.store.derived_bytes(key)
        if data is None:
            found = _all_path_words(index)
            index.keep(key, msgspec.msgpack.encode(found))
        else:
            with index.store.decoding():
                found = msgspec.msgpack.decode(data, type=PathWords)
        index.path_memory["path words"] = found
    held: PathWords = index.path_memory["path words"]
    return held


def _all_path_words(index: RepositoryIndex) -> PathWords:
    found = PathWords({}, {}, [])
    folders: dict[str, frozenset[str]] = {}
    for place, file in enumerate(index.files):
        folder, _, name = file.path.rpartition("/")
        if folder not in folders:
            folders[folder] = _terms_in(folder)
        own = _terms_in(name)
        found.sizes.append(max(1, len(own)))
        for term in sorted(own):
            found.names.setdefault(term, []).append(place)
        for term in sorted(folders[folder] | own):
            found.paths.setdefault(term, []).append(place)
    return found


def _terms_in(text: str) -> frozenset[str]:
    return frozenset(term for word in words(text) for term in terms_of(word))
