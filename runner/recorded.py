"""What `agenvantage traces` does: list, show, export and send recorded runs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from ..context.errors import BadRequest, CannotProceed
from ..telemetry import otlp, show, span_json
from ..telemetry.span import Span
from ..telemetry.store import StoredRun, TraceStore
from .configuration import load, person_environment
from .desk import STORE_NAME
from .doors import stored_run, tell
from .settings import Settings
from .streams import say

EXPORTS: Final = {"otlp": "spans.jsonl", "atif": "trajectory.atif.json", "json": "result.json"}


class FolderGone(CannotProceed):
    """The store knows the run, and its folder is no longer there."""

    error_type = "folder_gone"

    def __init__(self, run: StoredRun) -> None:
        super().__init__(
            f"The folder of run {run.run_id} is gone.", "It was moved or removed; the store keeps its document."
        )


def list_door(flags: Mapping[str, Any], *, limit: int, repo: Path | None, json: bool) -> int:
    del repo
    store = TraceStore(_settings(flags).data_dir / STORE_NAME)
    try:
        runs = store.list(limit=limit)
    finally:
        store.close()
    document = {"schema": "agenvantage.traces-list/1", "runs": [_row(run) for run in runs]}
    tell(document, show.runs_table(runs) if runs else "No runs yet. `agenvantage demo` makes one.", json=json)
    return 0


def show_door(flags: Mapping[str, Any], *, run: str, repo: Path | None, json: bool) -> int:
    del repo
    found = stored_run(_settings(flags), run)
    document = {"schema": "agenvantage.traces-show/1", **_row(found), "document": found.document}
    text = show.run_tree(found.document, _spans(found)) if found.document else show.runs_table([found])
    tell(document, text, json=json)
    return 0


def export_door(flags: Mapping[str, Any], *, run: str, format: str, repo: Path | None) -> int:
    del repo
    if format not in EXPORTS:
        raise BadRequest(f"There is no export format {format!r}.", f"Formats: {', '.join(EXPORTS)}.")
    say(_file(_settings(flags), run, EXPORTS[format]).read_text(encoding="utf-8"), end="")
    return 0


def replay_door(flags: Mapping[str, Any], *, run: str, repo: Path | None) -> int:
    """Send the spans as they were written: ids are the same, so a backend that has them keeps one copy."""
    del repo
    lines = _file(_settings(flags), run, EXPORTS["otlp"]).read_text(encoding="utf-8").splitlines()
    sent = otlp.send(lines, person_environment(), deadline_seconds=30.0)
    if not sent.asked:
        raise BadRequest("No OTLP endpoint is set.", "Set OTEL_EXPORTER_OTLP_ENDPOINT.")
    say(f"{sent.sent} of {sent.total} spans delivered" + (f" ({sent.why})" if sent.why else ""))
    return 0 if sent.sent == sent.total else 3


def _spans(run: StoredRun) -> tuple[Span, ...]:
    """The run's spans with their times; none when its folder is gone."""
    path = Path(run.folder or "") / EXPORTS["otlp"]
    if not run.folder or not path.is_file():
        return ()
    return span_json.decode(path.read_text(encoding="utf-8").splitlines())


def _settings(flags: Mapping[str, Any]) -> Settings:
    return load(flags, repository=None).settings


def _file(settings: Settings, run: str, name: str) -> Path:
    found = stored_run(settings, run)
    path = Path(found.folder or "") / name
    if not found.folder or not path.is_file():
        raise FolderGone(found)
    return path


def _row(run: StoredRun) -> dict[str, Any]:
    names = (
        "run_id",
        "trace_id",
        "state",
        "started",
        "ended",
        "agent",
        "strategy",
        "workflow",
        "repository",
        "outcome",
        "folder",
    )
    return {name: getattr(run, name) for name in names}
