"""The own account: a forgotten password, the address, API tokens."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.core import mail
from django.test import Client

from annotator.models import ApiToken, Event, User
from annotator.people.tokens import token_with
from tests.factories import make_user
from tests.support.codes import codes

pytestmark = pytest.mark.django_db
FORGOTTEN = "/accounts/password/forgotten/"
ADDRESS = "/settings/account/address/"
PASSWORD = "an old pass phrase"
NEW = {"new_password1": "an entirely new phrase", "new_password2": "an entirely new phrase"}


@pytest.fixture
def ada() -> User:
    """An account with an address."""
    return make_user("ada", email="ada@example.org", password=PASSWORD)


def link() -> str:
    """The link in the only mail."""
    [sent] = mail.outbox
    found = re.search(r"http://testserver(/\S+)", str(sent.body))
    assert found is not None
    return found[1]


def test_by_a_link_that_works_once(client: Client, ada: User) -> None:
    assert "forgotten" in codes(client.get("/accounts/login/"))
    answer = client.post(FORGOTTEN, {"email": "Ada@example.org"}, follow=True)
    assert "reset-sent" in codes(answer)
    [sent] = mail.outbox
    assert (sent.to, sent.from_email) == (["ada@example.org"], "study@example.org")
    form = client.get(link(), follow=True)
    done = client.post(form.redirect_chain[-1][0], NEW, follow=True)
    assert done.redirect_chain == [("/accounts/login/", 302)]
    assert "_auth_user_id" not in client.session, "the second factor is asked for at sign-in"
    assert client.login(username="ada", password=NEW["new_password1"])
    assert "no-link" in codes(Client().get(link(), follow=True))
    assert Event.objects.filter(data__account=ada.pk, verb="password_changed").exists()


def test_the_answer_is_the_same_for_whoever_it_is(client: Client, ada: User) -> None:
    known = client.post(FORGOTTEN, {"email": "ada@example.org"}, follow=True).content
    unknown = Client().post(FORGOTTEN, {"email": "eve@example.org"}, follow=True).content
    token = re.compile(rb"\w{64}")
    assert token.sub(b"", known) == token.sub(b"", unknown)
    assert len(mail.outbox) == 1


@pytest.mark.parametrize("change", [{"is_active": False}, {"password": "!"}])
def test_no_mail_for_accounts_that_cannot_use_it(client: Client, ada: User, change: dict[str, Any]) -> None:
    User.objects.filter(pk=ada.pk).update(**change)
    client.post(FORGOTTEN, {"email": "ada@example.org"})
    assert mail.outbox == []


def test_the_own_address_takes_the_password(client: Client, ada: User) -> None:
    client.force_login(ada)
    sent = {"address-email": "new@example.org", "address-password": "wrong"}
    refused = client.post(ADDRESS, sent)
    assert (refused.status_code, codes(refused)) == (422, ["wrong"])
    assert 'value="new@example.org"' in refused.content.decode()
    client.post(ADDRESS, {**sent, "address-password": PASSWORD})
    assert User.objects.get(pk=ada.pk).email == "new@example.org"
    assert "new@example.org" in client.get("/settings/account/").content.decode()
    client.post(ADDRESS, {"address-email": "", "address-password": PASSWORD})
    assert User.objects.get(pk=ada.pk).email == ""
    assert not Event.objects.filter(data__icontains="example.org").exists()


PAGE = "/settings/tokens/"
TOKEN = {"name": "notebook", "days": 90}


@pytest.fixture
def browser(client: Client, ada: User) -> Client:
    client.force_login(ada)
    return client


def test_the_secret_is_shown_once(browser: Client, ada: User) -> None:
    answer = browser.post(PAGE, TOKEN)
    shown = re.search(r'id="secret" value="(anm_[\w-]{40})"', answer.content.decode())
    assert shown
    assert "no-store" in answer["Cache-Control"]
    token = token_with(shown[1])
    assert token is not None
    assert (token.user, token.name) == (ada, "notebook")
    page = browser.get(PAGE).content.decode()
    assert shown[1] not in page
    assert f">{shown[1][:8]}…</code>" in page


def test_a_token_is_revoked_once(browser: Client) -> None:
    secret = browser.post(PAGE, TOKEN).context["secret"]
    revoke = f"{PAGE}{ApiToken.objects.get().pk}/revoke/"
    assert codes(browser.post(revoke, follow=True)) == ["revoked"]
    assert (token_with(secret), browser.post(revoke).status_code) == (None, 404)
    assert Event.objects.filter(verb="token_revoked").count() == 1
