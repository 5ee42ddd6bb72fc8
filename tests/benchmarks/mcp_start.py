"""How long until an agent asks its model for the first time, with our tools by stdio, by HTTP, or not at all.

    python tests/benchmarks/mcp_start.py [--rounds 7] [--agents codex:gpt-5.5,codex:gpt-6.2-sol,claude]

Drives the real CLIs below `.agents/` (see `make agents`) against the scripted provider: no network, no key. Rounds are
interleaved and their order changes, so that a change in the machine's load meets every variant alike. Each run gets a
fresh agent home, as a real one does.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

TESTS = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TESTS))

from agenvantage.adapters.base import SERVER_NAME  # noqa: E402
from agenvantage.adapters.mcp_http import HttpServer  # noqa: E402
from agenvantage.adapters.mcp_log import handshakes  # noqa: E402
from agenvantage.adapters.mcp_server import server_command  # noqa: E402
from provider import ScriptedProvider  # noqa: E402

AGENTS = TESTS.parent / ".agents"
CODEX = AGENTS / "codex" / "node_modules" / ".bin" / "codex"
CLAUDE = AGENTS / "claude" / "node_modules" / ".bin" / "claude"
TRANSPORTS = ("none", "stdio", "http")
TOKEN_VARIABLE = "BENCHMARK_MCP_TOKEN"
SCRIPT = {"turns": [{"kind": "final", "text": "done"}]}
LIMIT_SECONDS = 60
Spoken = tuple[list[str], dict[str, str]]
"""A command line and what is added to its environment."""


@dataclass(frozen=True)
class Tools:
    """Where the tools are, whichever way they are reached."""

    command: tuple[str, ...]
    url: str
    token: str
    log: Path


@dataclass(frozen=True)
class Start:
    """One start of an agent. `with_tools`: its first request already offered or named our tools."""

    seconds: float
    with_tools: bool
    connected: bool


def codex_servers(transport: str, tools: Tools) -> list[str]:
    name = f"mcp_servers.{SERVER_NAME}"
    if transport == "none":
        return []
    places = {
        "stdio": [f"{name}.command={json.dumps(tools.command[0])}", f"{name}.args={json.dumps(tools.command[1:])}"],
        "http": [f"{name}.url={json.dumps(tools.url)}", f'{name}.bearer_token_env_var="{TOKEN_VARIABLE}"'],
    }
    settings = [*places[transport], f"{name}.required=true", f'{name}.default_tools_approval_mode="approve"']
    return [part for setting in settings for part in ("-c", setting)]


def codex(model: str, folder: Path, provider: ScriptedProvider, transport: str, tools: Tools) -> Spoken:
    settings = {
        "model_provider": "scripted",
        "model_providers.scripted.name": "scripted",
        "model_providers.scripted.wire_api": "responses",
        "model_providers.scripted.base_url": provider.openai_url,
        "model_providers.scripted.env_key": "SCRIPTED_KEY",
        "model_catalog_json": str(folder.parent / f"{model}.json"),
    }
    options = [part for name, value in settings.items() for part in ("-c", f"{name}={json.dumps(value)}")]
    argv = [
        str(CODEX), "exec", "--json", "--dangerously-bypass-approvals-and-sandbox",
        "--disable", "unbounded_connection_retries", "-C", str(folder / "repository"), "-m", model,
        *options, *codex_servers(transport, tools), "-",
    ]  # fmt: skip
    return argv, {"CODEX_HOME": str(folder / "home"), "SCRIPTED_KEY": "simulated", TOKEN_VARIABLE: tools.token}


def claude(model: str, folder: Path, provider: ScriptedProvider, transport: str, tools: Tools) -> Spoken:
    servers: dict[str, Any] = {
        "none": {},
        "stdio": {"type": "stdio", "command": tools.command[0], "args": list(tools.command[1:])},
        "http": {"type": "http", "url": tools.url, "headers": {"Authorization": f"Bearer {tools.token}"}},
    }
    entry = servers[transport]
    configuration = folder / "mcp.json"
    configuration.write_text(json.dumps({"mcpServers": {SERVER_NAME: entry | {"alwaysLoad": True}} if entry else {}}))
    argv = [
        str(CLAUDE), "-p", "--output-format", "stream-json", "--verbose", "--dangerously-skip-permissions",
        "--setting-sources", "", "--strict-mcp-config", "--mcp-config", str(configuration),
    ]  # fmt: skip
    return argv, {
        "CLAUDE_CONFIG_DIR": str(folder / "home"),
        "ANTHROPIC_BASE_URL": provider.anthropic_url,
        "ANTHROPIC_API_KEY": "simulated",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
        "IS_SANDBOX": "1",
    }


HOSTS: dict[str, Callable[..., Spoken]] = {"codex": codex, "claude": claude}


def start(agent: str, transport: str, folder: Path, origin: Path) -> Start:
    host, _, model = agent.partition(":")
    for name in ("home", "tmp"):
        (folder / name).mkdir(parents=True)
    subprocess.run(("git", "clone", "-q", origin, folder / "repository"), check=True)
    log = folder / "calls.jsonl"
    root = folder / "repository"
    server = HttpServer(root, cache_dir=folder / "cache", identity=None, log=log)
    url, token = server.start()
    command = server_command(root, cache_dir=folder / "cache", identity=None, log=log)
    try:
        with ScriptedProvider(SCRIPT) as provider:
            tools = Tools(command=command, url=url, token=token, log=log)
            argv, environment = HOSTS[host](model, folder, provider, transport, tools)
            began = time.time()
            subprocess.run(
                argv, input=b"Say done.", cwd=root, capture_output=True, timeout=LIMIT_SECONDS, check=True,
                env=os.environ | environment | {"HOME": str(folder / "home"), "TMPDIR": str(folder / "tmp")},
            )  # fmt: skip
            first = provider.turns[0]
    finally:
        server.close()
    named = SERVER_NAME in json.dumps(first["body"])
    return Start(seconds=first["at"] - began, with_tools=named, connected=any(one.listed for one in handshakes(log)))


def eager_catalogue(model: str, folder: Path) -> None:
    """The models as Codex knows them, but with our model given all tools at once."""
    asked = subprocess.run(
        (CODEX, "debug", "models"), capture_output=True, check=True, env=os.environ | {"CODEX_HOME": str(folder)}
    )
    catalogue = json.loads(asked.stdout)
    for entry in catalogue["models"]:
        if entry["slug"] == model:
            entry["supports_search_tool"] = False
    (folder / f"{model}.json").write_text(json.dumps(catalogue))


def make_origin(folder: Path) -> Path:
    origin = folder / "origin"
    origin.mkdir()
    (origin / "calc.py").write_text("def add(a, b):\n    return a - b\n")
    for arguments in (
        ("init", "-q"),
        ("add", "-A"),
        ("-c", "user.name=b", "-c", "user.email=b@example.org", "commit", "-qm", "x"),
    ):
        subprocess.run(("git", *arguments), cwd=origin, check=True)
    return origin


def measure(agents: list[str], rounds: int, seed: int) -> dict[tuple[str, str], list[Start]]:
    order = random.Random(seed)
    found: dict[tuple[str, str], list[Start]] = {(agent, way): [] for agent in agents for way in TRANSPORTS}
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = Path(name)
        origin = make_origin(folder)
        for agent in agents:
            if agent.startswith("codex:"):
                eager_catalogue(agent.partition(":")[2], folder)
        for round_number in range(rounds):
            for number, variant in enumerate(order.sample(sorted(found), len(found))):
                found[variant].append(start(*variant, folder / f"run-{round_number}-{number}", origin))
                print(f"round {round_number + 1}/{rounds}: {number + 1}/{len(found)}", end="\r", file=sys.stderr)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--agents", default="codex:gpt-5.5,codex:gpt-6.2-sol,claude")
    given = parser.parse_args()
    found = measure(given.agents.split(","), given.rounds, given.seed)
    print("| agent | tools by | first request, s (median) | least | most | tools in it | connected |")
    print("|---|---|---|---|---|---|---|")
    for (agent, transport), starts in sorted(found.items()):
        seconds = [one.seconds for one in starts]
        there = sum(one.with_tools for one in starts), sum(one.connected for one in starts)
        figures = f"{statistics.median(seconds):.2f} | {min(seconds):.2f} | {max(seconds):.2f}"
        print(f"| {agent} | {transport} | {figures} | {there[0]}/{len(starts)} | {there[1]}/{len(starts)} |")


if __name__ == "__main__":
    main()
