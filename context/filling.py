"""Reads contents that the index file lacks, at once or in the background, and says how far it is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import closing
from os import fsencode
from pathlib import Path
from threading import Event, Thread
from time import perf_counter
from typing import Final

from .analysing import Job
from .files import TreeFile
from .packed import Packed
from .store import Key, Store
from .workers import analysed

_KEPT_AT_ONCE: Final = 2_000

Progress = Callable[[int, int], None]
"""Called with how many files of how many have been read."""


class Filling:
    """The reading of new contents: `done` of `total` files. In the background it has a thread of its own."""

    def __init__(self, root: Path, missing: Mapping[Key, TreeFile], listed_ns: int, *, processes: int | None) -> None:
        self.total = len(missing)
        self.done = 0
        self.failure: Exception | None = None
        self._root = root
        self._jobs = {
            Job(path=fsencode(file.path), content=key[0], changed=file.changed, listed_ns=listed_ns): key
            for key, file in missing.items()
        }
        self._processes = processes
        self._began = perf_counter()
        self._stop = Event()
        self._thread: Thread | None = None

    @property
    def seconds(self) -> float:
        """Since it began."""
        return perf_counter() - self._began

    @property
    def seconds_left(self) -> float | None:
        """By the pace so far; None before the first file."""
        return self.seconds * (self.total - self.done) / self.done if self.done else None

    @property
    def at_work(self) -> bool:
        return self._thread is not None and self._thread.is_alive()

    def run(self, store: Store, progress: Progress) -> None:
        """Read all of it into the store; what has been kept stays when this is stopped on the way."""
        found: dict[Key, Packed] = {}
        gently = self._thread is not None
        with closing(analysed(self._root, list(self._jobs), processes=self._processes, gently=gently)) as results:
            for batch in results:
                found.update((self._jobs[job], packed) for job, packed in batch if packed is not None)
                self.done += len(batch)
                if len(found) >= _KEPT_AT_ONCE:
                    store.add(found)
                    found = {}
                progress(self.done, self.total)
                if self._stop.is_set():
                    break
        store.add(found)
        store.fold()

    def start(self, store: Store, progress: Progress) -> None:
        """Run in the background, on a connection of its own so that no reader waits."""
        self._thread = Thread(target=self._in_background, args=(store, progress), daemon=True)
        self._thread.start()

    def _in_background(self, store: Store, progress: Progress) -> None:
        own = store if store.path is None else Store(store.path)
        try:
            self.run(own, progress)
        except Exception as error:  # noqa: BLE001  (told to whoever waits)
            self.failure = error
        finally:
            if own is not store:
                own.close()

    def join(self, limit_seconds: float | None = None) -> None:
        """Wait for its end, or so long. Raises what stopped it."""
        if self._thread is not None:
            self._thread.join(limit_seconds)
        if self.failure is not None:
            raise self.failure

    def stop(self) -> None:
        """End it after the files at hand."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join()
