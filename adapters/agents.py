"""Which agents there are: one row each, and whatever installed packages add."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ..context.errors import BadRequest
from . import claude, codex, exec, replay
from .base import Adapter

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

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
    # Twenty milliseconds of every start, for names that are ours nearly always.
    from importlib.metadata import entry_points  # noqa: PLC0415

    return {point.name: point for point in entry_points(group=GROUP)}
