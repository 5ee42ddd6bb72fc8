"""Reading languages without a grammar, line by line."""

from __future__ import annotations

import signal

import pytest
from agenvantage.context import embedded, patterns
from agenvantage.context.languages import LANGUAGES, language_of, named_language
from agenvantage.context.pattern_table import LINE_CHARACTERS, PATTERNS, spaced
from hypothesis import given
from hypothesis import strategies as st
from reading_kit import imported, kinds, places, read, uses

ELIXIR = """defmodule Shop.Cart do
  use GenServer
  alias Shop.{Item, Price}
  @behaviour Shop.Store
  @timeout 5_000

  @doc "Adds an item."
  @spec add(t, Item.t()) :: t
  def add(cart, item) do
    Price.of(item) |> store()
  rescue
    e -> handle(e)
  end

  def total(%{items: []}), do: 0

  def total(cart) do
    Enum.sum(cart.items)
  end

  defp hidden?(x), do: x
end
"""
LUA = """local json = require("dkjson")
local M = {}

--- Adds two.
function M.add(a, b)
  return clamp(a + b)
end

local function clamp(x)
  return math.min(x, 3)
end
return M
"""
PROTO = """syntax = "proto3";
package shop.v1;
import "common.proto";

// A cart.
message Cart {
  repeated Item items = 2;
  enum State {
    OPEN = 0;
  }
}
service Carts {
  rpc Add(AddRequest) returns (stream Cart);
}
"""
MAKEFILE = """BIN := x
include common.mk

# Builds all.
all: build test
\techo $(BIN)
\tmake other

build: main.o
\tcc
"""


def test_a_definition_ends_with_the_closing_word_at_its_own_indent():
    assert places(ELIXIR, "elixir")["add"] == ("function", 7, 13, "Shop.Cart")


def test_clauses_of_one_name_are_one_definition():
    assert places(ELIXIR, "elixir")["total"] == ("function", 15, 19, "Shop.Cart")
    assert [name for _, name in kinds(ELIXIR, "elixir")].count("total") == 1


def test_a_comment_above_is_the_first_line_and_the_doc():
    add = next(s for s in read(LUA, "lua").symbols if s.name == "add")
    assert (add.start, add.doc) == (4, "Adds two.")


def test_a_documentation_attribute_is_the_doc():
    assert next(s for s in read(ELIXIR, "elixir").symbols if s.name == "add").doc == "Adds an item."


def test_a_dotted_name_of_a_function_says_its_holder():
    assert places(LUA, "lua")["add"] == ("method", 4, 7, "M")


def test_a_value_that_is_an_import_is_no_variable():
    assert "json" not in places(LUA, "lua")
    assert imported(LUA, "lua") == ["dkjson"]


def test_calls_have_what_stands_before_them():
    assert uses(LUA, "lua", "calls") == {"clamp", "math.min"}


def test_a_definition_does_not_call_itself():
    assert "add" not in uses(ELIXIR, "elixir", "calls")


def test_names_of_an_import_are_kept():
    found = {each.module: each.names for each in read(ELIXIR, "elixir").imports}
    assert found == {"GenServer": (), "Shop": ("Item", "Price")}


def test_a_behaviour_is_implemented():
    assert uses(ELIXIR, "elixir", "implements") == {"Shop.Store"}


def test_a_private_function_is_private():
    by_name = {s.name: s.visibility for s in read(ELIXIR, "elixir").symbols}
    assert (by_name["hidden?"], by_name["add"]) == ("private", None)


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("lua", "--[[\nfunction no() end\n]]\nlocal s = [==[\nfunction no() end\n]==]\n"),
        ("elixir", '@moduledoc """\ndef no(x), do: x\n"""\n'),
        ("perl", "=head1 NAME\n\nsub no { }\n\n=cut\n"),
        ("powershell", "<#\nfunction No-No {}\n#>\n"),
        ("haskell", "{-\nno :: Int\n-}\n"),
        ("dart", "var s = '''\nclass No {}\n''';\n"),
        ("python", 's = """\nclass No: pass\n"""\n'),
        ("ruby", "=begin\ndef no\n=end\n"),
        ("hcl", 'x = <<EOF\nresource "no" "no" {}\nEOF\n'),
        ("rust", 'const S: &str = r#"\nfn no() {}\n"#;\n'),
    ],
)
def test_nothing_is_defined_in_comments_and_texts_over_lines(language, text):
    assert "no" not in {name.lower() for name in places(text, language)}


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("erlang", "-module(stack).\n-record(state, {a}).\npush(X) ->\n    X.\n", ["stack", "state", "push"]),
        ("haskell", "data Tree a = Leaf\nclass Pretty a where\n  pretty :: a\nmain :: IO ()\nmain = x\n",
            ["Tree", "Pretty", "pretty", "main"]),
        ("ocaml", "module M = struct\n  let f x = x\nend\nlet limit = 3\n", ["M", "f", "limit"]),
        ("dart", "class A extends B {\n  final int n;\n  A.empty();\n  int get m => 1;\n}\nvoid main() {}\n",
            ["A", "n", "empty", "m", "main"]),
        ("zig", 'const P = struct {\n    x: i32,\n    pub fn f() void {}\n};\ntest "t" {}\n', ["P", "x", "f", "t"]),
        ("r", "add <- function(x) x\nprint.foo = function(x) x\n", ["add", "print.foo"]),
        ("julia", "module Geo\nstruct C end\nfunction f(x)\nend\nBase.show(io) = 1\nend\n", ["Geo", "C", "f", "show"]),
        ("perl", "package A::B;\nsub go {\n}\nuse constant MAX => 3;\n", ["A::B", "go", "MAX"]),
        ("powershell", "function Get-It {\n}\nclass Box {\n  [int] $N\n}\n", ["Get-It", "Box", "N"]),
        ("graphql", "type User {\n  id: ID!\n}\nenum Role {\n  ADMIN\n}\nquery Me { me }\n",
            ["User", "id", "Role", "ADMIN", "Me"]),
        ("hcl", 'resource "aws_x" "web" {\n}\nmodule "vpc" {\n}\nvariable "n" {}\n', ["web", "vpc", "n"]),
        ("gradle", "task hello {\n}\ndef f(a) {\n}\ntasks.register('bye') {}\n", ["hello", "f", "bye"]),
        ("cmake", "function(make_it)\nendfunction()\nadd_library(core a.c)\n", ["make_it", "core"]),
        ("docker", "FROM node AS build\nENV HOME_DIR=x\nFROM build AS final\n", ["build", "HOME_DIR", "final"]),
        ("nix", "  helper = x: x;\n  a.enable = true;\n", ["helper", "a.enable"]),
        ("template", "{% block body %}\n{% macro field(x) %}{% endmacro %}\n{% endblock %}\n", ["body", "field"]),
        ("bazel", 'cc_library(\n    name = "lib",\n)\ndef rule(x):\n    pass\n', ["lib", "rule"]),
        ("sass", "=theme($x)\n  a: b\n.card\n  .title\n    a: b\n", ["theme", ".card", ".title"]),
        ("xml", '<View android:id="@+id/x" />\n', ["@+id/x"]),
        ("yacc", "%token NUMBER\nexpr : a | b ;\n", ["NUMBER", "expr"]),
        ("jq", "def f(x): x;\n", ["f"]),
        ("cython", "cdef class A:\n    cpdef int f(self):\n        pass\n", ["A", "f"]),
    ],
)  # fmt: skip
def test_definitions_of_a_language_are_found(language, text, expected):
    assert [name for _, name in kinds(text, language)] == expected


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("erlang", '-include("stack.hrl").\n', ["stack.hrl"]),
        ("haskell", "import qualified Data.Map as M\n", ["Data.Map"]),
        ("ocaml", "open Printf\n", ["Printf"]),
        ("dart", "import 'a.dart' show B;\npart 'c.g.dart';\n", ["a.dart", "c.g.dart"]),
        ("zig", 'const std = @import("std");\n', ["std"]),
        ("r", 'library(dplyr)\nsource("a.R")\n', ["dplyr", "a.R"]),
        ("julia", 'using A: b\ninclude("c.jl")\n', ["A", "c.jl"]),
        ("perl", "use List::Util qw(sum first);\n", ["List::Util"]),
        ("powershell", "Import-Module ./A.psm1\n. ./b.ps1\n", ["./A.psm1", "./b.ps1"]),
        ("hcl", 'module "a" {\n  source = "./a"\n}\n', ["./a"]),
        ("gradle", "apply from: 'a.gradle'\n", ["a.gradle"]),
        ("cmake", "include(a.cmake)\nadd_subdirectory(src)\n", ["a.cmake", "src"]),
        ("docker", "FROM node:20 AS x\n", ["node:20"]),
        ("nix", "x = import ./x.nix;\n", ["./x.nix"]),
        ("template", '{% extends "a.html" %}\n{{ template "b" . }}\n{{> c}}\n', ["a.html", "b", "c"]),
        ("bazel", 'load("//a:b.bzl", "c")\n', ["//a:b.bzl"]),
        ("graphql", '#import "./a.graphql"\n', ["./a.graphql"]),
        ("make", MAKEFILE, ["common.mk"]),
        ("protobuf", PROTO, ["common.proto"]),
    ],
)
def test_imports_of_a_language_are_found(language, text, expected):
    assert imported(text, language) == expected


def test_a_message_holds_its_fields_and_enums():
    assert {name: place[3] for name, place in places(PROTO, "protobuf").items()} == {
        "shop.v1": None,
        "Cart": None,
        "items": "Cart",
        "State": "Cart",
        "OPEN": "State",
        "Carts": None,
        "Add": "Carts",
    }


def test_types_of_fields_and_calls_are_references():
    assert uses(PROTO, "protobuf", "references") == {"Item", "AddRequest", "Cart"}


def test_a_target_is_a_command_with_its_recipe_and_the_comment_above():
    assert places(MAKEFILE, "make")["all"] == ("command", 4, 7, None)


def test_what_a_target_needs_is_a_reference():
    assert uses(MAKEFILE, "make", "references") == {"build", "test", "main.o"}


def test_a_perl_package_runs_to_the_next_one():
    found = places("package A;\nsub f {\n}\npackage B;\nsub g {\n}\n1;\n", "perl")
    assert (found["A"], found["f"][3], found["g"][3]) == (("package", 1, 3, None), "A", "B")


def test_a_template_block_runs_to_its_end_whatever_the_indent():
    assert places("{% block a %}\nx\n{% endblock %}\ny\n", "template")["a"] == ("region", 1, 3, None)


def test_an_environment_variable_that_is_read_is_a_fact():
    facts = {fact.name for fact in read('x = os.getenv("SHOP_URL")\n', "lua").facts}
    assert facts == {"SHOP_URL"}


def test_bases_are_inherited_or_implemented():
    text = "class A extends B<int> with M implements C, D {\n}\n"
    assert uses(text, "dart", "inherits") == {"B"}
    assert uses(text, "dart", "implements") == {"M", "C", "D"}


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("python", "class A(B):\n    n: int = 1\n    def f(self,\n          x):\n        pass\n\nasync def g(): ...\n",
            {"A": (1, 5), "n": (2, 2), "f": (3, 5), "g": (7, 7)}),
        ("javascript", "export class A extends B {\n  f(x) {\n    g();\n  }\n}\nconst h = (a) => {\n};\n",
            {"A": (1, 5), "f": (2, 4), "h": (6, 7)}),
        ("typescript", "export interface I {\n}\nexport type T = string;\n", {"I": (1, 2), "T": (3, 3)}),
        ("go", "package a\n\ntype S struct {\n\tn int\n}\n\nfunc (s *S) M(\n\tx int,\n) error {\n\treturn nil\n}\n",
            {"a": (1, 1), "S": (3, 5), "M": (7, 11)}),
        ("rust", "pub struct S {\n}\nimpl S {\n    fn f() {\n    }\n}\n", {"S": (3, 6), "f": (4, 5)}),
        ("java", "public class A\n{\n    private int n = 1;\n    void f(String s)\n    {\n        g();\n    }\n}\n",
            {"A": (1, 8), "n": (3, 3), "f": (4, 7)}),
        ("kotlin", "class A(val x: Int) : B() {\n    fun f() = 1\n}\n", {"A": (1, 3), "f": (2, 2)}),
        ("scala", "object A extends B {\n  def f(x: Int) = x\n}\n", {"A": (1, 3), "f": (2, 2)}),
        ("swift", "struct A: P {\n    func f() {\n    }\n}\n", {"A": (1, 4), "f": (2, 3)}),
        ("csharp", "namespace N;\npublic class A : B\n{\n    public int P { get; }\n}\n",
            {"N": (1, 5), "A": (2, 5), "P": (4, 4)}),
        ("php", "<?php\nclass A extends B\n{\n    public function f()\n    {\n    }\n}\n", {"A": (2, 7), "f": (4, 6)}),
        ("ruby", "module M\n  class A < B\n    def f?\n      1\n    end\n  end\nend\n",
            {"M": (1, 7), "A": (2, 6), "f?": (3, 5)}),
        ("c", "#define MAX 3\nstruct s {\n  int n;\n};\nstatic int f(int a,\n             int b)\n{\n  return a;\n}\n",
            {"MAX": (1, 1), "s": (2, 4), "f": (5, 9)}),
        ("cpp", "class A : public B {\npublic:\n  int f();\n};\nint A::g() {\n}\n",
            {"A": (1, 4), "f": (3, 3), "g": (5, 6)}),
    ],
)  # fmt: skip
def test_a_language_whose_parser_gave_up_is_read_by_lines(language, text, expected):
    assert {name: place[1:3] for name, place in places(text, language).items()} == expected


def test_a_file_of_no_known_language_has_what_most_languages_spell_alike():
    text = "function doIt(x) {\n}\npub fn go() {\n}\nclass Thing {\n}\nthe class of people: module x\n"
    assert [name for _, name in kinds(text, None)] == ["doIt", "go", "Thing"]


def test_a_file_that_says_nothing_we_know_is_only_cut_into_lines():
    assert read("All rights reserved.\n", None).parser == "lines"


@pytest.mark.parametrize(
    ("first", "rest", "name"),
    [
        ("#!/usr/bin/env python3", "def f():\n    pass\n", "f"),
        ("#!/bin/sh", "f() {\n}\n", "f"),
        ("#!/usr/bin/env node", "function f() {}\n", "f"),
    ],
)
def test_a_script_without_an_ending_says_its_language_on_its_first_line(first, rest, name):
    assert name in places(f"{first}\n{rest}", None)


def test_a_line_is_read_to_a_limit():
    assert kinds(" " * LINE_CHARACTERS + "function late() {}\n", "lua") == []


def test_a_blank_in_a_pattern_is_any_run_of_blanks_but_not_in_a_class():
    assert spaced(r"a b ?c[ x]\ d") == r"a[ \t]+b[ \t]*c[ x]\ d"


@pytest.mark.parametrize("language", sorted({*PATTERNS, *(each.name for each in LANGUAGES)}))
def test_every_language_is_read_without_its_parser(language):
    found = patterns.read("a\n", language)
    assert found.parser in ("patterns", "lines")
    assert found.problem is None


def test_every_row_of_the_table_is_a_language():
    assert [name for name in PATTERNS if named_language(name) is None] == []


@pytest.mark.parametrize(
    ("path", "language"),
    [
        ("Dockerfile", "docker"),
        ("a/Dockerfile.dev", "docker"),
        ("api.dockerfile", "docker"),
        ("Makefile.am", "make"),
        ("rules.mk", "make"),
        ("Jenkinsfile", "gradle"),
        ("nightly.Jenkinsfile", "gradle"),
        ("a/BUILD.bazel", "bazel"),
        ("defs.bzl", "bazel"),
        (".env", "ini"),
        (".bashrc", "bash"),
        ("Gemfile.lock", None),
        ("build.txt", "rst"),
    ],
)
def test_a_name_tells_the_language(path, language):
    found = language_of(path)
    assert (found.name if found else None) == language


PIECES = (
    "class A {", "  def f(x):", "}", "end", "\t", '"', "'", "/*", "*/", "#", "{{", "<a>", "$(", "- a: b", "[x]", "(",
    ")", "CREATE TABLE a (", ";", "```", "# h", "", "é\x00", "\r", "f() {", "<<E", "E", "@media x {", "&-a {", "===",
)  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=30), st.sampled_from(sorted({*PATTERNS, *patterns.READERS})))
def test_every_symbol_lies_inside_its_text(lines, language):
    text = "\n".join(lines)
    last = max(1, text.count("\n") + 1)
    found = read(text, language)
    assert all(1 <= s.start <= s.end <= last for s in found.symbols)
    assert all(1 <= line <= last for use in found.uses for line in use.lines)


HOSTILE = {
    "bash": ["a|", "<<E\n", "$((", '"$(', "`$(", "case x in ", "f(){"],
    "css": ["a{", "a:\n", "/*", ":not(", "&-a{", "url("],
    "scss": ["#{", "@include x{", "$a:b;", "x(", "&-a{"],
    "less": [".m(@a;", "@{", "//"],
    "html": ["<a ", '<a "', '<a="', "<!--", "<script>", "</a", "{{"],
    "json": ["[", '{"a":', '"', "/*", '{"a":1,'],
    "yaml": ["- ", "a:\n", "a: [", " a:\n", "? "],
    "toml": ["a=[", "[[a]]\n", '"""', "a.", "a = '''\n"],
    "markdown": ["> ", "# a\n", "[a](", "```\n", "a\n===\n", "<!--"],
    "rst": ["a\n===\n", "= a\n", ".. toctree::\n   a\n"],
    "sql": ["CREATE TABLE a (", "create ", "$a$", "FROM a JOIN ", "-- name: a\n", "'"],
    "python": ['"""', "def a(\n", "class A(", "@a\n"],
    "cpp": ["template<", "int a(", "a::a", "#"],
    "java": ["public ", "@interface A\n", "class A extends ", "a b("],
    "lua": ["--[[", "[=[", "a."],
    "haskell": ["{-", "a\n", "import a"],
    "perl": ["=cut\n", "sub a\n", "'"],
    "xml": ["<a ", "<!--"],
    "template": ["{%", "{{", "<%"],
}


def _out_of_time(*_: object) -> None:
    raise AssertionError("this text costs far more than its length")


@pytest.fixture
def limit():
    """Ten seconds of the processor: several times what texts of this size take, and far less than their square."""
    before = signal.signal(signal.SIGVTALRM, _out_of_time)
    signal.setitimer(signal.ITIMER_VIRTUAL, 10)
    yield
    signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    signal.signal(signal.SIGVTALRM, before)


@pytest.mark.parametrize("language", sorted(HOSTILE))
def test_hostile_text_is_read_in_linear_steps(language, limit):
    for unit in HOSTILE[language]:
        patterns.read(unit * (100_000 // len(unit)), language)


@pytest.mark.parametrize("language", ["vue", "svelte", "astro", "html"])
def test_hostile_markup_is_taken_apart_in_linear_steps(language, limit):
    for unit in ["<a ", '<a "', "<script>", "<A {", "{{", "<a b={", "<!--", "---\n", '<a class="b ']:
        text = unit * (100_000 // len(unit))
        embedded.parts(text, language)
        embedded.component_uses(text, language)
