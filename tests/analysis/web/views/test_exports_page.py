"""The page of exports: files at once, files and bundles by workers, who gets them, until when."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.files.storage import default_storage
from django.test import Client
from django.utils import timezone
from pytest_django.fixtures import Settings

from analysis.exports.requests import EXPORT, ExportRequest, request_export
from analysis.web.views import exports as view
from annotator.models import Event, Job, Membership, Project
from annotator.work.jobs import RUN_JOB, run_job
from tests.analysis.reading import rows_in
from tests.annotator.job_acts import ended, result_of
from tests.factories import make_batch, make_member, make_project
from tests.support.codes import numbers
from tests.support.messages import ids_sent_to

pytestmark = pytest.mark.usefixtures("lead")
PAGE = "/projects/study/exports/"


@pytest.fixture(autouse=True)
def delivered(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Ids of the jobs whose wake-up left; no worker hears it."""
    return ids_sent_to(monkeypatch, RUN_JOB)


@pytest.fixture(autouse=True)
def own_media(settings: Settings, tmp_path: Path) -> None:
    """Keep files where no earlier case left one of the same number."""
    settings.MEDIA_ROOT = tmp_path


def asked(**fields: object) -> dict[str, object]:
    return {"layout": "scores", "format": "csv", **fields}


def made_export(project: Project, client: Client, **fields: object) -> Job:
    response = client.post(PAGE, asked(**{"format": "xlsx", **fields}))
    job = Job.objects.get(kind=EXPORT)
    assert response.headers["Location"] == f"/jobs/{job.pk}/"
    result_of(job)
    return job


def test_a_small_export_comes_at_once_and_is_recorded(
    project: Project, lead: Membership, client: Client
) -> None:
    batch = project.batches.get()
    second = project.memberships.get(code="anno2")
    fields = {"batches": [batch.pk], "annotators": [second.pk], "generators": ["alpha"], "pseudonyms": "on"}
    response = client.post(PAGE, asked(layout="marks", **fields))
    assert response.headers["Content-Disposition"].startswith('attachment; filename="study-marks-')
    (first, last) = rows_in(response)
    assert (first["score"], last["score"]) == ("0.125", "0.1")
    assert first["Annotator"] == last["Annotator"] != "anno2"
    event = Event.objects.get(verb="exported")
    assert (event.actor, event.project) == (lead.user, project)
    assert event.data == {
        "layout": "marks",
        "format": "csv",
        "filters": {"batches": [batch.pk], "generators": ["alpha"], "annotators": [second.pk]},
        "pseudonyms": True,
        "protocol": "anatomy",
    }


def test_a_large_export_is_made_by_a_worker(
    project: Project,
    client: Client,
    monkeypatch: pytest.MonkeyPatch,
    delivered: list[int],
    django_capture_on_commit_callbacks: Callable[..., object],
) -> None:
    monkeypatch.setattr(view, "AT_ONCE", 6)
    with django_capture_on_commit_callbacks(execute=True):  # type: ignore[attr-defined]
        response = client.post(PAGE, asked(layout="sheet"))
    job = Job.objects.get(kind=EXPORT)
    assert (response.status_code, delivered) == (302, [job.pk])
    assert result_of(job)["words"] == "7 rows. The file is kept for 7 days."
    page = client.get(PAGE).content.decode()
    assert f'href="/projects/study/exports/{job.pk}/file/"' in page
    assert "all submitted annotations" in page
    answer = client.get(f"{PAGE}{job.pk}/file/")
    assert Event.objects.get(verb="exported").data["job"] == job.pk
    monkeypatch.undo()
    assert b"".join(answer) == b"".join(client.post(PAGE, asked(layout="sheet")))


@pytest.mark.parametrize("form", ["xlsx", "parquet"])
def test_what_needs_libraries_is_always_made_by_a_worker(project: Project, client: Client, form: str) -> None:
    job = made_export(project, client, format=form)
    answer = client.get(f"{PAGE}{job.pk}/file/")
    assert answer.headers["Content-Disposition"].endswith(f'.{form}"')
    assert b"".join(answer)[:4] == {"xlsx": b"PK\x03\x04", "parquet": b"PAR1"}[form]


def test_a_file_expires(project: Project, client: Client) -> None:
    job = made_export(project, client)
    Job.objects.filter(pk=job.pk).update(finished_at=timezone.now() - timedelta(days=7))
    answer = client.get(f"{PAGE}{job.pk}/file/", follow=True)
    assert numbers(answer, "gone") == ["7"]
    assert ">expired</td>" in answer.content.decode()


def test_a_cancelled_export_leaves_no_file(
    project: Project, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    client.post(PAGE, asked(format="xlsx"))
    job = Job.objects.get(kind=EXPORT)

    def cancelled_meanwhile(*_: object) -> int:
        client.post(f"/jobs/{job.pk}/cancel/")
        return 7

    monkeypatch.setattr("analysis.exports.requests.annotations_read", cancelled_meanwhile)
    assert not run_job(job.pk)
    job.refresh_from_db()
    assert job.status == "cancelled"
    assert not default_storage.exists(f"exports/{project.pk}/{job.pk}.xlsx")
    assert "Cancelled" in client.get(PAGE).content.decode()


def test_a_disk_that_is_full_is_said(
    project: Project, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    client.post(PAGE, asked(format="xlsx"))
    monkeypatch.setattr("analysis.exports.requests.store", full)
    job = Job.objects.get(kind=EXPORT)
    ended(job)
    assert (job.status, job.error) == ("failed", "The file could not be written: No space left on device.")


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"layout": "everything"}, "Unknown layout."),
        ({"layout": ""}, "Choose a layout."),
        ({"format": "pdf"}, "Unknown format."),
        ({"batches": ["99999999"]}, "The project has no batch “99999999”."),
        ({"annotators": ["x"]}, "The project has no annotator “x”."),
        ({"generators": ["gamma"]}, "The project has no generator “gamma”."),
        ({"since": "2026-02-30"}, "Enter a valid date."),
        ({"since": "2026-03-02", "until": "2026-03-01"}, "The last date is before the first."),
    ],
)
@pytest.mark.few(4)
def test_what_does_not_fit_is_said_and_nothing_is_made(
    project: Project, client: Client, fields: dict[str, object], message: str
) -> None:
    response = client.post(PAGE, asked(**fields))
    assert response.status_code == 422
    assert message in response.content.decode()
    assert not Job.objects.exists()
    assert not Event.objects.filter(verb="exported").exists()


def test_another_projects_people_and_files_are_unknown(project: Project, client: Client) -> None:
    other = make_project("other")
    stranger, batch = make_member(other), make_batch(other)
    for fields in ({"annotators": [stranger.pk]}, {"batches": [batch.pk]}):
        assert client.post(PAGE, asked(**fields)).status_code == 422
    job = request_export(project=other, request=ExportRequest("marks"), actor=None)
    result_of(job)
    assert client.get(f"{PAGE}{job.pk}/file/").status_code == 404
