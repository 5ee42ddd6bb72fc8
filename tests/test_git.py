"""The one door to git: which repository it opens, and whose settings and variables it heeds."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from agenvantage.context.errors import EmptyRepository, GitFailed, NotARepository, UnknownRevision
from agenvantage.context.git import (
    commits_between,
    configuration,
    configuration_text,
    discover,
    git,
    has_object,
    listed,
    names,
    place,
    resolve,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from .conftest import RealRepository, make_repository


def test_a_subfolder_belongs_to_its_repository(repository):
    repository.write("deep/er/a.py", "x\n")
    found = discover(repository.path / "deep/er")
    assert (found.root, found.git_dir, found.bare) == (repository.path, repository.path / ".git", False)
    assert found.name == "project"


def test_a_linked_work_tree_has_its_own_git_directory_and_the_common_one(repository, tmp_path):
    repository.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "linked"))
    found = discover(tmp_path / "linked")
    assert (found.root, found.common_dir) == (tmp_path / "linked", repository.path / ".git")
    assert found.git_dir == repository.path / ".git/worktrees/linked"


def test_a_bare_repository_is_its_own_root(repository, tmp_path):
    repository.git("clone", "-q", "--bare", ".", str(tmp_path / "project.git"))
    found = discover(tmp_path / "project.git")
    assert (found.root, found.bare, found.name) == (tmp_path / "project.git", True, "project")


@pytest.mark.parametrize("place_", ["missing", "file", "plain"])
def test_what_is_no_repository_is_called_so(tmp_path, place_):
    (tmp_path / "file").write_text("x")
    (tmp_path / "plain").mkdir()
    with pytest.raises(NotARepository):
        discover(tmp_path / place_)


def test_a_place_inside_the_git_directory_is_no_work_tree(repository):
    with pytest.raises(NotARepository):
        discover(repository.path / ".git/refs")


def test_variables_that_point_elsewhere_are_dropped(repository, tmp_path, monkeypatch):
    decoy = make_repository(tmp_path / "decoy")
    for name in ("GIT_DIR", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY", "GIT_INDEX_FILE"):
        monkeypatch.setenv(name, str(decoy.path / ".git"))
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "user.name")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "Somebody Else")
    assert discover(repository.path).root == repository.path
    assert dict(configuration(repository.path))["user.name"] == "A Person"


def test_a_command_that_fails_says_what_git_said(repository):
    with pytest.raises(GitFailed, match=r"git cat-file -t failed \(exit 128\)"):
        git(repository.path, "cat-file", "-t", "0" * 40)


def test_a_command_that_takes_too_long_is_stopped(repository):
    with pytest.raises(GitFailed, match="no answer within"):
        git(repository.path, "-c", "alias.wait=!sleep 5", "wait", time_limit_seconds=0.2)


def test_a_command_reads_nothing_from_the_terminal(repository):
    assert git(repository.path, "hash-object", "--stdin") == git(repository.path, "hash-object", "--stdin", stdin=b"")


def test_a_revision_becomes_the_commit_it_names(repository):
    repository.git("tag", "-a", "v1", "-m", "x")
    source = discover(repository.path)
    assert (
        resolve(source, "v1")
        == resolve(source, "main")
        == resolve(source, "HEAD")
        == repository.git("rev-parse", "HEAD")
    )


@pytest.mark.parametrize("revision", ["nowhere", "--all", "-1", "HEAD..HEAD", "HEAD:calc.py", "", " ", "a\nb", "@{-1}"])
def test_a_revision_that_is_no_commit_is_unknown(repository, revision):
    with pytest.raises(UnknownRevision):
        resolve(discover(repository.path), revision)


def test_a_repository_without_a_commit_is_empty(tmp_path):
    with pytest.raises(EmptyRepository):
        resolve(discover(make_repository(tmp_path / "empty").path), "HEAD")


def test_an_object_is_there_or_not(repository):
    assert has_object(repository.path, "HEAD^{commit}")
    assert not has_object(repository.path, "0" * 40)


def test_names_survive_the_way_to_git_and_back():
    wanted = ["a", "b c", "line\nbreak", os.fsdecode(b"\xff")]
    assert names(listed(wanted)) == wanted


keys = st.sampled_from(["user.name", "filter.l f s.clean", 'filter.a"b\\c.smudge', "branch.x.y.merge"])
values = st.none() | st.text(st.characters(codec="utf-8", exclude_characters="\0\r"), max_size=20)


@settings(deadline=None, max_examples=30)
@given(entries=st.lists(st.tuples(keys, values), max_size=5))
def test_a_configuration_file_says_what_was_put_into_it(tmp_path_factory, entries):
    file = tmp_path_factory.mktemp("config") / "config"
    file.write_text(configuration_text(entries), encoding="utf-8")
    answer = names(git(file.parent, "config", "--file", str(file), "--list", "-z")) if entries else []
    read = [tuple(row.split("\n", 1)) if "\n" in row else (row, None) for row in answer]
    assert read == entries


def test_commits_are_found_in_a_store_beside(repository, tmp_path, monkeypatch):
    base = repository.git("rev-parse", "HEAD")
    repository.git("clone", "-q", ".", str(tmp_path / "other"))
    other = RealRepository(tmp_path / "other")
    other.git("config", "user.name", "x")
    other.git("config", "user.email", "x")
    made = [other.commit("one"), other.commit("two")]
    monkeypatch.setenv("GIT_DIR", str(tmp_path))
    found = commits_between(
        repository.path / ".git", base, [made[1], base, "--all", "ext::sh"], objects=other.path / ".git/objects"
    )
    assert found == (made[1], made[0])


def test_history_that_can_t_be_read_is_said_so(repository):
    with pytest.raises(GitFailed):
        commits_between(
            repository.path / ".git", repository.git("rev-parse", "HEAD"), ["1" * 40], objects=Path("/nowhere")
        )


def test_the_environment_names_only_what_is_given(tmp_path):
    assert place(tmp_path) == {"GIT_DIR": str(tmp_path)}
    assert place(tmp_path, index=tmp_path / "i")["GIT_INDEX_FILE"] == str(tmp_path / "i")
