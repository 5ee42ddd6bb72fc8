"""Where to begin in a repository: what is a landmark, what only looks like one, in which order, how many."""

from dataclasses import dataclass

import pytest
from agenvantage.context.landmarks import landmarks
from agenvantage.context.languages import role_of
from agenvantage.context.model import Role
from agenvantage.context.parse import analyse
from agenvantage.context.syntax import FileFacts


@dataclass(frozen=True)
class File:
    path: str
    role: Role


def found(tree, also=()):
    """kind → "path: why" of the landmarks of a tree given as path → content."""
    asked = []

    def facts_of(path):
        asked.append(path)
        read = analyse(tree[path].encode(), path)
        return FileFacts(symbols=read.symbols, imports=read.imports, uses=read.uses, facts=read.facts)

    files = [File(path, role_of(path)) for path in sorted(tree)]
    marks = landmarks(files, facts_of, also)
    kinds = {each.kind: [f"{m.path}: {m.why}" for m in marks if m.kind == each.kind] for each in marks}
    return kinds | {"asked": asked}


BY_PLACE = {
    "AGENTS.md": ("instructions", "AGENTS.md: instructions to agents"),
    "packages/web/CLAUDE.md": ("instructions", "packages/web/CLAUDE.md: instructions to agents"),
    ".cursor/rules/style.mdc": ("instructions", ".cursor/rules/style.mdc: instructions to agents"),
    "pyproject.toml": ("manifest", "pyproject.toml: package"),
    "src/Api/Api.csproj": ("manifest", "src/Api/Api.csproj: package"),
    "CMakeLists.txt": ("manifest", "CMakeLists.txt: build"),
    "pkg/__main__.py": ("entry", "pkg/__main__.py: module run by name"),
    "src/bin/tool.rs": ("entry", "src/bin/tool.rs: Rust binary"),
    "bin/console": ("entry", "bin/console: executable"),
    "manage.py": ("app", "manage.py: Django"),
    "shop/settings/base.py": ("app", "shop/settings/base.py: Django settings"),
    "config/application.rb": ("app", "config/application.rb: Rails"),
    "artisan": ("app", "artisan: Laravel"),
    "apps/web/next.config.mjs": ("app", "apps/web/next.config.mjs: Next"),
    "config/routes.rb": ("router", "config/routes.rb: Rails"),
    "shop/urls.py": ("router", "shop/urls.py: Django"),
    "src/router/index.ts": ("router", "src/router/index.ts: routes"),
    ".github/workflows/ci.yml": ("ci", ".github/workflows/ci.yml: pipeline"),
    "Jenkinsfile": ("ci", "Jenkinsfile: pipeline"),
    "tests/conftest.py": ("tests", "tests/conftest.py: set-up of tests"),
    "vitest.config.ts": ("tests", "vitest.config.ts: set-up of tests"),
    "db/migrate/20240101000000_x.rb": ("migrations", "db/migrate/: migrations"),
    "prisma/migrations/20240101_x/migration.sql": ("migrations", "prisma/migrations/: migrations"),
}


@pytest.mark.parametrize("path", BY_PLACE)
def test_a_place_is_a_landmark(path):
    kind, expected = BY_PLACE[path]
    assert found({path: ""})[kind] == [expected]


@pytest.mark.parametrize(
    "path",
    [
        "node_modules/x/package.json",
        "tests/fixtures/app/package.json",
        "vendor/github.com/x/go.mod",
        "src/urls_helper.py",
        "src/agents.md.txt",
        ".github/dependabot.yml",
        "lib/routes.md",
    ],
)
def test_what_looks_like_a_landmark_is_none(path):
    assert found({path: ""}).keys() == {"asked"}


BY_FACTS = {
    "python": ("cli.py", "def main(): ...\nif __name__ == '__main__':\n    main()", "entry", "defines main"),
    "go": ("cmd/gh/main.go", "package main\nfunc main() {}", "entry", "defines main"),
    "rust": ("crates/core/main.rs", "fn main() {}", "entry", "defines main"),
    "java": ("src/main/java/a/Main.java", "class Main { static void main(String[] a) {} }", "entry", "defines main"),
    "c#": ("Program.cs", "class Program { static void Main() {} }", "entry", "defines Main"),
    "c": ("src/main.c", "int main(void) { return 0; }", "entry", "defines main"),
    "react": ("src/main.tsx", "ReactDOM.createRoot(root).render(<App />)", "app", "React"),
    "vue": ("src/main.ts", "createApp(App).mount('#app')", "app", "Vue"),
    "express": ("server.js", "const app = express()", "app", "Express"),
    "nest": ("src/main.ts", "async function f() { const app = await NestFactory.create(AppModule) }", "app", "Nest"),
    "fastapi": ("app/main.py", "app = FastAPI()", "app", "FastAPI"),
    "spring": (
        "src/main/java/a/ShopApplication.java",
        "@SpringBootApplication\nclass ShopApplication {}",
        "app",
        "Spring Boot",
    ),
    "asp.net": ("src/Api/Program.cs", "var b = WebApplication.CreateBuilder(args);", "app", "ASP.NET"),
    "routes": (
        "server.go",
        'package a\nfunc f() { r.GET("/a", x); r.GET("/b", x); r.GET("/c", x) }',
        "router",
        "routes",
    ),
}


@pytest.mark.parametrize("case", BY_FACTS)
def test_what_a_file_does_makes_it_a_landmark(case):
    path, source, kind, why = BY_FACTS[case]
    assert found({path: source})[kind] == [f"{path}: {why}"]


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("cli.py", "def main(): ..."),
        ("index.js", "export * from './a'"),
        ("server.go", "package server\nfunc main() {}"),
        ("app.py", "def app(): ..."),
        ("src/lib.rs", "fn main() {}"),
    ],
)
def test_a_name_alone_starts_nothing(path, source):
    assert found({path: source}).keys() == {"asked"}


def test_scripts_of_a_python_project_are_entries():
    tree = {"pyproject.toml": '[project.scripts]\nfoo = "foo.cli:run"\n', "src/foo/cli.py": "def run(): ..."}
    assert found(tree)["entry"] == ["src/foo/cli.py: named in pyproject.toml"]


def test_programs_of_a_package_are_entries():
    tree = {"tool/package.json": '{\n  "bin": {\n    "x": "./bin/x.js"\n  }\n}', "tool/bin/x.js": ""}
    assert found(tree)["entry"] == ["tool/bin/x.js: named in package.json"]


def test_a_program_that_is_not_in_the_tree_is_no_entry():
    assert "entry" not in found({"package.json": '{\n  "main": "dist/index.js"\n}'})


def test_a_file_named_elsewhere_is_looked_into():
    tree = {"src/tool.c": "int main(void) { return 0; }"}
    assert "entry" not in found(tree)
    assert found(tree, also=["src/tool.c"])["entry"] == ["src/tool.c: defines main"]


def test_what_lies_near_the_root_comes_first_and_examples_last():
    tree = dict.fromkeys(("package.json", "examples/package.json", "a/b/package.json", "a/package.json"), "{}")
    assert [line.split(":")[0] for line in found(tree)["manifest"]] == [
        "package.json",
        "a/package.json",
        "a/b/package.json",
    ]
    tree = dict.fromkeys(("docs/package.json", "a/b/package.json"), "{}")
    assert [line.split(":")[0] for line in found(tree)["manifest"]] == ["a/b/package.json", "docs/package.json"]


def test_there_are_not_too_many_of_a_kind():
    assert len(found({f"p{n}/package.json": "{}" for n in range(100)})["manifest"]) == 12


def test_only_so_many_files_are_looked_into():
    assert len(found({f"p{n}/main.py": "" for n in range(500)})["asked"]) == 200


def test_the_order_of_files_does_not_matter():
    paths = ["b/urls.py", "a/urls.py", "manage.py", "AGENTS.md", "a/conftest.py"]
    files = [File(path, role_of(path)) for path in paths]
    assert landmarks(files, lambda _: FileFacts()) == landmarks(files[::-1], lambda _: FileFacts())
