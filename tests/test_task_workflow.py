"""The kind of work, what is to be done, and on which side of a program."""

import pytest
from agenvantage.context.task import detect_workflow, read_task

DIFF = "--- a/shop/cart.py\n+++ b/shop/cart.py\n@@ -1 +1 @@\n-a\n+b\n"
TRACE = "    at total (/app/src/cart.js:10:5)"

TASKS = {
    "Review the voucher code": "review",
    "Could you review this pull request?": "review",
    "Audit the login for timing attacks": "review",
    "I would like feedback on my patch": "review",
    DIFF: "review",
    f"Here is what I have\n{DIFF}": "review",
    f"Fix what this breaks\n{DIFF}": "bug",
    f"Explain this\n{DIFF}": "explain",
    "Explain how vouchers expire": "explain",
    "How does the cart compute its total?": "explain",
    "Why is the total cached?": "explain",
    "Where is the login handled?": "explain",
    "Walk me through the checkout": "explain",
    f"Why does it fail?\n{TRACE}": "bug",
    "Migrate prices to Decimal": "migration",
    "Port the parser from Python 2 to 3": "migration",
    "Upgrade to the new client": "migration",
    "Replace requests with httpx": "migration",
    "Rename Cart to Basket": "migration",
    "Production is down since the last deploy": "incident",
    "Post-mortem of the checkout outage": "incident",
    "Alerts keep firing: error rate of /checkout went up": "incident",
    "Fix the crash in total": "bug",
    "fix(cart): total": "bug",
    "The total is wrong for an empty cart": "bug",
    "total() cannot handle vouchers": "bug",
    "[BUG] Cart": "bug",
    "Cart\n## Steps to reproduce\nOpen it.": "bug",
    f"Cart\n{TRACE}": "bug",
    "购物车总价报错": "bug",
    "Add a wishlist": "feature",
    "feat(cart): wishlist": "feature",
    "Allow vouchers to be combined": "feature",
    "Add a rollback of migrations": "feature",
    "Add a review page": "feature",
    "Support incidents in the calendar": "feature",
    "[FEATURE] Cart": "feature",
    "wishlist": "feature",
}


@pytest.mark.parametrize("task", TASKS)
def test_the_kind_of_work(task):
    assert detect_workflow(read_task(task)) == TASKS[task]


@pytest.mark.parametrize(
    ("text", "verbs"),
    [
        ("Add a wishlist and remove the old one", ("add", "remove")),
        ("Removing vouchers", ("remove",)),
        ("Deletes vouchers", ("remove",)),
        ("Wishlist\n\nPlease rename it. Then validate the total.", ("rename", "validate")),
        ("Wishlist\n\nIt was once said to remove nothing", ()),
    ],
)
def test_the_verbs_of_a_task_are_plain(text, verbs):
    assert read_task(text).verbs == verbs


@pytest.mark.parametrize(
    ("text", "surface"),
    [
        ("Show a button on the checkout page", "ui"),
        ("Return 404 from the voucher endpoint", "api"),
        ("Add a column to the invoices table", "data"),
        ("Add a --dry-run flag", "cli"),
        ("Read the currency from the settings", "config"),
        ("Use less padding", "style"),
        ("Fix the docker build", "build"),
        ("Correct the readme", "docs"),
        ("The flaky spec of the cart", "test"),
    ],
)
def test_the_side_of_a_program(text, surface):
    assert surface in read_task(text).surfaces


def test_one_passing_word_of_the_text_is_no_side():
    assert read_task("Wrong total\n\nI saw it on a page.").surfaces == ()


@pytest.mark.parametrize(
    ("text", "wants"),
    [
        ("Make the tests cover vouchers", "wants_tests"),
        ("Correct a typo in the docs", "wants_docs"),
        ("Regenerate the lockfile", "wants_generated"),
    ],
)
def test_a_title_that_asks_for_more_than_sources(text, wants):
    query = read_task(text)
    assert [name for name in ("wants_tests", "wants_docs", "wants_generated") if getattr(query, name)] == [wants]
