"""What test runners really printed, and the counts in it."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from agenvantage.runner.testcounts import junit_files, parse, parse_junit
from agenvantage.telemetry.model import TestCounts
from hypothesis import given
from hypothesis import strategies as st

SAMPLES = Path(__file__).parent / "data" / "testcounts"

# file: passed, failed, skipped
COUNTS = {
    "cargo-fail": (1, 1, 1),
    "cargo-pass": (1, 0, 0),
    "cargo-q": (3, 1, 1),
    "cargo": (3, 1, 1),
    "go-build-failed": (0, 1, 0),
    "go-json": (3, 2, 1),
    "go-pass": (1, 0, 0),
    "go-v": (3, 2, 1),
    "go": (1, 1, 0),  # packages: without -v there is nothing else to count
    "jest-pass": (1, 0, 0),
    "jest-verbose": (2, 3, 2),  # two tests, and a file that could not be loaded
    "jest": (2, 3, 2),
    "mocha-dot": (2, 2, 1),
    "mocha-pass": (1, 0, 0),
    "mocha": (2, 2, 1),
    "node-pass": (1, 0, 0),
    "node-spec": (3, 2, 2),
    "node-tap": (3, 2, 2),
    "pytest-collect-error": (0, 1, 0),
    "pytest-q-pass": (1, 0, 0),
    "pytest-q": (4, 3, 2),
    "pytest-ra": (3, 3, 2),
    "pytest-v-color": (3, 3, 2),
    "pytest": (4, 3, 2),
    "unittest-import-error": (0, 1, 0),
    "unittest-q-pass": (1, 0, 0),
    "unittest-q": (2, 4, 2),
    "unittest-v": (2, 4, 2),
    "unittest": (2, 4, 2),
    "vitest-color": (2, 2, 2),
    "vitest-pass": (1, 0, 0),
    "vitest": (2, 2, 2),
}
NAMES = {
    "cargo": ("tests::bad",),
    "go-v": ("example.org/sample/calc.TestAdd", "example.org/sample/calc.TestTable/two_words"),
    "go": ("example.org/sample/calc",),
    "jest": ("bad", "group › inner bad", "j/broken.test.js"),
    "mocha": ("bad", "group > inner bad"),
    "node-spec": ("bad", "inner bad"),
    "node-tap": ("bad", "inner bad"),
    "pytest": ("test_a.py::test_bad", "test_a.py::test_par[2]", "test_a.py::test_err"),
    "unittest": ("ut_case.A.test_err", "ut_case.A.test_bad", "ut_case.A.test_sub", "ut_case.A.test_xp"),
    "vitest": ("v/a.test.js > bad", "v/a.test.js > group > inner bad"),
}


def sample(name: str) -> str:
    return (SAMPLES / f"{name}.txt").read_text()


def counted(text: str) -> TestCounts:
    counts = parse(text)
    assert counts is not None
    return counts


@pytest.mark.parametrize("name", COUNTS)
def test_the_counts_of_a_real_output_are_read(name: str) -> None:
    counts = counted(sample(name))
    assert (counts.passed, counts.failed, counts.skipped) == COUNTS[name]


@pytest.mark.parametrize("name", NAMES)
def test_the_failed_tests_of_a_real_output_are_named(name: str) -> None:
    assert counted(sample(name)).failed_names == NAMES[name]


@pytest.mark.parametrize("name", ["pytest-qq", "node-dot"])
def test_an_output_without_counts_has_none(name: str) -> None:
    assert parse(sample(name)) is None


@pytest.mark.parametrize("text", ["", "hello\n", "3 passed the exam in 2020\n", "error: could not compile\n", "ok\n"])
def test_other_text_has_no_counts(text: str) -> None:
    assert parse(text) is None


def test_no_tests_are_a_measured_zero() -> None:
    assert counted("no tests ran in 0.01s\n") == TestCounts(passed=0, failed=0, skipped=0)


def test_two_runners_in_one_command_are_added() -> None:
    counts = counted(sample("pytest-q-pass") + sample("mocha"))
    assert (counts.passed, counts.failed, counts.skipped) == (3, 2, 1)


def test_two_runs_of_one_runner_are_added() -> None:
    counts = counted(sample("unittest") + sample("unittest-q-pass"))
    assert (counts.passed, counts.failed) == (3, 4)


def test_what_a_failed_pytest_test_printed_is_not_a_runner_of_its_own() -> None:
    inner = "----------------------------- Captured stdout call -----------------------------\n" + sample(
        "unittest-q-pass"
    )
    outer = sample("pytest").replace("Ran 9 tests in 1s\n", inner)
    assert counted(outer) == counted(sample("pytest"))


def test_windows_line_ends_change_nothing() -> None:
    assert parse(sample("unittest").replace("\n", "\r\n")) == parse(sample("unittest"))


def test_a_failing_class_set_up_is_no_test_that_ran() -> None:
    text = (
        f"{'=' * 70}\nERROR: setUpClass (mod.Case)\n{'-' * 70}\nTraceback\n\n"
        f"{'-' * 70}\nRan 2 tests in 0.001s\n\nFAILED (errors=1)\n"
    )
    counts = counted(text)
    assert (counts.passed, counts.failed, counts.failed_names) == (2, 1, ("setUpClass (mod.Case)",))


def test_before_python_3_11_unittest_names_only_the_class() -> None:
    text = f"{'=' * 70}\nFAIL: test_a (mod.Case)\n{'-' * 70}\n\n{'-' * 70}\nRan 1 test in 0.0s\n\nFAILED (failures=1)\n"
    assert counted(text).failed_names == ("mod.Case.test_a",)


def test_an_output_of_16_mb_is_read_in_seconds() -> None:
    noise = (
        "x = [" + "=" * 60 + "]\n" + "--- FAIL or not\n" + " " * 40 + "1) a\n" + "not ok maybe\n" + "  ● \n"
    ) * 110_000
    began = time.monotonic()
    assert counted(noise + sample("pytest-q-pass")).passed == 1
    assert time.monotonic() - began < 10


@pytest.mark.parametrize(("name", "expected"), [("pytest-junit", (4, 3, 2)), ("node-junit", (3, 2, 2))])
def test_a_junit_report_is_read(name: str, expected: tuple[int, int, int]) -> None:
    counts = parse_junit((SAMPLES / f"{name}.xml").read_bytes())
    assert counts is not None
    assert (counts.passed, counts.failed, counts.skipped) == expected
    assert len(counts.failed_names) == counts.failed


@pytest.mark.parametrize(
    "document",
    [
        b"",
        b"<a/>",
        b"<testsuite>",
        b"\xff\xfe",
        b'<!DOCTYPE x [<!ENTITY a "b">]><testsuite><testcase name="&a;"/></testsuite>',
    ],
)
def test_what_is_no_junit_report_has_no_counts(document: bytes) -> None:
    assert parse_junit(document) is None


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("pytest --junitxml=out/r.xml", ("out/r.xml",)),
        ("pytest --junit-xml 'a b.xml' -q", ("a b.xml",)),
        ("pytest -q", ()),
        ("pytest '", ()),
        ("", ()),
    ],
)
def test_the_report_that_a_command_writes_is_found(command: str, expected: tuple[str, ...]) -> None:
    assert junit_files(command, Path("/c")) == tuple(Path("/c") / name for name in expected)


@given(
    text=st.text() | st.lists(st.sampled_from([sample(name) for name in COUNTS] + ["\n", "x"]), max_size=3).map("".join)
)
def test_any_text_gives_counts_that_are_not_negative_or_none(text: str) -> None:
    counts = parse(text)
    assert counts is None or min(counts.passed, counts.failed, counts.skipped) >= 0
