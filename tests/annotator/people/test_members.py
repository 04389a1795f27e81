"""People join projects: new accounts, known ones, and those who came with an import."""

from __future__ import annotations

import re
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from annotator.management.arguments import UnknownProject
from annotator.models import Event, Membership, User
from annotator.people.members import PersonRefused, add_person
from tests.factories import make_project

pytestmark = pytest.mark.django_db


def say(*arguments: str) -> str:
    out = StringIO()
    call_command("add_person", *arguments, stdout=out)
    return out.getvalue()


def test_a_new_lead_gets_an_account_and_a_password_that_works() -> None:
    project = make_project()
    said = say("newcomer", "--project", project.slug, "--role", "lead")
    password = re.search(r"Password: (\S+)", said)
    user = User.objects.get(username="newcomer")
    assert password
    assert user.check_password(password[1])
    assert list(user.memberships.values_list("project__slug", "role", "code")) == [
        (project.slug, "lead", "newcomer")
    ]
    event = Event.objects.get(verb="person_added")
    assert event.data == {"account": user.pk, "role": "lead", "code": "newcomer"}


def test_a_known_account_keeps_its_password_and_can_be_in_two_projects() -> None:
    user = User.objects.create_user("newcomer", password="kept-as-it-is")
    for project in (make_project(), make_project()):
        _, password = add_person(project=project, username="newcomer", role="annotator")
        assert password == ""
    user.refresh_from_db()
    assert user.check_password("kept-as-it-is")
    assert user.memberships.count() == 2


def test_an_imported_annotator_is_taken_over_with_their_work() -> None:
    project = make_project()
    imported = User.objects.create(username="study.anno1", is_active=False)
    imported.set_unusable_password()
    imported.save()
    member = Membership.objects.create(project=project, user=imported, role="annotator", code="anno1")
    say("newcomer", "--project", project.slug, "--role", "annotator", "--code", "anno1")
    member.refresh_from_db()
    assert member.user is not None
    assert member.user.username == "newcomer"


def test_nobody_takes_over_somebody_who_can_sign_in() -> None:
    project = make_project()
    add_person(project=project, username="newcomer", role="annotator")
    with pytest.raises(PersonRefused, match="The code newcomer belongs to newcomer"):
        add_person(project=project, username="other", role="annotator", code="newcomer")
    assert not User.objects.filter(username="other").exists()


def test_refusals_are_named() -> None:
    project = make_project()
    say("newcomer", "--project", project.slug, "--role", "lead")
    with pytest.raises(CommandError, match=f"newcomer is already a member of {project.slug}"):
        say("newcomer", "--project", project.slug, "--role", "lead")
    with pytest.raises(UnknownProject):
        say("newcomer", "--project", "nowhere", "--role", "lead")
    with pytest.raises(PersonRefused, match=r"There is no role 'boss'. Roles: lead, annotator, reviewer"):
        add_person(project=project, username="x", role="boss")
