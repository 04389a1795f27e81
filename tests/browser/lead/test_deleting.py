"""Deleting and taking back in a browser, and axe on its pages."""

from __future__ import annotations

import os

import pytest
from playwright.sync_api import Page, expect

from annotator.annotations.saving import submit_annotation
from annotator.models import Annotation, Assignment, Image, Project
from annotator.records.project_deletion import delete_project
from tests.browser.conftest import OpenPage
from tests.browser.labelling.labelling_page import label, open_label
from tests.browser.looks import VIEWPORTS, two_looks
from tests.browser.test_accessibility import violations
from tests.factories import make_payload


@pytest.fixture
def answered(queue_of_ada: list[Assignment]) -> Assignment:
    """The first of three images has an answer."""
    first = queue_of_ada[0]
    assert first.annotator.user is not None
    submit_annotation(
        assignment=first,
        actor=first.annotator.user,
        payload=make_payload(),
        replaces=0,
        request_key=first.image.public_id,
    )
    return first


@two_looks
def test_its_pages_have_no_violation(
    open_page: OpenPage, pilot: Project, answered: Assignment, scheme: str, size: str
) -> None:
    width, height = VIEWPORTS[size]
    how = {"color_scheme": scheme, "viewport": {"width": width, "height": height}}
    lead, ada = open_page("lee", **how), open_page("ada", **how)
    found = {}

    def look(page: Page, name: str, address: str) -> None:
        page.goto(address)
        found[name] = violations(page)
        if shots := os.environ.get("SHOTS"):
            page.screenshot(path=f"{shots}/{name}-{size}-{scheme}.png", full_page=True)

    picture = f"/projects/pilot/images/{answered.image.public_id}/"
    look(lead, "image", picture)
    look(lead, "image-delete", f"{picture}delete/")
    look(lead, "keeping", "/projects/pilot/retention/")
    Image.objects.filter(pk=answered.image_id).update(goes_at=pilot.created_at)
    look(lead, "keeping-deleted", "/projects/pilot/retention/")
    look(ada, "image-told", label(answered))
    look(lead, "project-delete", "/projects/pilot/delete/")
    lead.get_by_role("button", name="Delete project").click()
    found["refused"] = violations(lead)
    delete_project(project=pilot, typed="Pilot", reason="over", actor=None)
    look(lead, "project-deleted", "/projects/pilot/delete/")
    look(lead, "home", "/")
    look(ada, "told", "/projects/pilot/queue/")
    look(ada, "home-told", "/")
    assert {name: rules for name, rules in found.items() if rules} == {}


def test_an_open_page_hears_that_its_image_is_deleted(
    open_page: OpenPage, pilot: Project, queue_of_ada: list[Assignment]
) -> None:
    ada, lead = open_page("ada"), open_page("lee")
    open_label(ada, queue_of_ada[0])
    lead.goto(f"/projects/pilot/images/{queue_of_ada[0].image.public_id}/delete/")
    lead.get_by_label("Reason").fill("Not ours to show.")
    lead.get_by_role("button", name="Delete image").click()
    expect(lead.locator("[data-code=deleted]")).to_be_visible()
    ada.keyboard.press("1")
    ada.keyboard.press("c")
    expect(ada.locator("#save-state")).to_have_attribute("data-state", "barred")
    assert not Annotation.objects.exists()
    lead.get_by_role("button", name="Undo deletion").click()
    expect(lead.locator("[data-code=taken-back]")).to_be_visible()
    assert Assignment.objects.get(pk=queue_of_ada[0].pk).position == 1
