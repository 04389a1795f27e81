"""Invitations: one link, one person, once; the secret is nowhere but in the link."""

from __future__ import annotations

import json
from datetime import timedelta
from hashlib import sha256
from typing import Any

import pytest
from django.core import serializers
from django.utils import timezone

from annotator.models import Event, Invitation, Membership, Project, User
from annotator.people.codes import PersonRefused
from annotator.people.invitations import (
    accept_invitation,
    accept_with_new_account,
    invitation_with,
    invite,
    revoke_invitation,
    state_of,
)
from annotator.people.places import InvitationClosed
from annotator.people.secrets import new_secret
from tests.factories import LEAD, make_assignment, make_member, make_user
from tests.support.codes import refused as refused_for

pytestmark = pytest.mark.django_db


def made(project: Project, code: str = "ann1", **more: Any) -> Invitation:
    wanted = {"role": "annotator", "secret": new_secret(), "actor": None, **more}
    return invite(project=project, code=code, **wanted)


def end(invitation: Invitation) -> None:
    Invitation.objects.filter(pk=invitation.pk).update(expires_at=timezone.now() - timedelta(seconds=1))
    invitation.refresh_from_db()


def test_only_the_hash_is_stored_and_events_tell_neither_secret_nor_note(project: Project) -> None:
    lead = make_user()
    secret = new_secret()
    invitation = invite(
        project=project, role="reviewer", code="rev1", note="the one", days=3, secret=secret, actor=lead
    )
    assert invitation.secret_sha256 == sha256(secret.encode()).hexdigest()
    assert (invitation.role, invitation.code, invitation.note, invitation.made_by) == (
        "reviewer",
        "rev1",
        "the one",
        lead,
    )
    left = invitation.expires_at - timezone.now()
    assert timedelta(days=3) - left < timedelta(minutes=1)
    assert invitation_with(secret) == invitation
    newcomer = make_user("newcomer")
    accept_invitation(invitation=invitation, user=newcomer)
    rows = [*Invitation.objects.all(), *Event.objects.all(), *Membership.objects.all()]
    stored = serializers.serialize("json", rows)
    assert secret not in stored
    events = list(Event.objects.values_list("verb", "data"))
    assert [verb for verb, _ in events] == ["person_invited", "invitation_accepted"]
    assert invitation.secret_sha256 not in json.dumps([data for _, data in events])
    assert "the one" not in json.dumps([data for _, data in events])
    assert events[1][1] == {
        "invitation": invitation.pk,
        "role": "reviewer",
        "code": "rev1",
        "account": newcomer.pk,
        "new_account": False,
    }


def test_the_same_secret_twice_is_one_invitation(project: Project) -> None:
    secret = new_secret()
    first, second = made(project, secret=secret), made(project, secret=secret)
    assert first == second
    assert Event.objects.count() == 1


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("", "Enter a code"),
        ("x" * 81, "81 characters; the limit is 80"),
        ("a\nb", "Remove control characters"),
        ("a\u0000", "Remove control characters"),
        ("a\u202eb", "Remove control characters"),
        ("a\u00a0b", "special spaces"),
        ("=1+1", "must begin with a letter or digit"),
        ("-a", "must begin with a letter or digit"),
        ("ada", "The code ada belongs to ada"),
        ("ADA", "ADA is too similar to the existing code ada"),
        ("ann7", "An open invitation already uses the code ann7"),
        ("ANN7", "An open invitation already uses the code"),
    ],
)
def test_a_code_that_cannot_be_is_refused_by_name(project: Project, code: str, message: str) -> None:
    make_member(project, user=make_user("ada"), code="ada")
    made(project, "ann7")
    with pytest.raises(PersonRefused, match=message) as refused:
        made(project, code)
    assert refused.value.field == "code"
    assert Invitation.objects.count() == 1


def test_a_code_is_free_again_once_its_invitation_is_over(project: Project) -> None:
    end(made(project))
    assert revoke_invitation(invitation=made(project), actor=None)
    assert state_of(made(project)) == "open"


def test_an_account_joins_once(project: Project) -> None:
    invitation = made(project)
    member = accept_invitation(invitation=invitation, user=make_user("newcomer"))
    invitation.refresh_from_db()
    assert (member.code, member.role, member.is_active) == ("ann1", "annotator", True)
    assert (state_of(invitation), invitation.membership) == ("used", member)
    with pytest.raises(InvitationClosed):
        accept_invitation(invitation=invitation, user=make_user("another"))
    assert project.memberships.count() == 1


def test_revoked_and_expired_ones_let_nobody_in(project: Project) -> None:
    revoked, over = made(project, "ann1"), made(project, "ann2")
    assert revoke_invitation(invitation=revoked, actor=None)
    assert not revoke_invitation(invitation=revoked, actor=None)
    end(over)
    revoked.refresh_from_db()
    assert (state_of(revoked), state_of(over)) == ("revoked", "expired")
    for invitation in (revoked, over):
        with pytest.raises(InvitationClosed):
            accept_with_new_account(invitation=invitation, username="newcomer", password="x")
    assert not User.objects.filter(username="newcomer").exists()
    assert list(Event.objects.values_list("verb", flat=True)).count("invitation_revoked") == 1


def test_a_new_account_can_sign_in_and_is_in_the_project(project: Project) -> None:
    member = accept_with_new_account(invitation=made(project), username="newcomer", password="long-enough")
    assert member.user is not None
    assert member.user.check_password("long-enough")
    assert Event.objects.get(verb="invitation_accepted").actor == member.user


def test_an_imported_person_is_taken_over_with_their_work(project: Project) -> None:
    imported = make_member(project, user=make_user("study.anno1", is_active=False), code="anno1")
    work = make_assignment(imported)
    member = accept_invitation(invitation=made(project, "anno1", role=LEAD), user=make_user("newcomer"))
    work.refresh_from_db()
    assert (member.pk, member.role, work.annotator.user) == (imported.pk, LEAD, member.user)


def test_a_code_given_away_in_the_meantime_stores_nothing(project: Project) -> None:
    invitation = made(project)
    project.memberships.filter(code="ann1").update(user=make_user("early"))
    with refused_for(PersonRefused, "taken"):
        accept_with_new_account(invitation=invitation, username="newcomer", password="x")
    invitation.refresh_from_db()
    assert state_of(invitation) == "open"
    assert not User.objects.filter(username="newcomer").exists()


def test_a_project_that_is_being_deleted_lets_nobody_in(project: Project) -> None:
    """Asked again where it counts: the page may have been opened before."""
    invitation = made(project)
    Project.objects.filter(pk=project.pk).update(goes_at=timezone.now())
    with pytest.raises(InvitationClosed):
        accept_invitation(invitation=invitation, user=make_user())
    assert not project.memberships.filter(user__is_active=True).exists()
