"""The lead's way from a file to stored annotations."""

from __future__ import annotations

from pathlib import Path
from uuid import UUID, uuid4

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from pytest_django.fixtures import Settings

from annotator.exchange.import_jobs import request_reading, request_storing
from annotator.models import Annotation, Batch, Event, Job, Membership, Project, Reference, User
from annotator.work.jobs import run_job
from tests.annotator.exchange.conftest import sheet_row, sheet_text
from tests.factories import make_image, make_member, make_project, user_of
from tests.support.codes import codes

pytestmark = pytest.mark.django_db

CELLS = {"missing.limbs": "14c", "extra.hands": "1/5,1/5b", "missing.face": "4/1a"}


@pytest.fixture(autouse=True)
def media(tmp_path: Path, settings: Settings) -> None:
    settings.MEDIA_ROOT = tmp_path / "media"


@pytest.fixture
def project() -> Project:
    project = make_project("study")
    for number in (1, 2, 3):
        make_image(project, generator="sdxl", prompt="hug", number=number)
    return project


@pytest.fixture
def lead(client: Client, project: Project) -> Client:
    user = user_of(make_member(project, Membership.Role.LEAD))
    client.force_login(user)
    return client


def slips(count: int = 1) -> bytes:
    rows = [sheet_row(f"sdxl_hug_0{number}", "anno1", CELLS) for number in range(1, count + 1)]
    return sheet_text([*rows, sheet_row("sdxl_hug_09", "anno1")]).encode()


def read(project: Project, contents: bytes = b"") -> Job:
    job = request_reading(project=project, name="sheet.csv", contents=contents or slips(), actor=None)
    assert run_job(job.pk)
    job.refresh_from_db()
    return job


def address(job: Job) -> str:
    return reverse("rows_reading", args=["study", "answers", job.pk])


def bring(client: Client, contents: bytes, name: str = "sheet.csv", key: UUID | None = None) -> Job | None:
    sent = {"file": SimpleUploadedFile(name, contents), "request_key": str(key or uuid4())}
    answer = client.post(reverse("import_rows", args=["study", "answers"]), sent)
    return Job.objects.get(pk=int(answer["Location"].split("/")[-2])) if answer.status_code == 302 else None


def test_a_file_is_shown_first_and_stored_on_request(lead: Client) -> None:
    job = bring(lead, slips())
    assert job is not None
    assert run_job(job.pk)
    job.refresh_from_db()
    assert job.result is not None
    assert job.result["words"] == (
        "Accepted rows: 1. Terms that cannot be read: 3. New annotators: 1. Rejected rows: 1. Nothing is "
        "stored until you confirm."
    )
    page = lead.get(address(job)).content.decode()
    assert "no total: expected affected/total and a severity, such as 1/4b" in page
    assert "there is no image 9 of “sdxl”, “hug”" in page
    assert not Annotation.objects.exists()

    assert lead.post(address(job)).status_code == 400
    key = str(uuid4())
    stored = [lead.post(address(job), {"request_key": key})["Location"] for _ in range(2)]
    assert stored[0] == stored[1]
    storing = Job.objects.get(kind="store_answers")
    assert run_job(storing.pk)
    storing.refresh_from_db()
    assert storing.result is not None
    assert storing.result["words"] == (
        "Annotations: 1 added, 0 already stored. Rejected rows: 1. Unreadable terms kept: 3."
    )
    source = Annotation.objects.get().source
    assert source is not None
    assert [problem["text"] for problem in source["problems"]] == ["14c", "4/1a", "1/5"]
    assert Event.objects.get(verb="answers_imported").data == {"file": "sheet.csv", "annotations": 1}


def test_where_nothing_can_be_kept_it_is_not_the_person_who_has_to_mend_it(
    lead: Client, tmp_path: Path
) -> None:
    (tmp_path / "media").mkdir()
    (tmp_path / "media" / "answers").write_text("in the place of the folder")
    sent = {"file": SimpleUploadedFile("a.csv", slips()), "request_key": str(uuid4())}
    answer = lead.post(reverse("import_rows", args=["study", "answers"]), sent)
    assert answer.status_code == 507
    assert codes(answer) == ["not_kept"]
    assert "Not a directory" in answer.content.decode()
    assert not Job.objects.exists()


def test_a_file_of_another_project_fails_in_words(lead: Client) -> None:
    job = bring(lead, sheet_text([sheet_row("flux_cat_01")]).encode(), name="ä" * 150 + ".csv")
    assert job is not None
    run_job(job.pk)
    job.refresh_from_db()
    assert (job.status, "matches no image of" in job.error) == ("failed", True)
    assert lead.get(address(job)).status_code == 404
    assert "Failed" in lead.get(reverse("import_rows", args=["study", "answers"])).content.decode()


def bring_as(client: Client, contents: bytes, **said: str) -> Job:
    sent = {"file": SimpleUploadedFile("sheet.csv", contents), "request_key": str(uuid4()), **said}
    answer = client.post(reverse("import_rows", args=["study", "answers"]), sent)
    assert answer.status_code == 302, codes(answer)
    job = Job.objects.get(pk=int(answer["Location"].split("/")[-2]))
    run_job(job.pk)
    job.refresh_from_db()
    return job


def cells_stored() -> list[list[str]]:
    return [each.payload["cells"] for each in Annotation.objects.order_by("pk")]


def test_a_presence_sheet_is_stored_as_presence(lead: Client) -> None:
    rows = [sheet_row("sdxl_hug_01", "anno1", {"missing.limbs": "1"}), sheet_row("sdxl_hug_02", "anno1")]
    job = bring_as(lead, sheet_text(rows).encode(), protocol="presence")
    page = lead.get(address(job))
    assert page.context["facts"]["accepted"] == 2
    assert "Presence of errors in 25 cells" in page.content.decode()
    lead.post(address(job), {"request_key": str(uuid4())})
    assert run_job(Job.objects.get(kind="store_answers").pk)
    assert cells_stored() == [["missing.limbs"], []]
    assert Batch.objects.get().protocol == "presence"


def test_a_file_becomes_references(lead: Client, project: Project) -> None:
    shown = lead.get(f"{reverse('import_rows', args=['study', 'answers'])}?as=planted&protocol=anatomy")
    assert 'value="planted"' in shown.content.decode()
    rows = [sheet_row("sdxl_hug_01", "truth", {"missing.limbs": "14c"}), sheet_row("sdxl_hug_02", "truth")]
    sent = {
        "file": SimpleUploadedFile("truth.csv", sheet_text(rows).encode()),
        "request_key": str(uuid4()),
        "origin": "planted",
        "protocol": "anatomy",
    }
    answer = lead.post(reverse("import_rows", args=["study", "answers"]), sent)
    job = Job.objects.get(pk=int(answer["Location"].split("/")[-2]))
    assert run_job(job.pk)
    page = lead.get(address(job)).content.decode()
    assert "Store 1 reference<" in page
    assert "every term of a reference must be readable" in page
    job.refresh_from_db()
    storing = request_storing(reading=job, actor=User.objects.get())
    assert run_job(storing.pk)
    storing.refresh_from_db()
    assert "References: 1 added, 0 with new rationales, 0 already stored." in (storing.result or {})["words"]
    found = Reference.objects.order_by("image__number")
    assert [(one.origin, one.made_by and one.made_by.role) for one in found] == [("planted", "lead")]
    assert not Annotation.objects.exists()
    assert lead.get((storing.result or {})["url"]).status_code == 200
