"""What a run would be, without starting anything."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..context.compile import ContextCompiler
from ..context.index import RepositoryIndex
from ..context.plan import ContextPlanner
from .aiding import aids_of
from .brief import native_workflow
from .find import choose, find
from .request import RunRequest


def dry_document(request: RunRequest) -> dict[str, Any]:
    """The agent, the base and, when the context is optimized, what would be put into the prompt."""
    settings = request.settings
    agent = find(settings, request.environment, choose(settings, request.environment))
    return {
        "schema": "agenvantage.dry-run/1",
        "agent": {"name": agent.name, "version": agent.version, "model_requested": settings.model},
        "repository": {"name": request.repository.name, "from": settings.from_, "cwd": request.cwd},
        "strategy": settings.strategy if settings.optimize_context else "native",
        "workflow": native_workflow(settings.workflow, request.task),
        "sandbox": settings.sandbox,
        "verify": list(settings.verify),
        "labels": ["simulated"] if agent.simulated else [],
        "context": _context(request, agent.adapter.PROVIDER) if settings.optimize_context else None,
    }


def _context(request: RunRequest, provider: Any) -> dict[str, Any]:
    """Planned on the checkout as it is now; the run itself plans on its own tree."""
    settings = request.settings
    with RepositoryIndex.open(request.repository.root, cache_dir=settings.cache_dir) as index:
        planner = ContextPlanner(index, strategy=settings.strategy, aids=aids_of(settings, request.environment))
        plan = planner.plan(request.task, workflow=settings.workflow, budget=settings.budget)
    packet = ContextCompiler(strategy=settings.strategy).compile(plan, provider=provider)
    return {
        "tokens": packet.tokens,
        "prefix_tokens": packet.prefix_tokens,
        "readiness": plan.readiness,
        "files": [ranked.path for ranked in plan.files[:10]],
    }


def dry_text(document: Mapping[str, Any]) -> str:
    agent, repository, context = document["agent"], document["repository"], document["context"]
    lines = [
        f"Would run {agent['name']} {agent['version'] or ''} on {repository['name']} from {repository['from']}"
        f" ({document['strategy']}, {document['workflow']}). Nothing was started.",
        *(f"  then check: {command}" for command in document["verify"]),
    ]
    if context:
        likely = ", ".join(context["files"][:5]) or "nothing that its words name"
        lines.append(f"  context: {context['tokens']} tokens, {context['readiness']}; likely {likely}")
    return "\n".join(lines)
