"""Judge the work: the patch, the checks in a fresh copy, and what happened to the person's checkout."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ..context.model import Workflow
from ..telemetry.model import CheckResult, PatchFacts
from .checks import CheckRequest, check_environment, detect, run_checks
from .desk import Desk
from .launch import command_environment
from .outcome import READS_ONLY
from .patch import rebuild, side_effects
from .ready import make_ready
from .worktree import RunTree

# Checks that nobody asked for may not hold up a run for long.
DETECTED_LIMIT_SECONDS: Final = 120.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """The checks' results, and what they wrote beside the patch."""

    checks: tuple[CheckResult, ...] = ()
    side_effects: tuple[str, ...] = ()


def judge(desk: Desk, tree: RunTree, patch: PatchFacts, workflow: Workflow) -> Judged:
    """Run the asked checks, or report what the project's own say, in a fresh copy of base + patch."""
    settings = desk.request.settings
    asked = bool(settings.verify)
    if not asked and (patch.empty or workflow in READS_ONLY):
        return Judged()
    with desk.phase("verify", "checking in a fresh copy"):
        home = desk.folder / "verify"
        copy = rebuild(tree, desk.record.path / patch.file, home / "copy", protect=settings.protect)
        try:
            return _checked(desk, copy, _same_place(tree, copy), asked=asked)
        finally:
            shutil.rmtree(home, ignore_errors=True)


def _checked(desk: Desk, copy: Path, cwd: Path, *, asked: bool) -> Judged:
    settings = desk.request.settings
    environment = check_environment(command_environment(desk).variables, keep=settings.env)
    commands = settings.verify if asked else detect(cwd, search_path=environment.get("PATH"))
    if not commands:
        return Judged()
    make_ready(desk, cwd, settings.setup)
    before = frozenset(side_effects(copy))
    results = run_checks(
        CheckRequest(
            commands=commands,
            cwd=cwd,
            environment=environment,
            folder=desk.record.path / "verify",
            marker=desk.run_id,
            judged=asked,
            time_limit_seconds=settings.time_limit if asked else min(settings.time_limit, DETECTED_LIMIT_SECONDS),
            secrets=desk.secrets,
        )
    )
    return Judged(checks=results, side_effects=tuple(path for path in side_effects(copy) if path not in before))


def _same_place(tree: RunTree, copy: Path) -> Path:
    """Where the agent started, in the copy; the root when its folder is gone."""
    place = copy / tree.cwd.relative_to(tree.root)
    return place if place.is_dir() else copy


def after_limit(results: tuple[CheckResult, ...]) -> bool | None:
    """Whether the checks pass although a limit stopped the agent; None without checks."""
    judged = [check for check in results if check.judged]
    return all(check.passed for check in judged) if judged else None
