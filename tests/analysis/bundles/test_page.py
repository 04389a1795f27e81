"""Bundles on the page of exports."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from uuid import uuid4

import pytest
from django.core.files.storage import default_storage
from django.test import Client
from django.utils import timezone

from analysis.bundles.bundle_jobs import MAKE
from analysis.bundles.reports import bring_up_to_date
from annotator.models import Event, Job, Membership, Project
from annotator.work.jobs import RUN_JOB, run_job
from annotator.work.sending import MAKE_DISPLAY
from tests.analysis.bundles.making import bundle_of, make_picture
from tests.analysis.factories import EARLIER, make_submitted
from tests.factories import make_batch, make_member, make_project
from tests.support.codes import numbers
from tests.support.messages import ids_sent_to

pytestmark = pytest.mark.django_db
PAGE = "/projects/small/exports/"


@pytest.fixture(autouse=True)
def unsent(monkeypatch: pytest.MonkeyPatch) -> None:
    """No worker hears of anything."""
    ids_sent_to(monkeypatch, MAKE_DISPLAY, RUN_JOB)


@pytest.fixture
def project() -> Project:
    """One image, one answer."""
    project = make_project("small", name="Small")
    person = make_member(project, code="anno1")
    make_submitted(
        person,
        image=make_picture(project),
        batch=make_batch(project, name="pilot"),
        submitted_at=EARLIER,
        saved_at=EARLIER,
    )
    return project


def made(client: Client, **fields: object) -> Job:
    response = client.post(f"{PAGE}bundle/", {"pictures": "files", **fields})
    job = Job.objects.get(kind=MAKE)
    assert response.headers["Location"] == f"/jobs/{job.pk}/"
    return job


@pytest.mark.thorough
def test_a_bundle_is_asked_for_made_and_fetched(
    project: Project, lead: Membership, client: Client, tmp_path: Path
) -> None:
    job = made(client, pseudonyms="on", licence="CC-BY-4.0")
    assert run_job(job.pk)
    job.refresh_from_db()
    assert (job.status, job.error) == ("done", "")
    assert job.result is not None
    assert job.result["words"] == "The bundle is ready. The file is kept for 7 days."
    status = client.get(f"/jobs/{job.pk}/").content.decode()
    assert f'class="button primary" href="{PAGE}bundle/{job.pk}/file/"' in status
    assert f'href="{PAGE}" aria-current="page"' in status
    page = client.get(PAGE).content.decode()
    assert "With images; pseudonyms; CC-BY-4.0" in page
    answer = client.get(f"{PAGE}bundle/{job.pk}/file/")
    assert answer.headers["Content-Type"] == "application/zip"
    assert f'filename="small-bundle-{job.created_at:%Y-%m-%d}.zip"' in answer.headers["Content-Disposition"]
    contents = b"".join(answer)
    assert contents == bundle_of(project, tmp_path / "b.zip", hidden=True, licence="CC-BY-4.0")
    event = Event.objects.get(verb="bundled", data__job=job.pk)
    assert event.actor == lead.user
    asked = {"pictures": True, "pseudonyms": True, "licence": "CC-BY-4.0", "reports": True}
    assert event.data == {**asked, "job": job.pk}


def test_a_form_sent_twice_makes_one_bundle(project: Project, lead: Membership, client: Client) -> None:
    key = str(uuid4())
    made(client, request_key=key)
    made(client, request_key=key)
    assert (Job.objects.count(), Event.objects.filter(verb="bundled").count()) == (1, 1)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"pictures": "files", "licence": "all mine"}, "Enter the licence’s short name, such as CC-BY-4.0"),
        ({"pictures": "some"}, "Select a valid choice."),
        ({}, "This field is required."),
    ],
)
def test_a_form_that_is_wrong_is_answered_in_words(
    project: Project, lead: Membership, client: Client, fields: dict[str, str], said: str
) -> None:
    page = client.post(f"{PAGE}bundle/", fields, follow=True).content.decode().replace("&#x27;", "’")
    assert said in page
    assert not Job.objects.exists()


def test_a_cancelled_bundle_leaves_no_file(project: Project, lead: Membership, client: Client) -> None:
    job = made(client)
    client.post(f"/jobs/{job.pk}/cancel/")
    assert not run_job(job.pk)
    assert not default_storage.exists(f"exports/{project.pk}/{job.pk}.zip")
    assert "Cancelled" in client.get(PAGE).content.decode()


def test_a_report_that_a_bundle_waits_for_moves_its_progress(
    project: Project, lead: Membership, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("annotator.work.leases.STORE_EVERY_SECONDS", 0)
    told: list[tuple[int, int]] = []
    bring_up_to_date(project, lambda done, total: told.append((done, total)))
    reports = {done // 100 for done, _ in told}
    assert {total for _, total in told} == {100 * len(reports)}
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    # Each report is at 0, at 5 before it computes, and at 50 once it has read the annotations.
    assert {100 * one + at for one in reports for at in (0, 5, 50)} <= {done for done, _ in told}


@pytest.mark.thorough
def test_cancelling_in_the_middle_leaves_no_file(
    project: Project, lead: Membership, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = made(client)

    def cancelling(*_: object) -> bytes:
        client.post(f"/jobs/{job.pk}/cancel/")
        return b"{}"

    monkeypatch.setattr("analysis.bundles.contents.methods_text", cancelling)
    monkeypatch.setattr("annotator.work.leases.STORE_EVERY_SECONDS", 0)
    assert not run_job(job.pk)
    job.refresh_from_db()
    assert job.status == "cancelled"
    folder = f"exports/{project.pk}"
    assert not default_storage.exists(folder) or default_storage.listdir(folder)[1] == []


@pytest.mark.thorough
def test_a_bundle_expires(project: Project, lead: Membership, client: Client) -> None:
    job = made(client, pictures="hashes")
    assert run_job(job.pk)
    Job.objects.filter(pk=job.pk).update(finished_at=timezone.now() - timedelta(days=7))
    answer = client.get(f"{PAGE}bundle/{job.pk}/file/", follow=True)
    assert numbers(answer, "gone") == ["7"]
