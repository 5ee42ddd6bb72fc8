"""Whole runs of the real command, with small programs as agents."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import CALC, RealRepository, make_repository
from run_kit import CHECK, FIX, agenvantage, nothing_left, places, run_agent


def test_a_fix_that_passes_its_check_is_solved(repository: RealRepository) -> None:
    done = run_agent(repository.path, FIX, "--verify", CHECK)
    document = done.document
    assert (done.code, document["outcome"]) == (0, "solved")
    assert [entry["path"] for entry in document["files_modified"]] == ["calc.py"]
    assert document["patch"]["reapplies"] is True
    assert document["verify"][0]["tests"] == {"passed": 1, "failed": 0, "skipped": 0, "failed_names": []}
    assert document["integrity"]["leftover_processes"] == 0
    assert document["integrity"]["checkout_unchanged"] is True
    assert document["usage"]["input_tokens"] is None
    assert nothing_left()


def test_a_change_that_fails_its_check_is_wrong(repository: RealRepository) -> None:
    done = run_agent(repository.path, "open('calc.py', 'a').write('# no\\n')", "--verify", CHECK)
    assert (done.code, done.document["outcome"]) == (1, "wrong")


def test_an_agent_that_claims_success_and_changes_nothing_has_changed_nothing(repository: RealRepository) -> None:
    done = run_agent(repository.path, "print('All done, tests pass!')", "--verify", "true")
    assert (done.code, done.document["outcome"]) == (1, "no_change")


def test_a_crashed_agent_whose_work_passes_is_solved(repository: RealRepository) -> None:
    done = run_agent(repository.path, FIX + "; raise SystemExit(7)", "--verify", CHECK)
    assert (done.document["outcome"], done.document["exit"]["code"]) == ("solved", 7)


def test_without_checks_the_projects_own_are_reported_and_nothing_is_judged(repository: RealRepository) -> None:
    done = run_agent(repository.path, FIX)
    assert (done.code, done.document["outcome"]) == (0, "unjudged")
    assert {check["judged"] for check in done.document["verify"]} <= {False}


def test_a_time_limit_ends_the_agent_and_green_checks_do_not_make_it_solved(repository: RealRepository) -> None:
    done = run_agent(repository.path, FIX + "; import time; time.sleep(60)", "--verify", CHECK, "--time-limit", 2)
    document = done.document
    assert (done.code, document["outcome"]) == (1, "budget")
    assert document["exit"] == {"code": None, "signal": "SIGTERM", "forced": True, "passed_after_limit": True}


def test_a_child_that_ignores_the_end_is_swept(repository: RealRepository) -> None:
    stay = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(300)"
    code = f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', {stay!r}], start_new_session=True); {FIX}"
    document = run_agent(repository.path, code, "--verify", CHECK).document
    assert (document["outcome"], document["integrity"]["leftover_processes"]) == ("solved", 0)
    assert document["integrity"]["swept_processes"] >= 1


def test_a_write_into_the_persons_checkout_is_an_escape_and_is_left_as_it_is(repository: RealRepository) -> None:
    target = repository.path / "calc.py"
    done = run_agent(repository.path, f"open({str(target)!r}, 'a').write('# here\\n')", "--verify", "true")
    assert (done.code, done.document["outcome"]) == (3, "escaped")
    assert done.document["integrity"]["escaped"] == ["calc.py"]
    assert target.read_text().endswith("# here\n")


def test_an_agent_that_removes_its_tree_has_lost_it(repository: RealRepository) -> None:
    code = "import os, shutil; place = os.getcwd(); os.chdir('/'); shutil.rmtree(place)"
    done = run_agent(repository.path, code, "--verify", "touch verified")
    assert (done.code, done.document["outcome"], done.document["verify"]) == (3, "tree_lost", [])


def test_a_failed_setup_is_told_and_the_agent_is_not_started(repository: RealRepository, tmp_path: Path) -> None:
    mark = tmp_path / "started"
    done = run_agent(repository.path, f"open({str(mark)!r}, 'w')", "--setup", "echo no tool here >&2; exit 4")
    assert (done.code, done.document["outcome"]) == (3, "env_not_ready")
    assert "no tool here" in done.document["reason"]
    assert not mark.exists()


SETUP = "echo made > made.txt; echo '# set up' >> calc.py; rm -f test_calc.py; git mv -k notes.txt other.txt"


@pytest.mark.parametrize("verify", ["true", "test -f made.txt && ! test -f test_calc.py && grep -q 'set up' calc.py"])
def test_what_setup_wrote_is_not_the_agents_work(repository: RealRepository, verify: str) -> None:
    done = run_agent(repository.path, "pass", "--setup", SETUP, "--verify", verify)
    assert (done.document["outcome"], done.document["files_modified"]) == ("no_change", [])
    assert [check["passed"] for check in done.document["verify"]] == [True]


def test_what_the_agent_changes_of_setups_files_is_its_work(repository: RealRepository) -> None:
    repository.write("notes.txt", "one\n")
    repository.commit()
    code = "open('made.txt', 'a').write('more\\n'); open('notes.txt', 'a').write('two\\n')"
    document = run_agent(repository.path, code, "--setup", "echo made > made.txt; echo x > other.txt").document
    assert [entry["path"] for entry in document["files_modified"]] == ["made.txt", "notes.txt"]
    assert document["patch"]["reapplies"] is True


def test_a_run_folder_has_all_its_parts(repository: RealRepository, tmp_path: Path) -> None:
    document = run_agent(repository.path, FIX + "; print('said')", "--verify", CHECK, "--optimize-context").document
    folder = Path(document["folder"])
    parts = {
        "manifest.json", "stream.raw", "events.jsonl", "packet.md", "packet.json", "patch.diff", "verify", "usage.json",
        "spans.jsonl", "trajectory.atif.json", "result.json",
    }  # fmt: skip
    assert parts <= {path.name for path in folder.iterdir()}
    assert json.loads((folder / "result.json").read_text()) == document
    assert (folder / "stream.raw").read_bytes() == b"said\n"
    assert folder.stat().st_mode & 0o077 == 0


def test_the_patch_recreates_the_work_with_plain_git(repository: RealRepository, tmp_path: Path) -> None:
    code = FIX + "; open('new file.txt', 'wb').write(bytes(range(256))); import os; os.remove('test_calc.py')"
    document = run_agent(repository.path, code).document
    repository.git("apply", "--binary", str(Path(document["folder"]) / "patch.diff"))
    assert (repository.path / "new file.txt").read_bytes() == bytes(range(256))
    assert not (repository.path / "test_calc.py").exists()


def test_the_packet_stands_in_front_of_the_task_and_the_tools_answer(repository: RealRepository) -> None:
    code = (
        "import os, sys, json, shlex, subprocess\n"
        "prompt = sys.stdin.read(); packet = open(os.environ['AGENVANTAGE_PACKET_FILE']).read()\n"
        "assert prompt.startswith(packet) and prompt.endswith('Fix add()') and 'calc.py' in packet\n"
        "ask = [{'jsonrpc': '2.0', 'id': 1, 'method': 'initialize', 'params': {'protocolVersion': '2025-06-18'}},\n"
        "       {'jsonrpc': '2.0', 'id': 2, 'method': 'tools/call',"
        " 'params': {'name': 'search', 'arguments': {'query': 'add'}}}]\n"
        "done = subprocess.run(shlex.split(os.environ['AGENVANTAGE_MCP_COMMAND']), text=True, capture_output=True,\n"
        "    input='\\n'.join(map(json.dumps, ask)) + '\\n')\n"
        "assert 'calc.py' in done.stdout, done\n" + FIX
    )
    document = run_agent(repository.path, code, "--verify", CHECK, "--optimize-context").document
    assert (document["outcome"], document["exit"]["code"]) == ("solved", 0)
    assert document["context"]["delivered"] == {"prefix": True, "mcp": True}
    assert document["context"]["mcp_calls"] == 1
    assert document["context"]["tokens"] <= 6000
    assert {"path": "calc.py", "via": ["mcp", "prefix"]}.items() <= {
        key: value for entry in document["files_read"] if entry["path"] == "calc.py" for key, value in entry.items()
    }.items()


def test_the_agent_starts_where_the_person_stands(repository: RealRepository) -> None:
    repository.write("pkg/a/x.py", "x = 1\n")
    repository.commit()
    done = agenvantage(
        "run", "--agent", "exec", "--agent-command", f"{sys.executable} -c \"open('../b.py', 'w').write('y')\"",
        "--task", "Add b", "--json", cwd=repository.path / "pkg" / "a",
    )  # fmt: skip
    assert [entry["path"] for entry in done.document["files_modified"]] == ["pkg/b.py"]


def test_uncommitted_work_is_the_base_when_asked_for(repository: RealRepository) -> None:
    repository.write("notes.txt", "mine\n")
    before = repository.git("status", "--porcelain")
    document = run_agent(
        repository.path, "assert open('notes.txt').read() == 'mine\\n'; " + FIX, "--from", "dirty"
    ).document
    assert [entry["path"] for entry in document["files_modified"]] == ["calc.py"]
    assert (document["repository"]["dirty"], repository.git("status", "--porcelain")) == (True, before)


def test_secrets_leave_no_trace(repository: RealRepository) -> None:
    canary = "canary-5f1e0c77ab"
    code = "import os, sys; print(os.environ.get('MY_TOKEN')); print(sys.argv[0], 'canary-' + '5f1e0c77ab'); " + FIX
    done = run_agent(
        repository.path, code, "--verify", f"echo {canary[:7]}'{canary[7:]}'; {CHECK}", "--env", "MY_TOKEN",
        environment={"MY_TOKEN": canary},
    )  # fmt: skip
    assert done.document["outcome"] == "solved"
    found = subprocess.run(
        ("grep", "-rl", canary, *map(str, places().values())), capture_output=True, text=True, check=False
    )
    assert (found.stdout, canary in done.out, canary in done.err) == ("", False, False)


def test_a_secret_variable_reaches_the_agent_only_by_name(repository: RealRepository) -> None:
    code = "import os; assert 'MY_TOKEN' not in os.environ and os.environ['PLAIN'] == '1'; " + FIX
    document = run_agent(
        repository.path, code, "--verify", CHECK, environment={"MY_TOKEN": "secret-value-1234", "PLAIN": "1"}
    ).document
    assert (document["outcome"], document["exit"]["code"]) == ("solved", 0)


def test_a_kept_tree_is_named_and_gc_leaves_it(repository: RealRepository) -> None:
    document = run_agent(repository.path, FIX, "--keep", "always").document
    assert (Path(document["tree"]) / "calc.py").read_text().count("a + b") == 1
    agenvantage("gc")
    assert Path(document["tree"]).is_dir()


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (("--task", "  "), "empty"),
        (("--task", "x", "--budget", "0", "--optimize-context"), "--budget"),
        (("--task", "x", "--from", "no-such-rev"), "no-such-rev"),
        (("--task", "x", "--no-mcp", "--no-prefix", "--optimize-context"), "nothing to deliver"),
        (("--task", "x", "--workflow", "cooking"), "--workflow"),
        (("--task", "x", "--cwd", "no/such"), "no/such"),
        (("--task", "x", "--optimize-context", "--budget", "5"), "budget"),
    ],
)
def test_bad_input_is_refused_in_a_line_and_leaves_nothing(
    repository: RealRepository, more: tuple[str, ...], says: str
) -> None:
    done = run_agent(repository.path, FIX, *more)
    assert (done.code, done.out) == (2, "")
    assert says in done.err and "Traceback" not in done.err
    assert nothing_left() and not list((places()["DATA"] / "runs").glob("*"))


@pytest.mark.parametrize(
    ("data", "says"), [(b"\xff\xfe task", "UTF-8"), (b"x" * 2_000_000, "bytes long"), (b"", "empty")]
)
def test_a_task_file_that_cannot_be_a_task_is_refused(
    repository: RealRepository, tmp_path: Path, data: bytes, says: str
) -> None:
    (tmp_path / "task").write_bytes(data)
    done = run_agent(repository.path, FIX, "--task-file", tmp_path / "task")
    assert (done.code, says in done.err) == (2, True)


def test_text_piped_in_is_the_task(repository: RealRepository) -> None:
    code = "import sys; assert sys.stdin.read() == 'Mend add', 1; " + FIX
    done = agenvantage(
        "run", "--repo", repository.path, "--agent", "exec", "--agent-command", f'{sys.executable} -c "{code}"',
        "--json", "--verify", CHECK, stdin=b"Mend add",
    )  # fmt: skip
    assert (done.document["outcome"], done.document["exit"]["code"]) == ("solved", 0)


def test_outside_a_repository_there_is_nothing_to_run(tmp_path: Path) -> None:
    done = run_agent(tmp_path, FIX)
    assert (done.code, "No git repository" in done.err) == (2, True)


def test_a_path_with_a_line_end_is_refused(tmp_path: Path) -> None:
    subprocess.run(("git", "init", "-q", str(tmp_path / "a\nb")), check=True)
    done = run_agent(tmp_path / "a\nb", FIX)
    assert (done.code, "line end" in done.err, "Traceback" in done.err) == (2, True, False)


def test_a_repository_without_a_commit_is_refused(tmp_path: Path) -> None:
    subprocess.run(("git", "init", "-q", str(tmp_path / "empty")), check=True)
    done = run_agent(tmp_path / "empty", FIX)
    assert (done.code, "no commit yet" in done.err) == (2, True)


def test_an_unknown_agent_is_refused_with_the_known_ones(repository: RealRepository) -> None:
    done = agenvantage("run", "--repo", repository.path, "--agent", "nobody", "--task", "x")
    assert (done.code, "codex, claude" in done.err) == (2, True)


def test_a_missing_agent_is_infrastructure_and_says_how_to_install_it(
    repository: RealRepository, tmp_path: Path
) -> None:
    git = subprocess.run(("which", "git"), capture_output=True, text=True, check=True).stdout.strip()
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "git").symlink_to(git)
    done = agenvantage(
        "run", "--repo", repository.path, "--agent", "codex", "--task", "x", "--json",
        environment={"PATH": str(tmp_path / "bin")},
    )  # fmt: skip
    assert (done.code, done.document["outcome"]) == (3, "infrastructure")
    assert "codex" in done.document["reason"] and "npm install" in done.err
    assert nothing_left()


def test_an_agent_without_credentials_is_a_provider_matter(repository: RealRepository, tmp_path: Path) -> None:
    fake = tmp_path / "codex"
    fake.write_text("#!/bin/sh\necho codex-cli 9.9.9\n")
    fake.chmod(0o755)
    done = agenvantage(
        "run", "--repo", repository.path, "--agent", "codex", "--agent-bin", fake, "--task", "x", "--json",
        environment={"HOME": str(tmp_path)},
    )  # fmt: skip
    assert (done.code, done.document["outcome"]) == (3, "provider")
    assert "credentials" in done.document["reason"]


def test_a_state_folder_inside_the_repository_is_refused(repository: RealRepository) -> None:
    done = run_agent(repository.path, FIX, "--state-dir", repository.path / "state")
    assert (done.code, "inside" in done.err) == (2, True)
    assert not (repository.path / "state").exists()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_an_unwritable_data_folder_is_told_in_a_line(repository: RealRepository) -> None:
    done = run_agent(repository.path, FIX, "--data-dir", "/dev/full/data")
    assert (done.code, "Traceback" in done.err) == (3, False)


def test_settings_are_shown_with_their_origin(repository: RealRepository) -> None:
    done = agenvantage("config", "--repo", repository.path, "--json", environment={"AGENVANTAGE_BUDGET": "4000"})
    row = next(row for row in done.document["settings"] if row["name"] == "budget")
    assert (row["value"], row["origin"]) == (4000, "AGENVANTAGE_BUDGET")


def test_runs_are_listed_and_shown(repository: RealRepository) -> None:
    document = run_agent(repository.path, FIX, "--verify", CHECK).document
    listed = agenvantage("traces", "list", "--json").document
    assert [row["run_id"] for row in listed["runs"]] == [document["run_id"]]
    shown = agenvantage("traces", "show", document["run_id"][:15])
    assert document["run_id"] in shown.out and "calc.py" in shown.out


def test_a_solved_run_is_applied_when_asked(repository: RealRepository) -> None:
    done = run_agent(repository.path, FIX, "--verify", CHECK, "--apply")
    assert done.document["outcome"] == "solved"
    assert "a + b" in (repository.path / "calc.py").read_text()
    assert repository.git("status", "--porcelain") == "M calc.py"


def test_a_wrong_run_is_not_applied(repository: RealRepository) -> None:
    done = run_agent(repository.path, "open('calc.py', 'a').write('# no\\n')", "--verify", CHECK, "--apply")
    assert "Not applied" in done.err and repository.git("status", "--porcelain") == ""


def test_a_run_is_applied_onto_a_branch_without_touching_the_checkout(repository: RealRepository) -> None:
    document = run_agent(repository.path, FIX, "--verify", CHECK).document
    index = (repository.path / ".git" / "index").read_bytes()
    done = agenvantage("apply", document["run_id"], "--branch", "fix/add", "--repo", repository.path, "--json")
    assert done.code == 0 and "a + b" in repository.git("show", "fix/add:calc.py")
    assert repository.git("status", "--porcelain") == "" and (repository.path / ".git" / "index").read_bytes() == index


def test_a_run_of_another_repository_is_not_applied(repository: RealRepository, tmp_path: Path) -> None:
    run_agent(repository.path, FIX, "--verify", CHECK)
    other = make_repository(tmp_path / "other")
    other.write("calc.py", CALC)
    other.commit("the same file, another history")
    done = agenvantage("apply", "last", "--repo", other.path)
    assert (done.code, "is of project" in done.err, other.git("status", "--porcelain")) == (3, True, "")


def test_inherited_git_variables_redirect_nothing(repository: RealRepository, tmp_path: Path) -> None:
    subprocess.run(("git", "init", "-q", str(tmp_path / "decoy")), check=True)
    before = sorted(path.read_bytes() for path in (tmp_path / "decoy").rglob("*") if path.is_file())
    decoy = {"GIT_DIR": str(tmp_path / "decoy" / ".git"), "GIT_INDEX_FILE": str(tmp_path / "decoy" / "index")}
    document = run_agent(repository.path, FIX, "--verify", CHECK, environment=decoy).document
    assert document["outcome"] == "solved"
    assert sorted(path.read_bytes() for path in (tmp_path / "decoy").rglob("*") if path.is_file()) == before


def test_no_key_of_the_person_is_in_the_checks_environment(repository: RealRepository) -> None:
    check = 'test -z "$OPENAI_API_KEY$CODEX_API_KEY"'
    document = run_agent(
        repository.path, FIX, "--verify", check, environment={"OPENAI_API_KEY": "sk-" + "x" * 30}
    ).document
    assert document["outcome"] == "solved", os.environ.get("OPENAI_API_KEY")
