"""Sessions end unused after some days, and in any case after some more; events of sign-in."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from django.contrib.sessions.models import Session
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotator.models import Event
from annotator.signing_in.sessions import SINCE, SessionStore
from tests.annotator.signing_in.ways_in import is_in, try_in, with_password
from tests.annotator.web.views.conftest import Study, study
from tests.factories import make_user
from tests.support.signing_in import signed_in

__all__ = ["study"]
pytestmark = pytest.mark.django_db
DAY = timedelta(days=1)


def row() -> Session:
    return Session.objects.get()


def aged(by: timedelta) -> None:
    """Let time pass over the one session: what is stored of it lies further back."""
    session = row()
    store = SessionStore(session.session_key)
    data = store.decode(session.session_data)
    data[SINCE] -= int(by.total_seconds())
    Session.objects.update(session_data=store.encode(data), expire_date=session.expire_date - by)


def near(moment: datetime, expected: datetime) -> bool:
    return abs(moment - expected) < timedelta(minutes=1)


def test_it_ends_a_week_after_its_last_use(study: Study) -> None:
    client = signed_in(study.ada)
    assert near(row().expire_date, timezone.now() + 7 * DAY)
    aged(6 * DAY)
    assert is_in(client)
    assert near(row().expire_date, timezone.now() + 7 * DAY)
    aged(7 * DAY + timedelta(minutes=2))
    assert not is_in(client)


def test_it_ends_a_month_after_signing_in_whatever_is_done(study: Study) -> None:
    client = signed_in(study.ada)
    for _ in range(4):
        aged(6 * DAY)
        assert is_in(client)
    aged(5 * DAY)
    assert is_in(client)
    assert near(row().expire_date, timezone.now() + DAY)
    aged(DAY + timedelta(minutes=2))
    assert not is_in(client)


def test_use_costs_one_small_write_in_an_hour(study: Study) -> None:
    client = signed_in(study.ada)
    counts = []
    for waited in (0, 59, 2, 0):
        aged(timedelta(minutes=waited))
        with CaptureQueriesContext(connection) as queries:
            assert is_in(client)
        counts.append([query["sql"] for query in queries if query["sql"].startswith("UPDATE")])
    assert [len(found) for found in counts] == [0, 0, 1, 0]
    assert '"session_data"' not in counts[2][0]


def test_the_cookie_outlives_no_session_and_the_server_decides(study: Study) -> None:
    with_password(study.ada)
    try_in(client := Client())
    cookie = client.cookies["anatomark_session"]
    assert (cookie["max-age"], cookie["httponly"], cookie["samesite"]) == (30 * 24 * 3600, True, "Lax")


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
