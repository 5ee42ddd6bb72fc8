import unittest

from ledger.money import BadAmount, parse, show


class MoneyTest(unittest.TestCase):
    def test_reads_amounts_with_point_or_comma(self):
        self.assertEqual((parse("12.5"), parse("12,50"), parse("-3")), (1250, 1250, -300))

    def test_refuses_what_is_no_amount(self):
        with self.assertRaises(BadAmount):
            parse("twelve")

    def test_shows_cents_as_units(self):
        self.assertEqual((show(1250), show(-5)), ("12.50", "-0.05"))
