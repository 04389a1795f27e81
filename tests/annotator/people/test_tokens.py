"""API tokens: made once, kept as a hash, over at the moment they should be."""

from __future__ import annotations

from datetime import timedelta
from hashlib import sha256

import pytest
from django.contrib.auth.forms import AdminPasswordChangeForm
from django.utils import timezone

from annotator.models import ApiToken, Event, User
from annotator.people.tokens import TokenState, create_token, new_secret, revoke_token, state_of, token_with
from tests.factories import make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def ada() -> User:
    return make_user("ada", password="old-lamp-42")


def made(user: User, secret: str, **changes: object) -> ApiToken:
    wanted = {"name": "notebook", "days": 90, **changes}
    return create_token(user=user, secret=secret, **wanted)  # type: ignore[arg-type]


def test_only_the_hash_is_stored(ada: User) -> None:
    secret = new_secret()
    token = made(ada, secret)
    row = ApiToken.objects.filter(pk=token.pk).values().get()
    assert row["secret_sha256"] == sha256(secret.encode()).hexdigest()
    assert row["hint"] == secret[:8]
    assert secret not in str(row) + str(list(Event.objects.values()))


def test_the_same_secret_again_is_the_same_token(ada: User) -> None:
    secret = new_secret()
    assert made(ada, secret) == made(ada, secret, name="again")
    assert ApiToken.objects.get().name == "notebook"
    assert Event.objects.count() == 1


def test_it_works_until_it_expires(ada: User) -> None:
    secret = new_secret()
    token = made(ada, secret, days=365)
    assert token_with(secret) == token
    assert token.expires_at - token.created_at == pytest.approx(timedelta(days=365), abs=timedelta(seconds=5))
    ApiToken.objects.update(expires_at=timezone.now())
    token.refresh_from_db()
    assert token_with(secret) is None
    assert state_of(token) == TokenState.EXPIRED


def test_it_works_until_it_is_revoked(ada: User) -> None:
    secret = new_secret()
    token = made(ada, secret)
    assert revoke_token(token=token, actor=ada) is True
    token.refresh_from_db()
    first = token.revoked_at
    assert token_with(secret) is None
    assert state_of(token) == TokenState.REVOKED
    assert revoke_token(token=token, actor=ada) is False
    token.refresh_from_db()
    assert token.revoked_at == first
    assert list(Event.objects.values_list("verb", flat=True)) == ["token_made", "token_revoked"]


def test_an_account_that_is_off_has_no_tokens_until_it_is_on_again(ada: User) -> None:
    secret = new_secret()
    made(ada, secret)
    User.objects.update(is_active=False)
    assert token_with(secret) is None
    User.objects.update(is_active=True)
    assert token_with(secret) is not None


class TestANewPassword:
    """Whoever has the old one may have made a token with it."""

    def test_by_an_administrator(self, ada: User) -> None:
        secret = new_secret()
        made(ada, secret)
        form = AdminPasswordChangeForm(ada, {"password1": "new-lamp-43", "password2": "new-lamp-43"})
        assert form.is_valid(), form.errors
        form.save()
        assert token_with(secret) is None

    def test_of_somebody_else_changes_nothing(self, ada: User) -> None:
        secret = new_secret()
        made(ada, secret)
        bob = make_user("bob")
        bob.set_password("new-lamp-43")
        bob.save()
        assert token_with(secret) is not None
