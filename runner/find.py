"""Which agent runs: its program, version, keys and the provider that it will talk to."""

from __future__ import annotations

import hashlib
import json
import os
import shlex
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from ..adapters.agents import AGENTS, adapter
from ..adapters.base import Adapter, Login, Traits
from ..context.errors import BadRequest
from .login import stored
from .outcome import AgentFault, ProviderRefused
from .process import run as run_command
from .settings import Settings

PROBE_LIMIT_SECONDS: Final = 60.0


class NoAgentChosen(BadRequest):
    """No agent was named, and there is not exactly one to take."""

    error_type = "no_agent"

    def __init__(self, found: tuple[str, ...]) -> None:
        here = f"Found {' and '.join(found)}" if found else "Found none"
        super().__init__(
            f"No agent was named. {here} on the path.", "Name one with --agent; `agenvantage doctor` helps."
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent:
    """An agent that can be started. `reader` understands its output: its own adapter, or the one named for `exec`."""

    name: str
    adapter: Adapter
    reader: Adapter
    binary: str
    version: str | None = None
    keys: Mapping[str, str] = field(default_factory=dict)
    login: Login | None = None
    person_home: Path | None = None
    """The person's own home of this agent."""
    person_config: str | None = field(default=None, repr=False)
    provider_url: str | None = None
    has_credentials: bool = True
    simulated: bool = False


def installed(path: str | None) -> tuple[str, ...]:
    """Names of the known agents whose program is on the path."""
    return tuple(
        name for name, known in AGENTS.items() if known.TRAITS.binary and shutil.which(known.TRAITS.binary, path=path)
    )


def choose(settings: Settings, environment: Mapping[str, str]) -> str:
    """The agent's name: the one asked for, else the only one installed. Raises NoAgentChosen, UnknownAgent."""
    if settings.agent is not None:
        return adapter(settings.agent).NAME
    if settings.agent_command is not None:
        return "exec"
    found = installed(environment.get("PATH"))
    if len(found) != 1:
        raise NoAgentChosen(found)
    return found[0]


def find(settings: Settings, environment: Mapping[str, str], name: str) -> Agent:
    """The agent, ready to start. Raises AgentFault when it is missing, ProviderRefused when it has no credentials."""
    chosen = adapter(name)
    binary = _binary(chosen, settings, environment)
    traits = chosen.TRAITS
    version = _answer(binary, traits.version, settings, environment, traits.home_variable) if traits.binary else None
    _demand_version(name, settings.agent_version, version)
    url = settings.provider_url or next(
        (environment[variable] for variable in traits.url_variables if environment.get(variable)), None
    )
    keys = {variable: environment[variable] for variable in traits.key_variables if environment.get(variable)}
    login = traits.login if traits.login and stored(traits.login, environment) else None
    home = person_home(traits, environment)
    config = readable(home / traits.config_file) if home and traits.config_file else None
    configured = any(word in (config or "") for word in traits.credential_settings)
    has_credentials = bool(keys or login or configured or not traits.key_variables)
    if not has_credentials and settings.provider_url is None:
        raise _no_credentials(name, chosen)
    return Agent(
        name=name,
        adapter=chosen,
        reader=chosen if traits.speaks or settings.agent_events == "none" else adapter(settings.agent_events),
        binary=binary,
        version=_version_number(version),
        keys=keys,
        login=login,
        person_home=home,
        person_config=config,
        provider_url=url,
        has_credentials=has_credentials,
        simulated=traits.simulated or (url is not None and on_this_machine(url)),
    )


def person_home(traits: Traits, environment: Mapping[str, str]) -> Path | None:
    """Where the person's own configuration of an agent lies."""
    moved = environment.get(traits.home_variable or "")
    if moved:
        return Path(moved)
    return Path(traits.person_home.replace("~", environment.get("HOME", "~"), 1)) if traits.person_home else None


def readable(path: Path) -> str | None:
    """A file's text; None when there is none, or none that can be read."""
    try:
        return path.read_text(encoding="utf-8", errors="surrogateescape") if path.is_file() else None
    except OSError:
        return None


def on_this_machine(url: str) -> bool:
    """Whether an address is on the loopback interface: then no billed provider is behind it, as far as we know."""
    host = urlsplit(url).hostname or ""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _binary(chosen: Adapter, settings: Settings, environment: Mapping[str, str]) -> str:
    wanted = settings.agent_bin or (
        shlex.split(settings.agent_command)[0] if settings.agent_command else chosen.TRAITS.binary
    )
    if wanted is None:
        return ""
    place = shutil.which(wanted, path=environment.get("PATH"))
    if place is None:
        install = f"Install it with `{chosen.TRAITS.install}`, or give" if chosen.TRAITS.install else "Give"
        where = "" if "/" in wanted else " on the path"
        raise AgentFault(f"Could not find {wanted!r}{where}.", f"{install} its place with --agent-bin.")
    return str(Path(place).absolute())


def _demand_version(name: str, wanted: str | None, found: str | None) -> None:
    if wanted is not None and wanted != _version_number(found):
        raise AgentFault(
            f"{name} {wanted} was asked for, and {_version_number(found) or 'an unknown version'} is here.",
            "Install that version, or give its place with --agent-bin.",
        )


def _no_credentials(name: str, chosen: Adapter) -> ProviderRefused:
    keys = " or ".join(chosen.TRAITS.key_variables)
    return ProviderRefused(
        f"{name} has no credentials: no {keys} is set and no stored login was found.",
        "Log in with the agent's own command, set the variable, or point --provider-url at a provider that needs none.",
    )


def _version_number(printed: str | None) -> str | None:
    """`codex-cli 0.171.0` and `2.1.332 (Claude Code)` → the number."""
    words = (printed or "").split()
    return next((word for word in words if word[:1].isdigit()), words[0] if words else None)


def _answer(
    binary: str,
    arguments: tuple[str, ...],
    settings: Settings,
    environment: Mapping[str, str],
    home_variable: str | None,
) -> str | None:
    """What the program prints for a harmless question; kept as long as the program's file stays the same."""
    kept = settings.cache_dir / "probes" / f"{_file_identity(binary, arguments)}.json"
    try:
        return str(json.loads(kept.read_text(encoding="utf-8"))["output"])
    except (OSError, ValueError, KeyError):
        pass
    printed = _asked(binary, arguments, environment, home_variable)
    if printed is None:
        return None
    kept.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    beside = kept.with_suffix(f".{os.getpid()}")
    beside.write_text(json.dumps({"output": printed}), encoding="utf-8")
    beside.replace(kept)
    return printed


def _asked(
    binary: str, arguments: tuple[str, ...], environment: Mapping[str, str], home_variable: str | None
) -> str | None:
    """One call in an agent home of its own, so that the person's is not touched."""
    with tempfile.TemporaryDirectory() as empty:
        own = {home_variable: empty} if home_variable else {}
        done = run_command(
            (binary, *arguments),
            cwd=Path(empty),
            environment={**environment, **own},
            time_limit_seconds=PROBE_LIMIT_SECONDS,
        )
    return done.output if done.exit_code == 0 else None


def _file_identity(binary: str, arguments: tuple[str, ...]) -> str:
    real = os.path.realpath(binary)
    status = os.stat(real)  # noqa: PTH116 (the file's own times, not the link's)
    facts = (real, status.st_size, status.st_mtime_ns, *arguments)
    return hashlib.sha256(repr(facts).encode()).hexdigest()[:32]
