"""Annotations entered with real keys and a real mouse, and what the server has of them afterwards.

The published ones need STUDY_DATA. `REPLAY=all` enters every one of them and 200 random ones by each hand;
the default takes every 6th and 24.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from annotator.models import Annotation, Assignment, Membership, Project
from tests.browser.conftest import OpenPage, long_queue
from tests.browser.labelling_page import open_label, play, wait_place, wait_saved
from tests.test_javascript import published_rows, scripts

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="Node.js is not installed")

ALL = os.environ.get("REPLAY") == "all"
EVERY = 1 if ALL else 6
RANDOM = "200" if ALL else "24"
ONE_PIXEL = 0.004
"""A mouse points at whole pixels: a fraction of the picture's height on the page."""

HANDS = {"keyboard": "keys", "pointer": "clicks"}


@pytest.fixture
def at_work(open_page: OpenPage) -> Page:
    """A page with room for the longest keypad."""
    return open_page("ada", viewport={"width": 1280, "height": 720})


@pytest.mark.study
@pytest.mark.parametrize("hand", HANDS)
def test_published_annotations(
    study_data: Path, pilot: Project, ada: Membership, open_page: OpenPage, hand: str
) -> None:
    rows = published_rows(study_data)[::EVERY]
    lines = list(scripts("study", text="\n".join(json.dumps(row) for row in rows)))
    work = long_queue(pilot, ada, len(rows) + 1)
    page = open_page("ada", viewport={"width": 1280, "height": 720})
    open_label(page, work[0])
    for number, line in enumerate(lines, start=1):
        play(page, line[hand]["steps"])
        wait_place(page, f"{number + 1} of {len(work)}")
    done = {each.assignment_id: each for each in Annotation.objects.filter(status="submitted")}
    wrong = [
        row["id"]
        for row, each in zip(rows, work, strict=False)
        if terms_in(done[each.pk].payload) != row["terms"]
    ]
    assert wrong == []
    inputs = [(done[each.pk].capture or {}).get(HANDS[hand]) for each in work[: len(rows)]]
    assert inputs == [line[hand][HANDS[hand]] for line in lines]


@pytest.mark.parametrize("hand", ["keyboard", "pointer", "both"])
def test_random_annotations(pilot: Project, ada: Membership, at_work: Page, hand: str) -> None:
    lines = list(scripts("sessions", RANDOM, "1", *([] if hand == "both" else [hand])))
    work = long_queue(pilot, ada, len(lines) + 1)
    wrong = []
    for line, each in zip(lines, work, strict=False):
        # Opened anew, so that an undo at the start finds no submission to take back.
        open_label(at_work, each)
        play(at_work, line["steps"])
        if line["submitted"]:
            expect(at_work.locator("#place")).not_to_have_text(f"{each.position} of {len(work)}")
        else:
            wait_rest(at_work)
        same = without_pins(stored_payload(each)) == without_pins(line["payload"])
        near = pins_in(stored_payload(each)) == pytest.approx(pins_in(line["payload"]), abs=ONE_PIXEL)
        wrong += [] if same and near else [line["seed"]]
    assert wrong == []


def without_pins(payload: Mapping[str, Any]) -> dict[str, Any]:
    """A payload with the number of its pins instead of their places."""
    marks = [{**mark, "pins": len(mark["pins"])} for mark in payload["marks"]]
    return {**payload, "marks": marks}


def pins_in(payload: Mapping[str, Any]) -> list[float]:
    """The places of all pins, x and y in turn."""
    return [pin[axis] for mark in payload["marks"] for pin in mark["pins"] for axis in ("x", "y")]


def wait_rest(page: Page) -> None:
    """Wait until there is nothing to save."""
    if page.locator("#save-state").inner_text():
        wait_saved(page)


def stored_payload(assignment: Assignment) -> Mapping[str, Any]:
    """What the server has; an untouched image has an empty answer."""
    found = Annotation.objects.filter(assignment=assignment).first()
    return found.payload if found else EMPTY


def terms_in(payload: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The marks of a payload as published terms."""
    names = ("type", "part", "severity", "affected", "total")
    return [{name: mark[name] for name in names} for mark in payload["marks"]]


EMPTY: dict[str, Any] = {
    "people": None,
    "counts": {"expected": {}, "visible": {}},
    "counts_set": {"expected": [], "visible": []},
    "marks": [],
    "no_errors": False,
    "flag": None,
    "note": "",
}
