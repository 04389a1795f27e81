"""Annotating in a real browser: by keyboard, mouse, dots, suggestions, without a script; undone."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, Route, expect

from annotator.models import Annotation, Assignment, Batch, Project
from annotator.suggestions.runs import store_run
from tests.browser.conftest import PASSWORD, OpenPage
from tests.browser.labelling.labelling_page import (
    ACTS,
    FIGURE_8_CLICKS,
    FIGURE_8_KEYS,
    marks_of,
    open_label,
    play,
    press,
    stored,
    target,
    wait_place,
    wait_saved,
)
from tests.browser.test_accessibility import violations
from tests.factories import make_mark, make_payload

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


def test_what_is_entered_is_saved_by_itself_and_there_after_reloading(
    page: Page, queue_of_ada: list[Assignment]
) -> None:
    open_label(page, queue_of_ada[0])
    expect(page.locator("#save-state")).to_have_text("")
    press(page, "2 h a")
    expect(page.locator("#save-state")).to_have_attribute("data-state", "saving")
    wait_saved(page)
    assert stored(queue_of_ada[0]).version == 1
    assert marks_of(stored(queue_of_ada[0])) == [("missing.hands", "1/4a", False)]
    page.reload()
    page.wait_for_selector("main[data-ready]")
    expect(page.locator(target("zone:missing.hands.a"))).to_have_attribute(
        "aria-label", "1 /4 a mild, add one"
    )
    assert page.evaluate("() => Object.keys(localStorage)") == []


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


def test_without_a_script_drafts_are_refused_and_submitted(
    open_page: OpenPage, queue_of_ada: list[Assignment]
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


def test_by_mouse_a_click_sets_a_dot_and_a_click_on_it_removes_it(
    page: Page, queue_of_ada: list[Assignment]
) -> None:
    open_label(page, queue_of_ada[0])
    press(page, "2 h d")
    expect(page.locator("#hint")).to_have_text("Counting hands: 0")
    for x, y in ((0.25, 0.5), (0.5, 0.5), (0.75, 0.25)):
        ACTS["image"](page, x, y)
    expect(page.locator("#hint")).to_have_text("Counting hands: 3")
    assert page.locator(".picture > .dots > .dot.hands.current").all_inner_texts() == ["H", "H", "H"]
    # The batch forbids zoom; whoever counts has the loupe anyway, with the dots in it.
    expect(page.locator(".lens .dot")).to_have_count(3)
    ACTS["image"](page, 0.5, 0.5)
    expect(page.locator("#hint")).to_have_text("Counting hands: 2")
    assert violations(page) == []
    press(page, "d")
    expect(page.locator(".lens")).to_have_count(0)
    wait_saved(page)
    annotation = stored(queue_of_ada[0])
    found = annotation.payload["dots"]["hands"]
    assert [[round(x, 2), round(y, 2)] for x, y in found] == [[0.25, 0.5], [0.75, 0.25]]
    assert annotation.payload["counts"]["visible"]["hands"] == 2
    assert annotation.payload["counts"]["expected"]["hands"] == 4
    assert annotation.capture["zoom"] == "none"
    assert annotation.capture["zoom_ms"] > 0


@pytest.fixture
def suggested(pilot: Project, queue_of_ada: list[Assignment]) -> list[Assignment]:
    """Three images, the first with a suggestion that is shown."""
    shown = queue_of_ada[0]
    counts = {shown.image_id: {"people": 2, "visible": {"hands": 5, "face": 1}}}
    run, _ = store_run(project=pilot, suggested=counts, actor=None, source="counter", source_version="1.0")
    Batch.objects.update(suggestions=run)
    Assignment.objects.filter(pk=shown.pk).update(arm="with")
    return queue_of_ada


def test_a_suggestion_is_taken_by_an_act_only(page: Page, suggested: list[Assignment]) -> None:
    open_label(page, suggested[0])
    expect(page.locator("#hint")).to_contain_text("counter 1.0")
    expect(page.locator(".suggested")).to_have_count(2)
    assert violations(page) == []
    press(page, "1 m h a")
    wait_saved(page)
    assert stored(suggested[0]).payload["counts"]["visible"]["hands"] == 2
    page.focus(target("suggestion:hands"))
    press(page, "Enter")
    expect(page.locator(".suggested")).to_have_count(1)
    wait_saved(page)
    annotation = stored(suggested[0])
    assert annotation.payload["counts"]["visible"]["hands"] == 5
    assert annotation.payload["counts"]["expected"]["hands"] == 2
    assert annotation.capture["suggestion"] == Batch.objects.get().suggestions_id
    page.focus(target("suggestion:face"))
    press(page, "Shift+Enter")
    expect(page.locator(".suggested")).to_have_count(0)
    wait_saved(page)
    assert stored(suggested[0]).payload["people"] == 2
