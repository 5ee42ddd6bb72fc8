"""The examples run and say what they promise."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from conftest import RealRepository

EXAMPLES = Path(__file__).parents[1] / "examples"


def run_example(name: str, *arguments: str) -> str:
    done = subprocess.run(
        (sys.executable, str(EXAMPLES / name), *arguments), capture_output=True, text=True, check=True
    )
    return done.stdout


def test_context_is_prepared_from_python(repository: RealRepository) -> None:
    assert "calc.py" in run_example("prepare_context.py", str(repository.path), "add returns a wrong sum")


def test_a_loop_of_ones_own_is_recorded() -> None:
    assert run_example("record_a_loop.py") == "1000 tokens in, 40 out, 1 model call\n"
