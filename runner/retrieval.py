"""`agenvantage bench retrieval`: plan tasks whose outcome is known, from their words alone, and score the plans.

The ranker is handed the words; the gold is read afterwards, by the scorer.
"""

from __future__ import annotations

import json as json_module
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from itertools import groupby
from pathlib import Path
from typing import Any, Final

from ..context.channels import CHANNELS, LATER
from ..context.errors import BadRequest
from ..context.index import INDEX_VERSION, RepositoryIndex
from ..context.model import TaskPlan
from ..context.plan import PLANNER_VERSION, ContextPlanner
from ..context.ranking import REGIONS
from ..context.render import blocks
from ..context.tokens import count
from ..telemetry.retrieval import TaskScore, score
from . import retrieval_text
from .configuration import load
from .doors import tell
from .indexing import waiting
from .retrieval_report import ablation_row, retrieval_document
from .retrieval_storage import stored_ratios
from .retrieval_tasks import Task, Words, find_trees, prediction, read_predictions, read_tasks
from .retrieval_trees import DiskTree, as_repository
from .settings import Settings

ALL_CHANNELS: Final = (*(row[0] for row in CHANNELS), REGIONS, *(row[0] for row in LATER))
WHOLE: Final = ""
"""The name of the variant that leaves nothing out."""
_FIRST: Final = Words(id="first", text="Where does this program start?")
"""Asked of every tree before its tasks, so that none of them pays for what is derived once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """How tasks are planned. Predictions of another way are not kept."""

    settings: Settings
    without: str = WHOLE

    def stamp(self, words: Words) -> dict[str, Any]:
        """What a prediction must agree in to be taken as this way's."""
        return {
            "planner_version": PLANNER_VERSION,
            "index_version": INDEX_VERSION,
            "strategy": self.settings.strategy,
            "workflow_asked": self.settings.workflow,
            "budget": self.settings.budget,
            "without": [self.without] if self.without else [],
            "text_digest": sha256(words.text.encode("utf-8", "surrogatepass")).hexdigest()[:16],
        }


def retrieval_door(
    flags: Mapping[str, Any],
    *,
    tasks: Path,
    repos: Path,
    out: Path,
    ablate: bool,
    limit: int | None,
    only: Sequence[str],
    json: bool,
) -> int:
    settings = load(flags, repository=None).settings
    chosen = _chosen(read_tasks(tasks), limit, only)
    trees = find_trees(repos, chosen)
    names = ALL_CHANNELS if ablate else ()
    files = [Answers(out, Way(settings=settings))]
    files += [Answers(_beside(out, name), Way(settings=settings, without=name)) for name in names]
    for each in files:
        each.keep(chosen)
    _plan_all(chosen, trees, files)
    for each in files:
        each.close(chosen)
    scores = {each.way.without: scored(chosen, trees, each.answers, settings.budget) for each in files}
    document = retrieval_document([task.gold for task in chosen], scores[WHOLE], files[0].answers, settings.budget)
    if ablate:
        document["ablation"] = [ablation_row(each.way.without, scores, each.answers) for each in files[1:]]
    tell(document, retrieval_text.retrieval_report(document), json=json)
    return 0


def _chosen(tasks: Sequence[Task], limit: int | None, only: Sequence[str]) -> tuple[Task, ...]:
    unknown = sorted(set(only) - {task.id for task in tasks})
    if unknown:
        raise BadRequest(f"There is no task {unknown[0]!r}.", "Give --only an id of the tasks file.")
    if limit is not None and limit < 1:
        raise BadRequest(f"--limit {limit} leaves no task.", "Give it a positive number.")
    return tuple(task for task in tasks if not only or task.id in only)[:limit]


def _beside(out: Path, name: str) -> Path:
    return out.with_name(f"{out.stem}.without-{name.replace(' ', '-')}{out.suffix}")


class Answers:
    """A predictions file: what is in it is kept where it was made the same way, and each answer is written at once."""

    def __init__(self, path: Path, way: Way) -> None:
        self.path, self.way = path, way
        self.answers: dict[str, dict[str, Any]] = {}
        self._others: dict[str, dict[str, Any]] = {}

    def keep(self, tasks: Sequence[Task]) -> None:
        """Take in what an earlier call has left: for these tasks only what was made this way, of others everything."""
        found = read_predictions(self.path) if self.path.exists() else {}
        stamps = {task.id: self.way.stamp(task.words) for task in tasks}
        self._others = {name: entry for name, entry in found.items() if name not in stamps}
        mine = [entry for name, entry in found.items() if name in stamps]
        self.answers = {each["id"]: each for each in mine if stamps[each["id"]].items() <= each.items()}
        if mine:
            _say(f"{self.path}: {len(self.answers)} predictions are kept, {len(mine) - len(self.answers)} are outdated")
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._write(self.answers)

    def add(self, entry: dict[str, Any]) -> None:
        self.answers[entry["id"]] = entry
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json_module.dumps(entry) + "\n")

    def close(self, tasks: Iterable[Task]) -> None:
        """Bring the lines into the order of the tasks."""
        self._write(task.id for task in tasks)

    def _write(self, order: Iterable[str]) -> None:
        entries = [*(self.answers[name] for name in order), *self._others.values()]
        beside = self.path.with_name(self.path.name + ".new")
        beside.write_text("".join(json_module.dumps(entry) + "\n" for entry in entries), encoding="utf-8")
        beside.replace(self.path)


# Planning


def _plan_all(tasks: Sequence[Task], trees: Mapping[str, Path], files: Sequence[Answers]) -> None:
    """Each tree is opened once for all its tasks and ways; trees of one repository share an index."""
    progress = _Progress(sum(task.id not in each.answers for task in tasks for each in files))
    ordered = sorted(tasks, key=lambda task: (task.repository, str(trees[task.id])))
    for tree, of_tree in groupby(ordered, key=lambda task: trees[task.id]):
        open_tasks = [task for task in of_tree if any(task.id not in each.answers for each in files)]
        if not open_tasks:
            continue
        with as_repository(tree) as folder, _opened(folder, open_tasks[0].repository, files[0].way) as index:
            _plan_tree(index, open_tasks, files, progress)


def _plan_tree(index: RepositoryIndex, tasks: Sequence[Task], files: Sequence[Answers], progress: _Progress) -> None:
    first = {"first_seconds": answer(index, _FIRST, files[0].way).get("seconds")}
    for task in tasks:
        missing = [each for each in files if task.id not in each.answers]
        beside = _took_with_all(index, task.words, files[0].way) if any(each.way.without for each in missing) else {}
        for each in missing:
            more = {**_stored(index, each.way), **beside} if each.way.without else {}
            entry = answer(index, task.words, each.way) | more | first
            first = {}
            each.add(entry)
            progress.tell(entry)


def _took_with_all(index: RepositoryIndex, words: Words, whole: Way) -> dict[str, Any]:
    """How long a plan takes that leaves nothing out, when the words have been planned before: as for all to come."""
    answer(index, words, whole)
    again = answer(index, words, whole)
    return {f"{name}_with_all": again.get(name) for name in ("seconds", "cpu_seconds")}


def _opened(folder: Path, repository: str, way: Way) -> RepositoryIndex:
    with waiting("reading") as told:
        index = RepositoryIndex.open(
            folder, cache_dir=way.settings.cache_dir, identity=repository, progress=told(repository)
        )
    for warning in index.warnings:
        _say(warning)
    return index


def answer(index: RepositoryIndex, words: Words, way: Way) -> dict[str, Any]:
    """The prediction for one task, from its words alone; an empty one that says why for words that can't be planned."""
    left_out = frozenset({way.without}) - {WHOLE}
    planner = ContextPlanner(index, strategy=way.settings.strategy, without=left_out)
    began, cpu = time.perf_counter(), time.process_time()
    try:
        plan = planner.plan(words.text, workflow=way.settings.workflow, budget=way.settings.budget)
    except BadRequest as refused:
        error = {"type": refused.error_type, "message": refused.what}
        return {"id": words.id, "files": [], "regions": [], "test_files": [], **way.stamp(words), "error": error}
    seconds, cpu_seconds = time.perf_counter() - began, time.process_time() - cpu
    return {
        "id": words.id,
        **_told(plan),
        "seconds": round(seconds, 6),
        "cpu_seconds": round(cpu_seconds, 6),
        **way.stamp(words),
    }


def _told(plan: TaskPlan) -> dict[str, Any]:
    """Of a plan, what is scored. Only regions whose lines are shown as they are can be credited with lines."""
    packed = {each.node.id for each in plan.chosen}
    shown = [each.node for each in plan.regions if each.mode == "full" and _sayable(each.node.path)]
    return {
        "files": [file.path for file in plan.files if _sayable(file.path)],
        "regions": [
            {"path": node.path, "start": node.start, "end": node.end, "packed": node.id in packed} for node in shown
        ],
        "test_files": [path for path in plan.test_files if _sayable(path)],
        "readiness": plan.readiness,
        "workflow": plan.workflow,
        "slots": [{"name": slot.name, "required": slot.required, "covered": slot.covered} for slot in plan.slots],
        "minimum_budget": plan.minimum_budget,
        "tokens": sum(block.tokens for block in blocks(plan)),
    }


def _stored(index: RepositoryIndex, way: Way) -> dict[str, Any]:
    """What the index keeps that the channel left out reads, for each byte of source."""
    if "stored" not in index.memory:
        index.memory["stored"] = stored_ratios(index.store.path, sum(file.size or 0 for file in index.files))
    return {"stored_ratio": index.memory["stored"].get(way.without)}


def _sayable(path: str) -> bool:
    """Scorers refuse a path with a backslash: it can't be told from another system's spelling."""
    return "\\" not in path


class _Progress:
    """A line a task on standard error, with how many are done and how long it takes."""

    def __init__(self, todo: int) -> None:
        self._todo, self._done, self._began = todo, 0, time.monotonic()

    def tell(self, entry: Mapping[str, Any]) -> None:
        self._done += 1
        took = time.monotonic() - self._began
        left = took / self._done * (self._todo - self._done)
        said = entry["error"]["type"] if "error" in entry else f"{entry['readiness']}, {entry['seconds']:.2f} s"
        without = "".join(f" without {name}" for name in entry["without"])
        times = f"{took:.0f} s so far, about {left:.0f} s left"
        _say(f"{self._done} of {self._todo}: {entry['id']}{without}: {said}; {times}")


def _say(text: str) -> None:
    # Nothing depends on its being read.
    with suppress(OSError, ValueError):
        print(text, file=sys.stderr, flush=True)


# Scoring


def scored(
    tasks: Sequence[Task], trees: Mapping[str, Path], answers: Mapping[str, Mapping[str, Any]], budget: int
) -> dict[str, TaskScore]:
    """Each task's score. Here alone predictions and gold meet."""
    found = {}
    for place, of_tree in groupby(sorted(tasks, key=lambda task: str(trees[task.id])), key=lambda task: trees[task.id]):
        disk = DiskTree(place)
        for task in of_tree:
            said = prediction(answers[task.id]) if task.id in answers else None
            found[task.id] = score(task.gold, said, disk, count, budget)
    return {task.id: found[task.id] for task in tasks}
