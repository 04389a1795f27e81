"""Biases of raters in exact fractions: the worked table, and who shares no image."""

from __future__ import annotations

from fractions import Fraction

import pytest

from scoring.biases import adjusted_mean, biases_of, centred

WORKED = [
    dict(zip("abcde", ratings, strict=True))
    for ratings in ((2, 1, 3, 2, 4), (9, 8, 10, 9, 9), (5, 4, 6, 5, 7), (8, 7, 9, 6, 8))
]
"""Images 1 to 4 of the worked table."""


def test_the_worked_table() -> None:
    tenths = {"a": -1, "b": -11, "c": 9, "d": -6, "e": 9}
    assert biases_of(WORKED) == {rater: Fraction(tenth, 10) for rater, tenth in tenths.items()}


def test_biases_are_taken_from_the_ratings() -> None:
    biases = biases_of(WORKED)
    # All five rated the image, and their biases sum to 0.
    assert adjusted_mean(WORKED[0], biases) == Fraction(12, 5)
    assert adjusted_mean({"b": 4, "d": 6}, biases) == Fraction(10 + Fraction(17, 10)) / 2


def test_biases_are_centred_for_realism_only() -> None:
    biases = biases_of([{"a": 1, "b": 3}, {"a": 2, "c": 2}])
    assert biases == {"a": Fraction(-1, 2), "b": Fraction(1), "c": Fraction(0)}
    assert centred(biases) == {"a": Fraction(-2, 3), "b": Fraction(5, 6), "c": Fraction(-1, 6)}
    assert centred({}) == {}


def test_who_shares_no_image_has_no_bias() -> None:
    images = [{"a": 5, "b": 6}, {"c": 9}]
    biases = biases_of(images)
    assert biases == {"a": Fraction(-1, 2), "b": Fraction(1, 2)}
    assert adjusted_mean(images[1], biases) == 9
    assert biases_of([]) == {}


def test_no_ratings_have_no_mean() -> None:
    with pytest.raises(ZeroDivisionError):
        adjusted_mean({}, {})
