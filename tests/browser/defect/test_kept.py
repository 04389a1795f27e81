"""A box takes one drag and two keys; a cut connection or a second tab loses no mask."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from annotator.models import Annotation, Assignment, Membership, Project
from scoring.defect.masks import read_mask
from tests.browser.conftest import OpenPage
from tests.browser.defect.conftest import square
from tests.browser.defect.test_marks import around, drag, overlap, place, ready
from tests.browser.labelling.labelling_page import label, press, wait_saved
from tests.browser.test_accessibility import violations
from tests.factories import make_assignment, make_batch


def test_boxes_take_one_drag_and_two_keys(page: Page, pilot: Project, ada: Membership) -> None:
    settings = {"shape": "box", "details": True}
    batch = make_batch(pilot, name="Boxes", protocol="defect-marks", settings=settings)
    assignment = make_assignment(ada, batch=batch, image=square(pilot, 3))
    ready(page, assignment)
    expect(page.locator("[data-target='tool:brush']")).to_be_hidden()
    drag(page, [(100, 100), (150, 220), (300, 250)])
    press(page, "h c")
    drag(page, [(50, 60), (150, 220), (200, 260)])
    press(page, "f a")
    expect(page.locator("#counted")).to_have_text("2 of 2 described")
    assert not violations(page)
    page.get_by_role("button", name="Slight").click()
    wait_saved(page)
    press(page, "Ctrl+Enter")
    page.wait_for_url("**/queue/**")
    payload = Annotation.objects.get(assignment=assignment).payload
    masks = [read_mask(each["mask"]) for each in payload["defects"]]
    for mask, box in zip(masks, ((100, 100, 200, 150), (50, 60, 150, 200)), strict=True):
        assert mask.box == pytest.approx(box, abs=2)
        assert mask.area == mask.box[2] * mask.box[3]
    assert [(each["part"], each["severity"]) for each in payload["defects"]] == [
        ("hands", "c"),
        ("feet", "a"),
    ]


@pytest.mark.slow
def test_a_cut_connection_loses_no_mask(page: Page, work: list[Assignment]) -> None:
    ready(page, work[0])
    for verb in ("save", "submit"):
        page.route(f"**{label(work[0])}{verb}", lambda route: route.abort("connectionreset"))
    drag(page, [*around(), around()[0]])
    press(page, "t w")
    page.keyboard.type("The disc is no hand at all.")
    press(page, "Escape")
    page.get_by_role("button", name="Serious").click()
    press(page, "Ctrl+Enter")
    expect(page.locator("#save-state")).to_contain_text("Not saved")
    assert not Annotation.objects.filter(assignment=work[0]).exists()
    page.reload()
    page.wait_for_selector("main[data-ready]")
    expect(page.locator("#counted")).to_have_text("1 of 1 described")
    for verb in ("save", "submit"):
        page.unroute(f"**{label(work[0])}{verb}")
    press(page, "Ctrl+Enter")
    expect(page.locator("#place")).to_have_text("2 of 2")
    assert overlap(work[0]) >= 0.97


@pytest.mark.slow
@pytest.mark.parametrize("cut", ["connection", "page"])
def test_what_is_cut_during_a_stroke_loses_nothing(page: Page, work: list[Assignment], cut: str) -> None:
    ready(page, work[0])
    press(page, "b")
    page.mouse.move(*place(page, 100, 100))
    page.mouse.down()
    page.mouse.move(*place(page, 300, 100), steps=10)
    if cut == "connection":
        page.route(f"**{label(work[0])}save", lambda route: route.abort("connectionreset"))
        page.mouse.move(*place(page, 300, 200), steps=10)
        page.mouse.up()
        expect(page.locator("#save-state")).to_contain_text("Not saved")
    page.reload()
    page.wait_for_selector("main[data-ready]")
    expect(page.locator(".defect-head")).to_contain_text("px")
    page.unroute_all()
    # What comes next is stored with it.
    press(page, "t")
    wait_saved(page)
    (defect,) = Annotation.objects.get(assignment=work[0]).payload["defects"]
    left, top, width, height = read_mask(defect["mask"]).box
    assert left < 100 < 300 < left + width
    assert top < 100 < (200 if cut == "connection" else 101) < top + height
    assert defect["kind"] == "structural"


@pytest.mark.slow
def test_a_second_tab_takes_over_with_all_masks(page: Page, work: list[Assignment]) -> None:
    ready(page, work[0])
    drag(page, [*around(), around()[0]])
    press(page, "a")
    drag(page, [(20, 20), (80, 20), (80, 80), (20, 80)])
    # Within the quiet period: the first tab stores both before it lets go.
    other = page.context.new_page()
    ready(other, work[0])
    expect(other.locator(".defect")).to_have_count(2)
    expect(page.locator("#save-state")).to_have_attribute("data-state", "other_tab")
    stored = Annotation.objects.get(assignment=work[0]).payload["defects"]
    assert [read_mask(each["mask"]).area > 1000 for each in stored] == [True, True]


@pytest.mark.slow
def test_two_versions_are_compared_as_pictures(open_page: OpenPage, work: list[Assignment]) -> None:
    here, there = (open_page("ada", viewport={"width": 1280, "height": 720}) for _ in range(2))
    for each in (here, there):
        ready(each, work[0])
    drag(here, [*around(), around()[0]])
    wait_saved(here)
    drag(there, [(20, 20), (80, 20), (80, 80), (20, 80)])
    expect(there.locator("#save-state")).to_have_attribute("data-state", "changed")
    there.get_by_role("button", name="Compare").click()
    dialog = there.get_by_role("dialog")
    expect(dialog.locator(".mask-map path")).to_have_count(2)
    assert not violations(there)
    there.get_by_role("button", name="Use other version").click()
    expect(there.locator(".defect-head")).to_contain_text("centre")
