"""The generators under three weightings: all severities alike, severe errors only, and as published.

A mean cumulative score is linear in the weights: the sum of weight × mean severity sum per image.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from analysis.stats.comparison.summaries import mean_severities, named
from analysis.stats.frames import Floats
from analysis.stats.images import ImageTable
from scoring.grid.severity_weights import DEFAULT_WEIGHTS
from scoring.grid.taxonomy import SEVERITIES

WEIGHTINGS: Final = {
    "equal": (1.0, 1.0, 1.0),
    "severe": (0.0, 0.0, 1.0),
    "published": tuple(float(DEFAULT_WEIGHTS[severity]) for severity in SEVERITIES),
}


def under_weights(table: ImageTable) -> dict[str, Any]:
    """Return the generators by this report's weights, fewest errors first, and a row for each weighting.

    A row has its `weighting`, the three weights, and every generator's `mean`, fewest errors first.
    """
    labels = table.frame.labels("generator")
    sums = mean_severities(table.severity, table.codes("generator"), len(labels))
    rows = []
    for weighting, weights in WEIGHTINGS.items():
        means = sums @ np.array(weights)
        ordered = [{"generator": labels[i], "mean": float(means[i])} for i in _order(means)]
        rows.append({"weighting": weighting, **named(np.array(weights)), "generators": ordered})
    return {"ranking": _labelled(labels, sums @ table.frame.weights), "rows": rows if len(labels) > 1 else []}


def _labelled(labels: Sequence[str], means: Floats) -> list[str]:
    return [labels[i] for i in _order(means)]


def _order(means: Floats) -> list[int]:
    """Return the places of ascending means; those that differ only by rounding keep name order."""
    return [int(place) for place in np.argsort(np.round(means, 9), kind="stable")]
