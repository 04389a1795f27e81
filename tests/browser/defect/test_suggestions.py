"""Suggested masks on the annotation page: taken, corrected, rejected, and what is recorded."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from annotator.models import Assignment, Batch, Project
from annotator.suggestions.runs import store_run
from scoring.defect.masks import read_mask, rectangle
from tests.browser.conftest import Look, OpenPage, two_looks
from tests.browser.defect.conftest import SIDE
from tests.browser.defect.test_marks import disc, drag, ready
from tests.browser.labelling.labelling_page import press, stored, wait_saved
from tests.browser.test_accessibility import violations


@pytest.fixture
def suggested(pilot: Project, work: list[Assignment]) -> list[Assignment]:
    """Two images with two suggested masks each, the second in the arm without."""
    boxes = [rectangle(SIDE, SIDE, (20, 20, 120, 90)), disc()]
    kinds = ["logical", "structural"]
    masks = [{"mask": mask.as_json(), "kind": kind} for mask, kind in zip(boxes, kinds, strict=True)]
    run, _ = store_run(
        project=pilot,
        suggested={each.image_id: {"masks": masks} for each in work},
        actor=None,
        source="segmenter",
        source_version="1.0",
        kind="masks",
    )
    Batch.objects.update(suggestions=run)
    for each, arm in zip(work, ("with", "without"), strict=True):
        Assignment.objects.filter(pk=each.pk).update(arm=arm)
    return work


@two_looks
def test_a_mask_is_taken_corrected_or_rejected(
    open_page: OpenPage, suggested: list[Assignment], look: Look
) -> None:
    touch = look["color_scheme"] == "dark"
    page = open_page("ada", **look, has_touch=touch)
    ready(page, suggested[0])
    expect(page.locator(".suggestion.row")).to_have_count(2)
    expect(page.locator("#sheet")).to_contain_text("Suggested by segmenter 1.0")
    assert violations(page) == []
    press(page, "e e")
    if touch:
        box = page.locator("[data-target='suggestion:1']").bounding_box()
        assert box is not None
        assert box["height"] >= 44
        page.tap("[data-target='suggestion:1']")
    else:
        page.focus("[data-target='suggestion:1']")
        press(page, "Enter")
    expect(page.locator(".suggestion.row")).to_have_count(1)
    wait_saved(page)
    [taken] = stored(suggested[0]).payload["defects"]
    assert (taken["kind"], taken["text"], read_mask(taken["mask"])) == ("structural", "", disc())
    # What is taken is corrected like any other mask.
    drag(page, [(200, 180), (440, 180), (440, 210), (200, 210), (200, 180)], button="right")
    wait_saved(page)
    [corrected] = stored(suggested[0]).payload["defects"]
    assert 0 < read_mask(corrected["mask"]).area < disc().area
    page.focus("[data-target='reject:0']")
    press(page, "Enter")
    expect(page.locator(".number-tag.suggestion")).to_have_count(0)
    # The button keeps the focus, so that the keyboard can take it back.
    expect(page.locator("[data-target='reject:0']")).to_be_focused()
    annotation = stored(suggested[0])
    assert len(annotation.payload["defects"]) == 1
    assert annotation.capture["suggestion"] == Batch.objects.get(protocol="defect-marks").suggestions_id
    assert annotation.capture["shown_ms"] > 0


def test_the_arm_without_sees_none(open_page: OpenPage, suggested: list[Assignment]) -> None:
    page = open_page("ada", viewport={"width": 1280, "height": 720})
    ready(page, suggested[1])
    expect(page.locator("#sheet")).to_contain_text("No suggestion for this image.")
    expect(page.locator(".suggestion")).to_have_count(0)
