"""A lead makes a qualification, an annotator fails and passes it: looked at, and without a violation."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from annotator.models import Attempt, Batch, Membership, Project, Standing
from annotator.people.standings import move
from tests.annotator.training.making import Course
from tests.annotator.training.qualifying import WRONG, add, finish
from tests.browser.conftest import OpenPage, picture
from tests.browser.looks import VIEWPORTS, every_look
from tests.browser.test_accessibility import violations
from tests.factories import ANSWER, make_member

PAGES = "/projects/pilot"


@pytest.fixture
def exam(pilot: Project, ada: Membership, own_media: None) -> Course:
    """Six images with references."""
    lead = pilot.memberships.get(code="lee")
    bob = make_member(pilot, code="bob")
    made = Course(pilot, lead, ada, bob, [picture(pilot, number) for number in range(1, 7)])
    made.references = [add(made, image) for image in made.images]
    return made


def look(page: Page, name: str) -> list[str]:
    """Return what axe finds; `SHOTS` is a folder for pictures of the pages."""
    if folder := os.environ.get("SHOTS"):
        page.screenshot(path=Path(folder) / f"{name}.png", full_page=True)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), name
    return [f"{name}: {found}" for found in violations(page)]


@pytest.mark.slow
@every_look
def test_from_the_form_to_the_standing(open_page: OpenPage, exam: Course, size: str, scheme: str) -> None:
    width, height = VIEWPORTS[size]
    how = {"color_scheme": scheme, "viewport": {"width": width, "height": height}}
    lead = open_page("lee", **how)
    lead.goto(f"{PAGES}/references/qualification/?protocol=anatomy")
    found = look(lead, f"new-{size}-{scheme}")
    lead.fill("#images", "9")
    lead.get_by_role("button", name="Release qualification").click()
    expect(lead.locator("[data-code=too-few]")).to_be_visible()
    lead.fill("#images", "5")
    lead.fill("#waiting", "0")
    lead.get_by_role("button", name="Release qualification").click()
    expect(lead.locator("[data-code=released]")).to_be_visible()
    batch = Batch.objects.get(qualification__isnull=False)
    ada = open_page("ada", **how)
    ada.goto(f"{PAGES}/queue/")
    expect(ada.locator("[data-code=running]")).to_be_visible()
    found += look(ada, f"queue-{size}-{scheme}")
    ada.get_by_role("link", name="See what is needed").click()
    found += look(ada, f"running-{size}-{scheme}")
    finish(batch, exam.ada, WRONG)
    ada.reload()
    expect(ada.locator("[data-code=failed]")).to_be_visible()
    found += look(ada, f"failed-{size}-{scheme}")
    ada.goto(f"{PAGES}/queue/")
    found += look(ada, f"queue-failed-{size}-{scheme}")
    ada.get_by_role("link", name="See the result").click()
    ada.get_by_role("button", name="Begin attempt 2").click()
    ada.wait_for_url("**/assignments/*/")
    assert Attempt.objects.filter(annotator=exam.ada).count() == 2
    finish(batch, exam.ada, ANSWER, 2)
    ada.goto(f"/batches/{batch.pk}/result/")
    expect(ada.locator("[data-code=passed]")).to_be_visible()
    found += look(ada, f"passed-{size}-{scheme}")
    lead.goto(f"{PAGES}/standings/?protocol=anatomy")
    lead.get_by_text("Exempt bob").click()
    found += look(lead, f"standings-{size}-{scheme}")
    lead.get_by_label("Reason").fill("Wrote the guideline")
    lead.get_by_role("button", name="Exempt from the qualification").click()
    expect(lead.locator("[data-code=waived]").first).to_be_visible()
    assert Standing.objects.get(membership=exam.bob).state == "waived"
    lead.goto(f"/batches/{batch.pk}/")
    found += look(lead, f"batch-{size}-{scheme}")
    assert found == []


@every_look
def test_the_preview_names_who_is_not_qualified(
    open_page: OpenPage, exam: Course, size: str, scheme: str
) -> None:
    width, height = VIEWPORTS[size]
    lead = open_page("lee", color_scheme=scheme, viewport={"width": width, "height": height})
    move(exam.ada, "anatomy", Standing.State.QUALIFIED, actor=None)
    lead.goto(f"{PAGES}/batches/new/")
    expect(lead.locator("[data-code=qualified]")).to_have_count(1)
    lead.locator("details.options > summary").click()
    lead.get_by_label("Only qualified annotators").check()
    found = look(lead, f"form-{size}-{scheme}")
    lead.locator(".go").get_by_role("button", name="Preview").click()
    expect(lead.get_by_label("Exempt bob")).to_be_visible()
    found += look(lead, f"preview-{size}-{scheme}")
    lead.get_by_role("button", name="Release batch").click()
    expect(lead.locator("[data-code=not-qualified]")).to_be_visible()
    lead.get_by_label("Exempt bob").check()
    lead.get_by_label("Reason").fill("Helps out")
    lead.get_by_role("button", name="Release batch").click()
    expect(lead.locator("[data-code=released]")).to_be_visible()
    assert found == []
