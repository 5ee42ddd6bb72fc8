"""A command that a project is tested, checked, built or run with, and what kind a command is, told by its words.

Commands come from the repository's own files: they are data to be shown, and nothing here runs them.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, Literal, get_args

from .ground import Ground
from .paths import folder_of, folders_up

ChoreKind = Literal["test", "lint", "format", "typecheck", "build", "run"]
KINDS: Final[tuple[ChoreKind, ...]] = get_args(ChoreKind)

LONGEST_COMMAND: Final = 240
_MOST_FILES: Final = 6
_MOST_HOMES: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Chore:
    """One command and where it was found; `folder` is where it is to be run, '' for the root."""

    kind: ChoreKind
    command: str
    source: str
    line: int | None
    certainty: float
    why: str
    folder: str = ""
    narrowed_to: tuple[str, ...] = ()
    """The files to which it was narrowed; empty where it is about the whole package."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """A tree, and the files and tests of it that a task is likely about, best first."""

    ground: Ground
    files: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()

    @property
    def all(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.files, *self.tests)))

    def ending(self, *endings: str) -> Site:
        """The site with only the files of these endings."""
        return Site(
            ground=self.ground,
            files=tuple(path for path in self.files if path.endswith(endings)),
            tests=tuple(path for path in self.tests if path.endswith(endings)),
        )

    def homes(self, *names: str) -> Iterator[tuple[str, str, Site]]:
        """The nearest folders above the files that hold one of these, the manifest's path, and the files below."""
        held: dict[str, tuple[str, list[str]]] = {}
        for path in self.all:
            for folder in folders_up(folder_of(path)):
                manifest = self.ground.first(folder, *names)
                if manifest is not None:
                    held.setdefault(folder, (manifest, []))[1].append(path)
                    break
        for folder, (manifest, paths) in list(held.items())[:_MOST_HOMES]:
            mine = set(paths)
            files = tuple(path for path in self.files if path in mine)
            tests = tuple(path for path in self.tests if path in mine)
            yield folder, manifest, Site(ground=self.ground, files=files, tests=tests)


def found_up(ground: Ground, folder: str, *names: str) -> str | None:
    """The nearest of these files in a folder or above it."""
    return next((path for up in folders_up(folder) if (path := ground.first(up, *names))), None)


def line_with(text: str, *needles: str) -> int | None:
    """The first line that holds the first of the needles, or else the next, 1-based."""
    for needle in needles:
        at = text.find(needle)
        if at >= 0:
            return text.count("\n", 0, at) + 1
    return None


# Spelling


def inside(folder: str, path: str) -> str:
    """A path as seen from a folder around it."""
    return path.removeprefix(folder + "/") if folder else path


def arguments(paths: Iterable[str], folder: str = "", most: int = _MOST_FILES) -> str:
    """Paths as shell words; those that can't be shown on a line are left out."""
    return " ".join(argument(inside(folder, path)) for path in list(paths)[:most] if path.isprintable())


def argument(text: str) -> str:
    """A text as one shell word that no program takes for an option."""
    return shlex.quote(f"./{text}" if text.startswith("-") else text)


def option(text: str) -> str:
    """An option and its value as one shell word."""
    return shlex.quote(text)


def joined_words(*parts: str) -> str:
    return " ".join(part for part in parts if part)


# What a name or a line is for


@dataclass(frozen=True, slots=True, kw_only=True)
class _Words:
    kind: ChoreKind
    names: re.Pattern[str]
    line: re.Pattern[str]


def _words(kind: ChoreKind, names: str, line: str) -> _Words:
    line = line.replace("RUN", r"(?:npm|pnpm|yarn|bun|composer)(?: run(?:-script)?)?")
    return _Words(
        kind=kind,
        names=re.compile(rf"(?:{names})(?:[:_.-](.+))?", re.IGNORECASE),
        line=re.compile(rf"(?<![\w./@-])(?:\./|bin/|vendor/bin/|node_modules/\.bin/)*({line})(?![\w/=@-])"),
    )


# The first row that fits decides: a type check is told before what builds.
_TABLE: Final = (
    _words(
        "typecheck",
        r"type-?check(?:ing|er)?|check[-:]?types?|types?[-:]?check|tsc|mypy|pyright|typing|types",
        r"mypy|pyright|basedpyright|vue-tsc|tsc|ty check|dialyzer|astro check|svelte-check|sorbet|srb tc"
        r"|RUN (?:type-?check|check[:-]types?|types?[:-]check|tsc)",
    ),
    _words(
        "format",
        r"format(?:ter|ting)?|fmt|prettier|black|gofmt|rustfmt|cs-?fix|fix-?(?:style|format|cs)|code-?style",
        r"prettier|black|ruff format|isort|gofmt|goimports|gofumpt|cargo fmt|rustfmt|dotnet format|mix format"
        r"|clang-format|swiftformat|dart format|php-cs-fixer fix(?! .*--dry-run)|scalafmt|dprint|biome format"
        r"|RUN (?:format|fmt|prettier)[\w:-]*",
    ),
    _words(
        "lint",
        r"lint(?:er|ing|s)?|eslint|stylelint|rubocop|flake8|pylint|clippy|vet|ruff|phpcs|cs|cs-?check|phpstan|psalm"
        r"|static-?analysis|analy[sz]e|analysis|sa|pre-?commit",
        r"eslint|stylelint|biome (?:check|lint|ci)|oxlint|xo|tslint|ruff(?: check)?|flake8|pylint|rubocop|standardrb"
        r"|golangci-lint|go vet|staticcheck|cargo clippy|phpcs|phpstan|psalm|php-cs-fixer (?:check|fix .*--dry-run)"
        r"|ktlint|detekt|checkstyle|swiftlint|pre-commit run|mix credo|RUN (?:lint|eslint)[\w:-]*"
        r"|(?:\S*gradlew?|mvnw?) \S*(?:spotlessCheck|spotless:check|checkstyle\w*)|codespell|shellcheck",
    ),
    _words(
        "test",
        r"tests?|specs?|unit(?:-?tests?)?|phpunit|pytest|jest|vitest|rspec|pest|check-?tests?|run-?tests?|testsuite",
        r"pytest|py\.test|tox|nox|unittest|manage\.py test|jest|vitest|mocha|ava|karma start|node --test|bun test"
        r"|RUN test[\w:-]*|npm t|cargo (?:nextest run|test)|go test|gotestsum|mvnw?(?: \S+)* (?:test|verify)"
        r"|\S*gradlew?(?: \S+)* (?:\S*:)?(?:test|check)|dotnet test|phpunit|simple-phpunit|pest|rspec"
        r"|rake (?:test|spec)\S*|rails test|parallel_rspec|mix test|ctest|meson test|ninja test"
        r"|swift test|dart test|flutter test|sbt .*test\w*|deno test|playwright test|cypress run|bats|zig build test"
        r"|stack test|cabal test|(?:(?<=bin/)|(?<=\./))(?:test|runtests?(?:\.\w+)?)|lein test|doctest",
    ),
    _words(
        "build",
        r"build|compile|bundle|dist|assemble|package",
        r"RUN (?:build|compile|bundle)[\w:-]*|cargo build|go build|go install"
        r"|mvnw?(?: \S+)* (?:package|install|compile)|\S*gradlew?(?: \S+)* (?:\S*:)?(?:build|assemble|jar)"
        r"|dotnet (?:build|publish|pack)|cmake --build|meson compile|ninja|python3? -m build|webpack|vite build|tsup"
        r"|rollup -c|mix compile|swift build|sbt .*compile|turbo (?:run )?build|nx build|zig build|stack build"
        r"|cabal build|hugo|jekyll build",
    ),
    _words("run", r"start|run|dev|serve|server|develop|up", r"RUN (?:start|dev|serve)|cargo run|go run|dotnet run"),
)
_ASIDE: Final = re.compile(
    r"watch|debug|update|clean|deploy|publish|release|prepare|install|setup|docker|bench|perf|smoke|snapshot|docs?\b|all\b"
    r"|fix\b|cov|report|remote|prod|browser|e2e|sauce|canary|staging|open\b|ui\b",
    re.IGNORECASE,
)


def kind_of_name(name: str) -> tuple[ChoreKind, float] | None:
    """What a task of this name does, and how sure that is: less with an ending, least with one for other ends."""
    for row in _TABLE:
        match = row.names.fullmatch(name.replace("_", "-"))
        if match is not None:
            rest = match[1] or ""
            return row.kind, 0.9 if not rest else 0.35 if _ASIDE.search(rest) else 0.65
    return None


_NO_CHORE: Final = re.compile(
    r"(?:sudo|pip3?|python3? -m pip|apt(?:-get)?|brew|rustup|mv|cp|rm|mkdir|git|curl|wget|tar|gh|docker|chmod|cat|find"
    r"|which|choco|conda|uv pip|poetry install|cargo install|gem install|go (?:install|get|mod)|cd|sed|test"
    r"|local|codecov|asdf|corepack|ruby -I"
    r"|(?:npm|pnpm|yarn|bun|composer|bundle|dotnet tool) (?:ci|i|install|add|remove))\b|[({]"
)
_OF_A_FILE: Final = re.compile(r"(?:^|\s)(make|gmake|just|task|rake)((?: -\S+| \w+=\S+)*)(?: ([\w:.-]+))?(?: .*)?$")


def kind_of_line(line: str) -> tuple[ChoreKind, str] | None:
    """What a command line does, and the program of it by which that was told, as in `cargo test`."""
    short = line[:LONGEST_COMMAND]
    if _NO_CHORE.match(short):
        return None
    named = _OF_A_FILE.search(short)
    if named is not None:
        return _by_target(named[1], named[3])
    found = [(match.start(1), row.kind, match[1]) for row in _TABLE if (match := row.line.search(short))]
    if not found:
        return None
    _, kind, said = min(found, key=lambda each: each[0])
    return kind, tool_of(said)


def _by_target(program: str, target: str | None) -> tuple[ChoreKind, str] | None:
    """What `make test` does; `make` alone builds."""
    if target is None:
        return ("build", program) if program.endswith("make") else None
    kind = kind_of_name("test" if target == "check" else target)
    return (kind[0], f"{program} {target}") if kind else None


_VERSION: Final = re.compile(r"(?:^|[ /])(?:\./|bin/|vendor/bin/)")


def tool_of(said: str) -> str:
    """`npm run test` and `npm test` are one tool, and so are `./gradlew` and `gradle`."""
    bare = _VERSION.sub("", said).replace(" run-script ", " ").replace(" run ", " ")
    return bare.replace("gradlew", "gradle").replace("mvnw", "mvn").replace("py.test", "pytest").strip()
