"""Links: made by leads, one or many, accepted by whoever they are for, useless to anybody else."""

from __future__ import annotations

import html
import re
from datetime import timedelta
from typing import Any

from django.contrib.sessions.models import Session
from django.test import Client
from django.utils import timezone

from annotator.models import Event, Invitation, User
from annotator.people.invitations import invitation_with, revoke_invitation
from tests.annotator.web.views.conftest import Study
from tests.factories import user_of
from tests.support.codes import codes, said

NEW = "/projects/pilot/people/invite/"
PEOPLE = "/projects/pilot/people/"
JOIN = "/join/"
PASSWORD = "a-password-like-no-other"
ACCOUNT = {"username": "newcomer", "password1": PASSWORD, "password2": PASSWORD}


def sent(client: Client, lines: str, **more: str) -> dict[str, str]:
    """What the form of a fresh page sends."""
    return {"lines": lines, "request_key": str(client.get(NEW).context["key"]), **more}


def secrets_in(page: Any) -> list[str]:
    return re.findall(r'value="http://testserver/join/([\w.-]+)/"', page.content.decode())


def make_link(client: Client, code: str = "ann1", role: str = "annotator") -> str:
    """The path of a new link."""
    [secret] = secrets_in(client.post(NEW, sent(client, f"{code}, {role}")))
    return f"/join/{secret}/"


def opened(link: str, client: Client | None = None) -> Client:
    client = client or Client()
    answer = client.get(link)
    assert (answer.status_code, answer["Location"]) == (302, JOIN)
    return client


def accept(client: Client, **fields: str) -> int:
    return client.post(JOIN, {"invitation": client.session.get("link", ""), **fields}).status_code


def test_the_secret_is_left_behind_at_once(study: Study, as_lead: Client) -> None:
    link = make_link(as_lead)
    client = Client()
    answer = client.get(link)
    assert answer["Referrer-Policy"] == "no-referrer"
    assert "no-store" in answer["Cache-Control"]
    assert answer.content == b""
    page = client.get(JOIN)
    assert "no-store" in page["Cache-Control"]
    html = page.content.decode()
    secret = link.split("/")[-2]
    assert "Pilot" in html
    assert "as an annotator" in html
    assert "ann1" in html
    assert secret not in html
    assert not any(secret in str(row.get_decoded()) for row in Session.objects.all())


def test_a_new_person_joins_and_is_signed_in(study: Study, as_lead: Client) -> None:
    client = opened(make_link(as_lead))
    assert accept(client, **ACCOUNT) == 302
    member = study.project.memberships.get(code="ann1")
    assert (user_of(member).username, member.role) == ("newcomer", "annotator")
    assert user_of(member).check_password(PASSWORD)
    page = client.get("/", follow=True)
    assert page.redirect_chain == [("/projects/pilot/queue/", 302)]
    assert said(page, "welcome") == "Welcome to Pilot. Your code is ann1."
    assert PASSWORD not in str(list(Event.objects.values()))


def useless_page(link: str) -> bytes:
    page = opened(link).get(JOIN)
    assert page.status_code == 404
    # Apart from the token against forgery, which is drawn for every answer.
    return re.sub(rb'x-csrftoken": "\w*"', b"", page.content)


def test_used_revoked_expired_and_unknown_look_the_same(study: Study, as_lead: Client) -> None:
    used, revoked, over = (make_link(as_lead, code=code) for code in ("ann1", "ann2", "ann3"))
    assert accept(opened(used), **ACCOUNT) == 302
    revoke_invitation(invitation=Invitation.objects.get(code="ann2"), actor=None)
    Invitation.objects.filter(code="ann3").update(expires_at=timezone.now() - timedelta(seconds=1))
    pages = {useless_page(link) for link in (used, revoked, over, "/join/" + "A" * 43 + "/", "/join/é/")}
    assert len(pages) == 1
    assert codes(pages.pop().decode()) == ["useless"]
    for link in (used, revoked, over):
        assert accept(opened(link), **{**ACCOUNT, "username": "second"}) == 404
    assert not User.objects.filter(username="second").exists()


def test_only_what_the_page_showed_is_accepted(study: Study, as_lead: Client) -> None:
    client = opened(make_link(as_lead))
    shown = client.session["link"]
    opened(make_link(as_lead, code="ann2", role="lead"), client)
    answer = client.post(JOIN, {"invitation": shown, **ACCOUNT})
    assert answer.status_code == 200
    assert "as a lead" in answer.content.decode()
    assert not User.objects.filter(username="newcomer").exists()


def test_the_links_are_shown_also_as_a_table(study: Study, as_lead: Client) -> None:
    fields = sent(as_lead, "p1\np2, p2@example.org, reviewer")
    page = as_lead.post(NEW, fields)
    assert page.status_code == 200
    assert page["Cache-Control"] == "max-age=0, no-cache, no-store, must-revalidate, private"
    assert codes(page) == ["invited-many"]
    secrets = secrets_in(page)
    assert [invitation_with(secret).code for secret in secrets] == ["p1", "p2"]  # type: ignore[union-attr]
    # Browsers send other line ends in a second form.
    again = {**fields, "lines": fields["lines"].replace("\n", "\r\n")}
    assert secrets_in(as_lead.post(NEW, again)) == secrets
    assert Invitation.objects.count() == Event.objects.filter(verb="person_invited").count() == 2
    table = page.content.decode().partition('id="all-links"')[2].partition(">")[2].partition("</pre>")[0]
    links = [f"http://testserver/join/{secret}/" for secret in secrets]
    assert html.unescape(table).splitlines() == [f"p1\t\t{links[0]}", f"p2\tp2@example.org\t{links[1]}"]
    people = as_lead.get(PEOPLE).content.decode()
    assert all(secret in people for secret in secrets)
