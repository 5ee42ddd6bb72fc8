"""Compiles a plan into the packet that an agent is given. A pure function of the plan."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from typing import Final

from .model import ContextPacket, Provider, TaskPlan
from .plan import check_strategy
from .render import blocks

# What a provider's prompt cache asks of a prefix; the runner places the prefix by it.
PROFILES: Final[Mapping[Provider, Mapping[str, str]]] = {
    "any": {"cache": "unknown"},
    "anthropic": {"cache": "explicit", "minimum_tokens": "1024"},
    "openai": {"cache": "automatic", "minimum_tokens": "1024"},
}


class ContextCompiler:
    """Lays out a plan: stable blocks first, then the evidence; never more than the plan's budget."""

    def __init__(self, strategy: str = "adaptive-hybrid") -> None:
        self.strategy = check_strategy(strategy)

    def compile(self, plan: TaskPlan, *, provider: Provider = "any", tools: bool = True) -> ContextPacket:
        """The packet. `tools`: whether the agent is given our tools, and the prefix may speak of them."""
        laid = blocks(plan, tools=tools)
        return ContextPacket(
            strategy=self.strategy,
            provider=provider,
            blocks=laid,
            handles=tuple(candidate.node.location for candidate in plan.deferred),
            digest=sha256("".join(block.id for block in laid).encode()).hexdigest(),
            readiness=plan.readiness,
            slots=plan.slots,
            budget=plan.budget,
            full_scan_tokens=plan.full_scan_tokens,
            profile=PROFILES[provider],
        )
