"""Which installed skills and slash commands a task calls for."""

from __future__ import annotations

import pytest
from agenvantage.context.skill_matching import match_skills
from agenvantage.context.skills import installed_skills
from route_kit import ground, matched, skill

MIGRATION = skill("db-migration", "Writes migrations. Use when a table or column is added, or on a schema change.")
REVIEW = skill(
    "security-review", "Reviews code for SQL injection and XSS. Use when the user asks for a security review."
)
NOTES = skill("release-notes", 'Drafts a changelog. Use when the user says "cut a release".')
ALL = {**MIGRATION, **REVIEW, **NOTES}


# What is installed


@pytest.mark.parametrize("home", [".claude/skills", ".codex/skills", ".agents/skills", ".github/skills"])
def test_a_skill_is_found_in_each_agents_folder(home):
    assert [each.name for each in installed_skills(ground({f"{home}/x/SKILL.md": "---\nname: x\n---\n"}))] == ["x"]


def test_a_skill_without_a_name_is_called_as_its_folder():
    assert installed_skills(ground({".claude/skills/pdf/SKILL.md": "text"}))[0].name == "pdf"


def test_a_skill_of_a_plugin_has_the_plugins_name_before_it():
    files = {
        "tools/deploy/.claude-plugin/plugin.json": "{}",
        "tools/deploy/skills/roll/SKILL.md": "---\nname: roll\n---\n",
    }
    assert installed_skills(ground(files))[0].name == "deploy:roll"


def test_a_folder_called_skills_alone_is_no_plugin():
    assert installed_skills(ground({"docs/skills/roll/SKILL.md": "---\nname: roll\n---\n"})) == ()


@pytest.mark.parametrize(
    ("path", "name"),
    [
        (".claude/commands/ship.md", "/ship"),
        (".claude/commands/web/ship.md", "/web:ship"),
        (".codex/prompts/ship.md", "/ship"),
        (".cursor/commands/ship.md", "/ship"),
        (".github/prompts/ship.prompt.md", "/ship"),
        (".gemini/commands/ship.toml", "/ship"),
    ],
)
def test_a_slash_command_is_called_as_its_file(path, name):
    assert [(each.kind, each.name) for each in installed_skills(ground({path: "Ship it."}))] == [("command", name)]


def test_a_command_without_a_description_is_described_by_its_first_line():
    assert installed_skills(ground({".claude/commands/ship.md": "# Ship the site\n"}))[0].description == "Ship the site"


def test_a_link_to_a_skill_is_told_with_it():
    files = {".agents/skills/x/SKILL.md": "---\nname: x\n---\n"}
    found = installed_skills(ground(files, {".claude/skills/x": ".agents/skills/x"}))
    assert found[0].also_at == (".claude/skills/x",)


def test_a_skill_that_git_ignores_is_installed_all_the_same(repository):
    from route_kit import filled, routed

    filled(repository, {".gitignore": ".claude/\n"})
    filled(repository, MIGRATION)
    found = routed(repository.path, "Add a column to the table of users, a schema change")
    assert [match.skill.name for match in found.skills] == ["db-migration"]


# What a task calls for


def test_a_task_calls_for_the_skill_whose_trigger_it_says():
    assert list(matched(ALL, "Add a column for the phone number to the users table")) == ["db-migration"]


def test_the_phrases_that_matched_are_the_reasons():
    assert '"sql injection"' in matched(ALL, "Check the form for SQL injection and XSS")["security-review"].reasons


def test_a_quoted_phrase_of_a_description_counts():
    assert list(matched(ALL, "Please cut a release")) == ["release-notes"]


@pytest.mark.parametrize("task", ["Use the db-migration skill", "/db-migration for the users", "$db-migration now"])
def test_a_skill_that_the_task_names_is_sure(task):
    assert matched(ALL, task)["db-migration"].score == 1.0


def test_a_path_is_no_name_of_a_skill():
    assert not matched(skill("deploy", "Ships the site."), "Why is src/deploy/run.py slow?")


@pytest.mark.parametrize(
    "task", ["Add a new feature to the project", "Fix the code", "Improve any function", "Help me update this file"]
)
def test_common_words_call_for_nothing(task):
    every = {
        **ALL,
        **skill("helper", "Helps with any code. Use when the user wants to add or fix a feature or a file."),
    }
    assert not matched(every, task)


def test_what_a_description_rules_out_is_not_recommended():
    files = skill("ui-review", "Reviews the layout of pages. Use when a page is reviewed. Not for security.")
    assert not matched(files, "A security review of the page")


TIED = {**skill("alpha", "Prints. Use for invoices, receipts."), **skill("beta", "Mails. Use for receipts, invoices.")}


def test_near_ties_without_evidence_are_refused():
    found, refused = match_skills(installed_skills(ground(TIED)), "Show the invoices and receipts")
    assert (found, {each.skill.name for each in refused}) == ((), {"alpha", "beta"})


def test_a_refusal_names_the_skill_it_ties_with():
    _, refused = match_skills(installed_skills(ground(TIED)), "Show the invoices and receipts")
    assert {each.skill.name: each.why for each in refused}["alpha"] == "as likely as beta, and neither is sure"


def test_a_tie_of_sure_skills_is_shown():
    files = {
        **skill("alpha", "Use when the invoice export to the tax office fails."),
        **skill("beta", "Use when the invoice export to the tax office is slow."),
    }
    assert set(matched(files, "The invoice export to the tax office fails and is slow")) == {"alpha", "beta"}


def test_the_same_skill_for_two_agents_is_named_once():
    text = next(iter(MIGRATION.values()))
    files = {".claude/skills/db-migration/SKILL.md": text, ".codex/skills/db-migration/SKILL.md": text}
    assert len(matched(files, "Add a column to the table, a schema change")) == 1


def test_a_skill_of_a_folder_is_offered_for_files_below_it_alone():
    files = {f"web/{path}": text for path, text in MIGRATION.items()}
    task = "Add a column to the table, a schema change"
    assert (list(matched(files, task, ("api/a.py",))), list(matched(files, task, ("web/a.py",)))) == (
        [],
        ["db-migration"],
    )


def test_a_file_that_a_skill_is_for_counts():
    files = skill("stubs", "Writes type stubs.", "globs: '*.pyi'\n")
    with_file, without = matched(files, "type stubs", ("a.pyi",)), matched(files, "type stubs", ("a.py",))
    assert with_file["stubs"].score > (without["stubs"].score if without else 0)


def test_a_skill_only_a_person_may_call_is_marked():
    files = skill("ship", "Use when the site is shipped to production.", "disable-model-invocation: true\n")
    assert matched(files, "Ship the site to production")["ship"].skill.by_person_only


def test_a_list_of_triggers_counts():
    files = skill("k8s", "Operates clusters.", "triggers: [helm chart, ingress]\n")
    assert '"helm chart"' in matched(files, "Upgrade the helm chart")["k8s"].reasons


def test_a_thousand_skills_with_long_descriptions_are_looked_at_in_part():
    files = {
        f".claude/skills/s{n}/SKILL.md": f"---\nname: s{n}\ndescription: {'word ' * 5000}\n---\n" for n in range(600)
    }
    found = installed_skills(ground(files))
    assert (len(found), max(len(each.description) for each in found)) == (500, 1500)
