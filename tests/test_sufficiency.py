"""Rounds: what is measured, when a search goes on, when it stops, and what it says then."""

from __future__ import annotations

import pytest
from agenvantage.context.index import RepositoryIndex
from agenvantage.context.model import RetrievalCandidate, SourceNode
from agenvantage.context.plan import ContextPlanner
from agenvantage.context.sufficiency import Figures, decided, measured, words_covered
from context_kit import fill

BUG = "Cart.total crashes with ExpiredVoucher when the voucher has expired"
NOTHING = Figures(
    slots=1.0, coverage=1.0, anchor=1.0, agreement=1.0, redundancy=0.0, gain=0.5, missing_edges=()
)  # fmt: skip


def chosen(text, path="a.py") -> RetrievalCandidate:
    node = SourceNode(id=path, path=path, kind="region", name="", start=1, end=2)
    return RetrievalCandidate(node=node, score=1.0, text=text, tokens=10)


def planned(repository, task, **options):
    fill(repository)
    with RepositoryIndex.open(repository.path) as index:
        return ContextPlanner(index).plan(task, **options)


def test_a_grounded_search_with_nothing_to_fill_stops():
    assert decided("grounded", NOTHING, empty=(), last=False) == (True, "stop: grounded")


def test_a_slot_that_may_still_be_filled_is_looked_for_first():
    stop, why = decided("grounded", NOTHING, empty=("callers",), last=False)
    assert (stop, why) == (False, "expand: callers empty")


def test_weak_ground_is_widened_where_more_would_bring_something():
    assert decided("partially_grounded", NOTHING, empty=(), last=False)[0] is False


def test_the_last_round_declares_what_it_is():
    assert decided("ungrounded", NOTHING, empty=(), last=True) == (True, "declare: ungrounded")


def test_rare_words_weigh_more_in_what_is_covered():
    words = words_covered(["rare", "usual"], [chosen("usual")], {"rare": 9.0, "usual": 1.0})
    assert (words.covered, words.uncovered, words.share) == (("usual",), ("rare",), 0.1)


def test_a_word_in_a_path_has_a_place():
    assert words_covered(["vouchers"], [chosen("x", "shop/vouchers.py")], {}).uncovered == ()


def test_lines_that_are_there_twice_are_redundant():
    line = "a line that is long enough to count\n"
    figures = measured((), words_covered([], [], {}), (), [chosen(line), chosen(line, "b.py")], (), ())
    assert figures.redundancy == 0.5


def test_nothing_left_means_nothing_to_gain():
    assert measured((), words_covered([], [], {}), (), [chosen("x")], (), ()).gain == 0.0


def test_rounds_are_numbered_measured_and_end_with_a_decision(repository):
    rounds = planned(repository, BUG).rounds
    assert [each.number for each in rounds] == list(range(1, len(rounds) + 1))
    assert all(each.confidence is not None and 0 <= each.slots <= 1 for each in rounds)
    assert rounds[-1].decision.split(":")[0] in ("stop", "declare")
    assert all(each.decision.split(":")[0] in ("expand", "widen") for each in rounds[:-1])


def test_what_is_looked_for_in_vain_is_named(repository):
    repository.write("lonely.py", "def lonely_engine():\n    return 1\n")
    repository.commit("lonely")
    with RepositoryIndex.open(repository.path) as index:
        plan = ContextPlanner(index).plan("lonely_engine returns the wrong number", workflow="bug")
    assert any("callers" in each.missing_edges for each in plan.rounds)


def test_weak_ground_gives_a_place_to_begin_and_little_else(repository):
    plan = planned(repository, "Render the galactic dashboard with holographic widgets")
    assert plan.readiness in ("ungrounded", "insufficient")
    assert "pyproject.toml" in plan.orientation
    assert sum(each.tokens for each in plan.chosen) <= 1_500


def test_firm_ground_needs_no_place_to_begin(repository):
    assert planned(repository, BUG).orientation == ""


def test_a_missing_slot_at_any_price_is_insufficient_and_named(repository):
    for name in ("calc.py", "test_calc.py"):
        (repository.path / name).unlink()
    fill(repository, {"README.md": "# Notes about engines\n"})
    with RepositoryIndex.open(repository.path) as index:
        plan = ContextPlanner(index).plan("Change the engines")
    assert plan.readiness == "insufficient"
    assert [slot.name for slot in plan.slots if slot.required and not slot.covered] == ["implementation"]


@pytest.mark.parametrize("budget", [40, 150, 300])
def test_a_budget_without_room_names_the_least_that_would_do(repository, budget):
    plan = planned(repository, BUG, budget=budget)
    if plan.readiness == "insufficient_budget":
        assert plan.minimum_budget > budget
        assert not plan.chosen
