"""Start the agent: its own fresh home, its environment, its command."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ..adapters.base import Command, Launch
from ..context.git import git, names
from ..telemetry.spans import agent_span_id, traceparent
from .borrow import Borrowed
from .brief import Briefing
from .desk import Desk
from .environment import ChildEnvironment, child_environment, fresh_home_folders
from .find import Agent, readable
from .login import Loan, lend, stored
from .process import ProcessSpec, Running, start
from .settings import Settings
from .worktree import RunTree

LOOPBACK: Final = ("127.0.0.1", "localhost")
# Instruction files that an agent reads by itself where it is allowed to; an adapter carries them over where not.
INSTRUCTION_FILES: Final = ("AGENTS.md", "CLAUDE.md", "*/AGENTS.md", "*/CLAUDE.md")
BUNDLED: Final = Path(__file__).parent / "demo"


@dataclass(frozen=True, slots=True, kw_only=True)
class Started:
    """A living agent and what it was started with."""

    running: Running
    environment: ChildEnvironment
    login: Borrowed


def launch(desk: Desk, tree: RunTree, agent: Agent, briefing: Briefing) -> Started:
    """Start the agent in its tree. Raises CommandNotStarted, SupervisorFailed, LoginRefused."""
    command = agent.adapter.command(_launch(desk, tree, agent, briefing))
    for name, text in command.home_files.items():
        _write_private(desk.agent_home / name, text)
    environment = agent_environment(desk, agent, command)
    login = Borrowed(loan=_lend(desk, agent), tell=desk.watch.step)
    running = start(
        ProcessSpec(
            argv=command.argv,
            cwd=tree.cwd,
            environment=environment.variables,
            stdin=command.stdin,
            stdout=desk.stdout,
            stderr=desk.stderr,
            marker=desk.run_id,
            stop_signal=agent.adapter.TRAITS.stop_signal,
            record=desk.folder / "processes.json",
        )
    )
    desk.journal.update(supervisor=running.supervisor, agent=running.process)
    return Started(running=running, environment=environment, login=login)


def agent_environment(desk: Desk, agent: Agent, command: Command) -> ChildEnvironment:
    """What the agent sees: the person's variables by the contract, its own keys and home, and what its command adds."""
    traits = agent.adapter.TRAITS
    home_variable = desk.request.settings.agent_home_env or traits.home_variable
    own = {home_variable: str(desk.agent_home)} if home_variable else {}
    own |= past_the_proxy(desk.request.environment)
    own["TRACEPARENT"] = traceparent(desk.recorder.trace_id, agent_span_id(desk.run_id))
    return _environment(
        desk,
        agent_keys=(*traits.key_variables, *command.variables),
        nesting=traits.nesting_variables,
        extra=own | dict(command.environment),
    )


def command_environment(desk: Desk) -> ChildEnvironment:
    """What setup commands and checks see: as the agent, without its keys."""
    return _environment(desk)


def _environment(
    desk: Desk,
    *,
    agent_keys: tuple[str, ...] = (),
    nesting: tuple[str, ...] = (),
    extra: Mapping[str, str] | None = None,
) -> ChildEnvironment:
    return child_environment(
        desk.request.environment,
        run_id=desk.run_id,
        temporary=desk.temporary,
        home=_fresh_home(desk),
        keep=desk.request.settings.env,
        agent_keys=agent_keys,
        nesting=nesting,
        extra=extra,
    )


def past_the_proxy(person: Mapping[str, str]) -> dict[str, str]:
    """Lets an agent behind a proxy reach the tools on this machine; a name with both spellings, as programs differ."""
    there = [entry for name in ("NO_PROXY", "no_proxy") for entry in person.get(name, "").split(",") if entry.strip()]
    value = ",".join(dict.fromkeys([*(entry.strip() for entry in there), *LOOPBACK]))
    return {"NO_PROXY": value, "no_proxy": value}


def _fresh_home(desk: Desk) -> Path | None:
    """A HOME of the run's own when it was asked for, with the folders that its variables name."""
    if desk.request.settings.home != "fresh":
        return None
    home = desk.folder / "person"
    for folder in (home, *fresh_home_folders(home)):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return home


def _launch(desk: Desk, tree: RunTree, agent: Agent, briefing: Briefing) -> Launch:
    settings, traits = desk.request.settings, agent.adapter.TRAITS
    evidence = briefing.packet.evidence
    person = agent.person_home
    return Launch(
        run_id=desk.run_id,
        binary=agent.binary,
        version=agent.version,
        cwd=tree.cwd,
        tree=tree.root,
        home=desk.agent_home,
        temporary=desk.temporary,
        prompt=evidence + desk.request.task,
        task=desk.request.task,
        prefix=briefing.packet.prefix,
        tools=briefing.server,
        model=settings.model,
        effort=settings.effort,
        arguments=settings.agent_arg,
        provider_url=agent.provider_url,
        has_credentials=agent.has_credentials,
        keys=agent.keys,
        sandbox=settings.sandbox,
        as_root=os.geteuid() == 0,
        use_my_config=settings.use_my_config,
        trust_project=settings.trust_project,
        instructions=_instructions(tree),
        git_dir=tree.git_dir,
        max_turns=settings.max_turns,
        person_config=agent.person_config,
        person_files=_person_files(person, traits.config_files) if person and settings.use_my_config else {},
        command=tuple(shlex.split(settings.agent_command or "")),
        recording=_recording(settings),
    )


def _instructions(tree: RunTree) -> Mapping[str, str]:
    """The repository's own words to agents, by path; nothing that a link leads to."""
    paths = names(git(tree.root, "ls-files", "-z", "--", *INSTRUCTION_FILES))
    found = {path: readable(tree.root / path) for path in paths if not (tree.root / path).is_symlink()}
    return {path: text for path, text in found.items() if text is not None}


def _person_files(home: Path, globs: tuple[str, ...]) -> Mapping[str, str]:
    found = {str(path.relative_to(home)): readable(path) for pattern in globs for path in sorted(home.glob(pattern))}
    return {name: text for name, text in found.items() if text is not None}


def _recording(settings: Settings) -> Path:
    """The recording to play: the one asked for, else the bundled one of this arm."""
    if settings.recording:
        return Path(settings.recording).absolute()
    return BUNDLED / ("optimized.jsonl" if settings.optimize_context else "native.jsonl")


def _lend(desk: Desk, agent: Agent) -> Loan | None:
    if agent.login is None or agent.keys:
        return None
    file = stored(agent.login, desk.request.environment)
    return lend(agent.login, file, desk.agent_home) if file else None


def _write_private(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    path.write_text(text, encoding="utf-8", errors="surrogateescape")
    path.chmod(0o600)
