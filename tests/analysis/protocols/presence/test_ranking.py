"""Ranking of presence by the marked cells: two generators on three prompts, worked by hand."""

from __future__ import annotations

from math import sqrt
from typing import Any

import pytest

from analysis.protocols.registry import numbers_of
from analysis.stats.building import RatedAnnotation
from analysis.stats.generic.values import ValuesFrame, build_values, values_of
from analysis.tables.generic import result_findings, result_methods
from scoring.grid.taxonomy import CELLS
from scoring.presence.protocol import PRESENCE, clean
from tests.analysis.stats.generic.making import rows_of

WORKED = [
    *((1, "A", "gA", "p1", 1), (1, "B", "gA", "p1", 0), (2, "A", "gA", "p2", 3), (3, "B", "gA", "p3", 4)),
    *((4, "A", "gB", "p1", 1), (5, "B", "gB", "p1", 2), (6, "A", "gB", "p2", 1), (7, "B", "gB", "p3", 3)),
]
"""Image, annotator, generator, prompt, number of cells: means by prompt 0.5, 3, 4 and 1.5, 1, 3."""
T_2 = 0.95 * sqrt(2 / (1 - 0.95**2))
"""The 97.5% quantile of Student's t with 2 degrees of freedom, in closed form: 4.3027."""


def rated(cells: int) -> list[list[str]]:
    payload = {"cells": [cell.key for cell in CELLS[:cells]], "no_errors": not cells}
    return [list(map(str, rating)) for rating in PRESENCE.ratings(clean(payload), {})]


def frame() -> ValuesFrame:
    rows = [
        RatedAnnotation(image, who, generator, prompt, "individual", "pilot", rated(cells), image, image)
        for image, who, generator, prompt, cells in WORKED
    ]
    return build_values(rows, PRESENCE)


def ranked(**settled: Any) -> dict[str, Any]:
    return dict(numbers_of("presence").computation("ranking")(frame(), **settled))


def test_fewer_marked_cells_are_better() -> None:
    result = ranked()
    first, second = rows_of(result, "generators")
    assert [(row["generator"], row["prompts"], row["images"]) for row in (first, second)] == [
        *(("gB", 3, 4), ("gA", 3, 3))
    ]
    assert first["mean"]["value"] == pytest.approx(11 / 6, abs=1e-12)
    assert second["mean"]["value"] == 2.5
    # Of 0.5, 3 and 4 the squares about their mean sum to 6.5.
    half = T_2 * sqrt(6.5 / 2 / 3)
    assert half > 2.5  # cut at 0
    assert [second["mean"][key] for key in ("low", "high")] == pytest.approx([0, 2.5 + half], abs=1e-12)
    assert result["ranking"] == {
        "title": "Cells marked",
        "higher_is_better": False,
        "prompts": 3,
        "images": 7,
        "resamples": 27,
        "drawn": 27,
        "exact": True,
    }
    assert "lower values are better" in result_methods(result)


def test_differences_are_paired_over_prompts() -> None:
    """−1, 2 and 1: mean 2/3, variance 7/3, so t = 2/√7; with 2 degrees of freedom p = 1 − t/√(2 + t²)."""
    (test,) = rows_of(ranked(), "generator_comparisons")
    half = T_2 * sqrt(7) / 3
    assert (test["a"], test["b"], test["prompts_shared"], test["a_lower"], test["b_lower"]) == (
        "gA",
        "gB",
        3,
        1,
        2,
    )
    found = [test["difference"][key] for key in ("value", "low", "high")]
    assert found == pytest.approx([2 / 3, 2 / 3 - half, 2 / 3 + half], abs=1e-12)
    assert (test["t"], test["df"]) == (pytest.approx(2 / sqrt(7), abs=1e-12), 2)
    assert [test["p"], test["p_holm"]] == pytest.approx([1 - 2 / sqrt(18)] * 2, abs=1e-12)


def test_ranks_are_those_of_all_27_resamples() -> None:
    """The differences of three prompts drawn sum to less than 0 in 4 resamples, to 0 in 3, to more in 20."""
    shares = {row["generator"]: [row["rank 1"], row["rank 2"]] for row in rows_of(ranked(), "ranks")}
    assert shares == {
        "gB": pytest.approx([23 / 27, 4 / 27], abs=1e-12),
        "gA": pytest.approx([7 / 27, 20 / 27], abs=1e-12),
    }
    bounds = [(row["rank_from"], row["rank_to"]) for row in rows_of(ranked(), "generators")]
    assert bounds == [(1, 2), (1, 2)]
    assert [found.kind for found in result_findings(ranked())] == ["note", "open"]


def test_an_adjudicated_image_has_its_adjudicated_number() -> None:
    """One cell instead of four on the third prompt: the mean of 0.5, 3 and 1 is 1.5, now the lower one."""
    result = ranked(adjudicated={3: values_of(rated(1), PRESENCE)})
    assert [(row["generator"], row["mean"]["value"]) for row in rows_of(result, "generators")] == [
        ("gA", 1.5),
        ("gB", pytest.approx(11 / 6, abs=1e-12)),
    ]
