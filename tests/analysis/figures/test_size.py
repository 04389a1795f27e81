"""The place that a page keeps free for a figure is the one it takes."""

from __future__ import annotations

import re

import pytest
import vl_convert

from analysis.figures.drawing import VEGA_LITE
from analysis.figures.figure import Figure, nothing
from analysis.figures.generic import figure, figures
from analysis.figures.size import Size, size_of
from analysis.figures.themes import theme
from tests.analysis.figures.conftest import results, stored
from tests.analysis.stats.conftest import rated

PARTS = 8


def drawn(found: Figure) -> tuple[float, float]:
    """Width and height at which a page draws it."""
    spec = found.spec(titled=False)
    svg = vl_convert.vegalite_to_svg(spec, vl_version=VEGA_LITE, config=theme("light"), allowed_base_urls=[])
    size = re.search(r'width="([\d.]+)" height="([\d.]+)"', svg)
    assert size is not None
    return float(size[1]), float(size[2])


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.few(1)
def test_the_place_kept_free_is_the_one_it_takes(part: int) -> None:
    """Its height to 12 pixels, which is what moves the page; its width matters where it is shrunk to fit."""
    every = [made for kind, result in results().items() for made in figures(result)]
    assert len(every) > PARTS
    for found in every[part::PARTS]:
        width, height = drawn(found)
        size = size_of(found)
        assert size.height == pytest.approx(height, abs=12), found.slug
        assert size.width == pytest.approx(width, rel=0.16), found.slug


@pytest.mark.parametrize("prompts", [2, 9])
@pytest.mark.few(1)
def test_the_place_grows_with_the_rows(prompts: int) -> None:
    rows = [
        rated(
            place,
            "annotator-a",
            {"missing.face": f"1/{place % 4 + 1}c"},
            generator="ab"[place % 2],
            prompt=f"prompt {place % prompts}",
        )
        for place in range(6 * prompts)
    ]
    result = stored("comparison", rows)
    found = figure(result, "prompts-intervals")
    assert found is not None
    assert size_of(found).height == pytest.approx(drawn(found)[1], abs=12)


def test_what_is_not_drawn_takes_no_place() -> None:
    assert size_of(nothing("ladder", "Ladder", "too few: 1 image")) == Size(0, 0)
