"""Many invitations in the browser: checked, shown once, as CSV, by email, and with new links."""

from __future__ import annotations

import csv
import io
import re
from typing import Any
from urllib.parse import urlsplit

from django.test import Client

from annotator.models import Job
from annotator.people.invitations import invitation_with
from tests.annotator.web.views.conftest import Study, signed_in
from tests.factories import make_member, make_project
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
