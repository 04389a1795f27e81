"""Rating forms in Chromium: five digits and Enter, a held key, sliders, a cut line; the builder."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from annotator.models import Annotation, Assignment, Membership, Project
from annotator.protocols.rating_form.stored import save_form
from annotator.web.views.guidelines.rating_forms import templates
from scoring.rating_form.definition import FormDefinition, definition_of
from tests.browser.conftest import PASSWORD, Look, OpenPage, picture, two_looks
from tests.browser.labelling.labelling_page import open_label, press
from tests.browser.test_accessibility import violations
from tests.factories import LEAD, make_assignment, make_batch, make_member, make_user
from tests.scoring.rating_form.test_rules import PEOPLE

Work = Callable[..., list[Assignment]]
SEEN_MS = 400
"""Longer than a new image takes no answers."""


@pytest.fixture
def work(pilot: Project, ada: Membership) -> Work:
    """Return images to rate, three unless told, under a template, by name, or another form."""

    def made(form: str | FormDefinition, first: int = 1, images: int = 3) -> list[Assignment]:
        definition = definition_of(templates()[form]) if isinstance(form, str) else form
        batch = make_batch(pilot, protocol=save_form(pilot, definition, ada).slug)
        return [
            make_assignment(ada, batch=batch, image=picture(pilot, place))
            for place in range(first, first + images)
        ]

    return made


def stored() -> list[tuple[dict[str, Any], str]]:
    """Return the answers and the status of each annotation."""
    return [(one.payload["answers"], one.status) for one in Annotation.objects.order_by("assignment")]


@pytest.mark.main_path
def test_five_domains_take_six_keys(page: Page, work: Work) -> None:
    open_label(page, work("five-domains")[0])
    press(page, "3 4 5 4 3")
    expect(page.locator("#counted")).to_have_text("5 of 5 answered")
    press(page, "Enter")
    expect(page.locator("#place")).to_have_text("2 of 3")
    points = {"texture": 3, "topology": 4, "morphometry": 5, "perspective": 4, "utility": 3}
    assert stored() == [(points, "submitted")]
    expect(page.locator(":checked")).to_have_count(0)
    # The submission is taken back, and one answer changed: up three, 1, Enter.
    press(page, "Control+z")
    expect(page.locator("#place")).to_have_text("1 of 3")
    expect(page.locator(":checked")).to_have_count(5)
    press(page, "ArrowUp ArrowUp ArrowUp 1 Enter")
    expect(page.locator("#place")).to_have_text("2 of 3")
    assert stored()[0] == (points | {"topology": 1}, "submitted")


def test_a_held_key_over_twenty_images_stores_one_answer(page: Page, work: Work) -> None:
    open_label(page, work("alignment", images=20)[0])
    page.wait_for_timeout(SEEN_MS)
    for _ in range(60):
        page.keyboard.down("4")  # repeats until it is released
        page.wait_for_timeout(40)
    page.keyboard.up("4")
    page.wait_for_timeout(SEEN_MS)
    expect(page.locator("#place")).to_have_text("2 of 20")
    assert stored() == [({"alignment": 4}, "submitted")]


@pytest.mark.slow
def test_twelve_submissions_with_the_line_cut_lose_none(page: Page, work: Work) -> None:
    """Every third request is lost on its way, every third reply on its way back."""
    sent: list[str] = []

    def cut(route: Route) -> None:
        sent.append(route.request.url)
        if len(sent) % 3 == 1:
            route.continue_()
            return
        if len(sent) % 3 == 2:
            route.fetch()
        route.abort("connectionreset")

    page.route("**/submit", cut)
    keys = [str(1 + place % 5) for place in range(12)]
    open_label(page, work("alignment", images=12)[0])
    for place, key in enumerate(keys, start=1):
        expect(page.locator("#place")).to_have_text(f"{place} of 12")
        expect(page.locator("[data-early]")).to_have_count(0)
        press(page, key)
    page.wait_for_url("**/queue/**")
    assert len(sent) > 24
    assert stored() == [({"alignment": int(key)}, "submitted") for key in keys]


def test_sliders_are_typed_moved_and_refused(page: Page, work: Work) -> None:
    open_label(page, work("quality-alignment")[0])
    expect(page.locator("[data-item=quality] .unset")).to_have_count(1)
    page.keyboard.type("3.44")
    press(page, "Enter")
    expect(page.locator("#line")).to_contain_text("Enter a number from 0 to 5 in steps of 0.1.")
    press(page, "Backspace Enter ArrowRight Enter")
    expect(page.locator("#place")).to_have_text("2 of 3")
    assert stored() == [({"quality": "3.4", "alignment": "2.6"}, "submitted")]
    # The pointer sets a slider where it presses it.
    box = page.locator("[data-item=quality] [type=range]").bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] - 1, box["y"] + box["height"] / 2)
    expect(page.locator("[data-item=quality] [type=text]")).to_have_value("5")


@two_looks
def test_it_fits_and_has_no_violations(open_page: OpenPage, work: Work, look: Look) -> None:
    page = open_page("ada", **look)
    open_label(page, work(PEOPLE)[0])
    press(page, "4 u 1 1")
    assert not violations(page)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    expect(page.locator("#submit-next")).to_be_in_viewport()


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
