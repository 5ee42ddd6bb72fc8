"""The verdict: a number between 0 and 1 that rises with the evidence, and words for it."""

from __future__ import annotations

import pytest
from agenvantage.context.index import RepositoryIndex
from agenvantage.context.plan import ContextPlanner
from agenvantage.context.verdict import GROUNDED, MODEL, PARTLY, probability, readiness
from context_kit import fill
from hypothesis import given
from hypothesis import strategies as st


@given(st.dictionaries(st.sampled_from(sorted(MODEL)), st.floats(-1e6, 1e6)))
def test_confidence_is_a_probability_whatever_is_told(told):
    assert 0 <= probability(told) <= 1


def test_what_is_not_told_counts_as_zero():
    assert probability({}) == probability(dict.fromkeys(MODEL, 0.0))


def test_words_for_confidence_are_in_order():
    assert PARTLY < GROUNDED
    assert [readiness(sure) for sure in (0.0, PARTLY, GROUNDED, 1.0)] == [
        "ungrounded", "partially_grounded", "grounded", "grounded",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("clear", "vague"),
    [
        ("Cart.total ignores the voucher's discount in shop/cart.py", "Customers complain about slow delivery"),
        ("Raise ExpiredVoucher only after the last day", "Make the galactic dashboard holographic"),
    ],
)
def test_a_task_in_the_code_s_own_words_is_surer_than_one_in_foreign_words(repository, clear, vague):
    fill(repository)
    with RepositoryIndex.open(repository.path) as index:
        planner = ContextPlanner(index)
        assert planner.plan(clear).confidence > planner.plan(vague).confidence
