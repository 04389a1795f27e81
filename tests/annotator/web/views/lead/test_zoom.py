"""Zoom, a setting of a batch: none unless a lead allows it."""

from __future__ import annotations

from django.test import Client
from django.urls import reverse

from annotator.models import Batch
from tests.annotator.web.views.conftest import Study

SENT = {"score_shown": "never"}


def settings_of(batch: Batch) -> dict[str, object]:
    """The stored settings without a column."""
    return dict(Batch.objects.get(pk=batch.pk).settings)


def test_a_lead_allows_a_loupe_and_takes_it_back(study: Study, as_lead: Client, as_ada: Client) -> None:
    assignment = study.assignments[0]
    batch, state = assignment.batch, reverse("answer_state", args=[assignment.pk])
    address = reverse("batch_settings", args=[batch.pk])
    assert as_lead.post(address, SENT).status_code == 302
    assert settings_of(batch) == {}
    assert "settings" not in as_ada.get(state).json()["batch"]
    assert as_lead.post(address, {**SENT, "zoom": "loupe"}).status_code == 302
    assert as_ada.get(state).json()["batch"]["settings"] == {"zoom": "loupe"}
    assert as_lead.post(address, {**SENT, "zoom": "none"}).status_code == 302
    assert settings_of(batch) == {"zoom": "none"}


def test_there_is_no_other_zoom(study: Study, as_lead: Client) -> None:
    batch = study.assignments[0].batch
    page = as_lead.post(reverse("batch_settings", args=[batch.pk]), {**SENT, "zoom": "brightness"})
    assert page.status_code == 422
    assert settings_of(batch) == {}
