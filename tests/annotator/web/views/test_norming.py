"""The pages of norming sessions: what each state shows to whom, and forms that lose nothing."""

from __future__ import annotations

import re
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse

from annotator.models import Event, NormedImage, NormingSession, Reference
from annotator.norming.discussing import agree, comment
from tests.analysis.factories import make_submitted
from tests.annotator.norming.making import ADA, BOB, Circle, answer_all, rows_of, submit
from tests.annotator.web.views.test_hidden import blind
from tests.factories import make_assignment, make_payload
from tests.support.signing_in import signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def lead(circle: Circle) -> Client:
    return signed_in(circle.lead)


@pytest.fixture
def ada(circle: Circle) -> Client:
    return signed_in(circle.ada)


def address(name: str, *parts: object) -> str:
    return reverse(name, args=["circle", *parts])


def codes(page: str) -> set[str]:
    return set(re.findall(r'data-code="([^"]+)"', page))


def first_of(session: NormingSession) -> NormedImage:
    return session.images.select_related("session__batch").get(place=1)


def test_a_lead_starts_a_session_from_the_form(circle: Circle, lead: Client) -> None:
    page = lead.get(address("norming_sessions")).content.decode()
    assert page.count('name="image"') == 8
    # Its name tells annotators nothing.
    assert 'value="Batch 1"' in page
    sent: dict[str, Any] = {"name": "Batch 1", "picked": "random", "count": 4, "person": [circle.ada.pk]}
    refused = lead.post(address("norming_sessions"), sent)
    assert refused.status_code == 422
    assert "too-few-people" in codes(refused.content.decode())
    assert f'value="{circle.ada.pk}" checked' in refused.content.decode()
    made = lead.post(address("norming_sessions"), {**sent, "person": [circle.ada.pk, circle.bob.pk]})
    session = NormingSession.objects.get()
    assert made["Location"] == address("norming", session.pk)
    assert (session.images.count(), session.picked) == (4, "random")
    listed = lead.get(address("norming_sessions")).content.decode()
    assert "1 norming session" in listed
    assert "answering" in codes(listed)


def test_while_they_answer_participants_learn_nothing(circle: Circle, lead: Client, ada: Client) -> None:
    session = circle.start()
    answer_all(session, {"bob": BOB})
    for name in ("norming", "norming_live"):
        assert ada.get(address(name, session.pk)).status_code == 404
    assert ada.post(address("norming_comment", session.pk), {"text": "?"}).status_code == 404
    assert ada.post(address("norming_state", session.pk), {"action": "reveal"}).status_code == 404
    assert ada.get(address("norming_file", session.pk, "values.csv")).status_code == 404
    # Nor does a session say that it exists: every address is like one that is not there.
    real, none = (ada.get(address("norming", pk)) for pk in (session.pk, session.pk + 1))
    assert (real.status_code, blind(real.content.decode())) == (404, blind(none.content.decode()))
    queue = ada.get(reverse("queue", args=["circle"])).content.decode()
    assert "orming" not in queue
    # Leads see how far everybody is, and no annotation.
    page = lead.get(address("norming", session.pk)).content.decode()
    assert "3 of 3" in page
    assert "0 of 3" in page
    assert "1/4c" not in page
    refused = lead.get(address("norming_file", session.pk, "minutes.md"), follow=True).content.decode()
    assert "answering" in codes(refused)


def test_not_a_byte_of_a_page_depends_on_what_others_say(circle: Circle, ada: Client) -> None:
    session = circle.start()
    row = rows_of(session, circle.ada)[0]
    places = [reverse("queue", args=["circle"]), reverse("label", args=[row.pk]), "/"]
    places.append(reverse("answer_state", args=[row.pk]))

    def seen() -> list[str]:
        pages = [ada.get(place, follow=True).content.decode() for place in places]
        return [blind(page) for page in pages]

    before = seen()
    for other in rows_of(session, circle.bob)[:2]:
        submit(other, BOB)
    assert seen() == before


def test_the_discussion_shows_who_said_what(circle: Circle, lead: Client, ada: Client) -> None:
    session = circle.revealed()
    for client in (lead, ada):
        page = client.get(address("norming", session.pk)).content.decode()
        assert "revealed" in codes(page)
        assert "1 cell differs" in page
        assert "1/3b" in page
    assert "Save agreed value" not in ada.get(address("norming", session.pk)).content.decode()
    assert signed_in(circle.cyd).get(address("norming", session.pk)).status_code == 404
    queue = ada.get(reverse("queue", args=["circle"])).content.decode()
    assert address("norming", session.pk) in queue


def answer_all_left(session: NormingSession, circle: Circle) -> None:
    """Submit what ada and bob have left but one image, so that nobody is waited for by chance."""
    for row in rows_of(session, circle.ada)[:2]:
        submit(row, ADA)


def test_polling_answers_only_what_has_changed(circle: Circle, lead: Client, ada: Client) -> None:
    session = circle.start()
    page = lead.get(address("norming", session.pk)).content.decode()
    poll = re.search(r'hx-get="([^"]+)"', page)
    assert poll is not None
    place = poll[1].replace("&amp;", "&")
    assert lead.get(place).status_code == 204
    submit(rows_of(session, circle.bob)[0], BOB)
    assert "1 of 3" in lead.get(place).content.decode()
    answer_all_left(session, circle)
    lead.post(address("norming_state", session.pk), {"action": "reveal"})
    assert lead.get(place)["HX-Refresh"] == "true"
    page = ada.get(address("norming", session.pk)).content.decode()
    poll = re.search(r'hx-get="([^"]+)"', page)
    assert poll is not None
    place = poll[1].replace("&amp;", "&")
    assert ada.get(place).status_code == 204
    comment(normed=first_of(session), author=circle.bob, text="Look again.", request_key=uuid4())
    assert "Look again." in ada.get(place).content.decode()


def test_work_on_a_revealed_image_is_read_only_on_every_page(
    circle: Circle, lead: Client, ada: Client
) -> None:
    row = make_assignment(circle.ada, image=circle.images[0], status="done")
    made = make_submitted(circle.ada, assignment=row, version=1)
    label, own = reverse("label", args=[row.pk]), reverse("own_answer", args=[row.pk])
    assert {"reopen", "revealed"} & codes(ada.get(label).content.decode()) == {"reopen"}
    circle.revealed()
    assert {"reopen", "revealed"} & codes(ada.get(label).content.decode()) == {"revealed"}
    assert {"open-to-change", "revealed"} & codes(ada.get(own).content.decode()) == {"revealed"}
    sent = {"version": 1, "request_key": str(uuid4())}
    refused = ada.post(reverse("answer_reopen", args=[row.pk]), sent, content_type="application/json")
    assert (refused.status_code, refused.json()["error"]) == (409, "revealed")
    form = ada.post(label, {**sent, "action": "reopen"})
    assert form.status_code == 409
    assert "revealed" in codes(form.content.decode())
    asked = lead.post(reverse("annotation", args=[made.pk]), {**sent, "reason": "Look again."})
    assert asked.status_code == 422
    assert "Adjudicate the image instead." in asked.content.decode()
    made.refresh_from_db()
    assert (made.status, made.version) == ("submitted", 1)


def test_a_lead_agrees_and_nothing_typed_is_lost(circle: Circle, lead: Client, ada: Client) -> None:
    session = circle.revealed()
    place = f"{address('norming', session.pk)}?image=1"
    page = lead.get(place).content.decode()
    # What all say is in the table of agreeing cells.
    same = {"marks.missing.limbs.other": "1/4c"}
    assert 'name="marks.missing.limbs.other" value="1/4c"' in page
    assert 'data-if-marked="total severity"' in page
    sent = {**same, "version": "0", "marks.missing.hands": "other", "marks.missing.hands.other": "nonsense"}
    sent["causes.missing.hands.slip"] = "1"
    gaps = {"says.missing.hands": "Count fingers.", "should_say.missing.hands": "Count hidden ones."}
    refused = lead.post(place, {**sent, **gaps})
    assert refused.status_code == 422
    for kept in ("nonsense", "Count fingers.", "Count hidden ones."):
        assert kept in refused.content.decode()
    assert lead.post(place, {**sent, **gaps, "marks.missing.hands.other": "2/3b"}).status_code == 302
    normed = first_of(session)
    assert normed.agreed is not None
    form = {mark["type"] + "." + mark["part"]: mark["affected"] for mark in normed.agreed["marks"]}
    assert form == {"missing.limbs": 1, "missing.hands": 2}
    assert normed.gaps == {"missing.hands": {"says": "Count fingers.", "should_say": "Count hidden ones."}}
    assert normed.causes == {"missing.hands": {"causes": ["slip"], "proposed": ["total", "severity"]}}
    assert '<span class="codes muted">slip</span>' in ada.get(place).content.decode()
    stale = lead.post(place, {**same, "version": "0", "marks.missing.hands": "=1/3b"})
    assert stale.status_code == 409
    assert "not-agreed" in codes(stale.content.decode())
    assert 'value="=1/3b" checked' in stale.content.decode()
    assert lead.post(place, {**same, "version": "1", "marks.missing.hands": "=1/3b"}).status_code == 302


def test_closing_makes_the_ticked_references(circle: Circle, lead: Client, ada: Client) -> None:
    session = circle.revealed()
    normed = first_of(session)
    agree(normed=normed, actor=circle.actor, payload=make_payload(ADA), gaps={}, replaces=0)
    page = lead.get(address("norming", session.pk)).content.decode()
    assert f'name="reference" value="{normed.pk}" checked' in page
    done = lead.post(
        address("norming_state", session.pk), {"action": "close", "reference": [normed.pk]}, follow=True
    )
    assert {"closed", "no-gaps", "closed-since"} <= codes(done.content.decode())
    assert Reference.objects.get().origin == "normed"
    again = lead.post(address("norming_state", session.pk), {"action": "close"}, follow=True)
    assert "closed-before" in codes(again.content.decode())
    late = ada.post(
        address("norming_comment", session.pk), {"text": "Too late.", "request_key": str(uuid4())}
    )
    assert late.status_code == 422
    assert "hx-trigger" not in ada.get(address("norming", session.pk)).content.decode()


def test_files_leave_a_trace(circle: Circle, lead: Client, ada: Client) -> None:
    session = circle.revealed()
    for name, kind in (("minutes.md", "text/markdown"), ("values.csv", "text/csv")):
        answer = lead.get(address("norming_file", session.pk, name))
        assert answer["Content-Type"] == f"{kind}; charset=utf-8"
        assert answer["Content-Disposition"].endswith(f'-{name}"')
        assert ada.get(address("norming_file", session.pk, name)).status_code == 404
    assert lead.get(address("norming_file", session.pk, "other.txt")).status_code == 404
    taken = Event.objects.filter(verb="norming_exported").values_list("data__what", flat=True)
    assert list(taken) == ["minutes.md", "values.csv"]
