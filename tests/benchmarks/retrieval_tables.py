"""The tables of docs/retrieval.md from a document of `bench retrieval --json`.

python tests/benchmarks/retrieval_tables.py DOCUMENT
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from measure import table

COLUMNS = (
    ("recall@1", "R@1"), ("recall@5", "R@5"), ("recall@10", "R@10"), ("all@10", "all@10"), ("mrr", "MRR"),
    ("ndcg@10", "nDCG"), ("test_recall@10", "tests"), ("line_recall", "lines"), ("hunk_recall", "hunks"),
    ("line_precision", "l-prec"), ("tokens", "tokens"), ("cpu_seconds_p50", "CPU s p50"), ("cpu_seconds_p95", "p95"),
)  # fmt: skip
MORE = (
    ("hunk_recall@1500", "hunks within 1,500 tokens"), ("hunk_recall@3000", "hunks within 3,000 tokens"),
    ("every_hunk", "tasks with every hunk touched"),
    ("sufficient_budget", "tokens until the last hunk, median of these"),
    ("packed_line_recall", "lines in the packet"), ("packed_hunk_recall", "hunks in the packet"),
    ("packet_precision", "files of the packet that the change touches"),
    ("distractor_share", "distractors, share of the packet's tokens"),
    ("duplicate_share", "duplicates, share of the packet's tokens"),
    ("context_recall", "lines that people marked as needed"),
    ("context_f1", "F1 of these"), ("slots_covered", "slots with evidence"),
    ("required_slots_covered", "required slots with evidence"), ("packet_tokens", "tokens of the whole packet, median"),
    ("hallucinated", "paths that do not exist"), ("seconds_p50", "seconds of a plan, p50"),
    ("seconds_p95", "seconds of a plan, p95"), ("first_seconds_p95", "seconds of a tree's first plan, p95"),
)  # fmt: skip
COUNTS = {"tokens", "packet_tokens", "sufficient_budget", "hallucinated"}
PACKETS = (("none", "no gold file"), ("some", "some"), ("all files", "all files"), ("all hunks", "all hunks"))
SHARES = (
    ("false_of_all", "of all tasks: sufficient, and no gold file in the packet"),
    ("false_of_sufficient", "of those called sufficient: no gold file in the packet"),
    ("false_of_empty", "of packets without a gold file: called sufficient"),
    ("sure_of_good", "of packets with a gold file: called sufficient"),
    ("sure_of_whole", "of packets with every gold file: called sufficient"),
)
ABLATED = (
    ("recall@1", "R@1"), ("recall@5", "R@5"), ("recall@10", "R@10"), ("test_recall@10", "tests"),
    ("line_recall", "lines"), ("cpu_seconds", "CPU s"),
)  # fmt: skip


def shown(name: str, figure: Mapping[str, Any] | None) -> str:
    if figure is None:
        return "–"
    digits = 0 if name in COUNTS else 4 if name == "line_precision" else 3
    return f"{figure['value']:,.{digits}f}"


def ranged(name: str, figure: Mapping[str, Any]) -> str:
    around = "" if figure["low"] is None else f" [{figure['low']:.3f}, {figure['high']:.3f}]"
    return shown(name, figure) + around


def change(figure: Mapping[str, Any] | None) -> str:
    if figure is None:
        return "–"
    around = "" if figure["low"] is None else f" [{figure['low']:+.3f}, {figure['high']:+.3f}]"
    return f"{figure['value']:+.3f}{around}"


def tables(document: Mapping[str, Any]) -> Iterator[str]:
    whole = document["groups"][0]["figures"]
    groups = [
        [f"{group['name']} ({group['tasks']})", *(shown(name, group["figures"].get(name)) for name, _ in COLUMNS)]
        for group in document["groups"]
    ]
    yield table(("", *(title for _, title in COLUMNS)), groups)
    yield table(
        ("of all tasks", ""),
        [
            [title, ranged(name, whole[name])]
            for name, title in (*COLUMNS[:-3], *MORE)
            if name in whole
        ],
    )  # fmt: skip
    if document["verdicts"]:
        rows = [[row["readiness"], *(str(row[name]) for name, _ in PACKETS)] for row in document["verdicts"]["counts"]]
        yield table(("verdict", *(title for _, title in PACKETS)), rows)
        shares = [(title, document["verdicts"][name]) for name, title in SHARES]
        yield table(("share", ""), [[title, "–" if share is None else f"{share:.3f}"] for title, share in shares])
    if document["ablation"]:
        rows = [
            [each["channel"], _stored(each), *(change(each["differences"].get(name)) for name, _ in ABLATED)]
            for each in document["ablation"]
        ]
        yield table(("without", "bytes per source byte", *(title for _, title in ABLATED)), rows)


def _stored(row: Mapping[str, Any]) -> str:
    stored = row["stored_bytes_per_source_byte"]
    return "?" if stored is None else f"{stored:.3f}"


if __name__ == "__main__":
    print("\n\n".join(tables(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")))))
