"""Documents that contradict the code: told, and only where the code has nothing of what they spell."""

from __future__ import annotations

from agenvantage.context.index import RepositoryIndex
from agenvantage.context.plan import ContextPlanner
from context_kit import fill

CODE = "def open_gate(level):\n    return level\n"


def told(repository, text):
    fill(repository, {"gate.py": CODE, "README.md": text})
    with RepositoryIndex.open(repository.path) as index:
        return ContextPlanner(index).plan("Explain how the gate opens", workflow="explain").constraints


def test_a_name_that_no_code_has_is_told(repository):
    (line,) = told(repository, "# The gate opens\n\nCall `openGate()` to open the gate.\n")
    assert "`openGate`" in line
    assert line.startswith("README.md:")


def test_a_name_that_the_code_has_is_fine(repository):
    assert told(repository, "# The gate opens\n\nCall `open_gate()` to open the gate.\n") == ()


def test_a_path_that_is_not_there_is_told(repository):
    (line,) = told(repository, "# The gate opens\n\nThe gate is in `src/gates/gate.py`.\n")
    assert "`src/gates/gate.py`" in line


def test_plain_words_in_backticks_are_nothing(repository):
    assert told(repository, "# The gate opens\n\nThe gate knows `levels` and `open`.\n") == ()
