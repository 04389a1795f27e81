"""Annotations entered with real keys and a real mouse, and what the server has of them afterwards.

The published ones need STUDY_DATA. `REPLAY=all` enters every one of them and 200 random ones by each hand;
the default takes every 12th and 10.
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
from tests.browser.labelling.labelling_page import open_label, play, wait_place, wait_saved
from tests.test_javascript import published_rows, scripts

ALL = os.environ.get("REPLAY") == "all"
pytestmark = [
    pytest.mark.skipif(shutil.which("node") is None, reason="Node.js is not installed"),
    # Minutes for each test where everything is replayed; on a busy machine many.
    pytest.mark.timeout(3600 if ALL else 300),
]
EVERY = 1 if ALL else 12
RANDOM = "200" if ALL else "10"
ONE_PIXEL = 0.004
"""A mouse points at whole pixels: a fraction of the picture's height on the page."""

HANDS = {"keyboard": "keys", "pointer": "clicks"}


@pytest.fixture
def at_work(open_page: OpenPage) -> Page:
    """A page with room for the longest keypad."""
    return open_page("ada", viewport={"width": 1280, "height": 720})


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
    """Sessions of several images each: awkward ones, with corrections, own totals, undo in the middle."""
    lines = list(scripts("sessions", RANDOM, "1", *([] if hand == "both" else [hand])))
    work = iter(long_queue(pilot, ada, sum(len(line["images"]) for line in lines) + 1))
    wrong = []
    for line in lines:
        done = [(image, next(work)) for image in line["images"]]
        # Opened anew, so that an undo at the start finds no submission to take back.
        open_label(at_work, done[0][1])
        for image, each in done:
            play(at_work, image["steps"])
            if image["submitted"]:
                expect(at_work.locator("#place")).not_to_contain_text(f"{each.position} of")
        wait_rest(at_work)
        wrong += [(line["seed"], each.position) for image, each in done if not same(image["payload"], each)]
        # Whatever is left open would come next.
        Assignment.objects.filter(pk=done[-1][1].pk).update(status=Assignment.Status.SKIPPED)
    assert wrong == []
    assert awkward(lines) >= {"own totals", "corrected counts", "undo in the middle"}


def same(payload: Mapping[str, Any], assignment: Assignment) -> bool:
    """Whether the server has this answer; pins may lie a mouse's pixel off."""
    found = stored_payload(assignment)
    near = pins_in(found) == pytest.approx(pins_in(payload), abs=ONE_PIXEL)
    return without_pins(found) == without_pins(payload) and near


def awkward(lines: list[dict[str, Any]]) -> set[str]:
    """What the sessions have in them."""
    images = [image for line in lines for image in line["images"]]
    marks = [mark for image in images for mark in image["payload"]["marks"]]
    undone = [step for image in images for step in image["steps"][:-1] if step[1] in {"Control+z", "undo"}]
    found = {
        "own totals": any(mark["own_total"] for mark in marks),
        "corrected counts": any(image["payload"]["counts_set"]["expected"] for image in images),
        "undo in the middle": bool(undone),
    }
    return {name for name, there in found.items() if there}


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
