"""Races over references, training, qualifications and standings."""

from __future__ import annotations

from functools import partial
from typing import Any
from uuid import uuid4

import pytest

from annotator.annotations.reopening import reopen_annotation
from annotator.annotations.saving import submit_annotation
from annotator.models import Annotation, Assignment, Attempt, Event, Image, Reference, User
from annotator.training.feedback import feedback_on
from annotator.training.qualification_attempts import AttemptRefused, begin_next, conclude
from annotator.training.references import add_reference, retire_reference
from annotator.training.training_batches import repeat_training
from tests.annotator.acting import delete_with_all
from tests.annotator.racing import kinds, race
from tests.annotator.training.making import WRONG, Course, finish, release, rows_of, submit
from tests.factories import ANSWER, REFERENCE, make_payload, user_of

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.databases]
ROUNDS = 3


def test_an_attempt_ends_once(exam: Course) -> None:
    batch = release(exam)
    for row in rows_of(batch, exam.ada):
        submit(row, REFERENCE)
    outcomes = race([partial(conclude, batch, exam.ada)] * 3)
    assert sum(isinstance(outcome, Attempt) for outcome in outcomes) == 1
    assert outcomes.count(None) == 2
    assert Event.objects.filter(verb="attempt_ended").count() == 1


def test_a_correction_comes_before_the_end_or_is_refused(exam: Course) -> None:
    for number in range(ROUNDS):
        batch = release(exam, name=f"round {number}")
        rows = rows_of(batch, exam.ada)
        for row in rows:
            submit(row, REFERENCE)
        correct = partial(
            reopen_annotation,
            assignment=rows[0],
            actor=exam.ada.user,  # type: ignore[arg-type]
            replaces=1,
            request_key=uuid4(),
        )
        jobs: list[Any] = [correct, partial(conclude, batch, exam.ada)]
        corrected, ended = race(jobs)
        if isinstance(ended, Attempt):
            assert getattr(corrected, "code", "") == "ended"
            assert Annotation.objects.get(assignment=rows[0]).status == "submitted"
        else:
            assert ended is None
            assert isinstance(corrected, Annotation)
            assert not Attempt.objects.filter(qualification__batch=batch, ended_at__isnull=False).exists()


def test_of_two_clicks_one_begins_the_next_attempt(exam: Course) -> None:
    batch = release(exam)
    finish(batch, exam.ada, WRONG)
    outcomes = race([partial(begin_next, batch, exam.ada, exam.ada.user)] * 2)
    [refused] = [outcome for outcome in outcomes if not isinstance(outcome, Attempt)]
    assert isinstance(refused, AttemptRefused)
    assert refused.code == "no-more"
    assert Attempt.objects.count() == 2
    assert batch.assignments.count() == 4


def make_again(course: Course, marks: list[tuple[str, str]]) -> Any:
    """What a request does: load the image, then store the reference."""
    return add_reference(
        image=Image.objects.get(pk=course.images[0].pk),
        protocol="anatomy",
        payload=make_payload(marks),
        origin=Reference.Origin.ADJUDICATED,
        actor=User.objects.get(pk=course.actor.pk),
    )


def test_two_leads_change_a_reference_at_once(course: Course) -> None:
    outcomes = race([lambda: make_again(course, REFERENCE[:1]), lambda: make_again(course, REFERENCE[:2])])
    assert kinds(outcomes) == ["Reference", "Reference"]
    rows = Reference.objects.filter(image=course.images[0]).order_by("version")
    assert list(rows.values_list("version", "status")) == [(1, "retired"), (2, "retired"), (3, "active")]


def reload(row: Assignment) -> Assignment:
    """The assignment as the next request finds it."""
    related = ("batch__project", "annotator", "image", "annotation")
    return Assignment.objects.select_related(*related).get(pk=row.pk)


@pytest.mark.parametrize("_round", range(ROUNDS))
def test_an_image_is_never_deleted_with_a_reference_in_use(course: Course, _round: int) -> None:
    retire_reference(reference=course.references[0], actor=course.actor)

    def delete() -> Any:
        image = Image.objects.get(pk=course.images[0].pk)
        return delete_with_all(image, User.objects.get(pk=course.actor.pk))

    deleted, referenced = race([delete, lambda: make_again(course, REFERENCE[:1])])
    gone = not Image.objects.filter(pk=course.images[0].pk).exists()
    assert gone != Reference.objects.filter(image=course.images[0], status="active").exists()
    if gone:
        assert deleted is None
        assert type(referenced).__name__ in {"ReferenceRefused", "DoesNotExist"}
    else:
        assert type(deleted).__name__ == "DeletionRefused"
        assert isinstance(referenced, Reference)


def test_a_reference_is_retired_while_its_image_is_submitted(course: Course) -> None:
    row = course.batch().assignments.get(position=1)

    sender = user_of(course.ada)

    def send() -> Any:
        return submit_annotation(
            assignment=reload(row),
            actor=User.objects.get(pk=sender.pk),
            payload=make_payload(ANSWER),
            replaces=0,
            request_key=uuid4(),
        )

    def retire() -> Any:
        found = Reference.objects.get(pk=course.references[0].pk)
        return retire_reference(reference=found, actor=User.objects.get(pk=course.actor.pk))

    race([send, retire])
    # Nothing made is lost, and nothing is compared with a retired reference.
    stored = Annotation.objects.get(assignment=row)
    assert stored.status == Annotation.Status.SUBMITTED
    assert feedback_on(reload(row)) is None


def test_a_pass_is_repeated_once_by_two_clicks(course: Course) -> None:
    batch = course.batch()
    for row in batch.assignments.order_by("position"):
        submit(row, ANSWER)
    outcomes = race([lambda: repeat_training(batch, course.ada)] * 2)
    assert sorted(map(str, outcomes)) == ["False", "True"]
    assert batch.assignments.filter(pass_no=1).count() == 2
