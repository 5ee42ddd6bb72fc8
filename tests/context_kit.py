"""A small shop in several languages, for tests of retrieval."""

from __future__ import annotations

from typing import Final

SHOP: Final = {
    "shop/__init__.py": "",
    "shop/cart.py": '''"""The shopping cart."""

from shop.prices import net_price


class Cart:
    """What a customer is about to buy."""

    def __init__(self):
        self.items = []

    def add_item(self, item, quantity=1):
        self.items.extend([item] * quantity)

    def total(self, voucher=None):
        """The sum of all prices, less the voucher's discount."""
        amount = sum(net_price(item) for item in self.items)
        return amount - (voucher.discount(amount) if voucher else 0)
''',
    "shop/prices.py": '''"""Prices and taxes."""

TAX_RATES = {"food": 0.07, "other": 0.19}


def net_price(item):
    return item.price


def gross_price(item):
    return net_price(item) * (1 + TAX_RATES.get(item.kind, 0.19))
''',
    "shop/vouchers.py": '''"""Vouchers."""

from datetime import date


class ExpiredVoucher(Exception):
    """The voucher's time is over."""


class Voucher:
    def __init__(self, percent, expires):
        self.percent = percent
        self.expires = expires

    def discount(self, amount):
        if self.expires < date.today():
            raise ExpiredVoucher(self)
        return amount * self.percent / 100
''',
    "shop/mailer.py": "def send_mail(address, subject, body):\n    raise NotImplementedError\n",
    "tests/test_cart.py": """from shop.cart import Cart


def test_total_of_an_empty_cart():
    assert Cart().total() == 0
""",
    "tests/test_vouchers.py": """from datetime import date

from shop.vouchers import Voucher


def test_discount():
    assert Voucher(10, date.max).discount(200) == 20
""",
    "web/checkout.ts": """import { post } from "./http";

export async function submitOrder(cart: Cart): Promise<Receipt> {
  return post("/orders", cart);
}
""",
    "AGENTS.md": "Run the tests with `pytest`.\n",
    "pyproject.toml": '[project]\nname = "shop"\n',
    "README.md": "# Shop\n\nSells things. Vouchers give a discount.\n",
}


def fill(repository, files=None) -> None:
    """Write and commit the shop (or other files) into a test's repository."""
    for path, text in (files or SHOP).items():
        repository.write(path, text)
    repository.commit("shop")
