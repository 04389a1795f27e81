"""The drawn body: every part inside its box, dots inside their part."""

from __future__ import annotations

import re

import pytest

from analysis.figures.maps.shapes import ANCHORS, HEIGHT, OUTLINES, WIDE, WIDTH, dots, label, symbol
from scoring.grid.taxonomy import BODY_PARTS


def points(path: str) -> list[tuple[float, float]]:
    return [(float(x), float(y)) for x, y in re.findall(r"([-\d.]+) ([-\d.]+)", path)]


def box(part: str) -> tuple[float, float, float, float]:
    xs, ys = zip(*points(OUTLINES[part]), strict=True)
    return min(xs), min(ys), max(xs), max(ys)


def test_every_body_part_is_drawn_once() -> None:
    assert sorted(OUTLINES) == sorted(ANCHORS) == sorted(BODY_PARTS)
    assert list(OUTLINES)[-2:] == ["torso", "face"], "what covers the others is painted last"


@pytest.mark.parametrize("part", BODY_PARTS)
def test_a_part_lies_in_the_box_and_is_symmetric(part: str) -> None:
    left, top, right, bottom = box(part)
    assert (left >= 0, top >= 0, right <= WIDTH, bottom <= HEIGHT) == (True,) * 4
    assert left + right == pytest.approx(WIDTH, abs=0.05)
    x, y = ANCHORS[part]
    assert (left <= x <= right, top <= y <= bottom) == (True, True)


@pytest.mark.parametrize("part", BODY_PARTS)
def test_dots_lie_in_their_part_and_apart(part: str) -> None:
    left, top, right, bottom = box(part)
    places = list(dots(part, 40))
    assert len(set(places)) == 40
    assert all(left <= x <= right and top <= y <= bottom for x, y in places)
    assert places == list(dots(part, 60))[:40], "a figure with more dots keeps the first ones"


def test_a_symbol_is_two_high_around_its_centre() -> None:
    assert points(symbol("face"))[0] == pytest.approx((0, (8 - 125) / 125), abs=1e-3)
    assert all(abs(x) <= 1 and abs(y) <= 1 for part in BODY_PARTS for x, y in points(symbol(part)))


def test_labels_stand_beside_the_body() -> None:
    assert label("hands").left < label("face").left < WIDE
    assert all(0 < label(part).title < label(part).value < HEIGHT for part in BODY_PARTS)
