"""Matched runs of one task in two arms: plan first, then sealed trials in a drawn order, then what can be said."""

from __future__ import annotations

import hashlib
import json
import random
import secrets
import statistics
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Final

from ..context.errors import BadRequest
from ..context.git import Repository, resolve
from ..telemetry.recorder import new_run_id, steady_clock
from ..telemetry.seal import load as load_sealed
from .desk import refuse_out_inside
from .find import choose, find
from .outcome import EXIT_CODES
from .request import RunRequest
from .run import run
from .settings import Settings, flag_name
from .watch import Unwatched, Watch

SCHEMA: Final = "agenvantage.compare/1"
NATIVE: Final = "native"
# Trials that say nothing about the arm: their block leaves both arms.
EXCLUDED: Final = frozenset(
    {"provider", "infrastructure", "interrupted", "env_not_ready", "capture_error", "tree_lost"}
)
# What may differ between the arms, and what has no part in a trial's result.
NOT_COMPARED: Final = frozenset({"optimize_context", "cache_dir", "state_dir", "data_dir", "keep", "from_"})
ESTIMATES: Final = ("R", "G", "Q", "D", "cache_neutral", "adoption")
TOKEN_FIELDS: Final = ("uncached_input_tokens", "cache_read_input_tokens", "input_tokens", "output_tokens", "requests")


class PlanChanged(BadRequest):
    """A comparison can't go on under another plan than it began with."""

    error_type = "plan_changed"

    def __init__(self, name: str) -> None:
        super().__init__(
            f"The comparison can't be resumed: {name} is not what its plan says.",
            "Resume with the same inputs, or start a new comparison.",
        )


class SpendingNotAllowed(BadRequest):
    """Money would be spent and nobody said yes."""

    error_type = "spending_not_allowed"


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareRequest:
    """What to compare. `task` is None when a plan is resumed."""

    settings: Settings
    repository: Repository
    task: str | None
    cwd: str | None = None
    baseline: str = NATIVE
    repeats: int = 5
    seed: int | None = None
    resume: Path | None = None
    out: Path | None = None
    yes: bool = False
    environment: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    document: Mapping[str, Any]
    interrupted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One trial of the plan: `block` holds every arm of the task once."""

    position: int
    task: str
    arm: str
    block: int


def compare(request: CompareRequest, *, watch: Watch | None = None) -> Comparison:
    """Carry the plan's open trials out, in its order. Raises BadRequest before anything is spent."""
    watch = watch or Unwatched()
    _refuse_impossible(request)
    folder, plan = _resumed(request) if request.resume else _planned(request)
    _allow_spending(request, plan, folder)
    interrupted = False
    for cell in plan_cells(plan):
        if _sealed(folder, cell) is None:
            watch.step(f"trial {cell.position + 1} of {len(plan['order'])}: {cell.arm}")
            interrupted = _trial(request, plan, folder, cell, watch)
            if interrupted:
                break
    document = comparison_document(plan, folder, [(cell, _sealed(folder, cell)) for cell in plan_cells(plan)])
    _write(folder / "comparison.json", document)
    return Comparison(document=document, interrupted=interrupted)


def drawn_order(tasks: Sequence[str], arms: Sequence[str], repeats: int, seed: int) -> tuple[Cell, ...]:
    """Randomized complete blocks: each holds every (task, arm) once. Blocks come in pairs, the second one mirrored.

    Mirroring balances the arms' positions exactly over an even number of blocks, so that whoever pays for a cold
    prompt cache is not always the same arm. The order is a function of the arguments alone.
    """
    draw = random.Random(seed)
    cells: list[tuple[str, str, int]] = []
    block: list[tuple[str, str]] = []
    for number in range(repeats):
        if number % 2 == 0:
            block = [(task, arm) for task in tasks for arm in arms]
            draw.shuffle(block)
        else:
            block = block[::-1]
        cells += [(task, arm, number) for task, arm in block]
    return tuple(
        Cell(position=position, task=task, arm=arm, block=number) for position, (task, arm, number) in enumerate(cells)
    )


def plan_cells(plan: Mapping[str, Any]) -> tuple[Cell, ...]:
    return tuple(Cell(**cell) for cell in plan["order"])


def _refuse_impossible(request: CompareRequest) -> None:
    if request.baseline != NATIVE:
        raise BadRequest(f"There is no baseline {request.baseline!r}.", "Baselines: native.")
    if request.repeats < 1:
        raise BadRequest("--repeats must be at least 1.", "One run of each arm gives no verdict; five are the default.")
    if request.settings.from_ == "dirty":
        raise BadRequest(
            "A comparison can't start from uncommitted work: each trial must start from the same content.",
            "Commit it, then compare with --from head.",
        )


def _planned(request: CompareRequest) -> tuple[Path, dict[str, Any]]:
    """A new plan, written and hashed before the first trial."""
    identity = new_run_id(steady_clock()())
    folder = request.out.absolute() if request.out else request.settings.data_dir / "compares" / identity
    if request.out:
        refuse_out_inside(request.repository, folder / "trials" / "0")
    if folder.exists() and any(folder.iterdir()):
        raise BadRequest(f"The folder {folder.name} is not empty.", "Name a missing or empty one, or use --resume.")
    seed = request.seed if request.seed is not None else secrets.randbelow(2**31)
    task = {"id": "task", "text": request.task or "", "sha256": _digest(request.task or "")}
    plan: dict[str, Any] = {
        "schema": "agenvantage.compare-plan/1",
        "compare_id": identity,
        "seed": seed,
        "repeats": request.repeats,
        "arms": [NATIVE, request.settings.strategy],
        "tasks": [task],
        "cwd": request.cwd,
        **_inputs(request),
        "order": [
            _plain(cell)
            for cell in drawn_order([task["id"]], [NATIVE, request.settings.strategy], request.repeats, seed)
        ],
    }
    plan["digest"] = _digest(_canonical(plan))
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    _write(folder / "plan.json", plan)
    return folder, plan


def _inputs(request: CompareRequest) -> dict[str, Any]:
    """What both arms share, and what must still hold when a comparison is resumed."""
    settings = request.settings
    agent = find(settings, request.environment, choose(settings, request.environment))
    return {
        "repository": {
            "name": request.repository.name,
            "identity": _digest(str(request.repository.common_dir)),
            "commit": resolve(request.repository, "HEAD" if settings.from_ == "head" else settings.from_),
        },
        "agent": {"name": agent.name, "version": agent.version, "simulated": agent.simulated},
        "settings": {
            one.name: _shown(getattr(settings, one.name)) for one in fields(settings) if one.name not in NOT_COMPARED
        },
    }


def _resumed(request: CompareRequest) -> tuple[Path, dict[str, Any]]:
    """The plan of an unfinished comparison, if nothing that it rests on has changed. Raises PlanChanged."""
    folder = request.resume
    assert folder is not None
    try:
        plan: dict[str, Any] = dict(json.loads((folder / "plan.json").read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError) as missing:
        raise BadRequest(f"{folder} holds no comparison.", "Name the folder that `compare` printed.") from missing
    if plan.get("digest") != _digest(_canonical({name: value for name, value in plan.items() if name != "digest"})):
        raise PlanChanged("the plan file")
    if request.task is not None and _digest(request.task) != plan["tasks"][0]["sha256"]:
        raise PlanChanged("the task")
    for name in _asked_anew(request.settings, plan["settings"]):
        raise PlanChanged(flag_name(name))
    now = _inputs(replace(request, settings=_plan_settings(request.settings, plan)))
    for name in ("repository", "agent"):
        if now[name] != plan[name]:
            raise PlanChanged(f"the {name}")
    return folder, plan


def _asked_anew(settings: Settings, planned: Mapping[str, Any]) -> tuple[str, ...]:
    """Settings that were given again, and otherwise than the plan has them; what was not given is the plan's."""
    asked = {one.name: _shown(getattr(settings, one.name)) for one in fields(settings) if one.name in planned}
    defaults = {one.name: _shown(one.default) for one in fields(settings)}
    return tuple(name for name, value in asked.items() if value not in (planned[name], defaults[name]))


def _allow_spending(request: CompareRequest, plan: Mapping[str, Any], folder: Path) -> None:
    agent = plan["agent"]
    open_trials = sum(_sealed(folder, cell) is None for cell in plan_cells(plan))
    if request.yes or agent["simulated"] or agent["name"] in ("replay", "exec") or not open_trials:
        return
    if sys.stdin.isatty() and sys.stderr.isatty():
        print(
            f"{open_trials} runs of {agent['name']} will spend money. Go on? [y/N] ",
            end="",
            file=sys.stderr,
            flush=True,
        )
        if sys.stdin.readline().strip().lower() in ("y", "yes"):
            return
    raise SpendingNotAllowed(f"{open_trials} runs of {agent['name']} would spend money.", "Say --yes to allow it.")


def _trial(request: CompareRequest, plan: Mapping[str, Any], folder: Path, cell: Cell, watch: Watch) -> bool:
    """One trial, sealed in its own folder; whether it was interrupted."""
    arm = cell.arm != NATIVE
    settings = _plan_settings(request.settings, plan)
    trace = run(
        RunRequest(
            settings=replace(settings, optimize_context=arm, strategy=cell.arm if arm else settings.strategy),
            repository=request.repository,
            task=plan["tasks"][0]["text"],
            cwd=plan["cwd"],
            out=trial_folder(folder, cell),
            compare_id=plan["compare_id"],
            environment=request.environment,
        ),
        watch=watch,
    )
    return trace.outcome.outcome == "interrupted"


def _plan_settings(settings: Settings, plan: Mapping[str, Any]) -> Settings:
    """The plan's own settings, whatever was said on the command line when it was resumed."""
    planned: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in plan["settings"].items()
    }
    return replace(settings, **planned, from_=plan["repository"]["commit"])


def trial_folder(folder: Path, cell: Cell) -> Path:
    return folder / "trials" / f"{cell.position:04d}-{cell.arm}"


def _sealed(folder: Path, cell: Cell) -> dict[str, Any] | None:
    """The document of a finished trial. One that was interrupted is set aside, to be run again."""
    place = trial_folder(folder, cell)
    if not (place / "result.json").is_file():
        return None
    document = load_sealed(place)
    if document["outcome"] != "interrupted":
        return document
    attempt = sum(1 for _ in place.parent.glob(f"{place.name}.interrupted-*")) + 1
    place.rename(place.with_name(f"{place.name}.interrupted-{attempt}"))
    return None


def comparison_document(
    plan: Mapping[str, Any], folder: Path, trials: Sequence[tuple[Cell, dict[str, Any] | None]]
) -> dict[str, Any]:
    """`agenvantage.compare/1`: what was run, what was left out, and a verdict that claims nothing it can't show."""
    spoiled = {cell.block for cell, trial in trials if trial is not None and trial["outcome"] in EXCLUDED}
    rows = [_row(cell, trial, excluded=cell.block in spoiled) for cell, trial in trials if trial is not None]
    counted = [row for row in rows if not row["excluded"]]
    gates = [_gate(name, told) for name, told in (("complete", _complete(trials)), ("delivered", _delivered(rows)))]
    gates += [
        {"name": "priced", "held": False, "why": "there is no price table in this version"},
        {
            "name": "quality",
            "held": False,
            "why": "the interval on the quality difference is not computed in this version",
        },
    ]
    return {
        "schema": SCHEMA,
        "compare_id": plan["compare_id"],
        "folder": str(folder),
        "plan": {name: plan[name] for name in ("order", "seed", "digest", "repeats", "arms", "repository", "agent")},
        "labels": ["simulated"] if plan["agent"]["simulated"] else [],
        "trials": rows,
        "arms": {arm: arm_summary([row for row in counted if row["arm"] == arm]) for arm in plan["arms"]},
        "estimates": {name: {"value": None, "low": None, "high": None} for name in ESTIMATES},
        "gates": gates,
        "verdict": verdict(plan["repeats"], rows),
        "smallest_margin": None,
        "excluded": [{"position": row["position"], "outcome": row["outcome"]} for row in rows if row["excluded"]],
    }


def verdict(repeats: int, rows: Sequence[Mapping[str, Any]]) -> str:
    """`no verdict` from one run of each arm; `cannot judge` as long as no interval is computed."""
    treated = [row for row in rows if row["arm"] != NATIVE]
    if treated and all(row["outcome"] == "treatment_not_delivered" for row in treated):
        return "treatment not delivered"
    return "no verdict" if repeats == 1 else "cannot judge"


def arm_summary(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Counts and medians of one arm; None where a figure is unknown in any of its trials."""
    return {
        "trials": len(rows),
        "solved": sum(row["outcome"] == "solved" for row in rows),
        "median": {name: _median([row["usage"][name] for row in rows]) for name in TOKEN_FIELDS},
        "median_seconds": _median([row["agent_seconds"] for row in rows]),
    }


def _median(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return statistics.median(known) if known and len(known) == len(values) else None


def _row(cell: Cell, trial: Mapping[str, Any], *, excluded: bool) -> dict[str, Any]:
    return {
        **_plain(cell),
        "outcome": trial["outcome"],
        "exit_code": EXIT_CODES[trial["outcome"]],
        "run_id": trial["run_id"],
        "usage": trial["usage"],
        "cost": trial["cost"],
        "agent_seconds": trial["timing"]["agent_s"],
        "delivered": (trial["context"] or {}).get("delivered"),
        "mcp_calls": (trial["context"] or {}).get("mcp_calls"),
        "excluded": excluded,
    }


def _gate(name: str, told: tuple[bool, str]) -> dict[str, Any]:
    return {"name": name, "held": told[0], "why": told[1]}


def _complete(trials: Sequence[tuple[Cell, Mapping[str, Any] | None]]) -> tuple[bool, str]:
    done = sum(trial is not None for _, trial in trials)
    return done == len(trials), f"{done} of {len(trials)} trials are sealed"


def _delivered(rows: Sequence[Mapping[str, Any]]) -> tuple[bool, str]:
    treated = [row for row in rows if row["arm"] != NATIVE]
    there = sum(row["outcome"] != "treatment_not_delivered" for row in treated)
    return bool(treated) and there == len(treated), f"the treatment was there in {there} of {len(treated)} trials"


def _plain(cell: Cell) -> dict[str, Any]:
    return {"position": cell.position, "task": cell.task, "arm": cell.arm, "block": cell.block}


def _shown(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()


def _canonical(document: Mapping[str, Any]) -> str:
    return json.dumps(document, sort_keys=True, separators=(",", ":"))


def _write(path: Path, document: Mapping[str, Any]) -> None:
    """Whole or not at all, for the owner's eyes."""
    beside = path.with_suffix(".writing")
    beside.touch(mode=0o600)
    beside.write_text(json.dumps(document, indent=2), encoding="utf-8")
    beside.replace(path)
