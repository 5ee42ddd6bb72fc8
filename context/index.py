"""The index of one work tree: its files, definitions and words, kept fresh by content id."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from itertools import islice
from pathlib import Path
from time import perf_counter
from types import TracebackType
from typing import Any, Final, Self

from .errors import BadRequest
from .files import Tree, TreeFile, content_id, kept_from_agents, read, scan
from .git import Repository, discover
from .languages import language_of, role_of
from .model import RepositoryRevision, Role, SourceNode
from .parse import MAX_BYTES, Analysis, Skipped, Symbol, analyse, line_count, text_of
from .redact import secret_path
from .store import SCHEMA_VERSION, Card, IndexDamaged, Key, Store, open_store
from .tokens import remember_in

INDEX_VERSION: Final = f"index/{SCHEMA_VERSION}"
_BATCH: Final = 400

Progress = Callable[[int, int], None]
"""Called with how many files of how many have been read."""


class NoWorkTree(BadRequest):
    """A bare repository has no files to index."""

    error_type = "no_work_tree"

    def __init__(self, path: Path) -> None:
        super().__init__(
            f"{path} is a bare repository: it has no files to index.", "Name a checkout or a work tree of it."
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexedFile:
    """A file of the work tree. `number` is None where only its name is known (`skipped` says why)."""

    path: str
    content: str | None
    language: str | None
    role: Role
    number: int | None
    lines: int | None
    length: int
    outline: str = ""
    skipped: Skipped | None = None
    changed: bool = False
    parser: str = "lines"


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

    def __init__(
        self,
        repository: Repository,
        store: Store,
        *,
        identity: str,
        warnings: tuple[str, ...] = (),
        progress: Progress | None = None,
        cards: dict[Key, Card] | None = None,
        tree: Tree | None = None,
    ) -> None:
        began = perf_counter()
        self.repository = repository
        self.root = repository.root
        self.identity = identity
        self.store = store
        self.warnings = warnings
        tree = tree or scan(repository)
        self._cards = store.cards() if cards is None else cards
        self.parsed = self._read_missing(tree.files, progress or _silent)
        self.revision: RepositoryRevision = tree.revision
        self.files = tuple(_indexed(file, self._cards) for file in tree.files)
        self.by_path = {file.path: file for file in self.files}
        self.version = INDEX_VERSION
        self.name = repository.name
        self.memory: dict[str, Any] = {}
        """What was derived from this state of the tree, for whoever asks again."""
        self.seconds = perf_counter() - began

    @classmethod
    def open(
        cls,
        repo: str | Path,
        *,
        cache_dir: Path | None = None,
        identity: str | None = None,
        progress: Progress | None = None,
    ) -> RepositoryIndex:
        """The index of the work tree that contains `repo`, refreshed to what is on disk.

        `identity` names the cache entry (default: the repository's own place), so that a work tree made from a
        repository finds its index warm. Where the cache folder can't be written the index lives in memory and
        `warnings` says so. Raises NotARepository, NoWorkTree, IndexTooNew.
        """
        repository = discover(Path(repo))
        if repository.bare:
            raise NoWorkTree(repository.root)
        name = identity or str(repository.common_dir)
        cache_dir = cache_dir or default_cache_dir()
        remember_in(cache_dir / "tokens")
        place = cache_dir / "index" / f"{sha256(os.fsencode(name)).hexdigest()[:24]}.sqlite"
        store, warnings = _store_at(place)
        try:
            return cls(repository, store, identity=name, warnings=warnings, progress=progress)
        except IndexDamaged:
            store, warnings = _store_at(place)
            return cls(repository, store, identity=name, warnings=warnings, progress=progress)
        except (OSError, sqlite3.OperationalError) as full:
            store.close()
            note = (f"The index could not be written ({full}); it is kept in memory for this time.",)
            return cls(repository, Store(None), identity=name, warnings=note, progress=progress)

    def refresh(self) -> RepositoryIndex:
        """The index of what is on disk now; itself if nothing changed. Both share one index file."""
        tree = scan(self.repository)
        if tree.revision == self.revision:
            return self
        return RepositoryIndex(
            self.repository, self.store, identity=self.identity, warnings=self.warnings, cards=self._cards, tree=tree
        )

    def close(self) -> None:
        self.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def view(self, path: str) -> FileView | None:
        """The file on disk now, secrets taken out; None if it is absent, outside the tree, or not to be shown."""
        file = self.by_path.get(path)
        if secret_path(path) or (file is not None and file.skipped in ("ignored", "secret", "symlink", "submodule")):
            return None
        if file is None and kept_from_agents(self.root, {path}):
            return None
        data = read(self.root, path)
        if data is None or b"\0" in data[:8_000]:
            return None
        cut_off = len(data) > MAX_BYTES
        text = text_of(data[: data.rfind(b"\n", 0, MAX_BYTES) + 1 or MAX_BYTES] if cut_off else data)
        fresh = file is not None and file.content == content_id(data)
        symbols: tuple[Symbol, ...]
        if fresh and file is not None:
            symbols = self.store.symbols(file.number) if file.number is not None else ()
        else:
            symbols = analyse(data, path).symbols
        language = language_of(path)
        return FileView(
            path=path,
            text=text,
            lines=_lines(text),
            symbols=symbols,
            language=language.name if language else None,
            role=role_of(path),
            stale=not fresh,
            cut_off=cut_off,
        )

    def keep(self, key: str, value: str) -> None:
        """Store what was derived, if the index file can be written; it is derived again otherwise."""
        with suppress(OSError, sqlite3.OperationalError):
            self.store.keep_derived(key, value)

    def symbols(self, path: str) -> tuple[Symbol, ...]:
        """The definitions in a file as indexed."""
        file = self.by_path.get(path)
        return self.store.symbols(file.number) if file is not None and file.number is not None else ()

    def nodes(self, path: str) -> tuple[SourceNode, ...]:
        """The definitions in a file as indexed, as nodes."""
        file = self.by_path[path]
        return tuple(node_of(path, symbol, file.language, file.role) for symbol in self.symbols(path))

    def paths_of(self, number: int) -> tuple[str, ...]:
        """The files that have this content, sorted."""
        if "paths" not in self.memory:
            paths: dict[int | None, list[str]] = {}
            for file in self.files:
                paths.setdefault(file.number, []).append(file.path)
            self.memory["paths"] = paths
        return tuple(self.memory["paths"].get(number, ()))

    def _read_missing(self, files: tuple[TreeFile, ...], progress: Progress) -> tuple[str, ...]:
        """Analyse contents that the index file lacks, in batches that are kept as they come."""
        missing = {_key(file): file for file in files if file.skipped is None and _key(file) not in self._cards}
        done = 0
        for batch in _batches(iter(missing.items())):
            analyses = {}
            for key, file in batch:
                analysis = self._analyse(file)
                if analysis is not None:
                    analyses[key] = analysis
            self.store.add(analyses)
            done += len(batch)
            progress(done, len(missing))
        if missing:
            self.store.fold()
            self._cards.clear()
            self._cards.update(self.store.cards())
            self.store.prune({card.number for file in files if (card := self._cards.get(_key(file)))})
        return tuple(sorted(file.path for file in missing.values()))

    def _analyse(self, file: TreeFile) -> Analysis | None:
        """None if the file vanished or became another one since it was listed: it is not half in."""
        data = read(self.root, file.path)
        if data is None:
            return None
        if file.changed and len(data) <= MAX_BYTES and content_id(data) != file.content:
            return None
        return analyse(data, file.path)


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


def _store_at(place: Path) -> tuple[Store, tuple[str, ...]]:
    try:
        return open_store(place), ()
    except (OSError, sqlite3.OperationalError) as unusable:
        return Store(None), (
            f"The cache folder {place.parent} can't be used ({unusable}); the index is kept in memory.",
        )


def _silent(_done: int, _all: int) -> None:
    """Nobody wants to know."""


def _key(file: TreeFile) -> Key:
    language = language_of(file.path)
    return file.content or "", language.name if language else ""


def _batches(items: Iterator[tuple[Key, TreeFile]]) -> Iterator[list[tuple[Key, TreeFile]]]:
    while batch := list(islice(items, _BATCH)):
        yield batch


def _indexed(file: TreeFile, cards: dict[Key, Card]) -> IndexedFile:
    key = _key(file)
    card = cards.get(key) if file.skipped is None else None
    skipped = card.skipped if card else file.skipped or "absent"
    return IndexedFile(
        path=file.path,
        content=file.content,
        language=key[1] or None,
        role="generated" if skipped in ("generated", "minified") else role_of(file.path),
        number=card.number if card else None,
        lines=card.lines if card else None,
        length=card.length if card else 0,
        outline=card.outline if card else "",
        skipped=skipped,
        changed=file.changed,
        parser=card.parser if card else "lines",
    )


def _lines(text: str) -> tuple[str, ...]:
    return tuple(line.removesuffix("\r") for line in text.split("\n")[: line_count(text)])
