"""Make the tree ready before the agent, and prove it: `--setup`, then `--ready`."""

from __future__ import annotations

from pathlib import Path

from .desk import Desk
from .launch import command_environment
from .outcome import EnvironmentNotReady
from .process import run as run_command


def make_ready(desk: Desk, folder: Path, commands: tuple[str, ...]) -> None:
    """Run the commands in `folder`, each must exit 0. Raises EnvironmentNotReady with the end of what it printed."""
    environment = command_environment(desk).variables
    for command in commands:
        desk.watch.step(f"$ {command}")
        done = run_command(
            command,
            cwd=folder,
            environment=environment,
            time_limit_seconds=desk.request.settings.time_limit,
            marker=desk.run_id,
        )
        if done.exit_code != 0:
            raise EnvironmentNotReady(
                f"`{command}` {'ran out of time' if done.timed_out else f'ended with exit {done.exit_code}'}"
                f"{_last_line(done.errors or done.output)}.",
                "The agent was not started. Mend the command, or bring what it needs with --copy or .worktreeinclude.",
            )


def _last_line(text: str) -> str:
    lines = text.strip().splitlines()
    return f": {lines[-1][:200]}" if lines else ""
