"""The annotation page on a phone, and the image enlarged where the batch allows it."""

from __future__ import annotations

from playwright.sync_api import expect

from annotator.models import Assignment, Batch
from tests.browser.conftest import OpenPage
from tests.browser.labelling.labelling_page import (
    click,
    marks_of,
    open_label,
    press,
    stored,
    target,
    wait_saved,
)
from tests.browser.test_accessibility import violations

PHONE = {"width": 390, "height": 844}


def test_a_phone_shows_one_error_type_at_a_time(queue_of_ada: list[Assignment], open_page: OpenPage) -> None:
    page = open_page("ada", viewport=PHONE, has_touch=True, is_mobile=True)
    open_label(page, queue_of_ada[0])
    expect(page.locator(".sheet .cell:visible")).to_have_count(5)
    page.tap(target("people:2"))
    page.tap(target("type:configuration"))
    expect(page.locator(".column.configuration .cell:visible")).to_have_count(5)
    expect(page.locator(".sheet .cell:visible")).to_have_count(5)
    for _ in range(4):
        page.tap(target("zone:configuration.hands.b"))
    page.tap(target("zone:configuration.hands.c"))
    yes = page.locator(".offer").nth(1)
    expect(yes).to_be_in_viewport()
    assert violations(page) == []
    yes.tap()
    expect(page.locator(target("type:configuration"))).to_contain_text("2")
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
    page.locator(".tool.menu").tap()
    assert violations(page) == []
    page.locator("#desk-menu").get_by_text("Settings").tap()
    expect(page.get_by_role("dialog", name="Settings")).to_be_visible()
    wait_saved(page)
    assert marks_of(stored(queue_of_ada[0])) == [
        ("configuration.hands", "4/4b", False),
        ("configuration.hands", "1/4c", False),
    ]


def test_a_loupe_where_the_batch_allows_it_and_its_use_is_stored(
    queue_of_ada: list[Assignment], open_page: OpenPage
) -> None:
    page = open_page("ada", viewport={"width": 1280, "height": 720})
    open_label(page, queue_of_ada[0])
    press(page, "v")
    expect(page.locator("#line")).to_have_attribute("data-code", "no_zoom")
    Batch.objects.update(settings={"zoom": "loupe"})
    open_label(page, queue_of_ada[0])
    press(page, "2 h b v")
    expect(page.locator(".lens")).to_be_visible()
    before = page.locator(".lens").bounding_box()
    press(page, "ArrowRight")
    assert page.locator(".lens").bounding_box() != before
    press(page, "v")
    expect(page.locator(".lens")).to_be_hidden()
    expect(page.locator("[data-cell='missing.hands']")).to_be_focused()
    click(page, "zone:missing.hands.c")
    wait_saved(page)
    capture = stored(queue_of_ada[0]).capture
    assert capture["zoom"] == "loupe"
    assert capture["zoom_ms"] > 0
