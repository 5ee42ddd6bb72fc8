"""The run's tree: faithful to the base, self-contained, ready to work in, and nothing of the person's within reach."""

from __future__ import annotations

import os
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from agenvantage.context.errors import EmptyRepository, NotARepository, UnknownRevision
from agenvantage.context.git import discover
from agenvantage.runner.filters import FilterMissing
from agenvantage.runner.modules import SubmoduleMissing
from agenvantage.runner.patch import capture, rebuild
from agenvantage.runner.seeds import NothingToCopyFrom
from agenvantage.runner.worktree import (
    NoChangesToTake,
    NoSuchFolder,
    NotARun,
    PlaceTaken,
    RunTree,
    StateInsideRepository,
    TreeRequest,
    is_ours,
    prepare,
    refuse_state_inside,
    remove,
)

from .conftest import RealRepository, make_repository
from .tree_kit import MakeTree, contents, files, git, tree_maker


@pytest.fixture
def make_tree(tmp_path: Path, repository: RealRepository) -> MakeTree:
    return tree_maker(tmp_path / "state", repository.path)


def paths(tree: RunTree) -> set[str]:
    return set(files(tree.root))


# What the tree is


def test_the_tree_is_at_the_base_and_clean(repository, make_tree):
    tree = make_tree()
    assert git(tree.root, "rev-parse", "HEAD") == repository.git("rev-parse", "HEAD") == tree.base_commit
    assert git(tree.root, "status", "--porcelain") == ""
    assert files(tree.root) == files(repository.path)


def test_head_is_detached_and_there_is_no_ref_remote_or_stash(repository, make_tree):
    repository.git("tag", "v1")
    repository.git("branch", "other")
    repository.git("remote", "add", "origin", "https://example.org/x.git")
    repository.write("calc.py", "stashed\n")
    repository.git("stash")
    tree = make_tree()
    assert git(tree.root, "for-each-ref") == git(tree.root, "remote") == git(tree.root, "stash", "list") == ""
    with pytest.raises(subprocess.CalledProcessError):
        git(tree.root, "symbolic-ref", "-q", "HEAD")


def test_the_reflog_tells_nothing_of_the_person(repository, make_tree):
    repository.commit("second")
    repository.git("reset", "-q", "--hard", "HEAD~1")
    tree = make_tree()
    assert git(tree.root, "rev-list", "--all", "--reflog", "HEAD") == tree.base_commit


def test_the_git_directory_is_inside_the_tree(make_tree):
    tree = make_tree()
    assert tree.git_dir == tree.root / ".git"
    assert tree.git_dir.is_dir()


def test_history_up_to_the_base_is_there(repository, make_tree):
    repository.commit("second")
    assert git(make_tree().root, "log", "--format=%s") == "second\nstart"


def test_a_copy_that_borrows_nothing_holds_nothing_later(repository, make_tree):
    base = repository.git("rev-parse", "HEAD")
    repository.write("fix.py", "answer\n")
    later = repository.commit("the fix")
    repository.git("tag", "v2")
    tree = make_tree(from_=base, borrow=False)
    assert git(tree.root, "rev-list", "--all", "--reflog", "HEAD") == base
    with pytest.raises(subprocess.CalledProcessError):
        git(tree.root, "cat-file", "-e", later)
    edit = tree.root / "calc.py"
    edit.write_text("x = 1\n")
    assert capture(tree, tree.root.parent / "p.diff").reapplies


def test_the_agent_commits_under_the_person_s_name_without_signing_and_hooks(repository, make_tree):
    repository.git("config", "commit.gpgSign", "true")
    repository.git("config", "gpg.program", "false")
    repository.git("config", "core.editor", "false")
    hook = repository.write(".git/hooks/pre-commit", "#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)
    tree = make_tree()
    (tree.root / "new.py").write_text("x\n")
    git(tree.root, "add", ".")
    git(tree.root, "commit", "-q", "-m", "work")
    assert git(tree.root, "log", "-1", "--format=%an <%ae> %G?") == "A Person <person@example.org> N"


def test_a_person_without_a_name_does_not_keep_the_agent_from_committing(repository, make_tree):
    repository.git("config", "--unset", "user.name")
    repository.git("config", "--unset", "user.email")
    git(make_tree().root, "commit", "-q", "--allow-empty", "-m", "work")


def test_what_the_agent_does_with_git_stays_in_its_tree(repository, make_tree):
    repository.write("calc.py", "stashed by the person\n")
    repository.git("stash")
    before = contents(repository.path)
    tree = make_tree()
    (tree.root / "calc.py").write_text("agent\n")
    commands = ("stash", "stash pop", "stash", "stash drop", "checkout -q -b main", "tag x", "config user.name x",
                "gc -q --prune=now", "reflog expire --all")  # fmt: skip
    for command in commands:
        git(tree.root, *command.split())
    assert contents(repository.path) == before


def test_folders_of_a_run_are_private(make_tree, tmp_path):
    tree = make_tree()
    assert tree.mirror.parent.stat().st_mode & 0o777 == 0o700


# Where it starts


def test_the_branch_and_commit_are_recorded(repository, make_tree):
    tree = make_tree()
    assert (tree.branch, tree.source_commit, tree.dirty, tree.from_) == ("main", tree.base_commit, False, "head")


def test_two_runs_from_a_branch_that_is_checked_out_change_no_branch(repository, make_tree):
    before = repository.git("branch", "-a")
    assert make_tree(from_="main").root != make_tree(from_="main").root
    assert repository.git("branch", "-a") == before


def test_a_tag_or_an_older_commit_is_a_place_to_start_from(repository, make_tree):
    first = repository.git("rev-parse", "HEAD")
    repository.git("tag", "-a", "v1", "-m", "x")
    repository.write("later.py", "x\n")
    repository.commit()
    assert make_tree(from_="v1").base_commit == make_tree(from_="HEAD~1").base_commit == first


@pytest.mark.parametrize("revision", ["nowhere", "-x", "--all", "HEAD..HEAD", "main:calc.py", "", "0" * 40])
def test_a_revision_that_is_no_commit_is_named(make_tree, revision, tmp_path):
    with pytest.raises(UnknownRevision):
        make_tree(from_=revision)


def test_uncommitted_work_is_left_out_of_a_run_from_head(repository, make_tree):
    repository.write("calc.py", "dirty\n")
    repository.write("new.py", "new\n")
    tree = make_tree()
    assert ("new.py" in paths(tree), "dirty" in (tree.root / "calc.py").read_text()) == (False, False)


def make_dirty(repository: RealRepository) -> None:
    repository.write(".gitignore", "ignored.txt\n")
    repository.write("gone.txt", "x\n")
    repository.write("old.txt", "x\n")
    repository.commit()
    repository.write("calc.py", "staged\n")
    repository.git("add", "calc.py")
    repository.write("calc.py", "staged, then unstaged\n")
    repository.write("new.py", "untracked\n")
    repository.write("ignored.txt", "ignored\n")
    (repository.path / "gone.txt").unlink()
    repository.git("mv", "old.txt", "moved.txt")


def test_a_dirty_start_has_staged_unstaged_and_untracked_work(repository, make_tree):
    make_dirty(repository)
    tree = make_tree(from_="dirty")
    assert (tree.root / "calc.py").read_text() == "staged, then unstaged\n"
    assert paths(tree) == {".gitignore", "calc.py", "moved.txt", "new.py", "test_calc.py"}
    assert (tree.dirty, tree.source_commit) == (True, repository.git("rev-parse", "HEAD"))


def test_a_dirty_start_touches_nothing_of_the_person_s(repository, make_tree):
    make_dirty(repository)
    before = contents(repository.path)
    make_tree(from_="dirty")
    assert contents(repository.path) == before


def test_the_patch_of_a_dirty_run_holds_only_the_agent_s_work(repository, make_tree, tmp_path):
    make_dirty(repository)
    tree = make_tree(from_="dirty")
    assert capture(tree, tmp_path / "p.diff").empty
    (tree.root / "new.py").write_text("agent\n")
    assert [change.path for change in capture(tree, tmp_path / "p.diff").changes] == ["new.py"]


def test_two_arms_start_from_the_same_dirty_commit(repository, make_tree):
    make_dirty(repository)
    assert make_tree(from_="dirty").base_commit == make_tree(from_="dirty").base_commit


def test_a_dirty_start_without_changes_is_head(repository, make_tree):
    tree = make_tree(from_="dirty")
    assert (tree.dirty, tree.base_commit) == (False, repository.git("rev-parse", "HEAD"))


def test_a_dirty_start_leaves_secret_looking_new_files_and_nested_repositories_apart(repository, make_tree):
    repository.write(".env", "KEY=1\n")
    git(repository.path, "init", "-q", "nested")
    repository.write("nested/a.py", "x\n")
    assert paths(make_tree(from_="dirty")) == {"calc.py", "test_calc.py", "nested/a.py"}


def test_a_dirty_start_with_a_split_index(repository, make_tree):
    repository.git("update-index", "--split-index")
    repository.write("calc.py", "dirty\n")
    assert (make_tree(from_="dirty").root / "calc.py").read_text() == "dirty\n"


def test_a_dirty_start_with_an_intent_to_add(repository, make_tree):
    repository.write("new.py", "new\n")
    repository.git("add", "-N", "new.py")
    assert (make_tree(from_="dirty").root / "new.py").read_text() == "new\n"


def test_a_subfolder_is_where_the_agent_starts_and_the_whole_is_captured(repository, make_tree, tmp_path):
    repository.write("pkg/a/x.py", "1\n")
    repository.write("pkg/b/x.py", "1\n")
    repository.commit()
    tree = make_tree(cwd="pkg/a")
    assert tree.cwd == tree.root / "pkg/a"
    (tree.cwd / "../b/x.py").write_text("2\n")
    assert [change.path for change in capture(tree, tmp_path / "p.diff").changes] == ["pkg/b/x.py"]


@pytest.mark.parametrize("cwd", ["nowhere", "..", "/", "calc.py", "a/../../x", "out"])
def test_a_folder_to_start_in_that_is_none_is_refused_and_nothing_is_left(repository, make_tree, tmp_path, cwd):
    (repository.path / "out").symlink_to(tmp_path)
    repository.commit()
    with pytest.raises(NoSuchFolder):
        make_tree(cwd=cwd)
    assert not list((tmp_path / "state").rglob("tree")) + list((tmp_path / "state").rglob("mirror.git"))


# Bad input


def test_no_repository_and_an_empty_one_are_told_apart(tmp_path):
    (tmp_path / "plain").mkdir()
    with pytest.raises(NotARepository):
        discover(tmp_path / "plain")
    empty = make_repository(tmp_path / "empty")
    for start in ("head", "dirty", "main"):
        with pytest.raises(EmptyRepository):
            tree_maker(tmp_path / "state", empty.path)(from_=start)


def test_a_state_folder_inside_the_repository_is_refused(repository, tmp_path):
    source = discover(repository.path)
    for inside in (repository.path / "state", repository.path / ".git/state", repository.path):
        with pytest.raises(StateInsideRepository):
            refuse_state_inside(source, tmp_path / "state", inside)
    refuse_state_inside(source, tmp_path / "state", tmp_path / "project-state")


def test_a_state_folder_that_leads_into_the_repository_by_a_link_is_refused(repository, tmp_path):
    (tmp_path / "link").symlink_to(repository.path)
    with pytest.raises(StateInsideRepository):
        refuse_state_inside(discover(repository.path), tmp_path / "link/state")


def test_a_place_that_is_taken_is_never_reused(repository, tmp_path):
    folder = tmp_path / "state/run"
    (folder / "tree").mkdir(parents=True)
    (folder / "tree/junk").write_text("junk")
    with pytest.raises(PlaceTaken):
        prepare(TreeRequest(run_id="run", source=discover(repository.path), folder=folder))
    assert (folder / "tree/junk").read_text() == "junk"


# Repository layouts


def test_variables_that_point_git_elsewhere_have_no_say(repository, make_tree, tmp_path, monkeypatch):
    decoy = make_repository(tmp_path / "decoy")
    decoy.write("decoy.py", "x\n")
    decoy.commit()
    before = contents(decoy.path)
    for variable, value in (("GIT_DIR", ".git"), ("GIT_INDEX_FILE", ".git/index"), ("GIT_WORK_TREE", "")):
        monkeypatch.setenv(variable, str(decoy.path / value))
    tree = make_tree(from_="dirty")
    (tree.root / "new.py").write_text("x\n")
    assert paths(tree) == {"calc.py", "test_calc.py", "new.py"}
    assert capture(tree, tmp_path / "p.diff").reapplies
    assert contents(decoy.path) == before


def test_a_linked_work_tree_is_a_source(repository, make_tree, tmp_path):
    repository.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "linked"))
    (tmp_path / "linked/side.py").write_text("x\n")
    tree = make_tree(at=tmp_path / "linked", from_="dirty")
    assert (tree.branch, "side.py" in paths(tree)) == ("side", True)


def test_a_bare_repository_is_a_source(repository, make_tree, tmp_path):
    git(tmp_path, "clone", "-q", "--bare", str(repository.path), "bare.git")
    tree = make_tree(at=tmp_path / "bare.git", from_="main")
    assert paths(tree) == {"calc.py", "test_calc.py"}
    (tree.root / "calc.py").write_text("x\n")
    assert capture(tree, tmp_path / "p.diff").reapplies


def test_a_bare_repository_has_nothing_dirty_and_nothing_to_copy(repository, make_tree, tmp_path):
    git(tmp_path, "clone", "-q", "--bare", str(repository.path), "bare.git")
    with pytest.raises(NoChangesToTake):
        make_tree(at=tmp_path / "bare.git", from_="dirty")
    with pytest.raises(NothingToCopyFrom):
        make_tree(at=tmp_path / "bare.git", copy=("*.env",))


def sparse_repository(repository: RealRepository) -> None:
    for name in ("a/one.py", "a/deep/two.py", "b/three.py"):
        repository.write(name, "x\n")
    repository.commit()


@pytest.mark.parametrize("patterns", [("--cone", "a"), ("--no-cone", "/*", "!/b/")], ids=["cone", "non-cone"])
def test_a_sparse_checkout_is_inherited(repository, make_tree, patterns):
    sparse_repository(repository)
    repository.git("sparse-checkout", "set", *patterns)
    before = contents(repository.path)
    tree = make_tree()
    assert paths(tree) == {"calc.py", "test_calc.py", "a/one.py", "a/deep/two.py"}
    assert git(tree.root, "status", "--porcelain") == ""
    assert contents(repository.path) == before


def test_the_sparse_state_is_that_of_the_invoking_work_tree(repository, make_tree, tmp_path):
    sparse_repository(repository)
    repository.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "linked"))
    git(tmp_path / "linked", "sparse-checkout", "set", "--cone", "b")
    assert "b/three.py" in paths(make_tree(at=tmp_path / "linked"))
    assert "a/one.py" not in paths(make_tree(at=tmp_path / "linked"))
    assert "a/one.py" in paths(make_tree())


@pytest.mark.parametrize("from_", ["head", "dirty"])
def test_what_is_outside_a_sparse_checkout_is_not_deleted_by_the_patch(repository, make_tree, tmp_path, from_):
    sparse_repository(repository)
    repository.git("sparse-checkout", "set", "--cone", "a")
    repository.write("a/one.py", "dirty\n")
    tree = make_tree(from_=from_)
    assert capture(tree, tmp_path / "p.diff").empty
    (tree.root / "b").mkdir()
    (tree.root / "b/new.py").write_text("new\n")
    (tree.root / "b/three.py").write_text("changed\n")
    (tree.root / "a/one.py").write_text("changed\n")
    facts = capture(tree, tmp_path / "p.diff")
    assert {(change.path, change.change) for change in facts.changes} == {
        ("b/new.py", "added"), ("b/three.py", "modified"), ("a/one.py", "modified"),
    }  # fmt: skip
    copy = rebuild(tree, tmp_path / "p.diff", tmp_path / "copy")
    assert files(copy) == files(tree.root)


def test_a_shallow_clone_is_a_source(repository, make_tree, tmp_path):
    repository.commit("second")
    git(tmp_path, "clone", "-q", "--depth", "1", f"file://{repository.path}", "shallow")
    tree = make_tree(at=tmp_path / "shallow")
    assert git(tree.root, "log", "--format=%s") == "second"
    (tree.root / "calc.py").write_text("x\n")
    git(tree.root, "commit", "-qam", "work")
    assert capture(tree, tmp_path / "p.diff").agent_commits == 1


def test_a_repository_with_long_ids_is_a_source(tmp_path):
    made = tmp_path / "long"
    git(tmp_path, "init", "-q", "--object-format=sha256", str(made))
    git(made, "config", "user.name", "x")
    git(made, "config", "user.email", "x")
    (made / "a.py").write_text("1\n")
    git(made, "add", ".")
    git(made, "commit", "-qm", "x")
    tree = tree_maker(tmp_path / "state", made)()
    (tree.root / "a.py").write_text("2\n")
    git(tree.root, "commit", "-qam", "work")
    facts = capture(tree, tmp_path / "p.diff")
    assert (len(tree.base_commit), facts.reapplies, facts.agent_commits) == (64, True, 1)


def test_line_end_rules_of_the_repository_s_own_files_hold(repository, make_tree, tmp_path):
    repository.write(".git/info/attributes", "*.bat text eol=crlf\n")
    repository.write("run.bat", b"echo\r\n")
    repository.commit()
    tree = make_tree()
    assert (tree.root / "run.bat").read_bytes() == b"echo\r\n"
    assert capture(tree, tmp_path / "p.diff").empty


def test_an_object_store_that_borrows_itself_is_a_source(repository, make_tree, tmp_path):
    git(tmp_path, "clone", "-q", "--shared", str(repository.path), "shared")
    assert paths(make_tree(at=tmp_path / "shared")) == {"calc.py", "test_calc.py"}


def test_a_path_with_odd_signs_is_a_source(tmp_path):
    odd = make_repository(tmp_path / 'a b:"c"ü')
    odd.write("a.py", "1\n")
    odd.commit()
    tree = tree_maker(tmp_path / "state :x", odd.path)()
    (tree.root / "a.py").write_text("2\n")
    facts = capture(tree, tmp_path / "p.diff")
    assert facts.reapplies
    assert files(rebuild(tree, tmp_path / "p.diff", tmp_path / "copy :y")) == files(tree.root)


def test_hooks_of_the_repository_never_run(repository, make_tree, tmp_path):
    for name in ("post-checkout", "reference-transaction", "post-index-change", "post-commit"):
        hook = repository.write(f".git/hooks/{name}", f"#!/bin/sh\ntouch {tmp_path / 'ran'}\nexit 7\n")
        hook.chmod(0o755)
    before = contents(repository.path)
    repository.git("config", "core.fsmonitor", f"touch {tmp_path / 'ran'}")
    before = contents(repository.path)
    make_tree(from_="dirty")
    assert not (tmp_path / "ran").exists()
    assert contents(repository.path) == before


def test_creation_does_not_wait_for_a_locked_configuration(repository, make_tree):
    (repository.path / ".git/config.lock").write_text("")
    (repository.path / ".git/index.lock").write_text("")
    with ThreadPoolExecutor(8) as pool:
        trees = list(pool.map(lambda _: make_tree(from_="dirty"), range(8)))
    assert len({tree.root for tree in trees}) == 8
    assert repository.git("for-each-ref", "--format=%(refname)") == "refs/heads/main"


# Submodules


@pytest.fixture
def with_submodule(repository: RealRepository, tmp_path: Path) -> RealRepository:
    library = make_repository(tmp_path / "library")
    library.write("lib.py", "1\n")
    library.commit()
    library.write("lib.py", "2\n")
    library.commit()
    repository.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(library.path), "vendor/lib")
    repository.commit()
    return repository


def test_a_submodule_is_filled_from_the_local_store(with_submodule, make_tree, tmp_path):
    shutil.rmtree(tmp_path / "library")
    tree = make_tree()
    assert (tree.root / "vendor/lib/lib.py").read_text() == "2\n"
    assert git(tree.root, "status", "--porcelain") == git(tree.root / "vendor/lib", "remote") == ""
    remove(tree.mirror.parent)
    assert not tree.mirror.parent.exists()


def test_a_submodule_that_is_not_here_is_named_with_the_way_out(with_submodule, make_tree, tmp_path):
    with_submodule.git("submodule", "--quiet", "deinit", "-f", "--all")
    shutil.rmtree(with_submodule.path / ".git/modules")
    with pytest.raises(SubmoduleMissing, match=r"vendor/lib[\s\S]*--no-submodules"):
        make_tree()
    assert not list((tmp_path / "state").rglob("tree"))
    assert not (make_tree(submodules=False).root / "vendor/lib/lib.py").exists()


def test_work_inside_a_submodule_is_in_the_patch(with_submodule, make_tree, tmp_path):
    tree = make_tree()
    (tree.root / "vendor/lib/lib.py").write_text("3\n")
    (tree.root / "vendor/lib/new.py").write_text("new\n")
    (tree.root / "calc.py").write_text("x\n")
    facts = capture(tree, tmp_path / "p.diff")
    assert {change.path for change in facts.changes} == {"calc.py", "vendor/lib/lib.py", "vendor/lib/new.py"}
    assert facts.reapplies
    copy = rebuild(tree, tmp_path / "p.diff", tmp_path / "copy")
    assert files(copy) == files(tree.root)
    plain = make_tree()
    git(plain.root, "apply", "--binary", str(tmp_path / "p.diff"))
    assert files(plain.root) == files(tree.root)


def test_a_commit_inside_a_submodule_is_the_same_patch(with_submodule, make_tree, tmp_path):
    trees = make_tree(), make_tree()
    for tree in trees:
        (tree.root / "vendor/lib/lib.py").write_text("3\n")
    git(trees[1].root / "vendor/lib", "commit", "-qam", "work")
    git(trees[1].root, "commit", "-qam", "work")
    patches = []
    for tree in trees:
        assert capture(tree, tree.root.parent / "p.diff").reapplies
        patches.append((tree.root.parent / "p.diff").read_bytes())
    assert patches[0] == patches[1]


def test_a_submodule_put_on_another_commit_of_the_store_is_a_submodule_change(with_submodule, make_tree, tmp_path):
    tree = make_tree()
    git(tree.root / "vendor/lib", "checkout", "-q", "HEAD~1")
    facts = capture(tree, tmp_path / "p.diff")
    assert [(change.path, change.change) for change in facts.changes] == [("vendor/lib", "submodule")]
    copy = rebuild(tree, tmp_path / "p.diff", tmp_path / "copy")
    assert (copy / "vendor/lib/lib.py").read_text() == "1\n"


def test_a_submodule_inside_a_submodule(with_submodule, tmp_path):
    outer = make_repository(tmp_path / "outer")
    outer.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(with_submodule.path), "mid")
    outer.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "update", "--init", "--recursive")
    outer.commit()
    tree = tree_maker(tmp_path / "state", outer.path)()
    (tree.root / "mid/vendor/lib/lib.py").write_text("deep\n")
    (tree.root / "mid/calc.py").write_text("mid\n")
    facts = capture(tree, tmp_path / "p.diff")
    assert {change.path for change in facts.changes} == {"mid/vendor/lib/lib.py", "mid/calc.py"}
    assert facts.reapplies
    assert files(rebuild(tree, tmp_path / "p.diff", tmp_path / "copy")) == files(tree.root)


def test_a_submodule_that_the_agent_deleted(with_submodule, make_tree, tmp_path):
    tree = make_tree()
    git(tree.root, "rm", "-q", "-f", "vendor/lib")
    facts = capture(tree, tmp_path / "p.diff")
    assert facts.reapplies
    assert ("vendor/lib", "submodule") in {(change.path, change.change) for change in facts.changes}
    assert files(rebuild(tree, tmp_path / "p.diff", tmp_path / "copy")) == files(tree.root)


# Filters


def with_filter(repository: RealRepository, command: str | None) -> None:
    repository.write("data.bin", "version https://git-lfs.github.com/spec/v1\n")
    repository.write(".gitattributes", "*.bin filter=lfs -text\n")
    repository.commit()
    if command:
        repository.git("config", "filter.lfs.smudge", command)
        repository.git("config", "filter.lfs.clean", "cat")
        repository.git("config", "filter.lfs.required", "true")


@pytest.mark.parametrize("command", ["no-such-lfs smudge %f", None])
def test_a_filter_that_is_missing_is_refused_with_the_way_out(repository, make_tree, tmp_path, command):
    with_filter(repository, command)
    with pytest.raises(FilterMissing, match=r"data\.bin[\s\S]*--lfs pointers"):
        make_tree()
    assert not list((tmp_path / "state").rglob("tree"))


def test_pointers_are_taken_on_request(repository, make_tree, tmp_path):
    with_filter(repository, "no-such-lfs smudge %f")
    tree = make_tree(lfs_pointers=True)
    assert (tree.root / "data.bin").read_text().startswith("version")
    assert (tree.lfs_pointers, capture(tree, tmp_path / "p.diff").empty) == (True, True)
    assert files(rebuild(tree, tmp_path / "p.diff", tmp_path / "copy")) == files(tree.root)


def test_a_filter_of_the_person_s_works_in_the_tree(repository, make_tree, tmp_path):
    with_filter(repository, "sed s/version/VERSION/")
    repository.git("config", "filter.lfs.clean", "sed s/VERSION/version/")
    tree = make_tree()
    assert (tree.root / "data.bin").read_text().startswith("VERSION")
    assert capture(tree, tmp_path / "p.diff").empty


# Seeds


def test_ignored_files_that_worktreeinclude_names_are_seeded(repository, make_tree, tmp_path):
    repository.write(".gitignore", ".env\n*.local\nbuild/\n")
    repository.write(".worktreeinclude", ".env\nbuild/keep/\n!other.local\ncalc.py\nvisible.txt\n")
    repository.commit()
    for name in (".env", "app.local", "build/keep/x", "build/drop/x", "visible.txt"):
        repository.write(name, "seed\n")
    tree = make_tree()
    assert tree.seeded == (".env", "build/keep/x")
    assert (tree.root / "build/keep/x").read_text() == "seed\n"
    assert capture(tree, tmp_path / "p.diff").empty


def test_copied_files_are_seeded_whether_ignored_or_not(repository, make_tree, tmp_path):
    repository.write(".gitignore", "*.secret\n")
    repository.commit()
    for name in ("a.secret", ".dev.vars", "deep/er/b.vars", "odd [x] name.vars ", "not.txt"):
        repository.write(name, "seed\n")
    tree = make_tree(copy=("*.secret", "*.vars*"))
    assert tree.seeded == (".dev.vars", "a.secret", "deep/er/b.vars", "odd [x] name.vars ")
    assert git(tree.root, "status", "--porcelain") == ""
    facts = capture(tree, tmp_path / "p.diff")
    assert (facts.empty, facts.secrets_left_out) == (True, ())


def test_a_seed_that_the_agent_changed_is_still_not_in_the_patch(repository, make_tree, tmp_path):
    repository.write("app.vars", "seed\n")
    tree = make_tree(copy=("app.vars",))
    (tree.root / "app.vars").write_text("changed\n")
    assert capture(tree, tmp_path / "p.diff").empty


def test_tracked_files_are_no_seeds(repository, make_tree):
    assert make_tree(copy=("calc.py", "*")).seeded == ()


def test_seeds_are_equal_in_both_arms_and_keep_their_mode(repository, make_tree):
    tool = repository.write("tool.local", "#!/bin/sh\n")
    tool.chmod(0o755)
    (repository.path / "link.local").symlink_to("tool.local")
    trees = make_tree(copy=("*.local",)), make_tree(copy=("*.local",))
    assert files(trees[0].root) == files(trees[1].root) == files(repository.path)


# Whose tree it is, and its end


def test_the_tree_is_ours_while_it_is_the_one_we_made(make_tree):
    tree = make_tree()
    assert is_ours(tree)
    shutil.rmtree(tree.git_dir)
    assert is_ours(tree) is hasattr(os, "getxattr")


def remove_it(tree: RunTree) -> None:
    shutil.rmtree(tree.root)


def replace_it(tree: RunTree) -> None:
    shutil.rmtree(tree.root)
    tree.root.mkdir()


def move_it(tree: RunTree) -> None:
    tree.root.rename(tree.root.with_name("elsewhere"))


def link_it(tree: RunTree) -> None:
    move_it(tree)
    tree.root.symlink_to("elsewhere")


@pytest.mark.parametrize("way", [remove_it, replace_it, move_it, link_it], ids=lambda way: way.__name__)
def test_a_tree_that_is_another_or_gone_is_not_ours(make_tree, way):
    tree = make_tree()
    way(tree)
    assert not is_ours(tree)


def test_a_run_s_folder_is_removed_whole(make_tree):
    tree = make_tree()
    locked = tree.root / "locked"
    (locked / "deep").mkdir(parents=True)
    (locked / "deep/file").write_text("x")
    (locked / "deep").chmod(0o500)
    locked.chmod(0)
    remove(tree.mirror.parent)
    assert not tree.mirror.parent.exists()


def test_removal_follows_no_link(make_tree, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "kept").write_text("x")
    tree = make_tree()
    (tree.root / "link").symlink_to(outside)
    remove(tree.mirror.parent)
    assert (outside / "kept").exists()


def test_a_folder_that_is_no_run_s_is_not_removed(tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/file").write_text("x")
    (tmp_path / "link").symlink_to(tmp_path / "mine")
    for folder in (tmp_path / "mine", tmp_path / "link", tmp_path / "mine/file"):
        with pytest.raises(NotARun):
            remove(folder)
    assert (tmp_path / "mine/file").exists()


def test_removing_what_is_gone_is_fine(tmp_path):
    remove(tmp_path / "nowhere")
