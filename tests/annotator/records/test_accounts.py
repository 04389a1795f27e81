"""What becomes of an account: its sessions, its data, its end."""

from __future__ import annotations

import json
from io import StringIO
from typing import Any, cast

import pytest
from django.core.management import call_command
from django.db import connection, transaction
from django.db.utils import DatabaseError
from django.test import Client

from annotator.models import Event, Membership, Question, User
from annotator.people.codes import PersonRefused
from annotator.people.tokens import create_token, new_secret, token_with
from annotator.records.accounts import delete_account, sign_out_everywhere
from tests.annotator.acting import answered, asked, replied
from tests.annotator.web.views.conftest import Study, study
from tests.factories import LEAD, make_member, make_project, user_of
from tests.support.signing_in import signed_in

pytestmark = pytest.mark.django_db
__all__ = ["study"]


PASSWORD = "a-word-of-its-own"


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


@pytest.fixture
def thread(study: Study) -> Question:
    question = answered(asked(study.assignments[0], "Ada asks"), study.lead, "Lee answers")
    replied(question, "Ada replies")
    answered(asked(study.of_bob, "Bob asks"), study.lead, "Lee answers Bob")
    return question


def test_messages_stay_under_the_code_when_the_account_goes(study: Study, thread: Question) -> None:
    delete_account(user=user_of(study.ada), actor=None)
    thread.refresh_from_db()
    assert (thread.annotator.code, thread.text, thread.replies.count()) == ("ada", "Ada asks", 2)


@pytest.mark.django_db
@pytest.mark.databases
def test_what_was_written_stays() -> None:
    """The model refuses everywhere, PostgreSQL whoever asks."""
    event = Event.objects.create(project=make_project(), verb="batch_closed")
    event.verb = "x"
    with pytest.raises(TypeError, match="append-only"):
        event.save()
    with pytest.raises(TypeError, match="append-only"):
        event.delete()
    if connection.vendor == "postgresql":
        for change in (
            lambda: Event.objects.filter(pk=event.pk).update(verb="x"),
            lambda: cast(Any, Event.objects.filter(pk=event.pk))._raw_delete("default"),
        ):
            with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
                change()
    assert Event.objects.get(pk=event.pk).verb == "batch_closed"
