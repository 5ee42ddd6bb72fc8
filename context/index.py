"""The index of one work tree: its files, definitions and words, kept fresh by content id."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from time import perf_counter, time_ns
from types import TracebackType
from typing import Any, Final, Self

from .analysing import same
from .errors import BadRequest, IndexDamaged
from .filed import IndexedFile, Kept, decoded, encoded, filed, key_of, paths_by_number, still
from .files import (
    Listing,
    TreeFile,
    changed_between,
    kept_from_agents,
    listed,
    read_with_status,
    revision_of,
    tree_files,
)
from .filling import Filling, Progress
from .git import Repository, discover
from .languages import language_of, role_of
from .model import RepositoryRevision, Role, SourceNode
from .parse import MAX_BYTES, analyse, line_count, text_of
from .redact import secret_path
from .store import SCHEMA_VERSION, Card, Key, Store, open_store
from .syntax import FileFacts, Symbol
from .tokens import remember_in
from .words import terms_of

INDEX_VERSION: Final = f"index/{SCHEMA_VERSION}"
_FACTS_HELD: Final = 1_024
_ASKED_ONE_BY_ONE: Final = 200
_NOT_SHOWN: Final = ("ignored", "secret", "symlink", "submodule")


class NoWorkTree(BadRequest):
    """A bare repository has no files to index."""

    error_type = "no_work_tree"

    def __init__(self, path: Path) -> None:
        super().__init__(
            f"{path} is a bare repository: it has no files to index.", "Name a checkout or a work tree of it."
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class FileView:
    """A file as it is on disk now. `stale`: the index had another content for it; `cut_off`: only its start is here."""

    path: str
    text: str
    lines: tuple[str, ...]
    symbols: tuple[Symbol, ...]
    language: str | None
    role: Role
    stale: bool = False
    cut_off: bool = False

    def nodes(self) -> tuple[SourceNode, ...]:
        return tuple(node_of(self.path, symbol, self.language, self.role) for symbol in self.symbols)

    def cut(self, start: int, end: int) -> str:
        """Lines `start` to `end`, inclusive, each with its line break."""
        return "".join(line + "\n" for line in self.lines[start - 1 : end])


class RepositoryIndex:
    """What one work tree holds. Open it with `RepositoryIndex.open`; it is also a context manager."""

    def __init__(self, repository: Repository, store: Store, listing: Listing, state: _State, identity: str) -> None:
        self.repository = repository
        self.root = repository.root
        self.name = repository.name
        self.identity = identity
        self.store = store
        self.version = INDEX_VERSION
        self.revision: RepositoryRevision = state.revision
        self.files = state.files
        self.by_path = {file.path: file for file in state.files}
        self.parsed = state.parsed
        """The files that were read for this state of the tree, sorted."""
        self.filling = state.filling
        self.unread = any(file.skipped == "pending" for file in state.files)
        """Whether some file was still to be read, or changed while it was read: the next look takes it in."""
        self.warnings: tuple[str, ...] = ()
        self.memory: dict[str, Any] = {}
        """What was derived from this state of the tree, for whoever asks again. What can `forget` is told to."""
        self.path_memory: dict[str, Any] = {}
        """What was derived from the files' paths and roles alone."""
        self.seconds = 0.0
        self.listing = listing
        """What git and the disk said when the tree was last looked at."""
        self._removals = state.removals
        self._facts: dict[int, FileFacts] = {}

    @classmethod
    def open(
        cls,
        repo: str | Path,
        *,
        cache_dir: Path | None = None,
        identity: str | None = None,
        progress: Progress | None = None,
        background: bool = False,
        processes: int | None = None,
    ) -> RepositoryIndex:
        """The index of the work tree that contains `repo`, refreshed to what is on disk.

        `identity` names the cache entry (default: the repository's own place), so that a work tree made from a
        repository finds its index warm. With `background` it answers at once: new contents are read meanwhile
        (`filling` says how far), `refresh` takes them in, `wait` waits for all. `processes` is how many read many
        files (default: one a core; 0: this one alone). Where the cache folder can't be written the index lives in
        memory and `warnings` says so. Raises NotARepository, NoWorkTree, IndexTooNew.
        """
        repository = discover(Path(repo))
        if repository.bare:
            raise NoWorkTree(repository.root)
        name = identity or str(repository.common_dir)
        cache_dir = cache_dir or default_cache_dir()
        remember_in(cache_dir / "tokens")
        place = cache_dir / "index" / f"{sha256(os.fsencode(name)).hexdigest()[:24]}.sqlite"
        how = _How(progress=progress or _silent, background=background, processes=processes)
        store, warnings = _store_at(place)
        try:
            return _opened(repository, store, name, how, warnings)
        except IndexDamaged:
            store, warnings = _store_at(place)
            return _opened(repository, store, name, how, warnings)
        except (OSError, sqlite3.OperationalError) as full:
            store.close()
            return _opened(repository, Store(None), name, how, (_not_written(full),))

    def refresh(self) -> RepositoryIndex:
        """The index of what is on disk now; itself if nothing changed. Both share one index file."""
        began = perf_counter()
        listing = listed(self.repository, self.listing)
        valid = self.store.removals() == self._removals
        if valid and not self.unread and listing.same_as(self.listing):
            self.listing = listing
            return self
        how = _How(progress=_silent, filling=self.filling if self.filling and self.filling.at_work else None)
        try:
            state = _state_after(self.store, listing, self, how) if valid else _state(self.store, listing, {}, how)
        except (OSError, sqlite3.OperationalError) as full:
            return self._in_memory(listing, full)
        after = RepositoryIndex(self.repository, self.store, listing, state, self.identity)
        after.warnings = self.warnings
        if after.complete and not self.complete:
            _keep(self.store, listing, state)
        if self.by_path.keys() == after.by_path.keys():
            after.path_memory = self.path_memory
        after.seconds = perf_counter() - began
        return after

    def _in_memory(self, listing: Listing, full: Exception) -> RepositoryIndex:
        """The index of a listing where the index file can't take it. This one stays usable beside it."""
        store = Store(None)
        state = _state(store, listing, {}, _How(progress=_silent))
        after = RepositoryIndex(self.repository, store, listing, state, self.identity)
        after.warnings = (_not_written(full),)
        return after

    def wait(self) -> RepositoryIndex:
        """The index once everything has been read. Raises what stopped the reading."""
        if self.filling is None:
            return self
        self.filling.join()
        return self.refresh()

    @property
    def complete(self) -> bool:
        """Whether every content has been read, so that an answer speaks for the whole tree."""
        return self.filling is None

    @property
    def age_seconds(self) -> float:
        """Since the work tree was last looked at."""
        return (time_ns() - self.listing.listed_ns) / 1e9

    def differs_from(self, revision: RepositoryRevision) -> bool:
        """Whether an answer about `revision` is about other content than this index holds."""
        return revision.key != self.revision.key

    def close(self) -> None:
        if self.filling is not None:
            self.filling.stop()
        self.store.close()
        for each in self.memory.values():
            if hasattr(each, "forget"):
                each.forget()
        self.memory.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def view(self, path: str) -> FileView | None:
        """The file on disk now, secrets taken out; None if it is absent, outside the tree, or not to be shown."""
        file = self.by_path.get(path)
        if secret_path(path) or (file is not None and file.skipped in _NOT_SHOWN):
            return None
        if file is None and kept_from_agents(self.root, {path}):
            return None
        found = read_with_status(self.root, path)
        if found is None or b"\0" in found[0][:8_000]:
            return None
        data, status = found
        fresh = (
            file is not None
            and file.skipped != "pending"
            and same(file.content or "", data, status, changed=file.changed, listed_ns=self.listing.listed_ns)
        )
        return _viewed(path, data, self.symbols(path) if fresh else None)

    def keep(self, key: str, value: str | bytes) -> None:
        """Store what was derived, if the index file can be written; it is derived again otherwise."""
        with suppress(OSError, sqlite3.OperationalError):
            self.store.keep_derived(key, value)

    def facts(self, path: str) -> FileFacts:
        """What a file says by itself, as indexed; empty for one of which only the name is known."""
        file = self.by_path.get(path)
        return self.facts_of(file.number) if file is not None and file.number is not None else FileFacts()

    def facts_of(self, number: int) -> FileFacts:
        """What a content says by itself."""
        held = self._facts.get(number)
        if held is None:
            if len(self._facts) >= _FACTS_HELD:
                self._facts.clear()
            held = self._facts[number] = self.store.facts(number)
        return held

    def symbols(self, path: str) -> tuple[Symbol, ...]:
        """The definitions in a file as indexed."""
        return self.facts(path).symbols

    def nodes(self, path: str) -> tuple[SourceNode, ...]:
        """The definitions in a file as indexed, as nodes."""
        file = self.by_path[path]
        return tuple(node_of(path, symbol, file.language, file.role) for symbol in self.symbols(path))

    def paths_of(self, number: int) -> tuple[str, ...]:
        """The files that have this content, sorted."""
        return tuple(self.paths().get(number, ()))

    def paths(self) -> Mapping[int, list[str]]:
        """Which files have each content, sorted."""
        if "paths" not in self.memory:
            self.memory["paths"] = paths_by_number(self.files)
        held: Mapping[int, list[str]] = self.memory["paths"]
        return held

    def defining(self, name: str) -> tuple[int, ...]:
        """Contents of this tree that define this name, whatever its case."""
        return tuple(number for number in self.store.defining(name) if self.paths_of(number))

    def mentioning(self, name: str) -> tuple[int, ...] | None:
        """Contents of this tree that may hold this identifier, none left out; None where that can't be told."""
        terms = terms_of(name)
        if not terms:
            return None
        found = self.store.postings(terms[:1])
        return tuple(sorted(number for each in found.values() for number in each.numbers if self.paths_of(number)))


@dataclass(frozen=True, slots=True, kw_only=True)
class _How:
    """How contents that are missing are to be read; `filling` is one that is at work already."""

    progress: Progress
    background: bool = False
    processes: int | None = None
    filling: Filling | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _State:
    """A work tree as the index file knows it."""

    revision: RepositoryRevision
    files: tuple[IndexedFile, ...]
    removals: int
    parsed: tuple[str, ...] = ()
    filling: Filling | None = None


def _opened(
    repository: Repository, store: Store, identity: str, how: _How, warnings: tuple[str, ...]
) -> RepositoryIndex:
    began = perf_counter()
    listing = listed(repository)
    state = _kept(store, listing)
    if state is None:
        state = _state(store, listing, _last_known(store), how)
        _keep(store, listing, state)
    index = RepositoryIndex(repository, store, listing, state, identity)
    index.warnings = warnings
    index.seconds = perf_counter() - began
    return index


def _kept(store: Store, listing: Listing) -> _State | None:
    """The state as it was put together for the same listing, if nothing was removed since."""
    data = store.tree(listing.digest)
    with store.decoding():
        kept = decoded(data) if data is not None else None
    if kept is None or kept.removals != store.removals():
        return None
    return _State(revision=revision_of(listing, kept.files, kept.key), files=kept.files, removals=kept.removals)


def _keep(store: Store, listing: Listing, state: _State) -> None:
    data = encoded(Kept(state.removals, state.revision.key, state.files)) if state.filling is None else None
    if data is not None:
        with suppress(OSError, sqlite3.OperationalError):
            store.keep_tree(listing.digest, data)


def _last_known(store: Store) -> Mapping[str, IndexedFile]:
    """What was known of the files of the tree that was kept last: most of it holds for the next."""
    data = store.newest_tree()
    with store.decoding():
        kept = decoded(data) if data is not None else None
    return {file.path: file for file in kept.files} if kept and kept.removals == store.removals() else {}


def _state(store: Store, listing: Listing, known: Mapping[str, IndexedFile], how: _How) -> _State:
    """The files of a listing with what is known of their contents; what is missing is read, now or meanwhile."""
    tree = tree_files(listing)
    fresh = [file for file in tree if not still(known.get(file.path), file)]
    kept = {file.path: known[file.path] for file in tree if file.path in known}
    return _taken(store, listing, kept, fresh, how)


def _state_after(store: Store, listing: Listing, before: RepositoryIndex, how: _How) -> _State:
    """As `_state`, from the index of a moment ago: only paths that changed since are looked at."""
    changed = changed_between(before.listing, listing)
    if changed is None:
        return _state(store, listing, before.by_path, how)
    if before.unread:
        pending = (file for file in before.files if file.skipped == "pending" and file.path not in changed)
        changed |= {f.path: TreeFile(f.path, f.content, f.changed, f.left_out) for f in pending}
    kept = {path: file for path, file in before.by_path.items() if changed.get(path, file) is not None}
    return _taken(store, listing, kept, [file for file in changed.values() if file is not None], how)


def _taken(store: Store, listing: Listing, kept: dict[str, IndexedFile], fresh: list[TreeFile], how: _How) -> _State:
    """What is kept, with the fresh files in their places."""
    removals = store.removals()
    wanted = {key_of(file): file for file in reversed(fresh) if file.skipped is None}
    cards = _cards(store, wanted.keys())
    missing = {key: file for key, file in wanted.items() if key not in cards}
    filling = _read(store, listing, missing, how) if missing else None
    if missing and filling is None:
        cards |= _cards(store, missing.keys())
    for file in fresh:
        kept[file.path] = filed(file, cards.get(key_of(file)) if file.skipped is None else None)
    files = tuple(kept[path] for path in sorted(kept))
    if missing and filling is None and store.prune({file.number for file in files if file.number is not None}):
        removals += 1
    return _State(
        revision=revision_of(listing, files),
        files=files,
        removals=removals,
        parsed=tuple(sorted(file.path for file in missing.values())),
        filling=filling,
    )


def _read(store: Store, listing: Listing, missing: Mapping[Key, TreeFile], how: _How) -> Filling | None:
    """Read what is missing; the filling, where that goes on in the background."""
    if how.filling is not None:
        return how.filling
    filling = Filling(listing.root, missing, listing.listed_ns, processes=how.processes)
    if how.background:
        filling.start(store, how.progress)
        return filling
    filling.run(store, how.progress)
    return None


def _cards(store: Store, keys: Collection[Key]) -> dict[Key, Card]:
    """What is known of these contents; asked one by one where they are few."""
    if len(keys) > _ASKED_ONE_BY_ONE:
        known = store.cards()
        return {key: known[key] for key in keys if key in known}
    return {key: card for key in keys if (card := store.card(key)) is not None}


def default_cache_dir() -> Path:
    """`$AGENVANTAGE_CACHE_DIR`, else `agenvantage` in `$XDG_CACHE_HOME` or in `~/.cache`."""
    own, base = os.environ.get("AGENVANTAGE_CACHE_DIR"), os.environ.get("XDG_CACHE_HOME")
    if own:
        return Path(own)
    return (Path(base) if base else Path.home() / ".cache") / "agenvantage"


def node_of(path: str, symbol: Symbol, language: str | None, role: Role) -> SourceNode:
    return SourceNode(
        id=f"{path}:{symbol.start}-{symbol.end}#{symbol.name}",
        path=path,
        kind=symbol.kind,
        name=symbol.name,
        start=symbol.start,
        end=symbol.end,
        language=language,
        role=role,
        signature=symbol.signature,
        container=symbol.container,
        visibility=symbol.visibility,
    )


def _viewed(path: str, data: bytes, symbols: tuple[Symbol, ...] | None) -> FileView:
    """The bytes as a view; `symbols` are those that the index has of them, None if it has others."""
    cut_off = len(data) > MAX_BYTES
    text = text_of(data[: data.rfind(b"\n", 0, MAX_BYTES) + 1 or MAX_BYTES] if cut_off else data)
    language = language_of(path)
    return FileView(
        path=path,
        text=text,
        lines=tuple(line.removesuffix("\r") for line in text.split("\n")[: line_count(text)]),
        symbols=analyse(data, path).symbols if symbols is None else symbols,
        language=language.name if language else None,
        role=role_of(path),
        stale=symbols is None,
        cut_off=cut_off,
    )


def _not_written(full: Exception) -> str:
    return f"The index could not be written ({full}); it is kept in memory for this time."


def _store_at(place: Path) -> tuple[Store, tuple[str, ...]]:
    try:
        return open_store(place), ()
    except (OSError, sqlite3.OperationalError) as unusable:
        return Store(None), (
            f"The cache folder {place.parent} can't be used ({unusable}); the index is kept in memory.",
        )


def _silent(_done: int, _all: int) -> None:
    """Nobody wants to know."""
