"""The builder of rating forms and its preview in Chromium: it fits, and has no violations."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from annotator.models import Membership, Project
from annotator.protocols.rating_form.stored import save_form
from annotator.web.views.guidelines.rating_forms import templates
from scoring.rating_form.definition import definition_of
from tests.browser.conftest import PASSWORD, Look, OpenPage, picture, two_looks
from tests.browser.test_accessibility import violations
from tests.factories import LEAD, make_member, make_user


@pytest.fixture
def grace(pilot: Project) -> Membership:
    """A lead."""
    return make_member(pilot, LEAD, user=make_user("grace", password=PASSWORD), code="grace")


@two_looks
def test_the_builder_and_the_trial_fit(
    open_page: OpenPage, pilot: Project, grace: Membership, look: Look
) -> None:
    picture(pilot, 1)
    forms = [save_form(pilot, definition_of(templates()[name]), grace) for name in ("hand", "people")]
    page = open_page("grace", **look)
    places = [
        "",
        "new/?template=five-domains",
        *(f"{form.slug}/{end}" for form in forms for end in ("", "try/")),
    ]
    for place in places:
        page.goto(f"/projects/{pilot.slug}/forms/{place}")
        assert not violations(page), place
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), place


def test_a_form_is_built_from_nothing(open_page: OpenPage, pilot: Project, grace: Membership) -> None:
    page = open_page("grace", viewport={"width": 1280, "height": 720})
    page.goto(f"/projects/{pilot.slug}/forms/new/")
    page.get_by_label("Title").fill("Five domains")
    for number in range(5):
        page.get_by_role("button", name="Scale", exact=True).click()
        page.get_by_label("Question", exact=True).fill(f"Domain {number + 1}")
    page.get_by_label("Reports compare images by").select_option("mean")
    expect(page.locator("#preview")).to_contain_text("At least 6 keys per image")
    page.get_by_role("button", name="Save form").click()
    expect(page.locator("[data-code=saved]")).to_be_visible()
    assert pilot.rating_forms.get().definition["headline"] == "mean"


def test_the_keyboard_moves_the_open_question_and_enter_submits_nothing(
    open_page: OpenPage, pilot: Project, grace: Membership
) -> None:
    page = open_page("grace", viewport={"width": 1280, "height": 720})
    page.goto(f"/projects/{pilot.slug}/forms/new/?template=five-domains")
    page.get_by_role("button", name="Edit question 2").click()
    expect(page.get_by_label("Question", exact=True)).to_have_value("Topological validity")
    page.keyboard.press("Alt+ArrowUp")
    expect(page.locator(".question h2").first).to_have_text("Topological validity")
    for key in ("End", "!", "Enter"):
        page.keyboard.press(key)
    expect(page.get_by_label("Question", exact=True)).to_have_value("Topological validity!")
    page.get_by_label("Kind").select_option("number")
    expect(page.get_by_label("From", exact=True)).to_be_visible()
    assert not pilot.rating_forms.exists()
