"""The project's guideline in Chromium: on the annotation page, and as a lead edits it."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from annotator.models import Assignment, Membership, Project
from tests.annotator.adjudicating import Case, make_case, settle
from tests.annotator.guidelines.making import RULED, drafted, example_of, publication
from tests.browser.conftest import OpenPage, picture
from tests.browser.labelling.labelling_page import open_label, press, wait_place
from tests.browser.looks import VIEWPORTS, two_looks
from tests.browser.test_accessibility import violations
from tests.factories import LEAD, make_member, make_payload


@pytest.fixture
def case(pilot: Project) -> Case:
    """An adjudicated image with a pin, as example of Missing · Limbs in version 1.0."""
    make_member(pilot, LEAD, code="lead")
    case = make_case(pilot, picture(pilot, 9))
    payload = make_payload([("missing.limbs", "1/4b")])
    payload["marks"][0]["pins"] = [{"x": 0.5, "y": 0.5}]
    settle(case, payload)
    example = example_of(case, "missing.limbs", caption="A stump.")
    drafted(case.lead, missing="Not **there** at all.", decisions=(RULED,), examples=(example,))
    publication(case.lead)
    return case


@two_looks
def test_the_cell_shows_what_the_project_says(
    open_page: OpenPage, case: Case, queue_of_ada: list[Assignment], size: str, scheme: str
) -> None:
    width, height = VIEWPORTS[size]
    page = open_page("ada", color_scheme=scheme, viewport={"width": width, "height": height})
    open_label(page, queue_of_ada[0])
    press(page, "m l")
    expect(page.locator("#definitions")).to_contain_text("Not there at all.")
    button = page.locator(".own-guideline")
    expect(button.locator("img")).to_have_count(1)
    expect(button.locator("circle")).to_have_count(1)
    place = page.locator("#sheet .panel").bounding_box()
    press(page, "r")
    dialog = page.locator("dialog")
    expect(dialog.get_by_role("img", name="Missing · Limbs 1/4b")).to_be_visible()
    expect(dialog).to_contain_text("A stump.")
    large = dialog.locator("img").bounding_box()
    assert large is not None
    assert large["height"] > 300
    assert violations(page) == []
    press(page, "r")
    expect(dialog).to_have_count(0)
    button.click()
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    press(page, "h")
    expect(button).to_have_text("1 decision")
    press(page, "x t")
    expect(button).to_be_hidden()
    press(page, "r")
    expect(page.locator("#line")).to_have_attribute("data-code", "no_rules")
    expect(dialog).to_have_count(0)
    # Whatever it shows, nothing moves.
    assert page.locator("#sheet .panel").bounding_box() == place


def test_a_new_version_is_told_with_the_next_image(
    open_page: OpenPage, case: Case, queue_of_ada: list[Assignment]
) -> None:
    page = open_page("ada", viewport={"width": 1280, "height": 720})
    open_label(page, queue_of_ada[0])
    press(page, "m l")
    expect(page.locator("#definitions")).to_contain_text("Not there at all.")
    drafted(case.lead, missing="Second.")
    publication(case.lead, "Limbs ruled anew.", major=True)
    page.locator("#step-next").click()
    wait_place(page, "2 of 3")
    expect(page.locator("#line")).to_contain_text("version 2.0: Limbs ruled anew.")
    # Again on the next one, because somebody who steps on at once has not read it.
    page.locator("#step-next").click()
    wait_place(page, "3 of 3")
    expect(page.locator("#line")).to_contain_text("version 2.0: Limbs ruled anew.")
    press(page, "m")
    expect(page.locator("#definitions")).to_contain_text("Second.")


def test_an_image_that_cannot_be_fetched_leaves_no_trace(
    open_page: OpenPage, case: Case, queue_of_ada: list[Assignment], pilot: Project
) -> None:
    page = open_page("ada", viewport={"width": 1280, "height": 720})
    case.image.display.delete(save=False)
    open_label(page, queue_of_ada[0])
    press(page, "m l")
    expect(page.locator("#definitions")).to_contain_text("Not there at all.")
    expect(page.locator(".own-guideline img")).to_have_count(0)


@two_looks
def test_a_lead_edits_it(open_page: OpenPage, case: Case, ada: Membership, size: str, scheme: str) -> None:
    width, height = VIEWPORTS[size]
    page = open_page("lee", color_scheme=scheme, viewport={"width": width, "height": height})
    for address in ("", "edit/", "publish/", "changes/"):
        page.goto(f"/projects/pilot/guideline/{address}")
        assert violations(page) == []
        assert page.evaluate("() => document.documentElement.scrollWidth") <= width
    page.goto("/projects/pilot/guideline/edit/")
    page.get_by_label("Face", exact=True).fill("All of it.")
    page.get_by_role("button", name="Save and review changes").click()
    expect(page.locator("ins")).to_contain_text("All of it.")
    page.get_by_label("What has changed?").fill("Faces.")
    page.get_by_role("button", name="Publish version").click()
    expect(page.get_by_role("heading", name="Version 1.1")).to_be_visible()
