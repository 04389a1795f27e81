"""What becomes of an account: its sessions, its data, its end."""

from __future__ import annotations

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from annotator.models import ApiToken, Event, Membership, User
from annotator.people.codes import PersonRefused
from annotator.people.tokens import create_token, new_secret, token_with
from annotator.records.accounts import delete_account, sign_out_everywhere
from tests.annotator.web.views.conftest import Study, as_lead, signed_in, study
from tests.factories import LEAD, make_member, make_project
from tests.support.codes import codes

__all__ = ["as_lead", "study"]

pytestmark = pytest.mark.django_db

PASSWORD = "a-word-of-its-own"


def user_of(member: Membership) -> User:
    assert member.user is not None
    return member.user


def test_signing_out_everywhere_ends_every_session_and_token(study: Study) -> None:
    user = user_of(study.ada)
    desk, phone, other = signed_in(study.ada), signed_in(study.ada), signed_in(study.bob)
    secret = new_secret()
    create_token(user=user, secret=secret, name="notebook", days=1)
    assert desk.get("/settings/").status_code == phone.get("/settings/").status_code == 200
    sign_out_everywhere(user)
    assert [each.get("/settings/").status_code for each in (desk, phone, other)] == [302, 302, 200]
    assert token_with(secret) is None
    again = Client()
    again.force_login(User.objects.get(pk=user.pk))
    assert again.get("/settings/").status_code == 200


def test_an_empty_salt_keeps_the_sessions_of_before(study: Study) -> None:
    """The session hash is Django's own as long as nobody signed out everywhere."""
    from django.contrib.auth.base_user import AbstractBaseUser

    user = user_of(study.ada)
    assert user.get_session_auth_hash() == AbstractBaseUser._get_session_auth_hash(user)  # type: ignore[attr-defined]


def test_what_is_personal_goes_and_the_science_stays(study: Study) -> None:
    user = user_of(study.ada)
    user.first_name, user.email = "canary-name", "canary@example.org"
    user.set_password(PASSWORD)
    user.save()
    desk = signed_in(study.ada)
    code, pk = study.ada.code, user.pk
    delete_account(user=user, actor=user)
    stored = User.objects.get(pk=pk)
    assert (stored.username, stored.first_name, stored.email) == (f"deleted-{pk}", "", "")
    assert (stored.is_active, stored.has_usable_password(), stored.last_login) == (False, False, None)
    member = Membership.objects.get(pk=study.ada.pk)
    assert (member.code, member.is_active, member.user_id) == (code, False, pk)
    assert member.assignments.count() == 3
    assert desk.get("/").status_code == 302
    assert Event.objects.get(verb="account_deleted").data == {
        "membership": member.pk,
        "code": code,
        "account": pk,
    }


def test_no_event_names_the_person(study: Study) -> None:
    out = StringIO()
    words = ("canary-name", "--project", "pilot", "--role", "annotator", "--code", "a9")
    call_command("add_person", *words, stdout=out)
    assert "canary-name" not in json.dumps(list(Event.objects.values_list("data", flat=True)))


def test_the_last_lead_of_a_project_stays(study: Study) -> None:
    other = make_project("other")
    lead = user_of(study.lead)
    make_member(other, LEAD, user=lead)
    make_member(other, LEAD)
    with pytest.raises(PersonRefused, match=r"You are the last lead of “Pilot”\. Give another member"):
        delete_account(user=lead, actor=lead)
    assert User.objects.get(pk=lead.pk).is_active
    assert Membership.objects.filter(user=lead, is_active=True).count() == 2
    make_member(study.project, LEAD)
    delete_account(user=lead, actor=lead)
    assert Event.objects.filter(verb="account_deleted").count() == 2


def test_the_page_asks_for_the_password(study: Study) -> None:
    user = user_of(study.ada)
    user.set_password(PASSWORD)
    user.save()
    client = signed_in(study.ada)
    wrong = client.post("/settings/account/delete/", {"password": "guess"})
    assert (wrong.status_code, codes(wrong)) == (422, ["wrong"])
    assert User.objects.get(pk=user.pk).is_active
    assert client.get("/settings/account/delete/").status_code == 302
    gone = client.post("/settings/account/delete/", {"password": PASSWORD}, follow=True)
    assert "deleted" in codes(gone)
    assert not User.objects.get(pk=user.pk).is_active


def test_the_page_signs_out(study: Study) -> None:
    client = signed_in(study.ada)
    left = client.post("/settings/account/sign-out/", follow=True)
    assert "signed-out" in codes(left)
    assert client.get("/").status_code == 302


def test_the_commands(study: Study) -> None:
    out = StringIO()
    call_command("delete_account", "ada", stdout=out)
    assert User.objects.filter(username="ada").exists()
    call_command("delete_account", "ada", "--yes", stdout=out)
    assert not User.objects.filter(username="ada").exists()
    with pytest.raises(CommandError, match="There is no account ada"):
        call_command("delete_account", "ada", stdout=out)
    with pytest.raises(CommandError, match=r"lee is the last lead of “Pilot”"):
        call_command("delete_account", "lee", "--yes", stdout=out)
    assert ApiToken.objects.count() == 0
