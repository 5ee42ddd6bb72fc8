"""The patch holds all of the agent's work, whatever the agent did with git, and re-creates it."""

from __future__ import annotations

import os
import shutil
import subprocess
import threading
from pathlib import Path

import pytest
from agenvantage.runner.patch import CaptureFailed, capture, rebuild, side_effects
from agenvantage.runner.worktree import RunTree
from agenvantage.telemetry.model import PatchFacts
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from .conftest import RealRepository, make_repository
from .tree_kit import MakeTree, contents, files, git, put, tree_maker, trees


@pytest.fixture
def make_tree(tmp_path: Path, repository: RealRepository) -> MakeTree:
    return tree_maker(tmp_path / "state", repository.path)


@pytest.fixture
def patch_file(tmp_path: Path) -> Path:
    return tmp_path / "patch.diff"


def recreated(tree: RunTree, patch_file: Path, folder: Path) -> dict[str, tuple[str, int]]:
    """The files of a plain clone at the base after a plain `git apply --binary`."""
    git(folder.parent, "clone", "-q", "--no-checkout", str(tree.root), str(folder))
    git(folder, "checkout", "-q", "--detach", tree.base_commit)
    if patch_file.stat().st_size:
        git(folder, "apply", "--binary", str(patch_file))
    return files(folder)


def assert_whole(tree: RunTree, facts: PatchFacts, patch_file: Path, folder: Path) -> None:
    """The patch says that it re-applies, and it does, with git alone."""
    assert facts.reapplies
    assert recreated(tree, patch_file, folder) == files(tree.root)


def test_an_untouched_tree_gives_an_empty_patch(make_tree, patch_file):
    facts = capture(make_tree(), patch_file)
    assert (facts.empty, facts.bytes, facts.changes, facts.reapplies) == (True, 0, (), True)


def test_a_new_unstaged_file_is_in_the_patch(make_tree, patch_file, tmp_path):
    tree = make_tree()
    (tree.root / "new.py").write_text("x = 1\n")
    facts = capture(tree, patch_file)
    assert [(change.path, change.change, change.added) for change in facts.changes] == [("new.py", "added", 1)]
    assert_whole(tree, facts, patch_file, tmp_path / "again")


def test_the_real_index_of_the_tree_stays_as_it_is(make_tree, patch_file):
    tree = make_tree()
    (tree.root / "new.py").write_text("x = 1\n")
    before = contents(tree.git_dir)
    capture(tree, patch_file)
    assert contents(tree.git_dir) == before


def edit(tree: RunTree) -> None:
    (tree.root / "calc.py").write_text("def add(a, b):\n    return a + b\n")
    (tree.root / "new.py").write_text("x = 1\n")


def commit(tree: RunTree) -> None:
    git(tree.root, "add", "-A")
    git(tree.root, "commit", "-qm", "work")


def amend(tree: RunTree) -> None:
    commit(tree)
    git(tree.root, "commit", "-q", "--amend", "-m", "better")


def branch(tree: RunTree) -> None:
    git(tree.root, "checkout", "-q", "-b", "x")
    commit(tree)


def soft_reset(tree: RunTree) -> None:
    commit(tree)
    git(tree.root, "reset", "-q", "--soft", "HEAD~1")


def stage(tree: RunTree) -> None:
    git(tree.root, "add", "-A")


def stash_and_pop(tree: RunTree) -> None:
    git(tree.root, "stash", "push", "-q", "-u")
    git(tree.root, "stash", "pop", "-q")


def forget_a_file(tree: RunTree) -> None:
    git(tree.root, "rm", "-q", "--cached", "calc.py")


def hide_from_the_index(tree: RunTree) -> None:
    git(tree.root, "update-index", "--assume-unchanged", "calc.py")


def delete_the_git_directory(tree: RunTree) -> None:
    shutil.rmtree(tree.git_dir)


def damage_the_git_directory(tree: RunTree) -> None:
    (tree.git_dir / "HEAD").write_bytes(b"\0\xff")
    (tree.git_dir / "index").write_bytes(b"junk")
    (tree.git_dir / "config").write_text("[core\n")


def start_over(tree: RunTree) -> None:
    shutil.rmtree(tree.git_dir)
    git(tree.root, "init", "-q")


def exclude_everything(tree: RunTree) -> None:
    (tree.git_dir / "info/exclude").write_text("*\n")


WAYS = [
    edit, commit, amend, branch, soft_reset, stage, stash_and_pop, forget_a_file, hide_from_the_index,
    delete_the_git_directory, damage_the_git_directory, start_over, exclude_everything,
]  # fmt: skip


@pytest.mark.parametrize("way", WAYS[1:], ids=lambda way: way.__name__)
def test_the_patch_is_the_same_whatever_the_agent_did_with_git(make_tree, tmp_path, way):
    plain, other = make_tree(), make_tree()
    edit(plain)
    edit(other)
    way(other)
    expected = capture(plain, tmp_path / "plain.diff")
    facts = capture(other, tmp_path / "other.diff")
    assert (tmp_path / "other.diff").read_bytes() == (tmp_path / "plain.diff").read_bytes()
    assert (facts.tree, facts.reapplies) == (expected.tree, True)


def test_commits_of_the_agent_are_counted_on_every_branch(make_tree, patch_file):
    tree = make_tree()
    edit(tree)
    branch(tree)
    git(tree.root, "checkout", "-q", "-b", "y")
    git(tree.root, "commit", "-q", "--allow-empty", "-m", "two")
    git(tree.root, "checkout", "-q", "--detach", tree.base_commit)
    git(tree.root, "pack-refs", "--all")
    assert capture(tree, patch_file).agent_commits == 2


def test_no_commit_counts_none(make_tree, patch_file):
    tree = make_tree()
    edit(tree)
    assert capture(tree, patch_file).agent_commits == 0


def test_commits_that_can_t_be_read_any_more_are_unknown(make_tree, patch_file):
    tree = make_tree()
    edit(tree)
    branch(tree)
    shutil.rmtree(tree.git_dir / "objects")
    facts = capture(tree, patch_file)
    assert (facts.agent_commits, facts.empty, facts.reapplies) == (None, False, True)


def test_a_git_directory_that_points_at_the_person_s_is_not_followed(repository, make_tree, patch_file):
    tree = make_tree()
    edit(tree)
    shutil.rmtree(tree.git_dir)
    tree.git_dir.write_text(f"gitdir: {repository.path / '.git'}\n")
    before = contents(repository.path)
    assert len(capture(tree, patch_file).changes) == 2
    assert contents(repository.path) == before


def test_a_capture_that_fails_says_where_the_tree_is(make_tree, tmp_path):
    tree = make_tree()
    edit(tree)
    with pytest.raises(CaptureFailed, match=str(tree.root)):
        capture(tree, tmp_path / "nowhere/patch.diff")
    assert (tree.root / "new.py").exists()


def test_a_tree_that_is_still_written_to_is_not_captured_half(make_tree, patch_file):
    tree = make_tree()
    over = threading.Event()

    def write() -> None:
        while not over.wait(0.001):
            with (tree.root / "busy.txt").open("a") as file:
                file.write("more\n")

    writer = threading.Thread(target=write)
    writer.start()
    try:
        with pytest.raises(CaptureFailed):
            capture(tree, patch_file)
    finally:
        over.set()
        writer.join()


def test_a_base_without_files_takes_work(tmp_path):
    bare = make_repository(tmp_path / "nothing")
    bare.git("commit", "-q", "--allow-empty", "-m", "nothing yet")
    tree = tree_maker(tmp_path / "state", bare.path)()
    (tree.root / "first.py").write_text("x\n")
    facts = capture(tree, tmp_path / "p.diff")
    assert ([change.path for change in facts.changes], facts.reapplies) == (["first.py"], True)
    assert files(rebuild(tree, tmp_path / "p.diff", tmp_path / "copy")) == files(tree.root)


@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_whatever_the_agent_writes_is_re_created(tmp_path_factory, data):
    """For all trees: base + patch, by git alone, is the agent's tree, byte for byte and mode for mode."""
    folder = tmp_path_factory.mktemp("law")
    made = make_repository(folder / "project")
    for path, content in data.draw(trees, label="base").items():
        put(made.path, path, content)
    made.commit()
    tree = tree_maker(folder / "state", made.path)()
    for path in sorted(files(tree.root)):
        if data.draw(st.booleans(), label=f"delete {path}"):
            (tree.root / path).unlink()
    for path, content in data.draw(trees, label="work").items():
        put(tree.root, path, content)
    facts = capture(tree, folder / "p.diff")
    assert_whole(tree, facts, folder / "p.diff", folder / "again")
    assert files(rebuild(tree, folder / "p.diff", folder / "copy")) == files(tree.root)


def test_a_deleted_file_is_removed_by_the_patch(make_tree, patch_file, tmp_path):
    tree = make_tree()
    (tree.root / "calc.py").unlink()
    facts = capture(tree, patch_file)
    assert [(change.path, change.change) for change in facts.changes] == [("calc.py", "deleted")]
    assert_whole(tree, facts, patch_file, tmp_path / "again")


def test_a_renamed_file_keeps_its_former_name(make_tree, patch_file, tmp_path):
    tree = make_tree()
    (tree.root / "calc.py").rename(tree.root / "sum.py")
    facts = capture(tree, patch_file)
    assert [(c.path, c.change, c.previous_path) for c in facts.changes] == [("sum.py", "renamed", "calc.py")]
    assert_whole(tree, facts, patch_file, tmp_path / "again")


def test_small_and_large_binaries_are_in_the_patch(make_tree, patch_file, tmp_path):
    tree = make_tree()
    (tree.root / "small.bin").write_bytes(b"\0\1\2")
    (tree.root / "large.bin").write_bytes(os.urandom(5_000_000))
    (tree.root / "calc.py").write_text("def add(a, b):\n    return a + b\n")
    facts = capture(tree, patch_file)
    assert {(change.path, change.added) for change in facts.changes if change.change == "added"} == {
        ("small.bin", None), ("large.bin", None),
    }  # fmt: skip
    assert_whole(tree, facts, patch_file, tmp_path / "again")


def test_a_mode_change_is_told_as_one(make_tree, patch_file, tmp_path):
    tree = make_tree()
    (tree.root / "calc.py").chmod(0o755)
    facts = capture(tree, patch_file)
    assert [change.change for change in facts.changes] == ["mode"]
    assert_whole(tree, facts, patch_file, tmp_path / "again")


def test_a_file_that_became_a_link_is_a_change_of_type(make_tree, patch_file, tmp_path):
    tree = make_tree()
    (tree.root / "calc.py").unlink()
    (tree.root / "calc.py").symlink_to("test_calc.py")
    facts = capture(tree, patch_file)
    assert [change.change for change in facts.changes] == ["type"]
    assert_whole(tree, facts, patch_file, tmp_path / "again")


def test_a_file_that_became_a_folder_and_the_reverse(repository, make_tree, patch_file, tmp_path):
    repository.write("lib/one.py", "1\n")
    repository.commit()
    tree = make_tree()
    shutil.rmtree(tree.root / "lib")
    (tree.root / "lib").write_text("now a file\n")
    (tree.root / "calc.py").unlink()
    (tree.root / "calc.py").mkdir()
    (tree.root / "calc.py/deep.py").write_text("x\n")
    assert_whole(tree, capture(tree, patch_file), patch_file, tmp_path / "again")


def test_a_link_that_moved_into_a_folder_of_its_own_name(repository, make_tree, patch_file, tmp_path):
    (repository.path / "a").symlink_to("calc.py")
    repository.commit()
    tree = make_tree()
    (tree.root / "a").unlink()
    (tree.root / "a").mkdir()
    (tree.root / "a/a").symlink_to("calc.py")
    assert_whole(tree, capture(tree, patch_file), patch_file, tmp_path / "again")


def test_a_folder_that_became_a_link_to_its_new_place(repository, make_tree, patch_file, tmp_path):
    repository.write("lib/one.py", "1\n")
    repository.commit()
    tree = make_tree()
    (tree.root / "lib").rename(tree.root / "src")
    (tree.root / "lib").symlink_to("src")
    assert_whole(tree, capture(tree, patch_file), patch_file, tmp_path / "again")


def test_names_with_line_breaks_quotes_and_bytes_that_are_no_utf8(make_tree, patch_file, tmp_path):
    tree = make_tree()
    names = [
        b"a\nb.py",
        b'say "hi".txt',
        b"\xff\xfe.txt",
        b"tab\there",
        b" blank ",
        "ünï.py".encode(),
        b"-n",
        b"\\",
    ]
    for name in names:
        Path(os.fsdecode(os.fsencode(tree.root) + b"/" + name)).write_bytes(b"x\n")
    facts = capture(tree, patch_file)
    assert {os.fsencode(change.path) for change in facts.changes} == set(names)
    assert_whole(tree, facts, patch_file, tmp_path / "again")


def test_attributes_of_the_repository_don_t_break_the_patch(repository, make_tree, patch_file, tmp_path):
    marker = tmp_path / "ran"
    repository.write(".gitattributes", "*.py -diff export-ignore\n*.txt diff=evil text eol=crlf\n*.raw diff\n")
    repository.write("a.txt", "one\n")
    repository.write("a.raw", b"\0\1\n")
    repository.commit()
    repository.git("config", "diff.evil.textconv", f"touch {marker}; cat")
    repository.git("config", "diff.evil.command", f"touch {marker}; true")
    repository.git("config", "diff.external", f"touch {marker}; true")
    tree = make_tree()
    edit(tree)
    (tree.root / "a.txt").write_bytes(b"one\r\ntwo\r\n")
    (tree.root / "a.raw").write_bytes(b"\0\2\n\0")
    assert_whole(tree, capture(tree, patch_file), patch_file, tmp_path / "again")
    assert not marker.exists()


def test_the_person_s_own_diff_settings_don_t_shape_the_patch(make_tree, tmp_path, monkeypatch):
    tree = make_tree()
    edit(tree)
    capture(tree, tmp_path / "plain.diff")
    settings = tmp_path / "gitconfig"
    settings.write_text(
        "[diff]\nnoprefix = true\nmnemonicPrefix = true\nexternal = false\ncontext = 0\nsuppressBlankEmpty = true\n"
        "renames = copies\nsubmodule = log\n[color]\nui = always\n[core]\nquotePath = true\nautocrlf = false\n"
        "[apply]\nwhitespace = error\nignoreWhitespace = change\n"
    )
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(settings))
    facts = capture(tree, tmp_path / "other.diff")
    assert facts.reapplies
    assert (tmp_path / "other.diff").read_bytes() == (tmp_path / "plain.diff").read_bytes()


def test_trailing_blanks_and_missing_last_line_ends_survive(make_tree, patch_file, tmp_path):
    tree = make_tree()
    (tree.root / "calc.py").write_bytes(b"a \t\n\n\n\r\nb\rc\n \nno end")
    assert_whole(tree, capture(tree, patch_file), patch_file, tmp_path / "again")


def test_caches_stay_out_and_are_counted(make_tree, patch_file):
    tree = make_tree()
    for name in ("__pycache__/calc.cpython-311.pyc", "sub/.pytest_cache/v/x", "web/node_modules/.cache/y", "kept.py"):
        (tree.root / name).parent.mkdir(parents=True, exist_ok=True)
        (tree.root / name).write_text("x\n")
    facts = capture(tree, patch_file)
    assert ([change.path for change in facts.changes], facts.caches_left_out) == (["kept.py"], 3)


def test_a_tracked_file_in_a_cache_folder_is_no_cache(repository, make_tree, patch_file):
    repository.write("__pycache__/kept.txt", "a\n")
    repository.git("add", "-f", "__pycache__/kept.txt")
    repository.commit()
    tree = make_tree()
    (tree.root / "__pycache__/kept.txt").write_text("b\n")
    assert [change.path for change in capture(tree, patch_file).changes] == ["__pycache__/kept.txt"]


def test_ignored_files_stay_out(repository, make_tree, patch_file):
    repository.write(".gitignore", "build/\n")
    repository.commit()
    tree = make_tree()
    (tree.root / "build").mkdir()
    (tree.root / "build/out").write_text("x")
    assert capture(tree, patch_file).empty


def test_the_person_s_own_excludes_hold(repository, make_tree, patch_file):
    (repository.path / ".git/info/exclude").write_text("notes.txt\n")
    tree = make_tree()
    (tree.root / "notes.txt").write_text("x")
    assert capture(tree, patch_file).empty


def test_a_new_secret_looking_file_is_named_and_left_out(make_tree, patch_file):
    tree = make_tree()
    (tree.root / ".env").write_text("KEY=1\n")
    (tree.root / "server.pem").write_text("x\n")
    facts = capture(tree, patch_file)
    assert (facts.empty, set(facts.secrets_left_out)) == (True, {".env", "server.pem"})


def test_files_of_a_repository_that_the_agent_made_are_in_the_patch(make_tree, patch_file):
    tree = make_tree()
    nested = tree.root / "made/inner"
    nested.mkdir(parents=True)
    git(nested, "init", "-q")
    (nested / "a.py").write_text("1\n")
    (nested / ".gitignore").write_text("junk\n")
    (nested / "junk").write_text("no\n")
    facts = capture(tree, patch_file)
    assert {change.path for change in facts.changes} == {"made/inner/a.py", "made/inner/.gitignore"}
    assert (facts.nested_repositories, facts.reapplies) == (("made/inner",), True)


def test_a_nested_repository_with_commits_is_captured_as_files(make_tree, patch_file):
    tree = make_tree()
    git(tree.root, "init", "-q", "inner")
    (tree.root / "inner/a.py").write_text("1\n")
    git(tree.root / "inner", "add", ".")
    git(tree.root / "inner", "-c", "user.name=x", "-c", "user.email=x", "commit", "-qm", "x")
    facts = capture(tree, patch_file)
    assert ([change.path for change in facts.changes], facts.nested_repositories) == (["inner/a.py"], ("inner",))


def test_pipes_and_sockets_don_t_stop_the_capture(make_tree, patch_file):
    tree = make_tree()
    os.mkfifo(tree.root / "pipe")
    assert capture(tree, patch_file).empty


def test_an_agent_s_filter_does_not_run(make_tree, patch_file, tmp_path):
    tree = make_tree()
    marker = tmp_path / "ran"
    (tree.root / ".gitattributes").write_text("* filter=evil\n")
    git(tree.root, "config", "filter.evil.clean", f"touch {marker}; cat")
    git(tree.root, "config", "core.fsmonitor", f"touch {marker}; false")
    edit(tree)
    capture(tree, patch_file)
    assert not marker.exists()


def test_line_ends_of_the_checkout_are_no_change(repository, make_tree, patch_file, tmp_path):
    repository.git("config", "core.autocrlf", "true")
    tree = make_tree()
    assert (tree.root / "calc.py").read_bytes().count(b"\r\n") == 2
    assert capture(tree, patch_file).empty
    (tree.root / "calc.py").write_bytes(b"def add(a, b):\r\n    return a + b\r\n")
    facts = capture(tree, patch_file)
    assert (facts.reapplies, facts.changes[0].added) == (True, 1)
    copy = rebuild(tree, patch_file, tmp_path / "copy")
    assert (copy / "calc.py").read_bytes() == b"def add(a, b):\r\n    return a + b\r\n"


def test_the_patch_is_private(make_tree, patch_file):
    capture(make_tree(), patch_file)
    assert patch_file.stat().st_mode & 0o777 == 0o600


def test_a_rebuilt_copy_holds_base_and_patch(make_tree, patch_file, tmp_path):
    tree = make_tree()
    edit(tree)
    (tree.root / "test_calc.py").rename(tree.root / "test_sum.py")
    (tree.root / "new.bin").write_bytes(b"\0\1")
    (tree.root / "run.sh").write_text("#!/bin/sh\n")
    (tree.root / "run.sh").chmod(0o755)
    capture(tree, patch_file)
    copy = rebuild(tree, patch_file, tmp_path / "copy")
    assert files(copy) == files(tree.root)


def test_a_rebuilt_copy_shows_the_patch_as_uncommitted_work(make_tree, patch_file, tmp_path):
    tree = make_tree()
    edit(tree)
    capture(tree, patch_file)
    copy = rebuild(tree, patch_file, tmp_path / "copy")
    assert git(copy, "rev-parse", "HEAD") == tree.base_commit
    assert git(copy, "status", "--porcelain") == "M calc.py\n?? new.py"


def test_protected_paths_are_as_in_the_base(make_tree, patch_file, tmp_path):
    tree = make_tree()
    edit(tree)
    (tree.root / "test_calc.py").write_text("cheated\n")
    (tree.root / "tests").mkdir()
    (tree.root / "tests/test_more.py").write_text("cheated\n")
    capture(tree, patch_file)
    copy = rebuild(tree, patch_file, tmp_path / "copy", protect=("test_*.py",))
    assert "unittest" in (copy / "test_calc.py").read_text()
    assert not (copy / "tests/test_more.py").exists()
    assert (copy / "calc.py").read_text() == "def add(a, b):\n    return a + b\n"


def test_a_protected_file_that_was_deleted_or_replaced_comes_back(repository, make_tree, patch_file, tmp_path):
    repository.write("tests/a/one.py", "1\n")
    repository.commit()
    tree = make_tree()
    shutil.rmtree(tree.root / "tests")
    (tree.root / "tests").write_text("a file\n")
    capture(tree, patch_file)
    copy = rebuild(tree, patch_file, tmp_path / "copy", protect=("/tests",))
    assert (copy / "tests/a/one.py").read_text() == "1\n"


def test_an_empty_patch_rebuilds_the_base(make_tree, patch_file, tmp_path):
    tree = make_tree()
    capture(tree, patch_file)
    assert files(rebuild(tree, patch_file, tmp_path / "copy")) == files(tree.root)


def test_a_rebuilt_copy_has_the_seeds(repository, make_tree, patch_file, tmp_path):
    repository.write(".gitignore", ".env\n")
    repository.commit()
    repository.write(".env", "KEY=1\n")
    repository.write("local.txt", "x\n")
    tree = make_tree(copy=(".env", "local.txt"))
    capture(tree, patch_file)
    copy = rebuild(tree, patch_file, tmp_path / "copy")
    assert (copy / ".env").read_text() == "KEY=1\n"
    assert git(copy, "status", "--porcelain") == ""


def test_what_checks_write_is_told_apart(make_tree, patch_file, tmp_path):
    tree = make_tree()
    edit(tree)
    capture(tree, patch_file)
    copy = rebuild(tree, patch_file, tmp_path / "copy")
    assert side_effects(copy) == ()
    (copy / "calc.py").write_text("changed\n")
    (copy / "report.xml").write_text("<x/>")
    (copy / "__pycache__").mkdir()
    (copy / "__pycache__/calc.cpython-311.pyc").write_text("x")
    (copy / "test_calc.py").unlink()
    assert side_effects(copy) == ("calc.py", "report.xml", "test_calc.py")


def test_checks_may_use_git_in_the_copy(make_tree, patch_file, tmp_path):
    tree = make_tree()
    edit(tree)
    capture(tree, patch_file)
    copy = rebuild(tree, patch_file, tmp_path / "copy")
    subprocess.run(("git", "add", "-A"), cwd=copy, check=True)
    subprocess.run(("git", "commit", "-qm", "x"), cwd=copy, check=True)
    assert side_effects(copy) == ()


def test_a_file_that_breaks_its_own_line_end_rules_is_no_change(repository, make_tree, patch_file):
    repository.write("crlf.txt", b"one\r\ntwo\r\n")
    repository.commit()
    repository.write(".gitattributes", "*.txt text\n")
    repository.git("add", ".gitattributes")
    repository.git("commit", "-q", "-m", "rules")
    tree = make_tree()
    os.utime(tree.root / "crlf.txt", ns=(1, 1))
    assert git(tree.root, "status", "--porcelain") != ""
    assert capture(tree, patch_file).empty
    (tree.root / "crlf.txt").write_bytes(b"one\r\n2\r\n")
    assert capture(tree, patch_file).reapplies
