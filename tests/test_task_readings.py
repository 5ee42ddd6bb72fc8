"""Words that mean one of two things: both readings are named, and only where nothing decides between them."""

import pytest
from agenvantage.context.task import read_task


@pytest.mark.parametrize(
    ("text", "surfaces"),
    [
        ("Remove the option", [("cli",), ("config",)]),
        ("Add a table of invoices", [("ui",), ("data",)]),
        ("Rename the field", [("ui",), ("data",)]),
        ("Add notifications", [("ui",), ("api",)]),
        ("Remove the option from the config and the command line", [("cli",), ("config",)]),
    ],
)
def test_both_readings_of_an_open_word_are_named(text, surfaces):
    assert [reading.surfaces for reading in read_task(text).readings] == surfaces


@pytest.mark.parametrize(
    "text",
    [
        "Remove the option from the settings",
        "Remove the --fast option",
        "Add a table of invoices to the dashboard",
        "Add a table of contents",
        "Rename the field of the struct",
        "Rename the `field`",
        "Rename the field in shop/cart.py",
        "The option is wrong",
        "Fix the total",
        "Add notifications\n\n" + "They are what a customer sees at the top after a purchase. " * 10,
    ],
)
def test_there_is_one_reading_where(text):
    assert read_task(text).readings == ()


def test_a_reading_brings_terms_of_its_own():
    cli, config = read_task("Remove the option").readings
    assert "flag" in cli.terms
    assert "config" in config.terms
    assert set(cli.terms) != set(config.terms)
