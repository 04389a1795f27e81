"""Closing a batch, opening it again, and opening one answer in it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest

from annotator.annotations.locking import bar_shown, reopened_in_closed_batches, request_of_lead
from annotator.annotations.queue import next_assignment
from annotator.annotations.reopening import reopen_for_annotator
from annotator.annotations.versioned_changes import Barred, NotSubmitted
from annotator.batches.closing import close_batch, reopen_batch
from annotator.models import Annotation, Assignment, Batch, Event, User
from scoring.protocol import InvalidPayload
from tests.annotator.acting import HANDS, LIMBS, reopen, resume, save, skip, status_of, submit, verbs
from tests.factories import make_assignment, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def lead() -> User:
    return make_user("lead")


def closed(assignment: Assignment, lead: User | None = None, reason: str = "the study is over") -> Batch:
    return close_batch(batch=assignment.batch, reason=reason, actor=lead)


def opened_by_lead(assignment: Assignment, lead: User, reason: object = "look at the hands") -> Annotation:
    annotation = Annotation.objects.select_related("assignment__batch__project").get(assignment=assignment)
    return reopen_for_annotator(annotation=annotation, actor=lead, reason=reason, request_key=uuid4())


def nothing(assignment: Assignment) -> None:
    """Nobody has begun."""


CASES: list[tuple[Callable[[Assignment], Any], Callable[[Assignment], Any]]] = [
    (nothing, lambda assignment: save(assignment, LIMBS)),
    (nothing, lambda assignment: submit(assignment, LIMBS)),
    (nothing, skip),
    (skip, resume),
    (save, lambda assignment: save(assignment, HANDS, 1)),
    (submit, lambda assignment: reopen(assignment, 1)),
]


@pytest.mark.parametrize(("before", "act"), CASES)
def test_a_closed_batch_takes_no_change_until_it_is_open_again(
    assignment: Assignment, before: Any, act: Any
) -> None:
    before(assignment)
    rows = list(Annotation.objects.values()), status_of(assignment)
    batch = closed(assignment)
    with pytest.raises(Barred, match="closed:"):
        act(assignment)
    assert (list(Annotation.objects.values()), status_of(assignment)) == rows
    reopen_batch(batch=batch, reason="one more week", actor=None)
    act(assignment)


@pytest.mark.parametrize(("before", "act"), [case for case in CASES if case[0] is not submit])
def test_a_withdrawn_image_takes_no_change(assignment: Assignment, before: Any, act: Any) -> None:
    before(assignment)
    Assignment.objects.filter(pk=assignment.pk).update(status="withdrawn", position=None)
    with pytest.raises(Barred, match="withdrawn:"):
        act(assignment)
    assert status_of(assignment) == "withdrawn"


def test_a_refused_answer_is_kept(assignment: Assignment) -> None:
    save(assignment, LIMBS)
    closed(assignment)
    with pytest.raises(Barred, match="closed:") as caught:
        submit(assignment, HANDS, 1)
    assert caught.value.current.payload == LIMBS
    refused = Event.objects.get(verb="refused")
    assert (refused.data["asked"], refused.data["payload"]) == ("submitted", HANDS)


def test_a_repeated_request_is_answered_as_before(assignment: Assignment) -> None:
    key = uuid4()
    first = submit(assignment, LIMBS, key=key)
    closed(assignment)
    assert submit(assignment, LIMBS, key=key).version == first.version


def test_closing_and_opening_leave_one_event_each(assignment: Assignment, lead: User) -> None:
    batch = assignment.batch
    for _ in range(2):
        assert close_batch(batch=batch, reason=" done ", actor=lead).status == "closed"
    for _ in range(2):
        assert reopen_batch(batch=batch, reason="not yet", actor=lead).status == "open"
    told = Event.objects.values_list("verb", "actor", "data__reason", "data__batch")
    assert list(told) == [
        ("batch_closed", lead.pk, "done", batch.pk),
        ("batch_reopened", lead.pk, "not yet", batch.pk),
    ]


def test_in_an_open_batch(assignment: Assignment, lead: User) -> None:
    submit(assignment)
    left = opened_by_lead(assignment, lead)
    assert (left.status, left.version, left.ratings) == ("reopened", 2, None)
    event = Event.objects.get(verb="reopened_by_lead")
    values = (event.actor, event.data["reason"], event.data["replaced"]["status"])
    assert values == (lead, "look at the hands", "submitted")
    assert next_assignment(assignment.annotator) == assignment
    assert request_of_lead(assignment, left) == "look at the hands"


def test_in_a_closed_batch_it_alone_takes_changes(assignment: Assignment, lead: User) -> None:
    other = make_assignment(assignment.annotator, batch=assignment.batch)
    submit(assignment)
    submit(other)
    batch = closed(assignment)
    left = opened_by_lead(assignment, lead)
    assignment.batch = batch
    assert bar_shown(assignment, left) is None
    assert list(reopened_in_closed_batches(assignment.annotator)) == [assignment]
    save(assignment, HANDS, 2)
    with pytest.raises(Barred, match="closed:"):
        reopen(other, 1)
    again = submit(assignment, HANDS, 3)
    assert (again.payload, bar_shown(assignment, again)) == (HANDS, "closed")
    with pytest.raises(Barred, match="closed:"):
        reopen(assignment, 4)
    assert not reopened_in_closed_batches(assignment.annotator).exists()
    assert verbs(assignment) == ["submitted", "reopened_by_lead", "draft_saved", "submitted"]


@pytest.mark.parametrize("by_lead", [True, False])
def test_closing_closes_reopened_ones(assignment: Assignment, lead: User, by_lead: bool) -> None:
    submit(assignment)
    if by_lead:
        opened_by_lead(assignment, lead)
    else:
        reopen(assignment, 1)
    assignment.batch = closed(assignment)
    with pytest.raises(Barred, match="closed:"):
        submit(assignment, HANDS, 2)
    assert bar_shown(assignment, Annotation.objects.get()) == "closed"
    reopen_batch(batch=assignment.batch, reason="again", actor=lead)
    assert submit(assignment, HANDS, 2).version == 3


def test_a_reason_and_a_submission_are_needed(assignment: Assignment, lead: User) -> None:
    save(assignment)
    with pytest.raises(NotSubmitted):
        opened_by_lead(assignment, lead)
    submit(assignment, LIMBS, 1)
    for reason in ("", " ", None, "x" * 401, "a\u202eb"):
        with pytest.raises(InvalidPayload) as caught:
            opened_by_lead(assignment, lead, reason)
        assert set(caught.value.errors) == {"reason"}
    assert Annotation.objects.get().status == "submitted"
