"""Rectangles: which are refused, and how they grow."""

from __future__ import annotations

import pytest

from annotator.faces.rectangles import MOST, InvalidRectangle, Rectangle, checked


def test_rectangles_are_stored_in_order_without_duplicates() -> None:
    found = checked([(5, 1, 2, 2), (0, 0, 1.5, 2), (5, 1, 2, 2)], 10, 10)
    assert found == [[0, 0, 1.5, 2], [5, 1, 2, 2]]
    assert checked([(0, 0, 10, 10)], 10, 10) == [[0, 0, 10, 10]]


@pytest.mark.parametrize(
    ("rectangle", "code"),
    [
        ((float("nan"), 0, 1, 1), "not-a-number"),
        ((10**400, 0, 1, 1), "not-a-number"),
        ((0, 0, float("inf"), 1), "not-a-number"),
        ((-1, 0, 2, 2), "outside"),
        ((0, -0.5, 2, 2), "outside"),
        ((9, 9, 2, 1), "outside"),
        ((0, 0, 1e308, 5), "outside"),
        ((0, 0, 1, 10.01), "outside"),
        ((0, 0, 0, 5), "too-small"),
        ((0, 0, 5, -5), "too-small"),
    ],
)
def test_an_impossible_rectangle_is_refused(rectangle: tuple[float, ...], code: str) -> None:
    with pytest.raises(InvalidRectangle) as refused:
        checked([(1, 1, 2, 2), rectangle], 10, 10)
    assert refused.value.code == code


def test_too_many_rectangles_are_refused() -> None:
    assert len(checked([(n, 0, 1, 1) for n in range(MOST)], 100, 10)) == MOST
    with pytest.raises(InvalidRectangle) as refused:
        checked([(n, 0, 1, 1) for n in range(MOST + 1)], 100, 10)
    assert refused.value.code == "too-many"


def test_a_rectangle_grows_by_15_percent_on_each_side_inside_the_image() -> None:
    assert Rectangle(60, 60, 80, 40).enlarged(200, 200) == (48, 54, 152, 106)
    assert Rectangle(0, 60, 80, 130).enlarged(200, 200) == (0, 40, 92, 200)
    assert Rectangle(2, 4, 6, 8).scaled(0.5, 2) == (1, 8, 3, 16)
