"""The order of a comparison's trials, and what it says of them."""

from __future__ import annotations

from collections import Counter

from agenvantage.runner.compare import arm_summary, drawn_order, verdict
from hypothesis import given
from hypothesis import strategies as st

ARMS = ("native", "adaptive-hybrid")
TASKS = st.lists(st.text(min_size=1, max_size=3), min_size=1, max_size=4, unique=True)
SEEDS = st.integers(0, 2**31)


@given(TASKS, st.integers(1, 6), SEEDS)
def test_each_block_holds_every_task_in_every_arm_once(tasks: list[str], repeats: int, seed: int) -> None:
    cells = drawn_order(tasks, ARMS, repeats, seed)
    seen = Counter((cell.block, cell.task, cell.arm) for cell in cells)
    assert set(seen.values()) == {1}
    assert len(cells) == repeats * len(tasks) * len(ARMS)


@given(TASKS, st.integers(1, 3), SEEDS)
def test_over_an_even_number_of_blocks_no_arm_comes_earlier_than_the_other(
    tasks: list[str], pairs: int, seed: int
) -> None:
    cells = drawn_order(tasks, ARMS, 2 * pairs, seed)
    size = len(tasks) * len(ARMS)
    places = {arm: sum(cell.position % size for cell in cells if cell.arm == arm) for arm in ARMS}
    assert places["native"] == places["adaptive-hybrid"]


@given(SEEDS)
def test_the_order_is_a_function_of_the_seed(seed: int) -> None:
    assert drawn_order(["a"], ARMS, 4, seed) == drawn_order(["a"], ARMS, 4, seed)


def test_both_arms_come_first_under_some_seed() -> None:
    assert {drawn_order(["a"], ARMS, 1, seed)[0].arm for seed in range(20)} == set(ARMS)


def test_one_run_of_each_arm_gives_no_verdict() -> None:
    rows = [{"arm": arm, "outcome": "solved"} for arm in ARMS]
    assert verdict(1, rows) == "no verdict"


def test_without_intervals_nothing_is_judged() -> None:
    rows = [{"arm": arm, "outcome": "solved"} for arm in ARMS] * 5
    assert verdict(5, rows) == "cannot judge"


def test_a_treatment_that_never_arrived_is_the_verdict() -> None:
    rows = [{"arm": "native", "outcome": "solved"}, {"arm": "adaptive-hybrid", "outcome": "treatment_not_delivered"}]
    assert verdict(2, rows) == "treatment not delivered"


def test_a_median_over_an_unknown_figure_is_unknown() -> None:
    usage = {
        "uncached_input_tokens": 1,
        "cache_read_input_tokens": None,
        "input_tokens": 2,
        "output_tokens": 3,
        "requests": 4,
    }
    row = {"outcome": "solved", "usage": usage, "agent_seconds": 1.0}
    known = {"outcome": "solved", "usage": usage | {"cache_read_input_tokens": 8}, "agent_seconds": 3.0}
    told = arm_summary([row, known])
    assert (told["median"]["cache_read_input_tokens"], told["median"]["input_tokens"], told["median_seconds"]) == (
        None,
        2,
        2,
    )
