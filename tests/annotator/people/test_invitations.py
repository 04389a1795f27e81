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
    AlreadyMember,
    accept_invitation,
    accept_with_new_account,
    invitation_with,
    revoke_invitation,
    state_of,
)
from annotator.people.places import InvitationClosed
from annotator.people.secrets import new_secret
from tests.annotator.invited import invite
from tests.factories import LEAD, make_assignment, make_member, make_user
from tests.support.codes import refused as refused_for

pytestmark = pytest.mark.django_db


def made(project: Project, code: str = "ann1", **more: Any) -> Invitation:
    wanted = {"role": "annotator", "secret": new_secret(), "actor": None, **more}
    return invite(project=project, code=code, **wanted)


def end(invitation: Invitation) -> None:
    Invitation.objects.filter(pk=invitation.pk).update(expires_at=timezone.now() - timedelta(seconds=1))
    invitation.refresh_from_db()


def test_a_secret_has_256_bits_and_is_drawn_anew() -> None:
    assert len({new_secret() for _ in range(100)}) == 100
    assert all(len(new_secret()) == 43 for _ in range(10))


def test_only_the_hash_is_stored_and_events_do_not_tell_the_secret(project: Project) -> None:
    lead = make_user()
    secret = new_secret()
    invitation = invite(project=project, role="reviewer", code="rev1", days=3, secret=secret, actor=lead)
    assert invitation.secret_sha256 == sha256(secret.encode()).hexdigest()
    assert (invitation.role, invitation.code, invitation.made_by) == ("reviewer", "rev1", lead)
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
    assert events[1][1] == {
        "invitation": invitation.pk,
        "role": "reviewer",
        "code": "rev1",
        "account": newcomer.pk,
        "new_account": False,
    }


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("x" * 81, "81 characters; the limit is 80"),
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


@pytest.mark.parametrize("code", ["a", "x" * 80, "Å 2", "participant no. 3", "7"])
def test_other_codes_are_fine(project: Project, code: str) -> None:
    assert made(project, code).code == code


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"days": 0}, "days"),
        ({"days": 91}, "days"),
    ],
)
def test_other_nonsense_is_refused_by_name(project: Project, wrong: dict[str, Any], field: str) -> None:
    with pytest.raises(PersonRefused) as refused:
        made(project, **wrong)
    assert refused.value.field == field
    assert not Event.objects.exists()


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


def test_a_used_one_cannot_be_revoked(project: Project) -> None:
    invitation = made(project)
    accept_invitation(invitation=invitation, user=make_user())
    assert not revoke_invitation(invitation=invitation, actor=None)


def test_a_new_account_can_sign_in_and_is_in_the_project(project: Project) -> None:
    member = accept_with_new_account(invitation=made(project), username="newcomer", password="long-enough")
    assert member.user is not None
    assert member.user.check_password("long-enough")
    assert Event.objects.get(verb="invitation_accepted").actor == member.user


def test_a_taken_user_name_uses_nothing_up(project: Project) -> None:
    make_user("newcomer")
    invitation = made(project)
    with pytest.raises(PersonRefused, match="That user name is taken") as refused:
        accept_with_new_account(invitation=invitation, username="newcomer", password="x")
    invitation.refresh_from_db()
    assert (refused.value.field, state_of(invitation)) == ("username", "open")


@pytest.mark.parametrize("is_active", [True, False])
def test_a_member_uses_nothing_up(project: Project, is_active: bool) -> None:
    member = make_member(project, is_active=is_active)
    invitation = made(project)
    assert member.user is not None
    with pytest.raises(AlreadyMember):
        accept_invitation(invitation=invitation, user=member.user)
    invitation.refresh_from_db()
    assert state_of(invitation) == "open"


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
