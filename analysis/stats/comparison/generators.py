"""Pairwise comparison of generators over images."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

from analysis.stats.comparison.effects import Sample, hedges_g
from analysis.stats.comparison.holm import holm
from analysis.stats.comparison.welch import Test, simultaneous, welch_from
from analysis.stats.estimates import FROM_ZERO
from analysis.stats.frames import RatingsFrame
from analysis.stats.images import ImageTable
from analysis.stats.means import Groups, grouped, mean_estimates


def generator_comparisons(table: ImageTable) -> list[Test]:
    """Return Welch's test, Holm-corrected, and Hedges' g of every two generators, by name.

    The unit is the image. `difference` is mean a − mean b with the interval of the test.
    """
    labels = table.frame.labels("generator")
    return every_two(labels, grouped(table.scores, table.codes("generator"), len(labels)))


def by_annotation(frame: RatingsFrame) -> dict[str, Any]:
    """Return means of generators with intervals, and the tests of every two (Holm), over annotations.

    Shaped like `generators` and `generator_comparisons`; Welch's t is that of `generator_tests`.
    """
    labels = frame.labels("generator")
    if not labels:
        return {"means": [], "pairs": []}
    found = grouped(frame.scores, frame.codes("generator"), len(labels))
    means = mean_estimates(found, frame.coders("generator"), FROM_ZERO)
    return {
        "means": [{"generator": label, "mean": mean} for label, mean in zip(labels, means, strict=True)],
        "pairs": every_two(labels, found),
    }


def every_two(labels: Sequence[str], found: Groups) -> list[Test]:
    """Return the tests of every two groups of images, named by these labels."""
    samples = [
        Sample(int(n), float(mean), float(variance))
        for n, mean, variance in zip(found.n, found.mean, found.variance, strict=True)
    ]
    named = combinations(zip(labels, samples, strict=True), 2)
    return corrected([{"a": a, "b": b, **compared(one, other)} for (a, one), (b, other) in named])


def corrected(tests: list[Test]) -> list[Test]:
    """Return the tests with `p_holm` and `simultaneous`, both corrected for the number of tests."""
    made = sum(test["p"] is not None for test in tests)
    for test, value in zip(tests, holm([test["p"] for test in tests]), strict=True):
        test["p_holm"] = value
        test["simultaneous"] = simultaneous(test, made)
    return tests


def compared(a: Sample, b: Sample) -> Test:
    """Return Welch's test of two samples of images with Hedges' g."""
    return {
        "images_a": a.n,
        "images_b": b.n,
        "mean_a": a.mean,
        "mean_b": b.mean,
        **welch_from(a, b),
        "hedges_g": hedges_g(a, b),
    }
