"""Which lines of which files the model was shown: placed in the repository, clipped, and merged."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from ..context.model import ContextPacket
from .model import FileRead, FileReadSummary, ReadVia, ServedCall, ToolCall

READ_VIA_ORDER: Final[tuple[ReadVia, ...]] = ("shell", "read", "mcp", "prefix")
LineCounts = Callable[[str], int | None]
Range = tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where the agent worked. Without a `tree`, relative paths are taken as they are."""

    tree: Path | None
    cwd: Path | None = None
    """Where the agent started, for calls that don't say where they ran; the tree when None."""

    def relative(self, path: str, cwd: str | None = None) -> str | None:
        """The path from the root of the tree, with `/`; None when it lies outside, or in the git directory."""
        if not path or path.startswith("~") or (self.tree is None and posixpath.isabs(path)):
            return None
        roots = self._roots()
        base = posixpath.join(roots[0], str(self.cwd or ""), cwd or "")
        full = posixpath.normpath(posixpath.join(base, path))
        for root in roots:
            inside = posixpath.relpath(full, root) if full.startswith(root.rstrip("/") + "/") else None
            if inside is not None:
                return None if inside.split("/")[0] == ".git" else inside
        return None

    def _roots(self) -> tuple[str, ...]:
        if self.tree is None:
            return ("/",)
        named, real = str(self.tree), os.path.realpath(self.tree)
        return (named,) if named == real else (named, real)


def placed_call(call: ToolCall, place: Place, line_counts: LineCounts) -> ToolCall:
    """The call with its paths in the repository. A call that failed read nothing, but for a shell, which may have."""
    reads = call.reads if call.ok is not False or call.kind == "shell" else ()
    placed = (_placed(read, place, call.cwd, line_counts) for read in reads)
    edits = dict.fromkeys(place.relative(path, call.cwd) for path in call.edits)
    return replace(
        call,
        reads=tuple(read for read in placed if read is not None),
        edits=tuple(path for path in edits if path is not None),
    )


def all_reads(
    calls: Iterable[ToolCall],
    served: Sequence[ServedCall],
    packet: ContextPacket | None,
    place: Place,
    line_counts: LineCounts,
) -> tuple[FileReadSummary, ...]:
    """Every file the model was shown lines of.

    `calls` are placed already. What our own server logged outweighs what the agent's calls to it tell.
    """
    own = [read for call in calls for read in call.reads if not (served and read.via == "mcp")]
    ours = [read for call in served for read in call.files]
    in_packet = packet_reads(packet)
    told = (_placed(read, place, None, line_counts) for read in (*ours, *in_packet))
    placed = own + [read for read in told if read is not None]
    paths = sorted({read.path for read in placed})
    return tuple(_summary(path, [read for read in placed if read.path == path]) for path in paths)


def packet_reads(packet: ContextPacket | None) -> tuple[FileRead, ...]:
    blocks = packet.blocks if packet is not None else ()
    return tuple(
        FileRead(path=block.path, start=block.start or 1, end=block.end, via="prefix")
        for block in blocks
        if block.path is not None
    )


def merge_ranges(ranges: Iterable[Range]) -> tuple[Range, ...]:
    """Sorted; what overlaps or touches is one range."""
    merged: list[Range] = []
    for start, end in sorted(ranges):
        if merged and start <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return tuple(merged)


def _placed(read: FileRead, place: Place, cwd: str | None, line_counts: LineCounts) -> FileRead | None:
    """The read in the repository, within the file's real lines; None when it showed no line of it.

    A negative start counts from the end of the file.
    """
    path = place.relative(read.path, cwd)
    if path is None:
        return None
    lines = line_counts(path)
    if lines is None:
        return replace(read, path=path)
    from_end = lines + read.start + 1
    start = max(from_end if read.start < 0 else read.start, 1)
    end = lines if read.end is None else min(read.end, lines)
    return None if start > end and lines > 0 else replace(read, path=path, start=start, end=end)


def _summary(path: str, reads: Sequence[FileRead]) -> FileReadSummary:
    via = {read.via for read in reads}
    shown = [(read.start, read.end) for read in reads if read.end is not None and read.start <= read.end]
    in_packet = any(read.via == "prefix" for read in reads)
    return FileReadSummary(
        path=path,
        ranges=merge_ranges((start, end) for start, end in shown if end is not None),
        via=tuple(name for name in READ_VIA_ORDER if name in via),
        times=sum(read.via != "prefix" for read in reads) + in_packet,
    )
