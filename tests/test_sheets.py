"""Reading style sheets."""

from __future__ import annotations

import pytest
from reading_kit import imported, kinds, places, read, uses

SCSS = """@use "config" as c;
@forward 'src/list';
@import 'a', "b";

// The gap.
$gap: 4px;

%base { color: red }

// A theme.
// Of two lines.
@mixin theme($x: 1) {
  --tone: #{$x};
  $inner: 1;
}

@function double($n) { @return $n * 2; }

.card,
#id > .b:hover {
  @extend %base;
  @include theme(1);
  @include c.other;
  width: double(2px);
  margin: $gap c.$space;

  &__title { a: b; }
  &:hover { a: b; }
  > li { a: b; }

  @media (min-width: 3px) {
    .deep { a: b; }
  }
}
"""


def test_a_selector_is_named_as_spelled_without_its_pseudo_classes():
    names = [
        name for kind, name in kinds(".a:hover > .b::before, a[href]:not(.c) { x: y }", "css") if kind == "selector"
    ]
    assert sorted(names) == [".a > .b", "a[href]"]


def test_a_selector_of_nothing_but_a_pseudo_class_keeps_it():
    assert kinds(":root { a: b }", "css") == [("selector", ":root")]


def test_a_pseudo_class_of_a_known_selector_adds_no_symbol():
    assert kinds(".a { x: y }\n.a:hover { x: y }\n.b:hover { x: y }\n", "css") == [
        ("selector", ".a"),
        ("selector", ".b"),
    ]


def test_a_rule_runs_to_its_brace_from_the_comment_above():
    assert places("a { b: c }\n/* Says. */\n.x {\n  b: c;\n}\n", "css")[".x"] == ("selector", 2, 5, None)


def test_a_comment_above_a_rule_is_its_doc():
    assert read("/* Says. */\n.x { b: c }\n", "css").symbols[0].doc == "Says."


def test_a_comment_further_up_is_not_its_doc():
    assert read("/* Says. */\n\n.x { b: c }\n", "css").symbols[0].doc is None


def test_rules_in_a_media_query_stand_as_if_outside():
    assert places("@media print {\n  .a { b: c }\n}\n", "css") == {".a": ("selector", 2, 2, None)}


def test_steps_of_an_animation_are_no_selectors():
    assert kinds("@keyframes spin { from { a: b } 50% { a: b } }", "css") == [("object", "spin")]


def test_declarations_of_a_font_are_nothing():
    assert kinds("@font-face { font-family: X }", "css") == []


def test_a_custom_property_is_a_variable_the_first_time():
    text = ":root { --tone: red }\n.dark { --tone: blue }\n"
    assert places(text, "css")["--tone"] == ("variable", 1, 1, ":root")


def test_what_is_read_by_var_is_a_reference():
    assert uses("a { b: var(--tone, red) }", "css", "references") == {"--tone"}


@pytest.mark.parametrize(
    "text",
    [
        '@import "a.css";',
        "@import url(a.css) screen;",
        "@import url('a.css') layer(x);",
        '.x { composes: y from "a.css" }',
    ],
)
def test_each_spelling_of_an_import_is_found(text):
    assert imported(text, "css") == ["a.css"]


def test_an_import_from_elsewhere_is_none():
    assert imported('@import "https://a.b/c.css";', "css") == []


def test_braces_in_texts_and_addresses_are_no_braces():
    assert kinds('.a { b: "}"; c: url(x{;) }\n.d { e: f }\n', "css") == [("selector", ".a"), ("selector", ".d")]


def test_an_escaped_sign_is_part_of_a_name():
    assert kinds(r".w\:1\/2 { a: b }", "css") == [("selector", r".w\:1\/2")]


def test_scss_has_variables_mixins_functions_and_placeholders():
    assert [pair for pair in kinds(SCSS, "scss") if pair[0] != "selector" or pair[1][0] == "%"] == [
        ("variable", "$gap"),
        ("selector", "%base"),
        ("macro", "theme"),
        ("variable", "--tone"),
        ("function", "double"),
    ]


def test_comments_of_two_lines_above_a_mixin_belong_to_it():
    theme = next(s for s in read(SCSS, "scss").symbols if s.name == "theme")
    assert (theme.start, theme.end, theme.doc) == (10, 15, "A theme.")


def test_a_suffix_makes_the_whole_name():
    assert places(SCSS, "scss")[".card__title"][3] == ".card"


def test_a_nested_pseudo_class_is_no_symbol_and_a_nested_selector_is_one():
    inside = {name for name, place in places(SCSS, "scss").items() if place[0] == "selector" and place[3] == ".card"}
    assert inside == {".card__title", "> li", ".deep"}


def test_modules_of_scss_are_imports_with_their_alias():
    assert {each.module: each.names for each in read(SCSS, "scss").imports} == {
        "config": ("c",),
        "src/list": (),
        "a": (),
        "b": (),
    }


def test_includes_and_functions_are_calls():
    assert uses(SCSS, "scss", "calls") == {"theme", "c.other", "double"}


def test_an_extended_selector_is_inherited():
    assert uses(SCSS, "scss", "inherits") == {"%base"}


def test_a_variable_is_referred_to_where_it_is_read():
    assert {"$gap", "c.$space"} <= uses(SCSS, "scss", "references")


def test_a_comment_of_scss_uses_nothing():
    assert uses("// see f($x) and var(--y)\na { b: c }\n", "scss", "references") == set()


def test_a_map_of_scss_is_a_variable():
    assert kinds("$map: (\n  'a': 1,\n  'b': (c: 2),\n);\n", "scss") == [("variable", "$map")]


LESS = """@import (reference) "base.less";
@tone: red;
.mixin(@a; @b: 2) when (@a) { width: @a; }
.box {
  .mixin(1; 2);
  .clear;
  &:extend(.other all);
  color: @tone;
  &-sub { a: b; }
}
#ns { .m() { c: d; } }
"""


def test_less_has_variables_and_mixins():
    assert [pair for pair in kinds(LESS, "less") if pair[0] != "selector"] == [
        ("variable", "@tone"),
        ("macro", ".mixin"),
        ("macro", ".m"),
    ]


def test_mixins_of_less_are_called_and_extended():
    assert uses(LESS, "less", "calls") == {".mixin", ".clear"}
    assert uses(LESS, "less", "inherits") == {".other"}


def test_less_imports_have_options():
    assert imported(LESS, "less") == ["base.less"]


@pytest.mark.parametrize("text", ["", "}", "{{{", "a {", "a } b {", "/*", '"', "@", "&", "@media", ";;", "a{&-b{"])
@pytest.mark.parametrize("language", ["css", "scss", "less"])
def test_a_broken_sheet_is_read_as_far_as_it_goes(text, language):
    assert read(text, language).parser == "patterns"
