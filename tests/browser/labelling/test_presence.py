"""The presence page in Chromium: by keys, guided, by pointer, and as a form without script."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from annotator.models import Assignment, Batch, Membership, Project
from tests.browser.conftest import OpenPage, picture
from tests.browser.labelling.labelling_page import SAVED, click, label, open_label, press
from tests.browser.looks import VIEWPORTS, two_looks
from tests.browser.test_accessibility import violations
from tests.factories import make_assignment, make_batch

BODY_KEYS = "x l Space g h 1 m e Space u"
"""Three cells by their column and row, the last in doubt."""
SAID = {
    "cells": ["missing.face", "extra.limbs", "configuration.hands"],
    "no_errors": False,
    "unsure": ["missing.face"],
    "flag": None,
    "note": "",
}


@pytest.fixture
def presence(pilot: Project, ada: Membership) -> Batch:
    """A batch under the presence protocol."""
    return make_batch(pilot, name="Presence", protocol="presence")


@pytest.fixture
def work(presence: Batch, ada: Membership, pilot: Project) -> list[Assignment]:
    """Three pictures to judge."""
    return [make_assignment(ada, batch=presence, image=picture(pilot, number)) for number in range(1, 4)]


@pytest.fixture
def page(open_page: OpenPage, work: list[Assignment]) -> Page:
    """A page of `ada`."""
    return open_page("ada", viewport={"width": 1280, "height": 720})


def payload_of(assignment: Assignment) -> object:
    """What the server has."""
    return Assignment.objects.select_related("annotation").get(pk=assignment.pk).annotation.payload


def status_of(assignment: Assignment) -> str:
    """How far the server has it."""
    return Assignment.objects.select_related("annotation").get(pk=assignment.pk).annotation.status


@pytest.mark.main_path
def test_three_cells_by_keys_are_saved_and_submitted(page: Page, work: list[Assignment]) -> None:
    open_label(page, work[0])
    press(page, BODY_KEYS)
    expect(page.locator("#counted")).to_have_text("3 of 25 marked, 1 unsure")
    expect(page.locator("#save-state")).to_have_text(SAVED)
    assert (payload_of(work[0]), status_of(work[0])) == (SAID, "draft")
    press(page, "Ctrl+Enter")
    expect(page.locator("#place")).to_have_text("2 of 3")
    assert (payload_of(work[0]), status_of(work[0])) == (SAID, "submitted")
    # Undo on the next image, untouched, takes the submission back.
    press(page, "z")
    expect(page.locator("#place")).to_have_text("1 of 3")
    expect(page.locator("#counted")).to_have_text("3 of 25 marked, 1 unsure")
    assert status_of(work[0]) == "reopened"


def test_no_errors_asks_before_it_clears_marks(page: Page, work: list[Assignment]) -> None:
    open_label(page, work[0])
    press(page, "Ctrl+Enter")
    expect(page.locator("#line")).to_have_attribute("data-code", "empty")
    press(page, "Space 0")
    expect(page.locator("#line")).to_have_attribute("data-code", "no_errors_over_marks")
    expect(page.locator("#counted")).to_have_text("1 of 25 marked")
    page.get_by_role("button", name="Clear marks, set “No errors”").click()
    expect(page.locator("#counted")).to_have_text("0 of 25 marked")
    press(page, "Ctrl+Enter")
    expect(page.locator("#place")).to_have_text("2 of 3")
    assert payload_of(work[0]) == {**SAID, "cells": [], "unsure": [], "no_errors": True}


def test_tab_walks_in_the_prescribed_order_and_clicks_mark(page: Page, work: list[Assignment]) -> None:
    open_label(page, work[0])
    press(page, "Tab Tab Tab Tab Tab Space")
    click(page, "toggle:proportion.face")
    click(page, "doubt:proportion.face")
    expect(page.locator("#save-state")).to_have_text(SAVED)
    said = {**SAID, "cells": ["extra.torso", "proportion.face"], "unsure": ["proportion.face"]}
    assert payload_of(work[0]) == said


def test_guided_wants_a_yes_or_a_no_for_each_cell(page: Page, work: list[Assignment]) -> None:
    Batch.objects.update(guided=True)
    open_label(page, work[0])
    press(page, "n y " + "n " * 21 + "Ctrl+Enter")
    expect(page.locator("#line")).to_have_attribute("data-code", "unanswered")
    expect(page.locator("#panel-title")).to_have_text("24 of 25: Proportion · Hands")
    press(page, "n n Ctrl+Enter")
    expect(page.locator("#place")).to_have_text("2 of 3")
    assert payload_of(work[0]) == {**SAID, "cells": ["missing.limbs"], "unsure": []}


def test_the_form_without_script_does_everything(open_page: OpenPage, work: list[Assignment]) -> None:
    page = open_page("ada", java_script_enabled=False)
    page.goto(label(work[0]))
    for box in ("cell-extra-limbs", "cell-configuration-hands", "cell-missing-face"):
        page.check(f"#{box}")
    page.check("[name=unsure][value='missing.face']")
    page.click("#submit")
    expect(page.locator("#place")).to_have_text("2 of 3")
    assert (payload_of(work[0]), status_of(work[0])) == (SAID, "submitted")


@two_looks
@pytest.mark.parametrize("script", [True, False], ids=["script", "form"])
def test_no_violations(
    open_page: OpenPage, work: list[Assignment], script: bool, scheme: str, size: str
) -> None:
    width, height = VIEWPORTS[size]
    page = open_page("ada", color_scheme=scheme, viewport={"width": width, "height": height})
    if not script:
        page.route("**/built/presence*.js", lambda route: route.abort())
    page.goto(label(work[0]))
    # Where the script does not come, the form is shown after a few seconds.
    page.wait_for_selector("main[data-ready]" if script else "#cell-extra-limbs", state="visible")
    if script:
        press(page, BODY_KEYS)
        assert violations(page) == []
        press(page, "Ctrl+Enter")
        expect(page.locator("#place")).to_have_text("2 of 3")
    else:
        page.check("#cell-extra-limbs")
        page.check("[name=unsure][value='extra.limbs']")
        assert violations(page) == []
        page.uncheck("#cell-extra-limbs")
        page.click("#submit")
        assert page.locator(".toggle.wrong").count() == 1
    assert violations(page) == []
