"""An authenticator: set up, asked for, used once, lost, and kept out of everything that is written down."""

from __future__ import annotations

from io import StringIO
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from axes.models import AccessAttempt
from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client

from annotator.models import Event, User
from tests.annotator.signing_in.ways_in import (
    CODE,
    PASSWORD,
    code_of,
    enters,
    is_in,
    set_up,
    try_in,
    with_password,
)
from tests.annotator.web.views.conftest import Study, study
from tests.support.codes import codes, numbers
from tests.support.signing_in import signed_in

__all__ = ["study"]
pytestmark = pytest.mark.django_db


@pytest.fixture
def ada(study: Study) -> User:
    return with_password(study.ada)


@pytest.fixture
def secret(study: Study, ada: User) -> str:
    """The key of her authenticator. The code that set it up is of half a minute ago."""
    return set_up(signed_in(study.ada))


def codes_on(client: Client) -> list[str]:
    codes: list[str] = client.get("/settings/account/codes/").context["unused_codes"]
    return codes


def confirmed(study: Study, secret: str) -> Client:
    """A browser in which she has just confirmed that it is her."""
    client = signed_in(study.ada)
    client.post("/accounts/confirm/code/", {"code": code_of(secret, 1)})
    return client


def test_signing_in_asks_for_the_code(ada: User, secret: str) -> None:
    client = Client()
    assert client.post(CODE, {"code": code_of(secret)})["Location"] == "/accounts/login/", "no password"
    answer = client.post(
        "/accounts/login/?next=/guide/", {"username": "ada", "password": PASSWORD, "next": "/guide/"}
    )
    assert (answer.status_code, answer["Location"], is_in(client)) == (302, CODE, False)
    assert client.get("/assignments/1/state").status_code == 401
    wrong = client.post(CODE, {"code": "000000"})
    assert codes(wrong) == ["incorrect_code"]
    assert not is_in(client)
    right = client.post(CODE, {"code": code_of(secret)})
    assert (right.status_code, right["Location"], is_in(client)) == (302, "/guide/", True)


def test_the_code_that_set_it_up_signs_in_nowhere(study: Study, ada: User, secret: str) -> None:
    # The code of half a minute ago is still within what clocks may differ by.
    code = code_of(secret, -1)
    assert not enters(code=code)
    assert enters(code=code_of(secret))


def test_a_code_works_once_in_any_spelling(ada: User, secret: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # Another web process does not have the memory in which the library keeps what was used.
    monkeypatch.setattr("allauth.mfa.totp.internal.auth.cache.add", lambda *_, **__: True)
    code = code_of(secret)
    spellings = (code, code, f"{code[:3]} {code[3:]}", f"-{code}")
    for spelling, expected in zip(spellings, (True, False, False, False), strict=True):
        assert enters(code=spelling) is expected


def test_a_recovery_code_works_once(study: Study, ada: User, secret: str) -> None:
    spare = codes_on(confirmed(study, secret))
    assert (len(spare), len(set(spare))) == (10, 10)
    for expected in (True, False):
        assert enters(code=spare[0]) is expected


def test_guessing_codes_is_stopped_from_everywhere(ada: User, secret: str) -> None:
    """Whoever knows the password has five tries in all, however many addresses they have."""
    for number in range(settings.AXES_FAILURE_LIMIT):
        client = Client(REMOTE_ADDR=f"203.0.113.{number}")
        try_in(client)
        client.post(CODE, {"code": f"00000{number}"})
    client = Client(REMOTE_ADDR="198.51.100.1")
    try_in(client)
    page = client.post(CODE, {"code": code_of(secret)})
    assert numbers(page, "locked") == ["15"]
    assert not is_in(client)
    assert Event.objects.get(verb="sign_in_locked").data == {"account": ada.pk, "step": "code"}
    assert "00000" not in str(list(AccessAttempt.objects.values_list("post_data", "get_data", "username")))
    call_command("axes_reset", stdout=StringIO())
    client.post(CODE, {"code": code_of(secret)})
    assert is_in(client)


def test_strangers_do_not_lock_the_codes(ada: User, secret: str) -> None:
    for name in (str(ada.pk), f"code:{ada.pk}", "ada"):
        for number in range(settings.AXES_FAILURE_LIMIT + 1):
            try_in(Client(REMOTE_ADDR=f"203.0.113.{number}"), name, "wrong")
    assert enters(code=code_of(secret))


def test_setting_up_asks_who_it_is(study: Study, ada: User) -> None:
    client = signed_in(study.ada)
    assert client.get("/settings/account/authenticator/")["Location"].startswith("/accounts/confirm/?next=")
    wrong = client.post("/accounts/confirm/", {"password": "guess"})
    assert codes(wrong) == ["wrong"]
    client.post("/accounts/confirm/", {"password": PASSWORD})
    page = client.get("/settings/account/authenticator/")
    assert page.context["form"].secret in page.content.decode()
    assert 'src="data:image/svg+xml;base64,' in page.content.decode()
    again = client.post("/settings/account/authenticator/", {"code": "000000"})
    assert "incorrect_code" in codes(again)
    assert not Authenticator.objects.exists()


def test_the_password_alone_does_not_take_it_away(study: Study, ada: User, secret: str) -> None:
    client = signed_in(study.ada)
    asked = client.get("/settings/account/authenticator/remove/")["Location"]
    assert asked.startswith("/accounts/confirm/code/?next=")
    assert client.post("/accounts/confirm/", {"password": PASSWORD})["Location"] == "/accounts/confirm/code/"
    assert client.post("/settings/account/authenticator/remove/").status_code == 302
    assert Authenticator.objects.filter(user=ada).count() == 2
    client = confirmed(study, secret)
    client.post("/settings/account/authenticator/remove/")
    assert not Authenticator.objects.filter(user=ada).exists()
    assert enters()


def test_events_say_what_happened_and_no_secret(study: Study, ada: User, secret: str) -> None:
    client = confirmed(study, secret)
    client.post("/settings/account/codes/new/")
    client.post("/settings/account/authenticator/remove/")
    events = Event.objects.filter(project=None).exclude(verb="password_changed").order_by("pk")
    verbs = ["second_factor_set", *["recovery_codes_made"] * 2, "second_factor_removed"]
    about = [(verb, ada.pk, {"account": ada.pk}) for verb in verbs]
    assert [(event.verb, event.actor_id, event.data) for event in events] == about


def test_the_database_does_not_know_the_key(study: Study, ada: User, secret: str, settings: Any) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT data FROM mfa_authenticator")
        stored = str(cursor.fetchall())
    assert secret not in stored
    assert not [code for code in codes_on(confirmed(study, secret)) if code in stored]
    # With another key of the site nobody gets in by chance, and nobody sees a traceback.
    settings.SECRET_KEY = "another-one-" + "1" * 40
    client = Client()
    try_in(client)
    assert client.post(CODE, {"code": code_of(secret)}).status_code == 200
    assert not is_in(client)


def test_an_operator_takes_a_lost_one_away(ada: User, secret: str) -> None:
    out = StringIO()
    call_command("remove_second_factor", "ada", stdout=out)
    assert Authenticator.objects.filter(user=ada).count() == 2
    call_command("remove_second_factor", "ada", "--yes", stdout=out)
    assert enters()
    event = Event.objects.get(verb="second_factor_removed")
    assert (event.actor_id, event.data) == (None, {"account": ada.pk})
    with pytest.raises(CommandError, match="ada has no authenticator"):
        call_command("remove_second_factor", "ada", "--yes")
    with pytest.raises(CommandError, match="There is no account nobody"):
        call_command("remove_second_factor", "nobody")


def test_an_account_turned_off_is_out(ada: User, secret: str) -> None:
    client = Client()
    try_in(client)
    User.objects.filter(pk=ada.pk).update(is_active=False)
    client.post(CODE, {"code": code_of(secret)})
    assert not is_in(client)
