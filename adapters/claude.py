"""The adapter of Claude Code: how it is started. Its stream and its logs are read in the files beside this one."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Mapping
from typing import Any, Final

from ..context.errors import BadRequest
from ..context.model import Provider
from .base import SERVER_NAME, Command, Launch, Login, ToolServer, Traits
from .claude_session import session
from .claude_stream import events

__all__ = ["NAME", "PROVIDER", "TRAITS", "command", "events", "session"]

NAME: Final = "claude"
PROVIDER: Final[Provider] = "anthropic"
KEY: Final = "ANTHROPIC_API_KEY"
TRAITS: Final = Traits(
    binary="claude",
    install="npm install -g @anthropic-ai/claude-code",
    home_variable="CLAUDE_CONFIG_DIR",
    key_variables=(KEY, "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"),
    url_variables=("ANTHROPIC_BASE_URL",),
    login=Login(person=("~/.claude/.credentials.json",), name=".credentials.json", variable="CLAUDE_CONFIG_DIR"),
    person_home="~/.claude",
    config_file="settings.json",
    cache_litter=("claude-cli-nodejs/*-{run_id}-*",),
    credential_settings=("apiKeyHelper", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_API_KEY", "CLAUDE_CODE_USE_"),
    config_files=(
        "CLAUDE.md", "rules/**/*.md", "agents/**/*.md", "commands/**/*.md", "skills/**/*", "output-styles/*.md",
    ),
    stop_signal="TERM",
    session_files=("projects/**/*.jsonl",),
    nesting_variables=(
        "AI_AGENT", "CLAUDECODE", "CLAUDE_CODE_CHILD_*", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_EXECPATH",
        "CLAUDE_CODE_HOST_*", "CLAUDE_CODE_MESSAGING_*", "CLAUDE_CODE_SESSION_*", "CLAUDE_CODE_SSE_PORT",
        "CLAUDE_EFFORT", "CLAUDE_PID",
    ),
)  # fmt: skip

MCP_FILE: Final = "agenvantage/mcp.json"
PREFIX_FILE: Final = "agenvantage/prefix.md"
TOKEN_VARIABLE: Final = "AGENVANTAGE_MCP_TOKEN"
QUIET: Final = {
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "DISABLE_AUTOUPDATER": "1",
    "DISABLE_TELEMETRY": "1",
    "DISABLE_ERROR_REPORTING": "1",
    "CLAUDE_CODE_MAX_RETRIES": "5",
    "MCP_TIMEOUT": "60000",
}
# What may be done without asking. Edits are allowed by the mode, below the working folder and `--add-dir` only.
ALLOWED: Final = ("Bash", "Read", "Glob", "Grep", "Skill", "Task", f"mcp__{SERVER_NAME}")
ENDPOINT: Final = re.compile(
    r"(ANTHROPIC_(BASE_URL|AUTH_TOKEN|API_KEY|CUSTOM_HEADERS|(BEDROCK|VERTEX|FOUNDRY)_.*|.*MODEL.*)|CLAUDE_CODE_USE_.*"
    r"|CLAUDE_CODE_SKIP_.*_AUTH|AWS_.*|CLOUD_ML_REGION|VERTEX_REGION_.*)"
)
"""Variables set in a person's settings that say where the model is."""
ENDPOINT_SETTINGS: Final = ("apiKeyHelper", "awsAuthRefresh", "awsCredentialExport")
MENTION: Final = re.compile(r"(?:^|\s)@([^\s`]+)")
MEMORY: Final = "CLAUDE.md"


class UnreadableSettings(BadRequest):
    """The person's own settings of Claude Code are broken."""

    error_type = "unreadable_configuration"

    def __init__(self, why: str) -> None:
        super().__init__(
            f"The settings of Claude Code can't be read: {why}.",
            "Mend ~/.claude/settings.json: a run keeps to the provider that is set there.",
        )


def command(launch: Launch) -> Command:
    """`claude -p` on a configuration of its own, the prompt on standard input. Raises UnreadableSettings."""
    person = _parsed(launch.person_config)
    settings = _settings(launch, person)
    files = dict(launch.person_files) if launch.use_my_config else {}
    files |= _memory(launch, files)
    files |= {"settings.json": _text(settings), MCP_FILE: _text({"mcpServers": _servers(launch.tools)})}
    if launch.prefix:
        files[PREFIX_FILE] = launch.prefix
    return Command(
        argv=_argv(launch),
        stdin=launch.prompt.encode("utf-8", "replace"),
        environment=_environment(launch),
        home_files=files,
    )


def _argv(launch: Launch) -> tuple[str, ...]:
    argv = [launch.binary, "-p", "--output-format", "stream-json", "--verbose", *_permissions(launch)]
    # The repository's settings hold hooks and its .mcp.json servers: they run without a question in this mode.
    argv += ["--setting-sources", "user,project,local" if launch.trust_project else "user"]
    if not (launch.trust_project or launch.use_my_config):
        argv.append("--strict-mcp-config")
    if launch.tools is not None or "--strict-mcp-config" in argv:
        argv += ["--mcp-config", str(launch.home / MCP_FILE)]
    # Else the prompt's stable part would name the folder of this run, and no two runs would share a cached prefix.
    argv.append("--exclude-dynamic-system-prompt-sections")
    if launch.prefix:
        argv += ["--append-system-prompt-file", str(launch.home / PREFIX_FILE)]
    asked = (("--model", launch.model), ("--effort", launch.effort), ("--max-turns", launch.max_turns))
    argv += [word for flag, value in asked if value is not None for word in (flag, str(value))]
    return (*argv, *launch.arguments)


def _permissions(launch: Launch) -> list[str]:
    if launch.sandbox == "off":
        return ["--permission-mode", "bypassPermissions"]
    return ["--permission-mode", "acceptEdits", "--add-dir", str(launch.tree), "--allowedTools", ",".join(ALLOWED)]


def _settings(launch: Launch, person: Mapping[str, Any]) -> dict[str, Any]:
    own = person if launch.use_my_config else {key: person[key] for key in ENDPOINT_SETTINGS if key in person}
    return {**own, "env": _variables(launch, person)}


def _variables(launch: Launch, person: Mapping[str, Any]) -> dict[str, str]:
    """Variables set in the settings. They win over the environment, so that an asked-for address stands here too."""
    given = person.get("env")
    mine = {name: str(value) for name, value in given.items()} if isinstance(given, dict) else {}
    kept = mine if launch.use_my_config else {name: value for name, value in mine.items() if ENDPOINT.fullmatch(name)}
    return kept | ({"ANTHROPIC_BASE_URL": launch.provider_url} if launch.provider_url else {})


def _servers(server: ToolServer | None) -> dict[str, Any]:
    """Our tools, shown to the model at once instead of after a search for them."""
    if server is None:
        return {}
    entry: dict[str, Any]
    if server.transport == "http":
        entry = {"type": "http", "url": server.url, "headers": {"Authorization": f"Bearer ${{{TOKEN_VARIABLE}}}"}}
    else:
        entry = {"type": "stdio", "command": server.command[0], "args": list(server.command[1:])}
        entry["env"] = dict(server.environment)
    return {SERVER_NAME: {**entry, "alwaysLoad": True}}


def _environment(launch: Launch) -> dict[str, str]:
    environment = dict(QUIET)
    if launch.provider_url:
        environment["ANTHROPIC_BASE_URL"] = launch.provider_url
        if not launch.has_credentials:
            environment[KEY] = "no-key"
    if launch.tools and launch.tools.transport == "http":
        environment[TOKEN_VARIABLE] = launch.tools.token
    if launch.as_root and launch.sandbox == "off":
        environment["IS_SANDBOX"] = "1"
    return environment


def _memory(launch: Launch, person: Mapping[str, str]) -> dict[str, str]:
    """The repository's instructions as the agent's own memory: its settings, which would run code, stay unread."""
    if launch.trust_project:
        return {}
    files: dict[str, str] = {}
    for path, text in sorted(launch.instructions.items()):
        folder, name = posixpath.split(path)
        if name != MEMORY:
            continue
        whole = text + _mentioned(text, folder, launch.instructions)
        if folder in ("", ".claude"):
            files[MEMORY] = files.get(MEMORY, person.get(MEMORY, "")) + whole
        else:
            pattern = json.dumps(posixpath.join(folder, "**"))
            files[f"rules/{folder.replace('/', '-')}.md"] = f"---\npaths:\n  - {pattern}\n---\n{whole}"
    return files


def _mentioned(text: str, folder: str, instructions: Mapping[str, str]) -> str:
    """The files that an instruction file draws in with `@path`, where we have them."""
    paths = (posixpath.normpath(posixpath.join(folder, mention)) for mention in MENTION.findall(text))
    return "".join(f"\n\n{path}:\n\n{instructions[path]}" for path in dict.fromkeys(paths) if path in instructions)


def _parsed(text: str | None) -> Mapping[str, Any]:
    if not text or not text.strip():
        return {}
    try:
        settings = json.loads(text)
    except ValueError as broken:
        raise UnreadableSettings(str(broken)) from broken
    if not isinstance(settings, dict):
        raise UnreadableSettings("it is not a JSON object")
    return settings


def _text(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=True) + "\n"
