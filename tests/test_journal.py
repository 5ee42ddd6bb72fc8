"""The journal of a living run: whole at any moment, locked while it lives, read back after a crash."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from agenvantage.runner.journal import (
    JOURNAL_NAME,
    Journal,
    JournalUnreadable,
    RunFolderInUse,
    alive,
    locked,
    read,
    write,
)
from agenvantage.runner.remains import ProcessId


def opened(folder: Path, **changes: object) -> Journal:
    given: dict[str, object] = {
        "run_id": folder.name,
        "tree": folder / "tree",
        "data": folder.parent / "data.partial",
        "started": 1_700_000_000_000_000_000,
    }
    return Journal.open(folder, **{**given, **changes})  # type: ignore[arg-type]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "runs" / "r1"


def test_what_was_written_is_read_back(folder: Path) -> None:
    with opened(folder, repository="/some/repo") as journal:
        assert read(folder) == journal.record
        assert (journal.record.run_id, journal.record.phase, journal.record.runner.pid) == ("r1", "start", os.getpid())


def test_an_update_changes_only_what_it_names(folder: Path) -> None:
    with opened(folder) as journal:
        agent = ProcessId(pid=4711, created=1.5)
        journal.update(phase="agent", agent=agent)
        journal.update(keep=True)
        record = read(folder)
    assert (record.phase, record.agent, record.keep, record.supervisor) == ("agent", agent, True, None)


def test_folder_and_journal_are_private(folder: Path) -> None:
    with opened(folder):
        assert folder.stat().st_mode & 0o777 == 0o700
        assert {path.stat().st_mode & 0o777 for path in folder.iterdir()} == {0o600}


def test_a_folder_is_never_used_twice(folder: Path) -> None:
    folder.mkdir(parents=True)
    (folder / "junk").touch()
    with pytest.raises(RunFolderInUse):
        opened(folder)
    assert [path.name for path in folder.iterdir()] == ["junk"]


def test_no_half_written_journal_is_ever_seen(folder: Path) -> None:
    with opened(folder) as journal:
        before = (folder / JOURNAL_NAME).stat().st_ino
        journal.update(phase="agent")
        assert (folder / JOURNAL_NAME).stat().st_ino != before
        assert sorted(path.name for path in folder.iterdir()) == ["journal.json", "lock"]


def test_paths_that_are_not_utf8_survive(folder: Path) -> None:
    odd = Path(os.fsdecode(b"/tree-\xff"))
    with opened(folder, tree=odd):
        assert read(folder).tree == str(odd)


def test_the_lock_is_held_while_the_journal_is_open(folder: Path) -> None:
    with opened(folder), locked(folder) as ours:
        assert not ours
    with locked(folder) as ours:
        assert ours


def test_the_lock_of_a_folder_that_is_gone_is_nobodys(folder: Path) -> None:
    with locked(folder) as ours:
        assert not ours


def test_children_do_not_inherit_the_lock(folder: Path) -> None:
    journal = opened(folder)
    with subprocess.Popen(("sleep", "60"), close_fds=False) as child:
        journal.close()
        with locked(folder) as ours:
            assert ours
        child.kill()


def test_our_own_run_is_alive(folder: Path) -> None:
    with opened(folder) as journal:
        assert alive(journal.record)


def test_a_later_process_with_the_runners_number_is_not_the_runner(folder: Path) -> None:
    with opened(folder) as journal:
        assert not alive(replace(journal.record, runner=ProcessId(pid=os.getpid(), created=1.0)))


def test_the_run_of_a_killed_runner_is_dead_and_its_lock_free(folder: Path) -> None:
    code = """import sys, time
from pathlib import Path
from agenvantage.runner.journal import Journal
folder = Path(sys.argv[1])
journal = Journal.open(folder, run_id=folder.name, tree=folder / "tree", data=folder / "data", started=1)
print("open", flush=True)
time.sleep(60)"""
    with subprocess.Popen((sys.executable, "-c", code, str(folder)), stdout=subprocess.PIPE, cwd="/") as runner:
        assert runner.stdout is not None
        runner.stdout.readline()
        assert alive(read(folder))
        runner.send_signal(signal.SIGKILL)
    assert not alive(read(folder))
    with locked(folder) as ours:
        assert ours


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "{}", '{"schema": "other/9"}', '{"schema": "agenvantage.journal/1"}', "\0"]
)
def test_what_is_no_journal_is_refused(folder: Path, text: str) -> None:
    folder.mkdir(parents=True)
    (folder / JOURNAL_NAME).write_text(text)
    with pytest.raises(JournalUnreadable):
        read(folder)


def test_a_field_from_a_later_version_is_refused_not_dropped(folder: Path) -> None:
    with opened(folder) as journal:
        write(journal.record)
        document = json.loads((folder / JOURNAL_NAME).read_bytes())
        (folder / JOURNAL_NAME).write_text(json.dumps({**document, "news": 1}))
        with pytest.raises(JournalUnreadable):
            read(folder)
