"""Conclude a run: its trace, its sealed folder, its row in the store, its spans on the way, its desk cleared."""

from __future__ import annotations

import sys
from typing import Any, Final

from .. import __version__
from ..telemetry import otlp
from ..telemetry.model import AgentIdentity, AgentTrace, Outcome, RepositoryFacts
from ..telemetry.seal import Manifest
from ..telemetry.spans import agent_links
from .desk import Desk
from .litter import clear_litter
from .settings import Settings
from .sofar import Run
from .worktree import RunTree

LAST_WORDS_CHARACTERS: Final = 300


def conclude(desk: Desk, done: Run, outcome: Outcome) -> AgentTrace:
    """Seal and store the run, send its spans, and clear its desk; the tree stays where it holds uncaptured work."""
    _adopt(desk, done)
    keep_tree = done.tree is not None and _tree_stays(desk, done, outcome)
    trace = _trace(desk, done, outcome, keep_tree=keep_tree)
    folder = desk.record.seal(trace, _manifest(desk, done), capture_content=desk.request.settings.capture_content)
    desk.store.record(trace, secrets=desk.secrets)
    sent = otlp.send((folder / "spans.jsonl").read_text(encoding="utf-8").splitlines(), desk.request.environment)
    if sent.why is not None:
        desk.watch.step(str(sent))
    clear_litter(desk.run_id, desk.request.environment)
    desk.leave(keep_tree=keep_tree)
    return trace


def last_words(desk: Desk) -> str:
    """The end of what the agent printed as errors, as a half-sentence."""
    try:
        lines = desk.stderr.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    except OSError:
        return ""
    return f": {lines[-1][:LAST_WORDS_CHARACTERS]}" if lines else ""


def _adopt(desk: Desk, done: Run) -> None:
    """Copy the agent's raw records into the run folder, secrets redacted."""
    for name, source in (("stream.raw", desk.stdout), ("stderr.raw", desk.stderr)):
        if source.exists():
            desk.record.adopt(name, source)
    if done.agent is None:
        return
    for pattern in done.agent.reader.TRAITS.session_files:
        for path in sorted(desk.agent_home.glob(pattern)):
            if path.is_file() and not path.is_symlink():
                desk.record.adopt(f"sessions/{path.relative_to(desk.agent_home)}", path)


def _tree_stays(desk: Desk, done: Run, outcome: Outcome) -> bool:
    if done.capture_error is not None or (done.started is not None and not done.started.login.returned):
        return True
    wish = desk.request.settings.keep
    return wish == "always" or (wish == "failed" and outcome.outcome != "solved")


def _trace(desk: Desk, done: Run, outcome: Outcome, *, keep_tree: bool) -> AgentTrace:
    request, agent, tree = desk.request, done.agent, done.tree
    return desk.recorder.finish(
        trajectory=done.told.trajectory,
        outcome=outcome,
        agent=AgentIdentity(
            name=done.agent_name,
            version=done.told.trajectory.version or (agent.version if agent else None),
            model_requested=request.settings.model,
            effort=request.settings.effort,
            sandbox=request.settings.sandbox,
            provider=agent.adapter.PROVIDER if agent else None,
        ),
        strategy=request.settings.strategy if request.settings.optimize_context else "native",
        workflow=done.briefing.workflow,
        repository=repository_facts(tree, name=request.repository.name, from_=request.settings.from_),
        delivery=done.told.delivery,
        served=done.told.served,
        tree=tree.root if keep_tree and tree else None,
        labels=("simulated",) if agent is not None and agent.simulated else (),
        folder=str(desk.record.final),
        compare_id=request.compare_id,
        pid=done.started.running.pid if done.started else None,
        links=agent_links(request.environment),
    )


def repository_facts(tree: RunTree | None, *, name: str, from_: str) -> RepositoryFacts:
    """What a run started from; its commits are unknown while it has no tree."""
    if tree is None:
        return RepositoryFacts(name=name, from_=from_)
    return RepositoryFacts(
        name=name,
        commit=tree.source_commit,
        base=tree.base_commit,
        branch=tree.branch,
        dirty=tree.dirty,
        from_=from_,
    )


def _manifest(desk: Desk, done: Run) -> Manifest:
    environment = done.started.environment if done.started else None
    settings = desk.request.settings
    return Manifest(
        versions={
            "agenvantage": __version__,
            "python": sys.version.split()[0],
            "agent": done.agent.version if done.agent else None,
        },
        environment_names=environment.passed_names if environment else (),
        seeded=done.tree.seeded if done.tree else (),
        arguments=_arguments(settings),
    )


def _arguments(settings: Settings) -> dict[str, Any]:
    """The settings that decided the run; places and addresses are the person's own affair."""
    private = {
        "cache_dir",
        "state_dir",
        "data_dir",
        "agent_bin",
        "provider_url",
        "semantic_url",
        "rerank_url",
        "rewrite_url",
        "recording",
        "agent_command",
        "agent_arg",
    }
    return {name: getattr(settings, name) for name in settings.__dataclass_fields__ if name not in private}
