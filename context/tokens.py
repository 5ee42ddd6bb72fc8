"""Counts tokens with the `o200k_base` vocabulary that ships in `data/`: no network, no environment."""

from __future__ import annotations

from binascii import a2b_base64
from functools import cache, lru_cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Final

from .memo import Memo

if TYPE_CHECKING:
    from tiktoken import Encoding

TOKENIZER: Final = "o200k_base"
VOCABULARY: Final = "fb374d419588a4632f3f557e76b4b70aebbca790"
_PIECE_CHARACTERS: Final = 4_000
# None, or the one that is in use: a cache of a pure function, as `lru_cache` is.
_memos: Final[list[Memo]] = []
# The pattern that cuts text into pieces before merging, as tiktoken has it for this vocabulary.
_PATTERN: Final = "|".join((
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
    r"\p{N}{1,3}",
    r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
    r"\s*[\r\n]+",
    r"\s+(?!\S)",
    r"\s+",
))  # fmt: skip


def count(text: str) -> int:
    """How many tokens the text is. Text in special-token spelling counts as ordinary text.

    A stretch of more than 4,000 characters without a blank is counted in pieces (a few tokens too many, never
    too few by more than that): the merge is quadratic in its length.
    """
    return _count(text) if len(text) <= 65_536 else sum(map(_count, _portions(text)))


def remember_in(folder: Path) -> None:
    """From now on counts are kept in this folder and found there again, by any process."""
    path = folder / f"{TOKENIZER}-{VOCABULARY[:8]}.txt"
    if _memos and _memos[-1].path == path:
        return
    for old in _memos:
        old.close()
    _memos[:] = [Memo(path)]


@lru_cache(maxsize=8_192)
def _count(text: str) -> int:
    known = _memos[-1].get(text) if _memos else None
    if known is not None:
        return known
    made = _encoded(text)
    if _memos:
        _memos[-1].put(text, made)
    return made


def _encoded(text: str) -> int:
    words = text.split()
    if words and max(map(len, words)) > _PIECE_CHARACTERS:
        pieces = [text[at : at + _PIECE_CHARACTERS] for at in range(0, len(text), _PIECE_CHARACTERS)]
        return sum(len(_encoding().encode_ordinary(piece)) for piece in pieces)
    return len(_encoding().encode_ordinary(text))


def _portions(text: str) -> list[str]:
    """The text cut after line ends into portions of about 64 KB, so that the cut costs no token."""
    portions: list[str] = []
    start = 0
    while len(text) - start > 65_536:
        end = text.rfind("\n", start, start + 65_536) + 1
        end = end if end > start else start + 65_536
        portions.append(text[start:end])
        start = end
    return [*portions, text[start:]]


@cache
def _encoding() -> Encoding:
    from tiktoken import Encoding  # noqa: PLC0415  (a quarter of a second with its table: only who counts pays)

    # Each line is a token and its rank: words in turn. Told by C loops, as a run waits for it.
    words = files(__package__).joinpath("data", VOCABULARY).read_bytes().split()
    ranks = dict(zip(map(a2b_base64, words[::2]), map(int, words[1::2]), strict=True))
    return Encoding(TOKENIZER, pat_str=_PATTERN, mergeable_ranks=ranks, special_tokens={})
