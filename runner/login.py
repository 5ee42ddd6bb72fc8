"""Lends the person's stored login to an agent's fresh home, and brings a token renewed there back to its own file.

Refresh tokens rotate: whoever renews makes every other copy worthless. So a copy that the agent renewed must reach the
person's file, whole or not at all, and must never replace what somebody else renewed meanwhile. Nothing here prints,
stores or raises anything secret: records hold digests only.
"""

from __future__ import annotations

import fcntl
import json
import os
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, Literal

from ..adapters.base import Login
from ..context.errors import CannotProceed

Json = dict[str, Any]
Verdict = Literal["unchanged", "returned", "lent_again", "superseded", "left"]
_MODE: Final = 0o600
_LOCK_SECONDS: Final = 10.0


class LoginRefused(CannotProceed):
    """The stored login can't be lent without a danger to the person's own."""

    error_type = "login_refused"

    def __init__(self, file: str, why: str, variable: str) -> None:
        super().__init__(
            f"The stored login {file} was not lent to the run: {why}.",
            f"Give the run a key instead (see `agenvantage doctor`), or point {variable} at another login.",
        )


class LoginBusy(CannotProceed):
    """Another run holds the person's login file for too long."""

    error_type = "login_busy"

    def __init__(self, file: str) -> None:
        super().__init__(f"The stored login {file} is held by another run.", "Try again when that one has ended.")


class LoginNotReturned(CannotProceed):
    """A renewed token could not be written into the person's file; it still lies in the run's copy."""

    error_type = "login_not_returned"

    def __init__(self, file: str, why: OSError) -> None:
        super().__init__(
            f"A token renewed in the run could not be brought back to {file}: {why.strerror}.",
            "Make the file's folder writable, then `agenvantage gc` tries again.",
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Loan:
    """A login lent to one run. `ours` are digests of what we lent and brought back: what may be replaced."""

    person: Path
    copy: Path
    form: str
    ours: tuple[str, ...]
    seen: str
    """Digest of the copy when it last agreed with the person's file."""
    record: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """What became of a lent login. `line` is for the person; empty when there is nothing to say."""

    loan: Loan
    verdict: Verdict
    line: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """How a kind of login file is read: the parts that belong together, whose login it is, and how new it is."""

    parts: tuple[str, ...]
    """Top-level keys that are lent and renewed as one; all else in the file is for others and never leaves it."""
    known: Callable[[Json], bool]
    account: Callable[[Json], str | None]
    age: Callable[[Json], float | None]
    """Grows with each renewal; None when the file does not say."""


def _codex_known(file: Json) -> bool:
    tokens = file.get("tokens")
    if file.get("auth_mode") not in (None, "apikey", "chatgpt"):
        return False
    if tokens is None:
        return isinstance(file.get("OPENAI_API_KEY"), str)
    needed = ("access_token", "refresh_token")
    return isinstance(tokens, dict) and all(isinstance(tokens.get(name), str) for name in needed)


def _codex_account(file: Json) -> str | None:
    tokens = file.get("tokens")
    account = tokens.get("account_id") if isinstance(tokens, dict) else None
    return account if isinstance(account, str) else None


def _codex_age(file: Json) -> float | None:
    try:
        return datetime.fromisoformat(file["last_refresh"]).timestamp()
    except (KeyError, TypeError, ValueError):
        return None


def _claude_part(file: Json) -> Json:
    part = file.get("claudeAiOauth")
    return part if isinstance(part, dict) else {}


def _claude_known(file: Json) -> bool:
    return all(isinstance(_claude_part(file).get(name), str) for name in ("accessToken", "refreshToken"))


def _claude_age(file: Json) -> float | None:
    expires = _claude_part(file).get("expiresAt")
    return float(expires) if isinstance(expires, int | float) and not isinstance(expires, bool) else None


FORMS: Final[Mapping[str, Form]] = {
    "auth.json": Form(
        parts=("auth_mode", "OPENAI_API_KEY", "tokens", "last_refresh"),
        known=_codex_known,
        account=_codex_account,
        age=_codex_age,
    ),
    ".credentials.json": Form(parts=("claudeAiOauth",), known=_claude_known, account=lambda _: None, age=_claude_age),
}


def stored(login: Login, environment: Mapping[str, str]) -> Path | None:
    """The person's own file of this login; None when there is none. A login in the macOS keychain is not supported."""
    moved = environment.get(login.variable)
    places = [Path(moved) / login.name] if moved else [_at_home(place, environment) for place in login.person]
    return next((place for place in places if place.is_file()), None)


def _at_home(place: str, environment: Mapping[str, str]) -> Path:
    home = environment.get("HOME") or str(Path.home())
    return Path(home, place.removeprefix("~/")) if place.startswith("~/") else Path(place)


def lend(login: Login, person_file: Path, agent_home: Path) -> Loan:
    """Copy the person's login into the agent's home, readable by the person alone, and note it beside that home.

    Raises LoginRefused for a file we don't know how to bring back.
    """
    form = FORMS.get(login.name)
    if form is None:
        raise LoginRefused(login.name, "its format is not known", login.variable)
    person = person_file.resolve()
    try:
        data = person.read_bytes()
    except OSError as fault:
        raise LoginRefused(login.name, f"it can't be read ({fault.strerror})", login.variable) from fault
    file = _parse(data)
    if file is None or not form.known(file):
        raise LoginRefused(login.name, "its format is not known", login.variable)
    copy = agent_home / login.name
    _replace(copy, json.dumps(_lent_parts(form, file)).encode(), mode=_MODE)
    digest = _digest(form, file)
    loan = Loan(
        person=person, copy=copy, form=login.name, ours=(digest,), seen=digest,
        record=agent_home.with_name(f"{agent_home.name}.login.json"),
    )  # fmt: skip
    _write_record(loan)
    return loan


def sync(loan: Loan) -> Settled:
    """Bring a token that was renewed on either side to the other one. Cheap when nothing changed; call it now and then.

    The person's file changes only if its login is still one that we lent or brought.
    Raises LoginBusy, LoginNotReturned.
    """
    form = FORMS[loan.form]
    if _digest_of(form, _read(loan.copy)) == loan.seen == _digest_of(form, _read(loan.person)):
        return Settled(loan=loan, verdict="unchanged")
    with _held(loan.person) as found:
        try:
            return _settle(loan, form, found)
        except OSError as fault:
            raise LoginNotReturned(loan.form, fault) from fault


def give_back(loan: Loan) -> Settled:
    """The last `sync` of a loan; afterwards the copy and its record are gone. When it raises, both are still there."""
    settled = sync(loan)
    loan.copy.unlink(missing_ok=True)
    loan.record.unlink(missing_ok=True)
    return settled


def recover(record: Path) -> Settled | None:
    """Bring back what a killed run had borrowed, by the record it left. None when there is none that can be read."""
    facts = _read(record) or {}
    places = [facts.get(name) for name in ("person", "copy", "seen")]
    ours = facts.get("ours")
    if (
        facts.get("form") not in FORMS
        or not isinstance(ours, list)
        or not all(isinstance(text, str) for text in places)
    ):
        return None
    person, copy, seen = map(str, places)
    loan = Loan(
        person=Path(person), copy=Path(copy), form=facts["form"], ours=tuple(map(str, ours)), seen=seen, record=record
    )
    return give_back(loan)


def _settle(loan: Loan, form: Form, found: bytes) -> Settled:
    """Decide under the lock. What the person's file holds now is the question, not what it held before."""
    copy, person = _read(loan.copy), _parse(found)
    mine, theirs = _digest_of(form, copy), _digest_of(form, person)
    if mine == theirs and mine is not None:
        return Settled(loan=replace(loan, seen=mine), verdict="unchanged")
    if copy is None or mine is None:
        return _left(loan, "the run's copy holds no login any more; the person's file was left as it is")
    if person is None or theirs is None:
        return _left(loan, "no login is stored any more; left so")
    if mine == loan.seen:
        return _lend_again(loan, form, copy, person)
    if theirs in loan.ours and form.account(copy) == form.account(person) and not _older(form, copy, person):
        return _return(loan, form, copy, found)
    if _older(form, copy, person):
        return Settled(
            loan=loan, verdict="superseded", line=f"{loan.form}: renewed elsewhere since; the newer one stays."
        )
    return _left(loan, "renewed in the run and changed elsewhere too; the person's file was left as it is")


def _left(loan: Loan, why: str) -> Settled:
    return Settled(loan=loan, verdict="left", line=f"{loan.form}: {why}.")


def _return(loan: Loan, form: Form, copy: Json, found: bytes) -> Settled:
    """First the record, then the file: a kill in between leaves both of our digests known."""
    mine = _digest(form, copy)
    known = replace(loan, ours=(*loan.ours, mine))
    _write_record(known)
    others = {name: value for name, value in (_parse(found) or {}).items() if name not in form.parts}
    renewed = json.dumps(others | _lent_parts(form, copy), indent=2).encode()
    if not _replace(loan.person, renewed, mode=None, expected=found):
        return _left(known, "changed by another program at this very moment; the person's file was left as it is")
    seen = replace(known, seen=mine)
    _write_record(seen)
    return Settled(loan=seen, verdict="returned", line=f"{loan.form}: renewed in the run and brought back.")


def _lend_again(loan: Loan, form: Form, copy: Json, person: Json) -> Settled:
    """The person's login moved on while the run's stood still: the run's is worthless now, so it gets the new one."""
    if form.account(copy) != form.account(person) or _older(form, person, copy):
        return Settled(loan=loan, verdict="superseded")
    digest = _digest(form, person)
    again = replace(loan, ours=(*loan.ours, digest), seen=digest)
    _replace(loan.copy, json.dumps(_lent_parts(form, person)).encode(), mode=_MODE)
    _write_record(again)
    return Settled(loan=again, verdict="lent_again")


def _lent_parts(form: Form, file: Json) -> Json:
    return {name: file[name] for name in form.parts if name in file}


def _older(form: Form, copy: Json, person: Json) -> bool:
    """True only when both say how new they are."""
    mine, theirs = form.age(copy), form.age(person)
    return mine is not None and theirs is not None and mine < theirs


def _parse(data: bytes) -> Json | None:
    try:
        file = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return file if isinstance(file, dict) else None


def _read(path: Path) -> Json | None:
    try:
        return _parse(path.read_bytes())
    except OSError:
        return None


def _digest(form: Form, file: Json) -> str:
    """Of the login alone: other parts of the file, order and white space don't count."""
    return sha256(json.dumps(_lent_parts(form, file), sort_keys=True).encode()).hexdigest()


def _digest_of(form: Form, file: Json | None) -> str | None:
    return _digest(form, file) if file is not None and form.known(file) else None


def _write_record(loan: Loan) -> None:
    facts = {name: str(value) if isinstance(value, Path) else value for name, value in asdict(loan).items()}
    _replace(loan.record, json.dumps(facts).encode(), mode=_MODE)


@contextmanager
def _held(path: Path) -> Iterator[bytes]:
    """Hold the file against other runs of ours, and give its bytes; empty when it is gone.

    The file is its own lock, so that nothing is left beside it. A rename replaces it: look whether it is still the one.
    """
    deadline = time.monotonic() + _LOCK_SECONDS
    while True:
        try:
            handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            yield b""
            return
        try:
            if _lock(handle) and _same(handle, path):
                yield _bytes(handle)
                return
        finally:
            os.close(handle)
        if time.monotonic() > deadline:
            raise LoginBusy(path.name)
        time.sleep(0.02)


def _lock(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _same(handle: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), path.stat())
    except OSError:
        return False


def _bytes(handle: int) -> bytes:
    return os.pread(handle, os.fstat(handle).st_size, 0)


def _replace(path: Path, data: bytes, *, mode: int | None, expected: bytes | None = None) -> bool:
    """Whole or not at all. `mode` None keeps the mode and owner that the file has.

    False: the file no longer holds what was `expected`, and was left alone.
    """
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            _dress(file.fileno(), path, mode)
            file.flush()
            os.fsync(file.fileno())
        if expected is not None and path.read_bytes() != expected:
            return False
        Path(temporary).replace(path)
    finally:
        Path(temporary).unlink(missing_ok=True)
    _sync_folder(path.parent)
    return True


def _dress(handle: int, path: Path, mode: int | None) -> None:
    if mode is not None:
        os.fchmod(handle, mode)
        return
    was = path.stat()
    os.fchmod(handle, was.st_mode & 0o777)
    if (was.st_uid, was.st_gid) != (os.geteuid(), os.getegid()):
        os.fchown(handle, was.st_uid, was.st_gid)


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
