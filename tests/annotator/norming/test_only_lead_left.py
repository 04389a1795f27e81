"""A session whose only lead leaves, or has left: refused, or explained, and it goes on with the next lead."""

from __future__ import annotations

import pytest
from django.test import Client

from annotator.models import Event, NormingSession, User
from annotator.norming.closing import close_session
from annotator.norming.discussing import agree
from annotator.norming.revealing import reveal, reveal_when_all_answered
from annotator.norming.sessions import NormingRefused
from annotator.people.members import PersonRefused, change_role, deactivate_person
from annotator.records.accounts import delete_account
from tests.annotator.norming.making import ADA, BOB, Circle, answer_all
from tests.factories import LEAD, make_member, make_payload
from tests.support.codes import codes

pytestmark = pytest.mark.django_db


def disabled(circle: Circle) -> User:
    """The only lead's account, which an administrator of the site has disabled."""
    User.objects.filter(pk=circle.actor.pk).update(is_active=False)
    return User.objects.get(pk=circle.actor.pk)


@pytest.mark.parametrize("state", ["answering", "revealed"])
def test_the_only_lead_cannot_leave_a_session(circle: Circle, state: str) -> None:
    session = circle.start() if state == "answering" else circle.revealed()
    before = Event.objects.count()
    for leave in (
        lambda: deactivate_person(membership=circle.lead, actor=None),
        lambda: change_role(membership=circle.lead, role="annotator", actor=None),
        lambda: delete_account(user=circle.actor, actor=None),
    ):
        with pytest.raises(PersonRefused, match=r"only lead|last lead") as said:
            leave()
        assert said.value.code == "last-lead"
    session.refresh_from_db()
    assert (session.state, Event.objects.count()) == (state, before)


def test_without_an_active_lead_nobody_starts_or_changes_one(circle: Circle) -> None:
    session = circle.revealed()
    normed = session.images.select_related("session__batch").get(place=1)
    actor, before = disabled(circle), Event.objects.count()
    for act in (
        lambda: circle.start(actor=actor, images=[image.pk for image in circle.images[3:6]]),
        lambda: reveal(session=session, actor=actor),
        lambda: agree(normed=normed, actor=actor, payload=make_payload(ADA), gaps={}, replaces=0),
        lambda: close_session(session=session, references=[], actor=actor),
    ):
        with pytest.raises(
            NormingRefused, match=r"no active lead.*Ask the administrator of the site"
        ) as said:
            act()
        assert said.value.code == "lead-left"
    assert Event.objects.count() == before
    assert [one.state for one in NormingSession.objects.all()] == ["revealed"]


def test_answers_are_revealed_and_participants_read_why_nobody_closes_it(circle: Circle) -> None:
    session = circle.start()
    disabled(circle)
    answer_all(session, {"ada": ADA, "bob": BOB})
    assert reveal_when_all_answered(session.batch)
    client = Client()
    assert circle.ada.user is not None
    client.force_login(circle.ada.user)
    place = f"/projects/circle/norming/{session.pk}/"
    assert "lead-left" in codes(client.get(place).content.decode())
    # The next lead goes on where the session stands.
    second = make_member(circle.project, LEAD, code="second")
    assert "lead-left" not in codes(client.get(place).content.decode())
    assert second.user is not None
    session.refresh_from_db()
    assert close_session(session=session, references=[], actor=second.user)
