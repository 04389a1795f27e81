"""Balance, agreement and data as lights; agreement at chance level replaces the headline."""

from __future__ import annotations

from typing import Any

import pytest

from analysis.first_screen.trust import trust_of
from tests.analysis.first_screen.making import result


def alpha(value: float, low: float | None, images: int = 60) -> dict[str, Any]:
    high = None if low is None else 2 * value - low
    return {"value": value, "low": low, "high": high, "n_units": images, "refused": "too few images"}


@pytest.mark.parametrize(
    ("found", "verdict", "words"),
    [
        (None, "look", "Not known: there is no agreement report."),
        (alpha(0.85, 0.7), "fine", "alpha 0.85 [0.70, 1.00], above the conventional 0.667."),
        (
            alpha(0.55, 0.37),
            "look",
            "alpha 0.55 [0.37, 0.73], below the usual 0.667: they agree in part.",
        ),
        (alpha(-0.01, -0.1), "stop", "alpha −0.01 [−0.10, 0.08]: no better than chance."),
        (
            alpha(0.3, -0.1, images=12),
            "look",
            "alpha 0.30 [−0.10, 0.70], below the usual 0.667: they agree in part.",
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
        "Alpha of the score is −0.01 [−0.10, 0.08] over 60 images judged twice; median time 3 s per image. "
        "Find the cause before you use the ranking."
    )
    assert (trust.data.verdict, trust.data.words) == (
        "stop",
        "100 annotations, 3 annotators; median time 3 s per image.",
    )
    assert "median" not in trust_of(result(), alpha(-0.01, -0.1), seconds=45).chance


def test_balance() -> None:
    even = {"balanced": True, "words": "Evenly.", "annotators": ["p", "q"], "counts": [[25, 25], [25, 25]]}
    assert trust_of(result(balance=even), None).balance.words == "25 images of each generator per annotator."
    nearly = even | {"counts": [[25, 24], [25, 25]]}
    assert trust_of(result(balance=nearly), None).balance.words == "Evenly."
    skewed = nearly | {"balanced": False, "words": "Skewed."}
    assert trust_of(result(balance=skewed), None).balance.verdict == "look"
    assert trust_of(result(), None).balance.verdict == "look"


def test_much_that_cannot_be_read_is_worth_a_look() -> None:
    assert trust_of(result(), None, unreadable=5).data.verdict == "fine"
    assert trust_of(result(), None, unreadable=6).data.verdict == "look"
