"""Comparison of the anatomy protocol: that of the marks, with outside metrics and slices beside it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from analysis.stats.comparison.comparison import comparison
from analysis.stats.frames import RatingsFrame
from analysis.stats.generic.outside import OutsideMetric, outside_tables
from analysis.stats.generic.slices import Attributes, Tags, slices_tables
from analysis.stats.images import Adjudicated, image_table
from analysis.stats.steps import Steps
from scoring.anatomy.protocol import ANATOMY


def anatomy_comparison(
    frame: RatingsFrame,
    steps: Steps | None = None,
    *,
    adjudicated: Adjudicated | None = None,
    metrics: Sequence[OutsideMetric] = (),
    attributes: Attributes | None = None,
    tags: Tags | None = None,
) -> dict[str, Any]:
    """Return the comparison; `outside` are the tables of metrics, slices and tags, if there are any."""
    result = comparison(frame, steps, adjudicated=adjudicated)
    images = image_table(frame, adjudicated)
    tables = slices_tables(
        frame, images.first, images.scores, ANATOMY.headline, attributes=attributes, tags=tags
    )
    if metrics:
        tables += outside_tables(frame, images.first, images.scores, metrics, higher_is_better=False)
    return {**result, "outside": tables} if tables else result
