"""Batches in a real browser: from the order to the closing, without script, and every page under axe."""

from __future__ import annotations

import re
from dataclasses import dataclass

import pytest
from playwright.sync_api import Page, expect

from annotator.batches.designs import design_of
from annotator.batches.planning import make_plan
from annotator.batches.releases import release_plan
from annotator.models import Annotation, Assignment, Batch, Membership, Project
from tests.annotator.acting import save, submit
from tests.browser.conftest import OpenPage, picture
from tests.factories import ANNOTATOR, make_assignment, make_batch, make_member, make_user


@dataclass(frozen=True)
class Stage:
    """A planned batch for ada and bob in every state, one of plain rows, and four images for nobody yet."""

    planned: Batch
    submitted: Annotation
    withdrawn: Assignment


@pytest.fixture
def stage(pilot: Project, ada: Membership) -> Stage:
    bob = make_member(pilot, ANNOTATOR, user=make_user("bob"), code="bob")
    make_member(pilot, ANNOTATOR, user=make_user("eve"), code="eve")
    for number in range(1, 5):
        picture(pilot, number)
    design = design_of(project=pilot, images=pilot.images.all(), people=[ada, bob], overlap=4, seed=1)
    planned = release_plan(project=pilot, name="Planned", plan=make_plan(design))
    first, second, third, last = Assignment.objects.filter(batch=planned, annotator=ada).order_by("position")
    submitted = submit(first)
    save(second)
    save(last)
    Annotation.objects.filter(assignment=second).update(flagged=True)
    Assignment.objects.filter(pk=third.pk).update(status="skipped")
    Assignment.objects.filter(pk=last.pk).update(status="withdrawn", position=None)
    make_assignment(ada, batch=make_batch(pilot, name="Closed one", status="closed"), image=picture(pilot, 5))
    for number in range(6, 10):
        picture(pilot, number)
    return Stage(planned, submitted, last)


def go(page: Page, button: str) -> None:
    """Press a button from the keyboard and wait for what comes."""
    page.get_by_role("button", name=button, exact=True).last.focus()
    with page.expect_navigation():
        page.keyboard.press("Enter")


def test_all_annotators_or_none_are_ticked_at_once(open_page: OpenPage, stage: Stage, pilot: Project) -> None:
    make_member(pilot, ANNOTATOR, user=None, code="later")
    page = open_page("lee")
    page.goto("/projects/pilot/batches/new/")
    boxes = page.locator("input[name=annotators]")
    for button, ticked in (("Tick none", False), ("Tick all", True)):
        page.get_by_role("button", name=button).click()
        assert [box.is_checked() for box in boxes.all()] == [ticked] * 5


@pytest.mark.main_path
def test_from_the_order_to_the_closing_without_script(open_page: OpenPage, stage: Stage) -> None:
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
    assert page.locator("#moves").count() == 1
    go(page, "Apply change")
    page.get_by_label("Reason").fill("Enough.")
    go(page, "Close batch")
    batch.refresh_from_db()
    assert (batch.status, batch.plans.count()) == ("closed", 2)
    log = page.locator(".log tbody").inner_text()
    assert "Enough." in log
    assert "Eve is ill." in log


def test_the_count_follows_the_choice(open_page: OpenPage, stage: Stage) -> None:
    page = open_page("lee")
    page.goto("/projects/pilot/batches/new/")
    with page.expect_response(lambda answer: "/new/images/" in answer.url):
        page.get_by_label("All, including assigned images").check()
    page.get_by_text("9 images").wait_for()


def test_the_form_follows_the_protocol(open_page: OpenPage, stage: Stage) -> None:
    page = open_page("lee", viewport={"width": 1280, "height": 720})
    page.goto("/projects/pilot/batches/new/")
    overlap = page.get_by_label("Images annotated by several annotators")
    ticks = page.locator("[name^=show_]")
    coders = page.get_by_label("Annotators per overlap image")
    page.get_by_label("Name").fill("Bodies")
    for protocol, share, raters, shown in (("realism", "100", "3", 0), ("anatomy", "100", "2", 2)):
        radio = page.locator(f"[name=protocol][value={protocol}]")
        radio.check()
        expect(ticks).to_have_count(shown)
        assert (overlap.input_value(), coders.input_value()) == (share, raters)
        expect(radio).to_be_focused()
    assert page.get_by_label("Name").input_value() == "Bodies"


def test_the_matrix_leads_to_an_annotation_and_back_to_its_author(open_page: OpenPage, stage: Stage) -> None:
    page = open_page("lee")
    page.goto(f"/batches/{stage.planned.pk}/progress/")
    page.get_by_label("Status").select_option("submitted")
    go(page, "Show")
    assert page.locator(".matrix tbody tr").count() == 1
    page.get_by_role("link", name="Submitted", exact=True).click()
    page.get_by_label("Reason").fill("Count the hands again.")
    go(page, "Reopen for ada")
    stage.submitted.refresh_from_db()
    assert stage.submitted.status == "reopened"
    queue = open_page("ada")
    queue.goto("/projects/pilot/queue/")
    drafts = queue.locator("section", has=queue.locator("#drafts"))
    assert "Reopened" in drafts.inner_text()


def test_pages_fit_a_phone(open_page: OpenPage, stage: Stage) -> None:
    lead = open_page("lee", viewport={"width": 320, "height": 640})
    wide = {}
    for address in lead_pages(stage):
        lead.goto(address)
        wide[address] = lead.evaluate("() => document.documentElement.scrollWidth")
    assert {address: width for address, width in wide.items() if width > 320} == {}


def lead_pages(stage: Stage) -> list[str]:
    """Every page around batches that is just opened."""
    batch = f"/batches/{stage.planned.pk}/"
    return [
        "/projects/pilot/batches/",
        "/projects/pilot/batches/new/",
        batch,
        f"{batch}settings/",
        f"{batch}progress/",
        f"{batch}people/",
        f"/annotations/{stage.submitted.pk}/",
    ]
