"""Who owns which files by a CODEOWNERS file, as GitHub and as GitLab read it."""

from __future__ import annotations

from fnmatch import fnmatchcase

import pytest
from agenvantage.context.owners import OwnerProblem, Owners, parse_owners, read_owners
from hypothesis import given
from hypothesis import strategies as st

GITLAB = ".gitlab/CODEOWNERS"


def github(text: str) -> Owners:
    return parse_owners(text, ".github/CODEOWNERS")


def gitlab(text: str) -> Owners:
    return parse_owners(text, GITLAB)


# Where the file lies


def test_a_repository_without_the_file_has_no_owners(tmp_path):
    assert read_owners(tmp_path) is None


@pytest.mark.parametrize("place", [".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS"])
def test_the_file_is_found_in_each_of_its_places(repository, place):
    repository.write(place, "* @one\n")
    found = read_owners(repository.path)
    assert (found.place, found.owners_of("calc.py")) == (place, ("@one",))


def test_the_file_of_the_forge_goes_before_that_at_the_root(repository):
    repository.write("CODEOWNERS", "* @root\n")
    repository.write(".github/CODEOWNERS", "* @forge\n")
    assert read_owners(repository.path).owners_of("calc.py") == ("@forge",)


def test_a_file_behind_a_link_is_not_read(repository, tmp_path):
    (tmp_path / "outside").write_text("* @one\n")
    (repository.path / "CODEOWNERS").symlink_to(tmp_path / "outside")
    assert read_owners(repository.path) is None


def test_a_file_that_is_too_long_is_told_and_owns_nothing(repository):
    repository.write("CODEOWNERS", "* @one\n" + "#" * 1_000_000)
    found = read_owners(repository.path)
    assert (found.owners_of("calc.py"), len(found.problems)) == (None, 1)


def test_a_name_that_is_not_utf8_is_matched_as_the_index_spells_it(repository):
    repository.write("CODEOWNERS", b"/caf\xe9 @one\n")
    assert read_owners(repository.path).owners_of("caf\udce9") == ("@one",)


# Which rule counts


def test_the_last_rule_that_matches_counts():
    assert github("* @all\n*.py @snake\n").owners_of("a.py") == ("@snake",)


def test_an_earlier_rule_counts_where_no_later_one_matches():
    assert github("* @all\n*.py @snake\n").owners_of("a.js") == ("@all",)


def test_a_file_that_no_rule_is_about_has_unknown_owners():
    assert github("*.py @snake\n").owners_of("a.js") is None


def test_a_rule_without_owners_says_that_nobody_owns_it():
    assert github("* @all\n/free\n").owners_of("free/a") == ()


def test_the_rule_that_counts_is_told_with_its_line():
    rule = github("# head\n\n*.py @one @two\n").rules_of("a.py")[0]
    assert (rule.line, rule.pattern, rule.owners) == (3, "*.py", ("@one", "@two"))


def test_owners_are_kept_as_they_are_spelled():
    text = "* @User @Org/Team-Name First.Last+tag@Example.ORG\n"
    assert github(text).owners_of("a") == ("@User", "@Org/Team-Name", "First.Last+tag@Example.ORG")


def test_an_owner_that_is_named_twice_owns_once():
    assert github("* @one @one\n").owners_of("a") == ("@one",)


def test_a_comment_may_follow_the_owners():
    assert github("* @one # and not @two\n").owners_of("a") == ("@one",)


def test_line_ends_of_windows_and_a_byte_order_mark_are_no_text():
    assert github("\ufeff* @one\r\n*.py @two\r\n").owners_of("a.py") == ("@two",)


def test_a_space_in_a_name_is_escaped():
    assert github("my\\ docs/ @one\n").owners_of("my docs/a") == ("@one",)


# GitHub's patterns: (pattern, what it is about, what it is not about)

GITHUB = [
    ("*", ["a", ".a", "b/a", "c/b/a"], []),
    ("**", ["a", "b/a"], []),
    ("/**", ["a", "b/a"], []),
    ("/", [], ["a", "b/a"]),
    ("*.js", ["a.js", "b/a.js", ".js", "a.js/b"], ["a.jsx", "ajs"]),
    ("docs", ["docs", "docs/a", "b/docs", "b/docs/a"], ["docsx", "b/xdocs"]),
    ("/docs", ["docs", "docs/a/b"], ["b/docs"]),
    ("docs/", ["docs/a", "b/docs/a/c"], ["docs", "b/docs"]),
    ("/docs/", ["docs/a", "docs/a/b"], ["docs", "b/docs/a"]),
    ("docs/*", ["docs/a"], ["docs", "docs/a/b", "b/docs/a"]),
    ("/*", ["a"], ["b/a"]),
    ("docs/a", ["docs/a", "docs/a/b"], ["b/docs/a", "docs/ab"]),
    ("docs/*.md", ["docs/a.md", "docs/a.md/b"], ["docs/b/a.md"]),
    ("docs/*/a", ["docs/b/a", "docs/b/a/c"], ["docs/a", "docs/b/c/a"]),
    ("docs/**", ["docs/a", "docs/a/b"], ["docs", "b/docs/a"]),
    ("**/logs", ["logs", "logs/a", "b/c/logs"], ["xlogs"]),
    ("**/docs/a", ["docs/a", "b/docs/a", "b/docs/a/c"], ["docs/b/a"]),
    ("docs/**/a", ["docs/a", "docs/b/a", "docs/b/c/a/d"], ["b/docs/a", "docs/ab"]),
    ("docs/**/a/b*", ["docs/a/b", "docs/x/a/bc"], ["docs/a", "docs/a/x/b"]),
    ("docs/**/", ["docs/a"], ["docs"]),
    ("a?c", ["abc"], ["ac", "abbc", "a/c"]),
    ("a\\*c", ["a*c"], ["abc"]),
    ("a\\?c", ["a?c"], ["abc"]),
    ("a**c", ["ac", "abbc"], ["a/c"]),
    ("a*b*c*d", ["abcd", "axbxcxd", "abcbcd"], ["abdc"]),
    ("*a*a", ["aa", "baba"], ["a", "ab"]),
    ("/Docs/", ["Docs/a"], ["docs/a"]),
    ("a+(b)|c", ["a+(b)|c"], ["aab"]),
]


@pytest.mark.parametrize(("pattern", "path"), [(pattern, path) for pattern, paths, _ in GITHUB for path in paths])
def test_a_pattern_of_githubs_is_about(pattern, path):
    assert github(f"{pattern} @one\n").owners_of(path) == ("@one",)


@pytest.mark.parametrize(("pattern", "path"), [(pattern, path) for pattern, _, paths in GITHUB for path in paths])
def test_a_pattern_of_githubs_is_not_about(pattern, path):
    assert github(f"{pattern} @one\n").owners_of(path) is None


@pytest.mark.parametrize(
    "line", ["!a @one", "\\#a @one", "[ab].py @one", "a.[ch] @one", "* one", "* @one two", "a @one,@two"]
)
def test_a_line_that_github_does_not_heed_is_told_and_owns_nothing(line):
    found = github(f"\n{line}\n")
    assert (found.rules, [problem.line for problem in found.problems]) == ((), [2])


def test_a_line_that_is_not_heeded_leaves_the_others():
    assert github("* @all\n[ab] @one\n").owners_of("a") == ("@all",)


def test_a_problem_says_what_it_is():
    assert github("* one\n").problems == (
        OwnerProblem(line=1, what="'one' is no @name, @organization/team or address."),
    )


def test_of_very_many_problems_a_bounded_number_is_told():
    assert len(github("!\n" * 5_000).problems) == 100


# GitLab's sections and patterns


def test_each_section_says_its_own_of_a_file():
    found = gitlab("* @all\n[One]\n*.py @a\n[Two]\n*.py @b\n/x.py @c\n")
    assert (found.owners_of("x.py"), found.owners_of("y.py")) == (("@all", "@a", "@c"), ("@all", "@a", "@b"))


def test_owners_of_a_section_own_what_its_rules_give_to_nobody():
    found = gitlab("[Docs] @writers editor@example.org\ndocs/\nREADME.md @one\n")
    assert found.owners_of("docs/a") == ("@writers", "editor@example.org")
    assert found.owners_of("README.md") == ("@one",)


def test_a_section_without_owners_leaves_its_rules_without():
    assert gitlab("[Docs]\ndocs/\n").owners_of("docs/a") == ()


def test_a_section_may_be_optional_and_need_several_approvals():
    found = gitlab("^[Docs]\na @one\n[Code][2] @two\nb\n").sections
    assert [(section.name, section.optional, section.approvals) for section in found] == [
        ("Docs", True, None),
        ("Code", False, 2),
    ]


def test_sections_of_one_name_are_one_whatever_its_case():
    found = gitlab("[Docs]\n*.md @one\n[DOCS]\na.md @two\n")
    assert ([section.name for section in found.sections], found.owners_of("a.md")) == (["Docs"], ("@two",))


def test_a_section_that_is_required_somewhere_is_required():
    assert not gitlab("^[Docs]\na @one\n[Docs]\nb @one\n").sections[0].optional


def test_each_part_of_a_section_has_its_own_default_owners():
    found = gitlab("[Docs] @one\na\n[Docs] @two\nb\n")
    assert (found.owners_of("a"), found.owners_of("b")) == (("@one",), ("@two",))


def test_what_a_section_excludes_stays_excluded_from_it():
    found = gitlab("* @all\n[Ruby]\n*.rb @ruby\n!/config/**/*.rb\n/config/routes.rb @ops\n")
    assert (found.owners_of("config/routes.rb"), found.owners_of("a.rb")) == (("@all",), ("@all", "@ruby"))


def test_a_file_that_is_excluded_from_all_has_unknown_owners():
    assert gitlab("* @all\n!pom.xml\n").owners_of("pom.xml") is None


def test_a_role_may_own():
    assert gitlab("/config/ @@maintainer\n").owners_of("config/a") == ("@@maintainer",)


def test_nested_groups_may_own():
    assert gitlab("* @group/with-nested/subgroup\n").owners_of("a") == ("@group/with-nested/subgroup",)


def test_words_that_are_no_owners_are_told_and_passed_over():
    found = gitlab("LICENSE @legal this x@example.org\n")
    assert (found.owners_of("LICENSE"), len(found.problems)) == (("@legal", "x@example.org"), 1)


def test_owners_in_a_comment_behind_a_rule_count_to_gitlab():
    assert gitlab("* @one # and @two\n").owners_of("a") == ("@one", "@two")


def test_a_section_that_is_not_closed_is_told():
    assert [problem.line for problem in gitlab("* @all\n[Docs\n").problems] == [2]


def test_a_file_at_the_root_with_sections_is_gitlabs():
    assert parse_owners("[Docs] @one\ndocs/\n", "CODEOWNERS").forge == "gitlab"


def test_a_file_of_githubs_folder_is_never_gitlabs():
    assert parse_owners("[Docs] @one\ndocs/ @two\n", ".github/CODEOWNERS").forge == "github"


GITLAB_PATTERNS = [
    ("*", ["a", "b/.a"], []),
    ("/", ["a", "b/a"], []),
    ("README.md", ["README.md", "b/c/README.md"], ["xREADME.md"]),
    ("internal/README.md", ["internal/README.md", "b/internal/README.md"], ["internal/b/README.md"]),
    ("/docs", ["docs"], ["docs/a"]),
    ("/docs/", ["docs/a", "docs/a/b"], ["docs", "b/docs/a"]),
    ("lib/", ["lib/a", "b/lib/a"], ["lib"]),
    ("/docs/*", ["docs/a"], ["docs/a/b"]),
    ("/docs/**", ["docs/a"], ["docs/a/b"]),
    ("/docs/**/", ["docs/a", "docs/a/b"], ["docs"]),
    ("/docs/**/*", ["docs/a", "docs/a/b"], ["docs"]),
    ("/docs/**/index.md", ["docs/index.md", "docs/a/b/index.md"], ["index.md"]),
    ("/docs/*spec*", ["docs/qa_specs.rb"], ["docs/a/spec"]),
    ("/docs/*/README.md", ["docs/a/README.md"], ["docs/README.md", "docs/a/b/README.md"]),
    ("\\#a", ["#a", "b/#a"], ["a"]),
    ("a[bc]d", ["abd", "x/acd"], ["aed", "a[bc]d"]),
    ("a[!b-d]e", ["axe"], ["abe", "ade"]),
    ("a[^b]e", ["axe"], ["abe"]),
    ("a[", ["a["], ["a"]),
    ("a[z-a]", [], ["az", "a"]),
    ("a\\[b\\]", ["a[b]"], ["ab"]),
]


@pytest.mark.parametrize(
    ("pattern", "path"), [(pattern, path) for pattern, paths, _ in GITLAB_PATTERNS for path in paths]
)
def test_a_pattern_of_gitlabs_is_about(pattern, path):
    assert gitlab(f"{pattern} @one\n").owners_of(path) == ("@one",)


@pytest.mark.parametrize(
    ("pattern", "path"), [(pattern, path) for pattern, _, paths in GITLAB_PATTERNS for path in paths]
)
def test_a_pattern_of_gitlabs_is_not_about(pattern, path):
    assert gitlab(f"{pattern} @one\n").owners_of(path) is None


# Laws

NAMES = st.text(alphabet="ab.", min_size=1, max_size=6)


@given(pattern=st.text(alphabet="ab*?", min_size=1, max_size=8), name=NAMES)
def test_wildcards_in_a_name_mean_what_a_shell_means(pattern, name):
    assert (github(f"/x/{pattern}y @one\n").owners_of(f"x/{name}y") is not None) == fnmatchcase(
        f"{name}y", f"{pattern}y"
    )


@given(path=st.lists(st.text(alphabet="ab*?\\[#! ", min_size=1, max_size=5), min_size=1, max_size=4).map("/".join))
def test_a_path_that_is_escaped_is_about_itself(path):
    escaped = "".join(f"\\{each}" if each in "*?\\[] " else each for each in path)
    assert gitlab(f"/{escaped} @one\n").owners_of(path) == ("@one",)


@given(
    patterns=st.lists(st.sampled_from(["*", "a", "/a", "a/", "*.b", "/a/*", "**/b", "a/**", "/b/c"]), max_size=6),
    path=st.lists(st.sampled_from(["a", "b", "c", "x.b"]), min_size=1, max_size=4).map("/".join),
)
def test_the_last_of_the_rules_that_match_alone_is_the_one_that_counts(patterns, path):
    alone = [at for at, pattern in enumerate(patterns) if github(f"{pattern} @one").owners_of(path)]
    together = github("".join(f"{pattern} @{at}\n" for at, pattern in enumerate(patterns)))
    assert together.owners_of(path) == ((f"@{alone[-1]}",) if alone else None)


@given(text=st.text(alphabet="ab @/*?[]^!#\\\n\t.-", max_size=80), place=st.sampled_from(["CODEOWNERS", GITLAB]))
def test_any_text_is_read(text, place):
    found = parse_owners(text, place)
    assert all(rule in found.rules for rule in found.rules_of("a/b/a.b"))


@pytest.mark.parametrize(
    "pattern", ["/" + "*a" * 5_000 + "b", "/" + "**/a/" * 5_000, "/" + "*/" * 5_000, "[" * 200_000, "/a" * 100_000]
)
def test_no_pattern_takes_long(pattern):
    found = gitlab(f"x{pattern} @one\n")
    assert found.owners_of("x/" + "a" * 3_000 + "/a" * 500) is None
