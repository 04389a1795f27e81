"""A file of rectangles on its way in: checked, shown, and stored once a lead confirms."""

from __future__ import annotations

from uuid import uuid4

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from annotator.models import FaceDecision, Job, Project
from annotator.work.jobs import run_job
from tests.factories import LEAD, make_member, make_project, make_stored_image, user_of
from tests.support.codes import codes

pytestmark = pytest.mark.django_db
PAGE = "/projects/faces/rows/faces/"


@pytest.fixture
def project() -> Project:
    return make_project("faces")


@pytest.fixture
def lead(project: Project, client: Client) -> Client:
    user = user_of(make_member(project, LEAD))
    client.force_login(user)
    return client


def uploaded(lead: Client, text: str) -> Job:
    file = SimpleUploadedFile("found.csv", text.encode())
    answer = lead.post(PAGE, {"file": file, "request_key": str(uuid4())})
    job = Job.objects.latest("pk")
    assert answer["Location"] == reverse("job", args=[job.pk])
    assert run_job(job.pk)
    job.refresh_from_db()
    return job


def test_a_file_is_shown_first_and_stored_on_request(project: Project, lead: Client) -> None:
    images = [make_stored_image(project) for _ in range(3)]
    rows = f"{images[0].sha256},1,2,3.5,4\n{images[1].sha256},,,,\n"
    job = uploaded(lead, f"sha256,x,y,w,h\n{rows}")
    assert not FaceDecision.objects.exists()
    assert job.result is not None
    assert job.result["rows"] == {
        "file": "found.csv",
        "counts": [
            ["Images", 2],
            ["Rectangles", 1],
            ["Cut to the image", 0],
            ["Without a face", 1],
            ["Decided before", 0],
            ["Left undecided", 1],
            ["Rejected rows", 0],
        ],
        "can_be_stored": True,
        "accepted": None,
        "refused": [],
        "remarks": [],
        "newcomers": [],
        "shown": [[str(images[0].public_id), [[1, 2, 3.5, 4]]], [str(images[1].public_id), []]],
    }
    address = job.result["url"]
    page = lead.get(address)
    assert "store" in codes(page)
    assert '<rect x="1" y="2" width="3.5" height="4"/>' in page.content.decode()
    assert address in lead.get(PAGE).content.decode()

    assert lead.post(address).status_code == 400
    key = str(uuid4())
    for _ in range(2):  # pressed twice
        lead.post(address, {"request_key": key})
    storing = Job.objects.get(kind="store_faces")
    assert run_job(storing.pk)
    storing.refresh_from_db()
    assert storing.result == {
        "url": reverse("faces", args=["faces"]),
        "words": "Images changed: 2. Still without a decision: 1.",
        "refused": [],
    }
    assert [(one.image, one.rectangles) for one in FaceDecision.objects.order_by("pk")] == [
        (images[0], [[1, 2, 3.5, 4]]),
        (images[1], []),
    ]
