"""People of an image: one number from several counts, and its band."""

from __future__ import annotations

import pytest

from scoring.people import BANDS, band_of, people_of


@pytest.mark.parametrize(
    ("counts", "people"), [([], None), ([3], 3), ([1, 2], 2), ([2, 1, 9], 2), ([1, 1, 2, 5], 2), ([1, 4], 4)]
)
def test_the_median_takes_the_higher_of_two(counts: list[int], people: int | None) -> None:
    assert people_of(counts) == people


def test_every_number_has_one_band() -> None:
    assert [band_of(people) for people in (1, 2, 3, 4, 5, 99)] == ["1", "2", "3–4", "3–4", "5+", "5+"]
    assert list(BANDS) == ["1", "2", "3–4", "5+"]
