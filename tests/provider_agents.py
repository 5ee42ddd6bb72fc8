"""Starts the real Codex and Claude Code against the scripted provider: fresh home, no network, no key."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agenvantage.adapters.base import SERVER_NAME
from provider import ScriptedProvider

AGENTS = Path(__file__).resolve().parents[1] / ".agents"
BINARIES = {name: AGENTS / name / "node_modules" / ".bin" / name for name in ("codex", "claude")}
MODELS = ("codex:gpt-5.5", "codex:gpt-6.2-sol", "claude")
"""A classic model, one in code mode, and Claude with its own default."""
TOKEN_VARIABLE = "TEST_MCP_TOKEN"
LIMIT_SECONDS = 90


@dataclass(frozen=True)
class Tools:
    """Where our tools are. `transport` is `none`, `stdio` or `http`."""

    transport: str = "none"
    command: tuple[str, ...] = ("",)
    url: str = ""
    token: str = ""


@dataclass(frozen=True)
class Start:
    """One start of an agent in `folder`, which gets its home; it works in `repository`."""

    agent: str
    prompt: str
    folder: Path
    repository: Path
    provider: ScriptedProvider
    tools: Tools = Tools()
    catalogue: Path | None = None
    """Codex only: the models as it shall know them."""
    environment: tuple[tuple[str, str], ...] = ()

    @property
    def model(self) -> str:
        return self.agent.partition(":")[2]


def installed(agent: str) -> bool:
    return BINARIES[agent.partition(":")[0]].exists()


def run(start: Start) -> subprocess.CompletedProcess[bytes]:
    """The agent's whole run. Raises TimeoutExpired after 90 s."""
    for name in ("home", "tmp"):
        (start.folder / name).mkdir(parents=True, exist_ok=True)
    argv, environment = HOSTS[start.agent.partition(":")[0]](start)
    places = {"HOME": str(start.folder / "home"), "TMPDIR": str(start.folder / "tmp")}
    return subprocess.run(
        argv,
        input=start.prompt.encode(),
        cwd=start.repository,
        capture_output=True,
        timeout=LIMIT_SECONDS,
        check=False,
        env=os.environ | environment | places | dict(start.environment),
    )


def lines(output: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in output.splitlines() if line.startswith(b"{")]


def eager_catalogue(model: str, folder: Path) -> Path:
    """The models as Codex knows them, but with this one given all tools at once."""
    environment = os.environ | {"CODEX_HOME": str(folder)}
    asked = subprocess.run((BINARIES["codex"], "debug", "models"), capture_output=True, check=True, env=environment)
    catalogue = json.loads(asked.stdout)
    for entry in catalogue["models"]:
        if entry["slug"] == model:
            entry["supports_search_tool"] = False
    written = folder / f"{model}.json"
    written.write_text(json.dumps(catalogue))
    return written


def _codex(start: Start) -> tuple[list[str], dict[str, str]]:
    settings: dict[str, Any] = {
        "model_provider": "scripted",
        "model_providers.scripted.name": "scripted",
        "model_providers.scripted.wire_api": "responses",
        "model_providers.scripted.base_url": start.provider.openai_url,
        "model_providers.scripted.env_key": "SCRIPTED_KEY",
        **({"model_catalog_json": str(start.catalogue)} if start.catalogue else {}),
        **_codex_server(start.tools),
    }
    options = [part for name, value in settings.items() for part in ("-c", f"{name}={json.dumps(value)}")]
    argv = [
        str(BINARIES["codex"]), "exec", "--json", "--dangerously-bypass-approvals-and-sandbox",
        "--disable", "unbounded_connection_retries", "-C", str(start.repository), "-m", start.model, *options, "-",
    ]  # fmt: skip
    environment = {"CODEX_HOME": str(start.folder / "home"), "SCRIPTED_KEY": "simulated"}
    return argv, environment | {TOKEN_VARIABLE: start.tools.token}


def _codex_server(tools: Tools) -> dict[str, Any]:
    places: dict[str, dict[str, Any]] = {
        "none": {},
        "stdio": {"command": tools.command[0], "args": list(tools.command[1:])},
        "http": {"url": tools.url, "bearer_token_env_var": TOKEN_VARIABLE},
    }
    place = places[tools.transport]
    given = place | {"required": True, "default_tools_approval_mode": "approve"} if place else {}
    return {f"mcp_servers.{SERVER_NAME}.{name}": value for name, value in given.items()}


def _claude(start: Start) -> tuple[list[str], dict[str, str]]:
    tools = start.tools
    servers: dict[str, dict[str, Any]] = {
        "none": {},
        "stdio": {
            "type": "stdio",
            "command": tools.command[0] if tools.command else "",
            "args": list(tools.command[1:]),
        },
        "http": {"type": "http", "url": tools.url, "headers": {"Authorization": f"Bearer {tools.token}"}},
    }
    entry = servers[tools.transport]
    configuration = start.folder / "mcp.json"
    configuration.write_text(json.dumps({"mcpServers": {SERVER_NAME: entry | {"alwaysLoad": True}} if entry else {}}))
    argv = [
        str(BINARIES["claude"]), "-p", "--output-format", "stream-json", "--verbose", "--dangerously-skip-permissions",
        "--setting-sources", "", "--strict-mcp-config", "--mcp-config", str(configuration),
    ]  # fmt: skip
    return argv, {
        "CLAUDE_CONFIG_DIR": str(start.folder / "home"),
        "ANTHROPIC_BASE_URL": start.provider.anthropic_url,
        "ANTHROPIC_API_KEY": "simulated",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "CLAUDE_CODE_MAX_RETRIES": "2",
        "DISABLE_AUTOUPDATER": "1",
        "IS_SANDBOX": "1",
    }


HOSTS: dict[str, Callable[[Start], tuple[list[str], dict[str, str]]]] = {"codex": _codex, "claude": _claude}
