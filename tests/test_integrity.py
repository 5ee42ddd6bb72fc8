"""The checkout's fingerprint sees every change, makes none, and tells the agent's from the person's."""

from __future__ import annotations

import os

import pytest
from agenvantage.context.git import discover
from agenvantage.runner.integrity import REFRESHED, differences, escaped, fingerprint
from agenvantage.telemetry.model import ToolCall

from .conftest import RealRepository
from .tree_kit import contents, git, tree_maker


def changed_by(repository: RealRepository, change) -> tuple[str, ...]:
    source = discover(repository.path)
    before = fingerprint(source)
    change()
    return differences(before, fingerprint(source))


def test_nothing_changed_is_no_difference(repository):
    assert changed_by(repository, lambda: None) == ()


def test_looking_changes_not_one_byte(repository):
    repository.write("calc.py", "changed\n")
    repository.write("new.py", "new\n")
    # An index whose times are stale is what a plain `git status` would refresh.
    os.utime(repository.path / "test_calc.py", ns=(1, 1))
    before = contents(repository.path)
    fingerprint(discover(repository.path))
    assert contents(repository.path) == before


def test_a_whole_run_leaves_the_checkout_byte_identical(repository, tmp_path):
    repository.write("calc.py", "staged\n")
    repository.git("add", "calc.py")
    repository.write("test_calc.py", "unstaged\n")
    repository.write("new.py", "untracked\n")
    repository.git("stash", "push", "-q", "--", "test_calc.py")
    before = contents(repository.path)
    tree_maker(tmp_path / "state", repository.path)(from_="dirty")
    assert contents(repository.path) == before


CHANGES = {
    "an edit": (lambda r: r.write("calc.py", "changed\n"), "calc.py"),
    "a new file": (lambda r: r.write("deep/er/new.py", "x"), "deep/er/new.py"),
    "a deletion": (lambda r: (r.path / "calc.py").unlink(), "calc.py"),
    "a mode": (lambda r: (r.path / "calc.py").chmod(0o755), "calc.py"),
    "a commit": (lambda r: r.git("commit", "-q", "--allow-empty", "-m", "x"), "refs/heads/main"),
    "a branch": (lambda r: r.git("branch", "other"), "refs/heads/other"),
    "a tag": (lambda r: r.git("tag", "v1"), "refs/tags/v1"),
    "a detached HEAD": (lambda r: r.git("checkout", "-q", "--detach"), "HEAD"),
    "the configuration": (lambda r: r.git("config", "core.pager", "less"), ".git/config"),
    "staging": (lambda r: (r.write("new.py", "x"), r.git("add", "new.py")), ".git/index"),
    "a hook": (lambda r: r.write(".git/hooks/pre-commit", "#!/bin/sh\n"), ".git/hooks/pre-commit"),
    "an exclude": (lambda r: r.write(".git/info/exclude", "x\n"), ".git/info/exclude"),
    "a flag of the index": (lambda r: r.git("update-index", "--skip-worktree", "calc.py"), ".git/index"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_is_named(repository, name):
    change, expected = CHANGES[name]
    assert expected in changed_by(repository, lambda: change(repository))


def test_a_stash_is_named(repository):
    repository.write("calc.py", "changed\n")
    assert "refs/stash" in changed_by(repository, lambda: repository.git("stash"))


def test_a_dropped_stash_of_two_is_seen_by_its_log(repository):
    for text in ("one\n", "two\n"):
        repository.write("calc.py", text)
        repository.git("stash")
    assert ".git/logs/refs/stash" in changed_by(repository, lambda: repository.git("stash", "drop", "stash@{1}"))


def test_a_second_edit_of_a_file_that_was_dirty_before_is_seen(repository):
    repository.write("calc.py", "mine 1\n")
    assert changed_by(repository, lambda: repository.write("calc.py", "mine 2\n")) == ("calc.py",)


def test_an_edit_of_an_untracked_file_is_seen(repository):
    repository.write("notes.txt", "one\n")
    assert changed_by(repository, lambda: repository.write("notes.txt", "two\n")) == ("notes.txt",)


def test_an_edit_of_a_file_the_index_skips_is_seen(repository):
    repository.git("update-index", "--assume-unchanged", "calc.py")
    assert changed_by(repository, lambda: repository.write("calc.py", "changed\n")) == ("calc.py",)


def test_an_edit_that_keeps_size_and_time_is_seen(repository):
    calc = repository.path / "calc.py"
    seen = calc.stat()

    def change() -> None:
        calc.write_text(calc.read_text().replace("a - b", "b - a"))
        os.utime(calc, ns=(seen.st_atime_ns, seen.st_mtime_ns))

    assert changed_by(repository, change) == ("calc.py",)


def test_a_touched_file_with_the_same_content_is_no_difference(repository):
    assert changed_by(repository, lambda: os.utime(repository.path / "calc.py")) == ()


def test_an_index_that_was_only_refreshed_is_called_so(repository):
    os.utime(repository.path / "calc.py", ns=(1, 1))
    found = changed_by(repository, lambda: repository.git("status"))
    assert found == (REFRESHED,)


def test_a_linked_work_tree_sees_its_own_state_and_the_common_refs(repository, tmp_path):
    repository.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "linked"))
    source = discover(tmp_path / "linked")
    before = fingerprint(source)
    (tmp_path / "linked/calc.py").write_text("x\n")
    repository.git("config", "core.pager", "less")
    assert differences(before, fingerprint(source)) == (".git/common/config", "calc.py")


def test_a_bare_repository_has_a_fingerprint(repository, tmp_path):
    git(tmp_path, "clone", "-q", "--bare", str(repository.path), "bare.git")
    source = discover(tmp_path / "bare.git")
    before = fingerprint(source)
    git(tmp_path / "bare.git", "branch", "x", "main")
    assert differences(before, fingerprint(source)) == ("refs/heads/x",)


def test_names_that_are_no_utf8_are_told(repository):
    name = os.fsdecode(b'\xff\n"x')
    assert changed_by(repository, lambda: repository.write(name, "x")) == (name,)


def shell(command: str, cwd: str | None = None) -> ToolCall:
    return ToolCall(id=None, name="shell", kind="shell", command=command, cwd=cwd)


def edit(*paths: str) -> ToolCall:
    return ToolCall(id=None, name="edit", kind="edit", edits=paths)


CHANGED = ("calc.py", "docs/a.md", "refs/heads/main", ".git/index")


@pytest.fixture
def told(repository, tmp_path):
    tree = tmp_path / "state/tree"
    tree.mkdir(parents=True)

    def tell(*calls: ToolCall, observed: bool = True, changed=CHANGED) -> tuple[str, ...]:
        environment = {"SOURCE": str(repository.path), "HOME": str(tmp_path)}
        source = discover(repository.path)
        return escaped(changed, source=source, cwd=tree, calls=calls, observed=observed, environment=environment)

    return tell


def test_a_change_that_no_call_names_is_the_person_s(told):
    assert told(edit("calc.py"), shell("python3 -m unittest"), shell("echo x > calc.py")) == ()


def test_an_edit_by_absolute_path_is_the_agent_s(told, repository):
    assert told(edit(f"{repository.path}/calc.py")) == ("calc.py",)


def test_an_edit_by_a_path_that_climbs_out_is_the_agent_s(told):
    assert told(edit("../../project/calc.py")) == ("calc.py",)


def test_an_edit_through_a_link_is_the_agent_s(told, repository, tmp_path):
    (tmp_path / "state/tree/link").symlink_to(repository.path)
    assert told(edit("link/calc.py")) == ("calc.py",)


@pytest.mark.parametrize(
    "command",
    [
        "echo x > {root}/calc.py",
        "sed -i s/a/b/ {root}/calc.py",
        "cp calc.py {root}/calc.py",
        "python3 -c \"open('{root}/calc.py', 'w')\"",
        "echo x > $SOURCE/calc.py",
        'echo x > "${{SOURCE}}/calc.py"',
        "echo x > ~/project/calc.py",
        "echo x > ../../project/calc.py",
        "cat {root}/calc.py | tee {root}/calc.py",
    ],
)
def test_a_command_that_names_a_file_there_accounts_for_that_file(told, repository, command):
    assert told(shell(command.format(root=repository.path))) == ("calc.py",)


@pytest.mark.parametrize(
    "command",
    [
        "cd {root} && git commit -qam x",
        "git -C {root} commit -qam x",
        "make -C {root}",
        "cd $SOURCE; ./fix",
        "rm -rf {root}",
    ],
)
def test_a_command_that_works_there_accounts_for_everything(told, repository, command):
    assert told(shell(command.format(root=repository.path))) == CHANGED


def test_a_command_that_runs_there_accounts_for_everything(told, repository):
    assert told(shell("make", cwd=str(repository.path))) == CHANGED


def test_a_command_one_folder_above_is_understood(told, repository):
    assert told(shell(f"cd {repository.path.parent} && rm -rf project")) == CHANGED


@pytest.mark.parametrize(
    "command",
    [
        "cat {root}/calc.py",
        "cd {root} && grep -rn add . | head -5",
        "sed -n 1,9p {root}/calc.py",
        "ls {root} 2>/dev/null",
    ],
)
def test_reading_there_is_no_escape(told, repository, command):
    assert told(shell(command.format(root=repository.path))) == ()


def test_without_a_trajectory_every_change_counts(told):
    assert told(observed=False) == CHANGED


def test_an_index_that_an_editor_refreshed_never_counts(told):
    assert told(observed=False, changed=(REFRESHED,)) == ()
