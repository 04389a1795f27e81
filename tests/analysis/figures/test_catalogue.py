"""Every figure: valid, described, with its numbers beside it, and drawn without a network."""

from __future__ import annotations

import copy
import json
import subprocess
import sys
from functools import cache
from typing import Any

import altair
import pytest

from analysis.figures.data_table import figure_csv
from analysis.figures.drawing import NothingToDraw, svg
from analysis.figures.figure import Figure
from analysis.figures.generic import figure, figures
from tests.analysis.figures.conftest import results, stored
from tests.analysis.stats.conftest import rated
from tests.analysis.stats.generic.making import rows_of
from tests.test_architecture import ROOT

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


@every
def test_named_data_is_there(slug: str) -> None:
    """Vega draws an unknown name as nothing, silently."""
    found = made()[slug]
    assert set(_data_names(found.view)) == set(found.drawn)


def _data_names(view: Any) -> list[str]:
    if isinstance(view, list):
        return [name for part in view for name in _data_names(part)]
    if not isinstance(view, dict):
        return []
    own = [view["data"]["name"]] if "data" in view else []
    return own + [name for value in view.values() for name in _data_names(value)]


@pytest.mark.thorough
def test_every_figure_draws_its_marks() -> None:
    """Compiled and run: no figure is an empty frame, no word is left undefined."""
    for slug, found in made().items():
        text = svg(found)
        assert text.count("<path") + text.count("<rect") + text.count("<line") > 10, slug
        assert "undefined" not in text, slug
        assert "NaN" not in text, slug


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


def test_the_web_may_build_figures() -> None:
    program = (
        "import sys; import analysis.figures.generic;"
        "print({'numpy', 'pandas', 'scipy', 'altair', 'vl_convert', 'django'} & set(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "set()"


@pytest.mark.parametrize("slug", ["error_types-shares", "body_parts-shares"])
def test_bars_of_severities_hold_all_marks(slug: str) -> None:
    result = results()["comparison"]
    found = figure(result, slug)
    assert found is not None
    for severity, letter in (("mild", "a"), ("moderate", "b"), ("severe", "c")):
        whole = sum(row["images"] * row[letter] for row in rows_of(result, "generators")) / 48
        assert sum(row[severity] for row in found.rows) == pytest.approx(whole)
        drawn = [row["sum"] for row in found.drawn["sums"] if row["severity"] == severity]
        assert sum(drawn) == pytest.approx(whole)


def test_maps_of_estimates_hold_the_numbers_of_their_tables() -> None:
    result = results()["agreement"]
    for slug, label in (("by_cell", "body_part"), ("ladder", "part")):
        found = figure(result, {"by_cell": "cell-alphas"}.get(slug, slug))
        assert found is not None
        rows = rows_of(result, slug)
        expected = [
            (row[label], each["value"]) for row in rows for each in row.values() if isinstance(each, dict)
        ]
        assert [(row["name"], row["value"]) for row in found.rows] == expected


@pytest.mark.parametrize("deepest", [-0.31, -0.8, -1.64])
def test_the_axis_of_pair_alphas_holds_every_interval(deepest: float) -> None:
    made = copy.deepcopy(results()["agreement"])
    pairs = next(table for table in made["tables"] if table["name"] == "pairs")
    pairs["rows"][1][2] |= {"value": deepest + 0.5, "low": deepest, "high": 0.9}
    found = figure(made, "pair-alphas")
    assert found is not None
    start, end = found.view["spec"]["layer"][-1]["encoding"]["x"]["scale"]["domain"]
    ends = [
        row[key]
        for row in found.drawn["estimates"]
        for key in ("low", "value", "high")
        if row[key] is not None
    ]
    assert (min(ends) <= deepest, max(ends) <= end) == (True, True)
    assert min(ends) - 0.1 < start <= min(ends)


def body_map() -> Figure:
    found = figure(results()["comparison"], "cells-map")
    assert found is not None
    return found


def test_the_body_map_has_six_bodies_for_each_generator() -> None:
    found = body_map()
    assert len(found.rows) == 2 * 6 * 5
    assert [row["body_part"] for row in found.rows[:5]] == ["Torso", "Limbs", "Feet", "Hands", "Face"]
    shares = [row["share"] for row in found.rows[:5]]
    assert sum(shares) == pytest.approx(1)
    assert {row["label"] for row in found.drawn["parts"] if row["marked"] < 5} == {"–"}
    parts = [layer["transform"][0]["filter"]["equal"] for layer in found.view["spec"]["layer"][:-1]]
    assert parts[-2:] == ["torso", "face"]
