"""The agent's work as a patch that is proven to re-create it, and copies of base + patch for checks."""

from __future__ import annotations

from pathlib import Path

from ..context.errors import CannotProceed
from ..telemetry.model import PatchFacts
from .worktree import RunTree


class CaptureFailed(CannotProceed):
    """The work tree could not be turned into a patch that re-creates it."""

    error_type = "capture_error"


def capture(tree: RunTree, destination: Path) -> PatchFacts:
    """Write everything that differs from the base to `destination`. Raises CaptureFailed; the tree is only read."""
    raise NotImplementedError


def rebuild(tree: RunTree, patch_file: Path, destination: Path, protect: tuple[str, ...] = ()) -> Path:
    """A fresh repository at the base with the patch in its work tree, seeded alike; protected paths as in the base."""
    raise NotImplementedError


def side_effects(copy: Path) -> tuple[str, ...]:
    """What was written in a rebuilt copy since: changed, deleted or new and not ignored, caches left out."""
    raise NotImplementedError
