"""Shared expenses: who paid, who owes whom."""
