"""Past commits as facts about files: which count, what is kept of them, and that nothing else changes the answer."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path

import pytest
from agenvantage.context.commits import BULK_PATHS, Commit, Past, moves_in, past
from agenvantage.context.errors import GitFailed, NotARepository
from agenvantage.context.git import discover, stream
from agenvantage.context.history import History
from agenvantage.context.store import open_store
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from .conftest import RealRepository, make_repository

DAY = 86_400
YEAR = 365 * DAY
START = 1_500_000_000


class Kept(dict[str, bytes]):
    """A store in memory that remembers what it was given."""

    def __init__(self) -> None:
        super().__init__()
        self.added: list[str] = []
        self.derived: dict[str, bytes] = {}

    def commits(self, ids: Sequence[str]) -> dict[str, bytes]:
        return {each: self[each] for each in ids if each in self}

    def add_commits(self, commits: Mapping[str, bytes]) -> None:
        self.added += commits
        self.update(commits)

    def derived_bytes(self, key: str) -> bytes | None:
        return self.derived.get(key)

    def keep_derived(self, key: str, value: bytes) -> None:
        self.derived[key] = value


def commit(
    repository: RealRepository, files: Mapping[str, str | None], message: str | bytes = "change", day: int = 0
) -> str:
    """Write these files (None deletes one) and commit them on a day."""
    for path, text in files.items():
        if text is None:
            (repository.path / path).unlink()
        else:
            repository.write(path, text)
    repository.git("add", "-A")
    told = message if isinstance(message, bytes) else message.encode()
    dated = os.environ | {f"GIT_{who}_DATE": f"{START + day * DAY} +0000" for who in ("AUTHOR", "COMMITTER")}
    arguments = ("git", "commit", "-q", "--allow-empty", "--allow-empty-message", "--cleanup=verbatim", "-F", "-")
    subprocess.run(arguments, cwd=repository.path, input=told, env=dated, check=True)
    return repository.git("rev-parse", "HEAD")


def read(repository: RealRepository, store: Kept | None = None, most: int = 2_000) -> Past:
    return past(
        discover(repository.path), Kept() if store is None else store, repository.git("rev-parse", "HEAD"), most
    )


def history(repository: RealRepository, most: int = 2_000) -> History:
    return History(read(repository, most=most))


def made(number: int, paths: Sequence[str], *terms: str, age: int = 0, **more: object) -> Commit:
    values = {"touched": len(paths), "moves": (), "subject": " ".join(terms)} | more
    counted = {term: terms.count(term) for term in terms}
    return Commit(id=f"{number:040}", time=START - age, terms=counted, paths=tuple(paths), **values)  # type: ignore[arg-type]


def of(*commits: Commit) -> History:
    return History(Past(commits=commits))


@pytest.fixture
def empty(tmp_path: Path) -> RealRepository:
    return make_repository(tmp_path / "empty")


# An answer of git's that comes in fields


def test_an_answer_comes_in_its_fields(repository):
    assert list(stream(repository.path, "ls-files", "-z")) == [b"calc.py", b"test_calc.py"]


def test_a_last_field_without_its_end_is_given(repository):
    assert list(stream(repository.path, "rev-parse", "--show-prefix", "--is-bare-repository")) == [b"\nfalse\n"]


@pytest.mark.parametrize("length", [10, 65_535, 65_536, 65_537, 300_000])
def test_a_field_is_cut_off_at_the_length_asked_for(repository, length):
    blob = subprocess.run(
        ("git", "hash-object", "-w", "--stdin"),
        cwd=repository.path, input=b"abcde" * length + b"\0end\0", capture_output=True, check=True,
    ).stdout.decode().strip()  # fmt: skip
    assert list(stream(repository.path, "cat-file", "blob", blob, longest=7)) == [b"abcdeab", b"end"]


def test_a_long_question_with_a_long_answer_does_not_block(repository):
    head = repository.git("rev-parse", "HEAD")
    asked = f"{head}\n".encode() * 20_000
    answer = b"".join(stream(repository.path, "cat-file", "--batch-check=%(objectname)", stdin=asked, longest=2**30))
    assert answer == asked


def test_a_failure_is_told_after_the_fields_that_came(repository):
    fields = stream(repository.path, "cat-file", "blob", "no-such-thing")
    with pytest.raises(GitFailed, match="no-such-thing"):
        list(fields)


def test_an_answer_that_takes_too_long_is_ended_with_all_that_it_started(repository):
    slow = ("-c", "alias.slow=!printf 'one\\0'; sleep 60; true", "slow")
    with pytest.raises(GitFailed, match="no answer within"):
        list(stream(repository.path, *slow, time_limit_seconds=0.3))


def test_a_reader_that_stops_early_ends_git(repository):
    slow = ("-c", "alias.slow=!while printf 'one\\0'; do :; done", "slow")
    fields = stream(repository.path, *slow)
    next(fields)
    fields.close()
    with pytest.raises(StopIteration):
        next(fields)


def test_a_folder_that_is_not_there_is_no_repository(tmp_path):
    with pytest.raises(NotARepository):
        list(stream(tmp_path / "nowhere", "status"))


# Which commits count


def test_commits_come_newest_first(empty):
    ids = [commit(empty, {"a": str(day)}, day=day) for day in range(3)]
    assert [each.id for each in read(empty).commits] == ids[::-1]


def test_a_commit_after_the_revision_is_not_seen(empty):
    first = commit(empty, {"a": "1"})
    commit(empty, {"a": "2"}, day=1)
    found = past(discover(empty.path), Kept(), first, 2_000)
    assert [each.id for each in found.commits] == [first]


def test_a_commit_of_another_branch_is_not_seen(empty):
    first = commit(empty, {"a": "1"})
    empty.git("checkout", "-q", "-b", "side")
    commit(empty, {"a": "2"}, day=1)
    empty.git("checkout", "-q", "main")
    assert [each.id for each in read(empty).commits] == [first]


def test_a_merge_is_left_out_and_what_it_merged_counts(empty):
    commit(empty, {"a": "1"})
    empty.git("checkout", "-q", "-b", "side")
    side = commit(empty, {"b": "1"}, day=1)
    empty.git("checkout", "-q", "main")
    main = commit(empty, {"c": "1"}, day=2)
    empty.git("merge", "-q", "--no-ff", "-m", "merge", "side")
    assert [each.id for each in read(empty).commits[:2]] == [main, side]


def test_no_more_commits_are_read_than_asked_for(empty):
    ids = [commit(empty, {"a": str(day)}, day=day) for day in range(3)]
    assert [each.id for each in read(empty, most=2).commits] == [ids[2], ids[1]]


def test_a_repository_without_commits_has_no_history_and_no_problem(empty):
    found = past(discover(empty.path), Kept(), None, 2_000)
    assert found == Past()


def test_a_bare_repository_has_its_history(repository, tmp_path):
    repository.git("clone", "-q", "--bare", ".", str(tmp_path / "bare.git"))
    found = past(discover(tmp_path / "bare.git"), Kept(), repository.git("rev-parse", "HEAD"), 10)
    assert found.commits == read(repository).commits


def test_a_detached_head_has_its_history(repository):
    before = read(repository)
    repository.git("checkout", "-q", "--detach")
    assert read(repository) == before


def test_a_linked_work_tree_has_the_same_history(repository, tmp_path):
    repository.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "linked"))
    found = past(discover(tmp_path / "linked"), Kept(), repository.git("rev-parse", "HEAD"), 10)
    assert found.commits == read(repository).commits


def test_a_sha256_repository_has_its_history(tmp_path):
    found = RealRepository(tmp_path)
    found.git("init", "-q", "--object-format=sha256")
    found.git("config", "user.name", "A Person")
    found.git("config", "user.email", "person@example.org")
    made_by = commit(found, {"a": "1"})
    assert [(each.id, each.paths) for each in read(found).commits] == [(made_by, ("a",))]


# Clones that lack something


def clone(repository: RealRepository, target: Path, *arguments: str) -> RealRepository:
    repository.git("config", "uploadpack.allowFilter", "true")
    repository.git("clone", "-q", *arguments, f"file://{repository.path}", str(target))
    return RealRepository(target)


def test_a_shallow_clone_says_so_and_leaves_out_the_commit_that_seems_to_add_everything(empty, tmp_path):
    for day in range(4):
        last = commit(empty, {f"{day}": "x"}, day=day)
    found = read(clone(empty, tmp_path / "shallow", "--depth=2"))
    assert (found.shallow, [(each.id, each.paths) for each in found.commits]) == (True, [(last, ("3",))])


def test_a_whole_clone_is_not_shallow(repository):
    assert not read(repository).shallow


def test_a_shallow_clone_that_is_deepened_reads_the_commit_at_the_old_end(empty, tmp_path):
    for day in range(4):
        commit(empty, {f"{day}": "x"}, day=day)
    shallow, store = clone(empty, tmp_path / "shallow", "--depth=2"), Kept()
    read(shallow, store)
    shallow.git("fetch", "-q", "--unshallow")
    assert read(shallow, store) == read(empty)


def test_a_clone_without_old_contents_has_its_history(empty, tmp_path):
    for day in range(3):
        commit(empty, {"a": str(day)}, day=day)
    assert read(clone(empty, tmp_path / "blobless", "--filter=blob:none")).commits == read(empty).commits


def test_a_clone_without_old_trees_says_that_its_history_cannot_be_read(empty, tmp_path):
    for day in range(3):
        commit(empty, {"a": str(day)}, day=day)
    found = read(clone(empty, tmp_path / "treeless", "--filter=tree:0"))
    assert (found.commits, found.problem is not None) == ((), True)


def test_nothing_is_fetched_for_a_clone_without_old_trees(empty, tmp_path):
    for day in range(3):
        commit(empty, {"a": str(day)}, day=day)
    treeless = clone(empty, tmp_path / "treeless", "--filter=tree:0")
    before = treeless.git("count-objects", "-v")
    read(treeless)
    assert treeless.git("count-objects", "-v") == before


def test_a_damaged_history_is_a_problem_in_words_and_no_crash(repository):
    broken = repository.git("rev-parse", "HEAD^{tree}")
    (repository.path / ".git/objects" / broken[:2] / broken[2:]).unlink()
    assert read(repository).problem is not None


def test_a_name_that_is_no_commit_id_is_never_given_to_git(repository):
    assert past(discover(repository.path), Kept(), "--all", 10) == Past()


# What is kept of a commit


def test_a_commit_tells_its_time_subject_and_files(empty):
    commit(empty, {"b": "1", "a": "1"}, "Add the parser\n\nBecause.", day=3)
    found = read(empty).commits[0]
    assert (found.time, found.subject, found.paths) == (START + 3 * DAY, "Add the parser", ("a", "b"))


def test_terms_are_of_subject_and_body_without_filler(empty):
    commit(empty, {"a": "1"}, "Parse vouchers\n\nThe discount was parsed for all vouchers.")
    assert read(empty).commits[0].terms == {"pars": 2, "voucher": 2, "discount": 1}


def test_nobody_is_named_in_what_is_kept(empty):
    commit(
        empty, {"a": "1"}, "Parse it\n\nSee zeno@example.org\nSigned-off-by: Zeno Zzyzx <zeno@example.org>\nCc: Zzyzx"
    )
    store = Kept()
    read(empty, store)
    blob = next(iter(store.values())).lower()
    assert not any(word in blob for word in (b"zeno", b"zzyzx", b"example", b"person"))


def test_addresses_and_commit_ids_are_no_terms(empty):
    commit(empty, {"a": "1"}, "Revert deadbeef1 of https://forge.example/org/project/pull/12")
    assert read(empty).commits[0].terms == {"revert": 1}


def test_a_secret_in_a_message_is_not_kept(empty):
    secret = "ghp_" + "a1" * 18
    commit(empty, {"a": "1"}, f"Use {secret}\n\nand {secret}")
    store = Kept()
    read(empty, store)
    assert secret.encode() not in next(iter(store.values()))


def test_a_subject_is_one_short_line_without_control_characters(empty):
    commit(empty, {"a": "1"}, "Red \x1b[31m\u202etext\tends " + "x" * 300)
    assert read(empty).commits[0].subject == ("Red [31m text ends " + "x" * 300)[:100]


def test_a_message_that_is_not_utf8_is_read(empty):
    commit(empty, {"a": "1"}, b"Parse caf\xe9 cards")
    assert {"pars", "card"} <= read(empty).commits[0].terms.keys()


def test_a_message_in_a_declared_encoding_is_read_in_it(empty):
    empty.git("config", "i18n.commitEncoding", "ISO-8859-1")
    commit(empty, {"a": "1"}, "Öffne".encode("latin-1"))
    assert read(empty).commits[0].subject == "Öffne"


def test_an_empty_message_has_no_terms(empty):
    commit(empty, {"a": "1"}, "")
    assert (read(empty).commits[0].subject, read(empty).commits[0].terms) == ("", {})


def test_of_a_huge_message_only_the_beginning_counts(empty):
    commit(empty, {"a": "1"}, "First words\n\n" + "filler text\n" * 90_000 + "omega")
    found = read(empty).commits[0]
    assert "first" in found.terms and "omega" not in found.terms and found.paths == ("a",)


def test_of_a_long_message_only_the_beginning_counts(empty):
    commit(empty, {"a": "1"}, "First words\n\n" + "filler text\n" * 900 + "omega")
    assert "omega" not in read(empty).commits[0].terms


def test_a_secret_where_a_message_is_cut_leaves_no_part_of_it(empty):
    filler = "filler text\n" * 665
    commit(empty, {"a": "1"}, filler.ljust(7_990) + "ghp_" + "ab1" * 12)
    assert read(empty).commits[0].terms.keys() == {"filler", "text", "redact"}


def test_of_a_message_of_many_words_a_bounded_number_is_kept(empty):
    commit(empty, {"a": "1"}, " ".join(f"word{number}x" for number in range(1_000)))
    assert len(read(empty).commits[0].terms) == 200


def test_a_message_cannot_pass_for_files_or_for_another_commit(empty):
    commit(empty, {"a": "1"}, "x\n:100644 100644 1 2 M\n" + "0" * 40)
    assert [each.paths for each in read(empty).commits] == [("a",)]


@pytest.mark.parametrize("path", ["a b", "ä", "quo'te\"", "line\nend", ":100644 100644 1 2 M", "-dash", "tab\t", "\\"])
def test_any_name_of_a_file_is_kept_as_it_is(empty, path):
    commit(empty, {path: "1"})
    assert read(empty).commits[0].paths == (path,)


def test_a_name_that_is_not_utf8_is_kept_as_the_index_spells_it(empty):
    commit(empty, {os.fsdecode(b"caf\xe9"): "1"})
    assert read(empty).commits[0].paths == (os.fsdecode(b"caf\xe9"),)


def test_a_commit_without_files_is_kept(empty):
    commit(empty, {}, "Nothing")
    assert (read(empty).commits[0].paths, read(empty).commits[0].touched) == ((), 0)


def test_a_deleted_file_was_touched(empty):
    commit(empty, {"a": "1"})
    commit(empty, {"a": None}, day=1)
    assert read(empty).commits[0].paths == ("a",)


def test_a_commit_of_very_many_files_keeps_its_words_and_not_its_files(empty):
    commit(empty, {f"{number}": "x" for number in range(BULK_PATHS + 1)}, "Reformat")
    found = read(empty).commits[0]
    assert (found.paths, found.touched, found.terms) == ((), BULK_PATHS + 1, {"reformat": 1})


def test_a_commit_at_the_bulk_limit_keeps_its_files(empty):
    commit(empty, {f"{number}": "x" for number in range(BULK_PATHS)})
    assert len(read(empty).commits[0].paths) == BULK_PATHS


def test_a_changed_submodule_is_a_touched_path_whatever_its_settings_say(empty):
    target = commit(empty, {".gitmodules": '[submodule "sub"]\n\tpath = sub\n\turl = ./sub\n\tignore = all\n'})
    empty.git("update-index", "--add", "--cacheinfo", f"160000,{target},sub")
    empty.git("commit", "-q", "-m", "sub")
    assert read(empty).commits[0].paths == ("sub",)


def written(repository: RealRepository, committer: str) -> str:
    """A commit that no git would write, as HEAD."""
    tree, parent = repository.git("rev-parse", "HEAD^{tree}"), repository.git("rev-parse", "HEAD")
    text = f"tree {tree}\nparent {parent}\nauthor A <a@example.org> 1 +0000\n{committer}\nOdd words"
    made_of = subprocess.run(
        ("git", "hash-object", "-t", "commit", "-w", "--literally", "--stdin"),
        cwd=repository.path, input=text.encode(), capture_output=True, check=True,
    ).stdout.decode().strip()  # fmt: skip
    repository.git("update-ref", "HEAD", made_of)
    return made_of


@pytest.mark.parametrize(
    "committer",
    ["", "committer A <a@example.org> 99999999999999999999 +0000\n", "committer A <a@example.org> 5000000000 +0000\n"],
)
def test_a_commit_without_a_possible_date_is_of_1970(repository, committer):
    odd = written(repository, committer)
    assert [(each.id, each.time) for each in read(repository).commits[:1]] == [(odd, 0)]


# Moves


def test_a_file_of_the_same_content_has_moved():
    assert moves_in([("1", "a/x.py")], [("1", "b/y.py")]) == (("a/x.py", "b/y.py"),)


def test_a_file_of_the_same_name_has_moved_when_no_other_has_it():
    assert moves_in([("1", "a/x.py")], [("2", "b/x.py")]) == (("a/x.py", "b/x.py"),)


def test_a_file_with_another_ending_at_the_same_place_has_moved():
    assert moves_in([("1", "a/x.js"), ("1", "b/x.js")], [("2", "a/x.ts"), ("2", "b/x.ts")]) == (
        ("a/x.js", "a/x.ts"),
        ("b/x.js", "b/x.ts"),
    )


def test_files_that_are_alike_are_not_guessed_at():
    assert moves_in([("1", "a/x"), ("1", "b/x")], [("1", "c/x"), ("1", "d/x")]) == ()


def test_equal_files_are_told_apart_by_their_names():
    assert moves_in([("1", "a/x"), ("1", "a/y")], [("1", "b/x"), ("1", "b/y")]) == (("a/x", "b/x"), ("a/y", "b/y"))


@given(
    gone=st.lists(
        st.tuples(st.sampled_from("12"), st.sampled_from(["a/x.js", "a/y.js", "b/x.js"])), unique_by=lambda p: p[1]
    ),
    come=st.lists(
        st.tuples(st.sampled_from("12"), st.sampled_from(["a/x.ts", "c/x.js", "c/y.js"])), unique_by=lambda p: p[1]
    ),
)
def test_each_file_moves_once_and_to_a_place_of_its_own(gone, come):
    moves = moves_in(gone, come)
    assert len({old for old, _ in moves}) == len({new for _, new in moves}) == len(moves)


def test_a_moved_file_keeps_its_past_under_its_new_name(empty):
    commit(empty, {"old.py": "x"}, "First")
    commit(empty, {"old.py": None, "src/new.py": "x"}, "Move", day=1)
    last = commit(empty, {"src/new.py": "y"}, "Change", day=2)
    churn = history(empty).churn("src/new.py")
    assert churn is not None and (churn.commits, churn.last) == (3, last)


def test_the_old_name_of_a_moved_file_has_no_past():
    found = of(made(2, ("a", "b"), moves=(("a", "b"),)), made(1, ("a",)))
    assert found.churn("a") is None


def test_a_name_that_was_used_again_later_is_another_file():
    found = of(made(3, ("a",)), made(2, ("a", "b"), moves=(("a", "b"),)), made(1, ("a",)))
    assert [found.churn(path).commits for path in ("a", "b")] == [1, 2]


def test_a_file_that_was_moved_twice_keeps_all_of_its_past():
    found = of(made(3, ("b", "c"), moves=(("b", "c"),)), made(2, ("a", "b"), moves=(("a", "b"),)), made(1, ("a",)))
    assert found.paths == (("c",),) * 3


def test_a_file_that_was_moved_back_keeps_all_of_its_past():
    found = of(made(3, ("a", "b"), moves=(("b", "a"),)), made(2, ("a", "b"), moves=(("a", "b"),)), made(1, ("a",)))
    assert found.paths == (("a",),) * 3


def test_the_moves_of_a_bulk_commit_count(empty):
    commit(empty, {f"old/{number}": f"{number}" for number in range(BULK_PATHS)}, "Add")
    empty.git("mv", "old", "new")
    commit(empty, {}, "Move", day=1)
    assert history(empty).churn("new/7").commits == 1


# Nothing else changes the answer

SETTINGS = """[log]
	showSignature = true
	showRoot = false
	follow = true
	decorate = full
	date = relative
	mailmap = true
	diffMerges = first-parent
[diff]
	renames = copies
	relative = true
	noprefix = true
	ignoreSubmodules = all
	external = false
	orderFile = order
	algorithm = histogram
	statGraphWidth = 1
[core]
	quotePath = true
	abbrev = 4
	commentChar = c
	pager = false
[i18n]
	logOutputEncoding = UTF-16
[format]
	pretty = raw
	notes = true
[notes]
	displayRef = refs/notes/*
[color]
	ui = always
	diff = always
[submodule]
	ignore = all
[rerere]
	enabled = true
"""


@pytest.fixture
def varied(empty) -> RealRepository:
    """Commits of many kinds, on two branches that were merged."""
    commit(empty, {"ä.py": "1", "b.py": "1", "c.py": "1"}, "Öffne the parser")
    commit(empty, {"b.py": None, "d.py": "1"}, "Move b\n\nto d", day=1)
    empty.git("checkout", "-q", "-b", "side")
    commit(empty, {"c.py": "2", "d.py": "2"}, "Change both", day=2)
    empty.git("checkout", "-q", "main")
    commit(empty, {"c.py": None}, "", day=3)
    commit(empty, {"c.py": "3", "d.py": "3"}, "Change both again", day=3)
    empty.git("merge", "-q", "-s", "ours", "-m", "merge", "side")
    return empty


def test_a_persons_settings_change_nothing(varied):
    before = read(varied)
    with (varied.path / ".git/config").open("a", encoding="utf-8") as file:
        file.write(SETTINGS)
    varied.write("order", "d.py\nc.py\n")
    varied.git("notes", "add", "-m", "omega", "HEAD~1")
    assert read(varied) == before


def test_a_persons_environment_changes_nothing(varied, monkeypatch):
    before = read(varied)
    for name, value in {
        "TZ": "Asia/Tokyo",
        "LC_ALL": "tr_TR.UTF-8",
        "GIT_PAGER": "false",
        "GIT_DIFF_OPTS": "-u9",
    }.items():
        monkeypatch.setenv(name, value)
    assert read(varied) == before


def test_attributes_of_the_repository_change_nothing(varied):
    before = read(varied)
    varied.git("config", "diff.odd.textconv", "false")
    varied.git("config", "diff.odd.command", "false")
    varied.write(".git/info/attributes", "* diff=odd\n")
    assert read(varied) == before


def test_replaced_commits_are_read_as_they_were_written(varied):
    before = read(varied)
    other = varied.git("commit-tree", "HEAD^{tree}", "-m", "omega")
    varied.git("replace", varied.git("rev-parse", "HEAD~1"), other)
    assert read(varied) == before


def test_grafted_commits_are_read_as_they_were_written(varied):
    before = read(varied)
    varied.write(".git/info/grafts", varied.git("rev-parse", "HEAD~1") + "\n")
    assert read(varied) == before


def test_packed_commits_with_a_graph_are_read_alike(varied):
    before = read(varied)
    varied.git("gc", "-q")
    varied.git("commit-graph", "write", "--reachable", "--changed-paths")
    assert read(varied) == before


# Each commit is read once


def test_a_second_reading_reads_no_commit(varied):
    store = Kept()
    read(varied, store)
    store.added.clear()
    read(varied, store)
    assert store.added == []


def test_a_known_history_needs_no_git_at_all(varied):
    store, place, head = Kept(), discover(varied.path), varied.git("rev-parse", "HEAD")
    before = past(place, store, head, 2_000)
    (varied.path / ".git/objects").rename(varied.path / "gone")
    assert past(place, store, head, 2_000) == before


def test_an_index_file_keeps_history(varied, tmp_path):
    place, head = discover(varied.path), varied.git("rev-parse", "HEAD")
    with closing(open_store(tmp_path / "index.db")) as store:
        before = past(place, store, head, 2_000)
    (varied.path / ".git/objects").rename(varied.path / "gone")
    with closing(open_store(tmp_path / "index.db")) as store:
        assert past(place, store, head, 2_000) == before


def test_a_new_commit_is_the_only_one_read(varied):
    store = Kept()
    read(varied, store)
    store.added.clear()
    last = commit(varied, {"e.py": "1"}, day=9)
    read(varied, store)
    assert store.added == [last]


def test_a_known_history_needs_no_trees(varied, tmp_path):
    store = Kept()
    before = read(varied, store)
    assert read(clone(varied, tmp_path / "treeless", "--filter=tree:0"), store) == before


@pytest.mark.parametrize("blob", [b"", b"x", b"\xc1", b"\x97\x00\x00\xa0\x80\xc4\x00\x00\xc4\x00", b"[1]"])
def test_what_another_version_kept_is_read_again(varied, blob):
    store = Kept()
    before = read(varied, store)
    store.update(dict.fromkeys(store, blob))
    assert read(varied, store) == before


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["commit", "commit", "delete", "move", "branch", "switch", "merge", "reset"]),
        st.sampled_from(["a", "b", "c/a"]),
        st.integers(0, 3),
    ),
    min_size=1,
    max_size=7,
)


def step(repository: RealRepository, at: int, kind: str, path: str, number: int) -> None:
    """One thing that a person does; what can't be done is left."""
    present = repository.git("ls-files").split()
    branches = repository.git("branch", "--format=%(refname:short)").split()
    if kind == "commit":
        commit(repository, {path: f"{at} {number}"}, f"Change {path} {number}", day=number)
    elif kind == "delete" and path in present:
        commit(repository, {path: None}, "Delete", day=number)
    elif kind == "move" and path in present:
        commit(repository, {path: None, f"d/{path}{number}": str(at)}, "Move", day=number)
    elif kind == "branch":
        repository.git("checkout", "-q", "-B", f"side{number}")
    elif kind == "switch":
        repository.git("checkout", "-q", branches[number % len(branches)])
    elif kind == "merge":
        repository.git("merge", "-q", "-s", "ours", "-m", "merge", branches[number % len(branches)])
    elif kind == "reset" and len(repository.git("rev-list", "HEAD").split()) > number:
        repository.git("reset", "-q", "--hard", f"HEAD~{min(number, 1)}")


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=STEPS, most=st.sampled_from([3, 2_000]))
def test_what_was_read_bit_by_bit_is_what_is_read_at_once(tmp_path_factory, steps, most):
    repository, store = make_repository(tmp_path_factory.mktemp("law") / "r"), Kept()
    commit(repository, {"a": "0", "b": "0"})
    for at, (kind, path, number) in enumerate(steps):
        step(repository, at, kind, path, number)
        assert read(repository, store, most) == read(repository, Kept(), most)


# Churn


def test_churn_counts_the_commits_of_a_file():
    found = of(made(3, ("a",)), made(2, ("b",)), made(1, ("a",)))
    assert found.churn("a").commits == 2


def test_a_file_that_no_known_commit_touched_has_no_churn():
    assert of(made(1, ("a",))).churn("b") is None


def test_a_change_of_a_year_ago_counts_half():
    assert of(made(2, ("a",)), made(1, ("a",), age=YEAR + DAY // 4)).churn("a").recent == 1.5


def test_ages_are_measured_from_the_newest_commit():
    younger, older = (of(made(2, ("a",), age=age), made(1, ("a",), age=age + YEAR)) for age in (0, 9 * YEAR))
    assert younger.churn("a").recent == older.churn("a").recent


def test_the_last_change_is_the_newest_commit_of_the_file():
    churn = of(made(3, ("b",)), made(2, ("a",), age=5), made(1, ("a",), age=9)).churn("a")
    assert (churn.last, churn.last_time) == (f"{2:040}", START - 5)


def test_one_wrong_date_leaves_the_others_their_worth():
    future = made(2, ("b",), "omega", age=-80 * YEAR)
    assert [near.paths for near in of(future, made(1, ("a",), "parse")).nearest({"parse": 1.0})] == [("a",)]


# Nearest commits


def test_the_commit_with_the_words_is_nearest():
    found = of(made(3, ("a",), "cache", "size"), made(2, ("b",), "parse", "dates"), made(1, ("c",), "cache", "dates"))
    assert found.nearest({"parse": 1.0, "dates": 1.0})[0].paths == ("b",)


def test_a_rare_word_weighs_more_than_a_common_one():
    commits = [made(number, ("x",), "common") for number in range(3, 9)]
    found = of(made(2, ("a",), "common"), made(1, ("b",), "rare"), *commits)
    assert found.nearest({"common": 1.0, "rare": 1.0})[0].paths == ("b",)


def test_the_younger_of_two_equal_messages_is_nearer():
    found = of(made(9, ("z",), "other"), made(2, ("a",), "parse", age=YEAR), made(1, ("b",), "parse", age=2 * YEAR))
    assert [near.paths for near in found.nearest({"parse": 1.0})] == [("a",), ("b",)]


def test_a_commit_without_any_of_the_words_is_not_near():
    assert of(made(1, ("a",), "cache")).nearest({"parse": 1.0}) == ()


def test_a_commit_whose_files_are_not_known_is_not_near():
    assert of(made(1, (), "parse", touched=999)).nearest({"parse": 1.0}) == ()


def test_no_more_near_commits_are_given_than_asked_for():
    found = of(*(made(number, ("a",), "parse") for number in range(5)))
    assert len(found.nearest({"parse": 1.0}, most=2)) == 2


def test_a_word_of_no_weight_brings_no_commit():
    assert of(made(1, ("a",), "parse")).nearest({"parse": 0.0}) == ()


def test_the_order_of_the_words_changes_nothing():
    found = of(*(made(number, (str(number),), *"abcdefg"[number:]) for number in range(7)))
    words = {letter: 0.1 * at for at, letter in enumerate("abcdefg", 1)}
    assert found.nearest(words) == found.nearest(dict(reversed(words.items())))


def test_a_file_of_several_near_commits_has_most_votes():
    found = of(made(3, ("a",), "parse"), made(2, ("a",), "parse"), made(1, ("b",), "parse"))
    votes = found.votes({"parse": 1.0})
    assert votes["a"] == pytest.approx(2 * votes["b"], rel=1e-3)


def test_a_commit_of_many_files_gives_each_less():
    found = of(made(3, ("a",), "parse"), made(2, ("b", "c", "d", "e"), "parse"))
    votes = found.votes({"parse": 1.0})
    assert votes["b"] == pytest.approx(votes["a"] / 2, rel=1e-3)


# Messages as a field


def test_a_file_has_the_words_of_its_commits():
    field = of(made(2, ("a",), "parse", "parse"), made(1, ("b",), "cache")).messages({"parse": 1.0, "size": 1.0})
    assert field.frequencies == {"parse": {"a": 2.0}, "size": {}}


def test_a_files_length_is_that_of_its_messages():
    field = of(made(2, ("a",), "parse", "parse"), made(1, ("a", "b", "c", "d"), "cache", "size")).messages({})
    assert (field.lengths, field.average) == ({"a": 3.0, "b": 1.0, "c": 1.0, "d": 1.0}, 1.5)


def test_the_words_of_a_commit_of_many_files_are_in_no_files_field():
    found = of(made(1, [f"{number:02}" for number in range(31)], "parse"))
    assert found.messages({"parse": 1.0}).frequencies == {"parse": {}}


def test_without_history_the_field_is_empty():
    field = of().messages({"parse": 1.0})
    assert (field.frequencies, field.lengths, field.average) == ({"parse": {}}, {}, 0.0)


# Files that change together


def test_files_of_the_same_commits_change_together():
    found = of(made(3, ("a", "b")), made(2, ("a", "b", "c")), made(1, ("a",)), made(0, ("d",)))
    assert [(tie.path, tie.together) for tie in found.co_changed("a")] == [("b", 2), ("c", 1)]


def test_confidence_is_the_share_of_the_asked_files_commits():
    found = of(made(3, ("a", "b")), made(2, ("a",)), made(1, ("a",)), made(0, ("a",)))
    assert (found.co_changed("a")[0].confidence, found.co_changed("b")[0].confidence) == (0.25, 1.0)


def test_files_that_meet_as_often_as_by_chance_have_lift_one():
    found = of(made(3, ("a", "b")), made(2, ("a",)), made(1, ("b",)), made(0, ("c",)))
    assert found.co_changed("a")[0].lift == 1.0


def test_a_commit_of_many_files_ties_less():
    found = of(made(2, ("a", "b")), made(1, ("a", "c", "d", "e", "f")))
    assert [(tie.path, tie.weight) for tie in found.co_changed("a", most=2)] == [("b", 1.0), ("c", 0.5)]


def test_a_bulk_commit_ties_nothing():
    found = of(made(1, [f"{number:02}" for number in range(61)]))
    assert found.co_changed("00") == ()


def test_only_files_that_were_asked_for_are_given():
    found = of(made(1, ("a", "b", "c")))
    assert [tie.path for tie in found.co_changed("a", among={"c"})] == ["c"]


def test_a_file_without_history_changes_with_none():
    assert of(made(1, ("a", "b"))).co_changed("c") == ()


COMMITS = st.lists(
    st.tuples(
        st.sets(st.sampled_from("abcdef"), max_size=5), st.integers(0, 5 * YEAR), st.sampled_from(["x", "y", "x y"])
    ),
    max_size=12,
)


def many(commits: list[tuple[set[str], int, str]]) -> History:
    return of(*(made(at, sorted(paths), *words.split(), age=age) for at, (paths, age, words) in enumerate(commits)))


@given(commits=COMMITS)
def test_two_files_are_tied_alike_seen_from_either(commits):
    found = many(commits)
    ties = {(one, tie.path): (tie.together, tie.weight, tie.lift) for one in "abcdef" for tie in found.co_changed(one)}
    assert all(ties[other, one] == tie for (one, other), tie in ties.items())


@given(commits=COMMITS)
def test_no_file_changes_with_itself(commits):
    found = many(commits)
    assert all(tie.path != path for path in "abcdef" for tie in found.co_changed(path))


@given(commits=COMMITS)
def test_what_was_asked_before_changes_no_answer(commits):
    used, fresh = many(commits), many(commits)
    used.nearest({"x": 1.0}), used.messages({"y": 1.0}), used.co_changed("a"), used.churn("b")
    assert (used.votes({"x": 1.0}), used.messages({"x": 1.0}), used.co_changed("b"), used.churn("a")) == (
        fresh.votes({"x": 1.0}),
        fresh.messages({"x": 1.0}),
        fresh.co_changed("b"),
        fresh.churn("a"),
    )


def test_a_history_that_could_not_be_read_says_why(empty):
    assert History(Past(problem="It is gone.")).problem == "It is gone."


def test_history_is_read_up_to_a_commit(varied):
    found = History.of(discover(varied.path), Kept(), varied.git("rev-parse", "HEAD"), most_commits=3)
    assert len(found.commits) == 3
