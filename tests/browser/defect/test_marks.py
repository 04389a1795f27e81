"""The mask editor in Chromium: mouse, touch and keys, saving."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from playwright.sync_api import CDPSession, Page, expect

from annotator.models import Annotation, Assignment
from scoring.defect.masks import Mask, iou, read_mask, rectangle, union
from tests.browser.conftest import Look, OpenPage, two_looks
from tests.browser.defect.conftest import CIRCLE, SIDE
from tests.browser.labelling.labelling_page import open_label, press, wait_saved
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


def mask_of(assignment: Assignment) -> Mask:
    """Return the only stored mask."""
    (defect,) = Annotation.objects.get(assignment=assignment).payload["defects"]
    return read_mask(defect["mask"])


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


@two_looks
def test_it_fits_and_has_no_violations(open_page: OpenPage, work: list[Assignment], look: Look) -> None:
    page = open_page("ada", **look)
    ready(page, work[0])
    assert not violations(page)
    drag(page, around())
    press(page, "t w")
    page.keyboard.type("The disc is no hand at all, and it has no fingers.")
    press(page, "Escape a")
    drag(page, [(60, 60), (160, 60), (160, 120), (60, 120)])
    page.get_by_role("button", name="Noticeable").click()
    assert not violations(page)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    expect(page.locator("#submit-next")).to_be_in_viewport()
    expect(page.locator(".defect.active textarea")).to_be_in_viewport(ratio=1)
