"""Open invitations of before places existed: each holds one, once."""

from __future__ import annotations

from datetime import timedelta
from importlib import import_module

import pytest
from django.apps import apps
from django.db import connection
from django.utils import timezone

from annotator.models import Invitation, Membership, User
from annotator.people.invitations import accept_with_new_account, revoke_invitation
from tests.factories import REVIEWER, make_member, make_project, make_user

pytestmark = pytest.mark.django_db


def test_each_open_one_holds_a_place_once() -> None:
    project = make_project("pilot")
    make_member(project, code="Ada")
    make_user("pilot.eve")
    now = timezone.now()

    def invited(code: str, **other: object) -> Invitation:
        values = {
            "role": "annotator",
            "secret_sha256": code * 8,
            "expires_at": now + timedelta(days=1),
            **other,
        }
        return Invitation.objects.create(project=project, code=code, **values)

    eve, dan = invited("eve"), invited("dan")
    invited("ada")
    invited("rev", role=REVIEWER)
    invited("used", used_at=now)
    invited("gone", revoked_at=now)
    invited("late", expires_at=now)
    holding = import_module("annotator.migrations.0027_places_of_earlier_invitations")
    for _ in range(2):
        holding.hold(apps, connection.schema_editor())
    places = Membership.objects.filter(project=project, user__is_active=False).order_by("code")
    assert [(place.code, place.user.username if place.user else "") for place in places] == [
        ("dan", "pilot.dan"),
        ("eve", "pilot.eve-2"),
    ]
    assert not User.objects.get(username="pilot.dan").has_usable_password()
    for each in (eve, dan):
        each.refresh_from_db()
    # The place is taken by its person, or leaves with its invitation.
    joined = accept_with_new_account(invitation=eve, username="eve", password="a long pass phrase")
    assert (joined.code, joined.user is not None and joined.user.username) == ("eve", "eve")
    assert revoke_invitation(invitation=dan, actor=None)
    assert set(project.memberships.values_list("code", flat=True)) == {"Ada", "eve"}
