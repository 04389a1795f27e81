"""The mask editor in Chromium: mouse, touch and keys, saving, the form without script."""

from __future__ import annotations

import math
import os
from fractions import Fraction

import pytest
from playwright.sync_api import CDPSession, Page, expect

from annotator.models import Annotation, Assignment, Project
from scoring.defect.masks import Mask, iou, read_mask, rectangle, union
from tests.annotator.protocols.defect.stages import submit
from tests.browser.conftest import OpenPage
from tests.browser.defect.conftest import CIRCLE, SIDE
from tests.browser.labelling.labelling_page import all_inside, label, open_label, press, wait_saved
from tests.browser.looks import VIEWPORTS, two_looks
from tests.browser.test_accessibility import violations


def place(page: Page, x: float, y: float, side: int = SIDE) -> tuple[float, float]:
    """Return where a pixel of the image lies on the screen."""
    box = page.locator("#picture").bounding_box()
    assert box is not None
    return box["x"] + x * box["width"] / side, box["y"] + y * box["height"] / side


def around(points: int = 60, radius: float = CIRCLE[2]) -> list[tuple[float, float]]:
    """Return points on the circle."""
    angles = [2 * math.pi * at / points for at in range(points)]
    return [(CIRCLE[0] + radius * math.cos(angle), CIRCLE[1] + radius * math.sin(angle)) for angle in angles]


def disc() -> Mask:
    """Return the mask that people should draw."""
    x, y, r = CIRCLE
    half = {at: math.isqrt(r * r - (at - x) ** 2) for at in range(x - r, x + r + 1)}
    return union([rectangle(SIDE, SIDE, (at, y - tall, 1, 2 * tall)) for at, tall in half.items()])


def overlap(assignment: Assignment) -> float:
    """Return how well the only stored mask and the disc agree."""
    (defect,) = Annotation.objects.get(assignment=assignment).payload["defects"]
    return float(iou(read_mask(defect["mask"]), disc()) or 0)


def drag(page: Page, points: list[tuple[float, float]], button: str = "left") -> None:
    """Draw a line through points of the image."""
    page.mouse.move(*place(page, *points[0]))
    page.mouse.down(button=button)  # type: ignore[arg-type]
    for point in points[1:]:
        page.mouse.move(*place(page, *point))
    page.mouse.up(button=button)  # type: ignore[arg-type]


def ready(page: Page, assignment: Assignment) -> None:
    """Open an image, and wait until it can be drawn on."""
    open_label(page, assignment)
    page.wait_for_function("() => document.querySelector('#picture img').complete")
    page.wait_for_timeout(100)


def look(page: Page, name: str) -> None:
    """Keep a picture of the page where `LOOK_AT` names a folder."""
    if folder := os.environ.get("LOOK_AT"):
        page.screenshot(path=f"{folder}/{name}.png")


@pytest.mark.main_path
def test_a_mouse_draws_round_a_defect_and_submits_it(page: Page, work: list[Assignment]) -> None:
    ready(page, work[0])
    drag(page, [*around(), around()[0]])
    expect(page.locator(".defect-head")).to_contain_text("centre")
    press(page, "t w")
    page.keyboard.type("The disc is no hand at all.")
    press(page, "Escape")
    page.get_by_role("button", name="Serious").click()
    expect(page.locator("#counted")).to_have_text("1 of 1 described")
    press(page, "Ctrl+Enter")
    expect(page.locator("#place")).to_have_text("2 of 2")
    stored = Annotation.objects.get(assignment=work[0])
    assert stored.status == "submitted"
    assert stored.payload["size"] == [SIDE, SIDE]
    said = [stored.payload["defects"][0][name] for name in ("id", "kind", "text")]
    assert said == ["d1", "structural", "The disc is no hand at all."]
    assert overlap(work[0]) >= 0.97
    rated = {name: Fraction(value) for name, _, value in stored.ratings or ()}
    assert [rated["defects"], rated["effect"]] == [Fraction(1), Fraction(2)]
    assert abs(float(rated["area"]) - math.pi * CIRCLE[2] ** 2 / SIDE**2) < 0.003
    # Undo takes the submission back, with the masks.
    press(page, "z")
    expect(page.locator("#place")).to_have_text("1 of 2")
    expect(page.locator(".defect")).to_have_count(1)


def test_corners_the_other_button_undo_and_zoom(page: Page, work: list[Assignment]) -> None:
    ready(page, work[0])
    for x, y in ((100, 100), (300, 100), (300, 300), (100, 300), (100, 100)):
        page.mouse.click(*place(page, x, y))
        page.wait_for_timeout(350)  # two quick clicks would close the outline
    wait_saved(page)
    assert mask_of(work[0]).area == pytest.approx(200 * 200, rel=0.03)
    drag(page, [(150, 150), (250, 150), (250, 250), (150, 250)], button="right")
    wait_saved(page)
    ring = mask_of(work[0])
    assert ring.area == pytest.approx(200 * 200 - 100 * 100, rel=0.03)
    press(page, "h")
    wait_saved(page)
    assert mask_of(work[0]).area == pytest.approx(200 * 200, rel=0.03)
    press(page, "z")
    wait_saved(page)
    assert mask_of(work[0]) == ring
    before = page.locator("#picture").bounding_box()
    where = tuple(map(round, place(page, 200, 200)))
    page.mouse.move(*where)
    page.mouse.wheel(0, -400)
    page.wait_for_timeout(200)
    assert place(page, 200, 200) == pytest.approx(where, abs=2)
    after = page.locator("#picture").bounding_box()
    assert before is not None
    assert after is not None
    assert after["width"] > 2 * before["width"]
    press(page, "b")
    drag(page, [(180, 200), (220, 200)])
    wait_saved(page)
    assert mask_of(work[0]).area > ring.area
    press(page, "f")
    assert page.locator("#picture").bounding_box() == before
    assert drawn(page) == mask_of(work[0])


def mask_of(assignment: Assignment) -> Mask:
    """Return the only stored mask."""
    (defect,) = Annotation.objects.get(assignment=assignment).payload["defects"]
    return read_mask(defect["mask"])


def drawn(page: Page) -> Mask:
    """Return what the canvas of the active mask shows, without its white casing."""
    runs = page.evaluate(
        """() => {
          const canvas = document.querySelector("#picture canvas.own"), {width, height} = canvas;
          const {data} = canvas.getContext("2d").getImageData(0, 0, width, height);
          const runs = [0];
          for (let x = 0, last = 0; x < width; x += 1)
            for (let y = 0; y < height; y += 1) {
              const at = 4 * (y * width + x);
              const on = data[at + 3] && !(data[at] === 255 && data[at + 1] === 255) ? 1 : 0;
              if (on === last) runs[runs.length - 1] += 1;
              else runs.push(1);
              last = on;
            }
          return runs;
        }"""
    )
    return read_mask({"size": [SIDE, SIDE], "counts": runs})


def touch(session: CDPSession, kind: str, *points: tuple[float, float]) -> None:
    """Send what a screen reports of fingers."""
    fingers = [{"x": x, "y": y, "id": number} for number, (x, y) in enumerate(points)]
    session.send("Input.dispatchTouchEvent", {"type": f"touch{kind}", "touchPoints": fingers})


def test_a_finger_draws_and_two_zoom(open_page: OpenPage, work: list[Assignment]) -> None:
    page = open_page("ada", viewport={"width": 820, "height": 1180}, has_touch=True)
    ready(page, work[0])
    session = page.context.new_cdp_session(page)
    points = [place(page, *point) for point in around()]
    touch(session, "Start", points[0])
    for point in points[1:]:
        touch(session, "Move", point)
    touch(session, "End")
    wait_saved(page)
    assert overlap(work[0]) >= 0.9
    version = Annotation.objects.get(assignment=work[0]).version
    # A second finger takes the stroke back that has begun, and both zoom.
    one, other = place(page, 200, 300), place(page, 400, 300)
    touch(session, "Start", one)
    touch(session, "Move", (one[0] + 20, one[1] + 20))
    touch(session, "Start", (one[0] + 20, one[1] + 20), other)
    for step in range(1, 8):
        touch(session, "Move", (one[0] - 10 * step, one[1]), (other[0] + 10 * step, other[1]))
    touch(session, "End")
    page.wait_for_timeout(1800)
    expect(page.locator(".defect")).to_have_count(1)
    assert Annotation.objects.get(assignment=work[0]).version == version
    assert page.get_by_label("Fit the image").inner_text() != "100%"


def test_keys_alone_mark_describe_and_submit(page: Page, work: list[Assignment]) -> None:
    ready(page, work[0])
    press(page, "b")
    for _ in range(10):
        press(page, "]")
    # As large as the disc: the brush counts pixels of the screen.
    box = page.locator("#picture").bounding_box()
    assert box is not None
    wanted = 2 * CIRCLE[2] * box["width"] / SIDE
    for _ in range(60):
        size = int(page.locator(".stage-foot > .muted").inner_text().removeprefix("Brush "))
        if abs(size - wanted) < 12:
            break
        press(page, "]" if size < wanted else "[")
    # The cross begins in the middle of the image.
    for _ in range(round(20 * box["width"] / SIDE)):
        press(page, "Alt+ArrowUp")
    press(page, "Enter t w")
    page.keyboard.type("Drawn without a pointer.")
    press(page, "Escape")
    page.get_by_role("button", name="Slight").focus()
    press(page, "Enter Ctrl+Enter")
    expect(page.locator("#place")).to_have_text("2 of 2")
    assert overlap(work[0]) >= 0.9


def test_a_rectangle_in_numbers(page: Page, work: list[Assignment]) -> None:
    ready(page, work[0])
    press(page, "a")
    page.get_by_text("Rectangle in numbers").click()
    for name, value in {"x": 10, "y": 20, "width": 30, "height": 40}.items():
        page.get_by_label(f"Defect 1: {name} of a rectangle").fill(str(value))
    page.get_by_role("button", name="Mark", exact=True).click()
    wait_saved(page)
    assert mask_of(work[0]).box == (10, 20, 30, 40)


def test_masks_of_others_stay_when_one_is_chosen(page: Page, work: list[Assignment]) -> None:
    ready(page, work[0])
    drag(page, [(100, 100), (200, 100), (200, 200), (100, 200)])
    press(page, "a")
    drag(page, [(400, 400), (500, 400), (500, 500), (400, 500)])
    wait_saved(page)
    masks = [read_mask(each["mask"]) for each in Annotation.objects.get().payload["defects"]]
    assert drawn(page) == masks[1]
    press(page, "1")
    assert drawn(page) == masks[0]
    expect(page.locator(".number-tags .number-tag")).to_have_text(["1", "2"])
    press(page, "2 Delete")
    assert drawn(page) == masks[0]
    press(page, "z")
    assert drawn(page) == masks[1]
    press(page, "z")
    assert drawn(page).area == 0
    # A page loaded anew shows what is stored.
    press(page, "y")
    wait_saved(page)
    ready(page, work[0])
    assert drawn(page) == masks[1]


@two_looks
def test_it_fits_and_has_no_violations(
    open_page: OpenPage, work: list[Assignment], scheme: str, size: str
) -> None:
    width, height = VIEWPORTS[size]
    page = open_page("ada", color_scheme=scheme, viewport={"width": width, "height": height})
    ready(page, work[0])
    assert not violations(page)
    look(page, f"empty-{size}-{scheme}")
    drag(page, around())
    press(page, "t w")
    page.keyboard.type("The disc is no hand at all, and it has no fingers.")
    press(page, "Escape a")
    drag(page, [(60, 60), (160, 60), (160, 120), (60, 120)])
    page.get_by_role("button", name="Noticeable").click()
    assert not violations(page)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    expect(page.locator("#submit-next")).to_be_in_viewport()
    look(page, f"marked-{size}-{scheme}")


@pytest.mark.parametrize(("width", "height"), [(1280, 720), (1920, 1080), (820, 1180), (853, 480)])
def test_every_target_lies_inside_the_page(
    open_page: OpenPage, work: list[Assignment], width: int, height: int
) -> None:
    page = open_page("ada", viewport={"width": width, "height": height})
    ready(page, work[0])
    drag(page, around())
    look(page, f"fits-{width}x{height}")
    all_inside(page, "#sheet .actions button, .mask-tools button, #ask", more_than=10)


def test_without_script_it_is_a_form(open_page: OpenPage, work: list[Assignment]) -> None:
    page = open_page("ada", java_script_enabled=False, viewport={"width": 1280, "height": 720})
    page.goto(label(work[0]))
    row = page.locator("#defect-1")
    for name, value in {"x": 10, "y": 20, "width": 30, "height": 40}.items():
        row.get_by_label(name).fill(str(value))
    page.get_by_role("button", name="Submit and next").click()
    expect(row.locator(".error")).to_have_count(2)
    row.get_by_label("kind").select_option("logical")
    row.locator("textarea").fill("A cup that floats.")
    page.get_by_label("Slight").check()
    look(page, "plain")
    page.get_by_role("button", name="Submit and next").click()
    expect(page.locator("#place")).to_have_text("2 of 2")
    assert mask_of(work[0]).box == (10, 20, 30, 40)
    assert Annotation.objects.get(assignment=work[0]).status == "submitted"


@two_looks
def test_others_see_the_masks_and_the_guideline(
    open_page: OpenPage, work: list[Assignment], pilot: Project, scheme: str, size: str
) -> None:
    width, height = VIEWPORTS[size]
    said = {"mask": disc().as_json(), "kind": "structural", "text": "The disc is no hand at all."}
    defects = [{"id": "d1", **said}, {"id": "d2", **said, "kind": "logical"}]
    submit(work[0], {"defects": defects, "effect": 3})
    page = open_page("lee", color_scheme=scheme, viewport={"width": width, "height": height})
    page.goto(f"/projects/pilot/images/{work[0].image.public_id}/")
    look(page, f"image-{size}-{scheme}")
    assert not violations(page)
    assert page.locator(".mask-map path").first.bounding_box() is not None
    page.goto("/projects/pilot/guideline/?protocol=defect-marks")
    look(page, f"guide-{size}-{scheme}")
    expect(page.get_by_role("heading", name="Guideline: defects")).to_be_visible()
    assert not violations(page)
    page.goto("/projects/pilot/exports/?protocol=defect-marks")
    look(page, f"exports-{size}-{scheme}")
    expect(page.locator("input[value=coco]")).to_have_count(1)
    annotator = open_page("ada", color_scheme=scheme, viewport={"width": width, "height": height})
    open_label(annotator, work[0])
    look(annotator, f"submitted-{size}-{scheme}")
    expect(annotator.locator(".defect .add")).to_be_hidden()
    assert not violations(annotator)
