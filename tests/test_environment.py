"""What of a person's environment reaches an agent, a setup command and a check."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from agenvantage.runner.environment import (
    ChildEnvironment,
    child_environment,
    fresh_home_folders,
    is_secret_name,
    secret_values,
)
from hypothesis import given
from hypothesis import strategies as st

TEMPORARY = Path("/run-folder/tmp")


def child(person: dict[str, str], **choices: object) -> ChildEnvironment:
    return child_environment(person, run_id="r1", temporary=TEMPORARY, **choices)  # type: ignore[arg-type]


def test_ordinary_variables_pass_and_are_named() -> None:
    made = child({"PATH": "/bin", "LANG": "C.UTF-8", "HTTPS_PROXY": "http://proxy"})
    assert made.variables["HTTPS_PROXY"] == "http://proxy"
    assert made.passed_names == ("HTTPS_PROXY", "LANG", "PATH")


@pytest.mark.parametrize(
    "name",
    [
        *(
            "GIT_DIR",
            "GIT_WORK_TREE",
            "GIT_INDEX_FILE",
            "GIT_OBJECT_DIRECTORY",
            "GIT_CONFIG_PARAMETERS",
            "GIT_TRACE_PACKET",
        ),
        *("OTEL_EXPORTER_OTLP_HEADERS", "OTEL_SERVICE_NAME", "TRACEPARENT", "TRACESTATE"),
        *(
            "CLAUDECODE",
            "CLAUDE_CODE_ENTRYPOINT",
            "CLAUDE_CONFIG_DIR",
            "CODEX_HOME",
            "CODEX_SANDBOX",
            "CODEX_THREAD_ID",
        ),
        *("OPENAI_API_KEY", "GITHUB_TOKEN", "AWS_SECRET_ACCESS_KEY", "PGPASSWORD", "GOOGLE_APPLICATION_CREDENTIALS"),
        *("my_secret", "Api_Key", "AGENVANTAGE_CACHE_DIR", "AGENVANTAGE_MCP_TOKEN", "OLDPWD", "PWD"),
    ],
)
def test_a_name_that_must_not_pass_is_dropped_and_recorded(name: str) -> None:
    made = child({name: "value", "PATH": "/bin"})
    assert name not in made.variables
    assert made.dropped_names == (name,)


def test_numbered_git_settings_of_the_person_are_replaced_by_ours() -> None:
    person = {"GIT_CONFIG_COUNT": "3", "GIT_CONFIG_KEY_2": "core.worktree", "GIT_CONFIG_VALUE_2": "/elsewhere"}
    made = child(person)
    assert made.variables["GIT_CONFIG_COUNT"] == "2"
    assert "GIT_CONFIG_KEY_2" not in made.variables
    assert "core.worktree" not in made.variables.values()


def test_the_agents_own_key_passes_to_the_agent_alone() -> None:
    person = {"ANTHROPIC_API_KEY": "a", "OPENAI_API_KEY": "o"}
    agent = child(person, agent_keys=("ANTHROPIC_API_KEY",))
    assert agent.passed_names == ("ANTHROPIC_API_KEY",)
    assert child(person).passed_names == ()


def test_a_kept_name_passes_whatever_it_looks_like() -> None:
    person = {"NPM_TOKEN": "n", "OTEL_SERVICE_NAME": "s", "GIT_EDITOR": "vim"}
    made = child(person, keep=tuple(person))
    assert {name: made.variables[name] for name in person} == person
    assert made.dropped_names == ()


def test_where_the_provider_is_passes_although_its_family_does_not() -> None:
    person = {"CLAUDE_CODE_USE_BEDROCK": "1", "ANTHROPIC_BASE_URL": "http://x", "OPENAI_BASE_URL": "http://y"}
    assert child(person).passed_names == tuple(sorted(person))


def test_an_agents_own_nesting_names_are_dropped_too() -> None:
    made = child({"MYAGENT_SESSION": "1", "MYAGENT": "1", "OTHER": "1"}, nesting=("MYAGENT", "MYAGENT_*"))
    assert made.dropped_names == ("MYAGENT", "MYAGENT_SESSION")


def test_the_home_is_the_persons_own_by_default() -> None:
    made = child({"HOME": "/home/p", "XDG_CACHE_HOME": "/home/p/c"})
    assert (made.variables["HOME"], made.variables["XDG_CACHE_HOME"]) == ("/home/p", "/home/p/c")


def test_a_fresh_home_holds_all_personal_folders() -> None:
    home = Path("/run-folder/home")
    made = child({"HOME": "/home/p", "XDG_CONFIG_HOME": "/home/p/c", "XDG_DATA_DIRS": "/usr/share"}, home=home)
    personal = [value for name, value in made.variables.items() if name == "HOME" or name.startswith("XDG_")]
    assert [value for value in personal if not value.startswith(str(home))] == ["/usr/share"]
    assert {Path(value) for value in personal} - {Path("/usr/share")} == set(fresh_home_folders(home))
    assert "HOME" not in made.passed_names


def test_temporary_files_go_to_the_runs_own_folder() -> None:
    made = child({"TMPDIR": "/tmp", "TEMP": "/tmp"})
    assert made.variables["TMPDIR"] == made.variables["TEMP"] == str(TEMPORARY)
    assert "TMP" not in made.variables


def test_what_is_given_explicitly_is_set_last() -> None:
    made = child({"AGENVANTAGE_TASK_FILE": "old"}, extra={"AGENVANTAGE_TASK_FILE": "new", "CODEX_HOME": "/h"})
    assert made.variables["AGENVANTAGE_TASK_FILE"] == "new"
    assert made.variables["CODEX_HOME"] == "/h"
    assert made.variables["AGENVANTAGE_RUN"] == "r1"


def test_values_are_not_in_what_is_printed_of_it() -> None:
    assert "hunter2" not in repr(child({"PLAIN": "hunter2"}))


def test_git_in_a_child_signs_nothing_and_asks_nobody(tmp_path: Path) -> None:
    (tmp_path / "tmp").mkdir()
    person = {"PATH": os.environ["PATH"], "GIT_EDITOR": "false", "GIT_PAGER": "false"}
    for role in ("AUTHOR", "COMMITTER"):
        person |= {f"GIT_{role}_NAME": "A Person", f"GIT_{role}_EMAIL": "p@example.org"}
    made = child_environment(person, run_id="r1", temporary=tmp_path / "tmp", home=tmp_path)
    for command in (
        "git init -q .",
        "git config commit.gpgSign true",
        "git config user.signingKey nothing",
        "git commit -q --allow-empty -m x",
        "git commit -q --amend --allow-empty",
        "git tag -a -m y v1",
        "git log",
    ):
        subprocess.run(command.split(), cwd=tmp_path, env=dict(made.variables), check=True, capture_output=True)


def test_secret_values_leave_out_what_would_garble_text() -> None:
    person = {"A_KEY": "long-secret", "B_TOKEN": "abc", "MAX_TOKENS": "128000", "C_PASSWORD": "hunter2"}
    person |= {"X_CREDENTIALS": "/home/p/key.json", "PLAIN": "not-a-secret"}
    assert secret_values(person) == ("long-secret", "hunter2")


NAMES = st.sampled_from(["PATH", "GIT_DIR", "A_TOKEN", "OTEL_X", "CLAUDECODE", "EDITOR", "PWD", "TMP", "HOME"])


@given(person=st.dictionaries(NAMES | st.text("ABCDEFGHIJK_", min_size=1), st.text(max_size=3)))
def test_every_name_passes_or_is_dropped_or_is_set_by_us(person: dict[str, str]) -> None:
    made = child(person)
    assert set(made.passed_names).isdisjoint(made.dropped_names)
    assert list(made.variables) == sorted(made.variables)
    assert not any(is_secret_name(name) for name in made.passed_names)
    ours = made.variables.keys() - set(made.passed_names)
    assert set(person) <= set(made.passed_names) | set(made.dropped_names) | ours


@given(person=st.dictionaries(NAMES, st.text(max_size=3)))
def test_equal_environments_give_equal_children(person: dict[str, str]) -> None:
    backwards = dict(reversed(person.items()))
    assert list(child(person).variables.items()) == list(child(backwards).variables.items())
