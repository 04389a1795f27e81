"""What a reading keeps of a file for its page."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotator.exchange import import_jobs
from annotator.exchange.import_jobs import request_reading
from annotator.models import Job, Membership, Project
from annotator.work.jobs import run_job
from scoring.grid.taxonomy import CELL_BY_KEY
from tests.annotator.exchange.conftest import sheet_row, sheet_text
from tests.factories import make_image, make_member, make_project
from tests.support.codes import codes

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
    facts: dict[str, Any] = job.result["rows"]
    return facts


def address(job: Job) -> str:
    return reverse("rows_reading", args=["study", "answers", job.pk])


def test_what_a_page_loads_has_a_limit(
    lead: Client, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A small workbook could list cells of 200 MB."""
    monkeypatch.setattr(import_jobs, "LISTED", 3)
    long = {"missing.limbs": ",".join(["x" * 300] * 30), "extra.hands": "1/5"}
    rows = [sheet_row("sdxl_hug_01", cells={"missing.limbs": "14c"}), sheet_row("sdxl_hug_02", cells=long)]
    refused = [sheet_row(f"flux_{'y' * 2_000}_0{number}", "a" * 81) for number in range(1, 9)]
    job = read(project, *rows, *refused)
    facts = facts_of(job)
    [_, count, terms], _ = facts["remarks"]
    assert (terms[0]["row"], terms[0]["column"]) == (2, LIMBS)
    assert (count, len(terms), len(facts["refused"])) == (32, 3, 3)
    assert {len(note["text"]) for note in facts["refused"]} == {201}
    page = lead.get(address(job))
    assert codes(page).count("not-all") == 2
