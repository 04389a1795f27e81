"""One annotation as a lead reads it, and sends it back."""

from __future__ import annotations

import re
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
from tests.support.codes import codes


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


class TestCorrecting:
    """What an import could not read, of somebody without an account."""

    @pytest.fixture
    def unread(self, study: Study) -> Annotation:
        found = make_unread(study.assignments[0].annotator, make_image(study.project))
        Membership.objects.filter(pk=study.assignments[0].annotator.pk).update(user=None)
        return found

    def cells(self, client: Client, annotation: Annotation, **more: str) -> dict[str, Any]:
        """The form as it was shown, with other entries."""
        html = client.get(address(annotation)).content.decode()
        shown = dict(re.findall(r'name="(marks[^"]*)" value="([^"]*)"', html))
        assert len(shown) == 25
        changed = {name.replace("__", "."): value for name, value in more.items()}
        return sent(annotation, action="correct", **shown) | changed

    def test_a_correction(self, unread: Annotation, as_lead: Client) -> None:
        entries = self.cells(as_lead, unread, marks__extra__hands__other="1/5c")
        page = as_lead.post(address(unread), entries, follow=True)
        assert {"corrected-by-lead", "corrected"} <= set(codes(page))
        unread.refresh_from_db()
        assert [mark["severity"] for mark in unread.payload["marks"]] == ["c"]
        detail = as_lead.get(f"/projects/pilot/images/{unread.assignment.image.public_id}/")
        assert "corrected" in codes(detail)
        assert "Corrected by a lead" in [row.title for row in page.context["history"]]

    def test_what_cannot_be_read_and_a_missing_reason_lose_nothing(
        self, unread: Annotation, as_lead: Client
    ) -> None:
        entries = self.cells(as_lead, unread, marks__missing__limbs__other="1/4b") | {"reason": ""}
        page = as_lead.post(address(unread), entries)
        assert page.status_code == 422
        html = page.content.decode()
        assert 'name="marks.missing.limbs.other" value="1/4b"' in html
        assert 'aria-invalid="true"' in html
        assert "Enter a reason" in html
        unread.refresh_from_db()
        assert unread.version == 1
