"""Marking faces in a browser: by mouse, by keys, and without violations."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from annotator.models import FaceDecision, Job, Project
from annotator.work.jobs import run_job
from tests.browser.conftest import OpenPage, picture
from tests.browser.test_accessibility import violations
from tests.factories import LEAD, make_member

pytestmark = pytest.mark.usefixtures("own_media")


def test_faces_are_marked_by_mouse_and_by_keys(open_page: OpenPage, pilot: Project) -> None:
    first, second = [picture(pilot, number) for number in (1, 2)]
    lead = make_member(pilot, LEAD)
    assert lead.user is not None
    page = open_page(lead.user.username)
    page.goto(f"/projects/{pilot.slug}/faces/{first.public_id}/")
    box = page.locator("[data-stage] img").bounding_box()
    assert box is not None
    across, down = box["width"] / first.width, box["height"] / first.height
    page.mouse.move(box["x"] + 10 * across, box["y"] + 10 * down)
    page.mouse.down()
    page.mouse.move(box["x"] + 40 * across, box["y"] + 50 * down, steps=5)
    page.mouse.up()
    faces = page.locator(".marking-face")
    expect(faces).to_have_count(1)
    page.keyboard.press("a")
    expect(faces).to_have_count(2)
    page.keyboard.press("Delete")
    expect(faces).to_have_count(1)
    assert violations(page) == []
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/faces/{second.public_id}/")
    page.keyboard.press("n")
    expect(page.locator("[data-code=all-decided]")).to_be_visible()
    assert violations(page) == []
    [[x, y, width, height]] = FaceDecision.objects.get(image=first).rectangles
    assert (x, y, width, height) == pytest.approx((10, 10, 30, 40), abs=1)
    assert FaceDecision.objects.get(image=second).rectangles == []


def test_rectangles_of_a_file_are_shown_and_stored(open_page: OpenPage, pilot: Project) -> None:
    image = picture(pilot, 1)
    page = open_page("lee")
    page.goto(f"/projects/{pilot.slug}/faces/")
    page.get_by_role("link", name="Import rectangles").click()
    assert violations(page) == []
    text = f"sha256,x,y,w,h\n{image.sha256},10,20,30,40\n"
    page.set_input_files(
        "input[type=file]", {"name": "f.csv", "mimeType": "text/csv", "buffer": text.encode()}
    )
    page.get_by_role("button", name="Check file").click()
    assert run_job(Job.objects.get().pk)
    page.reload()
    page.get_by_role("link", name="Continue").click()
    shown, box = (page.locator(f".previewed {name}").bounding_box() for name in ("img", "rect"))
    assert shown is not None
    assert box is not None
    # The image is shown whole in a square, so its width decides the scale; the line adds two pixels.
    scale = shown["width"] / image.width
    assert box["x"] - shown["x"] == pytest.approx(10 * scale, abs=2)
    assert (box["width"], box["height"]) == pytest.approx((30 * scale + 2, 40 * scale + 2), abs=2)
    assert violations(page) == []
    page.get_by_role("button", name="Store the file").click()
    assert run_job(Job.objects.latest("pk").pk)
    assert FaceDecision.objects.get().rectangles == [[10, 20, 30, 40]]
    # They are proposals until somebody has looked at them: Enter says so.
    page.goto(f"/projects/{pilot.slug}/faces/?state=look")
    expect(page.locator(".previewed rect")).to_have_count(1)
    assert violations(page) == []
    page.keyboard.press("Enter")
    expect(page.locator("[data-code=all-looked-at]")).to_be_visible()
    assert violations(page) == []
    assert FaceDecision.objects.get().decided_by == pilot.memberships.get(code="lee")
