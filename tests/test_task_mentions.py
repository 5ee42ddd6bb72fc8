"""What a task spells out: strings, codes, names, options, variables, keys, paths and tests."""

import pytest
from agenvantage.context.task import read_task


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ('It says "no price found" twice', "no price found"),
        ("It says 'no price found' twice", "no price found"),
        ("It says `no price found` twice", "no price found"),
        ("It says “no price found” twice", "no price found"),
        ("它说「没有价格」了", "没有价格"),
    ],
)
def test_what_stands_in_quotes_is_kept_as_written(text, quoted):
    assert quoted in read_task(text).quoted


def test_an_apostrophe_quotes_nothing():
    assert read_task("The cart's total isn't right, and the user's voucher isn't used").quoted == ()


def test_one_letter_in_backticks_does_not_turn_quotes_inside_out():
    assert read_task("Send `n` payload for `1` message").quoted == ()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("ValueError: no price for it", "no price for it"),
        ("shop.errors.PriceError: no price for it", "no price for it"),
        ("Caused by: java.lang.IllegalStateException: no price for it", "no price for it"),
        ("error[E0308]: mismatched types", "mismatched types"),
        ("error: no price for it", "no price for it"),
        ("E       AssertionError: no price for it", "no price for it"),
        ("panic: no price for it", "no price for it"),
    ],
)
def test_a_message_is_named_without_its_class(line, message):
    assert read_task(f"Cart fails\n```\n{line}\n```").quoted == (message,)


@pytest.mark.parametrize(
    "code",
    ["E0308", "TS2322", "CS8602", "L031", "F401", "SA1019", "CVE-2024-12345", "ENOENT", "ERR_MODULE_NOT_FOUND",
     "SIGSEGV", "ORA-00942", "0x80070005"],
)  # fmt: skip
def test_an_error_code_is_known(code):
    assert read_task(f"It stops with {code} now").codes == (code,)


@pytest.mark.parametrize("text", ["HTTP 404", "404 Not Found", "status code 404", "returns a 404", "error: 404"])
def test_a_status_with_a_word_that_says_so_is_a_code(text):
    assert read_task(f"The page gives {text}").codes == ("404",)


@pytest.mark.parametrize("word", ["UTF8", "SHA256", "ISO8601", "ES2015", "RFC7231", "H264", "AMD64", "404", "v2.10.3"])
def test_what_only_looks_like_a_code_is_none(word):
    assert read_task(f"The cart uses {word} here").codes == ()


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("the cart_total is wrong", "cart_total"),
        ("the cartTotal is wrong", "cartTotal"),
        ("the CartTotal is wrong", "CartTotal"),
        ("the CART_TOTAL is wrong", "CART_TOTAL"),
        ("the `total` is wrong", "total"),
        ("calling total() is wrong", "total"),
        ("the `cart-total` is wrong", "cart-total"),
        ("the Cart::total_of is wrong", "total_of"),
    ],
)
def test_an_identifier_is_known_in_any_case(text, name):
    assert name in read_task(text).identifiers


def test_a_sentence_in_backticks_gives_no_identifiers():
    assert read_task("It says `there is no price here`").identifiers == ()


def test_names_of_the_title_stand_before_those_of_a_snippet():
    query = read_task("Wrong cart_total\n```\nfirst_thing()\n```")
    assert query.identifiers == ("cart_total", "first_thing")


@pytest.mark.parametrize("module", ["shop.cart.total", "shop::cart", "Cart#total"])
def test_a_dotted_name_is_a_module(module):
    assert read_task(f"It is wrong in {module} now").modules == (module,)


def test_options_are_known():
    assert read_task("With --dry-run and --max-items=3 it fails").options == ("--dry-run", "--max-items")


@pytest.mark.parametrize(
    "text",
    ["set $CART_HOME", "CART_HOME=1 shop", "os.environ['CART_HOME']", "process.env.CART_HOME", "the CART_HOME env var"],
)
def test_an_environment_variable_is_known(text):
    assert read_task(f"It fails with {text} here").variables == ("CART_HOME",)


def test_a_constant_is_no_environment_variable():
    assert read_task("CART_HOME is wrong").variables == ()


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("`cart.max-items = 3` is ignored", "cart.max-items"),
        ("`[tool.shop]` is ignored", "tool.shop"),
        ("It is ignored:\n```toml\nmax_items = 3\n```", "max_items"),
        ("It is ignored:\n```yaml\nmaxItems: 3\n```", "maxItems"),
    ],
)
def test_a_configuration_key_is_known(text, key):
    assert key in read_task(text).keys


def test_a_path_of_two_colons_is_no_key():
    assert read_task("Add `std::chrono::days`").keys == ()


@pytest.mark.parametrize(
    ("line", "test"),
    [
        ("FAILED tests/test_cart.py::TestIt::test_it[a-1] - ValueError", "tests/test_cart.py::TestIt::test_it[a-1]"),
        ("--- FAIL: TestTotal/empty (0.00s)", "TestTotal/empty"),
        ("test cart::tests::empty ... FAILED", "cart::tests::empty"),
        ("  ● Cart › totals › empty", "Cart › totals › empty"),
        ("[ERROR]   CartTest.totalOfNothing:12 expected", "CartTest.totalOfNothing"),
        ("rspec ./spec/cart_spec.rb:12 # Cart", "./spec/cart_spec.rb:12"),
        ("[  FAILED  ] CartTest.Empty (0 ms)", "CartTest.Empty"),
        ("It is test_empty_cart that fails", "test_empty_cart"),
    ],
)  # fmt: skip
def test_a_failing_test_is_named(line, test):
    assert test in read_task(f"Cart fails\n{line}").failing_tests


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("wrong in shop/cart.py here", "shop/cart.py"),
        ("wrong in cart.py here", "cart.py"),
        ("wrong in shop/ here", None),
        ("wrong on shop.com here", None),
        ("wrong and/or odd", None),
        ("wrong with SRT/VTT here", None),
        ("wrong with select/poll here", None),
        ("wrong in src/poll here", "src/poll"),
        ("wrong in `select/poll` here", "select/poll"),
    ],
)
def test_a_path_is_named_only_where_one_is_written(text, path):
    assert read_task(text).paths == ((path,) if path else ())


def test_the_part_before_a_titles_colon_is_its_scope():
    assert read_task("fix(parser): total").scopes == ("parser",)


def test_a_kind_of_change_is_no_scope():
    assert read_task("fix: total").scopes == ()


def test_a_version_is_no_word():
    assert not {"v2", "rc1"} & set(read_task("Cart fails since v2.1.0-rc1").terms)


def test_the_words_that_only_ask_are_no_concepts():
    assert read_task("Add support for vouchers").concepts == ("vouchers",)
