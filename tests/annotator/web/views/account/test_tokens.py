"""The page of one's own API tokens."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from annotator.models import User
from annotator.people.tokens import create_token, new_secret, token_with
from tests.factories import make_user
from tests.support.codes import codes

pytestmark = pytest.mark.django_db

PAGE = "/settings/tokens/"


@pytest.fixture
def ada() -> User:
    return make_user("ada")


@pytest.fixture
def browser(ada: User) -> Client:
    client = Client()
    client.force_login(ada)
    return client


def offer(client: Client) -> str:
    found = re.search(r'name="offer" value="([^"]+)"', client.get(PAGE).content.decode())
    assert found
    return found[1]


def sent(client: Client, **changes: object) -> dict[str, object]:
    return {"name": "notebook", "days": 90, "offer": offer(client), **changes}


def test_the_secret_is_shown_once(browser: Client, ada: User) -> None:
    answer = browser.post(PAGE, sent(browser))
    shown = re.search(r'id="secret" value="(anm_[\w-]{40})"', answer.content.decode())
    assert shown
    assert "no-store" in answer["Cache-Control"]
    token = token_with(shown[1])
    assert token is not None
    assert (token.user, token.name) == (ada, "notebook")
    page = browser.get(PAGE).content.decode()
    assert shown[1] not in page
    assert f">{shown[1][:8]}…</code>" in page


def test_somebody_elses_offer_is_not_taken(browser: Client) -> None:
    other = Client()
    other.force_login(make_user("bob"))
    assert browser.post(PAGE, sent(browser, offer=offer(other))).status_code == 422


def test_revoking(browser: Client, ada: User) -> None:
    token = create_token(user=ada, name="old", days=1, secret=new_secret())
    address = f"{PAGE}{token.pk}/revoke/"
    assert address in browser.get(PAGE).content.decode()
    answer = browser.post(address, follow=True)
    assert "“old” is revoked" in answer.content.decode()
    assert address not in answer.content.decode()
    assert "revoked-before" in codes(browser.post(address, follow=True))
