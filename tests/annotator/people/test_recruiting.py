"""Recruitment links: as many people as places, each with the next code, until the end; races over joining."""

from __future__ import annotations

from datetime import timedelta
from functools import partial
from typing import Any
from uuid import uuid4

import pytest
from django.utils import timezone

from annotator.models import Event, Invitation, Membership, Project, Recruited
from annotator.people.codes import PersonRefused
from annotator.people.invitations import accept_invitation, revoke_invitation, state_of
from annotator.people.panels import is_screened_out
from annotator.people.places import InvitationClosed
from annotator.people.recruiting import recruit, recruitments_of
from annotator.records.accounts import delete_account
from annotator.records.personal_data import unlink_who_left
from scoring.rating_form.definition import FormDefinition, Item
from tests.annotator.invited import invite
from tests.annotator.racing import kinds, race
from tests.factories import make_user, user_of
from tests.support.codes import refused

pytestmark = pytest.mark.django_db
at_once = pytest.mark.django_db(transaction=True)


def link(project: Project, places: int = 2, **more: Any) -> Invitation:
    wanted = {"project": project, "places": places, "stem": "p", "completion_code": "C0DE", **more}
    expires_at = timezone.now() + timedelta(days=1)
    return recruit(**wanted, expires_at=expires_at, request_key=uuid4(), actor=None)


def join(opened: Invitation) -> Membership:
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
    assert verbs == ["recruitment_opened", "invitation_accepted", "invitation_accepted"]


@pytest.mark.parametrize("end", ["closed", "date", "deletion"])
def test_nobody_joins_after_the_end(project: Project, end: str) -> None:
    opened = link(project)
    if end == "closed":
        assert revoke_invitation(invitation=opened, actor=None)
        assert not revoke_invitation(invitation=opened, actor=None)
    elif end == "date":
        Invitation.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    else:
        Project.objects.update(goes_at=timezone.now())
    opened.refresh_from_db()
    opened.project.refresh_from_db()
    assert state_of(opened) != "open"
    with pytest.raises(InvitationClosed):
        join(opened)


ITEMS = (
    Item("age", "scale", "Age group?", points=((1, ""), (2, ""))),
    Item("eyes", "yes_no", "Good eyesight?"),
    Item("hands", "choice", "Hand?", options=(("left", "Left"), ("right", "Right"))),
    Item("work", "several", "Work?", options=(("art", "Art"), ("law", "Law"))),
)
QUESTIONS = FormDefinition("about", "About you", "age", ITEMS).as_json()
IDS = {"participant": "pid", "study": "study", "session": "session"}


@pytest.mark.parametrize(
    ("rule", "answers", "out"),
    [
        ("age=1", {"age": 1}, True),
        ("age=1", {"age": 2}, False),
        ("eyes=no", {"eyes": False}, True),
        ("eyes=no", {}, False),
        ("hands=left", {"hands": "left"}, True),
        ("work=law", {"work": ["art", "law"]}, True),
        ("work=law", {"work": ["art"]}, False),
        ("gone=1", {"age": 1}, False),
        ("", {"age": 1}, False),
    ],
)
def test_one_answer_screens_out(rule: str, answers: dict[str, Any], out: bool) -> None:
    assert is_screened_out(Invitation(questions=QUESTIONS, screens_out=rule), answers) is out


@pytest.mark.parametrize(
    ("terms", "entry"),
    [
        ({"consent": "Agreed?"}, None),
        ({"consent": "Agreed?"}, Recruited(answers={})),
        ({"questions": QUESTIONS}, Recruited(agreed_at=timezone.now())),
    ],
)
def test_its_questions_are_needed(project: Project, terms: dict[str, Any], entry: Recruited | None) -> None:
    opened = link(project, **terms)
    with refused(PersonRefused, "not-asked"):
        accept_invitation(invitation=opened, user=make_user("newcomer"), entry=entry)
    assert not project.memberships.filter(user__username="newcomer").exists()
    assert not Event.objects.filter(verb="invitation_accepted").exists()


@pytest.mark.parametrize("how", ["account deleted", "retention"])
def test_ids_go_with_the_account_and_answers_stay(project: Project, how: str) -> None:
    entry = Recruited(**IDS, answers={"age": 2})
    member = accept_invitation(invitation=link(project), user=make_user(), entry=entry)
    if how == "account deleted":
        delete_account(user=user_of(member), actor=None)
    else:
        Membership.objects.filter(pk=member.pk).update(is_active=False)
        left = {"membership": member.pk, "code": member.code}
        Event.objects.create(project=project, verb="person_deactivated", data=left)
        assert unlink_who_left(project, 30, timezone.now() + timedelta(days=31)) == 1
    found = Recruited.objects.get()
    assert (found.participant, found.study, found.session, found.answers) == ("", "", "", {"age": 2})


ROUNDS = 5
THREADS = 8


@at_once
def test_one_person_with_two_tabs_joins_once(project: Project) -> None:
    for number in range(ROUNDS):
        invitation, user = invite(project, f"ann{number}"), make_user()
        outcomes = race([partial(accept_invitation, invitation=invitation, user=user)] * 2)
        assert kinds(outcomes) == ["AlreadyMember", "Membership"]


@at_once
def test_a_double_click_makes_one_invitation(project: Project) -> None:
    for number in range(ROUNDS):
        outcomes = race([partial(invite, project, f"ann{number}", uuid4())] * THREADS)
        assert len({outcome.pk for outcome in outcomes if isinstance(outcome, Invitation)}) == 1
    assert Event.objects.filter(verb="person_invited").count() == ROUNDS


@at_once
def test_as_many_join_a_recruitment_link_as_it_has_places(project: Project) -> None:
    opened = link(project, 10)
    users = [make_user() for _ in range(50)]
    outcomes = race([partial(accept_invitation, invitation=opened, user=user) for user in users])
    assert kinds(outcomes) == ["InvitationClosed"] * 40 + ["Membership"] * 10
    joined = [outcome for outcome in outcomes if isinstance(outcome, Membership)]
    assert sorted(member.code for member in joined) == [f"p{number:02}" for number in range(1, 11)]
    assert project.memberships.filter(user__in=users).count() == project.memberships.count() == 10
