"""Norming under real concurrency: threads, connections and commits of their own."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from annotator.models import Annotation, Assignment, Event, Membership, NormingSession, Reference, User
from annotator.norming.discussing import agree
from annotator.norming.revealing import close_session, reveal
from annotator.norming.sessions import NormingRefused
from annotator.norming.starting import start_session
from annotator.people.members import deactivate_person
from tests.analysis.factories import make_submitted
from tests.annotator import acting
from tests.annotator.acting import fresh
from tests.annotator.norming.making import ADA, BOB, Circle, rows_of, submit
from tests.annotator.racing import race
from tests.factories import LEAD, make_assignment, make_image, make_member, make_payload

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.databases]


def session_of(pk: int) -> NormingSession:
    return NormingSession.objects.select_related("batch", "project").get(pk=pk)


def show(circle: Circle, pk: int) -> bool:
    return reveal(session=session_of(pk), actor=User.objects.get(pk=circle.actor.pk))


def test_two_leads_reveal_and_close_at_once(circle: Circle) -> None:
    second = make_member(circle.project, LEAD, code="second")
    assert second.user_id is not None
    actors = [circle.actor.pk, second.user_id] * 2
    session = circle.answered(left=1)

    def act(kind: Any, user: int, **more: Any) -> bool:
        return bool(kind(session=session_of(session.pk), actor=User.objects.get(pk=user), **more))

    outcomes = race([partial(act, reveal, user) for user in actors])
    assert sorted(map(str, outcomes)) == ["False"] * 3 + ["True"]
    assert Event.objects.filter(verb="norming_revealed").count() == 1
    normed = session.images.select_related("session__batch").get(place=1)
    agree(normed=normed, actor=circle.actor, payload=make_payload([]), replaces=0)
    outcomes = race([partial(act, close_session, user, references=[normed.pk]) for user in actors])
    assert sorted(map(str, outcomes)) == ["False"] * 3 + ["True"]
    assert Event.objects.filter(verb="norming_closed").count() == 1
    assert Reference.objects.count() == 1


def test_work_is_reopened_before_the_images_are_revealed_or_not_at_all(circle: Circle) -> None:
    for _ in range(3):
        session = circle.answered(left=1)
        work = make_assignment(circle.ada, image=circle.images[0], status="done")
        make_submitted(circle.ada, assignment=work, version=1)
        del circle.images[:3]
        circle.images += [make_image(circle.project) for _ in range(3)]

        def reopen(pk: int = work.pk) -> Annotation:
            return acting.reopen(fresh(pk), 1)

        jobs: list[Callable[[], Any]] = [reopen, partial(show, circle, session.pk)]
        outcomes = race(jobs)
        if isinstance(outcomes[0], Annotation):
            assert isinstance(outcomes[1], NormingRefused), outcomes
            assert outcomes[1].code == "work-open"
        else:
            assert getattr(outcomes[0], "code", "") == "revealed", outcomes
            assert outcomes[1] is True


def test_an_annotation_that_arrives_while_it_is_revealed_is_stored_before_or_refused(circle: Circle) -> None:
    for _ in range(3):
        session = circle.answered(left=2)
        del circle.images[:3]
        circle.images += [make_image(circle.project) for _ in range(3)]
        late = rows_of(session, circle.bob)[1:]

        def save(pk: int) -> Annotation:
            return submit(fresh(pk), BOB)

        shown_at_once = partial(show, circle, session.pk)
        jobs: list[Callable[[], Any]] = [partial(save, late[0].pk), shown_at_once, partial(save, late[1].pk)]
        outcomes = race(jobs)
        stored = {
            row.pk: Annotation.objects.filter(assignment=row, status="submitted").exists() for row in late
        }
        for row, outcome in zip(late, (outcomes[0], outcomes[2]), strict=True):
            if stored[row.pk]:
                assert isinstance(outcome, Annotation), outcome
            else:
                assert getattr(outcome, "code", "") == "closed", outcome
                assert Event.objects.filter(assignment=row.pk, verb="refused").count() == 1
        # Whoever was first, the session is revealed exactly once, after everything that is stored.
        shown = Event.objects.get(verb="norming_revealed", data__session=session.pk)
        saved = Event.objects.filter(verb="submitted", assignment__batch=session.batch_id)
        assert all(event.created_at <= shown.created_at or event.pk < shown.pk for event in saved)
        assert session_of(session.pk).is_revealed


def test_a_participant_is_deactivated_while_a_session_starts(circle: Circle) -> None:
    """Either the session has the person, or it is refused by name; never half of both."""

    def start() -> NormingSession:
        return start_session(
            project=circle.project,
            name="Batch 1",
            protocol="anatomy",
            people=[circle.ada, circle.bob],
            images=[image.pk for image in circle.images[:3]],
            actor=User.objects.get(pk=circle.actor.pk),
        )

    def leave() -> bool:
        member = Membership.objects.get(pk=circle.bob.pk)
        return deactivate_person(membership=member, actor=User.objects.get(pk=circle.actor.pk))

    started, left = race([start, leave])
    assert left is True
    if isinstance(started, NormingSession):
        assert Assignment.objects.filter(batch=started.batch).count() == 6
    else:
        assert getattr(started, "code", "") == "left"
        assert not Assignment.objects.exists()


def test_the_last_two_annotations_reveal_once(circle: Circle) -> None:
    session = circle.start()
    last = []
    for person, marks in ((circle.ada, ADA), (circle.bob, BOB)):
        *before, final = rows_of(session, person)
        for row in before:
            submit(row, marks)
        last.append(final.pk)

    def finish(pk: int) -> Annotation:
        return submit(fresh(pk), ADA)

    outcomes = race([partial(finish, pk) for pk in last])
    assert all(isinstance(one, Annotation) for one in outcomes), outcomes
    assert session_of(session.pk).state == "revealed"
    assert Event.objects.filter(verb="norming_revealed").count() == 1
