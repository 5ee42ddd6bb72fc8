"""Taking a component or page apart into its languages, and reading what its markup uses."""

from __future__ import annotations

import pytest
from agenvantage.context.embedded import Part, component_uses, parts
from agenvantage.context.markup import tags
from agenvantage.context.parse import analyse
from hypothesis import given
from hypothesis import strategies as st
from reading_kit import imported, kinds

VUE = """<script setup lang="ts">
import MyButton from './MyButton.vue'
const size = 1
</script>
<template>
  <div id="app" class="card title" :class="{ wide: size > 3 }" @click="save">
    <MyButton label="a > b" @press="go(1)"/>
    <my-input v-model="x"></my-input>
    {{ format(total) }}
    <!-- <Nope/> -->
  </div>
</template>
<style scoped lang="scss">
.card { color: red }
</style>
"""
SVELTE = """<script context="module" lang="ts">
  export const a = 1;
</script>
<script>
  import Foo from './Foo.svelte';
</script>
{#if a < b}<Foo on:click={() => x > 3 && run(1)} />{/if}
<Foo.Bar on:press={save}/>
<p>{show(a)}</p>
"""
ASTRO = """---
import Layout from '../L.astro';
const list: Map<string, Item> = load();
---
<Layout title={x}>
<script>
let a: number = 1;
</script>
</Layout>
"""


def spoken(text: str, language: str) -> list[tuple[str, int]]:
    return [(part.language, part.first_line) for part in parts(text, language)]


def used(text: str, language: str, kind: str) -> set[str]:
    return {
        f"{use.qualifier}.{use.name}" if use.qualifier else use.name
        for use in component_uses(text, language)
        if use.kind == kind
    }


def test_a_component_has_a_part_for_each_script_and_style():
    assert spoken(VUE, "vue") == [("typescript", 1), ("scss", 13)]


def test_several_scripts_are_several_parts():
    assert spoken(SVELTE, "svelte") == [("typescript", 1), ("javascript", 4)]


def test_a_front_matter_is_typescript_and_starts_below_its_mark():
    assert parts(ASTRO, "astro")[0] == Part(
        language="typescript",
        first_line=2,
        text="import Layout from '../L.astro';\nconst list: Map<string, Item> = load();\n",
    )


def test_a_script_of_an_astro_page_is_typescript():
    assert spoken(ASTRO, "astro")[1] == ("typescript", 6)


def test_lines_of_a_part_are_those_of_the_file():
    symbols = {s.name: s.start for s in analyse(VUE.encode(), "a.vue").symbols}
    assert (symbols["size"], symbols[".card"]) == (3, 14)


def test_windows_line_ends_change_no_line():
    assert spoken(ASTRO.replace("\n", "\r\n"), "astro") == spoken(ASTRO, "astro")


@pytest.mark.parametrize(
    ("attributes", "language"),
    [
        ("", "javascript"),
        (' type="module"', "javascript"),
        (" type='text/javascript'", "javascript"),
        (' lang="tsx"', "tsx"),
        (" lang=ts", "typescript"),
        (' type="text/babel"', "javascript"),
        (' data-a="1 > 0"', "javascript"),
        ("\n  lang='ts'\n", "typescript"),
    ],
)
def test_a_script_says_its_language(attributes, language):
    assert [name for name, _ in spoken(f"<script{attributes}>let a = 1</script>", "vue")] == [language]


@pytest.mark.parametrize(
    "kind", ["application/json", "application/ld+json", "importmap", "text/template", "text/x-handlebars"]
)
def test_data_and_templates_in_a_script_are_no_code(kind):
    assert spoken(f'<script type="{kind}">{{"a": 1}}</script>', "html") == []


@pytest.mark.parametrize(
    ("attributes", "language"),
    [
        ("", "css"),
        (' lang="less"', "less"),
        (' lang="sass"', "sass"),
        (' type="text/css"', "css"),
        (' lang="stylus"', None),
    ],
)
def test_a_style_says_its_language(attributes, language):
    found = [name for name, _ in spoken(f"<style{attributes}>a {{ b: c }}</style>", "vue")]
    assert found == ([language] if language else [])


def test_the_name_of_a_tag_may_be_in_capitals():
    assert spoken("<SCRIPT>\nlet a\n</Script>", "html") == [("javascript", 1)]


def test_a_script_that_is_never_closed_runs_to_the_end():
    assert parts("<p>\n<script>\nlet a = 1;\n", "html")[0].text == "\nlet a = 1;\n"


def test_tags_in_a_script_are_its_text():
    assert [part.text for part in parts("<script>x = '<script>'; y = '<style>'</script>", "html")] == [
        "x = '<script>'; y = '<style>'"
    ]


def test_an_empty_script_and_one_that_lies_elsewhere_are_no_parts():
    assert spoken('<script src="./a.js"></script><script/><style>  </style>', "html") == []


def test_a_script_that_lies_elsewhere_is_an_import():
    assert imported('<script src="./a.js"></script><link href="b.css?v=1">', "html") == ["./a.js", "b.css"]


def test_nothing_is_found_in_a_comment():
    assert spoken("<!-- <script>let a</script> -->", "html") == []


def test_other_languages_have_no_parts():
    assert parts("<script>let a</script>", "markdown") == ()


def test_components_are_referred_to_as_scripts_spell_them():
    assert {name for name in used(VUE, "vue", "references") if name[0] != "."} == {"MyButton", "MyInput"}


def test_a_component_of_a_namespace_has_what_stands_before_it():
    assert used(SVELTE, "svelte", "references") == {"Foo", "Foo.Bar"}


def test_classes_are_references_to_their_selectors():
    assert {name for name in used(VUE, "vue", "references") if name[0] == "."} == {".card", ".title"}


def test_handlers_and_expressions_of_a_vue_template_are_calls():
    assert used(VUE, "vue", "calls") == {"save", "go", "format"}


def test_handlers_and_expressions_of_svelte_markup_are_calls():
    assert used(SVELTE, "svelte", "calls") == {"run", "save", "show"}


def test_types_in_a_front_matter_are_no_components():
    assert used(ASTRO, "astro", "references") == {"Layout"}


def test_a_handler_in_html_calls_a_function():
    assert used('<button onclick="save(this)">', "html", "calls") == {"save"}


def test_a_custom_element_is_referred_to_by_its_class():
    assert used("<my-panel></my-panel>", "html", "references") == {"MyPanel"}


def test_built_in_components_are_nobodys():
    assert used("<Transition><RouterLink/></Transition><slot/><SCRIPT></SCRIPT>", "vue", "references") == set()


def test_an_element_with_an_id_is_a_selector():
    assert kinds('<main\n id="top">\n<form name="login"></form>', "html") == [("selector", "#top"), ("object", "login")]


@pytest.mark.parametrize(
    "target", ["https://a.b/c.js", "//a/b.js", "#top", "{{ asset('a') }}", "<%= x %>", "data:a", ""]
)
def test_what_lies_elsewhere_or_is_made_later_is_no_import(target):
    assert imported(f'<script src="{target}"></script>', "html") == []


def test_statements_of_a_template_in_a_page_are_read():
    text = '{% extends "base.html" %}\n{% block body %}\n<p id="x">\n{% endblock %}\n'
    assert imported(text, "html") == ["base.html"]
    assert kinds(text, "html") == [("region", "body"), ("selector", "#x")]


def test_an_attribute_may_hold_what_closes_a_tag():
    assert next(tags('<a title="x > y" href=b>')).attributes() == {"title": "x > y", "href": "b"}


def test_an_expression_may_hold_what_closes_a_tag():
    assert next(tags("<A on:click={() => { if (a > b) c() }} d>")).attributes()["d"] == ""


def test_a_tag_that_is_never_closed_ends_at_the_next_one():
    assert [tag.name for tag in tags("<a <b><c")] == ["a", "b", "c"]


@given(
    st.text(alphabet="<>/\"'={} \n-!sScCrRiIpPtTaA", max_size=80), st.sampled_from(["vue", "svelte", "astro", "html"])
)
def test_any_text_is_taken_apart(text, language):
    for part in parts(text, language):
        assert part.text in text
        assert 1 <= part.first_line <= text.count("\n") + 1
    component_uses(text, language)
