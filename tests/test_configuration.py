"""Where a setting's value comes from, and which values are refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from agenvantage.runner.configuration import BadSetting, load
from agenvantage.runner.settings import Settings

HOME = {"HOME": "/home/person"}
PERSON_ONLY = (
    "provider_url", "agent_bin", "agent_command", "agent_home_env", "sandbox", "trust_project", "env", "recording",
    "capture_content",
)  # fmt: skip


def test_a_flag_wins_over_a_variable_and_a_file(tmp_path: Path) -> None:
    (tmp_path / "agenvantage.toml").write_text("budget = 1\n")
    loaded = load({"budget": 3}, repository=tmp_path, environment=HOME | {"AGENVANTAGE_BUDGET": "2"})
    assert (loaded.settings.budget, loaded.origins["budget"]) == (3, "flag")


def test_a_variable_wins_over_a_file(tmp_path: Path) -> None:
    (tmp_path / "agenvantage.toml").write_text("budget = 1\n")
    loaded = load({"budget": None}, repository=tmp_path, environment=HOME | {"AGENVANTAGE_BUDGET": "2"})
    assert (loaded.settings.budget, loaded.origins["budget"]) == (2, "AGENVANTAGE_BUDGET")


def test_a_file_wins_over_the_default(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.agenvantage]\nverify = ["make test"]\n')
    loaded = load({"verify": []}, repository=tmp_path, environment=HOME)
    assert (loaded.settings.verify, loaded.origins["verify"]) == (("make test",), "agenvantage.toml")


def test_a_repository_may_move_our_places(tmp_path: Path) -> None:
    (tmp_path / "agenvantage.toml").write_text('state_dir = "/var/tmp/states"\n')
    assert load({}, repository=tmp_path, environment=HOME).settings.state_dir == Path("/var/tmp/states")


def test_without_a_value_the_default_holds_and_says_so() -> None:
    loaded = load({}, repository=None, environment=HOME)
    assert (loaded.settings.budget, loaded.origins["budget"]) == (6000, "default")


def test_a_list_in_a_variable_stands_one_a_line() -> None:
    loaded = load({}, repository=None, environment=HOME | {"AGENVANTAGE_VERIFY": "make lint\nmake test"})
    assert loaded.settings.verify == ("make lint", "make test")


def test_from_is_named_without_its_underscore() -> None:
    assert load({}, repository=None, environment=HOME | {"AGENVANTAGE_FROM": "dirty"}).settings.from_ == "dirty"


@pytest.mark.parametrize("name", PERSON_ONLY)
def test_a_repository_may_not_loosen_a_fence(tmp_path: Path, name: str) -> None:
    (tmp_path / "agenvantage.toml").write_text(f'{name} = "x"\n')
    with pytest.raises(BadSetting, match="a repository may not decide it"):
        load({}, repository=tmp_path, environment=HOME)


def test_an_unknown_name_in_a_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "agenvantage.toml").write_text("bugdet = 3\n")
    with pytest.raises(BadSetting, match="bugdet"):
        load({}, repository=tmp_path, environment=HOME)


def test_a_broken_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "agenvantage.toml").write_text("budget = = 3\n")
    with pytest.raises(BadSetting, match="can't be read as TOML"):
        load({}, repository=tmp_path, environment=HOME)


@pytest.mark.parametrize(
    ("flags", "says"),
    [
        ({"budget": 0}, "--budget = 0"),
        ({"budget": "many"}, "--budget"),
        ({"workflow": "cooking"}, "--workflow"),
        ({"sandbox": "none"}, "--sandbox"),
        ({"time_limit": -1.0}, "--time-limit"),
        ({"max_tokens": 0}, "--max-tokens"),
        ({"data_dir": ""}, "--data-dir"),
    ],
)
def test_a_value_that_its_setting_cannot_take_is_refused_by_flag(flags: dict[str, object], says: str) -> None:
    with pytest.raises(BadSetting, match=says):
        load(flags, repository=None, environment=HOME)


def test_places_follow_the_platform_variables() -> None:
    loaded = load({}, repository=None, environment=HOME | {"XDG_CACHE_HOME": "/var/cache/me"}).settings
    assert (loaded.cache_dir, loaded.data_dir.is_relative_to("/home/person")) == (
        Path("/var/cache/me/agenvantage"),
        True,
    )


def test_every_setting_has_a_meaning_for_the_help() -> None:
    assert [name for name, one in Settings.__dataclass_fields__.items() if not one.metadata.get("help")] == []


@pytest.mark.parametrize("text", ["tool = 3\n", "[tool]\nagenvantage = 3\n"])
def test_a_project_file_of_another_shape_ends_in_no_traceback(tmp_path: Path, text: str) -> None:
    (tmp_path / "pyproject.toml").write_text(text)
    try:
        assert load({}, repository=tmp_path, environment=HOME).settings.budget == 6000
    except BadSetting as refused:
        assert "table" in str(refused)


@pytest.mark.parametrize("device", ["/dev/zero", "/tmp"])
def test_a_file_that_is_none_is_refused_and_not_waited_for(tmp_path: Path, device: str) -> None:
    (tmp_path / "agenvantage.toml").symlink_to(device)
    with pytest.raises(BadSetting, match="no file"):
        load({}, repository=tmp_path, environment=HOME)


def test_an_empty_line_of_a_variable_is_no_entry() -> None:
    assert load({}, repository=None, environment=HOME | {"AGENVANTAGE_VERIFY": "make\n"}).settings.verify == ("make",)
