"""Run verification commands in a copy of base + patch, and find a project's own when none are given."""

from __future__ import annotations

import configparser
import json
import re
import shutil
import sys
import tempfile
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from ..context.redact import redact_bytes
from ..telemetry.model import CheckResult, TestCounts
from . import testcounts
from .process import Completed, run

# What makes the same check say two things: the time zone, the order of sets, the locale. Nothing else is set: `CI`
# changes snapshots and turns warnings into errors, and no byte-code would make a check unlike the one people run.
PINNED: Final = {
    "LANG": "en_US.UTF-8" if sys.platform == "darwin" else "C.UTF-8",
    "LC_ALL": "en_US.UTF-8" if sys.platform == "darwin" else "C.UTF-8",
    "PYTHONHASHSEED": "0",
    "TZ": "UTC",
}
# Of a longer output the beginning is left out of the run folder, and no counts are read.
KEPT_BYTES: Final = 16 << 20

_NO_TESTS: Final = "no test specified"
# A detected command that can't run here says nothing about the patch.
_NOT_RUNNABLE: Final = re.compile(r"No module named '?pytest'?$|: not found$|command not found$", re.M)
_NOTHING_COLLECTED: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckRequest:
    """Which commands to run (`sh -c`, in order), where, and for how long each."""

    commands: tuple[str, ...]
    cwd: Path
    environment: Mapping[str, str]
    folder: Path
    """Gets `<n>.txt`, the redacted output of each command, counted from 1."""
    marker: str
    judged: bool = True
    time_limit_seconds: float = 1800.0
    secrets: tuple[str, ...] = ()
    cancelled: Callable[[], bool] | None = None


def run_checks(request: CheckRequest) -> tuple[CheckResult, ...]:
    """The result of each command. All are run, whatever the earlier ones said, unless cancelled."""
    request.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    results = []
    with tempfile.TemporaryDirectory(prefix="checks-") as scratch:
        for number, command in enumerate(request.commands, start=1):
            # Unredacted output stays out of the run folder, whatever happens.
            raw = Path(scratch, f"{number}.raw")
            stale = {report: _stamp(report) for report in testcounts.junit_files(command, request.cwd)}
            done = _run(request, command, raw)
            if done.cancelled:
                break
            _keep(raw, request.folder / f"{number}.txt", request.secrets)
            results.append(_result(request, command, done, _counts(stale, raw)))
            raw.unlink(missing_ok=True)
    return tuple(results)


def _run(request: CheckRequest, command: str, raw: Path) -> Completed:
    return run(
        command,
        cwd=request.cwd,
        environment=request.environment,
        time_limit_seconds=request.time_limit_seconds,
        output=raw,
        marker=request.marker,
        cancelled=request.cancelled,
    )


def _result(request: CheckRequest, command: str, done: Completed, tests: TestCounts | None) -> CheckResult:
    unable = not request.judged and _could_not_run(done)
    return CheckResult(
        command=command,
        exit_code=None if unable or done.overflowed else done.exit_code,
        seconds=done.seconds,
        judged=request.judged,
        timed_out=done.timed_out,
        tests=None if unable else tests,
    )


def _could_not_run(done: Completed) -> bool:
    if done.exit_code == _NOTHING_COLLECTED:
        return True
    return done.exit_code not in (0, None) and _NOT_RUNNABLE.search(done.output[-2000:].rstrip()) is not None


def _stamp(path: Path) -> int | None:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return None


def _counts(stale: Mapping[Path, int | None], raw: Path) -> TestCounts | None:
    """From a report that the command wrote, else from what it printed. `stale`: when reports were written before."""
    for report, before in stale.items():
        try:
            if _stamp(report) != before and (found := testcounts.parse_junit(report.read_bytes())) is not None:
                return found
        except OSError:
            continue
    try:
        data = raw.read_bytes() if raw.stat().st_size <= KEPT_BYTES else b""
    except OSError:
        return None
    return testcounts.parse(data.decode("utf-8", "replace"))


def _keep(raw: Path, target: Path, secrets: Iterable[str]) -> None:
    """The output, redacted, for the run folder; of a long one the end."""
    try:
        size = raw.stat().st_size
        with raw.open("rb") as file:
            file.seek(max(0, size - KEPT_BYTES))
            data = file.read(KEPT_BYTES)
    except OSError:
        size, data = 0, b""
    note = b"" if size <= KEPT_BYTES else b"[%d bytes left out]\n" % (size - KEPT_BYTES)
    target.touch(mode=0o600)
    target.write_bytes(note + redact_bytes(data, secrets))


def check_environment(variables: Mapping[str, str], *, keep: Iterable[str] = ()) -> dict[str, str]:
    """The variables with time zone, hash seed and locale pinned, so that a check says the same thing twice.

    A name in `keep` stays as the person has it.
    """
    asked = frozenset(keep) & variables.keys()
    pinned = {name: value for name, value in PINNED.items() if name not in asked}
    return dict(sorted({**variables, **pinned}.items()))


def detect(folder: Path, *, search_path: str | None = None) -> tuple[str, ...]:
    """The commands by which the project in `folder` tests itself, where the tool for it is installed."""
    found = (detector(folder) for detector in DETECTORS)
    return tuple(command for tool, command in filter(None, found) if shutil.which(tool, path=search_path))


_Detected = tuple[str, str] | None
"""(the tool it needs, the command)"""


def _python(folder: Path) -> _Detected:
    if _uses_pytest(folder):
        return "python3", "python3 -m pytest -q"
    tests = [*folder.glob("test*.py"), *folder.glob("tests/test*.py"), *folder.glob("test/test*.py")]
    if not tests:
        return None
    if not any(_mentions(test, "unittest") for test in tests):
        return "python3", "python3 -m pytest -q"
    # unittest looks into a folder only when it is a package, or is named.
    found = any(test.parent == folder or (test.parent / "__init__.py").exists() for test in tests)
    return "python3", "python3 -m unittest " + ("-q" if found else f"discover -q -s {tests[0].parent.name}")


def _uses_pytest(folder: Path) -> bool:
    if any((folder / name).is_file() for name in ("pytest.ini", "conftest.py", "tests/conftest.py")):
        return True
    tools = _toml(folder / "pyproject.toml").get("tool")
    if isinstance(tools, dict) and "pytest" in tools:
        return True
    return any(_has_section(folder / name, section) for name, section in _PYTEST_SECTIONS)


_PYTEST_SECTIONS: Final = (("setup.cfg", "tool:pytest"), ("tox.ini", "pytest"))


def _javascript(folder: Path) -> _Detected:
    manifest = _json(folder / "package.json")
    scripts = manifest.get("scripts")
    test = scripts.get("test") if isinstance(scripts, dict) else None
    if not isinstance(test, str) or not test.strip() or _NO_TESTS in test:
        return None
    needs = any(manifest.get(kind) for kind in ("dependencies", "devDependencies"))
    if needs and not (folder / "node_modules").is_dir():
        return None
    # Runners that watch for changes would never end; by this variable they know that nobody watches.
    return "npm", "CI=1 npm test --silent"


def _go(folder: Path) -> _Detected:
    return ("go", "go test -v ./...") if (folder / "go.mod").is_file() else None


def _rust(folder: Path) -> _Detected:
    return ("cargo", "cargo test") if (folder / "Cargo.toml").is_file() else None


DETECTORS: Final[tuple[Callable[[Path], _Detected], ...]] = (_python, _javascript, _go, _rust)


def _mentions(path: Path, word: str) -> bool:
    try:
        return word in path.read_text("utf-8", "replace")
    except OSError:
        return False


def _toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return {}


def _json(path: Path) -> dict[str, Any]:
    try:
        document = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return {}
    return document if isinstance(document, dict) else {}


def _has_section(path: Path, section: str) -> bool:
    parser = configparser.RawConfigParser()
    try:
        parser.read_string(path.read_text("utf-8"))
    except (OSError, ValueError, configparser.Error):
        return False
    return parser.has_section(section)
