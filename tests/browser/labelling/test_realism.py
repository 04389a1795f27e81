"""The realism page in Chromium: one key for each image, taking back."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from annotator.models import Assignment, Batch, Membership, Project
from tests.browser.conftest import OpenPage, picture
from tests.browser.labelling.labelling_page import FIGURE_8_KEYS, label, open_label, press
from tests.factories import make_assignment, make_batch

SEEN_MS = 400
"""Longer than a new image takes no answers."""


@pytest.fixture
def realism(pilot: Project, ada: Membership) -> Batch:
    """A batch under the realism protocol."""
    return make_batch(pilot, name="Realism", protocol="realism")


@pytest.fixture
def work(realism: Batch, ada: Membership, pilot: Project) -> list[Assignment]:
    """Four images to rate."""
    return [make_assignment(ada, batch=realism, image=picture(pilot, number)) for number in range(1, 5)]


def stored(work: list[Assignment]) -> list[tuple[object, str] | None]:
    """Return rating or reason, and status, of each image; None without an annotation."""
    found = []
    for assignment in Assignment.objects.filter(pk__in=[one.pk for one in work]).order_by("position"):
        annotation = getattr(assignment, "annotation", None)
        said = annotation and (annotation.payload["rating"] or annotation.payload["invalid"])
        found.append((said, annotation.status) if annotation else None)
    return found


def seen(page: Page, place: str) -> None:
    """Wait until an image has been seen."""
    expect(page.locator("#place")).to_have_text(place)
    page.wait_for_timeout(SEEN_MS)


@pytest.mark.main_path
def test_another_protocol_opens_its_own_page(
    open_page: OpenPage, pilot: Project, ada: Membership, realism: Batch
) -> None:
    anatomy = make_batch(pilot, name="Anatomy", protocol="anatomy")
    batches = (realism, anatomy, make_batch(pilot, name="More", protocol="realism"))
    mixed = [make_assignment(ada, batch=each, image=picture(pilot, n)) for n, each in enumerate(batches, 1)]
    page = open_page("ada", viewport={"width": 1280, "height": 720})
    open_label(page, mixed[0])
    seen(page, "1 of 3")
    press(page, "7")
    page.wait_for_url(f"**{label(mixed[1])}?after={mixed[0].pk}")
    page.wait_for_selector("main[data-ready]")
    press(page, f"{FIGURE_8_KEYS} Ctrl+Enter")
    page.wait_for_url(f"**{label(mixed[2])}?after={mixed[1].pk}")
    page.wait_for_selector("main[data-ready]")
    seen(page, "3 of 3")
    press(page, "4")
    page.wait_for_url("**/queue/**")
    assert Assignment.objects.filter(annotation__status="submitted").count() == 3


@pytest.mark.main_path
def test_one_key_rates_an_image(page: Page, work: list[Assignment]) -> None:
    open_label(page, work[0])
    seen(page, "1 of 4")
    press(page, "7")
    expect(page.locator("#line")).to_contain_text("7 saved for image 1.")
    seen(page, "2 of 4")
    press(page, "0")
    seen(page, "3 of 4")
    press(page, "i 2")
    seen(page, "4 of 4")
    assert stored(work) == [(7, "submitted"), (10, "submitted"), ("no_person", "submitted"), None]
    expect(page.locator(".recent a")).to_have_text(["7", "10", "–"])
    # The last rating is taken back on the next image, and rated anew.
    press(page, "Backspace")
    seen(page, "3 of 4")
    assert stored(work)[2] == ("no_person", "reopened")
    press(page, "4")
    seen(page, "4 of 4")
    assert stored(work)[2] == (4, "submitted")
    expect(page.locator(".recent a")).to_have_text(["7", "10", "4"])
