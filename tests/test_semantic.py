"""The channel of meaning: what it finds, what it keeps, and how it does without."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence

import pytest
from agenvantage.adapters.local_models import WordVectors
from agenvantage.context import semantic
from agenvantage.context.aids import AidFailed, Embedded
from agenvantage.context.index import RepositoryIndex
from agenvantage.context.semantic import meaning
from agenvantage.context.task import read_task
from agenvantage.context.vectors import beside
from context_kit import SHOP, fill

TASK = read_task("Customers who type their coupon too late should be told when it was over")
SENSES = {
    "coupon": 0, "voucher": 0, "vouchers": 0, "discount": 0, "late": 1, "over": 1, "expired": 1, "expires": 1,
    "cart": 2, "mail": 3, "send": 3, "price": 4, "tax": 4,
}  # fmt: skip


class Senses:
    """A model of five senses: a text's vector says how often each occurs."""

    def __init__(self, *, local: bool = True, name: str = "senses", dimensions: int = 5) -> None:
        self.local = local
        self.name = name
        self.dimensions = dimensions
        self.texts: list[str] = []
        self.fails = False
        self.tokens: int | None = 7

    def __call__(self, texts: Sequence[str]) -> Embedded:
        if self.fails:
            raise AidFailed("semantic", "it is tired")
        self.texts += texts
        return Embedded(vectors=[self._vector(text) for text in texts], requests=1, tokens=self.tokens)

    def _vector(self, text: str) -> list[float]:
        row = [0.01] * self.dimensions
        for word in text.lower().split():
            sense = SENSES.get(word.strip("(),:.\"'"))
            if sense is not None:
                row[sense] += 1.0
        return row


@pytest.fixture
def index(repository):
    fill(repository)
    with RepositoryIndex.open(repository.path) as opened:
        yield opened


def test_a_file_is_found_by_meaning_where_no_word_is_shared(index) -> None:
    scores = meaning(index, TASK, Senses()).ranking.scores
    assert max(scores, key=scores.__getitem__) == "shop/vouchers.py"


def test_the_nearest_file_is_one_and_none_is_below_zero(index) -> None:
    scores = meaning(index, TASK, Senses()).ranking.scores.values()
    assert max(scores) == 1.0 and min(scores) > 0.0


def test_the_reason_names_the_lines(index) -> None:
    reason = meaning(index, TASK, Senses()).ranking.reasons["shop/vouchers.py"]
    lines = reason.removeprefix("near in meaning: lines ").split("-")
    text = (index.root / "shop/vouchers.py").read_text().split("\n")
    assert "oucher" in "\n".join(text[int(lines[0]) - 1 : int(lines[1])])


def test_a_second_look_asks_for_the_task_alone(index) -> None:
    model = Senses()
    meaning(index, TASK, model)
    model.texts.clear()
    meaning(index, TASK, model)
    assert len(model.texts) == 1


def test_another_process_finds_the_vectors_beside_the_index(index) -> None:
    meaning(index, TASK, Senses())
    model = Senses()
    with RepositoryIndex.open(index.root) as again:
        meaning(again, TASK, model)
    assert len(model.texts) == 1


def test_only_what_changed_is_looked_at_again(index, repository) -> None:
    model = Senses()
    meaning(index, TASK, model)
    model.texts.clear()
    repository.write("shop/mailer.py", "def send_letter(address):\n    raise NotImplementedError\n")
    meaning(index.refresh(), TASK, model)
    assert [text.split("\n")[0] for text in model.texts[1:]] == ["shop mailer py"]


def test_another_model_makes_its_own_vectors(index) -> None:
    meaning(index, TASK, Senses())
    other = Senses(name="others", dimensions=6)
    assert meaning(index, TASK, other).ranking.scores
    assert len(other.texts) > 1


def test_a_damaged_row_is_made_again(index) -> None:
    first = meaning(index, TASK, Senses()).ranking.scores
    import sqlite3

    with sqlite3.connect(beside(index.store.path)) as connection:
        connection.execute("UPDATE vectors SET data = substr(data, 1, 7)")
    connection.close()
    index.memory.clear()
    assert meaning(index, TASK, Senses()).ranking.scores == first


def test_the_order_is_the_same_from_memory_and_from_the_file(index) -> None:
    fresh = meaning(index, TASK, Senses()).ranking.scores
    index.memory.clear()
    assert meaning(index, TASK, Senses()).ranking.scores == fresh


def test_a_model_that_fails_finds_nothing_and_says_why(index) -> None:
    model = Senses()
    model.fails = True
    found = meaning(index, TASK, model)
    assert (dict(found.ranking.scores), found.cost.problem) == ({}, "it is tired")


@pytest.mark.parametrize("task", ["send_mail fails", "see shop/mailer.py", "shop.mailer is slow"])
def test_a_task_that_spells_names_of_the_code_is_left_to_them(index, task) -> None:
    model = Senses()
    assert "names of the code" in (meaning(index, read_task(task), model).cost.problem or "")
    assert model.texts == []


def test_what_it_took_is_recorded(index) -> None:
    cost = meaning(index, TASK, Senses()).cost
    assert (cost.aid, cost.model, cost.requests, cost.input_tokens, cost.problem) == ("semantic", "senses", 2, 14, None)


def test_tokens_are_unknown_once_a_part_of_them_is(index) -> None:
    model = Senses()
    model.tokens = None
    assert meaning(index, TASK, model).cost.input_tokens is None


@pytest.mark.parametrize("rows", [[], [[1.0], [2.0, 3.0]], [[float("nan")]], [[float("inf")]], [["x"]], [1.0], [[]]])
def test_vectors_that_are_none_are_a_failure(index, rows) -> None:
    class Broken(Senses):
        def __call__(self, texts: Sequence[str]) -> Embedded:
            return Embedded(vectors=rows)

    assert meaning(index, TASK, Broken()).cost.problem


def test_a_model_away_is_shown_only_what_the_words_found(index, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(semantic, "_SHORTLIST_AWAY", 1)
    model = Senses(local=False)
    meaning(index, read_task("the mailer forgets the address"), model)
    assert {text.split("\n")[0] for text in model.texts[1:]} == {"shop mailer py"}


def test_of_a_large_repository_only_likely_files_are_looked_at(index, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(semantic, "_WHOLE_LOCAL", 1)
    monkeypatch.setattr(semantic, "_SHORTLIST_LOCAL", 1)
    model = Senses()
    meaning(index, read_task("the mailer forgets the address"), model)
    assert {text.split("\n")[0] for text in model.texts[1:]} == {"shop mailer py"}


def test_secrets_in_files_are_not_shown_to_a_model(repository) -> None:
    fill(
        repository,
        SHOP | {"shop/keys.py": 'TOKEN = "ghp_0123456789abcdefghij0123456789"\n', ".env": "PASSWORD=hunter22x\n"},
    )
    model = Senses()
    with RepositoryIndex.open(repository.path) as index:
        meaning(index, TASK, model)
    assert not any("0123456789abcdefghij" in text or "hunter22x" in text for text in model.texts)


def test_a_repository_without_code_is_no_fault(repository) -> None:
    repository.write("README.md", "# Nothing\n")
    repository.commit()
    with RepositoryIndex.open(repository.path) as index:
        assert dict(meaning(index, TASK, Senses()).ranking.scores) == {}


def test_files_that_are_equally_near_are_no_fault(repository) -> None:
    for name in ("a/x.py", "b/x.py"):
        repository.write(name, "def same(): ...\n")
    repository.commit()
    with RepositoryIndex.open(repository.path) as index:
        scores = meaning(index, TASK, Senses()).ranking.scores
    assert len(set(scores.values())) <= 1


def test_the_shipped_model_puts_like_beside_like() -> None:
    model = WordVectors()
    asked, near, far = model(["delete the user's account", "remove a person's login", "draw a blue triangle"]).vectors
    assert sum(a * b for a, b in zip(asked, near, strict=True)) > sum(a * b for a, b in zip(asked, far, strict=True))


def test_the_shipped_model_gives_an_empty_text_a_vector() -> None:
    assert len(WordVectors()([""]).vectors[0]) == 256


def test_a_plan_without_helpers_loads_nothing_of_theirs(index) -> None:
    program = (
        "import sys\n"
        "from agenvantage import ContextPlanner, RepositoryIndex\n"
        "from agenvantage.runner import ask\n"
        f"with RepositoryIndex.open({str(index.root)!r}) as index: ContextPlanner(index).plan('vouchers expire')\n"
        "unwanted = {'numpy', 'tokenizers', 'wordllama', 'agenvantage.context.semantic', 'agenvantage.context.vectors',"
        " 'agenvantage.adapters.hosted_models', 'agenvantage.adapters.local_models', 'agenvantage.adapters.asking'}\n"
        "print(sorted(unwanted & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
