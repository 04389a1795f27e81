"""The generators under three weightings."""

from __future__ import annotations

from typing import Any

import pytest

from analysis.stats.comparison.weights import under_weights
from analysis.stats.frames import RatingsFrame
from analysis.stats.images import image_table
from analysis.tables.comparison.weights import weights_line, weights_table
from tests.analysis.stats.conftest import framed, rated


def crossing() -> dict[str, Any]:
    """Four mild errors of one generator against 0.7 of a severe one; 0.8 and 0.7 under published weights."""
    mild = {f"{kind}.face": "1/1a" for kind in ("missing", "extra", "configuration", "orientation")}
    rows = [
        rated(1, "ada", mild, generator="x"),
        rated(2, "ada", {"missing.face": "7/10c"}, generator="y"),
    ]
    return {"weights": under_weights(image_table(framed(*rows)))}


def test_means_and_orders() -> None:
    result = crossing()
    assert result["weights"]["ranking"] == ["y", "x"]
    found = {
        row["weighting"]: [(entry["generator"], entry["mean"]) for entry in row["generators"]]
        for row in result["weights"]["rows"]
    }
    assert found == {
        "equal": [("y", pytest.approx(0.7)), ("x", pytest.approx(4))],
        "severe": [("x", 0), ("y", pytest.approx(0.7))],
        "published": [("y", pytest.approx(0.7)), ("x", pytest.approx(0.8))],
    }
    assert weights_line(result) == ("Which generator comes first depends on the weights", "3 weightings")
    texts = [[cell.text for cell in row] for row in weights_table(result).rows]
    assert texts[1] == ["Severe errors only", "0.00 / 0.00 / 1.00", "x 0.00, y 0.70"]


def test_one_generator_has_no_order() -> None:
    one = under_weights(image_table(framed(rated(1, "ada", {"missing.face": "1/2c"}, generator="x"))))
    assert one == {"ranking": ["x"], "rows": []}
    assert weights_line({"weights": one}) == ("One generator: nothing to rank", "")
    assert under_weights(image_table(framed())) == {"ranking": [], "rows": []}


@pytest.mark.study
def test_the_published_order_is_the_same_under_all_three(study_frame: RatingsFrame) -> None:
    result = {"weights": under_weights(image_table(study_frame))}
    assert result["weights"]["ranking"] == ["dall-e3", "stablecascade", "sdxl"]
    assert weights_line(result)[0] == "The order is the same under all three weightings"
