"""Comparison of the anatomy protocol: that of the marks, with the project's outside metrics beside it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from analysis.stats.comparison.comparison import comparison
from analysis.stats.frames import RatingsFrame
from analysis.stats.generic.outside import OutsideMetric, outside_tables
from analysis.stats.images import Adjudicated, image_table
from analysis.stats.steps import Steps


def anatomy_comparison(
    frame: RatingsFrame,
    steps: Steps | None = None,
    *,
    adjudicated: Adjudicated | None = None,
    metrics: Sequence[OutsideMetric] = (),
) -> dict[str, Any]:
    """Return the comparison; with metrics also `outside`, their tables beside the cumulative score."""
    result = comparison(frame, steps, adjudicated=adjudicated)
    if not metrics:
        return result
    images = image_table(frame, adjudicated)
    tables = outside_tables(frame, images.first, images.scores, metrics, higher_is_better=False)
    return {**result, "outside": tables}
