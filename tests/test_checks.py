"""Verification commands: what they say, what is kept of them, and which a project has of its own."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from agenvantage.runner.checks import CheckRequest, check_environment, detect, run_checks
from agenvantage.telemetry.model import CheckResult


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    made = tmp_path / "copy"
    made.mkdir()
    return made


def check(copy: Path, *commands: str, **changes: object) -> tuple[CheckResult, ...]:
    given: dict[str, object] = {
        "commands": commands,
        "cwd": copy,
        "environment": check_environment({"PATH": os.environ["PATH"]}),
        "folder": copy.parent / "verify",
        "marker": f"checks-{os.getpid()}",
    }
    return run_checks(CheckRequest(**{**given, **changes}))  # type: ignore[arg-type]


def test_each_command_has_its_own_result_in_order(copy: Path) -> None:
    results = check(copy, "true", "exit 3", "true")
    assert [(one.command, one.exit_code, one.passed) for one in results] == [
        ("true", 0, True),
        ("exit 3", 3, False),
        ("true", 0, True),
    ]


def test_commands_run_in_the_copy(copy: Path) -> None:
    check(copy, "pwd")
    assert (copy.parent / "verify" / "1.txt").read_text().strip() == str(copy)


def test_the_output_is_kept_by_number_and_private(copy: Path) -> None:
    check(copy, "echo one", "echo two >&2")
    files = [copy.parent / "verify" / name for name in ("1.txt", "2.txt")]
    assert [file.read_text() for file in files] == ["one\n", "two\n"]
    assert {file.stat().st_mode & 0o777 for file in files} == {0o600}


def test_secrets_are_not_in_what_is_kept(copy: Path) -> None:
    check(copy, "echo canary-5d1f-value", secrets=("canary-5d1f-value",))
    assert "canary" not in (copy.parent / "verify" / "1.txt").read_text()


def test_counts_are_read_from_the_output(copy: Path) -> None:
    (copy / "test_it.py").write_text("import unittest\nclass T(unittest.TestCase):\n    def test_a(self): pass\n")
    (result,) = check(copy, "python3 -m unittest -q", environment=check_environment(dict(os.environ)))
    assert result.tests is not None
    assert (result.tests.passed, result.tests.failed) == (1, 0)


def test_a_report_that_the_command_wrote_is_preferred(copy: Path) -> None:
    report = '<testsuite><testcase name="a"/><testcase name="b"><failure/></testcase></testsuite>'
    (copy / "ready.xml").write_text(report)
    (result,) = check(copy, "cp ready.xml r.xml; : --junitxml=r.xml; echo 9 passed in 0.1s")
    assert result.tests is not None
    assert (result.tests.passed, result.tests.failed_names) == (1, ("b",))


def test_a_report_from_before_the_command_is_not_its_own(copy: Path) -> None:
    (copy / "r.xml").write_text('<testsuite><testcase name="a"/></testsuite>')
    (result,) = check(copy, ": --junitxml r.xml; exit 1")
    assert result.tests is None


def test_without_counts_there_are_none(copy: Path) -> None:
    (result,) = check(copy, "echo all is well")
    assert result.tests is None


def test_a_command_over_its_time_has_not_passed(copy: Path) -> None:
    (result,) = check(copy, "sleep 60", time_limit_seconds=0.2)
    assert (result.timed_out, result.passed) == (True, False)


def test_cancelled_checks_give_no_result(copy: Path) -> None:
    assert check(copy, "sleep 60", "true", cancelled=lambda: True) == ()


def test_of_a_huge_output_the_end_is_kept(copy: Path) -> None:
    check(copy, "yes | head -c 17000000; echo the end")
    kept = (copy.parent / "verify" / "1.txt").read_bytes()
    assert kept.startswith(b"[222792 bytes left out]\n")
    assert kept.endswith(b"the end\n")


def test_zone_seed_and_locale_are_pinned() -> None:
    made = check_environment({"TZ": "Asia/Tokyo", "PYTHONHASHSEED": "random", "OTHER": "x"})
    assert (made["TZ"], made["PYTHONHASHSEED"], made["OTHER"]) == ("UTC", "0", "x")
    assert made["LC_ALL"].endswith("UTF-8")


def test_a_pinned_name_that_was_asked_for_stays_the_persons() -> None:
    assert check_environment({"TZ": "Asia/Tokyo"}, keep=("TZ",))["TZ"] == "Asia/Tokyo"
    assert check_environment({}, keep=("TZ",))["TZ"] == "UTC"


def test_a_detected_command_that_cannot_run_here_says_nothing(copy: Path) -> None:
    (result,) = check(copy, 'echo "python3: No module named pytest"; exit 1', judged=False)
    assert result.exit_code is None
    (asked,) = check(copy, 'echo "python3: No module named pytest"; exit 1', judged=True)
    assert asked.exit_code == 1


# Which checks a project has

DETECTED = {
    "pytest by its configuration": ({"pyproject.toml": "[tool.pytest.ini_options]\n"}, "python3 -m pytest -q"),
    "pytest by setup.cfg": ({"setup.cfg": "[tool:pytest]\naddopts = -q\n"}, "python3 -m pytest -q"),
    "pytest by its style": ({"tests/test_a.py": "def test_a(): pass\n"}, "python3 -m pytest -q"),
    "pytest by conftest": ({"tests/conftest.py": "", "tests/test_a.py": "import unittest\n"}, "python3 -m pytest -q"),
    "unittest": ({"test_a.py": "import unittest\n"}, "python3 -m unittest -q"),
    "unittest in a package": (
        {"tests/__init__.py": "", "tests/test_a.py": "import unittest\n"},
        "python3 -m unittest -q",
    ),
    "unittest in a folder": ({"tests/test_a.py": "import unittest\n"}, "python3 -m unittest discover -q -s tests"),
    "npm without needs": ({"package.json": '{"scripts": {"test": "node --test"}}'}, "CI=1 npm test --silent"),
    "npm with its modules": (
        {"package.json": '{"scripts": {"test": "jest"}, "devDependencies": {"jest": "1"}}', "node_modules/x": ""},
        "CI=1 npm test --silent",
    ),
    "go": ({"go.mod": "module x\n"}, "go test -v ./..."),
    "cargo": ({"Cargo.toml": "[package]\n"}, "cargo test"),
}
NOT_DETECTED = {
    "nothing": {"README.md": "x"},
    "npm's own placeholder": {"package.json": '{"scripts": {"test": "echo \\"Error: no test specified\\" && exit 1"}}'},
    "npm without its modules": {"package.json": '{"scripts": {"test": "jest"}, "devDependencies": {"jest": "1"}}'},
    "a broken manifest": {"package.json": "{", "pyproject.toml": "[[", "setup.cfg": "x\n[["},
    "a manifest of another shape": {"package.json": "[1]", "pyproject.toml": "tool = 3\n"},
}


@pytest.fixture
def tools(tmp_path: Path) -> str:
    """A search path on which every tool is found."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("python3", "npm", "go", "cargo"):
        (folder / name).touch(0o755)
    return str(folder)


def lay(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


@pytest.mark.parametrize("kind", DETECTED)
def test_a_projects_own_checks_are_found(kind: str, copy: Path, tools: str) -> None:
    files, command = DETECTED[kind]
    lay(copy, files)
    assert detect(copy, search_path=tools) == (command,)


@pytest.mark.parametrize("kind", NOT_DETECTED)
def test_what_cannot_be_checked_is_not_guessed(kind: str, copy: Path, tools: str) -> None:
    lay(copy, NOT_DETECTED[kind])
    assert detect(copy, search_path=tools) == ()


def test_a_check_without_its_tool_is_left_out(copy: Path, tmp_path: Path) -> None:
    lay(copy, {"go.mod": "module x\n"})
    assert detect(copy, search_path=str(tmp_path)) == ()
