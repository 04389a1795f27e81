"""From image to image: back and forth, submitting and undoing, guided, prefetched, and without script."""

from __future__ import annotations

from playwright.sync_api import Page, Route, expect

from annotator.images.signed_urls import assigned_url
from annotator.models import Assignment, Batch, Event
from scoring.grid.taxonomy import CELLS
from tests.browser.conftest import OpenPage
from tests.browser.labelling.labelling_page import (
    click,
    marks_of,
    open_label,
    press,
    stored,
    target,
    wait_place,
    wait_saved,
)
from tests.factories import make_payload

LINE = "#line"


def test_going_on_and_back_saves_behind_and_keeps_the_address(
    page: Page, queue_of_ada: list[Assignment]
) -> None:
    open_label(page, queue_of_ada[0])
    press(page, "1 h a PageDown")
    wait_place(page, "2 of 3")
    assert page.url.endswith(f"/assignments/{queue_of_ada[1].pk}/")
    press(page, "2 f b PageUp")
    wait_place(page, "1 of 3")
    wait_saved(page)
    assert marks_of(stored(queue_of_ada[0])) == [("missing.hands", "1/2a", False)]
    assert marks_of(stored(queue_of_ada[1])) == [("missing.feet", "1/4b", False)]
    page.go_back()
    wait_place(page, "2 of 3")
    press(page, "PageDown PageDown")
    wait_place(page, "3 of 3")
    expect(page.locator(LINE)).to_have_attribute("data-code", "no_further")
    # The second key is pressed while the first image loads.
    press(page, "PageUp PageUp")
    wait_place(page, "1 of 3")


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


def test_the_effort_before_an_undo_counts_with_what_follows(
    page: Page, queue_of_ada: list[Assignment]
) -> None:
    first, _, last = queue_of_ada
    open_label(page, first)
    press(page, "1 h a Ctrl+z h b Ctrl+Enter")
    wait_place(page, "2 of 3")
    before = stored(first).capture
    assert (before["keys"], before["undos"]) == (9, 1)
    page.wait_for_timeout(400)
    press(page, "Ctrl+z")
    wait_place(page, "1 of 3")
    press(page, "Ctrl+Enter")
    wait_place(page, "2 of 3")
    after = stored(first).capture
    assert (after["keys"], after["undos"]) == (11, 1)
    assert after["active_ms"] > before["active_ms"]
    assert after["visible_ms"] > before["visible_ms"]
    assert stored(first).active_ms == round(after["active_ms"])
    same = ("opened_at", "first_input_at", "first_cell")
    assert [after[name] for name in same] == [before[name] for name in same]
    # By way of the queue, and of a reload, too.
    Assignment.objects.filter(pk=queue_of_ada[1].pk).update(status="done")
    open_label(page, last)
    press(page, "1 h a Ctrl+Enter")
    page.wait_for_url(f"**/queue/?after={last.pk}")
    page.get_by_role("button", name="Undo").click()
    page.wait_for_selector("main[data-ready]")
    page.reload()
    page.wait_for_selector("main[data-ready]")
    press(page, "f b Ctrl+Enter")
    page.wait_for_url(f"**/queue/?after={last.pk}")
    assert stored(last).capture["keys"] == 9
    assert stored(last).capture["first_cell"] == "missing.hands"


def test_undoing_the_last_image_of_the_queue_keeps_its_steps(
    page: Page, queue_of_ada: list[Assignment]
) -> None:
    for assignment in queue_of_ada[:2]:
        assignment.status = "done"
        assignment.save()
    last = queue_of_ada[2]
    open_label(page, last)
    press(page, "1 h a m f b Ctrl+Enter")
    page.wait_for_url(f"**/queue/?after={last.pk}")
    # The notice has the focus, and Undo is its next Tab stop.
    assert page.evaluate("() => 'undo' in document.activeElement.dataset")
    press(page, "Tab")
    expect(page.locator("[data-code=undo]")).to_be_focused()
    # Ctrl Z is enough, as on every image before.
    press(page, "Ctrl+Shift+z z")
    assert stored(last).status == "submitted"
    press(page, "Ctrl+z")
    page.wait_for_selector("main[data-ready]")
    expect(page.locator(LINE)).to_have_attribute("data-code", "withdrawn")
    press(page, "Ctrl+z Ctrl+z")
    expect(page.locator(LINE)).to_contain_text("Undone. Missing · Hands: empty")
    press(page, "Ctrl+Shift+z")
    wait_saved(page)
    assert marks_of(stored(last)) == [("missing.hands", "1/2a", False)]
    # The steps are for the way back from the queue alone.
    page.reload()
    page.wait_for_selector("main[data-ready]")
    press(page, "Ctrl+z")
    expect(page.locator(LINE)).to_have_attribute("data-code", "nothing_to_undo")


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


def test_guided_enter_walks_the_cells(page: Page, queue_of_ada: list[Assignment]) -> None:
    Batch.objects.update(guided=True)
    open_label(page, queue_of_ada[0])
    press(page, "2 Enter")
    visited = []
    for _ in CELLS:
        visited.append(page.evaluate("() => document.activeElement.dataset.cell"))
        press(page, "Enter")
    assert visited == [cell.key for cell in CELLS]
    expect(page.locator(LINE)).to_have_attribute("data-code", "last_cell")
    click(page, "walk.previous")
    expect(page.locator("#panel-title")).to_have_text("Proportion · Hands")


def test_the_next_image_is_there_before_it_is_needed(page: Page, queue_of_ada: list[Assignment]) -> None:
    user = queue_of_ada[1].annotator.user
    assert user is not None
    with page.expect_response(f"**{assigned_url(queue_of_ada[1], user)}") as fetched:
        open_label(page, queue_of_ada[0])
    assert fetched.value.ok
    page.wait_for_load_state("networkidle")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    press(page, "0 Ctrl+Enter")
    wait_place(page, "2 of 3")
    shown = page.locator("#picture img").evaluate("image => image.complete && image.naturalWidth")
    assert shown == 240
    assert not any(url.endswith(f"/{queue_of_ada[1].pk}/state") for url in asked)


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

    def test_all_definitions_can_be_read(self, open_page: OpenPage, queue_of_ada: list[Assignment]) -> None:
        page = open_page("ada", java_script_enabled=False)
        page.goto(f"/assignments/{queue_of_ada[0].pk}/")
        expect(page.locator(".definition:visible")).to_have_count(10)
