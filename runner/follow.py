"""Follow a file that another program is writing, line by line, with no limit to a line."""

from __future__ import annotations

from pathlib import Path


class LineFollower:
    """Reads what was appended since the last call. Never blocks; the file need not exist yet."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def poll(self) -> list[str]:
        """The lines completed since the last call, without their ends."""
        raise NotImplementedError

    def finish(self) -> tuple[list[str], bool]:
        """The rest, and whether its last line was cut (had no line end); that line is among the rest."""
        raise NotImplementedError
