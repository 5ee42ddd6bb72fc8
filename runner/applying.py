"""What `agenvantage apply` and `run --apply` do between the command line and the checkout."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ..context.git import Repository, discover, has_object
from .apply import Applied, ApplyRequest, apply
from .configuration import load
from .doors import NotApplicable, stored_document, tell


def apply_door(flags: Mapping[str, Any], *, run: str, branch: str | None, repo: Path | None, json: bool) -> int:
    """`agenvantage apply`: bring a recorded run's patch in."""
    repository = discover((repo or Path.cwd()).absolute())
    settings = load(flags, repository=None).settings
    document = stored_document(settings, run)
    applied = apply_document(repository, document, branch=branch)
    told = {"schema": "agenvantage.apply/1", "run_id": document["run_id"], **asdict(applied)}
    tell(told, applied_text(applied), json=json)
    return 0


def apply_document(repository: Repository, document: Mapping[str, Any], *, branch: str | None) -> Applied:
    """Apply the patch that a run's document names. Raises NotApplicable, or the refusal of `apply`."""
    patch = document["patch"]
    if not patch or patch["empty"] or not patch["reapplies"]:
        raise NotApplicable(
            f"Run {document['run_id']} has no patch to apply ({document['outcome']}).",
            "Choose another with `traces list`.",
        )
    facts = document["repository"]
    if not has_object(repository.git_dir, f"{facts['commit']}^{{commit}}"):
        raise NotApplicable(
            f"Run {document['run_id']} is of {facts['name']}, at a commit that this repository does not have.",
            "Go to that repository, or fetch the commit.",
        )
    return apply(
        ApplyRequest(
            repository=repository,
            base_commit=facts["base"],
            source_commit=facts["commit"],
            patch_file=Path(document["folder"]) / patch["file"],
            sha256=patch["sha256"],
            branch=branch,
            message=f"Apply run {document['run_id']} ({document['agent']['name']})",
        )
    )


def applied_text(applied: Applied) -> str:
    if applied.already:
        return "The checkout already has all of it; nothing was written."
    where = (
        f"on the new branch {applied.branch} (from {(applied.base or '')[:12]})"
        if applied.branch
        else "in the checkout"
    )
    merged = f"; joined with changes of your own: {', '.join(applied.merged)}" if applied.merged else ""
    note = f"\n{applied.note}" if applied.note else ""
    return f"{len(applied.paths)} files changed {where}: {', '.join(applied.paths)}{merged}{note}"


def apply_after(document: Mapping[str, Any], *, repo: Path | None, branch: str | None) -> None:
    """`--apply`: only what was solved, or what is unjudged and confirmed at a terminal."""
    outcome = document["outcome"]
    if outcome != "solved" and not (outcome == "unjudged" and _confirmed("Nothing judged this run. Apply its patch?")):
        print(f"Not applied: the run is {outcome}.", file=sys.stderr)
        return
    applied = apply_document(discover((repo or Path.cwd()).absolute()), document, branch=branch)
    print(applied_text(applied), file=sys.stderr)


def _confirmed(question: str) -> bool:
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    print(f"{question} [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")
