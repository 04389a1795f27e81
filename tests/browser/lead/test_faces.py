"""Marking faces in a browser: by mouse, by keys, and without violations."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from annotator.models import FaceDecision, Project
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
