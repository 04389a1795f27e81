"""Labelling in a real browser: by keyboard alone, by mouse alone, by touch alone, every state and dialog."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from annotator.models import Annotation, Assignment, Batch
from scoring.grid.taxonomy import CELLS
from tests.browser.conftest import PASSWORD, OpenPage
from tests.browser.labelling.labelling_page import (
    FIGURE_8_CLICKS,
    FIGURE_8_KEYS,
    click,
    marks_of,
    open_label,
    play,
    press,
    stored,
    target,
    wait_place,
    wait_saved,
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


class TestFigure8:
    """The manual's example by each hand alone."""

    def check(self, assignment: Assignment, **inputs: int) -> None:
        done = stored(assignment)
        assert done.status == "submitted"
        assert done.payload == FIGURE_8
        assert done.ratings is not None
        assert done.ratings[0] == ["cumulative_score", "", "67/60"]
        assert done.warnings == []
        assert done.capture is not None
        assert {name: done.capture[name] for name in ("keys", "clicks", "taps")} == {
            "keys": 0,
            "clicks": 0,
            "taps": 0,
            **inputs,
        }
        assert done.capture["first_cell"] == "missing.limbs"
        assert done.capture["score_shown"] is False

    @pytest.mark.main_path
    def test_by_keyboard(self, page: Page, queue_of_ada: list[Assignment]) -> None:
        open_label(page, queue_of_ada[0])
        press(page, f"{FIGURE_8_KEYS} Ctrl+Enter")
        wait_place(page, "2 of 3")
        expect(page.locator(LINE)).to_have_attribute("data-code", "submitted")
        self.check(queue_of_ada[0], keys=17)

    @pytest.mark.main_path
    def test_by_mouse(self, page: Page, queue_of_ada: list[Assignment]) -> None:
        open_label(page, queue_of_ada[0])
        play(page, FIGURE_8_CLICKS)
        wait_place(page, "2 of 3")
        self.check(queue_of_ada[0], clicks=11)

    def test_by_touch(self, open_page: OpenPage, queue_of_ada: list[Assignment]) -> None:
        page = open_page("ada", viewport={"width": 820, "height": 1180}, has_touch=True)
        open_label(page, queue_of_ada[0])
        taps = ["people:2", *["count:expected.limbs.-"] * 4, "zone:missing.limbs.c"]
        taps += ["count:expected.hands.-", "zone:missing.hands.b", *["zone:missing.face.a"] * 2]
        taps += ["zone:configuration.hands.b", "zone:configuration.hands.c", "submit"]
        for name in taps:
            page.tap(target(name))
        wait_place(page, "2 of 3")
        self.check(queue_of_ada[0], taps=len(taps))


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


def test_tab_visits_the_cells_in_the_prescribed_order(page: Page, queue_of_ada: list[Assignment]) -> None:
    open_label(page, queue_of_ada[0])
    visited = []
    for _ in CELLS:
        page.keyboard.press("Tab")
        visited.append(page.evaluate("() => document.activeElement.dataset.cell"))
    assert visited == [cell.key for cell in CELLS]
    press(page, "Shift+Tab")
    assert page.evaluate("() => document.activeElement.dataset.cell") == CELLS[-2].key
    assert page.locator("[tabindex]").evaluate_all("all => all.every((one) => one.tabIndex <= 0)")


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


def test_typing_on_is_saved_in_between(page: Page, queue_of_ada: list[Assignment]) -> None:
    open_label(page, queue_of_ada[0])
    saves: list[str] = []
    page.on("request", lambda request: saves.append(request.url) if request.method == "POST" else None)
    press(page, "w")
    for _ in range(34):
        press(page, "+")
        page.wait_for_timeout(100)
    wait_saved(page)
    assert 2 <= len(saves) <= 4


def test_a_refusal_and_its_offer(page: Page, queue_of_ada: list[Assignment]) -> None:
    open_label(page, queue_of_ada[0])
    press(page, "1 h 3 b")
    line = page.locator(LINE)
    expect(line).to_have_class("line stop")
    expect(line.get_by_role("alert")).to_have_text("3 of 2 is not possible: you counted 2 expected hands.")
    expect(page.locator(".offer")).to_have_text("Set expected hands to 3Enter")
    page.locator(".offer").click()
    expect(line.get_by_role("status")).to_have_text("Missing · Hands: 3/3 b. Count set to 3 expected hands.")
    assert page.evaluate("() => document.activeElement.dataset.cell") == "missing.hands"
    press(page, "4 c Enter")
    expect(page.locator(target("zone:missing.hands.c"))).to_have_class("zone c filled")


def test_warnings_are_seen_and_heard(page: Page, queue_of_ada: list[Assignment]) -> None:
    open_label(page, queue_of_ada[0])
    press(page, "1 h b 2 / 5 c")
    expect(page.locator(LINE)).to_have_class("line warn")
    cell = page.locator("[data-cell='missing.hands']")
    expect(cell.locator(".check")).to_be_visible()
    expect(cell).to_have_attribute("aria-label", re.compile("Check: Different totals in this cell"))
    expect(cell.locator(".total.own")).to_have_count(1)
    press(page, "Ctrl+Enter")
    expect(page.locator(LINE)).to_contain_text("Image 1 submitted.")


def test_nothing_entered_is_not_submitted(page: Page, queue_of_ada: list[Assignment]) -> None:
    open_label(page, queue_of_ada[0])
    press(page, "Ctrl+Enter")
    expect(page.locator(LINE)).to_have_attribute("data-code", "empty")
    expect(page.locator(".offer")).to_have_text(["No errors0", "Flag or skipS"])
    page.locator(".offer").first.click()
    expect(page.locator(target("none"))).to_have_attribute("aria-pressed", "true")
    press(page, "h b Ctrl+Enter")
    expect(page.locator(LINE)).to_contain_text("Not submitted: Missing · Hands has no total.")
    assert page.evaluate("() => document.activeElement.dataset.cell") == "missing.hands"
    expect(page.locator(target("none"))).to_have_attribute("aria-pressed", "false")


def test_the_bubble_and_the_panel_follow(page: Page, queue_of_ada: list[Assignment]) -> None:
    open_label(page, queue_of_ada[0])
    expect(page.locator("#panel-title")).to_have_text("How many people?")
    expect(page.locator(".persons")).to_be_focused()
    press(page, "2 o h 2 / 7")
    expect(page.locator(".bubble")).to_have_text("2 of 7 …")
    expect(page.locator("#panel-title")).to_have_text("Orientation · Hands")
    expect(page.locator("#definitions b")).to_have_text(["Orientation:", "Hands:"])
    press(page, "b")
    expect(page.locator(".bubble")).to_be_hidden()
    click(page, "panel:orientation.hands.b.+")
    click(page, "panel:orientation.hands.b.total")
    page.locator(".keypad").get_by_text("8", exact=True).click()
    wait_saved(page)
    assert marks_of(stored(queue_of_ada[0])) == [("orientation.hands", "3/8b", True)]
    assert page.evaluate("() => document.activeElement.dataset.cell") == "orientation.hands"


def test_pins_by_click_and_by_keys(page: Page, queue_of_ada: list[Assignment]) -> None:
    open_label(page, queue_of_ada[0])
    press(page, "1 h 2 b")
    play(page, [["image", 0.25, 0.5]])
    expect(page.locator(LINE)).to_contain_text("Pinned Missing · Hands · b (1 of 2).")
    press(page, ". ArrowRight Shift+ArrowDown Enter")
    wait_saved(page)
    pins = stored(queue_of_ada[0]).payload["marks"][0]["pins"]
    assert pins == [
        pytest.approx({"x": 0.25, "y": 0.5}, abs=0.004),
        pytest.approx({"x": 0.27, "y": 0.6}, abs=0.004),
    ]
    press(page, "m f")
    page.locator(".pin").nth(1).click()
    expect(page.locator("#panel-title")).to_have_text("Missing · Hands")
    expect(page.locator(".pin").nth(1)).to_be_focused()
    press(page, "Delete")
    expect(page.locator(".pin")).to_have_count(1)


def test_shift_and_the_keypad_take_off(page: Page, queue_of_ada: list[Assignment]) -> None:
    open_label(page, queue_of_ada[0])
    click(page, "people:2")
    click(page, "zone:extra.feet.b", 3)
    play(page, [["shift", "zone:extra.feet.b"]])
    expect(page.locator(target("zone:extra.feet.b"))).to_contain_text("2/4")
    play(page, [["menu", "zone:extra.feet.b"]])
    expect(page.locator(".keypad button")).to_have_text(["0", "1", "2", "3", "4"])
    expect(page.locator(".keypad button").nth(2)).to_be_focused()
    press(page, "ArrowRight Enter")
    expect(page.locator(target("zone:extra.feet.b"))).to_contain_text("3/4")
    play(page, [["menu", "zone:extra.feet.b"]])
    press(page, "Escape")
    expect(page.locator(".keypad")).to_be_hidden()
    assert page.evaluate("() => document.activeElement.dataset.cell") == "extra.feet"


def test_a_long_press_opens_the_keypad_and_marks_nothing(
    open_page: OpenPage, queue_of_ada: list[Assignment]
) -> None:
    page = open_page("ada", viewport={"width": 820, "height": 1180}, has_touch=True)
    open_label(page, queue_of_ada[0])
    page.tap(target("people:2"))
    finger = page.context.new_cdp_session(page)
    box = page.locator(target("zone:missing.feet.c")).bounding_box()
    assert box is not None
    point = {"x": box["x"] + 10, "y": box["y"] + 10}
    finger.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [point]})
    expect(page.locator(".keypad")).to_be_visible()
    finger.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    page.locator(".keypad").get_by_text("3", exact=True).tap()
    expect(page.locator(target("zone:missing.feet.c"))).to_contain_text("3/4")


def skip(page: Page, reason: str, note: str) -> None:
    """Skip the image in the dialog."""
    click(page, "flag")
    page.get_by_text(reason).click()
    page.get_by_label("Note (optional)").fill(note)
    page.get_by_role("button", name="Skip image").click()


class TestDialogs:
    """Note, flag or skip, settings, help."""

    def test_the_note(self, page: Page, queue_of_ada: list[Assignment]) -> None:
        open_label(page, queue_of_ada[0])
        press(page, "2 h b n")
        expect(page.get_by_role("dialog", name="Note")).to_be_visible()
        page.keyboard.type("a b c 2 /")
        press(page, "Ctrl+Enter")
        expect(page.get_by_role("dialog")).to_have_count(0)
        assert page.evaluate("() => document.activeElement.dataset.cell") == "missing.hands"
        wait_saved(page)
        assert stored(queue_of_ada[0]).payload["note"] == "a b c 2 /"
        press(page, "Ctrl+z")
        wait_saved(page)
        assert stored(queue_of_ada[0]).payload["note"] == ""

    def test_flag_and_keep_annotating(self, page: Page, queue_of_ada: list[Assignment]) -> None:
        open_label(page, queue_of_ada[0])
        press(page, "s Ctrl+Enter")
        expect(page.locator(".refusal")).to_have_text("Refused: choose a reason.")
        press(page, "5 Ctrl+Enter")
        wait_saved(page)
        assert stored(queue_of_ada[0]).payload["flag"] == {"reason": "ambiguous", "note": ""}
        click(page, "flag")
        page.get_by_role("button", name="Remove flag").click()
        wait_saved(page)
        assert stored(queue_of_ada[0]).payload["flag"] is None

    def test_skip_undo_and_take_up_again(self, page: Page, queue_of_ada: list[Assignment]) -> None:
        open_label(page, queue_of_ada[0])
        press(page, "2 h b")
        skip(page, "Cannot be judged", "too dark")
        wait_place(page, "2 of 3")
        queue_of_ada[0].refresh_from_db()
        assert queue_of_ada[0].status == "skipped"
        expect(page.locator("#line-text")).to_have_text("Image 1 skipped.")
        page.get_by_role("button", name="Undo").click()
        wait_place(page, "1 of 3")
        queue_of_ada[0].refresh_from_db()
        assert queue_of_ada[0].status == "open"
        skip(page, "Cannot be judged", "too dark")
        wait_place(page, "2 of 3")
        press(page, "PageUp")
        expect(page.locator(LINE)).to_have_attribute("data-code", "closed")
        press(page, "m h c")
        expect(page.locator(target("zone:missing.hands.c"))).to_have_class("zone c")
        click(page, "reopen")
        expect(page.locator(target("reopen"))).to_be_hidden()
        press(page, "c")
        wait_saved(page)
        assert len(marks_of(stored(queue_of_ada[0]))) == 2

    def test_help_and_settings(self, page: Page, queue_of_ada: list[Assignment]) -> None:
        open_label(page, queue_of_ada[0])
        press(page, "?")
        expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_visible()
        press(page, "?")
        expect(page.get_by_role("dialog")).to_have_count(0)
        click(page, "settings")
        page.get_by_label("Single-key shortcuts").uncheck()
        page.get_by_label("Dark", exact=True).check()
        with page.expect_response("**/settings/"):
            page.get_by_role("button", name="Save settings").click()
        expect(page.locator("html")).to_have_attribute("data-surround", "dark")
        press(page, "2 h")
        expect(page.locator(target("people:2"))).to_have_attribute("aria-checked", "false")
        press(page, "Tab Tab")
        assert page.evaluate("() => document.activeElement.dataset.target") == "count:expected.torso.+"
        page.reload()
        expect(page.locator("html")).to_have_attribute("data-surround", "dark")

    def test_the_running_score_is_off_until_wanted_and_can_be_locked(
        self, page: Page, queue_of_ada: list[Assignment]
    ) -> None:
        open_label(page, queue_of_ada[0])
        press(page, FIGURE_8_KEYS)
        expect(page.locator(".score")).to_be_hidden()
        click(page, "settings")
        page.get_by_label("Running score").check()
        page.get_by_role("button", name="Save settings").click()
        expect(page.locator(".score")).to_have_text("Score 1.117")
        press(page, "Ctrl+Enter")
        wait_place(page, "2 of 3")
        assert (stored(queue_of_ada[0]).capture or {})["score_shown"] is True
        Batch.objects.update(score_shown="never")
        open_label(page, queue_of_ada[1])
        expect(page.locator(".score")).to_be_hidden()
        click(page, "settings")
        expect(page.get_by_label("Running score")).to_be_disabled()


def tab_to(page: Page, name: str) -> None:
    """Press Tab until the element with this text has the focus."""
    for _ in range(30):
        page.keyboard.press("Tab")
        if page.evaluate("() => document.activeElement.textContent.trim()") == name:
            return
    raise AssertionError(f"Tab never reached {name!r}")
