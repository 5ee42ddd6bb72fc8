"""The index of a work tree: incremental, fresh, safe, and the same however it came about."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys

import pytest
from agenvantage.context.errors import NotARepository
from agenvantage.context.index import NoWorkTree, RepositoryIndex
from agenvantage.context.store import SCHEMA_VERSION, IndexTooNew
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st


def paths(index: RepositoryIndex) -> list[str]:
    return [file.path for file in index.files]


def skipped(index: RepositoryIndex) -> dict[str, str]:
    return {file.path: file.skipped for file in index.files if file.skipped}


def content(index: RepositoryIndex) -> list[object]:
    """All that an answer may depend on, whatever the numbers inside the file."""
    terms = ("add", "alpha", "beta", "gamma", "calc")
    found = index.store.postings(terms)
    return [
        [(f.path, f.content, f.language, f.role, f.lines, f.length, f.skipped, f.outline) for f in index.files],
        [(f.path, index.facts(f.path)) for f in index.files],
        sorted(
            (term, path, counts)
            for term, postings in found.items()
            for number, counts in zip(postings.numbers, postings.counts, strict=True)
            for path in index.paths_of(number)
        ),
        index.revision.key,
    ]


def test_a_second_open_parses_only_changed_files(repository):
    with RepositoryIndex.open(repository.path) as first:
        assert first.parsed == ("calc.py", "test_calc.py")
    repository.write("a.py", "def b(): ...\n")
    with RepositoryIndex.open(repository.path) as second:
        assert second.parsed == ("a.py",)
    with RepositoryIndex.open(repository.path) as third:
        assert third.parsed == ()


def test_what_is_on_disk_wins_over_what_is_committed(repository):
    repository.write("calc.py", "def subtract(a, b):\n    return a - b\n")
    repository.write("new.py", "def fresh(): ...\n")
    (repository.path / "test_calc.py").unlink()
    with RepositoryIndex.open(repository.path) as index:
        assert paths(index) == ["calc.py", "new.py"]
        assert [s.name for s in index.symbols("calc.py")] == ["subtract"]
        assert index.by_path["calc.py"].changed
        assert index.revision.changes is not None


def test_a_clean_tree_has_no_changes_and_its_commit(repository):
    with RepositoryIndex.open(repository.path) as index:
        assert index.revision.changes is None
        assert index.revision.commit == repository.git("rev-parse", "HEAD")


def test_a_staged_change_is_a_change(repository):
    repository.write("calc.py", "x = 1\n")
    repository.git("add", "calc.py")
    with RepositoryIndex.open(repository.path) as index:
        assert index.revision.changes is not None
        assert [s.name for s in index.symbols("calc.py")] == ["x"]


def test_refresh_follows_edits_deletions_and_renames(repository):
    with RepositoryIndex.open(repository.path) as index:
        assert index.refresh() is index
        (repository.path / "calc.py").rename(repository.path / "sums.py")
        after = index.refresh()
        assert paths(after) == ["sums.py", "test_calc.py"]
        assert after.parsed == ()


def test_equal_content_in_two_places_is_read_once_and_found_twice(repository):
    repository.write("copy/calc.py", (repository.path / "calc.py").read_bytes())
    with RepositoryIndex.open(repository.path) as index:
        number = index.by_path["calc.py"].number
        assert index.paths_of(number) == ("calc.py", "copy/calc.py")


def test_a_work_tree_finds_the_index_of_its_repository_warm(repository, tmp_path):
    RepositoryIndex.open(repository.path).close()
    repository.git("worktree", "add", "-q", str(tmp_path / "other"))
    with RepositoryIndex.open(tmp_path / "other") as index:
        assert index.parsed == ()
        assert index.root == tmp_path / "other"


def test_a_named_identity_shares_the_index_with_a_foreign_tree(repository, tmp_path):
    with RepositoryIndex.open(repository.path) as index:
        identity = index.identity
    subprocess.run(("git", "clone", "-q", str(repository.path), str(tmp_path / "clone")), check=True)
    (tmp_path / "clone" / "only_here.py").write_text("def only_here(): ...\n")
    with RepositoryIndex.open(tmp_path / "clone", identity=identity) as index:
        assert index.parsed == ("only_here.py",)
    with RepositoryIndex.open(repository.path) as index:
        assert "only_here.py" not in index.by_path


def test_ignored_secret_binary_and_foreign_files_are_names_only(repository, tmp_path):
    outside = tmp_path / "outside.py"
    outside.write_text("def outside(): ...\n")
    repository.write(".gitignore", "build/\n")
    repository.write(".agentignore", "private/\n!private/open.py\n*.gen.py\n")
    repository.write("build/out.py", "x = 1\n")
    repository.write("private/a.py", "x = 1\n")
    repository.write("b.gen.py", "x = 1\n")
    repository.write(".env", "API_KEY=abcdefgh1\n")
    repository.write("logo.png", b"\x89PNG\x00")
    (repository.path / "link.py").symlink_to(outside)
    (repository.path / "folder").symlink_to(tmp_path, target_is_directory=True)
    with RepositoryIndex.open(repository.path) as index:
        assert "build/out.py" not in index.by_path
        assert skipped(index) == {
            ".env": "secret",
            "b.gen.py": "ignored",
            "folder": "symlink",
            "link.py": "symlink",
            "logo.png": "binary",
            "private/a.py": "ignored",
        }
        assert not any(path.startswith("folder/") for path in paths(index))
        assert index.view("link.py") is None
        assert index.view("folder/outside.py") is None
        assert index.view(".env") is None


def test_no_secret_reaches_the_index_file(repository, tmp_path):
    repository.write("config.py", 'API_TOKEN = "zq81canarytokenvalue77"\n# ghp_' + "c4N" * 12 + "\n")
    RepositoryIndex.open(repository.path, cache_dir=tmp_path / "cache").close()
    stored = b"".join(path.read_bytes() for path in (tmp_path / "cache").rglob("*") if path.is_file()).lower()
    assert b"canarytoken" not in stored
    assert b"c4nc4n" not in stored


def test_the_index_is_for_its_owner_alone(repository, tmp_path):
    RepositoryIndex.open(repository.path, cache_dir=tmp_path / "cache").close()
    file = next((tmp_path / "cache").rglob("*.sqlite"))
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.parent.stat().st_mode & 0o777 == 0o700


def test_nothing_is_written_into_the_repository(repository):
    before = sorted(path for path in repository.path.rglob("*"))
    stamp = (repository.path / ".git" / "index").stat().st_mtime_ns
    RepositoryIndex.open(repository.path).close()
    assert sorted(path for path in repository.path.rglob("*")) == before
    assert (repository.path / ".git" / "index").stat().st_mtime_ns == stamp


def test_a_repository_of_one_file_and_no_code_is_indexed(tmp_path):
    subprocess.run(("git", "init", "-q", str(tmp_path / "r")), check=True)
    (tmp_path / "r" / "note").write_bytes(b"caf\xe9\r\nline two\r\n")
    with RepositoryIndex.open(tmp_path / "r") as index:
        assert paths(index) == ["note"]
        assert index.revision.commit is None
        assert index.view("note").lines == ("caf\ufffd", "line two")


def test_an_empty_repository_has_no_files(tmp_path):
    subprocess.run(("git", "init", "-q", str(tmp_path / "r")), check=True)
    with RepositoryIndex.open(tmp_path / "r") as index:
        assert index.files == ()


def test_names_that_are_no_text_are_kept(repository):
    name = os.fsdecode(b"caf\xe9 \xff.py")
    repository.write(name, "def odd(): ...\n")
    repository.write("with\nbreak.py", "def broken(): ...\n")
    with RepositoryIndex.open(repository.path) as index:
        assert [s.name for s in index.symbols(name)] == ["odd"]
        assert [s.name for s in index.symbols("with\nbreak.py")] == ["broken"]


def test_a_submodule_is_a_name(repository, tmp_path):
    subprocess.run(("git", "clone", "-q", str(repository.path), str(tmp_path / "lib")), check=True)
    repository.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(tmp_path / "lib"), "lib")
    with RepositoryIndex.open(repository.path) as index:
        assert skipped(index) == {"lib": "submodule"}


def test_a_nested_repository_that_is_not_tracked_is_a_name(repository):
    subprocess.run(("git", "init", "-q", str(repository.path / "nested")), check=True)
    repository.write("nested/a.py", "x = 1\n")
    with RepositoryIndex.open(repository.path) as index:
        assert "nested/a.py" not in index.by_path


def test_files_outside_a_sparse_checkout_are_not_there(repository):
    repository.write("a/one.py", "x = 1\n")
    repository.write("b/two.py", "y = 1\n")
    repository.commit()
    RepositoryIndex.open(repository.path).close()
    repository.git("sparse-checkout", "set", "a")
    with RepositoryIndex.open(repository.path) as index:
        assert "a/one.py" in index.by_path
        assert "b/two.py" not in index.by_path


def test_a_file_in_conflict_is_read_as_it_lies_on_disk(repository):
    repository.git("checkout", "-q", "-b", "side")
    repository.write("calc.py", "def left(): ...\n")
    repository.commit()
    repository.git("checkout", "-q", "main")
    repository.write("calc.py", "def right(): ...\n")
    repository.commit()
    subprocess.run(("git", "merge", "side"), cwd=repository.path, capture_output=True, check=False)
    with RepositoryIndex.open(repository.path) as index:
        assert paths(index) == ["calc.py", "test_calc.py"]
        assert {s.name for s in index.symbols("calc.py")} >= {"left"} or {s.name for s in index.symbols("calc.py")} >= {
            "right"
        }


def test_a_bare_repository_is_refused(repository, tmp_path):
    subprocess.run(("git", "clone", "-q", "--bare", str(repository.path), str(tmp_path / "bare.git")), check=True)
    with pytest.raises(NoWorkTree):
        RepositoryIndex.open(tmp_path / "bare.git")


def test_a_folder_without_a_repository_is_refused(tmp_path):
    with pytest.raises(NotARepository):
        RepositoryIndex.open(tmp_path)


def test_a_cache_folder_that_can_not_be_written_is_done_without(repository, tmp_path):
    (tmp_path / "file").write_text("")
    with RepositoryIndex.open(repository.path, cache_dir=tmp_path / "file") as index:
        assert index.warnings
        assert paths(index) == ["calc.py", "test_calc.py"]
        assert index.store.path is None


def test_a_damaged_index_is_built_again(repository, tmp_path):
    RepositoryIndex.open(repository.path, cache_dir=tmp_path).close()
    file = next(tmp_path.rglob("*.sqlite"))
    file.write_bytes(b"not a database, and long enough to be read as one" * 100)
    with RepositoryIndex.open(repository.path, cache_dir=tmp_path) as index:
        assert index.parsed == ("calc.py", "test_calc.py")


def test_an_index_damaged_in_its_middle_is_built_again(repository, tmp_path):
    RepositoryIndex.open(repository.path, cache_dir=tmp_path).close()
    file = next(tmp_path.rglob("*.sqlite"))
    data = bytearray(file.read_bytes())
    data[4096:] = b"\xa5" * (len(data) - 4096)
    file.write_bytes(data)
    with RepositoryIndex.open(repository.path, cache_dir=tmp_path) as index:
        assert [s.name for s in index.symbols("calc.py")] == ["add"]


def test_an_index_of_an_older_schema_is_built_again_and_of_a_newer_one_refused(repository, tmp_path):
    RepositoryIndex.open(repository.path, cache_dir=tmp_path).close()
    file = next(tmp_path.rglob("*.sqlite"))
    for version in (1, SCHEMA_VERSION + 1):
        connection = sqlite3.connect(file)
        connection.execute(f"PRAGMA user_version = {version}")
        connection.close()
        if version > SCHEMA_VERSION:
            with pytest.raises(IndexTooNew, match="--cache-dir"):
                RepositoryIndex.open(repository.path, cache_dir=tmp_path)
        else:
            RepositoryIndex.open(repository.path, cache_dir=tmp_path).close()


def test_two_processes_may_build_one_index_at_once(repository, tmp_path):
    for number in range(150):
        repository.write(f"pkg/m{number}.py", f"def alpha_{number}(): ...\n")
    code = (
        "import sys; from pathlib import Path; from agenvantage.context.index import RepositoryIndex;"
        "i = RepositoryIndex.open(sys.argv[1], cache_dir=Path(sys.argv[2])); print(len(i.store.cards()), i.warnings)"
    )
    arguments = (sys.executable, "-c", code, str(repository.path), str(tmp_path / "cache"))
    running = [subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    assert [process.communicate()[0].strip() for process in running] == ["152 ()", "152 ()"]
    with RepositoryIndex.open(repository.path, cache_dir=tmp_path / "cache") as index:
        assert index.parsed == ()
        assert len(index.store.postings(["alpha"])["alpha"].numbers) == 150


def test_folding_changes_no_answer(repository, tmp_path):
    for number in range(140):
        repository.write(f"pkg/m{number}.py", f"def alpha_{number}():\n    return beta\n")
    with RepositoryIndex.open(repository.path, cache_dir=tmp_path / "one") as at_once:
        expected = content(at_once)
    for number in range(140):
        (repository.path / f"pkg/m{number}.py").rename(repository.path / f"pkg/x{number}.py.off")
    index = RepositoryIndex.open(repository.path, cache_dir=tmp_path / "two")
    for number in range(140):
        (repository.path / f"pkg/x{number}.py.off").rename(repository.path / f"pkg/m{number}.py")
        if number % 50 == 0:
            index = index.refresh()
    index = index.refresh()
    assert content(index) == expected
    index.close()


def test_a_vanished_content_no_longer_counts(repository, tmp_path):
    repository.write("a.py", "gamma = 1\n")
    index = RepositoryIndex.open(repository.path, cache_dir=tmp_path)
    repository.write("a.py", "delta = 1\n")
    index = index.refresh()
    numbers = index.store.postings(["gamma"])["gamma"].numbers
    assert [path for number in numbers for path in index.paths_of(number)] == []
    index.close()


EDITS = st.lists(
    st.tuples(
        st.sampled_from(["a.py", "b/c.py", "calc.py", "d.md"]),
        st.sampled_from([None, b"def alpha(): ...\n", b"beta = alpha\n", b"\x00", b"# gamma\r\n", b""]),
    ),
    max_size=8,
)


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(EDITS)
def test_refreshing_after_any_edits_equals_a_fresh_build(repository, tmp_path_factory, edits):
    caches = tmp_path_factory.mktemp("caches")
    index = RepositoryIndex.open(repository.path, cache_dir=caches / "kept")
    for path, data in edits:
        if data is None:
            (repository.path / path).unlink(missing_ok=True)
        else:
            repository.write(path, data)
        index = index.refresh()
    with RepositoryIndex.open(repository.path, cache_dir=caches / "new") as fresh:
        assert content(index) == content(fresh)
    index.close()
