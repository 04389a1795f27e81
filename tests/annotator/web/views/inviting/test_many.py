"""Many invitations in the browser: checked, shown once, as CSV, by email, and with new links."""

from __future__ import annotations

import csv
import io
import re
from typing import Any
from urllib.parse import urlsplit

from django.test import Client

from annotator.models import Invitation, Job
from annotator.people.invitations import invitation_with
from tests.annotator.web.views.conftest import Study, signed_in
from tests.factories import make_assignment, make_member, make_project
from tests.support.codes import codes

MANY = "/projects/pilot/people/invite/"
CSV = "/projects/pilot/people/invite/links.csv"
PEOPLE = "/projects/pilot/people/"


def offer_in(html: str) -> str:
    found = re.search(r'name="offer" value="([^"]+)"', html)
    assert found
    return found[1]


def sent(client: Client, lines: str, **more: str) -> dict[str, str]:
    """What the form sends, with the offer of a fresh page."""
    return {"lines": lines, "days": "7", "offer": offer_in(client.get(MANY).content.decode()), **more}


def secrets_in(page: Any) -> list[str]:
    return re.findall(r'value="\S+/join/([\w-]+)/"', page.content.decode())


def rows_of(answer: Any) -> list[list[str]]:
    return list(csv.reader(io.StringIO(answer.content.decode("utf-8-sig"))))


def test_the_links_are_shown_once_and_as_csv(study: Study, as_lead: Client) -> None:
    fields = sent(as_lead, "p1\np2, p2@example.org, reviewer")
    page = as_lead.post(MANY, fields)
    assert page.status_code == 200
    assert page["Cache-Control"] == "max-age=0, no-cache, no-store, must-revalidate, private"
    assert codes(page) == ["invited-many", "shown-once"]
    secrets = secrets_in(page)
    assert [invitation_with(secret).code for secret in secrets] == ["p1", "p2"]  # type: ignore[union-attr]
    assert secrets_in(as_lead.post(MANY, fields)) == secrets
    heading, *rows = rows_of(as_lead.post(CSV, {"lines": fields["lines"], "offer": fields["offer"]}))
    assert heading == ["code", "email", "role", "link", "valid_until_utc"]
    assert [row[:3] for row in rows] == [["p1", "", "annotator"], ["p2", "p2@example.org", "reviewer"]]
    assert [urlsplit(row[3]).path.split("/")[2] for row in rows] == secrets
    people = as_lead.get(PEOPLE).content.decode()
    assert not any(secret in people for secret in secrets)


def test_a_file_of_links_needs_the_form_that_made_them(study: Study, as_lead: Client) -> None:
    fields = sent(as_lead, "p1")
    as_lead.post(MANY, fields)
    for wrong in ({"offer": ""}, {"offer": "x"}, {"lines": "p2"}, {"lines": ""}):
        answer = as_lead.post(CSV, {**fields, **wrong}, follow=True)
        assert "links-gone" in codes(answer)
    assert Invitation.objects.count() == 1


def test_an_offer_is_of_one_project_and_one_lead(study: Study, as_lead: Client) -> None:
    other = make_project("other")
    make_member(other, "lead", user=study.lead.user)
    second = signed_in(make_member(study.project, "lead"))
    fields = sent(as_lead, "p1")
    assert codes(as_lead.post("/projects/other/people/invite/", fields)) == ["page-expired"]
    assert codes(second.post(MANY, fields)) == ["page-expired"]


def test_mail_is_offered_where_it_is_set_up(study: Study, as_lead: Client, settings: Any) -> None:
    fields = sent(as_lead, "p1,p1@example.org\np2", mail="on")
    assert 'name="mail"' not in as_lead.get(MANY).content.decode()
    page = as_lead.post(MANY, fields)
    assert len(secrets_in(page)) == 2
    settings.MAIL_FROM = "study@example.org"
    assert 'name="mail"' in as_lead.get(MANY).content.decode()
    fields = sent(as_lead, "p3,p3@example.org\np4", mail="on")
    for _ in range(2):
        page = as_lead.post(MANY, fields)
        assert codes(page) == ["invited-many", "shown-once", "mail-requested"]
        assert len(secrets_in(page)) == 1
    [job] = Job.objects.all()
    assert job.data["site"] == "http://testserver"
    assert "mail-waiting" in codes(as_lead.get(PEOPLE))


def test_a_new_link_is_shown_and_said_to_replace(study: Study, as_lead: Client, settings: Any) -> None:
    page = as_lead.post(MANY, sent(as_lead, "p1,p1@example.org"))
    [old] = secrets_in(page)
    invitation = Invitation.objects.get()
    address = f"/invitations/{invitation.pk}/renew/"
    page = as_lead.post(address)
    assert codes(page) == ["replaced", "shown-once"]
    assert invitation_with(old) is None
    settings.MAIL_FROM = "study@example.org"
    answer = as_lead.post(address, {"by": "mail"}, follow=True)
    assert "reminded" in codes(answer)
    assert Job.objects.get().kind == "send_invitations"
    Invitation.objects.update(revoked_at=invitation.created_at)
    assert "used" in codes(as_lead.post(address, follow=True))


def test_the_lead_is_told_what_waits(study: Study, as_lead: Client) -> None:
    as_lead.post(MANY, sent(as_lead, "p1\np2"))
    make_assignment(study.project.memberships.get(code="p1"))
    for code, told in (("p1", "revoked-work-waits"), ("p2", "revoked")):
        invitation = Invitation.objects.get(code=code)
        page = as_lead.post(f"/invitations/{invitation.pk}/revoke/", follow=True)
        assert told in codes(page)
        assert "abandoned" in codes(page)
    assert study.project.memberships.filter(code="p1").exists()
    assert not study.project.memberships.filter(code="p2").exists()
