"""Choosing: within the budget, no line and no text twice, what is worth most for its size first."""

from __future__ import annotations

import pytest
from agenvantage.context.choosing import Basket, fill
from agenvantage.context.compile import ContextCompiler
from agenvantage.context.index import FileView, RepositoryIndex
from agenvantage.context.model import RetrievalCandidate, SourceNode
from agenvantage.context.plan import ContextPlanner
from agenvantage.context.tokens import count
from context_kit import fill as fill_shop
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

TEXT = "".join(f"line {number} of it\n" if number % 5 else "\n" for number in range(1, 61))
WORDS = ["voucher", "cart", "total", "ExpiredVoucher", "TAX_RATES", "shop/prices.py", "send_mail", "zebra", "tests"]


def view(path: str) -> FileView:
    lines = tuple(TEXT.split("\n")[:60])
    return FileView(path=path, text=TEXT, lines=lines, symbols=(), language="python", role="source")


def candidate(start, end, score=1.0, path="a.py") -> RetrievalCandidate:
    node = SourceNode(id=f"{path}:{start}-{end}", path=path, kind="region", name="", start=start, end=end)
    return RetrievalCandidate(node=node, score=score, slot="implementation")


def test_a_region_reaches_over_the_blank_lines_around_it():
    taken = Basket(view).take(candidate(6, 9), 1_000)
    assert (taken.node.start, taken.node.end) == (5, 10)


def test_a_blank_line_is_given_to_one_region_only():
    basket = Basket(view)
    first, second = basket.take(candidate(1, 4), 1_000), basket.take(candidate(6, 9), 1_000)
    assert (first.node.end, second.node.start) == (5, 6)


def test_a_region_that_overlaps_one_that_is_there_is_not_taken():
    basket = Basket(view)
    basket.take(candidate(1, 10), 1_000)
    assert basket.take(candidate(8, 14), 1_000) is None


def test_the_same_text_is_taken_once():
    basket = Basket(view)
    assert basket.take(candidate(6, 9), 1_000)
    assert basket.take(candidate(6, 9, path="copy/a.py"), 1_000) is None


def test_what_does_not_fit_is_passed_over_for_what_does():
    basket = Basket(view)
    fill(basket, [candidate(1, 40, 1.0), candidate(46, 49, 0.5)], 60)
    assert [each.node.id for each in basket.taken] == ["a.py:46-49"]


def test_what_is_worth_too_little_is_left():
    basket = Basket(view)
    fill(basket, [candidate(6, 9, 1.0), candidate(46, 49, 0.1)], 1_000, least=0.2)
    assert len(basket.taken) == 1


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.integers(1, 60), st.integers(0, 20), st.floats(0.01, 1)), max_size=20), st.integers(0, 900)
)
def test_whatever_is_offered_no_line_is_there_twice_and_the_room_is_kept(offered, room):
    basket = Basket(view)
    fill(basket, [candidate(start, min(60, start + length), score) for start, length, score in offered], room)
    lines = [line for each in basket.taken for line in range(each.node.start, each.node.end + 1)]
    assert len(lines) == len(set(lines))
    assert sum(each.tokens for each in basket.taken) <= room


@pytest.fixture
def index(repository):
    fill_shop(repository)
    with RepositoryIndex.open(repository.path) as opened:
        yield opened


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=6), st.integers(200, 8_000))
def test_packet_and_ranked_regions_keep_to_the_budget_by_the_real_tokenizer(index, words, budget):
    plan = ContextPlanner(index).plan(" ".join(words), budget=budget)
    packet = ContextCompiler().compile(plan)
    assert count(packet.prefix + packet.evidence) <= budget
    assert sum(each.tokens for each in plan.regions) <= budget


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=6), st.integers(200, 8_000))
def test_ranked_regions_are_in_order_apart_from_each_other_and_hold_the_packet(index, words, budget):
    plan = ContextPlanner(index).plan(" ".join(words), budget=budget)
    main = plan.slots[0].name
    order = [(each.slot != main, -each.score) for each in plan.regions]
    lines = [(each.node.path, line) for each in plan.regions for line in range(each.node.start, each.node.end + 1)]
    assert order == sorted(order)
    assert len(lines) == len(set(lines))
    assert {each.node.id for each in plan.chosen} <= {each.node.id for each in plan.regions}


def test_a_small_repository_is_sent_whole(index):
    plan = ContextPlanner(index).plan("Voucher.discount raises ExpiredVoucher a day too early")
    held = {(each.node.path, line) for each in plan.chosen for line in range(each.node.start, each.node.end + 1)}
    for path in ("shop/mailer.py", "shop/prices.py", "web/checkout.ts", "tests/test_cart.py"):
        lines = index.view(path).lines
        assert {number for number, line in enumerate(lines, 1) if line.strip()} <= {n for p, n in held if p == path}


def test_a_large_repository_is_not_sent_whole(repository):
    fill_shop(repository, {f"part{n}.py": f"def part{n}():\n" + "    call()\n" * 60 for n in range(80)})
    with RepositoryIndex.open(repository.path) as opened:
        plan = ContextPlanner(opened).plan("part7 is wrong")
    assert len({each.node.path for each in plan.chosen}) < 40
