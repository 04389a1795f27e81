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
from tests.browser.looks import VIEWPORTS, two_looks
from tests.browser.test_accessibility import violations
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


@pytest.mark.parametrize("width", [1280, 1920])
def test_figures_use_the_width(open_page: OpenPage, finished: Finished, width: int) -> None:
    page = open_page("lee", viewport={"width": width, "height": 720})
    shares: dict[str, float] = {}
    for kind in ("agreement", "comparison"):
        page.goto(f"{REPORTS}/{kind}/")
        draw_everything(page)
        shares |= page.evaluate(SHARES)
    assert {name: share for name, share in shares.items() if not 0.5 <= share <= 1} == {}


SHARES = """() => Object.fromEntries([...document.querySelectorAll("[data-chart]")].map((canvas) => [
  canvas.dataset.chart.split("/").pop(),
  canvas.querySelector("svg.marks").getBoundingClientRect().width / canvas.clientWidth,
]))"""


def test_many_long_prompts_stay_within_three_screens(open_page: OpenPage, finished: Finished) -> None:
    report = finished.comparison
    result = dict(report.result or {})
    long = "people at a long table in a garden, seen from above, with all hands on it, "
    names = [f"{place} {long * 4}" for place in range(60)]
    table = next(each for each in result["tables"] if each["name"] == "prompts")
    table["rows"] = [[name, *table["rows"][0][1:]] for name in names]
    Report.objects.filter(pk=report.pk).update(result=result)
    page = open_page("lee", viewport={"width": 1280, "height": 720})
    page.goto(f"{REPORTS}/comparison/prompts/")
    assert page.evaluate("document.documentElement.scrollHeight") <= 3 * 720
    page.get_by_role("link", name="Further prompts").click()
    expect(page.locator("#further-prompts tbody tr")).to_have_count(45)
    expect(page.locator("#further-prompts tbody tr").last).to_be_visible()


def test_nothing_is_fetched_for_what_is_not_in_view(open_page: OpenPage, finished: Finished) -> None:
    page = open_page("lee", viewport={"width": 1280, "height": 720})
    fetched: list[str] = []
    page.on("request", lambda request: fetched.append(request.url.rsplit("/", 1)[-1]))
    page.goto(f"{REPORTS}/comparison/")
    page.wait_for_load_state("networkidle")
    assert "vega.js" not in fetched
    page.locator(".fold", has=page.locator("#generators")).locator("> summary").click()
    expect(page.locator("#figure-generators-intervals svg.marks")).to_have_count(1)
    assert "generators-intervals.json" in fetched
    assert "prompts-intervals.json" not in fetched


def test_a_pointer_is_told_the_numbers(open_page: OpenPage, finished: Finished) -> None:
    page = open_page("lee")
    page.goto(f"{REPORTS}/comparison/#generators")
    point = page.locator("#figure-generators-intervals svg.marks .mark-symbol.role-mark path").first
    point.hover(force=True)
    expect(page.locator("#vg-tooltip-element")).to_contain_text("alpha")


def test_a_point_opens_the_images_behind_it(open_page: OpenPage, finished: Finished) -> None:
    page = open_page("lee")
    page.goto(f"{REPORTS}/comparison/#generators")
    point = page.locator("#figure-generators-intervals svg.marks .mark-symbol.role-mark path").first
    point.click(force=True)
    page.wait_for_url("**/images/?sort=high&from=comparison.generators&generator=alpha")
    expect(page.get_by_role("heading", level=1)).to_have_text("6 images: alpha")
    page.get_by_role("link", name="Comparison: Generators").click()
    page.wait_for_url("**/reports/comparison/#generators")
    # By keyboard, the table does the same.
    page.locator("#generators").get_by_role("link", name="alpha").first.press("Enter")
    page.wait_for_url("**/images/?generator=alpha&sort=high&from=comparison.generators")


def test_figures_follow_the_surround(open_page: OpenPage, finished: Finished) -> None:
    page = open_page("lee", color_scheme="light")
    page.goto(f"{REPORTS}/agreement/#figure-pair-alphas")
    canvas = page.locator("#figure-pair-alphas [data-chart]")
    expect(canvas).to_have_attribute("data-drawn", "light")
    page.emulate_media(color_scheme="dark")
    expect(canvas).to_have_attribute("data-drawn", "dark")
    assert "#f2f0eb" in canvas.inner_html()


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


def test_sections_are_folded_until_asked_for(open_page: OpenPage, finished: Finished) -> None:
    page = open_page("lee", viewport={"width": 1280, "height": 720})
    for kind in ("agreement", "comparison", "comparison/prompts", "comparison/body-map"):
        page.goto(f"{REPORTS}/{kind}/")
        assert page.locator("details.fold[open]").count() == 0
        assert page.evaluate("document.documentElement.scrollHeight") <= 3 * 720
    page.goto(f"{REPORTS}/agreement/#by_cell")
    expect(page.locator("#by_cell table")).to_be_visible()
    assert page.locator("details.fold[open]").count() == 1
    expect(page.locator(NOT_FETCHED)).not_to_have_count(0)
    page.keyboard.press("o")
    expect(page.locator("details.fold:not([open])")).to_have_count(0)
    expect(page.locator(NOT_FETCHED)).to_have_count(0)
    page.get_by_role("button", name="Open all").click()
    expect(page.locator("details.fold[open]")).to_have_count(0)


def test_the_methods_are_copied(open_page: OpenPage, finished: Finished) -> None:
    page = open_page("lee", permissions=["clipboard-read", "clipboard-write"])
    page.goto(f"{REPORTS}/agreement/#methods")
    page.get_by_role("button", name="Copy paragraph").click()
    expect(page.locator("#methods-copied")).to_have_text("Copied.")
    copied: str = page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith(
        "Agreement was measured on 12 images that at least two of 2 annotators had annotated"
    )


@two_looks
def test_no_page_violates_anything(open_page: OpenPage, finished: Finished, scheme: str, size: str) -> None:
    width, height = VIEWPORTS[size]
    page = open_page("lee", color_scheme=scheme, viewport={"width": width, "height": height})
    found = {}
    of_one_report = [
        f"agreement/{finished.agreement.pk}/disagreements/",
    ]
    for place in (
        "agreement/",
        "comparison/",
        "comparison/body-map/",
        "comparison/prompts/",
        *of_one_report,
    ):
        page.goto(f"{REPORTS}/{place}")
        draw_everything(page)
        found[place] = violations(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert {place: rules for place, rules in found.items() if rules} == {}
