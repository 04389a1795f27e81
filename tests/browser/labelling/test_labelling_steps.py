"""From image to image: back and forth, submitting and undoing, guided, prefetched, and without script."""

from __future__ import annotations

from playwright.sync_api import Page, Route, expect

from annotator.models import Assignment, Event
from tests.browser.conftest import OpenPage
from tests.browser.labelling.labelling_page import (
    click,
    marks_of,
    open_label,
    press,
    stored,
    target,
    wait_place,
)
from tests.factories import make_payload

LINE = "#line"


def late(route: Route) -> None:
    """Answer only after the keys have been pressed."""
    route.request.frame.page.wait_for_timeout(300)
    route.continue_()


def test_a_submission_can_be_undone_until_something_is_entered(
    page: Page, queue_of_ada: list[Assignment]
) -> None:
    open_label(page, queue_of_ada[0])
    press(page, "1 h a Ctrl+Enter")
    wait_place(page, "2 of 3")
    only = page.get_by_role("button", name="Undo")
    expect(only).to_have_count(1)
    page.route("**/reopen", late)
    only.click()
    expect(page.locator(LINE)).to_have_attribute("data-code", "taking_back")
    # The keys are for the image that comes back.
    press(page, "m h b")
    wait_place(page, "1 of 3")
    expect(page.locator(target("zone:missing.hands.b"))).to_have_class("zone b filled")
    assert stored(queue_of_ada[0]).status == "reopened"
    press(page, "Ctrl+Enter")
    wait_place(page, "2 of 3")
    press(page, "1 Ctrl+z Ctrl+z")
    expect(page.locator(LINE)).to_have_attribute("data-code", "nothing_to_undo")
    wait_place(page, "2 of 3")
    assert stored(queue_of_ada[0]).status == "submitted"


def test_a_submitted_image_is_reopened_before_it_changes(page: Page, queue_of_ada: list[Assignment]) -> None:
    open_label(page, queue_of_ada[0])
    press(page, "1 h a Ctrl+Enter")
    wait_place(page, "2 of 3")
    press(page, "PageUp")
    expect(page.locator(LINE)).to_have_attribute("data-code", "closed")
    press(page, "m h b")
    expect(page.locator(target("zone:missing.hands.b"))).to_have_class("zone b")
    click(page, "reopen")
    page.get_by_label("What needs correcting?").fill("a hand was missed")
    page.get_by_role("button", name="Reopen annotation").click()
    expect(page.locator(target("submit"))).to_contain_text("Submit and next")
    press(page, "m h b Ctrl+Enter")
    wait_place(page, "2 of 3")
    assert len(marks_of(stored(queue_of_ada[0]))) == 2
    assert Event.objects.get(verb="reopened").data["reason"] == "a hand was missed"


class TestWithoutScript:
    """The same page where scripts are switched off."""

    def test_drafts_refusals_and_submissions(
        self, open_page: OpenPage, queue_of_ada: list[Assignment]
    ) -> None:
        page = open_page("ada", java_script_enabled=False)
        page.goto("/")
        page.get_by_role("link", name="Start annotating").click()
        page.locator("#cell-missing-limbs").fill("1/4")
        page.locator("#cell-missing-feet").fill("1/4b")
        page.locator("#cell-missing-feet").press("Enter")
        expect(page.locator("#save-state [data-code=outcome]")).to_be_visible()
        expect(page.locator(".cell.wrong .short")).to_have_text("Add a, b or c")
        page.locator("#cell-missing-limbs").fill("1/4c")
        page.get_by_role("button", name="Submit and next").click()
        expect(page.locator("#place")).to_have_text("2 of 3")
        expect(page.locator(LINE)).to_contain_text("Image 1 submitted.")
        marks = [("missing.limbs", "1/4c"), ("missing.feet", "1/4b")]
        assert stored(queue_of_ada[0]).payload == make_payload(marks)
