"""Several repositories side by side: places by name, and how they are related."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from agenvantage.context.between import circles, edges_between, needs
from agenvantage.context.errors import BadRequest
from agenvantage.context.several import (
    BadName,
    MissingRepository,
    RepeatedName,
    RepeatedRepository,
    RepositorySet,
    UnknownRepository,
    by_name,
)
from agenvantage.context.source_edge import SourceEdge
from conftest import make_repository

Files = Mapping[str, str]


def opened(folder: Path, **repositories: Files) -> RepositorySet:
    """A set of real repositories, each with these files."""
    for name, files in repositories.items():
        made = make_repository(folder / name)
        for path, text in files.items():
            made.write(path, text)
        made.commit()
    return RepositorySet.open({name: folder / name for name in repositories})


def between(chosen: RepositorySet, kind: str) -> list[SourceEdge]:
    with chosen:
        return [edge for edge in edges_between(chosen) if edge.kind == kind]


def ends(edges: list[SourceEdge]) -> list[tuple[str, str]]:
    return sorted((edge.source, edge.target) for edge in edges)


# A dependency, and a file that imports what is depended on, as each ecosystem spells them.
PYTHON = (
    {
        "pyproject.toml": '[project]\nname = "app"\ndependencies = ["acme-lib>=1"]\n',
        "app.py": "from acme.tools import x\n",
    },
    {"pyproject.toml": '[project]\nname = "Acme_Lib"\n', "src/acme/__init__.py": "", "src/acme/tools.py": "x = 1\n"},
    ("pyproject.toml", "pyproject.toml"),
    ("app.py", "src/acme/tools.py"),
)
NPM = (
    {
        "package.json": '{"name": "app", "dependencies": {"@acme/lib": "1"}}',
        "a.ts": 'import { x } from "@acme/lib/util";\n',
    },
    {"package.json": '{"name": "@acme/lib"}', "util.ts": "export const x = 1;\n"},
    ("package.json", "package.json"),
    ("a.ts", "util.ts"),
)
GO = (
    {
        "go.mod": "module example.org/app\n\nrequire example.org/lib v1.0.0\n",
        "main.go": 'package main\n\nimport "example.org/lib/tools"\n\nfunc main() { tools.Run() }\n',
    },
    {"go.mod": "module example.org/lib\n", "tools/tools.go": "package tools\n\nfunc Run() {}\n"},
    ("go.mod", "go.mod"),
    ("main.go", "tools/tools.go"),
)
CARGO = (
    {
        "Cargo.toml": '[package]\nname = "app"\n\n[dependencies]\nacme-lib = "1"\n',
        "src/main.rs": "use acme_lib::tools::run;\n\nfn main() { run(); }\n",
    },
    {
        "Cargo.toml": '[package]\nname = "acme-lib"\n',
        "src/lib.rs": "pub mod tools;\n",
        "src/tools.rs": "pub fn run() {}\n",
    },
    ("Cargo.toml", "Cargo.toml"),
    ("src/main.rs", "src/tools.rs"),
)
MAVEN = (
    {
        "pom.xml": "<project><groupId>org.a</groupId><artifactId>app</artifactId><dependencies><dependency>"
        "<groupId>org.acme</groupId><artifactId>lib</artifactId></dependency></dependencies></project>",
        "src/main/java/org/a/App.java": "package org.a;\n\nimport org.acme.Tool;\n\nclass App { Tool tool; }\n",
    },
    {
        "pom.xml": "<project><groupId>org.acme</groupId><artifactId>lib</artifactId></project>",
        "src/main/java/org/acme/Tool.java": "package org.acme;\n\npublic class Tool {}\n",
    },
    ("pom.xml", "pom.xml"),
    ("src/main/java/org/a/App.java", "src/main/java/org/acme/Tool.java"),
)
GRADLE = (
    {
        "build.gradle": "dependencies { implementation 'org.acme:lib:1.0' }\n",
        "src/main/java/org/a/App.java": "package org.a;\n\nimport org.acme.Tool;\n\nclass App { Tool tool; }\n",
    },
    MAVEN[1],
    ("build.gradle", "pom.xml"),
    MAVEN[3],
)
COMPOSER = (
    {
        "composer.json": '{"name": "a/app", "require": {"acme/lib": "^1"}}',
        "src/App.php": "<?php\nnamespace App;\n\nuse Acme\\Lib\\Tool;\n\nclass App { public Tool $tool; }\n",
    },
    {
        "composer.json": '{"name": "acme/lib", "autoload": {"psr-4": {"Acme\\\\Lib\\\\": "src/"}}}',
        "src/Tool.php": "<?php\nnamespace Acme\\Lib;\n\nclass Tool {}\n",
    },
    ("composer.json", "composer.json"),
    ("src/App.php", "src/Tool.php"),
)
ECOSYSTEMS = pytest.mark.parametrize(
    ("app", "lib", "manifests", "files"),
    [PYTHON, NPM, GO, CARGO, MAVEN, GRADLE, COMPOSER],
    ids=["python", "npm", "go", "cargo", "maven", "gradle", "composer"],
)


@ECOSYSTEMS
def test_a_package_depends_on_one_that_another_repository_publishes(tmp_path, app, lib, manifests, files):
    found = between(opened(tmp_path, app=app, lib=lib), "depends_on")
    assert ends(found) == [(f"app:{manifests[0]}", f"lib:{manifests[1]}")]


@ECOSYSTEMS
def test_a_file_imports_a_file_of_the_package_that_it_depends_on(tmp_path, app, lib, manifests, files):
    found = between(opened(tmp_path, app=app, lib=lib), "imports")
    assert ends(found) == [(f"app:{files[0]}", f"lib:{files[1]}")]


def test_an_import_says_its_line(tmp_path):
    app = {**PYTHON[0], "app.py": "import os\n\nfrom acme.tools import x\n"}
    assert [edge.line for edge in between(opened(tmp_path, app=app, lib=PYTHON[1]), "imports")] == [3]


def test_without_a_dependency_nothing_is_imported_from_another_repository(tmp_path):
    app = {**PYTHON[0], "pyproject.toml": '[project]\nname = "app"\n'}
    assert between(opened(tmp_path, app=app, lib=PYTHON[1]), "imports") == []


def test_a_package_of_the_own_tree_comes_before_one_of_another(tmp_path):
    app = {
        "package.json": '{"name": "app", "workspaces": ["lib"], "dependencies": {"@acme/lib": "1"}}',
        "lib/package.json": '{"name": "@acme/lib"}',
    }
    assert between(opened(tmp_path, app=app, lib=NPM[1]), "depends_on") == []


def test_a_package_that_two_repositories_publish_is_divided_among_them(tmp_path):
    found = between(opened(tmp_path, app=NPM[0], lib=NPM[1], fork=NPM[1]), "depends_on")
    assert [edge.certainty for edge in found] == [0.45, 0.45]


def test_repositories_that_need_each_other_are_a_circle(tmp_path):
    one = {"package.json": '{"name": "one", "dependencies": {"two": "1"}}'}
    two = {"package.json": '{"name": "two", "dependencies": {"one": "1"}}'}
    with opened(tmp_path, one=one, two=two) as chosen:
        assert circles(needs(chosen)) == (("one", "two"),)


def test_a_circle_by_way_of_a_third_is_found(tmp_path):
    files = {
        name: {"package.json": f'{{"name": "{name}", "dependencies": {{"{other}": "1"}}}}'}
        for name, other in (("a", "b"), ("b", "c"), ("c", "a"), ("d", "a"))
    }
    with opened(tmp_path, **files) as chosen:
        assert circles(needs(chosen)) == (("a", "b", "c"),)


def test_without_a_circle_there_is_none(tmp_path):
    with opened(tmp_path, app=NPM[0], lib=NPM[1]) as chosen:
        assert circles(needs(chosen)) == ()


def test_a_table_that_one_repository_makes_and_another_uses_relates_them(tmp_path):
    api = {"models.py": 'from sqlalchemy import Table\n\ninvoices = Table("invoices", metadata)\n'}
    database = {"schema.sql": "CREATE TABLE invoices (id INTEGER PRIMARY KEY);\n"}
    assert ends(between(opened(tmp_path, database=database, api=api), "references")) == [
        ("api:models.py", "database:schema.sql")
    ]


def test_a_message_that_both_define_relates_them(tmp_path):
    message = 'syntax = "proto3";\n\nmessage Invoice {\n  int32 id = 1;\n}\n'
    found = between(opened(tmp_path, one={"a.proto": message}, two={"b.proto": message}), "references")
    assert ends(found) == [("one:a.proto", "two:b.proto")]


def test_a_route_that_one_calls_and_another_serves_relates_them_with_little_certainty(tmp_path):
    web = {"checkout.ts": 'export const pay = () => fetch("/invoices/open");\n'}
    api = {"app.py": '@app.get("/invoices/open")\ndef invoices():\n    return []\n'}
    found = between(opened(tmp_path, web=web, api=api), "routes")
    assert [(edge.source, edge.target, edge.certainty) for edge in found] == [("web:checkout.ts", "api:app.py", 0.3)]


def test_a_route_that_both_serve_relates_nobody(tmp_path):
    api = {"app.py": '@app.get("/invoices/open")\ndef invoices():\n    return []\n'}
    assert between(opened(tmp_path, one=api, two=api), "routes") == []


@pytest.mark.parametrize("route", ["/status", "/"])
def test_a_route_that_anybody_may_have_relates_nobody(tmp_path, route):
    web = {"checkout.ts": f'export const pay = () => fetch("{route}");\n'}
    api = {"app.py": f'@app.get("{route}")\ndef status():\n    return []\n'}
    assert between(opened(tmp_path, web=web, api=api), "routes") == []


def test_a_place_is_a_name_and_a_path(tmp_path):
    with opened(tmp_path, app=PYTHON[0], lib=PYTHON[1]) as chosen:
        assert chosen.view("lib:src/acme/tools.py").text == "x = 1\n"
        assert chosen.facts("app:app.py").imports[0].module == "acme.tools"


def test_a_definition_is_looked_for_in_all(tmp_path):
    with opened(tmp_path, one={"a.py": "def pay(): ...\n"}, two={"b.py": "def pay(): ...\n"}) as chosen:
        assert chosen.defining("pay") == ("one:a.py", "two:b.py")


def test_each_repository_is_refreshed(tmp_path):
    with opened(tmp_path, one={"a.py": "x = 1\n"}, two={"b.py": "x = 1\n"}) as chosen:
        (tmp_path / "two" / "b.py").write_text("def fresh(): ...\n")
        after = chosen.refresh()
        assert after.defining("fresh") == ("two:b.py",)
        assert after["one"] is chosen["one"]


def test_a_set_that_nothing_changed_in_stays_itself(tmp_path):
    with opened(tmp_path, one={"a.py": "x = 1\n"}) as chosen:
        assert chosen.refresh() is chosen


def test_a_missing_repository_is_named(tmp_path):
    with pytest.raises(MissingRepository, match="'lib' was to be at"):
        RepositorySet.open({"lib": tmp_path / "nowhere"})


def test_nothing_is_read_before_all_places_are_known(tmp_path):
    make_repository(tmp_path / "one")
    with pytest.raises(MissingRepository):
        RepositorySet.open({"one": tmp_path / "one", "two": tmp_path / "nowhere"}, cache_dir=tmp_path / "cache")
    assert not (tmp_path / "cache").exists()


def test_one_repository_under_two_names_is_refused(tmp_path):
    make_repository(tmp_path / "one").commit()
    (tmp_path / "link").symlink_to(tmp_path / "one")
    with pytest.raises(RepeatedRepository, match="'a' and 'b'"):
        RepositorySet.open({"a": tmp_path / "one", "b": tmp_path / "link"})


def test_a_name_given_twice_is_refused():
    with pytest.raises(RepeatedName):
        by_name([("a", Path("x")), ("a", Path("y"))])


@pytest.mark.parametrize("name", ["", "a:b", "a/b", "-a", ".a", "a b", "a\n"])
def test_a_name_that_can_not_stand_before_a_path_is_refused(name):
    with pytest.raises(BadName):
        by_name([(name, Path("x"))])


def test_an_unknown_name_is_answered_with_the_known_ones(tmp_path):
    with opened(tmp_path, one={"a.py": ""}) as chosen, pytest.raises(UnknownRepository, match="Repositories: one"):
        chosen.view("two:a.py")


def test_every_fault_of_a_set_is_the_callers_to_mend():
    assert all(issubclass(each, BadRequest) for each in (BadName, MissingRepository, RepeatedName, RepeatedRepository))
