"""Follows work trees as they change: the door to the file system's events. Where there are none it looks now and then.

Only folders that git does not ignore are watched, one by one, so that a large `node_modules` costs nothing. An event
says only *that* something may have changed; what changed is for the index to find out.
"""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from .errors import AgenVantageError, CannotProceed
from .filed import IndexedFile
from .git import Repository, git, listed, names
from .index import RepositoryIndex

_QUIET_MS: Final = 300
_MOST_MS: Final = 2_000
_TICK_MS: Final = 1_000
_QUIET_TICKS: Final = 60
_POLL_SECONDS: Final = 2.0
_TRIES: Final = 3
_TRY_SECONDS: Final = 0.5
_MOST_REMEMBERED: Final = 50_000
_ADDED: Final = 1
_RULES: Final = frozenset({".gitignore", "exclude"})
_STATE: Final = frozenset({"HEAD", "index", "packed-refs", "tables.list", "exclude"})
_EVENTLESS: Final = frozenset({
    "9p", "afs", "cifs", "drvfs", "fuse.gvfsd-fuse", "fuse.sshfs", "fuse.vmhgfs-fuse", "nfs", "nfs4", "prl_fs", "smb3",
    "smbfs", "vboxsf", "virtiofs", "vmhgfs",
})  # fmt: skip
"""File systems that others change without our kernel's knowing."""
_EACH_FOLDER: Final = sys.platform != "darwin"
"""There one stream of events is for a whole tree, and a stream for each folder is dear."""

Burst = set[tuple[int, Path]]
"""What happened since the last one: what kind of change, and where. Empty when nothing did for a second."""
Events = Callable[[Sequence[Path]], Generator[Burst]]
"""Watches folders, without those in them."""


class TreeLost(CannotProceed):
    """The work tree vanished, or another folder took its place, while it was followed."""

    error_type = "tree_lost"

    def __init__(self, root: Path) -> None:
        super().__init__(
            f"The work tree {root} is gone: it was removed or replaced while it was followed.",
            "Run the command again where it is now.",
        )


class Watch:
    """Tells when work trees may have changed. `polling` is why it looks by the clock; None where events tell."""

    def __init__(
        self,
        repositories: Iterable[Repository],
        *,
        events: Events | None = None,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        self._trees = tuple(_Tree(each) for each in repositories)
        self._roots = frozenset(each.root for each in self._trees)
        self._events = events or by_system()
        self._pause = pause
        self.folders = 0
        """How many are watched."""
        self.polling: str | None = next(
            (f"{kind} does not tell of changes" for root in sorted(self._roots) if (kind := eventless(root))), None
        )

    def looks(self) -> Iterator[frozenset[Path]]:
        """The roots that are worth a look: after each burst of changes, and soon after the start. Raises TreeLost."""
        failed = 0
        while self.polling is None:
            try:
                yield from self._by_events()
            except AgenVantageError:
                # Git may stumble over a change in the making.
                failed += 1
                self.still_there()
                if failed > _TRIES:
                    raise
                self._pause(_TRY_SECONDS)
            except (OSError, RuntimeError) as refused:
                # A folder that vanished before it was watched is not there at the next try.
                failed += 1
                self.still_there()
                if not isinstance(refused, FileNotFoundError) or failed > _TRIES:
                    self.polling = f"the system does not let its folders be watched: {_reason(refused)}"
        while True:
            self._pause(_POLL_SECONDS)
            self.still_there()
            yield self._roots

    def still_there(self) -> None:
        """Raises TreeLost."""
        for tree in self._trees:
            if not tree.is_there():
                raise TreeLost(tree.root)

    def _by_events(self) -> Iterator[frozenset[Path]]:
        """Until other folders are to be watched."""
        watched = {folder for tree in self._trees for folder in tree.folders()}
        self.folders = len(watched)
        quiet = _QUIET_TICKS  # What happened before the watch was set was not seen: look at once.
        with closing(self._events(sorted(watched))) as bursts:
            for burst in bursts:
                self.still_there()
                meant = frozenset(tree.root for tree in self._trees if tree.is_meant_by(burst))
                roots = meant if quiet < _QUIET_TICKS else self._roots
                quiet = 0 if roots else quiet + 1
                if roots:
                    yield roots
                if any(tree.has_other_folders(burst, watched) for tree in self._trees):
                    return


class _Tree:
    """One work tree: which of its paths matter."""

    def __init__(self, repository: Repository) -> None:
        self.root = repository.root
        self._place = _place_of(repository.root)
        self._state = tuple(dict.fromkeys((repository.git_dir, repository.common_dir)))
        self._gits = (*self._state, repository.root / ".git")
        self._heads = repository.common_dir / "refs" / "heads"
        self._own: set[Path] = set()
        self._ignored: set[Path] = set()

    def is_there(self) -> bool:
        known = all((place / "HEAD").exists() for place in self._state)
        return known and self._place is not None and _place_of(self.root) == self._place

    def folders(self) -> Iterator[Path]:
        """The folders to watch: where git notes what is checked out, and those of the tree that are not ignored."""
        for place in self._state:
            yield from (
                inner for inner in (place, *map(place.joinpath, ("logs", "info", "reftable"))) if inner.is_dir()
            )
        yield from (Path(folder) for folder, _, _ in os.walk(self._heads))
        if not _EACH_FOLDER:
            yield self.root
            return
        left_out = self._ignored_folders()
        for path, inner, files in os.walk(self.root):
            folder = Path(path)
            if folder != self.root and (".git" in inner or ".git" in files):
                inner.clear()  # A repository of its own.
                continue
            inner[:] = [name for name in inner if name != ".git" and folder / name not in left_out]
            yield folder

    def is_meant_by(self, burst: Burst) -> bool:
        """Whether it is about files that count: not about ignored ones, of git's own about its state alone."""
        paths = {path for _, path in burst}
        if any(path.name in _RULES for path in paths) or len(self._own) > _MOST_REMEMBERED:
            self._own.clear()
            self._ignored.clear()
        inside = {path for path in paths if path.is_relative_to(self.root) and not self._is_gits(path)}
        if unknown := inside - self._own - self._ignored:
            ignored = _ignored(self.root, unknown)
            self._ignored |= ignored
            self._own |= unknown - ignored
        return not inside <= self._ignored or any(map(self._is_state, paths))

    def has_other_folders(self, burst: Burst, watched: set[Path]) -> bool:
        """Whether there is a new folder, or one again that was gone, or other rules on which to leave out."""
        return any(path.name in _RULES for _, path in burst) or any(
            (path not in watched or kind == _ADDED)
            and (path in self._own or path.is_relative_to(self._heads))
            and path.is_dir()
            and not path.is_symlink()
            for kind, path in burst
        )

    def _is_gits(self, path: Path) -> bool:
        return any(path.is_relative_to(place) for place in self._gits)

    def _is_state(self, path: Path) -> bool:
        if path.name.endswith(".lock"):
            return False
        return path.is_relative_to(self._heads) or (path.name in _STATE and self._is_gits(path))

    def _ignored_folders(self) -> frozenset[Path]:
        """The outermost folders that the tree's rules leave out."""
        asked = ("ls-files", "--others", "--ignored", "--exclude-standard", "--directory", "-z")
        folders = {self.root / name for name in names(git(self.root, *asked)) if name.endswith("/")}
        # Git names a folder also when all that is in it now is ignored: a file that comes may not be.
        return frozenset(_ignored(self.root, folders))


@dataclass(frozen=True, slots=True, kw_only=True)
class Refreshed:
    """What a look at a tree found. Paths are sorted; `index` is the one that holds now."""

    index: RepositoryIndex
    changed: tuple[str, ...]
    added: tuple[str, ...]
    removed: tuple[str, ...]
    moved: bool
    """Whether another commit is checked out than before."""
    seconds: float

    @property
    def anything(self) -> bool:
        return bool(self.changed or self.added or self.removed or self.moved)


def refreshed(before: RepositoryIndex, watch: Watch) -> Refreshed:
    """Look what changed. Git may stumble over a change in the making: then it is asked again. Raises TreeLost."""
    began = time.perf_counter()
    after = _refreshed(before, watch)
    old, new = before.by_path, after.by_path
    return Refreshed(
        index=after,
        changed=tuple(sorted(path for path in old.keys() & new.keys() if _content(old[path]) != _content(new[path]))),
        added=tuple(sorted(new.keys() - old.keys())),
        removed=tuple(sorted(old.keys() - new.keys())),
        moved=after.revision.commit != before.revision.commit,
        seconds=time.perf_counter() - began,
    )


def _refreshed(before: RepositoryIndex, watch: Watch) -> RepositoryIndex:
    for _ in range(_TRIES - 1):
        try:
            return before.refresh()
        except AgenVantageError:
            watch.still_there()
            time.sleep(_TRY_SECONDS)
    return before.refresh()


def _content(file: IndexedFile) -> tuple[str | None, str | None]:
    return file.content, file.skipped


def eventless(folder: Path, mounts: Path = Path("/proc/self/mountinfo")) -> str | None:
    """The kind of the file system a folder is on, if it is one without events; None also where that is unknown."""
    try:
        lines = mounts.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return None
    around: dict[Path, str] = {}
    for line in lines:
        head, _, tail = line.partition(" - ")
        point = Path(re.sub(r"\\(\d{3})", lambda octal: chr(int(octal.group(1), 8)), head.split(" ")[4]))
        if folder.is_relative_to(point):
            around[point] = tail.split(" ")[0]
    kind = around[max(around, key=lambda point: len(point.parts))] if around else None
    return kind if kind in _EVENTLESS else None


def by_system() -> Events:
    """Events of the operating system; a burst ends when it was quiet for a moment."""
    from watchfiles import watch  # noqa: PLC0415  (only who follows a tree pays for it)

    def events(folders: Sequence[Path]) -> Generator[Burst]:
        bursts = watch(
            *folders,
            watch_filter=None,
            debounce=_MOST_MS,
            step=_QUIET_MS,
            rust_timeout=_TICK_MS,
            yield_on_timeout=True,
            force_polling=False,
            recursive=not _EACH_FOLDER,
            # Told to pass over folders without permission, it would pass over a limit that is reached as well.
            ignore_permission_denied=False,
        )
        with closing(bursts):
            for burst in bursts:
                yield {(int(kind), Path(path)) for kind, path in burst}

    return events


def _place_of(root: Path) -> tuple[int, int] | None:
    try:
        found = root.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _ignored(root: Path, paths: set[Path]) -> set[Path]:
    """Those that the tree's rules leave out, and git does not track."""
    below = {str(path.relative_to(root)): path for path in sorted(paths)}
    if not below:
        return set()
    # 128: one of them is behind a link or in another repository, and can't be asked for. Then all count.
    found = names(git(root, "check-ignore", "-z", "--stdin", stdin=listed(below), accept=(0, 1, 128)))
    return {below[name] for name in found if name in below}


def _reason(refused: Exception) -> str:
    """In a line; which of the folders it was is not the point."""
    return (str(refused).splitlines() or [type(refused).__name__])[0].partition(" about [")[0].rstrip(".")
