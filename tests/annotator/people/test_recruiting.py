"""Recruitment links: as many people as places, each with the next code, until the link is closed."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from annotator.models import Event, Membership, Project, Recruitment
from annotator.people.codes import PersonRefused
from annotator.people.invitations import AlreadyMember, accept_invitation, state_of
from annotator.people.places import InvitationClosed
from annotator.people.recruiting import close_recruitment, recruit, recruitments_of
from annotator.people.secrets import new_secret
from tests.factories import make_user

pytestmark = pytest.mark.django_db


def link(project: Project, places: int = 2, **more: Any) -> Recruitment:
    wanted = {
        "stem": "p",
        "completion_code": "C0DE",
        "closes_at": timezone.now() + timedelta(days=1),
        "secret": new_secret(),
        "actor": None,
        **more,
    }
    return recruit(project=project, places=places, **wanted)


def join(opened: Recruitment) -> Membership:
    return accept_invitation(invitation=opened, user=make_user())


def codes(project: Project) -> list[str]:
    return list(project.memberships.order_by("pk").values_list("code", flat=True))


def test_each_takes_the_next_code_until_the_link_is_full(project: Project) -> None:
    opened = link(project)
    assert (codes(project), state_of(opened)) == (["p01", "p02"], "open")
    first, second = join(opened), join(opened)
    assert (first.code, second.code) == ("p01", "p02")
    assert {first.role, second.role} == {"annotator"}
    assert state_of(opened) == "used"
    with pytest.raises(InvitationClosed):
        join(opened)
    [counted] = recruitments_of(project)
    assert (counted.made, counted.joined, state_of(counted)) == (2, 2, "used")
    verbs = list(Event.objects.order_by("pk").values_list("verb", flat=True))
    assert verbs == ["recruitment_opened", "recruitment_joined", "recruitment_joined"]


def test_a_member_does_not_take_a_second_place(project: Project) -> None:
    opened = link(project)
    member = join(opened)
    assert member.user is not None
    with pytest.raises(AlreadyMember):
        accept_invitation(invitation=opened, user=member.user)


@pytest.mark.parametrize("end", ["closed", "date", "deletion"])
def test_nobody_joins_after_the_end(project: Project, end: str) -> None:
    opened = link(project)
    if end == "closed":
        assert close_recruitment(link=opened, actor=None)
        assert not close_recruitment(link=opened, actor=None)
    elif end == "date":
        Recruitment.objects.update(closes_at=timezone.now() - timedelta(seconds=1))
    else:
        Project.objects.update(goes_at=timezone.now())
    opened.refresh_from_db()
    opened.project.refresh_from_db()
    assert state_of(opened) != "open"
    with pytest.raises(InvitationClosed):
        join(opened)


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"places": 0}, "places"),
        ({"places": 501}, "places"),
        ({"stem": ""}, "stem"),
        ({"stem": "p1"}, "stem"),
        ({"stem": "=p"}, "stem"),
        ({"stem": "p\x00"}, "stem"),
        ({"stem": "pа"}, "stem"),
        ({"completion_code": "x" * 201}, "completion_code"),
        ({"completion_code": "x\x00"}, "completion_code"),
        ({"completion_code": "x\u202e"}, "completion_code"),
        ({"closes_at": timezone.now() - timedelta(days=1)}, "closes"),
    ],
)
def test_nonsense_is_refused_beside_its_field(project: Project, wrong: dict[str, Any], field: str) -> None:
    with pytest.raises(PersonRefused) as refused:
        link(project, **wrong)
    assert refused.value.field == field
    assert not Event.objects.exists()
    assert not project.memberships.exists()
