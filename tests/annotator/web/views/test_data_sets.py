"""The page of filters: settings, detections, and images taken back."""

from __future__ import annotations

from uuid import uuid4

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from annotator.data_sets.filtering import counts_of
from annotator.data_sets.settings import settings_of
from annotator.models import Job, Project, Screening
from annotator.work.jobs import run_job
from tests.factories import LEAD, make_image, make_member, make_project, user_of
from tests.support.codes import codes

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
def lead(project: Project, client: Client) -> Client:
    user = user_of(make_member(project, LEAD))
    client.force_login(user)
    return client


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
    assert (found.filters.most_persons, found.splitting.named, str(found.real_score)) == (
        2,
        {"a woman": "test"},
        "19/2",
    )
    page = lead.get(PAGE)
    assert "reason-words" in codes(page)
    assert 'value="9.5"' in page.content.decode()
    # Nothing is computed again for settings that no filter uses.
    again = lead.post(PAGE, {**SETTINGS, "seed": "8", "request_key": str(uuid4())})
    assert again["Location"] == PAGE
    assert Job.objects.count() == 1


ROWS = "/projects/pilot/rows/detections/"


def checked(lead: Client, contents: bytes) -> Job:
    """A file that a worker has checked."""
    file = SimpleUploadedFile("d.csv", contents)
    lead.post(ROWS, {"file": file, "request_key": str(uuid4())})
    job = Job.objects.filter(kind="read_detections").latest("pk")
    assert run_job(job.pk)
    job.refresh_from_db()
    assert job.result is not None
    return job


def stored(lead: Client, check: Job) -> Job:
    """The job that stores a checked file, once a lead confirms."""
    assert check.result is not None
    lead.post(check.result["url"], {"request_key": str(uuid4())})
    job = Job.objects.filter(kind="store_detections").latest("pk")
    run_job(job.pk)
    job.refresh_from_db()
    return job


def test_a_file_is_stored_on_request_or_refused_as_a_whole(project: Project, lead: Client) -> None:
    image = make_image(project, source_name="a.png")
    check = checked(lead, b"file,persons\na.png,7\n")
    assert check.result is not None
    assert check.result["rows"]["counts"] == [
        ["Images", 1],
        ["Images without a row", 0],
        ["Rejected rows", 0],
    ]
    assert not Screening.objects.exists()
    job = stored(lead, check)
    assert job.result == {
        "url": PAGE,
        "words": "Detections of 1 images stored. Images left out: 1.",
        "refused": [],
    }
    assert Screening.objects.get().image == image

    check = checked(lead, b"file,persons\na.png,1\nb.png,1\n")
    assert check.result is not None
    assert [note["row"] for note in check.result["rows"]["refused"]] == [3]
    page = lead.get(check.result["url"])
    assert "refused" in codes(page)
    assert "store" not in codes(page)
    job = stored(lead, check)
    assert job.status == Job.Status.FAILED
    assert "row 3, file: there is no image “b.png”" in job.error
    assert Screening.objects.get().persons == 7
    assert lead.post(ROWS, {"request_key": str(uuid4())}).status_code == 422
    assert lead.get("/projects/pilot/rows/unknown/").status_code == 404
