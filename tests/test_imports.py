"""Imports: which files of the tree a spelling means, language by language."""

from __future__ import annotations

import json

import pytest
from agenvantage.context.import_compiled import use_ways
from agenvantage.context.imports import RULES
from agenvantage.context.languages import LANGUAGES
from edges_kit import meaning, meant, table

PYTHON = table(
    (
        "shop/__init__.py",
        "shop/cart.py",
        "shop/logging.py",
        "shop/prices/__init__.py",
        "shop/prices/tax.py",
        "shop/namespace/deep.py",
        "tests/test_cart.py",
        "tests/helper.py",
        "scripts/run.py",
        "scripts/common.py",
    )
)


@pytest.mark.parametrize(
    ("path", "module", "names", "expected"),
    [
        ("tests/test_cart.py", "shop.cart", (), ["shop/cart.py"]),
        ("tests/test_cart.py", "shop", (), ["shop/__init__.py"]),
        ("tests/test_cart.py", "shop", ("cart",), ["shop/cart.py"]),
        ("tests/test_cart.py", "shop", ("cart", "Cart"), ["shop/__init__.py", "shop/cart.py"]),
        ("tests/test_cart.py", "shop", ("cart as c",), ["shop/cart.py"]),
        ("tests/test_cart.py", "shop", ("*",), ["shop/__init__.py"]),
        ("tests/test_cart.py", "shop.prices.tax", ("Rate",), ["shop/prices/tax.py"]),
        ("tests/test_cart.py", "shop.namespace", ("deep",), ["shop/namespace/deep.py"]),
        ("shop/cart.py", ".", ("prices",), ["shop/prices/__init__.py"]),
        ("shop/cart.py", ".prices.tax", ("Rate",), ["shop/prices/tax.py"]),
        ("shop/prices/tax.py", "..cart", ("Cart",), ["shop/cart.py"]),
        ("shop/prices/__init__.py", ".tax", ("*",), ["shop/prices/tax.py"]),
        ("shop/cart.py", "....cart", (), []),
        ("tests/test_cart.py", "helper", (), ["tests/helper.py"]),
        ("scripts/run.py", "common", (), ["scripts/common.py"]),
        ("shop/cart.py", "logging", (), []),
        ("shop/cart.py", "shop.logging", (), ["shop/logging.py"]),
        ("shop/cart.py", "cart", (), []),
        ("shop/cart.py", "numpy.linalg", (), []),
    ],
)
def test_python(path: str, module: str, names: tuple[str, ...], expected: list[str]) -> None:
    assert list(meant(path, module, PYTHON, names)) == expected


def test_python_src_folder_is_searched() -> None:
    known = table(["src/shop/__init__.py", "src/shop/cart.py", "tests/test_cart.py"])
    assert meant("tests/test_cart.py", "shop.cart", known) == ("src/shop/cart.py",)


def test_python_own_package_wins_in_a_monorepo() -> None:
    texts = {f"{name}/pyproject.toml": f'[project]\nname = "{name}"\n' for name in ("one", "two")}
    known = table(["one/src/util/a.py", "two/src/util/a.py", "two/src/app/b.py"], texts)
    assert meant("two/src/app/b.py", "util.a", known) == ("two/src/util/a.py",)


def test_python_other_packages_of_a_monorepo_are_searched() -> None:
    texts = {
        "one/pyproject.toml": '[project]\nname = "one"\n',
        "two/pyproject.toml": '[project]\nname = "two"\ndependencies = ["one"]\n',
    }
    known = table(["one/src/one/a.py", "two/src/two/b.py"], texts)
    assert meant("two/src/two/b.py", "one.a", known) == ("one/src/one/a.py",)


def test_python_package_dir_gives_a_folder_a_name() -> None:
    texts = {"pyproject.toml": '[project]\nname = "x"\n[tool.setuptools.package-dir]\nshop = "."\n'}
    known = table(["context/index.py", "context/__init__.py", "tests/test_a.py"], texts)
    assert meant("tests/test_a.py", "shop.context", known, ("index",)) == ("context/index.py",)


def test_python_stub_is_meant_where_there_is_no_source() -> None:
    assert meant("a.py", "native", table(["a.py", "native.pyi"])) == ("native.pyi",)


def test_pythons_own_library_is_meant_in_its_own_tree() -> None:
    library = """abc ast bdb bz2 cmd code copy csv dis enum glob gzip hmac imaplib io keyword locale logging lzma
    mailbox numbers opcode os pdb pickle platform queue random re sched shlex site socket stat string struct tarfile
    tempfile token trace types uuid warnings"""
    known = table([f"Lib/{name}.py" for name in library.split()])
    assert meant("Lib/abc.py", "os", known) == ("Lib/os.py",)


WEB = table(
    [
        "web/src/app.ts",
        "web/src/http.ts",
        "web/src/http.test.ts",
        "web/src/views/index.tsx",
        "web/src/views/Cart.vue",
        "web/src/logo.svg",
        "web/src/old.js",
        "web/src/types.d.ts",
        "libs/ui/src/index.ts",
        "libs/ui/src/button.tsx",
        "libs/ui/lib/theme.css",
        "libs/plain/main.js",
        "libs/plain/deep/tool.js",
    ],
    {
        "web/package.json": '{"name": "web", "imports": {"#http": "./src/http.js"}}',
        "web/tsconfig.json": json.dumps({
            "compilerOptions": {"baseUrl": "src", "paths": {"@v/*": ["views/*"], "@one": ["old.js"]}},
        }),
        "libs/ui/package.json": json.dumps({
            "name": "@shop/ui",
            "main": "dist/index.js",
            "exports": {".": "./dist/index.js", "./button": "./dist/button.js", "./*.css": "./lib/*.css"},
        }),
        "libs/plain/package.json": '{"name": "plain", "main": "main.js"}',
    },
)  # fmt: skip


@pytest.mark.parametrize(
    ("module", "expected"),
    [
        ("./http", "web/src/http.ts"),
        ("./http.js", "web/src/http.ts"),
        ("./views", "web/src/views/index.tsx"),
        ("./views/", "web/src/views/index.tsx"),
        ("./views/Cart.vue", "web/src/views/Cart.vue"),
        ("./views/Cart", "web/src/views/Cart.vue"),
        ("./types", "web/src/types.d.ts"),
        ("./logo.svg?raw", "web/src/logo.svg"),
        ("!!raw-loader!./old.js", "web/src/old.js"),
        ("../src/old", "web/src/old.js"),
        ("@v/Cart.vue", "web/src/views/Cart.vue"),
        ("@one", "web/src/old.js"),
        ("http", "web/src/http.ts"),
        ("#http", "web/src/http.ts"),
        ("@shop/ui", "libs/ui/src/index.ts"),
        ("@shop/ui/button", "libs/ui/src/button.tsx"),
        ("@shop/ui/theme.css", "libs/ui/lib/theme.css"),
        ("plain", "libs/plain/main.js"),
        ("plain/deep/tool", "libs/plain/deep/tool.js"),
        ("@/old", "web/src/old.js"),
        ("/src/old.js", "web/src/old.js"),
    ],
)
def test_script(module: str, expected: str) -> None:
    assert meant("web/src/app.ts", module, WEB) == (expected,)


@pytest.mark.parametrize("module", ["react", "@shop/other", "node:fs", "./absent", "../../../../out", "@shop"])
def test_script_that_means_no_file(module: str) -> None:
    assert meant("web/src/app.ts", module, WEB) == ()


def test_a_tool_that_is_not_installed_is_external_and_a_lost_file_is_not() -> None:
    assert (meaning("web/src/app.ts", "react", WEB).external, meaning("web/src/app.ts", "./x", WEB).external) == (
        True,
        False,
    )


GO = table(
    ["cart/cart.go", "cart/item.go", "cart/cart_test.go", "main.go", "tools/gen/gen.go", "vendor/x.org/y/z.go"],
    {"go.mod": "module example.com/shop\n", "tools/go.mod": "module example.com/shop/tools/v2\n"},
)


@pytest.mark.parametrize(
    ("module", "expected"),
    [
        ("example.com/shop/cart", ("cart/cart.go", "cart/item.go")),
        ("example.com/shop", ("main.go",)),
        ("example.com/shop/tools/v2/gen", ("tools/gen/gen.go",)),
        ("x.org/y", ("vendor/x.org/y/z.go",)),
        ("fmt", ()),
        ("github.com/other/cart", ()),
    ],
)
def test_go(module: str, expected: tuple[str, ...]) -> None:
    assert meant("tools/gen/gen.go" if module != "example.com/shop/tools/v2/gen" else "main.go", module, GO) == expected


def test_the_files_of_a_go_package_share_its_certainty() -> None:
    certainties = [certainty for _, certainty in meaning("main.go", "example.com/shop/cart", GO).targets]
    assert certainties == [0.475, 0.475]


def test_go_without_modules_is_found_by_its_folder() -> None:
    known = table(["src/pkg/a.go", "main.go"])
    assert meant("main.go", "github.com/me/src/pkg", known) == ("src/pkg/a.go",)


RUST = table(
    [
        "src/lib.rs", "src/main.rs", "src/cart.rs", "src/cart/item.rs", "src/prices/mod.rs", "src/prices/tax.rs",
        "src/bin/tool.rs", "tests/all.rs", "tests/common/mod.rs", "core/src/lib.rs", "core/src/util.rs", "build.rs",
    ],
    {
        "Cargo.toml": '[package]\nname = "shop"\n[dependencies]\nkernel = { package = "my-core", path = "core" }\n',
        "core/Cargo.toml": '[package]\nname = "my-core"\n',
    },
)  # fmt: skip


@pytest.mark.parametrize(
    ("path", "module", "expected"),
    [
        ("src/lib.rs", "cart", ["src/cart.rs"]),
        ("src/cart.rs", "item", ["src/cart/item.rs"]),
        ("src/prices/mod.rs", "tax", ["src/prices/tax.rs"]),
        ("src/cart/item.rs", "super::Cart", ["src/cart.rs"]),
        ("src/cart/item.rs", "super::super::prices::tax::Rate", ["src/prices/tax.rs"]),
        ("src/cart/item.rs", "crate::prices", ["src/prices/mod.rs"]),
        ("src/cart/item.rs", "crate::Shop", ["src/lib.rs"]),
        ("src/prices/tax.rs", "super::Prices", ["src/prices/mod.rs"]),
        ("src/cart.rs", "self::item::Item", ["src/cart/item.rs"]),
        ("src/lib.rs", "crate::{prices::{self, tax::R}}", ["src/prices/mod.rs", "src/prices/tax.rs"]),
        ("src/bin/tool.rs", "shop::cart::Cart", ["src/cart.rs"]),
        ("tests/all.rs", "common", ["tests/common/mod.rs"]),
        ("tests/all.rs", "shop::cart", ["src/cart.rs"]),
        ("src/lib.rs", "my_core::util::*", ["core/src/util.rs"]),
        ("src/lib.rs", "kernel::util", ["core/src/util.rs"]),
        ("src/lib.rs", "std::collections::HashMap", []),
        ("src/lib.rs", "serde", []),
        ("core/src/util.rs", "crate::X", ["core/src/lib.rs"]),
    ],
)  # fmt: skip
def test_rust(path: str, module: str, expected: list[str]) -> None:
    assert list(meant(path, module, RUST)) == expected


@pytest.mark.parametrize(
    ("spelled", "ways"),
    [
        ("a::b", [("a", "b")]),
        ("a::{b, c::{d, e as f}}", [("a", "b"), ("a", "c", "d"), ("a", "c", "e")]),
        ("{a, b::c}", [("a",), ("b", "c")]),
        ("a::{self, *}", [("a",), ("a", "*")]),
        ("a::{b, c::{d", [("a", "b"), ("a", "c", "d")]),
        ("::a::r#type", [("a", "type")]),
        ("a::{,}}}", []),
        (" as x", []),
    ],
)
def test_use_trees_are_taken_apart(spelled: str, ways: list[tuple[str, ...]]) -> None:
    assert [way for way, _ in use_ways(spelled)] == ways


def test_a_hostile_use_tree_ends() -> None:
    assert len(use_ways("a::{" * 5_000 + "b," * 50_000)) <= 200


JVM = table(
    [
        "core/src/main/java/com/shop/Cart.java", "core/src/main/java/com/shop/Item.java",
        "core/src/test/java/com/shop/CartTest.java", "web/src/main/java/com/shop/web/App.java",
        "old/src/main/java/com/shop/Cart.java", "web/src/main/kotlin/com/shop/util/Strings.kt",
    ],
    {
        "core/pom.xml": "<project><groupId>s</groupId><artifactId>core</artifactId></project>",
        "old/pom.xml": "<project><groupId>s</groupId><artifactId>old</artifactId></project>",
        "web/pom.xml": "<project><groupId>s</groupId><artifactId>web</artifactId><dependencies><dependency>"
        "<groupId>s</groupId><artifactId>core</artifactId></dependency></dependencies></project>",
    },
    shorten=("web/src/main/kotlin/com/shop/util/Strings.kt",),
)  # fmt: skip
APP = "web/src/main/java/com/shop/web/App.java"


@pytest.mark.parametrize(
    ("module", "names", "expected"),
    [
        ("com.shop.Item", (), ["core/src/main/java/com/shop/Item.java"]),
        ("com.shop.Cart", (), ["core/src/main/java/com/shop/Cart.java"]),
        ("com.shop.Item.Kind", (), ["core/src/main/java/com/shop/Item.java"]),
        ("com.shop.Item.Kind.FOOD", (), ["core/src/main/java/com/shop/Item.java"]),
        ("com.shop.Item", ("*",), ["core/src/main/java/com/shop/Item.java"]),
        ("com.shop.util", ("*",), ["web/src/main/kotlin/com/shop/util/Strings.kt"]),
        ("com.shop.util.shorten", (), ["web/src/main/kotlin/com/shop/util/Strings.kt"]),
        ("com.shop.Item", ("Item as I",), ["core/src/main/java/com/shop/Item.java"]),
        ("com.shop", ("Item", "Cart => C", "Missing"),
         ["core/src/main/java/com/shop/Item.java", "core/src/main/java/com/shop/Cart.java"]),
        ("java.util.List", (), []),
    ],
)  # fmt: skip
def test_jvm(module: str, names: tuple[str, ...], expected: list[str]) -> None:
    assert list(meant(APP, module, JVM, names)) == expected


C = table(["src/a.c", "src/a.h", "include/shop/cart.h", "other/a.h", "lib/x/util.h", "lib/y/util.h", "lib/y/b.c"])


@pytest.mark.parametrize(
    ("path", "module", "expected"),
    [
        ("src/a.c", "a.h", ["src/a.h"]),
        ("src/a.c", "shop/cart.h", ["include/shop/cart.h"]),
        ("src/a.c", "../include/shop/cart.h", ["include/shop/cart.h"]),
        ("lib/y/b.c", "util.h", ["lib/y/util.h"]),
        ("src/a.c", "util.h", ["lib/x/util.h", "lib/y/util.h"]),
        ("src/a.c", "stdio.h", []),
        ("src/a.c", "A.H", []),
    ],
)
def test_c(path: str, module: str, expected: list[str]) -> None:
    assert list(meant(path, module, C)) == expected


def test_csharp_namespace_means_the_files_that_declare_it() -> None:
    known = table(["a/Cart.cs", "b/Item.cs", "b/App.cs"], Shop_Carts=("a/Cart.cs", "b/Item.cs"))
    assert meant("b/App.cs", "Shop.Carts", known) == ("a/Cart.cs", "b/Item.cs")


def test_csharp_alias_of_a_class_means_its_file() -> None:
    known = table(["a/Cart.cs", "b/App.cs"], Shop_Carts=("a/Cart.cs",))
    assert meant("b/App.cs", "Shop.Carts.Cart", known, ("C",)) == ("a/Cart.cs",)


RUBY = table(
    ["lib/shop.rb", "lib/shop/cart.rb", "app/models/user.rb", "spec/cart_spec.rb", "spec/spec_helper.rb"],
    {"shop.gemspec": 'Gem::Specification.new { |s| s.name = "shop" }'},
)


@pytest.mark.parametrize(
    ("path", "module", "expected"),
    [
        ("spec/cart_spec.rb", "shop", ["lib/shop.rb"]),
        ("spec/cart_spec.rb", "shop/cart", ["lib/shop/cart.rb"]),
        ("spec/cart_spec.rb", "spec_helper", ["spec/spec_helper.rb"]),
        ("lib/shop.rb", "shop/cart", ["lib/shop/cart.rb"]),
        ("lib/shop/cart.rb", "../shop", ["lib/shop.rb"]),
        ("lib/shop.rb", "json", []),
    ],
)
def test_ruby(path: str, module: str, expected: list[str]) -> None:
    assert list(meant(path, module, RUBY)) == expected


PHP = table(
    ["src/Cart/Item.php", "src/helpers.php", "legacy/Shop/Old.php", "public/index.php"],
    {"composer.json": '{"autoload": {"psr-4": {"App\\\\": "src/"}}}'},
)


@pytest.mark.parametrize(
    ("module", "expected"),
    [
        ("App\\Cart\\Item", ["src/Cart/Item.php"]),
        ("App\\Cart\\{Item, Missing}", ["src/Cart/Item.php"]),
        ("Shop\\Old", ["legacy/Shop/Old.php"]),
        ("../src/helpers.php", ["src/helpers.php"]),
        ("Symfony\\Component\\Console", []),
    ],
)
def test_php(module: str, expected: list[str]) -> None:
    assert list(meant("public/index.php", module, PHP)) == expected


@pytest.mark.parametrize(
    ("module", "names"), [("App\\Cart", ("Item as I", "Missing")), ("App\\Cart\\Item", ("App\\Cart\\Item as I",))]
)
def test_php_classes_are_found_by_the_names_of_a_group_and_by_an_alias(module: str, names: tuple[str, ...]) -> None:
    assert list(meant("public/index.php", module, PHP, names)) == ["src/Cart/Item.php"]


def test_a_style_sheet_within_a_component_is_beside_it() -> None:
    assert meant("a/View.vue", "base.css", table(["a/View.vue", "a/base.css"])) == ("a/base.css",)


def test_swift_module_means_the_files_of_its_target() -> None:
    text = 'let p = Package(targets: [.target(name: "Core", path: "Core"), .target(name: "App", path: "App")])'
    known = table(["Core/A.swift", "Core/b/B.swift", "App/C.swift"], {"Package.swift": text})
    assert meant("App/C.swift", "Core", known) == ("Core/A.swift", "Core/b/B.swift")


OTHERS = table(
    [
        "css/main.scss", "css/_colors.scss", "css/parts/_index.scss", "docs/guide.md", "docs/sub/README.md",
        "docs/a b.md", "src/cart.py", "bin/run.sh", "bin/lib/log.sh", "proto/shop/cart.proto", "proto/shop/item.proto",
        "lua/shop/cart.lua", "lua/shop/init.lua", "plugin.lua", "lib/shop/cart_item.ex", "lib/shop.ex",
        "page/index.html", "page/app.js",
        "src/Shop/Cart.hs", "Main.hs", "perl/lib/Shop/Cart.pm", "perl/run.pl", "dart/lib/src/a.dart", "dart/lib/b.dart",
        "tf/main.tf", "tf/net/vpc.tf", "z/a.zig", "z/b.zig",
        "ps/run.ps1", "ps/lib/log.ps1",
    ],
    {"dart/pubspec.yaml": "name: shop\nversion: 1\n"},
    Shop_Money=("lib/shop.ex",),
)  # fmt: skip


@pytest.mark.parametrize(
    ("path", "module", "expected"),
    [
        ("css/main.scss", "colors", ["css/_colors.scss"]),
        ("css/main.scss", "./parts", ["css/parts/_index.scss"]),
        ("css/main.scss", "sass:math", []),
        ("docs/guide.md", "../src/cart.py#L3", ["src/cart.py"]),
        ("docs/guide.md", "sub/", ["docs/sub/README.md"]),
        ("docs/guide.md", "a%20b.md", ["docs/a b.md"]),
        ("docs/guide.md", "https://example.com/guide.md", []),
        ("docs/guide.md", "#part", []),
        ("page/index.html", "app.js?v=3", ["page/app.js"]),
        ("bin/run.sh", "./lib/log.sh", ["bin/lib/log.sh"]),
        ("bin/run.sh", '"$(dirname "$0")/lib/log.sh"', ["bin/lib/log.sh"]),
        ("bin/run.sh", "${HERE}/lib/log.sh", ["bin/lib/log.sh"]),
        ("bin/run.sh", "$LIB", []),
        ("proto/shop/cart.proto", "shop/item.proto", ["proto/shop/item.proto"]),
        ("plugin.lua", "shop.cart", ["lua/shop/cart.lua"]),
        ("plugin.lua", "shop", ["lua/shop/init.lua"]),
        ("lib/shop.ex", "Shop.CartItem", ["lib/shop/cart_item.ex"]),
        ("lib/shop/cart_item.ex", "Shop.Money", ["lib/shop.ex"]),
        ("Main.hs", "Shop.Cart", ["src/Shop/Cart.hs"]),
        ("perl/run.pl", "Shop::Cart", ["perl/lib/Shop/Cart.pm"]),
        ("dart/lib/b.dart", "package:shop/src/a.dart", ["dart/lib/src/a.dart"]),
        ("dart/lib/b.dart", "src/a.dart", ["dart/lib/src/a.dart"]),
        ("tf/main.tf", "./net", ["tf/net/vpc.tf"]),
        ("z/a.zig", "b.zig", ["z/b.zig"]),
        ("z/a.zig", "std", []),
        ("ps/run.ps1", "$PSScriptRoot\\lib\\log.ps1", ["ps/lib/log.ps1"]),
    ],
)
def test_other_languages(path: str, module: str, expected: list[str]) -> None:
    assert list(meant(path, module, OTHERS)) == expected


def test_a_file_never_imports_itself() -> None:
    known = table(["a/__init__.py", "a/b.py", "x.h"])
    assert (meant("a/b.py", ".b", known), meant("x.h", "x.h", known)) == ((), ())


def test_names_that_differ_in_case_alone_are_told_apart() -> None:
    known = table(["Cart.ts", "cart.ts", "main.ts"])
    assert (meant("main.ts", "./cart", known), meant("main.ts", "./Cart", known)) == (("cart.ts",), ("Cart.ts",))


def test_names_may_be_of_any_script() -> None:
    known = table(["пакет/модуль.py", "main.py"])
    assert meant("main.py", "пакет.модуль", known) == ("пакет/модуль.py",)


def test_what_an_import_means_does_not_depend_on_who_asked_before() -> None:
    paths = ["a/x.h", "b/x.h", "b/c/y.c", "a/z.c"]
    first, second = table(paths), table(paths)
    asked = ["b/c/y.c", "a/z.c", "a/x.h"]
    one = {path: meant(path, "x.h", first) for path in asked}
    other = {path: meant(path, "x.h", second) for path in reversed(asked)}
    assert one == other


def test_a_language_without_rules_imports_nothing() -> None:
    assert meaning("a.sql", "b", table(["a.sql", "b"])) == meaning("a", "b", table(["a", "b"]))


def test_every_rule_is_for_a_language_that_there_is() -> None:
    assert RULES.keys() <= {language.name for language in LANGUAGES} | {"make"}


@pytest.mark.parametrize("language", sorted(RULES))
@pytest.mark.parametrize(
    "module",
    ["", ".", "..", "../" * 300, "/" * 5_000, "a" * 100_000, "{" * 1_000, "\0", "a\nb", "::", "\\", "*", "é" * 99],
)
def test_no_spelling_breaks_a_rule(language: str, module: str) -> None:
    ending = next((each.endings[0] for each in LANGUAGES if each.name == language), "mk")
    meaning(f"a/b.{ending}", module, table([f"a/b.{ending}", "c/d.x"]))
