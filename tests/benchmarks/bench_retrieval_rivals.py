"""Other local tools on a sample of the tasks of `bench retrieval`, scored by the same scorer.

    python tests/benchmarks/bench_retrieval_rivals.py --tasks FILE --repos DIR --rivals FOLDER --out FOLDER
        [--name NAME ...] [--sample N] [--largest FILES] [--limit SECONDS] [--beside NAME=PREDICTIONS ...]

FOLDER is where `rivals.py install` put them. The sample is drawn by a digest of the ids among repositories of fewer
than --largest files: the same for everybody. Each answer is one process in a private checkout, from a tree that the
tool has not seen; one that takes longer than --limit counts as found nothing. Answers are kept in --out and not asked
for again.
--beside puts predictions of `bench retrieval` (or of anybody) into the same tables.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import rivals
import trees
from agenvantage.context.languages import role_of
from agenvantage.context.tokens import count
from agenvantage.runner.retrieval_tasks import Task, find_trees, prediction, read_predictions, read_tasks
from agenvantage.runner.retrieval_trees import DiskTree, as_repository
from agenvantage.telemetry.retrieval import Prediction, TaskScore, score
from agenvantage.telemetry.retrieval_summary import differences, groups
from measure import run_measured, table

LIMIT_SECONDS = 120.0
BUDGET = 6_000
SOURCES = frozenset({"source", "schema", "style", "migration"})
MEASURES = (
    ("recall@1", "R@1"), ("recall@3", "R@3"), ("recall@5", "R@5"), ("recall@10", "R@10"), ("all@10", "all@10"),
    ("mrr", "MRR"), ("test_recall@10", "tests @10"), ("line_recall", "lines"), ("hunk_recall", "hunks"),
    ("cpu_seconds_p50", "CPU s p50"),
)  # fmt: skip


def sample(tasks: Sequence[Task], size: int, largest: int) -> tuple[Task, ...]:
    """Tasks of the smaller repositories in the order of their ids' digests."""
    small = [task for task in tasks if (task.gold.repository_files or 0) < largest]
    return tuple(sorted(small, key=lambda task: sha256(f"sample {task.id}".encode()).hexdigest())[:size])


@contextmanager
def private_copy(tree: Path) -> Iterator[Path]:
    """A checkout that a tool may write to."""
    with tempfile.TemporaryDirectory() as folder, as_repository(tree) as repository:
        copy = Path(folder) / "tree"
        trees.git(repository, "clone", "-q", "--shared", "--no-checkout", str(repository), str(copy))
        trees.git(copy, "checkout", "-q", "--detach", trees.git(repository, "rev-parse", "HEAD").strip())
        yield copy


def ask(rival: rivals.Rival, tools: Path, tree: Path, task: Task, limit_seconds: float) -> dict[str, Any]:
    """What a tool finds for one task, from its words alone."""
    with tempfile.TemporaryDirectory() as folder, private_copy(tree) as copy:
        place = rivals.Place(tools=tools, tree=copy, home=Path(folder) / "home")
        place.home.mkdir()
        cost = run_measured(
            rival.command("find", place, task.words.text),
            folder=copy,
            environment=rival.environment_in(place),
            limit_seconds=limit_seconds,
            output=Path(folder) / "find",
        )
    entry: dict[str, Any] = {"id": task.id, "rival": rival.name, "version": rival.version}
    entry |= {"seconds": round(cost.wall, 3), "cpu_seconds": round(cost.cpu, 3)}
    if not cost.well:
        why = "time_limit" if not cost.finished else f"exit {cost.code}"
        return entry | {"files": [], "regions": [], "error": {"type": why, "message": cost.errors[-300:]}}
    return entry | dict(json.loads(cost.output.strip().splitlines()[-1]))


def ask_all(
    rival: rivals.Rival, tools: Path, chosen: Sequence[Task], places: Mapping[str, Path], out: Path, limit: float
) -> None:
    known = read_predictions(out) if out.exists() else {}
    chosen = [task for task in chosen if (task.gold.repository_files or 0) < rival.largest_files]
    for number, task in enumerate(chosen, start=1):
        if task.id in known:
            continue
        entry = ask(rival, tools, places[task.id], task, limit)
        with out.open("a", encoding="utf-8") as file:
            file.write(json.dumps(entry) + "\n")
        said = entry["error"]["type"] if "error" in entry else f"{len(entry['files'])} files"
        print(f"{rival.name}: {number} of {len(chosen)}: {task.id}: {said}, {entry['seconds']:.1f} s", file=sys.stderr)


def by_role(found: Prediction) -> Prediction:
    """The same, sources alone and tests in a list of their own: it spares a tool that mixes all what that costs."""
    roles = {path: role_of(path) for path in found.files}
    tests = tuple(path for path in found.files if roles[path] == "test")
    return replace(found, files=tuple(path for path in found.files if roles[path] in SOURCES), tests=tests)


def main() -> int:
    asked = _asked()
    tasks = read_tasks(asked.tasks)
    places = find_trees(asked.repos, tasks)
    chosen = sample(tasks, asked.sample, asked.largest)
    asked.out.mkdir(parents=True, exist_ok=True)
    files = dict(asked.beside)
    for rival in rivals.installed(asked.rivals, rivals.FINDERS) if asked.rivals else ():
        out = asked.out / f"{rivals.tools_of(rival, Path()).name}.jsonl"
        if not asked.name or rival.name.split(",")[0].split(" ")[0] in asked.name:
            ask_all(rival, rivals.tools_of(rival, asked.rivals), chosen, places, out, asked.limit)
        if out.exists():
            files[f"{rival.name} {rival.version}"] = out
    print(report(chosen, places, {name: read_predictions(path) for name, path in files.items()}))
    return 0


def report(chosen: Sequence[Task], places: Mapping[str, Path], said: Mapping[str, Mapping[str, Any]]) -> str:
    """A table for each set of tasks that some tool has answered whole."""
    parts = []
    for ids in dict.fromkeys(frozenset(task.id for task in chosen if task.id in found) for found in said.values()):
        mine = [task for task in chosen if task.id in ids]
        rows, scores = [], {}
        for name, found in said.items():
            if ids <= found.keys() and mine:
                for title, scored in _scored(name, mine, places, found):
                    rows.append(_row(title, mine, scored))
                    scores[title] = scored
        late = {
            name: sum("error" in found[each] for each in ids) for name, found in said.items() if ids <= found.keys()
        }
        parts.append(f"{len(mine)} tasks in {len({task.repository for task in mine})} repositories\n")
        parts.append(table(("", *(title for _, title in MEASURES)), rows))
        parts += [f"{name}: {number} without an answer" for name, number in late.items() if number]
        parts += _against_first(scores)
    return "\n".join(parts)


def _scored(
    name: str, tasks: Sequence[Task], places: Mapping[str, Path], found: Mapping[str, Any]
) -> list[tuple[str, dict[str, TaskScore]]]:
    disks = {place: DiskTree(place) for place in {places[task.id] for task in tasks}}
    told = {task.id: prediction(found[task.id]) for task in tasks}
    ways = [(name, told)]
    if all(each.tests is None for each in told.values()):
        ways.append((f"{name}, by role", {key: by_role(each) for key, each in told.items()}))
    return [
        (title, {task.id: score(task.gold, way[task.id], disks[places[task.id]], count, BUDGET) for task in tasks})
        for title, way in ways
    ]


def _row(title: str, tasks: Sequence[Task], scores: Mapping[str, TaskScore]) -> list[str]:
    figures = groups([task.gold for task in tasks], scores)[0].figures
    return [title, *(f"{figures[name].value:.3f}" if name in figures else "–" for name, _ in MEASURES)]


def _against_first(scores: Mapping[str, Mapping[str, TaskScore]]) -> list[str]:
    """How much more the first finds than each other, in pairs, 95 % by drawing repositories."""
    (first, best), *others = scores.items() if scores else [("", {})]
    lines = []
    for title, other in others:
        told = [
            f"{each.measure} {each.figure.value:+.3f}"
            + (f" [{each.figure.low:+.3f}, {each.figure.high:+.3f}]" if each.figure.low is not None else "")
            for each in differences(other, best, ("recall@5", "recall@10"))
        ]
        lines.append(f"{first} less {title}: {', '.join(told)}")
    return lines


def _beside(text: str) -> tuple[str, Path]:
    name, _, path = text.partition("=")
    return name, Path(path)


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tasks", type=Path, required=True)
    parser.add_argument("--repos", type=lambda text: Path(text).absolute(), required=True)
    parser.add_argument("--rivals", type=lambda text: Path(text).absolute())
    parser.add_argument("--out", type=lambda text: Path(text).absolute(), required=True)
    parser.add_argument("--name", action="append", help="first words of names; default: all that are installed")
    parser.add_argument("--sample", type=int, default=35)
    parser.add_argument("--largest", type=int, default=3_000)
    parser.add_argument("--limit", type=float, default=LIMIT_SECONDS)
    parser.add_argument("--beside", type=_beside, action="append", default=[])
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
