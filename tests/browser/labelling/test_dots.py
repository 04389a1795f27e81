"""Counting by dots, by mouse, by keys and by touch, and the dots of two people beside each other."""

from __future__ import annotations

from uuid import uuid4

import pytest
from playwright.sync_api import Page, expect

from annotator.annotations.saving import submit_annotation
from annotator.models import Assignment, Membership, Project
from tests.browser.conftest import PASSWORD, OpenPage
from tests.browser.labelling.labelling_page import ACTS, click, open_label, press, stored, target, wait_saved
from tests.browser.looks import VIEWPORTS, two_looks
from tests.browser.test_accessibility import violations
from tests.factories import ANNOTATOR, make_assignment, make_member, make_payload, make_user


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


def test_by_keys_a_cross_moves_by_8_px_and_enter_sets_a_dot(
    page: Page, queue_of_ada: list[Assignment]
) -> None:
    open_label(page, queue_of_ada[0])
    width = page.locator("#picture > img").bounding_box()["width"]  # type: ignore[index]
    press(page, "1 h d Enter ArrowRight Enter Alt+ArrowRight Enter f Enter Backspace")
    expect(page.locator("#hint")).to_have_text("Counting feet: 0")
    expect(page.locator(".cross")).to_be_visible()
    press(page, "h Backspace Escape")
    wait_saved(page)
    (first, second) = stored(queue_of_ada[0]).payload["dots"]["hands"]
    assert first == [0.5, 0.5]
    assert second[0] == pytest.approx(0.5 + 8 / width, abs=0.0002)
    page.reload()
    page.wait_for_selector("main[data-ready]")
    expect(page.locator(".dots > .dot.hands")).to_have_count(2)
    expect(page.locator("#hint")).not_to_contain_text("Counting")


def test_a_tap_sets_a_dot_and_the_button_needs_no_key(
    queue_of_ada: list[Assignment], open_page: OpenPage
) -> None:
    page = open_page("ada", viewport={"width": 820, "height": 1180}, has_touch=True, is_mobile=True)
    open_label(page, queue_of_ada[0])
    page.tap(target("dots"))
    box = page.locator("#picture > img").bounding_box()
    assert box is not None
    page.touchscreen.tap(box["x"] + box["width"] / 4, box["y"] + box["height"] / 2)
    expect(page.locator("#hint")).to_have_text("Counting torsos: 1")
    button = page.locator(target("dots")).bounding_box()
    assert button is not None
    assert button["height"] >= 44
    wait_saved(page)
    assert stored(queue_of_ada[0]).payload["counts"]["visible"]["torso"] == 1


def test_a_count_typed_over_the_dots_is_doubted(page: Page, queue_of_ada: list[Assignment]) -> None:
    open_label(page, queue_of_ada[0])
    press(page, "1 h d Enter ArrowUp Enter d g / 1 Enter")
    expect(page.locator("#line")).to_have_attribute("data-code", "dots_differ")
    expect(page.locator(".counts.visible .count .check:visible")).to_have_count(1)
    click(page, "count:visible.hands.+")
    expect(page.locator(".counts .check:visible")).to_have_count(0)
    wait_saved(page)
    assert len(stored(queue_of_ada[0]).payload["dots"]["hands"]) == 2


@two_looks
def test_the_dots_of_both_people_lie_over_the_image(
    open_page: OpenPage, pilot: Project, queue_of_ada: list[Assignment], size: str, scheme: str
) -> None:
    bob: Membership = make_member(pilot, ANNOTATOR, user=make_user("bob", password=PASSWORD), code="bob")
    mine = queue_of_ada[0]
    theirs = make_assignment(bob, image=mine.image, batch=mine.batch)
    for assignment, dots in ((mine, [[0.2, 0.4], [0.7, 0.6]]), (theirs, [[0.21, 0.41]])):
        person = assignment.annotator.user
        assert person is not None
        payload = make_payload(dots={"hands": dots, "face": [[0.5, 0.2]]})
        submit_annotation(
            assignment=assignment, actor=person, payload=payload, replaces=0, request_key=uuid4()
        )
    width, height = VIEWPORTS[size]
    page = open_page("lee", viewport={"width": width, "height": height}, color_scheme=scheme)
    page.goto(f"/projects/pilot/images/{mine.image.public_id}/")
    assert page.locator("svg.pins .dot text").all_text_contents() == ["A", "A", "A", "B", "B"]
    said = [" ".join(text.split()) for text in page.locator("[data-code='dots-of']").all_inner_texts()]
    assert said == ["Dots: 2 hands, 1 face", "Dots: 1 hand, 1 face"]
    assert violations(page) == []
    page.goto(f"/projects/pilot/images/{mine.image.public_id}/adjudicate/")
    assert page.locator("svg.pins .dot text").all_text_contents() == ["A", "A", "A", "B", "B"]
    assert violations(page) == []
