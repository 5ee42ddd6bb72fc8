"""Whether a run left the person's checkout alone, and which changes there the agent itself made."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from ..context.git import Repository
from ..telemetry.model import ToolCall


@dataclass(frozen=True, slots=True, kw_only=True)
class Fingerprint:
    """The state of a checkout: each part by the name under which a difference is reported, with its digest."""

    parts: Mapping[str, str]


def fingerprint(source: Repository) -> Fingerprint:
    """Read without a lock or a write: HEAD, refs, stash, reflogs, index, configuration, hooks, status, contents."""
    raise NotImplementedError


def differences(before: Fingerprint, after: Fingerprint) -> tuple[str, ...]:
    """Names of what changed: paths, `HEAD`, `refs/heads/x`, `.git/index`, `.git/config`, …, sorted."""
    raise NotImplementedError


def escaped(
    changed: Iterable[str],
    *,
    source: Repository,
    cwd: Path,
    calls: Iterable[ToolCall],
    observed: bool,
    environment: Mapping[str, str] | None = None,
) -> tuple[str, ...]:
    """Which of the `changed` names the agent's own calls account for.

    `cwd` is where the agent started. `observed` False: it left no trajectory, so every change counts.
    """
    raise NotImplementedError
