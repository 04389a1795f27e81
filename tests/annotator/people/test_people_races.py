"""Decisions about people under real concurrency: one outcome, and always a lead."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import pytest

from annotator.models import Event, Invitation, Membership, Project
from annotator.people.invitations import (
    InvitationClosed,
    accept_invitation,
    invite,
    new_secret,
    revoke_invitation,
)
from tests.annotator.racing import race
from tests.factories import make_project, make_user

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
