"""What an index says of a tree, whatever way it came about: for telling two indexes of one tree apart."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from itertools import islice

from agenvantage.context.index import RepositoryIndex

Said = dict[str, frozenset[object]]


def said_by(index: RepositoryIndex) -> Said:
    """All that an answer may depend on, numbers inside the index file replaced by paths."""
    return {
        "files": frozenset(_files(index)),
        "facts": frozenset((file.path, repr(index.facts(file.path))) for file in index.files),
        "definitions": frozenset(_definitions(index)),
        "terms": frozenset(_terms(index)),
        "revision": frozenset({index.revision.key}),
    }


def digest(index: RepositoryIndex) -> str:
    """One text, equal for indexes that say the same."""
    found = sha256()
    for part, values in said_by(index).items():
        for value in sorted(map(repr, values)):
            found.update(f"{part}\0{value}\n".encode("utf-8", "surrogateescape"))
    return found.hexdigest()


def differences(one: Said, other: Said) -> list[str]:
    """What only one of the two says; empty when they say the same."""
    return [
        f"{part}: only the {which} says {value!r:.300}"
        for part in one
        for which, mine, theirs in (("first", one, other), ("second", other, one))
        for value in sorted(mine[part] - theirs[part], key=repr)
    ]


def _files(index: RepositoryIndex) -> Iterator[object]:
    for file in index.files:
        facts = (file.size, file.lines, file.length, file.names, file.signatures, file.comments, file.outline)
        yield file.path, file.content, file.language, file.role, file.skipped, file.parser, file.problem, facts


def _definitions(index: RepositoryIndex) -> Iterator[object]:
    for name, number in index.store.definitions():
        for path in index.paths_of(number):
            yield name, path


def _terms(index: RepositoryIndex) -> Iterator[object]:
    # A damaged index file may hold what is no text.
    left = iter(sorted(term for term in index.store.terms() if isinstance(term, str)))
    while some := list(islice(left, 2_000)):
        for term, found in index.store.postings(some).items():
            for number, counts in zip(found.numbers, found.counts, strict=True):
                for path in index.paths_of(number):
                    yield term, path, counts
