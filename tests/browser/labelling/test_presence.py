"""The presence page in Chromium: by keys, guided, by pointer, and as a form without script."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from annotator.models import Assignment, Batch, Membership, Project
from tests.browser.conftest import OpenPage, picture
from tests.browser.labelling.labelling_page import SAVED, open_label, press
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
