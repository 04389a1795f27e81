"""The guide in a real browser: accessible, fitting, and whole on paper."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from annotator.models import Membership
from tests.browser.conftest import OpenPage
from tests.browser.looks import VIEWPORTS, two_looks
from tests.browser.test_accessibility import violations

SHEETS = 6


@two_looks
def test_no_violations(open_page: OpenPage, ada: Membership, scheme: str, size: str) -> None:
    width, height = VIEWPORTS[size]
    page = open_page("ada", color_scheme=scheme, viewport={"width": width, "height": height})
    page.goto("/guide/")
    assert violations(page) == []
    assert page.evaluate("() => document.documentElement.scrollWidth") <= width


def test_it_fits_a_phone(open_page: OpenPage, ada: Membership) -> None:
    page = open_page("ada", viewport={"width": 320, "height": 640})
    page.goto("/guide/")
    assert page.evaluate("() => document.documentElement.scrollWidth") <= 320


def test_every_picture_loads(open_page: OpenPage, ada: Membership) -> None:
    page = open_page("ada", viewport={"width": 1280, "height": 720})
    page.goto("/guide/")
    page.locator(".example img").evaluate_all(
        "images => images.forEach((image) => (image.loading = 'eager'))"
    )
    page.wait_for_load_state("networkidle")
    widths = page.locator(".example img").evaluate_all("images => images.map((image) => image.naturalWidth)")
    assert widths == [640] * 18


def test_print_opens_the_print_dialogue(open_page: OpenPage, ada: Membership) -> None:
    page = open_page("ada")
    page.goto("/guide/")
    page.evaluate("() => { window.print = () => (window.printed = true); }")
    page.get_by_role("button", name="Print").click()
    assert page.evaluate("() => window.printed")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_paper_shows_the_guide_alone_and_light(open_page: OpenPage, ada: Membership, scheme: str) -> None:
    page = open_page("ada", color_scheme=scheme)
    page.goto("/guide/")
    sheets = re.findall(rb"/Type\s*/Page\b", page.pdf(prefer_css_page_size=True, print_background=True))
    assert len(sheets) == SHEETS
    page.emulate_media(media="print", color_scheme=scheme)  # type: ignore[arg-type]
    for hidden in (".site-header", ".chapters", "[data-print]"):
        expect(page.locator(hidden)).to_be_hidden()
    for part in ("body", ".card"):
        expect(page.locator(part).first).to_have_css("background-color", "rgb(255, 255, 255)")
    torn = "boxes => boxes.map((box) => getComputedStyle(box).breakInside)"
    assert page.locator(".example").evaluate_all(torn) == ["avoid"] * 18
