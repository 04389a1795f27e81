"""The page of lights: no violation, nothing cut off, in light and dark."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from tests.browser.conftest import OpenPage
from tests.browser.looks import VIEWPORTS, every_look
from tests.browser.test_accessibility import violations
from tests.factories import LEAD, make_member, make_project, make_user

pytestmark = pytest.mark.django_db(transaction=True)


@every_look
def test_the_lights_can_be_read_by_everybody(
    open_page: OpenPage, scheme: str, size: str, tmp_path: Path, settings: Any
) -> None:
    settings.VAR_DIR = tmp_path
    make_member(make_project(), LEAD, user=make_user("lead-a"))
    width, height = VIEWPORTS[size]
    page = open_page("lead-a", color_scheme=scheme, viewport={"width": width, "height": height})
    page.goto("/health/")
    assert page.locator("h1").get_attribute("data-code") == "bad"
    lights = page.locator(".light h2")
    assert lights.count() == 9
    assert "failed" in lights.first.inner_text()  # the worst comes first
    assert violations(page) == []
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    if folder := os.environ.get("SCREENSHOTS"):
        page.screenshot(path=f"{folder}/health-{size}-{scheme}.png")
