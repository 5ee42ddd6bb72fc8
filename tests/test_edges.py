"""Edges: which definition a name means across the files of a tree, asked from either end."""

from __future__ import annotations

import os
import random
import subprocess
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import pytest
from agenvantage.context.edges import (
    bases_of,
    callers_of,
    calls_from,
    exports_of,
    importers_of,
    imports_of,
    references_from,
    references_to,
    subtypes_of,
)
from agenvantage.context.graph import all_edges, file_graph, neighbours, place_of
from agenvantage.context.index import RepositoryIndex
from agenvantage.context.scopes import node_id
from agenvantage.context.source_edge import SourceEdge
from edges_kit import Tree, tree
from edges_trees import GO, JAVA, OTHERS, PYTHON, RUST, SCRIPT


def shown(node: str) -> str:
    """A node without its lines: `shop/cart.py#total`."""
    if "#" not in node:
        return node
    place, _, name = node.rpartition("#")
    return f"{place.rpartition(':')[0]}#{name}"


def ends(edges: tuple[SourceEdge, ...]) -> dict[str, set[str]]:
    """The targets of each source."""
    found: dict[str, set[str]] = {}
    for edge in edges:
        found.setdefault(shown(edge.source).rpartition("#")[2], set()).add(shown(edge.target))
    return found


def called(files: Mapping[str, str], path: str) -> dict[str, set[str]]:
    return ends(calls_from(tree(files), path))


def sureness(edges: tuple[SourceEdge, ...], name: str) -> list[float]:
    return [edge.certainty for edge in edges if edge.target.endswith("#" + name)]


@pytest.mark.parametrize(
    ("path", "source", "target"),
    [
        ("shop/cart.py", "total", "shop/cart.py#sum_up"),
        ("shop/cart.py", "total", "shop/prices.py#gross"),
        ("shop/cart.py", "total", "shop/prices.py#net"),
        ("shop/cart.py", "sum_up", "shop/base.py#count_items"),
        ("shop/cart.py", "report", "shop/cart.py#put_line"),
        ("shop/cart.py", "make", "shop/cart.py#inner"),
        ("shop/cart.py", "inner", "shop/cart.py#Cart"),
        ("shop/prices.py", "gross", "shop/prices.py#net"),
        ("shop/admin.py", "run", "shop/cart.py#Cart"),
        ("shop/admin.py", "run", "shop/cart.py#sum_up"),
        ("shop/admin.py", "run", "shop/cart.py#total"),
        ("shop/admin.py", "run", "shop/prices.py#net"),
        ("shop/admin.py", "run", "shop/prices.py#gross"),
        ("tests/test_cart.py", "test_make", "shop/cart.py#make"),
        ("tests/test_cart.py", "test_make", "shop/cart.py#total"),
    ],
)
def test_python_calls(path: str, source: str, target: str) -> None:
    assert target in called(PYTHON, path)[source]


def test_a_name_imported_from_outside_means_nothing_in_the_tree() -> None:
    assert "shop/cart.py#put_line" not in called(PYTHON, "shop/admin.py")["run"]


def test_a_builtin_that_nobody_defines_calls_nothing() -> None:
    assert called(PYTHON, "shop/cart.py")["report"] == {"shop/cart.py#total", "shop/cart.py#put_line"}


@pytest.mark.parametrize(
    ("path", "name", "certainty"),
    [
        ("shop/cart.py", "sum_up", 0.95),
        ("shop/cart.py", "gross", 0.95),
        ("shop/cart.py", "net", 0.95),
        ("shop/cart.py", "count_items", 0.9),
        ("shop/cart.py", "put_line", 0.9),
        ("shop/admin.py", "total", 0.85),
    ],
)
def test_each_rung_of_the_ladder_has_its_certainty(path: str, name: str, certainty: float) -> None:
    assert sureness(calls_from(tree(PYTHON), path), name) == [certainty]


def test_an_edge_has_the_line_of_the_first_call() -> None:
    edges = calls_from(tree(PYTHON), "shop/prices.py")
    assert [edge.line for edge in edges] == [6]


def test_calls_of_some_lines_are_those_alone() -> None:
    assert ends(calls_from(tree(PYTHON), "shop/cart.py", 13, 14)) == {"sum_up": {"shop/base.py#count_items"}}


def test_callers_are_found_from_the_definition() -> None:
    small = Tree(PYTHON)
    edges = callers_of(tree(PYTHON), "shop/prices.py", small.symbol("shop/prices.py", "net"))
    assert {shown(edge.source) for edge in edges} == {"shop/admin.py#run", "shop/cart.py#total", "shop/prices.py#gross"}


def test_who_does_not_spell_the_name_is_not_even_read() -> None:
    files = {**PYTHON, **{f"far/m{n}.py": "def unrelated():\n    return unrelated()\n" for n in range(50)}}
    small = Tree(files)
    callers_of(small, "shop/prices.py", small.symbol("shop/prices.py", "gross"))  # type: ignore[arg-type]
    assert not [path for path in small.asked if path.startswith("far/")]


def test_bases_and_subtypes_are_each_others_reverse() -> None:
    small = Tree(PYTHON)
    (up,) = bases_of(tree(PYTHON), "shop/cart.py")
    (down,) = subtypes_of(tree(PYTHON), "shop/base.py", small.symbol("shop/base.py", "Holder"))
    assert (up, up.kind, shown(up.target)) == (down, "inherits", "shop/base.py#Holder")


def test_exports_are_public_definitions_of_the_file() -> None:
    files = {"a.py": "X = 1\n_y = 2\n\n\ndef f():\n    def g(): ...\n\n\nclass K:\n    def m(self): ...\n"}
    assert {shown(edge.target) for edge in exports_of(tree(files), "a.py")} == {"a.py#X", "a.py#f", "a.py#K"}


@pytest.mark.parametrize(
    ("path", "source", "target"),
    [
        ("src/cart.ts", "total", "src/cart.ts#sum"),
        ("src/cart.ts", "total", "src/prices.ts#net"),
        ("src/cart.ts", "total", "src/prices.ts#gross"),
        ("src/cart.ts", "show", "src/printer.ts#putLine"),
        ("src/cart.ts", "main", "src/printer.ts#Printer"),
        ("src/cart.ts", "main", "src/cart.ts#helper"),
        ("src/app.js", "app", "src/prices.ts#net"),
        ("src/app.js", "app", "src/cart.ts#main"),
        ("src/app.js", "app", "src/cart.ts#Cart"),
        ("src/app.js", "app", "src/util.js#shorten"),
    ],
)
def test_script_calls(path: str, source: str, target: str) -> None:
    assert target in called(SCRIPT, path)[source]


def test_what_a_package_from_outside_has_is_not_a_method_of_the_tree() -> None:
    assert "src/cart.ts#total" not in called(SCRIPT, "src/cart.ts")["main"]


def test_callers_of_a_renamed_function_are_found() -> None:
    small = Tree(SCRIPT)
    edges = callers_of(tree(SCRIPT), "src/prices.ts", small.symbol("src/prices.ts", "gross"))
    assert [shown(edge.source) for edge in edges] == ["src/cart.ts#total"]


def test_callers_of_a_default_export_call_it_as_they_like() -> None:
    small = Tree(SCRIPT)
    edges = callers_of(tree(SCRIPT), "src/cart.ts", small.symbol("src/cart.ts", "main"))
    assert [shown(edge.source) for edge in edges] == ["src/app.js#app"]


def test_callers_of_what_is_passed_on_as_a_default_are_found() -> None:
    files = {
        "cart.ts": "export function total() {}\n",
        "index.ts": 'export { total as default } from "./cart";\n',
        "app.ts": 'import sumUp from "./index";\n\nexport function run() { sumUp(); }\n',
    }
    edges = callers_of(tree(files), "cart.ts", Tree(files).symbol("cart.ts", "total"))
    assert [shown(edge.source) for edge in edges] == ["app.ts#run"]


def test_a_component_imports_like_the_script_within_it() -> None:
    assert {edge.target for edge in imports_of(tree(SCRIPT), "src/View.vue")} == {"src/prices.ts"}


@pytest.mark.parametrize(
    ("path", "source", "target"),
    [
        ("cart/cart.go", "Total", "cart/sum.go#addUp"),
        ("cart/cart.go", "Total", "prices/prices.go#Net"),
        ("cart/cart.go", "Total", "out/out.go#PutLine"),
        ("cart/cart.go", "Total", "cart/holder.go#CountItems"),
        ("cart/sum.go", "addUp", "cart/sum.go#limit"),
        ("prices/tax.go", "Tax", "prices/prices.go#Net"),
        ("cart/cart_test.go", "TestTotal", "cart/cart.go#New"),
    ],
)
def test_go_calls(path: str, source: str, target: str) -> None:
    assert target in called(GO, path)[source]


def test_of_a_go_package_only_the_used_files_are_imported() -> None:
    assert {edge.target for edge in imports_of(tree(GO), "cart/cart.go")} == {"prices/prices.go", "out/out.go"}


def test_a_go_type_implements_an_interface_by_its_methods() -> None:
    small = Tree(GO)
    edges = subtypes_of(tree(GO), "cart/cart.go", small.symbol("cart/cart.go", "Totaler"))
    assert [(shown(edge.source), edge.kind, edge.certainty) for edge in edges] == [
        ("cart/cart.go#Cart", "implements", 0.55)
    ]


def test_the_interfaces_of_a_go_type_are_found_from_it() -> None:
    small = Tree(GO)
    edges = bases_of(tree(GO), "cart/cart.go", small.symbol("cart/cart.go", "Cart"))
    assert {(shown(edge.target), edge.kind) for edge in edges} == {
        ("cart/holder.go#Holder", "inherits"),
        ("cart/cart.go#Totaler", "implements"),
    }


@pytest.mark.parametrize(
    ("path", "source", "target"),
    [
        ("src/cart.rs", "make", "src/cart.rs#with_rate"),
        ("src/cart.rs", "make", "src/prices.rs#standard"),
        ("src/cart.rs", "total", "src/prices.rs#net"),
        ("src/cart.rs", "total", "src/prices.rs#gross"),
        ("src/cart.rs", "total", "src/prices.rs#apply"),
        ("src/cart.rs", "total", "src/cart.rs#is_full"),
        ("src/cart.rs", "totals", "src/cart.rs#make"),
        ("tests/all.rs", "check", "src/cart.rs#make"),
    ],
)
def test_rust_calls(path: str, source: str, target: str) -> None:
    assert target in called(RUST, path)[source]


def test_an_impl_is_told_as_the_types() -> None:
    (edge,) = bases_of(tree(RUST), "src/cart.rs")
    assert (shown(edge.source), shown(edge.target), edge.kind) == (
        "src/cart.rs#Cart",
        "src/cart.rs#Holder",
        "implements",
    )


@pytest.mark.parametrize(
    ("file", "source", "target"),
    [
        ("Cart.java", "total", "Cart.java#addUp"),
        ("Cart.java", "total", "Holder.java#countItems"),
        ("Cart.java", "total", "Printer.java#putLine"),
        ("Cart.java", "total", "Prices.java#net"),
        ("Cart.java", "total", "Prices.java#gross"),
        ("Cart.java", "addUp", "Cart.java#Item"),
        ("Cart.java", "addUp", "Cart.java#weigh"),
        ("CartTest.java", "totals", "Cart.java#Cart"),
        ("CartTest.java", "totals", "Cart.java#total"),
        ("Main.kt", "run", "Cart.java#total"),
        ("Main.kt", "run", "Prices.java#net"),
        ("Main.kt", "run", "Strings.kt#shorten"),
    ],
)
def test_jvm_calls(file: str, source: str, target: str) -> None:
    path = next(path for path in JAVA if path.endswith("/" + file))
    assert target in {each.rpartition("/")[2] for each in called(JAVA, path)[source]}


def test_a_field_of_a_type_from_outside_has_no_methods_of_the_tree() -> None:
    path = next(path for path in JAVA if path.endswith("/Cart.java"))
    assert not [each for each in called(JAVA, path)["total"] if each.endswith("#stream")]


@pytest.mark.parametrize(
    ("path", "source", "target"),
    [
        ("c/main.c", "main", "c/cart.c#total"),
        ("c/cart.c", "total", "c/cart.c#add_up"),
        ("cpp/shape.cpp", "twice", "cpp/shape.cpp#area"),
        ("cpp/circle.cpp", "grow", "cpp/shape.cpp#twice"),
        ("cpp/circle.cpp", "use", "cpp/shape.cpp#twice"),
        ("cs/Cart.cs", "Total", "cs/Holder.cs#CountItems"),
        ("cs/Cart.cs", "Total", "cs/Holder.cs#Net"),
        ("cs/App.cs", "Run", "cs/Cart.cs#Cart"),
        ("cs/App.cs", "Run", "cs/Cart.cs#Total"),
        ("cs/App.cs", "Run", "cs/Printer.cs#PutLine"),
        ("ruby/lib/cart.rb", "total", "ruby/lib/cart.rb#add_up"),
        ("ruby/lib/cart.rb", "total", "ruby/lib/holder.rb#count_items"),
        ("ruby/lib/cart.rb", "total", "ruby/lib/holder.rb#net"),
        ("php/src/Cart.php", "total", "php/src/Cart.php#addUp"),
        ("php/src/Cart.php", "total", "php/src/Holder.php#countItems"),
        ("php/src/Cart.php", "total", "php/src/Prices/Tax.php#apply"),
        ("php/src/Cart.php", "total", "php/src/Prices/Tax.php#net"),
        ("php/src/Cart.php", "total", "php/src/Holder.php#putLine"),
        ("php/src/Cart.php", "total", "php/src/Holder.php#shorten"),
        ("php/src/Cart.php", "addUp", "php/src/Prices/Tax.php#Tax"),
        ("swift/Sources/Core/Cart.swift", "total", "swift/Sources/Core/Cart.swift#addUp"),
        ("swift/Sources/Core/Cart.swift", "total", "swift/Sources/Core/Holder.swift#countItems"),
        ("swift/Sources/Core/Cart.swift", "total", "swift/Sources/Core/Holder.swift#putLine"),
        ("swift/Sources/Core/Cart.swift", "total", "swift/Sources/Core/Holder.swift#net"),
        ("scala/src/main/scala/shop/Cart.scala", "total", "scala/src/main/scala/shop/Cart.scala#addUp"),
        ("scala/src/main/scala/shop/Cart.scala", "total", "scala/src/main/scala/shop/Holder.scala#countItems"),
        ("scala/src/main/scala/shop/Cart.scala", "total", "scala/src/main/scala/shop/Holder.scala#net"),
    ],
)
def test_calls_of_other_languages(path: str, source: str, target: str) -> None:
    assert target in called(OTHERS, path)[source]


def test_a_static_c_function_is_not_called_from_another_file() -> None:
    assert called(OTHERS, "c/main.c")["main"] == {"c/cart.c#total", "c/cart.h#total"}


# Hard cases


def test_names_stay_within_their_family_of_languages() -> None:
    files = {
        "a.py": "def run():\n    compute()\n    x.transmit()\n",
        "b.js": "function compute() {}\nclass X { transmit() {} }\n",
    }
    assert called(files, "a.py") == {}


def test_code_does_not_call_into_tests() -> None:
    files = {
        "shop/a.py": "def run(x):\n    x.transmit()\n",
        "tests/test_a.py": "class Fake:\n    def transmit(self): ...\n\n\ndef test_a(x):\n    x.transmit()\n",
    }
    assert (called(files, "shop/a.py"), called(files, "tests/test_a.py")) == (
        {},
        {"test_a": {"tests/test_a.py#transmit"}},
    )


def test_a_name_that_very_many_define_means_nobody() -> None:
    files = {f"m{n}.py": f"class C{n}:\n    def transmit(self): ...\n" for n in range(1_000)}
    files["user.py"] = "def run(x):\n    x.transmit()\n"
    assert called(files, "user.py") == {}


def test_of_very_many_the_imported_one_is_meant() -> None:
    files = {f"m{n}.py": f"class C{n}:\n    def transmit(self): ...\n" for n in range(1_000)}
    files["user.py"] = "from m7 import C7\n\n\ndef run(x):\n    x.transmit()\n"
    assert called(files, "user.py") == {"run": {"m7.py#transmit"}}


def test_a_few_that_fit_share_the_certainty() -> None:
    files = {f"m{n}.py": f"class C{n}:\n    def transmit(self): ...\n" for n in range(3)}
    files["user.py"] = "def run(x):\n    x.transmit()\n"
    assert sureness(calls_from(tree(files), "user.py"), "transmit") == [0.233, 0.233, 0.233]


def test_a_method_that_overrides_is_half_as_certain_as_what_it_overrides() -> None:
    files = {
        "a.py": "class Base:\n    def transmit(self): ...\n\n\nclass Low(Base):\n    def transmit(self): ...\n",
        "user.py": "def run(x):\n    x.transmit()\n",
    }
    assert sureness(calls_from(tree(files), "user.py"), "transmit") == [0.7, 0.35]


def test_a_method_named_like_those_of_the_language_is_not_guessed() -> None:
    files = {"a.py": "class K:\n    def append(self, x): ...\n", "b.py": "def run(x):\n    x.append(1)\n"}
    assert called(files, "b.py") == {}


def test_classes_that_inherit_in_a_circle_end() -> None:
    files = {
        "a.py": "from b import B\n\n\nclass A(B):\n    def go(self):\n        self.lost()\n",
        "b.py": "from a import A\n\n\nclass B(A): ...\n",
    }
    assert called(files, "a.py") == {}


def test_files_that_import_each_other_are_both_importers() -> None:
    files = {"a.py": "import b\n\n\ndef f():\n    b.g()\n", "b.py": "import a\n\n\ndef g():\n    a.f()\n"}
    small = tree(files)
    assert [edge.source for edge in (*importers_of(small, "a.py"), *importers_of(small, "b.py"))] == ["b.py", "a.py"]


def test_files_that_pass_on_each_others_names_end() -> None:
    files = {
        "a.ts": 'export * from "./b";\n',
        "b.ts": 'export * from "./a";\n',
        "c.ts": 'import { lost } from "./a";\nlost();\n',
    }
    assert called(files, "c.ts") == {}


def test_many_files_that_pass_on_each_others_names_are_asked_once_each() -> None:
    every = "".join(f'export * from "./b{n}";\n' for n in range(40))
    files = {f"b{n}.ts": every for n in range(40)} | {"c.ts": 'import { lost } from "./b0";\nlost();\n'}
    files["b39.ts"] += "export function found() {}\n"
    files["d.ts"] = 'import { found } from "./b0";\nfound();\n'
    assert (called(files, "c.ts"), called(files, "d.ts")) == ({}, {"d.ts": {"b39.ts#found"}})


def test_a_file_that_imports_itself_imports_nothing() -> None:
    files = {"a.py": "import a\nfrom a import f\n\n\ndef f():\n    return f()\n"}
    assert imports_of(tree(files), "a.py") == ()


def test_names_that_differ_in_case_alone_are_two() -> None:
    files = {"a.py": "def run(): ...\n\n\ndef Run(): ...\n\n\ndef go():\n    Run()\n"}
    assert called(files, "a.py") == {"go": {"a.py#Run"}}


def test_names_may_be_of_any_script() -> None:
    files = {"модуль.py": "def привет(): ...\n", "b.py": "from модуль import привет\n\n\ndef ладно():\n    привет()\n"}
    assert called(files, "b.py") == {"ладно": {"модуль.py#привет"}}


def test_one_content_in_two_places_is_two_definitions() -> None:
    files = {
        "one/util.py": "def help_out(): ...\n",
        "two/util.py": "def help_out(): ...\n",
        "two/user.py": "from .util import help_out\n\n\ndef run():\n    help_out()\n",
    }
    assert called(files, "two/user.py") == {"run": {"two/util.py#help_out"}}


def test_types_in_annotations_are_references() -> None:
    files = {"a.py": "from b import Cart\n\n\ndef f(x: Cart) -> None: ...\n", "b.py": "class Cart: ...\n"}
    small = Tree(files)
    there = references_from(tree(files), "a.py")
    assert there == references_to(tree(files), "b.py", small.symbol("b.py", "Cart"))
    assert [(shown(e.source), shown(e.target)) for e in there] == [("a.py#f", "b.py#Cart")]


# Laws

MIXED = {**PYTHON, **SCRIPT, **GO, **{("rust/" + path): text for path, text in RUST.items()}, **JAVA, **OTHERS}


def test_asking_from_either_end_gives_the_same_edges() -> None:
    small = tree(MIXED)
    reverse = Counter[SourceEdge]()
    for path in MIXED:
        reverse.update(importers_of(small, path))
        for symbol in small.symbols(path):
            reverse.update(callers_of(small, path, symbol))
            reverse.update(references_to(small, path, symbol))
            reverse.update(subtypes_of(small, path, symbol))
    kinds = frozenset({"imports", "calls", "references", "inherits", "implements"})
    assert reverse == Counter(all_edges(tree(MIXED), kinds))  # type: ignore[arg-type]


def test_forward_answers_are_the_same_as_the_whole_graph() -> None:
    small = tree(MIXED)
    forward = Counter[SourceEdge]()
    for path in MIXED:
        asked = (imports_of, calls_from, references_from, bases_of, exports_of)
        forward.update(edge for ask in asked for edge in ask(small, path))
    kinds = frozenset({"imports", "calls", "references", "inherits", "implements", "exports"})
    assert forward == Counter(all_edges(tree(MIXED), kinds))  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", range(5))
def test_edges_depend_on_the_tree_alone(seed: int) -> None:
    paths = list(MIXED)
    random.Random(seed).shuffle(paths)
    small = tree({path: MIXED[path] for path in paths})
    for path in random.Random(seed + 100).sample(paths, 15):
        calls_from(small, path)
    assert list(all_edges(small)) == list(all_edges(tree(MIXED)))


def test_a_certainty_is_above_none_and_at_most_one() -> None:
    assert all(0 < edge.certainty <= 1 for edge in all_edges(tree(MIXED)))


def test_every_end_of_an_edge_is_a_place_of_the_tree() -> None:
    small = tree(MIXED)
    for edge in all_edges(small):
        for end in (edge.source, edge.target):
            path, symbol = place_of(small, end)
            assert path in MIXED
            assert symbol is not None or end == path


def test_the_whole_graph_reads_each_file_a_few_times_at_most() -> None:
    small = Tree(MIXED)
    list(all_edges(small))  # type: ignore[arg-type]
    assert max(Counter(small.asked).values()) <= 4


def test_files_are_tied_closer_by_more_that_they_use() -> None:
    ties = file_graph(tree(PYTHON))["shop/admin.py"]
    assert ties["shop/cart.py"] > ties["shop/__init__.py"] > 0


def test_neighbours_are_those_in_both_directions() -> None:
    edges = neighbours(tree(PYTHON), "shop/prices.py", frozenset({"imports"}))
    assert {(edge.source, edge.target) for edge in edges} == {
        ("shop/cart.py", "shop/prices.py"),
        ("shop/admin.py", "shop/prices.py"),
        ("shop/__init__.py", "shop/prices.py"),
    }


def test_neighbours_of_a_definition_call_and_are_called() -> None:
    small = Tree(PYTHON)
    node = node_id("shop/prices.py", small.symbol("shop/prices.py", "gross"))
    edges = neighbours(tree(PYTHON), node, frozenset({"calls"}))
    assert {(shown(e.source), shown(e.target)) for e in edges} == {
        ("shop/prices.py#gross", "shop/prices.py#net"),
        ("shop/cart.py#total", "shop/prices.py#gross"),
        ("shop/admin.py#run", "shop/prices.py#gross"),
    }


def test_neighbours_are_at_most_as_many_as_wanted() -> None:
    assert len(neighbours(tree(PYTHON), "shop/prices.py", depth=3, most=4)) == 4


def test_packages_depend_on_each_other_by_their_manifests() -> None:
    files = {
        "a/package.json": '{"name": "a", "dependencies": {"b": "*"}}',
        "b/package.json": '{"name": "b"}',
    }
    (edge,) = all_edges(tree(files), frozenset({"depends_on"}))
    assert (edge.source, edge.target) == ("a/package.json", "b/package.json")


# With a real index


def test_a_symbolic_link_is_not_the_file_that_it_names(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("def f(): ...\n")
    (tmp_path / "b.py").symlink_to("a.py")
    (tmp_path / "c.py").write_text("import a\nimport b\n\na.f()\nb.f()\n")
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    subprocess.run(["git", "add", "-A"], cwd=tmp_path, check=True)
    with RepositoryIndex.open(tmp_path, cache_dir=tmp_path.parent / f"cache{os.getpid()}", processes=0) as index:
        assert [edge.target for edge in imports_of(index, "c.py")] == ["a.py"]


def test_a_refreshed_index_gives_the_edges_of_what_is_there_now(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("def f(): ...\n")
    (tmp_path / "c.py").write_text("import a\n\n\ndef run():\n    a.f()\n    a.g()\n")
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    with RepositoryIndex.open(tmp_path, cache_dir=tmp_path.parent / f"fresh{os.getpid()}", processes=0) as index:
        before = ends(calls_from(index, "c.py"))
        (tmp_path / "a.py").write_text("def g(): ...\n")
        after = ends(calls_from(index.refresh(), "c.py"))
    assert (before, after) == ({"run": {"a.py#f"}}, {"run": {"a.py#g"}})
