"""A person at the annotation page, and what the server has of it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from playwright.sync_api import Page, expect

from annotator.models import Annotation, Assignment

FIGURE_8_KEYS = "2 l / 4 c h - b e 2 a g h b c"
"""The manual's Fig 8 but for its last two keys, Ctrl and Enter."""

FIGURE_8_CLICKS: list[list[Any]] = [
    ["click", "people:2"],
    ["menu", "count:expected.limbs.+"],
    ["pick", 4],
    ["click", "zone:missing.limbs.c"],
    ["click", "count:expected.hands.-"],
    ["click", "zone:missing.hands.b"],
    ["click", "zone:missing.face.a", 2],
    ["click", "zone:configuration.hands.b"],
    ["click", "zone:configuration.hands.c"],
    ["click", "submit"],
]
SAVED = re.compile(r"Saved \d\d:\d\d:\d\d$")


def label(assignment: Assignment) -> str:
    """The address of an assignment's annotation page."""
    return f"/assignments/{assignment.pk}/"


def open_label(page: Page, assignment: Assignment) -> None:
    """Open the page of an assignment and wait until the script has taken over."""
    page.goto(label(assignment))
    page.wait_for_selector("main[data-ready]")


def press(page: Page, keys: str) -> None:
    """Press keys as one writes them down: `2 l / 4 c Ctrl+Enter`."""
    for key in keys.split():
        page.keyboard.press(key.replace("Ctrl", "Control"))


def target(name: str) -> str:
    """A selector of what names itself so."""
    return f"[data-target='{name}']"


def click(page: Page, name: str, times: int = 1, **options: Any) -> None:
    """Click what names itself so."""
    for _ in range(times):
        page.click(target(name), **options)


def quick_click(page: Page, selector: str, times: int = 1, **options: Any) -> None:
    """Press the mouse on the middle of an element, without the checks of `click`; there must be one."""
    where = page.evaluate(
        """(selector) => {
          const box = document.querySelector(selector).getBoundingClientRect();
          return [box.x + box.width / 2, box.y + box.height / 2];
        }""",
        selector,
    )
    for _ in range(times):
        page.mouse.click(*where, **options)


def play(page: Page, steps: Sequence[Sequence[Any]]) -> None:
    """Do what a script of tests/js/replay/person.js says, with real keys and clicks."""
    for kind, *rest in steps:
        ACTS[kind](page, *rest)


def _click(page: Page, name: str, times: int = 1) -> None:
    quick_click(page, target(name), times)


def _menu(page: Page, name: str) -> None:
    quick_click(page, target(name), button="right")


def _pick(page: Page, number: int) -> None:
    keys = page.evaluate(
        "() => [...document.querySelectorAll('.keypad button')].map((key) => key.textContent)"
    )
    quick_click(page, f".keypad button:nth-of-type({keys.index(str(number)) + 1})")


def _image(page: Page, x: float, y: float) -> None:
    box = page.locator("#picture > img").bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + x * box["width"], box["y"] + y * box["height"])


ACTS: dict[str, Any] = {"click": _click, "menu": _menu, "pick": _pick, "image": _image}


def wait_saved(page: Page, timeout: float | None = None) -> None:
    """Wait until the page says that the server has everything."""
    expect(page.locator("#save-state")).to_have_text(SAVED, timeout=timeout)


def wait_place(page: Page, place: str) -> None:
    """Wait for an image: `2 of 3`."""
    expect(page.locator("#place")).to_have_text(place)


def stored(assignment: Assignment) -> Annotation:
    """The annotation as it is in the database now."""
    return Annotation.objects.get(assignment=assignment)


def marks_of(annotation: Annotation) -> list[tuple[str, str, bool]]:
    """The marks of an annotation as (cell, term, own total)."""
    return [
        (
            f"{mark['type']}.{mark['part']}",
            f"{mark['affected']}/{mark['total']}{mark['severity']}",
            mark["own_total"],
        )
        for mark in annotation.payload["marks"]
    ]
