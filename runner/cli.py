"""The `agenvantage` command. Each body imports its door when it opens, so that `--help` stays quick."""
# ruff: noqa: PLC0415

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer

from ..context.errors import AgenVantageError, BadRequest, CannotProceed
from . import signals, streams
from .options import PLACES, PLAN, RUN, takes

app = typer.Typer(
    name="agenvantage",
    help="Run coding agents under observation, with the smallest sufficient context, and compare honestly.",
    rich_markup_mode=None,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
traces = typer.Typer(
    rich_markup_mode=None,
    no_args_is_help=True,
    help="Recorded runs: list, show, send again, export.",
    epilog="Example: agenvantage traces show last",
)
app.add_typer(traces, name="traces")
bench = typer.Typer(
    rich_markup_mode=None,
    no_args_is_help=True,
    help="Measure a part of AgenVantage on tasks whose outcome is known.",
    epilog="Example: agenvantage bench retrieval --tasks tasks.jsonl --repos trees --out found.jsonl",
)
app.add_typer(bench, name="bench")

Repo = Annotated[
    Path | None, typer.Option("--repo", help="the repository (default: the one around the working folder)")
]
Repos = Annotated[
    list[Path] | None,
    typer.Option("--repo", help="the repository (default: the one around the working folder); repeat for several"),
]
Json = Annotated[bool, typer.Option("--json", help="print one JSON document")]
Verbose = Annotated[bool, typer.Option("--verbose", help="show the chain of causes with an error")]
Task = Annotated[str | None, typer.Option("--task", help="the task, in words")]
TaskFile = Annotated[str | None, typer.Option("--task-file", help="a file that holds the task; - is standard input")]
Cwd = Annotated[str | None, typer.Option("--cwd", help="the folder, below the root, where the agent starts")]
RunName = Annotated[str, typer.Argument(help="a run id, the start of one, a trace id, or `last`")]


@app.command(epilog='Example: agenvantage run --agent codex --optimize-context --task "Fix add()" --verify "pytest -q"')
@takes(*RUN)
def run(
    task: Task = None,
    task_file: TaskFile = None,
    repo: Repo = None,
    cwd: Cwd = None,
    out: Annotated[Path | None, typer.Option("--out", help="the run folder itself (missing or empty)")] = None,
    apply: Annotated[bool, typer.Option("--apply", help="when solved, bring the patch into the checkout")] = False,
    apply_branch: Annotated[
        str | None, typer.Option("--apply-branch", help="when solved, put it on a new branch")
    ] = None,
    json: Json = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="say what would be run, and start nothing")] = False,
    verbose: Verbose = False,
    **flags: Any,
) -> None:
    """One observed run of a coding agent in an isolated work tree."""
    del verbose
    from .doors import run_door

    code, document = run_door(
        flags, task=task, task_file=task_file, repo=repo, cwd=cwd, out=out, json=json, dry_run=dry_run
    )
    if document is not None and (apply or apply_branch):
        from .applying import apply_after

        apply_after(document, repo=repo, branch=apply_branch)
    raise typer.Exit(code)


@app.command(epilog='Example: agenvantage compare --agent codex --baseline native --task "Fix add()" --repeats 2')
@takes(*RUN)
def compare(
    task: Task = None,
    task_file: TaskFile = None,
    repo: Repo = None,
    cwd: Cwd = None,
    baseline: Annotated[str, typer.Option("--baseline", help="the arm to compare with [native]")] = "native",
    repeats: Annotated[int, typer.Option("--repeats", help="runs of each arm")] = 5,
    seed: Annotated[
        int | None, typer.Option("--seed", help="what the order is drawn from (default: a new one)")
    ] = None,
    resume: Annotated[Path | None, typer.Option("--resume", help="go on with an unfinished comparison")] = None,
    out: Annotated[Path | None, typer.Option("--out", help="the comparison's folder (missing or empty)")] = None,
    yes: Annotated[bool, typer.Option("--yes", help="spend money without asking")] = False,
    json: Json = False,
    verbose: Verbose = False,
    **flags: Any,
) -> None:
    """Matched runs of one task, natively and with prepared context, in a randomized order."""
    del verbose
    from .comparing import compare_door

    raise typer.Exit(
        compare_door(
            flags, task=task, task_file=task_file, repo=repo, cwd=cwd, baseline=baseline, repeats=repeats, seed=seed,
            resume=resume, out=out, yes=yes, json=json,
        )
    )  # fmt: skip


@app.command(epilog="Example: agenvantage demo")
@takes(*PLACES, "agent", "agent_bin", "model", "provider_url")
def demo(json: Json = False, verbose: Verbose = False, **flags: Any) -> None:
    """A whole run on a bundled repository, natively and with prepared context: no key, no network."""
    del verbose
    from .demonstration import demo_door

    raise typer.Exit(demo_door(flags, json=json))


@app.command(epilog="Example: agenvantage doctor")
@takes(*PLACES)
def doctor(repo: Repo = None, json: Json = False, verbose: Verbose = False, **flags: Any) -> None:
    """What is installed, what is missing, and the fix."""
    del verbose
    from .doctor import doctor_door

    raise typer.Exit(doctor_door(flags, repo=repo, json=json))


@app.command(epilog="Example: agenvantage apply last --branch fix/add")
@takes(*PLACES)
def apply(
    run: RunName,
    branch: Annotated[
        str | None, typer.Option("--branch", help="onto a new branch, without touching the checkout")
    ] = None,
    repo: Repo = None,
    json: Json = False,
    verbose: Verbose = False,
    **flags: Any,
) -> None:
    """Bring a run's patch into the checkout, whole or not at all."""
    del verbose
    from .applying import apply_door

    raise typer.Exit(apply_door(flags, run=run, branch=branch, repo=repo, json=json))


@app.command(epilog="Example: agenvantage gc --older 7d --dry-run")
@takes(*PLACES)
def gc(
    older: Annotated[str | None, typer.Option("--older", help="also sealed run folders older than 7d, 12h, 0s")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="say what would go")] = False,
    force: Annotated[bool, typer.Option("--force", help="also trees that hold uncaptured work")] = False,
    repo: Repo = None,
    json: Json = False,
    verbose: Verbose = False,
    **flags: Any,
) -> None:
    """Clear what dead runs left: processes, trees, locks."""
    del verbose
    from .doors import gc_door

    raise typer.Exit(gc_door(flags, older=older, dry_run=dry_run, force=force, repo=repo, json=json))


@app.command(epilog="Example: agenvantage config")
@takes(*RUN)
def config(repo: Repo = None, json: Json = False, verbose: Verbose = False, **flags: Any) -> None:
    """The effective settings, and where each came from."""
    del verbose
    from .doors import config_door

    raise typer.Exit(config_door(flags, repo=repo, json=json))


@app.command(epilog="Example: agenvantage index --stats")
@takes("cache_dir")
def index(
    stats: Annotated[bool, typer.Option("--stats", help="what was parsed, how, and how all is related")] = False,
    watch: Annotated[bool, typer.Option("--watch", help="then follow the tree, a line for each change")] = False,
    repositories: Annotated[
        list[str] | None, typer.Option("--repositories", help="NAME=PATH of one more repository (repeat)")
    ] = None,
    repo: Repo = None,
    json: Json = False,
    verbose: Verbose = False,
    **flags: Any,
) -> None:
    """Build or refresh the repository's index."""
    del verbose
    from .indexing import index_door

    raise typer.Exit(index_door(flags, stats=stats, watch=watch, repositories=repositories or (), repo=repo, json=json))


@app.command("map", epilog="Example: agenvantage map --budget 800")
@takes("cache_dir")
def repository_map(
    budget: Annotated[int | None, typer.Option("--budget", help="tokens")] = None,
    scope: Annotated[str | None, typer.Option("--scope", help="only below this folder")] = None,
    repo: Repo = None,
    json: Json = False,
    verbose: Verbose = False,
    **flags: Any,
) -> None:
    """The repository's map: its files and what they define."""
    del verbose
    from .ask import tool_door

    raise typer.Exit(tool_door("repo_map", {"scope": scope, "budget": budget}, flags, repo=repo, json=json))


@app.command(epilog='Example: agenvantage plan --task "retry fails on timeout" --explain')
@takes(*PLAN)
def plan(
    task: Task = None,
    task_file: TaskFile = None,
    explain: Annotated[bool, typer.Option("--explain", help="why each region was chosen")] = False,
    preset: Annotated[str | None, typer.Option("--preset", help="the same as --workflow")] = None,
    repo: Repos = None,
    json: Json = False,
    verbose: Verbose = False,
    **flags: Any,
) -> None:
    """What a task needs from the repository, and how sure that is."""
    del verbose
    from .ask import plan_door

    flags["workflow"] = flags["workflow"] or preset
    raise typer.Exit(plan_door(flags, task=task, task_file=task_file, explain=explain, repos=repo or (), json=json))


@app.command(epilog='Example: agenvantage pack --task "retry fails on timeout" --out packet.md')
@takes(*PLAN)
def pack(
    task: Task = None,
    task_file: TaskFile = None,
    adaptive: Annotated[bool, typer.Option("--adaptive", help="accepted: packing always adapts")] = False,
    provider: Annotated[str, typer.Option("--provider", help="openai, anthropic or any")] = "any",
    handoff_json: Annotated[bool, typer.Option("--handoff-json", help="print the packet as one JSON document")] = False,
    out: Annotated[Path | None, typer.Option("--out", help="write it here instead of printing it")] = None,
    repo: Repos = None,
    verbose: Verbose = False,
    **flags: Any,
) -> None:
    """The packet that `run --optimize-context` would put into the prompt."""
    del verbose, adaptive
    from .ask import pack_door

    raise typer.Exit(
        pack_door(
            flags, task=task, task_file=task_file, provider=provider, json=handoff_json, out=out, repos=repo or ()
        )
    )


@app.command(epilog='Example: agenvantage route --task "retry fails on timeout"')
@takes("cache_dir")
def route(
    task: Task = None,
    task_file: TaskFile = None,
    budget: Annotated[int | None, typer.Option("--budget", help="most tokens of the answer [3000]")] = None,
    home_skills: Annotated[
        bool, typer.Option("--home-skills", help="also the skills and commands of your own home folder")
    ] = False,
    explain: Annotated[bool, typer.Option("--explain", help="why each is named, and which skills are not")] = False,
    repo: Repo = None,
    json: Json = False,
    verbose: Verbose = False,
    **flags: Any,
) -> None:
    """Where a task leads: likely files and tests, rules, skills, commands and warnings. No packet; nothing is run."""
    del verbose
    from .routing import route_door

    raise typer.Exit(
        route_door(
            flags, task=task, task_file=task_file, budget=budget, home_skills=home_skills, explain=explain, repo=repo,
            json=json,
        )
    )  # fmt: skip


@app.command(epilog='Example: agenvantage search "retry" --path src --top-k 5')
@takes("cache_dir")
def search(
    query: Annotated[str, typer.Argument(help="words, an identifier or a phrase")],
    kind: Annotated[str | None, typer.Option("--kind", help="what to look for")] = None,
    path: Annotated[str | None, typer.Option("--path", help="only below this folder")] = None,
    top_k: Annotated[int | None, typer.Option("--top-k", help="how many results")] = None,
    budget: Annotated[int | None, typer.Option("--budget", help="tokens")] = None,
    repo: Repo = None,
    json: Json = False,
    verbose: Verbose = False,
    **flags: Any,
) -> None:
    """Find regions of the repository."""
    del verbose
    from .ask import tool_door

    asked = {"query": query, "kind": kind, "path": path, "top_k": top_k, "budget": budget}
    raise typer.Exit(tool_door("search", asked, flags, repo=repo, json=json))


@app.command(epilog="Example: agenvantage symbol RetryPolicy")
@takes("cache_dir")
def symbol(
    name: Annotated[str, typer.Argument(help="the name, with its container where there are several")],
    budget: Annotated[int | None, typer.Option("--budget", help="tokens")] = None,
    repo: Repo = None,
    json: Json = False,
    verbose: Verbose = False,
    **flags: Any,
) -> None:
    """Where a name is defined, with its text."""
    del verbose
    from .ask import tool_door

    raise typer.Exit(tool_door("symbol", {"name": name, "budget": budget}, flags, repo=repo, json=json))


@app.command(epilog="Example: agenvantage read src/a.py:10-40")
@takes("cache_dir")
def read(
    location: Annotated[str, typer.Argument(help="path, path:line or path:start-end")],
    surrounding_lines: Annotated[int | None, typer.Option("--surrounding-lines", help="lines around it")] = None,
    budget: Annotated[int | None, typer.Option("--budget", help="tokens")] = None,
    repo: Repo = None,
    json: Json = False,
    verbose: Verbose = False,
    **flags: Any,
) -> None:
    """Lines of a file."""
    del verbose
    from .ask import tool_door

    asked = {"location": location, "surrounding_lines": surrounding_lines, "budget": budget}
    raise typer.Exit(tool_door("read", asked, flags, repo=repo, json=json))


@app.command(epilog="Example: agenvantage serve --mcp --transport http")
@takes("cache_dir")
def serve(
    mcp: Annotated[bool, typer.Option("--mcp", help="speak the Model Context Protocol")] = False,
    transport: Annotated[str, typer.Option("--transport", help="stdio or http")] = "stdio",
    repo: Repo = None,
    verbose: Verbose = False,
    **flags: Any,
) -> None:
    """Serve the tools to an agent."""
    del verbose
    from .ask import serve_door

    raise typer.Exit(serve_door(flags, mcp=mcp, transport=transport, repo=repo))


@bench.command(
    "retrieval",
    epilog="Example: agenvantage bench retrieval --tasks tasks.jsonl --repos trees --out found.jsonl --ablate",
)
@takes(*PLAN)
def bench_retrieval(
    tasks: Annotated[Path, typer.Option("--tasks", help="tasks and what solved them, a JSON object a line")],
    repos: Annotated[Path, typer.Option("--repos", help="the folder with their trees, which are only read")],
    out: Annotated[Path, typer.Option("--out", help="a JSON line a task; those that still hold are kept")],
    ablate: Annotated[bool, typer.Option("--ablate", help="also leave out each channel in turn")] = False,
    limit: Annotated[int | None, typer.Option("--limit", help="only the first tasks")] = None,
    only: Annotated[list[str] | None, typer.Option("--only", help="only the task with this id (repeat)")] = None,
    json: Json = False,
    verbose: Verbose = False,
    **flags: Any,
) -> None:
    """Plan tasks from their words alone, then score the plans by what was changed."""
    del verbose
    from .retrieval import retrieval_door

    raise typer.Exit(
        retrieval_door(flags, tasks=tasks, repos=repos, out=out, ablate=ablate, limit=limit, only=only or (), json=json)
    )


@bench.command("route", epilog="Example: agenvantage bench route --cases cases.toml --misses")
@takes("cache_dir")
def bench_route(
    cases: Annotated[Path, typer.Option("--cases", help="tasks and what their routes should hold, TOML or JSON lines")],
    repos: Annotated[
        Path | None, typer.Option("--repos", help="the folder with their repositories (default: that of the cases)")
    ] = None,
    misses: Annotated[
        bool, typer.Option("--misses", help="also what was not found, and what should not have been")
    ] = False,
    json: Json = False,
    verbose: Verbose = False,
    **flags: Any,
) -> None:
    """Route tasks, then score the files, rules, skills and commands by what is expected."""
    del verbose
    from .route_bench import route_bench_door

    raise typer.Exit(route_bench_door(flags, cases=cases, repos=repos, misses=misses, json=json))


@traces.command("list", epilog="Example: agenvantage traces list --limit 10")
@takes(*PLACES)
def traces_list(
    limit: Annotated[int, typer.Option("--limit", help="how many, newest first")] = 20,
    repo: Repo = None,
    json: Json = False,
    verbose: Verbose = False,
    **flags: Any,
) -> None:
    """Runs, newest first."""
    del verbose
    from .recorded import list_door

    raise typer.Exit(list_door(flags, limit=limit, repo=repo, json=json))


@traces.command("show", epilog="Example: agenvantage traces show last")
@takes(*PLACES)
def traces_show(
    run: RunName = "last", repo: Repo = None, json: Json = False, verbose: Verbose = False, **flags: Any
) -> None:
    """One run as a tree with times, tokens and files."""
    del verbose
    from .recorded import show_door

    raise typer.Exit(show_door(flags, run=run, repo=repo, json=json))


@traces.command(
    "replay", epilog="Example: OTEL_EXPORTER_OTLP_ENDPOINT=http://localhost:4318 agenvantage traces replay last"
)
@takes(*PLACES)
def traces_replay(run: RunName = "last", repo: Repo = None, verbose: Verbose = False, **flags: Any) -> None:
    """Send a run's spans again, unchanged."""
    del verbose
    from .recorded import replay_door

    raise typer.Exit(replay_door(flags, run=run, repo=repo))


@traces.command("export", epilog="Example: agenvantage traces export last --format atif")
@takes(*PLACES)
def traces_export(
    run: RunName = "last",
    format: Annotated[str, typer.Option("--format", help="otlp (one request a line), atif or json")] = "otlp",
    repo: Repo = None,
    verbose: Verbose = False,
    **flags: Any,
) -> None:
    """Print a run in a format that other programs read."""
    del verbose
    from .recorded import export_door

    raise typer.Exit(export_door(flags, run=run, format=format, repo=repo))


@app.callback(invoke_without_command=True)
def top(version: Annotated[bool, typer.Option("--version", help="print the version")] = False) -> None:
    if version:
        from .. import __version__

        streams.say(f"agenvantage {__version__}")
        raise typer.Exit


def main() -> NoReturn:
    """Run the command and end with its exit code."""
    streams.mend()
    if sys.platform == "win32":
        print("AgenVantage runs on Linux and macOS. On Windows, run it inside WSL.", file=sys.stderr)
        sys.exit(3)
    signals.obey()
    try:
        app()
    except AgenVantageError as error:
        _explain(error)
        sys.exit(2 if isinstance(error, BadRequest) else 3)
    except OSError as failed:
        _explain(_Unusable(failed))
        sys.exit(3)
    sys.exit(0)


class _Unusable(CannotProceed):
    """A file or folder that a step needs can't be used, and the step has no better words for it."""

    def __init__(self, failed: OSError) -> None:
        where = f" ({failed.filename})" if failed.filename else ""
        super().__init__(
            f"{failed.strerror or failed}{where}.", "Check its rights, or move our folders: `agenvantage config`."
        )
        self.__cause__ = failed


def _explain(error: BaseException) -> None:
    from ..context.redact import redact
    from .environment import secret_values

    secrets = secret_values(os.environ)
    _complain(redact(f"agenvantage: {error}", secrets))
    if "--verbose" not in sys.argv:
        return
    cause = error.__cause__
    while cause is not None:
        _complain(redact(f"  because {type(cause).__name__}: {cause}", secrets))
        cause = cause.__cause__


def _complain(line: str) -> None:
    """The exit code has to do where nobody can be told."""
    with suppress(OSError):
        print(line, file=sys.stderr, flush=True)
