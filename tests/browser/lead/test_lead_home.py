"""The home of a project's leads: by keyboard, in a menu on a narrow screen, without script."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from annotator.models import Assignment, Batch
from tests.analysis.home.making import drafted, judged_by_quality, labelled
from tests.browser.conftest import OpenPage
from tests.browser.looks import VIEWPORTS, two_looks
from tests.browser.test_accessibility import violations
from tests.factories import make_member


@pytest.fixture
def needy(queue_of_ada: list[Assignment]) -> Batch:
    """A batch with an annotator who is too fast, an old draft, and a failed job."""
    batch = queue_of_ada[0].batch
    labelled(kim := make_member(batch.project, code="kim"), batch, 2)
    judged_by_quality(batch.project, kim, "stop", ["fast"])
    drafted(queue_of_ada[0].annotator, batch, days_ago=5)
    batch.project.jobs.create(kind="export", status="failed", error="Disk full.")
    return batch


@two_looks
def test_by_keyboard_and_without_violations(
    open_page: OpenPage, needy: Batch, size: str, scheme: str
) -> None:
    width, height = VIEWPORTS[size]
    page = open_page("lee", viewport={"width": width, "height": height}, color_scheme=scheme)
    page.goto("/projects/pilot/")
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    rows = page.locator(".need > .button")
    expect(rows).to_have_count(3)
    for key, row in (("j", 0), ("j", 1), ("k", 0), ("k", 0), ("j", 1), ("j", 2), ("j", 2), ("k", 1)):
        page.keyboard.press(key)
        expect(rows.nth(row)).to_be_focused()
    page.keyboard.press("Enter")
    page.wait_for_url("**/jobs/*/")
    if width < 960:
        page.locator(".nav-menu summary").press("Enter")
        assert violations(page) == []
        page.get_by_role("link", name="Batches").press("Enter")
        page.wait_for_url("**/batches/")
