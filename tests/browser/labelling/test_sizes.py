"""The annotation page in twelve windows: every control can be pressed."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from annotator.models import Membership, Project
from tests.browser.conftest import OpenPage, picture
from tests.browser.labelling.labelling_page import click, open_label, press
from tests.factories import make_assignment, make_batch

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
