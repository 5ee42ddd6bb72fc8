"""The adapter of the Codex CLI: how it is started. Its stream and its logs are read in the files beside this one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from ..context.model import Provider
from . import toml
from .base import SERVER_NAME, Command, Launch, Login, ToolServer, Traits
from .codex_session import session
from .codex_stream import events

__all__ = ["NAME", "PROVIDER", "TRAITS", "command", "events", "session"]

NAME: Final = "codex"
PROVIDER: Final[Provider] = "openai"
KEYS: Final = ("CODEX_API_KEY", "OPENAI_API_KEY")
TRAITS: Final = Traits(
    binary="codex",
    install="npm install -g @openai/codex",
    home_variable="CODEX_HOME",
    key_variables=KEYS,
    url_variables=("OPENAI_BASE_URL",),
    login=Login(person=("~/.codex/auth.json",), name="auth.json", variable="CODEX_HOME"),
    person_home="~/.codex",
    config_file="config.toml",
    config_files=(
        "AGENTS.md", "AGENTS.override.md", "*.config.toml", "rules/*", "prompts/*", "skills/**/*", "agents/*",
    ),
    credential_settings=("env_key", "env_http_headers", "experimental_bearer_token", "auth"),
    stop_signal="INT",
    session_files=("sessions/**/rollout-*.jsonl", "archived_sessions/**/rollout-*.jsonl"),
    nesting_variables=(
        "CODEX_APPLY_PATCH_*", "CODEX_CI", "CODEX_INTERNAL_*", "CODEX_MANAGED_*", "CODEX_SANDBOX", "CODEX_SANDBOX_*",
        "CODEX_SESSION_ID", "CODEX_THREAD_ID", "CODEX_TOOL_CALL_ID", "CODEX_VERSION",
    ),
)  # fmt: skip

# A server that has no built-in provider's name goes straight to HTTP; the built-in one tries a WebSocket first.
PROVIDER_ID: Final = "agenvantage"
DUMMY_KEY: Final = {KEYS[0]: "no-key"}
ENDPOINT: Final = ("model_provider", "model_providers", "openai_base_url", "chatgpt_base_url")
"""What of the person's configuration says where the model is."""
TOKEN_VARIABLE: Final = "AGENVANTAGE_MCP_TOKEN"
# Without bounds a failing provider is asked 30 times.
RETRIES: Final = {"request_max_retries": 3, "stream_max_retries": 3}
QUIET: Final[Mapping[str, Any]] = {
    "check_for_update_on_startup": False,
    "analytics": {"enabled": False},
    "feedback": {"enabled": False},
    "features": {"unbounded_connection_retries": False},
}


def command(launch: Launch) -> Command:
    """`codex exec` on a configuration of its own, the prompt on standard input. Raises UnreadableConfiguration."""
    person = toml.parsed(launch.person_config, NAME) if launch.person_config else {}
    settings = _settings(launch, person)
    files = dict(launch.person_files) if launch.use_my_config else {}
    files["config.toml"] = toml.written(settings)
    return Command(
        argv=_argv(launch),
        stdin=launch.prompt.encode("utf-8", "replace"),
        environment=_environment(launch),
        home_files=files,
        variables=_variables(settings),
    )


def _argv(launch: Launch) -> tuple[str, ...]:
    # Also in the configuration; said again where a person's own settings can't undo it.
    argv = [launch.binary, "exec", "--json", "--disable", "unbounded_connection_retries", "-C", str(launch.cwd)]
    if launch.sandbox == "off":
        argv.append("--dangerously-bypass-approvals-and-sandbox")
    else:
        argv += ["-s", "workspace-write"]
    if launch.model:
        argv += ["-m", launch.model]
    return (*argv, *launch.arguments, "-")


def _settings(launch: Launch, person: Mapping[str, Any]) -> dict[str, Any]:
    settings = dict(person) if launch.use_my_config else {key: person[key] for key in ENDPOINT if key in person}
    for part in (QUIET, _workspace(launch), _model(launch), _provider(launch, settings), _tools(launch.tools)):
        settings = toml.merged(settings, part)
    return toml.merged(settings, {"shell_environment_policy": {"exclude": _hidden(launch, settings)}})


def _workspace(launch: Launch) -> dict[str, Any]:
    """Where it may write: the whole tree, though it may start in a part of it, and its git directory to commit."""
    roots = [str(path) for path in (launch.tree, launch.git_dir, launch.temporary) if path is not None]
    settings: dict[str, Any] = {"sandbox_workspace_write": {"writable_roots": roots}}
    if launch.trust_project:
        settings["projects"] = {str(launch.tree): {"trust_level": "trusted"}}
    return settings


def _model(launch: Launch) -> dict[str, Any]:
    settings = {"model_reasoning_effort": launch.effort, "developer_instructions": launch.prefix}
    return {key: value for key, value in settings.items() if value}


def _provider(launch: Launch, settings: Mapping[str, Any]) -> dict[str, Any]:
    """The address of the model: the one asked for, else the person's own, else the built-in one."""
    if launch.provider_url is None:
        own = settings.get("model_providers")
        names = own if isinstance(own, dict) else {}
        return {
            "model_providers": {name: {**RETRIES, **entry} for name, entry in names.items() if isinstance(entry, dict)}
        }
    provider = {"name": PROVIDER_ID, "base_url": launch.provider_url.rstrip("/"), "wire_api": "responses", **RETRIES}
    key = next((name for name in KEYS if name in launch.keys), None)
    if key or not launch.has_credentials:
        provider["env_key"] = key or KEYS[0]
    else:
        provider["requires_openai_auth"] = True
    return {"model_provider": PROVIDER_ID, "model_providers": {PROVIDER_ID: provider}}


def _tools(server: ToolServer | None) -> dict[str, Any]:
    """Our tools: waited for, approved, and shown to the model at once instead of after a search for them."""
    if server is None:
        return {}
    settings: dict[str, Any] = {
        "required": True,
        "startup_timeout_sec": 60,
        "startup_readiness": "catalog",
        "default_tools_approval_mode": "approve",
        "omit_tools_from": ["deferred"],
    }
    if server.transport == "http":
        settings |= {"url": server.url, "bearer_token_env_var": TOKEN_VARIABLE}
    else:
        settings |= {"command": server.command[0], "args": list(server.command[1:])}
        if server.environment:
            settings["env"] = dict(server.environment)
    return {"mcp_servers": {SERVER_NAME: settings}}


def _environment(launch: Launch) -> dict[str, str]:
    environment = dict(DUMMY_KEY) if launch.provider_url and not launch.has_credentials else {}
    if launch.tools and launch.tools.transport == "http":
        environment[TOKEN_VARIABLE] = launch.tools.token
    return environment


def _variables(settings: Mapping[str, Any]) -> tuple[str, ...]:
    """Variables that the providers' settings name: keys and headers."""
    providers = settings.get("model_providers")
    names: list[str] = []
    for provider in providers.values() if isinstance(providers, dict) else ():
        if isinstance(provider, dict):
            names += [provider.get("env_key") or "", *(provider.get("env_http_headers") or {}).values()]
    return tuple(sorted({name for name in names if isinstance(name, str) and name}))


def _hidden(launch: Launch, settings: Mapping[str, Any]) -> list[str]:
    """What the agent's commands must not see: every key that it was given, and the token of our tools."""
    policy = settings.get("shell_environment_policy")
    own = policy.get("exclude") if isinstance(policy, dict) else None
    names = {*KEYS, *launch.keys, *_variables(settings), TOKEN_VARIABLE, *(own if isinstance(own, list) else [])}
    return sorted(names)
