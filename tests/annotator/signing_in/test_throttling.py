"""Wrong guesses: counted in the database, for a name from an address, and per address; whose it is."""

from __future__ import annotations

import ipaddress
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from axes.models import AccessAttempt
from django.conf import settings
from django.core.management import call_command
from django.db import IntegrityError
from django.db.models import QuerySet
from django.test import Client, RequestFactory
from django.utils import timezone

from annotator.models import Annotation, Event, User
from annotator.signing_in.throttling import client_address
from tests.annotator.signing_in.ways_in import LOGIN, PASSWORD, enters, is_in, try_in, with_password
from tests.annotator.web.views.conftest import Study, study, typed
from tests.factories import make_user
from tests.support.codes import codes, numbers
from tests.support.signing_in import signed_in

__all__ = ["study"]
pytestmark = pytest.mark.django_db


@pytest.fixture
def ada(study: Study) -> User:
    return with_password(study.ada)


def guess(times: int, name: str = "ada", **extra: Any) -> list[int]:
    """Wrong passwords, each from a browser of its own."""
    return [
        Client(**extra).post(LOGIN, {"username": name, "password": f"wrong-{number}"}).status_code
        for number in range(times)
    ]


def test_after_five_wrong_passwords_the_right_one_is_refused(ada: User) -> None:
    assert guess(settings.AXES_FAILURE_LIMIT) == [200] * (settings.AXES_FAILURE_LIMIT - 1) + [429]
    client = Client()
    answer = try_in(client)
    assert (answer.status_code, is_in(client)) == (429, False)
    assert (numbers(answer, "locked"), answer["Retry-After"]) == (["15"], "900")
    call_command("axes_reset", stdout=StringIO())
    assert enters()


def test_others_get_in_from_there_and_she_from_elsewhere(study: Study, ada: User) -> None:
    with_password(study.bob)
    guess(settings.AXES_FAILURE_LIMIT)
    assert enters("bob")
    assert enters(REMOTE_ADDR="203.0.113.8")


def test_who_is_signed_in_stays_so_and_saves(study: Study, ada: User) -> None:
    """Somebody else's guesses at her name, from her own address too, cost her nothing."""
    desk = signed_in(study.ada)
    guess(settings.AXES_FAILURE_LIMIT + 3)
    address = f"/assignments/{study.assignments[0].pk}/"
    saved = desk.post(address, typed("draft", missing_limbs="1/4c"))
    assert saved.status_code == 302
    assert Annotation.objects.get(assignment=study.assignments[0]).version == 1
    assert desk.get("/settings/").status_code == 200


def test_it_opens_again_after_a_while(ada: User) -> None:
    guess(settings.AXES_FAILURE_LIMIT)
    AccessAttempt.objects.update(attempt_time=timezone.now() - timedelta(minutes=14))
    assert try_in(Client()).status_code == 429
    # What was tried meanwhile has not made it longer.
    AccessAttempt.objects.update(attempt_time=timezone.now() - timedelta(minutes=15, seconds=1))
    assert enters()
    assert AccessAttempt.objects.count() == 0


def test_an_address_has_a_limit_of_its_own(study: Study, ada: User) -> None:
    with_password(study.bob)
    guess(1, "nobody")
    AccessAttempt.objects.update(failures_since_start=settings.FAILURES_BY_ADDRESS - 1)
    assert try_in(Client(), "bob", "wrong").status_code == 429
    assert try_in(Client(), "bob").status_code == 429
    assert enters("bob", REMOTE_ADDR="203.0.113.8")


def test_ones_own_success_clears_ones_own_guesses_only(study: Study, ada: User) -> None:
    """Else somebody with one account could guess at the others' without end."""
    with_password(study.bob)
    guess(settings.AXES_FAILURE_LIMIT - 1)
    guess(2, "bob")
    try_in(Client(), "bob")
    assert guess(1) == [429]
    assert guess(settings.AXES_FAILURE_LIMIT, "bob")[-2:] == [200, 429]


def test_rows_and_logs_hold_nothing_that_was_typed(ada: User, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG")
    Client().post(f"{LOGIN}?next=/canary-next", {"username": "canary-password", "password": "canary-too"})
    guess(settings.AXES_FAILURE_LIMIT)
    [*rows] = AccessAttempt.objects.values()
    stored = str(rows)
    assert len(rows) == 2
    for word in ("canary-password", "canary-too", "canary-next", "wrong-", "ada"):
        assert word not in stored
        assert not [
            line for line in caplog.messages if word in line and "INSERT" not in line and "SELECT" not in line
        ]


def test_one_event_for_one_lock_and_none_for_names_nobody_has(ada: User) -> None:
    guess(settings.AXES_FAILURE_LIMIT + 4)
    guess(settings.AXES_FAILURE_LIMIT, "nobody-has-this")
    event = Event.objects.get(verb="sign_in_locked")
    values = (event.project_id, event.actor_id, event.data)
    assert values == (None, None, {"account": ada.pk, "step": "password"})


@pytest.mark.parametrize("times", [1, 2])
def test_a_row_that_goes_is_made_anew(ada: User, monkeypatch: pytest.MonkeyPatch, times: int) -> None:
    """Of two wrong guesses at once the second finds the first one's row, and then finds it gone."""
    find, vain = QuerySet.get_or_create, [IntegrityError("duplicate key value")] * times

    def gone_at_first(self: QuerySet[Any], **named: Any) -> tuple[Any, bool]:
        if self.model is AccessAttempt and vain:
            raise vain.pop()
        return find(self, **named)

    monkeypatch.setattr(QuerySet, "get_or_create", gone_at_first)
    assert guess(1) == [200]
    assert (vain, AccessAttempt.objects.get().failures_since_start) == ([], 1)
    assert guess(settings.AXES_FAILURE_LIMIT - 1) == [200] * (settings.AXES_FAILURE_LIMIT - 2) + [429]


@pytest.mark.parametrize(
    ("address", "field"),
    [
        ("/settings/account/delete/", "password"),
        ("/accounts/password/", "old_password"),
        ("/accounts/confirm/", "password"),
    ],
)
def test_a_stolen_session_guesses_no_password(study: Study, ada: User, address: str, field: str) -> None:
    client = signed_in(study.ada)
    for number in range(settings.AXES_FAILURE_LIMIT):
        page = client.post(address, {field: f"wrong-{number}"})
    assert "locked" in codes(page)
    assert "locked" in codes(client.post(address, {field: PASSWORD}))
    assert User.objects.get(pk=ada.pk).is_active


def test_the_django_admin_has_no_door_of_its_own(ada: User) -> None:
    make_user("root", is_superuser=True, is_staff=True)
    answer = Client().post("/admin/login/?next=/admin/", {"username": "ada", "password": PASSWORD})
    assert (answer.status_code, answer["Location"]) == (302, "/accounts/login/?next=/admin/")


PROXY = "172.18.0.5"


@pytest.mark.parametrize(
    ("proxies", "caller", "said", "found"),
    [
        (0, "203.0.113.7", "198.51.100.1", "203.0.113.7"),
        (1, PROXY, "203.0.113.7", "203.0.113.7"),
        (1, PROXY, "198.51.100.1, 203.0.113.7", "203.0.113.7"),
        (2, PROXY, "198.51.100.1, 203.0.113.7, 10.0.0.9", "203.0.113.7"),
        # Somebody who reaches the web past the proxy: the header is theirs alone.
        (1, "203.0.113.7", "198.51.100.1", "203.0.113.7"),
        # A probe inside, without a header; a header that is nonsense or too short.
        (1, PROXY, "", PROXY),
        (2, PROXY, "203.0.113.7", PROXY),
        (1, "::1", "2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"),
        (0, "2001:db8:1:2:ffff::1", "", "2001:db8:1:2::"),
        (1, "::ffff:172.18.0.5", "::ffff:203.0.113.7", "203.0.113.7"),
        (1, "9.9.9.9", "203.0.113.7", "203.0.113.7"),
    ],
)
def test_the_address(settings: Any, proxies: int, caller: str, said: str, found: str | None) -> None:
    settings.TRUSTED_PROXIES = proxies
    settings.TRUSTED_PROXY_NETWORKS += [ipaddress.ip_network("9.9.9.9/32")]
    headers = {"x-forwarded-for": said} if said else {}
    assert client_address(RequestFactory(headers=headers).get("/", REMOTE_ADDR=caller)) == found
