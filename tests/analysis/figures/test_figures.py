"""Every figure: valid, described, with its numbers as a table, and drawn as a file without a network."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any
from xml.etree import ElementTree

import altair
import numpy as np
import pytest

from analysis.figures.data_table import figure_csv
from analysis.figures.drawing import NothingToDraw, svg
from analysis.figures.drawing_process import draw_in_child
from analysis.figures.figure import Figure
from analysis.figures.generic import figure, figures
from analysis.protocols.anatomy.agreement import anatomy_agreement as agreement
from analysis.protocols.anatomy.comparison import anatomy_comparison as comparison
from analysis.stats.frames import RatedAnnotation, RatingsFrame
from tests.analysis.stats.conftest import framed, rated

COMPUTED: Mapping[str, Callable[[RatingsFrame], object]] = {"agreement": agreement, "comparison": comparison}
PEOPLE = ("ada", "bo", "cy")
CELLS = ("missing.hands", "extra.limbs", "configuration.face", "orientation.feet", "proportion.torso")


def rows() -> list[RatedAnnotation]:
    """48 images of two generators and three prompts, every second one judged by two of three people."""
    rng = np.random.default_rng(11)
    made: list[RatedAnnotation] = []
    for image in range(48):
        for turn in range(1 + image % 2):
            cells = {
                cell: f"{rng.integers(1, 5)}/5{'abc'[rng.integers(3)]}"
                for cell in CELLS
                if rng.random() < 0.3 + 0.2 * (image % 3)
            }
            made.append(
                rated(
                    image,
                    PEOPLE[(image // 2 + turn) % 3],
                    cells,
                    generator=("alpha", "beta")[image % 4 // 2],
                    prompt=("jogging", "hugging", "volleyball")[image % 3],
                    prompt_group=("individual", "pair", "group")[image % 3],
                )
            )
    return made


@cache
def results() -> Mapping[str, Any]:
    """The three results by kind, as the database gives them back."""
    return {kind: stored(kind, rows()) for kind in COMPUTED}


def stored(kind: str, answers: list[RatedAnnotation]) -> Any:
    """A result that has been through JSON."""
    return json.loads(json.dumps(COMPUTED[kind](framed(*answers)), allow_nan=False))


SLUGS = {
    "agreement": ["agreement-intervals", "pair-alphas", "cell-alphas", "ladder"],
    "comparison": [
        *("generators-intervals", "differences-intervals", "distribution-histogram", "cells-map"),
        *("error_types-shares", "body_parts-shares", "prompt_groups-intervals", "prompts-intervals"),
    ],
}
every = pytest.mark.parametrize("slug", [slug for slugs in SLUGS.values() for slug in slugs])


@cache
def made() -> dict[str, Figure]:
    return {found.slug: found for kind in SLUGS for found in figures(results()[kind])}


def test_every_report_has_its_figures() -> None:
    assert {kind: [found.slug for found in figures(results()[kind])] for kind in SLUGS} == SLUGS


@every
@pytest.mark.few(5)
def test_a_figure_is_valid_and_described(slug: str) -> None:
    found = made()[slug]
    assert found.refused == ""
    altair.Chart.from_dict(found.spec(), validate=True)
    assert json.loads(json.dumps(found.spec(), allow_nan=False)) == found.spec()
    assert "title" not in found.spec(titled=False)
    assert found.title
    assert found.note.endswith(".")
    assert found.description.endswith(".")


@every
def test_what_is_drawn_has_its_table(slug: str) -> None:
    found = made()[slug]
    assert found.rows
    for column in found.columns:
        assert all(column.key in row for row in found.rows), column
        kind = (int, float, type(None)) if column.numeric else (str, type(None))
        assert all(isinstance(row[column.key], kind) for row in found.rows), column
    lines = figure_csv(found).split("\r\n")
    assert lines[0].split(",")[0] == found.columns[0].title.split(",")[0]
    assert len(lines) == len(found.rows) + 2


@pytest.mark.parametrize(
    ("kind", "refusals"),
    [
        ("comparison", {"differences-intervals": "there is nothing to compare"}),
        ("agreement", {"pair-alphas": "there is nothing to compare"}),
    ],
)
@pytest.mark.few(1)
@pytest.mark.slow  # every figure of a report
def test_one_answer_draws_what_can_be_drawn(kind: str, refusals: dict[str, str]) -> None:
    result = stored(kind, [rated(1, "ada", {"missing.face": "1/2c"})])
    found = {one.slug: one for one in figures(result)}
    for slug, reason in refusals.items():
        assert found[slug].refused == reason
        with pytest.raises(NothingToDraw, match=reason):
            svg(found[slug])
    for one in found.values():
        assert one.refused or svg(one)


def test_odd_names_are_drawn_as_they_are() -> None:
    names = ["a.b[0]", 'it\'s "x"', "</script>", ""]
    answers = [rated(k, "ada", {"missing.face": f"1/{k + 2}c"}, generator=names[k % 4]) for k in range(8)]
    found = figure(stored("comparison", answers), "generators-intervals")
    assert found is not None
    text = svg(found)
    assert all(name in text for name in ("a.b[0]", "&lt;/script&gt;", "(none)"))


VIEW = {
    "data": {"name": "rows"},
    "mark": "bar",
    "encoding": {"x": {"field": "name", "type": "nominal"}, "y": {"field": "value", "type": "quantitative"}},
}
# What XML cannot hold, and beside it what it can.
ODD = ("a\x00b", "c\x01\x08d", "e\x0b\x1ff", "g\ufffe\uffffh", "i\tj\u2028k", "\U0001f642 ü")
SHOWN = ("a\ufffdb", "c\ufffd\ufffdd", "e\ufffd\ufffdf", "g\ufffd\ufffdh", "\U0001f642 ü")


@pytest.mark.parametrize("form", ["svg", "png"])
def test_every_name_can_be_drawn_for_a_page(form: str) -> None:
    rows = [{"name": name, "value": 1} for name in ODD]
    figure = Figure("bars", "T\x01", note="N\x02", description="D\x03", drawn={"rows": rows}, view=VIEW)
    drawn = draw_in_child(figure, form)
    if form == "png":
        assert drawn.startswith(b"\x89PNG")
        return
    texts = {"".join(element.itertext()) for element in ElementTree.fromstring(drawn).iter()}
    assert {*SHOWN, "T\ufffd", "N\ufffd"} <= texts
