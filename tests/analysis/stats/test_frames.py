"""From exact ratings to a frame."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from analysis.stats.frames import RatedAnnotation, build_frame
from scoring.grid.severity_weights import DEFAULT_WEIGHTS
from tests.analysis.stats.conftest import framed, rated

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
    assert frame.fractions.shape == (1, 25, 3)
    assert frame.fractions[0, 4].tolist() == [1.0, 0.0, 0.0]
    assert frame.fractions[0, 13].tolist() == [0.0, 1 / 3, 1 / 3]
    assert np.flatnonzero(frame.cells[0]).tolist() == [1, 3, 4, 13]
    assert frame.cell_scores[0, 13] == pytest.approx(0.5)
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


def test_labels_and_codes() -> None:
    frame = framed(rated(9, "bo", {}), rated(4, "ada", {}), rated(9, "ada", {}))
    assert frame.labels("annotator") == ["ada", "bo"]
    assert frame.annotations["image"].tolist() == [4, 9, 9]
    assert frame.codes("annotator").tolist() == [0, 0, 1]
    assert frame.image_codes.tolist() == [0, 1, 1]


def test_a_column_divides_values_and_counts_annotators() -> None:
    cells = {"missing.hands": "1/3b,1/4c", "extra.face": "2/4a"}
    found = framed(
        rated(1, "ada", cells, generator="x"),
        rated(1, "bo", {}, generator="x"),
        rated(2, "ada", {}, generator="y"),
    )
    parts = found.parts("generator", np.array([1.0, 2.0, 3.0]))
    assert {label: values.tolist() for label, values in parts.items()} == {"x": [1.0, 2.0], "y": [3.0]}
    assert found.coders("generator").tolist() == [2, 1]
    assert list(found.marks.of(0)) == [(3, 1, 3, 1), (3, 1, 4, 2), (9, 2, 4, 0)]
    assert list(found.marks.of(1)) == []


def test_marks_keep_what_was_counted() -> None:
    frame = framed(rated(2, "ada", {"missing.limbs": "2/4c,1/4a"}), rated(1, "ada", {"extra.face": "1/1b"}))
    marks = frame.marks
    assert marks.row.tolist() == [0, 1, 1]
    assert marks.cell.tolist() == [9, 1, 1]
    assert marks.severity.tolist() == [1, 0, 2]
    assert marks.affected.tolist() == [1, 1, 2]
    assert marks.total.tolist() == [1, 4, 4]
    assert marks.fraction.tolist() == [1.0, 0.25, 0.5]


def test_sums_equal_those_of_the_table_of_fractions() -> None:
    frame = framed(
        rated(2, "ada", {"missing.limbs": "2/4c,1/4a", "extra.face": "1/3a"}),
        rated(3, "bo", {}),
        rated(1, "bo", EXAMPLE),
    )
    assert frame.cell_scores == pytest.approx(frame.fractions @ frame.weights, abs=1e-15)
    assert frame.severity_sums == pytest.approx(frame.fractions.sum(axis=1), abs=1e-15)
    assert frame.cells.tolist() == (frame.fractions > 0).any(axis=2).tolist()


def test_no_rows() -> None:
    frame = framed()
    assert len(frame) == 0
    assert frame.fractions.shape == (0, 25, 3)
    assert frame.cells.shape == (0, 25)


def test_the_same_image_twice_by_one_annotator_is_refused() -> None:
    with pytest.raises(ValueError, match="image 4 by ada occurs twice"):
        framed(rated(4, "ada", {}), rated(5, "ada", {}), rated(4, "ada", {}))


def test_unknown_components_are_refused() -> None:
    row = RatedAnnotation(
        1, "ada", "", "", "", "", [["cumulative_score", "", "0"], ["error_fraction", "missing.ears.a", "1/2"]]
    )
    with pytest.raises(ValueError, match=r"'missing\.ears\.a' is no cell and severity"):
        build_frame([row], DEFAULT_WEIGHTS)


def test_marks_of_a_payload_stand_in_for_error_fractions() -> None:
    marks = [
        {"type": "missing", "part": "limbs", "severity": "c", "affected": 2, "total": 4, "own_total": False},
        {"type": "extra", "part": "face", "severity": "b", "affected": 1, "total": 1},
    ]
    score = [("cumulative_score", "", "1")]
    one = framed(RatedAnnotation(1, "ada", "g", "p", "pair", "b", score, marks=marks))
    other = framed(rated(1, "ada", {"missing.limbs": "2/4c", "extra.face": "1/1b"}))
    assert one.scores.tolist() == other.scores.tolist() == [1.0]
    assert one.fractions.tolist() == other.fractions.tolist()
    assert one.marks.total.tolist() == [4, 1]


def test_a_mark_of_no_cell_is_refused() -> None:
    mark = {"type": "missing", "part": "ears", "severity": "a", "affected": 1, "total": 2}
    with pytest.raises(ValueError, match=r"'missing', 'ears', 'a'"):
        framed(RatedAnnotation(1, "A", "", "", "", "", [("cumulative_score", "", "0")], marks=[mark]))


def test_a_missing_score_is_refused() -> None:
    with pytest.raises(ValueError, match="image 1 by ada has no cumulative score"):
        build_frame([RatedAnnotation(1, "ada", "", "", "", "", [])], DEFAULT_WEIGHTS)
