"""The index's figures on real trees, beside those of other local code indexes measured in the same rounds.

    python tests/benchmarks/bench_index.py TREE [TREE ...] [--rivals FOLDER] [--rounds N] [--check]
    python tests/benchmarks/bench_index.py --generate 500 --check --noisy

TREE is a git work tree; it is only read: each tool works on a private checkout of its commit. FOLDER is where
`rivals.py install` put the rivals. Each measurement is a process of its own, and tools take turns round by round, so
that the machine's noise meets all alike; figures are medians of the rounds, memory is the largest. Prints markdown.

--check ends with 1 when a bar is missed. --noisy judges what is bound in wall time by CPU time instead, for machines
that do other work meanwhile.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

import rivals
import trees
from index_steps import questions
from measure import Cost, bytes_below, percentile, run_measured, table, yardstick

STEPS = Path(__file__).with_name("index_steps.py")
OURS = "AgenVantage"
FIRST_QUERIES = 21
ASKED = 2
"""Queries, and updates, of each tool in a round."""
MB = 1e6
USUAL_MB = 60
"""Of text in 10,000 files of code."""


@dataclass(frozen=True, kw_only=True)
class Bar:
    """A limit. `wall` and `cpu` name figures of a tree; where both are given the limit is one of wall time."""

    name: str
    limit: float
    aim: float
    unit: str
    wall: str | None = None
    cpu: str | None = None
    grows: bool = False
    """Meant for 10,000 files, and for more in proportion."""
    shrinks: bool = False
    """Less for fewer files, or for less text where that is the larger part of what 10,000 files have."""
    least_source_mb: float = 0
    """Smaller trees are not judged: an empty index has a size too."""

    def limit_for(self, figures: Mapping[str, float]) -> float:
        share = max(figures["files"] / 10_000, min(1, figures["source_mb"] / USUAL_MB))
        least = 0.1 if self.shrinks else 1.0
        return self.limit * max(least, share) if self.grows else self.limit

    def judged(self, noisy: bool) -> str:
        """The name of the figure that is held against the limit."""
        return str(self.cpu if self.wall is None or (noisy and self.cpu is not None) else self.wall)


BARS = (
    Bar(name="cold index with symbols and edges, CPU", limit=30, aim=20, unit="s", cpu="cold_cpu",
        grows=True, shrinks=True),
    Bar(name="its peak memory, all processes", limit=600, aim=400, unit="MB", cpu="cold_peak_mb"),
    Bar(name="first exact answer on an empty index", limit=5, aim=5, unit="s", wall="exact_wall"),
    Bar(name="refresh, nothing changed", limit=200, aim=120, unit="ms", wall="unchanged_wall_ms",
        cpu="unchanged_cpu_ms", grows=True),
    Bar(name="refresh, one file changed, CPU on top of that", limit=50, aim=20, unit="ms", cpu="edited_more_cpu_ms",
        grows=True),
    Bar(name="the same where 50 files are changed already", limit=50, aim=20, unit="ms",
        cpu="edited_after_50_more_cpu_ms", grows=True),
    Bar(name="index bytes per source byte", limit=1.5, aim=0.8, unit="", cpu="size_ratio", least_source_mb=1),
    Bar(name="warm open and first query, in process, p95", limit=250, aim=120, unit="ms",
        wall="opened_wall_p95_ms", cpu="opened_cpu_p95_ms", grows=True),
)  # fmt: skip

MORE: tuple[tuple[str, Callable[[dict[str, float]], str]], ...] = (
    ("files / read / MB of source", lambda f: f"{f['files']:,.0f} / {f['read']:,.0f} / {f['source_mb']:.1f}"),
    ("symbols / imports / uses / stated facts", lambda f: _listed(f, "symbols", "imports", "uses", "facts")),
    ("edges", lambda f: f"{f['edges']:,.0f}"),
    ("cold index alone, wall / CPU", lambda f: f"{f['cold_open_wall']:.1f} / {f['cold_open_cpu']:.1f} s"),
    ("resolving every edge, wall / CPU", lambda f: f"{f['edges_wall']:.1f} / {f['edges_cpu']:.1f} s"),
    ("index", lambda f: f"{f['index_mb']:.1f} MB"),
    ("exact answers while it reads, median / longest", lambda f: _listed(f, "again_p50_ms", "again_most_ms") + " ms"),
    ("warm open, wall / CPU", lambda f: _listed(f, "open_wall_ms", "open_cpu_ms") + " ms"),
    ("open and first query, p50 wall / CPU", lambda f: _listed(f, "opened_wall_p50_ms", "opened_cpu_p50_ms") + " ms"),
    ("the same in a new process, p50 wall / CPU", lambda f: _listed(f, "first_wall_ms", "first_cpu_ms") + " ms"),
    ("next queries with refresh, p50 / p95 wall", lambda f: _listed(f, "next_wall_p50_ms", "next_wall_p95_ms") + " ms"),
    ("next queries with refresh, p50 / p95 CPU", lambda f: _listed(f, "next_cpu_p50_ms", "next_cpu_p95_ms") + " ms"),
    ("refresh, nothing changed, CPU", lambda f: _listed(f, "unchanged_cpu_ms") + " ms"),
    ("refresh, one file changed, wall / CPU", lambda f: _listed(f, "edited_wall_ms", "edited_cpu_ms") + " ms"),
    ("refresh, 50 files changed at once", lambda f: _listed(f, "edited_50_wall_ms", "edited_50_cpu_ms") + " ms"),
    ("refresh, a new file", lambda f: _listed(f, "untracked_wall_ms", "untracked_cpu_ms") + " ms"),
    ("refresh, a file deleted", lambda f: _listed(f, "deleted_wall_ms", "deleted_cpu_ms") + " ms"),
    ("refresh, a file renamed", lambda f: _listed(f, "renamed_wall_ms", "renamed_cpu_ms") + " ms"),
    ("branch with 100 other files, new", lambda f: _listed(f, "branch_new_wall_ms", "branch_new_cpu_ms") + " ms"),
    ("and seen before", lambda f: _listed(f, "branch_known_wall_ms", "branch_known_cpu_ms") + " ms"),
)  # fmt: skip


def _listed(figures: dict[str, float], *names: str) -> str:
    return " / ".join(f"{figures[name]:,.{_digits(figures[name])}f}" if name in figures else "?" for name in names)


@dataclass(kw_only=True)
class Measured:
    """All figures of one tree: ours by name, and each tool's costs by step."""

    tree: trees.Tree
    ours: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    notes: dict[str, Any] = field(default_factory=dict)
    costs: dict[str, dict[str, list[Cost]]] = field(default_factory=lambda: defaultdict(lambda: defaultdict(list)))
    index_bytes: dict[str, int] = field(default_factory=dict)

    def note(self, **figures: float | None) -> None:
        for name, value in figures.items():
            if value is not None:
                self.ours[name].append(value)

    def figures(self) -> dict[str, float]:
        """One number a name: the largest memory, else the median of the rounds."""
        return {name: (max if "peak" in name else median)(values) for name, values in self.ours.items()}


@dataclass(frozen=True, kw_only=True)
class Bench:
    """A tool at work on one tree, in a folder of its own."""

    measured: Measured
    folder: Path
    limit_seconds: float
    rival: rivals.Rival | None = None
    tools: Path = Path()

    @property
    def name(self) -> str:
        return self.rival.name if self.rival else OURS

    @property
    def tree(self) -> Path:
        return self.folder / "tree"

    @property
    def cache(self) -> Path:
        return self.folder / "cache"

    @property
    def place(self) -> rivals.Place:
        return rivals.Place(tools=self.tools, tree=self.tree, home=self.folder / "home")

    def fresh(self) -> None:
        """A clean tree and no index."""
        if not self.tree.exists():
            self.folder.mkdir(parents=True)
            self.place.home.mkdir()
            self.measured.tree.copy(self.tree)
            for command in self.rival.before if self.rival else ():
                self._run([self.place.filled(part, "") for part in command], "before")
        for place in self.index_places():
            shutil.rmtree(place) if place.is_dir() else place.unlink()
        trees.restore(self.tree)
        trees.settle(self.tree)

    def index_places(self) -> tuple[Path, ...]:
        if self.rival:
            return self.rival.index_places(self.place)
        return (self.cache,) if self.cache.exists() else ()

    def step(self, name: str, text: str = "") -> Cost | None:
        """Run one step; None where the tool has none such."""
        if self.rival is None:
            return self._run([sys.executable, str(STEPS), name, str(self.tree), str(self.cache), text], name)
        command = self.rival.command(name, self.place, text)
        return self._run(command, name) if command else None

    def _run(self, command: Sequence[str], name: str) -> Cost:
        self.measured.note(yardstick_ms=_ms(yardstick()))
        environment = self.rival.environment_in(self.place) if self.rival else None
        return run_measured(
            command, folder=self.tree, environment=environment, limit_seconds=self.limit_seconds,
            output=self.folder / name,
        )  # fmt: skip

    def protocol(self, round_number: int) -> None:
        """What is asked of every tool alike: a cold index, a query in a new process, an update after one edit."""
        costs = self.measured.costs[self.name]
        self.fresh()
        if not self._kept("cold", ""):
            return
        if self.rival is None:
            _note_cold(self.measured, costs["cold"][-1])
        self.measured.index_bytes[self.name] = bytes_below(*self.index_places())
        for text in questions(self.tree, ASKED, seed=100 + round_number):
            self._kept("query", text)
        for mark, path in enumerate(trees.sample(self.tree, ASKED, seed=200 + round_number)):
            trees.edit(self.tree, path, mark)
            self._kept("update", "")

    def _kept(self, name: str, text: str) -> bool:
        cost = self.step(name, text)
        if cost is not None:
            self.measured.costs[self.name][name].append(cost)
            _say(f"    {name}: {cost.cpu:.2f} CPU s, {cost.wall:.2f} s, {cost.peak / MB:.0f} MB")
            if not cost.well:
                told = "was not finished" if not cost.finished else f"ended with {cost.code}"
                _say(f"    {self.name}, {name}: {told}: {cost.errors[-300:]}")
        return cost is not None and cost.well

    def asked(self, name: str, text: str = "") -> dict[str, Any]:
        """One of our own steps, its answer read. An error ends the benchmark: our figures must all be there."""
        cost = self.step(name, text)
        if cost is None or not cost.well:
            sys.exit(f"{name} on {self.measured.tree.name} failed: {cost.errors[-2_000:] if cost else ''}")
        return dict(json.loads(cost.output))

    def own(self, round_number: int) -> None:
        """What is asked of us alone."""
        note = self.measured.note
        self.fresh()
        pieces = [text for text in questions(self.tree, 30, seed=300 + round_number) if " " in text]
        found = self.asked("exact", pieces[0])
        if not found["found"]:
            _say(f"    an exact search found nothing for {pieces[0]!r}")
        note(
            exact_wall=found["first_wall"], again_p50_ms=_ms(found["again_p50"]), again_most_ms=_ms(found["again_most"])
        )
        self.first_queries(round_number)
        asked = self.asked("queries")
        note(**{f"next_{name}_ms": _ms(asked[name]) for name in ("wall_p50", "wall_p95", "cpu_p50", "cpu_p95")})
        note(**{f"{name}_ms": _ms(value) for name, value in asked.items() if name.startswith("opened_")})
        told = self.asked("refresh")
        note(**{f"{name}_ms": _ms(value) for name, value in told.items() if "_wall" in name or "_cpu" in name})
        for kind in ("edited", "edited_after_50"):
            base = told["unchanged_after_50_cpu" if kind.endswith("50") else "unchanged_cpu"]
            note(**{f"{kind}_more_cpu_ms": _ms(max(0.0, told[f"{kind}_cpu"] - base))})
        self.measured.notes["refreshed"] = told["parsed"]

    def first_queries(self, round_number: int) -> None:
        """New processes, each with a question of its own; imports are not counted, everything loaded later is."""
        found = [self.asked("query", text) for text in questions(self.tree, FIRST_QUERIES, seed=400 + round_number)]
        walls, cpus = [each["wall"] for each in found], [each["cpu"] for each in found]
        self.measured.note(
            first_wall_ms=_ms(median(walls)),
            first_cpu_ms=_ms(median(cpus)),
            first_wall_p95_ms=_ms(percentile(walls, 0.95)),
            first_cpu_p95_ms=_ms(percentile(cpus, 0.95)),
            open_wall_ms=_ms(median(each["open_wall"] for each in found)),
            open_cpu_ms=_ms(median(each["open_cpu"] for each in found)),
        )

    def count(self) -> None:
        """What our index holds, and its size beside that of what it was made of."""
        held = self.asked("counts")
        size = self.measured.index_bytes[self.name] = bytes_below(self.cache / "index")
        self.measured.notes |= {name: held[name] for name in ("languages", "parsers", "problems", "skipped")}
        self.measured.note(
            **{name: held.get(name, 0) for name in ("files", "read", "symbols", "imports", "uses", "facts")},
            source_mb=held["source_bytes"] / MB,
            index_mb=size / MB,
            size_ratio=size / held["source_bytes"],
        )


def _note_cold(measured: Measured, cost: Cost) -> None:
    told = json.loads(cost.output)
    measured.note(
        cold_cpu=cost.cpu,
        cold_wall=cost.wall,
        cold_peak_mb=cost.peak / MB,
        cold_open_wall=told["open_wall"],
        cold_open_cpu=told["open_cpu"],
        edges_wall=told["edges_wall"],
        edges_cpu=told["edges_cpu"],
        edges=sum(told["edges"].values()),
    )
    measured.notes["edges"] = told["edges"]


def _ms(seconds: float | None) -> float | None:
    return None if seconds is None else 1000 * seconds


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def bench(tree: trees.Tree, folder: Path, asked: argparse.Namespace) -> Measured:
    """All rounds of one tree: our own questions, then every tool in turn, from another place each round."""
    measured = Measured(tree=tree)
    ours = Bench(measured=measured, folder=folder / tree.name / "ours", limit_seconds=asked.limit)
    others = [
        Bench(measured=measured, folder=folder / tree.name / rivals.tools_of(rival, Path()), rival=rival,
              tools=rivals.tools_of(rival, asked.rivals), limit_seconds=asked.limit)
        for rival in _wanted(asked)
    ]  # fmt: skip
    for round_number in range(asked.rounds):
        at = round_number % (1 + len(others))
        for each in [*others[:at], ours, *others[at:]]:
            _say(f"  {tree.name}, round {round_number + 1} of {asked.rounds}: {each.name}")
            each.protocol(round_number)
            if each is ours and round_number == 0:
                ours.count()
        ours.own(round_number)
    shutil.rmtree(folder / tree.name)
    return measured


def _wanted(asked: argparse.Namespace) -> Iterator[rivals.Rival]:
    if asked.rivals is not None:
        for rival in rivals.installed(asked.rivals):
            if not asked.only or rival.name.split(",")[0].split(" ")[0] in asked.only:
                yield rival


def bars_table(all_measured: Sequence[Measured], noisy: bool) -> tuple[str, list[str]]:
    """Each bar beside what was measured; and what was missed."""
    missed, rows = [], []
    for bar in BARS:
        row = [bar.name, f"<= {bar.limit:g} {bar.unit}".strip(), f"{bar.aim:g}"]
        for measured in all_measured:
            figures = measured.figures()
            limit, value = bar.limit_for(figures), figures[bar.judged(noisy)]
            shown = [f"{figures[name]:,.{_digits(figures[name])}f}" for name in (bar.wall, bar.cpu) if name]
            judged = figures["source_mb"] >= bar.least_source_mb
            over = " **over**" if judged and value > limit else ""
            row.append(" / ".join(shown) + (f" of {limit:.3g}" if limit != bar.limit else "") + over)
            if over:
                missed.append(f"{measured.tree.name}: {bar.name}: {value:.2f} over {limit:.3g} {bar.unit}")
        rows.append(row)
    return table(["measure (wall / CPU)", "bar", "aim", *_heads(all_measured)], rows), missed


def _digits(value: float) -> int:
    return 0 if value == int(value) or value >= 100 else 2 if value < 10 else 1


def _heads(all_measured: Sequence[Measured]) -> list[str]:
    return [f"{each.tree.name}, {each.tree.files:,} files" for each in all_measured]


def more_table(all_measured: Sequence[Measured]) -> str:
    rows = [[name, *(tell(each.figures()) for each in all_measured)] for name, tell in MORE]
    rows.append(["yardstick, CPU: median, min–max", *(_spread(each.ours["yardstick_ms"]) for each in all_measured)])
    return table(["more (wall / CPU)", *_heads(all_measured)], rows)


def _spread(values: Sequence[float]) -> str:
    return f"{median(values):.0f} ms, {min(values):.0f}–{max(values):.0f}"


def tools_table(measured: Measured) -> str:
    """Every tool by the same protocol: whole processes, start included."""
    source = measured.figures()["source_mb"] * MB
    rows = []
    for name, costs in measured.costs.items():
        cold = costs["cold"]
        if not all(cost.well for cost in cold):
            late = any(not cost.finished for cost in cold)
            rows.append([name, "not finished" if late else "failed", *(["-"] * 4)])
            continue
        size = measured.index_bytes.get(name, 0)
        rows.append([
            name, _cost(cold), f"{max(cost.peak for cost in cold) / MB:,.0f} MB",
            f"{size / MB:,.1f} MB ({size / source:.2f})", _cost(costs["query"]), _cost(costs["update"]),
        ])  # fmt: skip
    head = ["tool", "cold: CPU / wall s", "peak", "index (per source byte)", "query", "update after one edit"]
    return table(head, rows)


def _cost(costs: Sequence[Cost]) -> str:
    good = [cost for cost in costs if cost.well]
    if not good:
        return "-" if not costs else "failed"
    part = "" if len(good) == len(costs) else f" ({len(costs) - len(good)} of {len(costs)} failed)"
    return f"{median(cost.cpu for cost in good):.2f} / {median(cost.wall for cost in good):.2f}{part}"


def report(all_measured: Sequence[Measured], noisy: bool) -> tuple[str, list[str]]:
    bars, missed = bars_table(all_measured, noisy)
    parts = [bars, more_table(all_measured)]
    for each in all_measured:
        tree = each.tree
        parts.append(f"{tree.name} at {tree.commit[:12]}: {tree.files:,} files, {tree.code_files:,} of code.")
        parts.append("\n".join(f"- {name}: {_told(value)}" for name, value in each.notes.items()))
        parts.append(tools_table(each))
    return "\n\n".join(parts), missed


def _told(value: dict[str, Any]) -> str:
    return ", ".join(f"{name} {number:,}" for name, number in value.items()) or "none"


def _place(text: str) -> Path:
    return Path(text).absolute()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trees", type=Path, nargs="*")
    parser.add_argument("--generate", type=int, metavar="N", help="also a made tree of N files")
    parser.add_argument("--rivals", type=_place, metavar="FOLDER")
    parser.add_argument("--only", nargs="*", help="first words of rivals' names")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--limit", type=float, default=900, help="seconds one step of a tool may take")
    parser.add_argument("--work", type=_place, help="folder for copies and indexes meanwhile")
    parser.add_argument("--output", type=Path, help="write the tables here too")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--noisy", action="store_true")
    asked = parser.parse_args()
    if not asked.trees and not asked.generate:
        parser.error("name a tree, or --generate one")
    with tempfile.TemporaryDirectory(dir=asked.work) as folder:
        measured_trees = [trees.named(each) for each in asked.trees]
        if asked.generate:
            measured_trees.append(trees.made(Path(folder), asked.generate))
        all_measured: list[Measured] = []
        for tree in measured_trees:
            all_measured.append(bench(tree, Path(folder) / "work", asked))
            text, missed = report(all_measured, asked.noisy)
            # After each tree: it takes hours, and the last one may not end.
            if asked.output:
                asked.output.write_text(text + "\n", encoding="utf-8")
    print(text)
    for each in missed:
        _say(f"missed: {each}")
    return int(asked.check and bool(missed))


if __name__ == "__main__":
    sys.exit(main())
