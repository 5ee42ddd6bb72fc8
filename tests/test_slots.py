"""Slots: only what can apply is spoken of; absent is told from not found; what lies around fills gaps."""

from __future__ import annotations

import pytest
from agenvantage.context.index import RepositoryIndex
from agenvantage.context.plan import WORKFLOWS, ContextPlanner
from agenvantage.context.slots import SLOTS
from context_kit import SHOP, fill

BUG = "Cart.total crashes with ExpiredVoucher when the voucher has expired"
PATCH = """diff --git a/shop/prices.py b/shop/prices.py
--- a/shop/prices.py
+++ b/shop/prices.py
@@ -5,3 +5,3 @@

-def net_price(item):
+def net_price(item, voucher=None):
     return item.price
"""
BARE = {"a/engine.py": "def start_engine():\n    return 1\n"}


def planned(repository, task, files=None, **options):
    fill(repository, files)
    for name in ("calc.py", "test_calc.py"):
        (repository.path / name).unlink(missing_ok=True)
    with RepositoryIndex.open(repository.path) as index:
        return ContextPlanner(index).plan(task, **options)


def slots_of(plan):
    return {slot.name: slot for slot in plan.slots}


@pytest.mark.parametrize("workflow", WORKFLOWS)
def test_each_workflow_asks_for_few_slots_at_any_price(workflow):
    required = [rule for rule in SLOTS[workflow] if rule.required]
    assert 1 <= len(required) <= 2


@pytest.mark.parametrize("workflow", WORKFLOWS)
def test_every_slot_has_evidence_or_a_reason(repository, workflow):
    plan = planned(repository, BUG, workflow=workflow)
    for slot in plan.slots:
        assert bool(slot.evidence) == slot.covered or slot.name == "unresolved concepts"
        assert slot.covered != bool(slot.missing_reason)


@pytest.mark.parametrize("workflow", WORKFLOWS)
def test_evidence_of_a_slot_is_in_the_packet(repository, workflow):
    plan = planned(repository, BUG, workflow=workflow)
    packed = {each.node.id for each in plan.chosen}
    for slot in plan.slots:
        if slot.covered and slot.name not in ("rules", "recent changes", "unresolved concepts"):
            assert set(slot.evidence) <= packed


def test_absent_tests_are_told_from_tests_that_were_not_found(repository):
    plan = planned(repository, "Let start_engine wait", BARE, workflow="feature")
    assert slots_of(plan)["tests"].absent
    assert slots_of(plan)["tests"].missing_reason == "the repository has no tests"


def test_tests_that_have_no_word_of_the_task_are_not_called_absent(repository):
    files = {**BARE, "tests/test_wheels.py": "def test_round():\n    assert round(1.0)\n"}
    slot = slots_of(planned(repository, "Let start_engine wait", files, workflow="feature"))["tests"]
    assert not slot.covered
    assert not slot.absent


def test_rules_are_a_slot_only_where_there_are_any(repository):
    assert "rules" not in slots_of(planned(repository, "Let start_engine wait", BARE))


def test_rules_are_evidence_by_their_paths(repository):
    assert slots_of(planned(repository, BUG, workflow="bug"))["rules"].evidence == ("AGENTS.md",)


def test_configuration_is_a_slot_only_where_the_words_lead_to_some(repository):
    assert "configuration" not in slots_of(planned(repository, BUG, workflow="bug"))


def test_a_review_without_a_diff_asks_for_definitions(repository):
    slots = slots_of(planned(repository, "Review the voucher code", workflow="review"))
    assert "diff" not in slots
    assert slots["definitions"].required


def test_a_review_of_a_diff_asks_for_what_it_changes(repository):
    slots = slots_of(planned(repository, "Review this change", workflow="review", diff=PATCH))
    assert slots["diff"].required
    assert not slots["definitions"].required


def test_the_last_commit_to_what_leads_is_a_recent_change(repository):
    evidence = slots_of(planned(repository, BUG, workflow="bug"))["recent changes"].evidence
    assert evidence
    assert all(each.startswith("commit:") for each in evidence)


def test_an_edit_that_is_not_committed_is_a_recent_change(repository):
    fill(repository)
    repository.write("shop/cart.py", SHOP["shop/cart.py"] + "\n# later\n")
    with RepositoryIndex.open(repository.path) as index:
        plan = ContextPlanner(index).plan(BUG, workflow="bug")
    assert "shop/cart.py" in slots_of(plan)["recent changes"].evidence
    assert [each.path for each in plan.files if "changed, not committed" in each.reasons] == ["shop/cart.py"]


def test_a_caller_that_shares_no_word_with_the_task_fills_its_slot(repository):
    files = {
        "core/gears.py": "def shift_gears(level):\n    return level + 1\n",
        "app/lever.py": "from core.gears import shift_gears\n\n\ndef pull():\n    return shift_gears(2)\n",
    }
    files |= {f"other/part{number}.py": f"def part{number}():\n    return {number}\n" for number in range(30)}
    plan = planned(repository, "shift_gears goes wrong at the highest level", files, workflow="bug")
    assert any("app/lever.py" in each for each in slots_of(plan)["callers"].evidence)


def test_words_without_a_place_are_a_slot_that_is_not_covered(repository):
    slot = slots_of(planned(repository, "Add holographic vouchers", workflow="feature"))["unresolved concepts"]
    assert not slot.covered


def test_a_definition_that_holds_state_is_evidence_without_being_looked_for(repository):
    slot = slots_of(planned(repository, "Add an ExpiredVoucher reason", workflow="feature"))["data and state"]
    assert any("class" in each or "Voucher" in each for each in slot.evidence)


UI = {
    "ui/dashboard.tsx": "export function Dashboard() {\n  return <div className='board'>hi</div>;\n}\n",
    "ui/dashboard.css": ".board { color: red }\n",
    "db/schema.sql": "CREATE TABLE streaks (id INT);\n",
}


def test_style_is_a_slot_where_the_task_is_about_what_is_seen(repository):
    plan = planned(repository, "Show the streak on the dashboard page as a coloured badge", UI, workflow="feature")
    assert any("dashboard.css" in each for each in slots_of(plan)["style"].evidence)


def test_style_is_no_slot_where_nothing_is_to_be_seen(repository):
    assert "style" not in slots_of(planned(repository, "Let Dashboard return early", BARE, workflow="feature"))


def test_schema_is_a_slot_where_the_task_is_about_stored_data(repository):
    plan = planned(repository, "Add a column to the streaks table of the database", UI, workflow="feature")
    assert any("schema.sql" in each for each in slots_of(plan)["schema and migrations"].evidence)
