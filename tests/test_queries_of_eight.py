"""What the queries of Kotlin, C, C++, C#, Ruby, PHP, Swift and Scala find, case by case."""

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


def visibilities(path: str, text: str) -> dict[str, str | None]:
    return {symbol.name: symbol.visibility for symbol in read(path, text).symbols}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("package a.b", {"a.b": "package"}),
        ("class A\ninterface B\nobject C", {"A": "class", "B": "interface", "C": "object"}),
        ("fun interface F { fun f() }", {"F": "interface", "f": "method"}),
        ("enum class E { A, B }", {"E": "enum", "A": "enum_member", "B": "enum_member"}),
        ("annotation class N", {"N": "annotation"}),
        ("data class P(val x: Int, y: Int, private var z: Int)", {"P": "class", "x": "property", "z": "property"}),
        ("const val A = 1\nval b = 2\nvar (c, d) = e",
         {"A": "constant", "b": "property", "c": "property", "d": "property"}),
        ("typealias H = (Int) -> Unit", {"H": "type"}),
        ("class A { constructor(x: Int) {} }", {"A": "class", "constructor": "constructor"}),
        ("class A {\n    companion object Named {\n        fun f() {}\n    }\n}",
         {"A": "class", "Named": "object", "f": "method"}),
        ("fun f() {\n    val a = 1\n    fun g() {}\n}", {"f": "function", "g": "function"}),
        ("operator fun V.plus(o: V) = V()", {"plus": "function"}),
        ("class A\n    @Inject\n    internal constructor(val x: Int) : B() {\n    fun f() {}\n}",
         {"A": "class", "x": "property", "f": "method"}),
    ],
)  # fmt: skip
def test_kotlin_defines(text: str, found: dict[str, str]):
    assert kinds("a.kt", text) == found


def test_a_kotlin_extension_belongs_to_the_type_it_extends():
    text = "fun <T> List<T>.a() {}\nfun String?.b() {}\nfun (() -> Unit).c() {}\nfun d() {}\n"
    assert holders("a.kt", text) == {"a": "List", "b": "String", "c": None, "d": None}


def test_a_kotlin_property_ends_with_its_accessors():
    (_, symbol) = read("a.kt", "class A {\n    val a: Int\n        get() = 1\n    // b\n}\n").symbols
    assert (symbol.start, symbol.end) == (2, 3)


def test_kotlin_imports_with_alias_and_star():
    text = "import a.b.C\nimport a.b.D as E\nimport a.c.*\n"
    assert imports("a.kt", text) == [("a.b.C", ()), ("a.b.D", ("D as E",)), ("a.c", ("*",))]


def test_kotlin_bases_are_classes_where_they_are_made_and_interfaces_otherwise():
    text = "class A<T>(b: B) : Base<T>(b), Mark, Ns.Other<T>, By by b\n"
    assert uses("a.kt", text, "inherits") == {(None, "Base")}
    assert uses("a.kt", text, "implements") == {(None, "Mark"), (None, "Other"), (None, "By")}


def test_kotlin_calls_with_what_stands_before_them():
    text = "fun f() {\n    a()\n    b.c()\n    d?.e!!.g()\n    h().i { j(it) }\n    k to l\n    Box<Int>(1)\n}\n"
    assert uses("a.kt", text, "calls") == {
        (None, "a"), ("b", "c"), ("d.e", "g"), (None, "h"), ("?", "i"), (None, "j"), (None, "to"), (None, "Box"),
    }  # fmt: skip


def test_kotlin_refers_to_types_and_to_members_of_types():
    text = "fun f(a: A?, b: List<B>): C {\n    if (a is D) E::class\n    return F.G\n}\nval h = ::i\n"
    assert uses("a.kt", text, "references") == {
        (None, "A"), (None, "List"), (None, "B"), (None, "C"), (None, "D"), (None, "E"), ("F", "G"), (None, "i"),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "visibility"),
    [
        ("fun f() {}", "public"),
        ("private fun f() {}", "private"),
        ("override protected fun f() {}", "protected"),
        ("internal suspend fun f() {}", "internal"),
        ("fun f(private: Int) {}", "public"),
    ],
)
def test_kotlin_visibility_is_said_before_the_name(text: str, visibility: str):
    assert visibilities("a.kt", text) == {"f": visibility}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("int f(void) { int a; return 0; }", {"f": "function"}),
        ("char **f(void) { }\nstruct s *g(void) { }", {"f": "function", "g": "function"}),
        ("int f(int a);\nchar *g(void);", {"f": "function", "g": "function"}),
        ("void (*signal(int s, void (*f)(int)))(int) { }", {"signal": "function"}),
        ("struct s { int a, *b, c[3]; void (*d)(int); int e : 3; };",
         {"s": "struct", "a": "field", "b": "field", "c": "field", "d": "field", "e": "field"}),
        ("struct s;\nunion u { int a; };", {"u": "struct", "a": "field"}),
        ("enum e { A, B = 2 };\nenum { C };",
         {"e": "enum", "A": "enum_member", "B": "enum_member", "C": "enum_member"}),
        ("typedef struct { int a; } s;", {"s": "struct", "a": "field"}),
        ("typedef struct s { int a; } s;", {"s": "struct", "a": "field"}),
        ("typedef struct s { int a; } t, *u;", {"s": "struct", "a": "field", "t": "type", "u": "type"}),
        ("typedef unsigned long a, *b;\ntypedef int (*c)(int);\ntypedef struct d *e;",
         {"a": "type", "b": "type", "c": "type", "e": "type"}),
        ("#define A 1\n#define B(x) x\n#define C\n", {"A": "macro", "B": "macro", "C": "macro"}),
        ("#ifndef A_H\n#define A_H\nint a;\n#endif\n", {"a": "variable"}),
        ("int a, *b, c[2] = {1};\nstatic int (*d)(int);\nconst int e = 1;\nextern int g;",
         {"a": "variable", "b": "variable", "c": "variable", "d": "variable", "e": "constant", "g": "variable"}),
        ('extern "C" { int f(void); int g; }', {"f": "function", "g": "variable"}),
        ("#ifdef A\nint f(void) { return 0; }\n#else\nint g(void) { return 1; }\n#endif\n",
         {"f": "function", "g": "function"}),
    ],
)  # fmt: skip
def test_c_defines(text: str, found: dict[str, str]):
    assert kinds("a.c", text) == found


def test_c_includes_calls_and_types():
    text = '#include "a/b.h"\n#include <c.h>\nT *f(struct s *x) { g(x); x->h(1); return (T *) sizeof(enum e); }\n'
    assert imports("a.c", text) == [("a/b.h", ()), ("c.h", ())]
    assert uses("a.c", text, "calls") == {(None, "g"), ("x", "h")}
    assert uses("a.c", text, "references") == {(None, "T"), (None, "s"), (None, "e")}


def test_what_is_static_in_c_is_private():
    assert visibilities("a.c", "static int f(void) { }\nint g(void) { }\n") == {"f": "private", "g": "public"}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("namespace a { namespace b::c { class D; } }", {"a": "namespace", "b::c": "namespace"}),
        ("class A final : public B { int x; static constexpr int k = 1; };",
         {"A": "class", "x": "field", "k": "constant"}),
        ("class A { public: ~A(); void f(); int g() const { } };",
         {"A": "class", "~A": "method", "f": "method", "g": "method"}),
        ("struct A { bool operator==(const A &o) const; A &operator[](int i); operator bool() const; };",
         {"A": "struct", "operator==": "method", "operator[]": "method", "operator": "method"}),
        ("template <typename T> struct A { template <class U> void f(U u); int *g(); T &h() { } };",
         {"A": "struct", "f": "method", "g": "method", "h": "method"}),
        ("template <> class A<int> { };", {"A": "class"}),
        ("template <typename T> concept C = requires(T a) { a.b(); };", {"C": "type"}),
        ("using A = B<int>;\ntypedef C D;", {"A": "type", "D": "type"}),
        ("enum class E : int { A };", {"E": "enum", "A": "enum_member"}),
        ("int f(int a);\nstd::string &g();\ntemplate <class T> T h(T t);\nauto i() -> int { }",
         {"f": "function", "g": "function", "h": "function", "i": "function"}),
        ("void f() { Foo a(b); int c = 1; auto d = [](int e) { return e; }; }", {"f": "function"}),
        ("bool operator<(const A &a, const A &b) { }", {"operator<": "function"}),
        ("const int a = 1;\nint b{2};\nstatic Foo c;", {"a": "constant", "b": "variable", "c": "variable"}),
        ("export module m;", {"m": "module"}),
        ("class A { friend class B; friend void f(A &a) { } };", {"A": "class", "f": "method"}),
    ],
)  # fmt: skip
def test_cpp_defines(text: str, found: dict[str, str]):
    assert kinds("a.cpp", text) == found


def test_cpp_members_defined_outside_belong_to_their_class():
    text = """
        void A::f() { }
        int *n::B::g() { }
        template <class T> T &n::C<T>::h() { }
        A::A() { }
        B::~B() { }
        int A::i = 0;
    """
    assert holders("a.cpp", text) == {"f": "A", "g": "B", "h": "C", "A": "A", "~B": "B", "i": "A"}
    assert kinds("a.cpp", text)["A"] == "constructor"


def test_a_cpp_constructor_is_told_from_its_class():
    text = "class A {\n  A();\n  explicit A(int a) : b(a) {}\n  template <class T> A(T t);\n};\nA::A() {}\n"
    assert [symbol.kind for symbol in read("a.cpp", text).symbols] == ["class", *["constructor"] * 4]


def test_a_cpp_template_begins_at_its_parameters():
    (symbol,) = read("a.cpp", "template <typename T>\nclass A {\n};\n").symbols
    assert (symbol.start, symbol.end, symbol.signature) == (1, 3, "template <typename T> class A")


def test_a_cpp_test_is_found_by_its_own_name():
    assert holders("a.cc", "TEST_F(Suite, Name) {\n    f();\n}\n") == {"Name": "Suite"}


def test_cpp_bases_and_calls():
    text = "class A : public B<int>, private n::C { void f() { g(); n::h(); x->i(); j<int>(1); new K(); } };\n"
    assert uses("a.cpp", text, "inherits") == {(None, "B"), (None, "C")}
    assert {("n", "h"), ("x", "i"), (None, "g"), (None, "j"), (None, "K")} <= uses("a.cpp", text, "calls")


def test_a_cpp_member_of_a_type_is_referred_to_with_its_type():
    assert ("Color", "Red") in uses("a.cpp", "int f() { return g(Color::Red); }\n", "references")


def test_a_header_is_read_as_cpp():
    assert kinds("a.h", "class A { int f(); };\n") == {"A": "class", "f": "method"}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("namespace A.B { class C { } }", {"A.B": "namespace", "C": "class"}),
        ("namespace A.B;\nclass C { }", {"A.B": "namespace", "C": "class"}),
        ("interface I { void F(); string P { get; } }", {"I": "interface", "F": "method", "P": "property"}),
        ("record R(int A, string B);\nrecord struct S { }",
         {"R": "class", "A": "property", "B": "property", "S": "class"}),
        ("struct S { public int X; }\nenum E { A, B = 2 }",
         {"S": "struct", "X": "field", "E": "enum", "A": "enum_member", "B": "enum_member"}),
        ("class A { const int M = 1, N = 2; static int c; }",
         {"A": "class", "M": "constant", "N": "constant", "c": "field"}),
        ("class A { event H E; event H F { add { } remove { } } int this[int i] => i; }",
         {"A": "class", "E": "property", "F": "property", "this": "property"}),
        ("class A { public static A operator +(A a, A b) => a; static implicit operator int(A a) => 1; }",
         {"A": "class", "+": "method", "operator": "method"}),
        ("delegate int D(int a);\nusing A = B.C;", {"D": "type", "A": "type"}),
        ("class A { void F() { int x = 1; int G(int y) => y; } }", {"A": "class", "F": "method", "G": "function"}),
    ],
)  # fmt: skip
def test_csharp_defines(text: str, found: dict[str, str]):
    assert kinds("a.cs", text) == found


def test_a_csharp_constructor_is_told_from_its_class():
    text = "class A {\n  A() { }\n  static A() { }\n  ~A() { }\n}\n"
    assert [symbol.kind for symbol in read("a.cs", text).symbols] == ["class", "constructor", "constructor", "method"]


def test_csharp_usings():
    text = "using A;\nusing static A.B;\nglobal using C;\nusing D = E.F;\n"
    assert [module for module, _ in imports("a.cs", text)] == ["A", "A.B", "C", "E.F"]


def test_csharp_bases_are_told_apart_by_the_custom_of_their_names():
    text = "class A : Base<int>, IFoo, N.IBar<T> { }\ninterface IB : IC { }\nstruct S : IFoo { }\n"
    assert uses("a.cs", text, "inherits") == {(None, "Base"), (None, "IC")}
    assert uses("a.cs", text, "implements") == {(None, "IFoo"), (None, "IBar")}


def test_csharp_calls_with_what_stands_before_them():
    text = "class A { void F() { G(); b.H(); c?.I(); this.J(); K<int>(1); new L(1); new N.M<int>(); d.e.O<P>(); } }\n"
    assert {(None, "G"), ("b", "H"), ("c", "I"), (None, "K"), (None, "L"), ("d.e", "O")} <= uses("a.cs", text, "calls")


def test_csharp_attributes_belong_to_what_they_stand_before():
    text = '[assembly: X("a")]\n[Serializable, Foo("b")]\nclass A { [Bar] int x; }\n'
    assert [symbol.decorators for symbol in read("a.cs", text).symbols] == [("Serializable", "Foo"), ("Bar",)]


def test_csharp_documentation_is_told_without_its_tags():
    (symbol,) = read("a.cs", "/// <summary>\n/// Keeps things.\n/// </summary>\n[Foo]\nclass A { }\n").symbols
    assert (symbol.doc, symbol.start, symbol.signature) == ("Keeps things.", 1, "class A")


def test_csharp_visibility_is_unknown_for_a_member_without_a_modifier():
    text = "class A { void F() { } protected internal void G() { } private int h; }\npublic class B { }\n"
    assert visibilities("a.cs", text) == {"A": "internal", "F": None, "G": "protected", "h": "private", "B": "public"}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("module A\nend\nclass B < C\nend", {"A": "module", "B": "class"}),
        ("def f; end\nclass A\n  def f; end\n  def self.g; end\n  def ==(o); end\n  def h=(v); end\nend",
         {"f": "method", "A": "class", "g": "method", "==": "method", "h=": "method"}),
        ("class A\n  class << self\n    def f; end\n  end\nend", {"A": "class", "f": "method"}),
        ("A = 1\nB, C = 1, 2\nD ||= 3", {"A": "constant", "B": "constant", "C": "constant", "D": "constant"}),
        ("class A\n  attr_accessor :b, 'c'\n  attr_reader :d\nend",
         {"A": "class", "b": "property", "c": "property", "d": "property"}),
        ("class A\n  define_method(:b) { }\n  define_method('c') do end\nend",
         {"A": "class", "b": "method", "c": "method"}),
        ("class A\n  alias b c\n  alias_method :d, :e\nend", {"A": "class", "b": "method", "d": "method"}),
        ("P = Struct.new(:x, :y) do\n  def d; end\nend\nK = Class.new(B)",
         {"P": "class", "x": "property", "y": "property", "d": "method", "K": "class"}),
        ("class A\n  has_many :posts\n  scope :active, -> { }\nend",
         {"A": "class", "posts": "property", "active": "method"}),
        ("task :build => [:x] do\nend\ntask 'test' do\nend", {"build": "command", "test": "command"}),
        ("class A\n  @@b = 1\nend\n$c = 2\nd = 3", {"A": "class", "@@b": "field", "$c": "variable"}),
        ("def f\n  a = 1\n  B.new\nend", {"f": "function"}),
    ],
)  # fmt: skip
def test_ruby_defines(text: str, found: dict[str, str]):
    assert kinds("a.rb", text) == found


def test_a_ruby_class_named_by_its_path_is_held_by_the_module_before_it():
    assert holders("a.rb", "class A::B::C < D\nend\nmodule ::E\nend\n") == {"C": "A::B", "E": None}


def test_ruby_requires():
    text = "require 'a'\nrequire_relative \"b/c\"\nautoload :D, 'd'\n"
    assert [module for module, _ in imports("a.rb", text)] == ["a", "b/c", "d"]


def test_a_ruby_module_that_is_mixed_in_is_implemented():
    text = "class A < B::C\n  include D\n  extend E::F, G\n  prepend H\nend\n"
    assert uses("a.rb", text, "inherits") == {(None, "C")}
    assert uses("a.rb", text, "implements") == {(None, "D"), (None, "F"), (None, "G"), (None, "H")}


def test_a_bare_ruby_name_is_a_call_only_where_it_can_be_nothing_else():
    text = "def f\n  setup\n  return if done?\n  x = other\n  x\nend\n"
    assert uses("a.rb", text, "calls") == {(None, "setup"), (None, "done?")}


def test_ruby_calls_with_what_stands_before_them():
    text = "def f\n  a.b(1)\n  C::D.new(1)\n  E.g&.h\n  self.i = 1\n  j 1\nend\n"
    assert uses("a.rb", text, "calls") == {
        ("a", "b"),
        ("C::D", "new"),
        ("E", "g"),
        ("E.g", "h"),
        ("self", "i"),
        (None, "j"),
    }


def test_ruby_reads_the_environment_by_subscript():
    assert [(fact.kind, fact.name) for fact in read("a.rb", 'a = ENV["HOME"]\n').facts] == [("env", "HOME")]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("namespace A\\B;\nclass C { }", {"A\\B": "namespace", "C": "class"}),
        ("interface I { const Q = 1; public function m(); }", {"I": "interface", "Q": "constant", "m": "method"}),
        ("trait T { private $p; function t() { } }", {"T": "trait", "p": "property", "t": "method"}),
        ("enum S: string implements X { case A = 'a'; const D = self::A; public function l() { } }",
         {"S": "enum", "A": "enum_member", "D": "constant", "l": "method"}),
        ("class A { public function __construct(private readonly B $b, $c) { } }",
         {"A": "class", "__construct": "constructor", "b": "property"}),
        ("class A { const X = 1, Y = 2; private static ?B $c = null, $d; }",
         {"A": "class", "X": "constant", "Y": "constant", "c": "property", "d": "property"}),
        ("const A = 1;\ndefine('B', 2);", {"A": "constant", "B": "constant"}),
        ("function f() { $a = new class { public function g() { } }; $h = fn($x) => $x; }",
         {"f": "function", "g": "method"}),
    ],
)  # fmt: skip
def test_php_defines(text: str, found: dict[str, str]):
    assert kinds("a.php", f"<?php\n{text}\n") == found


def test_a_php_property_promoted_by_the_constructor_is_its_class_own():
    text = "<?php\nclass A { public function __construct(private B $b) { } }\n"
    assert holders("a.php", text) == {"A": None, "__construct": "A", "b": "A"}


def test_php_imports_with_aliases_and_groups():
    text = "<?php\nuse A\\B;\nuse A\\C as D;\nuse A\\{E, F as G};\nuse function A\\h;\nrequire __DIR__ . '/x.php';\n"
    assert imports("a.php", text) == [
        ("A\\B", ()), ("A\\C", ("A\\C as D",)), ("A", ("E", "F as G")), ("A\\h", ()), ("/x.php", ()),
    ]  # fmt: skip


def test_php_bases_and_traits():
    text = "<?php\nclass A extends \\N\\B implements C, N\\D { use E, F; }\ninterface G extends H { }\n"
    assert uses("a.php", text, "inherits") == {(None, "B"), (None, "H")}
    assert uses("a.php", text, "implements") == {(None, "C"), (None, "D"), (None, "E"), (None, "F")}


def test_php_calls_with_what_stands_before_them():
    text = "<?php\nf();\n$this->g();\n$x?->h();\nA::i();\nparent::j();\nnew B();\nfunction_exists('k');\n"
    assert uses("a.php", text, "calls") == {
        (None, "f"), ("this", "g"), ("x", "h"), ("A", "i"), ("parent", "j"), (None, "B"), (None, "function_exists"),
    }  # fmt: skip


def test_php_refers_to_types():
    text = "<?php\nfunction f(A|B $a, ?C $c): D {\n    try { $x = E::F; } catch (G $g) { }\n    $a instanceof H;\n}\n"
    assert uses("a.php", text, "references") == {
        (None, "A"), (None, "B"), (None, "C"), (None, "D"), (None, "E"), ("E", "F"), (None, "G"), (None, "H"),
    }  # fmt: skip


def test_php_attributes_and_visibility():
    (held, symbol) = read(
        "a.php", "<?php\nclass A {\n    #[Route('/x')]\n    protected static function f() { }\n}\n"
    ).symbols
    assert (held.visibility, symbol.visibility, symbol.decorators, symbol.start) == (
        "public",
        "protected",
        ("Route",),
        3,
    )


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("class A {}\nstruct B {}\nactor C {}\nprotocol D {}",
         {"A": "class", "B": "struct", "C": "class", "D": "protocol"}),
        ("enum E: String {\n    case a, b = \"c\"\n    indirect case d(E)\n}",
         {"E": "enum", "a": "enum_member", "b": "enum_member", "d": "enum_member"}),
        ("class A {\n    init() {}\n    deinit {}\n    subscript(i: Int) -> Int { 1 }\n}",
         {"A": "class", "init": "constructor", "deinit": "method", "subscript": "method"}),
        ("class A {\n    let a = 1, b: B? = nil\n    var (c, d) = (1, 2)\n    var e: Int { 1 }\n}",
         {"A": "class", "a": "property", "b": "property", "c": "property", "d": "property", "e": "property"}),
        ("struct A {\n    static func == (l: A, r: A) -> Bool { true }\n}\nfunc +++ (a: A, b: A) -> A { a }",
         {"A": "struct", "==": "method", "+++": "function"}),
        ("protocol P {\n    associatedtype I\n    func f()\n    var p: Int { get }\n}",
         {"P": "protocol", "I": "type", "f": "method", "p": "property"}),
        ("typealias A = B\nlet c = 1", {"A": "type", "c": "variable"}),
        ("func f() {\n    let a = 1\n    if let b = c {}\n}", {"f": "function"}),
        ("class A {\n#if os(iOS)\n    func f() {}\n#else\n    func g() {}\n#endif\n}",
         {"A": "class", "f": "method", "g": "method"}),
    ],
)  # fmt: skip
def test_swift_defines(text: str, found: dict[str, str]):
    assert kinds("a.swift", text) == found


def test_what_a_swift_extension_holds_belongs_to_the_type_it_extends():
    text = "extension A.B: C where T: D {\n    func f() {}\n    var p: Int { 1 }\n}\n"
    assert holders("a.swift", text) == {"f": "B", "p": "B"}
    assert uses("a.swift", text, "implements") == {(None, "C")}


def test_a_swift_class_inherits_what_it_names_first():
    text = "class A<T>: B<T>, C {}\nstruct D: E {}\nprotocol F: G {}\n"
    assert uses("a.swift", text, "inherits") == {(None, "B"), (None, "G")}
    assert uses("a.swift", text, "implements") == {(None, "C"), (None, "E")}


def test_swift_calls_and_no_subscripts():
    text = "func f() {\n    a()\n    b.c(1)\n    d { g() }\n    h.i { }\n    j[1]\n    k = .l(1)\n    m?.n()\n}\n"
    assert uses("a.swift", text, "calls") == {
        (None, "a"), ("b", "c"), (None, "d"), (None, "g"), ("h", "i"), (None, "l"), ("m", "n"),
    }  # fmt: skip


def test_swift_attributes_of_an_import_are_of_no_class():
    (symbol,) = read("a.swift", "@testable import B\n\n@objc(X) @MainActor\npublic final class A {}\n").symbols
    assert (symbol.decorators, symbol.visibility) == (("objc", "MainActor"), "public")


def test_what_swift_says_of_a_setter_is_not_said_of_the_property():
    text = "class A {\n    private(set) var a = 1\n    fileprivate var b = 2\n    open func c() {}\n}\n"
    assert visibilities("a.swift", text) == {"A": "internal", "a": "internal", "b": "private", "c": "public"}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("package a.b\nclass A\ntrait B\nobject C\ncase object D",
         {"a.b": "package", "A": "class", "B": "trait", "C": "object", "D": "object"}),
        ("case class P(name: String, age: Int)", {"P": "class", "name": "property", "age": "property"}),
        ("class A(val x: Int, y: Int, private var z: Int)", {"A": "class", "x": "property", "z": "property"}),
        ("class A {\n  val v, w = 1\n  lazy val (p, q) = r\n  def +(o: A): A = o\n  def a: Int\n  type T = Int\n}",
         {"A": "class", "v": "property", "w": "property", "p": "property", "q": "property", "+": "method",
          "a": "method", "T": "type"}),
        ("class A {\n  def this(s: String) = this()\n}", {"A": "class", "this": "constructor"}),
        ("package object u {\n  def h = {\n    val l = 1\n    l\n  }\n}", {"u": "object", "h": "method"}),
        ("enum Color(val rgb: Int):\n  case Red extends Color(1)\n  case Green, Blue\n",
         {"Color": "enum", "rgb": "property", "Red": "enum_member", "Green": "enum_member", "Blue": "enum_member"}),
        ("given ord: Ord[Int] with\n  def compare(x: Int) = 1\n\ndef top = 1\nval v = 2\nopaque type Id = Int\n",
         {"ord": "constant", "compare": "function", "top": "function", "v": "constant", "Id": "type"}),
    ],
)  # fmt: skip
def test_scala_defines(text: str, found: dict[str, str]):
    assert kinds("a.scala", text) == found


def test_a_scala_extension_belongs_to_the_type_it_extends():
    text = "extension (s: String)\n  def a = 1\nextension [T](xs: List[T]) def b = 2\n"
    assert holders("a.scala", text) == {"a": "String", "b": "List"}


def test_scala_imports():
    text = "import a.b.C\nimport a.b.{D, E => F}\nimport a.b._\nimport a.*\nimport a.{given, G as H}\nimport a\n"
    assert imports("a.scala", text) == [
        ("a.b.C", ()), ("a.b", ("D", "E")), ("a.b", ("_",)), ("a", ("*",)), ("a", ("given", "G as H")), ("a", ()),
    ]  # fmt: skip


def test_a_scala_class_inherits_what_it_names_first():
    text = "class A extends B[T](1) with C with n.D[T]\nobject E extends F\ntrait G extends H\nclass I derives J\n"
    assert uses("a.scala", text, "inherits") == {(None, "B"), (None, "F"), (None, "H")}
    assert uses("a.scala", text, "implements") == {(None, "C"), (None, "D"), (None, "J")}


def test_scala_calls_with_what_stands_before_them():
    text = "def f = {\n  a(1)\n  b.c(2)\n  new D\n  e map g\n  h[Int](4)\n  b.i[Int](5)\n}\n"
    assert uses("a.scala", text, "calls") == {
        (None, "a"), ("b", "c"), (None, "D"), (None, "map"), (None, "h"), ("b", "i"),
    }  # fmt: skip


def test_a_scala_definition_ends_at_its_last_line():
    (_, first, _) = read("a.scala", "class A {\n  def a = \n    1\n\n  def b = 2\n}\n").symbols
    assert (first.start, first.end) == (2, 3)


def test_scala_private_within_a_package_is_internal():
    text = "class A {\n  private[b] def c = 1\n  private[this] def d = 2\n  protected def e = 3\n  def g = 4\n}\n"
    assert visibilities("a.scala", text) == {
        "A": "public", "c": "internal", "d": "private", "e": "protected", "g": "public",
    }  # fmt: skip


ONE_OF_EACH = {
    "a.kt": ("fun first() {}", "fun last() {}"),
    "a.c": ("int first(void) { return 0; }", "int last(void) { return 0; }"),
    "a.cpp": ("int first() { return 0; }", "int last() { return 0; }"),
    "a.cs": ("class first { }", "class last { }"),
    "a.rb": ("def first\nend", "def last\nend"),
    "a.php": ("<?php\nfunction first() { }", "function last() { }"),
    "a.swift": ("func first() {}", "func last() {}"),
    "a.scala": ("object first {\n}", "object last {\n}"),
}


@pytest.mark.parametrize("path", ONE_OF_EACH)
def test_an_unfinished_line_hides_nothing_around_it(path: str):
    first, last = ONE_OF_EACH[path]
    broken = {"a.rb": "x = foo(1,\n)"}.get(path, "= = )")
    assert {"first", "last"} <= set(kinds(path, f"{first}\n\n{broken}\n\n{last}\n"))


@pytest.mark.parametrize("path", ONE_OF_EACH)
def test_an_unfinished_file_keeps_what_stands_before_its_end(path: str):
    first, last = ONE_OF_EACH[path]
    assert "first" in kinds(path, f"{first}\n\n{last[: len(last) // 2]}")


@pytest.mark.parametrize("path", ONE_OF_EACH)
@pytest.mark.parametrize("nest", ["(", "{ ", "[", "if (a) { "])
def test_thousands_of_nested_blocks_are_read_to_an_end(path: str, nest: str):
    first, _ = ONE_OF_EACH[path]
    assert analyse(f"{first}\n{nest * 5_000}\n".encode(), path).lines > 1


@pytest.mark.parametrize("path", ONE_OF_EACH)
@pytest.mark.parametrize("line_end", ["\r\n", "\n\t"])
def test_line_ends_and_tabs_change_no_definition(path: str, line_end: str):
    text = "\n".join(ONE_OF_EACH[path]) + "\n"
    told = [(symbol.name, symbol.kind, symbol.start) for symbol in analyse(text.encode(), path).symbols]
    changed = analyse(text.replace("\n", line_end).encode(), path).symbols
    assert [(symbol.name, symbol.kind, symbol.start) for symbol in changed] == told


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.kt", "fun größe() {}"),
        ("a.cpp", "int größe() { return 0; }"),
        ("a.cs", "class größe { }"),
        ("a.rb", "def größe; end"),
        ("a.php", "<?php\nfunction größe() { }"),
        ("a.swift", "func größe() {}"),
        ("a.scala", "def größe = 1"),
    ],
)
def test_names_may_have_letters_of_any_script(path: str, text: str):
    assert set(kinds(path, text)) == {"größe"}


def test_a_word_above_members_of_a_cpp_class_holds_for_all_below_it():
    text = """
        class A {
          int a;
         public:
          struct B {
            int b;
           private:
            int c;
          };
          int d();
         private:
          int e;
        };
        int f;
    """
    assert visibilities("a.cpp", text) == {
        "A": None, "a": "private", "B": "public", "b": "public", "c": "private", "d": "public", "e": "private",
        "f": None,
    }  # fmt: skip


def test_a_word_above_ruby_methods_holds_for_all_below_it_but_not_for_those_of_the_class_itself():
    text = """
        class A
          def b; end
          private def c; end
          def d; end

          private

          def e; end
          def self.f; end
          G = 1
        end
    """
    assert visibilities("a.rb", text) == {
        "A": "public", "b": "public", "c": "private", "d": "public", "e": "private", "f": "public", "G": "public",
    }  # fmt: skip
