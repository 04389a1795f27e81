"""The project's guideline in Chromium: on the annotation page, and as a lead edits it."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from annotator.models import Assignment, Project
from tests.annotator.adjudicating import Case, make_case, settle
from tests.annotator.guidelines.making import RULED, drafted, example_of, publication
from tests.browser.conftest import OpenPage, picture
from tests.browser.labelling.labelling_page import open_label, press
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
