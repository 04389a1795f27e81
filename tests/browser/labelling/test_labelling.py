"""Annotating in a real browser: by keyboard and by mouse; saved, undone."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, Route, expect

from annotator.models import Annotation, Assignment
from tests.browser.conftest import PASSWORD, OpenPage
from tests.browser.labelling.labelling_page import (
    FIGURE_8_CLICKS,
    FIGURE_8_KEYS,
    open_label,
    play,
    press,
    stored,
    target,
    wait_place,
)
from tests.factories import make_mark

COUNTS = {"torso": 2, "limbs": 4, "feet": 4, "hands": 3, "face": 2}
FIGURE_8 = {
    "people": 2,
    "counts": {"expected": COUNTS, "visible": COUNTS},
    "counts_set": {"expected": ["limbs", "hands"], "visible": []},
    "marks": [
        make_mark(cell, term, own_total=False)
        for cell, term in [
            ("missing.limbs", "1/4c"),
            ("missing.hands", "1/3b"),
            ("missing.face", "2/2a"),
            ("configuration.hands", "1/3b"),
            ("configuration.hands", "1/3c"),
        ]
    ],
    "no_errors": False,
    "flag": None,
    "note": "",
}
LINE = "#line"


@pytest.mark.main_path
@pytest.mark.parametrize(
    ("enter", "inputs"),
    [
        (lambda page: press(page, f"{FIGURE_8_KEYS} Ctrl+Enter"), {"keys": 17}),
        (lambda page: play(page, FIGURE_8_CLICKS), {"clicks": 11}),
    ],
    ids=["keyboard", "mouse"],
)
def test_the_manuals_example_by_each_hand_alone(
    page: Page, queue_of_ada: list[Assignment], enter: Callable[[Page], None], inputs: dict[str, int]
) -> None:
    open_label(page, queue_of_ada[0])
    enter(page)
    wait_place(page, "2 of 3")
    expect(page.locator(LINE)).to_have_attribute("data-code", "submitted")
    done = stored(queue_of_ada[0])
    assert (done.status, done.payload, done.warnings) == ("submitted", FIGURE_8, [])
    assert (done.ratings or [])[0] == ["cumulative_score", "", "67/60"]
    capture = done.capture or {}
    hands = {name: capture[name] for name in ("keys", "clicks", "taps")}
    assert hands == {"keys": 0, "clicks": 0, "taps": 0, **inputs}
    assert (capture["first_cell"], capture["score_shown"]) == ("missing.limbs", False)


@pytest.mark.main_path
def test_from_signing_in_to_the_last_image_by_keyboard(
    open_page: OpenPage, queue_of_ada: list[Assignment]
) -> None:
    page = open_page(None)
    page.goto("/")
    expect(page.locator("#id_username")).to_be_focused()
    page.keyboard.type("ada")
    page.keyboard.press("Tab")
    page.keyboard.type(PASSWORD)
    page.keyboard.press("Enter")
    expect(page.get_by_role("link", name="Start annotating")).to_be_visible()
    tab_to(page, "Start annotating")
    page.keyboard.press("Enter")
    page.wait_for_selector("main[data-ready]")
    for number in (1, 2, 3):
        wait_place(page, f"{number} of 3")
        press(page, "0 Ctrl+Enter")
    expect(page.get_by_role("heading", name="All done")).to_be_visible()
    assert Annotation.objects.filter(status="submitted", payload__no_errors=True).count() == 3
    open_label(page, queue_of_ada[0])
    expect(page.get_by_role("button", name="No errors", pressed=True)).to_be_visible()


def tab_to(page: Page, name: str) -> None:
    """Press Tab until the element with this text has the focus."""
    for _ in range(30):
        page.keyboard.press("Tab")
        if page.evaluate("() => document.activeElement.textContent.trim()") == name:
            return
    raise AssertionError(f"Tab never reached {name!r}")


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
