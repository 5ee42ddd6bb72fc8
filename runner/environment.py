"""Which of a person's variables an agent, a setup command or a check may see."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class ChildEnvironment:
    """The variables of a child, sorted by name. Only the two lists of names may be recorded."""

    variables: Mapping[str, str] = field(repr=False)
    passed_names: tuple[str, ...]
    """The person's variables that went through unchanged."""
    dropped_names: tuple[str, ...]


def child_environment(
    person: Mapping[str, str],
    *,
    run_id: str,
    temporary: Path,
    home: Path | None = None,
    keep: Iterable[str] = (),
    agent_keys: Iterable[str] = (),
    nesting: Iterable[str] = (),
    extra: Mapping[str, str] | None = None,
) -> ChildEnvironment:
    """The environment of one child.

    `home` is a fresh HOME (None: the person's own); `keep` are names passed whatever they look like; `agent_keys` are
    the agent's own secrets (for the agent alone); `nesting` are names or `PREFIX_*` patterns of agent sessions, added
    to the known ones; `extra` is set last.
    """
    raise NotImplementedError


def is_secret_name(name: str) -> bool:
    """Whether a variable's name says that its value is a secret."""
    raise NotImplementedError


def secret_values(person: Mapping[str, str]) -> tuple[str, ...]:
    """The values of secret-looking variables, longest first, for redaction."""
    raise NotImplementedError
