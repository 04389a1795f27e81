"""Decisions about people under real concurrency: one outcome, and always a lead."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import pytest

from annotator.models import Event, Invitation, Membership, Project, User
from annotator.people.invitations import (
    NotOpen,
    accept_invitation,
    accept_with_new_account,
    invite,
    new_secret,
    revoke_invitation,
)
from annotator.people.members import PersonRefused, change_role, deactivate_person
from tests.annotator.racing import race
from tests.factories import LEAD, make_member, make_project, make_user

pytestmark = pytest.mark.django_db(transaction=True)

ROUNDS = 5
THREADS = 8


@pytest.fixture
def project() -> Project:
    return make_project()


def invited(project: Project, code: str, secret: str | None = None) -> Invitation:
    return invite(project=project, role="annotator", code=code, secret=secret or new_secret(), actor=None)


def kinds(outcomes: Sequence[object]) -> list[str]:
    return sorted(type(outcome).__name__ for outcome in outcomes)


def test_of_eight_who_accept_at_once_one_gets_in(project: Project) -> None:
    for number in range(ROUNDS):
        invitation = invited(project, f"ann{number}")
        accounts = [make_user() for _ in range(THREADS // 2)]
        jobs: list[Callable[[], object]] = [
            partial(accept_invitation, invitation=invitation, user=user) for user in accounts
        ]
        names = [f"new-{number}-{place}" for place in range(THREADS // 2)]
        fresh: list[Callable[[], object]] = [
            partial(accept_with_new_account, invitation=invitation, username=name, password="x")
            for name in names
        ]
        outcomes = race([*jobs, *fresh])
        assert kinds(outcomes) == ["Membership"] + ["NotOpen"] * (THREADS - 1)
        [won] = [outcome for outcome in outcomes if isinstance(outcome, Membership)]
        invitation.refresh_from_db()
        assert invitation.membership == won
        # Accounts that came too late are not left behind.
        made = set(User.objects.filter(username__in=names).values_list("pk", flat=True))
        assert made <= {won.user_id}
    assert project.memberships.count() == ROUNDS
    assert Event.objects.filter(verb="invitation_accepted").count() == ROUNDS


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
        assert (type(accepted), revoked) in ((Membership, False), (NotOpen, True))
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


def test_two_leads_who_remove_each_other_leave_one(project: Project) -> None:
    for _ in range(ROUNDS):
        one, two = make_member(project, LEAD), make_member(project, LEAD)
        outcomes = race(
            [
                partial(deactivate_person, membership=two, actor=one.user),
                partial(change_role, membership=one, role="annotator", actor=two.user),
            ]
        )
        assert kinds(outcomes) == ["PersonRefused", "bool"]
        assert any(isinstance(outcome, PersonRefused) for outcome in outcomes)
        leads = project.memberships.filter(role=LEAD, is_active=True)
        assert leads.count() == 1
        leads.update(is_active=False)
