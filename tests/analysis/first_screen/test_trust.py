"""Balance, agreement and data as lights; agreement at chance level replaces the headline."""

from __future__ import annotations

from typing import Any

import pytest

from analysis.first_screen.trust import trust_of
from tests.analysis.first_screen.making import result

NOISE = "The intervals include this noise."
SCALE = "1 is perfect, 0 is chance, 0.667 is the usual minimum."


def alpha(value: float, low: float | None, images: int = 60) -> dict[str, Any]:
    high = None if low is None else 2 * value - low
    return {"value": value, "low": low, "high": high, "n_units": images, "refused": "too few images"}


@pytest.mark.parametrize(
    ("found", "verdict", "words"),
    [
        (None, "look", "Not known: there is no agreement report."),
        (alpha(0.9, 0.82), "fine", f"Annotators agree well: alpha 0.90 [0.82, 0.98]; {SCALE}"),
        (
            alpha(0.85, 0.7),
            "fine",
            f"Annotators agree well enough for tentative conclusions: alpha 0.85 [0.70, 1.00]; {SCALE}",
        ),
        (alpha(0.55, 0.37), "look", f"Annotators agree in part: alpha 0.55 [0.37, 0.73]; {SCALE} {NOISE}"),
        (
            alpha(0.7, 0.5),
            "look",
            f"Annotators seem to agree, but it is not certain: alpha 0.70 [0.50, 0.90]; {SCALE} {NOISE}",
        ),
        (
            alpha(-0.01, -0.1),
            "stop",
            f"Agreement is not clearly better than chance: alpha −0.01 [−0.10, 0.08]; {SCALE}",
        ),
        (
            alpha(0.3, -0.1, images=12),
            "look",
            f"Too few images to tell whether annotators agree: alpha 0.30 [−0.10, 0.70]; {SCALE}",
        ),
        (alpha(0.3, None), "look", "alpha 0.30, no interval: too few images."),
    ],
)
def test_agreement(found: Any, verdict: str, words: str) -> None:
    trust = trust_of(result(), found)
    assert (trust.agreement.verdict, trust.agreement.words) == (verdict, words)
    assert bool(trust.chance) == (verdict == "stop")


def test_chance_says_the_hurry_too() -> None:
    trust = trust_of(result(), alpha(-0.01, -0.1), seconds=3.1)
    assert trust.chance == (
        "Alpha of the score is −0.01 [−0.10, 0.08] over 60 doubly annotated images; median time 3 s per "
        "image. Find the cause before you use the ranking."
    )
    assert (trust.data.verdict, trust.data.words) == (
        "stop",
        "100 annotations of 80 images, 3 annotators. Too fast: median time 3 s per image, below 5 s.",
    )
    assert "median" not in trust_of(result(), alpha(-0.01, -0.1), seconds=45).chance


def test_the_limit_is_that_of_the_protocol() -> None:
    assert trust_of(result(), None, seconds=0.7, fast_ms=600).data.verdict == "fine"
    assert trust_of(result(), None, seconds=0.5, fast_ms=600).data.verdict == "stop"


def test_balance() -> None:
    even = {"balanced": True, "words": "Evenly.", "annotators": ["p", "q"], "counts": [[25, 25], [25, 25]]}
    assert trust_of(result(balance=even), None).balance.words == "25 images of each generator per annotator."
    nearly = even | {"counts": [[25, 24], [25, 25]]}
    assert trust_of(result(balance=nearly), None).balance.words == "Evenly."
    skewed = nearly | {"balanced": False, "words": "Skewed."}
    assert trust_of(result(balance=skewed), None).balance.verdict == "look"


def read_as(*held: bool) -> dict[str, Any]:
    rows = [{"kind": "unreadable", "order_holds": True, "verdicts_hold": each} for each in held]
    return {"robustness": {"rows": [{"kind": "log", "order_holds": False, "verdicts_hold": False}, *rows]}}


def test_terms_that_cannot_be_read_are_fine_only_if_no_reading_changes_the_result() -> None:
    light = trust_of(result(**read_as(True, True, True)), None, unreadable=5).data
    assert (light.verdict, light.words) == ("fine", "100 annotations of 80 images, 3 annotators.")
    assert (
        light.problem
        == "5 annotations have a cell that cannot be read; however it is read, the result stays the same."
    )
    changed = trust_of(result(**read_as(True, False, True)), None, unreadable=1).data
    assert changed.verdict == "look"
    assert changed.problem == (
        "1 annotation has a cell that cannot be read; another reading could change the result."
    )
    assert trust_of(result(), None, unreadable=1).data.verdict == "look"
    assert trust_of(result(), None).data.problem == ""


def test_annotations_that_cannot_be_read_at_all_are_worth_a_look() -> None:
    light = trust_of(result(**read_as(True)), None, unreadable=2, uncounted=1).data
    assert light.verdict == "look"
    assert light.problem.endswith("1 cannot be read at all and is not counted.")
