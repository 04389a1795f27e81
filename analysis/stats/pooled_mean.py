"""The mean over all images of a comparison report, from its groups."""

from __future__ import annotations

from collections.abc import Iterable
from math import sqrt

from scipy import stats

from analysis.stats.estimates import ANY, CONFIDENCE, Range, cut, estimate


def pooled_mean(
    groups: Iterable[tuple[int, float, float]], within: Range = ANY
) -> tuple[int, float, float | None, float | None] | None:
    """Return (images, mean, low, high) over all images of groups of (images, mean, sample variance).

    The interval is Student's, over images, as if the values had not been grouped, cut at the
    range `within`; None if it would hold all of it. None below two images.
    """
    known = [(n, mean, variance) for n, mean, variance in groups if n]
    n = sum(size for size, _, _ in known)
    if n < 2:
        return None
    mean = sum(size * value for size, value, _ in known) / n
    squares = sum((size - 1) * variance + size * (value - mean) ** 2 for size, value, variance in known)
    half = float(stats.t.ppf((1 + CONFIDENCE) / 2, n - 1)) * sqrt(squares / (n - 1) / n)
    found = cut(estimate(mean, mean - half, mean + half, n_units=n, method="t"), within)
    return n, mean, found["low"], found["high"]
