"""What becomes of an account: its sessions, its data, its end; and what the site keeps no longer."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, cast

import pytest
from django.apps import apps
from django.contrib.sessions.models import Session
from django.db import connection, transaction
from django.db.utils import DatabaseError
from django.utils import timezone

from annotator.models import Annotation, Event, Membership, User
from annotator.people.codes import PersonRefused
from annotator.people.members import deactivate_person, reactivate_person
from annotator.records.accounts import delete_account
from annotator.records.personal_data import carry_out
from tests.annotator.acting import submit
from tests.annotator.web.views.conftest import Study, study
from tests.factories import LEAD, make_assignment, make_member, make_project, user_of
from tests.support.codes import refused
from tests.support.signing_in import signed_in

pytestmark = pytest.mark.django_db
__all__ = ["study"]
PASSWORD = "a-word-of-its-own"


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


def test_the_last_lead_of_a_project_stays(study: Study) -> None:
    other = make_project("other")
    lead = user_of(study.lead)
    make_member(other, LEAD, user=lead)
    make_member(other, LEAD)
    with refused(PersonRefused, "last-lead"):
        delete_account(user=lead, actor=lead)
    assert User.objects.get(pk=lead.pk).is_active
    assert Membership.objects.filter(user=lead, is_active=True).count() == 2
    make_member(study.project, LEAD)
    delete_account(user=lead, actor=lead)
    assert Event.objects.filter(verb="account_deleted").count() == 2


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


LATER = timedelta(days=31)


def test_who_left_is_parted_from_the_account_and_the_science_stays(settings: Any) -> None:
    project = make_project("kept")
    make_member(project, LEAD, code="lead")
    ada, bob = make_member(project, code="ada"), make_member(project, code="bob")
    answer = submit(make_assignment(ada))
    deactivate_person(membership=ada, actor=None)
    deactivate_person(membership=bob, actor=None)
    reactivate_person(membership=bob, actor=None)
    carry_out(timezone.now() + timedelta(days=3650))
    assert Membership.objects.get(pk=ada.pk).user_id == ada.user_id, (
        "the site keeps people until told otherwise"
    )
    settings.PERSONAL_DATA_DAYS = 30
    carry_out(timezone.now() + timedelta(days=29))
    assert Membership.objects.get(pk=ada.pk).user_id == ada.user_id
    carry_out(timezone.now() + LATER)
    carry_out(timezone.now() + LATER)
    assert Membership.objects.get(pk=ada.pk).user_id is None
    assert Membership.objects.get(pk=bob.pk).user_id == bob.user_id
    assert Annotation.objects.get() == answer
    said = Event.objects.get(verb="person_unlinked")
    assert said.data == {"membership": ada.pk, "code": "ada", "days": 30}


def test_who_tried_to_sign_in_is_forgotten(settings: Any) -> None:
    if not apps.is_installed("axes"):
        pytest.skip("sign-ins are not counted here")
    attempts: Any = apps.get_model("axes", "AccessAttempt")
    facts = {"ip_address": "192.0.2.1", "user_agent": "", "path_info": "", "failures_since_start": 1}
    old = attempts.objects.create(username="old", get_data="", post_data="", http_accept="", **facts)
    new = attempts.objects.create(username="new", get_data="", post_data="", http_accept="", **facts)
    attempts.objects.filter(pk=old.pk).update(attempt_time=timezone.now() - timedelta(days=31))
    Session.objects.create(session_key="over", session_data="", expire_date=timezone.now() - timedelta(1))
    carry_out()
    carry_out()
    assert list(attempts.objects.all()) == [new]
    assert not Session.objects.exists()
