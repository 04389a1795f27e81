"""Every figure: valid, described, with its table's numbers, and drawn as a file without a network."""

from __future__ import annotations

import json
from functools import cache
from xml.etree import ElementTree

import altair
import pytest

from analysis.figures.data_table import figure_csv
from analysis.figures.drawing import NothingToDraw, svg
from analysis.figures.drawing_process import draw_in_child
from analysis.figures.figure import Figure
from analysis.figures.generic import figure, figures
from analysis.protocols.realism.comparison import realism_comparison
from tests.analysis.figures.conftest import results, stored
from tests.analysis.protocols.realism.making import WORKED
from tests.analysis.protocols.realism.making import rated as realism
from tests.analysis.stats.conftest import rated
from tests.analysis.stats.generic.making import rows_of

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


def test_bars_are_those_of_the_table_in_a_panel_for_each_generator() -> None:
    result = json.loads(json.dumps(realism_comparison(realism(WORKED, generators=["gA", "gB"] * 3))))
    found = figure(result, "distribution-histogram")
    assert found is not None
    counts = {(row["panel"], row["from"]): row["count"] for row in found.rows if row["count"]}
    steps = rows_of(result, "distribution")
    assert counts == {
        (name, row["from"]): row[f"generator {name}"]
        for name in ("gA", "gB")
        for row in steps
        if row[f"generator {name}"]
    }
    # 3.5 and 6.5 of gA, 9, 8 and 2 of gB.
    assert [sum(row["count"] for row in found.rows if row["panel"] == name) for name in ("gA", "gB")] == [
        2,
        3,
    ]
    altair.Chart.from_dict(found.spec())
    assert "<svg" in svg(found)


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
