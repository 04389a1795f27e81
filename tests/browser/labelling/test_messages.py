"""Every text of the message line, provoked in the page and read in the line, word for word."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from pathlib import Path
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

UNDO = ["Undo Ctrl Z"]
DOUBT = ["Change marks Enter", "Yes, two errors Y"]

# When, the steps (keys as one writes them down, or steps of tests/js/replay/person.js), kind, text, buttons.
TABLE = Path(__file__).parents[2] / "js" / "anatomy" / "messages.json"
LINES: list[tuple[str, str | list[Any], str, str, list[str]]] = [
    ("the first image", "PageUp", "info", "This is the first image.", []),
    *map(tuple, json.loads(TABLE.read_text(encoding="utf-8"))),
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
    asked = "2 + 2 = 4 affected, but only 2 visible feet. Does one foot have two errors?"
    hears(page, "stop", f"Configuration · Feet: {asked}", DOUBT)
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
    hears(page, "ok", "Flagged. You can keep annotating.")
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
    hears(page, "info", "Skipped. Resume the image to annotate it.")
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
    hears(page, "stop", "Not submitted: you are offline. Your draft is kept on this device.")
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
    hears(page, "stop", "Not reopened: the server did not respond, or the annotation was changed elsewhere.")
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
    hears(there, "stop", "Not skipped: the annotation was changed elsewhere.")
    press(there, "Ctrl+Enter")
    hears(
        there,
        "stop",
        "Not submitted: the annotation was changed elsewhere. Compare the versions and choose one.",
    )
    there.get_by_role("button", name="Use other version").click()
    hears(there, "ok", "Other version loaded. Undo restores yours.")


def test_in_the_earlier_of_two_tabs(page: Page, queue_of_ada: list[Assignment]) -> None:
    open_label(page, queue_of_ada[0])
    open_label(page.context.new_page(), queue_of_ada[0])
    expect(page.locator("#save-state")).to_have_attribute("data-state", "other_tab")
    press(page, "b")
    text = "This image is open in another tab. Choose “Work here” to edit it in this tab."
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
    hears(page, "stop", "9 of 2 is not possible: you counted 2 expected hands.")
    expect(page.locator(target("zone:missing.hands.a"))).to_have_class("zone a filled")
