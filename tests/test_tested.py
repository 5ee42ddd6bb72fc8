"""Tests and what they are about: by name, by import, by use."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from agenvantage.context import tested
from agenvantage.context.graph import all_edges
from edges_kit import Tree, tree
from edges_trees import GO, JAVA, PYTHON, RUST, SCRIPT


def paths_of_tests(files: Mapping[str, str], path: str) -> list[str]:
    return [link.test for link in tested.tests_for(tree(files), path)]


def link(files: Mapping[str, str], path: str, test: str) -> tested.TestLink:
    return next(each for each in tested.tests_for(tree(files), path) if each.test == test)


@pytest.mark.parametrize(
    ("subject", "test"),
    [
        ("shop/cart.py", "tests/test_cart.py"),
        ("shop/cart.py", "shop/cart_test.py"),
        ("shop/cart.py", "tests/shop/cart_tests.py"),
        ("src/cart.ts", "src/cart.test.ts"),
        ("src/cart.ts", "src/__tests__/cart.spec.tsx"),
        ("src/cart.service.ts", "src/cart.service.spec.ts"),
        ("src/Cart.js", "cypress/e2e/cart.cy.js"),
        ("src/main/java/a/Cart.java", "src/test/java/a/CartTest.java"),
        ("src/main/java/a/Cart.java", "src/test/java/a/CartTests.java"),
        ("src/main/java/a/Cart.java", "src/test/java/a/TestCart.java"),
        ("src/main/java/a/Cart.java", "src/test/java/a/CartIT.java"),
        ("src/main/scala/a/Cart.scala", "src/test/scala/a/CartSpec.scala"),
        ("cart/cart.go", "cart/cart_test.go"),
        ("lib/shop/cart.rb", "spec/shop/cart_spec.rb"),
        ("app/Cart.php", "tests/CartTest.php"),
        ("Sources/Core/Cart.swift", "Tests/CoreTests/CartTests.swift"),
        ("Web/Cart.cs", "Web.Tests/CartTests.cs"),
        ("src/cart.cpp", "test/cart_test.cpp"),
        ("shop/__init__.py", "tests/test_shop.py"),
    ],
)
def test_a_test_is_about_the_file_that_it_is_named_after(subject: str, test: str) -> None:
    assert link({subject: "", test: ""}, subject, test).reasons == ("named after it",)


def test_a_mirrored_folder_tells_two_files_of_one_name_apart() -> None:
    files = {"a/util.py": "", "b/util.py": "", "tests/a/test_util.py": "", "tests/b/test_util.py": ""}
    assert (paths_of_tests(files, "a/util.py"), paths_of_tests(files, "b/util.py")) == (
        ["tests/a/test_util.py"],
        ["tests/b/test_util.py"],
    )


def test_a_name_that_goes_on_is_a_weaker_sign() -> None:
    files = {"shop/cart.py": "", "tests/test_cart_discounts.py": "", "tests/test_cart.py": ""}
    assert [(each.test, each.certainty) for each in tested.tests_for(tree(files), "shop/cart.py")] == [
        ("tests/test_cart.py", 0.85),
        ("tests/test_cart_discounts.py", 0.5),
    ]


def test_the_whole_name_wins_over_its_beginning() -> None:
    files = {"shop/cart.py": "", "shop/cart_discounts.py": "", "tests/test_cart_discounts.py": ""}
    assert paths_of_tests(files, "shop/cart.py") == []


def test_a_test_in_another_language_is_not_about_it() -> None:
    assert paths_of_tests({"shop/cart.py": "", "web/cart.test.ts": ""}, "shop/cart.py") == []


def test_a_test_that_imports_and_uses_a_file_says_so() -> None:
    files = {"shop/money.py": "def net(): ...\n", "tests/test_all.py": "from shop.money import net\n\nnet()\n"}
    assert link(files, "shop/money.py", "tests/test_all.py").reasons == ("uses net", "imports it")


def test_a_test_that_uses_very_many_files_is_about_none_in_particular() -> None:
    files = {f"shop/m{n}.py": f"def f{n}(): ...\n" for n in range(100)}
    files["tests/test_all.py"] = "".join(f"from shop.m{n} import f{n}\nf{n}()\n" for n in range(100))
    assert paths_of_tests(files, "shop/m1.py") == [] or link(files, "shop/m1.py", "tests/test_all.py").certainty < 0.3


def test_go_tests_beside_a_file_are_about_what_they_use() -> None:
    files = {
        "go.mod": "module x\n",
        "cart/cart.go": "package cart\n\nfunc Total() {}\n",
        "cart/all_test.go": "package cart\n\nfunc TestAll(t *T) { Total() }\n",
    }
    assert link(files, "cart/cart.go", "cart/all_test.go").reasons == ("uses Total",)


def test_java_tests_see_their_package_without_an_import() -> None:
    path = "core/src/main/java/com/shop/Printer.java"
    test = "core/src/test/java/com/shop/AllTest.java"
    files = {**JAVA, test: "package com.shop;\n\nclass AllTest { void t() { new Printer(); } }\n"}
    assert "uses Printer" in link(files, path, test).reasons


def test_a_test_that_uses_a_definition_is_surer_than_one_of_its_file() -> None:
    files = {
        "shop/cart.py": "def total(): ...\n\n\ndef report(): ...\n",
        "tests/test_cart.py": "from shop.cart import total\n\n\ndef test_total():\n    total()\n",
        "tests/test_cart_report.py": "",
    }
    small = Tree(files)
    found = tested.tests_for(tree(files), "shop/cart.py", small.symbol("shop/cart.py", "total"))
    assert [(each.test, each.certainty) for each in found] == [
        ("tests/test_cart.py", 0.95),
        ("tests/test_cart_report.py", 0.3),
    ]


def test_helpers_of_tests_are_not_what_is_tested() -> None:
    files = {"tests/kit.py": "def make(): ...\n", "tests/test_a.py": "from kit import make\n\nmake()\n"}
    assert tested.tested_by(tree(files), "tests/test_a.py") == ()


def test_a_file_that_is_no_test_tests_nothing() -> None:
    assert tested.tested_by(tree(PYTHON), "shop/cart.py") == ()


def test_asking_from_either_end_gives_the_same_links() -> None:
    files = {**PYTHON, **SCRIPT, **GO, **JAVA, **{"rust/" + path: text for path, text in RUST.items()}}
    files |= {
        "src/prices.test.ts": 'import { net } from "./prices";\nnet(1);\n',
        "tests/test_admin.py": "import shop.admin\n",
    }
    small = tree(files)
    one = {(each.test, each.subject): each for path in files for each in tested.tests_for(small, path)}
    other = {(each.test, each.subject): each for path in files for each in tested.tested_by(small, path)}
    assert one == other


def test_links_are_edges_of_the_graph() -> None:
    (edge,) = all_edges(tree({"a.py": "", "tests/test_a.py": "import a\n"}), frozenset({"tests"}))
    assert (edge.source, edge.target) == ("tests/test_a.py", "a.py")
