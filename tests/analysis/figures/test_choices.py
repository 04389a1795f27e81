"""Which marks of the figures open which images."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl

import pytest

from analysis.figures.catalogue import BUILDERS, figure, figures
from analysis.figures.choices import LINK, linked
from annotator.gallery.filters import read_filter
from scoring.anatomy.protocol import ANATOMY
from tests.analysis.figures.conftest import results

# Lines for orientation stand for no images.
UNLINKED = {"zero", "bounds"}


def links(result: Mapping[str, Any], kind: str, slug: str, data: str) -> list[str]:
    found = figure(kind, result, slug)
    assert found is not None
    return [row[LINK] for row in linked(found).drawn[data]]


def test_what_bars_points_and_tiles_open() -> None:
    result = results()["comparison"]
    assert links(result, "comparison", "generator-severities", "sums")[:3] == [
        "generator=alpha&severity=a",
        "generator=alpha&severity=b",
        "generator=alpha&severity=c",
    ]
    crossed = links(result, "comparison", "prompt-error-type-severities", "sums")
    assert {"prompt=jogging&type=extra&severity=b"} <= set(crossed)
    first = figure("comparison", result, "scores").drawn["bins"][0]  # type: ignore[union-attr]
    assert links(result, "comparison", "scores", "bins")[0] == (
        f"score_min=0&score_max={first['to']:g}&of=annotation"
    )
    assert set(links(result, "comparison", "generator-differences", "differences")) == {
        "generator=alpha&generator=beta"
    }
    # The caption names the prompt group too; the link does not.
    prompts = {link.partition("&")[0] for link in links(result, "comparison", "prompt-scores", "shapes")}
    assert prompts == {"prompt=jogging", "prompt=hugging", "prompt=volleyball"}
    points = [link for link in links(result, "comparison", "generator-scores", "shapes") if "of=" in link]
    low, high = points[0].split("&")[1:3]
    assert low.removeprefix("score_min=") == high.removeprefix("score_max=")
    cells = links(results()["agreement"], "agreement", "cell-alphas", "cells")
    assert (len(set(cells)), cells[0]) == (25, "cell=missing.torso")


@pytest.mark.parametrize("kind", BUILDERS)
def test_every_mark_opens_a_gallery_that_understands_it(kind: str) -> None:
    checked = 0
    for made in figures(kind, results()[kind]):
        for data, rows in linked(made).drawn.items():
            for row in rows if data not in UNLINKED else ():
                given: dict[str, list[str]] = {}
                for name, value in parse_qsl(row[LINK]):
                    given.setdefault(name, []).append(value)
                kept, problems = read_filter(given, ANATOMY)
                assert (bool(kept), problems) == (True, []), (made.slug, row)
                checked += 1
    assert checked


def test_the_files_of_a_figure_have_no_links() -> None:
    for kind in BUILDERS:
        assert all(
            LINK not in row
            for made in figures(kind, results()[kind])
            for rows in made.drawn.values()
            for row in rows
        )
