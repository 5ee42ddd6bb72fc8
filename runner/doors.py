"""What the commands about runs do between the command line and the run: ask, carry out, tell."""

from __future__ import annotations

import json as json_module
import re
import sys
from collections.abc import Mapping
from dataclasses import asdict
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

from ..context.errors import BadRequest, CannotProceed
from ..context.git import Repository, discover
from ..telemetry.model import AgentTrace
from ..telemetry.seal import load as load_sealed
from ..telemetry.store import StoredRun, TraceStore
from . import report
from .configuration import Loaded, load, person_environment
from .desk import STORE_NAME
from .dry import dry_document, dry_text
from .outcome import EXIT_CODES
from .reap import reap
from .request import RunRequest, read_task
from .run import run
from .settings import Settings, flag_name
from .streams import say

_AGES: Final = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


class NotApplicable(CannotProceed):
    """The run has no patch that could be applied."""

    error_type = "not_applicable"


def run_door(flags: Mapping[str, Any], *, json: bool, dry_run: bool, **asked: Any) -> tuple[int, dict[str, Any] | None]:
    """`agenvantage run`: the exit code of the run's outcome, and its document; None when nothing was run."""
    request = run_request(flags, **asked)
    if dry_run:
        planned = dry_document(request)
        tell(planned, dry_text(planned), json=json)
        return 0, None
    reap(request.settings)
    trace = run(request, watch=report.Lines(stream=sys.stderr))
    document = sealed_document(trace)
    tell(document, report.run_report(document), json=json)
    return EXIT_CODES[trace.outcome.outcome], document


def sealed_document(trace: AgentTrace) -> dict[str, Any]:
    """A run's document as it was sealed: without the secrets that the trace itself may hold."""
    assert trace.folder is not None
    return load_sealed(Path(trace.folder))


def run_request(
    flags: Mapping[str, Any],
    *,
    task: str | None,
    task_file: str | None,
    repo: Path | None,
    cwd: str | None,
    out: Path | None = None,
) -> RunRequest:
    """The request that the command line makes. Raises BadRequest."""
    repository = discover((repo or Path.cwd()).absolute())
    settings = load(flags, repository=None if repository.bare else repository.root).settings
    if settings.optimize_context and settings.no_mcp and settings.no_prefix:
        raise BadRequest("--no-mcp and --no-prefix together leave nothing to deliver.", "Give one of them, or neither.")
    return RunRequest(
        settings=settings,
        repository=repository,
        task=read_task(task, task_file),
        cwd=start_folder(repository, repo, cwd),
        out=out.absolute() if out else None,
        environment=person_environment(),
    )


def start_folder(repository: Repository, repo: Path | None, cwd: str | None) -> str | None:
    """Where the agent starts, below the root: as asked, else where the person stands. Raises BadRequest."""
    if cwd is not None and ".git" in Path(cwd).parts:
        raise BadRequest(f"Can't start in {cwd!r}: that is git's own folder.", "Give --cwd a folder of the project.")
    return cwd if cwd is not None else place_in(repository, None if repo else Path.cwd())


def place_in(repository: Repository, folder: Path | None) -> str | None:
    """Where `folder` lies below the repository's root; None at the root, or outside."""
    if folder is None or repository.bare or not folder.resolve().is_relative_to(repository.root.resolve()):
        return None
    place = folder.resolve().relative_to(repository.root.resolve()).as_posix()
    return None if place == "." else place


def gc_door(
    flags: Mapping[str, Any], *, older: str | None, dry_run: bool, force: bool, repo: Path | None, json: bool
) -> int:
    """`agenvantage gc`: clear what dead runs left."""
    del repo
    settings = load(flags, repository=None).settings
    cleared = reap(settings, older=_age(older) if older else None, dry_run=dry_run, force=force)
    tell({"schema": "agenvantage.gc/1", **asdict(cleared)}, report.gc_report(cleared), json=json)
    return 0


def _age(text: str) -> timedelta:
    told = re.fullmatch(r"(\d+)([smhdw])", text.strip())
    if told is None:
        raise BadRequest(f"--older {text!r} is not an age.", "Say it as 7d, 12h or 0s.")
    try:
        return timedelta(**{_AGES[told[2]]: int(told[1])})
    except OverflowError:
        return timedelta.max


def config_door(flags: Mapping[str, Any], *, repo: Path | None, json: bool) -> int:
    """`agenvantage config`: each setting's value and where it came from."""
    loaded = load(flags, repository=_checkout(repo))
    rows = config_rows(loaded)
    width = max(len(row["flag"]) for row in rows)
    text = "\n".join(f"{row['flag']:<{width}}  {row['value']!s:<24}  {row['origin']}" for row in rows)
    tell({"schema": "agenvantage.config/1", "settings": rows}, text, json=json)
    return 0


def config_rows(loaded: Loaded) -> list[dict[str, Any]]:
    return [
        {"name": name, "flag": flag_name(name), "value": _shown(getattr(loaded.settings, name)), "origin": origin}
        for name, origin in loaded.origins.items()
    ]


def _shown(value: Any) -> Any:
    return str(value) if isinstance(value, Path) else list(value) if isinstance(value, tuple) else value


def _checkout(repo: Path | None) -> Path | None:
    """The repository whose file counts; None where there is none and none was named."""
    try:
        repository = discover((repo or Path.cwd()).absolute())
    except BadRequest:
        if repo is not None:
            raise
        return None
    return None if repository.bare else repository.root


def stored_run(settings: Settings, name: str) -> StoredRun:
    """A run by id, start of an id, trace id or `last`. Raises BadRequest."""
    store = TraceStore(settings.data_dir / STORE_NAME)
    try:
        return store.find(name)
    finally:
        store.close()


def stored_document(settings: Settings, name: str) -> dict[str, Any]:
    """The document of a recorded run. Raises NotApplicable for a run that left none."""
    found = stored_run(settings, name)
    if found.document is None:
        raise NotApplicable(
            f"Run {found.run_id} is {found.state} and has no document.", "Choose another with `traces list`."
        )
    return found.document


def tell(document: Mapping[str, Any], text: str, *, json: bool) -> None:
    """The one thing on standard output: the document, or the text for people."""
    say(json_module.dumps(document, indent=2, ensure_ascii=True, default=_jsonable) if json else text)


def _jsonable(value: Any) -> Any:
    if isinstance(value, timedelta):
        return value.total_seconds()
    return str(value)
