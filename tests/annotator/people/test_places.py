"""Places: planned before anybody joins, and told about when nobody can join any more."""

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
from annotator.models import Assignment, Batch, Event, Invitation, Membership, Project, User
from annotator.people.codes import waits_for_its_person
from annotator.people.invitations import accept_invitation, renew_invitation, revoke_invitation
from annotator.people.places import abandoned_places, with_invitations
from annotator.people.secrets import new_secret
from tests.annotator.invited import invite
from tests.annotator.planned import faults_in, make_study, people_of
from tests.factories import make_member, make_user

pytestmark = pytest.mark.django_db


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
