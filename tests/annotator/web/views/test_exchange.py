"""Files of a lead on their way in: checked, shown, and stored once a lead confirms."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from annotator.exchange import import_jobs
from annotator.models import Annotation, Event, Job, Reference, Screening
from tests.annotator.exchange.conftest import sheet_row, sheet_text
from tests.annotator.job_acts import ended, result_of
from tests.factories import LEAD, make_image, make_member, make_project
from tests.support.codes import codes
from tests.support.signing_in import signed_in

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("media")]
CELLS = {"missing.limbs": "14c", "extra.hands": "1/5,1/5b", "missing.face": "4/1a"}


@pytest.fixture
def lead(db: None) -> Client:
    """The lead of a project with three images, signed in."""
    project = make_project("study")
    for number in (1, 2, 3):
        make_image(project, generator="sdxl", prompt="hug", number=number, source_name=f"{number}.png")
    return signed_in(make_member(project, LEAD))


def rows(kind: str) -> str:
    return reverse("import_rows", args=["study", kind])


def send(lead: Client, kind: str, contents: str, name: str = "rows.csv", **said: str) -> Any:
    sent = {"file": SimpleUploadedFile(name, contents.encode()), "request_key": str(uuid4()), **said}
    return lead.post(rows(kind), sent)


def bring(lead: Client, kind: str, contents: str, name: str = "rows.csv", **said: str) -> dict[str, Any]:
    """What a worker has found in a file."""
    answer = send(lead, kind, contents, name, **said)
    assert answer.status_code == 302, codes(answer)
    return result_of(Job.objects.get(pk=int(answer["Location"].split("/")[-2])))


def store(lead: Client, found: dict[str, Any]) -> Job:
    """The job that stores a checked file, once a lead confirms; pressed twice."""
    assert lead.post(found["url"]).status_code == 400
    key = str(uuid4())
    for _ in range(2):
        lead.post(found["url"], {"request_key": key})
    job: Job = Job.objects.filter(kind__startswith="store_").latest("pk")
    assert Job.objects.filter(request_key=key).count() == 1
    return ended(job)


def test_a_file_is_shown_first_and_stored_on_request(lead: Client) -> None:
    sheet = sheet_text([sheet_row("sdxl_hug_01", "anno1", CELLS), sheet_row("sdxl_hug_09", "anno1")])
    found = bring(lead, "answers", sheet)
    assert found["words"] == (
        "Accepted rows: 1. Terms that cannot be read: 3. New annotators: 1. Rejected rows: 1. Nothing is "
        "stored until you confirm."
    )
    assert not Annotation.objects.exists()
    changed = sheet_row("sdxl_hug_01", "anno1", {**CELLS, "extra.feet": "1/2c"})
    checked_before = bring(lead, "answers", sheet_text([changed]))
    assert (store(lead, found).result or {})["words"] == (
        "Annotations: 1 added, 0 already stored. Rejected rows: 1. Unreadable terms kept: 3."
    )
    again = bring(lead, "answers", sheet)
    assert again["rows"]["counts"][:2] == [["Accepted rows", 1], ["Already stored", 1]]
    page = lead.get(bring(lead, "answers", sheet_text([changed]))["url"])
    assert ("store" in codes(page), "here “1/2c”, stored “”" in page.content.decode()) == (False, True)
    late = store(lead, checked_before)
    assert (late.result or {})["words"].startswith(
        "Annotations: 0 added, 0 already stored. Rejected rows: 1."
    )
    assert "rejected-rows" in codes(lead.get(reverse("job", args=[late.pk])))
    source = Annotation.objects.get().source
    assert source is not None
    assert [problem["text"] for problem in source["problems"]] == ["14c", "4/1a", "1/5"]
    assert Event.objects.get(verb="answers_imported").data == {"file": "rows.csv", "annotations": 1}


def test_where_nothing_can_be_kept_it_is_no_fault_of_the_person(lead: Client, tmp_path: Path) -> None:
    (tmp_path / "media").mkdir()
    (tmp_path / "media" / "answers").write_text("in the place of the folder")
    answer = send(lead, "answers", sheet_text([sheet_row("sdxl_hug_01", "anno1")]))
    assert (answer.status_code, codes(answer)) == (422, ["not_kept"])
    assert not Job.objects.exists()


def test_a_file_becomes_references(lead: Client) -> None:
    sheet = [sheet_row("sdxl_hug_01", "truth", {"missing.limbs": "14c"}), sheet_row("sdxl_hug_02", "truth")]
    found = bring(lead, "answers", sheet_text(sheet), origin="planted", protocol="anatomy")
    assert "every term of a reference must be readable" in lead.get(found["url"]).content.decode()
    stored = store(lead, found).result or {}
    assert "References: 1 added, 0 with new rationales, 0 already stored." in stored["words"]
    [made] = Reference.objects.all()
    assert (made.origin, made.made_by and made.made_by.role) == ("planted", "lead")
    assert not Annotation.objects.exists()
    assert lead.get(stored["url"]).status_code == 200


def test_detections_are_stored_or_refused_as_a_whole(lead: Client) -> None:
    found = bring(lead, "detections", "file,persons\n1.png,7\n")
    assert not Screening.objects.exists()
    stored = store(lead, found).result or {}
    assert stored["words"] == "Detections of 1 images stored. Images left out: 1."
    found = bring(lead, "detections", "file,persons\n1.png,1\nb.png,1\n")
    assert [note["row"] for note in found["rows"]["refused"]] == [3]
    page = codes(lead.get(found["url"]))
    assert ("refused" in page, "store" in page) == (True, False)
    job = store(lead, found)
    assert (job.status, "row 3, file: there is no image “b.png”" in job.error) == ("failed", True)
    assert Screening.objects.get().persons == 7


def test_a_form_without_a_file_and_an_unknown_kind_of_rows(lead: Client) -> None:
    assert lead.post(rows("detections"), {"request_key": str(uuid4())}).status_code == 422
    assert lead.get(rows("unknown")).status_code == 404


def test_what_a_page_loads_has_a_limit(lead: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """A small workbook could list cells of 200 MB."""
    monkeypatch.setattr(import_jobs, "LISTED", 3)
    long = {"missing.limbs": ",".join(["x" * 300] * 30), "extra.hands": "1/5"}
    sheet = [sheet_row("sdxl_hug_01", cells={"missing.limbs": "14c"}), sheet_row("sdxl_hug_02", cells=long)]
    sheet += [sheet_row(f"flux_{'y' * 2_000}_0{number}", "a" * 81) for number in range(1, 9)]
    found = bring(lead, "answers", sheet_text(sheet))
    [_, count, terms], _ = found["rows"]["remarks"]
    assert (terms[0]["row"], terms[0]["column"]) == (2, "1. Missing Error-1.2 Limbs")
    assert (count, len(terms), len(found["rows"]["refused"])) == (32, 3, 3)
    assert {len(note["text"]) for note in found["rows"]["refused"]} == {201}
    assert codes(lead.get(found["url"])).count("not-all") == 2
