"""What is blanked before a grammar reads a source, so that it can read the rest."""

from __future__ import annotations

from textwrap import dedent

import pytest
from agenvantage.context.masks import MASKS, masked
from agenvantage.context.parse import analyse


def names(path: str, text: str) -> list[str]:
    return [symbol.name for symbol in analyse(dedent(text).encode(), path).symbols]


def seen(text: str, language: str = "c") -> list[str]:
    """The lines that are left, without the blanks."""
    return [line.strip() for line in masked(dedent(text).encode(), language).decode().split("\n") if line.strip()]


def test_of_branches_that_split_a_block_the_first_is_kept():
    text = """
        int f(int a) {
        #ifdef A
          if (a) {
        #else
          while (a) {
        #endif
            g();
          }
        }
        int h(void) { return 0; }
    """
    assert names("a.c", text) == ["f", "h"]
    assert "while (a) {" not in seen(text)


def test_of_branches_that_are_whole_each_is_kept():
    text = """
        #if defined(A)
        int f(void) { return 0; }
        #elif defined(B)
        int g(void) { return 0; }
        #else
        int h(void) { return 0; }
        #endif
    """
    assert names("a.c", text) == ["f", "g", "h"]


def test_what_is_never_compiled_is_blanked():
    assert names("a.c", "#if 0\nThis isn't code {\n#else\nint f;\n#endif\nint g;\n") == ["f", "g"]


def test_an_inner_condition_counts_by_its_first_branch():
    text = """
        #ifdef A
        int f(int a) {
        #  ifdef B
          if (a) {
        #  else
          {
        #  endif
          }
        }
        #endif
        int g;
    """
    assert names("a.c", text) == ["f", "g"]


def test_a_brace_of_a_comment_a_text_or_a_directive_is_none():
    text = """
        #define OPEN {
        // {
        /* { */
        const char *f(void) { return "{"; }
        char g = '{';
        #ifdef A
        int h;
        #endif
    """
    assert names("a.c", text) == ["OPEN", "f", "g", "h"]


def test_the_c_of_a_header_for_both_languages_is_found():
    text = """
        #ifndef A_H
        #define A_H
        #ifdef __cplusplus
        extern "C" {
        #endif
        int f(void);
        #ifdef __cplusplus
        }
        #endif
        #endif
    """
    assert names("a.h", text) == ["f"]


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("class API_EXPORT A { };", "class            A { };"),
        ("API_EXPORT void f();", "           void f();"),
        ("static API_INLINE const char *f(int a) {", "static            const char *f(int a) {"),
        ("API_CONSTEXPR A(int a) : b(a) {}", "              A(int a) : b(a) {}"),
        ("template <typename T> API_INLINE auto f() -> T {", "template <typename T>            auto f() -> T {"),
        ("int CALLBACK f(int a) {", "int          f(int a) {"),
        ("void f(const char *a, ...) PRINTF_LIKE(1, 2);", "void f(const char *a, ...)                  ;"),
        ("PyAPI_FUNC(int) f(void);", "           int  f(void);"),
        ("BEGIN_NAMESPACE\nnamespace a {\n}", "               \nnamespace a {\n}"),
    ],
)
def test_a_macro_where_a_word_of_the_language_is_expected_is_blanked(text: str, left: str):
    assert masked(text.encode(), "cpp").decode() == left


@pytest.mark.parametrize(
    "text",
    [
        "enum {\n  RED,\n  GREEN\n};",
        "enum { ONLY\n};",
        "HANDLE f(int a);",
        "if (a) CHECK(b);",
        "int a = FIRST\n  + SECOND;",
        "#define A(x) \\\n  B(x)\n\nint c;",
        "TEST(suite, name) {",
        "FOO(a)\n{\n}",
    ],
)
def test_an_upper_case_name_with_a_meaning_of_its_own_stays(text: str):
    assert masked(text.encode(), "cpp").decode() == text


def test_conditions_of_swift_are_blanked_and_both_branches_kept():
    assert seen("#if os(iOS)\nlet a = 1\n#else\nlet b = 2\n#endif\n", "swift") == ["let a = 1", "let b = 2"]


HOSTILE = {
    "conditions": b"#if X\n#else\n",
    "escapes": b"\\'",
    "comments": b"/*",
    "templates": b"template <x> ",
    "macros": b"AAA ",
    "lower": b"AAA a a a ",
    "closing": b")AAA(",
    "lines": b"AAAA\n",
    "raw": b'R"a(',
    "numbers": b"1'",
    "angles": b"AAA x<",
    "constructors": b"class A\n@A(",
    "directives": b"#if (\\\n",
}


@pytest.mark.parametrize("language", MASKS)
@pytest.mark.parametrize("piece", HOSTILE.values(), ids=HOSTILE)
def test_a_masked_source_keeps_its_length_and_its_lines(language: str, piece: bytes):
    source = piece * (100_000 // len(piece))
    left = masked(source, language)
    assert [len(line) for line in left.split(b"\n")] == [len(line) for line in source.split(b"\n")]


def test_other_languages_are_left_alone():
    assert masked(b"#if A\nBEGIN\n", "python") == b"#if A\nBEGIN\n"
