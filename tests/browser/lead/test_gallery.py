"""The gallery in a real browser: keys, marks over images, and looks."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from annotator.annotations.summaries import summarise
from annotator.models import Project
from tests.analysis.factories import make_submitted
from tests.browser.conftest import OpenPage, picture
from tests.factories import make_batch, make_member

IMAGES = "/projects/pilot/images/"


@pytest.fixture
def rated(pilot: Project) -> Project:
    """Six images with more and more errors."""
    member, batch = make_member(pilot), make_batch(pilot)
    images = [picture(pilot, number) for number in range(1, 7)]
    for place, image in enumerate(images, 1):
        make_submitted(member, [("missing.limbs", f"{place}/6c")], image=image, batch=batch)
    summarise(pilot.pk, [image.pk for image in images], "anatomy")
    return pilot


def test_keys_move_and_show_the_marks(open_page: OpenPage, rated: Project) -> None:
    page = open_page("lee", viewport={"width": 1280, "height": 720})
    page.goto(f"{IMAGES}?sort=high&severity=c")
    tiles = page.locator("a.tile")
    tiles.first.focus()
    page.keyboard.press("ArrowRight")
    expect(tiles.nth(1)).to_be_focused()
    page.keyboard.press("Space")
    expect(page.locator("#peek")).to_contain_text("5/6c")
    page.keyboard.press("Escape")
    expect(page.locator("#peek")).to_be_hidden()
    page.keyboard.press("/")
    expect(page.get_by_role("searchbox")).to_be_focused()
    tiles.nth(1).press("Enter")
    page.get_by_role("link", name="Next image").click()
    expect(page.get_by_text("4/6c").first).to_be_visible()
    page.get_by_role("link", name="Images: severe").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("6 images: severe")
