"""What the commands that ask about the repository do: plan, pack, and the tools for people."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

from ..adapters.mcp_http import HttpServer
from ..adapters.mcp_server import serve_stdio
from ..context import document, tools
from ..context.compile import ContextCompiler
from ..context.errors import BadRequest
from ..context.git import discover
from ..context.index import RepositoryIndex
from ..context.model import Provider, TaskPlan
from ..context.packet import packet_document
from ..context.plan import ContextPlanner
from ..context.several import RepositorySet
from ..context.together import plan_together
from . import explaining
from .aiding import aids_of, notes
from .configuration import load
from .doors import tell
from .indexing import opened, opened_at, waiting
from .repositories import named_by_folder
from .request import read_task


def plan_door(
    flags: Mapping[str, Any],
    *,
    task: str | None,
    task_file: str | None,
    explain: bool,
    repos: Sequence[Path],
    json: bool,
) -> int:
    """Plan for the repository around the working folder, for another one, or for several as one task."""
    plan = _plan(flags, task, task_file, repos)
    told = document.plan_document(plan)
    tell(told, explaining.plan_text(told, explain=explain), json=json)
    return 0 if plan.readiness != "insufficient_budget" else 1


def pack_door(
    flags: Mapping[str, Any],
    *,
    task: str | None,
    task_file: str | None,
    provider: str,
    json: bool,
    out: Path | None,
    repos: Sequence[Path],
) -> int:
    if provider not in get_args(Provider):
        raise BadRequest(f"There is no provider {provider!r}.", f"Providers: {', '.join(get_args(Provider))}.")
    plan = _plan(flags, task, task_file, repos)
    packet = ContextCompiler().compile(plan, provider=provider)  # type: ignore[arg-type]  # checked above
    if out is not None:
        out.write_text(packet.prefix + packet.evidence, encoding="utf-8", errors="surrogateescape")
        print(f"{packet.tokens} tokens, {plan.readiness}, written to {out}", file=sys.stderr)
    else:
        tell(packet_document(packet), packet.prefix + packet.evidence, json=json)
    return 0 if plan.readiness != "insufficient_budget" else 1


def tool_door(name: str, asked: Mapping[str, Any], flags: Mapping[str, Any], *, repo: Path | None, json: bool) -> int:
    """One of the agent's tools, for a person: same name, same result."""
    with opened(flags, repo) as index:
        given = {key: value for key, value in asked.items() if value is not None}
        result = tools.call(index, name, given, looked=True)
        is_map = result.ok and name == "repo_map"
        told = document.map_document(index, result) if is_map else document.tool_document(name, result)
    if result.ok or json:
        tell(told, result.text, json=json)
    else:
        print(result.text, file=sys.stderr)
    return 0 if result.ok else 1


def serve_door(flags: Mapping[str, Any], *, mcp: bool, transport: str, repo: Path | None) -> int:
    if not mcp:
        raise BadRequest("What to serve was not said.", "Say --mcp.")
    root = discover((repo or Path.cwd()).absolute()).root
    cache_dir = load(flags, repository=root).settings.cache_dir
    if transport == "stdio":
        serve_stdio(root, cache_dir=cache_dir, identity=None, log=None)
        return 0
    if transport != "http":
        raise BadRequest(f"There is no transport {transport!r}.", "Transports: stdio, http.")
    server = HttpServer(root, cache_dir=cache_dir, identity=None, log=None)
    try:
        url, token = server.start()
        print(f"{url}\nAuthorization: Bearer {token}", flush=True)
        server.wait()
    finally:
        server.close()
    return 0


def _plan(flags: Mapping[str, Any], task: str | None, task_file: str | None, repos: Sequence[Path]) -> TaskPlan:
    roots = [discover(repo.absolute()).root for repo in repos or (Path.cwd(),)]
    settings = load(flags, repository=roots[0]).settings
    text = read_task(task, task_file)
    aids = aids_of(settings)

    def planner(index: RepositoryIndex) -> ContextPlanner:
        return ContextPlanner(index, strategy=settings.strategy, aids=aids)

    if len(roots) == 1:
        with opened_at(roots[0], settings.cache_dir) as index:
            plan = planner(index).plan(text, workflow=settings.workflow, budget=settings.budget)
    else:
        with (
            waiting("reading") as told,
            RepositorySet.open(named_by_folder(roots), cache_dir=settings.cache_dir, telling=told) as several,
        ):
            plan = plan_together(several, text, workflow=settings.workflow, budget=settings.budget, planner=planner)
    for note in notes(plan.aids):
        print(note, file=sys.stderr)
    return plan
