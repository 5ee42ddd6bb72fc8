"""A tree is followed as it changes: which events count, which folders are watched, and what happens without events."""

from __future__ import annotations

import json
import queue
import shutil
import signal
import subprocess
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

import psutil
import pytest
from agenvantage.context.errors import GitFailed
from agenvantage.context.git import discover
from agenvantage.context.index import RepositoryIndex
from agenvantage.context.watching import Burst, TreeLost, Watch, by_system, eventless, refreshed
from conftest import RealRepository, make_repository
from run_kit import COMMAND

ADDED, CHANGED, GONE = 1, 2, 3
PATIENCE_SECONDS = 30


class Script:
    """Events that a test wrote: for each time that folders are watched, the bursts that come then."""

    def __init__(self, *watches: Sequence[Burst] | Exception) -> None:
        self.watches = list(watches)
        self.folders: list[set[str]] = []

    def __call__(self, folders: Sequence[Path]) -> Iterator[Burst]:
        self.folders.append({str(folder) for folder in folders})
        bursts = self.watches.pop(0) if self.watches else KeyboardInterrupt()
        if isinstance(bursts, BaseException):
            raise bursts
        yield set()
        yield from bursts


def looks(repository: RealRepository, *watches: Sequence[Burst] | Exception) -> tuple[int, Script]:
    """How often the tree was looked at after the first time, and what was watched."""
    script = Script(*watches)
    watch = Watch([discover(repository.path)], events=script, pause=no_pause)
    found = 0
    with pytest.raises(KeyboardInterrupt):
        for _ in watch.looks():
            found += 1
    return found - len([each for each in script.folders if each][: len(watches)]), script


def no_pause(_seconds: float) -> None:
    raise KeyboardInterrupt


def at(repository: RealRepository, *paths: str, kind: int = CHANGED) -> Burst:
    return {(kind, repository.path / path) for path in paths}


def test_a_change_is_worth_a_look(repository):
    assert looks(repository, [at(repository, "calc.py")])[0] == 1


def test_several_changes_of_one_burst_are_worth_one(repository):
    assert looks(repository, [at(repository, "calc.py", "test_calc.py", "new.py")])[0] == 1


def test_a_new_file_is_worth_a_look(repository):
    assert looks(repository, [at(repository, "fresh.py", kind=ADDED)])[0] == 1


def test_an_ignored_file_is_worth_none(repository):
    repository.write(".gitignore", "*.log\n")
    assert looks(repository, [at(repository, "noise.log")])[0] == 0


def test_an_ignored_file_that_is_tracked_is_worth_a_look(repository):
    repository.write("kept.log", "x\n")
    repository.commit()
    repository.write(".gitignore", "*.log\n")
    assert looks(repository, [at(repository, "kept.log")])[0] == 1


def test_a_file_that_is_no_longer_ignored_counts(repository):
    repository.write(".gitignore", "*.log\n")

    def events(_folders: Sequence[Path]) -> Iterator[Burst]:
        yield at(repository, "noise.log")
        repository.write(".gitignore", "\n")
        yield at(repository, ".gitignore")
        yield at(repository, "noise.log")

    watch = Watch([discover(repository.path)], events=events)
    assert len(list(islice(watch.looks(), 3))) == 3


@pytest.mark.parametrize("name", ["HEAD", "index", "packed-refs", "refs/heads/main", "logs/HEAD", "info/exclude"])
def test_what_git_notes_of_the_checkout_is_worth_a_look(repository, name):
    assert looks(repository, [at(repository, f".git/{name}")])[0] == 1


@pytest.mark.parametrize("name", ["index.lock", "refs/heads/main.lock", "COMMIT_EDITMSG", "objects/ab", "FETCH_HEAD"])
def test_what_else_git_does_in_its_own_folder_is_worth_none(repository, name):
    assert looks(repository, [at(repository, f".git/{name}")])[0] == 0


def test_after_a_minute_without_events_the_tree_is_looked_at_all_the_same(repository):
    assert looks(repository, [set()] * 59)[0] == 0
    assert looks(repository, [set()] * 61)[0] == 1


def test_ignored_folders_are_not_watched(repository):
    repository.write(".gitignore", "node_modules/\n")
    repository.write("node_modules/a/b.js", "x\n")
    repository.write("src/a.js", "x\n")
    _, script = looks(repository, [])
    assert str(repository.path / "src") in script.folders[0]
    assert not any(folder.endswith(("node_modules", "node_modules/a")) for folder in script.folders[0])


def test_a_folder_of_which_only_the_files_are_ignored_is_watched(repository):
    repository.write(".gitignore", "*.log\n")
    repository.write("logs/a.log", "x\n")
    assert str(repository.path / "logs") in looks(repository, [])[1].folders[0]


def test_gits_objects_are_not_watched(repository):
    objects = str(repository.path / ".git" / "objects")
    assert not any(folder.startswith(objects) for folder in looks(repository, [])[1].folders[0])


def test_a_repository_within_the_tree_is_not_watched(repository):
    make_repository(repository.path / "inner")
    assert str(repository.path / "inner") not in looks(repository, [])[1].folders[0]


def test_a_new_folder_is_watched_too(repository):
    repository.write("fresh/deep/a.py", "x = 1\n")
    shutil.rmtree(repository.path / "fresh")

    def events(folders: Sequence[Path]) -> Iterator[Burst]:
        watched.append({str(folder) for folder in folders})
        yield set()
        repository.write("fresh/deep/a.py", "x = 1\n")
        yield at(repository, "fresh", kind=ADDED)

    watched: list[set[str]] = []
    for _ in islice(Watch([discover(repository.path)], events=events).looks(), 3):
        pass
    assert watched[1] - watched[0] == {str(repository.path / "fresh"), str(repository.path / "fresh" / "deep")}


def test_a_folder_that_was_made_again_gets_a_new_watch(repository):
    repository.write("src/a.py", "x = 1\n")
    _, script = looks(repository, [at(repository, "src", kind=ADDED)], [])
    assert len(script.folders) == 3  # at first, for the folder, and once more when the second watch ended


def test_a_change_within_a_watched_folder_needs_no_new_watch(repository):
    repository.write("src/a.py", "x = 1\n")
    script = Script([at(repository, "src"), at(repository, "src/a.py")])
    watch = Watch([discover(repository.path)], events=script, pause=no_pause)
    assert len(list(islice(watch.looks(), 3))) == 3
    assert len(script.folders) == 1


def test_a_new_ignored_folder_needs_no_new_watch(repository):
    repository.write(".gitignore", "target/\n")
    repository.write("target/a.o", "x")
    script = Script([at(repository, "target", kind=ADDED), at(repository, "calc.py")])
    watch = Watch([discover(repository.path)], events=script, pause=no_pause)
    assert len(list(islice(watch.looks(), 2))) == 2
    assert len(script.folders) == 1


def test_a_linked_work_tree_is_watched_where_its_state_is(repository, tmp_path):
    repository.git("worktree", "add", "-q", str(tmp_path / "linked"), "-b", "side")
    script = Script([])
    with pytest.raises(KeyboardInterrupt):
        list(Watch([discover(tmp_path / "linked")], events=script, pause=no_pause).looks())
    assert {str(tmp_path / "linked"), str(repository.path / ".git" / "worktrees" / "linked")} <= script.folders[0]


def test_of_several_trees_the_one_that_changed_is_named(repository, tmp_path):
    other = make_repository(tmp_path / "other")
    script = Script([at(other, "x.py")])
    watch = Watch([discover(repository.path), discover(other.path)], events=script, pause=no_pause)
    assert list(islice(watch.looks(), 2))[1] == {other.path}


def test_where_the_system_refuses_the_tree_is_looked_at_by_the_clock(repository):
    watch = Watch(
        [discover(repository.path)], events=Script(OSError("OS file watch limit reached.")), pause=pause_never
    )
    assert len(list(islice(watch.looks(), 3))) == 3
    assert watch.polling == "the system does not let its folders be watched: OS file watch limit reached"


def pause_never(_seconds: float) -> None:
    pass


def test_a_fault_within_the_watcher_is_answered_in_the_same_way(repository):
    watch = Watch([discover(repository.path)], events=Script(RuntimeError("Too many open files")), pause=pause_never)
    next(watch.looks())
    assert watch.polling is not None and "Too many open files" in watch.polling


def test_a_folder_that_vanished_before_it_was_watched_is_no_reason_to_give_up(repository):
    script = Script(FileNotFoundError("gone"), [])
    watch = Watch([discover(repository.path)], events=script, pause=no_pause)
    next(watch.looks())
    assert watch.polling is None


def test_a_tree_that_is_gone_is_told(repository):
    watch = Watch([discover(repository.path)], events=Script([at(repository, "calc.py")] * 2), pause=no_pause)
    found = watch.looks()
    next(found)
    shutil.rmtree(repository.path)
    with pytest.raises(TreeLost):
        next(found)


def test_another_folder_in_its_place_is_not_taken_for_the_tree(repository, tmp_path):
    watch = Watch([discover(repository.path)], events=Script([]), pause=no_pause)
    repository.path.rename(tmp_path / "elsewhere")
    make_repository(repository.path)
    with pytest.raises(TreeLost):
        next(watch.looks())


def test_a_tree_without_its_git_folder_is_lost(repository):
    watch = Watch([discover(repository.path)], events=Script([]), pause=no_pause)
    shutil.rmtree(repository.path / ".git")
    with pytest.raises(TreeLost):
        watch.still_there()


MOUNTS = r"""22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
40 22 0:35 / /net/home rw,relatime shared:9 - nfs4 server:/home rw,vers=4.2
41 40 8:2 / /net/home/fast rw,relatime - ext4 /dev/sdb1 rw
42 22 0:36 / /mnt/my\040share rw - 9p drvfs rw
"""


@pytest.mark.parametrize(
    ("folder", "kind"),
    [("/home/x", None), ("/net/home/x", "nfs4"), ("/net/home/fast/x", None), ("/mnt/my share/x", "9p")],
)
def test_a_file_system_without_events_is_known_by_its_kind(tmp_path, folder, kind):
    mounts = tmp_path / "mountinfo"
    mounts.write_text(MOUNTS)
    assert eventless(Path(folder), mounts) == kind


def test_where_mounts_are_not_listed_events_are_expected(tmp_path):
    assert eventless(Path("/x"), tmp_path / "nothing") is None


# What a look finds


def test_a_look_tells_changed_added_and_removed_files(repository):
    with RepositoryIndex.open(repository.path) as index:
        repository.write("calc.py", "def add(): ...\n")
        repository.write("new.py", "x = 1\n")
        (repository.path / "test_calc.py").unlink()
        found = refreshed(index, Watch([index.repository]))
        assert (found.changed, found.added, found.removed) == (("calc.py",), ("new.py",), ("test_calc.py",))
        assert found.index.parsed == ("calc.py", "new.py")


def test_a_look_tells_of_a_commit_that_changes_no_file(repository):
    with RepositoryIndex.open(repository.path) as index:
        repository.commit("nothing new")
        found = refreshed(index, Watch([index.repository]))
        assert found.moved and not found.changed


def test_a_look_at_an_unchanged_tree_finds_nothing(repository):
    with RepositoryIndex.open(repository.path) as index:
        assert not refreshed(index, Watch([index.repository])).anything


def test_a_file_that_is_only_staged_did_not_change(repository):
    repository.write("calc.py", "def add(): ...\n")
    with RepositoryIndex.open(repository.path) as index:
        repository.git("add", "calc.py")
        assert not refreshed(index, Watch([index.repository])).anything


def test_git_that_stumbles_once_is_asked_again(repository):
    class Stumbling(RepositoryIndex):
        stumbled = False

        def refresh(self):
            if not self.stumbled:
                Stumbling.stumbled = True
                raise GitFailed(("status",), 128, "index file smaller than expected")
            return super().refresh()

    with RepositoryIndex.open(repository.path) as index:
        index.__class__ = Stumbling
        assert not refreshed(index, Watch([index.repository])).anything


# By the real system


def test_the_system_tells_of_a_change(repository):
    bursts = by_system()([repository.path])
    assert next(bursts) == set()
    repository.write("calc.py", "x = 1\n")
    seen = {path for burst in islice(bursts, 2) for _, path in burst}
    bursts.close()
    assert repository.path / "calc.py" in seen


def test_the_indexs_own_reading_is_no_change(repository):
    with RepositoryIndex.open(repository.path) as index:
        bursts = by_system()([repository.path, repository.path / ".git"])
        next(bursts)
        index.refresh()
        assert next(bursts) == set()
        bursts.close()


class Follower:
    """`agenvantage index --watch --json` in a process of its own."""

    def __init__(self, folder: Path, *before: str) -> None:
        self.process = subprocess.Popen(
            (*before, *COMMAND, "index", "--watch", "--json", "--repo", str(folder)),
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        self.lines: queue.Queue[str] = queue.Queue()
        assert self.process.stdout is not None
        self.reader = threading.Thread(
            target=lambda out: [self.lines.put(line) for line in out], args=(self.process.stdout,)
        )
        self.reader.start()

    def said(self) -> dict[str, Any]:
        document: dict[str, Any] = json.loads(self.lines.get(timeout=PATIENCE_SECONDS))
        return document

    def ended(self) -> tuple[int, str]:
        code = self.process.wait(PATIENCE_SECONDS)
        assert self.process.stderr is not None
        return code, self.process.stderr.read()


@contextmanager
def following(folder: Path, *before: str) -> Iterator[Follower]:
    follower = Follower(folder, *before)
    try:
        yield follower
    finally:
        follower.process.kill()
        follower.process.wait()
        follower.reader.join()
        for stream in (follower.process.stdout, follower.process.stderr):
            stream.close()


def test_the_first_line_is_the_index(repository):
    with following(repository.path) as follower:
        assert follower.said()["schema"] == "agenvantage.index/1"


def test_each_change_is_one_line(repository):
    with following(repository.path) as follower:
        follower.said()
        repository.write("calc.py", "def add(): ...\n")
        first = follower.said()
        repository.write("new.py", "x = 1\n")
        second = follower.said()
    assert (first["schema"], first["paths"]["changed"]) == ("agenvantage.index-refresh/1", ["calc.py"])
    assert (second["changed"], second["added"], second["paths"]["added"]) == (0, 1, ["new.py"])


def test_a_file_in_a_folder_made_meanwhile_is_told(repository):
    with following(repository.path) as follower:
        follower.said()
        repository.write("fresh/deep/a.py", "x = 1\n")
        assert follower.said()["paths"]["added"] == ["fresh/deep/a.py"]
        repository.write("fresh/deep/b.py", "x = 1\n")
        assert follower.said()["paths"]["added"] == ["fresh/deep/b.py"]


def test_a_commit_and_another_branch_are_told(repository):
    repository.git("branch", "old")
    repository.write("calc.py", "def add(): ...\n")
    with following(repository.path) as follower:
        follower.said()
        repository.commit("more")
        committed = follower.said()
        repository.git("checkout", "-q", "old")
        switched = follower.said()
    assert committed["moved"] and committed["changed"] == 0
    assert switched["moved"] and switched["paths"]["changed"] == ["calc.py"]


def test_a_linked_work_tree_is_followed(repository, tmp_path):
    repository.git("worktree", "add", "-q", str(tmp_path / "linked"), "-b", "side")
    with following(tmp_path / "linked") as follower:
        follower.said()
        (tmp_path / "linked" / "calc.py").write_text("x = 1\n")
        assert follower.said()["paths"]["changed"] == ["calc.py"]


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM])
def test_a_request_to_end_is_obeyed_with_130_and_leaves_no_process(repository, ending):
    with following(repository.path) as follower:
        follower.said()
        started = psutil.Process(follower.process.pid).children(recursive=True)
        follower.process.send_signal(ending)
        code, complaint = follower.ended()
        assert (code, [each for each in started if lives(each)]) == (130, [])
        assert "Traceback" not in complaint


def lives(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def test_a_tree_that_is_removed_ends_it_with_3(repository):
    with following(repository.path) as follower:
        follower.said()
        shutil.rmtree(repository.path)
        code, complaint = follower.ended()
    assert code == 3 and "is gone" in complaint


def without_events() -> tuple[str, ...]:
    """Words before a command that lets the system refuse to watch anything; skips where they are not understood."""
    words = ("unshare", "-Ur", "sh", "-c", 'echo 0 > /proc/sys/user/max_inotify_instances; exec "$@"', "sh")
    if shutil.which("unshare") is None or subprocess.run((*words, "true"), capture_output=True, check=False).returncode:
        pytest.skip("no namespace of its own for a user here")
    return words


def test_without_events_it_says_so_and_looks_by_the_clock(repository):
    with following(repository.path, *without_events()) as follower:
        follower.said()
        repository.write("calc.py", "def add(): ...\n")
        told = follower.said()
        follower.process.terminate()
        complaint = follower.ended()[1]
    assert told["paths"]["changed"] == ["calc.py"] and "does not let its folders be watched" in told["polling"]
    assert "Looking every 2 seconds" in complaint
