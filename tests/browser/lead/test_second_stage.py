"""From yes or no to counts in a real browser: the lead's path, and its pages under axe."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page

from analysis.models import Report
from analysis.reports.lifecycle import run_report
from annotator.models import Batch, Event, Membership, Project
from annotator.work.liveness import sign_of_life
from tests.analysis.factories import make_submitted
from tests.annotator.batches.second_stage.making import answered, images_of
from tests.browser.conftest import OpenPage, picture
from tests.browser.lead.test_batches import go
from tests.browser.lead.test_reports import draw_everything
from tests.browser.looks import VIEWPORTS, every_look, two_looks
from tests.browser.test_accessibility import violations
from tests.factories import ANNOTATOR, make_batch, make_member, make_user


@pytest.fixture
def first(pilot: Project, ada: Membership) -> Batch:
    """Six images that ada and bob judged yes or no; on two of them nobody marked anything."""
    bob = make_member(pilot, ANNOTATOR, user=make_user("bob"), code="bob")
    batch = make_batch(pilot, name="Yes or no", protocol="presence", status="closed")
    for number in range(1, 7):
        image = picture(pilot, number)
        for person in (ada, bob):
            answered(batch, image, person, ["extra.limbs"] if number > 2 else [])
    return batch


def fill(page: Page, first: Batch) -> None:
    """Go from the batch to the form and ask for three images and half of the unmarked ones."""
    page.goto(f"/batches/{first.pk}/")
    page.get_by_role("link", name="New second stage").click()
    page.get_by_label("A sample, balanced over generators and prompts").check()
    page.get_by_label("Number of images").fill("3")
    page.get_by_label("Leave out images without marks").check()
    page.get_by_label("Control sample of these images").fill("50")
    page.get_by_label("Name").fill("Counts")


def test_a_lead_draws_looks_and_releases_without_script(open_page: OpenPage, first: Batch) -> None:
    page = open_page("lee", java_script_enabled=False)
    fill(page, first)
    page.get_by_label("Number of images").fill("9")
    go(page, "Preview")
    assert "9" in page.locator(".error").inner_text()
    page.get_by_label("Number of images").fill("3")
    go(page, "Preview")
    drawn = page.locator("section", has=page.locator("#drawn"))
    assert "4 of 6" in drawn.inner_text()
    assert drawn.locator("[data-code=left-out]").count() == 2
    assert not Batch.objects.filter(name="Counts").exists()
    go(page, "Release batch")
    batch = Batch.objects.get(name="Counts")
    assert (batch.follows_id, batch.assignments.values("image").distinct().count()) == (first.pk, 4)
    page.get_by_role("link", name="Yes or no").click()
    assert page.url.endswith(f"/batches/{first.pk}/")


@every_look
def test_no_page_violates_anything(open_page: OpenPage, first: Batch, scheme: str, size: str) -> None:
    width, height = VIEWPORTS[size]
    page = open_page("lee", color_scheme=scheme, viewport={"width": width, "height": height})
    found = {}
    fill(page, first)
    found["form"] = violations(page)
    page.get_by_label("Number of images").fill("9")
    go(page, "Preview")
    found["refused"] = violations(page)
    page.get_by_label("Number of images").fill("3")
    go(page, "Preview")
    found["plan"] = violations(page)
    assert {name: rules for name, rules in found.items() if rules} == {}


def test_the_pages_fit_a_phone(open_page: OpenPage, first: Batch) -> None:
    page = open_page("lee", viewport={"width": 320, "height": 640})
    fill(page, first)
    assert page.evaluate("() => document.documentElement.scrollWidth") <= 320
    go(page, "Preview")
    assert page.evaluate("() => document.documentElement.scrollWidth") <= 320


@two_looks
def test_the_report_says_what_counts_as_zero(
    open_page: OpenPage, first: Batch, scheme: str, size: str
) -> None:
    sign_of_life()
    counted = make_batch(first.project, name="Counts", follows=first)
    told = {"batch": counted.pk, "follows": {"batch": first.pk, "way": "all", "control": 50}}
    Event.objects.create(project=first.project, verb="batch_released", data=told)
    for image in images_of(first)[1:]:
        for person in first.project.memberships.filter(role="annotator"):
            make_submitted(person, [("extra.limbs", "1/4c")], image=image, batch=counted)
    width, height = VIEWPORTS[size]
    page = open_page("lee", color_scheme=scheme, viewport={"width": width, "height": height})
    page.goto(f"/batches/{counted.pk}/")
    page.get_by_role("link", name="Compare the two stages").click()
    page.get_by_label("count as 0 in stage 2").check()
    go(page, "Refresh")
    report = Report.objects.get()
    run_report(report.pk)
    page.reload()
    page.get_by_label("count as 0 in stage 2").wait_for()
    assert page.get_by_label("count as 0 in stage 2").is_checked()
    findings = " ".join(" ".join(page.locator(".finding").all_inner_texts()).split())
    assert "1 image without marks left out of stage 2" in findings
    draw_everything(page)
    assert violations(page) == []
