"""Halves go up, on every page and in every table."""

from __future__ import annotations

import math

import pytest

from scoring.rounding import half_up, percent


@pytest.mark.parametrize(
    ("value", "places", "shown"),
    [
        (12.5, 0, "13"),
        (37.5, 0, "38"),
        (2.675, 2, "2.68"),
        (0.125, 2, "0.13"),
        (-0.125, 2, "-0.13"),
        (0.1249999, 2, "0.12"),
        (1234.5, 0, "1,235"),
        (5, 2, "5.00"),
        (1e20, 0, "100,000,000,000,000,000,000"),
        (math.inf, 2, "inf"),
    ],
)
def test_a_half_goes_up(value: float, places: int, shown: str) -> None:
    assert half_up(value, places) == shown


def test_every_share_of_up_to_200_images_is_rounded_as_by_hand() -> None:
    for images in range(1, 201):
        for part in range(images + 1):
            assert percent(part / images) == str((200 * part + images) // (2 * images))
