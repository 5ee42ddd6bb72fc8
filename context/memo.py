"""Token counts that were made before, by a digest of the text: who only counts known text needs no vocabulary."""

from __future__ import annotations

import os
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import Final

# About 60,000 texts; past that the file is begun anew.
MOST_BYTES: Final = 2_500_000
_DIGEST_BYTES: Final = 16


class Memo:
    """One small file of lines `digest count`, to which several processes append whole lines.

    A count is a function of the text and the vocabulary alone, so a stale line can't be wrong; a line that can't be
    read, or a folder that can't be written, only costs time.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._counts = _read(path)
        self._file: int | None = None

    def get(self, text: str) -> int | None:
        return self._counts.get(_digest(text))

    def put(self, text: str, count: int) -> None:
        digest = _digest(text)
        self._counts[digest] = count
        with suppress(OSError):
            if self._file is None:
                self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
                self._file = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
            os.write(self._file, f"{digest} {count}\n".encode())

    def close(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None


def _digest(text: str) -> str:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=_DIGEST_BYTES).hexdigest()


def _read(path: Path) -> dict[str, int]:
    try:
        if path.stat().st_size > MOST_BYTES:
            path.unlink()
        lines = path.read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return {}
    pairs = (line.split(" ") for line in lines)
    return {pair[0]: int(pair[1]) for pair in pairs if len(pair) == 2 and len(pair[0]) == 32 and pair[1].isdecimal()}
