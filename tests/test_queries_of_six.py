"""What the queries of Python, JavaScript, TypeScript, Go, Rust and Java find, case by case."""

from __future__ import annotations

from textwrap import dedent

import pytest
from agenvantage.context.parse import Analysis, analyse


def read(path: str, text: str) -> Analysis:
    return analyse(dedent(text).encode(), path)


def kinds(path: str, text: str) -> dict[str, str]:
    return {symbol.name: symbol.kind for symbol in read(path, text).symbols}


def holders(path: str, text: str) -> dict[str, str | None]:
    return {symbol.name: symbol.container for symbol in read(path, text).symbols}


def uses(path: str, text: str, kind: str) -> set[tuple[str | None, str]]:
    return {(use.qualifier, use.name) for use in read(path, text).uses if use.kind == kind}


def imports(path: str, text: str) -> list[tuple[str, tuple[str, ...]]]:
    return [(each.module, each.names) for each in read(path, text).imports]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("A = 1", {"A": "constant"}),
        ("a: int = 1", {"a": "variable"}),
        ("a, (b, *c) = 1, 2", {"a": "variable"}),
        ("a, b = 1, 2", {"a": "variable", "b": "variable"}),
        ("a = b = 1", {"a": "variable", "b": "variable"}),
        ("if X:\n    a = 1\nelse:\n    b = 2", {"a": "variable", "b": "variable"}),
        ("try:\n    a = 1\nexcept E:\n    b = 2", {"a": "variable", "b": "variable"}),
        ("if X:\n    def f(): ...", {"f": "function"}),
        ("type A[T] = list[T]", {"A": "type"}),
        ("class E(str, Enum):\n    A = 1", {"E": "class", "A": "enum_member"}),
        ("class K:\n    x: int\n    def __init__(self):\n        self.y = 1",
         {"K": "class", "x": "field", "__init__": "constructor"}),
        ("def f():\n    a = 1\n    if a:\n        b = 2", {"f": "function"}),
    ],
)  # fmt: skip
def test_python_defines(text: str, found: dict[str, str]):
    assert kinds("a.py", text) == found


def test_python_says_what_it_exports():
    symbols = read("a.py", "__all__ = ['_a'] + ['_b']\ndef _a(): ...\ndef _b(): ...\ndef _c(): ...\n").symbols
    assert [symbol.visibility for symbol in symbols] == ["public", "public", "public", "private"]


def test_python_imports_keep_their_aliases():
    text = "import a.b as c, d\nfrom . import x as y\nfrom ..q import *\n"
    assert imports("a.py", text) == [("a.b", ("a.b as c",)), ("d", ()), (".", ("x as y",)), ("..q", ("*",))]


def test_python_types_are_referred_to_in_annotations():
    text = "def f(a: A | None, b: 'B', c: m.C[D], e: list[E]) -> dict[str, F]: ...\n"
    assert uses("a.py", text, "references") == {(None, "A"), ("m", "C"), (None, "D"), (None, "E"), (None, "F")}


def test_python_bases_are_inherited_whatever_their_spelling():
    text = "class K(A, m.B, C[int], metaclass=M): ...\n"
    assert uses("a.py", text, "inherits") == {(None, "A"), (None, "B"), (None, "C")}


def test_a_decorator_belongs_to_what_it_decorates():
    (symbol,) = read("a.py", "@app.route('/x')\n@wraps\ndef f(): ...\n").symbols
    assert symbol.decorators == ("app.route", "wraps")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("const a = 1; let b = 2; var c = 3", {"a": "constant", "b": "variable", "c": "variable"}),
        ("const { a, b: c, d = 1 } = x", {"a": "constant", "c": "constant", "d": "constant"}),
        ("const a = require('a')", {}),
        ("const { a } = require('a')", {}),
        ("const a = () => 1", {"a": "function"}),
        ("const A = class {}", {"A": "class"}),
        ("it('x', () => { const a = 1 })", {}),
        ("for (let i = 0;;) {}", {}),
        ("function* g() {}", {"g": "function"}),
        ("class A { x = 1; #p = () => 1; constructor() {} get g() {} }",
         {"A": "class", "x": "field", "#p": "method", "constructor": "constructor", "g": "method"}),
        ("const o = { m() {}, f: () => 1, 'q': function () {}, x: 1 }",
         {"o": "constant", "m": "method", "f": "method", "q": "method"}),
        ("A.prototype.m = function () {}", {"m": "method"}),
        ("A.prototype = { m() {} }", {"m": "method"}),
        ("exports.a = 1; module.exports.b = function () {}", {"a": "variable", "b": "function"}),
        ("app.start = function () {}", {"start": "method"}),
        ("export default function () {}", {"default": "function"}),
        ("run(function named() {})", {"named": "function"}),
    ],
)  # fmt: skip
@pytest.mark.parametrize("path", ["a.js", "a.ts", "a.tsx"])
def test_scripts_define(path: str, text: str, found: dict[str, str]):
    assert kinds(path, text) == found


@pytest.mark.parametrize("text", ["A.prototype.m = function () {}", "A.prototype = { m() {} }", "A.m = function () {}"])
def test_a_method_given_by_assignment_belongs_to_what_it_is_given(text: str):
    assert holders("a.js", text) == {"m": "A"}


@pytest.mark.parametrize(
    "text", ["export { a }", "export default a", "module.exports = a", "module.exports = { a }", "exports.a = a"]
)
def test_a_script_exports_apart_from_the_definition(text: str):
    (symbol,) = read("a.js", f"function a() {{}}\n{text}\n").symbols
    assert symbol.visibility == "public"


def test_script_imports_keep_what_they_take():
    text = """
    import a, { b as c } from './m';
    import * as n from 'n';
    import 's';
    export { d } from './z';
    export * from 'w';
    const { e, f } = require('r');
    const g = require('t');
    import('u');
    """
    assert imports("a.js", text) == [
        ("./m", ("a", "b as c")),
        ("n", ("* as n",)),
        ("s", ()),
        ("./z", ("d",)),
        ("w", ("*",)),
        ("r", ("e", "f")),
        ("t", ("g",)),
        ("u", ()),
    ]


def test_components_are_referred_to_in_markup():
    assert uses("a.tsx", "const a = <A><n.B /><div /></A>", "references") == {(None, "A"), ("n", "B")}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("interface I { p: string; m(): void }", {"I": "interface", "p": "property", "m": "method"}),
        ("type T = { p: string } & U", {"T": "type", "p": "property"}),
        ("enum E { A, B = 1 }", {"E": "enum", "A": "enum_member", "B": "enum_member"}),
        ("namespace N { export const a = 1 }", {"N": "namespace", "a": "constant"}),
        ("declare module 'm' { function f(): void; let a: string }",
         {"m": "namespace", "f": "function", "a": "variable"}),
        ("declare const a: string; declare function f(): void", {"a": "variable", "f": "function"}),
        ("abstract class K { abstract m(): void; private x = 1 }", {"K": "class", "m": "method", "x": "field"}),
        ("class K { constructor(private a: A, b: B, readonly c?: C) {} }",
         {"K": "class", "constructor": "constructor", "a": "field", "c": "field"}),
    ],
)  # fmt: skip
def test_typescript_defines(text: str, found: dict[str, str]):
    assert kinds("a.ts", text) == found


def test_a_field_among_a_constructors_parameters_belongs_to_the_class():
    assert holders("a.ts", "class K { constructor(private a: A) {} }")["a"] == "K"


def test_each_overload_is_told():
    assert [s.start for s in read("a.ts", "function f(): 1;\nfunction f(a: 1): 2;\nfunction f() {}\n").symbols] == [
        1,
        2,
        3,
    ]


def test_typescript_tells_extends_from_implements():
    text = "class K extends n.A<T> implements I, n.J<X> {}\ninterface Q extends I {}\n"
    assert uses("a.ts", text, "inherits") == {(None, "A"), (None, "I")}
    assert uses("a.ts", text, "implements") == {(None, "I"), (None, "J")}


def test_a_type_is_referred_to_once_at_its_place():
    assert uses("a.ts", "let a: n.Some<Other>; new Third()", "references") == {("n", "Some"), (None, "Other")}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("const ( A, B = 1, 2 )", {"A": "constant", "B": "constant"}),
        ("var ( a = 1\n _ I = b )", {"a": "variable"}),
        ("type S struct { a, b int; Base; *m.Other }",
         {"S": "struct", "a": "field", "b": "field", "Base": "field", "Other": "field"}),
        ("type I interface { io.Reader; M() }", {"I": "interface", "M": "method"}),
        ("type ( F func(int); A = B; G[T any] []T )", {"F": "type", "A": "type", "G": "type"}),
        ("func f() { var a int; const b = 1; for _, t := range []struct{ name string }{} {} }", {"f": "function"}),
    ],
)  # fmt: skip
def test_go_defines(text: str, found: dict[str, str]):
    assert kinds("a.go", f"package p\n{text}\n") == found


@pytest.mark.parametrize("receiver", ["s S", "s *S", "S", "s S[T]", "s *S[T, K]"])
def test_a_go_method_belongs_to_its_receiver(receiver: str):
    assert holders("a.go", f"package p\nfunc ({receiver}) M() {{}}\n") == {"M": "S"}


def test_go_embedding_is_inheriting():
    text = "package p\ntype S struct { A; *m.B; C[T] }\ntype I interface { io.R; ~int | ~string }\n"
    assert uses("a.go", text, "inherits") == {(None, "A"), (None, "B"), (None, "C"), (None, "R")}


def test_go_says_its_package_and_the_names_it_gives_imports():
    text = 'package p\nimport (\n "a/b"\n x "c"\n . "d"\n)\n'
    assert [(fact.kind, fact.name) for fact in read("a.go", text).facts] == [("package", "p")]
    assert imports("a.go", text) == [("a/b", ()), ("c", ("x",)), ("d", (".",))]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("struct S { a: i32 } union U { b: i32 } struct T(A);",
         {"S": "struct", "a": "field", "U": "struct", "b": "field", "T": "struct"}),
        ("enum E { A, B(i32), C { d: i32 } }",
         {"E": "enum", "A": "enum_member", "B": "enum_member", "C": "enum_member", "d": "field"}),
        ("trait T { const A: i32; type B; fn m(&self); fn d(&self) {} }",
         {"T": "trait", "A": "constant", "B": "type", "m": "method", "d": "method"}),
        ("const A: i32 = 1; static B: i32 = 1; type C = i32;", {"A": "constant", "B": "variable", "C": "type"}),
        ("macro_rules! m { () => {} } mod n { fn f() {} }", {"m": "macro", "n": "module", "f": "function"}),
        ("fn f() { const A: i32 = 1; let b = 2; }", {"f": "function"}),
    ],
)  # fmt: skip
def test_rust_defines(text: str, found: dict[str, str]):
    assert kinds("a.rs", text) == found


@pytest.mark.parametrize("spelled", ["S", "S<T>", "m::S", "&S", "&mut S<T>"])
def test_a_rust_method_belongs_to_the_type_whatever_the_trait(spelled: str):
    assert holders("a.rs", f"impl<T> m::Tr for {spelled} {{ fn f() {{}} }}") == {"f": "S"}
    assert uses("a.rs", f"impl<T> m::Tr<T> for {spelled} {{}}", "implements") == {(None, "Tr")}


def test_a_rust_attribute_on_an_import_decorates_no_function():
    text = "#[derive(Debug)]\n#[serde(x)]\nstruct S;\n#[cfg(a)]\nuse b;\nfn f() {}\n"
    assert [symbol.decorators for symbol in read("a.rs", text).symbols] == [("Debug", "serde"), ()]


def test_rust_calls_are_seen_inside_macros():
    assert uses("a.rs", "fn f() { assert_eq!(a.b(1), C::d(), e(2)); }", "calls") == {
        (None, "assert_eq"),
        ("a", "b"),
        ("C", "d"),
        (None, "e"),
    }


def test_rust_tells_files_of_its_own_from_other_imports():
    text = "use std::{fmt, io};\npub mod a;\nmod b { }\nextern crate c;\n"
    assert imports("a.rs", text) == [("std::{fmt, io}", ()), ("a", ("mod",)), ("c", ())]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("record R(int a, B b) { R { } static int c; }",
         {"R": "class", "a": "field", "b": "field", "c": "field"}),
        ("enum E implements I { A(1) { void m() {} }, B; int n; }",
         {"E": "enum", "A": "enum_member", "m": "method", "B": "enum_member", "n": "field"}),
        ("@interface N { int v() default 1; String X = \"a\"; }", {"N": "annotation", "v": "method", "X": "constant"}),
        ("class K { static final int A = 1, B = 2; int c; K() {} void m() { int d = 1; } class In {} }",
         {"K": "class", "A": "constant", "B": "constant", "c": "field", "m": "method", "In": "class"}),
        ("interface I { int A = 1; void m(); }", {"I": "interface", "A": "constant", "m": "method"}),
    ],
)  # fmt: skip
def test_java_defines(text: str, found: dict[str, str]):
    assert kinds("A.java", text) == found


def test_a_java_constructor_is_one_beside_its_class():
    symbols = read("A.java", "class K {\n  K() {}\n}\n").symbols
    assert [(symbol.kind, symbol.container) for symbol in symbols] == [("class", None), ("constructor", "K")]


def test_java_members_of_an_interface_are_public():
    text = "interface I {\n void m();\n}\nclass K {\n void n() {}\n}\n"
    assert {s.name: s.visibility for s in read("A.java", text).symbols if s.kind == "method"} == {
        "m": "public",
        "n": "internal",
    }


def test_java_imports_say_what_they_take():
    text = "package a.b;\nimport java.util.List;\nimport static x.Y.z;\nimport java.io.*;\n"
    assert imports("A.java", text) == [("java.util.List", ()), ("x.Y.z", ()), ("java.io", ("*",))]


def test_java_tells_extends_from_implements():
    text = "class K<T> extends p.A<T> implements I, q.J<T> {}\ninterface Q extends I {}\n"
    assert uses("A.java", text, "inherits") == {(None, "A"), (None, "I")}
    assert uses("A.java", text, "implements") == {(None, "I"), (None, "J")}


def test_java_constants_are_referred_to_by_their_class():
    assert ("K", "A") in uses("A.java", "class B { int a = K.A; int b = c.d; }", "references")
    assert ("c", "d") not in uses("A.java", "class B { int a = K.A; int b = c.d; }", "references")


def test_java_calls_new_objects_and_method_references():
    text = "class K { void m() { a.b(); c(); new D<E>(); new p.F(); list.map(G::h); } }"
    assert uses("A.java", text, "calls") == {
        ("a", "b"),
        (None, "c"),
        (None, "D"),
        (None, "F"),
        ("G", "h"),
        ("list", "map"),
    }


@pytest.mark.parametrize(
    ("path", "text", "name"),
    [
        ("a.py", "os.environ['A_B']", "A_B"),
        ("a.js", "process.env.A_B", "A_B"),
        ("a.ts", "import.meta.env.A_B", "A_B"),
        ("a.js", "process.env['A_B']", "A_B"),
    ],
)
def test_a_variable_of_the_environment_is_a_fact(path: str, text: str, name: str):
    assert ("env", name) in {(fact.kind, fact.name) for fact in read(path, text).facts}


@pytest.mark.parametrize("opened", ["f(\n", "[\n", "a.b(\n"])
def test_code_nested_deeper_than_people_nest_is_passed_by(opened: str):
    deep = opened * 600 + "function far() {}"
    assert kinds("a.js", f"function near() {{}}\n{deep}") == {"near": "function"}
