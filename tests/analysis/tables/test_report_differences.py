"""The main numbers of two reports side by side, by name."""

from __future__ import annotations

from typing import Any

from analysis.models import Report
from analysis.tables.report_differences import main_estimates, side_by_side


def estimate(value: float) -> dict[str, Any]:
    return {"value": value, "low": value - 1, "high": value + 1, "refused": None}


def texts(**result: Any) -> dict[str, str]:
    return {name: str(found) for name, found in main_estimates(Report(result=result)).items()}


def test_a_comparison_has_differences_between_generators() -> None:
    generators = [
        {"generator": "g", "mean": 2.0, "image_mean": estimate(1.5)},
        {"generator": "", "mean": 1, "image_mean": estimate(0.5)},
    ]
    pairs = [{"a": "g", "b": "", "difference": estimate(1.0)}]
    annotators = [{"annotator": "ann1", "mean": 2.0, "image_mean": estimate(2.0)}]
    found = texts(generators=generators, generator_comparisons=pairs, annotators=annotators)
    assert found == {
        "Mean score, g": "2.000",
        "Mean score, (none)": "1.000",
        "Mean per image, g": "1.500 [0.500, 2.500]",
        "Mean per image, (none)": "0.500 [−0.500, 1.500]",
        "Difference per image, g minus (none)": "1.000 [0.000, 2.000]",
    }


def test_annotators_have_levels() -> None:
    entry = {"annotator": "ann1", "level": estimate(2.0), "against_others": estimate(-1.0)}
    assert texts(annotators=[entry]) == {
        "Mean score, ann1": "2.000 [1.000, 3.000]",
        "Score against others, ann1": "−1.000 [−2.000, 0.000]",
    }


def test_a_changed_level_is_told() -> None:
    before, after = (
        Report(result={"annotators": [{"annotator": "ann1", "level": estimate(value)}]})
        for value in (2.0, 1.5)
    )
    (found,) = side_by_side(before, after)
    assert (found.name, found.difference, found.changed) == ("Mean score, ann1", "−0.500", True)
