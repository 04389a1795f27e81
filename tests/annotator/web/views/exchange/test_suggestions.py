"""Suggestions on the pages of a lead: a file of masks is checked, shown, stored, and withdrawn."""

from __future__ import annotations

import json
from uuid import uuid4

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from annotator.models import Job, Suggestion
from annotator.work.jobs import run_job
from scoring.defect.masks import rectangle
from tests.factories import LEAD, make_image, make_member, make_project
from tests.support.codes import codes
from tests.support.signing_in import signed_in


@pytest.mark.django_db
def test_masks_are_checked_shown_stored_and_withdrawn() -> None:
    project = make_project("marked")
    image = make_image(project, width=30, height=20)
    lead = make_member(project, LEAD)
    client = signed_in(lead)
    mask = {"mask": rectangle(20, 30, (1, 2, 8, 8)).as_json(), "kind": "logical"}
    row = json.dumps({"sha256": image.sha256, "masks": [mask]}).encode()
    said = {"what": "masks", "source": "segmenter", "request_key": str(uuid4())}
    sent = {**said, "file": SimpleUploadedFile("masks.jsonl", row)}
    assert client.post(reverse("import_rows", args=["marked", "suggestions"]), sent).status_code == 302
    reading = Job.objects.get()
    assert run_job(reading.pk)
    address = reverse("rows_reading", args=["marked", "suggestions", reading.pk])
    page = client.get(address)
    assert "store" in codes(page)
    # Drawn by its edge.
    assert 'viewBox="0 0 30 20"' in page.content.decode()
    client.post(address, {"request_key": str(uuid4())})
    assert run_job(Job.objects.latest("pk").pk)
    stored = Suggestion.objects.select_related("run").get()
    assert (stored.run.kind, str(stored.run), stored.payload) == ("masks", "segmenter", {"masks": [mask]})
    runs = reverse("suggestions", args=["marked"])
    assert "run-withdrawn" not in codes(client.get(runs))
    client.post(reverse("suggestions_withdraw", args=["marked", stored.run.pk]))
    assert "run-withdrawn" in codes(client.get(runs))
