"""Batches without a script."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page

from annotator.batches.designs import design_of
from annotator.batches.planning import make_plan
from annotator.models import Assignment, Batch, Membership, Project
from tests.annotator.acting import save, submit
from tests.annotator.planned import release_plan
from tests.browser.conftest import OpenPage, picture
from tests.factories import ANNOTATOR, make_assignment, make_batch, make_member, make_user


@pytest.fixture
def planned(pilot: Project, ada: Membership) -> None:
    """A planned batch for ada and bob in every state, one of plain rows, and four images for nobody yet."""
    bob = make_member(pilot, ANNOTATOR, user=make_user("bob"), code="bob")
    make_member(pilot, ANNOTATOR, user=make_user("eve"), code="eve")
    for number in range(1, 5):
        picture(pilot, number)
    design = design_of(project=pilot, images=pilot.images.all(), people=[ada, bob], overlap=4, seed=1)
    planned = release_plan(project=pilot, name="Planned", plan=make_plan(design))
    first, second, third, last = Assignment.objects.filter(batch=planned, annotator=ada).order_by("position")
    submit(first)
    save(second)
    save(last)
    Assignment.objects.filter(pk=third.pk).update(status="skipped")
    Assignment.objects.filter(pk=last.pk).update(status="withdrawn", position=None)
    make_assignment(ada, batch=make_batch(pilot, name="Closed one", status="closed"), image=picture(pilot, 5))
    for number in range(6, 10):
        picture(pilot, number)


def go(page: Page, button: str) -> None:
    """Press a button from the keyboard and wait for what comes."""
    page.get_by_role("button", name=button, exact=True).last.focus()
    with page.expect_navigation():
        page.keyboard.press("Enter")


@pytest.mark.main_path
@pytest.mark.usefixtures("planned")
def test_from_the_order_to_the_closing_without_script(open_page: OpenPage) -> None:
    page = open_page("lee", java_script_enabled=False)
    page.goto("/projects/pilot/batches/")
    page.get_by_role("link", name="New batch").first.click()
    assert page.locator("#count").inner_text() == "4 images"
    page.get_by_label("All, including assigned images").check()
    go(page, "Count images")
    assert page.locator("#count").inner_text() == "9 images"
    page.get_by_label("Not yet assigned").check()
    page.get_by_label("Name").fill("Second look")
    page.get_by_label("Annotators per overlap image").fill("9")
    go(page, "Preview")
    assert re.findall(r"\d+", page.locator(".error").inner_text()) == ["9", "3"]
    page.get_by_label("Annotators per overlap image").fill("2")
    go(page, "Preview")
    assert page.locator("h1").inner_text() == "Second look"
    assert not Batch.objects.filter(name="Second look").exists()
    go(page, "Release batch")
    batch = Batch.objects.get(name="Second look")
    assert page.url.endswith(f"/batches/{batch.pk}/")
    page.get_by_role("link", name="Progress", exact=True).click()
    assert page.locator(".matrix tbody tr").count() == 4
    page.get_by_role("link", name="Change annotators").click()
    page.get_by_label("eve").check()
    page.get_by_label("Reason").fill("Eve is ill.")
    go(page, "Preview change")
    assert page.locator("#shares").count() == 1
    go(page, "Apply change")
    page.get_by_label("Reason").fill("Enough.")
    go(page, "Close batch")
    batch.refresh_from_db()
    assert (batch.status, batch.plans.count()) == ("closed", 2)
    log = page.locator(".log tbody").inner_text()
    assert "Enough." in log
    assert "Eve is ill." in log
