"""Reports: figures, without a script, and adjudicating by keyboard."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from analysis.models import Report
from analysis.stats.generic.tables import rows_of
from annotator.models import Adjudication, Annotation, Image, Project
from annotator.work.liveness import sign_of_life
from tests.analysis.wider_study import make_wider_study, report_of
from tests.browser.conftest import OpenPage, picture
from tests.factories import make_payload

REPORTS = "/projects/pilot/reports"
NOT_FETCHED = "ul.report-section"
"""The list of contents that stands in place of a section until it is opened."""


@pytest.fixture
def twelve(pilot: Project) -> Project:
    """Twelve images, each judged twice."""
    sign_of_life()
    make_wider_study(pilot, [picture(pilot, number) for number in range(1, 13)])
    return pilot


def draw_everything(page: Page) -> None:
    """Open what is folded and pass every figure."""
    page.evaluate("document.querySelectorAll('details.fold').forEach(each => (each.open = true))")
    expect(page.locator(NOT_FETCHED)).to_have_count(0)
    page.evaluate("document.querySelectorAll('details').forEach(each => (each.open = true))")
    for canvas in page.locator("[data-chart]").all():
        canvas.scroll_into_view_if_needed()
        expect(canvas.locator("svg.marks")).to_have_count(1)


@pytest.mark.main_path
def test_every_figure_is_drawn(open_page: OpenPage, twelve: Project) -> None:
    page = open_page("lee", viewport={"width": 1280, "height": 720})
    drawn = {}
    for kind in ("agreement", "comparison"):
        report_of(twelve, kind)
        page.goto(f"{REPORTS}/{kind}/")
        draw_everything(page)
        drawn[kind] = page.locator("[data-chart] svg.marks").count()
    assert drawn == {"agreement": 4, "comparison": 8}


def images(report: Report) -> list[Image]:
    assert report.result is not None
    pks = [row["image"] for row in rows_of(report.result, "disagreements")]
    found = Image.objects.in_bulk(pks)
    return [found[pk] for pk in pks]


@pytest.mark.main_path
def test_by_keyboard_alone(open_page: OpenPage, twelve: Project) -> None:
    report = report_of(twelve, "agreement")
    said = make_payload([("missing.torso", "1/1a"), ("extra.face", "1/1c"), ("proportion.feet", "1/2b")])
    answers = Annotation.objects.filter(assignment__image=images(report)[0])
    answers.filter(assignment__annotator__code="anno2").update(payload=said)
    page = open_page("lee")
    page.goto(f"{REPORTS}/agreement/{report.pk}/disagreements/")
    page.get_by_role("link", name="Adjudicate number 1", exact=True).click()
    expect(page.get_by_role("button", name="Adjudicate")).to_be_visible()
    groups = page.locator("fieldset.cell").count()
    assert groups > 2
    expect(page.get_by_role("radio").first).to_be_focused()
    page.keyboard.press("?")
    expect(page.get_by_text("next, previous cell")).to_be_visible()
    page.keyboard.press("?")
    # Each cell in turn as the first annotator has it; the last one by Tab and arrow keys.
    for _ in range(groups - 1):
        page.keyboard.press("a")
        page.keyboard.press("j")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowUp")
    expect(page.locator("fieldset[data-cell] input[type=radio]:checked")).to_have_count(groups)
    # Every cell has the causes proposed for its value; in the last, a slip replaces them.
    for place in range(groups):
        assert page.locator("fieldset.cell").nth(place).locator("[data-cause]:checked").count() >= 1
    last = page.locator("fieldset.cell").last
    for box in last.locator("[data-cause]:checked").all():
        page.keyboard.press(box.get_attribute("data-key") or "")
    page.keyboard.press("9")
    expect(last.locator("[data-cause]:checked")).to_have_count(1)
    page.keyboard.press("k")
    page.keyboard.press("Control+Enter")
    expect(page.locator("[data-code=adjudicated]")).to_contain_text(re.compile(r"1\b.*12"))
    expect(page.locator("[data-code=place]")).to_contain_text("2")
    row = Adjudication.objects.get()
    assert row.image == images(report)[0]
    first = row.image.assignments.get(annotator__code="anno1").annotation
    assert row.payload["marks"] == first.payload["marks"]
    # Databases keep no order of keys.
    found = sorted((row.causes or {}).values(), key=lambda each: each["causes"] == ["slip"])
    *others, changed = found
    assert len(others) == groups - 1
    assert all(each["causes"] == each["proposed"] for each in others)
    assert changed["causes"] == ["slip"]
