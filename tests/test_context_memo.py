"""Counts are found again without the vocabulary, and a broken memo only costs time."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from agenvantage.context.memo import MOST_BYTES, Memo

ASK = """
import sys
from pathlib import Path
from agenvantage.context import tokens
tokens.remember_in(Path(sys.argv[1]))
print(tokens.count("def add(a, b): ..."), "tiktoken" in sys.modules)
"""


def asked(folder: Path) -> str:
    done = subprocess.run((sys.executable, "-c", ASK, str(folder)), capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_a_second_process_counts_known_text_without_the_vocabulary(tmp_path: Path) -> None:
    assert [asked(tmp_path), asked(tmp_path)] == ["7 True", "7 False"]


def test_a_folder_that_cannot_be_written_costs_time_only(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    assert asked(tmp_path / "file") == "7 True"


@pytest.mark.parametrize("content", [b"\xff\xfe\x00", b"abc 3\n", b"0" * 32 + b" -1\n", b"0" * 32 + b" 3 4\n"])
def test_lines_that_cannot_be_read_are_left_out(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "memo").write_bytes(content)
    memo = Memo(tmp_path / "memo")
    assert memo.get("text") is None
    memo.put("text", 1)
    memo.close()
    assert Memo(tmp_path / "memo").get("text") == (1 if content.endswith(b"\n") else None)


def test_a_memo_that_has_grown_too_large_is_begun_anew(tmp_path: Path) -> None:
    (tmp_path / "memo").write_bytes(b"x" * (MOST_BYTES + 1))
    assert Memo(tmp_path / "memo").get("text") is None and not (tmp_path / "memo").exists()
