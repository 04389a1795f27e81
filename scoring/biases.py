"""The raters' biases in exact fractions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from fractions import Fraction
from typing import Any, TypeVar

Rater = TypeVar("Rater", bound=Hashable)


def biases_of(images: Iterable[Mapping[Rater, int | Fraction]]) -> dict[Rater, Fraction]:
    """Return by rater the mean deviation from the mean of the image; `images` are ratings by rater.

    Images with fewer than two ratings say nothing about it, so a rater of only such images has no bias.
    """
    away: dict[tuple[Rater, int], Any] = {}
    rated: Counter[Rater] = Counter()
    for image in images:
        n, total = len(image), sum(image.values())
        if n < 2:
            continue
        for rater, rating in image.items():
            away[rater, n] = away.get((rater, n), 0) + n * rating - total
            rated[rater] += 1
    sums = dict.fromkeys(rated, Fraction(0))
    for (rater, n), deviation in away.items():
        sums[rater] += Fraction(deviation, n)
    return {rater: total / rated[rater] for rater, total in sums.items()}


def centred(biases: Mapping[Rater, Fraction]) -> dict[Rater, Fraction]:
    """Return the biases less their mean."""
    middle = sum(biases.values(), Fraction(0)) / max(len(biases), 1)
    return {rater: bias - middle for rater, bias in biases.items()}


def adjusted_mean(image: Mapping[Rater, int | Fraction], biases: Mapping[Rater, Fraction]) -> Fraction:
    """Return the mean of the ratings less the raters' biases; raise ZeroDivisionError for no ratings."""
    left = (rating - biases.get(rater, Fraction(0)) for rater, rating in image.items())
    return sum(left, Fraction(0)) / len(image)
