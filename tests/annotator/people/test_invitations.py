"""Invitations: one link, one person, once; the secret is nowhere but in the link."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.core import serializers
from django.utils import timezone

from annotator.models import Event, Invitation, Membership, Project, User
from annotator.people.codes import PersonRefused
from annotator.people.invitations import (
    NewAccount,
    accept_invitation,
    invitation_with,
    revoke_invitation,
    secret_of,
    state_of,
)
from annotator.people.inviting_many import InviteLine, LinesRefused, invite_many, read_invite_lines
from annotator.people.places import InvitationClosed
from tests.annotator.invited import expire, invite
from tests.factories import make_member, make_user
from tests.support.codes import refused as refused_for

pytestmark = pytest.mark.django_db


def test_the_secret_is_stored_nowhere(project: Project) -> None:
    lead = make_user()
    invitation = invite(project=project, role="reviewer", code="rev1", actor=lead)
    secret = secret_of(invitation)
    assert (invitation.role, invitation.code, invitation.made_by) == ("reviewer", "rev1", lead)
    left = invitation.expires_at - timezone.now()
    assert timedelta(days=14) - left < timedelta(minutes=1)
    assert invitation_with(secret) == invitation
    for other in ("", str(invitation.pk), f"{invitation.pk}.", secret[:-1], f"9{secret}", f"{secret}x"):
        assert invitation_with(other) is None
    newcomer = make_user("newcomer")
    accept_invitation(invitation=invitation, user=newcomer)
    rows = [*Invitation.objects.all(), *Event.objects.all(), *Membership.objects.all()]
    assert secret.partition(".")[2] not in serializers.serialize("json", rows)
    events = list(Event.objects.values_list("verb", "data"))
    assert [verb for verb, _ in events] == ["person_invited", "invitation_accepted"]
    account = {"account": newcomer.pk, "new_account": False}
    assert events[1][1] == {"invitation": invitation.pk, "role": "reviewer", "code": "rev1", **account}


def test_another_key_opens_nothing(project: Project, settings: Any) -> None:
    secret = secret_of(invite(project))
    settings.SECRET_KEY = "another" * 9
    assert invitation_with(secret) is None


def test_a_code_is_free_again_once_its_invitation_is_over(project: Project) -> None:
    expire(invite(project))
    assert revoke_invitation(invitation=invite(project), actor=None)
    assert state_of(invite(project)) == "open"


def test_a_code_given_away_in_the_meantime_stores_nothing(project: Project) -> None:
    invitation = invite(project)
    project.memberships.filter(code="ann1").update(user=make_user("early"))
    with refused_for(PersonRefused, "taken"):
        accept_invitation(invitation=invitation, user=NewAccount("newcomer", "x"))
    invitation.refresh_from_db()
    assert state_of(invitation) == "open"
    assert not User.objects.filter(username="newcomer").exists()


def test_a_project_that_is_being_deleted_lets_nobody_in(project: Project) -> None:
    """Asked again where it counts: the page may have been opened before."""
    invitation = invite(project)
    Project.objects.filter(pk=project.pk).update(goes_at=timezone.now())
    with pytest.raises(InvitationClosed):
        accept_invitation(invitation=invitation, user=make_user())
    assert not project.memberships.filter(user__is_active=True).exists()


def many(project: Project, text: str) -> list[tuple[InviteLine, Invitation]]:
    return invite_many(project=project, text=text, request_key=uuid4(), actor=None)


def refused(project: Project, text: str) -> list[tuple[int, str]]:
    """The numbers and codes of the refused lines; nothing is stored."""
    before = (Invitation.objects.count(), project.memberships.count(), Event.objects.count())
    with pytest.raises(LinesRefused) as caught:
        many(project, text)
    assert (Invitation.objects.count(), project.memberships.count(), Event.objects.count()) == before
    assert all(refusal.message for refusal in caught.value.refusals)
    return [(refusal.number, refusal.code) for refusal in caught.value.refusals]


def test_lines_are_read_as_lists_and_copied_tables() -> None:
    text = (
        "code, email, role\r\n\r\nann1\nann2,a@example.org\rann3;b@example.org;Reviewer\n"
        "rev1\treviewer\n l 1 ,, lead "
    )
    assert [(line.number, line.code, line.email, line.role) for line in read_invite_lines(text)[0]] == [
        (3, "ann1", "", "annotator"),
        (4, "ann2", "a@example.org", "annotator"),
        (5, "ann3", "b@example.org", "reviewer"),
        (6, "rev1", "", "reviewer"),
        (7, "l 1", "", "lead"),
    ]


def test_everybody_is_invited_with_a_link_each(project: Project) -> None:
    make_member(project, user=make_user("waiting", is_active=False), code="imported1")
    made = many(project, "p1\np2,p2@example.org,reviewer\nimported1")
    assert [invitation.code for _, invitation in made] == ["p1", "p2", "imported1"]
    assert len({secret_of(invitation) for _, invitation in made}) == 3
    assert [invitation.made_place for _, invitation in made] == [True, False, False]
    assert sorted(project.memberships.values_list("code", flat=True)) == ["imported1", "p1"]
    events = json.dumps(list(Event.objects.values_list("verb", "data")))
    assert Event.objects.filter(verb="person_invited").count() == 3
    assert "example.org" not in events


def test_every_refused_line_is_named_and_nothing_stored(project: Project) -> None:
    make_member(project, code="ada")
    invite(project=project, role="annotator", code="ann7", actor=None)
    lines = {
        "": [(1, "empty")],
        "p1\nada": [(2, "taken")],
        "ann7\nANN7": [(1, "promised"), (2, "promised")],
        "p1\nP1": [(2, "twice")],
        "p1, nobody": [(1, "unknown-cell")],
        "a@example.org": [(1, "email-code")],
        "p1, a@b@c": [(1, "email")],
        "p1 a@example.org\np2 b@example.org, reviewer\nada": [
            (1, "email-code"),
            (2, "email-code"),
            (3, "taken"),
        ],
        "p1, a@example.org, lead, x": [(1, "unknown-cell")],
        "=cmd\np2": [(1, "code")],
        "a\u00a0b": [(1, "code")],
        ", a@example.org": [(1, "code")],
        "p\u202e1": [(1, "code")],
        "x" * 81: [(1, "code")],
        "p1\np2, nobody\nada\nP1": [(2, "unknown-cell"), (3, "taken"), (4, "twice")],
    }
    assert {text: refused(project, text) for text in lines} == lines
