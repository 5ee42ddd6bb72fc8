"""How an expense is shared out between people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def equal_shares(cents: int, people: Sequence[str]) -> dict[str, int]:
    """Each person's part of an expense that all share alike."""
    if not people:
        raise ValueError("an expense needs at least one person")
    share = cents // len(people)
    return {person: share for person in people}


def weighted_shares(cents: int, weights: Mapping[str, int]) -> dict[str, int]:
    """Each person's part by weight: nights stayed, rooms, whatever counts."""
    total = sum(weights.values())
    if total <= 0:
        raise ValueError("the weights must add up to more than nothing")
    shares = {person: cents * weight // total for person, weight in weights.items()}
    left = cents - sum(shares.values())
    for person in sorted(weights, key=lambda name: -weights[name])[:left]:
        shares[person] += 1
    return shares
