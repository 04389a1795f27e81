"""Qualifications: their batches, attempts and results."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest

from annotator.annotations.reopening import reopen_for_annotator
from annotator.annotations.versioned_changes import Barred
from annotator.batches.assignments import InvalidBatch
from annotator.batches.progress import counts_of
from annotator.models import Annotation, Attempt, Batch, Event, Reference, Standing
from annotator.training.qualification_attempts import AttemptRefused, begin_next, conclude, shown_result
from annotator.training.qualification_batches import qualifications_among
from annotator.training.references import active_references, retire_reference
from tests.annotator.acting import delete_with_all, reopen, resume, save, skip
from tests.annotator.training.making import WRONG, Course, add, finish, release, rows_of, submit
from tests.factories import ANSWER, REFERENCE, make_assignment, make_payload

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


def test_it_enters_no_count_and_begins_the_training_of_its_people(exam: Course) -> None:
    batch = release(exam)
    assert counts_of([batch])[batch.pk]["work"].total == 0
    assert list(Standing.objects.values_list("membership__code", "state")) == [("ada", "training")]
    event = Event.objects.get(verb="batch_released")
    assert (event.data["purpose"], event.data["rule"]) == ("qualification", {"recall": "0.7"})


@pytest.mark.few(4)
@pytest.mark.parametrize(
    ("changed", "code", "told"),
    [
        ({"rule": {"recall": "1.2"}}, "rule", "nobody can reach 1.2"),
        ({"rule": {"recall": "1e999999999"}}, "rule", "is not a number"),
        ({"rule": {"recall": " "}}, "rule", "at least one requirement"),
        ({"images": 0}, "number", "1 to 100 images per attempt, not 0"),
        ({"images": 5}, "too-few", "needs 5 images, but only 4"),
        ({"references": []}, "no-references", "at least one image"),
        ({"references": [0]}, "retired", "retired"),
    ],
)
def test_what_cannot_be_met_is_refused(exam: Course, changed: dict[str, Any], code: str, told: str) -> None:
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


def standing(course: Course) -> Standing:
    return Standing.objects.get(membership=course.ada, protocol="anatomy")


def test_it_ends_with_the_last_image_and_qualifies(exam: Course) -> None:
    batch = release(exam)
    first, second = rows_of(batch, exam.ada)
    submit(first, REFERENCE)
    assert conclude(batch, exam.ada) is None
    submit(second, ANSWER)
    ended = conclude(batch, exam.ada)
    assert ended is not None
    assert ended.passed
    assert conclude(batch, exam.ada) is None
    held = standing(exam)
    assert (held.state, held.changed_by) == ("qualified", None)
    assert held.evidence == [row.annotation.pk for row in rows_of(batch, exam.ada)]
    [event] = Event.objects.filter(verb="standing_changed", data__state="qualified")
    assert event.data["replaced"]["state"] == "training"
    assert Event.objects.filter(verb="attempt_ended", data__passed=True).count() == 1


def test_the_result_is_exact_and_by_cell(exam: Course) -> None:
    ended = finish(release(exam, rule={"recall": "0.7", "difference": "0.3"}), exam.ada, ANSWER)
    assert [(one["term"], one["value"], one["met"]) for one in ended.result["terms"]] == [
        ("difference", "7/30", True),
        ("recall", "3/4", True),
    ]
    assert ended.result["images"] == 2
    assert ["missing.face", 0, 2, 0] in ended.result["components"]
    assert ["proportion.limbs", 0, 0, 2] in ended.result["components"]
    shown = shown_result(ended)
    assert shown is not None
    assert shown["is_thin"]
    assert not shown["rows"]  # two images would give the answers away


def test_after_a_failed_attempt_the_next_has_other_images(exam: Course) -> None:
    batch = release(exam)
    failed = finish(batch, exam.ada, WRONG)
    assert (failed.passed, standing(exam).state) == (False, "training")
    begin_next(batch, exam.ada, exam.ada.user)
    seen, fresh = ({row.image_id for row in rows_of(batch, exam.ada, number)} for number in (1, 2))
    assert seen.isdisjoint(fresh)
    assert [row.position for row in rows_of(batch, exam.ada, 2)] == [3, 4]
    assert finish(batch, exam.ada, REFERENCE, 2).passed
    assert standing(exam).state == "qualified"


def test_what_cannot_begin_is_refused(exam: Course) -> None:
    batch = release(exam)

    def refusal() -> str:
        with pytest.raises(AttemptRefused) as refused:
            begin_next(batch, exam.ada, exam.ada.user)
        return refused.value.code

    assert refusal() == "no-more"
    finish(batch, exam.ada, WRONG)
    for reference in exam.references[:3]:
        retire_reference(reference=reference, actor=exam.actor)
    assert refusal() == "too-few"
    exam.references[:3] = [add(exam, image) for image in exam.images[:3]]
    Batch.objects.filter(pk=batch.pk).update(status="closed")
    assert refusal() == "no-more"
    Batch.objects.filter(pk=batch.pk).update(status="open")
    begin_next(batch, exam.ada, exam.ada.user)
    finish(batch, exam.ada, WRONG, 2)
    assert refusal() == "no-more"


def test_a_skipped_image_keeps_it_from_ending(exam: Course) -> None:
    batch = release(exam)
    first, second = rows_of(batch, exam.ada)
    skip(first)
    submit(second, REFERENCE)
    assert conclude(batch, exam.ada) is None
    resume(first)
    submit(first, REFERENCE)
    assert conclude(batch, exam.ada) is not None


def test_an_image_deleted_meanwhile_is_left_out(exam: Course) -> None:
    batch = release(exam)
    first, second = rows_of(batch, exam.ada)
    submit(first, REFERENCE)
    retire_reference(reference=Reference.objects.get(image=second.image), actor=exam.actor)
    delete_with_all(second.image)
    ended = conclude(batch, exam.ada)
    assert ended is not None
    assert (ended.passed, ended.result["images"]) == (True, 1)


def test_a_reference_changed_meanwhile_does_not_change_the_attempt(exam: Course) -> None:
    batch = release(exam)
    exam.references = [add(exam, image, WRONG) for image in exam.images]
    assert finish(batch, exam.ada, REFERENCE).passed
    retired = release(exam, name="retired", people=[exam.bob])
    for reference in active_references(exam.project, "anatomy"):
        retire_reference(reference=reference, actor=exam.actor)
    assert finish(retired, exam.bob, WRONG).passed


def test_an_ended_attempt_is_locked_and_loses_nothing(exam: Course) -> None:
    batch = release(exam)
    finish(batch, exam.ada)
    [row, _] = rows_of(batch, exam.ada)
    before = Annotation.objects.get(assignment=row)
    acts: list[Callable[[], object]] = [
        lambda: reopen(row, 1),
        lambda: reopen_for_annotator(
            annotation=before, actor=exam.actor, reason="look again", request_key=uuid4()
        ),
        lambda: save(row, make_payload(WRONG), 1),
    ]
    for act in acts:
        with pytest.raises(Barred, match="ended:"):
            act()
    assert Annotation.objects.get(assignment=row).payload == before.payload
    assert Event.objects.filter(verb="refused", assignment=row).count() == 1
