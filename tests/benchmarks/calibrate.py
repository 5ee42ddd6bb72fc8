"""Fits the verdict: when may a packet be called grounded? On real tasks, and on tasks whose answer is not there.

    python tests/benchmarks/calibrate.py collect --tasks TASKS.jsonl --trees DIR --out ROWS.jsonl
    python tests/benchmarks/calibrate.py fit --rows ROWS.jsonl

`collect` plans each task three times: as it is; with the files of its answer taken out of the index, so that the next
best is found; and in another repository. `fit` holds each repository out in turn, fits on the others, and tells how
often `grounded` would have been wrong and how many good packets would have been called so.
"""

from __future__ import annotations

import argparse
import copy
import json
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from agenvantage.context.finding import asked_for, find
from agenvantage.context.index import RepositoryIndex
from agenvantage.context.plan import ContextPlanner
from agenvantage.context.rounds import STEPS, Search
from agenvantage.context.sufficiency import LITTLE
from agenvantage.context.task import detect_workflow
from logistic import Logistic, fitted

BUDGET: Final = 6_000
WEIGHTS: Final = {"real": 1.0, "absent": 0.35, "foreign": 0.15}
PULL: Final = 3.0
WRONG: Final = 0.05
GOOD: Final = 0.65
"""So many of the good packets are to be called grounded; the threshold is as high as that allows."""
FEATURES: Final = ("agreement", "densest", "first", "height", "known", "margin", "support", "terms", "title")
"""Few, since the cases are: with all features the model remembers repositories."""


def without(index: RepositoryIndex, paths: Collection[str]) -> RepositoryIndex:
    """The same index as if these files were not in the tree."""
    other = copy.copy(index)
    other.files = tuple(file for file in index.files if file.path not in paths)
    other.by_path = {file.path: file for file in other.files}
    # The map that opens a packet has nothing to do with what is found, and is dear to draw.
    kept = {name: each for name, each in index.memory.items() if name == "history" or name.startswith("map of")}
    other.memory, other.path_memory = kept, {}
    return other


def looked(index: RepositoryIndex, text: str, gold: Collection[str]) -> list[dict[str, Any]]:
    """What each round would end with, whether or not the one before it would have been the last."""
    asked = asked_for(text)
    workflow = detect_workflow(asked.query)
    bare = ContextPlanner(index)._bare(text, workflow, BUDGET)
    search = Search(index, find(index, asked), workflow, bare.rules)
    room, found, rounds = search.room(bare), None, []
    for step in STEPS:
        found = search.look(found, step, room)
        rounds.append(
            {
                "features": {name: round(value, 5) for name, value in found.told.items()},
                "hit": any(each.node.path in gold for each in found.chosen),
                "sayable": found.readiness not in ("insufficient", "insufficient_budget"),
                "open": bool(search.still_to_fill(found, step)),
                "gain": found.figures.gain,
            }
        )
    return rounds


def collect(tasks: Path, trees: Path, out: Path, cache: Path | None, only: Sequence[str]) -> None:
    listed = [json.loads(line) for line in tasks.read_text(encoding="utf-8").splitlines() if line.strip()]
    listed = sorted(listed, key=lambda task: (task["repo"], task["base_date"], task["id"]))
    chosen = [task for task in listed if not only or any(name in task["repo"] for name in only)]
    guests = _guests(chosen)
    with out.open("w", encoding="utf-8") as lines:
        for task in chosen:
            place = trees / task["repo"].replace("/", "+") / task["base_commit"][:12]
            with RepositoryIndex.open(place, cache_dir=cache, identity=task["repo"], processes=0) as index:
                for row in _rows(index, task, guests.get(task["id"], [])):
                    lines.write(json.dumps(row) + "\n")
            lines.flush()
            print(task["id"], file=sys.stderr)


def _guests(tasks: Sequence[Mapping[str, Any]]) -> dict[str, list[Mapping[str, Any]]]:
    """Task → those of other repositories that are asked in its tree: each once, in one of its own language if any."""
    hosts: dict[str, Mapping[str, Any]] = {}
    for task in tasks:
        hosts.setdefault(task["repo"], task)
    found: dict[str, list[Mapping[str, Any]]] = {}
    for number, task in enumerate(tasks):
        others = [host for repo, host in hosts.items() if repo != task["repo"]]
        alike = [host for host in others if host["language"] == task["language"]] or others
        if alike:
            found.setdefault(alike[number % len(alike)]["id"], []).append(task)
    return found


def _rows(
    index: RepositoryIndex, task: Mapping[str, Any], guests: Sequence[Mapping[str, Any]]
) -> Iterator[dict[str, Any]]:
    gold = {each["path"] for each in task["edit_files"]}
    own = {"id": task["id"], "repo": task["repo"], "source": task["source"]}
    yield {**own, "case": "real", "rounds": looked(index, task["text"], gold)}
    yield {**own, "case": "absent", "rounds": looked(without(index, gold), task["text"], gold)}
    for guest in guests:
        # Held out with its host: what is learnt of a repository must not be tried on it.
        other = {"id": guest["id"], "repo": task["repo"], "source": guest["source"]}
        yield {**other, "case": "foreign", "rounds": looked(index, guest["text"], ())}


def read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def model_of(rows: Sequence[Mapping[str, Any]], names: Sequence[str], pull: float = PULL) -> Logistic:
    """Fitted on what the second and the third round see, each counting half."""
    values, labels, weights = [], [], []
    for row in rows:
        for each in row["rounds"][1:]:
            values.append([each["features"].get(name, 0.0) for name in names])
            labels.append(each["hit"])
            weights.append(WEIGHTS[row["case"]] / 2)
    return fitted(names, values, labels, weights, pull)


def told(row: Mapping[str, Any], model: Logistic) -> list[float]:
    """The confidence of each round."""
    return [model.probability([each["features"].get(name, 0.0) for name in model.names]) for each in row["rounds"]]


def ended(row: Mapping[str, Any], confidences: Sequence[float], least: float) -> tuple[bool, bool, float]:
    """Whether the plan is called grounded, whether its packet holds an answer, how sure it was: as the rounds go."""
    for each, sure, last in zip(row["rounds"], confidences, (False, False, True), strict=True):
        grounded = each["sayable"] and sure >= least
        if last or (not each["open"] and (grounded or each["gain"] < LITTLE)):
            return grounded, each["hit"], sure
    raise AssertionError("the last round ends it")


def held_out(rows: Sequence[Mapping[str, Any]], names: Sequence[str], pull: float = PULL) -> list[list[float]]:
    """Each row's confidences from a model that has not seen its repository."""
    models = {
        repo: model_of([row for row in rows if row["repo"] != repo], names, pull) for repo in {r["repo"] for r in rows}
    }
    return [told(row, models[row["repo"]]) for row in rows]


def shares(
    rows: Sequence[Mapping[str, Any]], confidences: Sequence[Sequence[float]], least: float, cases: Collection[str]
) -> tuple[float, float, int]:
    """Of what is called grounded the share that is wrong; of good packets the share called so; how many are called so.

    Cases count by their weights.
    """
    said = wrong = good = sure = 0.0
    number = 0
    for row, each in zip(rows, confidences, strict=True):
        if row["case"] not in cases:
            continue
        grounded, hit, _ = ended(row, each, least)
        weight = WEIGHTS[row["case"]]
        number += grounded
        said += weight * grounded
        wrong += weight * (grounded and not hit)
        good += weight * hit
        sure += weight * (grounded and hit)
    return wrong / said if said else 0.0, sure / good if good else 0.0, number


def least_confidence(rows: Sequence[Mapping[str, Any]], confidences: Sequence[Sequence[float]]) -> float:
    """The highest threshold at which enough good packets of real tasks are called grounded, and few that are not."""
    for least in (number / 200 for number in range(199, 40, -1)):
        wrong, good, _ = shares(rows, confidences, least, ("real",))
        if good >= GOOD and wrong <= WRONG:
            return least
    return 1.0


def fit(path: Path, names: Sequence[str]) -> None:
    rows = read(path)
    names = names or FEATURES
    confidences = held_out(rows, names)
    least = least_confidence(rows, confidences)
    print(f"{len(rows)} cases, {len({row['repo'] for row in rows})} repositories; grounded from {least:.3f}")
    for cases in (("real",), ("absent",), ("foreign",), tuple(WEIGHTS)):
        wrong, sure, number = shares(rows, confidences, least, cases)
        print(f"  {'+'.join(cases):<22} wrong {wrong:.3f}  good called grounded {sure:.3f}  called grounded {number}")
    print("curve: confidence, cases, share that holds an answer (real; all by weight)")
    for low in range(10):
        print("  " + _bin(rows, confidences, low / 10, (low + 1) / 10))
    print("less sure than … (real, absent, foreign)")
    for low in range(2, 8):
        below = [
            [each[1] < low / 10 for row, each in zip(rows, confidences, strict=True) if row["case"] == case]
            for case in WEIGHTS
        ]
        print(f"  {low / 10:.1f}  " + "  ".join(f"{sum(each) / max(1, len(each)):.2f}" for each in below))
    model = model_of(rows, names)
    print("MODEL = {")
    for row in zip(model.names, model.means, model.deviations, model.weights, strict=True):
        print('    "{}": ({:.4f}, {:.4f}, {:.4f}),'.format(*row))
    print(f"}}\nBIAS = {model.bias:.4f}\nGROUNDED = {least:.3f}")


def _bin(rows: Sequence[Mapping[str, Any]], confidences: Sequence[Sequence[float]], low: float, high: float) -> str:
    inside = [
        (WEIGHTS[row["case"]], row["case"], row["rounds"][1]["hit"])
        for row, each in zip(rows, confidences, strict=True)
        if low <= each[1] < high or each[1] == high == 1.0
    ]
    real = [hit for _, case, hit in inside if case == "real"]
    whole = sum(weight for weight, _, _ in inside)
    share = sum(weight for weight, _, hit in inside if hit) / whole if whole else 0.0
    of_real = f"{sum(real) / len(real):.2f}" if real else "   –"
    return f"{low:.1f}–{high:.1f}  {len(inside):>4} ({len(real):>3} real)  {of_real}  {share:.2f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    steps = parser.add_subparsers(dest="step", required=True)
    first = steps.add_parser("collect")
    first.add_argument("--tasks", type=Path, required=True)
    first.add_argument("--trees", type=Path, required=True)
    first.add_argument("--out", type=Path, required=True)
    first.add_argument("--cache-dir", type=Path)
    first.add_argument("--only", nargs="*", default=[])
    second = steps.add_parser("fit")
    second.add_argument("--rows", type=Path, required=True)
    second.add_argument("--features", nargs="*", default=[])
    asked = parser.parse_args()
    if asked.step == "collect":
        collect(asked.tasks, asked.trees, asked.out, asked.cache_dir, asked.only)
    else:
        fit(asked.rows, asked.features)


if __name__ == "__main__":
    main()
