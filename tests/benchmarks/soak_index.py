"""Treats the index badly, and then asks whether it still says what a fresh one says.

    python tests/benchmarks/soak_index.py hammer [--seconds 60] [--processes 2]
    python tests/benchmarks/soak_index.py kill   [--rounds 200]
    python tests/benchmarks/soak_index.py damage [--rounds 200]
    python tests/benchmarks/soak_index.py full   [--rounds 40]
    python tests/benchmarks/soak_index.py all

`hammer`: processes open, refresh, ask and edit one tree with one index. `kill`: a process that indexes is killed at a
random moment. `damage`: bytes of the index file are changed, or its end is lost. `full`: the disk ends while it writes,
and the cache folder can't be written. Each with --files N (of a made tree) or --tree PATH (a copy), and --seed N,
which is printed. Ends with 1 when anything was wrong.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import trees
from agenvantage.context.index import RepositoryIndex
from agenvantage.context.store import IndexDamaged
from agenvantage.context.tools import call
from index_digest import Said, differences, said_by
from kit import repository_of
from measure import descendants
from soak_actor import edit_many

ACTOR = Path(__file__).with_name("soak_actor.py")
INDEX_FILES = (".sqlite", ".sqlite-wal", ".sqlite-shm")


@dataclass(kw_only=True)
class Soak:
    """One tree, one index, and what was found wrong."""

    folder: Path
    tree: Path
    chance: random.Random
    wrong: list[str] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)

    @property
    def cache(self) -> Path:
        return self.folder / "cache"

    def fault(self, what: str, found: list[str] | str) -> None:
        told = [found] if isinstance(found, str) else found
        self.wrong.append(what)
        print(f"WRONG: {what}: {len(told)} differences" if len(told) > 1 else f"WRONG: {what}", flush=True)
        for each in told[:4]:
            print(f"    {each[-1_500:]}", flush=True)

    def fresh(self) -> Said:
        """What an index says that was never disturbed."""
        place = self.folder / "fresh"
        with RepositoryIndex.open(self.tree, cache_dir=place, processes=0) as index:
            said = said_by(index)
        shutil.rmtree(place)
        return said

    def asked(self) -> Said:
        """What the disturbed index says; it must be able to answer at once."""
        with RepositoryIndex.open(self.tree, cache_dir=self.cache) as index:
            if index.warnings:
                self.counts["warned"] += 1
            call(index, "search", {"query": "scaled value of a part"})
            self.counts["most removals"] = max(self.counts["most removals"], index.store.removals())
            return said_by(index)

    def compare(self, what: str, fresh: Said) -> None:
        found = differences(self.asked(), fresh)
        if found:
            self.fault(f"{what}: not what a fresh index says", found)

    def index_file(self) -> Path | None:
        return next((self.cache / "index").glob("*.sqlite"), None)

    def check_files(self, what: str) -> None:
        """Nothing but one index file lies there, and the database itself finds no fault in it."""
        self.check_leftovers(what)
        file = self.index_file()
        if file is not None:
            connection = sqlite3.connect(file)
            said = connection.execute("PRAGMA integrity_check").fetchall()
            connection.close()
            if said != [("ok",)]:
                self.fault(f"{what}: the database is broken", str(said))

    def check_leftovers(self, what: str) -> None:
        strange = [path.name for path in (self.cache / "index").glob("*") if not path.name.endswith(INDEX_FILES)]
        if strange:
            self.fault(f"{what}: files are left over", strange)

    def actor(self, mode: str, seconds: float = 3_600) -> subprocess.Popen[str]:
        seed = self.chance.randrange(10**9)
        command = (sys.executable, str(ACTOR), mode, str(self.tree), str(self.cache), str(seed), str(seconds))
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def hammer(soak: Soak, asked: argparse.Namespace) -> None:
    """Several processes at one index; at the end it says what a fresh one says, and nothing known was lost."""
    actors = [soak.actor("hammer", asked.seconds) for _ in range(asked.processes)]
    kept: set[tuple[str, str]] = set()
    for actor in actors:
        said, errors = actor.communicate()
        if actor.returncode != 0:
            soak.fault("a process failed", errors[-3_000:])
            continue
        told = json.loads(said)
        soak.counts.update(told["did"])
        kept |= {(content, language) for content, language in told["kept"]}
    with RepositoryIndex.open(soak.tree, cache_dir=soak.cache) as index:
        lost = kept - index.store.cards().keys()
        if lost and not index.store.removals():
            soak.fault("contents were lost", sorted(map(str, lost)))
    soak.compare("after hammering", soak.fresh())
    with RepositoryIndex.open(soak.tree, cache_dir=soak.cache) as index:
        if index.parsed:
            soak.fault("files are read again though nothing changed", list(index.parsed))
    soak.check_files("after hammering")


def kill(soak: Soak, asked: argparse.Namespace) -> None:
    """A process is killed at a random moment of a cold index, of an update, or of endless folding and merging."""
    seconds = {mode: _usual_seconds(soak, mode) for mode in ("once", "background")}
    for number in range(asked.rounds):
        mode = soak.chance.choice(("once", "background", "editing", "merging"))
        cold = mode in seconds and soak.chance.random() < 0.4
        what = f"round {number}, {mode}, {'cold' if cold else 'update'}"
        if cold:
            shutil.rmtree(soak.cache, ignore_errors=True)
        else:
            edit_many(soak.tree, soak.chance, soak.chance.choice((3, 60, 140, 300)))
        _killed(soak, mode, soak.chance.uniform(0.1, 1.1 * seconds.get(mode, 4.0)), what)
        soak.compare(what, soak.fresh())
        soak.check_files(what)
        soak.counts[f"{mode}, {'cold' if cold else 'update'}"] += 1
        _progress(number, asked.rounds)


def _usual_seconds(soak: Soak, mode: str) -> float:
    shutil.rmtree(soak.cache, ignore_errors=True)
    began = time.monotonic()
    actor = soak.actor(mode)
    _, errors = actor.communicate()
    if actor.returncode != 0:
        soak.fault(f"{mode}, undisturbed", errors[-2_000:])
    return time.monotonic() - began


def _killed(soak: Soak, mode: str, seconds: float, what: str) -> None:
    actor = soak.actor(mode)
    try:
        actor.wait(seconds)
        soak.counts["ended before it was killed"] += 1
    except subprocess.TimeoutExpired:
        family = descendants(actor.pid)
        soak.counts["killed with children at work" if len(family) > 1 else "killed"] += 1
        actor.kill()
        left = _still_there(family)
        if left:
            soak.fault(f"{what}: processes are left over", left)
    _, errors = actor.communicate()
    if actor.returncode not in (0, -signal.SIGKILL):
        soak.fault(f"{what}: it failed by itself", errors[-2_000:])


def _still_there(family: list[int], patience_seconds: float = 5.0) -> list[str]:
    """Commands of those that have not ended a few seconds later."""
    deadline = time.monotonic() + patience_seconds
    while (left := [told for pid in family if (told := _command(pid))]) and time.monotonic() < deadline:
        time.sleep(0.02)
    return left


def _command(pid: int) -> str:
    """Empty for a process that has ended, waited for or not."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
    except OSError:
        return ""


def damage(soak: Soak, asked: argparse.Namespace) -> None:
    """Random bytes of the index file change: it is found out and built anew, or it does not matter."""
    fresh = soak.fresh()
    soak.compare("before any damage", fresh)
    for _ in range(3):
        # Several segments and loose contents, as an index has after a while.
        edit_many(soak.tree, soak.chance, 140)
        soak.asked()
    edit_many(soak.tree, soak.chance, 20)
    fresh = soak.fresh()
    soak.compare("before any damage", fresh)
    good = soak.index_file()
    if good is None:
        sys.exit("there is no index file to damage")
    whole = good.read_bytes()
    for number in range(asked.rounds):
        kind = soak.chance.choice(tuple(DAMAGES))
        what = f"round {number}, {kind}"
        good.write_bytes(DAMAGES[kind](whole, soak.chance))
        soak.counts[f"{kind}: {_answer_after(soak, what, fresh, kind in WITHIN_ROWS)}"] += 1
        soak.check_leftovers(what)
        good.write_bytes(whole)
        for ending in INDEX_FILES[1:]:
            good.with_name(good.stem + ending).unlink(missing_ok=True)
        _progress(number, asked.rounds)
    believed = sum(count for name, count in soak.counts.items() if name.endswith(": wrong"))
    if believed > MOST_BELIEVED * asked.rounds:
        soak.fault(f"{believed} of {asked.rounds} damaged files were believed", "")


def _answer_after(soak: Soak, what: str, fresh: Said, may_be_believed: bool = False) -> str:
    """Right at once, or right after the damage was told; else a fault, or the one word `wrong`."""
    try:
        found = differences(soak.asked(), fresh)
        told = "right"
    except IndexDamaged:
        found = differences(soak.asked(), fresh)
        told = "told, then right"
    except Exception as error:  # noqa: BLE001  (whatever it is, it is what this looks for)
        soak.fault(f"{what}: {type(error).__name__}", "".join(traceback.format_exception(error, limit=-4)))
        return type(error).__name__
    if found and not may_be_believed:
        soak.fault(f"{what}: a wrong answer", found)
    return "wrong" if found else told


def _flipped(data: bytes, chance: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(chance.choice((1, 1, 4, 40))):
        changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
    return bytes(changed)


def _cut_off(data: bytes, chance: random.Random) -> bytes:
    return data[: chance.randrange(len(data))]


def _overwritten(data: bytes, chance: random.Random) -> bytes:
    at, size = chance.randrange(len(data)), chance.choice((16, 512, 4_096, 65_536))
    piece = chance.choice((bytes(size), chance.randbytes(size)))
    return (data[:at] + piece + data[at + size :])[: len(data)]


def _page_moved(data: bytes, chance: random.Random) -> bytes:
    """A page holds what another one held: what a file system may leave after a power cut."""
    page = 4_096
    source, target = chance.randrange(len(data) // page) * page, chance.randrange(len(data) // page) * page
    return data[:target] + data[source : source + page] + data[target + page :]


def _garbage(data: bytes, chance: random.Random) -> bytes:
    return chance.randbytes(chance.choice((0, 1, 100, 5_000)))


DAMAGES = {
    "bits flipped": _flipped,
    "cut off": _cut_off,
    "overwritten": _overwritten,
    "page moved": _page_moved,
    "garbage": _garbage,
}
# Rows are sealed one by one, so a row that is lost where a page holds another one may go unnoticed.
WITHIN_ROWS = ("bits flipped", "overwritten", "page moved")
MOST_BELIEVED = 0.02


def full(soak: Soak, asked: argparse.Namespace) -> None:
    """The disk ends at random places, and the cache folder can't be written at all: answers stay right."""
    soak.asked()
    largest = sum(path.stat().st_size for path in (soak.cache / "index").iterdir())
    for number in range(asked.rounds):
        cold = soak.chance.random() < 0.5
        what = f"round {number}, {'cold' if cold else 'update'}"
        if cold:
            shutil.rmtree(soak.cache)
        edit_many(soak.tree, soak.chance, 140)
        fresh = soak.fresh()
        with _file_limit(soak.chance.randrange(int(4 * largest))):
            soak.counts[f"disk full: {_answer_after(soak, what, fresh)}"] += 1
            _refreshed(soak, what)
        soak.compare(f"{what}, room again", soak.fresh())
        soak.check_files(what)
        _progress(number, asked.rounds)
    _unwritable(soak)


@contextmanager
def _file_limit(size: int) -> Iterator[None]:
    """No file of this process may grow past so many bytes: writing more fails as on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def _refreshed(soak: Soak, what: str) -> None:
    """A refresh of an open index on a full disk. The edit itself must fit: files of the tree are small."""
    try:
        with RepositoryIndex.open(soak.tree, cache_dir=soak.cache) as index:
            path = trees.sample(soak.tree, 1, seed=soak.chance.randrange(10**9))[0]
            data = (soak.tree / path).read_bytes()
            with _file_limit(resource.RLIM_INFINITY):
                (soak.tree / path).write_bytes(data + b"\nONLY_AFTER_REFRESH = 1\n")
            after = index.refresh()
            if "ONLY_AFTER_REFRESH" not in {symbol.name for symbol in after.symbols(path)}:
                soak.fault(f"{what}: a refresh did not see an edit", path)
    except Exception as error:  # noqa: BLE001  (whatever it is, it is what this looks for)
        soak.fault(f"{what}: refresh: {type(error).__name__}", "".join(traceback.format_exception(error, limit=-4)))


def _unwritable(soak: Soak) -> None:
    """A file stands where the cache folder should be; and a folder that may be read only."""
    fresh = soak.fresh()
    blocked = soak.folder / "blocked"
    blocked.write_text("not a folder", encoding="utf-8")
    _in_memory(soak, "a file is in the way", blocked / "cache", fresh)
    if os.geteuid() != 0:
        closed = soak.folder / "closed"
        closed.mkdir(mode=0o500)
        _in_memory(soak, "a folder that may only be read", closed / "cache", fresh)


def _in_memory(soak: Soak, what: str, cache: Path, fresh: Said) -> None:
    with RepositoryIndex.open(soak.tree, cache_dir=cache) as index:
        found = differences(said_by(index), fresh)
        if found:
            soak.fault(f"{what}: a wrong answer", found)
        if not index.warnings:
            soak.fault(f"{what}: no warning", "")
    soak.counts[f"{what}: kept in memory"] += 1


def _progress(number: int, rounds: int) -> None:
    if (number + 1) % 20 == 0:
        print(f"  {number + 1} of {rounds}", file=sys.stderr, flush=True)


KINDS = {"hammer": hammer, "kill": kill, "damage": damage, "full": full}


def run(kind: str, asked: argparse.Namespace) -> list[str]:
    with tempfile.TemporaryDirectory(dir=asked.work) as place:
        folder = Path(place)
        tree = (
            trees.named(asked.tree).copy(folder / "tree") if asked.tree else repository_of(folder / "tree", asked.files)
        )
        soak = Soak(folder=folder, tree=tree, chance=random.Random(asked.seed))
        began = time.monotonic()
        KINDS[kind](soak, asked)
        print(f"{kind}: {time.monotonic() - began:.0f} s, seed {asked.seed}, {len(soak.wrong)} wrong")
        for name, count in sorted(soak.counts.items()):
            print(f"    {count:>6}  {name}")
    return soak.wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=(*KINDS, "all"))
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--files", type=int, default=300)
    parser.add_argument("--tree", type=Path)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--work", type=lambda text: Path(text).absolute())
    asked = parser.parse_args()
    kinds = tuple(KINDS) if asked.kind == "all" else (asked.kind,)
    return int(bool([each for kind in kinds for each in run(kind, asked)]))


if __name__ == "__main__":
    sys.exit(main())
