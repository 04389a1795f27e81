"""Members: roles, accounts, and places that wait for their person."""

from __future__ import annotations

import re
from io import StringIO

import pytest
from django.core.management import call_command

from annotator.batches.designs import Selection, design_of, images_of
from annotator.batches.people_changes import apply_people_change, outcome_of, propose_people_change
from annotator.batches.planning import make_plan
from annotator.models import Annotation, Batch, Event, Membership, Project, User
from annotator.people.codes import PersonRefused, waiting_members, waits_for_its_person
from annotator.people.invitations import accept_invitation, revoke_invitation
from annotator.people.members import add_person, change_role, deactivate_person, reactivate_person
from annotator.people.places import abandoned_places, with_invitations
from tests.annotator.acting import queue_progress, save
from tests.annotator.invited import expire, invite
from tests.annotator.planned import faults_in, make_study, people_of, release_plan
from tests.factories import LEAD, make_assignment, make_member, make_project, make_user, user_of
from tests.support.codes import refused

pytestmark = pytest.mark.django_db


def test_a_new_lead_gets_an_account_and_a_password_that_works() -> None:
    project = make_project()
    said = StringIO()
    call_command("add_person", "newcomer", project=project.slug, role="lead", stdout=said)
    password = re.search(r"Password: (\S+)", said.getvalue())
    user = User.objects.get(username="newcomer")
    assert password
    assert user.check_password(password[1])
    event = Event.objects.get(verb="person_added")
    assert event.data == {"account": user.pk, "role": "lead", "code": "newcomer"}
    # A known account keeps its password and can be in two projects.
    assert add_person(project=make_project(), username="newcomer", role="annotator")[1] == ""
    user.refresh_from_db()
    assert user.check_password(password[1])
    assert set(user.memberships.values_list("role", "code")) == {
        ("lead", "newcomer"),
        ("annotator", "newcomer"),
    }


def test_nobody_takes_over_somebody_who_can_sign_in() -> None:
    project = make_project()
    add_person(project=project, username="newcomer", role="annotator")
    with pytest.raises(PersonRefused, match="The code newcomer belongs to newcomer"):
        add_person(project=project, username="other", role="annotator", code="newcomer")
    assert not User.objects.filter(username="other").exists()


def test_nobody_locks_themselves_out(project: Project, lead: Membership) -> None:
    make_member(project, LEAD)
    with refused(PersonRefused, "own-rights"):
        change_role(membership=lead, role="annotator", actor=user_of(lead))
    with refused(PersonRefused, "own-rights"):
        deactivate_person(membership=lead, actor=user_of(lead))
    assert not Event.objects.exists()


def test_the_last_lead_stays(project: Project, lead: Membership) -> None:
    # Those cannot lead: one has no rights here any more, the other's account lets nobody in.
    make_member(project, LEAD, is_active=False)
    make_member(project, LEAD, user=make_user(is_active=False))
    make_member(make_project(), LEAD)
    with refused(PersonRefused, "last-lead"):
        change_role(membership=lead, role="annotator", actor=None)
    with refused(PersonRefused, "last-lead"):
        deactivate_person(membership=lead, actor=None)
    second = make_member(project, LEAD)
    assert deactivate_person(membership=second, actor=user_of(lead))
    lead.refresh_from_db()
    assert (lead.role, lead.is_active) == (LEAD, True)


def test_changes_are_written_down_once_and_work_is_kept(project: Project, lead: Membership) -> None:
    assignment = make_assignment(make_member(project, code="ada"))
    save(assignment)
    member, actor = assignment.annotator, user_of(lead)
    for expected in (True, False):
        assert change_role(membership=member, role="reviewer", actor=actor) is expected
    for expected in (True, False):
        assert deactivate_person(membership=member, actor=actor) is expected
    assert (member.role, member.is_active, Annotation.objects.count()) == ("reviewer", False, 1)
    for expected in (True, False):
        assert reactivate_person(membership=member, actor=actor) is expected
    acts = Event.objects.filter(assignment=None, actor=actor).values_list("verb", "data")
    who = {"membership": member.pk, "code": "ada"}
    assert list(acts) == [
        ("role_changed", {**who, "replaced": {"role": "annotator"}, "role": "reviewer"}),
        ("person_deactivated", {**who, "replaced": {"is_active": True}, "is_active": False}),
        ("person_reactivated", {**who, "replaced": {"is_active": False}, "is_active": True}),
    ]


@pytest.fixture
def project() -> Project:
    return make_study("places", codes="AB")


def released(project: Project, codes: str = "AB", *more: str) -> Batch:
    people = [*people_of(project, codes), *(project.memberships.get(code=code) for code in more)]
    images = images_of(project, Selection(), "anatomy")
    plan = make_plan(design_of(project=project, images=images, people=people, overlap=0))
    return release_plan(project=project, name="Planned", plan=plan)


def place(project: Project, code: str = "ann1") -> Membership:
    return with_invitations(project.memberships.filter(code=code)).get()


def test_the_queue_of_a_place_waits_for_its_person(project: Project) -> None:
    invitation = invite(project)
    batch = released(project, "AB", "ann1")
    held = place(project)
    assert waits_for_its_person(held)
    assert held.is_invited  # type: ignore[attr-defined]
    assert (user_of(held).is_active, user_of(held).has_usable_password()) == (False, False)
    waiting = queue_progress(held)
    assert (waiting.done, waiting.total) == (0, 8)
    count = User.objects.count()
    member = accept_invitation(invitation=invitation, user=make_user("newcomer"))
    assert member.pk == held.pk
    assert queue_progress(member) == waiting
    # The account that held the place is gone; the newcomer's came.
    assert User.objects.count() == count
    assert faults_in(batch) == []


def test_who_waits_for_their_person(project: Project) -> None:
    imported = make_member(project, user=make_user(is_active=False), code="anno1")
    make_member(project, user=make_user(password="can-sign-in"))
    make_member(project, user=make_user(password="could-sign-in", is_active=False))
    make_member(project, user=make_user())  # an account without a password that is in use
    Membership.objects.create(project=project, user=None, role="annotator", code="has-left")
    waiting = [each for each in project.memberships.all() if waits_for_its_person(each)]
    assert waiting == list(waiting_members(project)) == [imported]


@pytest.mark.parametrize("end", ["revoked", "expired"])
def test_what_waits_for_nobody_is_told_and_can_be_given_to_others(project: Project, end: str) -> None:
    invitation = invite(project)
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


def test_only_a_place_without_images_goes_with_its_invitation(project: Project) -> None:
    accounts = User.objects.count()
    assert revoke_invitation(invitation=invite(project), actor=None)
    assert not project.memberships.filter(code="ann1").exists()
    assert User.objects.count() == accounts
    imported = make_member(project, user=make_user("waiting", is_active=False), code="imported1")
    assert revoke_invitation(invitation=invite(project, "imported1"), actor=None)
    assert project.memberships.filter(pk=imported.pk).exists()
