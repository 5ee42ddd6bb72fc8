"""Which of a person's variables an agent, a setup command or a check may see."""

from __future__ import annotations

import fnmatch
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from ..context.git import REPOSITORY_VARIABLES

# What a running agent sets for its children. A nested agent refuses to start, or behaves as a part of the outer one.
NESTING_VARIABLES: Final = (
    "CLAUDECODE", "CLAUDE_CODE_*", "CLAUDE_CONFIG_DIR", "CLAUDE_EFFORT", "CLAUDE_ENV_FILE", "CLAUDE_PLUGIN_*",
    "CLAUDE_PROJECT_DIR", "CLAUDE_SESSION_ID", "CODEX_*", "AI_AGENT", "CURSOR_AGENT", "CURSOR_TRACE_ID", "GEMINI_CLI",
    "OPENCODE", "OPENCODE_*", "QWEN_CODE",
)  # fmt: skip

# Of these families, the ones by which a person says where the provider is and how to reach it.
PROVIDER_SETTINGS: Final = (
    "CLAUDE_CODE_USE_*", "CLAUDE_CODE_SKIP_*_AUTH", "CLAUDE_CODE_CLIENT_CERT", "CLAUDE_CODE_CERT_STORE",
    "CLAUDE_CODE_PROXY_RESOLVES_HOSTS", "CODEX_CA_CERTIFICATE",
)  # fmt: skip

_SECRET_WORDS: Final = ("KEY", "TOKEN", "SECRET", "PASSW", "CREDENTIAL")
# Shorter values are words that stand in any text; redacting them would garble it.
_SHORTEST_SECRET: Final = 6
_SHORTEST_NUMBER: Final = 9

_GIT_REDIRECTIONS: Final = ("GIT_CONFIG_KEY_*", "GIT_CONFIG_VALUE_*", "GIT_TRACE*", "GIT_CURL_VERBOSE")
_TRACE_CONTEXT: Final = ("OTEL_*", "TRACEPARENT", "TRACESTATE", "BAGGAGE")
# Where the person's shell stands; in the tree they would point back at the checkout.
_PLACES: Final = ("PWD", "OLDPWD", "_")

# Agents and checks have nobody to ask: no prompt, no pager, no editor, no signing key.
_QUIET_GIT: Final = {
    "GIT_ASKPASS": "true",
    "GIT_CONFIG_COUNT": "2",
    "GIT_CONFIG_KEY_0": "commit.gpgSign",
    "GIT_CONFIG_KEY_1": "tag.gpgSign",
    "GIT_CONFIG_VALUE_0": "false",
    "GIT_CONFIG_VALUE_1": "false",
    "GIT_EDITOR": "true",
    "GIT_PAGER": "cat",
    "GIT_SEQUENCE_EDITOR": "true",
    "GIT_TERMINAL_PROMPT": "0",
    "SSH_ASKPASS_REQUIRE": "never",
}
_TEMPORARY: Final = ("TMPDIR", "TMP", "TEMP")
_FRESH_HOME: Final = {
    "HOME": "",
    "XDG_CACHE_HOME": ".cache",
    "XDG_CONFIG_HOME": ".config",
    "XDG_DATA_HOME": ".local/share",
    "XDG_RUNTIME_DIR": ".run",
    "XDG_STATE_HOME": ".local/state",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ChildEnvironment:
    """The variables of a child, sorted by name. Only the two lists of names may be recorded."""

    variables: Mapping[str, str] = field(repr=False)
    passed_names: tuple[str, ...]
    """The person's variables that went through unchanged."""
    dropped_names: tuple[str, ...]


def child_environment(
    person: Mapping[str, str],
    *,
    run_id: str,
    temporary: Path,
    home: Path | None = None,
    keep: Iterable[str] = (),
    agent_keys: Iterable[str] = (),
    nesting: Iterable[str] = (),
    extra: Mapping[str, str] | None = None,
) -> ChildEnvironment:
    """The environment of one child; the folders it names are the caller's to make.

    `home` is a fresh HOME (None: the person's own); `keep` are names passed whatever they look like; `agent_keys` are
    the agent's own secrets (for the agent alone); `nesting` are names or `PREFIX_*` patterns of agent sessions, added
    to the known ones; `extra` is set last.
    """
    wanted = frozenset(keep) | frozenset(agent_keys)
    withheld = _withheld((*NESTING_VARIABLES, *nesting))
    passed = {name: value for name, value in person.items() if name in wanted or not withheld(name)}
    ours = {
        **_QUIET_GIT,
        **{name: str(temporary) for name in _TEMPORARY if name == "TMPDIR" or name in person},
        **({name: str(home / below) for name, below in _FRESH_HOME.items()} if home is not None else {}),
    }
    # A name that was asked for wins over our own setting of it.
    ours = {name: value for name, value in ours.items() if name not in wanted or name not in person}
    own = {**ours, **(extra or {}), "AGENVANTAGE_RUN": run_id}
    variables = {**passed, **own}
    return ChildEnvironment(
        variables=dict(sorted(variables.items())),
        passed_names=tuple(sorted(passed.keys() - own.keys())),
        dropped_names=tuple(sorted(person.keys() - passed.keys())),
    )


def _withheld(nesting: tuple[str, ...]) -> Callable[[str], bool]:
    """Tells the names that don't pass unless they are asked for."""
    patterns = (*nesting, *_GIT_REDIRECTIONS, *_TRACE_CONTEXT, *_PLACES, "AGENVANTAGE_*")
    allowed = PROVIDER_SETTINGS

    def is_withheld(name: str) -> bool:
        if is_secret_name(name) or name in REPOSITORY_VARIABLES:
            return True
        return _matches(name, patterns) and not _matches(name, allowed)

    return is_withheld


def _matches(name: str, patterns: Iterable[str]) -> bool:
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)


def is_secret_name(name: str) -> bool:
    """Whether a variable's name says that its value is a secret."""
    upper = name.upper()
    return any(word in upper for word in _SECRET_WORDS)


def secret_values(person: Mapping[str, str]) -> tuple[str, ...]:
    """The values of secret-looking variables, longest first, for redaction."""
    values = {value for name, value in person.items() if is_secret_name(name) and could_be_secret(value)}
    return tuple(sorted(values, key=lambda value: (-len(value), value)))


def could_be_secret(value: str) -> bool:
    """Not a limit (`MAX_TOKENS=128000`), not the path of a file that holds the secret."""
    long_enough = _SHORTEST_NUMBER if value.isdecimal() else _SHORTEST_SECRET
    return len(value) >= long_enough and not value.startswith(("/", "~"))


def fresh_home_folders(home: Path) -> tuple[Path, ...]:
    """The folders that a fresh home's variables name."""
    return tuple(home / below for below in _FRESH_HOME.values())
