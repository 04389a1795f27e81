"""The raters' biases in exact fractions, for files; reports compute the same in floating point."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from fractions import Fraction

Rated = Mapping[str, int]
"""The ratings of an image by rater, without invalid votes."""


def biases_of(images: Iterable[Rated]) -> dict[str, Fraction]:
    """Return by rater the mean deviation from the mean of the image, centred on 0.

    Images with fewer than two ratings say nothing about it, so a rater of only such images has no bias.
    """
    away: Counter[tuple[str, int]] = Counter()
    rated: Counter[str] = Counter()
    for image in images:
        n, total = len(image), sum(image.values())
        if n < 2:
            continue
        for rater, rating in image.items():
            away[rater, n] += n * rating - total
            rated[rater] += 1
    sums = dict.fromkeys(rated, Fraction(0))
    for (rater, n), deviation in away.items():
        sums[rater] += Fraction(deviation, n)
    means = {rater: total / rated[rater] for rater, total in sums.items()}
    middle = sum(means.values(), Fraction(0)) / max(len(means), 1)
    return {rater: mean - middle for rater, mean in means.items()}


def adjusted_mean(image: Rated, biases: Mapping[str, Fraction]) -> Fraction:
    """Return the mean of the ratings less the raters' biases; raise ZeroDivisionError for no ratings."""
    left = (rating - biases.get(rater, Fraction(0)) for rater, rating in image.items())
    return sum(left, Fraction(0)) / len(image)
