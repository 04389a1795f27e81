"""What an annotator is told after a training image."""

from __future__ import annotations

from fractions import Fraction

import pytest

from annotator.training.feedback import feedback_on, progress_by_annotator, training_progress
from annotator.training.references import explain_reference
from tests.annotator.training.making import Course, submit
from tests.factories import ANSWER

pytestmark = pytest.mark.django_db


def test_the_worked_example_is_shown_cell_by_cell(course: Course) -> None:
    row = course.batch().assignments.get(position=1)
    assert feedback_on(row) is None
    submit(row, ANSWER)
    row.refresh_from_db()
    found = feedback_on(row)
    assert found is not None
    assert (found.own_score, found.reference_score) == (Fraction(53, 60), Fraction(67, 60))
    assert [cell.key for cell in found.matching] == ["missing.limbs"]
    assert [
        (cell.number, cell.key, cell.own, cell.reference, cell.words, cell.rationale)
        for cell in found.differing
    ] == [
        (1, "missing.hands", "1/4c", "1/3b", "Total and severity differ", ""),
        (2, "missing.face", "", "2/2a", "You missed this", "The mouth is missing in both faces."),
        (3, "configuration.hands", "1/3c", "1/3b, 1/3c", "Count and severity differ", ""),
        (4, "proportion.limbs", "1/4a", "", "Not in the reference", ""),
    ]
    assert found.differing[2].sides == [
        ("You", [("1/3c", "c")]),
        ("Ref.", [("1/3b", "b"), ("1/3c", "c")]),
    ]


def test_progress_pools_the_latest_pass(course: Course) -> None:
    batch = course.batch()
    first, second = batch.assignments.order_by("position")
    submit(first, ANSWER)
    progress = training_progress(first)
    assert (progress.done, progress.total) == (1, 2)
    assert (progress.found, progress.marked, progress.alone) == (3, 4, 1)
    submit(second, [("extra.face", "1/1a")])
    again = progress_by_annotator(batch, [course.ada.pk])[course.ada.pk]
    assert (again.done, again.found, again.marked, again.alone) == (2, 3, 4, 2)


def test_a_cell_that_is_not_in_the_reference_has_its_rationale_too(course: Course) -> None:
    why = {"proportion.limbs": "The arm is short because it points to the camera."}
    explain_reference(reference=course.references[0], rationales=why, actor=course.actor)
    row = course.batch().assignments.get(position=1)
    submit(row, ANSWER)
    row.refresh_from_db()
    found = feedback_on(row)
    assert found is not None
    [alone] = [cell for cell in found.differing if cell.key == "proportion.limbs"]
    assert (alone.words, alone.rationale) == ("Not in the reference", why["proportion.limbs"])
