"""What helpers do for a ranking, where a person asked for them: a channel of meaning, a second look, other words.

A helper that gives no answer leaves everything as it was; what it took then says why.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from time import perf_counter
from typing import Final

from .aids import MOST_RERANKED, AidCost, AidFailed, AidName, Embedder, Reranker, Rewriter
from .channels import Channel
from .index import RepositoryIndex
from .model import ChannelScore
from .ranking import RankedFile
from .redact import redact
from .task import Query, read_task

_SHOWN_CHARACTERS: Final = 1_500
_SHARE: Final = 0.5
_DIGITS: Final = 6


def meaning_row(index: RepositoryIndex, query: Query, embedder: Embedder) -> tuple[tuple[str, float, Channel], AidCost]:
    """The channel of meaning with its answer at hand, and what that took."""
    from .semantic import SEMANTIC, WEIGHT, meaning  # noqa: PLC0415  (only who asks for it pays for loading it)

    found = meaning(index, query, embedder)
    return (SEMANTIC, WEIGHT, lambda _index, _query: found.ranking), found.cost


def reranked(
    index: RepositoryIndex, query: Query, ranked: tuple[RankedFile, ...], reranker: Reranker
) -> tuple[tuple[RankedFile, ...], AidCost]:
    """The first files in an order that is half the channels' and half the helper's."""
    began = perf_counter()
    first = ranked[:MOST_RERANKED]
    try:
        said = reranker(redact(query.text), [_shown(index, each) for each in first])
    except AidFailed as failed:
        return ranked, _unanswered("rerank", reranker.name, perf_counter() - began, failed)
    cost = AidCost(
        aid="rerank",
        model=reranker.name,
        requests=said.requests,
        input_tokens=said.tokens,
        output_tokens=None,
        seconds=perf_counter() - began,
    )
    return (*_mixed(first, said.scores), *ranked[MOST_RERANKED:]), cost


def _mixed(first: Sequence[RankedFile], scores: Sequence[float]) -> list[RankedFile]:
    """Both scores from 0 to 1, half and half; the channels' best keeps its height."""
    low, high = min(scores, default=0.0), max(scores, default=0.0)
    best = max((each.score for each in first), default=0.0)
    order = sorted(range(len(scores)), key=lambda at: (-scores[at], first[at].file.path))
    ranks = {at: rank for rank, at in enumerate(order, start=1)}
    mixed = []
    for at, each in enumerate(first):
        fits = (scores[at] - low) / (high - low) if high > low else 0.0
        score = round((1 - _SHARE) * each.score + _SHARE * best * fits, _DIGITS)
        told = ChannelScore(channel="rerank", rank=ranks[at], score=round(fits, _DIGITS))
        mixed.append(replace(each, score=score, channels=(*each.channels, told)))
    return sorted(mixed, key=lambda each: (-each.score, each.file.path))


def _shown(index: RepositoryIndex, each: RankedFile) -> str:
    """What a file is for: what it defines, in its own words; the beginning of one that defines nothing."""
    view = index.view(each.file.path)
    if view is None:
        return each.file.path
    told = [part for symbol in view.symbols for part in (symbol.signature, symbol.doc) if part]
    return f"{each.file.path}\n{chr(10).join(told) or view.text}"[:_SHOWN_CHARACTERS]


def rewritten(query: Query, rewriter: Rewriter) -> tuple[Query | None, AidCost]:
    """The query with the terms of the task's other words beside its own; they weigh no more than those."""
    began = perf_counter()
    try:
        said = rewriter(redact(query.text))
    except AidFailed as failed:
        return None, _unanswered("rewrite", rewriter.name, perf_counter() - began, failed)
    cost = AidCost(
        aid="rewrite",
        model=rewriter.name,
        requests=said.requests,
        input_tokens=said.input_tokens,
        output_tokens=said.output_tokens,
        seconds=said.seconds,
    )
    texts = [text for text in said.queries if text.strip("\0 \t\r\n")]
    if not texts:
        return None, cost
    others = [read_task(text) for text in texts]
    terms = dict(query.terms)
    for other in others:
        for term, weight in other.terms.items():
            terms[term] = max(terms.get(term, 0.0), min(weight, 2.0))
    identifiers = dict.fromkeys((*query.identifiers, *(name for other in others for name in other.identifiers)))
    return replace(query, terms=dict(sorted(terms.items())), identifiers=tuple(identifiers)), cost


def _unanswered(aid: AidName, model: str, seconds: float, failed: AidFailed) -> AidCost:
    return AidCost(
        aid=aid,
        model=model,
        requests=failed.requests,
        input_tokens=None,
        output_tokens=None,
        seconds=seconds,
        problem=failed.why,
    )
