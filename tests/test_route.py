"""`agenvantage route`: the answer as a whole, its document, its budget, and the bench that scores it."""

from __future__ import annotations

import json

import pytest
from agenvantage.context.index import RepositoryIndex
from agenvantage.context.route import LeftOut, route, route_document
from agenvantage.context.tokens import count
from agenvantage.runner.cli import app
from agenvantage.runner.route_bench import BadCases, read_cases
from agenvantage.runner.routing import route_text, row, skills_of_home
from agenvantage.telemetry.routing import RouteCase, route_summary, score_route
from route_kit import CASES, bundled, filled, made, routed, skill
from typer.testing import CliRunner

TASK = "The cart's total must not be negative when a voucher is worth more"


@pytest.fixture
def shop(tmp_path):
    return made(tmp_path, "shop-api")


def run(*arguments):
    return CliRunner().invoke(app, [*map(str, arguments)])


# The answer


def test_the_file_that_a_task_is_about_comes_first(shop):
    assert routed(shop.path, TASK).files[0].path == "src/shop/cart.py"


def test_the_test_about_it_is_told_with_how_sure_that_is(shop):
    first = routed(shop.path, TASK).tests[0]
    assert (first.path, first.certainty > 0.5) == ("tests/test_cart.py", True)


def test_tests_are_not_among_the_likely_files(shop):
    assert not any(file.path.startswith("tests/") for file in routed(shop.path, TASK).files)


def test_instructions_to_agents_are_rules_and_no_likely_files(shop):
    found = routed(shop.path, "Never log a card number when a charge is declined")
    assert (
        "src/shop/payments/AGENTS.md" in {rule.path for rule in found.rules},
        any(file.path.endswith(("AGENTS.md", "SKILL.md", ".mdc")) for file in found.files),
    ) == (True, False)


def test_instructions_that_the_task_names_are_a_likely_file(shop):
    found = routed(shop.path, "Say in src/shop/payments/AGENTS.md that charges are idempotent")
    assert "src/shop/payments/AGENTS.md" in {file.path for file in found.files}


def test_weak_ground_is_a_warning(shop):
    found = routed(shop.path, "Quaternion zeppelin gyroscope")
    assert (found.readiness != "grounded", found.warnings[0].kind) == (True, found.readiness)


def test_nothing_of_the_repository_is_run(repository):
    marker = repository.path / "was-run"
    filled(
        repository,
        {
            "package.json": json.dumps({"scripts": {"test": f"touch {marker}", "preinstall": f"touch {marker}"}}),
            "Makefile": f"X := $(shell touch {marker})\ntest:\n\ttouch {marker}\n",
            "conftest.py": f"open({str(marker)!r}, 'w')\n",
            "setup.py": f"open({str(marker)!r}, 'w')\n",
        },
    )
    found = routed(repository.path, "Fix add()")
    assert (bool(found.commands), marker.exists()) == (True, False)


def test_a_secret_in_a_rule_or_a_script_is_not_shown(repository):
    secret = "sk-ant-abcdefgh1234567890ABCD"
    filled(
        repository,
        {
            "AGENTS.md": f"# Use {secret}\n",
            ".github/workflows/ci.yml": f"jobs:\n  a:\n    steps:\n      - run: ctest --key {secret}\n",
            **skill("calc", f"Adds numbers with {secret}. Use when add() is wrong."),
        },
    )
    assert secret not in json.dumps(route_document(routed(repository.path, "add() is wrong")))


# Budget


@pytest.mark.parametrize("budget", [1, 150, 400, 1_000, 3_000])
def test_the_rows_fit_the_budget(shop, budget):
    found = routed(shop.path, TASK, budget=budget, line=row(explain=True))
    lists = (found.files, found.tests, found.rules, found.skills, found.commands, found.warnings)
    shown = "".join(row(explain=True)(each) + "\n" for rows in lists for each in rows)
    assert (found.tokens <= budget, count(shown) <= budget) == (True, True)


def test_what_does_not_fit_is_counted(shop):
    whole, part = routed(shop.path, TASK), routed(shop.path, TASK, budget=200)
    assert part.left_out.commands == len(whole.commands) - len(part.commands) > 0


def test_a_small_budget_holds_something_of_several_lists(shop):
    found = routed(shop.path, TASK, budget=300)
    assert all((found.files, found.commands, found.rules))


def test_an_ample_budget_leaves_nothing_out(shop):
    assert routed(shop.path, TASK, budget=20_000).left_out == LeftOut()


# The document


def test_the_same_state_gives_the_same_document(shop):
    def told():
        return {**route_document(routed(shop.path, TASK)), "seconds": 0}

    assert told() == told()


def test_another_folder_gives_the_same_document(shop, tmp_path):
    twin = made(tmp_path / "elsewhere", "shop-api")
    ours, theirs = (route_document(routed(path, TASK)) for path in (shop.path, twin.path))
    differing = {key for key in ours if ours[key] != theirs[key]}
    assert differing <= {"seconds", "revision"}


def test_the_document_has_no_absolute_path(shop):
    assert str(shop.path) not in json.dumps(route_document(routed(shop.path, TASK)))


def test_the_document_is_printed_alone(shop):
    done = run("route", "--task", TASK, "--repo", shop.path, "--json")
    assert (done.exit_code, json.loads(done.stdout)["schema"]) == (0, "agenvantage.route/1")


def test_an_empty_task_is_refused(shop):
    assert run("route", "--task", " ", "--repo", shop.path).exit_code != 0


def test_a_budget_of_nothing_is_refused(shop):
    assert run("route", "--task", TASK, "--repo", shop.path, "--budget", 0).exit_code != 0


# For people


def test_people_see_where_a_command_is_from(shop):
    assert "uv run pytest tests/test_cart.py  [pyproject.toml:8]" in route_text(routed(shop.path, TASK), explain=False)


def test_reasons_are_shown_when_asked_for(shop):
    found = routed(shop.path, TASK)
    assert ["named after it" in route_text(found, explain=explain) for explain in (False, True)] == [False, True]


def test_a_name_with_control_characters_stays_on_its_line(repository):
    filled(repository, {"add\x1b[31m.py": "def add(): ...\n"})
    assert "\x1b" not in route_text(routed(repository.path, "add"), explain=True)


# A person's own skills


def test_skills_of_the_home_folder_are_asked_for(repository, tmp_path, monkeypatch):
    for path, text in skill("adder", "Use when a carry bit is lost in an addition.").items():
        (tmp_path / path).parent.mkdir(parents=True)
        (tmp_path / path).write_text(text)
    monkeypatch.setenv("HOME", str(tmp_path))
    asked = ("route", "--task", "The carry bit of add() is lost", "--repo", repository.path, "--json")
    named = [
        [each["path"] for each in json.loads(run(*asked, *more).stdout)["skills"]] for more in ((), ("--home-skills",))
    ]
    assert named == [[], ["~/.claude/skills/adder/SKILL.md"]]


def test_a_link_in_the_home_folder_is_not_followed(tmp_path):
    (tmp_path / "outside" / "x").mkdir(parents=True)
    (tmp_path / "outside" / "x" / "SKILL.md").write_text("---\nname: x\n---\n")
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude" / "skills").symlink_to(tmp_path / "outside")
    assert skills_of_home({"HOME": str(tmp_path)}) == ()


# Unusual repositories


def test_a_repository_without_code_is_routed(tmp_path):
    assert routed(made(tmp_path, "desk").path, "Use the pdf-forms skill").skills[0].skill.name == "pdf-forms"


def test_a_repository_with_one_file_is_routed(tmp_path):
    from conftest import make_repository

    one = filled(make_repository(tmp_path / "one"), {"a.py": "def add(): ...\n"})
    assert [file.path for file in routed(one.path, "add").files] == ["a.py"]


def test_a_link_in_a_circle_breaks_nothing(repository):
    (repository.path / "CLAUDE.md").symlink_to("CLAUDE.md")
    (repository.path / ".claude").symlink_to(".")
    repository.commit()
    assert routed(repository.path, "Fix add()").files


# The bench


def document(**lists):
    empty = {name: [] for name in ("files", "tests", "rules", "skills", "commands", "warnings")}
    return {**empty, "seconds": 0.0, **lists}


def named(*names):
    return [{"name": name} for name in names]


def case(**expected):
    return RouteCase(id="a", task="t", repository="r", **expected)


def test_file_recall_is_the_share_of_expected_files():
    score = score_route(case(expected_files=("a", "b")), document(files=[{"path": "a"}]))
    assert (score.file_recall, score.missed) == (0.5, ("b",))


def test_a_command_is_found_by_a_part_of_it():
    assert (
        score_route(
            case(expected_commands=("pytest a",)), document(commands=[{"command": "uv run pytest a"}])
        ).commands_found
        == 1
    )


def test_precision_counts_skills_that_were_not_expected():
    assert score_route(case(expected_skills=("a",)), document(skills=named("a", "b"))).skill_precision == 0.5


def test_where_no_skill_is_expected_none_is_right():
    assert [
        score_route(case(expected_skills=()), document(skills=named(*given))).skill_precision for given in ((), "b")
    ] == [1.0, 0.0]


def test_a_case_that_says_nothing_of_skills_is_not_judged_by_them():
    assert score_route(case(), document(skills=named("a"))).skill_precision is None


def test_skills_after_the_third_do_not_count():
    assert score_route(case(expected_skills=("d",)), document(skills=named(*"abcd"))).skill_recall == 0


def test_the_rank_of_the_first_expected_skill_counts():
    assert score_route(case(expected_skills=("b",)), document(skills=named("a", "b"))).skill_reciprocal_rank == 0.5


def test_a_skill_to_be_avoided_is_named():
    assert score_route(case(avoid_skills=("b",)), document(skills=named("a", "b"))).avoided_hit == ("b",)


def test_a_mean_is_over_the_cases_that_say_something():
    scores = [score_route(case(expected_files=("a",)), document()), score_route(case(), document())]
    assert route_summary(scores)["file_recall"] == {"mean": 0.0, "cases": 1}


def test_cases_are_read_from_json_lines(tmp_path):
    (tmp_path / "cases.jsonl").write_text('{"task": "t", "repo": "r", "expected_skills": ["a"]}\n\n')
    assert read_cases(tmp_path / "cases.jsonl")[0].expected_skills == ("a",)


def test_cases_are_read_from_either_name_of_their_table(tmp_path):
    (tmp_path / "cases.toml").write_text('[[case]]\ntask = "t"\nrepo = "r"\n[[cases]]\ntask = "u"\nrepo = "r"\n')
    assert [each.task for each in read_cases(tmp_path / "cases.toml")] == ["t", "u"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "not json",
        '{"task": "t"}',
        '{"task": "t", "repo": "r", "expected": []}',
        '{"task": "t", "repo": "r", "avoid_skills": "a"}',
    ],
)
def test_bad_cases_are_refused_with_a_reason(tmp_path, text):
    (tmp_path / "cases.jsonl").write_text(text)
    with pytest.raises(BadCases):
        read_cases(tmp_path / "cases.jsonl")


def test_a_case_whose_repository_is_missing_is_refused(tmp_path):
    (tmp_path / "cases.jsonl").write_text('{"task": "t", "repo": "r"}')
    assert run("bench", "route", "--cases", tmp_path / "cases.jsonl").exit_code != 0


def test_a_skill_that_was_to_be_avoided_ends_the_bench_with_one(tmp_path):
    made(tmp_path, "desk")
    (tmp_path / "cases.jsonl").write_text(
        '{"task": "Use the pdf-forms skill", "repo": "desk", "avoid_skills": ["pdf-forms"]}'
    )
    assert run("bench", "route", "--cases", tmp_path / "cases.jsonl").exit_code == 1


# The bundled cases


@pytest.fixture(scope="module")
def bundle(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bundle")
    return {name: made(folder, name).path for name in bundled()}


@pytest.mark.parametrize("bundled_case", read_cases(CASES), ids=lambda each: each.id)
def test_a_bundled_case_is_routed_as_expected(bundle, bundled_case):
    with RepositoryIndex.open(bundle[bundled_case.repository]) as index:
        score = score_route(bundled_case, route_document(route(index, bundled_case.task, line=row(explain=False))))
    assert (score.missed, score.avoided_hit, score.skill_precision in (None, 1.0)) == ((), (), True)
