"""The channels of what a task points at: names spelled like code, paths, frames of traces, tests, a diff."""

from __future__ import annotations

import re
from typing import Final

from .channel import Ranking, scaled
from .index import RepositoryIndex
from .task import Query

_TOO_COMMON: Final = 12
_MOST_ENDINGS: Final = 8
_BY_BARE_NAME: Final = 0.8
_BY_MODULE: Final = 0.3
_BY_TEST_NAME: Final = 0.8


def by_symbol(index: RepositoryIndex, query: Query) -> Ranking:
    """Files that define a name which the task spells like code; a name defined in many places counts little."""
    scores: dict[str, float] = {}
    reasons: dict[str, str] = {}
    dotted = [part for module in query.modules for part in module.replace("::", ".").split(".")]
    for name in dict.fromkeys((*query.identifiers, *dotted)):
        if len(name) < 3:
            continue
        numbers = index.store.defining(name)
        paths = sorted({path for number in numbers for path in index.paths_of(number)})
        if 0 < len(paths) <= _TOO_COMMON:
            for path in paths:
                scores[path] = scores.get(path, 0.0) + 1.0 / len(paths)
                reasons.setdefault(path, f"defines {name}")
    return Ranking(scores=scaled(scores), reasons=reasons)


def by_path(index: RepositoryIndex, query: Query) -> Ranking:
    """Files that the task names: a path, a file name, a dotted module."""
    scores: dict[str, float] = {}
    reasons: dict[str, str] = {}
    for named in query.paths:
        for path in _ending_with(index, named):
            _raise(scores, path, 1.0 if "/" in named else _BY_BARE_NAME)
            reasons.setdefault(path, f"named: {named}")
    for module in query.modules:
        for path in _module_files(index, module):
            _raise(scores, path, _BY_MODULE)
            reasons.setdefault(path, f"module: {module}")
    return Ranking(scores=scores, reasons=reasons)


def by_frame(index: RepositoryIndex, query: Query) -> Ranking:
    """Files in the task's stack trace, the nearest to the fault first.

    A frame of an installed package counts where the repository is that package: where it has the whole of the path.
    """
    scores: dict[str, float] = {}
    reasons: dict[str, str] = {}
    own = [(frame, _ending_with(index, frame.path)) for frame in query.frames]
    installed = [(frame, _ending_whole(index, frame.path)) for frame in query.installed_frames]
    for rank, (frame, paths) in enumerate(pair for pair in (*own, *installed) if pair[1]):
        for path in paths:
            _raise(scores, path, 1.0 / (1.0 + 0.5 * rank))
            reasons.setdefault(path, f"in the stack trace, line {frame.line}")
    return Ranking(scores=scores, reasons=reasons)


def by_test(index: RepositoryIndex, query: Query) -> Ranking:
    """Test files that are said to fail, by path or by the name of a test that few files define."""
    scores: dict[str, float] = {}
    reasons: dict[str, str] = {}
    for frame in query.test_frames:
        for path in _ending_with(index, frame.path):
            _raise(scores, path, 1.0)
            reasons.setdefault(path, f"a test in the trace, line {frame.line}")
    for named in query.failing_tests:
        place, _, _ = named.partition("::")
        for path in _ending_with(index, place):
            _raise(scores, path, 1.0)
            reasons.setdefault(path, f"fails: {named}")
        for path in _defining_tests(index, named):
            _raise(scores, path, _BY_TEST_NAME)
            reasons.setdefault(path, f"fails: {named}")
    return Ranking(scores=scores, reasons=reasons)


def _defining_tests(index: RepositoryIndex, named: str) -> list[str]:
    """The test files that define the last part of a test's name, if they are few."""
    name = re.split(r"::|[.#/> ]+", named.partition("[")[0])[-1]
    numbers = index.store.defining(name) if len(name) > 3 else ()
    paths = sorted({path for number in numbers for path in index.paths_of(number)})
    found = [path for path in paths if index.by_path[path].role == "test"]
    return found if len(found) <= _TOO_COMMON else []


def by_diff(index: RepositoryIndex, query: Query) -> Ranking:
    """The files that the task's diff changes."""
    found = [file.path for file in query.diff if file.path in index.by_path]
    return Ranking(scores=dict.fromkeys(found, 1.0), reasons=dict.fromkeys(found, "in the diff"))


def _by_name(index: RepositoryIndex) -> dict[str, list[str]]:
    """Lower-case file name → files."""
    if "by_name" not in index.path_memory:
        names: dict[str, list[str]] = {}
        for file in index.files:
            names.setdefault(file.path.rsplit("/", 1)[-1].lower(), []).append(file.path)
        index.path_memory["by_name"] = names
    held: dict[str, list[str]] = index.path_memory["by_name"]
    return held


def _ending_with(index: RepositoryIndex, named: str) -> list[str]:
    """Files that share the longest tail of folders with a path as written, at most eight of them."""
    parts = [part for part in named.replace("\\", "/").lower().split("/") if part not in ("", ".", "..")]
    candidates = _by_name(index).get(parts[-1], []) if parts else []
    shared = {path: _common_tail(path.lower().split("/"), parts) for path in candidates}
    best = max(shared.values(), default=0)
    chosen = [path for path, length in shared.items() if length == best]
    return chosen if len(chosen) <= _MOST_ENDINGS else []


def _ending_whole(index: RepositoryIndex, named: str) -> list[str]:
    """Files whose path ends with the whole of a path of several folders."""
    parts = [part for part in named.replace("\\", "/").lower().split("/") if part not in ("", ".", "..")]
    found = _ending_with(index, named) if len(parts) > 1 else []
    return [path for path in found if _common_tail(path.lower().split("/"), parts) == len(parts)]


def _common_tail(one: list[str], other: list[str]) -> int:
    length = 0
    for left, right in zip(reversed(one), reversed(other), strict=False):
        if left != right:
            break
        length += 1
    return length


def _module_files(index: RepositoryIndex, module: str) -> list[str]:
    """Files that a dotted name may mean: `a.b.c` is `a/b/c.*`, a package, or a member of `a/b.*`."""
    parts = module.replace("::", ".").lower().split(".")
    stems = by_stem(index)
    for length in range(len(parts), 1, -1):
        tail = "/".join(parts[:length])
        matched = [path for path in stems.get(parts[length - 1], ()) if _stem_path(path).endswith(tail)]
        if 0 < len(matched) <= _MOST_ENDINGS:
            return matched
    return []


def by_stem(index: RepositoryIndex) -> dict[str, list[str]]:
    """Lower-case file name without its ending (a package: its folder) → files."""
    if "by_stem" not in index.path_memory:
        stems: dict[str, list[str]] = {}
        for file in index.files:
            stems.setdefault(_stem_path(file.path).rsplit("/", 1)[-1], []).append(file.path)
        index.path_memory["by_stem"] = stems
    held: dict[str, list[str]] = index.path_memory["by_stem"]
    return held


def _stem_path(path: str) -> str:
    stem = path.lower().rsplit(".", 1)[0] if "." in path.rsplit("/", 1)[-1] else path.lower()
    return stem.removesuffix("/__init__").removesuffix("/index").removesuffix("/mod")


def _raise(scores: dict[str, float], path: str, score: float) -> None:
    scores[path] = max(scores.get(path, 0.0), score)
