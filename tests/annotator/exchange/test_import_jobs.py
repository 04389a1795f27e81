"""What a reading keeps of a file for its page."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse

from annotator.exchange import import_jobs
from annotator.exchange.import_jobs import repairs_of, request_reading, request_storing
from annotator.models import Annotation, Job, Membership, Project
from annotator.work.jobs import run_job
from scoring.grid.taxonomy import CELL_BY_KEY
from tests.annotator.exchange.conftest import sheet_row, sheet_text
from tests.factories import make_image, make_member, make_project
from tests.support.codes import codes, numbers

pytestmark = pytest.mark.django_db

LIMBS = CELL_BY_KEY["missing.limbs"].heading


@pytest.fixture
def project() -> Project:
    project = make_project("study")
    for number in (1, 2):
        make_image(project, generator="sdxl", prompt="hug", number=number)
    return project


@pytest.fixture
def lead(client: Client, project: Project) -> Client:
    user = make_member(project, Membership.Role.LEAD).user
    assert user is not None
    client.force_login(user)
    return client


def read(project: Project, *rows: dict[str, str]) -> Job:
    contents = sheet_text(list(rows)).encode()
    job = request_reading(project=project, name="sheet.csv", contents=contents, actor=None)
    assert run_job(job.pk)
    job.refresh_from_db()
    return job


def facts_of(job: Job) -> dict[str, Any]:
    assert job.result, job.error
    facts: dict[str, Any] = job.result["reading"]
    return facts


def address(job: Job) -> str:
    return reverse("import_reading", args=["study", job.pk])


def test_of_a_long_cell_the_beginning_is_kept_and_never_taken_for_the_whole(
    lead: Client, project: Project
) -> None:
    texts = ("14c" + " " * 32_000, "14c" + " " * 397)
    cells = [{"missing.limbs": text} for text in texts]
    job = read(project, sheet_row("sdxl_hug_01", cells=cells[0]), sheet_row("sdxl_hug_02", cells=cells[1]))
    shown = "14c" + " " * 197 + "…"
    found = [(cell["text"], cell["suggested"], cell.get("cut")) for cell in facts_of(job)["cells"]]
    assert found == [(shown, shown, True), (texts[1], "1/4c", None)]
    assert codes(lead.get(address(job))).count("cut") == 1

    lead.post(address(job), {"action": "kind", "kind": "missing slash"})
    job.refresh_from_db()
    assert repairs_of(job) == {(3, LIMBS): "1/4c"}
    sent = {"action": "edit", "row": "2", "column": LIMBS}
    assert lead.post(address(job), {**sent, "text": shown}).status_code == 422
    lead.post(address(job), {**sent, "text": "1/4b"})
    job.refresh_from_db()
    assert run_job(request_storing(reading=job, actor=None, request_key=uuid4()).pk)
    stored = Annotation.objects.order_by("assignment__image__number")
    assert [each.payload["marks"][0]["severity"] for each in stored] == ["b", "c"]


def test_what_a_page_loads_has_a_limit(
    lead: Client, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A small workbook could list cells of 200 MB."""
    monkeypatch.setattr(import_jobs, "MOST_CHARACTERS", 1_200)
    long = {"missing.limbs": ",".join(["x" * 300] * 30), "extra.hands": "1/5"}
    rows = [sheet_row("sdxl_hug_01", cells={"missing.limbs": "14c"}), sheet_row("sdxl_hug_02", cells=long)]
    refused = [sheet_row(f"flux_{'y' * 2_000}_0{number}", "a" * 81) for number in range(1, 9)]
    job = read(project, *rows, *refused)
    facts = facts_of(job)
    assert [(cell["row"], cell["column"]) for cell in facts["cells"]] == [(2, LIMBS)]
    assert (facts["cell_count"], facts["refused_count"], len(facts["refused"])) == (3, 8, 3)
    assert {len(note["text"]) for note in facts["refused"]} == {201}
    page = lead.get(address(job))
    assert (numbers(page, "not-all-cells"), numbers(page, "not-all-refused")) == (["1", "3"], ["3", "8"])
