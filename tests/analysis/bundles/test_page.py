"""Bundles on the page of exports, and bundles that come through the browser."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from uuid import uuid4
from zipfile import ZipFile

import pytest
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from analysis.bundles.bundle_jobs import MAKE, RESTORE
from annotator.models import Event, Job, Membership, Project, Upload
from annotator.uploads.receiving import begin_upload, receive_form
from annotator.uploads.upload_jobs import request_reading
from annotator.work.jobs import RUN_JOB, request_job, run_job
from annotator.work.sending import MAKE_DISPLAY
from tests.analysis.bundles.making import bundle_of, exports_of, make_picture, with_changed
from tests.analysis.factories import EARLIER, make_submitted
from tests.factories import LEAD, make_batch, make_member, make_project
from tests.support.codes import codes, numbers
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


def uploaded(target: Project, contents: bytes) -> Upload:
    """A bundle that was sent through the browser's form."""
    upload = begin_upload(project=target, actor=None, kind=Upload.Kind.BUNDLE)
    receive_form(upload=upload, files=[SimpleUploadedFile("b.zip", contents)])
    Upload.objects.filter(pk=upload.pk).update(status="storing")
    return upload


def restored_job(upload: Upload) -> Job:
    job = request_job(project=upload.project, kind=RESTORE, data={"upload": upload.pk}, actor=None)
    Upload.objects.filter(pk=upload.pk).update(job=job)
    run_job(job.pk)
    job.refresh_from_db()
    upload.refresh_from_db()
    return job


@pytest.mark.slow  # a whole project comes back
@pytest.mark.thorough
def test_an_uploaded_bundle_is_restored(project: Project, tmp_path: Path) -> None:
    target = make_project("target")
    upload = uploaded(target, bundle_of(project, tmp_path / "b.zip"))
    job = restored_job(upload)
    assert (job.status, job.error, upload.status) == ("done", "", "stored")
    assert job.result == {
        "url": "/projects/target/",
        "words": "1 image and 1 annotation are restored.",
    }
    assert exports_of(target) == exports_of(project)


@pytest.mark.thorough
def test_an_uploaded_bundle_that_is_wrong_is_refused(project: Project, tmp_path: Path) -> None:
    target = make_project("target")
    bundle_of(project, tmp_path / "b.zip")
    changed = with_changed(tmp_path / "b.zip", tmp_path / "c.zip", {"README.txt": b"x"}, sums=False)
    upload = uploaded(target, changed.read_bytes())
    job = restored_job(upload)
    assert (job.status, upload.status) == ("failed", "ready")
    assert job.error.startswith("README.txt was changed: its SHA-256 is ")
    assert not target.images.exists()


def test_an_upload_that_is_gone_is_said(project: Project, tmp_path: Path) -> None:
    target = make_project("target")
    job = request_job(project=target, kind=RESTORE, data={"upload": 0}, actor=None)
    run_job(job.pk)
    job.refresh_from_db()
    assert job.error == "The upload no longer exists. Upload the bundle again."


@pytest.mark.thorough
@pytest.mark.slow  # a whole project comes back, and every page of it is opened
def test_a_restored_project_s_pages_show(project: Project, client: Client, tmp_path: Path) -> None:
    """Rows without pictures break no page."""
    target = make_project("target")
    lead = make_member(target, LEAD, code="lead")
    assert lead.user is not None
    client.force_login(lead.user)
    bundle_of(project, tmp_path / "b.zip", pictures=False)
    with ZipFile(tmp_path / "b.zip") as archive:
        assert "images/" not in "".join(archive.namelist())
    upload = uploaded(target, (tmp_path / "b.zip").read_bytes())
    job = restored_job(upload)
    assert job.result is not None
    assert job.result["words"] == (
        "1 image and 1 annotation are restored. "
        "The files of 1 image are not in the bundle, so these cannot be displayed or annotated yet. "
        "Upload the files to this project under any name; they are matched by content."
    )
    image, batch = target.images.get(), target.batches.get()
    answer = batch.assignments.get().annotation
    for address in (
        "",
        "images/",
        f"images/{image.public_id}/",
        "people/",
        "batches/",
        "exports/",
        "reports/agreement/",
        "reports/comparison/",
        "reports/annotators/",
    ):
        assert client.get(f"/projects/target/{address}").status_code == 200, address
    assert client.get(f"/batches/{batch.pk}/").status_code == 200
    assert client.get(f"/annotations/{answer.pk}/").status_code == 200


@pytest.mark.thorough
@pytest.mark.slow  # a whole project comes back
def test_a_lead_chooses_which_code_is_theirs(project: Project, client: Client, tmp_path: Path) -> None:
    [code] = project.memberships.filter(assignments__isnull=False).values_list("code", flat=True)
    target = make_project("target")
    lead = make_member(target, LEAD, code=code)
    assert lead.user is not None
    client.force_login(lead.user)
    upload = begin_upload(project=target, actor=lead.user, kind=Upload.Kind.BUNDLE)
    contents = bundle_of(project, tmp_path / "b.zip")
    receive_form(upload=upload, files=[SimpleUploadedFile("b.zip", contents)])
    run_job(request_reading(upload=upload, actor=lead.user, send=False).pk)
    address = f"/projects/target/uploads/{upload.public_id}/"
    page = client.get(address)
    assert code in page.context["codes"]
    assert "this-is-me" in codes(page)
    wrong = {"action": "store", "request_key": str(uuid4()), "me": "nobody"}
    assert Job.objects.filter(kind=RESTORE).count() == 0
    client.post(address, wrong)
    assert Job.objects.filter(kind=RESTORE).count() == 0
    client.post(address, {**wrong, "me": code})
    job = Job.objects.get(kind=RESTORE)
    assert run_job(job.pk)
    member = target.memberships.get(user=lead.user)
    assert (member.code, member.role, member.assignments.count()) == (code, LEAD, 1)
    assert not target.memberships.filter(code=f"{code}-2").exists()
    assert exports_of(target) == exports_of(project)
