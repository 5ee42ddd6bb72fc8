"""Linters, formatters and type checkers that a project has set up, told by their settings, narrowed to given files."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from .chores import Chore, ChoreKind, Site, arguments, found_up, joined_words, line_with
from .named_tasks import package_manager
from .paths import folder_of, name_of

_MOST_FILES: Final = 3

PYTHON: Final = (".py", ".pyi")
SCRIPTS: Final = (".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts", ".vue", ".svelte", ".astro")
TYPED: Final = (".ts", ".tsx", ".mts", ".cts", ".vue")
CPP: Final = (".c", ".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp")
_PY_SETTINGS: Final = ("pyproject.toml", "setup.cfg", "tox.ini")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Checker:
    """A tool that is set up by a file of its own, or by a section of a shared one."""

    kind: ChoreKind
    call: str
    runner: str
    """Who calls it: `python`, `node`, `bundle`, `vendor/bin`, or nobody."""
    endings: tuple[str, ...]
    files: tuple[str, ...] = ()
    sections: tuple[str, ...] = ()
    takes_files: bool = True


def _of(
    kind: ChoreKind, call: str, runner: str, endings: tuple[str, ...], files: str, *sections: str, whole: bool = False
) -> _Checker:
    return _Checker(
        kind=kind, call=call, runner=runner, endings=endings, files=tuple(files.split()), sections=sections,
        takes_files=not whole,
    )  # fmt: skip


_ESLINT: Final = " ".join(
    [
        *(f"eslint.config.{ending}" for ending in ("js", "mjs", "cjs", "ts")),
        *(f".eslintrc{ending}" for ending in ("", ".js", ".cjs", ".json", ".yml", ".yaml")),
    ]
)
_PRETTIER: Final = " ".join(
    [
        *(f".prettierrc{ending}" for ending in ("", ".js", ".cjs", ".mjs", ".json", ".yml", ".yaml", ".toml")),
        *(f"prettier.config.{ending}" for ending in ("js", "mjs", "cjs", "ts")),
    ]
)
_CHECKERS: Final = (
    _of("lint", "ruff check", "python", PYTHON, "ruff.toml .ruff.toml", "[tool.ruff"),
    _of("lint", "flake8", "python", PYTHON, ".flake8", "[flake8]"),
    _of("lint", "pylint", "python", PYTHON, ".pylintrc pylintrc", "[tool.pylint"),
    _of("format", "ruff format", "python", PYTHON, "", "[tool.ruff.format]"),
    _of("format", "black", "python", PYTHON, "", "[tool.black]"),
    _of("format", "isort", "python", PYTHON, ".isort.cfg", "[tool.isort]", "[isort]"),
    _of("typecheck", "mypy", "python", PYTHON, "mypy.ini .mypy.ini", "[tool.mypy]", "[mypy]"),
    _of("typecheck", "pyright", "python", PYTHON, "pyrightconfig.json", "[tool.pyright]", "[tool.basedpyright]"),
    _of("typecheck", "ty check", "python", PYTHON, "ty.toml", "[tool.ty]"),
    _of("lint", "eslint", "node", SCRIPTS, _ESLINT),
    _of("lint", "biome check", "node", SCRIPTS, "biome.json biome.jsonc"),
    _of("lint", "oxlint", "node", SCRIPTS, ".oxlintrc.json"),
    _of("lint", "stylelint", "node", (".css", ".scss", ".less"), ".stylelintrc .stylelintrc.json stylelint.config.js"),
    _of("format", "prettier --check", "node", (*SCRIPTS, ".css", ".scss", ".md"), _PRETTIER),
    _of("typecheck", "tsc --noEmit", "node", TYPED, "tsconfig.json", whole=True),
    _of("lint", "golangci-lint run", "", (".go",), ".golangci.yml .golangci.yaml .golangci.toml", whole=True),
    _of("lint", "rubocop", "bundle", (".rb", ".rake", ".gemspec"), ".rubocop.yml"),
    _of("lint", "phpstan analyse", "vendor/bin", (".php",), "phpstan.neon phpstan.neon.dist phpstan.dist.neon"),
    _of("lint", "psalm", "vendor/bin", (".php",), "psalm.xml psalm.xml.dist"),
    _of("lint", "phpcs", "vendor/bin", (".php",), "phpcs.xml phpcs.xml.dist .phpcs.xml .phpcs.xml.dist"),
    _of("format", "php-cs-fixer fix --dry-run", "vendor/bin", (".php",), ".php-cs-fixer.php .php-cs-fixer.dist.php"),
    _of("format", "clang-format --dry-run -Werror", "", CPP, ".clang-format"),
    _of("format", "mix format --check-formatted", "", (".ex", ".exs"), ".formatter.exs"),
    _of("lint", "mix credo", "", (".ex", ".exs"), ".credo.exs"),
    _of("lint", "swiftlint lint", "", (".swift",), ".swiftlint.yml"),
    _of("lint", "dart analyze", "", (".dart",), "analysis_options.yaml", whole=True),
    _of("format", "scalafmt --check", "", (".scala",), ".scalafmt.conf"),
    _of("lint", "shellcheck", "", (".sh", ".bash"), ".shellcheckrc"),
)  # fmt: skip


def checkers(site: Site) -> Iterator[Chore]:
    """What checks the likely files, by the project's own settings."""
    for checker in _CHECKERS:
        files = tuple(path for path in site.all if path.endswith(checker.endings))[:_MOST_FILES]
        setting = _setting(site, checker, folder_of(files[0])) if files else None
        if setting is None:
            continue
        path, line = setting
        folder = folder_of(path) if checker.kind == "typecheck" and not checker.takes_files else ""
        taken = files if checker.takes_files else ()
        yield Chore(
            kind=checker.kind,
            command=joined_words(_called(site, checker, folder), arguments(taken, folder)),
            source=path,
            line=line,
            certainty=0.8,
            why=f"{checker.call.split()[0]} is set up in {name_of(path)}",
            folder=folder,
            narrowed_to=taken,
        )
    yield from _pre_commit(site)


def _setting(site: Site, checker: _Checker, folder: str) -> tuple[str, int | None] | None:
    """The file that sets a checker up, and the line of the section in it."""
    own = found_up(site.ground, folder, *checker.files) if checker.files else None
    if own is not None:
        return own, None
    for name in _PY_SETTINGS if checker.sections else ():
        path = found_up(site.ground, folder, name)
        text = site.ground.read(path) if path is not None else None
        line = line_with("\n" + text, *(f"\n{section}" for section in checker.sections)) if text is not None else None
        if path is not None and line is not None:
            return path, line
    return None


def _called(site: Site, checker: _Checker, folder: str) -> str:
    if checker.runner == "python":
        return python_prefix(site, folder) + checker.call
    if checker.runner == "node":
        manager = package_manager(site, folder)
        prefix = {"pnpm": "pnpm exec ", "yarn": "yarn ", "bun": "bunx "}.get(manager, "npx ")
        return prefix + checker.call
    return {"bundle": "bundle exec ", "vendor/bin": "vendor/bin/"}.get(checker.runner, "") + checker.call


_PYTHON_LOCKS: Final = (
    ("uv run ", "uv.lock"), ("poetry run ", "poetry.lock"), ("pdm run ", "pdm.lock"), ("pipenv run ", "Pipfile.lock"),
    ("pixi run ", "pixi.lock"),
)  # fmt: skip


def python_prefix(site: Site, folder: str) -> str:
    """How programs of the project's environment are called, by its lock file."""
    return next((prefix for prefix, lock in _PYTHON_LOCKS if found_up(site.ground, folder, lock)), "")


def _pre_commit(site: Site) -> Iterator[Chore]:
    path = site.ground.first("", ".pre-commit-config.yaml")
    files = site.all[:_MOST_FILES]
    if path is not None and files:
        yield Chore(
            kind="lint", command=f"pre-commit run --files {arguments(files)}", source=path, line=None, certainty=0.7,
            why="pre-commit is set up", narrowed_to=files,
        )  # fmt: skip
