"""Decisions about people under real concurrency: one outcome, and always a lead."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from functools import partial

import pytest
from django.utils import timezone

from annotator.models import Event, Invitation, Membership, Project
from annotator.people.invitations import accept_invitation, revoke_invitation
from annotator.people.inviting_many import invite_many
from annotator.people.places import InvitationClosed
from annotator.people.recruiting import recruit
from annotator.people.secrets import new_secret
from tests.annotator.invited import invite
from tests.annotator.racing import kinds, race
from tests.factories import make_user

pytestmark = pytest.mark.django_db(transaction=True)

ROUNDS = 5
THREADS = 8


def invited(project: Project, code: str, secret: str | None = None) -> Invitation:
    return invite(project=project, role="annotator", code=code, secret=secret or new_secret(), actor=None)


def test_one_person_with_two_tabs_joins_once(project: Project) -> None:
    for number in range(ROUNDS):
        invitation, user = invited(project, f"ann{number}"), make_user()
        outcomes = race([partial(accept_invitation, invitation=invitation, user=user)] * 2)
        assert kinds(outcomes) == ["AlreadyMember", "Membership"]


def test_revoking_and_accepting_have_one_outcome(project: Project) -> None:
    for number in range(ROUNDS):
        invitation = invited(project, f"ann{number}")
        both: list[Callable[[], object]] = [
            partial(accept_invitation, invitation=invitation, user=make_user()),
            partial(revoke_invitation, invitation=invitation, actor=None),
        ]
        accepted, revoked = race(both)
        invitation.refresh_from_db()
        assert (type(accepted), revoked) in ((Membership, False), (InvitationClosed, True))
        assert (invitation.revoked_at is None, invitation.used_at is None) == (not revoked, revoked)


def test_a_double_click_makes_one_invitation(project: Project) -> None:
    for number in range(ROUNDS):
        outcomes = race([partial(invited, project, f"ann{number}", new_secret())] * THREADS)
        assert len({outcome.pk for outcome in outcomes if isinstance(outcome, Invitation)}) == 1
    assert Event.objects.filter(verb="person_invited").count() == ROUNDS


def test_one_code_is_promised_to_one_person(project: Project) -> None:
    for number in range(ROUNDS):
        outcomes = race([partial(invited, project, f"ann{number}") for _ in range(THREADS)])
        assert kinds(outcomes) == ["Invitation"] + ["PersonRefused"] * (THREADS - 1)


def test_as_many_join_a_recruitment_link_as_it_has_places(project: Project) -> None:
    link = recruit(
        project=project,
        places=10,
        stem="p",
        completion_code="",
        closes_at=timezone.now() + timedelta(days=1),
        secret=new_secret(),
        actor=None,
    )
    users = [make_user() for _ in range(50)]
    outcomes = race([partial(accept_invitation, invitation=link, user=user) for user in users])
    assert kinds(outcomes) == ["InvitationClosed"] * 40 + ["Membership"] * 10
    joined = [outcome for outcome in outcomes if isinstance(outcome, Membership)]
    assert sorted(member.code for member in joined) == [f"p{number:02}" for number in range(1, 11)]
    assert project.memberships.filter(user__in=users).count() == project.memberships.count() == 10


def test_a_repeated_form_invites_many_once(project: Project) -> None:
    for number in range(ROUNDS):
        text = f"a{number}-1\na{number}-2"
        again = partial(invite_many, project=project, text=text, seed=new_secret(), actor=None)
        outcomes = race([again] * 4)
        assert all(outcome == outcomes[0] for outcome in outcomes)
    assert project.invitations.count() == project.memberships.count() == 2 * ROUNDS
