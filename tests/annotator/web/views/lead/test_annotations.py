"""One annotation as a lead reads it, and sends it back."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse

from annotator.batches.closing import close_batch
from annotator.models import Annotation, Membership
from tests.analysis.factories import make_unread
from tests.annotator.acting import HANDS, save, submit, verbs
from tests.annotator.web.views.conftest import Study
from tests.factories import make_image
from tests.support.codes import codes, numbers


@pytest.fixture
def made(study: Study) -> Annotation:
    save(study.assignments[0], HANDS)
    return submit(study.assignments[0], replaces=1)


def address(annotation: Annotation) -> str:
    return reverse("annotation", args=[annotation.pk])


def sent(annotation: Annotation, **more: Any) -> dict[str, Any]:
    """The form that sends an annotation back."""
    return {"version": annotation.version, "request_key": str(uuid4()), "reason": "Hands?", **more}


def test_it_shows_the_answer_how_it_came_about_and_what_was_done(made: Annotation, as_lead: Client) -> None:
    Annotation.objects.filter(pk=made.pk).update(
        capture={"active_ms": 72_000, "keys": 3, "score_shown": False}
    )
    page = as_lead.get(address(made))
    html = page.content.decode()
    assert "1/4c" in html
    assert "<dt>Active time</dt><dd>1 min 12 s</dd>" in html
    assert "<dt>Keys pressed</dt><dd>3</dd>" in html
    assert "<dt>Running score shown</dt><dd>no</dd>" in html
    assert [row.title for row in page.context["history"]] == ["Submitted", "Draft saved"]


def test_it_shows_people_and_counts(study: Study, made: Annotation, as_lead: Client, as_ada: Client) -> None:
    limbs = {"torso": 2, "limbs": 8, "feet": 0}
    Annotation.objects.filter(pk=made.pk).update(
        payload={**made.payload, "people": 2, "counts": {"expected": limbs, "visible": {"hands": 3}}}
    )
    own = reverse("own_answer", args=[made.assignment_id])
    for client, shown in ((as_lead, address(made)), (as_ada, own)):
        page = client.get(shown)
        assert numbers(page, "people") == ["2"]
        assert numbers(page, "counts") == ["2", "8", "0", "3"]
    Annotation.objects.filter(pk=made.pk).update(
        payload={**made.payload, "people": None, "counts": {"expected": {}, "visible": {}}}
    )
    assert "counts" not in codes(as_lead.get(address(made)))


def test_a_lead_sends_it_back_with_a_reason(study: Study, made: Annotation, as_lead: Client) -> None:
    close_batch(batch=study.assignments[0].batch, reason="Done.", actor=study.lead.user)
    answer = as_lead.post(address(made), sent(made))
    assert (answer.status_code, answer["Location"]) == (302, address(made))
    made.refresh_from_db()
    assert (made.status, made.ratings) == ("reopened", None)
    html = as_lead.get(address(made)).content.decode()
    assert "reopened_by_lead" in verbs(study.assignments[0])
    assert "<q>Hands?</q>" in html
    assert "send-back" not in codes(html)


def test_what_has_changed_since_is_not_sent_back(made: Annotation, as_lead: Client) -> None:
    Annotation.objects.filter(pk=made.pk).update(version=3)
    page = as_lead.post(address(made), sent(made), follow=True)
    assert "changed" in codes(page)
    assert Annotation.objects.get(pk=made.pk).status == "submitted"


def test_an_import_whose_annotator_has_no_account_is_not_returned(study: Study, as_lead: Client) -> None:
    unread = make_unread(study.assignments[0].annotator, make_image(study.project))
    assert "send-back" in codes(as_lead.get(address(unread)))
    Membership.objects.filter(pk=study.assignments[0].annotator.pk).update(user=None)
    assert "send-back" not in codes(as_lead.get(address(unread)))
