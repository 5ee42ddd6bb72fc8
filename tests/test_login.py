"""A login lent to a run comes back renewed, or not at all. Every credential here is simulated."""

from __future__ import annotations

import json
import resource
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from agenvantage.adapters.base import Login
from agenvantage.runner.login import Loan, LoginNotReturned, LoginRefused, give_back, lend, recover, stored, sync
from hypothesis import given
from hypothesis import strategies as st

CODEX = Login(person=("~/.codex/auth.json",), name="auth.json", variable="CODEX_HOME")
CLAUDE = Login(person=("~/.claude/.credentials.json",), name=".credentials.json", variable="CLAUDE_CONFIG_DIR")


def codex(
    token: str, *, when: str | None = "2026-11-30T10:00:00.123456789Z", account: str = "simulated-account"
) -> dict:
    tokens = {"id_token": "i", "access_token": "a-" + token, "refresh_token": token, "account_id": account}
    return {"auth_mode": "chatgpt", "OPENAI_API_KEY": None, "tokens": tokens, "last_refresh": when}


def claude(token: str, *, expires: int = 1_000) -> dict:
    login = {
        "accessToken": "a-" + token,
        "refreshToken": token,
        "expiresAt": expires,
        "scopes": [],
        "subscriptionType": "max",
    }
    return {"claudeAiOauth": login}


def write(path: Path, content: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content))
    path.chmod(0o600)
    return path


def token(path: Path) -> str:
    content = json.loads(path.read_text())
    return (content.get("tokens") or {}).get("refresh_token") or content["claudeAiOauth"]["refreshToken"]


@pytest.fixture
def person(tmp_path: Path) -> Path:
    return write(tmp_path / "person" / ".codex" / "auth.json", codex("first"))


def borrow(tmp_path: Path, person: Path, *, login: Login = CODEX, run: str = "run") -> Loan:
    home = tmp_path / run / "home"
    home.mkdir(parents=True)
    return lend(login, person, home)


def test_a_lent_login_is_readable_by_its_owner_alone(tmp_path, person):
    assert borrow(tmp_path, person).copy.stat().st_mode & 0o777 == 0o600


def test_a_token_renewed_in_the_run_reaches_the_persons_file(tmp_path, person):
    loan = borrow(tmp_path, person)
    write(loan.copy, codex("second"))
    settled = give_back(loan)
    assert (settled.verdict, token(person)) == ("returned", "second")


def test_after_giving_back_no_copy_and_no_record_is_left(tmp_path, person):
    loan = borrow(tmp_path, person)
    give_back(loan)
    assert not loan.copy.exists()
    assert not loan.record.exists()


def test_an_unused_login_leaves_the_persons_file_untouched_to_the_byte_and_inode(tmp_path, person):
    before = (person.read_bytes(), person.stat().st_ino, person.stat().st_mtime_ns)
    give_back(borrow(tmp_path, person))
    assert (person.read_bytes(), person.stat().st_ino, person.stat().st_mtime_ns) == before


@pytest.mark.parametrize("when", ["2026-11-30T09:00:00Z", "2026-11-30T12:00:00Z", None])
def test_a_renewal_by_another_process_is_never_overwritten(tmp_path, person, when):
    loan = borrow(tmp_path, person)
    write(loan.copy, codex("of-the-run", when="2026-11-30T11:00:00Z"))
    write(person, codex("of-another", when=when))
    settled = give_back(loan)
    assert token(person) == "of-another"
    assert settled.line


def test_a_newer_renewal_elsewhere_is_called_superseded(tmp_path, person):
    loan = borrow(tmp_path, person)
    write(loan.copy, codex("of-the-run", when="2026-11-30T11:00:00Z"))
    write(person, codex("of-another", when="2026-11-30T12:00:00Z"))
    assert give_back(loan).verdict == "superseded"


def test_of_two_runs_the_one_that_did_not_renew_writes_nothing_back(tmp_path, person):
    renewing, idle = borrow(tmp_path, person, run="a"), borrow(tmp_path, person, run="b")
    write(renewing.copy, codex("second"))
    give_back(renewing)
    give_back(idle)
    assert token(person) == "second"


def test_a_run_that_did_not_renew_is_lent_the_new_login(tmp_path, person):
    renewing, idle = borrow(tmp_path, person, run="a"), borrow(tmp_path, person, run="b")
    write(renewing.copy, codex("second"))
    sync(renewing)
    assert (sync(idle).verdict, token(idle.copy)) == ("lent_again", "second")


def test_each_of_two_runs_may_renew_in_turn(tmp_path, person):
    one, other = borrow(tmp_path, person, run="a"), borrow(tmp_path, person, run="b")
    write(one.copy, codex("second", when="2026-11-30T11:00:00Z"))
    one = sync(one).loan
    other = sync(other).loan
    write(other.copy, codex("third", when="2026-11-30T12:00:00Z"))
    assert (sync(other).verdict, sync(one).verdict, token(one.copy), token(person)) == (
        "returned", "lent_again", "third", "third",
    )  # fmt: skip


def test_a_token_renewed_twice_comes_back_twice(tmp_path, person):
    loan = borrow(tmp_path, person)
    write(loan.copy, codex("second"))
    loan = sync(loan).loan
    write(loan.copy, codex("third"))
    assert (give_back(loan).verdict, token(person)) == ("returned", "third")


def test_what_a_killed_run_renewed_is_recovered_from_its_record(tmp_path, person):
    loan = borrow(tmp_path, person)
    write(loan.copy, codex("second"))
    sync(loan)
    write(loan.copy, codex("third"))
    settled = recover(loan.record)
    assert settled is not None
    assert (settled.verdict, token(person)) == ("returned", "third")


def test_a_kill_between_record_and_file_loses_nothing(tmp_path, person):
    loan = borrow(tmp_path, person)
    original = person.read_bytes()
    write(loan.copy, codex("second"))
    sync(loan)
    person.write_bytes(original)
    write(loan.record, json.loads(loan.record.read_text()) | {"seen": loan.seen})
    recover(loan.record)
    assert token(person) == "second"


def test_no_record_means_nothing_to_recover(tmp_path):
    assert recover(tmp_path / "home.login.json") is None


@pytest.mark.parametrize("content", ["", "[]", '{"ours": 1}', '{"form": "auth.json", "ours": [], "person": 1}'])
def test_a_damaged_record_recovers_nothing(tmp_path, content):
    (tmp_path / "home.login.json").write_text(content)
    assert recover(tmp_path / "home.login.json") is None


def test_the_record_holds_no_token(tmp_path, person):
    write(person, codex("simulated-secret"))
    assert b"simulated-secret" not in borrow(tmp_path, person).record.read_bytes()


def test_another_account_in_the_run_never_replaces_the_persons(tmp_path, person):
    loan = borrow(tmp_path, person)
    write(loan.copy, codex("other", account="another"))
    assert (give_back(loan).verdict, token(person)) == ("left", "first")


def test_a_person_who_logged_out_stays_logged_out(tmp_path, person):
    loan = borrow(tmp_path, person)
    write(loan.copy, codex("second"))
    person.unlink()
    assert give_back(loan).verdict == "left"
    assert not person.exists()


@pytest.mark.parametrize("damage", ["", "{", "null", "{}", '{"tokens": {"refresh_token": 1}}'])
def test_a_copy_that_is_no_login_any_more_changes_nothing(tmp_path, person, damage):
    loan = borrow(tmp_path, person)
    loan.copy.write_text(damage)
    assert (give_back(loan).verdict, token(person)) == ("left", "first")


@pytest.mark.parametrize(
    "content",
    ["", "[]", "{}", "not json", '{"tokens": {}}', '{"auth_mode": "something new", "tokens": {"access_token": "a"}}'],
)
def test_an_unknown_format_is_refused_with_a_line(tmp_path, person, content):
    person.write_text(content)
    with pytest.raises(LoginRefused, match="format is not known"):
        borrow(tmp_path, person)


def test_an_unknown_kind_of_file_is_refused(tmp_path, person):
    with pytest.raises(LoginRefused):
        borrow(tmp_path, person, login=replace(CODEX, name="token.toml"))


def test_a_refusal_shows_nothing_of_the_file(tmp_path, person):
    person.write_text('{"tokens": "simulated-secret"}')
    with pytest.raises(LoginRefused) as refused:
        borrow(tmp_path, person)
    assert "simulated-secret" not in str(refused.value)


def test_a_login_by_api_key_is_lent(tmp_path, person):
    write(person, {"auth_mode": "apikey", "OPENAI_API_KEY": "simulated"})
    assert json.loads(borrow(tmp_path, person).copy.read_text())["OPENAI_API_KEY"] == "simulated"


def test_mode_and_symlink_of_the_persons_file_survive(tmp_path, person):
    person.chmod(0o640)
    link = tmp_path / "elsewhere" / "auth.json"
    link.parent.mkdir()
    link.symlink_to(person)
    loan = borrow(tmp_path, link)
    write(loan.copy, codex("second"))
    give_back(loan)
    assert link.is_symlink()
    assert (token(person), person.stat().st_mode & 0o777) == ("second", 0o640)


def test_nothing_is_left_beside_the_persons_file(tmp_path, person):
    loan = borrow(tmp_path, person)
    write(loan.copy, codex("second"))
    give_back(loan)
    assert list(person.parent.iterdir()) == [person]


def test_logins_of_other_services_are_not_lent_and_survive_a_return(tmp_path):
    person = write(tmp_path / ".claude" / ".credentials.json", claude("first") | {"mcpOAuth": {"x": "simulated"}})
    loan = borrow(tmp_path, person, login=CLAUDE)
    assert "mcpOAuth" not in json.loads(loan.copy.read_text())
    write(loan.copy, claude("second", expires=2_000))
    assert give_back(loan).verdict == "returned"
    assert json.loads(person.read_text()) == claude("second", expires=2_000) | {"mcpOAuth": {"x": "simulated"}}


def test_a_change_of_other_parts_of_the_persons_file_is_no_conflict(tmp_path):
    person = write(tmp_path / ".claude" / ".credentials.json", claude("first"))
    loan = borrow(tmp_path, person, login=CLAUDE)
    write(loan.copy, claude("second", expires=2_000))
    write(person, claude("first") | {"mcpOAuth": {"x": "new"}})
    assert give_back(loan).verdict == "returned"
    assert json.loads(person.read_text())["mcpOAuth"] == {"x": "new"}


def test_a_copy_older_than_what_was_lent_is_not_brought_back(tmp_path):
    person = write(tmp_path / ".claude" / ".credentials.json", claude("first", expires=2_000))
    loan = borrow(tmp_path, person, login=CLAUDE)
    write(loan.copy, claude("stale", expires=1_000))
    give_back(loan)
    assert token(person) == "first"


def test_a_fault_in_writing_keeps_the_renewed_copy(tmp_path, person):
    loan = borrow(tmp_path, person)
    write(loan.copy, codex("second"))
    with largest_file_bytes(10), pytest.raises(LoginNotReturned, match="too large"):
        give_back(loan)
    assert (token(loan.copy), token(person)) == ("second", "first")


@contextmanager
def largest_file_bytes(count: int) -> Iterator[None]:
    """As on a full disk, writing fails in the middle."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (count, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_many_runs_at_once_end_with_one_of_their_tokens_and_a_whole_file(tmp_path, person):
    loans = [borrow(tmp_path, person, run=f"run{n}") for n in range(8)]
    for n, loan in enumerate(loans):
        write(loan.copy, codex(f"token{n}"))
    threads = [threading.Thread(target=give_back, args=(loan,)) for loan in loans]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert token(person).startswith("token")


def test_only_one_of_many_runs_that_renewed_at_once_brings_its_token_back(tmp_path, person):
    loans = [borrow(tmp_path, person, run=f"run{n}") for n in range(5)]
    for n, loan in enumerate(loans):
        write(loan.copy, codex(f"token{n}"))
    assert [give_back(loan).verdict for loan in loans] == ["returned", "left", "left", "left", "left"]
    assert token(person) == "token0"


def test_the_variable_that_moves_the_agents_home_moves_its_login(tmp_path, person):
    elsewhere = write(tmp_path / "moved" / "auth.json", codex("moved"))
    found = stored(CODEX, {"HOME": str(person.parents[1]), "CODEX_HOME": str(elsewhere.parent)})
    assert found == elsewhere


def test_the_login_is_looked_for_in_the_persons_home(person):
    assert stored(CODEX, {"HOME": str(person.parents[1])}) == person


def test_no_stored_login_is_none(tmp_path):
    assert stored(CODEX, {"HOME": str(tmp_path)}) is None


@given(steps=st.lists(st.sampled_from(["run renews", "person renews", "sync"]), max_size=8))
def test_a_renewal_by_the_person_that_the_run_has_not_seen_survives(tmp_path_factory, steps):
    folder = tmp_path_factory.mktemp("law")
    person = write(folder / "auth.json", codex("0", when=None))
    loan = borrow(folder, person)
    unseen = None
    for number, step in enumerate([*steps, "sync"]):
        if step == "run renews":
            write(loan.copy, codex(f"run{number}", when=None))
        elif step == "person renews":
            unseen = f"person{number}"
            write(person, codex(unseen, when=None))
        else:
            loan = sync(loan).loan
            assert unseen is None or token(person) == unseen
            unseen = None if token(loan.copy) == token(person) else unseen
