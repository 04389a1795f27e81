"""Which marks of the figures open which images."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl

import pytest

from analysis.figures.generic import figure, figures
from analysis.web.views.figures import LINK, linked
from annotator.gallery.filters import read_filter
from scoring.anatomy.protocol import ANATOMY
from tests.analysis.figures.conftest import COMPUTED, results


def links(result: Mapping[str, Any], slug: str, data: str) -> list[str]:
    found = figure(result, slug)
    assert found is not None
    return [row[LINK] for row in linked(found).drawn[data]]


def test_what_bars_points_and_tiles_open() -> None:
    def of_comparison(slug: str, data: str) -> list[str]:
        return links(results()["comparison"], slug, data)

    assert of_comparison("error_types-shares", "sums")[:3] == [
        "type=missing&severity=a",
        "type=missing&severity=b",
        "type=missing&severity=c",
    ]
    assert of_comparison("distribution-histogram", "bins")[1] == "generator=alpha&score_min=0.5&score_max=1"
    assert of_comparison("differences-intervals", "estimates") == ["generator=alpha&generator=beta"]
    assert set(of_comparison("prompts-intervals", "estimates")) == {
        *("prompt=jogging", "prompt=hugging", "prompt=volleyball")
    }
    assert {"generator=beta&part=torso", "generator=alpha&cell=extra.face"} <= set(
        of_comparison("cells-map", "parts")
    )
    pairs = links(results()["agreement"], "pair-alphas", "estimates")
    assert "disagreement=1&annotator=ada&annotator=bo" in pairs


@pytest.mark.parametrize("kind", COMPUTED)
def test_every_mark_opens_a_gallery_that_understands_it(kind: str) -> None:
    checked = 0
    for made in figures(results()[kind]):
        for rows in linked(made).drawn.values():
            for row in rows:
                given: dict[str, list[str]] = {}
                for name, value in parse_qsl(row[LINK]):
                    given.setdefault(name, []).append(value)
                kept, problems = read_filter(given, ANATOMY)
                assert (bool(kept), problems) == (True, []), (made.slug, row)
                checked += 1
    assert checked


def test_the_files_of_a_figure_have_no_links() -> None:
    for kind in COMPUTED:
        assert all(
            LINK not in row
            for made in figures(results()[kind])
            for rows in made.drawn.values()
            for row in rows
        )
