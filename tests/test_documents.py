"""Reading prose and settings: sections, keys, and the local files that they name."""

from __future__ import annotations

import json

import pytest
from agenvantage.context.headings import MOST_HEADINGS
from agenvantage.context.keys import MOST_KEYS
from hypothesis import given
from hypothesis import strategies as st
from reading_kit import imported, kinds, places, read, uses

MARKDOWN = """# Guide

Intro.

## Install ##

```sh
# not a heading
```

### From *source*

Text

## Use [it](use.md)

Last words.

"""


def test_a_section_runs_to_the_next_of_its_level_or_above():
    assert places(MARKDOWN, "markdown")["Install"] == ("heading", 5, 13, "Guide")


def test_a_section_is_in_the_one_around_it():
    assert places(MARKDOWN, "markdown")["From *source*"] == ("heading", 11, 13, "Install")


def test_the_last_section_ends_at_the_last_line_with_text():
    assert places(MARKDOWN, "markdown")["Guide"] == ("heading", 1, 17, None)


def test_a_heading_is_named_as_a_reader_sees_it():
    text = "# The **big** `thing` [here](a.md) {#id}\n"
    assert kinds(text, "markdown") == [("heading", "The big thing here")]


@pytest.mark.parametrize(
    "text",
    [
        "Title\n=====\n",
        "Title\n---\n",
        "   # Title #\n",
        '<h1 align="center">Title</h1>\n',
        '---\ntitle: "Title"\n---\ntext\n',
        "+++\ntitle = 'Title'\n+++\n",
        "# Title\r\n",
    ],
)
def test_each_spelling_of_a_heading_is_found(text):
    assert kinds(text, "markdown") == [("heading", "Title")]


@pytest.mark.parametrize(
    "text",
    [
        "    # code\n",
        "#hashtag\n",
        "```\n# code\n```\n",
        "~~~~\n# code\n~~~\n# code\n~~~~\n",
        "- a\n  ```\n# code\n  ```\n",
        "<!--\n# gone\n-->\n",
        "- a\n---\n",
        "a | b\n--- | ---\n",
        "\n---\n",
        "---\ntitle_of: x\n---\n",
    ],
)
def test_what_only_looks_like_a_heading_is_none(text):
    assert kinds(text, "markdown") == []


def test_a_fence_ends_only_with_as_many_marks():
    assert kinds("````\n```\n# code\n````\n# Title\n", "markdown") == [("heading", "Title")]


def test_links_to_local_files_are_imports_without_their_anchors():
    text = "[a](b.md#c) ![d](e.png 'f') [g](<h i.md>)\n[j]: ../k.md\n"
    assert imported(text, "markdown") == ["b.md", "e.png", "h", "../k.md"]


@pytest.mark.parametrize(
    "text", ["[a](https://b.c)", "[a](#b)", "`[a](b.md)`", "```\n[a](b.md)\n```", "[a](mailto:b@c.d)", "a[0](x"]
)
def test_other_links_are_no_imports(text):
    assert imported(text + "\n", "markdown") == []


def test_included_snippets_and_imports_of_mdx_are_imports():
    text = "{!> ../src/a.py!}\n{* ../src/b.py hl[1] *}\nimport C from './c.jsx'\n{{< ref \"d.md\" >}}\n"
    assert imported(text, "markdown") == ["../src/a.py", "../src/b.py", "./c.jsx", "d.md"]


def test_the_deepest_headings_go_where_there_are_many():
    text = "# A\n" + "## B\n### C\n" * MOST_HEADINGS
    found = read(text, "markdown").symbols
    assert {s.name for s in found} == {"A"}


def test_a_file_of_nothing_but_headings_keeps_the_first():
    assert len(read("# A\n" * (2 * MOST_HEADINGS), "markdown").symbols) == MOST_HEADINGS


RST = """=====
Guide
=====

Install
-------

.. literalinclude:: ../a.py

Source
~~~~~~

Use
---

.. toctree::
   :maxdepth: 2

   first
   Second <sub/second>

.. autoclass:: shop.Cart
"""


def test_levels_of_rst_are_in_the_order_of_their_marks():
    found = places(RST, "rst")
    assert found["Guide"] == ("heading", 1, 22, None)
    assert found["Source"] == ("heading", 10, 11, "Install")
    assert found["Use"][3] == "Guide"


def test_what_rst_includes_and_lists_is_imported():
    assert imported(RST, "rst") == ["../a.py", "first", "sub/second"]


def test_what_rst_documents_is_referred_to():
    assert uses(RST, "rst", "references") == {"shop.Cart"}


@pytest.mark.parametrize("text", ["a\nb\n---\n", "====  ====\nA     B\n====  ====\n", "text::\n\n   x\n", "--\n"])
def test_what_is_no_title_in_rst_is_none(text):
    assert kinds(text, "rst") == []


def test_asciidoc_has_titles_outside_its_blocks():
    text = "= Guide\n\n== Code\n\n[source]\n----\n== no\n----\n\ninclude::a.adoc[]\nsee xref:b/c.adoc#d[]\n"
    assert kinds(text, "rst") == [("heading", "Guide"), ("heading", "Code")]
    assert imported(text, "rst") == ["a.adoc", "b/c.adoc"]


JSON = """{
  // a comment
  "name": "x",
  "scripts": {
    "build": "tsc",
    "deep": { "three": { "four": 1 } }
  },
  "files": [ { "no": 1 } ],
  "main": "./index.js",
}
"""


def test_keys_of_json_count_to_two_deep_and_outside_lists():
    assert [name for _, name in kinds(JSON, "json")] == ["name", "scripts", "build", "deep", "files", "main"]


def test_a_key_runs_over_its_value_and_is_in_the_key_around_it():
    assert places(JSON, "json")["scripts"] == ("key", 4, 7, None)
    assert places(JSON, "json")["build"] == ("key", 5, 5, "scripts")


def test_a_value_that_is_a_local_path_is_an_import():
    assert imported(JSON, "json") == ["./index.js"]


def test_signs_in_a_text_are_no_signs_of_json():
    assert [name for _, name in kinds('{"a": "}, \\"b\\": {", "c": 1}', "json")] == ["a", "c"]


def test_a_bare_and_a_single_quoted_key_are_keys():
    assert [name for _, name in kinds("{a: 1, 'b': [1], c: true}", "json")] == ["a", "b", "c"]


@pytest.mark.parametrize("text", ["", "[", "{", '{"a":', "}{", '[{"a": 1}]', "1"])
def test_broken_or_listed_json_is_read_as_far_as_it_goes(text):
    assert all(s.name == "a" for s in read(text, "json").symbols)


def test_the_deepest_keys_go_where_there_are_many():
    text = json.dumps({"top": {f"k{n}": n for n in range(MOST_KEYS)}, "other": 1}, indent=1)
    assert [name for _, name in kinds(text, "json")] == ["top", "other"]


def test_a_flat_table_keeps_its_first_keys():
    text = json.dumps({f"k{n}": n for n in range(2_000)}, indent=1)
    assert len(read(text, "json").symbols) == MOST_KEYS


@given(
    st.recursive(
        st.none() | st.integers() | st.text(max_size=4),
        lambda inner: (
            st.lists(inner, max_size=3) | st.dictionaries(st.text("abc", min_size=1, max_size=2), inner, max_size=3)
        ),
        max_leaves=12,
    )
)
def test_keys_of_any_json_are_those_of_its_objects(value):
    def keys(inside: object, depth: int) -> list[str]:
        if not isinstance(inside, dict) or depth > 2:
            return []
        return [name for key, below in inside.items() for name in (key, *keys(below, depth + 1))]

    text = json.dumps(value, indent=1)
    assert sorted(name for _, name in kinds(text, "json")) == sorted(keys(value, 1))


YAML = """# Top.
name: CI
on: [push]
jobs:
  # Builds.
  build:
    runs-on: ubuntu
    steps:
      - name: Checkout
        uses: ./.github/actions/x
    env:
      A: |
        no: text
      "B": 1
---
name: second
{{- if .x }}
helm: yes
{{- end }}
"""


def test_keys_of_yaml_count_to_two_deep_and_outside_lists_and_texts():
    assert [name for _, name in kinds(YAML, "yaml")] == [
        "name", "on", "jobs", "build", "name", "helm",
    ]  # fmt: skip


def test_a_yaml_key_begins_with_the_comment_above_it():
    build = next(s for s in read(YAML, "yaml").symbols if s.name == "build")
    assert (build.start, build.end, build.container, build.doc) == (5, 14, "jobs", "Builds.")


def test_a_local_path_in_a_yaml_list_is_an_import():
    assert imported(YAML, "yaml") == ["./.github/actions/x"]


def test_a_list_at_the_indent_of_its_key_belongs_to_it():
    assert places("a:\n- b: 1\n- c: 2\nd: 3\n", "yaml") == {"a": ("key", 1, 3, None), "d": ("key", 4, 4, None)}


def test_a_colon_without_a_blank_is_part_of_the_key():
    assert [name for _, name in kinds("http://a.b: 1\n", "yaml")] == ["http://a.b"]


TOML = """title = "x"

# Tools.
[tool.lint]
select = [
  "a = b",
  "[c]",
]
text = \"\"\"
[no]
no = 1
\"\"\"
"quoted.key" = 1

[[bin]]
name = "a"

[[bin]]
name = "b"

[last]
path = "../x"
"""


def test_keys_of_toml_are_tables_and_their_pairs():
    assert [name for _, name in kinds(TOML, "toml")] == [
        "title", "tool.lint", "select", "text", "quoted.key", "bin", "last", "path",
    ]  # fmt: skip


def test_a_toml_table_runs_from_the_comment_above_to_its_last_pair():
    assert places(TOML, "toml")["tool.lint"] == ("key", 3, 13, None)


def test_a_toml_value_may_span_lines():
    found = places(TOML, "toml")
    assert (found["select"], found["text"]) == (("key", 5, 8, "tool.lint"), ("key", 9, 12, "tool.lint"))


def test_the_tables_of_an_array_are_one_key():
    assert places(TOML, "toml")["bin"] == ("key", 15, 19, None)


def test_sections_of_an_ini_file_hold_their_keys():
    text = "; c\n[metadata]\nname = x\nlong =\n  a\n  b\n[other]\nk: v\n"
    assert places(text, "ini") == {
        "metadata": ("key", 2, 6, None),
        "name": ("key", 3, 3, "metadata"),
        "long": ("key", 4, 6, "metadata"),
        "other": ("key", 7, 8, None),
        "k": ("key", 8, 8, "other"),
    }
