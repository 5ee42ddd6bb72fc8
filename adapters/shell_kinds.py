"""Whether a command line runs tests, and whether it looks beyond the base commit in the git history."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Mapping
from typing import Final

from .shell_syntax import Words, pipelines

# Programs that run another one: `uv run pytest`, `npx jest`. The words after the name that go with it.
LAUNCHERS: Final[Mapping[str, tuple[str, ...]]] = {
    "uv": ("run",), "poetry": ("run",), "pipenv": ("run",), "pdm": ("run",), "hatch": ("run",), "rye": ("run",),
    "pixi": ("run",), "npx": (), "bunx": (), "bundle": ("exec",), "mise": ("exec",),
}  # fmt: skip
RUNNERS: Final = frozenset({
    "pytest", "py.test", "tox", "nox", "jest", "vitest", "mocha", "ava", "rspec", "phpunit", "ctest", "nosetests",
    "nose2", "trial", "stestr", "karma", "cypress", "playwright", "minitest", "busted", "bats", "unittest",
})  # fmt: skip
TEST_VERBS: Final[Mapping[str, frozenset[str]]] = {
    "go": frozenset({"test"}),
    "cargo": frozenset({"test", "nextest", "t"}),
    "npm": frozenset({"test", "t", "tst"}),
    "pnpm": frozenset({"test", "t"}),
    "yarn": frozenset({"test", "jest", "vitest"}),
    "bun": frozenset({"test"}),
    "deno": frozenset({"test"}),
    "mvn": frozenset({"test", "verify"}),
    "mvnw": frozenset({"test", "verify"}),
    "gradle": frozenset({"test", "check"}),
    "gradlew": frozenset({"test", "check"}),
    "dotnet": frozenset({"test"}),
    "swift": frozenset({"test"}),
    "mix": frozenset({"test"}),
    "rake": frozenset({"test", "spec"}),
    "make": frozenset({"test", "tests", "check"}),
    "gmake": frozenset({"test", "tests", "check"}),
    "just": frozenset({"test", "tests", "check"}),
    "task": frozenset({"test", "tests"}),
    "bazel": frozenset({"test"}),
    "sbt": frozenset({"test"}),
    "composer": frozenset({"test"}),
    "hatch": frozenset({"test"}),
    "zig": frozenset({"test"}),
    "rails": frozenset({"test"}),
}
SCRIPT_RUNNERS: Final = frozenset({"npm", "pnpm", "yarn", "bun"})
PYTHON: Final = re.compile(r"python(\d(\.\d+)?)?|pypy\d?|coverage")
TEST_FILE: Final = re.compile(r"(^|/)(test_[^/]*|[^/]*_test|tests?|runtests)\.(py|js|ts|rb|sh)$|manage\.py$")
HASH: Final = re.compile(r"^[0-9a-f]{7,40}([~^:].*)?$")
EVERYWHERE: Final = (
    "--all",
    "--branches",
    "--remotes",
    "--tags",
    "--reflog",
    "-g",
    "--walk-reflogs",
    "-S",
    "-G",
    "--glob",
)
BEYOND: Final = frozenset(
    {"reflog", "fsck", "for-each-ref", "show-ref", "fetch", "pull", "ls-remote", "unpack-objects"}
)
BY_HASH: Final = frozenset({"show", "cat-file", "checkout", "diff", "log", "restore", "cherry-pick", "reset", "merge"})
WALKERS: Final = frozenset({"log", "rev-list", "shortlog", "whatchanged", "describe", "grep", "blame"})
GIT_OPTIONS_WITH_VALUE: Final = frozenset({"-C", "-c", "--git-dir", "--work-tree", "--namespace"})


def is_test_command(command: str) -> bool:
    """Whether a part of the command line runs tests."""
    return _any(command, _runs_tests)


def history_probe(command: str) -> bool:
    """Whether a part of the command line looks where a later commit could be: other refs, reflogs, objects by hash."""
    return _any(command, _looks_beyond)


def _any(command: str, judge: Callable[[tuple[str, ...]], bool]) -> bool:
    return any(judge(_said(simple.words)) for pipeline in pipelines(command) for simple in pipeline)


def _said(words: Words) -> tuple[str, ...]:
    known = tuple(word or "" for word in words)
    return (posixpath.basename(known[0]), *known[1:]) if known else ()


def _runs_tests(words: tuple[str, ...]) -> bool:
    if not words:
        return False
    name, rest = words[0], words[1:]
    verb = LAUNCHERS.get(name)
    plain = tuple(word for word in rest if not word.startswith("-"))
    if verb is not None and plain[: len(verb)] == verb and plain[len(verb) :]:
        return _runs_tests(_said(rest[rest.index(plain[len(verb)]) :]))
    if name in RUNNERS or bool(TEST_VERBS.get(name, frozenset()) & set(plain[:1])):
        return True
    if name in ("make", "gmake", "just", "mvn", "mvnw", "gradle", "gradlew", "task", "rake"):
        return bool(TEST_VERBS[name] & set(plain))
    if name in SCRIPT_RUNNERS:
        return plain[:1] == ("run",) and plain[1:2] != () and plain[1].split(":")[0] in ("test", "tests")
    if name in ("pnpm", "yarn") and plain[:1] == ("exec",):
        return _runs_tests(plain[1:])
    return _python_tests(rest) if PYTHON.fullmatch(name) else name == "node" and "--test" in rest


def _python_tests(words: tuple[str, ...]) -> bool:
    module = words[words.index("-m") + 1] if "-m" in words[:-1] else None
    if module is not None:
        return module.split(".")[0] in RUNNERS or (module == "coverage" and "run" in words and _python_tests(words[2:]))
    script = next((word for word in words if not word.startswith("-") and word != "run"), "")
    if script.endswith("manage.py"):
        return "test" in words
    return TEST_FILE.search(script) is not None


def _looks_beyond(words: tuple[str, ...]) -> bool:
    if not words or words[0] != "git":
        return False
    rest = list(words[1:])
    while rest and rest[0].startswith("-"):
        rest = rest[2:] if rest[0] in GIT_OPTIONS_WITH_VALUE else rest[1:]
    if not rest:
        return False
    verb, arguments = rest[0], rest[1:]
    if verb in BEYOND or (verb == "cat-file" and "--batch-all-objects" in arguments):
        return True
    if verb in WALKERS and any(word.startswith(EVERYWHERE) for word in arguments):
        return True
    return verb in BY_HASH and any(HASH.match(word) for word in arguments)
