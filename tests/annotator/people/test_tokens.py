"""API tokens: made once, kept as a hash, over at the moment they should be."""

from __future__ import annotations

import re
from datetime import timedelta
from hashlib import sha256

import pytest
from django.contrib.auth.forms import AdminPasswordChangeForm
from django.test import Client
from django.utils import timezone

from annotator.models import ApiToken, Event, User
from annotator.people.tokens import create_token, token_with
from tests.factories import make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def ada() -> User:
    return make_user("ada", password="old-lamp-42")


def made(user: User, days: int = 90) -> tuple[str, ApiToken]:
    """A token and its secret."""
    return create_token(user=user, name="notebook", days=days)[::-1]


def test_it_is_made_once_and_only_its_hash_is_stored(ada: User) -> None:
    secret, token = made(ada)
    assert re.fullmatch(r"anm_[\w-]{40}", secret)
    row = ApiToken.objects.filter(pk=token.pk).values().get()
    assert (row["name"], row["secret_sha256"]) == ("notebook", sha256(secret.encode()).hexdigest())
    assert row["hint"] == secret[:8]
    assert secret not in str(row) + str(list(Event.objects.values()))
    event = Event.objects.get()
    assert (event.project, event.actor, event.verb) == (None, ada, "token_made")
    assert event.data == {
        "token": token.pk,
        "name": "notebook",
        "hint": token.hint,
        "expires_at": token.expires_at.isoformat(),
    }


def test_it_works_until_it_expires(ada: User) -> None:
    secret, token = made(ada, days=365)
    assert token_with(secret) == token
    assert token.expires_at - token.created_at == pytest.approx(timedelta(days=365), abs=timedelta(seconds=5))
    ApiToken.objects.update(expires_at=timezone.now())
    assert token_with(secret) is None


def test_unknown_secrets_open_nothing(ada: User) -> None:
    secret, _ = made(ada)
    for other in ("", "anm_", f"anm_{'x' * 40}", secret[:-1], secret + "x", secret.swapcase(), "é" * 44):
        assert token_with(other) is None


def test_an_account_that_is_off_has_no_tokens_until_it_is_on_again(ada: User) -> None:
    secret, _ = made(ada)
    User.objects.update(is_active=False)
    assert token_with(secret) is None
    User.objects.update(is_active=True)
    assert token_with(secret) is not None


class TestANewPassword:
    """Whoever has the old one may have made a token with it."""

    def test_on_the_page(self, ada: User) -> None:
        secret, _ = made(ada)
        client = Client()
        client.force_login(ada)
        sent = {"old_password": "wrong", "new_password1": "new-lamp-43", "new_password2": "new-lamp-43"}
        client.post("/accounts/password/", sent)
        assert token_with(secret) is not None
        assert client.post("/accounts/password/", sent | {"old_password": "old-lamp-42"}).status_code == 302
        assert token_with(secret) is None
        [revoked, changed] = Event.objects.exclude(verb="token_made").order_by("pk")
        assert (revoked.verb, revoked.data) == ("tokens_revoked", {"account": ada.pk, "tokens": 1})
        assert (changed.verb, changed.project) == ("password_changed", None)
        assert changed.data == {"account": ada.pk}

    def test_by_an_administrator(self, ada: User) -> None:
        secret, _ = made(ada)
        form = AdminPasswordChangeForm(ada, {"password1": "new-lamp-43", "password2": "new-lamp-43"})
        assert form.is_valid(), form.errors
        form.save()
        assert token_with(secret) is None
