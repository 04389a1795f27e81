"""The figures of cells: where annotators agree, and where the errors lie."""

from __future__ import annotations

import pytest

from analysis.figures.figure import Figure
from analysis.figures.generic import figure, figures
from analysis.figures.maps import body
from tests.analysis.figures.conftest import results, stored
from tests.analysis.stats.conftest import rated


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


def test_more_generators_than_fit_are_in_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(body, "GENERATORS", 1)
    found = body_map()
    assert len({row["generator"] for row in found.drawn["parts"]}) == 1
    assert len({row["generator"] for row in found.rows}) == 2
    assert found.note.endswith("The 1 of 2 generators with the most annotations; the table has all.")


def test_without_errors_none_are_drawn() -> None:
    found = {each.slug: each.refused for each in figures(stored("comparison", [rated(1, "ada", {})]))}
    assert found["error_types-shares"] == found["body_parts-shares"] == "no errors were marked"
    assert "cells-map" not in found
