"""Recruitment links, and places that wait for their person."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from annotator.annotations.queue import queue_progress
from annotator.batches.completion import annotator_progress
from annotator.batches.designs import Selection, design_of, images_of
from annotator.batches.people_changes import apply_people_change, outcome_of, propose_people_change
from annotator.batches.planning import make_plan
from annotator.batches.releases import release_plan
from annotator.models import Assignment, Batch, Event, Invitation, Membership, Project, Recruitment, User
from annotator.people.codes import PersonRefused, waits_for_its_person
from annotator.people.invitations import (
    AlreadyMember,
    InvitationClosed,
    accept_invitation,
    invite,
    renew_invitation,
    revoke_invitation,
    state_of,
)
from annotator.people.places import abandoned_places, with_invitations
from annotator.people.recruiting import (
    close_recruitment,
    completion_code,
    recruit,
    recruitment_with,
    recruitments_of,
    renew_recruitment,
    state_of_counted,
)
from annotator.people.secrets import new_secret
from tests.annotator.planned import faults_in, make_study, people_of
from tests.factories import make_assignment, make_batch, make_member, make_project, make_user

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
    assert (counted.made, counted.joined, state_of_counted(counted)) == (2, 2, "used")
    verbs = list(Event.objects.order_by("pk").values_list("verb", flat=True))
    assert verbs == ["recruitment_opened", "recruitment_joined", "recruitment_joined"]


def test_codes_go_on_after_all_that_were_ever_given(project: Project) -> None:
    make_member(project, code="P7")
    link(project, 3)
    assert codes(project) == ["P7", "p08", "p09", "p10"]
    assert link(make_project(), 120).places.order_by("pk").last().code == "p120"  # type: ignore[union-attr]


def test_the_same_secret_is_one_link(project: Project) -> None:
    secret = new_secret()
    assert link(project, secret=secret) == link(project, secret=secret) == recruitment_with(secret)
    assert codes(project) == ["p01", "p02"]


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


def test_closing_keeps_people_and_places_with_images(project: Project) -> None:
    opened = link(project, 3)
    join(opened)
    make_assignment(project.memberships.get(code="p02"), batch=make_batch(project))
    assert close_recruitment(link=opened, actor=None)
    assert codes(project) == ["p01", "p02"]
    assert Event.objects.filter(verb="recruitment_closed", data__remain=1).exists()


def test_a_deactivated_place_is_not_given(project: Project) -> None:
    opened = link(project)
    project.memberships.filter(code="p01").update(is_active=False)
    assert join(opened).code == "p02"
    assert state_of(opened) == "used"


def test_a_new_address_replaces_the_old_one(project: Project) -> None:
    old, new = new_secret(), new_secret()
    opened = link(project, secret=old)
    renew_recruitment(link=opened, secret=new, actor=None)
    assert (recruitment_with(old), recruitment_with(new)) == (None, opened)
    close_recruitment(link=opened, actor=None)
    with pytest.raises(InvitationClosed):
        renew_recruitment(link=opened, secret=new_secret(), actor=None)


def test_the_completion_code_is_of_the_link_they_joined_by(project: Project) -> None:
    assert completion_code(join(link(project))) == "C0DE"
    assert completion_code(join(link(project, completion_code=""))) == ""
    assert completion_code(make_member(project)) == ""


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
        ({"completion_code": "x" * 81}, "completion_code"),
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


@pytest.fixture
def project() -> Project:
    return make_study("places", codes="AB")


def invited(project: Project, code: str = "ann1", **more: Any) -> Invitation:
    wanted = {"role": "annotator", "secret": new_secret(), "actor": None, **more}
    return invite(project=project, code=code, **wanted)


def released(project: Project, codes: str = "AB", *more: str) -> Batch:
    people = [*people_of(project, codes), *(project.memberships.get(code=code) for code in more)]
    images = images_of(project, Selection(), "anatomy")
    plan = make_plan(design_of(project=project, images=images, people=people, overlap=0))
    return release_plan(project=project, name="Planned", plan=plan)


def place(project: Project, code: str = "ann1") -> Membership:
    return with_invitations(project.memberships.filter(code=code)).get()


def expire(invitation: Invitation) -> None:
    Invitation.objects.filter(pk=invitation.pk).update(expires_at=timezone.now() - timedelta(seconds=1))


def test_an_annotators_invitation_holds_a_place_that_nobody_can_sign_in_to(project: Project) -> None:
    invited(project)
    held = place(project)
    assert waits_for_its_person(held)
    assert held.is_invited  # type: ignore[attr-defined]
    assert held.user is not None
    assert (held.user.is_active, held.user.has_usable_password()) == (False, False)


@pytest.mark.parametrize("role", ["lead", "reviewer"])
def test_others_hold_no_place(project: Project, role: str) -> None:
    invited(project, role=role)
    assert not project.memberships.filter(code="ann1").exists()


def test_the_queue_of_a_place_waits_for_its_person(project: Project) -> None:
    invitation = invited(project)
    batch = released(project, "AB", "ann1")
    held = place(project)
    waiting = queue_progress(held)
    assert (waiting.done, waiting.total) == (0, 8)
    count = User.objects.count()
    user = make_user("newcomer")
    member = accept_invitation(invitation=invitation, user=user)
    assert member.pk == held.pk
    assert queue_progress(member) == waiting
    assert Assignment.objects.filter(batch=batch, annotator__user=user).count() == 8
    # The account that held the place is gone; the newcomer's came.
    assert User.objects.count() == count
    assert faults_in(batch) == []


def test_nobody_is_silent_before_they_join_and_then_counted_from_that_day(project: Project) -> None:
    invitation = invited(project)
    batch = released(project, "AB", "ann1")
    long_ago = timezone.now() - timedelta(days=10)
    Batch.objects.update(created_at=long_ago)
    Membership.objects.update(created_at=long_ago)
    batch.refresh_from_db()
    inactive = {each.annotator.code: (each.inactive, each.waits) for each in annotator_progress(batch)}
    assert inactive == {"A": (True, False), "B": (True, False), "ann1": (False, True)}
    accept_invitation(invitation=invitation, user=make_user())
    inactive = {each.annotator.code: (each.inactive, each.waits) for each in annotator_progress(batch)}
    assert inactive["ann1"] == (False, False)


@pytest.mark.parametrize("end", ["revoked", "expired"])
def test_what_waits_for_nobody_is_told_and_can_be_given_to_others(project: Project, end: str) -> None:
    invitation = invited(project)
    batch = released(project, "AB", "ann1")
    assert not abandoned_places(project).exists()
    if end == "revoked":
        assert revoke_invitation(invitation=invitation, actor=None)
    else:
        expire(invitation)
    assert [(each.code, each.unfinished) for each in abandoned_places(project)] == [("ann1", 8)]
    leaving = [place(project)]
    change = propose_people_change(batch=batch, leaving=leaving)
    why = "No answer"
    apply_people_change(batch=batch, leaving=leaving, outcome=outcome_of(change), reason=why, actor=None)
    assert not abandoned_places(project).exists()
    assert faults_in(batch) == []


def test_a_new_invitation_ends_the_waiting(project: Project) -> None:
    expire(invited(project))
    released(project, "AB", "ann1")
    assert abandoned_places(project).exists()
    invited(project)
    assert not abandoned_places(project).exists()


def test_a_place_without_images_goes_with_its_invitation(project: Project) -> None:
    accounts = User.objects.count()
    assert revoke_invitation(invitation=invited(project), actor=None)
    assert not project.memberships.filter(code="ann1").exists()
    assert User.objects.count() == accounts


def test_an_imported_annotator_stays_when_an_invitation_is_revoked(project: Project) -> None:
    user = make_user("waiting", is_active=False)
    imported = make_member(project, user=user, code="imported1")
    assert revoke_invitation(invitation=invited(project, "imported1"), actor=None)
    assert project.memberships.filter(pk=imported.pk).exists()


def test_a_new_link_replaces_the_old_one(project: Project) -> None:
    old, new = new_secret(), new_secret()
    invitation = invited(project, secret=old)
    expire(invitation)
    renew_invitation(invitation=invitation, secret=new, actor=None)
    renew_invitation(invitation=invitation, secret=new, actor=None)
    assert invitation.expires_at > timezone.now() + timedelta(days=6)
    assert project.invitations.count() == 1
    assert [event.verb for event in Event.objects.order_by("pk")] == ["person_invited", "invitation_renewed"]
