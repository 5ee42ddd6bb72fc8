import unittest

from ledger.balances import balances, settlements
from ledger.entries import Expense, read


class BalancesTest(unittest.TestCase):
    def test_an_even_bill_is_shared_alike(self):
        owed = balances([Expense("ann", 900, ("ann", "bob", "cy"))])
        self.assertEqual(owed, {"ann": 600, "bob": -300, "cy": -300})

    def test_no_cent_is_lost_when_a_bill_is_uneven(self):
        owed = balances(read(["ann,10.00,ann+bob+cy,pizza"]))
        self.assertEqual(sum(owed.values()), 0)
        self.assertEqual(owed, {"ann": 666, "bob": -333, "cy": -333})

    def test_settling_leaves_nobody_in_debt(self):
        self.assertEqual(settlements({"ann": 600, "bob": -300, "cy": -300}), [("cy", "ann", 300), ("bob", "ann", 300)])
