"""Every figure: valid, described, with its numbers beside it, and drawn without a network."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import cache
from typing import Any

import altair
import pytest

from analysis.figures.data_table import figure_csv
from analysis.figures.drawing import NothingToDraw, png, svg
from analysis.figures.figure import Figure
from analysis.figures.generic import figure, figures
from analysis.figures.themes import PALETTES
from tests.analysis.figures.conftest import results, stored
from tests.analysis.stats.conftest import rated
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


@pytest.mark.parametrize("look", sorted(PALETTES))
@pytest.mark.thorough
def test_files_are_drawn(look: str) -> None:
    found = made()["generators-intervals"]
    text = svg(found, look)
    assert text.startswith("<svg")
    assert all(word in text for word in ("alpha", "beta", "Means of images with 95% intervals"))
    assert f'fill="{PALETTES[look].ground}"' in text
    assert png(text).startswith(b"\x89PNG")


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


@pytest.mark.parametrize("kind", SLUGS)
def test_nothing_at_all_is_refused_in_words(kind: str) -> None:
    for one in figures(stored(kind, [])):
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
