"""Plans with helpers: what they change, what they cost, and plans whose helpers fail."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from agenvantage import ContextPlanner, RepositoryIndex
from agenvantage.context.aids import AidFailed, Aids, Reranked, Rewriting
from agenvantage.context.document import plan_document
from agenvantage.runner.aiding import aids_of
from agenvantage.runner.cli import app
from agenvantage.runner.configuration import BadSetting, load
from context_kit import fill
from model_server import ModelServer, Reply, chat, order, vectors
from typer.testing import CliRunner

HOME = {"HOME": "/home/person"}
FOREIGN = "Whoever types a lapsed coupon ought to learn when that happened"
PLAIN = "gross_price ignores the tax rate of food in net_price"


class Judge:
    """Likes texts that hold a word."""

    name = "judge"

    def __init__(self, word: str) -> None:
        self.word = word
        self.texts: list[str] = []

    def __call__(self, task: str, texts: Sequence[str]) -> Reranked:
        self.texts += texts
        return Reranked(scores=tuple(float(self.word in text) for text in texts), tokens=12)


class Poet:
    """Says the same whatever it is asked."""

    name = "poet"

    def __init__(self, *queries: str, fails: str = "") -> None:
        self.queries = queries
        self.fails = fails
        self.asked: list[str] = []

    def __call__(self, task: str) -> Rewriting:
        self.asked.append(task)
        if self.fails:
            raise AidFailed("rewrite", self.fails)
        return Rewriting(queries=self.queries, input_tokens=20, output_tokens=4)


@pytest.fixture
def index(repository):
    fill(repository)
    with RepositoryIndex.open(repository.path) as opened:
        yield opened


def plan_of(index, task: str, **aids):
    return ContextPlanner(index, aids=Aids(**aids)).plan(task)


def without_seconds(plan) -> str:
    told = plan_document(plan)
    told["seconds"] = None
    for each in told["rounds"]:
        each["seconds"] = None
    return json.dumps(told | {"aids": None})


def test_a_second_look_moves_a_file_up(index) -> None:
    task = f"{PLAIN}, used by the cart"
    plain = [file.path for file in plan_of(index, task).files]
    looked = [file.path for file in plan_of(index, task, rerank=Judge("Cart")).files]
    assert looked.index("shop/cart.py") < plain.index("shop/cart.py")


def test_a_second_look_sees_fifty_files_at_most(repository) -> None:
    for number in range(70):
        repository.write(f"taxes/rate{number}.py", f"def tax_rate_{number}(food): ...\n")
    repository.commit()
    judge = Judge("x")
    with RepositoryIndex.open(repository.path) as index:
        plan_of(index, "the tax rate of food", rerank=judge)
    assert len(judge.texts) == 50


def test_a_second_look_is_told_of_a_files_definitions(index) -> None:
    judge = Judge("x")
    plan_of(index, PLAIN, rerank=judge)
    assert any(text.startswith("shop/prices.py\n") and "gross_price(item)" in text for text in judge.texts)


def test_a_task_that_leads_nowhere_is_put_in_other_words(index) -> None:
    poet = Poet("Voucher expires ExpiredVoucher")
    plan = plan_of(index, FOREIGN, rewrite=poet)
    assert poet.asked and plan.files[0].path == "shop/vouchers.py"


def test_a_task_that_is_grounded_is_not(index) -> None:
    poet = Poet("Voucher")
    plan = plan_of(index, PLAIN, rewrite=poet)
    assert plan.readiness == "grounded" and not poet.asked


def test_what_helpers_took_is_in_the_plan(index) -> None:
    plan = plan_of(index, FOREIGN, rewrite=Poet("Voucher expires"))
    told = [(cost.aid, cost.model, cost.requests, cost.input_tokens, cost.output_tokens) for cost in plan.aids]
    assert ("rewrite", "poet", 1, 20, 4) in told


def test_a_helper_that_fails_leaves_the_plan_as_it_was_and_says_why(index) -> None:
    plan = plan_of(index, FOREIGN, rewrite=Poet(fails="it is asleep"))
    assert without_seconds(plan) == without_seconds(plan_of(index, FOREIGN))
    assert [cost.problem for cost in plan.aids] == ["it is asleep"]


@pytest.mark.parametrize("said", [(), ("",), ("\0",), ("the and of",)])
def test_words_that_say_nothing_do_no_harm(index, said) -> None:
    assert plan_of(index, FOREIGN, rewrite=Poet(*said)).readiness != "grounded"


def test_a_secret_in_the_task_is_not_sent(index) -> None:
    poet = Poet("x")
    plan_of(index, f"{FOREIGN} with token ghp_0123456789abcdefghij0123456789", rewrite=poet)
    assert poet.asked and "ghp_0123" not in poet.asked[0]


def test_without_helpers_nothing_is_said_of_them(index) -> None:
    assert ContextPlanner(index).plan(PLAIN).aids == ()


# The command


def agenvantage(*words: str):
    return CliRunner().invoke(app, list(words))


def planned(repository, *words: str, task: str = FOREIGN):
    return agenvantage("plan", "--repo", str(repository.path), "--task", task, "--json", *words)


def test_the_command_asks_the_model_that_was_named(repository, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(repository)
    monkeypatch.setenv("OUR_KEY", "sk-abc-0123456789")
    with ModelServer(Reply(chat('["Voucher expires"]'))) as server:
        done = planned(repository, "--rewrite", "--rewrite-url", server.url, "--rewrite-model", "tiny",
                       "--rewrite-key-env", "OUR_KEY")  # fmt: skip
    assert server.asked[0].body["model"] == "tiny"
    assert server.asked[0].headers["Authorization"] == "Bearer sk-abc-0123456789"
    assert json.loads(done.stdout)["aids"][0]["output_tokens"] == 9


def test_the_command_says_that_a_helper_gave_no_answer(repository) -> None:
    fill(repository)
    with ModelServer(Reply(status=404)) as server:
        done = planned(repository, "--rewrite", "--rewrite-url", server.url, "--rewrite-model", "tiny")
    assert done.exit_code == 0
    assert (
        "rewrite: no answer (it has no such model or address (HTTP 404)); the plan was made without it" in done.stderr
    )


def test_the_command_reranks_at_an_address(repository) -> None:
    fill(repository)
    with ModelServer(Reply(order)) as server:
        done = planned(repository, "--rerank", "--rerank-url", server.url, "--rerank-model", "judge", task=PLAIN)
    assert server.asked[0].path == "/v1/rerank"
    assert json.loads(done.stdout)["aids"][0]["input_tokens"] == 40


def test_the_command_looks_by_meaning_at_an_address(repository) -> None:
    fill(repository)
    with ModelServer(Reply(vectors)) as server:
        done = planned(
            repository, "--semantic", "--semantic-url", server.url, "--semantic-model", "near", task="tax rate of food"
        )
    assert {asked.path for asked in server.asked} == {"/v1/embeddings"}
    assert json.loads(done.stdout)["aids"][0]["problem"] is None


def test_the_command_looks_by_meaning_on_this_machine(repository) -> None:
    fill(repository)
    told = json.loads(planned(repository, "--semantic").stdout)
    assert told["aids"][0]["model"].startswith("wordllama/")
    assert "near in meaning" in str(told["files"])


# Settings


def settings_of(tmp_path: Path, **flags: object):
    return load(flags, repository=tmp_path, environment=HOME).settings


def test_nothing_is_asked_for_by_default(tmp_path: Path) -> None:
    assert aids_of(settings_of(tmp_path), {}) == Aids()


@pytest.mark.parametrize("aid", ["semantic", "rerank", "rewrite"])
@pytest.mark.parametrize("part", ["", "_url", "_model", "_key_env"])
def test_a_repository_may_not_choose_a_helper(tmp_path: Path, aid: str, part: str) -> None:
    (tmp_path / "agenvantage.toml").write_text(f'{aid}{part} = "https://evil.example"\n')
    with pytest.raises(BadSetting, match="a repository may not decide it"):
        load({}, repository=tmp_path, environment=HOME)


def test_a_repository_may_not_choose_one_by_a_table(tmp_path: Path) -> None:
    (tmp_path / "agenvantage.toml").write_text('[rewrite]\nurl = "https://evil.example"\n')
    with pytest.raises(BadSetting, match="a repository may not decide it"):
        load({}, repository=tmp_path, environment=HOME)


def test_variables_choose_a_helper(tmp_path: Path) -> None:
    variables = HOME | {
        "AGENVANTAGE_REWRITE": "true",
        "AGENVANTAGE_REWRITE_URL": "https://models.example/v1",
        "AGENVANTAGE_REWRITE_MODEL": "tiny",
    }
    helper = aids_of(load({}, repository=tmp_path, environment=variables).settings, {}).rewrite
    assert helper is not None and helper.name == "tiny at models.example"


@pytest.mark.parametrize(
    ("flags", "says"),
    [
        ({"rerank": True}, "--rerank-url"),
        ({"rewrite": True, "rewrite_url": "https://a.example"}, "--rewrite-model"),
        ({"semantic": True, "semantic_url": "http://a.example", "semantic_model": "m"}, "https"),
        ({"semantic": True, "semantic_url": "https://x:y@a.example", "semantic_model": "m"}, "password"),
    ],
)
def test_half_a_helper_is_refused_with_what_is_missing(tmp_path: Path, flags: dict[str, object], says: str) -> None:
    with pytest.raises(BadSetting, match=says):
        aids_of(settings_of(tmp_path, **flags), {})


@pytest.mark.parametrize("given", ["sk-abc-0123456789", "deadbeef0123456789deadbeef012345"])
def test_a_key_given_where_its_variable_belongs_is_not_shown(tmp_path: Path, given: str) -> None:
    flags = {"rewrite": True, "rewrite_url": "https://a.example", "rewrite_model": "m", "rewrite_key_env": given}
    with pytest.raises(BadSetting) as refused:
        aids_of(settings_of(tmp_path, **flags), {})
    assert given not in str(refused.value)
