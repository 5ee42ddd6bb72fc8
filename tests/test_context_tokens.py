"""Token counts are offline and those of tiktoken's own o200k_base."""

from __future__ import annotations

import os
import subprocess
import sys
from hashlib import sha256
from importlib.resources import files

import pytest
from agenvantage.context.tokens import VOCABULARY, count


def test_the_vocabulary_is_the_one_that_tiktoken_expects():
    data = files("agenvantage.context").joinpath("data", VOCABULARY).read_bytes()
    assert sha256(data).hexdigest() == "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"


@pytest.mark.parametrize(
    ("text", "tokens"), [("", 0), ("hello world", 2), ("def add(a, b):\n    return a + b\n", 12), ("你好，世界", 3)]
)
def test_counts_are_known(text, tokens):
    assert count(text) == tokens


def test_a_special_token_in_text_is_ordinary_text():
    assert count("<|endoftext|>") > 1


def test_undecodable_bytes_are_counted():
    assert count("\udc80") > 0


def test_a_megabyte_without_a_blank_is_counted_at_once():
    assert 100_000 < count("a" * 1_000_000) < 200_000


def test_a_long_text_costs_what_its_lines_cost_together():
    line = "value = compute(first, second)\n"
    assert abs(count(line * 10_000) - 10_000 * count(line)) < 20


def test_counting_leaves_the_environment_alone_and_needs_no_cache_folder(tmp_path):
    code = (
        "import os; before = dict(os.environ); from agenvantage.context.tokens import count; count('x');"
        "assert dict(os.environ) == before"
    )
    environment = os.environ | {"TIKTOKEN_CACHE_DIR": str(tmp_path / "none"), "https_proxy": "http://127.0.0.1:9"}
    subprocess.run((sys.executable, "-c", code), check=True, env=environment)
    assert not (tmp_path / "none").exists()
