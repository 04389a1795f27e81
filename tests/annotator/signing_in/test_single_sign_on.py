"""Signing in by a real OpenID provider: who is linked gets in, and nobody else."""

from __future__ import annotations

import time
from collections.abc import Iterator
from html import unescape
from typing import Any, cast

import pytest
from allauth.socialaccount.models import SocialAccount
from cryptography.hazmat.primitives.asymmetric import rsa
from django.http import HttpResponse
from django.test import Client

from annotator.models import Membership, User
from annotator.people.invitations import secret_of
from annotator.signing_in import provider_requests, single_sign_on
from config.env import SingleSignOn
from tests.annotator.invited import invite
from tests.annotator.signing_in.openid_provider import CLIENT, SECRET, Provider, provider_running
from tests.annotator.signing_in.ways_in import CODE, LOGIN, PASSWORD, code_of, is_in, set_up, with_password
from tests.annotator.web.views.conftest import Study, study
from tests.factories import user_of
from tests.support.codes import codes, said
from tests.support.signing_in import signed_in

__all__ = ["study"]
pytestmark = pytest.mark.django_db
BEGIN = "/accounts/single-sign-on/"


@pytest.fixture(scope="module")
def running() -> Iterator[Provider]:
    with provider_running() as provider:
        yield provider


@pytest.fixture
def provider(running: Provider, settings: Any) -> Provider:
    fresh = Provider(issuer=running.issuer, key=running.key)
    running.__dict__.update(fresh.__dict__)
    single_sign_on._discovered.clear()
    settings.SINGLE_SIGN_ON = SingleSignOn("Example University", running.issuer, CLIENT, SECRET)
    return running


@pytest.fixture
def ada(study: Study) -> User:
    return with_password(study.ada)


def begin(client: Client, following: str = "") -> str:
    """Press the button; returns the address at the provider that the page leads to."""
    page = client.post(BEGIN, {"next": following})
    assert page.status_code == 200, page.headers
    text = page.content.decode()
    address = page.context["address"]
    assert f'content="0; url={address}"'.replace("&", "&amp;") in text
    assert "script-src 'self'" in page["Content-Security-Policy"]
    return unescape(str(address))


def through(client: Client, provider: Provider, following: str = "") -> HttpResponse:
    """Go to the provider, agree, and come back."""
    return cast(HttpResponse, client.get(provider.authorize(begin(client, following))))


def page_after(client: Client, answer: Any) -> str:
    return client.get(answer["Location"], follow=True).content.decode()


def linked(study: Study, provider: Provider) -> User:
    """Link her account on its page, as she does."""
    client = signed_in(study.ada)
    client.post("/accounts/confirm/", {"password": PASSWORD})
    back = through(client, provider)
    assert (back.status_code, back["Location"]) == (302, "/settings/account/")
    assert "account_connected" in codes(page_after(client, back))
    return user_of(study.ada)


def test_who_is_linked_signs_in(study: Study, ada: User, provider: Provider, client: Client) -> None:
    linked(study, provider)
    assert "Example University" in said(client.get(LOGIN), "single-sign-on")
    back = through(client, provider, "/guide/")
    assert (back["Location"], is_in(client)) == ("/guide/", True)
    assert int(client.session["_auth_user_id"]) == ada.pk


def test_a_stranger_is_refused(study: Study, ada: User, provider: Provider, client: Client) -> None:
    linked(study, provider)
    before = User.objects.count()
    provider.person = {"sub": "somebody-else"}
    back = through(client, provider)
    assert (back["Location"], is_in(client)) == (LOGIN, False)
    assert "Example University" in said(page_after(client, back), "not-linked")
    assert (User.objects.count(), SocialAccount.objects.count()) == (before, 1)


def test_nobody_is_known_by_an_address_or_a_name(ada: User, provider: Provider, client: Client) -> None:
    """Whoever may choose both at the provider would take the account over."""
    ada.email = "ada@example.org"
    ada.save()
    mail = {"email": "ada@example.org", "email_verified": True, "preferred_username": "ada"}
    provider.person = {"sub": "ada", **mail}
    through(client, provider)
    assert not is_in(client)
    assert not SocialAccount.objects.exists()


@pytest.mark.parametrize(
    "wrong",
    [
        {"changed": {"aud": "another-site"}},
        {"changed": {"iss": "http://127.0.0.1:1"}},
        {"changed": {"exp": int(time.time()) - 120}},
        {"changed": {"aud": [CLIENT, "another-site"], "azp": "another-site"}},
        {"signed_with": rsa.generate_private_key(65537, 2048)},
        {"signed_with": SECRET * 2, "algorithm": "HS256"},
        {"signed_with": "", "algorithm": "none"},
    ],
)
@pytest.mark.few(4)
def test_a_token_for_somebody_else_or_signed_by_another_is_refused(
    study: Study, ada: User, provider: Provider, client: Client, wrong: dict[str, Any]
) -> None:
    linked(study, provider)
    provider.__dict__.update(wrong)
    back = through(client, provider)
    assert (back["Location"], is_in(client)) == (LOGIN, False)
    assert "Example University" in said(page_after(client, back), "no-sign-in")


def test_another_issuer_at_the_same_address_is_refused(ada: User, provider: Provider, client: Client) -> None:
    provider.says_it_is = "https://id.example.com"
    back = client.post(BEGIN)
    assert back["Location"] == LOGIN
    assert "Example University" in said(page_after(client, back), "no-answer")


@pytest.mark.parametrize("where", ["configuration", "token", "keys"])
@pytest.mark.parametrize("does", ["drips headers", "drips", "floods", "redirects", "says []"])
@pytest.mark.few(6)
def test_a_provider_that_misbehaves_ends_on_a_page_in_time(
    ada: User, provider: Provider, client: Client, monkeypatch: pytest.MonkeyPatch, does: str, where: str
) -> None:
    """Within 10 s on a site, 1 s here; nothing larger than a megabyte is kept."""
    assert provider_requests.SECONDS == 10
    monkeypatch.setattr(provider_requests, "SECONDS", 1.0)
    back = None if where == "configuration" else provider.authorize(begin(client))
    provider.does, provider.where = does, where
    begun = time.monotonic()
    answer = client.post(BEGIN) if back is None else client.get(back)
    took = time.monotonic() - begun
    provider.does = ""
    assert took < 3
    assert (answer.status_code, answer["Location"], is_in(client)) == (302, LOGIN, False)
    code = "no-answer" if back is None else "no-sign-in"
    assert "Example University" in said(page_after(client, answer), code)
    # What the sockets' buffers hold, too.
    assert provider.sent < 16 * provider_requests.MOST_BYTES


def test_an_answer_nobody_asked_for(study: Study, ada: User, provider: Provider, client: Client) -> None:
    """The attacker's own code and state, in her browser; and hers again, a second time."""
    linked(study, provider)
    own = Client()
    theirs = provider.authorize(begin(own))
    client.get(theirs)
    assert not is_in(client)
    back = provider.authorize(begin(client))
    client.get(back)
    assert is_in(client)
    client.post("/accounts/logout/")
    client.get(back)
    assert not is_in(client)
    for query in ("", "?code=a", "?state=b", "?code=a&state=b", "?error=access_denied&state=b"):
        assert client.get(f"{BEGIN}callback/{query}").status_code == 302
    assert not is_in(client)


def test_the_second_factor_is_asked_for(study: Study, ada: User, provider: Provider, client: Client) -> None:
    linked(study, provider)
    secret = set_up(signed_in(study.ada))
    assert through(client, provider)["Location"] == CODE
    assert not is_in(client)
    client.post(CODE, {"code": code_of(secret)})
    assert is_in(client)


def test_an_account_turned_off_is_out(study: Study, ada: User, provider: Provider, client: Client) -> None:
    linked(study, provider)
    User.objects.filter(pk=ada.pk).update(is_active=False)
    back = through(client, provider)
    assert not is_in(client)
    assert "off" in codes(page_after(client, back))


def test_one_identity_opens_one_account(study: Study, ada: User, provider: Provider) -> None:
    linked(study, provider)
    with_password(study.bob)
    client = signed_in(study.bob)
    client.post("/accounts/confirm/", {"password": PASSWORD})
    assert "account_connected_other" in codes(page_after(client, through(client, provider)))
    assert SocialAccount.objects.get().user == ada


def opened(study: Study, client: Client) -> None:
    """Open the link of an invitation."""
    secret = secret_of(invite(study.project, "new"))
    assert client.get(f"/join/{secret}/")["Location"] == "/join/"


def test_an_invitation_is_accepted_by_identity(study: Study, provider: Provider, client: Client) -> None:
    provider.person = {"sub": "one", "preferred_username": "grace"}
    opened(study, client)
    page = client.get("/join/")
    assert "Example University" in said(page, "single-sign-on")
    back = through(client, provider, "/join/")
    assert back["Location"] == "/join/"
    page = client.get("/join/")
    assert 'value="grace"' in page.content.decode()
    sent = {"invitation": page.context["invitation"].pk, "with": "single-sign-on", "username": "ada"}
    taken = client.post("/join/", sent)
    assert (taken.status_code, codes(taken)) == (422, ["taken"])
    assert not SocialAccount.objects.exists()
    client.post("/join/", {**sent, "username": "grace"})
    assert is_in(client)
    member = Membership.objects.get(code="new")
    assert (user_of(member).username, user_of(member).has_usable_password()) == ("grace", False)
    again = Client()
    through(again, provider)
    assert is_in(again)


def test_the_identity_alone_makes_no_account(study: Study, provider: Provider, client: Client) -> None:
    """Without coming from the provider, or with an invitation that was taken back meanwhile."""
    before = User.objects.filter(is_active=True).count()
    opened(study, client)
    pk = client.get("/join/").context["invitation"].pk
    sent = {"invitation": pk, "with": "single-sign-on", "username": "grace", "uid": "one"}
    assert client.post("/join/", sent).status_code == 422
    through(client, provider, "/join/")
    study.project.invitations.update(revoked_at="2026-01-01T00:00:00Z")
    assert client.post("/join/", sent).status_code == 404
    assert User.objects.filter(is_active=True).count() == before
