"""Reads what retrieval is measured on: tasks with their gold, the trees they are about, and predictions."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from ..context.errors import BadRequest
from ..telemetry.retrieval import Gold, Prediction, Ranges, Region

MANIFEST: Final = "manifest.jsonl"
_COMMIT_LETTERS: Final = 12
_KINDS: Final[dict[type[Any], str]] = {str: "a text", int: "a number", bool: "true or false"}
_FORMAT: Final = "The format is in docs/contracts.md under `bench retrieval`."


class BadLine(BadRequest):
    """A line of a file that can't be used."""

    error_type = "bad_line"

    def __init__(self, path: Path, number: int, why: str) -> None:
        super().__init__(f"{path}:{number}: {why}.", _FORMAT)


class NoTree(BadRequest):
    """A task's repository is not where it should be."""

    error_type = "no_tree"

    def __init__(self, task: str, place: Path, more: int) -> None:
        others = f" (and {more} more)" if more else ""
        super().__init__(
            f"There is no tree for {task}{others}: {place} is no folder.",
            "Check out its base commit there, or name its folder in DIR/manifest.jsonl.",
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """All that the ranker is told of a task."""

    id: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """A task, what is known of it afterwards, and which tree it is about."""

    words: Words
    gold: Gold
    repository: str
    commit: str

    @property
    def id(self) -> str:
        return self.words.id


def read_tasks(path: Path) -> tuple[Task, ...]:
    """The tasks of a file in its order. Raises BadLine."""
    found: dict[str, Task] = {}
    for number, entry in objects(path):
        try:
            task = _task(entry)
        except ValueError as wrong:
            raise BadLine(path, number, str(wrong)) from wrong
        if task.id in found:
            raise BadLine(path, number, f"there is a task {task.id!r} already")
        found[task.id] = task
    if not found:
        raise BadLine(path, 1, "there is no task in this file")
    return tuple(found.values())


def find_trees(repos: Path, tasks: Iterable[Task]) -> dict[str, Path]:
    """Each task's tree: as the manifest says, else in OWNER+NAME/ by its commit. Raises BadLine, NoTree."""
    named = _manifest(repos / MANIFEST)
    usual = {task.id: repos / task.repository.replace("/", "+") / task.commit[:_COMMIT_LETTERS] for task in tasks}
    places = {name: repos / named[name] if name in named else place for name, place in usual.items()}
    missing = [name for name, place in places.items() if not place.is_dir()]
    if missing:
        raise NoTree(missing[0], places[missing[0]], len(missing) - 1)
    return places


def _manifest(path: Path) -> dict[str, str]:
    """Task → folder below the manifest's own."""
    if not path.exists():
        return {}
    named = {}
    for number, entry in objects(path):
        if not isinstance(entry.get("id"), str):
            raise BadLine(path, number, "`id` is not a text")
        if isinstance(entry.get("path"), str):
            named[entry["id"]] = entry["path"]
    return named


def read_predictions(path: Path) -> dict[str, dict[str, Any]]:
    """The lines of a predictions file by task. Raises BadLine."""
    found: dict[str, dict[str, Any]] = {}
    for number, entry in objects(path):
        try:
            name = prediction(entry).id
        except ValueError as wrong:
            raise BadLine(path, number, str(wrong)) from wrong
        if name in found:
            raise BadLine(path, number, f"there is a prediction for {name!r} already")
        found[name] = entry
    return found


def objects(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a JSON lines file, each with its line's number; blank lines are passed over. Raises BadLine."""
    try:
        data = path.read_bytes()
    except OSError as failed:
        raise BadRequest(f"{path} can't be read: {failed.strerror}.", "Check the path.") from failed
    for number, line in enumerate(data.split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            entry = json.loads(line)
        except (ValueError, RecursionError) as wrong:
            raise BadLine(path, number, f"it is no JSON ({wrong})") from wrong
        if not isinstance(entry, dict):
            raise BadLine(path, number, "it is no JSON object")
        yield number, entry


# One task


def _task(entry: Mapping[str, Any]) -> Task:
    name, repository, commit = (_text(entry, key) for key in ("id", "repo", "base_commit"))
    if not isinstance(entry.get("text"), str):
        raise ValueError("`text` is not a text")
    if not all(part not in ("", ".", "..") for part in (*repository.split("/"), commit)) or "/" in commit:
        raise ValueError("`repo` or `base_commit` is no name")
    gold = Gold(
        id=name,
        repository=repository,
        edits=_places(entry, "edit_files", "hunks"),
        tests=_paths(entry, "test_files") or (),
        context=_places(entry, "context_gold", "ranges", needed=False),
        language=_known(entry, "language", str),
        kind=_known(entry, "kind", str),
        text=None if "source" not in entry else "commit" if entry["source"] == "history" else "request",
        names=_names(entry),
        repository_files=_known(entry, "repo_files", int),
    )
    return Task(words=Words(id=name, text=entry["text"]), gold=gold, repository=repository, commit=commit)


def _text(entry: Mapping[str, Any], key: str) -> str:
    value = entry.get(key)
    if not isinstance(value, str) or not value:
        raise ValueError(f"`{key}` is missing" if value is None else f"`{key}` is not a text")
    return value


def _known(entry: Mapping[str, Any], key: str, kind: type[Any]) -> Any:
    value = entry.get(key)
    if value is not None and type(value) is not kind:
        raise ValueError(f"`{key}` is not {_KINDS[kind]}")
    return value


def _names(entry: Mapping[str, Any]) -> Any:
    file, symbol = (_known(entry, f"text_names_gold_{what}", bool) for what in ("file", "symbol"))
    if file is None and symbol is None:
        return None
    return "file" if file else "symbol" if symbol else "neither"


def _places(entry: Mapping[str, Any], key: str, ranges: str, *, needed: bool = True) -> tuple[Ranges, ...]:
    listed = entry.get(key, None if needed else ())
    if listed is None:
        raise ValueError(f"`{key}` is missing")
    if not isinstance(listed, list | tuple) or not all(isinstance(each, dict) for each in listed):
        raise ValueError(f"`{key}` is not a list of objects")
    found = [
        Ranges(path=path_of(each.get("path")), ranges=_ranges(each.get(ranges), f"{key}[].{ranges}")) for each in listed
    ]
    if len({each.path for each in found}) < len(found):
        raise ValueError(f"`{key}` has a path twice")
    return tuple(found)


def _ranges(listed: Any, where: str) -> tuple[tuple[int, int], ...]:
    if not isinstance(listed, list) or not listed:
        raise ValueError(f"`{where}` is not a list of ranges")
    return tuple(_range(each, where) for each in listed)


def _range(pair: Any, where: str) -> tuple[int, int]:
    match pair:
        case [int(start), int(end)] if 1 <= start <= end:
            return start, end
    raise ValueError(f"`{where}` has {pair!r}, which is no range of lines")


def _paths(entry: Mapping[str, Any], key: str) -> tuple[str, ...] | None:
    listed = entry.get(key)
    if listed is None:
        return None
    if not isinstance(listed, list):
        raise ValueError(f"`{key}` is not a list of paths")
    return tuple(dict.fromkeys(map(path_of, listed)))


def path_of(value: Any) -> str:
    """A path relative to the repository's root. Raises ValueError."""
    path = value.removeprefix("./") if isinstance(value, str) else ""
    if not path or path.startswith("/") or "\\" in path or "\0" in path or ".." in path.split("/"):
        raise ValueError(f"{value!r} is no path relative to the repository's root")
    return path


# One prediction


def prediction(entry: Mapping[str, Any]) -> Prediction:
    """A line of a predictions file as a value. Raises ValueError."""
    return Prediction(
        id=_text(entry, "id"),
        files=_paths(entry, "files") or (),
        regions=tuple(map(_region, _listed(entry, "regions"))),
        tests=_paths(entry, "test_files"),
        readiness=_known(entry, "readiness", str),
        tokens=_known(entry, "tokens", int),
        seconds=_seconds(entry, "seconds"),
        cpu_seconds=_seconds(entry, "cpu_seconds"),
        first_seconds=_seconds(entry, "first_seconds"),
        seconds_with_all=_seconds(entry, "seconds_with_all"),
        cpu_seconds_with_all=_seconds(entry, "cpu_seconds_with_all"),
        slots=tuple((bool(slot["required"]), bool(slot["covered"])) for slot in _listed(entry, "slots")),
    )


def _listed(entry: Mapping[str, Any], key: str) -> Sequence[dict[str, Any]]:
    listed = entry.get(key) or []
    if not isinstance(listed, list) or not all(isinstance(each, dict) for each in listed):
        raise ValueError(f"`{key}` is not a list of objects")
    return listed


def _region(entry: Mapping[str, Any]) -> Region:
    start, end = _range([entry.get("start"), entry.get("end")], "regions[]")
    packed = _known(entry, "packed", bool)
    return Region(path=path_of(entry.get("path")), start=start, end=end, packed=packed is not False)


def _seconds(entry: Mapping[str, Any], key: str) -> float | None:
    value = entry.get(key)
    if value is not None and (isinstance(value, bool) or not isinstance(value, int | float)):
        raise ValueError(f"`{key}` is not a number")
    return value
