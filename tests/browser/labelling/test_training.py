"""Training in Chromium: label, see the reference and why, go on after two seconds, train again."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from annotator.models import Assignment, Membership, Project, Reference
from annotator.training.references import add_reference
from annotator.training.training_batches import release_training
from tests.browser.conftest import OpenPage, picture
from tests.browser.labelling.labelling_page import press
from tests.browser.looks import VIEWPORTS
from tests.browser.test_accessibility import violations
from tests.factories import make_assignment, make_batch, make_payload

MARKED: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "anatomy": (make_payload([("missing.hands", "1/4c")]), make_payload([])),
    "presence": (
        {"cells": ["missing.hands"], "no_errors": False},
        {"cells": [], "no_errors": True},
    ),
}
"""The values of two references: one marked cell, and no error."""
NO_ERRORS = "0 Ctrl+Enter"
NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def taught(pilot: Project, ada: Membership, protocol: str) -> list[Assignment]:
    """A training batch of two images, released after one image of work."""
    lead = pilot.memberships.get(code="lee").user
    assert lead is not None
    work = make_batch(pilot, name="Work", protocol=protocol)
    make_assignment(ada, batch=work, image=picture(pilot, 1))
    references = [
        add_reference(
            image=picture(pilot, number),
            protocol=protocol,
            payload=payload,
            origin=Reference.Origin.PLANTED,
            actor=lead,
            rationales={"missing.hands": "One hand ends at the wrist."} if number == 2 else {},
        )
        for number, payload in enumerate(MARKED[protocol], 2)
    ]
    batch = release_training(
        project=pilot,
        name="Training",
        protocol=protocol,
        references=[one.pk for one in references],
        people=[ada],
        actor=lead,
    )
    return list(batch.assignments.order_by("position"))


def submit_no_errors(page: Page) -> None:
    """Submit the image that is open as free of errors."""
    page.wait_for_selector("main[data-ready]")
    press(page, NO_ERRORS)
    expect(page.locator("#result")).to_be_visible()


@pytest.mark.parametrize(
    ("protocol", "size", "scheme"), [("anatomy", "small", "light"), ("presence", "upright", "dark")]
)
def test_train_see_why_go_on_and_train_again(
    open_page: OpenPage, pilot: Project, ada: Membership, protocol: str, size: str, scheme: str
) -> None:
    taught(pilot, ada, protocol)
    width, height = VIEWPORTS[size]
    page = open_page("ada", color_scheme=scheme, viewport={"width": width, "height": height})
    found: dict[str, list[str]] = {}
    page.goto("/projects/pilot/queue/")
    expect(page.locator("[data-code=training]")).to_have_text("0 of 2")
    found["first day"] = violations(page)
    page.get_by_role("link", name="Start training").click()
    # Time passes as the test says from here on: on a slow machine the pause may end before its page is seen.
    page.clock.install(time=NOON)
    page.clock.pause_at(NOON + timedelta(hours=1))
    submit_no_errors(page)
    press(page, "Enter")
    expect(page.locator("#result")).to_have_attribute("data-code", "differs")
    expect(page.locator("[data-code=found]")).to_have_text("0 of 1")
    expect(page.locator("#difference-1")).to_contain_text("One hand ends at the wrist.")
    expect(page.locator("#difference-1")).to_contain_class("lit")  # by the script, which has now taken over
    page.clock.run_for(1_999)
    expect(page.locator("#next")).to_have_attribute("aria-disabled", "true")
    press(page, "Enter")
    page.clock.run_for(1)
    expect(page.locator("#next")).not_to_have_attribute("aria-disabled", "true")
    page.clock.resume()
    press(page, "1")
    expect(page.locator("#difference-1")).to_be_focused()
    found["a difference"] = violations(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    press(page, "Enter")
    expect(page).to_have_url(re.compile(r"/assignments/\d+/$"))
    submit_no_errors(page)
    expect(page.locator("#result")).to_have_attribute("data-code", "all-match")
    expect(page.locator("[data-code=finished]")).to_contain_text("You found 0 of the 1 marked cell")
    found["finished"] = violations(page)
    page.get_by_role("button", name="Train again").click()
    expect(page.locator("[data-code=training]")).to_have_text("0 of 2")
    assert {name: rules for name, rules in found.items() if rules} == {}
