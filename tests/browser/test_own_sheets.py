"""An annotator takes a sheet away, fills it in, and brings it back."""

from __future__ import annotations

import os
from pathlib import Path

import openpyxl
from playwright.sync_api import expect

from annotator.models import Annotation, Assignment, Job
from annotator.work.jobs import run_job
from scoring.grid.taxonomy import CELL_BY_KEY
from tests.browser.conftest import OpenPage
from tests.browser.looks import VIEWPORTS, two_looks
from tests.browser.test_accessibility import violations

LIMBS = CELL_BY_KEY["missing.limbs"].heading
QUEUE = "/projects/pilot/queue/"


def filled(path: Path, rows: dict[int, dict[str, str]]) -> Path:
    """The sheet as a spreadsheet program would save it."""
    book = openpyxl.load_workbook(path)
    sheet = book.worksheets[0]
    headings = {cell.value: cell.column for cell in sheet[1]}
    for row, cells in rows.items():
        for heading, text in cells.items():
            sheet.cell(row, headings[heading], text)
    book.save(path)
    return path


@two_looks
def test_a_sheet_goes_out_and_comes_back(
    queue_of_ada: list[Assignment], open_page: OpenPage, tmp_path: Path, size: str, scheme: str
) -> None:
    width, height = VIEWPORTS[size]
    page = open_page("ada", viewport={"width": width, "height": height}, color_scheme=scheme)
    shots = os.environ.get("SHOTS")

    def look(name: str) -> None:
        wide = page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth")
        assert (violations(page), wide) == ([], False), name
        if shots:
            page.screenshot(path=f"{shots}/own-sheet-{name}-{size}-{scheme}.png")

    page.goto(QUEUE)
    with page.expect_download() as download:
        page.get_by_role("button", name="Sheet of Batch 1 as XLSX").click()
    path = tmp_path / "my-queue.xlsx"
    download.value.save_as(path)
    filled(path, {2: {LIMBS: "1/4c"}, 3: {"No errors": "yes"}, 4: {LIMBS: "14c"}})
    look("queue")
    page.get_by_role("link", name="Upload a completed sheet").click()
    look("form")
    page.get_by_label("Your sheet (XLSX or CSV)").set_input_files(path)
    page.get_by_role("button", name="Upload sheet").click()
    expect(page.get_by_role("heading", name="my-queue.xlsx")).to_be_visible()
    assert run_job(Job.objects.get().pk)
    expect(page.get_by_role("heading", name="To be submitted")).to_be_visible()
    expect(page.get_by_text("Did you mean 1/4c?")).to_be_visible()
    look("preview")
    assert not Annotation.objects.exists()
    page.get_by_role("button", name="Submit 2 images").click()
    expect(page.get_by_role("button", name="Submit 2 images")).to_have_count(0)
    assert run_job(Job.objects.latest("pk").pk)
    expect(page.locator("[data-code=done]")).to_contain_text("2")
    look("outcome")
    page.get_by_role("link", name="Back to queue").click()
    expect(page.get_by_text("2 of 3 images done")).to_be_visible()
    answers = Annotation.objects.filter(status="submitted").order_by("assignment")
    assert [each.assignment_id for each in answers] == [each.pk for each in queue_of_ada[:2]]
