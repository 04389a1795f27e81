"""The page of filters: settings, detections, and images taken back."""

from __future__ import annotations

from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse

from annotator.data_sets.filtering import counts_of
from annotator.data_sets.settings import settings_of
from annotator.models import Job, Project
from annotator.work.jobs import run_job
from tests.factories import LEAD, make_image, make_member, make_project
from tests.support.codes import codes
from tests.support.signing_in import signed_in

pytestmark = pytest.mark.django_db
PAGE = "/projects/pilot/data-set/"
SETTINGS = {
    "action": "settings",
    "most_persons": "2",
    "most_classes": "3",
    "least_confidence": "0.98",
    "moderation_from": "0.9",
    "words": "woman, man",
    "real_score": "9.5",
    "seed": "7",
    "validation": "0.2",
    "test": "0.1",
    "validation_prompts": "",
    "test_prompts": "a woman",
    "most_pairs": "100",
    "invalid_from": "3",
}


@pytest.fixture
def project() -> Project:
    return make_project("pilot")


@pytest.fixture
def lead(project: Project) -> Client:
    return signed_in(make_member(project, LEAD))


def test_settings_are_saved_and_applied_by_a_worker(project: Project, lead: Client) -> None:
    make_image(project, prompt="a woman")
    make_image(project, prompt="a horse")
    assert "no-detections" in codes(lead.get(PAGE))
    answer = lead.post(PAGE, {**SETTINGS, "request_key": str(uuid4())})
    job = Job.objects.get(kind="apply_filters")
    assert answer["Location"] == reverse("job", args=[job.pk])
    assert run_job(job.pk)
    assert counts_of(project) == {"detected": 1, "excluded": 1, "words": 1}
    found = settings_of(project)
    values = (found.filters.most_persons, found.splitting.named, str(found.real_score))
    assert values == (2, {"a woman": "test"}, "19/2")
    page = lead.get(PAGE)
    assert "reason-words" in codes(page)
    # Nothing is computed again for settings that no filter uses.
    again = lead.post(PAGE, {**SETTINGS, "seed": "8", "request_key": str(uuid4())})
    assert again["Location"] == PAGE
    assert Job.objects.count() == 1
