"""Training batches: who gets what, what is refused, and repeating."""

from __future__ import annotations

from typing import Any

import pytest

from annotator.annotations.queue import next_assignment
from annotator.batches.assignments import InvalidBatch
from annotator.batches.progress import counts_of
from annotator.models import Batch, Event
from annotator.training.references import retire_reference
from annotator.training.training_batches import repeat_training, training_among
from tests.annotator.planned import given
from tests.annotator.training.making import Course, submit
from tests.factories import REFERENCE, make_assignment, make_image

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
