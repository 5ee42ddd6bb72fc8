"""Reading shell scripts."""

from __future__ import annotations

import pytest
from reading_kit import imported, kinds, places, read, uses

SCRIPT = """#!/bin/bash
# Settings.
set -e
. ./lib.sh
source "$DIR/util.sh"

# The version.
VERSION=1.2
export TOKEN=x
readonly LIMIT=3

# Builds all.
# In two steps.
build() {
  local part=$1
  helper "$part" | sort_them
  inner() {
    :
  }
}

function deploy {
  build && run_tests || fail "no"
}
"""


def test_a_function_runs_to_its_brace_from_the_comments_above():
    build = next(s for s in read(SCRIPT, "bash").symbols if s.name == "build")
    assert (build.start, build.end, build.doc) == (12, 20, "Builds all.")


def test_a_function_in_a_function_is_in_it():
    assert places(SCRIPT, "bash")["inner"] == ("function", 17, 19, "build")


@pytest.mark.parametrize(
    "text",
    [
        "f() {\n  x\n}\n",
        "f ()\n{\n  x\n}",
        "function f {\n  x\n}",
        "function f() {\n  x\n}",
        "f() (\n  x\n)",
        "f() { x; }",
    ],
)
def test_each_spelling_of_a_function_is_found(text):
    assert places(text, "bash")["f"] == ("function", 1, text.rstrip("\n").count("\n") + 1, None)


def test_values_at_the_top_are_variables_and_constants():
    assert kinds(SCRIPT, "bash")[:3] == [("variable", "VERSION"), ("variable", "TOKEN"), ("constant", "LIMIT")]


def test_what_is_exported_is_public():
    assert {s.name for s in read(SCRIPT, "bash").symbols if s.visibility == "public"} == {"TOKEN"}


@pytest.mark.parametrize(
    "text", ["f() {\n  local a=1\n  b=2\n  declare c=3\n}\n", "A=1 run\n", "echo a=1\n", "export -f f\n"]
)
def test_other_assignments_are_no_symbols(text):
    assert [name for kind, name in kinds(text, "bash") if kind != "function"] == []


def test_an_alias_is_a_command():
    assert kinds("alias ll='ls -l' gs=git\n", "bash") == [("command", "gs"), ("command", "ll")]


def test_sourced_files_are_imports_as_spelled():
    assert imported(SCRIPT, "bash") == ["./lib.sh", "$DIR/util.sh"]


@pytest.mark.parametrize(
    "text", ["bash -x a/b.sh c\n", "a/b.sh\n", 'source "a/b.sh"\n', ". a/b.sh\n", "sh a/b.sh; x\n"]
)
def test_a_script_that_is_run_is_an_import(text):
    assert imported(text, "bash") == ["a/b.sh"]


def test_a_substitution_in_the_path_of_a_sourced_file_is_kept():
    assert imported('. "$(dirname "$0")/lib.sh"\n', "bash") == ["$(dirname $0)/lib.sh"]


def test_commands_that_are_run_are_calls():
    assert uses(SCRIPT, "bash", "calls") == {"helper", "sort_them", "build", "run_tests", "fail"}


@pytest.mark.parametrize(
    "text",
    [
        "if f; then :; fi",
        "while ! f; do :; done",
        "x=$(f a)",
        'x="a $(f) b"',
        "x=`f`",
        "for a in b; do f; done",
        "case $x in a|b) f ;; esac",
        "a=1 f b",
        "sudo f",
        "[[ -n $x && -z $y ]] && f",
        "(f)",
        "{ f; }",
        "> out f",
        "x | f",
        "trap f EXIT",
        "echo ${x:-$(f)}",
        "diff <(f) y",
        "y=$((1 + $(f)))",
    ],
)
def test_a_command_is_found_wherever_it_may_stand(text):
    assert uses(text + "\n", "bash", "calls") - {"x", "diff"} == {"f"}


@pytest.mark.parametrize(
    "text",
    [
        "echo f",
        "# f",
        "'f'",
        'echo "f | f"',
        "cat <<EOF\nf\nEOF\n",
        "cat <<-'E O'\n",
        "x=(f f)",
        "echo a > f",
        "[[ a && f ]]",
        "((f))",
        "case f in f|f) ;; esac",
        '"$f" a',
        "$f a",
        "for f in f f; do :; done",
        "echo {f,f}",
        "x=f",
        "f=1",
    ],
)
def test_a_word_that_is_no_command_is_no_call(text):
    assert "f" not in uses(text + "\n", "bash", "calls")


def test_a_here_document_hides_what_is_in_it():
    text = 'f() {\n  cat <<-EOF\n\tg() {\n\techo "\n\tEOF\n}\nh() { :; }\n'
    assert places(text, "bash") == {"f": ("function", 1, 6, None), "h": ("function", 7, 7, None)}


def test_a_shift_of_bits_is_no_here_document():
    assert [name for _, name in kinds("((a = 1 << b))\nf() {\n:\n}\n", "bash")] == ["f"]


def test_a_test_of_bats_is_a_function():
    assert places('@test "adds two" {\n  run add\n}\n', "bash") == {"adds two": ("function", 1, 3, None)}


def test_a_variable_with_a_default_is_read_from_the_environment():
    facts = {fact.name for fact in read('a=${SHOP_URL:-x}\n: "${API_KEY:?}"\necho $HOME ${lower:-x}\n', "bash").facts}
    assert facts == {"SHOP_URL", "API_KEY"}


def test_a_comment_reads_nothing_from_the_environment():
    assert read("# ${SHOP_URL:-x}\n", "bash").facts == ()


@pytest.mark.parametrize("text", ["", '"', "'", "f() {", "${", "$(", "`", "case x in", "<<E", "}", ")", "((", "[["])
def test_a_broken_script_is_read_as_far_as_it_goes(text):
    assert read("g() { :; }\n" + text, "bash").symbols[0].name == "g"
