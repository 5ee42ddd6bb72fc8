"""Brief the agent: what it is told at the start, and the tools it can ask."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..adapters.base import ToolServer
from ..adapters.mcp_http import HttpServer
from ..adapters.mcp_preflight import preflight
from ..adapters.mcp_server import server_command
from ..context.compile import ContextCompiler
from ..context.errors import BadRequest
from ..context.index import RepositoryIndex
from ..context.model import ContextPacket, Provider, TaskPlan, Workflow
from ..context.plan import ContextPlanner
from ..context.task import detect_workflow, read_task
from .aiding import aids_of
from .desk import Desk
from .find import Agent
from .worktree import RunTree


class BudgetTooSmall(BadRequest):
    """The budget can't hold the stable prefix and one piece of evidence."""

    error_type = "budget_too_small"

    def __init__(self, budget: int, minimum: int | None) -> None:
        need = f"at least {minimum}" if minimum else "a larger one"
        super().__init__(f"A budget of {budget} tokens holds no useful context here.", f"Give {need} with --budget.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Briefing:
    """What this arm delivers: the native one a bare packet and no tools."""

    workflow: Workflow
    packet: ContextPacket
    server: ToolServer | None = None


def brief(desk: Desk, tree: RunTree, agent: Agent) -> Briefing:
    """The packet and the tools asked for, the tools proven ready. Raises BudgetTooSmall, ToolsNotReady."""
    settings = desk.request.settings
    if not settings.optimize_context:
        return Briefing(workflow=native_workflow(settings.workflow, desk.request.task), packet=desk.recorder.packet)
    plan, packet = _packet(desk, tree, agent.adapter.PROVIDER)
    if settings.no_prefix:
        packet = replace(packet, blocks=())
    server = None if settings.no_mcp else _tools(desk, tree)
    return Briefing(workflow=plan.workflow, packet=packet, server=server)


def native_workflow(asked: str, task: str) -> Workflow:
    """The kind of task, told by its words unless the person said it."""
    return detect_workflow(read_task(task)) if asked == "auto" else _as_workflow(asked)


def _as_workflow(name: str) -> Workflow:
    workflow: Workflow = name  # type: ignore[assignment]  # checked when the settings were loaded
    return workflow


def _packet(desk: Desk, tree: RunTree, provider: Provider) -> tuple[TaskPlan, ContextPacket]:
    settings = desk.request.settings
    with desk.phase("index", "reading the repository"):
        index = RepositoryIndex.open(tree.root, cache_dir=settings.cache_dir, identity=identity(tree))
    with index:
        with desk.phase("plan", "planning the context"):
            planner = ContextPlanner(
                index, strategy=settings.strategy, aids=aids_of(settings, desk.request.environment)
            )
            plan = planner.plan(desk.request.task, workflow=settings.workflow, budget=settings.budget)
        if plan.readiness == "insufficient_budget":
            raise BudgetTooSmall(settings.budget, plan.minimum_budget)
        with desk.phase("compile"):
            compiler = ContextCompiler(strategy=settings.strategy)
            return plan, compiler.compile(plan, provider=provider, tools=not settings.no_mcp)


def _tools(desk: Desk, tree: RunTree) -> ToolServer:
    """A server of our own for as long as the run lasts, proven by a handshake; and the command that starts another."""
    cache_dir, name, log = desk.request.settings.cache_dir, identity(tree), desk.call_log
    with desk.phase("tools", "starting the tools"):
        http = HttpServer(tree.root, cache_dir=cache_dir, identity=name, log=log)
        url, token = desk.resources.enter_context(http).address
        command = server_command(tree.root, cache_dir=cache_dir, identity=name, log=log)
        server = ToolServer(url=url, token=token, command=command, transport="http")
        preflight(server)
    return server


def identity(tree: RunTree) -> str:
    """Run trees of one repository share its warm index."""
    return str(tree.source.common_dir)
