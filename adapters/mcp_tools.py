"""The tools over one work tree: the index behind them, opened at first need and fresh at each answer."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ..context.errors import AgenVantageError, BadRequest, CannotProceed, IndexDamaged
from ..context.tools import INSTRUCTIONS, TOOLS, call
from .mcp_log import CallLog

if TYPE_CHECKING:
    from ..context.answers import ToolResult
    from ..context.filling import Filling
    from ..context.index import RepositoryIndex

ROOT_KEY: Final = "agenvantage/root"
"""In `_meta`: which tree an answer is about; in a request: which tree it must be about."""
PATIENCE_SECONDS: Final = 2.0
"""How long an answer may wait for an index that is being built: most are done by then."""
_NAMES: Final = frozenset(tool.name for tool in TOOLS)
_SEARCHING: Final = frozenset(tool.name for tool in TOOLS if tool.searches)
_LONGEST_NAME: Final = 100


class NoSuchTree(BadRequest):
    """The folder that the tools are to be about is not there."""

    error_type = "no_such_tree"

    def __init__(self, root: Path) -> None:
        super().__init__(f"There is no folder {root}.", "Give the work tree with --root PATH.")


class TreeChanged(CannotProceed):
    """The work tree vanished, or another folder took its place."""

    error_type = "tree_lost"

    def __init__(self) -> None:
        super().__init__("The work tree of these tools is gone.", "Read files directly.")


class OtherTree(CannotProceed):
    """The caller means another tree than the one these tools are bound to."""

    error_type = "other_tree"

    def __init__(self) -> None:
        super().__init__("These tools are bound to another work tree than the one asked for.")


def root_id(root: Path) -> str:
    """A digest of the real path: tells trees apart without naming a place."""
    return sha256(os.fsencode(root.resolve())).hexdigest()[:16]


class TreeTools:
    """The tools of `context.tools` over the tree at `root`, bound to its real path.

    Everything that touches the index happens in one thread of its own, in the order asked. An index that is new is
    built meanwhile: an answer waits for it until `patience_seconds` after its start, and speaks for a part then. Each
    use leaves a line in the log. Raises NoSuchTree.
    """

    def __init__(
        self,
        root: Path,
        *,
        cache_dir: Path | None,
        identity: str | None,
        log: CallLog,
        patience_seconds: float = PATIENCE_SECONDS,
    ) -> None:
        if not root.is_dir():
            raise NoSuchTree(root)
        self.root = root.resolve()
        self.root_id = root_id(self.root)
        self.log = log
        self.instructions: str = INSTRUCTIONS
        self.listing: tuple[dict[str, Any], ...] = tuple(tool.listed() for tool in TOOLS)
        self._cache_dir = cache_dir
        self._identity = identity
        self._place = _place(self.root)
        self._patience_seconds = patience_seconds
        self._index: RepositoryIndex | None = None
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="agenvantage-index")

    def greeted(self, client: Mapping[str, Any], version: str) -> None:
        self.log.write(
            "handshake",
            client=_short(client.get("name")),
            version=_short(client.get("version")),
            protocol=_short(version),
        )

    def listed(self) -> None:
        """After the list comes a first call: get the index ready meanwhile, unseen."""
        self.log.write("tools_listed")
        self._thread.submit(self._opened)

    def call(self, name: str, arguments: dict[str, Any], meta: Mapping[str, Any]) -> dict[str, Any]:
        """Raises LookupError for an unknown tool; every other fault is a result with `isError`."""
        if name not in _NAMES:
            raise LookupError(name)
        started = time.time_ns()
        work = self._thread.submit(self._answer, name, arguments, meta.get(ROOT_KEY))
        failure = work.exception()
        self._thread.submit(self._keep_up)
        answer = work.result() if failure is None else None
        self.log.write(
            "call",
            tool=name,
            started_ns=started,
            ended_ns=time.time_ns(),
            ok=answer is not None and answer.ok,
            tokens=answer.tokens if answer is not None else 0,
            files=[list(lines) for lines in answer.files] if answer is not None else [],
            **({} if failure is None else {"error": type(failure).__name__}),
        )
        text = answer.text if answer is not None else _explain(failure)
        return {
            "content": [{"type": "text", "text": text}],
            "isError": answer is None or not answer.ok,
            "_meta": {ROOT_KEY: self.root_id},
        }

    def close(self) -> None:
        self._thread.submit(self._close_index)
        self._thread.shutdown(wait=False)

    def _answer(self, name: str, arguments: dict[str, Any], wanted: object) -> ToolResult:
        if wanted is not None and wanted != self.root_id:
            raise OtherTree
        if _place(self.root) != self._place:
            raise TreeChanged
        try:
            return self._asked(name, arguments)
        except IndexDamaged:
            self._index = None
            return self._asked(name, arguments)

    def _asked(self, name: str, arguments: dict[str, Any]) -> ToolResult:
        index = self._opened()
        if index.filling is not None and name in _SEARCHING:
            index = self._waited(index, index.filling)
        return call(index, name, arguments)

    def _waited(self, index: RepositoryIndex, filling: Filling) -> RepositoryIndex:
        """The index after a moment. Where it could not be built meanwhile, it is built now."""
        with suppress(Exception):
            filling.join(max(0.0, self._patience_seconds - filling.seconds))
        if filling.failure is None:
            return index
        self._close_index()
        return self._opened(background=False)

    def _opened(self, *, background: bool = True) -> RepositoryIndex:
        """The index; `call` looks for itself what changed since."""
        if self._index is None:
            from ..context.index import RepositoryIndex  # noqa: PLC0415 — parsers and search load at first need

            self._index = RepositoryIndex.open(
                self.root, cache_dir=self._cache_dir, identity=self._identity, background=background
            )
        return self._index

    def _keep_up(self) -> None:
        """Between two calls, so that the next one finds less that changed."""
        index = self._index
        if index is not None and (index.filling is None or not index.filling.at_work):
            try:
                self._index = index.refresh()
            except IndexDamaged:
                self._index = None

    def _close_index(self) -> None:
        if self._index is not None:
            self._index.close()
            self._index = None


def _place(root: Path) -> tuple[int, int] | None:
    """Which folder a path names now; None when it names none."""
    try:
        found = root.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _explain(failure: BaseException | None) -> str:
    if isinstance(failure, AgenVantageError):
        return str(failure)
    return f"This tool failed ({type(failure).__name__}). Read files directly."


def _short(text: object) -> str | None:
    return text[:_LONGEST_NAME] if isinstance(text, str) else None
