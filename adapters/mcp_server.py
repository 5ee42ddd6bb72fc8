"""The tools, for agents: our own MCP server over standard input and output, quick to start and sure to end."""

from __future__ import annotations

import argparse
import os
import signal
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from queue import SimpleQueue
from typing import Final

from ..context.errors import AgenVantageError
from .mcp_log import CallLog
from .mcp_protocol import Conversation, Refused, cancelled, encode, failure, is_identity, parse
from .mcp_tools import TreeTools

DRAIN_SECONDS: Final = 3.5
"""How long questions already asked may still be answered once the client has hung up."""
_PARENT_LOOK_SECONDS: Final = 0.5
_CALLED_OFF: Final = object()
_END: Final = object()


def server_command(root: Path, *, cache_dir: Path | None, identity: str | None, log: Path | None) -> tuple[str, ...]:
    """The process to start for these tools. `-P`: the folder it starts in, the agent's, must not lend it modules."""
    given = (("--root", root), ("--cache-dir", cache_dir), ("--identity", identity), ("--log", log))
    options = [text for name, value in given if value is not None for text in (name, str(value))]
    return (sys.executable, "-P", "-m", "agenvantage.adapters.mcp_server", *options)


def serve_stdio(root: Path, *, cache_dir: Path | None, identity: str | None, log: Path | None) -> None:
    """Answer on standard output, in order, until standard input ends or the parent dies; then end the process.

    Ends it hard, also in the middle of a request: nothing here is worth an orphan. Raises NoSuchTree before it starts.
    """
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    _watch_parent()
    wire = _own_output()
    tools = TreeTools(root, cache_dir=cache_dir, identity=identity, log=CallLog(log))
    desk = _Desk(tools, wire)
    worker = threading.Thread(target=desk.answer_all, daemon=True)
    worker.start()
    for line in iter(sys.stdin.buffer.readline, b""):
        desk.take(line)
    desk.take_no_more()
    worker.join(DRAIN_SECONDS)
    os._exit(0)


class _Desk:
    """Messages wait here in order of arrival; one that is called off before its answer is sent gets none."""

    def __init__(self, tools: TreeTools, wire: int) -> None:
        self._conversation = Conversation(tools)
        self._wire = wire
        self._waiting: SimpleQueue[object] = SimpleQueue()
        self._open: dict[object, object] = {}
        self._lock = threading.Lock()

    def take(self, line: bytes) -> None:
        if not line.strip():
            return
        try:
            message = parse(line)
        except Refused as refused:
            message = refused
        called_off = cancelled(message)
        identity = _identity(message)
        with self._lock:
            if is_identity(called_off) and called_off in self._open:
                self._open[called_off] = _CALLED_OFF
            if identity is not None:
                self._open[identity] = message
        self._waiting.put(message)

    def take_no_more(self) -> None:
        self._waiting.put(_END)

    def answer_all(self) -> None:
        while (message := self._waiting.get()) is not _END:
            identity = _identity(message)
            if self._is_off(identity):
                self._forget(identity)
                continue
            reply = failure(None, message) if isinstance(message, Refused) else self._conversation.reply(message)
            if reply is not None and not self._is_off(identity):
                _write_all(self._wire, encode(reply) + b"\n")
            self._forget(identity)

    def _is_off(self, identity: object) -> bool:
        with self._lock:
            return self._open.get(identity) is _CALLED_OFF

    def _forget(self, identity: object) -> None:
        with self._lock:
            self._open.pop(identity, None)


def _identity(message: object) -> object:
    """The id of a request; None for a message that has none."""
    found = message.get("id") if isinstance(message, dict) and "method" in message else None
    return found if is_identity(found) else None


def _write_all(wire: int, data: bytes) -> None:
    """A client that no longer reads needs no server."""
    try:
        while data:
            data = data[os.write(wire, data) :]
    except OSError:
        os._exit(0)


def _own_output() -> int:
    """Keep standard output for the protocol; what anything else prints goes to standard error."""
    wire = os.dup(1)
    os.dup2(2, 1)
    return wire


def _watch_parent() -> None:
    """A killed agent may leave our input open in another process; its own death is seen here."""
    parent = os.getppid()

    def look() -> None:
        while os.getppid() == parent:
            time.sleep(_PARENT_LOOK_SECONDS)
        os._exit(0)

    threading.Thread(target=look, daemon=True).start()


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="agenvantage.adapters.mcp_server", description="Serve the tools over one work tree by MCP on stdio."
    )
    parser.add_argument("--root", type=Path, required=True, help="the work tree")
    parser.add_argument("--cache-dir", type=Path, help="where indexes lie")
    parser.add_argument("--identity", help="names the index: the same for every tree of one repository")
    parser.add_argument("--log", type=Path, help="append what was asked here, as JSON lines")
    given = parser.parse_args(arguments)
    try:
        serve_stdio(given.root, cache_dir=given.cache_dir, identity=given.identity, log=given.log)
    except AgenVantageError as fault:
        print(fault, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
