"""What a person reads of a plan: calm, whole, and no sequence that a terminal would obey."""

from __future__ import annotations

import pytest
from agenvantage.context.document import plan_document
from agenvantage.context.index import RepositoryIndex
from agenvantage.context.plan import ContextPlanner
from agenvantage.runner.explaining import plan_text
from context_kit import fill

BUG = "Cart.total crashes with ExpiredVoucher when the voucher has expired"


@pytest.fixture
def document(repository):
    fill(repository)
    with RepositoryIndex.open(repository.path) as index:
        return plan_document(ContextPlanner(index).plan(BUG))


def test_readiness_and_tokens_come_first(document):
    first = plan_text(document, explain=False).split("\n")[0]
    assert first.startswith(document["readiness"])
    assert "of 6,000 tokens" in first


def test_without_explain_there_are_files_and_slots_only(document):
    text = plan_text(document, explain=False)
    assert "shop/vouchers.py" in text
    assert "reciprocal" not in text


def test_explain_says_which_channel_gave_what_to_a_file(document):
    text = plan_text(document, explain=True)
    assert "symbol #" in text
    assert "by reciprocal rank #1" in text


def test_explain_says_why_a_packed_region_is_there(document):
    text = plan_text(document, explain=True)
    assert "● shop/vouchers.py:" in text
    assert "defines ExpiredVoucher" in text


def test_explain_tells_the_rounds_and_how_each_was_decided(document):
    text = plan_text(document, explain=True)
    assert all(each["decision"] in text for each in document["rounds"])


def test_a_missing_slot_says_why(document):
    slots = [{**document["slots"][0], "covered": False, "missing_reason": "the repository has no source files"}]
    assert "✗ failure path: the repository has no source files" in plan_text({**document, "slots": slots}, explain=True)


def test_names_can_not_command_a_terminal(document):
    files = [{**document["files"][0], "path": "a\x1b[2Jb.py", "reasons": ["x\x1b]0;y"]}]
    assert "\x1b" not in plan_text({**document, "files": files}, explain=True)


def test_a_plan_that_the_budget_does_not_hold_names_the_least_that_would(document):
    assert "1,234 tokens is the least" in plan_text({**document, "minimum_budget": 1234}, explain=False)
