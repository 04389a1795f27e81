"""A batch's settings: the lead's alone, kept with what they were."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from annotator.models import Batch, Event
from tests.annotator.views.conftest import Study, signed_in
from tests.factories import LEAD, make_member, make_project

GUIDED = {"guided": "on", "score_shown": "never"}


@pytest.fixture
def batch(study: Study) -> Batch:
    return study.assignments[0].batch


def address(batch: Batch) -> str:
    return reverse("batch_settings", args=[batch.pk])


def test_a_lead_changes_how_a_batch_is_labelled(study: Study, batch: Batch) -> None:
    as_lead = signed_in(make_member(study.project, LEAD))
    assert b"Guide through the cells" in as_lead.get(address(batch)).content
    answer = as_lead.post(address(batch), GUIDED)
    assert (answer.status_code, answer["Location"]) == (302, reverse("batch", args=[batch.pk]))
    batch.refresh_from_db()
    assert (batch.show_prompt, batch.guided, batch.score_shown) == (False, True, "never")
    event = Event.objects.get(verb="batch_settings_changed")
    replaced = {"show_prompt": False, "show_generator": False, "guided": False, "score_shown": "choice"}
    assert event.data["replaced"] == replaced
    as_lead.post(address(batch), GUIDED)
    assert Event.objects.filter(verb="batch_settings_changed").count() == 1


def test_nonsense_changes_nothing_and_says_so(study: Study, batch: Batch) -> None:
    as_lead = signed_in(make_member(study.project, LEAD))
    answer = as_lead.post(address(batch), {"score_shown": "always"})
    assert answer.status_code == 422
    assert b"Select a valid choice" in answer.content
    batch.refresh_from_db()
    assert batch.score_shown == "choice"


@pytest.mark.parametrize("method", ["get", "post"])
def test_nobody_else_sees_or_changes_it(study: Study, batch: Batch, method: str) -> None:
    others = [
        study.assignments[0].annotator,
        make_member(study.project, "reviewer"),
        make_member(study.project, LEAD, is_active=False),
        make_member(make_project("other"), LEAD),
    ]
    for member in others:
        assert getattr(signed_in(member), method)(address(batch), GUIDED).status_code == 404
    assert getattr(Client(), method)(address(batch), GUIDED).status_code == 302
    batch.refresh_from_db()
    assert not batch.guided
