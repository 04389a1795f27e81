"""Generators compared over annotations, as in the published study: an image judged twice counts twice."""

from __future__ import annotations

from typing import Any

from analysis.stats.comparison.generators import every_two
from analysis.stats.frames import RatingsFrame
from analysis.stats.means import grouped, mean_estimates


def by_annotation(frame: RatingsFrame) -> dict[str, Any]:
    """Return means of generators with intervals, and the tests of every two (Holm), over annotations.

    Shaped like `generators` and `generator_comparisons`; Welch's t is that of `generator_tests`.
    """
    labels = frame.labels("generator")
    if not labels:
        return {"means": [], "pairs": []}
    found = grouped(frame.scores, frame.codes("generator"), len(labels))
    means = mean_estimates(found, frame.coders("generator"))
    return {
        "means": [{"generator": label, "mean": mean} for label, mean in zip(labels, means, strict=True)],
        "pairs": every_two(labels, found),
    }
