"""Reads and analyses listed files: the part of indexing that a worker process does."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

import msgspec

from .files import content_id, read_with_status
from .packed import Packed, pack
from .parse import MAX_BYTES, analyse

_CLOCK_STEP_NS: Final = 10_000_000


class Job(msgspec.Struct, frozen=True, array_like=True):
    """A file to read, which must still be what was listed (`same`). The path is in the file system's bytes."""

    path: bytes
    content: str
    changed: bool
    listed_ns: int
    without_parser: str | None = None


def work(root: Path, job: Job) -> Packed | None:
    """What the file holds; None if it vanished or became another one since it was listed: it is not half in."""
    path = os.fsdecode(job.path)
    found = read_with_status(root, path)
    if found is None:
        return None
    data, status = found
    if not same(job.content, data, status, changed=job.changed, listed_ns=job.listed_ns):
        return None
    return pack(analyse(data, path, without_parser=job.without_parser))


def same(content: str, data: bytes, status: os.stat_result, *, changed: bool, listed_ns: int) -> bool:
    """Whether these bytes are what was listed.

    Git's filters (line ends, LFS) make the bytes of a clean file differ from its blob: then git's word stands, if
    the file was not touched since it was given.
    """
    if len(data) > MAX_BYTES or content_id(data) == content:
        return True
    # A write that begins makes the file empty before its change time tells.
    whole = len(data) == status.st_size > 0
    return whole and not changed and status.st_ctime_ns < listed_ns - _CLOCK_STEP_NS
