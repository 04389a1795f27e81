"""Training while references, images and guidelines change: threads, connections and commits of their own."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest

from annotator.annotations.saving import submit_annotation
from annotator.models import Annotation, Assignment, Image, Reference, User
from annotator.records.image_deletion import delete_image
from annotator.training.feedback import feedback_on
from annotator.training.references import add_reference, retire_reference
from annotator.training.training_batches import repeat_training
from tests.annotator.guidelines.making import drafted, publication
from tests.annotator.racing import race
from tests.annotator.training.making import Course, make_course, submit
from tests.factories import ANSWER, REFERENCE, make_payload

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.databases]

ROUNDS = 3


@pytest.fixture
def course() -> Course:
    return make_course()


def names(outcomes: list[Any]) -> list[str]:
    return sorted(type(outcome).__name__ for outcome in outcomes)


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
    assert names(outcomes) == ["Reference", "Reference"]
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
        return delete_image(image=image, reason="Not ours.", actor=User.objects.get(pk=course.actor.pk))

    deleted, referenced = race([delete, lambda: make_again(course, REFERENCE[:1])])
    gone = not Image.objects.filter(pk=course.images[0].pk).exists()
    assert gone != Reference.objects.filter(image=course.images[0], status="active").exists()
    if gone:
        assert isinstance(deleted, Image)
        assert type(referenced).__name__ in {"ReferenceRefused", "DoesNotExist"}
    else:
        assert type(deleted).__name__ == "DeletionRefused"
        assert isinstance(referenced, Reference)


def test_a_reference_is_retired_while_its_image_is_submitted(course: Course) -> None:
    row = course.batch().assignments.get(position=1)

    sender = course.ada.user
    assert sender is not None

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


def test_a_reference_changed_in_mid_batch_is_what_the_next_feedback_shows(course: Course) -> None:
    row = course.batch().assignments.get(position=1)
    submit(row, ANSWER)
    changed = make_again(course, ANSWER)
    assert changed.version == 2
    found = feedback_on(reload(row))
    assert found is not None
    assert (found.reference, found.differing) == (changed, [])


def test_a_guideline_published_in_mid_batch_is_named_by_what_follows(course: Course) -> None:
    first, second = course.batch().assignments.order_by("position")
    submit(first, ANSWER)
    drafted(course.lead, missing="Count what should be visible.")
    publication(course.lead, "Clearer.", major=True)
    submit(reload(second), [])
    named = Annotation.objects.filter(assignment__batch=first.batch).order_by("assignment__position")
    assert list(named.values_list("guideline", flat=True)) == [None, "1.0"]
    assert feedback_on(reload(second))
