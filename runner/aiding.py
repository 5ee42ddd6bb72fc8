"""The helpers of a plan that a person asked for, with their addresses and keys; none are loaded that were not."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final, TypeVar

from ..context.aids import AidCost, AidName, Aids, Embedder, Reranker, Rewriter
from .configuration import BadSetting, person_environment
from .settings import Settings, flag_name

Helper = TypeVar("Helper")
_ORIGIN: Final = "a flag or a variable"


def aids_of(settings: Settings, environment: Mapping[str, str] | None = None) -> Aids:
    """Raises BadSetting for a helper without an address, a model or the key that it was promised."""
    variables = person_environment() if environment is None else environment
    return Aids(
        embed=_embedder(settings, variables) if settings.semantic else None,
        rerank=_reranker(settings, variables) if settings.rerank else None,
        rewrite=_rewriter(settings, variables) if settings.rewrite else None,
    )


def _embedder(settings: Settings, variables: Mapping[str, str]) -> Embedder:
    if settings.semantic_url is None:
        from ..adapters.local_models import WordVectors  # noqa: PLC0415  (only who asks for it loads it)

        return WordVectors()
    from ..adapters.hosted_models import HostedEmbedder  # noqa: PLC0415  (only who asks for it loads what speaks HTTP)

    return _hosted(HostedEmbedder, "semantic", settings, variables)


def _reranker(settings: Settings, variables: Mapping[str, str]) -> Reranker:
    from ..adapters.hosted_models import HostedReranker  # noqa: PLC0415  (only who asks for it loads what speaks HTTP)

    return _hosted(HostedReranker, "rerank", settings, variables)


def _rewriter(settings: Settings, variables: Mapping[str, str]) -> Rewriter:
    from ..adapters.hosted_models import HostedRewriter  # noqa: PLC0415  (only who asks for it loads what speaks HTTP)

    return _hosted(HostedRewriter, "rewrite", settings, variables)


def _hosted(kind: Callable[..., Helper], aid: AidName, settings: Settings, variables: Mapping[str, str]) -> Helper:
    from ..adapters.asking import Place, fault_of  # noqa: PLC0415  (it loads what speaks HTTP)

    url, model = _given(settings, aid, "url"), _given(settings, aid, "model")
    fault = fault_of(url)
    if fault is not None:
        raise BadSetting(flag_name(f"{aid}_url"), "…", _ORIGIN, fault)
    return kind(place=Place(url=url, key=_key(settings, aid, variables)), model=model)


def _given(settings: Settings, aid: AidName, part: str) -> str:
    value = getattr(settings, f"{aid}_{part}")
    if not value:
        raise BadSetting(flag_name(aid), True, _ORIGIN, f"it needs {flag_name(f'{aid}_{part}')} as well")
    return str(value)


def _key(settings: Settings, aid: AidName, variables: Mapping[str, str]) -> str | None:
    """The key, from the variable that was named; what was named is not shown, since it may be a key itself."""
    name = getattr(settings, f"{aid}_key_env")
    if name is None:
        return None
    key = variables.get(name, "").strip()
    if not key:
        raise BadSetting(flag_name(f"{aid}_key_env"), "…", _ORIGIN, "there is no such variable, or it is empty")
    return key


def notes(costs: Iterable[AidCost]) -> Iterator[str]:
    """A line for each helper: what it took, or why the plan was made without it."""
    for cost in costs:
        told = (cost.input_tokens, cost.output_tokens)
        tokens = f", {sum(each or 0 for each in told):,} tokens" if any(each is not None for each in told) else ""
        took = f"{cost.requests} requests{tokens}, {cost.seconds:.2f} s" if cost.requests else f"{cost.seconds:.2f} s"
        yield (
            f"{cost.aid}: {cost.model}, {took}"
            if cost.problem is None
            else (f"{cost.aid}: no answer ({cost.problem}); the plan was made without it")
        )
