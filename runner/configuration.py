"""Finds each setting's effective value and says where it came from; the one place that reads the environment.

A value comes from the flag, else `AGENVANTAGE_<NAME>`, else the repository's `agenvantage.toml` or
`[tool.agenvantage]`, else the default. Lists in a variable stand one a line. What could send a key elsewhere or
loosen a fence is never taken from a repository's file: a repository is under observation, not in command.
"""

from __future__ import annotations

import math
import os
import re
import shlex
import sys
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Final, get_type_hints
from urllib.parse import urlsplit

import msgspec

from ..context.errors import BadRequest
from .settings import Settings, flag_name

PREFIX: Final = "AGENVANTAGE_"
FILE: Final = "agenvantage.toml"


# Agents' arguments may be empty words.
LISTS: Final = ("env", "verify", "protect", "setup", "ready", "copy")
# A larger file is no configuration, nor is a device that never ends.
FILE_BYTES: Final = 1 << 20


def _is_name(text: str) -> bool:
    return re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", text) is not None


def _is_address(text: str) -> bool:
    try:
        parts = urlsplit(text)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname)


def _is_command(text: str) -> bool:
    try:
        return bool(shlex.split(text))
    except ValueError:
        return False


# What is written where the name of a variable belongs may be the key itself: it is never shown.
KEYS: Final = ("semantic_key_env", "rerank_key_env", "rewrite_key_env")
URLS: Final = ("provider_url", "semantic_url", "rerank_url", "rewrite_url")

BOUNDS: Final[tuple[tuple[str, Callable[[Any], bool], str], ...]] = (
    ("budget", lambda tokens: tokens > 0, "a budget is at least one token; leave --optimize-context out for none"),
    ("time_limit", lambda seconds: 0 < seconds < math.inf, "it must be a number of seconds, more than 0"),
    ("startup_limit", lambda seconds: 0 < seconds < math.inf, "it must be a number of seconds, more than 0"),
    ("max_turns", lambda turns: turns is None or turns > 0, "it must be at least 1"),
    ("max_tokens", lambda tokens: tokens is None or tokens > 0, "it must be at least 1"),
    # An empty check would pass, whatever the agent did.
    *((name, lambda entries: all(entry.strip() for entry in entries), "an entry of it is empty") for name in LISTS),
    *(
        (name, lambda url: url is None or _is_address(url), "it must be an address: http://… or https://…")
        for name in URLS
    ),
    *((name, lambda key: key is None or _is_name(key), "it takes the name of a variable, not a key") for name in KEYS),
    ("env", lambda names: all(map(_is_name, names)), "it takes names of variables, not their values"),
    ("agent_home_env", lambda name: name is None or _is_name(name), "it must be the name of a variable"),
    ("agent_command", lambda words: words is None or _is_command(words), "it must be a program and its arguments"),
)


class BadSetting(BadRequest):
    """A value that its setting can't take."""

    error_type = "bad_setting"

    def __init__(self, name: str, value: object, origin: str, why: str) -> None:
        where = "on the command line" if origin == "flag" else f"in {origin}"
        super().__init__(f"{name} = {value!r} (from {origin}) is not usable: {why}.", f"Correct it {where}.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """The settings and, for each, the place its value came from."""

    settings: Settings
    origins: Mapping[str, str]


def load(flags: Mapping[str, Any], *, repository: Path | None, environment: Mapping[str, str] | None = None) -> Loaded:
    """Effective settings for one call. A flag that is None or an empty list was not given. Raises BadSetting."""
    variables = os.environ if environment is None else environment
    layers = (
        ("flag", {name: value for name, value in flags.items() if value is not None and value not in ([], ())}),
        ("variable", _from_variables(variables)),
        (FILE, _from_file(repository) if repository else {}),
        ("default", _default_places(variables)),
    )
    types = get_type_hints(Settings)
    values: dict[str, Any] = {}
    origins: dict[str, str] = {}
    for setting in fields(Settings):
        origin, raw = next(
            ((name, layer[setting.name]) for name, layer in layers if setting.name in layer), ("default", None)
        )
        origins[setting.name] = f"{PREFIX}{_variable(setting.name)}" if origin == "variable" else origin
        if raw is not None:
            values[setting.name] = _converted(setting.name, raw, types[setting.name], origins[setting.name])
    settings = Settings(**values)
    for name, holds, why in BOUNDS:
        if not holds(getattr(settings, name)):
            shown = "…" if name in KEYS else getattr(settings, name)
            raise BadSetting(flag_name(name), shown, origins[name], why)
    return Loaded(settings=settings, origins=origins)


def person_environment() -> dict[str, str]:
    """The variables that this program was started with."""
    return dict(os.environ)


def _variable(name: str) -> str:
    return name.rstrip("_").upper()


def _from_variables(variables: Mapping[str, str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    types = get_type_hints(Settings)
    for setting in fields(Settings):
        text = variables.get(PREFIX + _variable(setting.name))
        if text:
            lines = [line for line in text.split("\n") if line.strip()]
            found[setting.name] = lines if _is_list(types[setting.name]) else text
    return found


def _from_file(repository: Path) -> dict[str, Any]:
    """What the repository's own file says; unknown and person-only names are refused by name."""
    table = file_table(repository)
    known = {_variable(setting.name).lower(): setting for setting in fields(Settings)}
    found: dict[str, Any] = {}
    for key, value in table.items():
        setting = known.get(key.replace("-", "_"))
        if setting is None:
            if key not in ("repositories", "task"):
                raise BadSetting(key, value, FILE, "there is no such setting")
            continue
        if setting.metadata.get("person_only"):
            raise BadSetting(
                key, value, FILE, f"a repository may not decide it; use {flag_name(setting.name)} or a variable"
            )
        found[setting.name] = value
    return found


def file_table(repository: Path) -> dict[str, Any]:
    """All that the repository's own file says. Raises BadSetting where it can't be read."""
    table = _read_toml(repository / FILE)
    if table is None:
        tools = (_read_toml(repository / "pyproject.toml") or {}).get("tool")
        table = tools.get("agenvantage", {}) if isinstance(tools, dict) else {}
        if not isinstance(table, dict):
            raise BadSetting("tool.agenvantage", table, "pyproject.toml", "it must be a table")
    return table


def _read_toml(path: Path) -> dict[str, Any] | None:
    try:
        if not os.path.lexists(path):
            return None
        if not path.is_file():
            raise BadSetting(path.name, "…", path.name, "it is no file")
        with path.open("rb") as file:
            data = file.read(FILE_BYTES + 1)
        if len(data) > FILE_BYTES:
            raise BadSetting(path.name, "…", path.name, "it is too large to be one")
        return tomllib.loads(data.decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as broken:
        raise BadSetting(path.name, "…", path.name, f"it can't be read as TOML: {broken}") from broken


def _converted(name: str, raw: Any, kind: Any, origin: str) -> Any:
    if kind is Path:
        if not isinstance(raw, str | Path) or not str(raw):
            raise BadSetting(flag_name(name), raw, origin, "it must be a path")
        return Path(raw).expanduser().absolute()
    try:
        return msgspec.convert([raw] if _is_list(kind) and isinstance(raw, str) else raw, kind, strict=False)
    except msgspec.ValidationError as wrong:
        raise BadSetting(flag_name(name), raw, origin, str(wrong).rstrip(".")) from wrong


def _is_list(kind: Any) -> bool:
    return bool(kind == tuple[str, ...])


def _default_places(variables: Mapping[str, str]) -> dict[str, Any]:
    """The platform's own places: XDG folders, or ~/Library on macOS."""
    home = Path(variables.get("HOME") or Path.home())
    if sys.platform == "darwin":
        support = home / "Library" / "Application Support" / "agenvantage"
        return {
            "cache_dir": home / "Library" / "Caches" / "agenvantage",
            "state_dir": support / "state",
            "data_dir": support / "data",
        }
    defaults = {
        "cache_dir": ("XDG_CACHE_HOME", ".cache"),
        "state_dir": ("XDG_STATE_HOME", ".local/state"),
        "data_dir": ("XDG_DATA_HOME", ".local/share"),
    }
    return {
        name: Path(variables.get(variable) or home / below) / "agenvantage"
        for name, (variable, below) in defaults.items()
    }
