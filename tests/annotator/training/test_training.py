"""Training: batches of references, repeated passes, feedback."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from annotator.annotations.queue import next_assignment
from annotator.batches.assignments import InvalidBatch
from annotator.batches.progress import counts_of
from annotator.models import Batch, Event
from annotator.training.feedback import feedback_on, progress_by_annotator, training_progress
from annotator.training.references import retire_reference
from annotator.training.training_batches import repeat_training, training_among
from tests.annotator.planned import given
from tests.annotator.training.making import Course, submit
from tests.factories import ANSWER, REFERENCE, make_assignment, make_image

pytestmark = pytest.mark.django_db


def test_everybody_gets_every_image_in_the_chosen_order(course: Course) -> None:
    chosen = [one.pk for one in reversed(course.references)]
    batch = course.batch(references=chosen, people=[course.bob, course.ada])
    rows = batch.assignments.order_by("annotator__code", "position")
    assert [(row.annotator.code, row.position, row.image, row.purpose) for row in rows] == [
        (code, place, image, "training")
        for code in ("ada", "bob")
        for place, image in enumerate(reversed(course.images), 1)
    ]
    assert training_among(Batch.objects.all()) == {batch.pk}
    event = Event.objects.get(verb="batch_released")
    assert (event.data["purpose"], event.data["assignments"]) == ("training", {"ada": 2, "bob": 2})


def test_training_is_in_the_queue_and_in_no_count(course: Course) -> None:
    batch = course.batch()
    upcoming = next_assignment(course.ada)
    assert upcoming is not None
    assert upcoming.batch == batch
    counts = counts_of([batch])[batch.pk]
    assert (counts.images, counts.people, counts.work.total) == (0, 0, 0)


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ({"references": []}, "no-references"),
        ({"references": [0]}, "retired"),
        ({"references": list(range(31))}, "too-many"),
        ({"people": []}, "nobody"),
        ({"protocol": "presence"}, "retired"),
    ],
)
def test_what_cannot_be_trained_is_refused(course: Course, changed: dict[str, Any], code: str) -> None:
    with pytest.raises(InvalidBatch) as refused:
        course.batch(**changed)
    assert refused.value.code == code
    assert not Batch.objects.exists()


def test_images_without_a_reference_in_use_are_named(course: Course) -> None:
    retire_reference(reference=course.references[1], actor=course.actor)
    with pytest.raises(InvalidBatch) as refused:
        course.batch(references=[*(one.pk for one in course.references), 0])
    assert f"No reference in use: {course.images[1].source_name} and 1 more." in str(refused.value)


def test_an_image_cannot_be_work_and_training_of_one_person(course: Course) -> None:
    make_assignment(course.ada, image=course.images[0])
    with pytest.raises(InvalidBatch, match=r"work: ada \(1\)"):
        course.batch()
    batch = course.batch(people=[course.bob])
    with pytest.raises(InvalidBatch, match=r"training: bob \(1\)"):
        given("Work", [course.images[1]], course.bob)
    assert given("Work", [make_image(course.project)], course.bob).pk > batch.pk


def test_a_finished_training_can_be_repeated_without_limit(course: Course) -> None:
    batch = course.batch()
    assert not repeat_training(batch, course.ada)
    for again in range(3):
        rows = list(batch.assignments.filter(pass_no=again).order_by("position"))
        assert [row.image for row in rows] == course.images
        assert [row.position for row in rows] == [2 * again + 1, 2 * again + 2]
        for row in rows:
            submit(row, REFERENCE)
        assert repeat_training(batch, course.ada)


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
