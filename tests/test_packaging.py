"""The wheel holds every module and data file, under one top-level name, and importing it loads nothing."""

from __future__ import annotations

import re
import subprocess
import sys
import zipfile
from pathlib import Path

import agenvantage
import pytest

ROOT = Path(__file__).parents[1]
FOLDERS = ("runner", "adapters", "context", "telemetry")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Names in the wheel, built from a copy so that nothing of a working folder gets in or is left behind."""
    source = tmp_path_factory.mktemp("source") / "agenvantage"
    tracked = subprocess.run(("git", "ls-files", "-z"), cwd=ROOT, capture_output=True, check=True).stdout.split(b"\0")
    for name in (tracked_name.decode() for tracked_name in tracked if tracked_name):
        if (ROOT / name).is_file():
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            (source / name).write_bytes((ROOT / name).read_bytes())
    out = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        (sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(out), str(source)),
        capture_output=True, check=True,
    )  # fmt: skip
    with zipfile.ZipFile(next(out.glob("*.whl"))) as archive:
        return archive.namelist()


def test_every_module_is_in_the_wheel(wheel: list[str]) -> None:
    modules = {f"agenvantage/{folder}/{path.name}" for folder in FOLDERS for path in (ROOT / folder).glob("*.py")}
    assert modules | {"agenvantage/__init__.py", "agenvantage/__main__.py"} <= set(wheel)


def test_every_data_file_is_in_the_wheel(wheel: list[str]) -> None:
    patterns = ("context/queries/*.scm", "context/data/*", "telemetry/data/*", "runner/demo/**/*")
    data = {
        f"agenvantage/{path.relative_to(ROOT)}"
        for pattern in patterns
        for path in ROOT.glob(pattern)
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert data and data <= set(wheel)


def test_the_wheel_brings_one_top_level_name(wheel: list[str]) -> None:
    tops = {name.split("/")[0] for name in wheel}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"agenvantage"}


def test_the_four_folders_are_flat() -> None:
    nested = [path for folder in FOLDERS for path in (ROOT / folder).glob("*/**/*.py") if "demo" not in path.parts]
    assert nested == []


def test_importing_the_package_loads_no_module_of_a_third_party() -> None:
    code = (
        "import sys; before = set(sys.modules); import agenvantage; "
        "new = {name.split('.')[0] for name in set(sys.modules) - before}; "
        "print(sorted(new - set(sys.stdlib_module_names)))"
    )
    done = subprocess.run((sys.executable, "-c", code), capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['agenvantage']"


@pytest.mark.parametrize("name", agenvantage.__all__)
def test_each_promised_name_resolves(name: str) -> None:
    assert getattr(agenvantage, name) is not None


def test_the_promised_names_are_these() -> None:
    promised = """
        AgenVantageError AgentEvent AgentRunRecorder AgentTrace ContextBlock ContextCompiler ContextPacket
        ContextPlanner Outcome RepositoryIndex RepositoryRevision RetrievalCandidate SourceEdge SourceNode
        TaskPlan UsageRecord __version__
    """
    assert sorted(agenvantage.__all__) == sorted(promised.split())


def test_foreign_programs_are_started_at_the_named_doors_only() -> None:
    doors = {
        "context/git.py",
        "context/workers.py",
        "runner/process.py",
        "runner/supervisor.py",
        "adapters/mcp_preflight.py",
        "adapters/replay_player.py",
    }
    starts = re.compile(r"^\s*(import subprocess|from subprocess )|os\.(fork|exec|posix_spawn|system)", re.MULTILINE)
    found = {
        str(path.relative_to(ROOT))
        for folder in FOLDERS
        for path in (ROOT / folder).glob("*.py")
        if starts.search(path.read_text(encoding="utf-8"))
    }
    assert found <= doors
