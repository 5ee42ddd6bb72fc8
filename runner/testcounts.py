"""Read how many tests passed, failed and were skipped from what a test runner printed.

An expected failure counts as skipped, an unexpected pass as passed where its runner lets it pass; an error counts as
a failed test. Where a runner prints no counts, there are none: a number is never made up.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Final
from xml.etree import ElementTree

from ..telemetry.model import TestCounts

_COLOUR: Final = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def parse(text: str) -> TestCounts | None:
    """The counts in a runner's output, of all runners when several ran; None when there are none to read."""
    plain = _without_pytest_details(_COLOUR.sub("", text).replace("\r\n", "\n"))
    return _sum(found for parser in PARSERS if (found := parser(plain)) is not None)


def _sum(counts: Iterable[TestCounts]) -> TestCounts | None:
    parts = list(counts)
    if not parts:
        return None
    return TestCounts(
        passed=sum(part.passed for part in parts),
        failed=sum(part.failed for part in parts),
        skipped=sum(part.skipped for part in parts),
        failed_names=tuple(dict.fromkeys(name for part in parts for name in part.failed_names)),
    )


def _tally(items: str, pattern: str = r"(\d+) ([a-z][a-z ]*)") -> dict[str, int]:
    """`3 passed, 1 failed` as a mapping from word to number."""
    return {word.strip(): int(number) for number, word in re.findall(pattern, items)}


def _of(tally: dict[str, int], *words: str) -> int:
    return sum(tally.get(word, 0) for word in words)


# pytest

_PYTEST_DETAILS: Final = re.compile(
    r"^=+ (?:ERRORS|FAILURES) =+$.*?(?=^=+ short test summary info =+$|^=+ [^=\n]* in [\d.]+s[^=\n]*=+$|\Z)",
    re.M | re.S,
)
_PYTEST_END: Final = re.compile(
    r"^(?:=+ )?((?:\d+ [a-z]+(?: [a-z]+)?(?:, )?)+|no tests ran) in [\d.]+s(?: \(\d+:\d\d:\d\d\))?(?: =+)?$", re.M
)
_PYTEST_WORDS: Final = ("passed", "failed", "skipped", "error", "errors", "xfailed", "xpassed", "deselected")
_PYTEST_NAME: Final = re.compile(r"^(?:FAILED|ERROR) (\S+(?:\[.*?\])?)(?= - |$)", re.M)


def _without_pytest_details(text: str) -> str:
    """What failed tests printed may look like the output of another runner."""
    return _PYTEST_DETAILS.sub("", text)


def _pytest(text: str) -> TestCounts | None:
    runs = []
    start = 0
    for end in _PYTEST_END.finditer(text):
        tally = _tally(end[1])
        if end[1] == "no tests ran" or any(word in tally for word in _PYTEST_WORDS):
            runs.append(
                TestCounts(
                    passed=_of(tally, "passed", "xpassed"),
                    failed=_of(tally, "failed", "error", "errors"),
                    skipped=_of(tally, "skipped", "xfailed"),
                    failed_names=tuple(_PYTEST_NAME.findall(text, start, end.start())),
                )
            )
            start = end.end()
    return _sum(runs)


# unittest

_UNITTEST_END: Final = re.compile(
    r"^Ran (\d+) tests? in [\d.]+s\n+(?:OK|FAILED|NO TESTS RAN)(?: \(([a-z =\d,]+)\))?[ \t]*$", re.M
)
_UNITTEST_NAME: Final = re.compile(r"^={20,}\n(?:FAIL|ERROR|UNEXPECTED SUCCESS): (\S+)(?: \(([^)\n]+)\))?", re.M)


def _unittest(text: str) -> TestCounts | None:
    runs = []
    start = 0
    for end in _UNITTEST_END.finditer(text):
        tally = _tally_reversed(end[2] or "")
        names = tuple(dict.fromkeys(_dotted(*pair) for pair in _UNITTEST_NAME.findall(text, start, end.start())))
        # A sub-test's failure is counted by unittest, not by us: its test failed once.
        failed = len(names) or _of(tally, "failures", "errors", "unexpected successes")
        # What fails around the tests of a class is not among those that ran.
        around = sum(name.startswith(("setUp", "tearDown")) for name in names)
        skipped = _of(tally, "skipped", "expected failures")
        passed = max(0, int(end[1]) - (failed - around) - skipped)
        runs.append(TestCounts(passed=passed, failed=failed, skipped=skipped, failed_names=names))
        start = end.end()
    return _sum(runs)


def _tally_reversed(items: str) -> dict[str, int]:
    """`failures=3, skipped=1` as a mapping from word to number."""
    return {word.strip(): int(number) for word, number in re.findall(r"([a-z][a-z ]*)=(\d+)", items)}


def _dotted(name: str, place: str) -> str:
    """Since Python 3.11 the place ends with the test's own name; before, it is the class."""
    if not place or name.startswith(("setUp", "tearDown")):
        return f"{name} ({place})" if place else name
    return place if place.rpartition(".")[2] == name else f"{place}.{name}"


# Go

_GO_TEST: Final = re.compile(r"^ *--- (PASS|FAIL|SKIP): (\S+) \([\d.]+s\)$")
_GO_PACKAGE: Final = re.compile(r"^(ok  |FAIL)\t(\S+)(?:\s.*)?$")
_GO_ACTIONS: Final = {"PASS": "pass", "FAIL": "fail", "SKIP": "skip", "ok  ": "pass"}

_GoEvent = tuple[str, str, str]
"""(package, test or nothing, `pass`, `fail` or `skip`)"""


def _go(text: str) -> TestCounts | None:
    events = list(_go_json(text)) if '"Action":' in text else list(_go_text(text))
    if not any(not test for _, test, _ in events):
        return None
    verbose = any(test and action != "fail" for _, test, action in events) or '"Action":' in text
    return _go_tests(events) if verbose else _go_packages(events)


def _go_text(text: str) -> Iterator[_GoEvent]:
    """Tests are printed before the package they belong to."""
    waiting: list[tuple[str, str]] = []
    for line in text.splitlines():
        if test := _GO_TEST.match(line):
            waiting.append((test[2], _GO_ACTIONS[test[1]]))
        elif package := _GO_PACKAGE.match(line):
            yield from ((package[2], name, action) for name, action in waiting)
            yield package[2], "", _GO_ACTIONS[package[1]]
            waiting = []


def _go_json(text: str) -> Iterator[_GoEvent]:
    for line in text.splitlines():
        try:
            event = json.loads(line)
            if event["Action"] in ("pass", "fail", "skip"):
                yield event["Package"], event.get("Test", ""), event["Action"]
        except (ValueError, TypeError, KeyError):
            continue


def _go_tests(events: list[_GoEvent]) -> TestCounts:
    """Sub-tests are counted, a test that has some only when it failed by itself; so is a package that did not build."""
    failed = [(package, test) for package, test, action in events if action == "fail"]
    blamed = [one for one in failed if not any(_is_below(other, one) for other in failed)]
    parents = {(package, test.rpartition("/")[0]) for package, test, _ in events if "/" in test}
    leaves = [event for event in events if event[1] and event[:2] not in parents]
    return TestCounts(
        passed=sum(action == "pass" for *_, action in leaves),
        failed=len(blamed),
        skipped=sum(action == "skip" for *_, action in leaves),
        failed_names=tuple(f"{package}.{test}" if test else package for package, test in blamed),
    )


def _is_below(inner: tuple[str, str], outer: tuple[str, str]) -> bool:
    """Whether a test lies in a package or in another test."""
    return inner[0] == outer[0] and inner != outer and (not outer[1] or inner[1].startswith(outer[1] + "/"))


def _go_packages(events: list[_GoEvent]) -> TestCounts:
    """Without -v Go does not say how many tests passed; it reports packages, and so do we."""
    packages = {package: action for package, test, action in events if not test}
    failed = tuple(package for package, action in packages.items() if action == "fail")
    return TestCounts(passed=len(packages) - len(failed), failed=len(failed), skipped=0, failed_names=failed)


# Cargo

_CARGO_END: Final = re.compile(r"^test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored;", re.M)
_CARGO_NAMES: Final = re.compile(r"^failures:\n((?:    \S.*\n)+)", re.M)


def _cargo(text: str) -> TestCounts | None:
    names = tuple(name.strip() for block in _CARGO_NAMES.findall(text) for name in block.splitlines())
    runs = [
        TestCounts(passed=int(passed), failed=int(failed), skipped=int(ignored))
        for passed, failed, ignored in _CARGO_END.findall(text)
    ]
    total = _sum(runs)
    return None if total is None else _sum((total, TestCounts(passed=0, failed=0, skipped=0, failed_names=names)))


# JavaScript

_VITEST_END: Final = re.compile(r"^ *Tests +((?:\d+ \w+(?: \| )?)+) \(\d+\)$", re.M)
_VITEST_FAIL: Final = re.compile(r"^ FAIL  (.+?)(?: \[ .* \])?$", re.M)


def _vitest(text: str) -> TestCounts | None:
    ends = _VITEST_END.findall(text)
    names = tuple(dict.fromkeys(_VITEST_FAIL.findall(text))) if "Test Files" in text else ()
    if not ends and not names:
        return None
    tally = _tally(ends[-1] if ends else "")
    return TestCounts(
        passed=_of(tally, "passed"),
        # A file that could not be loaded is a failure with no test to its name.
        failed=_of(tally, "failed") + sum(" > " not in name for name in names),
        skipped=_of(tally, "skipped", "todo"),
        failed_names=names,
    )


_JEST_END: Final = re.compile(r"^Tests: +((?:\d+ \w+(?:, )?)+)$", re.M)
_JEST_FAIL: Final = re.compile(r"^FAIL (\S+)(?: \([\d.]+ m?s\))?$|^  ● (.+)$", re.M)
_JEST_UNLOADED: Final = "Test suite failed to run"


def _jest(text: str) -> TestCounts | None:
    ends = _JEST_END.findall(text)
    if not ends:
        return None
    names: list[str] = []
    unloaded: set[str] = set()
    file = ""
    for found, test in _JEST_FAIL.findall(text):
        file = found or file
        if test == _JEST_UNLOADED:
            unloaded.add(file)
        elif test and not test.startswith(("Console", "Cannot log after")):
            names.append(test)
    tally = _tally(ends[-1])
    return TestCounts(
        passed=_of(tally, "passed"),
        failed=_of(tally, "failed") + len(unloaded),
        skipped=_of(tally, "skipped", "todo"),
        failed_names=tuple(dict.fromkeys((*names, *sorted(unloaded)))),
    )


_NODE_END: Final = re.compile(
    r"^[#ℹ] tests \d+\n(?:[#ℹ] suites \d+\n)?[#ℹ] pass (\d+)\n[#ℹ] fail (\d+)\n[#ℹ] cancelled (\d+)\n"
    r"[#ℹ] skipped (\d+)\n[#ℹ] todo (\d+)$",
    re.M,
)
_NODE_TAP_NAME: Final = re.compile(r"^ *not ok \d+ - (?!.*# (?:TODO|SKIP))(.+)\n((?: +.*\n)*?) +\.\.\.$", re.M)
_NODE_SPEC_NAME: Final = re.compile(r"^test at .*\n✖ (.+) \([\d.]+ms\)$", re.M)


def _node(text: str) -> TestCounts | None:
    ends = _NODE_END.findall(text)
    tap = (name for name, details in _NODE_TAP_NAME.findall(text) if "'subtestsFailed'" not in details)
    names = tuple(dict.fromkeys((*tap, *_NODE_SPEC_NAME.findall(text))))
    runs = [
        TestCounts(passed=int(passed), failed=int(failed) + int(cancelled), skipped=int(skipped) + int(todo))
        for passed, failed, cancelled, skipped, todo in ends
    ]
    total = _sum(runs)
    return None if total is None else _sum((total, TestCounts(passed=0, failed=0, skipped=0, failed_names=names)))


_MOCHA_END: Final = re.compile(r"^  (\d+) passing \([^)\n]+\)(?:\n  (\d+) pending)?(?:\n  (\d+) failing)?$", re.M)
_MOCHA_NAME: Final = re.compile(r"^  \d+\) (.+(?:\n {6,}\S.*?)*?):$", re.M)


def _mocha(text: str) -> TestCounts | None:
    ends = list(_MOCHA_END.finditer(text))
    starts = [*(end.start() for end in ends[1:]), len(text)]
    runs = []
    for end, stop in zip(ends, starts, strict=False):
        names = _MOCHA_NAME.findall(text, end.end(), stop) if end[3] else []
        runs.append(
            TestCounts(
                passed=int(end[1]),
                failed=int(end[3] or 0),
                skipped=int(end[2] or 0),
                failed_names=tuple(re.sub(r"\n +", " > ", name) for name in names),
            )
        )
    return _sum(runs)


PARSERS: Final[tuple[Callable[[str], TestCounts | None], ...]] = (
    _pytest, _unittest, _go, _cargo, _vitest, _jest, _node, _mocha,
)  # fmt: skip


# JUnit XML

_JUNIT_BYTES: Final = 64 << 20


def parse_junit(document: bytes) -> TestCounts | None:
    """The counts in a JUnit XML report; None when it is not one."""
    # A report declares no entities; one that does wants to be large.
    if len(document) > _JUNIT_BYTES or b"<!DOCTYPE" in document or b"<!ENTITY" in document:
        return None
    try:
        root = ElementTree.fromstring(document)
    except (ElementTree.ParseError, ValueError, LookupError):
        return None
    if root.tag not in ("testsuites", "testsuite"):
        return None
    cases = list(root.iter("testcase"))
    failed = [case for case in cases if case.find("failure") is not None or case.find("error") is not None]
    skipped = [case for case in cases if case.find("skipped") is not None and case not in failed]
    return TestCounts(
        passed=len(cases) - len(failed) - len(skipped),
        failed=len(failed),
        skipped=len(skipped),
        failed_names=tuple(".".join(filter(None, (case.get("classname"), case.get("name")))) for case in failed),
    )


def junit_files(command: str, cwd: Path) -> tuple[Path, ...]:
    """The JUnit XML reports that a command says it writes (pytest's `--junitxml`)."""
    try:
        lexer = shlex.shlex(command, posix=True, punctuation_chars=True)
        lexer.whitespace_split = True
        words = list(lexer)
    except ValueError:
        return ()
    found = []
    for word, following in pairwise((*words, "")):
        option, _, value = word.partition("=")
        if option in ("--junitxml", "--junit-xml") and (value or following):
            found.append(cwd / (value or following))
    return tuple(found)
