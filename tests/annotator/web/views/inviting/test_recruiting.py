"""A recruitment link in the browser: made, opened by anybody, full, closed; and the completion code."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.test import Client

from annotator.models import Assignment, Membership, Recruitment
from annotator.web.forms.recruiting import today
from tests.annotator.web.views.conftest import Study, signed_in
from tests.factories import make_assignment
from tests.support.codes import codes, said

NEW = "/projects/pilot/people/recruit/"
PEOPLE = "/projects/pilot/people/"
JOIN = "/join/"
PASSWORD = "a-password-like-no-other"


def sent(client: Client, **fields: str) -> dict[str, str]:
    offer = client.get(NEW).context["offer"]
    closes = f"{today() + timedelta(days=3):%Y-%m-%d}"
    usual = {"places": "1", "stem": "p", "closes": closes, "completion_code": "C0DE", "offer": offer}
    return {**usual, **fields}


def link_in(page: Any) -> str:
    found = re.search(r'id="link" value="([^"]+)"', page.content.decode())
    assert found
    return urlsplit(found[1]).path


def made(client: Client, **fields: str) -> str:
    """The path of a new link."""
    page = client.post(NEW, sent(client, **fields))
    assert (page.status_code, codes(page)) == (200, ["shown-once", "nobody-joined"])
    return link_in(page)


def joined(link: str, name: str = "newcomer") -> tuple[Client, Any]:
    """A new browser that opened the link and sent the form, and the answer."""
    client = Client()
    assert client.get(link)["Location"] == JOIN
    opened = client.get(JOIN)
    fields = {"username": name, "password1": PASSWORD, "password2": PASSWORD}
    named = opened.context.get("named", "") if opened.context else ""
    return client, client.post(JOIN, {"invitation": named, **fields})


@pytest.mark.thorough
def test_anybody_with_the_link_joins_until_it_is_full(study: Study, as_lead: Client) -> None:
    link = made(as_lead, places="2")
    for number in (1, 2):
        _, answer = joined(link, f"newcomer{number}")
        assert (answer.status_code, answer["Location"]) == (302, "/")
        member = Membership.objects.get(user__username=f"newcomer{number}")
        assert (member.code, member.role) == (f"p0{number}", "annotator")
    _, answer = joined(link, "late")
    assert (answer.status_code, codes(answer)) == (404, ["full"])
    assert not Membership.objects.filter(user__username="late").exists()
    assert "2 of 2" in as_lead.get(PEOPLE).content.decode()


def test_a_recruitment_is_no_invitation_of_the_same_number(study: Study, as_lead: Client) -> None:
    client = Client()
    client.get(made(as_lead))
    link = Recruitment.objects.get()
    fields = {"username": "newcomer", "password1": PASSWORD, "password2": PASSWORD}
    assert client.post(JOIN, {"invitation": str(link.pk), **fields}).status_code == 200
    assert not Membership.objects.filter(user__username="newcomer").exists()


def test_the_completion_code_is_seen_when_the_queue_is_done(study: Study, as_lead: Client) -> None:
    link = made(as_lead)
    place = study.project.memberships.get(code="p01")
    rows = [make_assignment(place, batch=study.assignments[0].batch) for _ in range(2)]
    client, _ = joined(link)
    queue = "/projects/pilot/queue/"
    assert "C0DE" not in client.get(queue).content.decode()
    Assignment.objects.filter(pk=rows[0].pk).update(status="done")
    assert "C0DE" not in client.get(queue).content.decode()
    Assignment.objects.filter(pk=rows[1].pk).update(status="done")
    assert said(client.get(queue), "completion-code") == "C0DE"
    # Others who are done see none.
    study.ada.assignments.update(status="done")
    assert "completion-code" not in codes(signed_in(study.ada).get(queue))
