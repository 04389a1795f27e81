"""The annotation page on a phone and on a desk, and the image enlarged where the batch allows it."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from annotator.models import Assignment, Batch, Membership, Project
from tests.browser.conftest import OpenPage, picture
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
from tests.factories import make_assignment, make_batch

PHONE = {"width": 390, "height": 844}

WINDOWS = [
    (853, 480),
    (640, 360),
    (911, 512),
    (853, 640),
    (960, 440),
    (1280, 420),
    (1024, 576),
    (1366, 768),
    (844, 390),
    (667, 375),
    (320, 640),
    (800, 820),
]
"""1280×720, 1366×768 and larger screens at 100, 150 and 200 %; tiled windows; phones held both ways."""
COVERED = """() => {
  const shown = (each) => each.checkVisibility({visibilityProperty: true}) && each.getClientRects().length;
  const controls = document.querySelectorAll("main :is([data-target], a, button), header :is(a, button)");
  return [...controls].filter(shown).flatMap((control) => {
    control.scrollIntoView({block: "nearest"});
    const {x, y, width, height} = control.getBoundingClientRect();
    const hit = document.elementFromPoint(x + width / 2, y + height / 2);
    if (hit && (control.contains(hit) || hit.closest("[data-target]")?.parentNode === control)) return [];
    return [`${control.dataset.target ?? control.className} under ${hit?.className}`];
  });
}"""
"""What lies, in its middle, under something else or outside the window."""


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


BOX = "(element) => element.getBoundingClientRect().toJSON()"


def test_on_a_phone_nothing_is_cut_and_no_button_stands_alone(
    pilot: Project, ada: Membership, open_page: OpenPage
) -> None:
    batch = make_batch(pilot, name="Presence", protocol="presence")
    assignment = make_assignment(ada, batch=batch, image=picture(pilot, 1))
    page = open_page("ada", viewport=PHONE)
    open_label(page, assignment)
    for head in page.locator(".type-column > h3").all():
        assert head.evaluate("(head) => head.scrollWidth <= head.clientWidth")
        assert head.locator(".short").evaluate("(short) => short.scrollWidth <= short.parentNode.clientWidth")
    expect(page.get_by_role("region", name="Configuration", exact=True)).to_have_count(1)
    redo, submit = (page.locator(target(name)).evaluate(BOX) for name in ("redo", "submit"))
    assert redo["top"] < submit["bottom"]
    assert submit["top"] < redo["bottom"]
    image, hint = (page.locator(name).evaluate(BOX) for name in ("#picture img", ".stage-foot .hint"))
    assert hint["top"] >= image["bottom"] + 2
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]


@pytest.mark.parametrize(("width", "height"), [(1280, 720), (1600, 900)])
def test_a_question_of_two_lines_and_the_longest_definition_have_room(
    queue_of_ada: list[Assignment],
    pilot: Project,
    ada: Membership,
    open_page: OpenPage,
    width: int,
    height: int,
) -> None:
    page = open_page("ada", viewport={"width": width, "height": height})
    open_label(page, queue_of_ada[0])
    # An empty count does not look like the button that lowers it.
    assert page.locator(target("count:expected.feet")).inner_text() == "·"
    press(page, "1 g f 2 b 2 c")
    line = page.locator("#line")
    expect(line).to_have_attribute("data-code", "affected_sum_above_total")
    around, text, panel = (
        page.locator(name).evaluate(BOX) for name in ("#line", "#line [role=alert]", ".panel")
    )
    assert around["bottom"] <= panel["bottom"]
    assert around["height"] >= 3 * 15 + 6
    assert text["top"] - around["top"] >= 3
    assert around["bottom"] - text["bottom"] >= 3
    batch = make_batch(pilot, name="Presence", protocol="presence")
    open_label(page, make_assignment(ada, batch=batch, image=picture(pilot, 9)))
    for part in "tlfhe":
        press(page, f"m {part}")
        definitions = page.locator(".sheet .definitions")
        assert definitions.evaluate("(text) => text.scrollHeight <= text.clientHeight + 1"), part


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


@pytest.mark.parametrize("protocol", ["anatomy", "presence", "realism"])
@pytest.mark.parametrize(("width", "height"), WINDOWS)
def test_every_control_can_be_pressed_in_its_middle(
    pilot: Project, ada: Membership, open_page: OpenPage, protocol: str, width: int, height: int
) -> None:
    batch = make_batch(pilot, name="Window", protocol=protocol)
    first, second = (make_assignment(ada, batch=batch, image=picture(pilot, number)) for number in (1, 2))
    page = open_page("ada", viewport={"width": width, "height": height}, has_touch=width < 900)
    open_label(page, first)
    if protocol == "anatomy":
        press(page, "2 h 5 b")
        expect(page.locator("#line")).to_have_attribute("data-code", "affected_above_total")
    assert page.evaluate(COVERED) == []
    assert page.evaluate("document.documentElement.scrollWidth") == width
    press(page, "s")
    font = page.locator("dialog textarea").evaluate("(field) => getComputedStyle(field).fontSize")
    assert font == ("16px" if width < 900 else "14px")
    press(page, "Escape")
    if protocol == "realism":
        expect(page.locator("[data-early]")).to_have_count(0)
        page.locator("label.point").filter(has_text="7").click()
    else:
        press(page, "0")
        click(page, "submit")
    page.wait_for_url(f"**/assignments/{second.pk}/", wait_until="commit")
