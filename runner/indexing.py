"""`agenvantage index`: build or refresh, say what was read, follow the tree. And how a wait for an index is shown."""

from __future__ import annotations

import json as json_module
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final, TextIO

from ..context import document
from ..context.git import discover
from ..context.index import RepositoryIndex
from ..context.several import RepositorySet
from . import texts
from .configuration import load, person_environment
from .doors import tell
from .repositories import named_repositories
from .streams import say

_LIVE_WAIT_SECONDS: Final = 0.7
_LIVE_SECONDS: Final = 0.1
_LINE_SECONDS: Final = 5.0
_PACE_SECONDS: Final = 1.0


def index_door(
    flags: Mapping[str, Any], *, stats: bool, watch: bool, repositories: Sequence[str], repo: Path | None, json: bool
) -> int:
    root = discover((repo or Path.cwd()).absolute()).root
    settings = load(flags, repository=root).settings
    named = named_repositories(root, repositories, person_environment())
    with waiting("reading") as told, RepositorySet.open(named, cache_dir=settings.cache_dir, telling=told) as chosen:
        shown = _document(chosen, stats=stats)
        if watch:
            _follow(chosen, shown, json=json)
        else:
            tell(shown, texts.index_text(shown), json=json)
    return 0


def opened(flags: Mapping[str, Any], repo: Path | None) -> RepositoryIndex:
    """The index of the repository that a person means, with all of it read; a long wait is shown."""
    root = discover((repo or Path.cwd()).absolute()).root
    return opened_at(root, load(flags, repository=root).settings.cache_dir)


def opened_at(root: Path, cache_dir: Path) -> RepositoryIndex:
    with waiting("reading") as told:
        return RepositoryIndex.open(root, cache_dir=cache_dir, progress=told(""))


def _document(chosen: RepositorySet, *, stats: bool) -> dict[str, Any]:
    """The document of the first repository, with those of the others in it."""
    shown = {name: document.index_document(index, _counted(name, index) if stats else None) for name, index in chosen}
    (own, first), *others = shown.items()
    return {
        **first,
        "name": own,
        "repositories": [{"name": name, **each} for name, each in others],
        "between": _between(chosen) if stats and others else None,
    }


def _counted(name: str, index: RepositoryIndex) -> Any:
    from ..context.statistics import statistics  # noqa: PLC0415  (edges are resolved for it alone)

    with waiting("relating") as told:
        return statistics(index, told(name))


def _between(chosen: RepositorySet) -> dict[str, Any]:
    from ..context.between import circles, edges_between, needs  # noqa: PLC0415  (as above)

    return document.between_document(edges_between(chosen), circles(needs(chosen)))


# Following


def _follow(chosen: RepositorySet, first: Mapping[str, Any], *, json: bool) -> None:
    """The first document, then a line for each change, until somebody ends it. Raises TreeLost."""
    from ..context.watching import Watch, refreshed  # noqa: PLC0415  (watchfiles loads only here)

    indexes = dict(chosen)
    watch = Watch(index.repository for index in indexes.values())
    say(json_module.dumps(first) if json else texts.index_text(first))
    said = ""
    for roots in watch.looks():
        said = _say_how(watch.folders, watch.polling, said)
        for name, index in indexes.items():
            if index.root in roots:
                found = refreshed(index, watch)
                indexes[name] = found.index
                if found.anything:
                    shown = document.refresh_document(name, found, polling=watch.polling)
                    say(json_module.dumps(shown) if json else texts.refresh_text(shown, alone=len(indexes) == 1))


def _say_how(folders: int, polling: str | None, said: str) -> str:
    """Once, and again when it changes: how the tree is followed."""
    how = f"Looking every 2 seconds: {polling}." if polling else f"Following {folders:,} folders."
    if how.partition(" ")[0] != said.partition(" ")[0]:
        print(f"{how} Ctrl-C ends it.", file=sys.stderr, flush=True)
    return how


# Progress


@contextmanager
def waiting(what: str) -> Iterator[Callable[[str], ProgressLine]]:
    """Makes lines that show how far things are on standard error; they are gone when it ends."""
    live = changes_lines(sys.stderr, person_environment())
    made: list[ProgressLine] = []

    def line(name: str) -> ProgressLine:
        for each in made:
            each.close()
        made.append(ProgressLine(f"{name}: {what}" if name else what, sys.stderr, live=live))
        return made[-1]

    try:
        yield line
    finally:
        for each in made:
            each.close()


def changes_lines(stream: TextIO, variables: Mapping[str, str]) -> bool:
    """Whether a line may be written over: at a terminal, unless it can't or was asked not to."""
    return stream.isatty() and not variables.get("NO_COLOR") and variables.get("TERM") != "dumb"


class ProgressLine:
    """How far long work is: one line that changes at a terminal, a line now and then elsewhere.

    What is soon done is not mentioned.
    """

    def __init__(self, what: str, stream: TextIO, *, live: bool, clock: Callable[[], float] = time.monotonic) -> None:
        self._what = what
        self._stream = stream
        self._live = live
        self._clock = clock
        self._next = clock() + (_LIVE_WAIT_SECONDS if live else _LINE_SECONDS)
        self._first: tuple[float, int] | None = None
        self._shown = 0

    def __call__(self, done: int, total: int) -> None:
        now = self._clock()
        if self._first is None:
            # What it took to get going says nothing of the pace.
            self._first = now, done
        if now >= self._next:
            self._next = now + (_LIVE_SECONDS if self._live else _LINE_SECONDS)
            began, before = self._first
            pace = (done - before) / (now - began) if now - began >= _PACE_SECONDS else None
            self._write(progress_text(self._what, done, total, pace))

    def close(self) -> None:
        """Take the line away."""
        if self._shown:
            self._say("\r" + " " * self._shown + "\r")
            self._shown = 0

    def _write(self, text: str) -> None:
        if self._live:
            self._say("\r" + text.ljust(self._shown))
            self._shown = len(text)
        else:
            self._say(text + "\n")

    def _say(self, text: str) -> None:
        # Nothing depends on its being read.
        with suppress(OSError, ValueError):
            self._stream.write(text)
            self._stream.flush()


def progress_text(what: str, done: int, total: int, pace: float | None) -> str:
    """`reading: 3,200 of 10,000 files, 400 a second, about 17 s left`; `pace` is None while it can't be told."""
    left = f", {pace:,.0f} a second, about {(total - done) / pace:,.0f} s left" if pace and done < total else ""
    return f"{what}: {done:,} of {total:,} files{left}"
