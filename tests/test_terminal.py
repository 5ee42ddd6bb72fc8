"""At a terminal: what is asked is asked there, and only a yes counts."""

from __future__ import annotations

import sys

import pexpect
import pytest
from conftest import RealRepository
from run_kit import FIX, python_agent


def at_a_terminal(repository: RealRepository, *more: str) -> pexpect.spawn[str]:
    arguments = [
        "-m", "agenvantage", "run", "--repo", str(repository.path), "--agent", "exec", "--agent-command",
        python_agent(FIX), "--task", "Mend add()", *more,
    ]  # fmt: skip
    return pexpect.spawn(sys.executable, arguments, encoding="utf-8", timeout=60, dimensions=(40, 160))


@pytest.mark.parametrize(("answer", "applied"), [("y", True), ("n", False), ("", False)])
def test_an_unjudged_run_is_applied_only_after_a_yes(repository: RealRepository, answer: str, applied: bool) -> None:
    (repository.path / "test_calc.py").unlink()
    repository.commit("no checks of its own")
    terminal = at_a_terminal(repository, "--apply")
    terminal.expect("Apply its patch")
    terminal.sendline(answer)
    terminal.expect(pexpect.EOF)
    terminal.close()
    assert ("a + b" in (repository.path / "calc.py").read_text()) is applied


def test_ctrl_c_at_a_terminal_interrupts_the_run(repository: RealRepository) -> None:
    terminal = pexpect.spawn(
        sys.executable,
        [
            "-m", "agenvantage", "run", "--repo", str(repository.path), "--agent", "exec", "--agent-command",
            python_agent("import time; time.sleep(60)"), "--task", "x",
        ],
        encoding="utf-8", timeout=60,
    )  # fmt: skip
    terminal.expect("is at work")
    terminal.sendintr()
    terminal.expect("interrupted")
    terminal.expect(pexpect.EOF)
    terminal.close()
    assert terminal.exitstatus == 130


def test_without_a_task_a_terminal_is_told_how_to_give_one(repository: RealRepository) -> None:
    arguments = [
        "-m",
        "agenvantage",
        "run",
        "--repo",
        str(repository.path),
        "--agent",
        "exec",
        "--agent-command",
        "true",
    ]
    terminal = pexpect.spawn(sys.executable, arguments, encoding="utf-8", timeout=60)
    terminal.expect("--task")
    terminal.expect(pexpect.EOF)
    terminal.close()
    assert terminal.exitstatus == 2
