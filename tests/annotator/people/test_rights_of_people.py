"""Roles and access of members: what changes, what is refused, what is written down."""

from __future__ import annotations

import pytest

from annotator.models import Annotation, Event, Membership, Project, User
from annotator.people.members import (
    PersonRefused,
    change_role,
    deactivate_person,
    open_work_by_batch,
    reactivate_person,
)
from tests.annotator.acting import save
from tests.factories import LEAD, make_assignment, make_batch, make_member, make_project, make_user
from tests.support.codes import refused

pytestmark = pytest.mark.django_db


@pytest.fixture
def lead(project: Project) -> Membership:
    return make_member(project, LEAD, code="lee")


def account(member: Membership) -> User:
    assert member.user is not None
    return member.user


def test_a_role_changes_once_and_is_written_down(project: Project, lead: Membership) -> None:
    member = make_member(project, code="ada")
    assert change_role(membership=member, role="reviewer", actor=account(lead))
    assert member.role == "reviewer"
    assert not change_role(membership=member, role="reviewer", actor=account(lead))
    event = Event.objects.get()
    assert (event.verb, event.actor, event.project) == ("role_changed", lead.user, project)
    assert event.data == {
        "membership": member.pk,
        "code": "ada",
        "replaced": {"role": "annotator"},
        "role": "reviewer",
    }


def test_unknown_roles_are_refused(project: Project) -> None:
    with pytest.raises(PersonRefused, match="'boss'") as caught:
        change_role(membership=make_member(project), role="boss", actor=None)
    assert caught.value.field == "role"


def test_nobody_locks_themselves_out(project: Project, lead: Membership) -> None:
    make_member(project, LEAD)
    with refused(PersonRefused, "own-rights"):
        change_role(membership=lead, role="annotator", actor=account(lead))
    with pytest.raises(PersonRefused, match="You cannot remove your own rights"):
        deactivate_person(membership=lead, actor=account(lead))
    assert not Event.objects.exists()


def test_the_last_lead_stays(project: Project, lead: Membership) -> None:
    # Those cannot lead: one has no rights here any more, the other's account lets nobody in.
    make_member(project, LEAD, is_active=False)
    make_member(project, LEAD, user=make_user(is_active=False))
    make_member(make_project(), LEAD)
    with refused(PersonRefused, "last-lead"):
        change_role(membership=lead, role="annotator", actor=None)
    with pytest.raises(PersonRefused, match="lee is the project's only lead"):
        deactivate_person(membership=lead, actor=None)
    second = make_member(project, LEAD)
    assert deactivate_person(membership=second, actor=account(lead))
    lead.refresh_from_db()
    assert (lead.role, lead.is_active) == (LEAD, True)


def test_a_lead_who_cannot_act_can_be_changed(project: Project, lead: Membership) -> None:
    off = make_member(project, LEAD, is_active=False)
    assert change_role(membership=off, role="annotator", actor=account(lead))


def test_deactivated_and_back_with_everything_kept(project: Project, lead: Membership) -> None:
    assignment = make_assignment(make_member(project, code="ada"))
    save(assignment)
    member = assignment.annotator
    assert deactivate_person(membership=member, actor=account(lead))
    assert not deactivate_person(membership=member, actor=account(lead))
    assert (member.is_active, Annotation.objects.count()) == (False, 1)
    assert reactivate_person(membership=member, actor=account(lead))
    assert not reactivate_person(membership=member, actor=account(lead))
    acts = Event.objects.filter(assignment=None).values_list("verb", "data__replaced", "data__is_active")
    assert list(acts) == [
        ("person_deactivated", {"is_active": True}, False),
        ("person_reactivated", {"is_active": False}, True),
    ]


def test_open_work_is_counted_by_batch(project: Project) -> None:
    member, other = make_member(project), make_member(project)
    first, second, done = make_batch(project), make_batch(project), make_batch(project)
    save(make_assignment(member, batch=first))
    make_assignment(member, batch=first)
    make_assignment(member, batch=first, status="done")
    make_assignment(member, batch=second)
    make_assignment(member, batch=done, status="skipped")
    for batch in (first, second, done):
        make_assignment(other, batch=batch)
    found = [vars(batch) for batch in open_work_by_batch(member)]
    assert [(batch["id"], batch["unfinished"], batch["begun"]) for batch in found] == [
        (first.pk, 2, 1),
        (second.pk, 1, 0),
    ]
