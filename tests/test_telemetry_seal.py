"""A run folder is whole or not there, holds no secret, and is its owner's alone."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace

import pytest
from agenvantage.context.errors import BadRequest, CannotProceed
from agenvantage.context.model import ContextPacket
from agenvantage.telemetry.document import run_document
from agenvantage.telemetry.model import AgentEvent
from agenvantage.telemetry.seal import Manifest, RunFolder, adopt_into, load, seal_interrupted
from agenvantage.telemetry.span_json import decode
from telemetry_kit import RUN_ID, START, call, packet, trace

SECRET = "hunter2-Pass-phrase"


def names(folder):
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def test_a_sealed_folder_holds_what_the_contract_names(tmp_path):
    folder = RunFolder(tmp_path / "run")
    folder.write("patch.diff", b"diff\n")
    folder.write("stream.raw", b"{}\n")
    folder.write("sessions/2026/a.jsonl", b"{}\n")
    folder.write("verify/1.out", b"ok\n")
    assert folder.seal(trace()) == tmp_path / "run"
    assert names(tmp_path / "run") == [
        "events.jsonl", "manifest.json", "packet.json", "packet.md", "patch.diff", "result.json",
        "sessions/2026/a.jsonl", "spans.jsonl", "stream.raw", "trajectory.atif.json", "usage.json", "verify/1.out",
    ]  # fmt: skip


def test_nothing_has_the_final_name_before_it_is_sealed(tmp_path):
    folder = RunFolder(tmp_path / "run")
    folder.write("stream.raw", b"{}\n")
    assert not (tmp_path / "run").exists()
    folder.seal(trace())
    assert not folder.path.exists()


def test_the_result_is_the_document_of_the_run(tmp_path):
    assert load(RunFolder(tmp_path / "run").seal(trace())) == run_document(trace())


def test_the_packet_is_kept_as_the_prompt_had_it(tmp_path):
    sealed = RunFolder(tmp_path / "run").seal(trace())
    assert (sealed / "packet.md").read_text() == packet().prefix + packet().evidence
    assert json.loads((sealed / "packet.json").read_text())["digest"] == packet().digest


def test_a_native_run_has_no_packet(tmp_path):
    sealed = RunFolder(tmp_path / "run").seal(trace(packet=ContextPacket.bare()))
    assert not (sealed / "packet.md").exists()


def test_the_manifest_names_every_file_with_its_digest(tmp_path):
    folder = RunFolder(tmp_path / "run")
    folder.write("patch.diff", b"diff\n")
    sealed = folder.seal(
        trace(), Manifest(environment_names=("PATH", "LANG"), seeded=(".env",), versions={"agent": "1"})
    )
    manifest = json.loads((sealed / "manifest.json").read_text())
    assert set(manifest["files"]) == set(names(sealed)) - {"manifest.json"}
    assert manifest["files"]["patch.diff"] == hashlib.sha256(b"diff\n").hexdigest()
    assert (manifest["environment_names"], manifest["seeded"]) == (["LANG", "PATH"], [".env"])


def test_folder_and_files_are_their_owners_alone(tmp_path):
    folder = RunFolder(tmp_path / "runs" / "run")
    folder.write("sessions/a.jsonl", b"{}\n")
    (folder.path / "other").write_text("by another way")
    (folder.path / "other").chmod(0o644)
    sealed = folder.seal(trace())
    assert {path.stat().st_mode & 0o777 for path in sealed.rglob("*") if path.is_file()} == {0o600}
    assert {path.stat().st_mode & 0o777 for path in (sealed, sealed / "sessions", tmp_path / "runs")} == {0o700}


def test_a_folder_that_holds_something_is_refused(tmp_path):
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "mine").write_text("mine")
    with pytest.raises(BadRequest, match="not empty"):
        RunFolder(tmp_path / "run")
    assert names(tmp_path / "run") == ["mine"]


def test_an_empty_folder_is_taken(tmp_path):
    (tmp_path / "run").mkdir()
    assert load(RunFolder(tmp_path / "run").seal(trace()))["run_id"] == RUN_ID


def test_two_runs_never_write_one_folder(tmp_path):
    RunFolder(tmp_path / "run")
    with pytest.raises(BadRequest, match="there already"):
        RunFolder(tmp_path / "run")


def test_a_discarded_folder_leaves_nothing(tmp_path):
    folder = RunFolder(tmp_path / "run")
    folder.write("a", "b")
    folder.discard()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["../x", "/x", "a/../../x", ""])
def test_a_name_never_leads_out_of_the_folder(tmp_path, name):
    with pytest.raises(ValueError, match="not a name"):
        RunFolder(tmp_path / "run").write(name, b"x")


def test_a_secret_is_redacted_as_it_is_written(tmp_path):
    folder = RunFolder(tmp_path / "run", secrets=(SECRET,))
    folder.write("stream.raw", f'{{"output":"{SECRET}"}}\n')
    assert SECRET.encode() not in (folder.path / "stream.raw").read_bytes()


def test_bytes_that_are_not_utf8_stay_as_they_are(tmp_path):
    folder = RunFolder(tmp_path / "run", secrets=(SECRET,))
    folder.write("stream.raw", b"\xff\xfe caf\xe9\n")
    assert (folder.path / "stream.raw").read_bytes() == b"\xff\xfe caf\xe9\n"


def test_a_patch_is_kept_byte_for_byte(tmp_path):
    folder = RunFolder(tmp_path / "run", secrets=(SECRET,))
    folder.write("patch.diff", f"+{SECRET}\n")
    assert (folder.seal(trace()) / "patch.diff").read_text() == f"+{SECRET}\n"


def test_what_others_wrote_into_the_folder_is_redacted_when_it_is_sealed(tmp_path):
    folder = RunFolder(tmp_path / "run", secrets=(SECRET,))
    (folder.path / "verify").mkdir()
    (folder.path / "verify" / "1.out").write_text(f"leak {SECRET}\n")
    assert SECRET not in (folder.seal(trace()) / "verify" / "1.out").read_text()


def test_a_large_file_is_adopted_line_by_line(tmp_path, monkeypatch):
    monkeypatch.setattr("agenvantage.telemetry.seal.PIECE", 100)
    source = tmp_path / "stdout"
    lines = [f"line {index} {SECRET if index % 7 == 0 else 'ok'}" for index in range(200)]
    source.write_text("\n".join([*lines, "x" * 1000, f"no newline {SECRET}"]))
    folder = RunFolder(tmp_path / "run", secrets=(SECRET,))
    copied = folder.adopt("stream.raw", source).read_text()
    assert copied == source.read_text().replace(SECRET, "[redacted]")


def test_a_secret_of_any_place_is_in_no_file(tmp_path):
    checks = (replace(trace().outcome.checks[0], command=f"TOKEN={SECRET} pytest"),)
    outcome = replace(trace().outcome, reason=f"it said {SECRET}", checks=checks)
    events = (
        AgentEvent(kind="prompt", text=SECRET),
        call("x", 2, 3, command=f"curl https://x?key={SECRET}", output=SECRET, arguments={"a": [SECRET]}),
        AgentEvent(kind="error", text=SECRET),
        AgentEvent(kind="unknown", raw=f'{{"cut {SECRET}'),
    )
    folder = RunFolder(tmp_path / "run", secrets=(SECRET,))
    sealed = folder.seal(trace(events=events, outcome=outcome), capture_content=True)
    assert not [path for path in sealed.rglob("*") if path.is_file() and SECRET.encode() in path.read_bytes()]


def test_content_is_kept_only_when_it_was_asked_for(tmp_path):
    events = (
        AgentEvent(kind="message", text="words of the model"),
        call("x", 2, 3, command="cat secret plans", output="plans"),
    )
    kept = RunFolder(tmp_path / "kept").seal(trace(events=events), capture_content=True)
    left_out = RunFolder(tmp_path / "left").seal(trace(events=events))
    for words in ("words of the model", "secret plans"):
        assert words in (kept / "events.jsonl").read_text()
        assert not [path for path in left_out.rglob("*") if path.is_file() and words in path.read_text()]


def test_the_spans_of_the_folder_are_those_of_the_run(tmp_path):
    sealed = RunFolder(tmp_path / "run").seal(trace())
    tree = decode((sealed / "spans.jsonl").read_text().splitlines())
    assert sum(span.parent_id is None for span in tree) == 1


def test_usage_has_a_row_a_model_call(tmp_path):
    usage = json.loads((RunFolder(tmp_path / "run").seal(trace()) / "usage.json").read_text())
    assert sum(row["output_tokens"] for row in usage["requests"]) == usage["usage"]["output_tokens"]
    assert len(usage["requests"]) == usage["usage"]["requests"] == 6


def test_a_dead_run_is_sealed_as_interrupted_and_claims_nothing(tmp_path):
    folder = RunFolder(tmp_path / RUN_ID)
    folder.begin(run_id=RUN_ID, started=START, agent="codex", strategy="native", repository="project")
    folder.write("patch.diff", b"diff\n")
    adopt_into(folder.path, "stream.raw", _written(tmp_path / "stdout", b"{}\n"))
    assert seal_interrupted(folder.path) == tmp_path / RUN_ID
    document = load(tmp_path / RUN_ID)
    assert (document["outcome"], document["run_id"], document["agent"]["name"]) == ("interrupted", RUN_ID, "codex")
    assert document["patch"]["sha256"] == hashlib.sha256(b"diff\n").hexdigest()
    assert (document["usage"]["input_tokens"], document["steps"], document["denials"]) == (None, None, None)
    assert (document["timing"]["total_s"], document["patch"]["reapplies"]) == (None, None)
    assert names(tmp_path / RUN_ID) == ["manifest.json", "patch.diff", "result.json", "stream.raw"]


def test_a_dead_run_that_noted_nothing_is_known_by_its_folders_name(tmp_path):
    folder = RunFolder(tmp_path / RUN_ID)
    assert load(seal_interrupted(folder.path))["run_id"] == RUN_ID


def test_a_folder_that_only_lacked_its_name_keeps_its_result(tmp_path):
    sealed = RunFolder(tmp_path / "run").seal(trace())
    sealed.rename(tmp_path / "run.partial")
    assert load(seal_interrupted(tmp_path / "run.partial"))["outcome"] == "solved"


def test_a_sealed_run_of_that_name_is_never_replaced(tmp_path):
    folder = RunFolder(tmp_path / "run")
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "result.json").write_text("{}")
    assert seal_interrupted(folder.path) is None
    assert folder.path.is_dir()


@pytest.mark.parametrize("content", [None, "no json", "[]", '{"schema": "agenvantage.run/2"}'])
def test_what_is_no_run_folder_is_told(tmp_path, content):
    if content is not None:
        (tmp_path / "result.json").write_text(content)
    with pytest.raises(CannotProceed, match="not a sealed run folder"):
        load(tmp_path)


def _written(path, data):
    path.write_bytes(data)
    return path
