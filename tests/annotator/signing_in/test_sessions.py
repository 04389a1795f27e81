"""Sessions end after some days; events of a new password."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.sessions.models import Session
from django.db.models import F
from django.test import Client

from annotator.models import Event
from annotator.signing_in.sessions import SessionStore
from tests.annotator.signing_in.ways_in import is_in, try_in, with_password
from tests.annotator.web.views.conftest import Study, study
from tests.factories import make_user

__all__ = ["study"]
pytestmark = pytest.mark.django_db


def test_it_ends_after_two_weeks_and_the_server_decides(study: Study) -> None:
    with_password(study.ada)
    try_in(client := Client())
    cookie = client.cookies["anatomark_session"]
    assert (cookie["max-age"], cookie["httponly"], cookie["samesite"]) == (14 * 24 * 3600, True, "Lax")
    Session.objects.update(expire_date=F("expire_date") - timedelta(days=14) + timedelta(minutes=1))
    assert is_in(client)
    Session.objects.update(expire_date=F("expire_date") - timedelta(minutes=2))
    assert not is_in(client)


@pytest.mark.parametrize("value", ["", "short", "\0" * 32, "é" * 32])
def test_a_cookie_that_can_be_no_key_is_nobody(db: None, value: str) -> None:
    assert SessionStore(value).load() == {}


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
