"""What a shell command line is seen to read, test and look up."""

from __future__ import annotations

import string

import pytest
from agenvantage.adapters.shell import history_probe, is_test_command, reads_of, unwrapped
from hypothesis import given
from hypothesis import strategies as st

READS = {
    "cat a.py": [("a.py", 1, None)],
    "cat a b": [("a", 1, None), ("b", 1, None)],
    "cat 'a b' \"c\"": [("a b", 1, None), ("c", 1, None)],
    "sed -n '1,4p' a": [("a", 1, 4)],
    "sed -n 5p a": [("a", 5, 5)],
    "sed -n '5,$p;20q' a": [("a", 5, None)],
    "sed -n '5,+3p' a": [("a", 5, 8)],
    "sed -n -e '2,3p;8,9p' a": [("a", 2, 3), ("a", 8, 9)],
    "sed -n '$p' a": [("a", -1, None)],
    "sed 5q a": [("a", 1, 5)],
    "sed s/x/y/ a": [("a", 1, None)],
    "head a": [("a", 1, 10)],
    "head -n 5 a": [("a", 1, 5)],
    "head -n5 a": [("a", 1, 5)],
    "head --lines=5 a": [("a", 1, 5)],
    "head -20 a": [("a", 1, 20)],
    "head -c 100 a": [("a", 1, None)],
    "tail -n +5 a": [("a", 5, None)],
    "tail -5 a": [("a", -5, None)],
    "tail -n 5 a": [("a", -5, None)],
    "tail a": [("a", -10, None)],
    "nl -ba a": [("a", 1, None)],
    "awk 'NR>=3 && NR<=9' a": [("a", 3, 9)],
    "awk 'NR==3,NR==9 {print}' a": [("a", 3, 9)],
    "awk 'NR>3 && NR<9 {print NR\": \"$0}' a": [("a", 4, 8)],
    "awk '{print $1}' a": [("a", 1, None)],
    "bat -r 3:9 a": [("a", 3, 9)],
    "less a": [("a", 1, None)],
    # pipes
    "cat a | head -20": [("a", 1, 20)],
    "nl -ba a | sed -n '1,4p'": [("a", 1, 4)],
    "cat -n a | sed -n '5,9p;20,22p'": [("a", 5, 9), ("a", 20, 22)],
    "sed -n '10,30p' a | head -5": [("a", 10, 14)],
    "sed -n '10,30p' a | tail -5": [("a", 26, 30)],
    "tail -n +10 a | head -n 3": [("a", 10, 12)],
    "cat a | cat": [("a", 1, None)],
    "cat a | sort": [("a", 1, None)],
    "cat a | grep x": [],
    "cat a | wc -l": [],
    "cat a b | head -5": [("a", 1, 5)],
    # lists, folders, wrappers
    "cat a && cat b; cat c || cat d": [(name, 1, None) for name in "abcd"],
    "cd pkg && cat a && cd ../lib && cat b": [("pkg/a", 1, None), ("lib/b", 1, None)],
    "(cd pkg; cat a); cat b": [("pkg/a", 1, None), ("b", 1, None)],
    "cd /abs && cat a": [("/abs/a", 1, None)],
    "cd $HERE && cat a && cat /abs/b": [("/abs/b", 1, None)],
    "bash -lc 'cd pkg; tail -n 3 a'": [("pkg/a", -3, None)],
    "timeout 5 cat a": [("a", 1, None)],
    "env A=1 cat a": [("a", 1, None)],
    "! cat a": [("a", 1, None)],
    "if true; then cat a; fi": [("a", 1, None)],
    # redirections
    "cat < a": [("a", 1, None)],
    "head -3 <a": [("a", 1, 3)],
    "cat a 2>/dev/null": [("a", 1, None)],
    "cat a > b": [],
    "cat a >> b": [],
    "cat <<'END' > b\ncat x\nEND": [],
    # what only a running shell knows, or no read at all
    "cat *.py": [],
    "cat {a,b}": [],
    "cat $FILE b": [("b", 1, None)],
    "cat -": [],
    "cat /dev/null": [],
    "sed -i s/x/y/ a": [],
    "awk '/def/' a": [],
    "rg x src; grep -n x a": [],
    "git show HEAD:a": [],
    "echo cat a": [],
    "": [],
    "cat 'unclosed": [],
}
TESTS = (
    "pytest -q",
    "PYTHONPATH=. pytest",
    "python3 -m unittest -q test_calc",
    "python -m pytest tests/x.py::test_a",
    "python tests/test_a.py",
    "python manage.py test",
    "python -m coverage run -m pytest",
    "uv run pytest -x",
    "poetry run python -m pytest",
    "npm test",
    "npm run test:unit",
    "npx vitest run",
    "go test ./...",
    "timeout 60 cargo test",
    "cd a && make test",
    "bash -lc 'tox -e py'",
    "./gradlew :app:test check",
    "node --test",
)
NO_TESTS = ("cat test.py", "python x.py", "npm install pytest", "echo pytest", "make build", "git test", "")
PROBES = (
    "git log --all --oneline",
    "git log -S foo",
    "git log -Gfoo",
    "git reflog",
    "git show 0123abc",
    "git -C x log --all",
    "git cat-file -p 0123456789",
    "git checkout 0123abcd -- a.py",
    "cd x; git fsck --lost-found",
    "git fetch origin",
)
NO_PROBES = ("git log -5", "git show HEAD", "git status", "git diff", "git commit -m 0123abc", "git add -A", "")


@pytest.mark.parametrize("command", READS)
def test_a_command_reads(command: str) -> None:
    assert [(read.path, read.start, read.end) for read in reads_of(command)] == READS[command]


def test_reads_by_a_shell_say_so() -> None:
    assert {read.via for read in reads_of("cat a; cat < b; sed -n 1p c")} == {"shell"}


def test_reads_are_seen_from_where_the_command_ran() -> None:
    assert [read.path for read in reads_of("cat a /abs", "pkg")] == ["pkg/a", "/abs"]


@pytest.mark.parametrize("command", TESTS)
def test_runs_tests(command: str) -> None:
    assert is_test_command(command)


@pytest.mark.parametrize("command", NO_TESTS)
def test_runs_no_tests(command: str) -> None:
    assert not is_test_command(command)


@pytest.mark.parametrize("command", PROBES)
def test_looks_beyond_the_base(command: str) -> None:
    assert history_probe(command)


@pytest.mark.parametrize("command", NO_PROBES)
def test_stays_at_the_base(command: str) -> None:
    assert not history_probe(command)


@pytest.mark.parametrize(
    ("command", "inner"),
    [
        ("/bin/bash -lc 'cat a'", "cat a"),
        ("/bin/bash -lc \"sed -n '1,4p' a\"", "sed -n '1,4p' a"),
        ("bash -c ls", "ls"),
        ("cat a", "cat a"),
        ("bash script.sh", "bash script.sh"),
        ("bash -c 'a' | b", "bash -c 'a' | b"),
    ],
)
def test_an_inner_command_is_taken_out(command: str, inner: str) -> None:
    assert unwrapped(command) == inner


@given(st.text(alphabet=string.printable))
def test_no_command_line_is_too_strange(command: str) -> None:
    reads_of(command)
    is_test_command(command)
    history_probe(command)


def test_a_deep_nest_is_let_be() -> None:
    assert reads_of("(" * 5_000 + "cat a" + ")" * 5_000) in ((), reads_of("cat a"))


@given(start=st.integers(1, 99), length=st.integers(0, 99), count=st.integers(1, 99))
def test_a_filter_never_shows_more_than_it_was_given(start: int, length: int, count: int) -> None:
    (read,) = reads_of(f"sed -n '{start},{start + length}p' a | head -n {count}")
    assert read.end is not None
    assert start == read.start <= read.end <= min(start + length, start + count - 1)
