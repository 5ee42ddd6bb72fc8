"""What an agent adapter is: a module of pure functions, checked against one Protocol."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal, Protocol

from ..context.model import Provider
from ..telemetry.model import AgentEvent

Sandbox = Literal["workspace", "off"]
SERVER_NAME: Final = "agenvantage"


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolServer:
    """Where the agent finds our tools: by HTTP with a bearer token, or by starting a process that speaks stdio."""

    url: str
    token: str
    command: tuple[str, ...]
    environment: Mapping[str, str] = field(default_factory=dict)
    transport: Literal["stdio", "http"] = "stdio"


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """All that an adapter may know of a run. Paths are absolute; the files it asks for are written for it."""

    run_id: str
    binary: str
    version: str | None
    cwd: Path
    tree: Path
    home: Path
    """The agent's own fresh home (`CODEX_HOME`, `CLAUDE_CONFIG_DIR`, …)."""
    temporary: Path
    """The run's own TMPDIR."""
    prompt: str
    """The task, with its evidence in front when the context is optimized."""
    task: str = ""
    """The task alone, in the person's words."""
    prefix: str = ""
    """The stable part, for the most cacheable place the agent offers; empty when native."""
    tools: ToolServer | None = None
    model: str | None = None
    effort: str | None = None
    arguments: tuple[str, ...] = ()
    provider_url: str | None = None
    has_credentials: bool = True
    """False: neither a key nor a login is there; with a `provider_url` a dummy key stands in."""
    keys: Mapping[str, str] = field(default_factory=dict)
    """The agent's own key variables that are set. Never recorded."""
    sandbox: Sandbox = "workspace"
    as_root: bool = False
    use_my_config: bool = False
    trust_project: bool = False
    person_config: str | None = None
    """The text of the person's own `Traits.config_file`: only its provider endpoint counts, unless `use_my_config`."""
    person_files: Mapping[str, str] = field(default_factory=dict)
    """More of the person's own agent home (`Traits.config_files`), path → text; given with `use_my_config` only."""
    instructions: Mapping[str, str] = field(default_factory=dict)
    """The repository's own instruction files for agents (`CLAUDE.md`, `AGENTS.md`): path → text."""
    git_dir: Path | None = None
    """The tree's git directory, to be writable inside a sandbox."""
    max_turns: int | None = None
    command: tuple[str, ...] = ()
    """`exec` only: the program and its arguments."""
    recording: Path | None = None
    """`replay` only."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """What to start. `environment` is added to the run's own; `home_files` are written below the agent's home."""

    argv: tuple[str, ...]
    stdin: bytes = b""
    environment: Mapping[str, str] = field(default_factory=dict)
    home_files: Mapping[str, str] = field(default_factory=dict)
    variables: tuple[str, ...] = ()
    """Names of the person's variables that the agent's provider settings need, for the agent alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Login:
    """How a stored login looks on disk, so that a token renewed in the run reaches the person's own file.

    `person` are the places to look, first that exists, with `~`; `name` is the file's name in the fresh home.
    """

    person: tuple[str, ...]
    name: str
    variable: str
    """The variable that moves the agent's home, and with it the person's file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Traits:
    """What the runner must know of an agent that is not a function: one row in a table, never an `if`."""

    binary: str | None
    """The name to look for on the path; None for an agent that needs none."""
    install: str = ""
    """One line that installs it."""
    version: tuple[str, ...] = ("--version",)
    home_variable: str | None = None
    key_variables: tuple[str, ...] = ()
    """First that is set wins."""
    url_variables: tuple[str, ...] = ()
    """The person's own setting of the provider's address."""
    login: Login | None = None
    person_home: str | None = None
    """Where the person's own agent home lies unless `home_variable` moves it, with `~`."""
    config_file: str | None = None
    """The agent's main configuration file, below its home."""
    config_files: tuple[str, ...] = ()
    """Globs of what else configures it, below its home."""
    credential_settings: tuple[str, ...] = ()
    """Words in `config_file` that say where a key comes from, when it is neither a variable nor a stored login."""
    stop_signal: Literal["INT", "TERM"] = "TERM"
    session_files: tuple[str, ...] = ()
    """Globs below the agent's home."""
    cache_litter: tuple[str, ...] = ()
    """Folders that it makes for a run in the person's cache folder, as globs with `{run_id}`."""
    simulated: bool = False
    """Its model traffic is never real."""
    speaks: bool = True
    """Its output tells what it does, from its start on."""
    proves_delivery: bool = True
    """Its session log shows the prompt, and it lists a tool server's tools by itself."""
    nesting_variables: tuple[str, ...] = ()
    """Set by a running agent for its children; a nested agent must not see them."""


class Adapter(Protocol):
    """The shape of an adapter module."""

    @property
    def NAME(self) -> str:
        """How a person calls it."""
        ...

    @property
    def PROVIDER(self) -> Provider:
        """Whose cache and price rules hold."""
        ...

    @property
    def TRAITS(self) -> Traits:
        """What the runner must know of it."""
        ...

    def command(self, launch: Launch) -> Command:
        """What to start for this run."""
        ...

    def events(self, lines: Iterable[str]) -> Iterator[AgentEvent]:
        """The agent's standard output, read line by line. A line it can't read becomes an `unknown` event."""
        ...

    def session(self, files: Mapping[str, Iterable[str]]) -> Iterator[AgentEvent]:
        """The agent's own logs: path below its home → lines. Each answered model call is a `request` event."""
        ...
