"""From exact ratings to frames of anatomy and of any protocol; one row per image."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from analysis.stats.comparison.generic import comparison
from analysis.stats.frames import RatedAnnotation, build_frame
from analysis.stats.generic.across import across
from analysis.stats.generic.stages import Stages, stages
from analysis.stats.generic.tables import rows_of
from analysis.stats.generic.values import build_values
from analysis.stats.overall_severity import UNKNOWN, certain_bands, group_quantiles, severity_bands
from scoring.presence.protocol import PRESENCE
from tests.analysis.protocols.realism.making import rated as realism
from tests.analysis.stats.conftest import framed, rated
from tests.analysis.stats.generic.making import presence

# The manual's worked example, 67/60.
EXAMPLE = {
    "missing.face": "2/2a",
    "missing.limbs": "1/4c",
    "configuration.hands": "1/3c,1/3b",
    "missing.hands": "1/3b",
}


def test_the_worked_example() -> None:
    frame = framed(rated(7, "ada", EXAMPLE, generator="x", number=3))
    assert frame.scores.tolist() == [float(Fraction(67, 60))]
    marks = frame.marks
    found = list(zip(marks.cell.tolist(), marks.severity.tolist(), marks.fraction.tolist(), strict=True))
    assert found == [(1, 2, 1 / 4), (3, 1, 1 / 3), (4, 0, 1.0), (13, 1, 1 / 3), (13, 2, 1 / 3)]
    assert np.flatnonzero(frame.cells[0]).tolist() == [1, 3, 4, 13]
    assert frame.weights.tolist() == [0.2, 0.5, 1.0]
    assert frame.annotations.iloc[0].to_dict() == {
        "image": 7,
        "annotator": "ada",
        "generator": "x",
        "prompt": "p",
        "prompt_group": "pair",
        "batch": "batch 1",
        "number": 3,
        "annotation": 0,
        "cumulative_score": 67 / 60,
    }


def test_equal_scores_are_equal_floats() -> None:
    frame = framed(
        rated(1, "ada", {"missing.face": "1/2b", "missing.feet": "1/3c"}),
        rated(2, "ada", {"extra.face": "1/3c", "extra.limbs": "5/8a", "proportion.limbs": "1/8c"}),
    )
    assert frame.scores[0] == frame.scores[1] == float(Fraction(7, 12))


def test_scores_of_other_weights_are_made_again_exactly() -> None:
    row = rated(1, "ada", {"missing.face": "1/3a", "missing.feet": "1/7c"})
    frame = build_frame(
        [row, rated(2, "ada", {})], {"a": Fraction(1), "b": Fraction(1, 2), "c": Fraction(1, 4)}
    )
    assert frame.scores.tolist() == [float(Fraction(1, 3) + Fraction(1, 28)), 0.0]


def test_the_same_image_twice_by_one_annotator_is_refused() -> None:
    with pytest.raises(ValueError, match="image 4 by ada occurs twice"):
        framed(rated(4, "ada", {}), rated(5, "ada", {}), rated(4, "ada", {}))


def row(*ratings: list[str], image: int = 7, annotator: str = "B") -> RatedAnnotation:
    return RatedAnnotation(image, annotator, "alpha", "hugging", "pair", "pilot", ratings)


@pytest.mark.parametrize(
    ("ratings", "message"),
    [
        ([["cells_marked", "", "1"], ["beauty", "", "1"]], "has no variable 'beauty' of ''"),
        ([["cells_marked", "", "1"], ["presence", "extra.ears", "1"]], "variable 'presence' of 'extra.ears'"),
        ([["presence", "extra.hands", "1"]], "no value of 'cells_marked'"),
    ],
)
def test_what_the_protocol_does_not_know_is_refused_by_name(ratings: list[list[str]], message: str) -> None:
    with pytest.raises(ValueError, match=r"^image 7 by B: ") as refused:
        build_values([row(*ratings)], PRESENCE)
    assert message in str(refused.value)


TABLE = {"a": "2 9 x 4 6 7 x", "b": "3 x 5 4 7 7 x", "c": "2 8 5 5 6 8 x"}


def test_means_are_of_the_values_there_are() -> None:
    (row,) = rows_of(comparison(realism(TABLE)), "generators")
    means = [7 / 3, 8.5, 5, 13 / 3, 19 / 3, 22 / 3]
    assert (row["annotations"], row["images"]) == (16, 6)
    assert row["mean"]["value"] == pytest.approx(np.mean(means))


def test_other_reports_leave_out_images_without_a_value() -> None:
    other = presence([(image, "a", "extra.face" if image % 2 else "") for image in range(1, 8)])
    (row,) = rows_of(across(realism(TABLE), [other]), "across")
    assert row["images"] == 6
    result = stages(Stages(realism(TABLE), other, None))
    assert {row["images"]: row["count"] for row in rows_of(result, "images")}["annotated in both stages"] == 6


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("quantile", [0.5, 0.75])
def test_quantiles_equal_numpys_to_the_last_bit(seed: int, quantile: float) -> None:
    rng = np.random.default_rng(seed)
    groups = np.concatenate([np.arange(9), rng.integers(0, 9, 120)])
    values = np.round(rng.exponential(1.3, len(groups)), rng.integers(1, 17))
    expected = [np.quantile(values[groups == group], quantile) for group in range(9)]
    assert group_quantiles(values, groups, quantile).tolist() == expected


def test_the_bounds_belong_to_the_lower_band() -> None:
    values = np.array([0.0, 1.0, 2.0, 3.0, 4.0])
    assert severity_bands(values, np.zeros(5, dtype=np.int64)).tolist() == [0, 0, 0, 1, 2]


def test_few_scores_make_no_bands() -> None:
    """Seven scores are too few; the eight of the other annotator are banded among themselves."""
    groups = np.array([0] * 7 + [1] * 8)
    bands, sizes = certain_bands(np.arange(15.0), groups)
    assert bands.tolist() == [UNKNOWN] * 7 + [0, 0, 0, 0, 1, 1, 2, 2]
    assert sizes.tolist() == [7] * 7 + [8] * 8
