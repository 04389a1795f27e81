"""What is kept without a word: the silent outcomes of the rules, entered by hand, read from the database."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page

from annotator.models import Assignment
from tests.browser.labelling.labelling_page import marks_of, open_label, play, press, stored, wait_saved

Marks = list[tuple[str, str, bool]]

# What, the keys, then steps of tests/js/replay/person.js; the marks and the row's counts that are stored.
OUTCOMES: list[tuple[str, str, list[Any], Marks, tuple[int, int]]] = [
    ("a second mark adds to the first", "2 h a a", [], [("missing.hands", "2/4a", False)], (4, 4)),
    (
        "also where its number is typed",
        "2 h a 2 a",
        [],
        [("missing.hands", "2/4a", False)],
        (4, 4),
    ),
    (
        "0 affected takes the mark away",
        "2 h 2 a b",
        [["menu", "zone:missing.hands.a"], ["pick", 0]],
        [("missing.hands", "1/4b", False)],
        (4, 4),
    ),
    ("more than people have", "1 m h + + + a", [], [("missing.hands", "1/5a", False)], (5, 5)),
    ("a number without a severity", "2 h a 3 f", [], [("missing.hands", "1/4a", False)], (4, 4)),
    ("a mark over “no errors”", "2 h 0 a", [], [("missing.hands", "1/4a", False)], (4, 4)),
]


@pytest.mark.parametrize(
    ("keys", "steps", "marks", "counts"), [row[1:] for row in OUTCOMES], ids=[row[0] for row in OUTCOMES]
)
def test_it_is_kept_without_a_word(
    page: Page,
    queue_of_ada: list[Assignment],
    keys: str,
    steps: list[Any],
    marks: Marks,
    counts: tuple[int, int],
) -> None:
    open_label(page, queue_of_ada[0])
    press(page, keys)
    play(page, steps)
    wait_saved(page)
    answer = stored(queue_of_ada[0])
    assert marks_of(answer) == marks
    expected, visible = (answer.payload["counts"][basis]["hands"] for basis in ("expected", "visible"))
    assert (expected, visible) == counts
    assert (answer.warnings, answer.payload["no_errors"]) == ([], False)
    assert page.locator(".warned").count() == 0
    assert "stop" not in (page.locator("#line").get_attribute("class") or "")


def test_more_visible_than_expected_is_kept_and_doubted(page: Page, queue_of_ada: list[Assignment]) -> None:
    open_label(page, queue_of_ada[0])
    press(page, "1 m h - g + b")
    wait_saved(page)
    answer = stored(queue_of_ada[0])
    assert marks_of(answer) == [("configuration.hands", "1/2b", False)]
    assert [answer.payload["counts"][basis]["hands"] for basis in ("expected", "visible")] == [1, 2]
    assert [(warning["code"], warning["field"]) for warning in answer.warnings] == [
        ("counts_contradict", "counts.visible.hands")
    ]
