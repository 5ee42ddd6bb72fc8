"""Follow a file that another program is writing, line by line, with no limit to a line."""

from __future__ import annotations

import os
from io import FileIO
from pathlib import Path
from typing import Final

_CHUNK_BYTES: Final = 1 << 20
# One call returns after this much, so that a flood leaves its reader time for other things.
_POLL_BYTES: Final = 64 << 20
# Beyond this a line stays in the file alone; its head stands for it.
LINE_CAP_BYTES: Final = 256 << 20
HEAD_BYTES: Final = 64 << 10


class LineFollower:
    """Reads what was appended since the last call. Never blocks; the file need not exist yet.

    Lines end with `\\n` or `\\r\\n`, nothing else; bytes that aren't UTF-8 become U+FFFD.
    """

    def __init__(self, path: Path, *, line_cap_bytes: int = LINE_CAP_BYTES) -> None:
        self.path = path
        self._cap = line_cap_bytes
        self._position = 0
        self._parts: list[bytes] = []
        self._held = 0
        self._skipping = False

    def poll(self) -> list[str]:
        """The lines completed since the last call, without their ends."""
        return self._read(_POLL_BYTES)

    def finish(self) -> tuple[list[str], bool]:
        """The rest, and whether its last line was cut (had no line end); that line is among the rest."""
        lines = self._read(None)
        cut = self._held > 0
        if cut:
            lines.append(self._complete())
        return lines, cut

    def _read(self, most: int | None) -> list[str]:
        lines: list[str] = []
        try:
            # Opened anew each time: nothing to close, and a file that comes later is found.
            with self.path.open("rb", buffering=0) as file:
                self._read_from(file, most, lines)
        except FileNotFoundError:
            pass
        return lines

    def _read_from(self, file: FileIO, most: int | None, lines: list[str]) -> None:
        if file.seek(0, os.SEEK_END) < self._position:
            # Emptied under us: a writer opened it anew.
            self._position = 0
        file.seek(self._position)
        stop = None if most is None else self._position + most
        while (stop is None or self._position < stop) and (data := file.read(_CHUNK_BYTES)):
            self._position += len(data)
            self._take(data, lines)

    def _take(self, data: bytes, lines: list[str]) -> None:
        first, *others = data.split(b"\n")
        self._hold(first)
        for other in others:
            lines.append(self._complete())
            self._hold(other)

    def _hold(self, part: bytes) -> None:
        """Keep a part of a line whose end has not come; of an endless one, the head."""
        if not part or self._skipping:
            return
        self._parts.append(part)
        self._held += len(part)
        if self._held > self._cap:
            self._parts = [b"".join(self._parts)[:HEAD_BYTES]]
            self._skipping = True

    def _complete(self) -> str:
        line = b"".join(self._parts)
        self._parts, self._held, self._skipping = [], 0, False
        return line.removesuffix(b"\r").decode("utf-8", "replace")
