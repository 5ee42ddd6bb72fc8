"""What each person is owed, or owes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from .entries import Expense
from .sharing import equal_shares


def balances(expenses: Iterable[Expense]) -> dict[str, int]:
    """Cents by person: above zero is owed to them, below zero they owe. Sums to zero."""
    totals: Counter[str] = Counter()
    for expense in expenses:
        totals[expense.payer] += expense.cents
        for person, share in equal_shares(expense.cents, expense.people).items():
            totals[person] -= share
    return dict(sorted(totals.items()))


def settlements(owed: dict[str, int]) -> list[tuple[str, str, int]]:
    """Payments (from, to, cents) after which nobody owes anything: the largest debts first."""
    debts = sorted((-cents, person) for person, cents in owed.items() if cents < 0)
    claims = sorted((cents, person) for person, cents in owed.items() if cents > 0)
    payments = []
    while debts and claims:
        debt, debtor = debts.pop()
        claim, claimant = claims.pop()
        paid = min(debt, claim)
        payments.append((debtor, claimant, paid))
        if debt > paid:
            debts.append((debt - paid, debtor))
        if claim > paid:
            claims.append((claim - paid, claimant))
    return payments
