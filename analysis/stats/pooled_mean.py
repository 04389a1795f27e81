"""The mean over all images of a comparison report, from its groups."""

from __future__ import annotations

from collections.abc import Iterable
from math import sqrt

from scipy import stats

from analysis.stats.estimates import CONFIDENCE


def pooled_mean(groups: Iterable[tuple[int, float, float]]) -> tuple[int, float, float, float] | None:
    """Return (images, mean, low, high) over all images of groups of (images, mean, sample variance).

    The interval is Student's, over images, as if the values had not been grouped. None below two images.
    """
    known = [(n, mean, variance) for n, mean, variance in groups if n]
    n = sum(size for size, _, _ in known)
    if n < 2:
        return None
    mean = sum(size * value for size, value, _ in known) / n
    squares = sum((size - 1) * variance + size * (value - mean) ** 2 for size, value, variance in known)
    half = float(stats.t.ppf((1 + CONFIDENCE) / 2, n - 1)) * sqrt(squares / (n - 1) / n)
    return n, mean, mean - half, mean + half
