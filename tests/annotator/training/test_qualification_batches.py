"""Qualification batches: who gets what, by the seed, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from annotator.batches.assignments import InvalidBatch
from annotator.batches.progress import counts_of
from annotator.models import Attempt, Batch, Event, Standing
from annotator.training.qualification_batches import qualifications_among
from tests.annotator.training.making import Course
from tests.annotator.training.qualifying import release, rows_of
from tests.factories import make_assignment

pytestmark = pytest.mark.django_db


def test_everybody_gets_the_images_of_the_seed_in_an_order_of_their_own(exam: Course) -> None:
    batch = release(exam, people=[exam.ada, exam.bob], images=4)
    ada, bob = ([row.image_id for row in rows_of(batch, member)] for member in (exam.ada, exam.bob))
    assert set(ada) == set(bob) == {image.pk for image in exam.images}
    assert ada != bob
    assert {row.purpose for row in batch.assignments.all()} == {"qualification"}
    again = release(exam, name="again", people=[exam.ada, exam.bob], images=4)
    assert [row.image_id for row in rows_of(again, exam.ada)] == ada
    assert qualifications_among(Batch.objects.all()) == {batch.pk, again.pk}


def test_an_attempt_notes_the_versions_it_begins_with(exam: Course) -> None:
    attempt = release(exam).qualification.made.get()
    assert set(attempt.references) == {
        str(row.image_id) for row in rows_of(attempt.qualification.batch, exam.ada)
    }
    versions = {str(one.image_id): one.version for one in exam.references}
    assert attempt.references == {image: versions[image] for image in attempt.references}


def test_it_enters_no_count_and_begins_the_training_of_its_people(exam: Course) -> None:
    batch = release(exam)
    assert counts_of([batch])[batch.pk].work.total == 0
    assert list(Standing.objects.values_list("membership__code", "state")) == [("ada", "training")]
    event = Event.objects.get(verb="batch_released")
    assert (event.data["purpose"], event.data["rule"]) == ("qualification", {"recall": "0.7"})


@pytest.mark.few(4)
@pytest.mark.parametrize(
    ("changed", "code", "told"),
    [
        ({"rule": {"recall": "1.2"}}, "rule", "nobody can reach 1.2"),
        ({"rule": {"recall": "often"}}, "rule", "“often” is not a number"),
        ({"rule": {"recall": "1e999999999"}}, "rule", "is not a number"),
        ({"rule": {"recall": " "}}, "rule", "at least one requirement"),
        ({"images": 0}, "number", "1 to 100 images per attempt, not 0"),
        ({"images": 5}, "too-few", "needs 5 images, but only 4"),
        ({"attempts": 0}, "number", "attempts"),
        ({"waiting_hours": -1}, "number", "hours"),
        ({"references": []}, "no-references", "at least one image"),
        ({"references": [0]}, "retired", "retired"),
        ({"people": []}, "nobody", "at least one annotator"),
    ],
)
def test_what_cannot_be_met_is_refused_with_the_reason(
    exam: Course, changed: dict[str, Any], code: str, told: str
) -> None:
    with pytest.raises(InvalidBatch, match=told) as refused:
        release(exam, **changed)
    assert refused.value.code == code
    assert not Batch.objects.exists()
    assert not Standing.objects.exists()


def test_nobody_gets_an_image_whose_answer_they_saw_or_that_is_their_work(exam: Course) -> None:
    exam.batch(references=[exam.references[0].pk])
    make_assignment(exam.ada, image=exam.images[1])
    batch = release(exam, people=[exam.ada, exam.bob])
    assert {row.image_id for row in rows_of(batch, exam.ada)} == {image.pk for image in exam.images[2:]}
    with pytest.raises(InvalidBatch, match=r"Left: ada \(2\)") as refused:
        release(exam, name="more", people=[exam.ada, exam.bob], images=3)
    assert refused.value.code == "seen"
    assert Attempt.objects.count() == 2
