"""Prepare the context for a task from Python, as `agenvantage pack` does.

python examples/prepare_context.py path/to/repository "retry fails on timeout"
"""

from __future__ import annotations

import sys

from agenvantage import ContextCompiler, ContextPlanner, RepositoryIndex


def main(repository: str, task: str) -> None:
    with RepositoryIndex.open(repository) as index:
        plan = ContextPlanner(index).plan(task, budget=4_000)
    packet = ContextCompiler().compile(plan, provider="anthropic")
    print(f"{plan.readiness}: {packet.tokens} tokens, {packet.prefix_tokens} of them the same for every task")
    for ranked in plan.files[:5]:
        print(f"  {ranked.path}")
    # packet.prefix goes where the provider caches best, packet.evidence in front of the task.


if __name__ == "__main__":
    main(*sys.argv[1:3])
