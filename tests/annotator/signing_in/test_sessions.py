"""Sessions end after some days, and keys that cannot be are nobody's."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.sessions.models import Session
from django.db.models import F
from django.test import Client

from annotator.signing_in.sessions import SessionStore
from tests.annotator.signing_in.ways_in import is_in, try_in, with_password
from tests.annotator.web.views.conftest import Study, study

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
