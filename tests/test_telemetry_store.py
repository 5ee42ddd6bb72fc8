"""The store knows every run from its start on, and says so when it can't be read."""

from __future__ import annotations

import sqlite3
import threading
from dataclasses import replace

import pytest
from agenvantage.context.errors import BadRequest, CannotProceed
from agenvantage.telemetry.document import run_document
from agenvantage.telemetry.model import AgentEvent
from agenvantage.telemetry.store import TraceStore, migrations
from telemetry_kit import RUN_ID, START, call, trace


@pytest.fixture
def store(tmp_path):
    with TraceStore(tmp_path / "data" / "traces.sqlite") as opened:
        yield opened


def begin(store, run_id, started=START):
    store.begin(run_id=run_id, trace_id="f" * 32, started=started, agent="codex", strategy="native")


def test_a_run_is_running_until_it_is_recorded(store):
    begin(store, RUN_ID)
    assert [run.state for run in store.list()] == ["running"]
    store.record(trace())
    assert [(run.state, run.outcome, run.input_tokens) for run in store.list()] == [("sealed", "solved", 32300)]


def test_a_recorded_run_comes_back_as_its_document(store):
    store.record(trace())
    assert store.find(RUN_ID).document == run_document(trace())


def test_recording_twice_keeps_one_run(store):
    store.record(trace())
    store.record(trace())
    assert len(store.list()) == 1


def test_a_run_whose_process_is_gone_is_interrupted(store):
    begin(store, RUN_ID)
    store.mark_interrupted(RUN_ID, ended=START + 5)
    [run] = store.list(state="interrupted")
    assert (run.outcome, run.ended, run.document) == ("interrupted", START + 5, None)


def test_a_sealed_run_is_never_marked_as_interrupted(store):
    store.record(trace())
    store.mark_interrupted(RUN_ID)
    assert store.find(RUN_ID).state == "sealed"


def test_a_forgotten_run_is_gone(store):
    begin(store, RUN_ID)
    store.forget(RUN_ID)
    assert store.list() == ()


def test_the_newest_run_is_first_and_last(store):
    begin(store, "20261130-000000-aaaaaa", START)
    begin(store, "20261130-000001-bbbbbb", START + 1)
    assert [run.run_id[-6:] for run in store.list()] == ["bbbbbb", "aaaaaa"]
    assert store.find("last").run_id.endswith("bbbbbb")
    assert len(store.list(limit=1)) == 1


def test_a_prefix_or_a_trace_id_finds_a_run(store):
    store.record(trace())
    assert store.find("20261130-21").run_id == RUN_ID
    assert store.find(trace().trace_id).run_id == RUN_ID


def test_a_prefix_of_several_runs_names_them(store):
    begin(store, "20261130-000000-aaaaaa")
    begin(store, "20261130-000000-aaaabb")
    with pytest.raises(BadRequest, match=r"aaaaaa, 20261130-000000-aaaabb"):
        store.find("20261130-000000-aaaa")


def test_a_whole_id_that_is_also_a_prefix_is_found(store):
    begin(store, "abc")
    begin(store, "abcd")
    assert store.find("abc").run_id == "abc"


@pytest.mark.parametrize("name", ["last", "nothing", "", "%", "_"])
def test_an_unknown_run_is_told(store, name):
    if name != "last":
        begin(store, RUN_ID)
    with pytest.raises(BadRequest, match="There is no run"):
        store.find(name)


def test_a_file_that_is_no_store_is_told_and_left_alone(tmp_path):
    path = tmp_path / "traces.sqlite"
    path.write_bytes(b"not a database at all, but long enough to be looked at" * 40)
    with pytest.raises(CannotProceed, match="can't be read"):
        TraceStore(path)
    assert path.read_bytes().startswith(b"not a database")


def test_a_store_of_a_newer_version_is_refused(tmp_path):
    path = tmp_path / "traces.sqlite"
    TraceStore(path).close()
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA user_version = {len(migrations()) + 1}")
    connection.close()
    with pytest.raises(CannotProceed, match="newer"):
        TraceStore(path)


def test_the_file_is_its_owners_alone(store):
    assert store.path.stat().st_mode & 0o077 == 0


def test_two_writers_wait_for_each_other(tmp_path):
    path = tmp_path / "traces.sqlite"
    TraceStore(path).close()

    def write(part):
        with TraceStore(path) as own:
            for index in range(15):
                begin(own, f"{part}-{index}")

    threads = [threading.Thread(target=write, args=(part,)) for part in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with TraceStore(path) as opened:
        assert len(opened.list()) == 60


def test_many_may_make_the_store_at_once(tmp_path):
    path = tmp_path / "traces.sqlite"
    failed = []

    def make():
        try:
            TraceStore(path).close()
        except CannotProceed as wrong:
            failed.append(wrong)

    threads = [threading.Thread(target=make) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []


def test_a_name_that_is_not_utf8_is_kept(store):
    odd = replace(trace().repository, name="caf\udce9")
    store.record(trace(repository=odd))
    assert store.find("last").document["repository"]["name"] == "caf\udce9"


def test_no_content_is_in_the_file(store):
    canary = "canary-5b1e7-SECRET"
    events = (
        AgentEvent(kind="prompt", text=canary),
        AgentEvent(kind="message", text=canary),
        call("x", 2, 3, command=f"cat {canary}", output=canary, arguments={"k": canary}),
        AgentEvent(kind="error", text=canary),
        AgentEvent(kind="finished", ok=False, text=canary),
    )
    store.record(trace(events=events))
    store.close()
    assert not [path for path in store.path.parent.iterdir() if canary.encode() in path.read_bytes()]


def test_a_given_secret_in_a_command_is_redacted(store):
    checks = (replace(trace().outcome.checks[0], command="TEST=hunter2-pass pytest"),)
    store.record(trace(outcome=replace(trace().outcome, checks=checks)), secrets=("hunter2-pass",))
    assert "hunter2" not in str(store.find("last").document)
