"""Packages: what manifests say, and which package a file is in."""

from __future__ import annotations

import json

import pytest
from agenvantage.context.packages import Package, Packages, packages
from agenvantage.context.paths import Paths


def read(texts: dict[str, str], *paths: str) -> Packages:
    return packages(Paths((*texts, *paths)), texts.get)


def only(texts: dict[str, str], *paths: str) -> Package:
    (package,) = read(texts, *paths).all
    return package


def test_package_json_gives_the_name_and_all_kinds_of_dependencies() -> None:
    text = '{"name": "@shop/web", "dependencies": {"react": "18"}, "peerDependencies": {"vue": "3"}}'
    package = only({"web/package.json": text})
    assert (package.name, package.depends_on) == ("@shop/web", ("react", "vue"))


def test_members_of_a_workspace_are_marked() -> None:
    texts = {
        "package.json": '{"name": "root", "workspaces": ["packages/*"]}',
        "packages/a/package.json": '{"name": "a"}',
        "tools/b/package.json": '{"name": "b"}',
    }
    assert {p.name: p.member for p in read(texts).all} == {"root": False, "a": True, "b": False}


def test_pnpm_lists_members_and_exceptions() -> None:
    texts = {
        "pnpm-workspace.yaml": 'packages:\n  - "libs/**"  # all\n  - \'!libs/old\'\ncatalog:\n  - "x/*"\n',
        "libs/deep/a/package.json": '{"name": "a"}',
        "libs/old/package.json": '{"name": "old"}',
        "x/y/package.json": '{"name": "y"}',
    }
    assert {p.name for p in read(texts).all if p.member} == {"a"}


def test_lerna_lists_members() -> None:
    texts = {"lerna.json": '{"packages": ["modules/*"]}', "modules/a/package.json": '{"name": "a"}'}
    assert only(texts).member


def test_exports_become_aliases_seen_from_the_root() -> None:
    text = '{"name": "a", "exports": {".": "./dist/index.js", "./deep": {"import": "./dist/deep.mjs"}}}'
    package = only({"pkg/package.json": text})
    assert package.aliases == (("./deep", ("pkg/dist/deep.mjs",)),)


def test_main_and_source_are_entries_of_the_package() -> None:
    text = '{"name": "a", "main": "dist/a.js", "source": "src/a.ts"}'
    assert only({"package.json": text}).entries == ("src/a.ts", "dist/a.js")


def test_tsconfig_may_hold_comments_and_trailing_commas() -> None:
    text = '{ // base\n "compilerOptions": {"baseUrl": "./src", /* all */ "paths": {"@/*": ["*",],},},}'
    (scope,) = read({"web/tsconfig.json": text}).scopes
    assert (scope.base, scope.aliases) == ("web/src", (("@/*", ("web/src/*",)),))


def test_a_comment_sign_within_a_text_is_text() -> None:
    text = '{"compilerOptions": {"paths": {"a//b": ["x"]}}}'
    (scope,) = read({"tsconfig.json": text}).scopes
    assert scope.aliases == (("a//b", ("x",)),)


def test_tsconfig_takes_aliases_from_what_it_extends() -> None:
    texts = {
        "tsconfig.base.json": '{"compilerOptions": {"baseUrl": ".", "paths": {"@lib": ["libs/lib.ts"]}}}',
        "apps/web/tsconfig.json": '{"extends": "../../tsconfig.base.json"}',
    }
    (scope,) = read(texts).scopes
    assert (scope.folder, scope.aliases) == ("apps/web", (("@lib", ("libs/lib.ts",)),))


def test_configs_that_extend_each_other_end() -> None:
    texts = {"tsconfig.json": '{"extends": "./tsconfig.a.json"}', "tsconfig.a.json": '{"extends": "./tsconfig.json"}'}
    assert read(texts).scopes[0].aliases == ()


def test_the_nearest_script_settings_count() -> None:
    texts = {"tsconfig.json": "{}", "web/tsconfig.json": "{}"}
    found = read(texts).scope_of("web/src/a.ts")
    assert found is not None and found.folder == "web"


def test_go_mod_gives_module_and_requirements() -> None:
    text = "module example.com/shop // the shop\n\nrequire (\n\tgithub.com/a/b v1.0.0\n\tc.org/d v2 // indirect\n)\n"
    package = only({"go.mod": text})
    assert (package.name, package.depends_on) == ("example.com/shop", ("c.org/d", "github.com/a/b"))


def test_go_work_marks_its_modules() -> None:
    texts = {"go.work": "go 1.22\nuse (\n\t./a\n)\n", "a/go.mod": "module x/a\n", "b/go.mod": "module x/b\n"}
    assert {p.name: p.member for p in read(texts).all} == {"x/a": True, "x/b": False}


def test_cargo_names_a_crate_as_code_spells_it() -> None:
    assert only({"Cargo.toml": '[package]\nname = "my-shop"\n'}).name == "my_shop"


def test_cargo_library_name_wins_over_the_package() -> None:
    assert only({"Cargo.toml": '[package]\nname = "a"\n[lib]\nname = "b"\npath = "c.rs"\n'}).name == "b"


def test_cargo_renamed_dependency_is_an_alias() -> None:
    text = '[package]\nname = "a"\n[dependencies]\nnew = { package = "old-crate", path = "../old" }\n'
    package = only({"Cargo.toml": text})
    assert (package.depends_on, package.aliases) == (("old_crate",), (("new", ("old_crate",)),))


def test_cargo_workspace_alone_is_no_package() -> None:
    texts = {"Cargo.toml": '[workspace]\nmembers = ["crates/*"]\n', "crates/a/Cargo.toml": '[package]\nname = "a"\n'}
    package = only(texts)
    assert (package.name, package.member) == ("a", True)


def test_pyproject_gives_name_and_requirements_as_they_are_compared() -> None:
    text = '[project]\nname = "My.Shop"\ndependencies = ["Django_Rest>=3; python_version > \'3\'", "attrs[x]"]\n'
    package = only({"pyproject.toml": text})
    assert (package.name, package.depends_on) == ("My.Shop", ("attrs", "django-rest"))


def test_a_src_folder_is_a_source_root_where_it_exists() -> None:
    text = '[project]\nname = "shop"\n'
    assert only({"pyproject.toml": text}, "src/shop/__init__.py").source_roots == ("src", "")


def test_a_package_dir_is_an_alias_for_a_folder() -> None:
    text = '[project]\nname = "a"\n[tool.setuptools.package-dir]\n"shop" = "."\n"shop.web" = "web"\n'
    assert only({"p/pyproject.toml": text}).aliases == (("shop", ("p",)), ("shop.web", ("p/web",)))


def test_setup_cfg_says_where_packages_are() -> None:
    text = "[metadata]\nname = shop\n[options]\npackage_dir =\n    = lib\ninstall_requires =\n    attrs>=1\n"
    package = only({"setup.cfg": text}, "lib/shop/a.py")
    assert (package.name, package.source_roots[0], package.depends_on) == ("shop", "lib", ("attrs",))


def test_setup_py_is_read_and_not_run() -> None:
    text = 'import os\nos.abort()\nsetup(name="shop", package_dir={"": "source"}, install_requires=["attrs"])\n'
    package = only({"setup.py": text}, "source/shop.py")
    assert (package.name, package.source_roots[0]) == ("shop", "source")


def test_the_manifests_of_one_python_package_are_one() -> None:
    texts = {"pyproject.toml": "[build-system]\nrequires = []\n", "setup.py": 'setup(name="shop")\n'}
    package = only(texts)
    assert (package.name, package.manifest) == ("shop", "pyproject.toml")


def test_a_pyproject_of_settings_alone_is_no_package() -> None:
    assert read({"pyproject.toml": "[tool.black]\nline-length = 100\n"}).all == ()


def test_pom_takes_the_group_of_its_parent() -> None:
    text = """<?xml version="1.0"?><project><!-- <artifactId>no</artifactId> -->
    <parent><groupId>com.shop</groupId><artifactId>parent</artifactId></parent><artifactId>web</artifactId>
    <dependencies><dependency><groupId>${project.groupId}</groupId><artifactId>core</artifactId></dependency>
    </dependencies></project>"""
    package = only({"pom.xml": text})
    assert (package.name, package.depends_on) == ("com.shop:web", ("com.shop:core",))


def test_entities_of_a_pom_are_never_expanded() -> None:
    bomb = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>'
    text = f"{bomb}<project><artifactId>&b;</artifactId></project>"
    assert only({"pom.xml": text}).name == ":&b;"


def test_pom_modules_are_members() -> None:
    texts = {
        "pom.xml": "<project><artifactId>all</artifactId><modules><module>core</module></modules></project>",
        "core/pom.xml": "<project><artifactId>core</artifactId></project>",
    }
    assert [p.name for p in read(texts).all if p.member] == [":core"]


def test_gradle_projects_are_named_by_their_place_below_the_settings() -> None:
    texts = {
        "settings.gradle.kts": 'rootProject.name = "shop"\ninclude(":core", ":web:api")\n',
        "build.gradle.kts": "",
        "core/build.gradle.kts": "",
        "web/api/build.gradle.kts": 'dependencies { implementation(project(":core")); api("a.b:c:1.0") }\n',
    }
    found = {p.folder: p for p in read(texts).all}
    assert (found[""].name, found["core"].name, found["web/api"].depends_on) == ("shop", ":core", (":core", "a.b:c"))


def test_gradle_accessors_name_projects() -> None:
    texts = {"settings.gradle": "", "a/build.gradle": "implementation(projects.core.httpClient)\n"}
    assert only(texts).depends_on == (":core:http-client",)


def test_composer_gives_namespaces_to_folders() -> None:
    text = '{"name": "shop/app", "autoload": {"psr-4": {"App\\\\": "src/"}}}'
    assert only({"composer.json": text}).aliases == (("App\\", ("src",)),)


def test_a_csharp_project_is_named_as_its_file_and_refers_to_others() -> None:
    text = '<Project><ItemGroup><ProjectReference Include="..\\Core\\Shop.Core.csproj" /></ItemGroup></Project>'
    package = only({"Web/Shop.Web.csproj": text})
    assert (package.name, package.depends_on) == ("Shop.Web", ("Shop.Core",))


def test_gemspec_gives_name_and_dependencies() -> None:
    text = 'Gem::Specification.new do |s|\n  s.name = "shop"\n  s.add_runtime_dependency "rack", ">= 2"\nend\n'
    package = only({"shop.gemspec": text})
    assert (package.name, package.depends_on) == ("shop", ("rack",))


def test_each_swift_target_is_a_package() -> None:
    text = """let package = Package(name: "Shop", targets: [
      .target(name: "Core"),
      .target(name: "Web", dependencies: [.target(name: "Core"), "Log"], path: "web"),
      .testTarget(name: "CoreTests", dependencies: ["Core"]),
    ])"""
    found = {p.name: (p.folder, p.depends_on) for p in read({"Package.swift": text}).all}
    assert found == {
        "Core": ("Sources/Core", ()),
        "Web": ("web", ("Core", "Log")),
        "CoreTests": ("Tests/CoreTests", ("Core",)),
    }


def test_sbt_projects_have_folders() -> None:
    text = 'lazy val core = (project in file("core"))\nlazy val web = project.in(file("web")).dependsOn(core)\n'
    assert {p.name: (p.folder, p.depends_on) for p in read({"build.sbt": text}).all} == {
        "core": ("core", ()),
        "web": ("web", ("core",)),
    }


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("package.json", "{"),
        ("package.json", "[" * 100_000),
        ("Cargo.toml", "= ="),
        ("pyproject.toml", "[project\n"),
        ("pom.xml", "<project>"),
        ("go.mod", "go 1.22\n"),
        ("composer.json", "[1]"),
        ("setup.cfg", "no section = 1\n"),
        ("package.json", '{"a": "' + "x" * 1_000_001 + '"}'),
    ],
)
def test_a_broken_manifest_is_a_problem_and_no_crash(path: str, text: str) -> None:
    found = read({path: text})
    assert (found.all, [problem.path for problem in found.problems]) == ((), [path])


@pytest.mark.parametrize("value", [[], 3, "x", None, [[1], {"a": []}], {"x": 1}])
@pytest.mark.parametrize("key", ["name", "workspaces", "exports", "main", "dependencies", "imports"])
def test_values_of_the_wrong_shape_are_passed_over(key: str, value: object) -> None:
    assert len(read({"package.json": json.dumps({key: value})}).all) == 1


@pytest.mark.parametrize("value", ["3", '"x"', "[1]", "[[1]]", "{a = 1}", "true"])
@pytest.mark.parametrize("key", ["project", "tool", "dependencies", "bin", "lib", "workspace", "package", "target"])
def test_tables_of_the_wrong_shape_are_passed_over(key: str, value: str) -> None:
    found = read({"pyproject.toml": f"{key} = {value}\n", "Cargo.toml": f"{key} = {value}\n"})
    assert found.problems == ()


@pytest.mark.parametrize("folder", ["node_modules/a", "tests/fixtures/a", "vendor/x", "testdata"])
def test_manifests_of_fixtures_and_of_others_are_left_out(folder: str) -> None:
    assert read({f"{folder}/package.json": '{"name": "a"}'}).all == ()


def test_a_file_is_in_the_nearest_package_around_it() -> None:
    texts = {"package.json": '{"name": "root"}', "web/package.json": '{"name": "web"}'}
    found = read(texts).of("web/src/a.ts")
    assert found is not None and found.name == "web"


def test_a_file_may_be_asked_for_the_package_of_one_ecosystem() -> None:
    texts = {"pyproject.toml": '[project]\nname = "py"\n', "web/package.json": '{"name": "web"}'}
    found = read(texts).of("web/tool.py", "python")
    assert found is not None and found.name == "py"


def test_a_name_taken_twice_is_that_of_the_workspaces_member() -> None:
    texts = {
        "package.json": '{"workspaces": ["packages/*"]}',
        "demo/package.json": '{"name": "a"}',
        "packages/a/package.json": '{"name": "a"}',
    }
    found = read(texts).named("npm", "a")
    assert found is not None and found.folder == "packages/a"


def test_a_package_needs_those_of_the_tree_that_it_depends_on() -> None:
    texts = {
        "a/package.json": '{"name": "a", "dependencies": {"b": "*", "react": "*"}}',
        "b/package.json": '{"name": "b"}',
    }
    found = read(texts)
    assert [p.name for p in found.needed_by(found.all[0])] == ["b"]


def test_a_place_that_climbs_out_of_the_tree_is_none() -> None:
    text = '{"name": "a", "main": "../../etc/passwd", "exports": {"./x": "../../../x.js"}}'
    package = only({"a/package.json": text})
    assert (package.entries, package.aliases) == ((), (("./x", ()),))


def test_packages_do_not_depend_on_the_order_of_paths() -> None:
    texts = {f"{name}/package.json": json.dumps({"name": name}) for name in "dcba"}
    assert read(texts) == read(dict(reversed(texts.items())))


@pytest.mark.parametrize(
    ("path", "piece"),
    [
        ("pom.xml", "<a"),
        ("pom.xml", "<!--"),
        ("tsconfig.json", '"\\"'),
        ("tsconfig.json", "/*"),
        ("tsconfig.json", ", "),
        ("setup.py", "package_dir = {"),
        ("build.gradle", 'include "a", '),
        ("Package.swift", ".target(name: "),
        ("build.sbt", "lazy val a = "),
        ("a.gemspec", ".add_dependency "),
    ],
)
def test_hostile_repetition_is_read_in_one_pass(path: str, piece: str) -> None:
    read({path: piece * (200_000 // len(piece))})
