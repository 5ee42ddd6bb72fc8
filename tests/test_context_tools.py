"""The tools: small, line-addressed, about the disk as it is now, and never out of the tree."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from agenvantage.context.document import index_document, map_document, tool_document
from agenvantage.context.files import holding
from agenvantage.context.index import RepositoryIndex
from agenvantage.context.tokens import count
from agenvantage.context.tools import INSTRUCTIONS, TOOLS, call
from context_kit import fill


@pytest.fixture
def index(repository):
    fill(repository)
    with RepositoryIndex.open(repository.path) as opened:
        yield opened


def test_the_list_and_the_instructions_are_small():
    assert count(json.dumps({"tools": [tool.listed() for tool in TOOLS]}) + INSTRUCTIONS) <= 1_100


def test_every_tool_takes_a_budget():
    assert [tool.name for tool in TOOLS] == ["repo_map", "search", "symbol", "read"]
    assert all("budget" in tool.input_schema["properties"] for tool in TOOLS)


def test_the_list_can_be_read_without_a_heavy_library():
    code = (
        "import sys, agenvantage.context.tools as t; t.TOOLS;"
        "heavy = {'tree_sitter', 'tree_sitter_language_pack', 'tiktoken', 'pathspec', 'git', 'msgspec', 'numpy'};"
        "sys.exit(repr(heavy & set(sys.modules)) if heavy & set(sys.modules) else 0)"
    )
    subprocess.run((sys.executable, "-c", code), check=True)


def test_search_finds_by_words_and_says_where(index):
    result = call(index, "search", {"query": "voucher discount expired"})
    assert result.ok
    assert result.files[0][0] == "shop/vouchers.py"
    path, start, end = result.files[0]
    assert result.text.startswith(f"{path}:{start}-{end}")


def test_search_finds_a_literal_piece_of_code(index):
    result = call(index, "search", {"query": "raise ExpiredVoucher(self)"})
    assert result.structured["places"][0]["path"] == "shop/vouchers.py"
    assert "exact" in result.structured["places"][0]["label"]


def test_search_finds_a_literal_without_a_word(repository):
    fill(repository, {"ops.txt": "first\n->>|| ==\n"})
    with RepositoryIndex.open(repository.path) as index:
        assert call(index, "search", {"query": "->>||"}).files[0][0] == "ops.txt"


def test_search_keeps_to_a_folder_and_a_kind(index):
    assert {file[0] for file in call(index, "search", {"query": "cart total", "kind": "test"}).files} <= {
        "tests/test_cart.py",
        "tests/test_vouchers.py",
        "test_calc.py",
    }
    assert all(file[0].startswith("web/") for file in call(index, "search", {"query": "cart", "path": "web"}).files)


def test_search_gives_no_more_places_than_asked(index):
    assert len(call(index, "search", {"query": "cart voucher price", "top_k": 2}).files) == 2


def test_search_that_finds_nothing_says_so(index):
    result = call(index, "search", {"query": "zzzqqq"})
    assert result.ok
    assert result.files == ()
    assert "Nothing found" in result.text


def test_a_symbol_is_found_by_name_and_by_its_container(index):
    assert call(index, "symbol", {"name": "Cart.total"}).files[0][0] == "shop/cart.py"
    assert "def discount" in call(index, "symbol", {"name": "discount"}).text
    assert call(index, "symbol", {"name": "submitOrder"}).files[0][0] == "web/checkout.ts"


def test_read_gives_the_lines_that_are_asked_for(index):
    result = call(index, "read", {"location": "shop/prices.py:6-7"})
    assert result.files == (("shop/prices.py", 6, 7),)
    assert "def net_price(item):\n    return item.price\n" in result.text


def test_read_gives_a_whole_file_and_lines_around(index):
    assert call(index, "read", {"location": "shop/mailer.py"}).files == (("shop/mailer.py", 1, 2),)
    around = call(index, "read", {"location": "shop/prices.py:6", "surrounding_lines": 2})
    assert around.files == (("shop/prices.py", 4, 8),)


def test_a_map_of_a_folder_is_about_it(index):
    result = call(index, "repo_map", {"scope": "shop/"})
    assert "shop/cart.py: Cart" in result.text
    assert "web/" not in result.text


@pytest.mark.parametrize(
    "location",
    [
        "../secret",
        "/etc/passwd",
        "shop/../../x",
        ".git/config",
        "C:\\x",
        "link",
        "folder/x.py",
        ".env",
        "none.py",
        "shop",
        "shop/cart.py:9-3",
    ],
)
def test_what_may_not_be_read_is_refused(repository, tmp_path, location):
    fill(repository)
    (tmp_path / "x.py").write_text("outside = 1\n")
    (repository.path / "link").symlink_to(tmp_path / "x.py")
    (repository.path / "folder").symlink_to(tmp_path, target_is_directory=True)
    repository.write(".env", "TOKEN=abcdefgh\n")
    with RepositoryIndex.open(repository.path) as index:
        result = call(index, "read", {"location": location})
    assert not result.ok
    assert "outside" not in result.text
    assert str(tmp_path) not in result.text


def test_answers_follow_an_edit_a_deletion_and_a_rename(repository, index):
    repository.write("shop/mailer.py", "def send_pigeon(): ...\n")
    (repository.path / "shop/vouchers.py").rename(repository.path / "shop/coupons.py")
    (repository.path / "shop/prices.py").unlink()
    assert "send_pigeon" in call(index, "search", {"query": "send_pigeon"}).text
    assert "send_pigeon" in call(index, "read", {"location": "shop/mailer.py"}).text
    assert call(index, "symbol", {"name": "Voucher"}).files[0][0] == "shop/coupons.py"
    assert not call(index, "read", {"location": "shop/prices.py"}).ok
    assert "def gross_price" not in call(index, "search", {"query": "gross_price"}).text


def test_read_says_that_a_file_changed_since_it_was_indexed(repository, index):
    repository.write("shop/mailer.py", "x = 1\n")
    assert call(index, "read", {"location": "shop/mailer.py"}).structured["places"][0]["stale"]
    assert not call(index, "read", {"location": "shop/cart.py"}).structured["places"][0]["stale"]


def test_the_index_answers_about_the_tree_that_was_opened(repository, tmp_path):
    fill(repository)
    with RepositoryIndex.open(repository.path) as main:
        identity = main.identity
    subprocess.run(("git", "clone", "-q", str(repository.path), str(tmp_path / "tree")), check=True)
    (tmp_path / "tree/shop/mailer.py").write_text("def only_in_the_tree(): ...\n")
    repository.write("shop/prices.py", "def only_in_the_checkout(): ...\n")
    with RepositoryIndex.open(repository.path) as index:
        assert index.parsed
    with RepositoryIndex.open(tmp_path / "tree", identity=identity) as index:
        assert call(index, "symbol", {"name": "only_in_the_tree"}).files
        assert not call(index, "symbol", {"name": "only_in_the_checkout"}).files
        assert not call(index, "search", {"query": "only_in_the_checkout("}).files


def test_secrets_are_taken_out_of_answers(repository):
    secret = "ghp_" + "a1B2c3" * 6
    fill(repository, {"auth.py": f'LOGIN = "{secret}"\n'})
    with RepositoryIndex.open(repository.path) as index:
        assert secret not in call(index, "read", {"location": "auth.py"}).text
        assert secret not in call(index, "search", {"query": f'= "{secret}'}).text


@pytest.mark.parametrize("budget", [1, 100, 150, 400, 2_000])
@pytest.mark.parametrize("name", ["repo_map", "search", "symbol", "read"])
def test_answers_keep_to_their_budget(repository, name, budget):
    body = "".join(f"    value_{n} = compute_total({n})\n" for n in range(400))
    fill(repository, {f"big{n}.py": f"def compute_total(x):\n{body}" for n in range(5)})
    arguments = {
        "repo_map": {},
        "search": {"query": "compute_total value_7"},
        "symbol": {"name": "compute_total"},
        "read": {"location": "big1.py"},
    }
    with RepositoryIndex.open(repository.path) as index:
        result = call(index, name, arguments[name] | {"budget": budget})
    assert result.tokens == count(result.text)
    assert result.tokens <= max(100, budget)


def test_what_is_cut_off_is_named(repository):
    fill(repository, {"big.py": "".join(f"line_{n} = {n}\n" for n in range(3_000))})
    with RepositoryIndex.open(repository.path) as index:
        result = call(index, "read", {"location": "big.py", "budget": 300})
        path, start, end = result.files[0]
        assert (path, start) == ("big.py", 1)
        assert f"Not shown: big.py:{end + 1}-3000" in result.text


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("nothing", {}),
        ("read", {}),
        ("read", {"location": 3}),
        ("read", {"location": "a", "line": 1}),
        ("search", {"query": "x", "kind": "sideways"}),
        ("search", {"query": "x", "top_k": "many"}),
        ("search", {"query": "x", "path": "../.."}),
        ("repo_map", {"scope": "/etc"}),
    ],
)
def test_a_wrong_call_is_answered_with_what_is_wrong(index, name, arguments):
    result = call(index, name, arguments)
    assert not result.ok
    assert len(result.text) > 10


def test_documents_are_json_with_a_schema_and_no_absolute_path(index):
    documents = [index_document(index), map_document(index, call(index, "repo_map", {}))]
    documents += [tool_document(name, call(index, name, arguments)) for name, arguments in CALLS]
    for document in documents:
        assert document["schema"].startswith("agenvantage.")
        assert str(index.root) not in json.dumps(document)


def test_a_file_larger_than_we_read_says_so_and_keeps_its_line_numbers(repository):
    fill(repository, {"big.log": "".join(f"entry {n:06d}\n" for n in range(100_000))})
    with RepositoryIndex.open(repository.path) as index:
        assert "entry 050000\n" in call(index, "read", {"location": "big.log:50001"}).text
        last = call(index, "read", {"location": "big.log:76900-99999"})
        assert last.files[0][2] < 77_000
        assert "larger file" in last.text


def test_a_file_kept_from_agents_is_not_read_even_when_git_ignores_it(repository):
    fill(repository, {".gitignore": "out/\n", ".agentignore": "out/private*\n"})
    repository.write("out/private.txt", "hidden\n")
    repository.write("out/report.txt", "shown\n")
    with RepositoryIndex.open(repository.path) as index:
        assert not call(index, "read", {"location": "out/private.txt"}).ok
        assert "shown" in call(index, "read", {"location": "out/report.txt"}).text


@pytest.mark.parametrize("odd", ["\ud800 x y", "-e --all", "\x00 a b", "'; DROP TABLE contents", "*" * 500, "(?:"])
def test_odd_text_is_answered(index, odd):
    for name, key in (("search", "query"), ("symbol", "name"), ("read", "location"), ("repo_map", "scope")):
        assert call(index, name, {key: odd}).text


CALLS = [
    ("search", {"query": "cart"}),
    ("symbol", {"name": "Cart"}),
    ("read", {"location": "shop/cart.py"}),
    ("read", {"location": "/x"}),
]


LITERALS = ("def net_price(item)", "(item", "rice(item", "TAX_RATES = {", "1.0 ", "net_price(item) *")


@pytest.mark.parametrize("text", LITERALS)
def test_a_literal_is_found_wherever_plain_git_finds_it(index, text):
    told = call(index, "search", {"query": text, "budget": 5_000}).structured["places"]
    exact = {place["path"] for place in told if place["label"].startswith("exact")}
    assert exact == set(holding(index.root, text.strip()))


def test_a_literal_in_a_generated_file_is_found(repository):
    repository.write("made.py", "# Code generated by hand. DO NOT EDIT.\nthe quick brown = 1\n")
    with RepositoryIndex.open(repository.path) as opened:
        found = call(opened, "search", {"query": "the quick brown ="}).structured["places"]
        assert [place["path"] for place in found] == ["made.py"]
