"""Rating forms in Chromium: five digits and Enter, one key, a key that is held, sliders, a cut line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from annotator.models import Annotation, Assignment, Membership, Project
from annotator.protocols.rating_form.stored import save_form
from annotator.web.views.guidelines.rating_forms import templates
from scoring.rating_form.definition import FormDefinition, definition_of
from tests.browser.conftest import Look, OpenPage, picture, two_looks
from tests.browser.labelling.labelling_page import open_label, press
from tests.browser.test_accessibility import violations
from tests.factories import make_assignment, make_batch
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


@pytest.fixture
def page(open_page: OpenPage, ada: Membership) -> Page:
    """A page of `ada`."""
    return open_page("ada", viewport={"width": 1280, "height": 720})


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


def test_a_form_of_one_scale_takes_one_key(page: Page, work: Work) -> None:
    open_label(page, work("alignment")[0])
    for place, key in enumerate("524", start=1):
        expect(page.locator("#place")).to_have_text(f"{place} of 3")
        page.wait_for_timeout(SEEN_MS)
        press(page, key)
    page.wait_for_url("**/queue/**")
    assert stored() == [({"alignment": int(key)}, "submitted") for key in "524"]


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
