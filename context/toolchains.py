"""How each toolchain tests, builds and runs the package that a file is in, narrowed to the likely tests.

What a manifest or a setting says outright is sure; what is only the habit of a toolchain is told as less so.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from .checkers import CPP, PYTHON, python_prefix
from .chores import Chore, ChoreKind, Site, argument, arguments, found_up, inside, line_with, option
from .ground import folders_of
from .named_tasks import deep, toml
from .paths import folder_of, name_of, stem_of

_MOST_TESTS: Final = 3
_SET_UP: Final = 0.9
_NAMED: Final = 0.8
_GUESS: Final = 0.5
_COMES_WITH: Final = "comes with the toolchain"

Tests = tuple[str, ...]


def toolchains(site: Site) -> Iterator[Chore]:
    """The commands of all toolchains that the files belong to."""
    for chain in _CHAINS:
        yield from chain(site)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Package:
    """Where commands are run, the file that they were told from, and what makes it one of a toolchain's."""

    source: str
    why: str
    folder: str = ""
    line: int | None = None

    def chore(self, kind: ChoreKind, command: str, certainty: float, *, tests: Tests = (), why: str = "") -> Chore:
        return Chore(
            kind=kind, command=command, source=self.source, line=self.line, certainty=certainty, why=why or self.why,
            folder=self.folder, narrowed_to=tests,
        )  # fmt: skip

    def tested(self, call: str, certainty: float, tests: Tests, chosen: str) -> Iterator[Chore]:
        """A call for the likely tests, and the one for all."""
        if tests and chosen:
            yield self.chore("test", f"{call} {chosen}", min(0.95, round(certainty + 0.05, 2)), tests=tests)
        yield self.chore("test", call, certainty)


# Python

_PYTEST_SET_UP: Final = (
    ("pytest.ini", "[pytest]"), (".pytest.ini", "[pytest]"), ("pyproject.toml", "[tool.pytest"),
    ("setup.cfg", "[tool:pytest]"), ("tox.ini", "[pytest]"), ("conftest.py", ""), ("tests/conftest.py", ""),
    ("test/conftest.py", ""),
)  # fmt: skip
_PYTEST_NAMED: Final = (
    "pyproject.toml", "setup.cfg", "setup.py", "tox.ini", "noxfile.py", "requirements-dev.txt", "requirements_dev.txt",
    "requirements-test.txt", "requirements_test.txt", "dev-requirements.txt", "test-requirements.txt",
    "requirements.txt", "requirements/dev.txt", "requirements/test.txt", "Pipfile",
)  # fmt: skip
_PY_HOMES: Final = ("pyproject.toml", "setup.cfg", "setup.py", "tox.ini", "pytest.ini", "manage.py", "requirements.txt")


def _python(site: Site) -> Iterator[Chore]:
    python = site.ending(*PYTHON)
    for folder, _, below in list(python.homes(*_PY_HOMES)) or ([("", "", python)] if python.all else []):
        tests = tuple(path for path in below.tests if name_of(path) != "conftest.py")[:_MOST_TESTS]
        yield from _python_tests(below, folder, tests)
        manifest = site.ground.first(folder, "pyproject.toml")
        line = line_with(site.ground.read(manifest) or "", "[build-system]") if manifest is not None else None
        if manifest is not None and line is not None:
            package = _Package(source=manifest, why="it has a build system", folder=folder, line=line)
            yield package.chore("build", "python -m build", 0.7)


def _python_tests(site: Site, folder: str, tests: Tests) -> Iterator[Chore]:
    prefix = python_prefix(site, folder)
    pytest, manage = _pytest(site, folder), site.ground.first(folder, "manage.py")
    if pytest is not None:
        yield from pytest[0].tested(f"{prefix}pytest", pytest[1], tests, arguments(tests, folder))
    elif manage is not None:
        modules = " ".join(argument(inside(folder, path).removesuffix(".py").replace("/", ".")) for path in tests)
        django = _Package(source=manage, why="a Django project", folder=folder)
        yield from django.tested(f"{prefix}python manage.py test", 0.75, tests, modules)
    elif tests:
        text = "".join(site.ground.read(path) or "" for path in tests)
        call = "python -m unittest" if re.search(r"^(?:import|from) unittest\b", text, re.MULTILINE) else "pytest"
        guessed = _Package(source=tests[0], why="by how the tests are written", folder=folder)
        yield guessed.chore("test", f"{prefix}{call} {arguments(tests, folder)}", _GUESS, tests=tests)


def _pytest(site: Site, folder: str) -> tuple[_Package, float] | None:
    """Where pytest is set up, or at least named, and how sure that makes it."""
    named = tuple((name, "pytest") for name in _PYTEST_NAMED)
    for places, why, certainty in ((_PYTEST_SET_UP, "is set up", _SET_UP), (named, "is named", _NAMED)):
        for name, needle in places:
            path = found_up(site.ground, folder, name)
            line = line_with(site.ground.read(path) or "", needle) if path is not None and needle else None
            if path is not None and (line is not None or not needle):
                return _Package(
                    source=path, why=f"pytest {why} in {name_of(path)}", folder=folder, line=line
                ), certainty
    return None


# Rust and Go


def _cargo(site: Site) -> Iterator[Chore]:
    for folder, manifest, below in site.ending(".rs").homes("Cargo.toml"):
        text = site.ground.read(manifest) or ""
        name = deep(toml(text), "package").get("name")
        if not isinstance(name, str) or not name.isprintable():
            continue
        crate = _Package(source=manifest, why=f"the crate {name}", line=line_with(text, "[package]"))
        only = f"-p {argument(name)}"
        leading = below.tests[:_MOST_TESTS]
        for target in dict.fromkeys(target for path in leading if (target := _test_target(folder, path))):
            tests = tuple(path for path in leading if _test_target(folder, path) == target)
            modules = dict.fromkeys(module for path in tests if (module := _test_module(folder, path)))
            chosen = f" -- {' '.join(map(argument, modules))}" if modules else ""
            yield crate.chore("test", f"cargo test {only} --test {argument(target)}{chosen}", 0.9, tests=tests)
        yield crate.chore("test", f"cargo test {only}", 0.85)
        for kind, command, settings in _CARGO_TOOLS:
            certainty = 0.8 if found_up(site.ground, folder, *settings) else 0.6
            yield crate.chore(kind, command.format(only), certainty, why=_COMES_WITH)
        yield crate.chore("build", f"cargo build {only}", 0.85)
        if site.ground.first(folder, "src/main.rs") is not None:
            yield crate.chore("run", f"cargo run {only}", 0.7, why="it has a main.rs")


_CARGO_TOOLS: Final[tuple[tuple[ChoreKind, str, tuple[str, ...]], ...]] = (
    ("lint", "cargo clippy {} --all-targets", ("clippy.toml", ".clippy.toml")),
    ("format", "cargo fmt --check", ("rustfmt.toml", ".rustfmt.toml")),
)


def _test_target(folder: str, path: str) -> str | None:
    """`tests/api.rs` is the target `api`, and so is each file of `tests/api/`."""
    top, _, rest = inside(folder, path).partition("/")
    return rest.partition("/")[0].removesuffix(".rs") if top == "tests" and rest else None


def _test_module(folder: str, path: str) -> str | None:
    """The module of a test in a target of several files: `cart` for `tests/api/cart.rs` and `tests/api/cart/mod.rs`."""
    module = inside(folder, path).split("/")[2:3]
    name = module[0].removesuffix(".rs") if module else "main"
    return name if name not in ("main", "mod", "lib") else None


def _go(site: Site) -> Iterator[Chore]:
    for folder, manifest, below in site.ending(".go").homes("go.mod"):
        line = line_with(site.ground.read(manifest) or "", "module ")
        module = _Package(source=manifest, why="a Go module", folder=folder, line=line)
        folders = folders_of((*below.files[:3], *below.tests[:_MOST_TESTS]))[:4]
        named = " ".join(argument(f"./{inside(folder, each)}" if each != folder else ".") for each in folders)
        tests = tuple(path for path in below.tests if folder_of(path) in folders)
        yield module.chore("test", f"go test {named}", 0.9, tests=tests or below.files[:3])
        yield module.chore("test", "go test ./...", 0.85)
        yield module.chore("lint", f"go vet {named}", 0.7, why=_COMES_WITH)
        if below.files:
            yield module.chore("format", f"gofmt -l {arguments(below.files[:3], folder)}", 0.7, why=_COMES_WITH)
        yield module.chore("build", "go build ./...", 0.8)
        commands = f"{folder}/cmd".lstrip("/")
        mains = [path for path in site.ground.paths.below(commands) if path.endswith("/main.go")]
        if len(mains) == 1:
            place = argument("./" + inside(folder, folder_of(mains[0])))
            yield module.chore("run", f"go run {place}", 0.7, why="the only main of cmd/")


# The JVM, .NET

_GRADLE_PLUGINS: Final[tuple[tuple[str, str, ChoreKind], ...]] = (
    ("spotless", "spotlessCheck", "format"), ("ktlint", "ktlintCheck", "lint"), ("detekt", "detekt", "lint"),
)  # fmt: skip
_MAVEN_PLUGINS: Final[tuple[tuple[str, str, ChoreKind], ...]] = (
    ("spotless-maven", "spotless:check", "format"), ("maven-checkstyle", "checkstyle:check", "lint"),
)  # fmt: skip


def _gradle(site: Site) -> Iterator[Chore]:
    jvm = site.ending(".java", ".kt", ".kts", ".scala", ".groovy", ".gradle")
    for folder, manifest, below in jvm.homes("build.gradle", "build.gradle.kts"):
        root = folder_of(found_up(site.ground, folder, "settings.gradle", "settings.gradle.kts") or manifest)
        call = "./gradlew" if site.ground.first(root, "gradlew") else "gradle"
        project = ":" + inside(root, folder).replace("/", ":") + ":" if folder != root else ""
        package = _Package(source=manifest, why="a Gradle project", folder=root)
        tests = below.tests[:_MOST_TESTS]
        chosen = " ".join(f"--tests {argument('*' + stem_of(path))}" for path in tests)
        yield from package.tested(f"{call} {argument(project + 'test')}", 0.8, tests, chosen)
        yield package.chore("build", f"{call} {argument(project + 'assemble')}", 0.8)
        for plugin, task, kind in _GRADLE_PLUGINS:
            if line_with(site.ground.read(manifest) or "", plugin) is not None:
                yield package.chore(kind, f"{call} {argument(project + task)}", 0.7, why=f"the plugin {plugin}")


def _maven(site: Site) -> Iterator[Chore]:
    for folder, manifest, below in site.ending(".java", ".kt", ".scala").homes("pom.xml"):
        text = site.ground.read(manifest) or ""
        root = _top(site, folder, "pom.xml")
        call = "./mvnw" if site.ground.first(root, "mvnw") else "mvn"
        module = f" -pl {argument(inside(root, folder))}" if folder != root else ""
        package = _Package(source=manifest, why="a Maven module", folder=root, line=line_with(text, "<artifactId>"))
        tests = tuple(path for path in below.tests if "/test/" in f"/{path}")[:_MOST_TESTS]
        names = option("-Dtest=" + ",".join(map(stem_of, tests)))
        yield from package.tested(f"{call}{module} test", 0.85, tests, names)
        yield package.chore("build", f"{call}{module}{' -am' if module else ''} package -DskipTests", 0.8)
        for plugin, goal, kind in _MAVEN_PLUGINS:
            if plugin in text:
                yield package.chore(kind, f"{call}{module} {goal}", 0.7, why=f"the plugin {plugin}")


def _top(site: Site, folder: str, name: str) -> str:
    """The uppermost folder of an unbroken row of folders that hold a manifest."""
    while folder and site.ground.first(folder_of(folder), name) is not None:
        folder = folder_of(folder)
    return folder


def _dotnet(site: Site) -> Iterator[Chore]:
    sharp = site.ending(".cs", ".fs", ".vb", ".razor")
    named = tuple(path for path in sharp.tests if re.search(r"(?:Tests?|Specs?|Fixture)$", stem_of(path)))
    leading = (named or sharp.tests)[:_MOST_TESTS]
    for project in dict.fromkeys(project for path in leading if (project := _project(site, path))):
        tests = tuple(path for path in leading if _project(site, path) == project)
        terms = argument("|".join(f"FullyQualifiedName~{stem_of(path)}" for path in tests))
        package = _Package(source=project, why="the project of the tests")
        yield from package.tested(f"dotnet test {argument(project)}", 0.85, tests, f"--filter {terms}")
    top = site.ground.paths.files_in("") if sharp.all else ()
    solution = next((path for path in top if path.endswith((".sln", ".slnx"))), None)
    if solution is not None:
        package = _Package(source=solution, why="the solution")
        yield package.chore("test", f"dotnet test {argument(solution)}", 0.8)
        yield package.chore("build", f"dotnet build {argument(solution)}", 0.85)
        yield package.chore("format", f"dotnet format {argument(solution)} --verify-no-changes", 0.55, why=_COMES_WITH)


def _project(site: Site, path: str) -> str | None:
    """The nearest project file around a file."""
    folder = folder_of(path)
    while True:
        files = site.ground.paths.files_in(folder)
        found = next((each for each in files if each.endswith((".csproj", ".fsproj", ".vbproj"))), None)
        if found is not None or not folder:
            return found
        folder = folder_of(folder)


# PHP, Ruby, Elixir


def _php(site: Site) -> Iterator[Chore]:
    for folder, settings, below in site.ending(".php").homes("phpunit.xml", "phpunit.xml.dist", "phpunit.dist.xml"):
        manifest = site.ground.first(folder, "composer.json")
        pest = manifest is not None and '"pestphp/pest"' in (site.ground.read(manifest) or "")
        package = _Package(source=settings, why=f"it has {name_of(settings)}", folder=folder)
        tests = below.tests[:1]
        yield from package.tested(f"vendor/bin/{'pest' if pest else 'phpunit'}", 0.85, tests, arguments(tests, folder))


def _ruby(site: Site) -> Iterator[Chore]:
    for folder, manifest, below in site.ending(".rb", ".rake").homes("Gemfile", "gems.rb", "Rakefile"):
        specs = tuple(path for path in below.tests if path.endswith("_spec.rb"))[:_MOST_TESTS]
        units = tuple(path for path in below.tests if path.endswith("_test.rb"))[:_MOST_TESTS]
        rspec, rails = (
            site.ground.first(folder, ".rspec", "spec/spec_helper.rb"),
            site.ground.first(folder, "bin/rails"),
        )
        if rspec is not None:
            package = _Package(source=rspec, why="it has RSpec", folder=folder)
            yield from package.tested("bundle exec rspec", 0.85, specs, arguments(specs, folder))
        elif rails is not None:
            package = _Package(source=rails, why="a Rails application", folder=folder)
            yield from package.tested("bin/rails test", 0.85, units, arguments(units, folder))
        elif units:
            package = _Package(source=manifest, why="tests by name", folder=folder)
            command = f"bundle exec ruby -Itest {arguments(units[:1], folder)}"
            yield package.chore("test", command, 0.6, tests=units[:1])


def _mix(site: Site) -> Iterator[Chore]:
    for folder, manifest, below in site.ending(".ex", ".exs", ".heex").homes("mix.exs"):
        package = _Package(source=manifest, why="a Mix project", folder=folder)
        tests = tuple(path for path in below.tests if path.endswith("_test.exs"))[:_MOST_TESTS]
        yield from package.tested("mix test", 0.85, tests, arguments(tests, folder))
        yield package.chore("build", "mix compile", 0.8)


# C and C++, and those with one command


def _cpp(site: Site) -> Iterator[Chore]:
    if not site.ending(*CPP, ".y", ".l").all:
        return
    cmake, meson = site.ground.first("", "CMakeLists.txt"), site.ground.first("", "meson.build")
    configure = site.ground.first("", "configure.ac") if site.ground.first("", "Makefile.am") else None
    if cmake is not None:
        line = line_with(site.ground.read(cmake) or "", "enable_testing", "include(CTest)", "add_test")
        yield _Package(source=cmake, why="CMake").chore("build", "cmake -B build && cmake --build build", 0.75)
        if line is not None:
            package = _Package(source=cmake, why="CTest is enabled; build first", line=line)
            yield package.chore("test", "ctest --test-dir build --output-on-failure", 0.75)
    if meson is not None:
        package = _Package(source=meson, why="Meson")
        yield package.chore("build", "meson setup build && meson compile -C build", 0.75)
        yield package.chore("test", "meson test -C build", 0.75, why="Meson; build first")
    if configure is not None:
        package = _Package(source=configure, why="Autotools")
        yield package.chore("build", "autoreconf -i && ./configure && make", 0.7)
        yield package.chore("test", "make check", 0.75, why="Autotools; build first")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Simple:
    """A toolchain with one call for all tests and one that builds."""

    endings: tuple[str, ...]
    manifest: str
    test: str
    build: str = ""
    takes_files: bool = False


_SIMPLE: Final = (
    _Simple(endings=(".swift",), manifest="Package.swift", test="swift test", build="swift build"),
    _Simple(endings=(".dart",), manifest="pubspec.yaml", test="dart test", takes_files=True),
    _Simple(endings=(".zig",), manifest="build.zig", test="zig build test", build="zig build"),
    _Simple(endings=(".scala", ".sc"), manifest="build.sbt", test="sbt test", build="sbt compile"),
    _Simple(endings=(".hs",), manifest="stack.yaml", test="stack test", build="stack build"),
    _Simple(endings=(".jl",), manifest="Project.toml", test="julia --project -e 'using Pkg; Pkg.test()'"),
)


def _simple(site: Site) -> Iterator[Chore]:
    for chain in _SIMPLE:
        for folder, manifest, below in site.ending(*chain.endings).homes(chain.manifest):
            flutter = chain.test == "dart test" and "sdk: flutter" in (site.ground.read(manifest) or "")
            tests = below.tests[:_MOST_TESTS] if chain.takes_files else ()
            package = _Package(source=manifest, why=f"it has a {name_of(manifest)}", folder=folder)
            call = "flutter test" if flutter else chain.test
            yield from package.tested(call, 0.8, tests, arguments(tests, folder))
            if chain.build:
                yield package.chore("build", chain.build, 0.8)


_CHAINS: Final[tuple[Callable[[Site], Iterator[Chore]], ...]] = (
    _python, _cargo, _go, _gradle, _maven, _dotnet, _php, _ruby, _mix, _cpp, _simple
)  # fmt: skip
