"""What a person reads of `bench retrieval`; every figure comes from its document."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

_COLUMNS: Final = (
    ("recall@1", "R@1"), ("recall@3", "R@3"), ("recall@5", "R@5"), ("recall@10", "R@10"), ("all@10", "all@10"),
    ("mrr", "MRR"), ("ndcg@10", "nDCG"), ("test_recall@10", "tests"), ("line_recall", "lines"),
    ("line_precision", "l-prec"), ("hunk_recall", "hunks"), ("tokens", "tokens"), ("seconds_p50", "s p50"),
    ("seconds_p95", "s p95"),
)  # fmt: skip
_MORE: Final = (
    ("hunk_recall@1500", "hunks within 1,500 tokens"),
    ("hunk_recall@3000", "hunks within 3,000 tokens"),
    ("every_hunk", "tasks with every hunk touched"),
    ("sufficient_budget", "tokens until the last hunk is touched, median of these"),
    ("packed_line_recall", "lines in the packet that is delivered"),
    ("packed_hunk_recall", "hunks in it"),
    ("packet_precision", "its files that the change touches"),
    ("distractor_share", "its tokens of files that the change does not touch"),
    ("duplicate_share", "its tokens that say what was said before"),
    ("context_recall", "lines marked as needed to read"),
    ("context_f1", "F1 of these"),
    ("slots_covered", "slots covered"),
    ("required_slots_covered", "required slots covered"),
    ("packet_tokens", "tokens of the whole packet, median"),
    ("cpu_seconds_p50", "CPU seconds, p50"),
    ("cpu_seconds_p95", "CPU seconds, p95"),
    ("first_seconds_p95", "seconds of a tree's first plan, p95"),
    ("hallucinated", "paths that do not exist"),
)
_PACKETS: Final = (
    ("none", "no gold file"), ("some", "some"), ("all files", "all files"), ("all hunks", "all hunks"),
)  # fmt: skip
_SHARES: Final = (
    ("false_of_all", "of all tasks, called sufficient with no gold file in the packet"),
    ("false_of_sufficient", "of those called sufficient, with no gold file in the packet"),
    ("false_of_empty", "of packets without a gold file, called sufficient"),
    ("sure_of_good", "of packets with a gold file, called sufficient"),
    ("sure_of_whole", "of packets with every gold file, called sufficient"),
)
_ABLATED: Final = (
    ("recall@1", "R@1"), ("recall@5", "R@5"), ("recall@10", "R@10"), ("test_recall@10", "tests"),
    ("line_recall", "lines"), ("cpu_seconds", "CPU s"),
)  # fmt: skip


def retrieval_report(document: Mapping[str, Any]) -> str:
    parts = [_head(document), *_groups(document["groups"]), *_more(document["groups"][0])]
    if document["verdicts"]:
        parts += _verdicts(document["verdicts"])
    if document["ablation"]:
        parts += _ablation(document["ablation"])
    parts += [f"no plan for {each['id']}: {each['message']}" for each in document["failed"]]
    parts += [
        f"{each['id']} names what does not exist: {', '.join(each['paths'])}" for each in document["hallucinated"]
    ]
    return "\n".join(parts)


def _head(document: Mapping[str, Any]) -> str:
    version = f", {document['planner_version']}, {document['index_version']}" if document["planner_version"] else ""
    return (
        f"{document['predicted']} of {document['tasks']} tasks in {document['repositories']} repositories,"
        f" {document['budget']:,} tokens of {document['tokenizer']}{version}"
    )


def _groups(groups: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    columns = [each for each in _COLUMNS if any(each[0] in group["figures"] for group in groups)]
    yield ""
    yield f"{'':<42}{'tasks':>6}" + "".join(f"{title:>8}" for _, title in columns)
    for group in groups:
        figures = group["figures"]
        yield f"{group['name'][:41]:<42}{group['tasks']:>6}" + "".join(
            f"{_value(name, figures.get(name)):>8}" for name, _ in columns
        )


def _more(group: Mapping[str, Any]) -> Iterator[str]:
    """The whole set's further figures, and the intervals of all."""
    figures = group["figures"]
    yield ""
    yield f"of all tasks (95 % by drawing from {group['repositories']} repositories)"
    for name, title in (*_COLUMNS, *_MORE):
        if name in figures:
            yield f"  {title:<56}{_value(name, figures[name]):>8}{_interval(figures[name])}"


def _interval(figure: Mapping[str, Any]) -> str:
    return "" if figure["low"] is None else f"  [{figure['low']:.3f}, {figure['high']:.3f}]"


def _value(name: str, figure: Mapping[str, Any] | None) -> str:
    if figure is None:
        return "-"
    whole = name in ("tokens", "packet_tokens", "sufficient_budget", "hallucinated")
    return f"{figure['value']:.{0 if whole else 4 if name == 'line_precision' else 3}f}"


def _verdicts(found: Mapping[str, Any]) -> Iterator[str]:
    yield ""
    yield f"{'verdict, and what is in the packet':<42}" + "".join(f"{title:>14}" for _, title in _PACKETS)
    for row in found["counts"]:
        yield f"  {row['readiness']:<40}" + "".join(f"{row[name]:>14}" for name, _ in _PACKETS)
    for name, title in _SHARES:
        yield f"  {title:<66}{'-' if found[name] is None else format(found[name], '.3f'):>8}"


def _ablation(rows: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    yield ""
    yield f"{'without':<14}{'bytes':>7}" + "".join(f"{title:>24}" for _, title in _ABLATED)
    for row in rows:
        stored = row["stored_bytes_per_source_byte"]
        yield f"  {row['channel']:<12}{'?' if stored is None else format(stored, '.3f'):>7}" + "".join(
            f"{_change(row['differences'].get(name)):>24}" for name, _ in _ABLATED
        )


def _change(figure: Mapping[str, Any] | None) -> str:
    if figure is None:
        return "-"
    low, high = figure["low"], figure["high"]
    return f"{figure['value']:+.3f}" + ("" if low is None else f" [{low:+.3f},{high:+.3f}]")
