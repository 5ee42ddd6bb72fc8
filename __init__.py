"""Run coding agents under observation, with the smallest sufficient context, and compare honestly.

Importing this package does nothing: each public name is loaded from its own module at first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from .context.compile import ContextCompiler
    from .context.errors import AgenVantageError
    from .context.index import RepositoryIndex
    from .context.model import (
        ContextBlock,
        ContextPacket,
        RepositoryRevision,
        RetrievalCandidate,
        SourceNode,
        TaskPlan,
    )
    from .context.plan import ContextPlanner
    from .context.source_edge import SourceEdge
    from .telemetry.model import AgentEvent, AgentTrace, Outcome, UsageRecord
    from .telemetry.recorder import AgentRunRecorder

__version__: Final = "0.1.0"

_HOMES: Final = {
    "AgenVantageError": "context.errors",
    "AgentEvent": "telemetry.model",
    "AgentRunRecorder": "telemetry.recorder",
    "AgentTrace": "telemetry.model",
    "ContextBlock": "context.model",
    "ContextCompiler": "context.compile",
    "ContextPacket": "context.model",
    "ContextPlanner": "context.plan",
    "Outcome": "telemetry.model",
    "RepositoryIndex": "context.index",
    "RepositoryRevision": "context.model",
    "RetrievalCandidate": "context.model",
    "SourceEdge": "context.source_edge",
    "SourceNode": "context.model",
    "TaskPlan": "context.model",
    "UsageRecord": "telemetry.model",
}

__all__ = [
    "AgenVantageError",
    "AgentEvent",
    "AgentRunRecorder",
    "AgentTrace",
    "ContextBlock",
    "ContextCompiler",
    "ContextPacket",
    "ContextPlanner",
    "Outcome",
    "RepositoryIndex",
    "RepositoryRevision",
    "RetrievalCandidate",
    "SourceEdge",
    "SourceNode",
    "TaskPlan",
    "UsageRecord",
    "__version__",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_HOMES[name]}", __name__), name)


def __dir__() -> list[str]:
    return sorted(__all__)
