"""Which commands are found for which files, from manifests, settings and CI; how they are narrowed and spelled."""

from __future__ import annotations

import json
import shlex
import time

import pytest
from agenvantage.context.chores import argument, kind_of_line, kind_of_name
from agenvantage.context.ci_steps import ci_steps
from hypothesis import given
from hypothesis import strategies as st
from route_kit import commands, ground

PY, PY_TEST = ("shop/cart.py",), ("tests/test_cart.py",)
JS, JS_TEST = ("src/cart.ts",), ("src/cart.test.ts",)


def package(*, name="shop", **scripts):
    return json.dumps(
        {"name": name, "scripts": {key.replace("__", ":"): body for key, body in scripts.items()}}, indent=1
    )


# Python


@pytest.mark.parametrize(
    "files",
    [
        {"pytest.ini": "[pytest]\n"},
        {"pyproject.toml": "[tool.pytest.ini_options]\n"},
        {"setup.cfg": "[tool:pytest]\n"},
        {"tox.ini": "[pytest]\n"},
        {"conftest.py": ""},
        {"requirements-dev.txt": "pytest>=8\n"},
    ],
)
def test_pytest_is_narrowed_to_the_likely_tests(files):
    assert commands(files, PY, PY_TEST)["pytest tests/test_cart.py"].narrowed_to == PY_TEST


@pytest.mark.parametrize(
    ("lock", "prefix"), [("uv.lock", "uv run"), ("poetry.lock", "poetry run"), ("pdm.lock", "pdm run")]
)
def test_the_lock_file_says_how_pytest_is_called(lock, prefix):
    assert f"{prefix} pytest" in commands({"pytest.ini": "[pytest]\n", lock: ""}, PY)


def test_a_django_project_is_tested_by_its_own_command():
    found = commands({"manage.py": ""}, ("shop/models.py",), ("shop/tests/test_models.py",))
    assert "python manage.py test shop.tests.test_models" in found


def test_tests_that_import_unittest_are_run_by_it():
    files = {"tests/test_cart.py": "import unittest\n"}
    assert "python -m unittest tests/test_cart.py" in commands(files, PY, PY_TEST)


def test_tox_passes_on_tests_where_its_file_says_so():
    files = {"tox.ini": "[testenv:test]\ncommands = pytest {posargs}\n"}
    assert "tox -e test -- tests/test_cart.py" in commands(files, PY, PY_TEST)


@pytest.mark.parametrize(
    ("files", "command"),
    [
        ({"pyproject.toml": "[tool.ruff]\n"}, "ruff check shop/cart.py"),
        ({"ruff.toml": ""}, "ruff check shop/cart.py"),
        ({"setup.cfg": "[flake8]\n"}, "flake8 shop/cart.py"),
        ({"pyproject.toml": "[tool.black]\n"}, "black shop/cart.py"),
        ({"mypy.ini": ""}, "mypy shop/cart.py"),
        ({"pyrightconfig.json": "{}"}, "pyright shop/cart.py"),
        ({"noxfile.py": "def lint(session):\n"}, "nox -s lint"),
        ({"pyproject.toml": "[tool.poe.tasks]\ntypecheck = 'mypy'\n"}, "poe typecheck"),
        ({"pyproject.toml": "[tool.hatch.envs.default.scripts]\nlint = 'x'\n"}, "hatch run lint"),
        ({".pre-commit-config.yaml": "repos: []\n"}, "pre-commit run --files shop/cart.py"),
    ],
)
def test_checkers_are_found_by_their_settings(files, command):
    assert command in commands(files, PY)


def test_a_setting_is_told_by_file_and_line():
    chore = commands({"pyproject.toml": "[project]\n\n[tool.mypy]\nstrict = true\n"}, PY)["mypy shop/cart.py"]
    assert (chore.source, chore.line) == ("pyproject.toml", 3)


def test_a_checker_of_another_language_is_left_out():
    assert not commands({".rubocop.yml": "", ".golangci.yml": ""}, PY)


# JavaScript


@pytest.mark.parametrize(
    ("lock", "command"),
    [
        ("package-lock.json", "npm test"),
        ("pnpm-lock.yaml", "pnpm test"),
        ("yarn.lock", "yarn test"),
        ("bun.lockb", "bun run test"),
        ("LICENSE", "npm test"),
    ],
)
def test_the_lock_file_says_who_runs_the_scripts(lock, command):
    assert command in commands({"package.json": package(test="x"), lock: ""}, JS)


def test_the_manifests_own_word_goes_before_the_lock_file():
    said = json.dumps({"packageManager": "pnpm@9", "scripts": {"test": "x"}})
    assert "pnpm test" in commands({"package.json": said, "yarn.lock": ""}, JS)


@pytest.mark.parametrize(
    "body", ["vitest run", "jest --ci", "NODE_ENV=test mocha", "cross-env A=1 jest", "node --test"]
)
def test_a_script_that_is_a_runner_takes_the_likely_tests(body):
    assert "npm test -- src/cart.test.ts" in commands({"package.json": package(test=body)}, JS, JS_TEST)


@pytest.mark.parametrize("body", ["turbo run test", "jest && eslint .", "npm-run-all test:*"])
def test_a_script_that_does_more_takes_none(body):
    found = commands({"package.json": package(test=body)}, JS, JS_TEST)
    assert [command for command in found if "cart" in command] == []


WORKSPACE = {
    "package.json": json.dumps({"workspaces": ["packages/*"]}),
    "packages/a/package.json": package(name="@x/a", test="jest"),
}


@pytest.mark.parametrize(
    ("lock", "command"),
    [
        ("package-lock.json", "npm test --workspace packages/a -- src/cart.test.ts"),
        ("pnpm-lock.yaml", "pnpm --filter @x/a run test src/cart.test.ts"),
        ("yarn.lock", "yarn workspace @x/a run test src/cart.test.ts"),
    ],
)
def test_a_member_of_a_workspace_is_tested_from_the_root(lock, command):
    assert command in commands({**WORKSPACE, lock: ""}, ("packages/a/src/cart.ts",), ("packages/a/src/cart.test.ts",))


def test_the_script_that_npm_writes_by_itself_is_none():
    said = package(test='echo "Error: no test specified" && exit 1')
    assert not commands({"package.json": said}, JS)


def test_a_script_is_told_by_its_line():
    assert commands({"package.json": package(build="vite build", lint="eslint .")}, JS)["npm run lint"].line == 5


def test_a_script_that_watches_is_less_sure():
    found = commands({"package.json": package(test="vitest", test__watch="vitest --watch")}, JS)
    assert "npm run test:watch" not in found or found["npm run test:watch"].certainty < found["npm test"].certainty


def test_eslint_is_called_as_the_package_manager_does():
    assert "pnpm exec eslint src/cart.ts" in commands({"eslint.config.js": "", "pnpm-lock.yaml": ""}, JS)


# Others


CARGO = {"crates/core/Cargo.toml": '[package]\nname = "shop-core"\n'}


@pytest.mark.parametrize(
    ("files", "likely", "tests", "command"),
    [
        (CARGO, ("crates/core/src/lib.rs",), (), "cargo test -p shop-core"),
        (CARGO, ("crates/core/src/lib.rs",), ("crates/core/tests/cart.rs",), "cargo test -p shop-core --test cart"),
        (
            CARGO,
            ("crates/core/src/lib.rs",),
            ("crates/core/tests/suite/cart.rs",),
            "cargo test -p shop-core --test suite -- cart",
        ),
        ({"go.mod": "module x\n"}, ("a/b/c.go",), ("a/b/c_test.go",), "go test ./a/b"),
        ({"tools/go.mod": "module x\n"}, ("tools/b/c.go",), (), "go test ./b"),
        (
            {"settings.gradle": "", "gradlew": "", "app/build.gradle": ""},
            ("app/src/main/java/Cart.java",),
            ("app/src/test/java/CartTest.java",),
            "./gradlew :app:test --tests '*CartTest'",
        ),
        (
            {"pom.xml": "<project/>", "core/pom.xml": "<project/>", "mvnw": ""},
            ("core/src/main/java/Cart.java",),
            ("core/src/test/java/CartTest.java",),
            "./mvnw -pl core test -Dtest=CartTest",
        ),
        (
            {"Shop.sln": "", "tests/Shop.Tests/Shop.Tests.csproj": "<Project/>"},
            ("src/Cart.cs",),
            ("tests/Shop.Tests/CartTests.cs",),
            "dotnet test tests/Shop.Tests/Shop.Tests.csproj --filter 'FullyQualifiedName~CartTests'",
        ),
        ({"phpunit.xml.dist": ""}, ("src/Cart.php",), ("tests/CartTest.php",), "vendor/bin/phpunit tests/CartTest.php"),
        ({"composer.json": '{"scripts": {"lint": "phpcs"}}'}, ("src/Cart.php",), (), "composer lint"),
        ({"Gemfile": "", ".rspec": ""}, ("lib/a.rb",), ("spec/a_spec.rb",), "bundle exec rspec spec/a_spec.rb"),
        ({"Gemfile": "", "bin/rails": ""}, ("app/a.rb",), ("test/a_test.rb",), "bin/rails test test/a_test.rb"),
        ({"Gemfile": "", ".rubocop.yml": ""}, ("lib/a.rb",), (), "bundle exec rubocop lib/a.rb"),
        ({"mix.exs": ""}, ("lib/a.ex",), ("test/a_test.exs",), "mix test test/a_test.exs"),
        ({"CMakeLists.txt": "enable_testing()\n"}, ("src/a.cc",), (), "ctest --test-dir build --output-on-failure"),
        ({"meson.build": ""}, ("src/a.c",), (), "meson test -C build"),
        ({"configure.ac": "", "Makefile.am": ""}, ("src/a.c",), (), "make check"),
        ({"Package.swift": ""}, ("Sources/A/a.swift",), (), "swift test"),
        ({"pubspec.yaml": ""}, ("lib/a.dart",), ("test/a_test.dart",), "dart test test/a_test.dart"),
        ({"Makefile": "test: build\n\tgo test\n"}, ("a.go",), (), "make test"),
        ({"justfile": "lint *args:\n  ruff\n"}, ("a.py",), (), "just lint"),
        ({"Taskfile.yml": "tasks:\n  test:\n    cmds: [x]\n"}, ("a.go",), (), "task test"),
        ({"deno.json": '{"tasks": {"test": "x"}}'}, ("a.ts",), (), "deno task test"),
        ({"bin/test": ""}, ("a.c",), (), "bin/test"),
        ({"scripts/lint.sh": ""}, ("a.c",), (), "scripts/lint.sh"),
    ],
)
def test_each_toolchain_tests_what_the_files_are_in(files, likely, tests, command):
    assert command in commands(files, likely, tests)


def test_a_module_below_the_root_is_tested_in_its_folder():
    assert commands({"tools/go.mod": "module x\n"}, ("tools/b/c.go",))["go test ./b"].folder == "tools"


def test_a_target_that_only_sets_a_variable_is_none():
    assert not commands({"Makefile": "test := 1\nlint ::= 2\n"}, ("a.c",))


# CI


WORKFLOW = """
jobs:
  a:
    steps:
      - uses: x/y@v1
      - name: tests
        working-directory: api
        run: |
          # first
          cargo test \\
            --workspace
          echo done
      - run: make lint
      - run: npm run build ${{ matrix.flag }}
      - run: >-
          dotnet test
          Shop.sln
"""
CI = ".github/workflows/ci.yml"


def steps(text, path=CI):
    return {step.command: step for step in ci_steps(ground({path: text}))}


def test_a_step_is_told_by_its_line():
    assert steps(WORKFLOW)["make lint"].line == 13


def test_lines_that_go_on_are_one_command():
    assert "cargo test --workspace" in steps(WORKFLOW)


def test_a_folded_step_is_one_command():
    assert "dotnet test Shop.sln" in steps(WORKFLOW)


def test_a_step_is_run_in_its_working_directory():
    assert (steps(WORKFLOW)["cargo test --workspace"].folder, steps(WORKFLOW)["make lint"].folder) == ("api", "")


def test_a_command_with_what_only_ci_knows_is_left_out():
    assert not any("matrix" in command for command in steps(WORKFLOW))


def test_what_is_changed_into_is_the_folder():
    assert steps("jobs:\n  a:\n    steps:\n      - run: cd web && npm test\n")["npm test"].folder == "web"


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (".gitlab-ci.yml", "test:\n  script:\n    - make test\n"),
        (".travis.yml", "script: make test\n"),
        (".travis.yml", "script:\n- make test\n"),
        (".circleci/config.yml", "jobs:\n  a:\n    steps:\n      - run: make test\n"),
        (".circleci/config.yml", "jobs:\n  a:\n    steps:\n      - run:\n          command: make test\n"),
        ("azure-pipelines.yml", "steps:\n- script: make test\n"),
        ("appveyor.yml", "test_script:\n  - make test\n"),
    ],
)
def test_pipelines_of_other_services_are_read(path, text):
    assert "make test" in steps(text, path)


def test_a_command_that_ci_runs_as_well_is_surer():
    files = {"pytest.ini": "[pytest]\n"}
    with_ci = commands({**files, CI: "jobs:\n  a:\n    steps:\n      - run: pytest -q\n"}, PY)
    assert with_ci["pytest"].certainty > commands(files, PY)["pytest"].certainty


def test_a_command_that_only_ci_names_is_found():
    found = commands({CI: "jobs:\n  a:\n    steps:\n      - run: ctest -j 4\n"}, ("a.py",))
    assert (found["ctest -j 4"].source, found["ctest -j 4"].line) == (CI, 4)


# Spelling and safety


def test_a_hostile_file_name_is_one_word():
    name = "tests/test_$(rm -rf ~);x.py"
    found = commands({"pytest.ini": "[pytest]\n"}, PY, (name,))
    assert shlex.split(next(command for command in found if "rm" in command)) == ["pytest", name]


def test_a_file_name_that_looks_like_an_option_is_none():
    found = commands({"pytest.ini": "[pytest]\n"}, ("a.py",), ("-p evil_test.py",))
    assert "pytest './-p evil_test.py'" in found


def test_a_file_name_with_a_line_break_is_left_out():
    found = commands({"pytest.ini": "[pytest]\n"}, PY, ("tests/test_a\nb.py",))
    assert all("\n" not in command for command in found)


def test_a_hostile_script_name_is_left_out():
    said = json.dumps({"scripts": {"test; rm -rf ~": "x", "lint\nrm": "x", "test$(x)": "x"}})
    assert all("rm" not in command and "$(" not in command for command in commands({"package.json": said}, JS))


def test_a_hostile_crate_name_is_one_word():
    found = commands({"Cargo.toml": '[package]\nname = "a; rm -rf ~"\n'}, ("src/lib.rs",))
    assert "cargo test -p 'a; rm -rf ~'" in found


@pytest.mark.parametrize(
    "files",
    [
        {"package.json": "[" * 100_000},
        {"package.json": '{"scripts": "x", "packageManager": 3}'},
        {"package.json": '{"scripts": {"test": {"a": 1}}, "name": ["x"]}'},
        {"pyproject.toml": "[" * 50_000},
        {"pyproject.toml": "tool = 3\n"},
        {"Cargo.toml": "package = 3\n"},
        {"composer.json": "null"},
        {"Makefile": "a" * 500_000},
        {CI: "- run: |\n" * 20_000},
        {CI: "run:" + " -" * 100_000},
    ],
)
def test_a_broken_or_huge_manifest_breaks_nothing(files):
    began = time.monotonic()
    commands(files, ("a.py", "a.ts", "a.rs", "a.php"))
    assert time.monotonic() - began < 5


@given(st.text(max_size=60))
def test_any_text_is_one_shell_word(text):
    assert len(shlex.split(argument(text))) == 1


def test_at_most_three_test_commands_are_named_and_one_is_for_all():
    files = {"pytest.ini": "[pytest]\n", "tox.ini": "[testenv:test]\nx = {posargs}\n", "Makefile": "test:\n"}
    found = [chore for chore in commands(files, PY, PY_TEST).values() if chore.kind == "test"]
    assert (len(found), any(not chore.narrowed_to for chore in found)) == (3, True)


# What a name or a line does


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("test", "test"), ("test:unit", "test"), ("unit_tests", "test"), ("lint", "lint"), ("cs-check", "lint"),
        ("format", "format"), ("fmt", "format"), ("cs-fix", "format"), ("type-check", "typecheck"),
        ("check:types", "typecheck"), ("build", "build"), ("dev", "run"), ("start", "run"), ("deploy", None),
        ("release", None), ("testify", None),
    ],
)  # fmt: skip
def test_a_name_says_what_a_task_does(name, kind):
    assert (kind_of_name(name) or (None,))[0] == kind


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("uv run pytest -q", "test"),
        ("npm run test:unit", "test"),
        ("./gradlew :core:check", "test"),
        ("make -j4 check", "test"),
        ("RUSTFLAGS=x cargo nextest run", "test"),
        ("npx eslint .", "lint"),
        ("cargo clippy -- -D warnings", "lint"),
        ("ruff format --check", "format"),
        ("npx tsc --noEmit", "typecheck"),
        ("cmake --build build", "build"),
        ("pip install pytest", None),
        ("sudo apt-get install make", None),
        ("rustup component add clippy", None),
        ("git diff --exit-code", None),
        ("mv golangci-lint bin/", None),
    ],
)
def test_a_line_says_what_it_does(line, kind):
    assert (kind_of_line(line) or (None,))[0] == kind
