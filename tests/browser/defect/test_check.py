"""A check in Chromium: nothing judged is lost, and nothing counts that was judged of something else."""

from __future__ import annotations

from uuid import uuid4

import pytest
from playwright.sync_api import Route, expect

from annotator.annotations.reopening import reopen_for_annotator
from annotator.models import Annotation, Assignment, Batch, Project
from tests.annotator.protocols.defect.stages import (
    REVIEWERS,
    make_people,
    marked,
    marks,
    released,
    submit,
)
from tests.browser.conftest import Look, OpenPage, two_looks
from tests.browser.labelling.labelling_page import label, open_label, press, wait_saved
from tests.browser.test_accessibility import violations


@pytest.fixture
def project(transactional_db: None) -> Project:
    """Two images that two have marked: one box each, and a spare one."""
    found = make_people(2)
    marked(found)
    return found


@pytest.fixture
def check(project: Project) -> Batch:
    """The check of the marks."""
    return released(project, "defect-check", REVIEWERS, project.batches.get())


def own(check: Batch) -> Assignment:
    """The first image of the first reviewer."""
    return check.assignments.filter(annotator__code="rev1").order_by("position")[0]


def said(assignment: Assignment) -> dict[str, str]:
    """What is stored of an assignment's votes."""
    found = Annotation.objects.filter(assignment=assignment).first()
    return dict(found.payload["answers"]) if found else {}


@pytest.mark.slow
def test_votes_are_saved_as_they_are_given_and_come_back(check: Batch, open_page: OpenPage) -> None:
    assignment = own(check)
    page = open_page("rev1")
    open_label(page, assignment)
    press(page, "k")
    wait_saved(page)
    assert sorted(said(assignment).values()) == ["keep", "keep"]
    # Closed before the quiet period is over.
    press(page, "d")
    page.close(run_before_unload=True)
    again = open_page("rev1")
    open_label(again, assignment)
    expect(again.locator("#counted")).to_have_text("4 of 6 judged")
    assert sorted(said(assignment).values()) == ["drop", "drop", "keep", "keep"]
    press(again, "z")
    expect(again.locator("#counted")).to_have_text("4 of 6 judged")
    press(again, "k Control+Enter")
    again.wait_for_url(lambda url: label(assignment) not in url)
    assert Annotation.objects.get(assignment=assignment).status == "submitted"


@pytest.mark.slow
def test_a_cut_connection_loses_no_vote(check: Batch, open_page: OpenPage) -> None:
    assignment = own(check)
    page = open_page("rev1")
    open_label(page, assignment)

    def cut(route: Route) -> None:
        route.abort("connectionreset")

    for verb in ("save", "submit"):
        page.route(f"**{label(assignment)}{verb}", cut)
    press(page, "k k k Control+Enter")
    expect(page.locator("#save-state")).to_contain_text("Not saved")
    assert said(assignment) == {}
    # The copy on the device comes back with the page.
    page.reload()
    page.wait_for_selector("main[data-ready]")
    expect(page.locator("#counted")).to_have_text("6 of 6 judged")
    for verb in ("save", "submit"):
        page.unroute(f"**{label(assignment)}{verb}")
    press(page, "Control+Enter")
    page.wait_for_url(lambda url: label(assignment) not in url)
    assert set(said(assignment).values()) == {"keep"}


def reopened(project: Project, check: Batch, assignment: Assignment) -> None:
    """ann1 moves the only mask of an image, at the request of a lead."""
    lead = project.memberships.get(code="lead").user
    assert lead is not None
    follows = check.follows
    assert follows is not None
    marked = follows.assignments.get(annotator__code="ann1", image=assignment.image)
    reopen_for_annotator(annotation=marked.annotation, actor=lead, reason="Look again.", request_key=uuid4())
    submit(Assignment.objects.get(pk=marked.pk), marks((30, 5, 20, 20)), replaces=2)


def key_of(assignment: Assignment, text: str) -> str:
    """The key of the item with this description, as it is stored."""
    items = Annotation.objects.get(assignment=assignment).payload["items"]
    return str(next(item["key"] for item in items if item["text"] == text))


@pytest.mark.slow
def test_a_mask_that_changes_while_it_is_judged_has_to_be_judged_again(
    project: Project, check: Batch, open_page: OpenPage
) -> None:
    assignment = own(check)
    page = open_page("rev1")
    open_label(page, assignment)
    press(page, "k k k")
    wait_saved(page)
    moved = key_of(assignment, "The finger at 5 is bent")
    reopened(project, check, assignment)
    # The page has loaded again and shows the mask of now.
    with page.expect_navigation():
        press(page, "Control+Enter")
    page.wait_for_selector("main[data-ready]")
    expect(page.locator("[data-code=changed]")).to_have_text(f"{moved} has changed since you judged it.")
    expect(page.locator("#counted")).to_have_text("4 of 6 judged")
    expect(page.locator(f"section[data-thing={moved}] .said")).to_have_text("The finger at 30 is bent")
    press(page, "d Control+Enter")
    page.wait_for_url(lambda url: label(assignment) not in url)
    assert said(assignment)[f"{moved}_mask"] == "drop"


@two_looks
def test_it_fits_and_has_no_violations(check: Batch, open_page: OpenPage, look: Look) -> None:
    page = open_page("rev1", **look)
    open_label(page, own(check))
    press(page, "k d")
    assert not violations(page)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_keys_turn_and_show(check: Batch, open_page: OpenPage) -> None:
    page = open_page("rev1")
    open_label(page, own(check))

    def shown() -> int:
        return page.locator(".overlay [data-thing]:not([data-off])").count()

    press(page, "m")
    expect(page.locator("section.thing.current :checked")).to_have_count(1)
    press(page, "m t ArrowDown k ArrowUp ArrowUp")
    first = page.locator("section.thing.current")
    assert [vote.input_value() for vote in first.locator(":checked").all()] == ["drop", "keep"]
    press(page, "Control+Enter")
    expect(page.locator("#line, .line")).to_contain_text("is not judged.")
    assert shown() == 3
    press(page, "1")
    alone = shown()
    press(page, "2")
    assert alone + shown() == 3
    press(page, "2")
    assert shown() == 3
    page.keyboard.down("v")
    expect(page.locator(".overlay")).to_be_hidden()
    page.keyboard.up("v")
    expect(page.locator(".overlay")).to_be_visible()
    press(page, "n")
    expect(page.locator("dialog[open]")).to_be_visible()
    press(page, "Escape s")
    expect(page.locator("dialog[open]")).to_be_visible()
