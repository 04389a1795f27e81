"""Revealing: when everybody has finished or a lead says so, once, and nothing comes later or is lost."""

from __future__ import annotations

from uuid import uuid4

import pytest
from django.core.exceptions import PermissionDenied
from pytest_django import DjangoCaptureOnCommitCallbacks

from annotator.annotations.reopening import reopen_for_annotator
from annotator.annotations.versioned_changes import Barred
from annotator.batches.closing import BatchOfNorming, close_batch, reopen_batch
from annotator.models import Annotation, Batch, Event, Membership
from annotator.norming.revealing import close_session, reveal, reveal_when_all_answered
from annotator.norming.sessions import NormingRefused, may_read, participants_of, revealed_to
from annotator.people.members import deactivate_person
from scoring.protocol import InvalidPayload
from tests.analysis.factories import make_submitted
from tests.annotator.acting import reopen, resume, save, skip
from tests.annotator.norming.making import ADA, BOB, Circle, answer_all, rows_of, submit
from tests.factories import make_assignment, make_batch, make_payload
from tests.support.codes import refused

pytestmark = pytest.mark.django_db


def test_the_last_one_reveals(
    circle: Circle, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    session = circle.start()
    with django_capture_on_commit_callbacks(execute=True):
        answer_all(session, {"ada": ADA})
        for row in rows_of(session, circle.bob)[:2]:
            submit(row, BOB)
    session.refresh_from_db()
    assert session.state == "answering"
    last = rows_of(session, circle.bob)[2]
    with django_capture_on_commit_callbacks(execute=True):
        skip(last)
    session.refresh_from_db()
    assert (session.state, session.is_revealed) == ("revealed", True)
    told = Event.objects.get(verb="norming_revealed")
    assert (told.actor, told.data["people"]) == (None, {"ada": 3, "bob": 3})
    assert Batch.objects.get(pk=session.batch_id).status == "closed"


def test_participants_may_read_only_what_is_revealed(circle: Circle) -> None:
    session = circle.start()
    assert not may_read(session, circle.ada)
    assert not revealed_to(circle.ada).exists()
    assert may_read(session, circle.lead)
    answer_all(session, {"ada": ADA, "bob": BOB})
    assert reveal(session=session, actor=circle.actor)
    session.refresh_from_db()
    assert may_read(session, circle.ada)
    assert list(revealed_to(circle.ada)) == [session]
    assert not may_read(session, circle.cyd)
    assert not revealed_to(circle.cyd).exists()


def test_with_fewer_than_two_answers_there_is_nothing_to_reveal(circle: Circle) -> None:
    session = circle.start()
    answer_all(session, {"ada": ADA})
    with refused(NormingRefused, "too-few-answers"):
        reveal(session=session, actor=circle.actor)
    assert Batch.objects.get(pk=session.batch_id).status == "open"
    with pytest.raises(PermissionDenied):
        reveal(session=session, actor=circle.ada.user)  # type: ignore[arg-type]


def test_late_answers_are_refused_and_kept(circle: Circle) -> None:
    session = circle.start()
    answer_all(session, {"ada": ADA})
    first, second, third = rows_of(session, circle.bob)
    submit(first, BOB)
    save(second, make_payload(ADA))
    reveal(session=session, actor=circle.actor)
    for row, replaces in ((second, 1), (third, 0)):
        with pytest.raises(Barred, match="closed:"):
            submit(row, BOB, replaces=replaces)
    kept = Event.objects.filter(verb="refused").values_list("data__payload__marks", flat=True)
    assert list(kept) == [make_payload(BOB)["marks"]] * 2
    assert Annotation.objects.get(assignment=second).payload["marks"] == make_payload(ADA)["marks"]
    with pytest.raises(Barred, match="closed:"):
        reopen(first, 1)


def test_nobody_opens_the_batch_again(circle: Circle) -> None:
    session = circle.start()
    for act in (close_batch, reopen_batch):
        with refused(BatchOfNorming, "norming"):
            act(batch=session.batch, reason="why not", actor=circle.actor)
    answer_all(session, {"ada": ADA, "bob": BOB})
    reveal(session=session, actor=circle.actor)
    with pytest.raises(BatchOfNorming):
        reopen_batch(batch=session.batch, reason="why not", actor=circle.actor)
    made = Annotation.objects.filter(assignment__batch=session.batch_id).select_related("assignment__batch")
    with pytest.raises(InvalidPayload, match="revealed"):
        reopen_for_annotator(annotation=made[0], actor=circle.actor, reason="look again", request_key=uuid4())
    assert not Annotation.objects.filter(status="reopened").exists()


def test_a_lead_may_return_an_annotation_before_it_is_revealed(circle: Circle) -> None:
    session = circle.answered()
    made = Annotation.objects.filter(assignment__batch=session.batch_id).select_related("assignment__batch")
    reopen_for_annotator(annotation=made[0], actor=circle.actor, reason="look again", request_key=uuid4())
    assert not reveal_when_all_answered(session.batch_id)
    assert reveal(session=session, actor=circle.actor)
    # Locked with the others: what was returned stays unfinished.
    assert Event.objects.filter(verb="left_at_closing").count() == 1


def worked_on(circle: Circle, member: Membership, place: int, purpose: str = "work") -> Annotation:
    """Have a member submit one of the images in a batch of its own."""
    row = make_assignment(member, image=circle.images[place], status="done", purpose=purpose)
    return make_submitted(member, assignment=row, version=1)


@pytest.mark.parametrize("purpose", ["work", "anchor", "repeat", "qualification"])
def test_work_on_a_revealed_image_is_not_reopened(circle: Circle, purpose: str) -> None:
    made = worked_on(circle, circle.ada, 0, purpose=purpose)
    circle.revealed()
    with pytest.raises(Barred, match="revealed:"):
        reopen(made.assignment, 1)
    with pytest.raises(InvalidPayload, match="Adjudicate the image instead"):
        reopen_for_annotator(annotation=made, actor=circle.actor, reason="look again", request_key=uuid4())
    for status in ("open", "closed"):
        Batch.objects.filter(pk=made.assignment.batch_id).update(status=status)
        with pytest.raises(InvalidPayload):
            reopen_for_annotator(annotation=made, actor=circle.actor, reason="again", request_key=uuid4())
    made.refresh_from_db()
    assert (made.status, made.version) == ("submitted", 1)
    assert not Event.objects.filter(assignment=made.assignment).exists()


def test_a_skipped_image_is_not_resumed_once_it_is_revealed(circle: Circle) -> None:
    closed = make_batch(circle.project, status="closed")
    row = make_assignment(circle.ada, image=circle.images[0], batch=closed, status="skipped")
    circle.revealed()
    reopen_batch(batch=closed, reason="a week more", actor=circle.actor)
    with pytest.raises(Barred, match="revealed:"):
        resume(row)
    with pytest.raises(Barred, match="revealed:"):
        skip(row)
    row.refresh_from_db()
    assert row.status == "skipped"


def test_other_work_is_reopened_as_ever(circle: Circle) -> None:
    mine = worked_on(circle, circle.ada, 0)
    session = circle.start()
    of_others, elsewhere = worked_on(circle, circle.cyd, 0), worked_on(circle, circle.ada, 3)
    training = worked_on(circle, circle.ada, 1, purpose="training")
    answer_all(session, {"ada": ADA, "bob": BOB})
    # Until then nothing may tell a participant that this is a session.
    assert reopen(mine.assignment, 1).status == "reopened"
    submit(mine.assignment, ADA, replaces=2)
    assert reveal(session=session, actor=circle.actor)
    assert [reopen(made.assignment, 1).status for made in (of_others, elsewhere, training)] == [
        "reopened"
    ] * 3


def test_nothing_is_revealed_to_who_has_reopened_work_on_the_images(circle: Circle) -> None:
    made = worked_on(circle, circle.ada, 0)
    session = circle.answered()
    reopen(made.assignment, 1)
    # Work of others, on other images and in training does not count.
    for other in (worked_on(circle, circle.cyd, 0), worked_on(circle, circle.ada, 3)):
        reopen(other.assignment, 1)
    reopen(worked_on(circle, circle.bob, 1, purpose="training").assignment, 1)
    assert not reveal_when_all_answered(session.batch_id)
    with pytest.raises(NormingRefused, match=r"^ada reopened earlier work") as said:
        reveal(session=session, actor=circle.actor)
    assert said.value.code == "work-open"
    assert Batch.objects.get(pk=session.batch_id).status == "open"
    submit(made.assignment, ADA, replaces=2)
    assert reveal(session=session, actor=circle.actor)


def test_nobody_waits_for_who_has_left(circle: Circle) -> None:
    session = circle.start(people=[circle.ada, circle.bob, circle.cyd])
    answer_all(session, {"ada": ADA, "bob": BOB})
    assert not reveal_when_all_answered(session.batch_id)
    deactivate_person(membership=circle.cyd, actor=circle.actor)
    assert [one.has_left for one in participants_of(session)] == [False, False, True]
    assert reveal_when_all_answered(session.batch_id)


def test_a_session_that_ends_unrevealed_stays_hidden_and_locks_no_work(circle: Circle) -> None:
    made = worked_on(circle, circle.ada, 0)
    session = circle.answered()
    assert close_session(session=session, references=[], actor=circle.actor)
    session.refresh_from_db()
    assert (session.state, session.is_revealed) == ("closed", False)
    assert not may_read(session, circle.ada)
    with refused(NormingRefused, "ended"):
        reveal(session=session, actor=circle.actor)
    assert Batch.objects.get(pk=session.batch_id).status == "closed"
    assert reopen(made.assignment, 1).status == "reopened"
