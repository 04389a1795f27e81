"""The presence page in Chromium: three cells by keys, saved, submitted and taken back."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from annotator.models import Membership, Project
from tests.browser.conftest import OpenPage, picture
from tests.browser.labelling.labelling_page import open_label, press, stored, wait_place, wait_saved
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


@pytest.mark.main_path
def test_three_cells_by_keys_are_saved_and_submitted(
    open_page: OpenPage, pilot: Project, ada: Membership
) -> None:
    batch = make_batch(pilot, name="Presence", protocol="presence")
    first, _ = (make_assignment(ada, batch=batch, image=picture(pilot, number)) for number in (1, 2))
    page = open_page("ada")
    open_label(page, first)
    press(page, BODY_KEYS)
    expect(page.locator("#counted")).to_have_text("3 of 25 marked, 1 unsure")
    wait_saved(page)
    assert (stored(first).payload, stored(first).status) == (SAID, "draft")
    press(page, "Ctrl+Enter")
    wait_place(page, "2 of 2")
    assert (stored(first).payload, stored(first).status) == (SAID, "submitted")
    # Undo on the next image, untouched, takes the submission back.
    press(page, "z")
    wait_place(page, "1 of 2")
    expect(page.locator("#counted")).to_have_text("3 of 25 marked, 1 unsure")
    assert stored(first).status == "reopened"
