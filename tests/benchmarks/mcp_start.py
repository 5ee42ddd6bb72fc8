"""How long until an agent asks its model for the first time, with our tools by stdio, by HTTP, or not at all.

    python tests/benchmarks/mcp_start.py [--rounds 7] [--agents codex:gpt-5.5,codex:gpt-6.2-sol,claude]

Drives the real CLIs below `.agents/` (see `make agents`) against the scripted provider: no network, no key. Rounds are
interleaved and their order changes, so that a change in the machine's load meets every variant alike. Each run gets a
fresh agent home, as a real one does.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import provider_agents
from agenvantage.adapters.base import SERVER_NAME
from agenvantage.adapters.mcp_http import HttpServer
from agenvantage.adapters.mcp_log import handshakes
from agenvantage.adapters.mcp_server import server_command
from provider import ScriptedProvider

TRANSPORTS = ("none", "stdio", "http")
SCRIPT = {"turns": [{"kind": "final", "text": "done"}]}


@dataclass(frozen=True)
class Measured:
    """One start. `named`: the first request already told of our tools; `connected`: the agent had asked for them."""

    seconds: float
    named: bool
    connected: bool


def measure(agent: str, transport: str, folder: Path, origin: Path, catalogue: Path | None) -> Measured:
    root, log, cache = folder / "repository", folder / "calls.jsonl", folder / "cache"
    folder.mkdir()
    subprocess.run(("git", "clone", "-q", origin, root), check=True)
    with ScriptedProvider(SCRIPT) as provider, HttpServer(root, cache_dir=cache, identity=None, log=log) as server:
        command = server_command(root, cache_dir=cache, identity=None, log=log)
        tools = provider_agents.Tools(transport=transport, command=command, url=server.url, token=server.token)
        began = time.time()
        done = provider_agents.run(
            provider_agents.Start(
                agent=agent, prompt="Say done.", folder=folder, repository=root, provider=provider, tools=tools,
                catalogue=catalogue,
            )
        )  # fmt: skip
        if done.returncode != 0:
            sys.exit(f"{agent} by {transport} ended with exit code {done.returncode}: {done.stderr[-500:]!r}")
        first = provider.turns[0]
    named = SERVER_NAME in json.dumps(first["body"])
    return Measured(seconds=first["at"] - began, named=named, connected=any(one.listed for one in handshakes(log)))


def make_origin(folder: Path) -> Path:
    origin = folder / "origin"
    origin.mkdir()
    (origin / "calc.py").write_text("def add(a, b):\n    return a - b\n")
    person = ("-c", "user.name=b", "-c", "user.email=b@example.org")
    for arguments in (("init", "-q"), ("add", "-A"), (*person, "commit", "-qm", "x")):
        subprocess.run(("git", *arguments), cwd=origin, check=True)
    return origin


def measure_all(agents: list[str], rounds: int, seed: int) -> dict[tuple[str, str], list[Measured]]:
    order = random.Random(seed)
    found: dict[tuple[str, str], list[Measured]] = {(agent, way): [] for agent in agents for way in TRANSPORTS}
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = Path(name)
        origin = make_origin(folder)
        models = [agent.partition(":")[2] for agent in agents]
        catalogues = {model: provider_agents.eager_catalogue(model, folder) for model in models if model}
        for round_number in range(rounds):
            for number, (agent, transport) in enumerate(order.sample(sorted(found), len(found))):
                catalogue = catalogues.get(agent.partition(":")[2])
                run_folder = folder / f"run-{round_number}-{number}"
                found[agent, transport].append(measure(agent, transport, run_folder, origin, catalogue))
            print(f"round {round_number + 1} of {rounds}", file=sys.stderr)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--agents", default=",".join(provider_agents.MODELS))
    given = parser.parse_args()
    found = measure_all(given.agents.split(","), given.rounds, given.seed)
    print("| agent | tools by | first request, s (median) | least | most | named in it | connected |")
    print("|---|---|---|---|---|---|---|")
    for (agent, transport), starts in sorted(found.items()):
        seconds = [one.seconds for one in starts]
        figures = f"{statistics.median(seconds):.2f} | {min(seconds):.2f} | {max(seconds):.2f}"
        there = (
            f"{sum(one.named for one in starts)}/{len(starts)} | {sum(one.connected for one in starts)}/{len(starts)}"
        )
        print(f"| {agent} | {transport} | {figures} | {there} |")


if __name__ == "__main__":
    main()
