"""A small logistic regression in plain Python: weighted, pulled towards zero, fitted by Newton's method."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

_STEPS: Final = 12
_LEAST_DEVIATION: Final = 1e-6


@dataclass(frozen=True, slots=True, kw_only=True)
class Logistic:
    """Feature → mean, deviation, weight; the bias apart."""

    names: tuple[str, ...]
    means: tuple[float, ...]
    deviations: tuple[float, ...]
    weights: tuple[float, ...]
    bias: float

    def probability(self, row: Sequence[float]) -> float:
        scaled = zip(row, self.means, self.deviations, self.weights, strict=True)
        return _squashed(
            self.bias + sum(weight * (value - mean) / deviation for value, mean, deviation, weight in scaled)
        )


def _squashed(total: float) -> float:
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, total))))


def fitted(
    names: Sequence[str], rows: Sequence[Sequence[float]], labels: Sequence[bool], weights: Sequence[float], pull: float
) -> Logistic:
    """`pull` is how strongly weights are drawn to zero: 1.0 counts as much as one case a feature."""
    means, deviations = _scales(rows, weights)
    scaled = [
        [1.0, *((value - mean) / deviation for value, mean, deviation in zip(row, means, deviations, strict=True))]
        for row in rows
    ]
    found = [0.0] * (len(names) + 1)
    for _ in range(_STEPS):
        gradient, curvature = _slopes(scaled, labels, weights, found, pull)
        found = [have - step for have, step in zip(found, _solved(curvature, gradient), strict=True)]
    return Logistic(
        names=tuple(names), means=tuple(means), deviations=tuple(deviations), weights=tuple(found[1:]), bias=found[0]
    )


def _scales(rows: Sequence[Sequence[float]], weights: Sequence[float]) -> tuple[list[float], list[float]]:
    whole = sum(weights)
    means = [sum(w * row[at] for w, row in zip(weights, rows, strict=True)) / whole for at in range(len(rows[0]))]
    spreads = [
        sum(w * (row[at] - mean) ** 2 for w, row in zip(weights, rows, strict=True)) / whole
        for at, mean in enumerate(means)
    ]
    return means, [max(_LEAST_DEVIATION, spread) ** 0.5 for spread in spreads]


def _slopes(
    rows: Sequence[Sequence[float]],
    labels: Sequence[bool],
    weights: Sequence[float],
    found: Sequence[float],
    pull: float,
) -> tuple[list[float], list[list[float]]]:
    """Gradient and curvature of the loss at these weights; the bias is not pulled."""
    size = len(found)
    gradient = [0.0] + [pull * each for each in found[1:]]
    curvature = [[pull if one == other > 0 else 0.0 for other in range(size)] for one in range(size)]
    for row, label, weight in zip(rows, labels, weights, strict=True):
        told = _squashed(sum(one * other for one, other in zip(found, row, strict=True)))
        error, bend = weight * (told - label), weight * told * (1 - told)
        for one in range(size):
            gradient[one] += error * row[one]
            bent, line = bend * row[one], curvature[one]
            for other in range(one + 1):
                line[other] += bent * row[other]
    for one in range(size):
        for other in range(one):
            curvature[other][one] = curvature[one][other]
        curvature[one][one] += 1e-9
    return gradient, curvature


def _solved(matrix: list[list[float]], right: list[float]) -> list[float]:
    """Gauss with the largest pivot first."""
    rows = [[*line, value] for line, value in zip(matrix, right, strict=True)]
    size = len(rows)
    for at in range(size):
        pivot = max(range(at, size), key=lambda row: abs(rows[row][at]))
        rows[at], rows[pivot] = rows[pivot], rows[at]
        for row in range(at + 1, size):
            factor = rows[row][at] / rows[at][at]
            rows[row] = [mine - factor * theirs for mine, theirs in zip(rows[row], rows[at], strict=True)]
    found = [0.0] * size
    for at in reversed(range(size)):
        known = sum(rows[at][other] * found[other] for other in range(at + 1, size))
        found[at] = (rows[at][size] - known) / rows[at][at]
    return found
