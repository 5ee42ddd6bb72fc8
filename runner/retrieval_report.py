"""`agenvantage.bench-retrieval/1`: what `bench retrieval` found, for programs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from statistics import fmean
from typing import Any, Final

from ..context.tokens import TOKENIZER
from ..telemetry.retrieval import Gold, TaskScore
from ..telemetry.retrieval_summary import (
    DRAWS,
    PACKETS,
    Difference,
    Verdicts,
    changes,
    differences,
    figure_document,
    groups,
    summary_document,
    verdicts,
)

SCHEMA: Final = "agenvantage.bench-retrieval/1"
TIMES: Final = ("seconds", "cpu_seconds")
COMPARED: Final = (
    "recall@1", "recall@5", "recall@10", "all@10", "mrr", "test_recall@10", "line_recall", "hunk_recall",
)  # fmt: skip


def retrieval_document(
    golds: Sequence[Gold], scores: Mapping[str, TaskScore], answers: Mapping[str, Mapping[str, Any]], budget: int
) -> dict[str, Any]:
    """The figures of one set of predictions."""
    judged = verdicts(list(scores.values()))
    first: Mapping[str, Any] = next(iter(answers.values()), {})
    return {
        "schema": SCHEMA,
        "tasks": len(golds),
        "repositories": len({gold.repository for gold in golds}),
        "predicted": sum(each.predicted for each in scores.values()),
        "budget": budget,
        "tokenizer": TOKENIZER,
        "draws": DRAWS,
        "planner_version": first.get("planner_version"),
        "index_version": first.get("index_version"),
        "failed": [{"id": name, **entry["error"]} for name, entry in answers.items() if "error" in entry],
        "hallucinated": [
            {"id": each.id, "paths": list(each.hallucinated)} for each in scores.values() if each.hallucinated
        ],
        "groups": list(summary_document(groups(golds, scores))),
        "verdicts": verdicts_document(judged) if judged else None,
        "ablation": None,
        "scores": [score_document(each) for each in scores.values()],
    }


def verdicts_document(judged: Verdicts) -> dict[str, Any]:
    found = asdict(judged)
    counts: Mapping[tuple[str, str], int] = found.pop("counts")
    rows = [
        {"readiness": readiness, **{packet: counts.get((readiness, packet), 0) for packet in PACKETS}}
        for readiness in sorted({readiness for readiness, _ in counts})
    ]
    return {**found, "counts": rows}


def score_document(one: TaskScore) -> dict[str, Any]:
    return {
        "id": one.id,
        "repository": one.repository,
        "readiness": one.readiness,
        "packet": one.packet,
        "values": dict(one.values),
    }


def ablation_row(
    channel: str, scores: Mapping[str, Mapping[str, TaskScore]], answers: Mapping[str, Mapping[str, Any]]
) -> dict[str, Any]:
    """What leaving a channel out changes: the value without it, less the value with everything (named "")."""
    repositories = {each.id: each.repository for each in scores[channel].values()}
    ratios = {repositories[name]: entry.get("stored_ratio") for name, entry in answers.items() if name in repositories}
    known = [ratio for ratio in ratios.values() if ratio is not None]
    return {
        "channel": channel,
        "stored_bytes_per_source_byte": fmean(known) if known else None,
        "differences": differences_document(
            [*differences(scores[""], scores[channel], COMPARED), *changes(scores[channel], TIMES)]
        ),
    }


def differences_document(found: Iterable[Difference]) -> dict[str, Any]:
    return {
        each.measure: {
            **figure_document(each.figure), "higher": each.higher, "lower": each.lower, "same": each.same,
        }
        for each in found
    }  # fmt: skip
