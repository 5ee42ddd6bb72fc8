"""Bring a run's patch into the person's checkout, or onto a new branch: whole or not at all."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ..context.git import Repository


@dataclass(frozen=True, slots=True, kw_only=True)
class ApplyRequest:
    """`base_commit` is the run's base. A dirty run's base is no commit of the person's: give `source_commit` too."""

    repository: Repository
    base_commit: str
    patch_file: Path
    branch: str | None = None
    message: str = "Apply a run of AgenVantage"
    source_commit: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Applied:
    """What happened. `already`: the checkout had it all, nothing was written."""

    paths: tuple[str, ...]
    already: bool = False
    merged: tuple[str, ...] = ()
    """Paths where the person's own changes and the patch were joined line by line."""
    branch: str | None = None
    commit: str | None = None
    base: str | None = None
    """With a branch: the commit that the new one stands on."""
    note: str | None = None


def apply(request: ApplyRequest) -> Applied:
    """Three-way against what the checkout holds now. Any refusal leaves files, index and refs byte-identical."""
    raise NotImplementedError
