"""Which instructions count for which files, and how their front matter and globs are read."""

from __future__ import annotations

import time

import pytest
from agenvantage.context.front_matter import at_commas, read_front_matter
from agenvantage.context.globs import fits
from agenvantage.context.guidance import rules_for
from agenvantage.context.tokens import count
from hypothesis import given
from hypothesis import strategies as st
from route_kit import ground

SOURCE = "src/pay/charge.py"


def rules(files, *asked, links=None):
    return {rule.path: rule for rule in rules_for(ground(files, links), asked or (SOURCE,))}


# Scope by folder


def test_instructions_at_the_root_speak_of_every_file():
    assert rules({"AGENTS.md": "# Rules"})["AGENTS.md"].covers == (SOURCE,)


def test_instructions_of_a_folder_speak_of_the_files_below_it():
    assert rules({"src/pay/AGENTS.md": "x"}, SOURCE, "src/cart.py")["src/pay/AGENTS.md"].covers == (SOURCE,)


def test_instructions_of_another_folder_are_left_out():
    assert "src/web/AGENTS.md" not in rules({"src/web/AGENTS.md": "x"})


def test_instructions_of_a_deeper_folder_come_later():
    assert list(rules({"src/pay/AGENTS.md": "x", "AGENTS.md": "x", "src/AGENTS.md": "x"})) == [
        "AGENTS.md",
        "src/AGENTS.md",
        "src/pay/AGENTS.md",
    ]


def test_an_override_takes_the_place_of_the_file_beside_it():
    assert list(rules({"AGENTS.md": "x", "AGENTS.override.md": "x"})) == ["AGENTS.override.md"]


def test_a_folder_of_the_agent_is_not_the_scope_of_what_lies_in_it():
    assert rules({".claude/CLAUDE.md": "x"})[".claude/CLAUDE.md"].scope == ""


@pytest.mark.parametrize("path", ["CONTRIBUTING.md", ".github/CONTRIBUTING.md", "docs/CONTRIBUTING.rst"])
def test_how_to_contribute_speaks_of_the_whole_repository(path):
    assert rules({path: "x"})[path].scope == ""


@pytest.mark.parametrize(
    "path",
    ["CLAUDE.md", "GEMINI.md", ".cursorrules", ".windsurfrules", ".clinerules", ".github/copilot-instructions.md"],
)
def test_each_agents_file_is_known(path):
    assert path in rules({path: "x"})


def test_instructions_of_a_fixture_are_not_the_projects():
    assert not rules({"tests/fixtures/app/CLAUDE.md": "x"}, "tests/fixtures/app/a.py", "src/a.py")


# By glob


def mdc(**front):
    lines = "".join(f"{key}: {value}\n" for key, value in front.items())
    return {".cursor/rules/one.mdc": f"---\n{lines}---\n# One\n"}


def test_a_cursor_rule_counts_where_its_globs_fit():
    assert rules(mdc(globs="src/**/*.py"))[".cursor/rules/one.mdc"].applies == "glob"


def test_a_cursor_rule_is_left_out_where_its_globs_fit_nothing():
    assert not rules(mdc(globs="web/**/*.ts"))


def test_a_cursor_rule_that_always_applies_needs_no_glob():
    assert rules(mdc(globs="web/**", alwaysApply="true"))[".cursor/rules/one.mdc"].applies == "always"


def test_a_cursor_rule_with_a_description_alone_is_on_request():
    rule = rules(mdc(description="For releases"))[".cursor/rules/one.mdc"]
    assert (rule.applies, rule.why, rule.covers) == ("on request", "on request: For releases", ())


def test_what_is_on_request_comes_last():
    assert list(rules({**mdc(description="x"), "src/AGENTS.md": "x"}))[-1] == ".cursor/rules/one.mdc"


def test_the_globs_of_a_nested_cursor_rule_begin_at_its_folder():
    files = {"src/.cursor/rules/one.mdc": "---\nglobs: pay/*.py\n---\n"}
    assert "src/.cursor/rules/one.mdc" in rules(files)


def test_copilot_instructions_count_by_apply_to():
    files = {".github/instructions/py.instructions.md": '---\napplyTo: "**/*.py, **/*.pyi"\n---\n'}
    assert ".github/instructions/py.instructions.md" in rules(files)


def test_a_claude_rule_counts_by_its_paths():
    files = {
        ".claude/rules/web.md": "---\npaths:\n  - web/**\n---\n",
        ".claude/rules/py.md": "---\npaths: src/**\n---\n",
    }
    assert list(rules(files)) == [".claude/rules/py.md"]


def test_a_windsurf_rule_for_the_model_to_choose_is_on_request():
    files = {".windsurf/rules/a.md": "---\ntrigger: model_decision\n---\n"}
    assert rules(files)[".windsurf/rules/a.md"].applies == "on request"


# Imports and links


def test_an_import_of_claudes_file_is_named_after_it():
    found = rules({"CLAUDE.md": "See @docs/style.md.\n", "docs/style.md": "# Style"})
    assert found["docs/style.md"].imported_by == "CLAUDE.md"


def test_an_import_of_an_import_is_followed():
    found = rules({"CLAUDE.md": "@a.md\n", "a.md": "@b.md\n", "b.md": "x"})
    assert found["b.md"].imported_by == "a.md"


def test_imports_in_a_circle_end():
    assert set(rules({"CLAUDE.md": "@a.md\n", "a.md": "@CLAUDE.md @a.md\n"})) == {"CLAUDE.md", "a.md"}


@pytest.mark.parametrize("text", ["`@a.md`\n", "```\n@a.md\n```\n", "mail me@a.md\n"])
def test_what_only_looks_like_an_import_is_none(text):
    assert "a.md" not in rules({"CLAUDE.md": text, "a.md": "x"})


def test_an_import_above_the_tree_is_not_followed():
    assert rules({"CLAUDE.md": "@../../etc/passwd\n"})["CLAUDE.md"].imports == ()


def test_a_link_to_instructions_is_told_with_them():
    found = rules({"AGENTS.md": "x"}, links={"CLAUDE.md": "AGENTS.md"})
    assert found["AGENTS.md"].also_at == ("CLAUDE.md",)


def test_a_link_out_of_the_tree_is_not_followed(repository, tmp_path):
    from route_kit import routed

    (tmp_path / "secret.md").write_text("# Outside")
    (repository.path / "AGENTS.md").symlink_to(tmp_path / "secret.md")
    repository.commit()
    assert routed(repository.path, "Fix add()").rules == ()


# What is told of a file


def test_tokens_are_those_of_the_whole_file():
    text = "# Rules\n\nBe kind.\n"
    assert rules({"AGENTS.md": text})["AGENTS.md"].tokens == count(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# Rules\n", "Rules"),
        ("<!-- generated -->\n\n## Sub\n", "Sub"),
        ("Title\n=====\n\ntext\n", "Title"),
        (".. contents::\n\nTitle\n-----\n", "Title"),
        ("Be kind.\nAnd more.\n", "Be kind."),
        ("", None),
        ("---\nname: x\n---\n# Inner\n", "Inner"),
    ],
)
def test_the_first_heading_is_told(text, expected):
    assert rules({"AGENTS.md": text})["AGENTS.md"].heading == expected


# Front matter


@pytest.mark.parametrize(
    ("block", "expected"),
    [
        ("globs: *.ts,*.tsx", ("*.ts", "*.tsx")),
        ('globs: ["a/**", "b/**"]', ("a/**", "b/**")),
        ("globs:\n  - a/**\n  - 'b/**'", ("a/**", "b/**")),
        ("globs:\n- a/**", ("a/**",)),
        ('globs: "**/*.{ts,tsx}"', ("**/*.{ts,tsx}",)),
        ("globs:", ()),
    ],
)
def test_lists_are_read_as_people_write_them(block, expected):
    assert read_front_matter(f"---\n{block}\n---\n").list("globs") == expected


def test_a_folded_text_is_one_line():
    assert read_front_matter("---\nd: >-\n  one\n  two\n---\n").text("d") == "one two"


def test_a_text_that_goes_on_is_one_text():
    assert read_front_matter("---\nd: one\n  two\nname: x\n---\n").text("d") == "one two"


def test_front_matter_that_never_ends_is_none():
    assert read_front_matter("---\nname: x\n").values == {}


def test_an_anchor_is_only_text():
    found = read_front_matter("---\na: &x [1, 2]\nb: [*x, *x]\n---\n")
    assert found.list("b") == ("*x", "*x")


def test_what_is_nested_is_passed_over():
    assert read_front_matter("---\nmetadata:\n  name: inner\nname: outer\n---\n").text("name") == "outer"


def test_huge_front_matter_is_read_in_part_and_at_once():
    began = time.monotonic()
    found = read_front_matter("---\n" + "a: " + "x" * 5_000_000 + "\nname: b\n---\n")
    assert (len(found.text("a")) <= 4_000, found.text("name"), time.monotonic() - began < 2) == (True, "b", True)


@given(st.text(alphabet="---\n:[]{}\"', &*|>ab", max_size=200))
def test_no_front_matter_breaks_the_reader(text):
    read_front_matter("---\n" + text)


@given(st.text(alphabet="{},'\"ab ", max_size=60))
def test_parts_between_commas_are_never_empty(text):
    assert all(at_commas(text)) or not at_commas(text)


# Globs


@pytest.mark.parametrize(
    ("glob", "path", "expected"),
    [
        ("*.py", "src/a.py", True),
        ("**/*.py", "a.py", True),
        ("src/**/*.py", "src/a.py", True),
        ("src/**/*.py", "src/x/y/a.py", True),
        ("src/*.py", "src/x/a.py", False),
        ("src/**", "src/x/a.py", True),
        ("src/", "src/x/a.py", True),
        ("**/*.{ts,tsx}", "web/a.tsx", True),
        ("**/*.{ts,tsx}", "web/a.js", False),
        ("./src/*.py", "src/a.py", True),
        ("*", "src/a.py", True),
        ("[ab].py", "b.py", True),
        ("", "a.py", False),
        ("web/**", "src/web/a.py", False),
    ],
)
def test_globs_fit_as_their_agents_read_them(glob, path, expected):
    assert fits(path, glob) is expected


@pytest.mark.parametrize("glob", ["**/" * 40 + "x", "*a" * 100 + "b", "{a,b}" * 40, "{" * 200])
def test_a_hostile_glob_is_answered_at_once(glob):
    began = time.monotonic()
    fits("/".join(["a" * 50] * 40), glob)
    assert time.monotonic() - began < 2
