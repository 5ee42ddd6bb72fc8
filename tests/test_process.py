"""The process door: what is started ends, with all it left, whoever dies first."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from agenvantage.runner.process import (
    CommandNotStarted,
    ProcessId,
    Running,
    identify,
    is_alive,
    leftovers,
    run,
    start,
)
from agenvantage.runner.remains import recorded, sweep

from .process_kit import DAEMON, STUBBORN, alive, cleaned, eventually, python, script, spec


@pytest.fixture
def tag(tmp_path: Path) -> Iterator[str]:
    with cleaned(f"tag-{os.getpid()}-{tmp_path.name}") as name:
        yield name


def stopped(running: Running, *, hard: bool = False) -> None:
    running.stop("test", hard=hard)
    running.wait(10)


# What goes in and comes out


def test_the_program_gets_its_input_and_then_the_end(tmp_path: Path) -> None:
    with start(spec(tmp_path, "cat", stdin=b"a\0b" * 1000)) as running:
        gone = running.wait(10)
    assert (gone.code, gone.signal, gone.forced) == (0, None, False)
    assert (tmp_path / "stdout").read_bytes() == b"a\0b" * 1000


def test_an_input_of_2_mb_arrives_whole(tmp_path: Path) -> None:
    with start(spec(tmp_path, "wc", "-c", stdin=b"x" * 2_000_000)) as running:
        running.wait(10)
    assert (tmp_path / "stdout").read_text().strip() == "2000000"


def test_without_input_there_is_none_to_wait_for(tmp_path: Path) -> None:
    with start(spec(tmp_path, "cat")) as running:
        assert running.wait(10).code == 0


def test_the_input_leaves_no_file(tmp_path: Path) -> None:
    code = "import os; print(os.readlink('/proc/self/fd/0') if os.path.isdir('/proc/self/fd') else '(deleted)')"
    with start(python(tmp_path, code, stdin=b"secret task")) as running:
        running.wait(10)
    assert (tmp_path / "stdout").read_text().strip().endswith("(deleted)")
    assert not [path for path in tmp_path.iterdir() if path.is_file() and b"secret task" in path.read_bytes()]


def test_output_files_are_private(tmp_path: Path) -> None:
    with start(spec(tmp_path, "sh", "-c", "echo out; echo err >&2")) as running:
        running.wait(10)
    assert [(tmp_path / name).stat().st_mode & 0o777 for name in ("stdout", "stderr")] == [0o600, 0o600]
    assert ((tmp_path / "stdout").read_text(), (tmp_path / "stderr").read_text()) == ("out\n", "err\n")


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
def test_what_node_prints_right_before_it_exits_is_not_lost(tmp_path: Path) -> None:
    with start(spec(tmp_path, "node", "-e", "process.stdout.write('x'.repeat(200000)); process.exit(0)")) as running:
        running.wait(10)
    assert (tmp_path / "stdout").stat().st_size == 200_000


def test_a_child_that_reopens_its_output_leaves_no_hole(tmp_path: Path) -> None:
    with start(spec(tmp_path, "sh", "-c", "echo first; echo second > /dev/stdout; echo third")) as running:
        running.wait(10)
    assert (tmp_path / "stdout").read_bytes() == b"second\nthird\n"


def test_the_environment_is_the_given_one_and_the_marker(tmp_path: Path) -> None:
    with start(spec(tmp_path, "env", environment={"ONLY": "this", "PATH": "/usr/bin:/bin"})) as running:
        running.wait(10)
    names = {line.partition("=")[0] for line in (tmp_path / "stdout").read_text().splitlines()}
    assert names == {"ONLY", "PATH", "AGENVANTAGE_RUN"}


def test_signals_that_the_runner_ignores_are_the_programs_own_again(tmp_path: Path) -> None:
    code = "import signal; print(*(signal.getsignal(s) == signal.SIG_DFL for s in (signal.SIGHUP, signal.SIGTERM)))"
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with start(python(tmp_path, code)) as running:
            running.wait(10)
    finally:
        signal.signal(signal.SIGHUP, before)
    assert (tmp_path / "stdout").read_text().split() == ["True", "True"]


# How it ends


def test_the_exit_code_is_told(tmp_path: Path) -> None:
    with start(spec(tmp_path, "sh", "-c", "exit 7")) as running:
        assert running.wait(10).code == 7


def test_a_signal_is_told_by_name(tmp_path: Path) -> None:
    with start(spec(tmp_path, "sh", "-c", "kill -SEGV $$")) as running:
        gone = running.wait(10)
    assert (gone.code, gone.signal, gone.forced) == (None, "SIGSEGV", False)


def test_seconds_are_the_programs_own(tmp_path: Path) -> None:
    with start(spec(tmp_path, "sh", "-c", "setsid sleep 60 & sleep 0.3")) as running:
        gone = running.wait(10)
    assert 0.3 <= gone.seconds < 0.8
    assert running.seconds == gone.seconds


def test_a_program_that_is_not_there_is_an_error_with_its_name(tmp_path: Path) -> None:
    with pytest.raises(CommandNotStarted, match="no-such-program"):
        start(spec(tmp_path, "no-such-program"))


def test_a_missing_folder_is_an_error_with_its_name(tmp_path: Path) -> None:
    with pytest.raises(CommandNotStarted, match="nowhere"):
        start(spec(tmp_path, "true", cwd=tmp_path / "nowhere"))


def test_an_argument_that_no_system_takes_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(CommandNotStarted, match="too long"):
        start(spec(tmp_path, "true", "x" * 3_000_000))


def test_what_runs_long_can_be_waited_for_in_parts(tmp_path: Path) -> None:
    with start(spec(tmp_path, "sleep", "30")) as running:
        with pytest.raises(TimeoutError):
            running.wait(0.05)
        assert running.poll() is None
        assert is_alive(running.process)
    assert not is_alive(running.process)


# The stop order


def test_a_polite_program_ends_by_its_own_stop_signal(tmp_path: Path) -> None:
    code = """import signal, sys, time
signal.signal(signal.SIGINT, lambda *_: sys.exit(5))
print(1, flush=True)
time.sleep(60)"""
    with start(python(tmp_path, code, stop_signal="INT", grace_seconds=5)) as running:
        assert eventually(lambda: (tmp_path / "stdout").stat().st_size > 0)
        running.stop("enough")
        gone = running.wait(10)
    assert (gone.code, gone.signal, gone.forced) == (5, None, True)


def test_a_program_that_ignores_the_signal_is_killed_after_the_grace(tmp_path: Path) -> None:
    with start(python(tmp_path, STUBBORN)) as running:
        assert eventually(lambda: (tmp_path / "stdout").stat().st_size > 0)
        began = time.monotonic()
        running.stop("limit")
        gone = running.wait(10)
    assert gone.signal == "SIGKILL"
    assert 0.3 <= time.monotonic() - began < 2.5


def test_a_hard_stop_does_not_wait_for_the_grace(tmp_path: Path) -> None:
    with start(python(tmp_path, STUBBORN, grace_seconds=60)) as running:
        assert eventually(lambda: (tmp_path / "stdout").stat().st_size > 0)
        running.stop("first interrupt")
        running.stop("second interrupt", hard=True)
        assert running.wait(3).signal == "SIGKILL"


def test_stopping_again_changes_nothing(tmp_path: Path) -> None:
    with start(spec(tmp_path, "sleep", "30")) as running:
        for _ in range(5):
            running.stop("again")
        assert running.wait(10).signal == "SIGTERM"
        running.stop("after the end", hard=True)


def test_a_stopped_program_is_not_forced_when_it_had_ended_before(tmp_path: Path) -> None:
    with start(spec(tmp_path, "true")) as running:
        running.wait(10)
        running.stop("late")
        gone = running.poll()
    assert gone is not None
    assert not gone.forced


def test_an_agent_that_never_exits_after_its_last_word_can_be_ended(tmp_path: Path) -> None:
    code = """import time; print('{"type":"result"}', flush=True); time.sleep(600)"""
    with start(python(tmp_path, code)) as running:
        assert eventually(lambda: b"result" in (tmp_path / "stdout").read_bytes())
        running.stop("it said its last word")
        assert running.wait(5).forced


# What it leaves


def test_a_child_that_ignores_term_and_holds_the_output_is_gone_after_a_stop(tmp_path: Path, tag: str) -> None:
    stubborn = script(tmp_path, "stubborn.py", STUBBORN)
    code = f"import subprocess,sys,time; subprocess.Popen([sys.executable, {stubborn!r}, {tag!r}]); time.sleep(600)"
    with start(python(tmp_path, code)) as running:
        assert eventually(lambda: b"here" in (tmp_path / "stdout").read_bytes())
        stopped(running)
    assert alive(tag) == []


def test_a_child_in_its_own_session_is_swept_after_a_normal_exit(tmp_path: Path, tag: str) -> None:
    with start(spec(tmp_path, "sh", "-c", f"setsid sh -c 'sleep 600; : {tag}' & exit 0")) as running:
        gone = running.wait(10)
    assert (gone.code, gone.forced) == (0, False)
    assert gone.swept >= 1
    assert alive(tag) == []


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux has subreapers")
def test_a_daemon_without_environment_is_swept_after_a_normal_exit(tmp_path: Path, tag: str) -> None:
    code = f"import subprocess,sys; subprocess.run([sys.executable, '-c', {DAEMON!r}, {tag!r}])"
    with start(python(tmp_path, code)) as running:
        gone = running.wait(10)
    assert gone.swept == 1
    assert alive(tag) == []


def test_without_a_subreaper_a_child_in_its_own_session_is_swept_by_its_marker(tmp_path: Path, tag: str) -> None:
    code = f"import subprocess; subprocess.Popen(['sh', '-c', 'sleep 600; : {tag}'], start_new_session=True)"
    with start(python(tmp_path, code, subreaper=False)) as running:
        assert running.wait(10).swept >= 1
    assert alive(tag) == []


def test_without_a_subreaper_a_bare_daemon_is_swept_by_the_snapshots(tmp_path: Path, tag: str) -> None:
    code = f"""import subprocess, time
subprocess.Popen(['sh', '-c', 'sleep 600; : {tag}'], start_new_session=True, env={{}})
time.sleep(1.2)"""
    with start(python(tmp_path, code, subreaper=False)) as running:
        running.wait(10)
    assert alive(tag) == []


def test_a_tool_server_that_ends_by_itself_is_not_counted_as_swept(tmp_path: Path) -> None:
    with start(spec(tmp_path, "sh", "-c", "sleep 0.1 & exit 0")) as running:
        assert running.wait(10).swept == 0


def test_hundreds_of_children_are_gone(tmp_path: Path, tag: str) -> None:
    code = f"""import os, time
for _ in range(300):
    if os.fork() == 0:
        os.setsid()
        time.sleep(600)
print('{tag}', flush=True)
time.sleep(600)"""
    with start(python(tmp_path, code, tag)) as running:
        assert eventually(lambda: (tmp_path / "stdout").stat().st_size > 0)
        running.stop("limit")
        gone = running.wait(15)
    assert gone.swept > 100  # those that had not left the group yet went with it
    assert alive(tag) == []


def test_a_program_that_forks_while_it_is_stopped_is_gone(tmp_path: Path, tag: str) -> None:
    code = """import os, signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
for _ in range(400):
    if os.fork() == 0:
        os.setsid(); time.sleep(600)
    time.sleep(0.005)
time.sleep(600)"""
    with start(python(tmp_path, code, tag)) as running:
        assert eventually(lambda: len(alive(tag)) > 5)
        running.stop("limit", hard=True)
        running.wait(15)
    assert alive(tag) == []


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux has subreapers")
def test_a_process_that_forks_and_exits_without_end_is_caught(tmp_path: Path) -> None:
    code = """import os, time
if os.fork(): os._exit(0)
os.setsid()
print(os.getpgrp(), flush=True)
while True:
    if os.fork(): os._exit(0)
    time.sleep(0.001)"""
    with start(python(tmp_path, code)) as running:
        gone = running.wait(15)
    assert gone.swept >= 1
    with pytest.raises(ProcessLookupError):
        os.killpg(int((tmp_path / "stdout").read_text()), signal.SIGKILL)


def test_nothing_is_left_when_the_block_is_left_early(tmp_path: Path, tag: str) -> None:
    with pytest.raises(KeyboardInterrupt), start(python(tmp_path, STUBBORN, tag)):
        raise KeyboardInterrupt
    assert alive(tag) == []


# When somebody is killed

RUNNER = """
import sys, time
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from agenvantage.runner.process import ProcessSpec, start
folder = Path(sys.argv[2])
import os
running = start(ProcessSpec(
    argv=(sys.executable, str(folder / "agent.py"), sys.argv[3]), cwd=folder, environment={"PATH": os.environ["PATH"]},
    stdout=folder / "stdout", stderr=folder / "stderr", marker=sys.argv[3], record=folder / "processes.json",
))
print(running.pid, running.supervisor.pid, flush=True)
time.sleep(600)
"""

AGENT = f"""
import subprocess, sys, time, signal
signal.signal(signal.SIGTERM, signal.SIG_IGN)
tag = sys.argv[1]
subprocess.Popen([sys.executable, '-c', {STUBBORN!r}, tag])
subprocess.Popen([sys.executable, '-c', {STUBBORN!r}, tag], start_new_session=True)
subprocess.run([sys.executable, '-c', {DAEMON!r}, tag])
print('ready', flush=True)
time.sleep(600)
"""


@pytest.fixture
def runner(tmp_path: Path, tag: str) -> Iterator[subprocess.Popen[str]]:
    """A runner of its own process, with an agent that has three kinds of stubborn children."""
    script(tmp_path, "agent.py", AGENT)
    import agenvantage

    house = str(Path(agenvantage.__file__).parent.parent)
    with subprocess.Popen(
        (sys.executable, "-c", RUNNER, house, str(tmp_path), tag), stdout=subprocess.PIPE, text=True, cwd="/"
    ) as started:
        try:
            assert eventually(lambda: len(alive(tag)) == 5 and b"ready" in (tmp_path / "stdout").read_bytes())
            yield started
        finally:
            started.kill()


def test_everything_is_gone_soon_after_the_runner_was_killed(runner: subprocess.Popen[str], tag: str) -> None:
    runner.kill()
    assert eventually(lambda: not alive(tag), within=5)


def test_the_record_names_all_that_was_alive(runner: subprocess.Popen[str], tmp_path: Path, tag: str) -> None:
    record = tmp_path / "processes.json"
    assert eventually(lambda: {*alive(tag)} - {runner.pid} <= {one.pid for one in recorded(record).processes})
    assert runner.stdout is not None
    agent, supervisor = map(int, runner.stdout.readline().split())
    noted = recorded(record)
    assert [one.pid for one in noted.supervisors] == [supervisor]
    assert noted.processes[0].pid == agent


def test_the_runner_ends_what_a_killed_supervisor_watched_over(tmp_path: Path, tag: str) -> None:
    script(tmp_path, "agent.py", AGENT)
    with start(spec(tmp_path, sys.executable, str(tmp_path / "agent.py"), tag, marker=tag)) as running:
        assert eventually(lambda: b"ready" in (tmp_path / "stdout").read_bytes() and len(running.known) >= 5)
        os.kill(running.supervisor.pid, signal.SIGKILL)
        gone = running.wait(10)
    assert (gone.code, gone.forced) == (None, True)
    assert alive(tag) == []


def test_a_program_dies_with_its_supervisor(tmp_path: Path) -> None:
    with start(spec(tmp_path, "sleep", "600")) as running:
        os.kill(running.supervisor.pid, signal.SIGKILL)
        assert eventually(lambda: not is_alive(running.process), within=2)


def test_a_supervisor_that_is_told_to_end_ends_the_program_first(tmp_path: Path, tag: str) -> None:
    with start(python(tmp_path, STUBBORN, tag)) as running:
        os.kill(running.supervisor.pid, signal.SIGTERM)
        assert running.wait(10).forced
    assert alive(tag) == []


# The independent look


def test_nothing_is_left_after_a_run(tmp_path: Path) -> None:
    with start(spec(tmp_path, "true")) as running:
        running.wait(10)
        assert leftovers(running.spec.marker, tmp_path, running.known) == 0


@pytest.mark.parametrize("how", ["marker", "cwd", "open file", "known"])
def test_a_survivor_is_counted(tmp_path: Path, how: str) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "file").write_text("x")
    code = "import sys,time; f = open(sys.argv[1]); print(1, flush=True); time.sleep(60)"
    elsewhere = script(tmp_path, "elsewhere", "x")
    with subprocess.Popen(
        (sys.executable, "-c", code, str(tree / "file") if how == "open file" else elsewhere),
        cwd=tree if how == "cwd" else "/",
        env={"AGENVANTAGE_RUN": "marked"} if how == "marker" else {},
        stdout=subprocess.PIPE,
    ) as survivor:
        assert survivor.stdout is not None
        survivor.stdout.readline()
        myself = identify(survivor.pid)
        assert myself is not None
        known = (myself,) if how == "known" else ()
        assert leftovers("marked", tree, known) == 1
        assert leftovers("marked", tree, known, since=time.time() + 60) == (1 if how == "known" else 0)
        assert sweep("marked", tree, known) == 1
        assert survivor.wait(5) == -signal.SIGTERM


def test_a_zombie_is_not_counted(tmp_path: Path) -> None:
    with subprocess.Popen(("true",), cwd=tmp_path) as child:
        assert eventually(lambda: psutil.Process(child.pid).status() == psutil.STATUS_ZOMBIE)
        assert leftovers("none", tmp_path) == 0
        assert identify(child.pid) is None


def test_a_later_process_with_the_same_number_is_not_the_known_one() -> None:
    me = identify(os.getpid())
    assert me is not None
    assert is_alive(me)
    assert not is_alive(ProcessId(pid=me.pid, created=me.created - 100))


# Short commands


def here() -> dict[str, str]:
    return {"PATH": os.environ["PATH"]}


def test_a_command_keeps_its_streams_apart(tmp_path: Path) -> None:
    done = run("echo out; echo err >&2; exit 3", cwd=tmp_path, environment=here())
    assert (done.exit_code, done.output, done.errors) == (3, "out\n", "err\n")


def test_a_command_with_an_output_file_mixes_them_there_in_order(tmp_path: Path) -> None:
    file = tmp_path / "all.txt"
    done = run("echo one; echo two >&2; echo three", cwd=tmp_path, environment=here(), output=file)
    assert done.output == file.read_text() == "one\ntwo\nthree\n"


def test_a_command_is_given_no_input_to_wait_for(tmp_path: Path) -> None:
    assert run(("cat",), cwd=tmp_path, environment=here(), time_limit_seconds=5).exit_code == 0


def test_a_command_over_its_time_is_ended(tmp_path: Path) -> None:
    done = run("sleep 60", cwd=tmp_path, environment=here(), time_limit_seconds=0.2)
    assert (done.timed_out, done.exit_code, done.signal) == (True, None, "SIGTERM")


def test_a_command_can_be_cancelled(tmp_path: Path) -> None:
    done = run("sleep 60", cwd=tmp_path, environment=here(), cancelled=lambda: True)
    assert (done.cancelled, done.timed_out) == (True, False)


def test_of_a_huge_output_the_tail_is_kept(tmp_path: Path) -> None:
    done = run("yes | head -c 20000000; echo end", cwd=tmp_path, environment=here(), tail_bytes=8)
    assert done.output == "y\ny\nend\n"


def test_what_a_command_leaves_running_is_ended(tmp_path: Path, tag: str) -> None:
    done = run(f"setsid sh -c 'sleep 600; : {tag}' & exit 0", cwd=tmp_path, environment=here())
    assert done.exit_code == 0
    assert alive(tag) == []


def test_a_command_leaves_no_files_of_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    run("true", cwd=Path("/"), environment=here())
    assert list(tmp_path.iterdir()) == []


def test_every_line_of_a_record_is_one_event(tmp_path: Path) -> None:
    with start(spec(tmp_path, "true", record=tmp_path / "r" / "processes.json")) as running:
        running.wait(10)
    events = [json.loads(line)["event"] for line in (tmp_path / "r" / "processes.json").read_text().splitlines()]
    assert (events[0], events[-1]) == ("started", "ended")
