"""What our tool server was asked, as JSON lines: who came, who saw the tools, each call; never what was said."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ..context.errors import CannotProceed

if TYPE_CHECKING:
    from ..telemetry.model import ServedCall

PREFLIGHT: Final = "agenvantage-preflight"
"""The name under which we ask our own server; it is not the agent."""


class LogNotWritable(CannotProceed):
    """Without its log nobody could prove that the tools were there."""

    error_type = "log_not_writable"

    def __init__(self, path: Path, why: OSError) -> None:
        super().__init__(f"Could not write {path}: {why.strerror}.", "Give a folder that exists and may be written.")


class CallLog:
    """Appends whole lines, so that several processes may share a file. Without a path it remembers them only."""

    def __init__(self, path: Path | None = None) -> None:
        self.entries: list[dict[str, Any]] = []
        self._lock = threading.Lock()
        self._file: int | None = None
        if path is not None:
            self._file = _open_to_append(path)

    def write(self, kind: str, **facts: object) -> None:
        entry = {"kind": kind, "at": time.time_ns(), **facts}
        with self._lock:
            self.entries.append(entry)
            if self._file is not None:
                os.write(self._file, json.dumps(entry).encode() + b"\n")

    def close(self) -> None:
        with self._lock:
            if self._file is not None:
                os.close(self._file)
            self._file = None


def _open_to_append(path: Path) -> int:
    try:
        return os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as fault:
        raise LogNotWritable(path, fault) from fault


@dataclass(frozen=True, slots=True, kw_only=True)
class Handshake:
    """A client that introduced itself. `at`: nanoseconds since the epoch; `listed`: it also asked for the tools."""

    client: str | None
    version: str | None
    protocol: str | None
    at: int
    listed: bool = False


def read_entries(path: Path) -> tuple[dict[str, Any], ...]:
    """The lines of a log; empty without one. A line that was cut off by the end of its server is left out."""
    try:
        lines = path.read_bytes().splitlines()
    except FileNotFoundError:
        return ()
    return tuple(entry for line in lines if (entry := _entry(line)) is not None)


def _entry(line: bytes) -> dict[str, Any] | None:
    try:
        entry = json.loads(line)
    except ValueError:
        return None
    return entry if isinstance(entry, dict) and isinstance(entry.get("kind"), str) else None


def read_calls(path: Path) -> tuple[ServedCall, ...]:
    """Every tool call that the log's server answered, in order."""
    return served_calls(read_entries(path))


def handshakes(path: Path) -> tuple[Handshake, ...]:
    """The agents (not our own preflight) that reached the server of this log."""
    return greetings(read_entries(path))


def served_calls(entries: tuple[Mapping[str, Any], ...]) -> tuple[ServedCall, ...]:
    from ..telemetry.model import FileRead, ServedCall  # noqa: PLC0415 — the server itself starts without it

    return tuple(
        ServedCall(
            tool=entry["tool"],
            started=entry["started_ns"],
            ended=entry["ended_ns"],
            ok=entry["ok"],
            tokens=entry["tokens"],
            files=tuple(FileRead(path=path, start=start, end=end, via="mcp") for path, start, end in entry["files"]),
        )
        for entry in entries
        if entry["kind"] == "call"
    )


def greetings(entries: tuple[Mapping[str, Any], ...]) -> tuple[Handshake, ...]:
    """A list of tools belongs to the last introduction before it; one without an introduction stands for itself."""
    found: list[Handshake] = []
    for entry in entries:
        if entry["kind"] == "handshake":
            found.append(_handshake(entry, listed=False))
        elif entry["kind"] == "tools_listed":
            introduced = found.pop() if found else _handshake(entry, listed=True)
            found.append(replace(introduced, listed=True))
    return tuple(one for one in found if one.client != PREFLIGHT)


def _handshake(entry: Mapping[str, Any], *, listed: bool) -> Handshake:
    return Handshake(
        client=entry.get("client"),
        version=entry.get("version"),
        protocol=entry.get("protocol"),
        at=entry["at"],
        listed=listed,
    )
