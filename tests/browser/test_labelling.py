"""Labelling in a real browser: by keyboard alone, saved by itself, in two tabs, over a broken line."""

from __future__ import annotations

import re
from typing import Any

from playwright.sync_api import Page, Route, expect

from annotator.models import Annotation, Assignment
from scoring.anatomy.taxonomy import CELLS
from tests.browser.conftest import PASSWORD, OpenPage
from tests.factories import make_mark, make_payload

STATE = "#save-state"


def stored(assignment: Assignment) -> Annotation:
    """The annotation as it is in the database now."""
    return Annotation.objects.get(assignment=assignment)


def test_from_signing_in_to_the_next_image_by_keyboard(
    open_page: OpenPage, queue_of_ada: list[Assignment]
) -> None:
    page = open_page(None)
    page.goto("/")
    expect(page.get_by_label("User name")).to_be_focused()
    page.keyboard.type("ada")
    page.keyboard.press("Tab")
    page.keyboard.type(PASSWORD)
    page.keyboard.press("Enter")
    expect(page.get_by_role("link", name="Start")).to_be_visible()
    tab_to(page, "Start")
    page.keyboard.press("Enter")
    expect(page.locator("#cell-missing-torso")).to_be_focused()
    page.keyboard.press("Tab")
    page.keyboard.type("1/4c")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.type("1/3b")
    page.keyboard.press("Enter")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#line")).to_contain_text("Image 1 submitted.")
    expect(page.locator(".place")).to_have_text("2 of 3")
    done = stored(queue_of_ada[0])
    assert done.status == "submitted"
    assert done.payload == make_payload([("missing.limbs", "1/4c"), ("missing.hands", "1/3b")])


def test_the_whole_queue_then_all_done(page: Page, queue_of_ada: list[Assignment]) -> None:
    page.goto("/")
    page.get_by_role("link", name="Start").click()
    for number in (1, 2, 3):
        expect(page.locator(".place")).to_have_text(f"{number} of 3")
        page.get_by_text("No errors", exact=True).click()
        page.get_by_role("button", name="Submit and next").click()
    expect(page.get_by_role("heading", name="All done")).to_be_visible()
    assert Annotation.objects.filter(status="submitted").count() == 3


def test_tab_visits_the_cells_in_the_prescribed_order(page: Page, queue_of_ada: list[Assignment]) -> None:
    page.goto(label(queue_of_ada[0]))
    visited = []
    for _ in CELLS:
        visited.append(page.evaluate("() => document.activeElement.name"))
        page.keyboard.press("Tab")
    assert visited == [f"marks.{cell.key}" for cell in CELLS]


def test_typing_is_saved_by_itself(page: Page, queue_of_ada: list[Assignment]) -> None:
    page.goto(label(queue_of_ada[0]))
    expect(page.locator(STATE)).to_contain_text("Nothing entered yet")
    page.keyboard.type("1/2a")
    expect(page.locator(STATE)).to_contain_text(re.compile(r"Saved \d\d:\d\d:\d\d$"))
    assert stored(queue_of_ada[0]).payload["marks"] == [make_mark("missing.torso", "1/2a")]
    page.get_by_text("Note", exact=True).click()
    page.get_by_label("Note on this image").fill("a second look")
    expect(page.locator("input[name=version]")).to_have_value("2")
    assert stored(queue_of_ada[0]).payload["note"] == "a second look"
    page.reload()
    expect(page.locator("#cell-missing-torso")).to_have_value("1/2a")


def test_typing_on_is_saved_in_between(page: Page, queue_of_ada: list[Assignment]) -> None:
    page.goto(label(queue_of_ada[0]))
    saves: list[str] = []
    page.on("request", lambda request: saves.append(request.url) if request.method == "POST" else None)
    page.locator("#id_note").evaluate("element => element.closest('details').open = true")
    page.locator("#id_note").press_sequentially("x" * 34, delay=100)
    expect(page.locator(STATE)).to_contain_text("Saved")
    assert 2 <= len(saves) <= 4
    assert stored(queue_of_ada[0]).payload["note"] == "x" * 34


def test_an_unreadable_cell_is_named_and_the_rest_saved(page: Page, queue_of_ada: list[Assignment]) -> None:
    page.goto(label(queue_of_ada[0]))
    page.locator("#cell-extra-hands").fill("5/4b")
    page.locator("#cell-extra-face").fill("1/2a")
    expect(page.locator(STATE)).to_contain_text("but for 1 cell")
    wrong = page.locator(".cell.wrong")
    expect(wrong).to_have_count(1)
    expect(wrong.locator(".short")).to_have_text("Above its total")
    page.locator("#cell-extra-hands").focus()
    expect(page.locator("#line")).to_contain_text("5 of 4 is impossible")
    assert stored(queue_of_ada[0]).payload["marks"] == [make_mark("extra.face", "1/2a")]
    page.keyboard.press("Control+Enter")
    expect(page.locator(STATE)).to_contain_text("Not submitted")
    expect(page.locator("#cell-extra-hands")).to_have_value("5/4b")
    expect(page.locator("#cell-extra-hands")).to_be_focused()


def test_the_definition_follows_the_focus(page: Page, queue_of_ada: list[Assignment]) -> None:
    page.goto(label(queue_of_ada[0]))
    shown = page.locator(".definition:visible")
    expect(page.locator("#panel-title > .needs-script")).to_have_text("Missing · Torso")
    page.locator("#cell-orientation-hands").focus()
    expect(page.locator("#panel-title > .needs-script")).to_have_text("Orientation · Hands")
    expect(shown).to_have_count(2)
    expect(shown.nth(0)).to_contain_text("Orientation:")
    expect(shown.nth(1)).to_contain_text("Hands:")
    page.get_by_role("button", name="Save draft").last.focus()
    expect(page.locator("#panel-title > .needs-script")).to_have_text("Orientation · Hands")


def test_a_mark_takes_the_tick_of_no_errors_away(page: Page, queue_of_ada: list[Assignment]) -> None:
    page.goto(label(queue_of_ada[0]))
    page.get_by_text("No errors", exact=True).click()
    expect(page.locator(STATE)).to_contain_text("Saved")
    page.locator("#cell-missing-limbs").press_sequentially("1/4c")
    expect(page.locator("#id_no_errors")).not_to_be_checked()
    page.locator("#id_no_errors").check()
    expect(page.locator("#line")).to_contain_text("Refused: 1 error is entered.")
    expect(page.locator(STATE)).to_contain_text("Not saved")


def test_a_cut_line_loses_nothing_and_never_says_saved(page: Page, queue_of_ada: list[Assignment]) -> None:
    page.goto(label(queue_of_ada[0]))
    broken = cut(page)
    page.keyboard.type("1/2a")
    expect(page.locator(STATE)).to_contain_text("Not saved. Trying again")
    assert not Annotation.objects.exists()
    page.locator("#cell-missing-limbs").fill("1/4c")
    page.unroute("**/assignments/**", broken)
    expect(page.locator(STATE)).to_contain_text(re.compile(r"Saved \d\d"), timeout=15000)
    marks = [make_mark("missing.torso", "1/2a"), make_mark("missing.limbs", "1/4c")]
    assert stored(queue_of_ada[0]).payload["marks"] == marks


def test_an_answer_that_got_lost_is_no_conflict(page: Page, queue_of_ada: list[Assignment]) -> None:
    page.goto(label(queue_of_ada[0]))

    def lose(route: Route) -> None:
        route.fetch()  # the server stores it, and the page never hears of it
        route.abort()

    page.route("**/assignments/**", lose, times=1)
    page.keyboard.type("1/2a")
    expect(page.locator(STATE)).to_contain_text(re.compile(r"Saved \d\d"), timeout=15000)
    assert stored(queue_of_ada[0]).version == 1
    page.locator("#cell-missing-limbs").fill("1/4c")
    expect(page.locator("input[name=version]")).to_have_value("2")


def test_two_tabs_do_not_overwrite_each_other(page: Page, queue_of_ada: list[Assignment]) -> None:
    other = page.context.new_page()
    for each in (page, other):
        each.goto(label(queue_of_ada[0]))
    page.locator("#cell-missing-limbs").fill("1/4c")
    expect(page.locator(STATE)).to_contain_text("Saved")
    other.locator("#cell-missing-limbs").fill("2/4b")
    expect(other.locator(STATE)).to_contain_text("Changed elsewhere")
    row = other.locator(".clash tbody tr")
    expect(row).to_have_text(re.compile(r"Missing · Limbs\s*2/4b\s*1/4c"))
    assert stored(queue_of_ada[0]).payload["marks"] == [make_mark("missing.limbs", "1/4c")]
    other.get_by_role("button", name="Keep mine").click()
    expect(other.locator(STATE)).to_contain_text("Saved")
    assert stored(queue_of_ada[0]).payload["marks"] == [make_mark("missing.limbs", "2/4b")]
    page.locator("#cell-missing-limbs").fill("3/4b")
    page.get_by_role("link", name="Take theirs").click()
    expect(page.locator("#cell-missing-limbs")).to_have_value("2/4b")


def test_a_session_that_ended_keeps_what_is_typed(
    page: Page, open_page: OpenPage, queue_of_ada: list[Assignment]
) -> None:
    page.goto(label(queue_of_ada[0]))
    page.context.clear_cookies(name="anatomark_session")
    page.keyboard.type("1/2a")
    expect(page.locator(STATE)).to_contain_text("Signed out. Not saved yet")
    with page.context.expect_page() as opened:
        page.get_by_role("link", name="Sign in").click()
    again = opened.value
    again.fill("#id_username", "ada")
    again.fill("#id_password", PASSWORD)
    again.get_by_role("button", name="Sign in").click()
    expect(again.locator("#answer")).to_be_visible()
    again.close()
    expect(page.locator(STATE)).to_contain_text(re.compile(r"Saved \d\d"), timeout=15000)
    expect(page.locator("#cell-missing-torso")).to_have_value("1/2a")
    page.keyboard.press("Control+Enter")
    expect(page.locator(".place")).to_have_text("2 of 3")


def test_leaving_for_the_next_image_saves_first(page: Page, queue_of_ada: list[Assignment]) -> None:
    page.goto(label(queue_of_ada[0]))
    page.keyboard.type("1/2a")
    page.keyboard.press("PageDown")
    expect(page.locator(".place")).to_have_text("2 of 3")
    assert stored(queue_of_ada[0]).payload["marks"] == [make_mark("missing.torso", "1/2a")]


def test_submitting_while_a_save_is_under_way(page: Page, queue_of_ada: list[Assignment]) -> None:
    page.goto(label(queue_of_ada[0]))
    page.keyboard.type("1/2a")
    page.keyboard.press("Control+Enter")
    page.keyboard.press("Control+Enter")
    expect(page.locator(".place")).to_have_text("2 of 3")
    assert stored(queue_of_ada[0]).status == "submitted"
    assert Annotation.objects.count() == 1


def test_a_submission_can_be_undone(page: Page, queue_of_ada: list[Assignment]) -> None:
    page.goto(label(queue_of_ada[0]))
    page.keyboard.type("1/2a")
    page.keyboard.press("Control+Enter")
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".place")).to_have_text("1 of 3")
    expect(page.locator("#cell-missing-torso")).to_have_value("1/2a")
    assert stored(queue_of_ada[0]).status == "reopened"


def test_the_next_picture_is_there_before_it_is_needed(page: Page, queue_of_ada: list[Assignment]) -> None:
    following = f"**/images/{queue_of_ada[1].image.public_id}/display"
    with page.expect_response(following) as fetched:
        page.goto(label(queue_of_ada[0]))
    assert fetched.value.ok


class TestWithoutScript:
    """The same page where scripts are switched off."""

    def test_drafts_refusals_and_submissions(
        self, open_page: OpenPage, queue_of_ada: list[Assignment]
    ) -> None:
        page = open_page("ada", java_script_enabled=False)
        page.goto("/")
        page.get_by_role("link", name="Start").click()
        page.locator("#cell-missing-limbs").fill("1/4")
        page.locator("#cell-missing-feet").fill("1/4b")
        page.locator("#cell-missing-feet").press("Enter")
        expect(page.locator(STATE)).to_contain_text("Saved, but for the marked cells")
        expect(page.locator(".cell.wrong .short")).to_have_text("Add a, b or c")
        page.locator("#cell-missing-limbs").fill("1/4c")
        page.get_by_role("button", name="Submit and next").click()
        expect(page.locator(".place")).to_have_text("2 of 3")
        expect(page.locator("#line")).to_contain_text("Image 1 submitted.")
        marks = [("missing.limbs", "1/4c"), ("missing.feet", "1/4b")]
        assert stored(queue_of_ada[0]).payload == make_payload(marks)

    def test_all_definitions_can_be_read(self, open_page: OpenPage, queue_of_ada: list[Assignment]) -> None:
        page = open_page("ada", java_script_enabled=False)
        page.goto(label(queue_of_ada[0]))
        expect(page.locator(".definition:visible")).to_have_count(10)


def label(assignment: Assignment) -> str:
    """The labelling page of an assignment."""
    return f"/assignments/{assignment.pk}/"


def tab_to(page: Page, name: str) -> None:
    """Press Tab until the element with this text has the focus."""
    for _ in range(30):
        page.keyboard.press("Tab")
        if page.evaluate("() => document.activeElement.textContent.trim()") == name:
            return
    raise AssertionError(f"Tab never reached {name!r}")


def cut(page: Page) -> Any:
    """Cut the line for saves; returns what `unroute` wants."""

    def refuse(route: Route) -> None:
        route.abort() if route.request.method == "POST" else route.continue_()

    page.route("**/assignments/**", refuse)
    return refuse
