"""The pages of norming sessions: what each state shows to whom, and forms that lose nothing."""

from __future__ import annotations

import re
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse

from annotator.models import NormedImage, NormingSession
from annotator.norming.discussing import comment
from tests.annotator.norming.making import ADA, BOB, Circle, answer_all, rows_of, submit
from tests.annotator.web.views.test_hidden import blind
from tests.factories import make_assignment
from tests.support.codes import codes
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


def polled(page: str) -> str:
    """The address that a page asks for changes."""
    found = re.search(r'hx-get="([^"]+)"', page)
    assert found is not None
    return found[1].replace("&amp;", "&")


def first_of(session: NormingSession) -> NormedImage:
    return session.images.select_related("session__batch").get(place=1)


def test_a_lead_starts_a_session_from_the_form(circle: Circle, lead: Client) -> None:
    make_assignment(circle.cyd, image=circle.images[7])
    page = lead.get(address("norming_sessions")).content.decode()
    # Without the one that somebody still has to judge.
    assert page.count('name="image"') == 7
    images = [image.pk for image in circle.images[:4]]
    sent: dict[str, Any] = {"name": "Batch 1", "image": images, "person": [circle.ada.pk]}
    refused = lead.post(address("norming_sessions"), sent)
    assert refused.status_code == 422
    assert "people-count" in codes(refused.content.decode())
    assert f'value="{circle.ada.pk}" checked' in refused.content.decode()
    made = lead.post(address("norming_sessions"), {**sent, "person": [circle.ada.pk, circle.bob.pk]})
    session = NormingSession.objects.get()
    assert made["Location"] == address("norming", session.pk)
    assert list(session.images.values_list("image", flat=True)) == images
    listed = lead.get(address("norming_sessions")).content.decode()
    assert "1 norming session" in listed
    assert "answering" in codes(listed)


def test_while_they_answer_participants_learn_nothing(circle: Circle, lead: Client, ada: Client) -> None:
    session = circle.start()
    answer_all(session, {"bob": BOB})
    # A session does not say that it exists: its address is like one that is not there.
    real, none = (ada.get(address("norming", pk)) for pk in (session.pk, session.pk + 1))
    assert (real.status_code, blind(real.content.decode())) == (404, blind(none.content.decode()))
    queue = ada.get(reverse("queue", args=["circle"])).content.decode()
    assert "orming" not in queue
    # Leads see how far everybody is, and no annotation.
    page = lead.get(address("norming", session.pk)).content.decode()
    assert "3 of 3" in page
    assert "0 of 3" in page
    assert "1/4c" not in page


def test_polling_answers_only_what_has_changed(circle: Circle, lead: Client, ada: Client) -> None:
    session = circle.start()
    place = polled(lead.get(address("norming", session.pk)).content.decode())
    assert lead.get(place).status_code == 204
    submit(rows_of(session, circle.bob)[0], BOB)
    assert "1 of 3" in lead.get(place).content.decode()
    for row in rows_of(session, circle.ada)[:2]:
        submit(row, ADA)
    lead.post(address("norming_state", session.pk), {"action": "reveal"})
    assert lead.get(place)["HX-Refresh"] == "true"
    place = polled(ada.get(address("norming", session.pk)).content.decode())
    assert ada.get(place).status_code == 204
    comment(normed=first_of(session), author=circle.bob, text="Look again.", request_key=uuid4())
    assert "Look again." in ada.get(place).content.decode()


def test_a_lead_agrees_and_nothing_typed_is_lost(circle: Circle, lead: Client, ada: Client) -> None:
    session = circle.revealed()
    place = f"{address('norming', session.pk)}?image=1"
    page = lead.get(place).content.decode()
    # What all say is in the table of agreeing cells.
    same = {"marks.missing.limbs.other": "1/4c"}
    assert 'name="marks.missing.limbs.other" value="1/4c"' in page
    assert '<div class="cells tiled">' in page
    sent = {**same, "version": "0", "marks.missing.hands": "other", "marks.missing.hands.other": "nonsense"}
    refused = lead.post(place, sent)
    assert (refused.status_code, "nonsense" in refused.content.decode()) == (422, True)
    assert "Not saved. Correct the marked cells below" in refused.content.decode()
    assert lead.post(place, {**sent, "marks.missing.hands.other": "2/3b"}).status_code == 302
    normed = first_of(session)
    assert normed.agreed is not None
    form = {mark["type"] + "." + mark["part"]: mark["affected"] for mark in normed.agreed["marks"]}
    assert form == {"missing.limbs": 1, "missing.hands": 2}
    stale = lead.post(place, {**same, "version": "0", "marks.missing.hands": "=1/3b"})
    assert stale.status_code == 409
    assert "not-agreed" in codes(stale.content.decode())
    assert 'value="=1/3b" checked' in stale.content.decode()
    assert lead.post(place, {**same, "version": "1", "marks.missing.hands": "=1/3b"}).status_code == 302
