"""The four stages in Chromium: what is drawn comes back, through the verdict, the check and the expert."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from annotator.batches.closing import close_batch
from annotator.models import Assignment, Batch, Project
from annotator.protocols.defect.material import checked_in
from scoring.defect.masks import iou
from tests.annotator.protocols.defect.stages import MARKERS, REVIEWERS, described, make_people, released
from tests.browser.conftest import OpenPage
from tests.browser.defect.conftest import square
from tests.browser.defect.test_marks import around, disc, drag
from tests.browser.labelling.labelling_page import open_label, press
from tests.browser.test_accessibility import violations


@pytest.fixture
def people(transactional_db: None) -> Project:
    """Those who work on the stages, and three images, the second of which they find without a defect."""
    project = make_people(0, "stages")
    for number in (1, 2, 3):
        square(project, number)
    return project


def close(batch: Batch) -> Batch:
    """Close a batch in which everybody has submitted everything."""
    assert not batch.assignments.exclude(status="done").exists()
    return close_batch(batch=batch, reason="All is done.", actor=None)


@pytest.mark.slow
def test_what_is_drawn_comes_back_through_all_stages(people: Project, open_page: OpenPage) -> None:
    first, clean, other = people.images.order_by("number")
    described(people, one="An error in the disc", two="A broken disc")
    codes = (*MARKERS, *REVIEWERS, "lead")
    pages = {code: open_page(f"stages-{code}") for code in codes}

    batch = released(people, "defect-verdict", REVIEWERS)
    for page, assignment in opened(pages, batch):
        page.wait_for_function(
            "() => document.querySelector('.sheet') && !document.querySelector('[data-early]')"
        )
        press(page, "1" if assignment.image == clean else "2")
        wait_done(assignment)
    close(batch)

    batch = released(people, "defect-marks", MARKERS, batch, control=0)
    assert {each.image for each in batch.assignments.all()} == {first, other}
    for page, assignment in opened(pages, batch):
        page.wait_for_function("() => document.querySelector('#picture img').complete")
        page.wait_for_timeout(100)
        drag(page, [*around(), around()[0]])
        press(page, "t w")
        page.keyboard.insert_text("The disc is no hand at all.")
        press(page, "Escape")
        page.get_by_role("button", name="Serious").click()
        press(page, "Ctrl+Enter")
        wait_done(assignment)
    close(batch)

    batch = released(people, "defect-check", REVIEWERS, batch)
    for page, assignment in opened(pages, batch):
        expect(page.locator("#counted")).to_have_text("0 of 4 judged")
        press(page, "k k")
        if (assignment.annotator.code, assignment.image) == ("rev3", first):
            # One reviewer drops a description, which an expert has to decide.
            press(page, "ArrowUp t")
        expect(page.locator("#counted")).to_have_text("4 of 4 judged")
        assert assignment.image != first or violations(page) == []
        with page.expect_navigation():
            press(page, "Control+Enter")
    lead = pages["lead"]
    lead.goto("/projects/stages/disagreements/?protocol=defect-check")
    assert violations(lead) == []
    lead.locator("fieldset.cell label", has_text="Keep").click()
    lead.locator("#reference").fill("An expert has described this disc. The effect is serious.")
    lead.get_by_role("button", name="Adjudicate").last.click()
    close(batch)
    for image, source in ((first, "expert"), (other, "assembled")):
        found = checked_in(batch, image)
        assert found is not None
        assert (iou(found.region, disc()) or 0) >= 0.9
        assert found.source == source
    assert checked_in(batch, clean) is None

    batch = released(people, "defect-quality", REVIEWERS, batch)
    for page, assignment in opened(pages, batch):
        expect(page.locator(".reference")).to_contain_text("effect")
        for vote in page.locator("section.thing fieldset").all():
            vote.locator("input[value='2']").check(force=True)
        assert assignment.image != first or violations(page) == []
        with page.expect_navigation():
            press(page, "Control+Enter")
    close(batch)


def opened(pages: dict[str, Page], batch: Batch) -> Iterator[tuple[Page, Assignment]]:
    """Everybody's images of a batch, each opened in their page."""
    for assignment in batch.assignments.select_related("annotator", "image").order_by("pk"):
        page = pages[assignment.annotator.code]
        open_label(page, assignment)
        yield page, assignment


def wait_done(assignment: Assignment) -> None:
    """Wait until the server has a submission."""
    until = time.monotonic() + 30
    while Assignment.objects.get(pk=assignment.pk).status != Assignment.Status.DONE:
        assert time.monotonic() < until, assignment.image.source_name
        time.sleep(0.05)
