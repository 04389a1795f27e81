"""Reports in a real browser: figures are drawn under the page's policy, and nothing hangs on script."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from playwright.sync_api import Page, expect

from analysis.models import Report
from annotator.models import Project
from annotator.work.liveness import sign_of_life
from tests.analysis.wider_study import make_wider_study, report_of
from tests.browser.conftest import OpenPage, picture
from tests.factories import REVIEWER, make_member, make_user

REPORTS = "/projects/pilot/reports"


NOT_FETCHED = "ul.report-section"
"""The list of contents that stands in place of a section until it is opened."""


@dataclass(frozen=True)
class Finished:
    """A finished report of each kind."""

    agreement: Report
    comparison: Report


@pytest.fixture
def finished(pilot: Project) -> Finished:
    sign_of_life()
    make_member(pilot, REVIEWER, user=make_user("rae"), code="rae")
    make_wider_study(pilot, [picture(pilot, number) for number in range(1, 13)])
    return Finished(*(report_of(pilot, kind) for kind in ("agreement", "comparison")))


def draw_everything(page: Page) -> None:
    """Open what is folded and pass every figure."""
    page.evaluate("document.querySelectorAll('details.fold').forEach(each => (each.open = true))")
    expect(page.locator(NOT_FETCHED)).to_have_count(0)
    page.evaluate("document.querySelectorAll('details').forEach(each => (each.open = true))")
    for canvas in page.locator("[data-chart]").all():
        canvas.scroll_into_view_if_needed()
        expect(canvas.locator("svg.marks")).to_have_count(1)


@pytest.mark.main_path
def test_every_figure_is_drawn(open_page: OpenPage, finished: Finished) -> None:
    page = open_page("lee", viewport={"width": 1280, "height": 720})
    drawn = {}
    for kind in ("agreement", "comparison"):
        page.goto(f"{REPORTS}/{kind}/")
        draw_everything(page)
        drawn[kind] = page.locator("[data-chart] svg.marks").count()
    assert drawn == {"agreement": 4, "comparison": 8}


def test_without_script(open_page: OpenPage, finished: Finished) -> None:
    page = open_page("rae", java_script_enabled=False)
    # The browser opens the fold around the target of a link, which leads to the page of the section.
    page.goto(f"{REPORTS}/comparison/#figure-error_types-shares")
    page.locator("#figure-error_types-shares").click()
    page.wait_for_url("**/sections/errors/#figure-error_types-shares")
    figure = page.locator("#figure-error_types-shares")
    figure.get_by_text("Numbers").click()
    assert figure.locator("tbody tr").count() >= 1
    with page.expect_download() as download:
        figure.get_by_role("link", name="SVG").click()
    assert download.value.path().read_text(encoding="utf-8").startswith("<svg")
    page.goto(f"{REPORTS}/agreement/#disagreements")
    page.locator("#disagreements").click()
    page.get_by_role("link", name="Review disagreements").click()
    assert page.locator(".disagreement").count() == 3
    assert page.locator(".disagreement a").count() == 0
    page.get_by_role("link", name="Next").click()
    assert page.locator(".disagreement h2").first.inner_text().startswith("4.")
