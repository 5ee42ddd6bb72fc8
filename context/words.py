"""Splits text into search terms: whole identifiers, their camel and snake parts, lightly stemmed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from typing import Final

_WORD: Final = re.compile(r"[^\W\d]\w*")
_PART: Final = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+|[^\W\d_a-zA-Z]+")
_DIGITS: Final = "0123456789"
_LONGEST: Final = 64
MOST: Final = 255
_MOST_HELD: Final = 100_000
_VOWELS: Final = frozenset("aeiouy")

# English filler, what issue reports are made of, and words that most languages spell in every file.
STOP: Final = frozenset(
    """a about above after again all also am an and any are as at be because been before being below between both but
    by can cannot could did do does doing down during each few for from further had has have having he her here
    him his how i if in into is it its itself just me more most my no nor not now of off on once only or other
    our out over own same she should so some such than that the their them then there these they this those
    through to too under until up use used using very was we were what when where which while who whom why will
    with would you your return else def class self import true false none null new var let const int string void
    public private static final type struct fn func function pub impl mod end issue issues fix fixes fixed bug
    pr version expected actual please https http www com github steps reproduce code error following get set
    make one two example don doesn isn didn""".split()  # noqa: SIM905  (quoted one by one they would fill a page)
)  # fmt: skip


def words(text: str) -> list[str]:
    """The identifiers and words of a text, as spelled, in order."""
    return _WORD.findall(text)


def terms_of(word: str) -> tuple[str, ...]:
    """The terms under which one word is found: itself, and its parts when it is made of several."""
    return _TERMS[word]


def _split(word: str) -> tuple[str, ...]:
    if len(word) > _LONGEST:
        return ()
    parts = _PART.findall(word)
    if len(parts) < 2:
        return tuple(term for term in (stem(word.strip("_").lower()),) if len(term) > 1)
    whole = word.strip("_").lower()
    return (whole, *(term for term in (stem(part.lower()) for part in parts) if len(term) > 1 and term != whole))


class _Terms(dict[str, tuple[str, ...]]):
    """Word → its terms, worked out once; started anew when it has grown large."""

    def __missing__(self, word: str) -> tuple[str, ...]:
        if word[:1] in _DIGITS and word:
            rest = word.lstrip(_DIGITS)
            return self[rest] if rest else ()
        if len(self) >= _MOST_HELD:
            self.clear()
        terms = self[word] = _split(word)
        return terms


_TERMS: Final = _Terms()


def stem(word: str) -> str:
    """The word without its commonest English endings, so that `parsed`, `parsing` and `parses` meet."""
    if len(word) < 4 or not word.isascii():
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-2] if word.endswith(("sses", "shes", "ches", "xes", "zes")) else word[:-1]
    for ending in ("ing", "ed"):
        root = word[: -len(ending)]
        if word.endswith(ending) and len(root) > 2 and not _VOWELS.isdisjoint(root):
            word = root[:-1] if root[-1] == root[-2] and root[-1] not in "lsz" else root
            break
    return word[:-1] if len(word) > 4 and word.endswith("e") else word


def word_counts(text: str) -> dict[str, int]:
    """Every identifier and word of a text with how often it occurs; also numbers, and digits before a word."""
    if text.isascii():
        return Counter(text.encode().translate(_APART).decode().split())
    return Counter(_WORD.findall(text))


# What is part of no word becomes a blank: to split at blanks is twice as fast as to look for words.
_APART: Final = bytes(code if chr(code).isalnum() or chr(code) == "_" else 32 for code in range(128)) + b" " * 128


def count_terms(text: str) -> Counter[str]:
    """How often each term occurs, capped at 255."""
    return Counter(term_counts(text))


def term_counts(text: str) -> dict[str, int]:
    """As `count_terms`, in a plain dictionary."""
    return terms_among(word_counts(text))


def terms_among(words: Mapping[str, int]) -> dict[str, int]:
    """The terms of counted words, capped at 255."""
    counts: dict[str, int] = {}
    for terms, times in zip(map(_TERMS.__getitem__, words), words.values(), strict=True):
        for term in terms:
            if term in counts:
                counts[term] += times
            else:
                counts[term] = times
    if counts and max(counts.values()) > MOST:
        counts = {term: min(times, MOST) for term, times in counts.items()}
    return counts
