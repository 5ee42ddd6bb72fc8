"""Several repositories as one task: places by name, one budget, no verdict before all concerned have spoken."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from agenvantage.context.compile import ContextCompiler
from agenvantage.context.document import plan_document
from agenvantage.context.several import RepositorySet
from agenvantage.context.together import plan_together
from agenvantage.context.tokens import count
from context_kit import SHOP

CAR = {
    "engine/gears.py": "def shift_gears(level):\n    return level + 1\n",
    "engine/wheels.py": "def turn_wheels():\n    return True\n",
}
BOTH = "ExpiredVoucher is raised by Voucher.discount too late, and shift_gears accepts level 9"


def place(folder: Path, name: str, files: dict[str, str]) -> Path:
    for path, text in files.items():
        (folder / name / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / name / path).write_text(text, encoding="utf-8")
    subprocess.run(("git", "init", "-q", str(folder / name)), check=True)
    return folder / name


@pytest.fixture
def several(tmp_path):
    places = {"shop": place(tmp_path, "shop", SHOP), "car": place(tmp_path, "car", CAR)}
    with RepositorySet.open(places, cache_dir=tmp_path / "cache") as opened:
        yield opened


def test_places_say_their_repository(several):
    plan = plan_together(several, BOTH)
    assert {"shop:shop/vouchers.py", "car:engine/gears.py"} <= {file.path for file in plan.files}
    assert {each.node.path.partition(":")[0] for each in plan.chosen} == {"shop", "car"}


def test_the_packet_of_several_keeps_to_one_budget(several):
    plan = plan_together(several, BOTH, budget=2_000)
    packet = ContextCompiler().compile(plan)
    assert 0 < count(packet.prefix + packet.evidence) <= 2_000
    assert sum(each.tokens for each in plan.regions) <= 2_000


def test_a_repository_that_the_task_names_is_concerned_whatever_it_holds(several):
    plan = plan_together(several, "The car should know ExpiredVoucher of the shop")
    assert all(each.concerned for each in plan.repositories)


def test_the_set_is_no_surer_than_the_least_sure_that_is_concerned(several):
    plan = plan_together(several, "The car should show holographic dashboards; ExpiredVoucher stays in the shop")
    assert plan.readiness != "grounded"
    assert plan.confidence == min(each.confidence for each in plan.repositories if each.concerned)


def test_a_repository_that_the_task_does_not_concern_takes_nothing(several):
    plan = plan_together(several, "Voucher.discount raises ExpiredVoucher although the voucher has not expired")
    assert [each.name for each in plan.repositories if each.concerned] == ["shop"]
    assert not any(file.path.startswith("car:") for file in plan.files)


def test_the_document_lists_the_repositories_and_no_place_of_this_machine(several, tmp_path):
    document = plan_document(plan_together(several, BOTH))
    assert [each["name"] for each in document["repositories"]] == ["shop", "car"]
    assert str(tmp_path) not in json.dumps(document)


def test_repositories_are_named_on_the_command_line_one_by_one(several, tmp_path):
    asked = ("plan", "--task", BOTH, "--repo", str(tmp_path / "shop"), "--repo", str(tmp_path / "car"), "--json")
    done = subprocess.run((sys.executable, "-m", "agenvantage", *asked), capture_output=True, check=True)
    assert [each["name"] for each in json.loads(done.stdout)["repositories"]] == ["shop", "car"]
