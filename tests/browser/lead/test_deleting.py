"""Deleting and taking back in a browser, and axe on its pages."""

from __future__ import annotations

from playwright.sync_api import expect

from annotator.models import Annotation, Assignment, Project
from tests.browser.conftest import OpenPage
from tests.browser.labelling.labelling_page import open_label


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
