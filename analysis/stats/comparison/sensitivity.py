"""Does the order of the generators depend on the severity weights?

A mean cumulative score is linear in the weights: w_a·A + w_b·B + w_c·C with the generator's mean severity
sums per image. So is the difference of two generators, and its change of sign can be solved for without
recomputing annotations. Admissible weights are 0 ≤ w_a ≤ w_b ≤ w_c; only their ratios matter, so w_c = 1 and
the rest is a triangle with the corners (0, 0), (0, 1) and (1, 1). A linear function keeps its sign on a
triangle if and only if it has the same sign in the corners.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any, Final

import numpy as np

from analysis.stats.comparison.summaries import mean_severities, named
from analysis.stats.frames import Floats
from analysis.stats.images import ImageTable
from analysis.stats.means import SAME
from scoring.grid.taxonomy import SEVERITIES

STEPS: Final = 20
CORNERS: Final = ((0.0, 0.0, 1.0), (0.0, 1.0, 1.0), (1.0, 1.0, 1.0))


def weight_sensitivity(table: ImageTable) -> dict[str, Any]:
    """Return the data to rank generators under any weights, and how the ranking depends on them.

    `generators`: mean severity sums per image. `rankings`: every order that occurs on a grid of steps of 1/20
    of the triangle, its share of the grid and one example. `pairs`: whether a difference ever changes sign,
    and the value of each weight at which it does with the other two unchanged.
    """
    labels = table.frame.labels("generator")
    weights = table.frame.weights
    sums = mean_severities(table.severity, table.codes("generator"), len(labels))
    return {
        "weights": named(weights),
        "generators": [
            {"generator": label, "severity": named(row)} for label, row in zip(labels, sums, strict=True)
        ],
        "ranking": _ranking(labels, sums @ weights),
        "rankings": _rankings(labels, sums),
        "pairs": [
            {"a": labels[i], "b": labels[j], **_tipping(sums[i] - sums[j], weights)}
            for i, j in combinations(range(len(labels)), 2)
        ],
    }


def _ranking(labels: Sequence[str], means: Floats) -> list[str]:
    """Return the generators, fewest errors first; those that differ only by rounding keep name order."""
    return [labels[i] for i in np.argsort(np.round(means, 9), kind="stable")]


def _rankings(labels: Sequence[str], sums: Floats) -> list[dict[str, Any]]:
    grid = np.array(
        [(a / STEPS, b / STEPS, 1.0) for b in range(STEPS + 1) for a in range(b + 1)], dtype=np.float64
    )
    orders = np.argsort(np.round(grid @ sums.T, 9), axis=1, kind="stable")
    found, where, counts = np.unique(orders, axis=0, return_index=True, return_counts=True)
    return [
        {
            "order": [labels[k] for k in found[i]],
            "share": float(counts[i] / len(grid)),
            "example": named(grid[where[i]]),
        }
        for i in np.argsort(-counts, kind="stable")
    ]


def _tipping(gap: Floats, weights: Floats) -> dict[str, Any]:
    """Return whether a·w keeps its sign over the triangle, and each weight's value at which it is zero."""
    now = float(gap @ weights)
    corners = [float(gap @ np.array(corner)) for corner in CORNERS]
    never = min(corners) >= -SAME or max(corners) <= SAME
    return {
        "difference": now,
        "severity": named(gap),
        "always": never,
        "tips": {severity: _alone(gap, weights, k) for k, severity in enumerate(SEVERITIES)},
    }


def _alone(gap: Floats, weights: Floats, k: int) -> float | None:
    """Return the value of weight k that makes the difference zero; None if it breaks the weights' order."""
    if abs(gap[k]) <= SAME:
        return None
    value = float(weights[k] - gap @ weights / gap[k])
    low = float(weights[k - 1]) if k else 0.0
    high = float(weights[k + 1]) if k + 1 < len(weights) else np.inf
    return value if low - SAME <= value <= high + SAME else None
