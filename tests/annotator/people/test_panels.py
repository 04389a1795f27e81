"""What a panel's link asks: the rules behind the pages."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from annotator.models import Event, Membership, Project, Recruited, Recruitment
from annotator.people.codes import PersonRefused
from annotator.people.invitations import accept_invitation
from annotator.people.panels import is_screened_out
from annotator.people.recruiting import recruit
from annotator.people.secrets import new_secret
from annotator.records.accounts import delete_account
from annotator.records.retention import unlink_who_left
from scoring.rating_form.definition import FormDefinition, Item
from tests.factories import make_user

pytestmark = pytest.mark.django_db

ITEMS = (
    Item("age", "scale", "Age group?", points=((1, ""), (2, ""))),
    Item("eyes", "yes_no", "Good eyesight?"),
    Item("hands", "choice", "Hand?", options=(("left", "Left"), ("right", "Right"))),
    Item("work", "several", "Work?", options=(("art", "Art"), ("law", "Law"))),
)
QUESTIONS = FormDefinition("about", "About you", "age", ITEMS).as_json()
IDS = {"participant": "pid", "study": "study", "session": "session"}


def link(project: Project, **terms: Any) -> Recruitment:
    return recruit(
        project=project,
        places=2,
        stem="p",
        closes_at=timezone.now() + timedelta(days=1),
        secret=new_secret(),
        actor=None,
        **terms,
    )


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
    assert is_screened_out(Recruitment(questions=QUESTIONS, screens_out=rule), answers) is out


@pytest.mark.parametrize(
    ("terms", "entry"),
    [
        ({"consent": "Agreed?"}, None),
        ({"consent": "Agreed?"}, Recruited(answers={})),
        ({"questions": QUESTIONS}, Recruited(agreed_at=timezone.now())),
    ],
)
def test_nobody_joins_without_what_the_link_asks(
    project: Project, terms: dict[str, Any], entry: Recruited | None
) -> None:
    opened = link(project, **terms)
    with pytest.raises(PersonRefused) as refused:
        accept_invitation(invitation=opened, user=make_user("newcomer"), entry=entry)
    assert refused.value.code == "not-asked"
    assert not project.memberships.filter(user__username="newcomer").exists()
    assert not Event.objects.filter(verb="recruitment_joined").exists()


@pytest.mark.parametrize("name", ["screened_out_code", "stopped_code"])
def test_each_code_is_checked(project: Project, name: str) -> None:
    with pytest.raises(PersonRefused) as refused:
        link(project, **{name: "x\u202e"})
    assert refused.value.field == name


@pytest.mark.parametrize("how", ["account deleted", "retention"])
def test_ids_go_with_the_account_and_answers_stay(project: Project, how: str) -> None:
    entry = Recruited(**IDS, answers={"age": 2})
    member = accept_invitation(invitation=link(project), user=make_user(), entry=entry)
    assert member.user is not None
    if how == "account deleted":
        delete_account(user=member.user, actor=None)
    else:
        Membership.objects.filter(pk=member.pk).update(is_active=False)
        left = {"membership": member.pk, "code": member.code}
        Event.objects.create(project=project, verb="person_deactivated", data=left)
        assert unlink_who_left(project, 30, timezone.now() + timedelta(days=31)) == 1
    found = Recruited.objects.get()
    assert (found.participant, found.study, found.session, found.answers) == ("", "", "", {"age": 2})
