"""Scores of retrieval on small cases that can be reckoned by hand."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from agenvantage.telemetry.retrieval import Gold, Prediction, Ranges, Region, TaskScore, score, show
from agenvantage.telemetry.retrieval_summary import changes, differences, groups, half, interval, percentile, verdicts
from hypothesis import given
from hypothesis import strategies as st


class Files:
    """A tree of numbered lines: each line costs one token, and so does the line that names a region."""

    def __init__(self, **lengths: int) -> None:
        self.texts = {f"{name}.py": [f"{name} {n}" for n in range(1, length + 1)] for name, length in lengths.items()}

    def has(self, path):
        return path in self.texts

    def lines(self, path):
        return self.texts.get(path)


def one(_text: str) -> int:
    return 1


TREE = Files(a=50, b=50, c=50, t=10)
GOLD = Gold(
    id="x",
    repository="o/r",
    edits=(Ranges(path="a.py", ranges=((3, 4), (10, 10))), Ranges(path="b.py", ranges=((1, 2),))),
    tests=("t.py",),
)


def regions(*places):
    return tuple(Region(path=f"{name}.py", start=start, end=end) for name, start, end in places)


def values(budget=100, gold=GOLD, tree=TREE, **said):
    return score(gold, Prediction(id="x", **said), tree, one, budget).values


def test_a_perfect_prediction_scores_one_everywhere():
    found = values(files=("a.py", "b.py"), tests=("t.py",), regions=regions(("a", 3, 4), ("a", 10, 10), ("b", 1, 2)))
    names = ("recall@3", "all@10", "mrr", "ndcg@10", "test_recall@10", "line_recall", "line_precision", "hunk_recall")
    assert {found[name] for name in names} == {1.0}
    assert found["recall@1"] == 0.5


def test_a_task_without_a_prediction_scores_zero_where_something_could_be_found():
    found = score(GOLD, None, TREE, one, 100)
    assert not found.predicted and set(found.values.values()) == {0.0}
    assert {"recall@10", "test_recall@10", "line_recall", "hunk_recall"} <= found.values.keys()


def test_ranks_count_in_mrr_and_ndcg():
    found = values(files=("c.py", "a.py", "t.py", "b.py"))
    assert found["mrr"] == 0.5
    assert found["ndcg@10"] == pytest.approx((1 / math.log2(3) + 1 / math.log2(5)) / (1 + 1 / math.log2(3)))


def test_a_file_listed_twice_takes_one_rank():
    assert values(files=("c.py", "c.py", "c.py", "a.py"))["mrr"] == 0.5


def test_tests_are_looked_for_among_the_files_where_there_is_no_list_of_them():
    assert values(files=("a.py", "t.py"))["test_recall@10"] == 1.0
    assert values(files=("a.py", "t.py"), tests=())["test_recall@10"] == 0.0


def test_a_hunk_is_found_by_one_of_its_lines():
    found = values(regions=regions(("a", 4, 10)))
    assert found["hunk_recall"] == pytest.approx(2 / 3)
    assert found["line_recall"] == pytest.approx(2 / 5)


def test_reading_stops_at_the_first_line_that_does_not_fit():
    # One for the name of the region, then lines 1 to 3.
    assert values(budget=4, regions=regions(("a", 1, 9), ("b", 1, 2)))["line_recall"] == pytest.approx(1 / 5)


def test_a_region_of_lines_given_before_costs_nothing_and_is_a_duplicate():
    shown = show(regions(("a", 1, 8), ("a", 2, 5)), TREE, one, 100)
    assert (shown.spent, shown.repeated) == (9, 4)
    assert values(regions=regions(("a", 1, 8), ("a", 2, 5)))["duplicate_share"] == pytest.approx(4 / 13)


def test_the_same_text_in_another_file_is_a_duplicate():
    tree = Files(a=8)
    tree.texts["copy.py"] = tree.texts["a.py"]
    found = values(tree=tree, regions=(*regions(("a", 1, 8)), Region(path="copy.py", start=1, end=8)))
    assert found["duplicate_share"] == 0.5


def test_tokens_of_files_that_the_change_leaves_alone_are_distractors():
    assert values(regions=regions(("a", 1, 9), ("c", 1, 9)))["distractor_share"] == 0.5
    assert values(regions=regions(("a", 1, 9), ("t", 1, 9)))["distractor_share"] == 0.0


def test_lines_beyond_the_end_and_files_that_are_not_there_cost_nothing():
    assert values(regions=regions(("c", 60, 70), ("z", 1, 5)))["tokens"] == 0.0


def test_the_sufficient_budget_is_where_the_last_hunk_is_touched():
    found = values(regions=regions(("a", 3, 12), ("b", 1, 20)))
    # The name and ten lines of the first, then the name and one line of the second.
    assert found["sufficient_budget"] == 13.0


def test_there_is_no_sufficient_budget_while_a_hunk_is_missing():
    found = values(regions=regions(("a", 3, 12)))
    assert "sufficient_budget" not in found and found["every_hunk"] == 0.0


def test_paths_that_do_not_exist_are_told():
    found = score(GOLD, Prediction(id="x", files=("a.py", "no.py"), tests=("never.py",)), TREE, one, 100)
    assert found.hallucinated == ("no.py", "never.py")
    assert found.values["hallucinated"] == 2.0


def test_a_task_without_gold_has_no_recall():
    found = score(replace(GOLD, edits=(), tests=()), Prediction(id="x", files=("a.py",)), TREE, one, 100)
    assert not {"recall@1", "line_recall", "test_recall@10"} & found.values.keys()
    assert found.packet == "none"


@pytest.mark.parametrize(
    ("shown", "packet"),
    [
        ((("c", 1, 9),), "none"),
        ((("a", 20, 30),), "some"),
        ((("a", 3, 10), ("b", 30, 40)), "all files"),
        ((("a", 4, 10), ("b", 2, 2)), "all hunks"),
    ],
)
def test_how_much_of_the_gold_is_in_the_packet(shown, packet):
    assert score(GOLD, Prediction(id="x", regions=regions(*shown)), TREE, one, 100).packet == packet


@given(
    st.lists(
        st.tuples(st.sampled_from("abcz"), st.integers(1, 60), st.integers(0, 30)).map(
            lambda place: (place[0], place[1], place[1] + place[2])
        )
    ),
    st.integers(0, 120),
)
def test_what_is_shown_never_costs_more_than_the_budget(places, budget):
    shown = show(regions(*places), TREE, one, budget)
    assert shown.spent == sum(shown.by_path.values()) <= budget
    assert max(shown.spent_at.values(), default=0) <= shown.spent


@given(st.lists(st.sampled_from(["a.py", "b.py", "c.py", "t.py"])), st.permutations([3, 1, 10, 5]))
def test_recall_never_falls_with_more_files(files, firsts):
    found = values(files=tuple(files))
    recalls = [found[f"recall@{first}"] for first in sorted(firsts)]
    assert recalls == sorted(recalls)


def test_what_is_ranked_and_not_packed_counts_for_the_ranking_alone():
    said = (Region(path="a.py", start=3, end=10, packed=False), Region(path="c.py", start=1, end=9))
    found = score(GOLD, Prediction(id="x", regions=said), TREE, one, 100)
    assert found.packet == "none"
    assert (found.values["hunk_recall"], found.values["packed_hunk_recall"]) == (pytest.approx(2 / 3), 0.0)
    assert found.values["distractor_share"] == 1.0


# Many tasks


def task(name, repository, recall, *, readiness=None, packet="none"):
    return TaskScore(
        id=name, repository=repository, values={"recall@5": recall}, packet=packet, predicted=True, readiness=readiness
    )


def test_a_group_has_the_mean_of_its_own_tasks():
    golds = [Gold(id=str(n), repository="o/r", edits=(), language=["go", "rust"][n % 2]) for n in range(4)]
    scores = {str(n): task(str(n), "o/r", n / 4) for n in range(4)}
    means = {group.name: group.figures["recall@5"].value for group in groups(golds, scores)}
    assert (means["all"], means["language: go"], means["language: rust"]) == (0.375, 0.25, 0.5)


def test_intervals_are_drawn_by_repository_and_the_same_each_time():
    even = [(f"r{n}", float(n % 2)) for n in range(10)]
    low, high = interval(even)
    assert (low, high) == interval(even) and low < 0.5 < high


def test_more_tasks_of_the_same_repositories_narrow_nothing():
    few = [(f"r{n}", float(n % 2)) for n in range(10)]
    assert interval(few * 20) == interval(few)


def test_few_repositories_give_no_interval():
    assert interval([("a", 1.0), ("b", 0.0), ("b", 1.0)]) == (None, None)


def test_differences_are_taken_task_by_task():
    first = {name: task(name, f"r{name}", 0.5) for name in "abcdef"}
    second = {name: task(name, f"r{name}", 1.0 if name in "abc" else 0.25) for name in "abcdef"}
    (found,) = differences(first, second, ("recall@5", "nothing"))
    assert (found.higher, found.lower, found.same) == (3, 3, 0)
    assert found.figure.value == pytest.approx(0.125)


def test_a_plan_is_timed_against_one_of_the_same_minute_that_leaves_nothing_out():
    said = Prediction(id="x", cpu_seconds=0.5, cpu_seconds_with_all=0.75)
    (found,) = changes({"x": score(GOLD, said, TREE, one, 100)}, ("seconds", "cpu_seconds"))
    assert (found.measure, found.figure.value, found.lower) == ("cpu_seconds", -0.25, 1)


def test_false_confidence_is_a_sufficient_verdict_on_a_packet_without_gold():
    judged = verdicts([
        task("1", "r", 0, readiness="grounded", packet="none"),
        task("2", "r", 0, readiness="grounded", packet="some"),
        task("3", "r", 0, readiness="grounded", packet="all hunks"),
        task("4", "r", 0, readiness="ungrounded", packet="none"),
        task("5", "r", 0, readiness="partially_grounded", packet="all files"),
    ])  # fmt: skip
    assert judged is not None
    assert (judged.false_of_sufficient, judged.false_of_empty, judged.false_of_all) == (1 / 3, 1 / 2, 1 / 5)
    assert (judged.sure_of_good, judged.sure_of_whole) == (2 / 3, 1 / 2)


def test_predictions_without_verdicts_are_not_judged():
    assert verdicts([task("1", "r", 1.0)]) is None


def test_a_repository_is_always_in_the_same_half():
    halves = [half(f"o/{n}") for n in range(100)]
    assert halves == [half(f"o/{n}") for n in range(100)]
    assert 30 < halves.count("tuning") < 70


def test_a_percentile_is_a_value_that_occurs():
    assert percentile([3, 1, 2], 0.95) == 3
    assert percentile([1, 2, 3, 4], 0.5) == 2
