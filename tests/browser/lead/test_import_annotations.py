"""What a lead sees of a file of annotations before it is stored."""

from __future__ import annotations

import pytest
from django.urls import reverse

from annotator.exchange.import_jobs import request_reading
from annotator.models import Job
from annotator.work.jobs import run_job
from tests.annotator.exchange.conftest import sheet_row, sheet_text
from tests.browser.conftest import OpenPage
from tests.browser.looks import VIEWPORTS, two_looks
from tests.browser.test_accessibility import violations
from tests.factories import LEAD, make_image, make_member, make_project, make_user


@pytest.fixture
def reading(transactional_db: None) -> Job:
    """A file with slips, rows that stay out, and remarks, as a worker read it."""
    project = make_project("elsewhere")
    make_member(project, LEAD, user=make_user("lea"))
    for number in range(1, 5):
        make_image(project, generator="sdxl", prompt="hug", number=number)
    cells = {"missing.limbs": "14c,1/4a", "extra.hands": "1/5,1/5b", "missing.face": "4/1a"}
    rows = [sheet_row(f"sdxl_hug_0{number}", "anno1", cells) for number in range(1, 5)]
    rows += [sheet_row("sdxl_hug_09", "anno1"), sheet_row("flux_hug_01", "anno2")]
    rows[1] = sheet_row("sdxl_hug_02", "anno1", {**cells, "missing.face": "2/2a,1/2b"})
    contents = sheet_text(rows).encode()
    job = request_reading(project=project, name="sheet.csv", contents=contents, actor=None)
    assert run_job(job.pk)
    job.refresh_from_db()
    return job


@two_looks
def test_both_pages_are_accessible(reading: Job, open_page: OpenPage, size: str, scheme: str) -> None:
    width, height = VIEWPORTS[size]
    page = open_page("lea", viewport={"width": width, "height": height}, color_scheme=scheme)
    page.goto(reverse("import_rows", args=["elsewhere", "answers"]))
    assert violations(page) == []
    page.goto(reverse("rows_reading", args=["elsewhere", "answers", reading.pk]))
    assert violations(page) == []
    wide = page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth")
    assert not wide
