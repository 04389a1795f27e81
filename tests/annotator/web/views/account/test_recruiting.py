"""A recruitment link: joining by it, a panel's ids, consent and questions, and the codes at the end."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

import pytest
from django.test import Client
from django.utils import timezone

from annotator.models import Assignment, Event, Invitation, Membership, Recruited, User
from annotator.people.invitations import secret_of
from annotator.people.recruiting import recruit
from annotator.web.forms.recruiting import today
from scoring.rating_form.definition import FormDefinition, Item
from tests.annotator.web.views.conftest import Study
from tests.factories import make_assignment
from tests.support.codes import codes, said
from tests.support.signing_in import signed_in

JOIN, ENDED, QUEUE = "/join/", "/join/ended/", "/projects/pilot/queue/"
PASSWORD = "a-password-like-no-other"
IDS = {"PROLIFIC_PID": "5f3c0c", "STUDY_ID": "5e9d", "SESSION_ID": "6a00"}
ABOUT = FormDefinition(
    "about",
    "About you",
    "adult",
    (
        Item("adult", "yes_no", "Are you 18 or older?", required=True),
        Item("drawing", "several", "What do you draw?", options=(("faces", "Faces"), ("hands", "Hands"))),
        Item("more", "text", "Anything else?"),
    ),
)
ASKS = {
    "consent": "We store your answers.",
    "questions": ABOUT.as_json(),
    "screens_out": "adult=no",
    "completion_code": "D0NE",
    "screened_out_code": "0UT",
    "stopped_code": "ST0P",
}
Link = Callable[..., str]


@pytest.fixture
def link(study: Study) -> Link:
    """Makes recruitment links, and returns their paths."""

    def made(asks: dict[str, Any] = ASKS) -> str:
        ends, key = timezone.now() + timedelta(days=1), uuid4()
        wanted = {"project": study.project, "places": 3, "stem": "p", "request_key": key, **asks}
        return f"/join/{secret_of(recruit(expires_at=ends, actor=None, **wanted))}/"

    return made


def opened(path: str, **ids: str) -> Client:
    client = Client()
    answer = client.get(path, {**IDS, **ids})
    assert (answer.status_code, answer["Location"]) == (302, JOIN)
    return client


def step(client: Client, name: str, **fields: Any) -> Any:
    """Send a step of the way in, as the shown page would."""
    client.get(JOIN)
    hidden = {
        "invitation": str(client.session["link"]),
        "step": name,
        "version": "0",
        "request_key": str(uuid4()),
    }
    return client.post(JOIN, {**hidden, **fields})


def account(client: Client, name: str = "newcomer") -> Any:
    return step(client, "", username=name, password1=PASSWORD, password2=PASSWORD)


def joined(path: str, name: str = "newcomer", **ids: str) -> Client:
    client = opened(path, **ids)
    step(client, "agree")
    step(client, "answer", **{"answers.adult": "yes", "answers.drawing": ["hands", "faces"]})
    assert account(client, name)["Location"] == "/"
    return client


def test_ids_consent_and_answers_are_stored_with_the_member(link: Link) -> None:
    joined(link())
    found = Recruited.objects.get()
    values = (found.membership.code, found.participant, found.study, found.session)
    assert values == ("p01", "5f3c0c", "5e9d", "6a00")
    assert found.agreed_at is not None
    assert found.answers == {"adult": True, "drawing": ["faces", "hands"]}
    assert not any("5f3c0c" in str(data) for data in Event.objects.values_list("data", flat=True))


def test_no_account_is_made_before_consent_and_answers(link: Link) -> None:
    client = opened(link())
    assert codes(client.get(JOIN)) == ["consent"]
    assert account(client).status_code == 200
    step(client, "agree")
    assert account(client).status_code == 200
    # The answer that is required is missing.
    assert step(client, "answer").status_code == 422
    assert account(client).status_code == 200
    assert not User.objects.filter(username="newcomer").exists()


@pytest.mark.parametrize(("how", "code"), [("declined", "0UT"), ("screened-out", "0UT"), ("stopped", "ST0P")])
def test_who_ends_early_gets_the_code_for_it(study: Study, link: Link, how: str, code: str) -> None:
    path = link()
    if how == "stopped":
        client = joined(path)
        client.post(f"{QUEUE}stop/")
        assert Membership.objects.filter(user__username="newcomer", is_active=False).exists()
        assert Recruited.objects.get().stopped_at is not None
        assert client.post(f"{QUEUE}stop/").status_code == 404
    else:
        client = opened(path)
        step(client, "decline" if how == "declined" else "agree")
        if how == "screened-out":
            step(client, "answer", **{"answers.adult": "no"})
        # The link does not begin anew.
        client.get(path, IDS)
        assert client.get(JOIN)["Location"] == ENDED
        assert not Recruited.objects.exists()
    page = client.get(ENDED)
    assert (codes(page), said(page, "completion-code")) == ([how, "completion-code"], code)


def test_a_participant_joins_a_project_once(link: Link) -> None:
    path = link()
    joined(path)
    client = opened(path)
    step(client, "agree")
    step(client, "answer", **{"answers.adult": "yes"})
    assert account(client, "again").status_code == 422
    assert not User.objects.filter(username="again").exists()
    joined(path, "another", PROLIFIC_PID="5f3c0d")


def test_the_lead_pays_by_ids_and_downloads_answers(study: Study, link: Link, as_lead: Client) -> None:
    path = link()
    client = joined(path)
    joined(path, "second", PROLIFIC_PID="=1+1")
    member = Membership.objects.get(code="p01")
    make_assignment(member, batch=study.assignments[0].batch, status="done")
    assert said(client.get(QUEUE), "completion-code") == "D0NE"
    pk = Invitation.objects.get().pk
    html = as_lead.get(f"/recruitments/{pk}/").content.decode()
    cells = [
        [cell.split("</td>")[0] for cell in row.split("<td>")[1:]]
        for row in html.split("<tbody>")[1].split("<tr>")[1:]
    ]
    assert cells == [["Done", "5f3c0c", "5e9d", "6a00"], ["Not done", "=1+1", "5e9d", "6a00"]]
    answer = as_lead.get(f"/recruitments/{pk}/?csv")
    assert answer.content.decode("utf-8-sig").splitlines() == [
        "code,adult,drawing,more",
        "p01,yes,faces; hands,",
        "p02,yes,faces; hands,",
    ]


def test_a_link_made_on_the_page_pays_who_is_done(study: Study, as_lead: Client) -> None:
    closes = f"{today() + timedelta(days=3):%Y-%m-%d}"
    key = str(as_lead.get("/projects/pilot/people/invite/").context["key"])
    sent = {"places": "1", "stem": "p", "closes": closes, "completion_code": "C0DE", "request_key": key}
    shown = as_lead.post("/projects/pilot/people/recruit/", sent, follow=True)
    assert codes(shown) == ["nobody-joined"]
    found = re.search(r'id="link" value="([^"]+)"', shown.content.decode())
    assert found
    client = opened(urlsplit(found[1]).path)
    assert account(client)["Location"] == "/"

    place = study.project.memberships.get(code="p01")
    rows = [make_assignment(place, batch=study.assignments[0].batch) for _ in range(2)]
    for row in rows:
        assert "C0DE" not in client.get(QUEUE).content.decode()
        Assignment.objects.filter(pk=row.pk).update(status="done")
    assert said(client.get(QUEUE), "completion-code") == "C0DE"
    # Others who are done see none.
    study.ada.assignments.update(status="done")
    assert "completion-code" not in codes(signed_in(study.ada).get(QUEUE))
