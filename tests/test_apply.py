"""A run's patch comes into the checkout whole, joined with the person's own work, or not at all."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from agenvantage.context.git import discover
from agenvantage.runner import swap as swapping
from agenvantage.runner.apply import (
    Applied,
    ApplyRequest,
    BadBranch,
    NoIdentity,
    NotApplicable,
    OperationUnderWay,
    PatchDoesNotFit,
    apply,
)
from agenvantage.runner.patch import capture
from agenvantage.runner.worktree import RunTree
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from .conftest import RealRepository, make_repository
from .tree_kit import MakeTree, contents, files, git, put, tree_maker, trees

NUMBERS = "".join(f"line {number}\n" for number in range(1, 21))
Work = Callable[[Path], None]


@pytest.fixture
def make_tree(tmp_path: Path, repository: RealRepository) -> MakeTree:
    repository.write("numbers.txt", NUMBERS)
    repository.write("lib/one.py", "1\n")
    repository.write("lib/two.py", "2\n")
    repository.write("data.bin", b"\0\1\2")
    repository.commit()
    return tree_maker(tmp_path / "state", repository.path)


def replaced(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def captured(tree: RunTree, work: Work) -> tuple[RunTree, Path]:
    work(tree.root)
    patch_file = tree.root.parent / "patch.diff"
    assert capture(tree, patch_file).reapplies
    return tree, patch_file


def bring(made: tuple[RunTree, Path], to: Path, branch: str | None = None) -> Applied:
    tree, patch_file = made
    return apply(
        ApplyRequest(
            repository=discover(to),
            base_commit=tree.base_commit,
            patch_file=patch_file,
            branch=branch,
            source_commit=tree.source_commit,
        )
    )


def whole(folder: Path) -> dict[str, object]:
    """Every byte and every time of change below, git directory included."""
    stamps: dict[str, object] = {
        str(path.relative_to(folder)): (path.lstat().st_mtime_ns, path.lstat().st_ino) for path in folder.rglob("*")
    }
    return stamps | contents(folder)


def fix_calc(root: Path) -> None:
    replaced(root / "calc.py", "a - b", "a + b")


def everything(root: Path) -> None:
    """One patch with every kind of change in it."""
    fix_calc(root)
    (root / "new").mkdir()
    (root / "new/file.py").write_text("n = 1\n")
    (root / "data.bin").write_bytes(b"\0\3\3\3")
    (root / "run.sh").write_text("#!/bin/sh\n")
    (root / "run.sh").chmod(0o755)
    (root / "lib/one.py").rename(root / "lib/uno.py")
    (root / "lib/two.py").unlink()
    (root / "link").symlink_to("calc.py")
    (root / "test_calc.py").chmod(0o755)


def test_every_kind_of_change_arrives(repository, make_tree):
    made = captured(make_tree(), everything)
    applied = bring(made, repository.path)
    assert files(repository.path) == files(made[0].root)
    assert (applied.already, applied.merged) == (False, ())


def test_the_index_refs_and_config_are_left_alone(repository, make_tree):
    made = captured(make_tree(), everything)
    repository.write("staged.txt", "s\n")
    repository.git("add", "staged.txt")
    before = contents(repository.path / ".git")
    bring(made, repository.path)
    assert contents(repository.path / ".git") == before


def test_the_result_is_named(repository, make_tree):
    made = captured(make_tree(), everything)
    assert bring(made, repository.path).paths == (
        "calc.py", "data.bin", "lib/one.py", "lib/two.py", "lib/uno.py", "link", "new/file.py", "run.sh",
        "test_calc.py",
    )  # fmt: skip


def test_the_person_s_changes_in_other_files_stay(repository, make_tree):
    made = captured(make_tree(), fix_calc)
    repository.write("lib/one.py", "mine\n")
    repository.write("untracked.txt", "mine\n")
    bring(made, repository.path)
    assert (repository.path / "lib/one.py").read_text() == "mine\n"
    assert "a + b" in (repository.path / "calc.py").read_text()


def test_the_person_s_changes_in_the_same_file_are_joined(repository, make_tree):
    made = captured(make_tree(), lambda root: replaced(root / "numbers.txt", "line 15\n", "agent\n"))
    replaced(repository.path / "numbers.txt", "line 2\n", "person\n")
    applied = bring(made, repository.path)
    text = (repository.path / "numbers.txt").read_text()
    assert ("agent\n" in text, "person\n" in text, applied.merged) == (True, True, ("numbers.txt",))


def test_joined_with_what_is_staged_the_staged_version_stays(repository, make_tree):
    made = captured(make_tree(), lambda root: replaced(root / "numbers.txt", "line 15\n", "agent\n"))
    replaced(repository.path / "numbers.txt", "line 2\n", "person\n")
    repository.git("add", "numbers.txt")
    bring(made, repository.path)
    staged = repository.git("show", ":numbers.txt")
    assert ("person" in staged, "agent" in staged) == (True, False)


def test_a_person_who_committed_meanwhile_gets_both(repository, make_tree):
    made = captured(make_tree(), lambda root: replaced(root / "numbers.txt", "line 15\n", "agent\n"))
    replaced(repository.path / "numbers.txt", "line 2\n", "person\n")
    repository.commit()
    bring(made, repository.path)
    assert repository.git("diff", "--numstat") == "1\t1\tnumbers.txt"


def test_an_edit_of_a_renamed_file_by_the_person_is_joined(repository, make_tree):
    made = captured(make_tree(), lambda root: (root / "numbers.txt").rename(root / "figures.txt"))
    replaced(repository.path / "numbers.txt", "line 2\n", "person\n")
    bring(made, repository.path)
    assert not (repository.path / "numbers.txt").exists()
    assert "person" in (repository.path / "figures.txt").read_text()


def conflict_in_text(repository: RealRepository) -> None:
    replaced(repository.path / "calc.py", "a - b", "b - a")


def conflict_in_binary(repository: RealRepository) -> None:
    repository.write("data.bin", b"\0\7\7")


def conflict_by_deletion(repository: RealRepository) -> None:
    (repository.path / "calc.py").unlink()


def conflict_with_a_deletion(repository: RealRepository) -> None:
    repository.write("lib/two.py", "kept and changed\n")


def untracked_file_in_the_way(repository: RealRepository) -> None:
    repository.write("new/file.py", "mine\n")


def ignored_file_in_the_way(repository: RealRepository) -> None:
    (repository.path / ".git/info/exclude").write_text("new/\n")
    repository.write("new/file.py", "mine\n")


def other_file_added(repository: RealRepository) -> None:
    repository.write("run.sh", "mine\n")
    repository.git("add", "run.sh")


def folder_in_the_way(repository: RealRepository) -> None:
    repository.write("run.sh/inner.txt", "mine\n")


def file_where_a_folder_should_be(repository: RealRepository) -> None:
    repository.write("new", "mine\n")


def link_where_a_folder_should_be(repository: RealRepository) -> None:
    (repository.path / "new").symlink_to(repository.path.parent)


def dangling_link_in_the_way(repository: RealRepository) -> None:
    (repository.path / "run.sh").symlink_to("nowhere")


def folder_moved_behind_a_link(repository: RealRepository) -> None:
    (repository.path / "lib").rename(repository.path / "src")
    (repository.path / "lib").symlink_to("src")


def rename_target_taken(repository: RealRepository) -> None:
    repository.write("lib/uno.py", "mine\n")


CONFLICTS = {
    conflict_in_text: "calc.py",
    conflict_in_binary: "data.bin",
    conflict_by_deletion: "calc.py",
    conflict_with_a_deletion: "lib/two.py",
    untracked_file_in_the_way: "new/file.py",
    ignored_file_in_the_way: "new/file.py",
    other_file_added: "run.sh",
    folder_in_the_way: "run.sh",
    file_where_a_folder_should_be: "new/file.py",
    link_where_a_folder_should_be: "new/file.py",
    dangling_link_in_the_way: "run.sh",
    folder_moved_behind_a_link: "lib/two.py",
    rename_target_taken: "lib/uno.py",
}


@pytest.mark.parametrize("conflict", CONFLICTS, ids=lambda conflict: conflict.__name__)
def test_a_conflict_is_named_and_changes_not_one_byte_or_time(repository, make_tree, conflict):
    made = captured(make_tree(), everything)
    conflict(repository)
    before = whole(repository.path)
    with pytest.raises(PatchDoesNotFit) as refused:
        bring(made, repository.path)
    assert CONFLICTS[conflict] in refused.value.reasons
    assert whole(repository.path) == before


def test_an_untracked_file_in_the_way_is_called_that(repository, make_tree):
    made = captured(make_tree(), everything)
    untracked_file_in_the_way(repository)
    with pytest.raises(PatchDoesNotFit, match=r"new/file.py.*untracked file is in the way"):
        bring(made, repository.path)


def test_an_untracked_file_with_the_same_content_is_no_obstacle(repository, make_tree):
    made = captured(make_tree(), everything)
    repository.write("new/file.py", "n = 1\n")
    bring(made, repository.path)
    assert files(repository.path) == files(made[0].root)


def test_applying_twice_says_that_it_is_there_already(repository, make_tree):
    made = captured(make_tree(), everything)
    bring(made, repository.path)
    before = whole(repository.path)
    assert bring(made, repository.path).already
    assert whole(repository.path) == before


def test_half_of_it_applied_by_hand_is_completed(repository, make_tree):
    made = captured(make_tree(), everything)
    fix_calc(repository.path)
    (repository.path / "lib/two.py").unlink()
    bring(made, repository.path)
    assert files(repository.path) == files(made[0].root)


def test_an_empty_patch_is_there_already(repository, make_tree):
    assert bring(captured(make_tree(), lambda _: None), repository.path).already


def swap_lib_for_a_file(root: Path) -> None:
    shutil.rmtree(root / "lib")
    (root / "lib").write_text("a file\n")
    (root / "calc.py").unlink()
    (root / "calc.py").mkdir()
    (root / "calc.py/deep.py").write_text("x\n")


def test_files_and_folders_may_change_places(repository, make_tree):
    made = captured(make_tree(), swap_lib_for_a_file)
    bring(made, repository.path)
    assert files(repository.path) == files(made[0].root)


def test_a_folder_with_the_person_s_own_file_in_it_stays(repository, make_tree):
    made = captured(make_tree(), swap_lib_for_a_file)
    repository.write("lib/mine.txt", "mine\n")
    before = whole(repository.path)
    with pytest.raises(PatchDoesNotFit):
        bring(made, repository.path)
    assert whole(repository.path) == before


def test_a_folder_goes_with_its_last_file(repository, make_tree):
    made = captured(make_tree(), lambda root: shutil.rmtree(root / "lib"))
    bring(made, repository.path)
    assert not (repository.path / "lib").exists()


def test_rights_that_git_does_not_keep_stay(repository, make_tree):
    made = captured(make_tree(), everything)
    (repository.path / "calc.py").chmod(0o600)
    (repository.path / "test_calc.py").chmod(0o640)
    bring(made, repository.path)
    modes = [(repository.path / name).stat().st_mode & 0o777 for name in ("calc.py", "test_calc.py")]
    assert modes == [0o600, 0o750]


def test_line_ends_of_the_checkout_are_kept(repository, make_tree):
    made = captured(make_tree(), lambda root: replaced(root / "numbers.txt", "line 15\n", "agent\n"))
    repository.git("config", "core.autocrlf", "true")
    (repository.path / "numbers.txt").write_bytes(
        NUMBERS.replace("line 2\n", "person\n").replace("\n", "\r\n").encode()
    )
    bring(made, repository.path)
    expected = NUMBERS.replace("line 2\n", "person\n").replace("line 15\n", "agent\n").replace("\n", "\r\n")
    assert (repository.path / "numbers.txt").read_bytes() == expected.encode()


def test_a_file_that_breaks_its_own_line_end_rules_takes_the_patch(repository, make_tree):
    make = make_tree
    repository.write("crlf.txt", b"one\r\ntwo\r\n")
    repository.commit()
    repository.write(".gitattributes", "*.txt text\n")
    repository.git("add", ".gitattributes")
    repository.git("commit", "-q", "-m", "rules")
    made = captured(make(), lambda root: (root / "crlf.txt").write_bytes(b"one\r\n2\r\n") and None)
    os.utime(repository.path / "crlf.txt", ns=(1, 1))
    assert not bring(made, repository.path).already
    assert (repository.path / "crlf.txt").read_bytes().replace(b"\r", b"") == b"one\n2\n"


def test_names_that_are_no_utf8_and_with_line_breaks_arrive(repository, make_tree):
    def work(root: Path) -> None:
        for name in (b"a\nb", b"\xff", b'q"q', b"-x", b":(glob)*"):
            Path(os.fsdecode(os.fsencode(root) + b"/" + name)).write_bytes(name)

    made = captured(make_tree(), work)
    bring(made, repository.path)
    assert files(repository.path) == files(made[0].root)


def test_applied_from_a_subfolder_it_reaches_the_whole_repository(repository, make_tree):
    made = captured(make_tree(), everything)
    bring(made, repository.path / "lib")
    assert files(repository.path) == files(made[0].root)


def test_a_linked_work_tree_takes_the_patch(repository, make_tree, tmp_path):
    made = captured(make_tree(), everything)
    repository.git("worktree", "add", "-q", "-b", "other", str(tmp_path / "linked"))
    before = whole(repository.path)
    bring(made, tmp_path / "linked")
    assert files(tmp_path / "linked") == files(made[0].root)
    assert {p: v for p, v in whole(repository.path).items() if "worktrees" not in p} == {
        p: v for p, v in before.items() if "worktrees" not in p
    }


def test_a_sparse_checkout_refuses_what_lies_outside_it(repository, make_tree):
    made = captured(make_tree(), everything)
    repository.git("sparse-checkout", "set", "--no-cone", "/*", "!/lib/")
    before = whole(repository.path)
    with pytest.raises(PatchDoesNotFit, match="outside this sparse checkout"):
        bring(made, repository.path)
    assert whole(repository.path) == before


def test_a_sparse_checkout_takes_what_lies_inside_it(repository, make_tree):
    made = captured(make_tree(), fix_calc)
    repository.git("sparse-checkout", "set", "--no-cone", "/*", "!/lib/")
    bring(made, repository.path)
    assert "a + b" in (repository.path / "calc.py").read_text()


@pytest.mark.parametrize("operation", ["merge", "rebase", "cherry-pick"])
def test_an_operation_under_way_is_a_reason_to_refuse(repository, make_tree, operation):
    made = captured(make_tree(), everything)
    repository.git("checkout", "-q", "-b", "side")
    repository.write("calc.py", "side\n")
    repository.commit()
    repository.git("checkout", "-q", "main")
    repository.write("calc.py", "main\n")
    repository.commit()
    with pytest.raises(Exception, match="returned non-zero"):
        repository.git(operation, "side")
    before = whole(repository.path)
    with pytest.raises(OperationUnderWay, match=operation):
        bring(made, repository.path)
    assert whole(repository.path) == before


def test_a_bare_repository_needs_a_branch(repository, make_tree, tmp_path):
    made = captured(make_tree(), everything)
    git(tmp_path, "clone", "-q", "--bare", str(repository.path), "bare.git")
    git(tmp_path / "bare.git", "config", "user.name", "A Person")
    git(tmp_path / "bare.git", "config", "user.email", "person@example.org")
    with pytest.raises(NotApplicable, match="--branch"):
        bring(made, tmp_path / "bare.git")
    applied = bring(made, tmp_path / "bare.git", branch="agent")
    assert git(tmp_path / "bare.git", "rev-parse", "agent^") == applied.base == made[0].base_commit


def test_a_branch_holds_base_and_patch_and_nothing_else_moves(repository, make_tree, tmp_path):
    made = captured(make_tree(), everything)
    replaced(repository.path / "calc.py", "a - b", "mine")
    repository.write("staged.txt", "s\n")
    repository.git("add", "staged.txt")
    index, head = (repository.path / ".git/index").read_bytes(), (repository.path / ".git/HEAD").read_bytes()
    work = whole(repository.path)
    applied = bring(made, repository.path, branch="agent/fix")
    assert {p: v for p, v in whole(repository.path).items() if not p.startswith(".git")} == {
        p: v for p, v in work.items() if not p.startswith(".git")
    }
    assert ((repository.path / ".git/index").read_bytes(), (repository.path / ".git/HEAD").read_bytes()) == (
        index,
        head,
    )
    git(repository.path, "worktree", "add", "-q", str(tmp_path / "look"), "agent/fix")
    assert files(tmp_path / "look") == files(made[0].root)
    assert (
        git(repository.path, "log", "-1", "--format=%an <%ae>", str(applied.commit)) == "A Person <person@example.org>"
    )


def test_a_branch_that_exists_is_refused(repository, make_tree):
    made = captured(make_tree(), fix_calc)
    before = whole(repository.path)
    with pytest.raises(BadBranch, match="exists"):
        bring(made, repository.path, branch="main")
    assert whole(repository.path) == before


@pytest.mark.parametrize("name", ["", " ", "-x", "a..b", "a b", "x.lock", "HEAD", "@{u}", "a\nb", "/a", "a/"])
def test_a_name_that_is_no_branch_is_refused(repository, make_tree, name):
    made = captured(make_tree(), fix_calc)
    with pytest.raises(BadBranch):
        bring(made, repository.path, branch=name)


def test_a_branch_below_another_is_refused_by_its_name(repository, make_tree):
    made = captured(make_tree(), fix_calc)
    with pytest.raises((BadBranch, NotApplicable)):
        bring(made, repository.path, branch="main/x")


def test_another_repository_is_refused(make_tree, tmp_path):
    made = captured(make_tree(), fix_calc)
    stranger = make_repository(tmp_path / "stranger")
    stranger.write("calc.py", "something else\n")
    stranger.commit()
    before = whole(stranger.path)
    with pytest.raises(NotApplicable):
        bring(made, stranger.path)
    with pytest.raises(NotApplicable):
        bring(made, stranger.path, branch="x")
    assert whole(stranger.path) == before


def test_a_damaged_patch_is_refused(repository, make_tree):
    tree, patch_file = captured(make_tree(), everything)
    whole_patch = patch_file.read_bytes()
    patch_file.write_bytes(whole_patch[: whole_patch.index(b"+    return")])
    before = whole(repository.path)
    with pytest.raises(NotApplicable):
        bring((tree, patch_file), repository.path)
    assert whole(repository.path) == before


def test_a_patch_that_is_not_the_recorded_one_is_refused(repository, make_tree):
    tree, patch_file = captured(make_tree(), everything)
    request = ApplyRequest(
        repository=discover(repository.path), base_commit=tree.base_commit, patch_file=patch_file, sha256="0" * 64
    )
    before = whole(repository.path)
    with pytest.raises(NotApplicable, match="not the patch that was recorded"):
        apply(request)
    assert whole(repository.path) == before


def test_a_branch_without_an_identity_says_how_to_set_one(repository, make_tree, monkeypatch):
    made = captured(make_tree(), fix_calc)
    repository.git("config", "--unset", "user.name")
    repository.git("config", "--unset", "user.email")
    repository.git("config", "user.useConfigOnly", "true")
    for variable in ("GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL", "EMAIL"):
        monkeypatch.delenv(variable, raising=False)
    with pytest.raises(NoIdentity, match=r"git config user\.name"):
        bring(made, repository.path, branch="agent")


def dirty(repository: RealRepository) -> None:
    replaced(repository.path / "numbers.txt", "line 2\n", "uncommitted\n")
    repository.write("fresh.txt", "fresh\n" + NUMBERS)


def on_dirty(root: Path) -> None:
    replaced(root / "numbers.txt", "line 15\n", "agent\n")
    replaced(root / "fresh.txt", "line 3\n", "agent\n")


def test_a_dirty_run_applies_onto_the_checkout_that_it_came_from(repository, make_tree):
    dirty(repository)
    made = captured(make_tree(from_="dirty"), on_dirty)
    bring(made, repository.path)
    assert files(repository.path) == files(made[0].root)


def test_a_dirty_run_applies_where_the_person_went_on_elsewhere_in_the_file(repository, make_tree):
    dirty(repository)
    made = captured(make_tree(from_="dirty"), on_dirty)
    replaced(repository.path / "fresh.txt", "line 18\n", "person\n")
    bring(made, repository.path)
    text = (repository.path / "fresh.txt").read_text()
    assert ("agent" in text, "person" in text) == (True, True)


def test_a_dirty_run_applied_twice_says_so(repository, make_tree):
    dirty(repository)
    made = captured(make_tree(from_="dirty"), on_dirty)
    bring(made, repository.path)
    assert bring(made, repository.path).already


def test_a_dirty_run_does_not_fit_a_checkout_without_its_changes(repository, make_tree):
    dirty(repository)
    made = captured(make_tree(from_="dirty"), on_dirty)
    (repository.path / "fresh.txt").unlink()
    before = whole(repository.path)
    with pytest.raises((NotApplicable, PatchDoesNotFit)):
        bring(made, repository.path)
    assert whole(repository.path) == before


def test_a_dirty_run_s_branch_says_what_it_stands_on(repository, make_tree):
    dirty(repository)
    made = captured(make_tree(from_="dirty"), lambda root: replaced(root / "numbers.txt", "line 15\n", "agent\n"))
    applied = bring(made, repository.path, branch="agent")
    assert applied.base == made[0].source_commit
    assert "without the uncommitted changes" in str(applied.note)
    assert "uncommitted" not in repository.git("show", "agent:numbers.txt")


def test_a_merge_rule_of_the_repository_is_kept(repository, make_tree):
    repository.write(".gitattributes", "numbers.txt -merge\n")
    repository.commit()
    made = captured(make_tree(), lambda root: replaced(root / "numbers.txt", "line 15\n", "agent\n"))
    replaced(repository.path / "numbers.txt", "line 2\n", "person\n")
    with pytest.raises(PatchDoesNotFit, match="not to merge"):
        bring(made, repository.path)


def test_a_merge_program_of_the_repository_does_not_run(repository, make_tree, tmp_path):
    repository.write(".gitattributes", "* merge=evil diff=evil\n")
    repository.commit()
    for key in ("merge.evil.driver", "diff.evil.textconv", "diff.external", "core.fsmonitor"):
        repository.git("config", key, f"touch {tmp_path / 'ran'}")
    hook = repository.path / ".git/hooks/reference-transaction"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch {tmp_path / 'ran'}\n")
    hook.chmod(0o755)
    made = captured(make_tree(), lambda root: replaced(root / "numbers.txt", "line 15\n", "agent\n"))
    replaced(repository.path / "numbers.txt", "line 2\n", "person\n")
    bring(made, repository.path)
    bring(made, repository.path, branch="agent")
    assert not (tmp_path / "ran").exists()


def test_variables_that_point_git_elsewhere_have_no_say(repository, make_tree, tmp_path, monkeypatch):
    made = captured(make_tree(), everything)
    decoy = make_repository(tmp_path / "decoy")
    decoy.write("x", "x")
    decoy.commit()
    before = whole(decoy.path)
    monkeypatch.setenv("GIT_DIR", str(decoy.path / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(decoy.path))
    monkeypatch.setenv("GIT_INDEX_FILE", str(decoy.path / ".git/index"))
    bring(made, repository.path)
    bring(made, repository.path, branch="agent")
    assert whole(decoy.path) == before
    assert files(repository.path) == files(made[0].root)


@pytest.mark.parametrize("step", range(12))
def test_a_failure_at_any_step_puts_everything_back(repository, make_tree, monkeypatch, step):
    made = captured(make_tree(), everything)
    before = {path: facts for path, facts in whole(repository.path).items() if (repository.path / path).is_file()}
    count = iter(range(1000))
    real_rename, real_link = Path.rename, os.link

    def failing_rename(self, target):
        if next(count) == step:
            raise OSError(28, "No space left on device")
        return real_rename(self, target)

    def failing_link(source, target, **options):
        if next(count) == step:
            raise KeyboardInterrupt
        return real_link(source, target, **options)

    with monkeypatch.context() as broken:
        broken.setattr(swapping.Path, "rename", failing_rename)
        broken.setattr(swapping.os, "link", failing_link)
        with pytest.raises((NotApplicable, KeyboardInterrupt)):
            bring(made, repository.path)
    assert {
        path: facts for path, facts in whole(repository.path).items() if (repository.path / path).is_file()
    } == before
    assert not list((repository.path / ".git").glob(".agenvantage*"))


def test_a_file_that_changes_at_the_last_moment_stops_it(repository, make_tree, monkeypatch):
    made = captured(make_tree(), everything)
    real = swapping._put_aside

    def late(plan, path, undo):
        if path == "lib/two.py":
            repository.write("lib/two.py", "just now\n")
        real(plan, path, undo)

    monkeypatch.setattr(swapping, "_put_aside", late)
    with pytest.raises(swapping.ChangedMeanwhile):
        bring(made, repository.path)
    assert (repository.path / "lib/two.py").read_text() == "just now\n"
    assert "a - b" in (repository.path / "calc.py").read_text()


LINES = [f"line {number}" for number in range(24)]
edits = st.dictionaries(st.integers(0, 23), st.sampled_from(["changed", "", "two\nlines"]), max_size=4)
other_files = st.sets(st.sampled_from(["a.txt", "b.txt", "c.txt", "d/e.txt"]))


def edited(by: dict[int, str]) -> str:
    return "".join(f"{by.get(number, text)}\n" for number, text in enumerate(LINES))


def git_merges(folder: Path, branch: str) -> bool:
    done = subprocess.run(("git", "merge", "-q", "--no-edit", branch), cwd=folder, capture_output=True, check=False)
    return done.returncode == 0


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(agent=edits, person=edits, agent_files=other_files, person_files=other_files)
def test_apply_is_what_git_merge_would_make_or_nothing(tmp_path_factory, agent, person, agent_files, person_files):
    """For all edits: the result is git's own merge of the two, and where git finds a conflict no byte changes."""
    folder = tmp_path_factory.mktemp("law")
    repository = make_repository(folder / "project")
    repository.write("text.txt", edited({}))
    for name in ("a.txt", "b.txt", "c.txt", "d/e.txt"):
        repository.write(name, name)
    base = repository.commit()

    def work(root: Path) -> None:
        (root / "text.txt").write_text(edited(agent))
        for name in agent_files:
            (root / name).unlink()

    made = captured(tree_maker(folder / "state", repository.path)(), work)
    git(repository.path, "worktree", "add", "-q", "--detach", str(folder / "expected"), base)
    for place in (folder / "expected", repository.path):
        (place / "text.txt").write_text(edited(person))
        for name in person_files:
            (place / name).unlink()
    git(folder / "expected", "add", "-A")
    git(folder / "expected", "commit", "-q", "--allow-empty", "-m", "person")
    if not (agent or agent_files):
        assert bring(made, repository.path).already
        return
    branch = str(bring(made, repository.path, branch="agent").commit)
    fits = git_merges(folder / "expected", branch)
    before = whole(repository.path)
    if not fits:
        with pytest.raises(PatchDoesNotFit):
            bring(made, repository.path)
        assert whole(repository.path) == before
    else:
        bring(made, repository.path)
        assert files(repository.path) == files(folder / "expected")


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(base=trees, agent=trees, person=trees, gone=st.sets(st.integers(0, 5)), lost=st.sets(st.integers(0, 5)))
def test_whoever_alone_changed_a_file_is_heeded_or_nothing_happens(tmp_path_factory, base, agent, person, gone, lost):
    """For all trees: a file that one of them left alone is as the other made it; after a refusal no byte has moved."""
    folder = tmp_path_factory.mktemp("law")
    repository = make_repository(folder / "project")
    for path, what in base.items():
        put(repository.path, path, what)
    repository.commit()
    before = files(repository.path)

    def work(root: Path) -> None:
        for number, path in enumerate(sorted(files(root))):
            if number in gone:
                (root / path).unlink()
        for path, what in agent.items():
            put(root, path, what)

    made = captured(tree_maker(folder / "state", repository.path)(), work)
    renamed = {change.path for change in capture(made[0], made[1]).changes if change.previous_path}
    for number, path in enumerate(sorted(before)):
        if number in lost:
            (repository.path / path).unlink()
    for path, what in person.items():
        put(repository.path, path, what)
    theirs, mine, held = files(made[0].root), files(repository.path), whole(repository.path)
    try:
        bring(made, repository.path)
    except (PatchDoesNotFit, NotApplicable):
        assert whole(repository.path) == held
        return
    result = files(repository.path)
    for path in (theirs.keys() | mine.keys() | before.keys()) - renamed:
        if mine.get(path) == before.get(path):
            assert result.get(path) == theirs.get(path), path
        elif theirs.get(path) in (before.get(path), mine.get(path)):
            assert result.get(path) == mine.get(path), path
    assert bring(made, repository.path).already


def with_submodule(repository: RealRepository, folder: Path) -> None:
    library = make_repository(folder / "library")
    for text in ("1\n", "2\n"):
        library.write("lib.py", text)
        library.commit()
    repository.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(library.path), "vendor")
    repository.commit()


def test_work_inside_a_submodule_is_refused_with_a_way(repository, make_tree, tmp_path):
    with_submodule(repository, tmp_path)
    made = captured(make_tree(), lambda root: replaced(root / "vendor/lib.py", "2", "3"))
    before = whole(repository.path)
    with pytest.raises(NotApplicable, match=r"inside a submodule[\s\S]*git apply"):
        bring(made, repository.path)
    with pytest.raises(NotApplicable, match="inside a submodule"):
        bring(made, repository.path, branch="agent")
    assert whole(repository.path) == before


def test_a_submodule_that_moved_goes_onto_a_branch_only(repository, make_tree, tmp_path):
    with_submodule(repository, tmp_path)
    made = captured(make_tree(), lambda root: git(root / "vendor", "checkout", "-q", "HEAD~1") and None)
    with pytest.raises(NotApplicable, match="--branch"):
        bring(made, repository.path)
    applied = bring(made, repository.path, branch="agent")
    assert repository.git("rev-parse", "agent:vendor") == git(made[0].root / "vendor", "rev-parse", "HEAD")
    assert applied.paths == ("vendor",)


def test_a_checkout_with_a_submodule_takes_other_work(repository, make_tree, tmp_path):
    with_submodule(repository, tmp_path)
    made = captured(make_tree(), fix_calc)
    bring(made, repository.path)
    assert repository.git("status", "--porcelain") == "M calc.py"


def test_two_agents_work_one_after_the_other(repository, make_tree):
    first = captured(make_tree(), lambda root: replaced(root / "numbers.txt", "line 2\n", "first\n"))
    second = captured(make_tree(), lambda root: replaced(root / "numbers.txt", "line 15\n", "second\n"))
    bring(first, repository.path)
    bring(second, repository.path)
    text = (repository.path / "numbers.txt").read_text()
    assert ("first" in text, "second" in text) == (True, True)
    assert bring(first, repository.path).already
