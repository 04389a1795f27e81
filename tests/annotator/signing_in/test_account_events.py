"""What happens to an account leaves an Event, by its number and nothing else."""

from __future__ import annotations

from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from annotator.models import Event, Project
from annotator.people.members import PersonRefused
from annotator.records.accounts import delete_account, sign_out_everywhere
from tests.factories import LEAD, make_member, make_project, make_user

pytestmark = pytest.mark.django_db

OLD, NEW = "the-old-word-of-it", "a-new-word-for-it"


def said() -> list[tuple[str, int | None, int | None, dict[str, object]]]:
    return list(Event.objects.order_by("pk").values_list("verb", "project", "actor", "data"))


def test_a_new_password(client: Client) -> None:
    user = make_user("ada", password=OLD)
    client.force_login(user)
    refused = {"old_password": "wrong", "new_password1": NEW, "new_password2": NEW}
    client.post("/accounts/password/", refused)
    assert said() == []
    done = client.post("/accounts/password/", {**refused, "old_password": OLD})
    assert done.status_code == 302
    assert said() == [("password_changed", None, user.pk, {"account": user.pk})]


def test_signing_out_everywhere() -> None:
    user = make_user()
    sign_out_everywhere(user)
    assert said() == [("signed_out_everywhere", None, user.pk, {"account": user.pk})]


def test_an_operator_who_reads_somebody_s_data() -> None:
    user = make_user("ada")
    call_command("person_data", "ada", stdout=StringIO())
    assert said() == [("person_data_taken", None, None, {"account": user.pk})]


def test_an_account_in_no_project_goes() -> None:
    user = make_user()
    delete_account(user=user, actor=user)
    assert said() == [("account_deleted", None, user.pk, {"account": user.pk})]


def test_the_last_lead_of_a_deleted_project_may_go() -> None:
    lead = make_member(make_project(), LEAD)
    assert lead.user is not None
    with pytest.raises(PersonRefused):
        delete_account(user=lead.user, actor=lead.user)
    Project.objects.update(goes_at=timezone.now() + timedelta(days=1))
    delete_account(user=lead.user, actor=lead.user)
    lead.user.refresh_from_db()
    assert lead.user.is_active is False
