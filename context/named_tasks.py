"""Commands that a project has given names: scripts of package.json, targets of a Makefile, recipes, sessions, aliases.

A manifest is read as text or as JSON or TOML, never run; a command is the name's call, not the body behind it.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from .chores import Chore, Site, argument, arguments, found_up, kind_of_name
from .manifests import MOST_CHARACTERS

_MOST_TASKS: Final = 300
_MOST_TESTS: Final = 3
_LONGEST_NAME: Final = 60
_LONGEST_BODY: Final = 300
_SCRIPT_ENDINGS: Final = (".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts", ".vue", ".svelte")
_CHANGES: Final = re.compile(r"--watch|--fix\b|--update")

Reader = Callable[[str, str, str], Iterator[Chore]]
"""From a manifest's folder, path and text to the commands that it names."""


def named_tasks(site: Site) -> Iterator[Chore]:
    """The named commands of the packages that the files are in, and of the root."""
    for folder, path, text in _manifests(site, "package.json"):
        yield from _scripts(site, folder, path, text)
    for names, read in _READERS:
        for folder, path, text in _manifests(site, *names):
            for chore in read(folder, path, text):
                yield from _with_tests(chore, site, text)
    yield from _programs(site)


_PROGRAM: Final = re.compile(
    r"(?:(?:bin|script|scripts|dev|tools|ci|hack)/)?(?:run[-_]?)?([a-z]+)(?:\.(?:sh|py|rb|pl))?"
)


def _programs(site: Site) -> Iterator[Chore]:
    """Programs of the project's own that are called by what they do: `bin/test`, `scripts/lint.sh`, `runtests.py`."""
    for folder in ("", "bin", "script", "scripts", "dev", "tools", "ci", "hack"):
        for path in site.ground.paths.files_in(folder):
            match = _PROGRAM.fullmatch(path)
            if match is not None and (folder or path.endswith(_RUNNABLE)):
                for chore in _chore(match[1], _started(path), path, None, of="the program", aside=True):
                    yield replace(chore, why=f"a program called {path}")


_RUNNABLE: Final = (".sh", ".py", ".rb", ".pl")


def _started(path: str) -> str:
    with_python = path.endswith(".py")
    return f"python {argument(path)}" if with_python else argument(path if "/" in path else f"./{path}")


def _manifests(site: Site, *names: str) -> Iterator[tuple[str, str, str]]:
    """Folder, path and text of the manifests near the files, and of the one at the root."""
    folders = dict.fromkeys((*(folder for folder, _, _ in site.homes(*names)), ""))
    for folder in folders:
        path = site.ground.first(folder, *names)
        text = site.ground.read(path) if path is not None else None
        if path is not None and text is not None and len(text) <= MOST_CHARACTERS:
            yield folder, path, text


def _json(text: str) -> Mapping[str, Any]:
    try:
        value = json.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def toml(text: str) -> Mapping[str, Any]:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return {}


def deep(value: object, *keys: str) -> Mapping[str, Any]:
    """The table below these keys; empty where there is none."""
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def _fine(name: object) -> bool:
    return isinstance(name, str) and 0 < len(name) <= _LONGEST_NAME and name.isprintable() and " " not in name


def _chore(
    name: str, command: str, path: str, line: int | None, *, folder: str = "", of: str, aside: bool = False
) -> Iterator[Chore]:
    """The chore of a named task, where its name says what it does."""
    kind = kind_of_name(name)
    if kind is not None:
        yield Chore(
            kind=kind[0],
            command=command,
            source=path,
            line=line,
            certainty=round(kind[1] * (0.8 if aside else 1.0), 2),
            why=f"{of} {name!r}",
            folder=folder,
        )


# package.json

_LOCKS: Final = (
    ("pnpm", ("pnpm-lock.yaml", "pnpm-workspace.yaml")),
    ("yarn", ("yarn.lock",)),
    ("bun", ("bun.lock", "bun.lockb")),
    ("npm", ("package-lock.json", "npm-shrinkwrap.json")),
)
_TAKES_FILES: Final = re.compile(
    r"(?:cross-env |npx |[A-Z_]+=\S+ |node (?:--[\w=-]+ )*)*(?:[\w./-]*/)?"
    r"(?:jest|vitest(?: run)?|mocha|ava|tap|jasmine|bun test|playwright test|(?:node )?--test)(?:\.js)?"
    r"(?: +(?:--?\S+|[\w.]+=\S+))*"
)


def package_manager(site: Site, folder: str) -> str:
    """Who runs the scripts of a folder: as its manifest says, else as its lock file tells, else npm."""
    for place in dict.fromkeys((folder, "")):
        path = site.ground.first(place, "package.json")
        said = _json(site.ground.read(path) or "").get("packageManager") if path else None
        name = said.partition("@")[0] if isinstance(said, str) else ""
        if name in ("npm", "pnpm", "yarn", "bun"):
            return name
    for name, locks in _LOCKS:
        if found_up(site.ground, folder, *locks):
            return name
    return "npm"


def _scripts(site: Site, folder: str, path: str, text: str) -> Iterator[Chore]:
    said = _json(text)
    manager = package_manager(site, folder)
    name = str(said.get("name") or "")
    member = argument(name) if folder and _fine(name) and site.ground.first("", "package.json") else ""
    for script, body in list(deep(said, "scripts").items())[:_MOST_TASKS]:
        if not _fine(script) or not isinstance(body, str) or "no test specified" in body:
            continue
        call, where = _call(manager, script, folder, member)
        aside = _CHANGES.search(body[:_LONGEST_BODY]) is not None
        line = _line_of(text, "scripts", script)
        for chore in _chore(script, call, path, line, folder=where, of="script", aside=aside):
            yield from _narrowed(chore, site, folder, body[:_LONGEST_BODY], manager)
            yield chore


def _line_of(text: str, table: str, key: str) -> int | None:
    """The line of a key below its table's own line."""
    start = text.find(f'"{table}"')
    at = text.find(json.dumps(key), max(start, 0))
    return text.count("\n", 0, at) + 1 if at >= 0 else None


def _call(manager: str, script: str, folder: str, member: str) -> tuple[str, str]:
    """How a script is called, and from where: a member of a workspace from the root, by its name."""
    spelled = argument(script)
    short = script in ("test", "start") and manager != "bun"
    run = spelled if short else f"run {spelled}"
    if not member:
        return f"{manager} {run}", folder
    return {
        "pnpm": f"pnpm --filter {member} run {spelled}",
        "yarn": f"yarn workspace {member} run {spelled}",
        "bun": f"bun run --filter {member} {spelled}",
    }.get(manager, f"npm {run} --workspace {argument(folder)}"), ""


def _narrowed(chore: Chore, site: Site, folder: str, body: str, manager: str) -> Iterator[Chore]:
    """A script that only calls a runner of tests, for the likely tests alone."""
    below = folder + "/" if folder else ""
    mine = (path for path in site.tests if path.startswith(below) and path.endswith(_SCRIPT_ENDINGS))
    tests = tuple(mine)[:_MOST_TESTS]
    if chore.kind == "test" and tests and _TAKES_FILES.fullmatch(body.strip()):
        between = " -- " if manager == "npm" else " "
        yield replace(
            chore,
            command=f"{chore.command}{between}{arguments(tests, folder)}",
            certainty=min(0.95, round(chore.certainty + 0.05, 2)),
            narrowed_to=tests,
        )


# Others, each a name and its line


def _json_tasks(table: str, call: str) -> Reader:
    """A reader of a JSON file that has the names as keys of a table."""

    def read(folder: str, path: str, text: str) -> Iterator[Chore]:
        for name in list(deep(_json(text), table))[:_MOST_TASKS]:
            if _fine(name):
                line = _line_of(text, table, name)
                yield from _chore(name, call.format(argument(name)), path, line, folder=folder, of="script")

    return read


_PY_TASKS: Final = (
    (("tool", "poe", "tasks"), "poe {}"),
    (("tool", "pdm", "scripts"), "pdm run {}"),
    (("tool", "hatch", "envs", "default", "scripts"), "hatch run {}"),
    (("tool", "pixi", "tasks"), "pixi run {}"),
    (("tool", "taskipy", "tasks"), "task {}"),
    (("tasks",), "pixi run {}"),
)


def _toml_tasks(folder: str, path: str, text: str) -> Iterator[Chore]:
    said = toml(text)
    for keys, call in _PY_TASKS:
        for name in list(deep(said, *keys))[:_MOST_TASKS]:
            if _fine(name):
                place = re.search(rf'^"?{re.escape(name)}"?[ .=]', text, re.MULTILINE)
                line = text.count("\n", 0, place.start()) + 1 if place else None
                yield from _chore(name, call.format(argument(name)), path, line, folder=folder, of="task")


_TARGET: Final = re.compile(r"^([A-Za-z][\w.-]*)(?: +[A-Za-z][\w.-]*)* *:(?![:=])")
_RECIPE: Final = re.compile(r"^@?([A-Za-z][\w-]*)(?: +[^:=]*)?:(?!=)")
_TASK: Final = re.compile(r"^  ([A-Za-z][\w:-]*): *$|^  ([A-Za-z][\w:-]*): +\S")
_SESSION: Final = re.compile(r"^def ([a-z_]\w*)\(session\b")
_RAKE: Final = re.compile(r"""^\s*(?:\w+(?:::\w+)*\.new\(?:?|task:?\s*\(?:?)\s*['"]?([a-z][\w:]*)""")
_ALIAS: Final = re.compile(r"""^\s+(?:"([a-z][\w.]*)"|([a-z]\w*)):\s*\[""")
_TOX: Final = re.compile(r"^\[testenv:([\w.-]+)\]")


def _by_lines(pattern: re.Pattern[str], call: str, of: str, also: Mapping[str, str] | None = None) -> Reader:
    """A reader of a file in which each name stands at the start of a line of its own."""

    def read(folder: str, path: str, text: str) -> Iterator[Chore]:
        seen: set[str] = set()
        for number, line in enumerate(text.split("\n"), start=1):
            match = pattern.match(line[:200])
            name = next((group for group in match.groups() if group), None) if match else None
            if name is None or name in seen or len(seen) >= _MOST_TASKS:
                continue
            seen.add(name)
            meant = also.get(name, name) if also else name
            yield from _chore(meant, call.format(argument(name)), path, number, folder=folder, of=of)

    return read


_OF_MAKE: Final = {"check": "test", "all": "build"}
_READERS: Final[tuple[tuple[tuple[str, ...], Reader], ...]] = (
    (("composer.json",), _json_tasks("scripts", "composer {}")),
    (("deno.json", "deno.jsonc"), _json_tasks("tasks", "deno task {}")),
    (("pyproject.toml",), _toml_tasks),
    (("pixi.toml",), _toml_tasks),
    (("GNUmakefile", "Makefile", "makefile"), _by_lines(_TARGET, "make {}", "target", _OF_MAKE)),
    (("justfile", "Justfile", ".justfile"), _by_lines(_RECIPE, "just {}", "recipe", {"check": "lint"})),
    (("Taskfile.yml", "Taskfile.yaml"), _by_lines(_TASK, "task {}", "task")),
    (("noxfile.py",), _by_lines(_SESSION, "nox -s {}", "session")),
    (("tox.ini",), _by_lines(_TOX, "tox -e {}", "environment")),
    (("Rakefile",), _by_lines(_RAKE, "bundle exec rake {}", "task")),
    (("mix.exs",), _by_lines(_ALIAS, "mix {}", "alias")),
)  # fmt: skip


def _with_tests(chore: Chore, site: Site, text: str) -> Iterator[Chore]:
    """The chore, and before it one for the likely tests: tox and nox pass on what follows `--`, if the file says so."""
    tests = tuple(path for path in site.tests if path.endswith(".py"))[:_MOST_TESTS]
    if chore.kind == "test" and tests and "posargs" in text and chore.command.startswith(("tox ", "nox ")):
        yield replace(chore, command=f"{chore.command} -- {arguments(tests, chore.folder)}", narrowed_to=tests)
    yield chore
