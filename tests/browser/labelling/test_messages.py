"""Every text of the message line, provoked in the page and read in the line, word for word."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from annotator.models import Assignment, Batch, Membership, Project
from tests.browser.conftest import OpenPage, long_queue
from tests.browser.labelling.labelling_page import (
    click,
    open_label,
    play,
    press,
    target,
    wait_place,
    wait_saved,
)

Said = tuple[str, str, list[str]]
"""Kind, text, and the buttons beside it."""

NO_COUNT = "No count yet for hands. Enter the number of people (W), or type / and the total."
HANDS = "Total: 3 visible hands. Change it with +, −, or / and a number."
COUNT_4, UNDO = ["Count 4 Enter"], ["Undo Ctrl Z"]
DOUBT = ["Correct Enter", "Yes, one part has two errors Y"]
CLEAR = ["Clear marks, set “No errors” Y"]

# When, the steps (keys as one writes them down, or steps of tests/js/person.js), kind, text, buttons.
LINES: list[tuple[str, str | list[Any], str, str, list[str]]] = [
    ("the first image", "PageUp", "info", "This is the first image.", []),
    ("arrival", "", "info", "Count the people in the image, not those in the prompt.", []),
    ("people", "2", "info", "2 people: counts filled in. Correct only those that differ.", []),
    ("one person", "1", "info", "1 person: counts filled in. Correct only those that differ.", []),
    (
        "fewer people than marks need",
        "2 h 3 b w 1",
        "warn",
        "1 person: counts filled in. Kept because of existing marks: 4 expected hands (3 affected).",
        [],
    ),
    (
        "more people than can be written",
        " ".join("+" * 100),
        "stop",
        "Refused: expected a whole number from 1 to 99.",
        [],
    ),
    ("a cell with a count", "2 h - g", "info", HANDS, []),
    ("a cell without a count", "h", "info", NO_COUNT, []),
    ("a mark", "2 h - g b c", "ok", "Configuration · Hands: 1/3 b, 1/3 c", []),
    ("the last mark off", "2 h b Backspace", "ok", "Missing · Hands: empty", []),
    ("a mark and its count", "2 l / 4 c", "ok", "Missing · Limbs: 1/4 c. Count set to 4 expected limbs.", []),
    ("a count", "2 h - -", "ok", "Count set to 2 expected hands.", []),
    ("a count below 0", "t / 0 Enter -", "stop", "Refused: expected a whole number from 0 to 99.", []),
    (
        "sum above the total",
        "2 h - g b 3 c",
        "stop",
        "1 + 3 = 4 affected, but only 3 visible hands.",
        DOUBT,
    ),
    (
        "two totals in a cell",
        "3 l 3 b 4 / 1 6 c",
        "warn",
        "Different totals in this cell (12 and 16). Kept as typed.",
        [],
    ),
    (
        "another total than the count",
        "5 g l / 1 7 b o / 1 8 b",
        "warn",
        "Total 18 here, 17 elsewhere for visible limbs. Kept as typed.",
        [],
    ),
    ("a mark without a total", "h b", "warn", NO_COUNT, []),
    (
        "more affected than there are",
        "2 h - g b c 4 c",
        "stop",
        "Refused: 4 of 3 is impossible. Only 3 visible hands are counted.",
        COUNT_4,
    ),
    (
        "more than the only one",
        "1 t 2 a",
        "stop",
        "Refused: 2 of 1 is impossible. Only 1 expected torso is counted.",
        ["Count 2 Enter"],
    ),
    (
        "more than an own total",
        "2 l b / 9 c 1 0 c",
        "stop",
        "Refused: 10 of 9 is impossible. Only 9 expected limbs are counted.",
        ["Total 10 Enter"],
    ),
    (
        "a total of 0",
        "2 g h 1 / 0 b",
        "stop",
        "Refused: a total of 0 is impossible. If none is visible, there is nothing to mark.",
        [],
    ),
    (
        "a mark where none is",
        "2 h / 0 Enter b",
        "stop",
        "Refused: a total of 0 is impossible. If none is expected, there is nothing to mark.",
        [],
    ),
    (
        "a count below the marks",
        "2 h 2 b / 1 Enter",
        "stop",
        "Refused: 2 hands with an error cannot be out of 1.",
        [],
    ),
    (
        "no errors over marks",
        "2 h b e a t c 0",
        "stop",
        "Clear the 3 marks?",
        CLEAR,
    ),
    (
        "no errors over one mark",
        "2 h b 0",
        "stop",
        "Clear the mark?",
        CLEAR,
    ),
    ("no errors", "h 0", "ok", "No errors in this image.", []),
    ("no errors taken back", "h 0 0", "info", "“No errors” removed.", []),
    (
        "nothing to submit",
        "2 Ctrl+Enter",
        "stop",
        "Not submitted: the annotation is empty.",
        ["No errors 0", "Flag or skip S"],
    ),
    (
        "a total is missing",
        "h b t Ctrl+Enter",
        "stop",
        NO_COUNT.replace("No count yet for hands.", "Not submitted: Missing · Hands has no total."),
        [],
    ),
    ("a severity on the people", "a", "info", "Choose a cell first: M X G O P, then T L F H E.", []),
    ("a number being typed", "2 h 3", "info", "3 … a b c", []),
    ("with its total", "2 h 3 / 7", "info", "3 of 7 … a b c", []),
    ("a total alone", "2 h / 7", "info", "of 7 … Enter sets the count, or a b c", []),
    (
        "a third digit",
        "2 h 1 0 0",
        "stop",
        "Refused: whole numbers from 0 to 99, without a leading 0.",
        [],
    ),
    ("undone", "2 h b Ctrl+z", "ok", "Undone. Missing · Hands: empty", []),
    ("undone, in no cell", "2 Ctrl+z", "ok", "Undone.", []),
    ("redone", "2 h b Ctrl+z Ctrl+y", "ok", "Redone. Missing · Hands: 1/4 b", []),
    ("nothing to undo", "Ctrl+z", "info", "Nothing to undo.", []),
    ("nothing to redo", "2 Ctrl+y", "info", "Nothing to redo.", []),
    (
        "pin mode",
        "2 h b .",
        "info",
        "Pin for Missing · Hands · b: arrow keys move it, Enter places it, Esc cancels.",
        [],
    ),
    ("pinned", "2 h 2 b . Enter", "ok", "Pinned Missing · Hands · b (1 of 2).", []),
    ("all pinned", "2 h b . Enter .", "info", "Missing · Hands · b already has its pin.", []),
    ("both pinned", "2 h 2 b . Enter Enter .", "info", "Missing · Hands · b already has all 2 pins.", []),
    (
        "a pin removed",
        [
            *(["key", key] for key in ("2", "h", "b", ".", "Enter")),
            ["click", "pin:missing.hands.b.0"],
            ["key", "Delete"],
        ],
        "ok",
        "Pin removed from Missing · Hands · b (0 of 1).",
        [],
    ),
    ("nothing to pin", "2 h .", "info", "Enter an error first, then mark where it is.", []),
]


def said(page: Page) -> Said:
    """What the message line says now."""
    kind, text, offers = page.evaluate(
        """() => [
          document.querySelector("#line").className.replace("line ", ""),
          [...document.querySelectorAll("#line .text")].map((part) => part.textContent).join(""),
          [...document.querySelectorAll(".offer")].map((offer) =>
            [...offer.childNodes].map((part) => part.textContent).join(" ")),
        ]"""
    )
    return kind, text, offers


def comes_to_say(page: Page, expected: Said, seconds: float = 20) -> Said:
    """What the line says once it says what is expected, or when the time is over."""
    deadline = time.monotonic() + seconds
    while (now := said(page)) != expected and time.monotonic() < deadline:
        page.wait_for_timeout(20)
    return now


def hears(page: Page, kind: str, text: str, offers: Sequence[str] = ()) -> None:
    """The line comes to say exactly this, in the right voice: what is refused interrupts."""
    assert comes_to_say(page, (kind, text, list(offers))) == (kind, text, list(offers))
    line = page.locator("#line")
    expect(line.get_by_role("alert") if kind == "stop" else line.get_by_role("status")).to_have_text(text)


def do(page: Page, steps: str | list[Any]) -> None:
    """Keys as text, or steps."""
    if isinstance(steps, str):
        press(page, steps)
    else:
        play(page, steps)


def test_what_the_rules_say(pilot: Project, ada: Membership, open_page: OpenPage) -> None:
    """Each row on an image of its own."""
    work = long_queue(pilot, ada, len(LINES))
    page = open_page("ada", viewport={"width": 1280, "height": 720})
    open_label(page, work[0])
    heard = {}
    for number, (when, steps, *wanted) in enumerate(LINES, start=1):
        wait_place(page, f"{number} of {len(LINES)}")
        do(page, steps)
        kind, text, offers = wanted
        heard[when] = comes_to_say(page, (str(kind), str(text), list(offers)))
        press(page, "PageDown")
    assert heard == {when: (kind, text, offers) for when, _, kind, text, offers in LINES}


def test_after_a_submission(page: Page, queue_of_ada: list[Assignment]) -> None:
    open_label(page, queue_of_ada[0])
    press(page, "1 h a Ctrl+Enter")
    hears(page, "ok", "Image 1 submitted.", UNDO)
    press(page, "Ctrl+z")
    hears(page, "ok", "Image 1 is a draft again.")
    press(page, "Ctrl+z")
    hears(page, "ok", "Undone. Missing · Hands: empty")
    press(page, "m h 2 / 5 c Ctrl+Enter")
    hears(page, "ok", "Image 1 submitted.", UNDO)
    press(page, "1 h a 2 / 5 c g f 2 a 2 b Ctrl+Enter")
    hears(page, "stop", "Configuration · Feet: 2 + 2 = 4 affected, but only 2 visible feet.", DOUBT)
    press(page, "y")
    hears(page, "ok", "Image 2 submitted.", UNDO)
    press(page, "PageUp")
    hears(page, "info", "Submitted. Reopen it to make corrections.")


def test_with_the_dialogs(page: Page, queue_of_ada: list[Assignment]) -> None:
    open_label(page, queue_of_ada[0])
    press(page, "n x Ctrl+Enter")
    hears(page, "ok", "Note saved.")
    press(page, "n")
    page.locator("dialog textarea").fill("x" * 2001)
    press(page, "Ctrl+Enter")
    long = "Refused: 2001 characters; the limit is 2000."
    expect(page.locator("dialog .refusal")).to_have_text(long)
    hears(page, "stop", long)
    press(page, "Escape s Ctrl+Enter")
    expect(page.locator("dialog .refusal")).to_have_text("Refused: choose a reason.")
    hears(page, "stop", "Refused: choose a reason.")
    press(page, "5 Ctrl+Enter")
    hears(page, "ok", "Flagged. Keep annotating.")
    click(page, "flag")
    page.get_by_role("button", name="Remove flag").click()
    hears(page, "ok", "Flag removed.")
    press(page, "Ctrl+Enter")
    hears(page, "stop", "Not submitted: the annotation is empty.", ["No errors 0", "Flag or skip S"])
    press(page, "s 2")
    page.get_by_role("button", name="Skip image").click()
    # What the line said before is no refusal of the skipping.
    expect(page.get_by_role("dialog")).to_have_count(0)
    wait_place(page, "2 of 3")
    press(page, "PageUp")
    hears(page, "info", "Skipped. Resume it to label it.")
    for place in ("2 of 3", "3 of 3"):
        press(page, "PageDown")
        wait_place(page, place)
    press(page, "PageDown")
    hears(page, "info", "This is the last image.")


def test_at_the_end_of_the_walk(page: Page, queue_of_ada: list[Assignment]) -> None:
    Batch.objects.update(guided=True)
    open_label(page, queue_of_ada[0])
    press(page, "1 End Enter")
    hears(page, "info", "Last cell. Ctrl Enter submits.")


def test_when_the_line_is_cut(page: Page, queue_of_ada: list[Assignment]) -> None:
    open_label(page, queue_of_ada[0])
    press(page, "1 h a")
    wait_saved(page)
    page.context.set_offline(True)
    press(page, "Ctrl+Enter")
    hears(page, "stop", "Not submitted: offline. The draft is kept on this device.")
    press(page, "s 2")
    page.get_by_role("button", name="Skip image").click()
    hears(page, "stop", "Not skipped: the server did not respond.")
    page.context.set_offline(False)
    open_label(page, queue_of_ada[0])
    page.route("**/assignments/*/state", lambda route: route.abort())
    page.route("**/assignments/*/submit", lambda route: route.abort(), times=1)
    press(page, "Ctrl+Enter")
    hears(page, "stop", "Not submitted yet: the server did not respond. Retrying automatically.")
    wait_place(page, "2 of 3")
    page.route("**/assignments/*/reopen", lambda route: route.abort(), times=1)
    press(page, "Ctrl+z")
    hears(page, "stop", "Not reopened: the server did not respond, or the image was changed elsewhere.")
    press(page, "PageUp")
    hears(page, "stop", "Not opened: the server did not respond. Try again.")
    wait_place(page, "2 of 3")


def test_what_was_left_on_the_device(page: Page, queue_of_ada: list[Assignment]) -> None:
    open_label(page, queue_of_ada[0])
    page.route("**/assignments/*/save", lambda route: route.abort())
    press(page, "1 h a")
    expect(page.locator("#save-state")).to_have_attribute("data-state", "failed")
    page.unroute("**/assignments/*/save")
    page.route("**/assignments/*/save", lambda route: route.abort(), times=1)
    open_label(page, queue_of_ada[0])
    hears(page, "ok", "Unsaved changes were restored from this device.")


def test_when_it_was_changed_elsewhere(open_page: OpenPage, queue_of_ada: list[Assignment]) -> None:
    here, there = open_page("ada"), open_page("ada")
    for each in (here, there):
        open_label(each, queue_of_ada[0])
    press(here, "1 h a")
    wait_saved(here)
    press(there, "1 h b")
    expect(there.locator("#save-state")).to_have_attribute("data-state", "changed")
    press(there, "s 2")
    there.get_by_role("button", name="Skip image").click()
    hears(there, "stop", "Not skipped: the image was changed elsewhere.")
    press(there, "Ctrl+Enter")
    hears(
        there, "stop", "Not submitted: this image was changed elsewhere. Compare the versions and choose one."
    )
    there.get_by_role("button", name="Use other version").click()
    hears(there, "ok", "Other version loaded. Undo restores yours.")


def test_in_the_earlier_of_two_tabs(page: Page, queue_of_ada: list[Assignment]) -> None:
    open_label(page, queue_of_ada[0])
    open_label(page.context.new_page(), queue_of_ada[0])
    expect(page.locator("#save-state")).to_have_attribute("data-state", "other_tab")
    press(page, "b")
    text = "This image is open in another tab. Choose “Work here” to edit it in this one."
    hears(page, "warn", text)


@pytest.mark.parametrize("keys", ["1 h a", "1 h a Ctrl+Enter"], ids=["save", "submit"])
def test_the_servers_word_is_final(page: Page, queue_of_ada: list[Assignment], keys: str) -> None:
    """What the page would never send: the real server refuses it, and the line says why."""

    def spoil(route: Route) -> None:
        body = json.loads(route.request.post_data or "{}")
        body["payload"]["marks"][0]["affected"] = 9
        route.continue_(post_data=json.dumps(body))

    open_label(page, queue_of_ada[0])
    press(page, "1")
    wait_saved(page)
    page.route("**/assignments/*/s*", spoil)
    press(page, keys.removeprefix("1 "))
    hears(page, "stop", "Refused: 9 of 2 is impossible. Only 2 expected hands are counted.")
    expect(page.locator(target("zone:missing.hands.a"))).to_have_class("zone a filled")
