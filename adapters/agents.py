"""Which agents there are: one row each, and whatever installed packages add."""

from __future__ import annotations

from importlib.metadata import EntryPoint, entry_points
from typing import Final

from ..context.errors import BadRequest
from . import claude, codex, exec, replay
from .base import Adapter

GROUP: Final = "agenvantage.agents"
AGENTS: Final[dict[str, Adapter]] = {
    "codex": codex,
    "claude": claude,
    "replay": replay,
    "exec": exec,
}


class UnknownAgent(BadRequest):
    """No adapter has this name."""

    error_type = "unknown_agent"

    def __init__(self, name: str, known: tuple[str, ...]) -> None:
        super().__init__(
            f"There is no agent called {name!r}.",
            f'Known agents: {", ".join(known)}. Any other program runs with --agent exec --agent-command "…".',
        )


def adapter(name: str) -> Adapter:
    """The adapter of that name, ours first, then an entry point of `GROUP`. Raises UnknownAgent."""
    if name in AGENTS:
        return AGENTS[name]
    added = _added()
    if name not in added:
        raise UnknownAgent(name, names())
    loaded: Adapter = added[name].load()
    return loaded


def names() -> tuple[str, ...]:
    """All adapters' names, ours first."""
    return (*AGENTS, *sorted(set(_added()) - set(AGENTS)))


def _added() -> dict[str, EntryPoint]:
    return {point.name: point for point in entry_points(group=GROUP)}
