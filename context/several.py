"""Several repositories side by side: an index each, places as `name:path`, and a look at all of them at once."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final, Self

from .errors import BadRequest
from .filling import Progress
from .git import Repository, discover
from .index import FileView, RepositoryIndex
from .syntax import FileFacts

_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")

Telling = Callable[[str], Progress]
"""Makes the progress of one repository, by its name."""


class BadName(BadRequest):
    """A name that can't stand before a path."""

    error_type = "bad_repository_name"

    def __init__(self, name: str) -> None:
        super().__init__(
            f"A repository can't be called {name!r}.",
            "Use letters, digits, `.`, `_` and `-`, and begin with a letter or digit.",
        )


class RepeatedName(BadRequest):
    """Two repositories of one name."""

    error_type = "repeated_repository_name"

    def __init__(self, name: str) -> None:
        super().__init__(f"Two repositories are called {name!r}.", "Give each a name of its own.")


class RepeatedRepository(BadRequest):
    """One work tree under two names."""

    error_type = "repeated_repository"

    def __init__(self, one: str, other: str, root: Path) -> None:
        super().__init__(f"{one!r} and {other!r} are the same repository, {root}.", "Name it once.")


class MissingRepository(BadRequest):
    """There is no repository where one was said to be."""

    error_type = "missing_repository"

    def __init__(self, name: str, path: Path) -> None:
        super().__init__(
            f"The repository {name!r} was to be at {path}; there is none.", "Correct its path, or leave it out."
        )


class UnknownRepository(BadRequest):
    """A name that no repository of the set has."""

    error_type = "unknown_repository"

    def __init__(self, name: str, known: Iterable[str]) -> None:
        super().__init__(f"There is no repository {name!r} here.", f"Repositories: {', '.join(known)}.")


def by_name(pairs: Iterable[tuple[str, Path]]) -> dict[str, Path]:
    """The pairs as a table. Raises BadName, RepeatedName."""
    found: dict[str, Path] = {}
    for name, path in pairs:
        if not _NAME.fullmatch(name):
            raise BadName(name)
        if name in found:
            raise RepeatedName(name)
        found[name] = path
    return found


class RepositorySet:
    """The indexes of several repositories by name, in the order given. Also a context manager.

    They know nothing of each other: how they are related is asked of `between.py`.
    """

    def __init__(self, indexes: Mapping[str, RepositoryIndex]) -> None:
        self.indexes = dict(indexes)

    @classmethod
    def open(
        cls,
        repositories: Mapping[str, str | Path],
        *,
        cache_dir: Path | None = None,
        telling: Telling | None = None,
        background: bool = False,
        processes: int | None = None,
    ) -> RepositorySet:
        """An index for each, refreshed to what is on disk; the rest as for `RepositoryIndex.open`.

        All names and places are looked at before the first is read. Raises BadName, MissingRepository,
        RepeatedRepository, and what opening an index raises.
        """
        places = _places(by_name((name, Path(path)) for name, path in repositories.items()))
        indexes: dict[str, RepositoryIndex] = {}
        try:
            for name, place in places.items():
                indexes[name] = RepositoryIndex.open(
                    place.root,
                    cache_dir=cache_dir,
                    progress=telling(name) if telling else None,
                    background=background,
                    processes=processes,
                )
        except BaseException:
            _close(indexes.values())
            raise
        return cls(indexes)

    def __iter__(self) -> Iterator[tuple[str, RepositoryIndex]]:
        return iter(self.indexes.items())

    def __getitem__(self, name: str) -> RepositoryIndex:
        """Raises UnknownRepository."""
        if name not in self.indexes:
            raise UnknownRepository(name, self.indexes)
        return self.indexes[name]

    def placed(self, location: str) -> tuple[RepositoryIndex, str]:
        """`name:path` → the index and the path in it. Raises UnknownRepository."""
        name, _, path = location.partition(":")
        return self[name], path

    def view(self, location: str) -> FileView | None:
        """The file at `name:path` as it is now; None as for `RepositoryIndex.view`."""
        index, path = self.placed(location)
        return index.view(path)

    def facts(self, location: str) -> FileFacts:
        """What the file at `name:path` says by itself, as indexed."""
        index, path = self.placed(location)
        return index.facts(path)

    def defining(self, name: str) -> tuple[str, ...]:
        """The files of all repositories that define a name, whatever its case, as `name:path`."""
        return tuple(
            f"{where}:{path}"
            for where, index in self
            for path in sorted(path for number in index.defining(name) for path in index.paths_of(number))
        )

    @property
    def complete(self) -> bool:
        return all(index.complete for _, index in self)

    def refresh(self) -> RepositorySet:
        """What is on disk now; itself where nothing changed."""
        after = {name: index.refresh() for name, index in self}
        return self if all(after[name] is index for name, index in self) else RepositorySet(after)

    def wait(self) -> RepositorySet:
        """The set once everything has been read."""
        return RepositorySet({name: index.wait() for name, index in self})

    def close(self) -> None:
        _close(self.indexes.values())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _places(named: Mapping[str, Path]) -> dict[str, Repository]:
    """Where each repository is; each of them once."""
    found: dict[str, Repository] = {}
    names: dict[Path, str] = {}
    for name, path in named.items():
        try:
            place = discover(path)
        except BadRequest as missing:
            raise MissingRepository(name, path) from missing
        root = place.root.resolve()
        if root in names:
            raise RepeatedRepository(names[root], name, root)
        found[name], names[root] = place, name
    return found


def _close(indexes: Iterable[RepositoryIndex]) -> None:
    for index in indexes:
        index.close()
