"""Remove what an agent left of a run in the person's cache folder: only folders that name this very run."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from ..adapters.agents import AGENTS


def clear_litter(run_id: str, environment: Mapping[str, str]) -> None:
    """Known places of all agents, so that a run is cleared whose agent nobody remembers. Follows no link."""
    for known in AGENTS.values():
        for pattern in known.TRAITS.cache_litter:
            for cache in _caches(environment):
                for path in cache.glob(pattern.format(run_id=run_id)):
                    if path.is_dir() and not path.is_symlink():
                        shutil.rmtree(path, ignore_errors=True)
                        with suppress(OSError):
                            # Only an empty folder can go: one that other runs, or the person, still use stays.
                            path.parent.rmdir()


def _caches(environment: Mapping[str, str]) -> tuple[Path, ...]:
    home = Path(environment.get("HOME") or Path.home())
    named = environment.get("XDG_CACHE_HOME")
    return (Path(named) if named else home / ".cache", home / "Library" / "Caches")
