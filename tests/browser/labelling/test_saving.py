"""Saving over bad lines, in two windows, past the end of a session: nothing lost, doubled, falsely "Saved".

`FAULTS=50` repeats each fault as often as the requirement asks; the default keeps the suite quick.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Dialog, Page, Route, expect

from annotator.models import Annotation, Assignment, Event
from tests.browser.conftest import PASSWORD, OpenPage
from tests.browser.labelling.labelling_page import (
    click,
    label,
    marks_of,
    open_label,
    press,
    stored,
    target,
    wait_place,
    wait_saved,
)

ROUNDS = int(os.environ.get("FAULTS", "3" if os.environ.get("THOROUGH") else "2"))
pytestmark = pytest.mark.timeout(300 + 20 * ROUNDS)
STATE = "#save-state"
LINE = "#line"


def lost_on_the_way(route: Route) -> None:
    """The request never arrives."""
    route.abort()


def answer_lost(route: Route) -> None:
    """The server does its work, and the page never hears of it."""
    route.fetch()
    route.abort()


def answer_broken_off(route: Route) -> None:
    """The answer breaks off half-way."""
    response = route.fetch()
    route.fulfill(status=200, content_type="application/json", body=response.text()[:20])


def gateway_down(route: Route) -> None:
    """Something in between answers in its own way."""
    route.fulfill(status=502, content_type="text/html", body="<h1>Bad gateway</h1>")


def gateway_gave_up(route: Route) -> None:
    """The server does its work, and something in between says otherwise."""
    route.fetch()
    route.fulfill(status=504, content_type="text/html", body="<h1>Gateway timeout</h1>")


FAULTS = [lost_on_the_way, answer_lost, answer_broken_off, gateway_down, gateway_gave_up]


@contextmanager
def broken(page: Page, verb: str, fault: Callable[[Route], None]) -> Iterator[None]:
    """Let every request of a kind fail in one way, for as long as the block lasts."""
    address = f"**/assignments/*/{verb}"
    page.route(address, fault)
    yield
    # A request may be in the middle of its fault: what goes wrong there now is no failure of a later test.
    page.unroute_all(behavior="ignoreErrors")


def try_now(page: Page) -> None:
    """Press the button beside the save state, unless the page has tried again by itself meanwhile."""
    page.evaluate("() => document.querySelector(\"#save-state [data-target='save']:not([hidden])\")?.click()")


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_a_save_that_fails_is_made_once(
    page: Page, queue_of_ada: list[Assignment], fault: Callable[[Route], None]
) -> None:
    first = queue_of_ada[0]
    open_label(page, first)
    press(page, "w 1 h")
    wait_saved(page)
    for turn in range(ROUNDS):
        with broken(page, "save", fault):
            press(page, "+")
            expect(page.locator(STATE)).to_have_attribute("data-state", "failed")
        try_now(page)
        wait_saved(page)
        answer = stored(first)
        assert answer.version == turn + 2
        assert answer.payload["counts"]["expected"]["hands"] == turn + 3
    assert Event.objects.filter(assignment=first, verb="draft_saved").count() == ROUNDS + 1


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_typing_on_while_a_save_fails_loses_nothing(
    page: Page, queue_of_ada: list[Assignment], fault: Callable[[Route], None]
) -> None:
    first = queue_of_ada[0]
    open_label(page, first)
    with broken(page, "save", fault):
        press(page, "2 h a")
        expect(page.locator(STATE)).to_have_attribute("data-state", "failed")
        press(page, "f b g c")
    wait_saved(page, timeout=15000)
    cells = ["missing.feet", "missing.hands", "configuration.feet"]
    assert [cell for cell, _, _ in marks_of(stored(first))] == cells
    assert stored(first).version == 2
    assert page.evaluate("() => Object.keys(localStorage)") == []


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_a_submission_that_fails_is_made_once(
    page: Page, queue_of_ada: list[Assignment], fault: Callable[[Route], None]
) -> None:
    open_label(page, queue_of_ada[0])
    with broken(page, "submit", fault):
        press(page, "1 h a Ctrl+Enter")
        expect(page.locator(LINE)).to_have_attribute("data-code", "pending")
    wait_place(page, "2 of 3")
    assert stored(queue_of_ada[0]).status == "submitted"
    assert Event.objects.filter(assignment=queue_of_ada[0], verb="submitted").count() == 1


def test_what_is_entered_while_a_submission_is_repeated_reopens_it(
    page: Page, queue_of_ada: list[Assignment]
) -> None:
    first = queue_of_ada[0]
    open_label(page, first)
    with broken(page, "submit", answer_lost):
        press(page, "1 h a Ctrl+Enter")
        expect(page.locator(LINE)).to_have_attribute("data-code", "pending")
        press(page, "b")
    expect(page.locator(STATE)).to_have_text(re.compile("Saved"), timeout=10000)
    wait_saved(page)
    page.wait_for_timeout(700)
    wait_saved(page)
    wait_place(page, "1 of 3")
    assert (stored(first).status, len(marks_of(stored(first)))) == ("reopened", 2)


@pytest.mark.main_path
def test_offline_drafts_go_on_and_are_saved_when_the_line_is_back(
    page: Page, queue_of_ada: list[Assignment]
) -> None:
    open_label(page, queue_of_ada[0])
    page.context.set_offline(True)
    press(page, "2 h a")
    expect(page.locator(STATE)).to_have_attribute("data-state", "offline")
    press(page, "b Ctrl+Enter")
    expect(page.locator(LINE)).to_have_attribute("data-code", "offline")
    assert not Annotation.objects.exists()
    page.context.set_offline(False)
    wait_saved(page)
    assert len(marks_of(stored(queue_of_ada[0]))) == 2


def test_a_page_that_dies_leaves_its_draft_on_the_device(page: Page, queue_of_ada: list[Assignment]) -> None:
    first, keys = queue_of_ada[0], 0
    for fault in FAULTS:
        open_label(page, first)
        with broken(page, "save", fault):
            press(page, "2 m h a")
            expect(page.locator(STATE)).to_have_attribute("data-state", "failed")
            # Gone without a word: no event of leaving is heard.
            page.evaluate(
                """() => { for (const name of ["pagehide", "visibilitychange"])
                  window.addEventListener(name, (event) => event.stopImmediatePropagation(), true); }"""
            )
            page.goto("about:blank")
        before = len(marks_of(stored(first))) if Annotation.objects.exists() else 0
        open_label(page, first)
        wait_saved(page)
        expect(page.locator(target("zone:missing.hands.a"))).to_have_class("zone a filled")
        assert len(marks_of(stored(first))) == 1 >= before
        # What was done before the page died counts, and once only.
        keys += 4
        assert stored(first).capture["keys"] == keys
        assert page.evaluate("() => Object.keys(localStorage)") == []
        press(page, "m h Delete")
        wait_saved(page)
        keys += 3


def test_signing_out_takes_the_copies_along(page: Page, queue_of_ada: list[Assignment]) -> None:
    open_label(page, queue_of_ada[0])
    page.evaluate("() => localStorage.setItem('another-site', '1')")
    with broken(page, "save", lost_on_the_way):
        press(page, "2 h a")
        expect(page.locator(STATE)).to_have_attribute("data-state", "failed")
        assert len(page.evaluate("() => Object.keys(localStorage)")) == 2
        page.goto("/projects/pilot/queue/")
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("button", name="Sign in")).to_be_visible()
    assert page.evaluate("() => Object.keys(localStorage)") == ["another-site"]


def test_leaving_is_questioned_only_if_no_copy_is_current(page: Page, queue_of_ada: list[Assignment]) -> None:
    open_label(page, queue_of_ada[0])
    asked: list[str] = []

    def agree(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.accept()

    page.on("dialog", agree)
    with broken(page, "save", lost_on_the_way):
        press(page, "2 h a")
        expect(page.locator(STATE)).to_have_attribute("data-state", "failed")
        page.goto("about:blank")
    assert asked == []
    open_label(page, queue_of_ada[0])
    wait_saved(page)
    page.evaluate("() => { Storage.prototype.setItem = () => { throw new Error('full'); }; }")
    with broken(page, "save", lost_on_the_way):
        press(page, "m h b")
        expect(page.locator(STATE)).to_have_attribute("data-state", "failed")
        page.goto("about:blank")
    assert asked == ["beforeunload"]


def test_hiding_the_page_saves_at_once(page: Page, queue_of_ada: list[Assignment]) -> None:
    open_label(page, queue_of_ada[0])
    press(page, "2 h a")
    page.goto("about:blank")
    page.wait_for_timeout(500)
    assert len(marks_of(stored(queue_of_ada[0]))) == 1


@pytest.mark.main_path
def test_nothing_is_overwritten(open_page: OpenPage, queue_of_ada: list[Assignment]) -> None:
    first = queue_of_ada[0]
    size = {"width": 1280, "height": 720}
    here, there = open_page("ada", viewport=size), open_page("ada", viewport=size)
    open_label(here, first)
    press(here, "2 m h a")
    wait_saved(here)
    open_label(there, first)
    for turn in range(ROUNDS):
        press(here, "x f +")
        wait_saved(here)
        theirs = stored(first).payload
        press(there, "g e +")
        expect(there.locator(STATE)).to_have_attribute("data-state", "changed")
        click(there, "save")
        rows = there.locator("dialog tbody th")
        expect(there.locator("dialog .refusal")).to_be_hidden()
        expect(rows.filter(has_text="Feet, expected")).to_have_count(1)
        expect(rows.filter(has_text="Face, visible")).to_have_count(1)
        assert stored(first).payload == theirs
        there.get_by_role("button", name="Use other version" if turn % 2 else "Keep my version").click()
        wait_saved(there)
        assert (stored(first).payload == theirs) == bool(turn % 2)
        # What was refused stays in the log, and both windows start again from what is stored.
        assert Event.objects.filter(assignment=first).count() == stored(first).version + turn + 1
        for each in (here, there):
            open_label(each, first)


def test_a_submission_elsewhere_is_shown_and_can_be_replaced(
    open_page: OpenPage, queue_of_ada: list[Assignment]
) -> None:
    here, there = open_page("ada"), open_page("ada")
    for each in (here, there):
        open_label(each, queue_of_ada[0])
    press(here, "2 m h a Ctrl+Enter")
    wait_place(here, "2 of 3")
    press(there, "2 m h b Ctrl+Enter")
    expect(there.get_by_role("dialog")).to_contain_text("submitted from another tab")
    there.get_by_role("button", name="Keep my version").click()
    wait_saved(there)
    assert stored(queue_of_ada[0]).status == "reopened"
    press(there, "Ctrl+Enter")
    wait_place(there, "2 of 3")
    assert marks_of(stored(queue_of_ada[0])) == [("missing.hands", "1/4b", False)]


def test_the_later_tab_works_and_the_earlier_waits(page: Page, queue_of_ada: list[Assignment]) -> None:
    first = queue_of_ada[0]
    open_label(page, first)
    press(page, "2 m h a")
    other = page.context.new_page()
    open_label(other, first)
    expect(other.locator(target("zone:missing.hands.a"))).to_have_class("zone a filled")
    expect(page.locator(STATE)).to_have_attribute("data-state", "other_tab")
    press(page, "b")
    expect(page.locator(LINE)).to_have_attribute("data-code", "other_tab")
    press(other, "m h c")
    wait_saved(other)
    page.get_by_role("button", name="Work here").click()
    expect(page.locator(target("zone:missing.hands.c"))).to_have_class("zone c filled")
    expect(other.locator(STATE)).to_have_attribute("data-state", "other_tab")
    press(page, "m h b")
    wait_saved(page)
    assert len(marks_of(stored(first))) == 3


def test_a_tab_that_was_still_loading_shows_what_the_earlier_one_saved(
    page: Page, queue_of_ada: list[Assignment]
) -> None:
    first = queue_of_ada[0]
    open_label(page, first)
    other = page.context.new_page()
    held: list[Route] = []
    other.route("**/built/anatomy.js", lambda route: held.append(route))
    other.goto(label(first), wait_until="commit")
    other.wait_for_selector("#page-config", state="attached")
    press(page, "2 m h a")
    wait_saved(page)
    held[0].continue_()
    expect(other.locator(target("zone:missing.hands.a"))).to_have_class("zone a filled")
    press(other, "m h b")
    wait_saved(other)
    assert len(marks_of(stored(first))) == 2


@pytest.mark.main_path
def test_a_session_that_ends_keeps_everything(page: Page, queue_of_ada: list[Assignment]) -> None:
    first = queue_of_ada[0]
    open_label(page, first)
    press(page, "2 h")
    wait_saved(page)
    for turn in range(max(1, ROUNDS // 2)):
        page.context.clear_cookies(name="anatomark_session")
        press(page, "+")
        dialog = page.get_by_role("dialog", name="Sign in")
        expect(dialog).to_be_visible()
        expect(page.locator(STATE)).to_have_attribute("data-state", "signed_out")
        expect(dialog.get_by_label("User name")).to_have_value("ada")
        dialog.get_by_label("Password").fill("wrong" if turn == 0 else PASSWORD)
        if turn == 0:
            press(page, "Enter")
            expect(dialog.get_by_role("alert")).to_have_text("Incorrect password.")
            dialog.get_by_label("Password").fill(PASSWORD)
        press(page, "Ctrl+Enter")
        expect(dialog).to_have_count(0)
        wait_saved(page)
        assert stored(first).payload["counts"]["expected"]["hands"] == 5 + turn
        assert stored(first).version == turn + 2


def test_signing_in_can_wait(page: Page, queue_of_ada: list[Assignment]) -> None:
    open_label(page, queue_of_ada[0])
    page.context.clear_cookies(name="anatomark_session")
    press(page, "2 h a")
    page.get_by_role("dialog", name="Sign in").get_by_role("button", name="Later").click()
    press(page, "b")
    expect(page.locator(STATE)).to_have_attribute("data-state", "signed_out")
    page.get_by_role("button", name="Sign in").click()
    page.get_by_label("Password").fill(PASSWORD)
    press(page, "Enter")
    wait_saved(page)
    assert len(marks_of(stored(queue_of_ada[0]))) == 2
    assert label(queue_of_ada[0]) in page.url
