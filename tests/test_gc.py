"""Cleaning up after dead runs: everything of theirs goes, nothing of anybody else's does."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path

import pytest
from agenvantage.context.errors import CannotProceed
from agenvantage.runner.gc import GcReport, NotOurFolder, collect, remove_folder, size_of
from agenvantage.runner.journal import Journal, JournalRecord, JournalUnreadable, read, write
from agenvantage.runner.remains import ProcessId

from .process_kit import DAEMON, STUBBORN, alive, cleaned, eventually, script


@dataclass
class Ground:
    """A state and a data folder, and what gc told its caller."""

    state: Path
    data: Path
    interrupted: list[str] = field(default_factory=list)
    forgotten: list[str] = field(default_factory=list)
    fault: Exception | None = None

    def folder(self, run_id: str) -> Path:
        return self.state / "runs" / run_id

    def interrupt(self, record: JournalRecord) -> None:
        self.interrupted.append(record.run_id)
        if self.fault is not None:
            raise self.fault

    def dead(self, run_id: str, **changes: object) -> Path:
        """A run whose runner is gone, with a tree of one file."""
        folder = self.folder(run_id)
        data = self.data / "runs" / f"{run_id}.partial"
        with Journal.open(folder, run_id=run_id, tree=folder / "tree", data=data, started=time.time_ns()) as journal:
            (folder / "tree").mkdir()
            (folder / "tree" / "file").write_text("work")
            gone = ProcessId(pid=journal.record.runner.pid, created=1.0)
            write(replace(journal.record, runner=gone, **changes))  # type: ignore[arg-type]
        return folder

    def sealed(self, run_id: str, *, hours_old: float) -> Path:
        folder = self.data / "runs" / run_id
        folder.mkdir(parents=True)
        (folder / "result.json").write_text("{}")
        then = time.time() - hours_old * 3600
        os.utime(folder / "result.json", (then, then))
        return folder

    def collect(self, **choices: object) -> GcReport:
        return collect(
            self.state,
            self.data,
            interrupt=self.interrupt,
            remove=remove_folder,
            forget=self.forgotten.append,
            **choices,  # type: ignore[arg-type]
        )


@pytest.fixture
def ground(tmp_path: Path) -> Ground:
    return Ground(state=tmp_path / "state", data=tmp_path / "data")


@pytest.fixture
def tag(tmp_path: Path) -> Iterator[str]:
    with cleaned(f"tag-{os.getpid()}-{tmp_path.name}") as name:
        yield name


def test_with_nothing_there_is_nothing_to_do(ground: Ground) -> None:
    assert ground.collect(older=timedelta(0)) == GcReport(dry_run=False)


def test_a_dead_run_is_interrupted_and_removed(ground: Ground) -> None:
    folder = ground.dead("r1")
    report = ground.collect()
    assert (report.reaped, report.trees, report.locks, report.kept) == (("r1",), (str(folder / "tree"),), 1, ())
    assert report.bytes_freed >= 4096
    assert ground.interrupted == ["r1"]
    assert not folder.exists()


def test_a_second_collection_finds_nothing(ground: Ground) -> None:
    ground.dead("r1")
    ground.collect()
    assert ground.collect() == GcReport(dry_run=False)


def test_a_living_run_is_left_alone(ground: Ground) -> None:
    folder = ground.folder("r1")
    with Journal.open(folder, run_id="r1", tree=folder / "tree", data=folder, started=1):
        assert ground.collect(force=True, older=timedelta(0)) == GcReport(dry_run=False)
        assert read(folder).run_id == "r1"


def test_a_run_whose_lock_is_held_is_left_alone_whatever_its_journal_says(ground: Ground) -> None:
    folder = ground.folder("r1")
    with Journal.open(folder, run_id="r1", tree=folder / "tree", data=folder, started=1) as journal:
        write(replace(journal.record, runner=ProcessId(pid=1 << 22, created=1.0)))
        assert ground.collect() == GcReport(dry_run=False)
    assert folder.exists()


def test_a_rehearsal_changes_nothing_and_says_what_would_be(ground: Ground) -> None:
    folder = ground.dead("r1")
    sealed = ground.sealed("r0", hours_old=48)
    report = ground.collect(dry_run=True, older=timedelta(hours=1))
    assert (report.dry_run, report.reaped, report.folders) == (True, ("r1",), (str(sealed),))
    assert (folder / "tree" / "file").exists()
    assert sealed.exists()
    assert (ground.interrupted, ground.forgotten) == ([], [])


def test_a_tree_whose_work_could_not_be_saved_stays(ground: Ground) -> None:
    folder = ground.dead("r1")
    ground.fault = CannotProceed("the disk is full")
    report = ground.collect()
    assert (report.reaped, report.trees) == ((), ())
    assert report.kept[0].path == str(folder / "tree")
    assert "the disk is full" in report.kept[0].reason
    assert (folder / "tree" / "file").exists()


def test_a_tree_that_holds_uncaptured_work_stays_and_is_interrupted_once(ground: Ground) -> None:
    folder = ground.dead("r1", keep=True)
    assert ground.collect().reaped == ("r1",)
    report = ground.collect()
    assert (report.reaped, ground.interrupted) == ((), ["r1"])
    assert "--force" in report.kept[0].reason
    assert (folder / "tree" / "file").exists()


def test_force_removes_what_was_kept(ground: Ground) -> None:
    folder = ground.dead("r1", keep=True, phase="kept")
    ground.collect(force=True)
    assert not folder.exists()
    assert ground.interrupted == []


def test_a_folder_without_our_journal_is_not_touched(ground: Ground) -> None:
    folder = ground.folder("strange")
    folder.mkdir(parents=True)
    (folder / "thesis.txt").write_text("years of work")
    report = ground.collect(force=True)
    assert report.kept[0].path == str(folder)
    assert (folder / "thesis.txt").exists()


def test_a_folder_that_died_before_its_first_record_goes_when_it_is_old(ground: Ground) -> None:
    folder = ground.folder("stillborn")
    folder.mkdir(parents=True)
    (folder / "lock").touch()
    assert ground.collect().locks == 0
    os.utime(folder, (1, 1))
    assert ground.collect().locks == 1
    assert not folder.exists()


def test_a_link_among_the_runs_is_not_followed(ground: Ground, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "file").touch()
    (ground.state / "runs").mkdir(parents=True)
    ground.folder("link").symlink_to(outside)
    assert ground.collect(force=True) == GcReport(dry_run=False)
    assert (outside / "file").exists()


def test_a_link_in_a_tree_is_removed_and_its_target_stays(ground: Ground, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "file").touch()
    folder = ground.dead("r1")
    (folder / "tree" / "link").symlink_to(outside)
    (folder / "home").symlink_to(outside)
    ground.collect()
    assert not folder.exists()
    assert (outside / "file").exists()


def test_read_only_folders_go_too(ground: Ground) -> None:
    folder = ground.dead("r1")
    cache = folder / "home" / "go" / "pkg"
    cache.mkdir(parents=True)
    (cache / "file").touch()
    cache.chmod(0o500)
    cache.parent.chmod(0o500)
    ground.collect()
    assert not folder.exists()


def test_a_folder_named_unlike_its_journal_is_refused(ground: Ground) -> None:
    moved = ground.dead("r1").rename(ground.folder("r2"))
    with pytest.raises(NotOurFolder):
        remove_folder(moved)
    assert (moved / "tree" / "file").exists()


def test_a_folder_without_journal_is_not_removed(tmp_path: Path) -> None:
    with pytest.raises(JournalUnreadable):
        remove_folder(tmp_path)


# Sealed run folders


def test_sealed_folders_stay_unless_asked_for(ground: Ground) -> None:
    sealed = ground.sealed("r1", hours_old=10_000)
    ground.collect()
    assert sealed.exists()


def test_only_what_was_sealed_longer_ago_goes_and_is_forgotten(ground: Ground) -> None:
    old, young = ground.sealed("old", hours_old=30), ground.sealed("young", hours_old=1)
    report = ground.collect(older=timedelta(hours=24))
    assert report.folders == (str(old),)
    assert ground.forgotten == ["old"]
    assert (old.exists(), young.exists()) == (False, True)


def test_older_than_nothing_is_all(ground: Ground) -> None:
    ground.sealed("r1", hours_old=0)
    assert len(ground.collect(older=timedelta(0)).folders) == 1


def test_a_folder_that_is_no_run_folder_stays(ground: Ground) -> None:
    other = ground.data / "runs" / "photos"
    other.mkdir(parents=True)
    (other / "cat.jpg").touch()
    assert ground.collect(older=timedelta(0)).kept[0].path == str(other)
    assert (other / "cat.jpg").exists()


def test_what_a_living_run_is_writing_stays(ground: Ground) -> None:
    folder, partial = ground.folder("r1"), ground.data / "runs" / "r1.partial"
    partial.mkdir(parents=True)
    with Journal.open(folder, run_id="r1", tree=folder / "tree", data=partial, started=1):
        ground.collect(older=timedelta(0))
    assert partial.exists()


def test_a_file_with_two_names_takes_its_space_once(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x" * 100_000)
    alone = size_of(tmp_path)
    os.link(tmp_path / "a", tmp_path / "b")
    assert size_of(tmp_path) == alone


# After a KILL

RUNNER = """
import os, sys, time
from pathlib import Path
from agenvantage.runner.journal import Journal
from agenvantage.runner.process import ProcessSpec, start
state, data, tag = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
folder = state / "runs" / tag
partial = data / "runs" / (tag + ".partial")
journal = Journal.open(folder, run_id=tag, tree=folder / "tree", data=partial, started=time.time_ns())
(folder / "tree").mkdir()
running = start(ProcessSpec(
    argv=(sys.executable, str(state / "agent.py"), tag), cwd=folder / "tree", environment={"PATH": os.environ["PATH"]},
    stdout=folder / "stdout", stderr=folder / "stderr", marker=tag, record=folder / "processes.json",
))
journal.update(phase="agent", supervisor=running.supervisor, agent=running.process)
time.sleep(600)
"""

AGENT = f"""
import signal, subprocess, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
subprocess.Popen([sys.executable, '-c', {STUBBORN!r}, sys.argv[1]], start_new_session=True)
subprocess.run([sys.executable, '-c', {DAEMON!r}, sys.argv[1]])
print('ready', flush=True)
time.sleep(600)
"""


@pytest.fixture
def runner(ground: Ground, tag: str) -> Iterator[subprocess.Popen[bytes]]:
    """A run in a process of its own, with an agent that leaves a daemon."""
    ground.state.mkdir()
    script(ground.state, "agent.py", AGENT)
    command = (sys.executable, "-c", RUNNER, str(ground.state), str(ground.data), tag)
    with subprocess.Popen(command, cwd="/") as started:
        output = ground.folder(tag) / "stdout"
        try:
            assert eventually(lambda: output.exists() and b"ready" in output.read_bytes() and len(alive(tag)) == 4)
            yield started
        finally:
            started.kill()


def test_after_a_kill_of_the_runner_nothing_is_left(ground: Ground, runner: subprocess.Popen[bytes], tag: str) -> None:
    runner.send_signal(signal.SIGKILL)
    runner.wait()
    report = ground.collect()
    assert (report.reaped, ground.interrupted) == ((tag,), [tag])
    assert alive(tag) == []
    assert list((ground.state / "runs").iterdir()) == []


def test_after_a_kill_of_runner_and_supervisor_nothing_is_left(
    ground: Ground, runner: subprocess.Popen[bytes], tag: str
) -> None:
    def watched() -> int | None:
        supervisor = read(ground.folder(tag)).supervisor
        return supervisor and supervisor.pid

    assert eventually(lambda: watched() is not None)
    time.sleep(1.1)  # two snapshots
    os.kill(watched() or 0, signal.SIGKILL)
    runner.send_signal(signal.SIGKILL)
    runner.wait()
    assert eventually(lambda: len(alive(tag)) == 2)
    report = ground.collect()
    assert report.processes == 2
    assert alive(tag) == []
    assert list((ground.state / "runs").iterdir()) == []


def test_a_rehearsal_after_a_kill_ends_no_process(ground: Ground, tag: str) -> None:
    folder = ground.dead(tag)
    with subprocess.Popen(("sleep", "60"), cwd=folder / "tree", env={}) as survivor:
        assert ground.collect(dry_run=True).processes == 1
        assert survivor.poll() is None
        assert ground.collect().processes == 1
        assert survivor.wait(5) == -signal.SIGTERM
